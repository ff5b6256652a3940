"""Which pairs of kinds of shapes have contacts, and the function of each."""

from __future__ import annotations

from typing import Any

from physx_runtime.collision.bounds import size_of
from physx_runtime.collision.geometry import Geometry
from physx_runtime.collision.meshes.table import Meshes
from physx_runtime.collision.narrow_phase.box_box import box_box
from physx_runtime.collision.narrow_phase.capsule_box import capsule_box
from physx_runtime.collision.narrow_phase.capsule_capsule import capsule_capsule
from physx_runtime.collision.narrow_phase.capsule_convex import capsule_convex
from physx_runtime.collision.narrow_phase.capsule_mesh import capsule_mesh
from physx_runtime.collision.narrow_phase.convex_convex import convex_convex
from physx_runtime.collision.narrow_phase.core_core import core_core
from physx_runtime.collision.narrow_phase.plane_box import plane_box
from physx_runtime.collision.narrow_phase.plane_capsule import plane_capsule
from physx_runtime.collision.narrow_phase.plane_convex import plane_convex
from physx_runtime.collision.narrow_phase.plane_core import plane_core
from physx_runtime.collision.narrow_phase.sphere_box import sphere_box
from physx_runtime.collision.narrow_phase.sphere_capsule import sphere_capsule
from physx_runtime.collision.narrow_phase.sphere_convex import sphere_convex
from physx_runtime.collision.narrow_phase.sphere_mesh import sphere_mesh
from physx_runtime.collision.narrow_phase.sphere_plane import sphere_plane
from physx_runtime.collision.narrow_phase.sphere_sphere import sphere_sphere
from physx_runtime.collision.shape import BOX, CAPSULE, CONE, CONVEX, CYLINDER, MESH, PLANE, SPHERE
from physx_runtime.collision.vectors import Pose
from physx_runtime.compiling.scalar_code import scalar_code

SUPPORTED = frozenset({(SPHERE, SPHERE), (SPHERE, PLANE), (SPHERE, CAPSULE), (SPHERE, BOX), (PLANE, CAPSULE),
                       (PLANE, BOX), (CAPSULE, CAPSULE), (CAPSULE, BOX), (BOX, BOX), (SPHERE, MESH),
                       (CAPSULE, MESH), (CONE, CONE),
                       *((kind, core) for core in (CYLINDER, CONE)
                         for kind in (SPHERE, PLANE, CAPSULE, BOX, CYLINDER)),
                       *((kind, CONVEX) for kind in (SPHERE, PLANE, CAPSULE, BOX, CONVEX))})


@scalar_code
def contacts_of(pair: Any, shape0: Any, pose0: Pose, shape1: Any, pose1: Pose, geometry: Geometry, contacts: Any,
                at: Any) -> Any:
    """Write the contacts of a pair of one of the SUPPORTED kinds; the next free row."""
    kind0, size0, kind1, size1 = shape0.kind, size_of(shape0), shape1.kind, size_of(shape1)
    if kind1 in (CYLINDER, CONE):
        if kind0 == PLANE:
            return plane_core(pair, pose0, kind1, size1, pose1, contacts, at)
        return core_core(pair, kind0, size0, pose0, kind1, size1, pose1, contacts, at)
    if kind1 == CONVEX:
        return _contacts_of_hull(pair, shape0, pose0, shape1, pose1, geometry.hulls, contacts, at)
    if kind0 == SPHERE:
        if kind1 == SPHERE:
            return sphere_sphere(pair, size0, pose0, size1, pose1, contacts, at)
        if kind1 == PLANE:
            return sphere_plane(pair, size0, pose0, size1, pose1, contacts, at)
        if kind1 == CAPSULE:
            return sphere_capsule(pair, size0, pose0, size1, pose1, contacts, at)
        return sphere_box(pair, size0, pose0, size1, pose1, contacts, at)
    if kind0 == PLANE:
        if kind1 == CAPSULE:
            return plane_capsule(pair, size0, pose0, size1, pose1, contacts, at)
        return plane_box(pair, size0, pose0, size1, pose1, contacts, at)
    if kind0 == CAPSULE:
        if kind1 == CAPSULE:
            return capsule_capsule(pair, size0, pose0, size1, pose1, contacts, at)
        return capsule_box(pair, size0, pose0, size1, pose1, geometry.hulls, contacts, at)
    return box_box(pair, size0, pose0, size1, pose1, geometry.hulls, contacts, at)


@scalar_code
def contacts_with_mesh(pair: Any, kept: Any, shape0: Any, pose0: Pose, shape1: Any, pose1: Pose, meshes: Meshes,
                       contacts: Any, at: Any) -> Any:
    """Write the contacts of a shape of one of the SUPPORTED kinds with a mesh; the next free row."""
    if shape0.kind == CAPSULE:
        return capsule_mesh(pair, kept, shape0, pose0, shape1, pose1, meshes, contacts, at)
    return sphere_mesh(pair, kept, shape0, pose0, shape1, pose1, meshes, contacts, at)


@scalar_code
def _contacts_of_hull(pair: Any, shape0: Any, pose0: Pose, shape1: Any, pose1: Pose, hulls: Any, contacts: Any,
                      at: Any) -> Any:
    """Write the contacts of a pair whose shape 1 is a hull."""
    if shape0.kind == SPHERE:
        return sphere_convex(pair, shape0, pose0, shape1, pose1, hulls, contacts, at)
    if shape0.kind == PLANE:
        return plane_convex(pair, shape0, pose0, shape1, pose1, hulls, contacts, at)
    if shape0.kind == CAPSULE:
        return capsule_convex(pair, shape0, pose0, shape1, pose1, hulls, contacts, at)
    return convex_convex(pair, shape0, pose0, shape1, pose1, hulls, contacts, at)
