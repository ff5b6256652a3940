"""Repairs of mimic joints: what a finding's `fix` says, as edits."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from physx_schema.checking.edits import (
    ApplySchema,
    Edit,
    RemoveProperty,
    RemoveSchema,
    RenameProperty,
    RenameSchema,
    Repair,
    SetValue,
    safe,
    unsafe,
)
from physx_schema.description import Drive, MimicDeclaration

API, INSTANCE = "PhysxMimicJointAPI", "rotX"
_ONE_AXIS = ("revolute", "prismatic")


def renamed(item: MimicDeclaration) -> Repair:
    """The declaration under the instance name rotX, with all its properties."""
    old, new = (f"physxMimicJoint:{name}:" for name in (item.instance, INSTANCE))
    schema = f"{API}:{item.instance}" if item.instance else API
    edits: list[Edit] = [RenameSchema(item.path, schema, f"{API}:{INSTANCE}")]
    edits += [RenameProperty(item.path, old + base, new + base) for base in sorted(item.authored)]
    return safe(*edits)


def widened(path: str, limits: tuple[float, float], image: tuple[float, float]) -> Repair:
    """The follower's limits around every position that the reference's limits ask for."""
    lower, upper = min(limits[0], image[0]), max(limits[1], image[1])
    edits = [SetValue(path, f"physics:{name}", value, "float") for name, value, old in (
        ("lowerLimit", lower, limits[0]), ("upperLimit", upper, limits[1])) if value != old]
    return safe(*edits)


def without_gains(drive: Drive) -> Repair:
    """The follower's drive without stiffness and damping: the coupling moves the joint."""
    gains = (("stiffness", drive.stiffness), ("damping", drive.damping))
    return safe(*(SetValue(drive.path, drive.prefix + name, 0.0, "float") for name, value in gains if value))


def refused(item: MimicDeclaration) -> Repair | None:
    """What lets PhysX accept a declaration that it refuses; None where the author has to decide."""
    reference = item.references[0] if len(item.references) == 1 else ""
    if item.refusal_code == "excluded-self":
        return unsafe(SetValue(item.path, "physics:excludeFromArticulation", False, "bool"))
    if item.refusal_code == "excluded-ref" and reference:
        return unsafe(SetValue(reference, "physics:excludeFromArticulation", False, "bool"))
    if item.refusal_code == "reference-axis" and item.reference_kind in _ONE_AXIS:
        name = f"physxMimicJoint:{item.instance}:referenceJointAxis"
        return safe(SetValue(item.path, name, INSTANCE, "token"))       # of a joint with one axis any will do
    if item.refusal_code == "one-instance":
        return unsafe(*_removed(item))
    return None


def _removed(item: MimicDeclaration) -> list[Edit]:
    """A declaration taken away with its properties, which would be orphans."""
    edits: list[Edit] = [RemoveSchema(item.path, f"{API}:{item.instance}")]
    edits += [RemoveProperty(item.path, f"physxMimicJoint:{item.instance}:{base}") for base in sorted(item.authored)]
    return edits


def without_newton(item: MimicDeclaration) -> Repair:
    """The joint without Newton's mimic joint, which contradicts PhysX's."""
    return unsafe(RemoveSchema(item.path, "NewtonMimicAPI"))


def opened(ring: Sequence[str], declarations: Sequence[MimicDeclaration], newton: Collection[str]) -> Repair:
    """A ring in which its first joint no longer follows; `newton` holds the joints that follow by Newton's schema."""
    edits = [edit for item in declarations if item.path == ring[0] for edit in _removed(item)]
    return unsafe(*edits, *([RemoveSchema(ring[0], "NewtonMimicAPI")] if ring[0] in newton else []))


def applied(path: str, name: str) -> Repair | None:
    """The API that a mimic property without it belongs to."""
    instance = name.split(":")[1] if name.count(":") > 1 else ""
    return unsafe(ApplySchema(path, f"{API}:{instance}")) if instance in ("rotX", "rotY", "rotZ") else None
