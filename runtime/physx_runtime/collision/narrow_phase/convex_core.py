"""Contacts of cylinders and cones with cores, hulls, meshes and planes (PhysX GuContactConvexCore).

`core_core` and `core_convex` clip the support faces of both shapes. `core_mesh` takes each triangle nearby as a core.
`plane_core` uses the support face towards the plane; its contacts are half-way between both. Contacts have no
manifold: they are made again in every step.
"""

from __future__ import annotations

import numpy as np

from physx_runtime.arrays import Array, Integer, Pose, Record, Records, Scalar, Vec3
from physx_runtime.collision.bounds import scale_of, size_of
from physx_runtime.collision.convex_core.clipping import PATCHES, add_to_patches, contact_points, write_patches
from physx_runtime.collision.convex_core.epa import penetration_depth
from physx_runtime.collision.convex_core.gjk import closest_points
from physx_runtime.collision.convex_core.support import (
    MAX_FACE_POINTS,
    ConvexCore,
    core_of,
    support_face,
    support_point,
)
from physx_runtime.collision.manifold.persistent import write_contact
from physx_runtime.collision.meshes.active_edges import is_internal
from physx_runtime.collision.meshes.triangle_mesh import Meshes, corner_as_authored, triangles_in_box
from physx_runtime.collision.scalar_math import dot, relative, rotated, transform, unit, x_axis
from physx_runtime.collision.shapes import CONVEX, Hulls
from physx_runtime.collision.simd_math import (
    EPSILON,
    HALF,
    ONE,
    ZERO,
    add,
    cross,
    frame_of,
    min_component,
    negated,
    scaled,
    set_vector,
    sub,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

SLACK = np.float32(1e-5)


@scalar_code
def core_core(pair: Record, kind0: Integer, size0: Vec3, pose0: Pose, kind1: Integer, size1: Vec3, pose1: Pose,
              contacts: Records, at: Integer) -> Integer:
    vertices = np.empty((0, 3), np.float32)
    return _contact_cores(pair, kind0, size0, pose0, kind1, size1, pose1, vertices, contacts, at)


@scalar_code
def core_convex(pair: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose, hulls: Hulls, contacts: Records,
                at: Integer) -> Integer:
    rows = hulls.hulls[shape1.geometry].vertices
    return _contact_cores(pair, shape0.kind, size_of(shape0), pose0, shape1.kind, scale_of(shape1), pose1,
                          hulls.vertices[rows[0]:rows[1]], contacts, at)


@scalar_code
def _contact_cores(pair: Record, kind0: Integer, size0: Vec3, pose0: Pose, kind1: Integer, size1: Vec3, pose1: Pose,
                   vertices1: Array,
                   contacts: Records, at: Integer) -> Integer:
    # origin half-way between both centres: float32 keeps more digits
    middle = scaled(add(pose0[0], pose1[0]), HALF)
    core0 = core_of(kind0, size0, (sub(pose0[0], middle), pose0[1]), vertices1[:0])
    core1 = core_of(kind1, size1, (sub(pose1[0], middle), pose1[1]), vertices1)
    points, gaps = np.empty((4, 3), np.float32), np.empty(4, np.float32)
    count, normal = touching_points(core0, core1, pair.contact_distance, (ZERO, ZERO, ZERO), points, gaps)
    for i in range(count):
        at = write_contact(contacts, at, add(vector_at(points, i), middle), normal, gaps[i])
    return at


@scalar_code
def touching_points(core0: ConvexCore, core1: ConvexCore, contact_distance: Scalar, front: Vec3, points: Array,
                    gaps: Array) -> tuple[Integer, Vec3]:
    """Fill in points and separations; return their number and their normal towards core 0.

    front: there are no points if the normal is opposed to it.
    """
    # GJK distance, EPA depth below eps  (GuConvexSupport.cpp, generateContacts)
    max_distance = core0[2] + core1[2] + contact_distance
    distance, point0, point1, axis = closest_points(core0, core1, max_distance)
    if distance < EPSILON:
        distance, point0, point1, axis = penetration_depth(core0, core1)
    if distance > max_distance or front[0] * axis[0] + front[1] * axis[1] + front[2] * axis[2] < -SLACK:
        return 0, axis
    # surfaces: p0 - n r0, p1 + n r1
    point0, point1 = sub(point0, scaled(axis, core0[2])), add(point1, scaled(axis, core1[2]))
    return contact_points(core0, core1, point0, point1, axis, points, gaps), axis


THICKNESS = np.float32(0.0001)      # margin of a triangle, relative to the least half extent of the searched box
IDENTITY_POSE = ((ZERO, ZERO, ZERO), (ZERO, ZERO, ZERO, ONE))


@scalar_code
def core_mesh(pair: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose, meshes: Meshes, contacts: Records,
              at: Integer) -> Integer:
    return _contact_core_mesh(np.zeros(1, PATCHES), pair, shape0, pose0, shape1, pose1, meshes, contacts, at)


@scalar_code
def _contact_core_mesh(storage: Records, pair: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose,
                       meshes: Meshes, contacts: Records, at: Integer) -> Integer:
    """The same with memory for patches, kept by the caller: a record does not keep its array alive."""
    patches, size, row, pose = storage[0], size_of(shape0), shape1.geometry, relative(pose0, pose1)
    # triangles in the box of the core and its contact offset  (GuContactConvexCoreMesh.cpp, contactConvexCoreTrimesh)
    half = size[1] + pair.contact_distance, size[0] + pair.contact_distance, size[0] + pair.contact_distance
    vertices = np.empty((3, 3), np.float32)
    core0 = core_of(shape0.kind, size, pose, vertices[:0])
    thickness = min_component(half) * THICKNESS
    for triangle in triangles_in_box(meshes, row, frame_of(pose), (ZERO, ZERO, ZERO), half):
        core1, front = _triangle(meshes, row, triangle, thickness, vertices)
        _add_contacts(patches, core0, core1, front, pair.contact_distance, pose1, meshes, row, triangle)
    return write_patches(patches, contacts, at)


@scalar_code
def _triangle(meshes: Meshes, row: Integer, triangle: Integer, thickness: Scalar,
              vertices: Array) -> tuple[ConvexCore, Vec3]:
    """A triangle as a core in its mesh, and its authored normal: PhysX ignores scale in that normal."""
    # a triangle is a hull of three points with a margin of 1e-4 of the box
    mesh = meshes.meshes[row]
    first, scale = mesh.vertices[0], scale_of(mesh)
    for k in range(3):
        vertex = meshes.triangles[triangle, corner_as_authored(meshes, row, k)]
        set_vector(vertices, k, vector_at(meshes.points, first + vertex))
    a = vector_at(vertices, 0)
    front = unit(cross(sub(vector_at(vertices, 1), a), sub(vector_at(vertices, 2), a)))
    return (CONVEX, scale, thickness, IDENTITY_POSE, vertices), front


@scalar_code
def _add_contacts(patches: Record, core0: ConvexCore, core1: ConvexCore, front: Vec3, contact_distance: Scalar,
                  pose1: Pose,
                  meshes: Meshes,
                  row: Integer, triangle: Integer) -> None:
    points, gaps = np.empty((4, 3), np.float32), np.empty(4, np.float32)
    count, normal = touching_points(core0, core1, contact_distance, front, points, gaps)
    for i in range(count):
        point = vector_at(points, i)
        # contacts at inner edges and corners are dropped  (GuContactConvexCoreMesh.cpp, validateContact)
        if not is_internal(meshes, row, triangle, normal, sub(point, scaled(normal, gaps[i]))):
            add_to_patches(patches, transform(pose1, point), rotated(pose1[1], normal), gaps[i])


@scalar_code
def plane_core(pair: Record, kind0: Integer, size0: Vec3, pose0: Pose, kind1: Integer, size1: Vec3, pose1: Pose,
               contacts: Records, at: Integer) -> Integer:
    # gap = s(-n) . n - n . p, face towards the plane, contacts half-way
    # (GuContactPlaneConvexCore.cpp, contactPlaneConvexCore)
    up = x_axis(pose0[1])
    height = dot(negated(pose0[0]), up)
    core, normal = core_of(kind1, size1, pose1, np.empty((0, 3), np.float32)), negated(up)
    lowest = support_point(core, normal)
    gap = dot(lowest, up) + height
    if not gap < pair.contact_distance:
        return at
    points = np.empty((MAX_FACE_POINTS, 3), np.float32)
    count, _ = support_face(core, normal, lowest, points)
    if count == 0:
        return write_contact(contacts, at, add(lowest, scaled(scaled(normal, gap), HALF)), normal, gap)
    for i in range(count):
        point = vector_at(points, i)
        gap = dot(point, up) + height
        at = write_contact(contacts, at, add(point, scaled(scaled(normal, gap), HALF)), normal, gap)
    return at
