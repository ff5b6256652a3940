"""Collision shapes of components, written to a stage and read from one.

Collision shapes, materials and collision groups written to a stage.

Collision shapes of what a USD stage describes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade, Vt

import physx_schema as PhysxSchema
from physx_runtime.components.entity import LARGEST
from physx_runtime.components.group_reader import collision_groups
from physx_runtime.components.material import PhysxMaterial
from physx_runtime.components.pose import Pose
from physx_runtime.components.rigid import PhysxRigidBaseComponent
from physx_runtime.components.shapes import (
    PhysxCollisionShape,
    PhysxCollisionShapeBox,
    PhysxCollisionShapeCapsule,
    PhysxCollisionShapeConvexMesh,
    PhysxCollisionShapeCylinder,
    PhysxCollisionShapePlane,
    PhysxCollisionShapeSphere,
    PhysxCollisionShapeTriangleMesh,
    collide,
)
from physx_runtime.components.stage import WORLD, PrimMap, set_pose_ops
from physx_schema.description.model import Collider, Description, PhysicsMaterial, TriangleMesh

Geometry = Callable[[Usd.Stage, str, PhysxCollisionShape], UsdGeom.Gprim]


def write_shapes(prims: PrimMap, prim: Usd.Prim, body: PhysxRigidBaseComponent) -> None:
    """The shapes of a body as children of its prim."""
    for i, shape in enumerate(body.collision_shapes):
        path = f"{prim.GetPath()}/shape_{i}"
        geometry = _GEOMETRIES[type(shape)](prims.stage, path, shape)
        shape_prim = geometry.GetPrim()
        UsdPhysics.CollisionAPI.Apply(shape_prim)
        PhysxSchema.PhysxCollisionAPI.Apply(
            shape_prim, contactOffset=shape.contact_offset, restOffset=shape.rest_offset,
            torsionalPatchRadius=shape.patch_radius, minTorsionalPatchRadius=shape.min_patch_radius)
        if shape.is_trigger:
            PhysxSchema.PhysxTriggerAPI.Apply(shape_prim)
        prims.shapes[path] = shape


def write_materials(prims: PrimMap) -> None:
    """A material for each that a shape has, and the bindings."""
    materials: dict[PhysxMaterial, UsdShade.Material] = {}
    for path, shape in prims.shapes.items():
        material = shape.physical_material
        if material not in materials:
            materials[material] = _material(prims, f"{WORLD}/Materials/material_{len(materials)}", material)
        binding = UsdShade.MaterialBindingAPI.Apply(prims.stage.GetPrimAtPath(path))
        binding.Bind(materials[material], materialPurpose="physics")


def _material(prims: PrimMap, path: str, material: PhysxMaterial) -> UsdShade.Material:
    usd_material = UsdShade.Material.Define(prims.stage, path)
    api = UsdPhysics.MaterialAPI.Apply(usd_material.GetPrim())
    api.CreateStaticFrictionAttr(material.static_friction)
    api.CreateDynamicFrictionAttr(material.dynamic_friction)
    api.CreateRestitutionAttr(material.restitution)
    return usd_material


def write_groups(prims: PrimMap) -> None:
    """Collision groups where there are shapes that do not collide: one for each four numbers that shapes have."""
    shapes: dict[tuple[int, ...], list[str]] = {}
    for path, shape in prims.shapes.items():
        shapes.setdefault(tuple(shape.collision_groups), []).append(path)
    kinds = list(shapes)
    if all(collide(list(a), list(b)) for a in kinds for b in kinds):
        return
    groups = [UsdPhysics.CollisionGroup.Define(prims.stage, f"{WORLD}/CollisionGroups/group_{i}")
              for i in range(len(kinds))]
    for i, kind in enumerate(kinds):
        includes = groups[i].GetCollidersCollectionAPI().CreateIncludesRel()
        includes.SetTargets([Sdf.Path(path) for path in shapes[kind]])
        filtered = [groups[j].GetPath() for j in range(i, len(kinds)) if not collide(list(kind), list(kinds[j]))]
        groups[i].CreateFilteredGroupsRel().SetTargets(filtered)


# --- geometry --------------------------------------------------------------------------------------------------------

def _plane(stage: Usd.Stage, path: str, shape: PhysxCollisionShapePlane) -> UsdGeom.Gprim:
    plane = UsdGeom.Plane.Define(stage, path)
    plane.CreateAxisAttr("X")
    return _set_local_pose(plane, shape)


def _box(stage: Usd.Stage, path: str, shape: PhysxCollisionShapeBox) -> UsdGeom.Gprim:
    box = UsdGeom.Cube.Define(stage, path)
    box.CreateSizeAttr(2.0)
    _set_local_pose(box, shape).AddScaleOp().Set(Gf.Vec3f(*map(float, shape.half_size)))
    return box


def _sphere(stage: Usd.Stage, path: str, shape: PhysxCollisionShapeSphere) -> UsdGeom.Gprim:
    sphere = UsdGeom.Sphere.Define(stage, path)
    sphere.CreateRadiusAttr(shape.radius)
    return _set_local_pose(sphere, shape)


def _capsule(stage: Usd.Stage, path: str, shape: PhysxCollisionShapeCapsule) -> UsdGeom.Gprim:
    return _axial_geometry(UsdGeom.Capsule.Define(stage, path), shape)


def _cylinder(stage: Usd.Stage, path: str, shape: PhysxCollisionShapeCylinder) -> UsdGeom.Gprim:
    return _axial_geometry(UsdGeom.Cylinder.Define(stage, path), shape)


def _axial_geometry(solid: UsdGeom.Capsule | UsdGeom.Cylinder,
                    shape: PhysxCollisionShapeCapsule | PhysxCollisionShapeCylinder) -> UsdGeom.Gprim:
    solid.CreateAxisAttr("X")
    solid.CreateRadiusAttr(shape.radius)
    solid.CreateHeightAttr(2.0 * shape.half_length)
    return _set_local_pose(solid, shape)


def _hull(stage: Usd.Stage, path: str, shape: PhysxCollisionShapeConvexMesh) -> UsdGeom.Gprim:
    mesh = _mesh(stage, path, shape, shape.vertices, shape.triangles.tolist(), "convexHull")
    mesh.AddScaleOp().Set(Gf.Vec3f(*map(float, shape.scale)))
    return mesh


def _triangles(stage: Usd.Stage, path: str, shape: PhysxCollisionShapeTriangleMesh) -> UsdGeom.Gprim:
    approximation = "sdf" if shape.sdf else "none"
    mesh = _mesh(stage, path, shape, shape.vertices, shape.triangles.tolist(), approximation)
    mesh.AddScaleOp().Set(Gf.Vec3f(*map(float, shape.scale)))
    return mesh


def _mesh(stage: Usd.Stage, path: str, shape: PhysxCollisionShape, points: np.ndarray, faces: list[list[int]],
          approximation: str) -> UsdGeom.Mesh:
    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreatePointsAttr(Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(points, dtype=np.float32)))
    mesh.CreateFaceVertexCountsAttr([len(face) for face in faces])
    mesh.CreateFaceVertexIndicesAttr([index for face in faces for index in face])
    mesh.CreateSubdivisionSchemeAttr("none")
    UsdPhysics.MeshCollisionAPI.Apply(mesh.GetPrim()).CreateApproximationAttr(approximation)
    _set_local_pose(mesh, shape)
    return mesh


def _set_local_pose(geometry: UsdGeom.Gprim, shape: PhysxCollisionShape) -> UsdGeom.Gprim:
    set_pose_ops(geometry, shape.local_pose)
    return geometry


_GEOMETRIES: Mapping[type[PhysxCollisionShape], Geometry] = {
    PhysxCollisionShapePlane: _plane,               # type: ignore[dict-item]
    PhysxCollisionShapeBox: _box,                   # type: ignore[dict-item]
    PhysxCollisionShapeSphere: _sphere,             # type: ignore[dict-item]
    PhysxCollisionShapeCapsule: _capsule,           # type: ignore[dict-item]
    PhysxCollisionShapeCylinder: _cylinder,         # type: ignore[dict-item]
    PhysxCollisionShapeConvexMesh: _hull,           # type: ignore[dict-item]
    PhysxCollisionShapeTriangleMesh: _triangles,    # type: ignore[dict-item]
}


HALF = math.sqrt(0.5)
X_TO_AXIS = (Pose(), Pose(q=(HALF, 0.0, 0.0, HALF)), Pose(q=(HALF, 0.0, -HALF, 0.0)))        # turn x to x, y, z


class ShapeReader:
    """Makes shapes of colliders; what cannot be one adds a line to `problems`."""

    def __init__(self, description: Description, problems: list[str]) -> None:
        self._facts = {material.path: material for material in description.materials}
        self._materials: dict[str, PhysxMaterial] = {}
        self._problems = problems
        self._groups = self._read_groups(description)

    def read_shapes(self, collider: Collider) -> list[PhysxCollisionShape]:
        """The shapes of a collider: one, or none where it cannot be one."""
        material = self._material(collider.material)
        shape = self._shape(collider, material)
        if collider.kind == "sdf":
            self._problems.append(f"{collider.path}: sdf meshes cannot be loaded from a stage; "
                                  "build the component in Python")
            return []
        if shape is None:
            self._problems.append(f"{collider.path}: components do not support colliders of kind {collider.kind}; "
                                  "use a box, sphere, capsule, cylinder, plane, convexHull or none")
            return []
        has_axis = collider.kind in ("capsule", "cylinder", "plane")
        shape.local_pose = pose_of(collider.pose) * (rotation_from_x(collider.axis) if has_axis else Pose())
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
        if path not in self._materials:
            fact = self._facts.get(path)
            if fact is not None and _is_unsupported(fact):
                self._problems.append(f"{path}: components support only rigid contacts with the combine mode average; "
                                      "change the material")
            self._materials[path] = PhysxMaterial(0.5, 0.5, 0.0) if fact is None else PhysxMaterial(
                fact.static_friction, fact.dynamic_friction, fact.restitution)
        return self._materials[path]

    def _read_groups(self, description: Description) -> dict[str, list[int]]:
        try:
            return collision_groups(description)
        except ValueError as error:
            self._problems.append(f"{description.source}: {error}")
            return {}


def _is_unsupported(fact: PhysicsMaterial) -> bool:
    return {fact.friction_combine, fact.restitution_combine} != {"average"} or fact.compliant_stiffness != 0.0


def rotation_from_x(axis: int) -> Pose:
    """A turn of x to one of the axes 0, 1, 2."""
    return X_TO_AXIS[axis]


def pose_of(pose: Any) -> Pose:
    """A pose of a description."""
    position, (x, y, z, w) = pose
    return Pose(position, (w, x, y, z))


def finite(value: float) -> float:
    """A bound, of which inf is the largest number of single precision."""
    return min(value, LARGEST)
