"""Verifying small robots: stages with one or a few joints of unit masses, and single rows of what was found."""

from __future__ import annotations

from collections.abc import Mapping

from physx_runtime.verification import Row, Verification, verify
from pxr import Usd

from support.stages.robots import base, joint, link, opened, robot

ROOT_SCHEMAS = ("PhysicsArticulationRootAPI", "PhysxArticulationAPI")
Part = tuple[tuple[str, ...], Mapping[str, object]]     # applied schemas and "type name" -> value
NOTHING: Part = ((), {})


def part(schema: str, namespace: str, **values: float | str) -> Part:
    """An applied schema with its numbers and tokens."""
    kinds = {name: "token" if isinstance(value, str) else "float" for name, value in values.items()}
    return (schema,), {f"{kinds[name]} {namespace}:{name}": value for name, value in values.items()}


def drive(token: str, **values: float | str) -> Part:
    """PhysicsDriveAPI."""
    return part(f"PhysicsDriveAPI:{token}", f"drive:{token}:physics", **values)


def envelope(token: str, **values: float) -> Part:
    """PhysxDrivePerformanceEnvelopeAPI."""
    return part(f"PhysxDrivePerformanceEnvelopeAPI:{token}", f"physxDrivePerformanceEnvelope:{token}", **values)


def turning(*parts: Part) -> Part:
    """What makes a joint without a kind (chain's kind "") a generic one that turns about three axes."""
    locks = [part(f"PhysicsLimitAPI:{axis}", f"limit:{axis}:physics", low=1.0, high=-1.0)
             for axis in ("transX", "transY", "transZ")]
    return both(*locks, *parts)


def limits(lower: float, upper: float) -> Part:
    """Joint limits."""
    return (), {"float physics:lowerLimit": float(lower), "float physics:upperLimit": float(upper)}


def axis(gearing: float = 1.0, force: float = 1.0, root: bool = False, **values: float) -> Part:
    """An axis of the fixed tendon `t`; further values belong to the root axis."""
    schemas, attributes = part(f"PhysxTendonAxis{'Root' if root else ''}API:t", "physxTendon:t", **values)
    arrays = {"float[] physxTendon:t:gearing": [gearing], "float[] physxTendon:t:forceCoefficient": [force]}
    return schemas, {**attributes, **arrays}


def mimic(instance: str = "rotX", reference: str = "j0", **values: float) -> Part:
    """PhysxMimicJointAPI that refers to a joint."""
    schemas, attributes = part(f"PhysxMimicJointAPI:{instance}", f"physxMimicJoint:{instance}", **values)
    return schemas, {**attributes, f"rel physxMimicJoint:{instance}:referenceJoint": f"</Robot/{reference}>"}


def both(*parts: Part) -> Part:
    """Several parts on one prim."""
    schemas = tuple(schema for schema, _ in parts for schema in schema)
    return schemas, {name: value for _, attributes in parts for name, value in attributes.items()}


def attachment(name: str, position: tuple[float, float, float], parent: tuple[str, str] | None = None,
               leaf: bool = False, **values: float) -> Part:
    """An attachment of a spatial tendon; `parent` is (link, attachment name), None for the root."""
    kind = "Root" if parent is None else "Leaf" if leaf else ""
    schemas, attributes = part(f"PhysxTendonAttachment{kind}API:{name}", f"physxTendon:{name}", **values)
    place: dict[str, object] = {f"point3f physxTendon:{name}:localPos": position}
    if parent:
        place |= {f"rel physxTendon:{name}:parentLink": f"</Robot/{parent[0]}>",
                  f"token physxTendon:{name}:parentAttachment": parent[1]}
    return schemas, {**attributes, **place}


def chain(*joints: Part, kind: str = "Prismatic", iterations: tuple[int, int] = (32, 1), serial: bool = True,
          links: Mapping[int, Part] | None = None, on_base: Part = NOTHING, along: str = "X") -> Usd.Stage:
    """A fixed base and links l0, l1, ... of unit mass and inertia in one place, with joints j0, j1, ...

    serial: each joint is on the link before, else all are on the base. Links and base may carry further schemas.
    """
    anchored = link("base", schemas=on_base[0], more=on_base[1]) + joint("Fixed", "anchor", "", "base")
    parts = [anchored if on_base[0] else base()]
    for i, (schemas, attributes) in enumerate(joints):
        carried = (links or {}).get(i, NOTHING)
        parts.append(link(f"l{i}", schemas=carried[0], more=carried[1]))
        parent = f"l{i - 1}" if serial and i else "base"
        axes = {"uniform token physics:axis": along}
        parts.append(joint(kind, f"j{i}", parent, f"l{i}", schemas, {**axes, **attributes}))
    counts = "".join(f"int physxArticulation:solver{name}IterationCount = {count}\n"
                     for name, count in zip(("Position", "Velocity"), iterations, strict=True))
    return opened(robot(counts, *parts, schemas=ROOT_SCHEMAS))


def row_of(verification: Verification, name: str, path: str = "/Robot/j0") -> Row:
    """The only row of a property."""
    (found,) = (row for row in verification.rows if (row.path, row.property) == (path, name))
    return found


def verified(stage: Usd.Stage, name: str, path: str = "/Robot/j0", dt: float = 1 / 60) -> Row:
    """The row of a property after verifying a stage."""
    return row_of(verify(stage, dt=dt), name, path)
