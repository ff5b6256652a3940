"""Dispatch of the narrow phase: the contact function of each pair of kinds, and the loop over pairs.

`CONTACT_METHODS` is the table by kinds of shapes, `CONTACT_LOOPS` the same with the loop over rows of pairs, compiled
when first needed. The adapters `of_sizes`, `of_hulls`, `of_mesh` and others give all functions one signature: (pair,
shape0, pose0, shape1, pose1, geometry, manifolds, contacts, at). They return the next free row of contacts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from physx_runtime.arrays import Array, Integer, Pose, Record, Records
from physx_runtime.collision.bounds import pose_at, size_of
from physx_runtime.collision.narrow_phase.box_box import box_box, box_faces, box_gjk
from physx_runtime.collision.narrow_phase.capsules import capsule_box, capsule_capsule, capsule_convex
from physx_runtime.collision.narrow_phase.convex_convex import convex_convex
from physx_runtime.collision.narrow_phase.convex_core import core_convex, core_core, core_mesh, plane_core
from physx_runtime.collision.narrow_phase.convex_mesh import convex_mesh
from physx_runtime.collision.narrow_phase.planes import plane_box, plane_capsule, plane_convex
from physx_runtime.collision.narrow_phase.round_mesh import capsule_mesh, sphere_mesh
from physx_runtime.collision.narrow_phase.spheres import (
    sphere_box,
    sphere_capsule,
    sphere_convex,
    sphere_plane,
    sphere_sphere,
)
from physx_runtime.collision.shapes import (
    BOX,
    CAPSULE,
    CONE,
    CONVEX,
    CYLINDER,
    MESH,
    PLANE,
    SPHERE,
    TO_SEARCH,
    Geometry,
)
from physx_runtime.compiling.numba_functions import scalar_code, scalar_entry

ContactMethod = Callable[..., Any]


def for_each_pair(contacts_of: ContactMethod) -> ContactMethod:
    """The loop of a contact function over rows of a table of pairs, compiled for Python to call."""

    @scalar_entry
    def loop(rows: Records, selected: Array, shapes: Records, shape_poses: Array, geometry: Geometry,
             manifolds: Records, contacts: Records, at: Integer) -> Integer:
        """Write the contacts of the selected pairs from row `at` on; return the next free row."""
        for k in selected:
            pair, i, j = rows[k], rows[k].shape0, rows[k].shape1
            end = contacts_of(pair, shapes[i], pose_at(shape_poses, i), shapes[j], pose_at(shape_poses, j), geometry,
                              manifolds,
                              contacts, at)
            store_contacts(pair, k, contacts, at, end)
            at = end
        return at

    return loop


@scalar_code
def store_contacts(pair: Record, k: Integer, contacts: Records, first: Integer, end: Integer) -> None:
    """Store the range of contacts of pair `k`, and turn their normals to solver side 0."""
    pair.first, pair.contacts = first, end - first
    for row in range(first, end):
        # contact normals point to side 0 of the solver
        contacts[row].pair = k
        if pair.swapped:
            for axis in range(3):
                contacts[row].normal[axis] = -contacts[row].normal[axis]


def select_method(methods: Sequence[ContactMethod]) -> ContactMethod:
    """One function that calls the contact function with a given index."""
    if len(methods) == 1:
        return _only(methods[0])
    return _or(methods[0], select_method(methods[1:]))


def _only(method: ContactMethod) -> ContactMethod:

    @scalar_code
    def contacts_of(which: Integer, pair: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose,
                    geometry: Geometry, manifolds: Records, contacts: Records, at: Integer) -> Integer:
        return method(pair, shape0, pose0, shape1, pose1, geometry, manifolds, contacts, at)

    return contacts_of


def _or(method: ContactMethod, remaining: ContactMethod) -> ContactMethod:

    @scalar_code
    def contacts_of(which: Integer, pair: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose,
                    geometry: Geometry, manifolds: Records, contacts: Records, at: Integer) -> Integer:
        if which == 0:
            return method(pair, shape0, pose0, shape1, pose1, geometry, manifolds, contacts, at)
        return remaining(which - 1, pair, shape0, pose0, shape1, pose1, geometry, manifolds, contacts, at)

    return contacts_of


def with_search(loop: ContactMethod, search: ContactMethod) -> ContactMethod:
    """A loop, followed by `search` over the pairs that it leaves; `search` is compiled when first needed."""

    def combined(rows: Records, selected: Array, shapes: Records, shape_poses: Array, geometry: Geometry,
                 manifolds: Records, contacts: Records, at: int) -> int:
        at = loop(rows, selected, shapes, shape_poses, geometry, manifolds, contacts, at)
        remaining = selected[rows["warm_start_count"][selected] == TO_SEARCH]
        return search(rows, remaining, shapes, shape_poses, geometry, manifolds, contacts, at) if len(remaining) else at

    return combined


def of_sizes(method: ContactMethod) -> ContactMethod:
    """Adapter for shapes given by their sizes."""

    @scalar_code
    def contacts_of(pair: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose, geometry: Geometry,
                    manifolds: Records, contacts: Records, at: Integer) -> Integer:
        return method(pair, size_of(shape0), pose0, size_of(shape1), pose1, contacts, at)

    return contacts_of


def of_sizes_and_hulls(method: ContactMethod) -> ContactMethod:
    """Adapter for shapes given by their sizes, with GJK."""

    @scalar_code
    def contacts_of(pair: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose, geometry: Geometry,
                    manifolds: Records, contacts: Records, at: Integer) -> Integer:
        return method(pair, size_of(shape0), pose0, size_of(shape1), pose1, geometry.hulls, contacts, at)

    return contacts_of


def of_cores(method: ContactMethod) -> ContactMethod:
    """Adapter for convex cores, given by kind and size."""

    @scalar_code
    def contacts_of(pair: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose, geometry: Geometry,
                    manifolds: Records, contacts: Records, at: Integer) -> Integer:
        return method(pair, shape0.kind, size_of(shape0), pose0, shape1.kind, size_of(shape1), pose1, contacts, at)

    return contacts_of


def of_hulls(method: ContactMethod) -> ContactMethod:
    """Adapter for shapes with hulls."""

    @scalar_code
    def contacts_of(pair: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose, geometry: Geometry,
                    manifolds: Records, contacts: Records, at: Integer) -> Integer:
        return method(pair, shape0, pose0, shape1, pose1, geometry.hulls, contacts, at)

    return contacts_of


def of_mesh(method: ContactMethod) -> ContactMethod:
    """Adapter for a shape and a mesh, with several manifolds."""

    @scalar_code
    def contacts_of(pair: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose, geometry: Geometry,
                    manifolds: Records, contacts: Records, at: Integer) -> Integer:
        return method(pair, manifolds[pair.manifolds], shape0, pose0, shape1, pose1, geometry.meshes, contacts, at)

    return contacts_of


def of_hull_and_mesh(method: ContactMethod) -> ContactMethod:
    """Adapter for a box or a hull and a mesh, with several manifolds."""

    @scalar_code
    def contacts_of(pair: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose, geometry: Geometry,
                    manifolds: Records, contacts: Records, at: Integer) -> Integer:
        return method(pair, manifolds[pair.manifolds], shape0, pose0, shape1, pose1, geometry.hulls, geometry.meshes,
                      contacts, at)

    return contacts_of


def of_mesh_without_manifolds(method: ContactMethod) -> ContactMethod:
    """Adapter for a shape and a mesh without manifolds."""

    @scalar_code
    def contacts_of(pair: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose, geometry: Geometry,
                    manifolds: Records, contacts: Records, at: Integer) -> Integer:
        return method(pair, shape0, pose0, shape1, pose1, geometry.meshes, contacts, at)

    return contacts_of


_CORES, _CORE_PARTNERS = (CYLINDER, CONE), (SPHERE, CAPSULE, BOX, CYLINDER, CONE)
_OF_CORES, _PLANE_OF_CORE, _OF_HULLS = of_cores(core_core), of_cores(plane_core), of_hulls(convex_convex)
_OF_HULL_AND_MESH = of_hull_and_mesh(convex_mesh)
_CORE_AND_HULL, _CORE_AND_MESH = of_hulls(core_convex), of_mesh_without_manifolds(core_mesh)

# The contact function of a pair, by the kinds of shape 0 and shape 1; see `for_each_pair`.
CONTACT_METHODS: Mapping[tuple[int, int], ContactMethod] = {
    (SPHERE, SPHERE): of_sizes(sphere_sphere),
    (SPHERE, PLANE): of_sizes(sphere_plane),
    (SPHERE, CAPSULE): of_sizes(sphere_capsule),
    (SPHERE, BOX): of_sizes(sphere_box),
    (PLANE, CAPSULE): of_sizes(plane_capsule),
    (PLANE, BOX): of_sizes(plane_box),
    (CAPSULE, CAPSULE): of_sizes(capsule_capsule),
    (CAPSULE, BOX): of_sizes_and_hulls(capsule_box),
    (BOX, BOX): of_sizes_and_hulls(box_box),
    **{(kind, core): _OF_CORES for core in _CORES for kind in _CORE_PARTNERS},
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
_LOOPS = {method: for_each_pair(method) for method in dict.fromkeys(CONTACT_METHODS.values())}
_BOX_LOOPS = for_each_pair(of_sizes(box_faces)), for_each_pair(of_sizes_and_hulls(box_gjk))
# The loop over pairs of these kinds; each is compiled when first needed.
CONTACT_LOOPS: Mapping[tuple[int, int], ContactMethod] = {
    **{kinds: _LOOPS[method] for kinds, method in CONTACT_METHODS.items()}, (BOX, BOX): with_search(*_BOX_LOOPS)}
# All compiled loops, each once.
COMPILED_LOOPS = (*(_LOOPS[method] for method in _LOOPS if method is not CONTACT_METHODS[BOX, BOX]), *_BOX_LOOPS)
