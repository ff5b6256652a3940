"""Which pairs of kinds of shapes have contacts, and what makes them."""

from __future__ import annotations

from collections.abc import Mapping

from physx_runtime.collision.narrow_phase.box_box import box_box, box_faces, box_nearest
from physx_runtime.collision.narrow_phase.capsule_box import capsule_box
from physx_runtime.collision.narrow_phase.capsule_capsule import capsule_capsule
from physx_runtime.collision.narrow_phase.capsule_convex import capsule_convex
from physx_runtime.collision.narrow_phase.capsule_mesh import capsule_mesh
from physx_runtime.collision.narrow_phase.convex_convex import convex_convex
from physx_runtime.collision.narrow_phase.convex_mesh import convex_mesh
from physx_runtime.collision.narrow_phase.core_core import core_convex, core_core
from physx_runtime.collision.narrow_phase.core_mesh import core_mesh
from physx_runtime.collision.narrow_phase.over_pairs import (
    Maker,
    of_cores,
    of_hull_and_mesh,
    of_hulls,
    of_mesh,
    of_remade_mesh,
    of_sizes,
    of_sizes_beside_hulls,
    over_pairs,
    searched_apart,
)
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

_CORES, _BESIDE_CORES = (CYLINDER, CONE), (SPHERE, CAPSULE, BOX, CYLINDER, CONE)
_OF_CORES, _PLANE_OF_CORE, _OF_HULLS = of_cores(core_core), of_cores(plane_core), of_hulls(convex_convex)
_OF_HULL_AND_MESH = of_hull_and_mesh(convex_mesh)
_CORE_AND_HULL, _CORE_AND_MESH = of_hulls(core_convex), of_remade_mesh(core_mesh)

# By the kinds of shape 0 and shape 1, what makes the contacts of one pair: see `over_pairs`.
MAKERS: Mapping[tuple[int, int], Maker] = {
    (SPHERE, SPHERE): of_sizes(sphere_sphere),
    (SPHERE, PLANE): of_sizes(sphere_plane),
    (SPHERE, CAPSULE): of_sizes(sphere_capsule),
    (SPHERE, BOX): of_sizes(sphere_box),
    (PLANE, CAPSULE): of_sizes(plane_capsule),
    (PLANE, BOX): of_sizes(plane_box),
    (CAPSULE, CAPSULE): of_sizes(capsule_capsule),
    (CAPSULE, BOX): of_sizes_beside_hulls(capsule_box),
    (BOX, BOX): of_sizes_beside_hulls(box_box),
    **{(kind, core): _OF_CORES for core in _CORES for kind in _BESIDE_CORES},
    **{(PLANE, core): _PLANE_OF_CORE for core in _CORES},
    **{(core, CONVEX): _CORE_AND_HULL for core in _CORES},
    **{(core, MESH): _CORE_AND_MESH for core in _CORES},
    (SPHERE, CONVEX): of_hulls(sphere_convex),
    (PLANE, CONVEX): of_hulls(plane_convex),
    (CAPSULE, CONVEX): of_hulls(capsule_convex),
    **{(kind, CONVEX): _OF_HULLS for kind in (BOX, CONVEX)},
    (SPHERE, MESH): of_mesh(sphere_mesh),
    (CAPSULE, MESH): of_mesh(capsule_mesh),
    **{(kind, MESH): _OF_HULL_AND_MESH for kind in (BOX, CONVEX)},
}
_LOOPS = {make: over_pairs(make) for make in MAKERS.values()}
# The loop over pairs of such kinds; each is compiled when it is first needed.
TOUCH: Mapping[tuple[int, int], Maker] = {kinds: _LOOPS[make] for kinds, make in MAKERS.items()} | {
    (BOX, BOX): searched_apart(over_pairs(of_sizes(box_faces)), over_pairs(of_sizes_beside_hulls(box_nearest)))}
