"""Segments, the axes of capsules: separating axes, clipping and closest points (PhysX GuPCMContactGenSphereCapsule).

`min_overlap_axis` is the separating axis test of a capsule and a hull or box. `ends_over_face`, `ends_over_hull` and
`edges_under_axis` add the points of the axis over faces, along a given normal. `segment_triangle` is the distance of a
segment and a triangle, and `points_over_triangle` adds the points over it (GuPCMContactCapsuleMesh.cpp).
"""

from __future__ import annotations

import math

import numpy as np

from physx_runtime.arrays import Condition, Frame, Integer, Record, Scalar, Vec3
from physx_runtime.collision.manifold.multi import add_contact
from physx_runtime.collision.manifold.persistent import Points, add_point
from physx_runtime.collision.meshes.triangle_mesh import EDGE_01, EDGE_12, EDGE_20
from physx_runtime.collision.narrow_phase.polygons import (
    contains,
    face_normal,
    rotate_rows,
    rotation_to_z,
    write_face_vertices,
)
from physx_runtime.collision.pcm.simplex import GjkConvex, interval
from physx_runtime.collision.shapes import Hull
from physx_runtime.collision.simd_math import (
    EPSILON,
    HALF,
    LARGEST,
    ONE,
    ZERO,
    add,
    by_matrix,
    clamped,
    cross,
    divided,
    dot,
    negated,
    scaled,
    sub,
    times,
    to_frame,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code


@scalar_code
def min_overlap_axis(core: GjkConvex, hull: Hull, first: Vec3, end: Vec3, radius: Scalar, inverse: Vec3,
                     contact_distance: Scalar) -> tuple[bool, Vec3]:
    """Whether the capsule is close along all axes, and the axis of least overlap, towards the capsule."""
    # faces, then products of the axis and the edges  (GuPCMContactGenSphereCapsule.cpp, testSATCapsulePoly)
    within, min_overlap, axis = min_overlap_of_faces(hull, first, end, radius, inverse, contact_distance)
    if not within:
        return False, axis
    segment = sub(end, first)
    for face in range(len(hull.spans)):
        start, count = hull.spans[face, 0], hull.spans[face, 1]
        for k in range(count):
            a = vector_at(hull.vertices, hull.corners[start + k])
            b = vector_at(hull.vertices, hull.corners[start + (k if k > 0 else count) - 1])
            # n = d x S^-1 e / |d x S^-1 e|
            product = cross(segment, times(sub(b, a), inverse))
            square = dot(product, product)
            if square < EPSILON:
                continue
            normal = divided(product, math.sqrt(square))
            # [low, high] of the hull along n  (GuPCMContactGenSphereCapsule.cpp, testPolyDataAxis)
            low, high = interval(core, normal)
            within, overlap = _overlap(normal, first, end, radius, low, high, contact_distance)
            if not within:
                return False, axis
            if min_overlap > overlap:
                min_overlap, axis = overlap, normal
    return True, axis


@scalar_code
def min_overlap_of_faces(hull: Hull, first: Vec3, end: Vec3, radius: Scalar, inverse: Vec3,
                         contact_distance: Scalar) -> tuple[bool, Scalar, Vec3]:
    """Whether the capsule is close along all face normals; the least overlap, and its normal."""
    min_overlap, axis = LARGEST, (ZERO, ONE, ZERO)
    # n = S^-1 n_hull / |S^-1 n_hull|
    for face in range(len(hull.planes)):
        plane = vector_at(hull.planes, face)
        stretched = times(plane, inverse)
        size = ONE / math.sqrt(dot(stretched, stretched))
        normal = scaled(stretched, size)
        low = dot(plane, vector_at(hull.vertices, hull.spans[face, 2])) * size
        within, overlap = _overlap(normal, first, end, radius, low, -hull.planes[face, 3] * size, contact_distance)
        if not within:
            return False, min_overlap, axis
        if min_overlap > overlap:
            min_overlap, axis = overlap, normal
    return True, min_overlap, axis


@scalar_code
def _overlap(normal: Vec3, first: Vec3, end: Vec3, radius: Scalar, low: Scalar, high: Scalar,
             contact_distance: Scalar) -> tuple[Condition, Scalar]:
    # overlap = high - (min(a . n, b . n) - r)
    a, b = dot(first, normal), dot(end, normal)
    below, above = min(a, b) - radius, max(a, b) + radius
    return not (below > high + contact_distance or low > above + contact_distance), high - below


PARALLEL = np.float32(1e-7)       # component of a ray along a normal below which it is parallel to the face
BEYOND = np.float32(0.005)      # fraction of an edge by which a crossing may be beyond its ends


@scalar_code
def ends_over_face(hull: Hull, face: Integer, frame: Frame, first: Vec3, end: Vec3, normal: Vec3, within: Scalar,
                   points: Points) -> None:
    """Add the ends of the axis over one face of a box."""
    # height = n_face . (p - v) / (n_face . n), foot = p - height n
    # (GuPCMContactGenSphereCapsule.cpp, generatedCapsuleBoxFaceContacts)
    up = face_normal(hull, face, (ONE, ONE, ONE))
    vertices = np.empty((hull.spans[face, 1], 3), np.float32)
    count = write_face_vertices(hull, face, (ONE, ONE, ONE), vertices)
    origin, slope = vector_at(vertices, 0), dot(up, normal)
    inverse = ONE / slope if slope > ZERO else ZERO
    m = rotation_to_z(up)
    rotate_rows(m, vertices, count)
    for point in (first, end):
        height = dot(up, sub(point, origin)) * inverse
        if within >= height:
            foot = sub(point, scaled(normal, height))
            projected = by_matrix(m, foot)
            if contains(vertices, count, ZERO, projected[0], projected[1]):
                add_point(points, to_frame(frame, point), foot, normal, height)


@scalar_code
def ends_over_hull(hull: Hull, inverse: Vec3, frame: Frame, first: Vec3, end: Vec3, normal: Vec3,
                   within: Scalar, points: Points) -> None:
    """Add the ends of the axis whose ray against the normal hits the hull."""
    # (GuPCMContactGenSphereCapsule.cpp, generatedFaceContacts)
    back = negated(normal)
    for point in (first, end):
        hit, distance = raycast_hull(hull, inverse, point, back)
        if hit and within >= distance:
            add_point(points, to_frame(frame, point), add(scaled(back, distance), point), normal, distance)


@scalar_code
def raycast_hull(hull: Hull, inverse: Vec3, point: Vec3, direction: Vec3) -> tuple[bool, Scalar]:
    """Whether a ray hits a hull, and the distance, 0 from inside; inverse: 1 over the hull's scale."""
    # ray against half spaces: t = -(n . p + d) / (n . v)  (GuPCMContactGenSphereCapsule.cpp, intersectRayPolyhedron)
    start, along = times(point, inverse), times(direction, inverse)
    enters, leaves = ZERO, LARGEST
    for i in range(len(hull.planes)):
        plane = vector_at(hull.planes, i)
        slope, height = dot(plane, along), dot(plane, start) + hull.planes[i, 3]
        if abs(slope) < PARALLEL:
            if height > ZERO:
                return False, ZERO
        else:
            distance = -(height / slope)
            if slope < ZERO:
                enters = max(enters, distance)
            elif leaves > distance:
                leaves = distance
        if enters > leaves:
            return False, ZERO
    return True, enters


@scalar_code
def edges_under_axis(hull: Hull, face: Integer, scale: Vec3, frame: Frame, first: Vec3, end: Vec3, normal: Vec3,
                     within: Scalar, points: Points) -> None:
    """Add the points where the axis crosses edges of a face, in projection along the normal."""
    # (GuPCMContactGenSphereCapsule.cpp, generatedContactsEEContacts)
    vertices = np.empty((hull.spans[face, 1], 3), np.float32)
    count = write_face_vertices(hull, face, scale, vertices)
    for i in range(count):
        a, b = vector_at(vertices, i), vector_at(vertices, i - 1 if i > 0 else count - 1)
        crossed, point, foot, height = _edge_crossing(first, end, normal, a, b)
        if crossed and within >= height:
            add_point(points, to_frame(frame, point), foot, normal, height)


@scalar_code
def _edge_crossing(first: Vec3, end: Vec3, normal: Vec3, a: Vec3, b: Vec3) -> tuple[bool, Vec3, Vec3, Scalar]:
    """Whether an axis and an edge cross, the point on the axis, that on the edge, and the gap along the normal."""
    # axis at the plane through the edge along n: t = (level - low) / (e x n . axis)
    edge, axis = sub(b, a), sub(end, first)
    edge_normal = cross(edge, normal)
    level, low, high = dot(edge_normal, a), dot(edge_normal, first), dot(edge_normal, end)
    steep = dot(edge_normal, axis)
    if (low - level) * (high - level) > ZERO or steep == ZERO:
        return False, a, a, ZERO
    point = add(scaled(axis, (level - low) / steep), first)
    # s on the edge by the plane through the axis, 0.5 % beyond its ends allowed
    axis_normal, offset = cross(normal, axis), sub(point, a)
    fraction = dot(axis_normal, offset) / dot(axis_normal, edge)
    if fraction > ONE + BEYOND or fraction < -BEYOND:
        return False, a, a, ZERO
    gap = sub(offset, scaled(edge, fraction))
    return True, point, sub(point, gap), dot(gap, normal)


FAR = np.float32(1e20)
AT_START, AT_END, AT_SUM = np.float32(1e-6), np.float32(0.999999), np.float32(0.9999)


@scalar_code
def is_inside(v: Scalar, w: Scalar) -> bool:
    """Whether barycentric coordinates of the second and third corner are inside a triangle."""
    # 0 <= v, 0 <= w, v + w <= 1, within eps
    upper = ONE + EPSILON
    return bool(v >= -EPSILON and upper >= v and w >= -EPSILON and upper >= w and upper > v + w)


@scalar_code
def segment_triangle(p: Vec3, q: Vec3, a: Vec3, b: Vec3, c: Vec3) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """The squared distance of a segment and a triangle, the fraction along the segment, barycentrics of b and c."""
    # axis through the triangle: 0; both feet inside: the nearer end; otherwise the nearest edge
    # (GuPCMContactCapsuleMesh.cpp, pcmDistanceSegmentTriangleSquared)
    pq, ab, ac, bc, ap, aq = sub(q, p), sub(b, a), sub(c, a), sub(c, b), sub(p, a), sub(q, a)
    n = unit(cross(ab, ac))
    d00, d01, d11, height_p, height_q = dot(ab, ab), dot(ab, ac), dot(ac, ac), dot(ap, n), dot(aq, n)
    spanned = d00 * d11 - d01 * d01
    inverse = ONE / spanned if spanned > ZERO else ZERO
    # ends on both sides of the plane: t = -n . (p - a) / (n . d)
    if height_p * height_q < ZERO:
        t = -dot(n, ap) * (ONE / dot(n, pq))
        v, w = _barycentric(sub(add(scaled(pq, t), p), a), ab, ac, d00, d01, d11, inverse)
        if is_inside(v, w):
            return ZERO, t, v, w
    # feet of both ends in the plane
    square_p, square_q = height_p * height_p, height_q * height_q
    v0, w0 = _barycentric(sub(sub(p, scaled(n, height_p)), a), ab, ac, d00, d01, d11, inverse)
    v1, w1 = _barycentric(sub(sub(q, scaled(n, height_q)), a), ab, ac, d00, d01, d11, inverse)
    over_p, over_q = is_inside(v0, w0), is_inside(v1, w1)
    if over_p and over_q:
        return (square_p, ZERO, v0, w0) if square_q > square_p else (square_q, ONE, v1, w1)
    square, t, v, w = _closest_edge(p, pq, a, ab, b, bc, ac)
    if over_p:
        return (square_p, ZERO, v0, w0) if square > square_p else (square, t, v, w)
    if over_q:
        return (square_q, ONE, v1, w1) if square > square_q else (square, t, v, w)
    return square, t, v, w


@scalar_code
def _barycentric(off: Vec3, ab: Vec3, ac: Vec3, d00: Scalar, d01: Scalar, d11: Scalar,
                 inverse: Scalar) -> tuple[Scalar, Scalar]:
    # v = (d11 d20 - d01 d21) / (d00 d11 - d01^2), w alike
    d20, d21 = dot(off, ab), dot(off, ac)
    return (d11 * d20 - d01 * d21) * inverse, (d00 * d21 - d01 * d20) * inverse


@scalar_code
def _closest_edge(p: Vec3, pq: Vec3, a: Vec3, ab: Vec3, b: Vec3, bc: Vec3,
                  ac: Vec3) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    # (GuPCMContactCapsuleMesh.cpp, pcmDistanceSegmentSegmentSquared4)
    square0, t0, s0 = _segment_segment_distance(p, pq, a, ab)
    square1, t1, s1 = _segment_segment_distance(p, pq, b, bc)
    square2, t2, s2 = _segment_segment_distance(p, pq, a, ac)
    if square1 > square0 and square2 > square0:
        return square0, t0, s0, ZERO
    if square2 > square1:
        return square1, t1, ONE - s1, s1
    return square2, t2, ZERO, s2


@scalar_code
def _dot4(a: Vec3, b: Vec3) -> Scalar:
    """A dot product in the order of sums of four segments at once."""
    return a[2] * b[2] + (a[0] * b[0] + a[1] * b[1])


@scalar_code
def _segment_segment_distance(p: Vec3, along: Vec3, start: Vec3, other: Vec3) -> tuple[Scalar, Scalar, Scalar]:
    """The squared distance of two segments, and the fractions along both."""
    # s = (b f - c e) / (a e - b^2), t = (b s + f) / e, s again for the clamped t
    r = sub(p, start)
    a, e, b, c, f = dot(along, along), _dot4(other, other), _dot4(along, other), _dot4(along, r), _dot4(other, r)
    spanned = a * e - b * b
    s = clamped(ONE if spanned == ZERO else (b * f - c * e) / spanned, ZERO, ONE)
    if spanned <= EPSILON:
        s = HALF
    t = clamped(ONE if e == ZERO else (b * s + f) * (ONE / e), ZERO, ONE)
    s = clamped(ONE if a == ZERO else (b * t - c) * (ONE / a), ZERO, ONE)
    offset = sub(add(scaled(along, s), p), add(scaled(other, t), start))
    return offset[0] * offset[0] + (offset[1] * offset[1] + offset[2] * offset[2]), s, t


@scalar_code
def uses_face_normal(u: Scalar, v: Scalar, flags: Integer) -> bool:
    """Whether the closest point, with barycentrics u, v of corners 1, 2, is on no active edge: face normal."""
    # Voronoi region of (u, v): a corner asks for both of its edges  (GuPCMContactCapsuleMesh.cpp, selectNormal)
    edges = 0
    if u < AT_START:
        edges = EDGE_01 | EDGE_20 if v < AT_START else EDGE_12 | EDGE_20 if v > AT_END else EDGE_20
    elif u > AT_END:
        if not v < AT_START:
            return False
        edges = EDGE_01 | EDGE_12
    elif v < AT_START:
        edges = EDGE_01
    elif u + v >= AT_SUM:
        edges = EDGE_12
    return bool(flags & edges == 0)


@scalar_code
def points_over_triangle(buffer: Record, p: Vec3, q: Vec3, a: Vec3, b: Vec3, c: Vec3, face: Vec3,
                         normal: Vec3, contact_distance: Scalar) -> None:
    """Add the ends of a segment over a triangle along a normal, and otherwise its crossings with the edges."""
    # height = n_face . (p - a) / (n_face . n), foot = p - height n
    # (GuPCMContactCapsuleMesh.cpp, generateContacts)
    ab, ac, first = sub(b, a), sub(c, a), buffer.contacts
    d00, d01, d11 = dot(ab, ab), dot(ab, ac), dot(ac, ac)
    spanned, slope = d00 * d11 - d01 * d01, dot(face, normal)
    inverse = ONE / spanned if spanned > ZERO else FAR
    for end in (p, q):
        height = -(dot(face, negated(sub(end, a))) / slope) if slope > ZERO else FAR
        foot = sub(end, scaled(normal, height))
        v, w = _barycentric(sub(foot, a), ab, ac, d00, d01, d11, inverse)
        if is_inside(v, w) and contact_distance > height:
            add_contact(buffer, end, foot, normal, height)
    # edges only while there are less than two contacts  (GuPCMContactCapsuleMesh.cpp, generateEEContacts)
    for start, along in ((a, ab), (b, sub(c, b)), (a, ac)):
        if buffer.contacts - first < 2:
            _add_edge_crossing(buffer, p, q, start, along, normal, contact_distance * contact_distance)


@scalar_code
def _add_edge_crossing(buffer: Record, p: Vec3, q: Vec3, a: Vec3, ab: Vec3, normal: Vec3, limit: Scalar) -> None:
    """Add the crossing of a segment and an edge, in projection along the normal; limit: squared distance."""
    # crossing of axis and edge, seen along n  (GuPCMContactCapsuleMesh.cpp, generateEE)
    n = cross(ab, normal)
    d, at_p, at_q = dot(n, a), dot(n, p), dot(n, q)
    pq = sub(q, p)
    slope = dot(n, pq)
    if (at_p - d) * (at_q - d) > ZERO or slope == ZERO:
        return
    point = add(scaled(pq, (d - at_p) / slope), p)
    segment_normal, off = cross(normal, pq), sub(point, a)
    fraction = dot(segment_normal, off) / dot(segment_normal, ab)
    if not (fraction <= ONE and fraction >= ZERO):
        return
    offset = sub(off, scaled(ab, fraction))
    if limit > dot(offset, offset):
        add_contact(buffer, point, sub(point, offset), normal, dot(offset, normal))
