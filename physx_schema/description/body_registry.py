"""The rigid bodies of a stage: which there are, which PhysX makes, and which move by forces."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pxr import UsdGeom, Vt

from physx_schema.description.bodies import is_enabled
from physx_schema.description.frames import operation_order
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext
from physx_schema.description.records import Vec3
from physx_schema.description.scenes import Scenes
from physx_schema.description.units import display, is_array

_RESET = "!resetXformStack!"
_UNIT = 1e-3        # by which the length of a quaternion may differ from 1
_SHEAR = 1e-4       # cosine between axes from which a body's transform is reported as sheared


@dataclass(frozen=True, slots=True)
class BodyRegistry:
    """Enabled rigid bodies by path, each with the scene that steps it; None where PhysX refuses to make it."""

    scenes: Mapping[str, str | None]
    kinematic: frozenset[str]
    unplaced: frozenset[str] = frozenset()      # refused for their transform, and their joints with them
    unowned: frozenset[str] = frozenset()       # without an owner of their own, where there are several scenes

    def is_dynamic(self, body: str) -> bool:
        """Whether forces move a body."""
        return body in self.scenes and body not in self.kinematic

    def owner(self, body: str) -> str | None:
        """What PhysX compares before it connects bodies: their scenes, and where there are several "" for no owner."""
        return "" if body in self.unowned else self.scenes.get(body)

    def is_created(self, body: str) -> bool:
        """Whether PhysX makes the body."""
        return self.scenes.get(body) is not None


def read_body_registry(context: ReadContext, scenes: Scenes) -> BodyRegistry:
    """Every enabled rigid body outside instances, in traversal order."""
    body_scenes: dict[str, str | None] = {}
    kinematic, unplaced, unowned = set(), set(), set()
    for opinions in context.prims_with("PhysicsRigidBodyAPI"):
        path, view = opinions.path, opinions.view("PhysicsRigidBodyAPI")
        if not view.flag("rigidBodyEnabled"):
            continue
        if path in context.copies:
            _report_copy(context, opinions)
            continue
        body_scenes[path] = scenes.owner(view)
        if not _has_valid_transform(context, opinions):
            body_scenes[path] = None
            unplaced.add(path)
        if view.flag("kinematicEnabled"):
            kinematic.add(path)
        if len(scenes.by_path) > 1 and not view.targets("simulationOwner"):
            unowned.add(path)
    for path in body_scenes:
        _report_nested(context, path, body_scenes)
    for instancer in context.instancers:
        _report_instancer(context, instancer, body_scenes)
    return BodyRegistry(body_scenes, frozenset(kinematic), frozenset(unplaced), frozenset(unowned))


def _text(scale: Vec3) -> str:
    return "x".join(f"{length:g}" for length in scale)


def _has_valid_transform(context: ReadContext, opinions: PrimOpinions) -> bool:
    """Whether PhysX can place the body; what it changes about the transform is reported."""
    placement = context.frames.placement(opinions.prim, opinions.path)
    if opinions.path in context.frames.unreadable:
        context.problem(
            "body/transform-operation", opinions.path, "xformOpOrder", context.frames.unreadable[opinions.path],
            "PhysX ignores the operation", "author only transform operations that UsdGeom defines",
        )
    _report_operations(context, opinions)
    if any(map(math.isnan, placement.scale)):
        context.problem(
            "body/transform-not-finite", opinions.path, "xformOpOrder", "the world transform is not finite",
            "PhysX leaves the body out of the simulation", "author finite transform operations",
        )
        return False
    if placement.singular:
        context.problem(
            "body/transform-singular", opinions.path, "xformOpOrder", f"the world scale is {_text(placement.scale)}",
            "such a transform has no rotation; colliders and joint frames collapse",
            "author scales other than 0",
        )
    elif placement.skew > _SHEAR:
        angle = math.degrees(math.asin(min(placement.skew, 1.0)))
        context.problem(
            "body/transform-sheared", opinions.path, "xformOpOrder",
            f"the world transform shears by {angle:.3g} degrees",
            "PhysX keeps the direction of the x axis, makes the y and z axes orthogonal, and scales lengths along "
            "other axes",
            "author non-uniform scales only at or below the rotated prim", "warning",
        )
    elif placement.scale[0] < 0.0:
        context.problem(
            "body/transform-mirrored", opinions.path, "xformOpOrder",
            "the world transform mirrors the body (its determinant is negative)",
            f"PhysX flips the body's axes and uses the scale {_text(placement.scale)}",
            "mirror the geometry instead of the transform", "warning",
        )
    return True


def _report_operations(context: ReadContext, opinions: PrimOpinions) -> None:
    """Operations that xformOpOrder names without a value or leaves out, and quaternions that are no rotations."""
    authored = opinions.kind.operations
    order = operation_order(opinions.prim) if "xformOpOrder" in authored else ()
    missing, rotations, unlisted = _operations(order, authored)
    listed = opinions.prim.GetAttribute("xformOpOrder").Get() if authored and not order else None
    if listed is not None and not isinstance(listed, Vt.TokenArray):
        context.problem(
            "body/transform-operation", opinions.path, "xformOpOrder", f"{display(listed)} is not an array of tokens",
            "USD and PhysX read no transform operations from xformOpOrder", "author xformOpOrder as token[]",
        )
    for name in missing:
        context.problem(
            "body/transform-operation", opinions.path, "xformOpOrder",
            f"{name or 'an empty name'} is in xformOpOrder, and the attribute is not authored",
            "USD and PhysX ignore the operation", "author the attribute, or remove the name from xformOpOrder",
        )
    for name in unlisted:
        context.problem(
            "body/transform-operation", opinions.path, name, "the operation is not in xformOpOrder",
            "USD and PhysX ignore the operation", f"add {name} to xformOpOrder, or remove the operation",
            "info" if order else "warning",
        )
    for name in rotations:
        _report_rotation(context, opinions.path, name, opinions.prim.GetAttribute(name).Get())


@lru_cache(4096)
def _operations(order: tuple[str, ...], authored: tuple[str, ...]) -> tuple[list[str], list[str], list[str]]:
    """Operations that are in the order and not authored, quaternions in it, and operations authored beside it."""
    names = dict.fromkeys(name.removeprefix("!invert!") for name in order if name != _RESET)
    operations = [name for name in authored if name.startswith("xformOp:")]
    return ([name for name in names if name not in operations],
            [name for name in names if name in operations and name.startswith("xformOp:orient")],
            [name for name in operations if name not in names])


def _report_rotation(context: ReadContext, path: str, name: str, value: Any) -> None:
    """What is no quaternion, and one of another length, which turns by twice the arc cosine of its real part."""
    if value is not None and not hasattr(value, "GetImaginary"):
        context.problem(
            "body/transform-operation", path, name, f"{display(value)} is not a quaternion",
            "USD and PhysX ignore the operation", "author a quaternion",
        )
    elif value is not None and not abs(value.GetLength() - 1.0) <= _UNIT:
        context.problem(
            "value/not-unit", path, name, f"the quaternion has length {value.GetLength():g}",
            "USD and PhysX do not normalise the quaternion; the body gets another rotation",
            "author a quaternion of length 1", "warning",
        )


def _report_copy(context: ReadContext, opinions: PrimOpinions) -> None:
    if not context.is_proxy(opinions.path):
        return
    prototype = opinions.prim.GetPrimInPrototype()
    instance = context.copies[opinions.path]
    context.problem(
        "body/in-instance", opinions.path, "apiSchemas",
        f"the rigid body is inside the instance {instance} (in the prototype at {prototype.GetPath()})",
        "PhysX makes no bodies, joints or articulations inside an instance; colliders belong to the body above",
        f"set instanceable to false on {instance}, or apply PhysicsRigidBodyAPI to the instance",
    )


def _report_nested(context: ReadContext, path: str, bodies: Mapping[str, str | None]) -> None:
    """PhysX steps a body inside another at its own world pose; USD moves it with the outer one."""
    outer, _, _ = path.rpartition("/")
    if not context.body_of(outer):
        return      # without asking USD for transforms that do not matter
    prim = context.prims[path].prim
    while outer and not _resets(prim):
        if outer in bodies:
            context.problem(
                "body/nested", path, "xformOpOrder", f"the rigid body is inside the body {outer}",
                "PhysX moves the two bodies independently; in USD the inner body moves with the outer one",
                f"author !resetXformStack!, or move the body out of {outer}", "info",
            )
            return
        outer, _, _ = outer.rpartition("/")
        prim = prim.GetParent()


def _resets(prim: Any) -> bool:
    """Whether a prim's transform starts anew from the world."""
    return bool(prim.IsA(UsdGeom.Xformable) and UsdGeom.Xformable(prim).GetResetXformStack())


def _report_instancer(context: ReadContext, instancer: Any, bodies: Mapping[str, str | None]) -> None:
    """PhysX makes the bodies and colliders of a prototype anew for each instance; no fact holds them."""
    path = str(instancer.GetPath())
    prototypes = context.targets(instancer, "prototypes")

    def is_inside(prim: str) -> bool:
        return any(prim == prototype or prim.startswith(prototype + "/") for prototype in prototypes)

    indices = instancer.GetAttribute("protoIndices").Get()
    count = len(indices) if is_array(indices) else 0
    inside = [body for body in (*bodies, *context.copies) if is_inside(body)
              and body in context.prims and is_enabled(context.prims[body])]
    solid = [item.path for item in context.prims_with("PhysicsCollisionAPI") if is_inside(item.path)]
    if solid and not inside:
        context.problem(
            "collider/in-instancer", path, "prototypes",
            f"{count} instances have prototypes with colliders ({solid[0]})",
            "PhysX makes a static collider of each instance; this library reads only the prototype, at the pose of "
            "the prototype",
            "reference the prototype once for each collider, without the point instancer", "info",
        )
    if inside:
        context.problem(
            "body/in-instancer", path, "prototypes",
            f"{count} instances have prototypes with rigid bodies ({inside[0]})",
            "PhysX simulates each instance, outside articulations; this library does not read the instances",
            "reference the prototype once for each body, without the point instancer", "info",
        )
