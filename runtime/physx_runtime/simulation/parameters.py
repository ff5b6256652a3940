"""Parameters of actors: numbers that can differ between worlds, such as masses, drive gains and limits. `parameters_of`
lists them for a model from the table of rows and the schemas' definitions. `ParameterValues` reads and sets them world
by world. `checked_row` and `world_indices` check values and indices and raise ValueError with one line. `randomized`
makes parameters act on every joint.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

import physx_schema
from physx_runtime.arrays import Array
from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.owners import RowOwner, owners_of, row_label
from physx_runtime.model.row_specs import FORCE_ROWS, PARAMETER, TABLE, RowSpec, input_rows
from physx_runtime.model.topology import PRISMATIC, REVOLUTE, ActorTopology, BodyTopology, DofTopology, Topology
from physx_runtime.packing.frames import Frame, inverse_frame
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.arguments import required_array, required_index, required_numbers
from physx_runtime.simulation.mass_properties import WorldMassProperties
from physx_schema import Range
from physx_schema.arguments import display, required_text, required_texts, suggestion
from physx_schema.definitions import attribute
from physx_schema.field_text import fields_repr

# (row, index) of the step
RowIndex = tuple[str, int]


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a model; its values have `shape` in each world.

    `range` is written as in the schema: a round bracket excludes its bound.
    """

    name: str
    elements: tuple[str, ...]           # what each value belongs to: a prim path, path:instance of a tendon's part
    components: str                     # "" for one number an element, "xyz" for a vector, "xyzw" for a rotation
    range: str
    unit: str
    documentation: str
    # Per value, the step's scalars it is copied to; none: derived.
    scalars: tuple[tuple[RowIndex, ...], ...] = field(default=(), repr=False)

    __repr__ = fields_repr

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the values in one world."""
        return (len(self.elements), len(self.components)) if self.components else (len(self.elements),)

    def label(self, index: int) -> str:
        """Return the owner of the value with this index among the flattened values.

        Raises ValueError for an index out of range.
        """
        width = len(self.components) or 1
        required_index("index", index, width * len(self.elements))
        component = f" {self.components[index % width]}" if self.components else ""
        return self.elements[index // width] + component


# Parameters of dofs that count only where a feature acts.
FEATURES = {row.name: row for row in TABLE if row.feature}


def randomized(t: ActorTopology, names: Collection[str]) -> Topology:
    """The topology in which the named parameters act on every dof; a dof without drive gets a force drive.

    Raises ValueError for a name that is no parameter, for one that always acts, and for a name instead of several.
    """
    if isinstance(names, str):
        raise ValueError(f"randomize is {names!r}; give a collection of names, such as [{names!r}]")
    names = required_texts("randomize", names)
    unknown = sorted(set(names) - set(FEATURES))
    if unknown:
        raise ValueError(f"randomize names {', '.join(unknown)}; allowed are {', '.join(sorted(FEATURES))} (all "
                         "other parameters may differ between worlds without randomize)")
    if isinstance(t, BodyTopology) or not t.dofs:
        raise ValueError(f"randomize names {', '.join(sorted(names))}, which are joint parameters; "
                         "the actor has no joints")
    features = {FEATURES[name].feature for name in names}

    def with_features(dof: DofTopology) -> DofTopology:
        drive = dof.drive or ("force" if features & {"drive", "envelope"} else None)
        return replace(dof, drive=drive, **dict.fromkeys(features - {"drive"}, True))

    return replace(t, dofs=tuple(with_features(dof) for dof in t.dofs))


def parameters_of(owners_by_kind: Mapping[str, tuple[RowOwner, ...]], topology: ActorTopology) -> dict[str, Parameter]:
    """Every parameter of a model by name; kinds without owners are left out. owners_by_kind: as of `owners_of`."""
    parameters: dict[str, Parameter] = {}
    row_sizes = input_rows(topology)
    for row in TABLE:
        row_owners = owners_by_kind.get(row.owner, ()) if row.maker == PARAMETER else ()
        if row_owners and (row.derived or row_owners[0].slots[0][0] + row.name in row_sizes):
            scalars = tuple(_scalars(row, owner, i, topology.tree) for owner in row_owners for i in range(row.width))
            parameters[row.public_name] = Parameter(
                row.public_name, tuple(owner.name for owner in row_owners), "".join(row.components), range_text(row),
                unit_text(row), doc_text(row), () if row.derived else scalars)
    return parameters


def _scalars(row: RowSpec, owner: RowOwner, component: int, t: Topology) -> tuple[RowIndex, ...]:
    """The step's scalars that hold one component of a parameter of one owner."""
    scalars = [(prefix + row.name, index * row.width + component) for prefix, index in owner.slots]
    if row.name == "max_velocity":
        # at the step's start the joint's n-th dof has the maximum of its n-th axis, a prismatic joint PhysX's own
        dof = owner.slots[0][1]
        if t.kind_of(dof) != PRISMATIC:
            scalars += [("velocity_clamp", other) for other in t.dofs_of(t.dofs[dof].link)[t.dofs[dof].axis:][:1]]
    return tuple(scalars)


# --- what the schemas say ----------------------------------------------------------------------------------------

@cache
def range_text(row: RowSpec) -> str:
    """The range that PhysX accepts; an end that names another attribute takes that attribute's end."""
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
def unit_text(row: RowSpec) -> str:
    """The unit, angles in radians; "" for none."""
    if not row.schema or row.unit:
        return row.unit
    unit = attribute(row.schema, row.attribute).unit.replace("degree", "radian")
    return "" if unit == "dimensionless" else unit


@cache
def doc_text(row: RowSpec) -> str:
    """The documentation of a row in one sentence."""
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



SWITCH = "0 or 1"           # the range of a parameter that switches something on or off
# Of a quaternion before it is divided by its length.
MIN_ROTATION_LENGTH = 1e-6


class RowStore(Protocol):
    """The store of rows of all worlds."""

    def rows(self, name: str) -> Array:
        """A row group, (n_world, n), a copy."""

    def write_at(self, name: str, values: Array, worlds: NDArray[np.int64], columns: Sequence[int] | None = None
                 ) -> None:
        """Set columns of a row group, all where None, in worlds with these indices."""


class ParameterValues:
    """The parameters of one actor in every world."""

    def __init__(self, model: PackedModel, store: RowStore, worlds: int, dtype: str) -> None:
        self.topology: Topology = model.topology.tree
        self.mass_properties = WorldMassProperties(model, worlds)
        self.rows_set: set[str] = set()     # that may differ from the model's
        self.store, self._model, self._worlds, self._dtype = store, model, worlds, dtype

    @functools.cached_property
    def owners(self) -> Mapping[str, tuple[RowOwner, ...]]:
        """Owners of rows in the model, by kind."""
        return owners_of(self.topology, self._model.actor, self._model.scene)

    @functools.cached_property
    def table(self) -> Mapping[str, Parameter]:
        """Every parameter of the model by name."""
        return parameters_of(self.owners, self._model.topology)

    def read(self, name: str) -> Array:
        """Values of every world, (n_world, *shape)."""
        parameter = self.parameter(name)
        if not parameter.scalars:
            return self.mass_properties.values[name].astype(self._dtype)
        rows = {row: self.store.rows(row) for row, _ in (row_indices[0] for row_indices in parameter.scalars)}
        flat = np.stack([rows[row][:, i] for row, i in (row_indices[0] for row_indices in parameter.scalars)], axis=-1)
        return flat.reshape(self._worlds, *parameter.shape)

    def assign(self, values: Mapping[str, ArrayLike], worlds: NDArray[np.int64]) -> None:
        """Set parameters in worlds with these indices; nothing is set if any value is refused."""
        for name, array in self.check(values, worlds).items():
            if self.table[name].scalars:
                self._copy(self.table[name], array.reshape(len(worlds), -1), worlds)
            else:
                self._derive(name, array, worlds)

    def check(self, values: Mapping[str, ArrayLike], worlds: NDArray[np.int64]) -> dict[str, Array]:
        """Parameters as (n_selected, *shape). Raises ValueError for a value that PhysX or the step refuses."""
        new = {name: world_values(self.parameter(name), value, len(worlds)) for name, value in values.items()}
        for name in new:
            self._check(self.table[name], new, worlds)
        return new

    def parameter(self, name: str) -> Parameter:
        """The parameter of this name; raises ValueError where there is none."""
        if required_text("name", name) not in self.table:
            raise ValueError(f"{display(name)} is not a parameter of this model; "
                             f"{suggestion(name, sorted(self.table))}")
        return self.table[name]

    # --- setting -----------------------------------------------------------------------------------------------------

    def _copy(self, parameter: Parameter, new: Array, worlds: NDArray[np.int64]) -> None:
        for row, pairs in self.row_columns(parameter).items():
            row_columns, columns = (list(column) for column in zip(*pairs, strict=True))
            self._write(row, new[:, columns], worlds, row_columns)

    @staticmethod
    def row_columns(parameter: Parameter) -> dict[str, list[tuple[int, int]]]:
        """Row -> (columns, indices of the parameter's values) of every number that copies a value."""
        columns: dict[str, list[tuple[int, int]]] = {}
        for column, scalars in enumerate(parameter.scalars):
            for row, i in scalars:
                columns.setdefault(row, []).append((i, column))
        return {row: sorted(pairs) for row, pairs in columns.items()}

    def _derive(self, name: str, new: Array, worlds: NDArray[np.int64]) -> None:
        if name == "principal_axes":
            new = new / np.linalg.norm(new, axis=-1, keepdims=True)
        all_values = self.mass_properties.values[name].copy()
        all_values[worlds] = new
        for change in self.mass_properties.assign(name, all_values):
            row_columns = range(change.first, change.first + change.values.shape[1])
            self._write(change.row, change.values[change.worlds], np.flatnonzero(change.worlds), row_columns)

    def _write(self, row: str, values: Array, worlds: NDArray[np.int64], columns: Sequence[int]) -> None:
        self.store.write_at(row, values, worlds, columns)
        self.rows_set.add(row)

    # --- what follows from them --------------------------------------------------------------------------------------

    def moved_root_rows(self, before: Frame) -> Iterator[tuple[str, Array, Array]]:
        """Rows of the root's F, worlds (n_world,) and values (n_world, n), where its link stays though F moves in it.

        before: `root_offset` of the worlds before the change.
        """
        (center, axes), (old_center, old_axes) = self.mass_properties.root_offset(), before
        center_changed, axes_changed = np.not_equal(center, old_center), np.not_equal(axes, old_axes)
        if not center_changed.any() and not axes_changed.any():
            return
        rotation = sp.normalized(tuple(np.moveaxis(self.store.rows("root_rotation").astype(np.float64), -1, 0)))
        link = sp.mul_quat(rotation, sp.conjugate(old_axes))
        shift = sp.sub(center, old_center)
        position = self.store.rows("root_position") + np.stack(sp.rotate(link, shift), axis=-1)
        yield "root_position", np.asarray(center_changed.any(axis=0)), position
        yield "root_rotation", np.asarray(axes_changed.any(axis=0)), np.stack(sp.mul_quat(link, axes), axis=-1)

    def model_of_worlds(self) -> PackedModel:
        """The model with the worlds' own parameters, (n, n_world), for algorithms that run on arrays of worlds."""
        world_rows = {name: self.store.rows(name).T.astype(np.float64) for name in self.rows_set}
        frames = list(self._model.link_frames)
        if self.topology.root_size:
            frames[0] = inverse_frame(self.mass_properties.root_offset())
        return replace(self._model, parameters={**self._model.parameters, **world_rows}, link_frames=tuple(frames))

    # --- refusing ----------------------------------------------------------------------------------------------------

    def _check(self, parameter: Parameter, new: Mapping[str, Array], worlds: NDArray[np.int64]) -> None:
        """Raise ValueError for the first value that PhysX would refuse, or that the step does not read."""
        with np.errstate(over="ignore"):
            values = new[parameter.name].astype(self._dtype).reshape(len(worlds), -1)
        self._refuse(parameter, values, ~allowed(parameter.range, values), worlds, f"give values in {parameter.range}")
        if parameter.name == "principal_axes":
            lengths = np.repeat(np.linalg.norm(new[parameter.name], axis=-1), 4, axis=-1)
            self._refuse(parameter, values, lengths == 0.0, worlds, "give a rotation other than (0, 0, 0, 0)")
        for below, above in ordered_pairs():
            if parameter.name in (below, above):
                name = above if parameter.name == below else below
                other = new[name] if name in new else self.read(name)[worlds]
                other = other.astype(self._dtype).reshape(len(worlds), -1)
                invalid = values > other if parameter.name == below else values < other
                self._refuse(parameter, values, invalid, worlds, f"{below} may not exceed {above}")
        if parameter.name in ("lower_limit", "upper_limit"):
            tied = [dof in self._mimicked() for dof in range(values.shape[1])]
            self._refuse(parameter, values, np.isinf(values) & tied, worlds, "a mimic joint needs finite limits")
        if parameter.name in FEATURES:
            self._refuse_unused(parameter, values, worlds)

    def _refuse_unused(self, parameter: Parameter, array: Array, worlds: NDArray[np.int64]) -> None:
        feature = FEATURES[parameter.name]
        absent = np.array([not getattr(dof, feature.feature) for dof in self.topology.dofs])
        idle = (array != feature.neutral) & absent
        missing = feature.feature.replace("_", " ")
        self._refuse(parameter, array, idle, worlds, f"the stage authors no {missing} for this joint, and the value "
                     f"would have no effect; create the Simulation with randomize=({parameter.name!r},)")

    def _mimicked(self) -> set[int]:
        return {dof for pair in self.topology.mimics for dof in pair
                if self.topology.links[self.topology.dofs[dof].link].kind == REVOLUTE}

    @staticmethod
    def _refuse(parameter: Parameter, values: Array, invalid: Array, worlds: NDArray[np.int64], advice: str) -> None:
        if invalid.any():
            raise ValueError(refusal(parameter.name, values, invalid, worlds, parameter.label, advice))


def world_values(parameter: Parameter, values: ArrayLike, count: int) -> Array:
    """Values of a parameter as (count, *shape): one number, `shape`, or (count, *shape). Raises ValueError."""
    name, shape = parameter.name, parameter.shape
    array, size = required_numbers(name, values, flags=parameter.range == SWITCH), math.prod(shape)
    if array.shape in ((size,), (count, size)):     # as the step has rows
        array = array.reshape(*array.shape[:-1], *shape)
    if array.shape not in ((), shape, (count, *shape)):
        raise ValueError(f"{name} has shape {array.shape}; give one number, {shape} or {(count, *shape)}")
    return np.broadcast_to(array, (count, *shape))


def refusal(name: str, values: Array, invalid: Array, worlds: NDArray[np.int64], label: Callable[[int], str],
            advice: str) -> str:
    """A message about the first invalid value of (n, n_value): its world, its owner, and the number of them."""
    world, index = (int(x) for x in np.argwhere(invalid)[0])
    count = int(np.count_nonzero(invalid))
    more = f" (and {count - 1} more)" if count > 1 else ""
    return f"{name} of world {worlds[world]} at {label(index)} is {values[world, index]:g}{more}; {advice}"


def rounded(values: Array, dtype: str) -> Array:
    """Values in another dtype, infinite where they are too large for it."""
    with np.errstate(over="ignore"):
        return values.astype(dtype)


def allowed(text: str, values: Array) -> Array:
    """Mask of values in a range: "(0, inf)", "[0, inf]", "0 or 1", "(-inf, inf) but 0"; never NaN."""
    if text == SWITCH:
        return np.asarray((values == 0.0) | (values == 1.0))
    bounds, _, hole = text.partition(" but ")
    low, high = (float(x) for x in bounds[1:-1].split(","))
    above = values >= low if bounds.startswith("[") else values > low
    below = values <= high if bounds.endswith("]") else values < high
    return np.asarray(above & below & ((values != float(hole)) if hole else True))


def is_rotation(quaternions: Array) -> Any:
    """Whether each of (..., 4) numbers can be divided by its length."""
    return np.linalg.norm(quaternions, axis=-1) > MIN_ROTATION_LENGTH


def world_indices(worlds: ArrayLike | None, count: int) -> NDArray[np.int64]:
    """Indices of the worlds that a mask (n_world,) or indices name; all of them for None.

    Raises ValueError for a mask of another size and for an index that is invalid or repeated.
    """
    if worlds is None:
        return np.arange(count)
    advice = f"give a mask ({count},) or indices"
    selection = np.atleast_1d(required_array("worlds", worlds, advice))
    if selection.dtype == np.bool_:
        if selection.shape != (count,):
            raise ValueError(f"the mask of worlds has shape {selection.shape}; give ({count},)")
        return np.flatnonzero(selection)
    if selection.size == 0:
        return np.zeros(0, dtype=np.int64)
    if selection.ndim != 1 or not np.issubdtype(selection.dtype, np.integer):
        raise ValueError(f"worlds has type {selection.dtype} and shape {selection.shape}; {advice}")
    if selection.min() < 0 or selection.max() >= count or len(np.unique(selection)) != len(selection):
        raise ValueError(f"worlds is {display(selection.tolist())}; give each index at most once, from 0 to "
                         f"{count - 1}")
    return selection.astype(np.int64)


def row_size(model: PackedModel, name: str) -> int:
    """How many numbers a row has in one world; raises ValueError for a name that is no row."""
    rows = model.settable
    if required_text("name", name) not in rows:
        raise ValueError(f"{display(name)} is not a row of this model; {suggestion(name, sorted(rows))}")
    return rows[name]


def checked_row(model: PackedModel, owners: Mapping[str, tuple[RowOwner, ...]], name: str, values: ArrayLike,
                worlds: NDArray[np.int64], dtype: str) -> Array:
    """Values of a row for the worlds with these indices, (n_world, n), in a simulation's dtype.

    owners: what rows of the model belong to. values: (n,) for all worlds or (n_world, n). Raises ValueError for another
    name or shape, for NaN, and for a state, effort or force that is infinite.
    """
    # numbers of another type are refused as they were given
    count = row_size(model, name)
    is_plain = type(values) is np.ndarray and values.dtype == dtype
    raw = np.asarray(values) if is_plain else required_numbers(name, values)
    if raw.shape == (count,):
        raw = np.broadcast_to(raw, (len(worlds), count))
    elif raw.shape != (len(worlds), count):
        raise ValueError(f"{name} has shape {raw.shape}; give ({count},) or ({len(worlds)}, {count})")
    array, valid = converted_row(model, name, raw, dtype)
    if not valid.all():
        raise ValueError(refusal(name, raw, ~valid, worlds, lambda i: row_label(owners, name, i),
                                 "give finite numbers" if _must_be_finite(model, name) else "give numbers"))
    return array


def converted_row(model: PackedModel, name: str, values: Array, dtype: str) -> tuple[Array, NDArray[np.bool_]]:
    """Values of a row in a simulation's dtype, and the mask of valid ones."""
    array = values if values.dtype == dtype else rounded(values, dtype)
    return array, np.isfinite(array) if _must_be_finite(model, name) else ~np.isnan(array)


def _must_be_finite(model: PackedModel, name: str) -> bool:
    return name in model.state or name in FORCE_ROWS
