"""What may differ between worlds, by names and units a user knows; every world has values of its own.

The table of rows says which parameters there are, the schemas' definitions what PhysX takes for them; `parameters_of`
says which of them a model has, of which prims, and in which rows of the step they live.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cache

import physx_schema
from physx_runtime.model.owners import Owner
from physx_runtime.model.rows import PARAMETER, TABLE, Row, input_rows
from physx_runtime.model.topology import PRISMATIC, ActorTopology, BodyTopology, DofTopology, Topology
from physx_schema import Range
from physx_schema.definitions import attribute

# (row, index) of the step
RowPlace = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a model; its values have `shape` in each world.

    `range` is written as in the schema: a round bracket leaves its bound out.
    """

    name: str
    elements: tuple[str, ...]           # what each value belongs to: a prim path, path:instance of a tendon's part
    components: str                     # "" for one number an element, "xyz" for a vector, "xyzw" for a rotation
    range: str
    unit: str
    documentation: str
    scalars: tuple[tuple[RowPlace, ...], ...] = ()    # per value, the step's scalars it is copied to; none: derived

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the values in one world."""
        return (len(self.elements), len(self.components)) if self.components else (len(self.elements),)

    def label(self, index: int) -> str:
        """What the value with this index among the flattened ones belongs to."""
        width = len(self.components) or 1
        part = f" {self.components[index % width]}" if self.components else ""
        return self.elements[index // width] + part


# Parameters of dofs that count only where a feature acts.
FEATURES = {row.name: row for row in TABLE if row.feature}


def randomized(t: ActorTopology, names: Collection[str]) -> Topology:
    """The topology in which the named parameters count on every dof; a dof without drive gets a force drive.

    Raises ValueError for a name that is no parameter, or one that counts anyway, and for a name instead of several.
    """
    if isinstance(names, str):
        raise ValueError(f"randomize is {names!r}; give a collection of names, such as [{names!r}]")
    unknown = sorted(set(names) - set(FEATURES))
    if unknown:
        raise ValueError(f"randomize names {', '.join(unknown)}; allowed are {', '.join(sorted(FEATURES))} (every "
                         "other parameter may differ between worlds without being named)")
    if isinstance(t, BodyTopology) or not t.dofs:
        raise ValueError(f"randomize names {', '.join(sorted(names))}, parameters of joints; there are no joints here")
    wanted = {FEATURES[name].feature for name in names}

    def with_features(dof: DofTopology) -> DofTopology:
        drive = dof.drive or ("force" if wanted & {"drive", "envelope"} else None)
        return replace(dof, drive=drive, **dict.fromkeys(wanted - {"drive"}, True))

    return replace(t, dofs=tuple(with_features(dof) for dof in t.dofs))


def parameters_of(found: Mapping[str, tuple[Owner, ...]], topology: ActorTopology) -> dict[str, Parameter]:
    """Every parameter of a model by name; kinds of owner that it has none of are left out. `found`: as `owners`."""
    made: dict[str, Parameter] = {}
    known = input_rows(topology)
    for row in TABLE:
        held = found.get(row.owner, ()) if row.maker == PARAMETER else ()
        if held and (row.derived or held[0].places[0][0] + row.name in known):
            scalars = tuple(_scalars(row, owner, part, topology.tree) for owner in held for part in range(row.width))
            made[row.public_name] = Parameter(
                row.public_name, tuple(owner.name for owner in held), "".join(row.components), said_range(row),
                said_unit(row), said_text(row), () if row.derived else scalars)
    return made


def _scalars(row: Row, owner: Owner, part: int, t: Topology) -> tuple[RowPlace, ...]:
    """The step's scalars that hold one component of a parameter of one owner."""
    scalars = [(prefix + row.name, place * row.width + part) for prefix, place in owner.places]
    if row.name == "max_velocity":
        # at the step's start the joint's n-th dof has the maximum of its n-th axis, a prismatic joint PhysX's own
        dof = owner.places[0][1]
        if t.kind_of(dof) != PRISMATIC:
            scalars += [("velocity_clamp", other) for other in t.dofs_of(t.dofs[dof].link)[t.dofs[dof].axis:][:1]]
    return tuple(scalars)


# --- what the schemas say ----------------------------------------------------------------------------------------

@cache
def said_range(row: Row) -> str:
    """What PhysX takes; an end that is another attribute counts as that one's own end."""
    allowed = attribute(row.schema, row.attribute).range if not row.range else None
    if allowed is None:
        return row.range
    lower, lower_closed, upper, upper_closed = allowed.lower, allowed.lower_closed, allowed.upper, allowed.upper_closed
    if isinstance(lower, str) and (other := attribute(row.schema, lower).range):
        lower, lower_closed = other.lower, other.lower_closed
    if isinstance(upper, str) and (other := attribute(row.schema, upper).range):
        upper, upper_closed = other.upper, other.upper_closed
    return str(Range(lower, upper, lower_closed, upper_closed))


@cache
def said_unit(row: Row) -> str:
    """The unit, angles in radians; "" for none."""
    if not row.schema or row.unit:
        return row.unit
    unit = attribute(row.schema, row.attribute).unit.replace("degree", "radian")
    return "" if unit == "dimensionless" else unit


@cache
def said_text(row: Row) -> str:
    """What it is, in one sentence."""
    if row.text:
        return row.text
    getter = getattr(getattr(physx_schema, row.schema), f"Get{row.attribute[0].upper()}{row.attribute[1:]}Attr")
    return str(getter.__doc__).partition("\n\n")[0].strip().replace("\n        ", " ")


@cache
def ordered_pairs() -> tuple[tuple[str, str], ...]:
    """Parameters of which the first may not exceed the second, as the ranges of their attributes say."""
    by_attribute = {(row.schema, row.attribute): row.public_name for row in TABLE if row.schema}
    pairs = []
    for row in TABLE:
        allowed = attribute(row.schema, row.attribute).range if row.schema else None
        if allowed and isinstance(allowed.upper, str):
            pairs.append((row.public_name, by_attribute[row.schema, allowed.upper]))
    return tuple(pairs)
