"""Contacts of spheres with spheres, planes, capsules, boxes and hulls (PhysX GuPCMContactSphere*).

Each pair has one contact: `sphere_sphere` on the second sphere, `sphere_plane` at the deepest point of the sphere,
`sphere_capsule` and `sphere_convex` on the sphere, `sphere_box` on the box. A centre inside a box leaves through the
nearest face.
"""

from __future__ import annotations

import math

import numpy as np

from physx_runtime.arrays import Integer, Pose, Record, Records, Scalar, Vec3
from physx_runtime.collision.bounds import scale_of, size_of
from physx_runtime.collision.manifold.persistent import (
    hull_margin,
    is_segment_invalidated,
    refresh,
    set_point,
    store_pose,
    write_contact,
)
from physx_runtime.collision.narrow_phase.segment import min_overlap_of_faces, raycast_hull
from physx_runtime.collision.pcm.closest_points import GJK_CONTACT, GJK_NON_INTERSECT, closest_points
from physx_runtime.collision.pcm.simplex import GjkConvex, hull_core, segment_core
from physx_runtime.collision.shapes import Hulls
from physx_runtime.collision.simd_math import (
    EPSILON,
    IDENTITY,
    ONE,
    ZERO,
    absolute,
    add,
    clamped,
    divided,
    dot,
    frame_of,
    negated,
    over,
    relative,
    rotated,
    scaled,
    sub,
    times,
    transform,
    transform_inv,
    vector_at,
    x_axis,
)
from physx_runtime.compiling.numba_functions import scalar_code

COINCIDENT = np.float32(1e-5)       # centres closer than this have no direction between them


@scalar_code
def sphere_sphere(pair: Record, size0: Vec3, pose0: Pose, size1: Vec3, pose1: Pose, contacts: Records,
                  at: Integer) -> Integer:
    # n = (c0 - c1) / |c0 - c1|, separation = |c0 - c1| - r0 - r1
    # (GuPCMContactSphereSphere.cpp, pcmContactSphereSphere)
    delta, radii = sub(pose0[0], pose1[0]), size0[0] + size1[0]
    square, within = dot(delta, delta), radii + pair.contact_distance
    if not within * within > square:
        return at
    distance = math.sqrt(square)
    normal = (ONE, ZERO, ZERO) if distance <= COINCIDENT else divided(delta, distance)
    return write_contact(contacts, at, add(scaled(normal, size1[0]), pose1[0]), normal, distance - radii)


@scalar_code
def sphere_plane(pair: Record, size0: Vec3, pose0: Pose, size1: Vec3, pose1: Pose, contacts: Records,
                 at: Integer) -> Integer:
    # separation = x - r in the plane's frame  (GuPCMContactSpherePlane.cpp, pcmContactSpherePlane)
    separation = transform_inv(pose1, pose0[0])[0] - size0[0]
    if not pair.contact_distance >= separation:
        return at
    normal = x_axis(pose1[1])
    return write_contact(contacts, at, sub(pose0[0], scaled(normal, size0[0])), normal, separation)


@scalar_code
def sphere_capsule(pair: Record, size0: Vec3, pose0: Pose, size1: Vec3, pose1: Pose, contacts: Records,
                   at: Integer) -> Integer:
    # t = clamp((c - a) . d / d . d, 0, 1)  (GuPCMContactSphereCapsule.cpp, distancePointSegmentSquared)
    half = scaled(x_axis(pose1[1]), size1[1])
    start, end = add(pose1[0], half), sub(pose1[0], half)
    radii = size0[0] + size1[0]
    to_sphere, axis = sub(pose0[0], start), sub(end, start)
    length = dot(axis, axis)
    t = clamped(dot(to_sphere, axis) / length, ZERO, ONE) if length != ZERO else ZERO
    offset = sub(to_sphere, scaled(axis, t))
    square, within = dot(offset, offset), radii + pair.contact_distance
    if not within * within > square:
        return at
    # separation by the distance to the axis, n by the difference of the points
    # (GuPCMContactSphereCapsule.cpp, pcmContactSphereCapsule)
    delta = sub(pose0[0], add(scaled(axis, t), start))
    distance = math.sqrt(dot(delta, delta))
    normal = divided(delta, distance) if distance > EPSILON else (ONE, ZERO, ZERO)
    point = sub(pose0[0], scaled(normal, size0[0]))
    return write_contact(contacts, at, point, normal, math.sqrt(square) - radii)


@scalar_code
def sphere_box(pair: Record, size0: Vec3, pose0: Pose, size1: Vec3, pose1: Pose, contacts: Records,
               at: Integer) -> Integer:
    # closest = clamp(c, -h, h)  (GuPCMContactSphereBox.cpp, pcmContactSphereBox)
    centre = transform_inv(pose1, pose0[0])
    closest = (clamped(centre[0], -size1[0], size1[0]), clamped(centre[1], -size1[1], size1[1]),
               clamped(centre[2], -size1[2], size1[2]))
    delta, within = sub(centre, closest), size0[0] + pair.contact_distance
    square = dot(delta, delta)
    if not within * within > square:
        return at
    # centre inside: out through the nearest face, separation = -depth - r
    distances = absolute(centre)
    if size1[0] >= distances[0] and size1[1] >= distances[1] and size1[2] >= distances[2]:
        axis, depth = _exit_axis(closest, size1)
        normal = rotated(pose1[1], axis)
        return write_contact(contacts, at, sub(pose0[0], scaled(normal, -depth)), normal, -depth - size0[0])
    # outside: n = (c - closest) / |c - closest|
    inverse = ONE / math.sqrt(square)
    normal = rotated(pose1[1], scaled(delta, inverse))
    return write_contact(contacts, at, transform(pose1, closest), normal, ONE / inverse - size0[0])


@scalar_code
def _exit_axis(point: Vec3, half: Vec3) -> tuple[Vec3, Scalar]:
    """The direction and distance out of a box through the nearest face; ties go to z, then x."""
    # argmin h - |c|
    clearance = sub(half, absolute(point))
    if clearance[0] >= clearance[2] and clearance[1] >= clearance[2]:
        return (ZERO, ZERO, ONE if point[2] >= ZERO else -ONE), clearance[2]
    if clearance[1] >= clearance[0] and clearance[2] >= clearance[0]:
        return (ONE if point[0] >= ZERO else -ONE, ZERO, ZERO), clearance[0]
    return (ZERO, ONE if point[1] >= ZERO else -ONE, ZERO), clearance[1]


CONVEX_BREAKING = np.float32(0.05)     # of the margin


@scalar_code
def sphere_convex(pair: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose, hulls: Hulls,
                  contacts: Records, at: Integer) -> Integer:
    # breaking 0.05 of the margin  (GuPCMContactSphereConvex.cpp, pcmContactSphereConvex)
    radius, pose = size_of(shape0)[0], relative(pose0, pose1)
    core1 = hull_core(hulls, shape1.geometry, scale_of(shape1))
    margin = min(hull_margin(core1.hull, core1.scale, pair.tolerance_length), radius)
    lost = refresh(pair, frame_of(pose), margin * CONVEX_BREAKING)
    if lost or is_segment_invalidated(pair, pose, margin):
        store_pose(pair, pose)
        if not _generate(pair, radius, pose, core1, hulls):
            return at
    elif pair.points == 0:
        return at
    normal = rotated(pose1[1], vector_at(pair.normal, 0))
    return write_contact(contacts, at, sub(pose0[0], scaled(normal, radius)), normal, pair.distance[0] - radius)


@scalar_code
def _generate(pair: Record, radius: Scalar, pose: Pose, core1: GjkConvex, hulls: Hulls) -> bool:
    """Rebuild the point; return whether there is one. Where none is found the pair keeps its old point."""
    # GJK of a point with a radius  (GuPCMContactSphereConvex.cpp, pcmContactSphereConvex)
    center, inverse = pose[0], over(ONE, core1.scale)
    core0 = segment_core(center, center, radius, hulls)
    start = sub(center, times(core1.hull.center, core1.scale))
    closest = closest_points(pair, core0, IDENTITY, core1, start, pair.contact_distance)
    if closest.status == GJK_NON_INTERSECT:
        return False
    point1, normal, distance = closest.point1, closest.normal, closest.distance
    # centre inside: face of least overlap, depth by a ray against its normal
    # (GuPCMContactSphereConvex.cpp, fullContactsGenerationSphereConvex)
    if closest.status != GJK_CONTACT:
        within, _, normal = min_overlap_of_faces(core1.hull, center, center, radius, inverse, pair.contact_distance)
        if not within:
            return False
        back = negated(normal)
        hit, distance = raycast_hull(core1.hull, inverse, center, back)
        if not (hit and radius + pair.contact_distance >= distance):
            return False
        point1 = add(scaled(back, distance), center)
    set_point(pair, 0, (ZERO, ZERO, ZERO), point1, normal, distance)
    pair.points = 1
    return True
