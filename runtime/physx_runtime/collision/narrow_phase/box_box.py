"""Contacts of two boxes: separating axes, then clipping of the incident face (PhysX GuPCMContactBoxBox).

`box_box` makes the contacts of a pair. `box_faces` finds the face of least overlap, and the points of the other box
over it. `box_gjk` adds the closest points of boxes that touch by edges or corners only. `points_over_face` clips the
incident face: its corners inside the reference face, and its edges cut at the sides.
"""

from __future__ import annotations

import math

import numpy as np

from physx_runtime.arrays import Array, Condition, Frame, Integer, Pose, Record, Records, Scalar, Vec3
from physx_runtime.collision.manifold.persistent import (
    add_manifold_point,
    are_boxes_invalidated,
    box_margin,
    refresh,
    set_point,
    store_pose,
    store_rotations,
    world_normal,
    write_contact,
    write_points_on_1,
)
from physx_runtime.collision.manifold.reduction import four_of_boxes
from physx_runtime.collision.narrow_phase.polygons import contains
from physx_runtime.collision.pcm.closest_points import GJK_CONTACT, closest_points
from physx_runtime.collision.pcm.simplex import box_core
from physx_runtime.collision.shapes import TO_SEARCH, Hulls
from physx_runtime.collision.simd_math import (
    EPSILON,
    LARGEST,
    ONE,
    ZERO,
    absolute,
    add,
    by_matrix,
    by_transposed,
    dot,
    frame_in,
    frame_of,
    from_frame,
    half_rotated,
    matrix_of,
    negated,
    reciprocal,
    relative,
    scaled,
    set_vector,
    sub,
    times,
    to_frame,
    transposed,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

BORDER = np.float32(1.0001)         # the reference face is enlarged by this factor
PARALLEL = np.float32(1e-6)         # an edge with a smaller component along an axis is parallel to the side
MAX_POINTS = 16                           # points: four corners of either face and two cuts of four edges


@scalar_code
def incident_face(direction: Vec3, frame: Frame, half: Vec3, vertices: Array) -> Vec3:
    """Fill in the corners of the face of a box that is most opposed to a direction; return its normal."""
    # the axis u_k with the greatest |u_k . d|, on the side against d  (GuPCMContactBoxBox.cpp, getIncidentPolygon)
    u0, u1, u2 = frame[1]
    d0, d1, d2 = dot(u0, direction), dot(u1, direction), dot(u2, direction)
    a0, a1, a2 = abs(d0), abs(d1), abs(d2)
    r0, r1, r2 = scaled(u0, half[0]), scaled(u1, half[1]), scaled(u2, half[2])
    if a0 >= a1 and a0 >= a2:
        normal, out, p, q, against = u0, r0, r1, r2, d0 > ZERO
    elif a1 >= a2:
        normal, out, p, q, against = u1, r1, r0, r2, d1 > ZERO
    else:
        normal, out, p, q, against = u2, r2, r0, r1, d2 > ZERO
    if against:
        normal, out = negated(normal), negated(out)
    centre, s, t = add(frame[0], out), add(p, q), sub(p, q)
    set_vector(vertices, 0, add(centre, s))
    set_vector(vertices, 1, add(centre, t))
    set_vector(vertices, 2, sub(centre, s))
    set_vector(vertices, 3, sub(centre, t))
    return normal


@scalar_code
def points_over_face(ex: Scalar, ey: Scalar, vertices: Array, face_normal: Vec3, contact_distance: Scalar,
                     on_face: Array, on_other: Array, distances: Array) -> Integer:
    """Fill in the points of a face with four corners over the face |x| <= ex, |y| <= ey of z = 0; return their number.

    on_face, on_other: the points on both faces; distances: the height of the other face.
    """
    # corners of the incident face in the reference rectangle  (GuPCMContactBoxBox.cpp, calculateContacts)
    ex, ey, count = ex * BORDER, ey * BORDER, 0
    near, inside = np.zeros(4, np.bool_), np.zeros(4, np.bool_)
    for i in range(4):
        x, y, z = vector_at(vertices, i)
        near[i] = contact_distance > -z
        inside[i] = near[i] and ex >= abs(x) and ey >= abs(y)
        if inside[i]:
            count = _add_point(on_face, on_other, distances, count, (x, y, z))
    if count == 4:
        return count
    # corners of the rectangle in the incident face, height = n . (v - p) / n_z
    for i in range(4):
        x, y = ex if i < 2 else -ex, ey if i & 1 == 0 else -ey
        if contains(vertices, 4, ZERO, x, y):
            height = dot(face_normal, sub(vector_at(vertices, 0), (x, y, ZERO))) / face_normal[2]
            if contact_distance > -height:
                count = _add_point(on_face, on_other, distances, count, (x, y, height))
    # edges of the incident face cut at the rectangle's sides  (GuPCMContactBoxBox.cpp, intersectSegmentAABB)
    high, low = (ex, ey, LARGEST), (-ex, -ey, -(contact_distance + EPSILON))
    for i in range(4):
        j = (i + 3) & 3
        if not (near[i] or near[j]) or (inside[i] and inside[j]):
            continue
        start = vector_at(vertices, i)
        edge = sub(vector_at(vertices, j), start)
        cut, enters, leaves = _clip_segment(start, edge, high, low)
        if cut and not inside[i]:
            count = _add_point(on_face, on_other, distances, count, add(scaled(edge, enters), start))
        if cut and not inside[j]:
            count = _add_point(on_face, on_other, distances, count, add(scaled(edge, leaves), start))
    return count


@scalar_code
def _add_point(on_face: Array, on_other: Array, distances: Array, count: Integer, point: Vec3) -> Integer:
    set_vector(on_face, count, (point[0], point[1], ZERO))
    set_vector(on_other, count, point)
    distances[count] = -point[2]
    return count + 1


@scalar_code
def _clip_segment(start: Vec3, direction: Vec3, high: Vec3, low: Vec3) -> tuple[Condition, Scalar, Scalar]:
    """Whether a segment enters an axis-aligned box, and the fractions of its length at which it enters and leaves."""
    # slab test: t = (bound - start_k) / d_k, with the estimate of 1 / d_k
    enters, leaves = -LARGEST, LARGEST
    steep = absolute(direction)
    for k in range(3):
        if steep[k] < PARALLEL:
            if start[k] > high[k] or low[k] > start[k]:
                return False, ZERO, ZERO
            a, b = ZERO, LARGEST
        else:
            inverse = reciprocal(direction[k])
            a, b = (low[k] - start[k]) * inverse, (high[k] - start[k]) * inverse
        enters, leaves = max(enters, min(a, b)), min(leaves, max(a, b))
    enters, leaves = max(enters, ZERO), min(leaves, ONE)
    return enters <= leaves and enters <= ONE, enters, leaves


BOX_BREAKING = np.float32(0.8)          # of the smaller margin
BOX_REPLACE = np.float32(0.05)             # of the smaller margin: closer points are one
SLACK = np.float32(1e-6)            # added to cosines between axes
SEPARATED = -1                          # no face: the boxes are apart


@scalar_code
def box_box(pair: Record, size0: Vec3, pose0: Pose, size1: Vec3, pose1: Pose, hulls: Hulls, contacts: Records,
            at: Integer) -> Integer:
    # faces first, GJK and EPA where these make no contact  (GuPCMContactBoxBox.cpp, pcmContactBoxBox)
    after = box_faces(pair, size0, pose0, size1, pose1, contacts, at)
    if pair.warm_start_count == TO_SEARCH:
        return box_gjk(pair, size0, pose0, size1, pose1, hulls, contacts, at)
    return after


@scalar_code
def box_faces(pair: Record, size0: Vec3, pose0: Pose, size1: Vec3, pose1: Pose, contacts: Records,
              at: Integer) -> Integer:
    """Write contacts of faces; return the next free row. Marks pairs for `box_gjk` with TO_SEARCH."""
    # breaking 0.8 of the margin  (GuPCMContactBoxBox.cpp, pcmContactBoxBox)
    pose, margin = relative(pose0, pose1), _margin(pair, size0, size1)
    lost = refresh(pair, frame_of(pose), margin * BOX_BREAKING)
    radius0, radius1 = math.sqrt(dot(size0, size0)), math.sqrt(dot(size1, size1))
    if lost or are_boxes_invalidated(pair, pose, pose0[1], pose1[1], margin, radius0, radius1):
        store_pose(pair, pose)
        store_rotations(pair, pose0[1], pose1[1])
        separated, after = _generate(pair, size0, _unit_frame(pose0), size1, _unit_frame(pose1), contacts, at)
        if not separated and after == at:
            pair.warm_start_count = TO_SEARCH
        return after
    if pair.points == 0:
        return at
    return write_points_on_1(pair, pose1, world_normal(pair, pose1), contacts, at)


@scalar_code
def box_gjk(pair: Record, size0: Vec3, pose0: Pose, size1: Vec3, pose1: Pose, hulls: Hulls, contacts: Records,
            at: Integer) -> Integer:
    """Add the closest points of boxes that touch by edges or corners only, and write all points; the next free row."""
    pair.warm_start_count = 0
    frame, margin = frame_of(relative(pose0, pose1)), _margin(pair, size0, size1)
    # replace distance 0.05 of the margin
    core0, core1 = box_core(size0, hulls), box_core(size1, hulls)
    closest = closest_points(pair, core0, frame, core1, frame[0],
                                                                 pair.contact_distance)
    if closest.status != GJK_CONTACT:
        return at
    add_manifold_point(pair, to_frame(frame, closest.point0), closest.point1, closest.normal, closest.distance,
                       margin * BOX_REPLACE)
    return write_points_on_1(pair, pose1, unit(half_rotated(pose1[1], closest.normal)), contacts, at)


@scalar_code
def _margin(pair: Record, size0: Vec3, size1: Vec3) -> Scalar:
    return min(box_margin(size0, pair.tolerance_length), box_margin(size1, pair.tolerance_length))


@scalar_code
def _unit_frame(pose: Pose) -> Frame:
    m = matrix_of(pose[1])
    return pose[0], (unit(m[0]), unit(m[1]), unit(m[2]))


@scalar_code
def _generate(pair: Record, half0: Vec3, frame0: Frame, half1: Vec3, frame1: Frame, contacts: Records,
              at: Integer) -> tuple[bool, Integer]:
    """Rebuild points from faces and write them as contacts; return whether the boxes are apart, and the next free row.

    Boxes that touch by edges or corners only are not apart, but have no point here.
    """
    # separating axis test, then clip the incident face  (GuPCMContactBoxBox.cpp, doBoxBoxGenerateContacts)
    face, below = _min_overlap_face(half0, half1, frame_in(frame1, frame0), pair.contact_distance)
    if face == SEPARATED:
        return True, at
    on0, on1 = np.empty((MAX_POINTS, 3), np.float32), np.empty((MAX_POINTS, 3), np.float32)
    distances, selected = np.empty(MAX_POINTS, np.float32), np.empty(4, np.int64)
    if face < 3:
        frame, ex, ey = _face_frame(half0, frame0, face, below)
        towards0 = by_transposed(frame[1], frame[1][2])
        count = _points_over(frame, ex, ey, negated(towards0), half1, frame1, pair.contact_distance, on0, on1,
                             distances)
    else:
        frame, ex, ey = _face_frame(half1, frame1, face - 3, not below)
        towards0 = negated(by_transposed(frame[1], frame[1][2]))
        count = _points_over(frame, ex, ey, towards0, half0, frame0, pair.contact_distance, on1, on0, distances)
    if count == 0:
        return False, at
    # points and normal from the frame of the reference face to both boxes
    in0, in1 = frame_in(frame, frame0), frame_in(frame, frame1)
    normal = by_matrix(in1[1], towards0)
    for i in range(count):
        set_vector(on0, i, from_frame(in0, vector_at(on0, i)))
        set_vector(on1, i, from_frame(in1, vector_at(on1, i)))
    for i in range(4):
        selected[i] = i
    if count > 4:
        four_of_boxes(on1, distances, count, normal, pair.tolerance_length, selected)
    pair.points = min(count, 4)
    world = unit(by_matrix(frame1[1], normal))
    for i in range(pair.points):
        k = selected[i]
        set_point(pair, i, vector_at(on0, k), vector_at(on1, k), normal, distances[k])
        at = write_contact(contacts, at, from_frame(frame1, vector_at(on1, k)), world, distances[k])
    return False, at


@scalar_code
def _points_over(frame: Frame, ex: Scalar, ey: Scalar, direction: Vec3, half: Vec3, other: Frame,
                 contact_distance: Scalar,
                 on_face: Array, on_other: Array, distances: Array) -> Integer:
    vertices = np.empty((4, 3), np.float32)
    face_normal = incident_face(direction, frame_in(other, frame), half, vertices)
    return points_over_face(ex, ey, vertices, face_normal, contact_distance, on_face, on_other, distances)


@scalar_code
def _face_frame(half: Vec3, frame: Frame, face: Integer, below: Condition) -> tuple[Frame, Scalar, Scalar]:
    """The frame of a face, z into the box, and the half sides of the face; below: of both faces the one at -half."""
    # z into the box, x and y along the sides of the reference face
    a = frame[1]
    if face == 0:
        centre, ex, ey = scaled(a[0], half[0]), half[2], half[1]
        axes = (negated(a[2]), a[1], a[0]) if below else (a[2], a[1], negated(a[0]))
    elif face == 1:
        centre, ex, ey = scaled(a[1], half[1]), half[0], half[2]
        axes = (a[0], negated(a[2]), a[1]) if below else (a[0], a[2], negated(a[1]))
    else:
        centre, ex, ey = scaled(a[2], half[2]), half[0], half[1]
        axes = (a[0], a[1], a[2]) if below else (a[0], negated(a[1]), negated(a[2]))
    return (sub(frame[0], centre) if below else add(centre, frame[0]), axes), ex, ey


@scalar_code
def _sum(a: Vec3) -> Scalar:
    return a[0] + (a[1] + a[2])


@scalar_code
def _with_slack(a: Vec3) -> Vec3:
    return abs(a[0]) + SLACK, abs(a[1]) + SLACK, abs(a[2]) + SLACK


@scalar_code
def _min_overlap_face(half0: Vec3, half1: Vec3, frame: Frame, contact_distance: Scalar) -> tuple[Integer, Condition]:
    """The face of least overlap, 0 to 2 of box 0 and 3 to 5 of box 1, and whether box 1 is below it.

    frame: of box 1 in box 0. Pairs of edges can only show that the boxes are apart.
    """
    # |R| + 1e-6, so that parallel edges separate nothing  (GuPCMContactBoxBox.cpp, doBoxBoxGenerateContacts)
    p, c = frame
    back = transposed(c)
    a = (_with_slack(c[0]), _with_slack(c[1]), _with_slack(c[2]))
    b = (_with_slack(back[0]), _with_slack(back[1]), _with_slack(back[2]))
    projections = (p[0], p[1], p[2], dot(p, c[0]), dot(p, c[1]), dot(p, c[2]))
    min_overlap, face = ZERO, SEPARATED
    # face axes: overlap = r0 + r1 - |p . axis| + contactDist, the least is taken
    for k in range(6):
        radii = half0[k] + _sum(times(b[k], half1)) if k < 3 else _sum(times(a[k - 3], half0)) + half1[k - 3]
        overlap = (radii - abs(projections[k])) + contact_distance
        if overlap < ZERO:
            return SEPARATED, False
        if face == SEPARATED or min_overlap > overlap:
            min_overlap, face = overlap, k
    # nine edge products: |p . (a_i x b_j)| > r0 + r1 + contactDist separates
    for i in range(3):
        e, f = (i + 1) % 3, (i + 2) % 3
        for j in range(3):
            g, h = (j + 1) % 3, (j + 2) % 3
            gap = abs(c[j][e] * p[f] - c[j][f] * p[e])
            radius0 = a[j][f] * half0[e] + a[j][e] * half0[f]
            radius1 = b[i][h] * half1[g] + b[i][g] * half1[h]
            if gap > (radius0 + radius1) + contact_distance:
                return SEPARATED, False
    return face, projections[face] <= ZERO
