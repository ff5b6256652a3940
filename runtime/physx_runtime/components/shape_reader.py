"""Collision shapes of what a USD stage describes."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physx_runtime.components.arguments import LARGEST
from physx_runtime.components.group_reader import collision_groups
from physx_runtime.components.material import PhysxMaterial
from physx_runtime.components.mesh_shapes import PhysxCollisionShapeConvexMesh, PhysxCollisionShapeTriangleMesh
from physx_runtime.components.pose import Pose
from physx_runtime.components.shapes import (
    PhysxCollisionShape,
    PhysxCollisionShapeBox,
    PhysxCollisionShapeCapsule,
    PhysxCollisionShapeCylinder,
    PhysxCollisionShapePlane,
    PhysxCollisionShapeSphere,
)
from physx_schema.description.model import Collider, Description, PhysicsMaterial, TriangleMesh

HALF = math.sqrt(0.5)
ALONG = (Pose(), Pose(q=(HALF, 0.0, 0.0, HALF)), Pose(q=(HALF, 0.0, -HALF, 0.0)))        # turn x to x, y, z


class ShapeReader:
    """Makes shapes of colliders; what cannot be one adds a line to `problems`."""

    def __init__(self, description: Description, problems: list[str]) -> None:
        self._facts = {material.path: material for material in description.materials}
        self._made: dict[str, PhysxMaterial] = {}
        self._problems = problems
        self._groups = self._grouped(description)

    def made(self, collider: Collider) -> list[PhysxCollisionShape]:
        """The shapes of a collider: one, or none where it cannot be one."""
        material = self._material(collider.material)
        shape = self._shape(collider, material)
        if collider.kind == "sdf":
            self._problems.append(f"{collider.path}: an sdf mesh is not read back; build its component anew")
            return []
        if shape is None:
            self._problems.append(f"{collider.path}: a collider of kind {collider.kind} is no component's; give a box, "
                                  "sphere, capsule, cylinder, plane, convexHull or none")
            return []
        turned = collider.kind in ("capsule", "cylinder", "plane")
        shape.local_pose = pose_of(collider.pose) * (along_x(collider.axis) if turned else Pose())
        offset = collider.contact_offset
        if offset is None and collider.cooked is not None:
            cooked = collider.cooked()
            offset = cooked.contact_offset if cooked is not None else None
        if offset is not None:
            shape.contact_offset = max(offset, collider.rest_offset + 1e-6)
        shape.rest_offset = collider.rest_offset
        shape.patch_radius = collider.torsional_patch_radius
        shape.min_patch_radius = collider.min_torsional_patch_radius
        shape.is_trigger = collider.trigger
        shape.set_collision_groups(self._groups.get(collider.path, [1, 1, 0, 0]))
        return [shape]

    def _shape(self, collider: Collider, material: PhysxMaterial) -> PhysxCollisionShape | None:
        radius, half = collider.radius, collider.half_height
        if collider.kind == "box":
            return PhysxCollisionShapeBox(collider.half_extents, material)
        if collider.kind == "sphere":
            return PhysxCollisionShapeSphere(radius, material)
        if collider.kind == "capsule":
            return PhysxCollisionShapeCapsule(radius, half, material)
        if collider.kind == "cylinder":
            return PhysxCollisionShapeCylinder(radius, half, material)
        if collider.kind == "plane":
            return PhysxCollisionShapePlane(material)
        cooked = collider.cooked() if collider.cooked is not None else None
        if cooked is None or collider.kind not in ("convex-hull", "triangle-mesh"):
            return None
        vertices, scale = cooked.mesh.vertices.astype(np.float64), np.abs(collider.scale)
        if isinstance(cooked.mesh, TriangleMesh):
            return PhysxCollisionShapeTriangleMesh(
                vertices=vertices, triangles=cooked.mesh.triangles, scale=scale, material=material)
        return PhysxCollisionShapeConvexMesh(vertices=vertices, scale=scale, material=material)

    def _material(self, path: str) -> PhysxMaterial:
        if path not in self._made:
            fact = self._facts.get(path)
            if fact is not None and _unlike(fact):
                self._problems.append(f"{path}: a combine mode other than average, or compliant contact, is no "
                                      "component's; remove it")
            self._made[path] = PhysxMaterial(0.5, 0.5, 0.0) if fact is None else PhysxMaterial(
                fact.static_friction, fact.dynamic_friction, fact.restitution)
        return self._made[path]

    def _grouped(self, description: Description) -> dict[str, list[int]]:
        try:
            return collision_groups(description)
        except ValueError as error:
            self._problems.append(f"{description.source}: {error}")
            return {}


def _unlike(fact: PhysicsMaterial) -> bool:
    return {fact.friction_combine, fact.restitution_combine} != {"average"} or fact.compliant_stiffness != 0.0


def along_x(axis: int) -> Pose:
    """A turn of x to one of the axes 0, 1, 2."""
    return ALONG[axis]


def pose_of(pose: Any) -> Pose:
    """A pose of a description."""
    position, (x, y, z, w) = pose
    return Pose(position, (w, x, y, z))


def finite(value: float) -> float:
    """A bound, of which inf is the largest number of single precision."""
    return min(value, LARGEST)
