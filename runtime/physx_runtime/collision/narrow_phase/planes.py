"""Contacts of shapes with planes (PhysX GuPCMContactPlaneCapsule, -PlaneBox, -PlaneConvex, -SpherePlane).

`plane_capsule` uses the ends of the axis, +x first. `plane_box` uses the corners of the box, and `plane_convex` those
of the face most opposed to the plane; at most four are kept. `sphere_on_plane` and `capsule_on_plane` are traced for
many worlds at once, equal to the last bit, with masks for branches. In traced code conditions are their own type, and
all other numbers are `Single`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from physx_runtime.arrays import Array, Condition, Frame, Integer, Pose, Record, Records, Scalar, Vec3
from physx_runtime.collision.bounds import extent_of, scale_of
from physx_runtime.collision.manifold.persistent import (
    INVALIDATE_ROTATION_THRESHOLD,
    Points,
    add_point,
    add_segment_point,
    box_margin,
    hull_margin,
    is_invalidated,
    new_points,
    project_points,
    reduce_to_four,
    refresh,
    set_point,
    store_pose,
    write_points_on_1,
    write_segment_points,
)
from physx_runtime.collision.manifold.reduction import four_of_plane
from physx_runtime.collision.narrow_phase.polygons import NO_FACE, support_edge
from physx_runtime.collision.shapes import Hull, Hulls, hull_at
from physx_runtime.collision.simd_math import (
    ONE,
    ZERO,
    add,
    by_transposed,
    dot,
    frame_of,
    from_frame,
    negated,
    quat_dot,
    relative,
    scaled,
    set_vector,
    sub,
    times,
    transform,
    transform_inv,
    unit,
    vector_at,
    x_axis,
)
from physx_runtime.compiling.numba_functions import scalar_code, scalar_entry
from physx_runtime.language.ops import Single, logical_not, maximum, minimum, where

# Fractions of the radius
CAPSULE_BREAKING, CAPSULE_INVALIDATE, CAPSULE_REPLACE = np.float32(0.05), np.float32(0.02), np.float32(0.001)


@scalar_code
def plane_capsule(pair: Record, size0: Vec3, pose0: Pose, size1: Vec3, pose1: Pose, contacts: Records,
                  at: Integer) -> Integer:
    # capsule against x = 0 of the plane's frame  (GuPCMContactPlaneCapsule.cpp, pcmContactPlaneCapsule)
    # the manifold is kept from the capsule's side: local0 and pose are the capsule's
    radius, pose = size1[0], relative(pose1, pose0)
    plane_normal = unit(x_axis(pose0[1]))
    lost = refresh(pair, frame_of(pose), radius * CAPSULE_BREAKING)
    # invalidate 0.02, breaking 0.05, replace 0.001 of the radius
    if lost or is_invalidated(pair, pose, radius * CAPSULE_INVALIDATE, INVALIDATE_ROTATION_THRESHOLD):
        pair.points = 0
        store_pose(pair, pose)
        half = scaled(x_axis(pose[1]), size1[1])
        _add_end(pair, pose, add(pose[0], half), radius)
        _add_end(pair, pose, sub(pose[0], half), radius)
    return write_segment_points(pair, pose1, plane_normal, negated(plane_normal), radius, contacts, at)


@scalar_code
def _add_end(pair: Record, pose: Pose, end: Vec3, radius: Scalar) -> None:
    """Add an end of the axis, given in the frame of the plane, if it is within the contact distance."""
    # end_x < radius + contactDist, point on the plane end - end_x n
    if radius + pair.contact_distance > end[0]:
        up = (ONE, ZERO, ZERO)
        add_segment_point(pair, transform_inv(pose, end), sub(end, scaled(up, end[0])), up, end[0],
                          radius * CAPSULE_REPLACE)


@scalar_entry
def find_plane_normals(capsules: Array, planes: Array, normals: Array) -> None:
    """Fill in the plane normals that contacts have, which are rounded differently for capsules and spheres."""
    for i in range(len(planes)):
        q = planes[i, 3:]
        axis = x_axis((q[0], q[1], q[2], q[3]))
        # capsules normalise the normal, spheres do not
        out = unit(axis) if capsules[i] else axis
        normals[i, 0], normals[i, 1], normals[i, 2] = out[0], out[1], out[2]


BOX_FRACTION = np.float32(0.2)         # of a box's margin, for breaking and for moving


@scalar_code
def plane_box(pair: Record, size0: Vec3, pose0: Pose, size1: Vec3, pose1: Pose, contacts: Records,
              at: Integer) -> Integer:
    # the manifold is kept from the box's side: local0 and pose are the box's, local1 lies on the plane
    # invalidate and breaking 0.2 of the margin  (GuPCMContactPlaneBox.cpp, pcmContactPlaneBox)
    pose, threshold = relative(pose1, pose0), box_margin(size1, pair.tolerance_length) * BOX_FRACTION
    frame = frame_of(pose)
    lost = refresh(pair, frame, threshold)
    if lost or is_invalidated(pair, pose, threshold, INVALIDATE_ROTATION_THRESHOLD):
        store_pose(pair, pose)
        _generate_box_points(pair, frame, size1)
    return write_points_on_1(pair, pose0, unit(negated(x_axis(pose0[1]))), contacts, at)


@scalar_code
def _generate_box_points(pair: Record, frame: Frame, half: Vec3) -> None:
    """Rebuild the points from the corners within the contact distance."""
    vertices, feet = np.empty((8, 3), np.float32), np.empty((8, 3), np.float32)
    distances, selected = np.empty(8, np.float32), np.empty(4, np.int64)
    # corners with height < contactDist  (GuPCMContactPlaneBox.cpp, pcmContactPlaneBox)
    up, count = (ONE, ZERO, ZERO), 0
    for i in range(8):
        vertex = _box_vertex(half, i)
        height = _height(frame, half, i)
        if pair.contact_distance - frame[0][0] > height:
            distances[count] = height + frame[0][0]
            set_vector(vertices, count, vertex)
            set_vector(feet, count, sub(from_frame(frame, vertex), scaled(up, distances[count])))
            count += 1
    for i in range(4):
        selected[i] = i
    # at most four  (GuPersistentContactManifold.cpp, reduceBatchContactsCluster)
    if count > 4:
        four_of_plane(feet, distances, count, up, selected)
    pair.points = min(count, 4)
    for i in range(pair.points):
        k = selected[i]
        set_point(pair, i, vector_at(vertices, k), vector_at(feet, k), up, distances[k])


@scalar_code
def _box_vertex(half: Vec3, i: Integer) -> Vec3:
    """Corners in the order +++ ++- +-+ +-- -++ -+- --+ ---."""
    return (half[0] if i < 4 else -half[0], half[1] if i & 2 == 0 else -half[1], half[2] if i & 1 == 0 else -half[2])


@scalar_code
def _height(frame: Frame, half: Vec3, i: Integer) -> Scalar:
    """Height of a corner over the plane, relative to the centre, summed in PhysX's order."""
    # height = +-R_xx h_x +-R_xy h_y +-R_xz h_z in PhysX's order of sums
    a, b, c = frame[1][0][0] * half[0], frame[1][1][0] * half[1], frame[1][2][0] * half[2]
    if i & 1:
        c = -c
    sum_xy = a + b if i < 2 or i > 5 else a - b
    return c + sum_xy if i < 4 else c - sum_xy


CONVEX_BREAKING = CONVEX_INVALIDATE = np.float32(0.2)       # of the margin
EDGES_FIRST = np.float32(5e-4)              # tolerance by which an edge is preferred to a face


@scalar_code
def plane_convex(pair: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose, hulls: Hulls,
                 contacts: Records, at: Integer) -> Integer:
    # the manifold is kept from the hull's side: local0 and pose are the hull's
    # invalidate and breaking 0.2 of the margin  (GuPCMContactPlaneConvex.cpp, pcmContactPlaneConvex)
    pose, hull, scale = relative(pose1, pose0), hull_at(hulls, shape1.geometry), scale_of(shape1)
    frame, margin = frame_of(pose), hull_margin(hull, scale, pair.tolerance_length)
    lost = refresh(pair, frame, margin * CONVEX_BREAKING)
    if lost or is_invalidated(pair, pose, margin * CONVEX_INVALIDATE, INVALIDATE_ROTATION_THRESHOLD):
        store_pose(pair, pose)
        points = new_points()
        # support face against the plane  (GuPCMContactGenUtil.cpp, getPolygonIndex)
        face, other = _support_faces(hull, unit(times(by_transposed(frame[1], (ONE, ZERO, ZERO)), scale)))
        _add_face_vertices(hull, face, frame, scale, pair.contact_distance, points)
        if other != NO_FACE:        # PhysX takes the corners of the same face again
            _add_face_vertices(hull, face, frame, scale, pair.contact_distance, points)
        reduce_to_four(pair, points)
    return write_points_on_1(pair, pose0, negated(unit(x_axis(pose0[1]))), contacts, at)


@scalar_code
def _support_faces(hull: Hull, normal: Vec3) -> tuple[Integer, Integer]:
    """The face most opposed to a direction; where an edge is more opposed, its flatter face and then the other one."""
    # argmin n . n_face; an edge is taken where (n_0 + n_1) / |n_0 + n_1| is more against the plane
    min_height, face = dot(normal, vector_at(hull.planes, 0)), 0
    for i in range(1, len(hull.planes)):
        height = dot(normal, vector_at(hull.planes, i))
        if min_height > height:
            min_height, face = height, i
    back, min_height = negated(normal), min_height - EDGES_FIRST
    edge = support_edge(hull, back, min_height * min_height)
    if edge == NO_FACE:
        return face, NO_FACE
    face0, face1 = hull.edges[edge, 0], hull.edges[edge, 1]
    if dot(vector_at(hull.planes, face0), back) > dot(vector_at(hull.planes, face1), back):
        return face0, face1
    return face1, face0


@scalar_code
def _add_face_vertices(hull: Hull, face: Integer, frame: Frame, scale: Vec3, contact_distance: Scalar,
                       points: Points) -> None:
    """Add the corners of a face within the contact distance of the plane x = 0."""
    scaled_frame = frame[0], (scaled(frame[1][0], scale[0]), scaled(frame[1][1], scale[1]),
                              scaled(frame[1][2], scale[2]))
    # x_vertex < contactDist, foot = vertex - x n
    up, first = (ONE, ZERO, ZERO), hull.spans[face, 0]
    for k in range(first, first + hull.spans[face, 1]):
        vertex = vector_at(hull.vertices, hull.corners[k])
        point = from_frame(scaled_frame, vertex)
        if contact_distance > point[0]:
            add_point(points, times(vertex, scale), sub(point, scaled(up, point[0])), up, point[0])


UP = (ONE, ZERO, ZERO)


class Manifold(NamedTuple):
    """The persistent manifold of a capsule's pair, as in `shapes.PAIR`."""

    known: Scalar
    points: Scalar
    local0: Sequence[Vec3]
    local1: Sequence[Vec3]
    distance: Sequence[Scalar]
    pose: Pose


class PlaneContacts(NamedTuple):
    """Contacts of a step; used ones come first, and all others repeat the first one."""

    used: Sequence[Condition]
    point: Sequence[Vec3]
    separation: Sequence[Scalar]


def singles(values: Sequence[Scalar]) -> list[Single]:
    """Each number as float32, and all results of operations on them."""
    return [Single(x) for x in values]


def pose_of(values: Sequence[Scalar]) -> Pose:
    """Position and quaternion."""
    return (values[0], values[1], values[2]), (values[3], values[4], values[5], values[6])


def bounds_overlap(kind: int, size: Vec3, offset: Scalar, pose: Pose, low: Vec3, high: Vec3) -> Condition:
    """Whether the bounds of a shape at `pose` overlap those of a plane, from `low` to `high`."""
    # low_a <= high_b and low_b <= high_a on every axis  (BpBroadPhaseABP.cpp, intersect2D)
    extent = extent_of(kind, size, pose)
    shape_low, shape_high = ([a - offset for a in sub(pose[0], extent)], [a + offset for a in add(pose[0], extent)])
    overlap = (shape_low[0].value <= high[0].value) & (low[0].value <= shape_high[0].value)
    for k in (1, 2):
        overlap = overlap & (shape_low[k].value <= high[k].value) & (low[k].value <= shape_high[k].value)
    return overlap


def sphere_on_plane(radius: Scalar, pose: Pose, plane: Pose, plane_normal: Vec3,
                    contact_distance: Scalar) -> PlaneContacts:
    """The contact of a sphere with a plane, if there is one."""
    # separation = x - radius  (GuPCMContactSpherePlane.cpp, pcmContactSpherePlane)
    separation = transform_inv(plane, pose[0])[0] - radius
    return PlaneContacts([contact_distance.value >= separation.value], [sub(pose[0], scaled(plane_normal, radius))],
                         [separation])


def capsule_on_plane(before: Manifold, size: Vec3, pose: Pose, plane: Pose, plane_normal: Vec3,
                     contact_distance: Scalar
                     ) -> tuple[Manifold, PlaneContacts]:
    """The manifold of a capsule and its contacts."""
    # as `plane_capsule`: points rebuilt where invalid, refreshed otherwise
    radius, local_pose = size[0], relative(pose, plane)
    invalid, distances = _is_invalidated(before, local_pose, radius)
    rebuilt = _rebuilt(before, local_pose, size, contact_distance)
    points = where(invalid, rebuilt.points, before.points)
    local0, local1 = ([_select(invalid, a, b) for a, b in zip(new, old, strict=True)]
                      for new, old in ((rebuilt.local0, before.local0), (rebuilt.local1, before.local1)))
    distance = [Single(where(invalid, a.value, b.value)) for a, b in zip(rebuilt.distance, distances, strict=True)]
    stored_pose = _select(invalid, local_pose[0], before.pose[0]), _select(invalid, local_pose[1], before.pose[1])
    # separation = d - radius, point = T p0 - r n
    separations = [a - radius for a in distance]
    used = [(points > float(i)) & (contact_distance.value >= a.value) for i, a in enumerate(separations)]
    positions = [sub(transform(pose, a), scaled(plane_normal, radius)) for a in local0]
    return (Manifold(where(invalid, 1.0, before.known), points, local0, local1, distance, stored_pose),
            _compacted(used, positions, separations))


def _is_invalidated(before: Manifold, local_pose: Pose, radius: Scalar) -> tuple[Condition, list[Scalar]]:
    """Whether the points must be rebuilt, and otherwise their distances."""
    frame, breaking = frame_of(local_pose), radius * CAPSULE_BREAKING
    # slid > breaking, |dp|_inf > maxDisplacement or q . q_old < cos
    limit, distances = breaking * breaking, []
    invalid = before.known < 0.5
    for i, (local0, local1) in enumerate(zip(before.local0, before.local1, strict=True)):
        distance, slid = project_points(frame, local0, local1, UP)
        invalid = invalid | ((before.points > float(i)) & (slid.value > limit.value))
        distances.append(distance)
    off = [abs(a - b).value for a, b in zip(local_pose[0], before.pose[0], strict=True)]
    displacement = maximum(maximum(off[0], off[1]), off[2])
    rotation_dot = quat_dot(local_pose[1], before.pose[1])
    return invalid | (displacement > (radius * CAPSULE_INVALIDATE).value) | (float(INVALIDATE_ROTATION_THRESHOLD)
                                                                             > rotation_dot.value), distances


def _rebuilt(before: Manifold, local_pose: Pose, size: Vec3, contact_distance: Scalar) -> Manifold:
    """A manifold of the ends of the axis within the contact distance."""
    radius, half = size[0], scaled(x_axis(local_pose[1]), size[1])
    # both ends, one where they coincide
    ends = add(local_pose[0], half), sub(local_pose[0], half)
    in_range = [(radius + contact_distance).value > end[0].value for end in ends]
    local0 = [transform_inv(local_pose, end) for end in ends]
    local1 = [sub(end, scaled(UP, end[0])) for end in ends]
    off0, off1 = sub(local0[0], local0[1]), sub(local1[0], local1[1])
    replace_distance = radius * CAPSULE_REPLACE
    coincide = in_range[1] & ((replace_distance * replace_distance).value
                              > minimum(dot(off1, off1).value, dot(off0, off0).value))
    first = in_range[0] & logical_not(coincide)             # else the other end is the first point, or none is
    points = where(in_range[0] & in_range[1] & logical_not(coincide), 2.0, where(in_range[0] | in_range[1], 1.0, 0.0))
    return Manifold(1.0, points, [_select(first, *local0), local0[1]], [_select(first, *local1), local1[1]],
                    [Single(where(first, ends[0][0].value, ends[1][0].value)), ends[1][0]], local_pose)


def _compacted(used: Sequence[Condition], positions: Sequence[Vec3], separations: Sequence[Scalar]) -> PlaneContacts:
    """The used ones of two points, moved to the front."""
    first = [_select(used[0], *positions), Single(where(used[0], separations[0].value, separations[1].value))]
    both = used[0] & used[1]
    return PlaneContacts([used[0] | used[1], both], [first[0], _select(both, positions[1], first[0])],
                         [first[1], Single(where(both, separations[1].value, first[1].value))])


def _select(condition: Condition, a: Sequence[Scalar], b: Sequence[Scalar]) -> Any:
    return tuple(Single(where(condition, x.value, y.value)) for x, y in zip(a, b, strict=True))
