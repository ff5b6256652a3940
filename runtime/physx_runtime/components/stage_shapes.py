"""Collision shapes, materials and collision groups written to a stage."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics, UsdShade, Vt

import physx_schema as PhysxSchema
from physx_runtime.components.material import PhysxMaterial
from physx_runtime.components.mesh_shapes import PhysxCollisionShapeConvexMesh, PhysxCollisionShapeTriangleMesh
from physx_runtime.components.rigid import PhysxRigidBaseComponent
from physx_runtime.components.shapes import (
    PhysxCollisionShape,
    PhysxCollisionShapeBox,
    PhysxCollisionShapeCapsule,
    PhysxCollisionShapeCylinder,
    PhysxCollisionShapePlane,
    PhysxCollisionShapeSphere,
    collide,
)
from physx_runtime.components.stage import WORLD, Written, put

Geometry = Callable[[Usd.Stage, str, PhysxCollisionShape], UsdGeom.Gprim]


def write_shapes(written: Written, prim: Usd.Prim, body: PhysxRigidBaseComponent) -> None:
    """The shapes of a body as children of its prim."""
    for i, shape in enumerate(body.collision_shapes):
        path = f"{prim.GetPath()}/shape_{i}"
        geometry = _GEOMETRIES[type(shape)](written.stage, path, shape)
        found = geometry.GetPrim()
        UsdPhysics.CollisionAPI.Apply(found)
        PhysxSchema.PhysxCollisionAPI.Apply(
            found, contactOffset=shape.contact_offset, restOffset=shape.rest_offset,
            torsionalPatchRadius=shape.patch_radius, minTorsionalPatchRadius=shape.min_patch_radius)
        if shape.is_trigger:
            PhysxSchema.PhysxTriggerAPI.Apply(found)
        written.shapes[path] = shape


def write_materials(written: Written) -> None:
    """A material for each that a shape has, and the bindings."""
    made: dict[PhysxMaterial, UsdShade.Material] = {}
    for path, shape in written.shapes.items():
        material = shape.physical_material
        if material not in made:
            made[material] = _material(written, f"{WORLD}/Materials/material_{len(made)}", material)
        binding = UsdShade.MaterialBindingAPI.Apply(written.stage.GetPrimAtPath(path))
        binding.Bind(made[material], materialPurpose="physics")


def _material(written: Written, path: str, material: PhysxMaterial) -> UsdShade.Material:
    made = UsdShade.Material.Define(written.stage, path)
    api = UsdPhysics.MaterialAPI.Apply(made.GetPrim())
    api.CreateStaticFrictionAttr(material.static_friction)
    api.CreateDynamicFrictionAttr(material.dynamic_friction)
    api.CreateRestitutionAttr(material.restitution)
    return made


def write_groups(written: Written) -> None:
    """Collision groups where there are shapes that do not collide: one for each four numbers that shapes have."""
    shapes: dict[tuple[int, ...], list[str]] = {}
    for path, shape in written.shapes.items():
        shapes.setdefault(tuple(shape.collision_groups), []).append(path)
    kinds = list(shapes)
    if all(collide(list(a), list(b)) for a in kinds for b in kinds):
        return
    groups = [UsdPhysics.CollisionGroup.Define(written.stage, f"{WORLD}/CollisionGroups/group_{i}")
              for i in range(len(kinds))]
    for i, kind in enumerate(kinds):
        includes = groups[i].GetCollidersCollectionAPI().CreateIncludesRel()
        includes.SetTargets([Sdf.Path(path) for path in shapes[kind]])
        apart = [groups[j].GetPath() for j in range(i, len(kinds)) if not collide(list(kind), list(kinds[j]))]
        groups[i].CreateFilteredGroupsRel().SetTargets(apart)


# --- geometry --------------------------------------------------------------------------------------------------------

def _plane(stage: Usd.Stage, path: str, shape: PhysxCollisionShapePlane) -> UsdGeom.Gprim:
    plane = UsdGeom.Plane.Define(stage, path)
    plane.CreateAxisAttr("X")
    return _put(plane, shape)


def _box(stage: Usd.Stage, path: str, shape: PhysxCollisionShapeBox) -> UsdGeom.Gprim:
    box = UsdGeom.Cube.Define(stage, path)
    box.CreateSizeAttr(2.0)
    _put(box, shape).AddScaleOp().Set(Gf.Vec3f(*map(float, shape.half_size)))
    return box


def _sphere(stage: Usd.Stage, path: str, shape: PhysxCollisionShapeSphere) -> UsdGeom.Gprim:
    sphere = UsdGeom.Sphere.Define(stage, path)
    sphere.CreateRadiusAttr(shape.radius)
    return _put(sphere, shape)


def _capsule(stage: Usd.Stage, path: str, shape: PhysxCollisionShapeCapsule) -> UsdGeom.Gprim:
    return _along_x(UsdGeom.Capsule.Define(stage, path), shape)


def _cylinder(stage: Usd.Stage, path: str, shape: PhysxCollisionShapeCylinder) -> UsdGeom.Gprim:
    return _along_x(UsdGeom.Cylinder.Define(stage, path), shape)


def _along_x(solid: UsdGeom.Capsule | UsdGeom.Cylinder,
             shape: PhysxCollisionShapeCapsule | PhysxCollisionShapeCylinder) -> UsdGeom.Gprim:
    solid.CreateAxisAttr("X")
    solid.CreateRadiusAttr(shape.radius)
    solid.CreateHeightAttr(2.0 * shape.half_length)
    return _put(solid, shape)


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
    mesh.CreateFaceVertexIndicesAttr([corner for face in faces for corner in face])
    mesh.CreateSubdivisionSchemeAttr("none")
    UsdPhysics.MeshCollisionAPI.Apply(mesh.GetPrim()).CreateApproximationAttr(approximation)
    _put(mesh, shape)
    return mesh


def _put(geometry: UsdGeom.Gprim, shape: PhysxCollisionShape) -> UsdGeom.Gprim:
    put(geometry, shape.local_pose)
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
