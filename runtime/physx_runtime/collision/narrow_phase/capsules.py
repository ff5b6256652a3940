"""Contacts of capsules with capsules, boxes and hulls (PhysX GuPCMContactCapsuleCapsule, -CapsuleBox, -CapsuleConvex).

`capsule_capsule` uses the closest points of both axes. For parallel axes these are the ends that project onto the
other axis. `capsule_box` and `capsule_convex` use GJK, and after a lost point the part of the axis over a face. Dot
products that PhysX computes four at once (aos::V3Dot4) are summed in another order than a single one.
"""

from __future__ import annotations

import math

import numpy as np

from physx_runtime.arrays import Condition, Frame, Integer, Pose, Record, Records, Scalar, Vec3
from physx_runtime.collision.bounds import scale_of, size_of
from physx_runtime.collision.manifold.persistent import (
    BOX_MARGIN,
    Points,
    add_point,
    add_segment_point,
    box_margin,
    hull_margin,
    is_segment_invalidated,
    new_points,
    reduce_to_two,
    refresh,
    store_pose,
    world_normal,
    write_contact,
    write_segment_points,
)
from physx_runtime.collision.narrow_phase.polygons import WITNESS_MARGIN, box_hull, incident_face, witness_face
from physx_runtime.collision.narrow_phase.segment import (
    edges_under_axis,
    ends_over_face,
    ends_over_hull,
    min_overlap_axis,
)
from physx_runtime.collision.pcm.closest_points import GJK_CONTACT, GJK_NON_INTERSECT, closest_points
from physx_runtime.collision.pcm.simplex import GjkConvex, box_core, hull_core, segment_core
from physx_runtime.collision.scalar_math import dot as plain_dot
from physx_runtime.collision.shapes import Hulls
from physx_runtime.collision.simd_math import (
    EPSILON,
    HALF,
    IDENTITY,
    ONE,
    ZERO,
    add,
    clamped,
    divided,
    dot,
    frame_of,
    min_component,
    negated,
    over,
    relative,
    rotated,
    scaled,
    sub,
    times,
    to_frame,
    transform_inv,
    unit,
    x_axis,
)
from physx_runtime.compiling.numba_functions import scalar_code

PARALLEL = np.float32(0.9998)
SMALL = np.float32(1e-6)            # squares of lengths


@scalar_code
def capsule_capsule(pair: Record, size0: Vec3, pose0: Pose, size1: Vec3, pose1: Pose, contacts: Records,
                    at: Integer) -> Integer:
    # closest points of the axes  (GuPCMContactCapsuleCapsule.cpp, pcmContactCapsuleCapsule)
    middle = scaled(add(pose0[0], pose1[0]), HALF)
    start0, axis0 = _axis(size0, pose0, middle)
    start1, axis1 = _axis(size1, pose1, middle)
    radii = size0[0] + size1[0]
    within = radii + pair.contact_distance
    t0, t1 = closest_parameters(start0, axis0, start1, axis1)
    point0, point1 = add(scaled(axis0, t0), start0), add(scaled(axis1, t1), start1)
    offset = sub(point0, point1)
    square = dot(offset, offset)
    if not within * within >= square:
        return at
    # parallel axes: the ends that project onto the other axis, up to four contacts
    # (GuPCMContactCapsuleCapsule.cpp, storeContact)
    if abs(dot(_direction(axis0), _direction(axis1))) > PARALLEL:
        first = at
        ends = (start1, add(start1, axis1), start0, add(start0, axis0))
        for i in range(4):
            start, axis = (start0, axis0) if i < 2 else (start1, axis1)
            foot, faces = _foot(start, axis, ends[i])
            on0, on1 = (foot, ends[i]) if i < 2 else (ends[i], foot)
            offset = sub(on0, on1)
            gap = dot(offset, offset)
            if faces and gap > SMALL and within * within > gap:
                distance = math.sqrt(gap)
                normal = divided(offset, distance)
                point = add(sub(on0, scaled(normal, size0[0])), middle)
                at = write_contact(contacts, at, point, normal, distance - radii)
        if at > first:
            return at
    # coincident axes: the normal is axis 0
    coincident = square < SMALL
    normal = unit((axis0 if dot(axis0, axis0) > SMALL else (ONE, ZERO, ZERO)) if coincident else sub(point0, point1))
    point = add(sub(point0, scaled(normal, size0[0])), middle)
    return write_contact(contacts, at, point, normal, (ZERO if coincident else math.sqrt(square)) - radii)


@scalar_code
def _axis(size: Vec3, pose: Pose, middle: Vec3) -> tuple[Vec3, Vec3]:
    """A capsule's axis relative to the centre of both: its +x end, and the vector to the other end."""
    centre, half = sub(pose[0], middle), scaled(x_axis(pose[1]), size[1])
    start = add(centre, half)
    return start, sub(sub(centre, half), start)


@scalar_code
def _direction(axis: Vec3) -> Vec3:
    # zero for a point
    square = dot(axis, axis)
    return (ZERO, ZERO, ZERO) if square < SMALL else divided(axis, math.sqrt(square))


@scalar_code
def _foot(start: Vec3, axis: Vec3, end: Vec3) -> tuple[Vec3, Condition]:
    """The projection of an end of the other axis onto this one, and whether it is between the ends."""
    # t = (end - start) . axis / |axis|^2  (GuPCMContactCapsuleCapsule.cpp, pcmDistancePointSegmentTValue22)
    length = dot(axis, axis)
    t = plain_dot(sub(end, start), axis) / length if length != ZERO else ZERO
    return add(scaled(axis, t), start), t >= ZERO and t <= ONE


@scalar_code
def closest_parameters(start0: Vec3, axis0: Vec3, start1: Vec3, axis1: Vec3) -> tuple[Scalar, Scalar]:
    """The closest points of two segments, as fractions of their lengths."""
    # Ericson, Real-time collision detection, 5.1.9; t0 = 1/2 where parallel
    # s = (b f - c e) / (a e - b^2), t = (b s + f) / e
    offset = sub(start0, start1)
    a, e, b, c, f = (plain_dot(axis0, axis0), plain_dot(axis1, axis1), plain_dot(axis0, axis1),
                     plain_dot(axis0, offset), dot(axis1, offset))
    determinant = a * e - b * b
    t0 = HALF if determinant < EPSILON else clamped((b * f - c * e) / determinant, ZERO, ONE)
    t1 = clamped((b * t0 + f) * (ONE / e if e > EPSILON else ZERO), ZERO, ONE)
    return clamped((b * t1 - c) * (ONE / a if a > EPSILON else ZERO), ZERO, ONE), t1


BOX_BREAKING, BOX_REPLACE = np.float32(0.8), np.float32(0.1)       # fractions of the margin
UNSCALED = (ONE, ONE, ONE)


@scalar_code
def capsule_box(pair: Record, size0: Vec3, pose0: Pose, size1: Vec3, pose1: Pose, hulls: Hulls, contacts: Records,
                at: Integer) -> Integer:
    # breaking 0.8, replace 0.1 of the margin  (GuPCMContactCapsuleBox.cpp, pcmContactCapsuleBox)
    radius, pose = size0[0], relative(pose0, pose1)
    frame, margin, before = frame_of(pose), min(box_margin(size1, pair.tolerance_length), radius), pair.points
    lost = refresh(pair, frame, margin * BOX_BREAKING)
    if not (lost or is_segment_invalidated(pair, pose, margin)):
        if pair.points == 0:
            return at
        normal = world_normal(pair, pose1)
        return write_segment_points(pair, pose0, normal, normal, radius, contacts, at)
    store_pose(pair, pose)
    # capsule as a segment with a radius, in the frame of the box
    half = scaled(frame[1][0], size0[1])
    core0, core1 = segment_core(add(frame[0], half), sub(frame[0], half), radius, hulls), box_core(size1, hulls)
    # PhysX uses the world position of the box here, instead of the one in its own frame
    start = sub(frame[0], pose1[0])
    closest = closest_points(pair, core0, IDENTITY, core1, start,
                                                                 pair.contact_distance)
    status, normal = closest.status, closest.normal
    if status == GJK_NON_INTERSECT:
        return at
    # GJK's point joins the manifold, unless points were lost
    if status == GJK_CONTACT and before > 0 and not lost:
        add_segment_point(pair, transform_inv(pose, closest.point0), closest.point1, normal, closest.distance,
                          margin * BOX_REPLACE)
    else:
        # full contact generation  (GuPCMContactCapsuleBox.cpp, fullContactsGenerationCapsuleBox)
        points = new_points()
        if status == GJK_CONTACT:
            add_point(points, to_frame(frame, closest.point0), closest.point1, normal, closest.distance)
        within, normal = _box_points(pair, core0, core1, frame, normal, closest.point1, status == GJK_CONTACT, points,
                                     hulls)
        if not within:
            return at
        reduce_to_two(pair, points, 1 if status == GJK_CONTACT and points.count[0] > 1 else 0)
    normal = rotated(pose1[1], normal)
    return write_segment_points(pair, pose0, normal, normal, radius, contacts, at)


@scalar_code
def _box_points(pair: Record, core0: GjkConvex, core1: GjkConvex, frame: Frame, normal: Vec3, point1: Vec3,
                known: Condition, points: Points, hulls: Hulls) -> tuple[bool, Vec3]:
    """Add the parts of the axis over a face; return whether the capsule is within the contact distance, and the normal.

    known: whether the normal is given; otherwise it is that of the least overlap.
    """
    # reference face: witness of the closest point, else that of the least overlap
    # (GuPCMContactGenSphereCapsule.cpp, generateCapsuleBoxFullContactManifold)
    hull, first, end, radius = box_hull(core1.half, hulls), core0.half, core0.end, core0.radius
    contact_distance = pair.contact_distance
    if known:
        margin = min_component(core1.half) * BOX_MARGIN
        face = witness_face(hull, UNSCALED, negated(normal), point1, margin, pair.tolerance_length)
    else:
        within, normal = min_overlap_axis(core1, hull, first, end, radius, UNSCALED, contact_distance)
        if not within:
            return False, normal
        face = incident_face(hull, UNSCALED, negated(normal))
    # ends over the face, then edges crossed by the axis
    before = points.count[0]
    ends_over_face(hull, face, frame, first, end, normal, radius + contact_distance, points)
    if points.count[0] - before < 2:
        edges_under_axis(hull, face, UNSCALED, frame, first, end, normal, radius + contact_distance, points)
    return True, normal


SEGMENT_MARGIN = np.float32(0.05)                   # of the radius
CONVEX_BREAKING, CONVEX_REPLACE = np.float32(1.25), np.float32(0.05)     # fractions of the margin


@scalar_code
def capsule_convex(pair: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose, hulls: Hulls,
                   contacts: Records, at: Integer) -> Integer:
    # breaking 1.25, replace 0.05 of the margin  (GuPCMContactCapsuleConvex.cpp, pcmContactCapsuleConvex)
    size, pose = size_of(shape0), relative(pose0, pose1)
    frame, radius, before = frame_of(pose), size[0], pair.points
    core1 = hull_core(hulls, shape1.geometry, scale_of(shape1))
    margin = min(hull_margin(core1.hull, core1.scale, pair.tolerance_length), radius * SEGMENT_MARGIN)
    lost = refresh(pair, frame, margin * CONVEX_BREAKING)
    if not (lost or is_segment_invalidated(pair, pose, margin)):
        if pair.points == 0:
            return at
        normal = world_normal(pair, pose1)
        return write_segment_points(pair, pose0, normal, normal, radius, contacts, at)
    store_pose(pair, pose)
    half = scaled(frame[1][0], size[1])
    core0 = segment_core(add(frame[0], half), sub(frame[0], half), radius, hulls)
    # the search starts along the line between the centres
    start = sub(frame[0], times(core1.hull.center, core1.scale))
    closest = closest_points(pair, core0, IDENTITY, core1, start,
                                                                 pair.contact_distance)
    status, normal = closest.status, closest.normal
    if status == GJK_NON_INTERSECT:
        return at
    if status == GJK_CONTACT:
        add_segment_point(pair, to_frame(frame, closest.point0), closest.point1, normal, closest.distance,
                          margin * CONVEX_REPLACE)
    # first contact or lost points: full contact generation
    # (GuPCMContactCapsuleConvex.cpp, fullContactsGenerationCapsuleConvex)
    if status != GJK_CONTACT or before == 0 or lost:
        within, normal = _hull_points(pair, core0, core1, frame, normal, closest.point1, status == GJK_CONTACT)
        if not within:
            return at
    normal = rotated(pose1[1], normal)
    return write_segment_points(pair, pose0, normal, normal, radius, contacts, at)


@scalar_code
def _hull_points(pair: Record, core0: GjkConvex, core1: GjkConvex, frame: Frame, normal: Vec3, point1: Vec3,
                 known: Condition) -> tuple[Condition, Vec3]:
    """Rebuild the points from the part of the axis over the hull; return whether there are any, and the normal.

    known: whether the normal is given; otherwise it is that of the least overlap.
    """
    # ends whose ray against the normal hits the hull, then edges crossed by the axis
    # (GuPCMContactGenSphereCapsule.cpp, generateFullContactManifold)
    hull, first, end, inverse = core1.hull, core0.half, core0.end, over(ONE, core1.scale)
    within, points = core0.radius + pair.contact_distance, new_points()
    if not known:
        overlaps, normal = min_overlap_axis(core1, hull, first, end, core0.radius, inverse, pair.contact_distance)
        if not overlaps:
            return False, normal
    ends_over_hull(hull, inverse, frame, first, end, normal, within, points)
    if points.count[0] < 2:
        if known:
            margin = min_component(times(hull.inner_half, core1.scale)) * WITNESS_MARGIN
            face = witness_face(hull, inverse, negated(normal), point1, margin, pair.tolerance_length)
        else:
            face = incident_face(hull, core1.scale, negated(normal))
        edges_under_axis(hull, face, core1.scale, frame, first, end, normal, within, points)
    if points.count[0] > 0:
        reduce_to_two(pair, points, 0)
    return known or points.count[0] > 0, normal
