"""Persistent contact manifold of a pair with one normal (PhysX GuPersistentContactManifold).

The manifold is part of the record of a pair, of dtype PAIR. Points are stored as local0 (in shape 0), local1 and
normal (in shape 1) and distance. `refresh` updates points and drops those that slid. `is_invalidated`,
`is_segment_invalidated` and `are_boxes_invalidated` tell whether shapes moved too far, so that points are made again.
`add_point`, `add_manifold_point` and `reduce_to_four` add and reduce points. `write_points_on_1` and
`write_segment_points` write contacts.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from physx_runtime.arrays import Array, Frame, Integer, Pose, Quat, Record, Records, Scalar, Vec3
from physx_runtime.collision.manifold.reduction import four_of_boxes, four_of_five, two_of
from physx_runtime.collision.shapes import MANIFOLD_SIZE, Hull
from physx_runtime.collision.simd_math import (
    EPSILON,
    HALF,
    ONE,
    ZERO,
    add,
    dot,
    from_frame,
    half_rotated,
    min_component,
    quat_dot,
    scaled,
    set_vector,
    sub,
    times,
    transform,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

# Fractions of a margin that shape 0 may move before the points of boxes are rebuilt, by the number of points
BOX_INVALIDATE = (HALF, np.float32(0.125), np.float32(0.25), np.float32(0.375), np.float32(0.375))
BOX_ROTATION_THRESHOLD = (np.float32(0.9998), np.float32(0.9999))               # without points, with points
SEGMENT_INVALIDATE = (HALF, np.float32(0.1), np.float32(0.75))            # the same for a pair with a capsule
SEGMENT_ROTATION_THRESHOLD = (np.float32(0.9995), np.float32(0.9999), np.float32(0.9997))
INVALIDATE_ROTATION_THRESHOLD = np.float32(0.99996)
BOX_MARGIN = np.float32(0.15)       # of the smallest half side, and at most of the tolerance length
# Of the smallest inner half side, and at most of the tolerance length
HULL_MARGIN, MAX_HULL_MARGIN = np.float32(0.25), np.float32(0.05)
MAX_POINTS = 64                     # points of one pair before reduction


class Points(NamedTuple):
    """A buffer of new points, which is reduced to a manifold."""

    local0: Array       # (n, 3) f4, in shape 0
    local1: Array       # in shape 1
    normal: Array       # in shape 1
    distance: Array
    count: Any          # (1,): their number


@scalar_code
def new_points() -> Points:
    """An empty buffer of points."""
    return Points(np.empty((MAX_POINTS, 3), np.float32), np.empty((MAX_POINTS, 3), np.float32),
                  np.empty((MAX_POINTS, 3), np.float32), np.empty(MAX_POINTS, np.float32), np.zeros(1, np.int64))


@scalar_code
def add_point(points: Points, local0: Vec3, local1: Vec3, normal: Vec3, distance: Scalar) -> None:
    """Add a point unless the buffer is full."""
    i = points.count[0]
    if i < MAX_POINTS:
        set_vector(points.local0, i, local0)
        set_vector(points.local1, i, local1)
        set_vector(points.normal, i, normal)
        points.distance[i] = distance
        points.count[0] = i + 1


@scalar_code
def reduce_to_two(pair: Record, points: Points, first: Integer) -> None:
    """Reduce the points from `first` on to two, and store them in the manifold."""
    # deepest and farthest  (GuPersistentContactManifold.cpp, reduceBatchContacts2)
    selected = np.array([first, first + 1])
    count = points.count[0] - first
    if count > 2:
        two_of(points.local1, points.distance, first, points.count[0], selected)
    _store_points(pair, points, selected, min(count, 2))


@scalar_code
def reduce_to_four(pair: Record, points: Points) -> None:
    """Reduce the points to four, and store them in the manifold."""
    # deepest, farthest, both extremes  (GuPersistentContactManifold.cpp, reduceBatchContacts)
    selected, count = np.arange(MANIFOLD_SIZE), points.count[0]
    if count > MANIFOLD_SIZE:
        four_of_boxes(points.local1, points.distance, count, vector_at(points.normal, 0), pair.tolerance_length,
                      selected)
    _store_points(pair, points, selected, min(count, MANIFOLD_SIZE))


@scalar_code
def _store_points(pair: Record, points: Points, selected: Array, count: Integer) -> None:
    for i in range(count):
        k = selected[i]
        set_point(pair, i, vector_at(points.local0, k), vector_at(points.local1, k), vector_at(points.normal, k),
                  points.distance[k])
    pair.points = count


@scalar_code
def box_margin(half: Vec3, tolerance_length: Scalar) -> Scalar:
    """The margin of a box, whose fractions are the breaking distance and other thresholds."""
    # margin = 0.15 min(half extents), at most 0.15 toleranceLength  (GuVecBox.h)
    return min(min_component(half) * BOX_MARGIN, tolerance_length * BOX_MARGIN)


@scalar_code
def hull_margin(hull: Hull, scale: Vec3, tolerance_length: Scalar) -> Scalar:
    """The margin of a hull, whose fractions are the breaking distance and other thresholds."""
    # margin = 0.25 min(inner half extents), at most 0.05 toleranceLength  (GuVecConvexHull.h)
    return min(min_component(times(hull.inner_half, scale)) * HULL_MARGIN, tolerance_length * MAX_HULL_MARGIN)


@scalar_code
def refresh(pair: Record, frame: Frame, breaking: Scalar) -> bool:
    """Update distances, with shape 0 at `frame` in shape 1; return whether points that slid too far were dropped."""
    # projected distance along the normal, dropped beyond `breaking`
    # (GuPersistentContactManifold.cpp, refreshContactPoints)
    before, limit = pair.points, breaking * breaking
    for i in range(before - 1, -1, -1):
        local0, local1, normal = vector_at(pair.local0, i), vector_at(pair.local1, i), vector_at(pair.normal, i)
        distance, slid = project_points(frame, local0, local1, normal)
        if slid > limit:
            pair.points -= 1
            copy_point(pair, pair.points, i)
        else:
            pair.distance[i] = distance
    return bool(pair.points != before)


@scalar_code
def project_points(frame: Frame, local0: Vec3, local1: Vec3, normal: Vec3) -> tuple[Scalar, Scalar]:
    """The distance of a point, with shape 0 at `frame` in shape 1, and the square of its tangential drift."""
    # d = (T p0 - p1) . n, slid = p1 - (T p0 - d n)
    point0 = from_frame(frame, local0)
    distance = dot(sub(point0, local1), normal)
    slid = sub(local1, sub(point0, scaled(normal, distance)))
    return distance, dot(slid, slid)


@scalar_code
def copy_point(pair: Record, source: Integer, target: Integer) -> None:
    """Overwrite one point with another."""
    for k in range(3):
        pair.local0[target, k] = pair.local0[source, k]
        pair.local1[target, k] = pair.local1[source, k]
        pair.normal[target, k] = pair.normal[source, k]
    pair.distance[target] = pair.distance[source]


@scalar_code
def set_point(pair: Record, i: Integer, local0: Vec3, local1: Vec3, normal: Vec3, distance: Scalar) -> None:
    """Write a point."""
    set_vector(pair.local0, i, local0)
    set_vector(pair.local1, i, local1)
    set_vector(pair.normal, i, normal)
    pair.distance[i] = distance


@scalar_code
def store_pose(pair: Record, pose: Pose) -> None:
    """Store the pose of shape 0 in shape 1 at which the points are made."""
    pair.known = 1
    for k in range(3):
        pair.position[k] = pose[0][k]
    _store_rotation(pair.rotation, pose[1])


@scalar_code
def store_rotations(pair: Record, rotation0: Quat, rotation1: Quat) -> None:
    """Store the world rotations of both shapes."""
    _store_rotation(pair.rotation0, rotation0)
    _store_rotation(pair.rotation1, rotation1)


@scalar_code
def _store_rotation(stored: Array, q: Quat) -> None:
    stored[0], stored[1], stored[2], stored[3] = q[0], q[1], q[2], q[3]


@scalar_code
def _load_rotation(stored: Array) -> Quat:
    return stored[0], stored[1], stored[2], stored[3]


@scalar_code
def is_invalidated(pair: Record, pose: Pose, max_displacement: Scalar, min_dot: Scalar) -> bool:
    """Whether shape 0 has moved or turned too far in shape 1 for the points to be kept."""
    # |dp|_inf > maxDisplacement or q . q_old < cos  (GuPersistentContactManifold.h, invalidate_PrimitivesPlane)
    if not pair.known:
        return True
    return bool(_displacement(pair, pose) > max_displacement or min_dot
                > quat_dot(pose[1], _load_rotation(pair.rotation)))


@scalar_code
def _displacement(pair: Record, pose: Pose) -> Scalar:
    # max_k |p_k - p_old_k|  (GuPersistentContactManifold.h, maxTransformPositionDelta)
    p, stored = pose[0], pair.position
    return max(max(abs(p[0] - stored[0]), abs(p[1] - stored[1])), abs(p[2] - stored[2]))


@scalar_code
def is_segment_invalidated(pair: Record, pose: Pose, margin: Scalar) -> bool:
    """Whether the points of a capsule must be rebuilt or completed."""
    # limits by number of points  (GuPersistentContactManifold.h, invalidate_SphereCapsule)
    return is_invalidated(pair, pose, margin * SEGMENT_INVALIDATE[pair.points], SEGMENT_ROTATION_THRESHOLD[pair.points])


@scalar_code
def are_boxes_invalidated(pair: Record, pose: Pose, rotation0: Quat, rotation1: Quat, margin: Scalar,
                          radius0: Scalar, radius1: Scalar) -> bool:
    """Whether the points of two boxes or hulls must be rebuilt; radius0, radius1: from centre to corners."""
    # additionally angle radius > maxDisplacement of either shape  (GuPersistentContactManifold.h, invalidate_BoxConvex)
    if not pair.known:
        return True
    max_displacement, min_dot = margin * BOX_INVALIDATE[pair.points], BOX_ROTATION_THRESHOLD[min(pair.points, 1)]
    dot0 = quat_dot(rotation0, _load_rotation(pair.rotation0))
    dot1 = quat_dot(rotation1, _load_rotation(pair.rotation1))
    if _displacement(pair, pose) > max_displacement or min_dot > dot0 or min_dot > dot1:
        return True
    # angle between quaternions: acos(q . q_old)
    angle0 = math.acos(dot0) if dot0 < ONE else ZERO
    angle1 = math.acos(dot1) if dot1 < ONE else ZERO
    return bool(angle0 * radius0 > max_displacement or angle1 * radius1 > max_displacement)


@scalar_code
def local_normal(pair: Record) -> Vec3:
    """The mean normal of the points in shape 1; zero without points."""
    # n = sum n_i / |sum n_i|  (GuPersistentContactManifold.h, getLocalNormal)
    if pair.points == 0:
        return ZERO, ZERO, ZERO
    total = vector_at(pair.normal, 0)
    for i in range(1, pair.points):
        total = add(total, vector_at(pair.normal, i))
    return unit(total)


@scalar_code
def world_normal(pair: Record, pose1: Pose) -> Vec3:
    """The mean normal of the points in the world."""
    # R sum n_i, of the first point where the sum vanishes  (GuPersistentContactManifold.h, getWorldNormal)
    total = vector_at(pair.normal, 0)
    for i in range(1, pair.points):
        total = add(total, vector_at(pair.normal, i))
    if not dot(total, total) > EPSILON:
        total = vector_at(pair.normal, 0)
    return unit(half_rotated(pose1[1], total))


@scalar_code
def write_contact(contacts: Records, at: Integer, point: Vec3, normal: Vec3, separation: Scalar) -> Integer:
    """Write a contact; return the next free row."""
    contact = contacts[at]
    for k in range(3):
        contact.point[k] = point[k]
        contact.normal[k] = normal[k]
    contact.separation = separation
    return at + 1


@scalar_code
def write_points_on_1(pair: Record, pose1: Pose, normal: Vec3, contacts: Records, at: Integer) -> Integer:
    """Write the points within the contact distance as contacts on shape 1; return the next free row."""
    # separation <= contactDist  (GuPersistentContactManifold.cpp, addManifoldContactsToContactBuffer)
    for i in range(pair.points):
        if pair.contact_distance >= pair.distance[i]:
            at = write_contact(contacts, at, transform(pose1, vector_at(pair.local1, i)), normal, pair.distance[i])
    return at


@scalar_code
def write_segment_points(pair: Record, pose: Pose, to_capsule: Vec3, normal: Vec3, radius: Scalar, contacts: Records,
                         at: Integer) -> Integer:
    """Write the points of a capsule within the contact distance; return the next free row.

    pose: of the capsule, with local0 on its axis. to_capsule: direction from the other shape; normal: of the contacts.
    """
    # separation = d - r, point = T p0 - r n  (GuPersistentContactManifold.cpp, addManifoldContactsToContactBuffer)
    for i in range(pair.points):
        separation = pair.distance[i] - radius
        if pair.contact_distance >= separation:
            point = sub(transform(pose, vector_at(pair.local0, i)), scaled(to_capsule, radius))
            at = write_contact(contacts, at, point, normal, separation)
    return at


@scalar_code
def add_segment_point(pair: Record, local0: Vec3, local1: Vec3, normal: Vec3, distance: Scalar,
                      replace_distance: Scalar) -> None:
    """Add a point of a capsule, which has at most two; it replaces one within `replace_distance`, or the closer one."""
    # replace a close point, otherwise the nearer of two  (GuPersistentContactManifold.cpp, addManifoldPoint2)
    index = pair.points
    for i in range(pair.points - 1, -1, -1):
        off0, off1 = sub(vector_at(pair.local0, i), local0), sub(vector_at(pair.local1, i), local1)
        if replace_distance * replace_distance > min(dot(off1, off1), dot(off0, off0)):
            index = i
    if index == 2:
        off0, off1 = sub(vector_at(pair.local1, 0), local1), sub(vector_at(pair.local1, 1), local1)
        index = 1 if dot(off0, off0) > dot(off1, off1) else 0
    set_point(pair, index, local0, local1, normal, distance)
    pair.points = max(pair.points, index + 1)


@scalar_code
def add_manifold_point(pair: Record, local0: Vec3, local1: Vec3, normal: Vec3, distance: Scalar,
                       replace_distance: Scalar) -> None:
    """Add a point of two boxes; it replaces one within `replace_distance`, otherwise four of five are kept."""
    # replace a close point, otherwise the fifth  (GuPersistentContactManifold.cpp, addManifoldPoint)
    for i in range(pair.points):
        off0, off1 = sub(vector_at(pair.local0, i), local0), sub(vector_at(pair.local1, i), local1)
        if replace_distance * replace_distance > min(dot(off1, off1), dot(off0, off0)):
            set_point(pair, i, local0, local1, normal, distance)
            return
    if pair.points < MANIFOLD_SIZE:
        set_point(pair, pair.points, local0, local1, normal, distance)
        pair.points += 1
        return
    _reduce_five(pair, local0, local1, normal, distance)


@scalar_code
def _reduce_five(pair: Record, local0: Vec3, local1: Vec3, normal: Vec3, distance: Scalar) -> None:
    # (GuPersistentContactManifold.cpp, reduceContactsForPCM)
    before0, before1, normals = (np.empty((5, 3), np.float32), np.empty((5, 3), np.float32),
                                 np.empty((5, 3), np.float32))
    distances, selected = np.empty(5, np.float32), np.empty(4, np.int64)
    for i in range(4):
        set_vector(before0, i, vector_at(pair.local0, i))
        set_vector(before1, i, vector_at(pair.local1, i))
        set_vector(normals, i, vector_at(pair.normal, i))
        distances[i] = pair.distance[i]
    set_vector(before0, 4, local0)
    set_vector(before1, 4, local1)
    set_vector(normals, 4, normal)
    distances[4] = distance
    four_of_five(before0, before1, distances, selected)
    for i in range(4):
        k = selected[i]
        set_point(pair, i, vector_at(before0, k), vector_at(before1, k), vector_at(normals, k), distances[k])
