"""Which pairs of kinds of shapes have contacts, and what makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from physx_runtime.collision.narrow_phase.box_box import box_box
from physx_runtime.collision.narrow_phase.capsule_box import capsule_box
from physx_runtime.collision.narrow_phase.capsule_capsule import capsule_capsule
from physx_runtime.collision.narrow_phase.capsule_convex import capsule_convex
from physx_runtime.collision.narrow_phase.capsule_mesh import capsule_mesh
from physx_runtime.collision.narrow_phase.convex_convex import convex_convex
from physx_runtime.collision.narrow_phase.core_core import core_core
from physx_runtime.collision.narrow_phase.over_pairs import (
    of_cores,
    of_hulls,
    of_mesh,
    of_sizes,
    of_sizes_beside_hulls,
    over_pairs,
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
_OF_CORES = over_pairs(of_cores(core_core))
_PLANE_OF_CORE = over_pairs(of_cores(plane_core))
_OF_HULLS = over_pairs(of_hulls(convex_convex))

# By the kinds of shape 0 and shape 1: see `over_pairs`. Each is compiled when it is first needed.
TOUCH: Mapping[tuple[int, int], Callable[..., Any]] = {
    (SPHERE, SPHERE): over_pairs(of_sizes(sphere_sphere)),
    (SPHERE, PLANE): over_pairs(of_sizes(sphere_plane)),
    (SPHERE, CAPSULE): over_pairs(of_sizes(sphere_capsule)),
    (SPHERE, BOX): over_pairs(of_sizes(sphere_box)),
    (PLANE, CAPSULE): over_pairs(of_sizes(plane_capsule)),
    (PLANE, BOX): over_pairs(of_sizes(plane_box)),
    (CAPSULE, CAPSULE): over_pairs(of_sizes(capsule_capsule)),
    (CAPSULE, BOX): over_pairs(of_sizes_beside_hulls(capsule_box)),
    (BOX, BOX): over_pairs(of_sizes_beside_hulls(box_box)),
    **{(kind, core): _OF_CORES for core in _CORES for kind in _BESIDE_CORES},
    **{(PLANE, core): _PLANE_OF_CORE for core in _CORES},
    (SPHERE, CONVEX): over_pairs(of_hulls(sphere_convex)),
    (PLANE, CONVEX): over_pairs(of_hulls(plane_convex)),
    (CAPSULE, CONVEX): over_pairs(of_hulls(capsule_convex)),
    **{(kind, CONVEX): _OF_HULLS for kind in (BOX, CONVEX)},
    (SPHERE, MESH): over_pairs(of_mesh(sphere_mesh)),
    (CAPSULE, MESH): over_pairs(of_mesh(capsule_mesh)),
}
