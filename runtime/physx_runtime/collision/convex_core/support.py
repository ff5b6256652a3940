"""Support points and support faces of convex cores (PhysX PxConvexCoreGeometry, GuConvexSupport).

A core is (kind, size, margin, pose, vertices): a point, segment, box, cylinder, cone or hull, by the kind of its
shape. Cylinders and cones have radius and half height in `size` and their axis along x, with the tip of a cone at +x.
A hull has `vertices`, scaled by `size`. `core_of` builds a core, `support_point` finds its farthest point, and
`support_face` its face or edge in a direction.
"""

from __future__ import annotations

import math

import numpy as np

from physx_runtime.arrays import Array, Condition, Integer, Pose, Scalar, Vec3
from physx_runtime.collision.scalar_math import (
    axis_angle,
    dot,
    length,
    rotated,
    rotated_back,
    sign,
    times_reciprocal,
    transform,
    transform_inv,
    unit,
)
from physx_runtime.collision.shapes import BOX, CAPSULE, CONE, CONVEX, CYLINDER, SPHERE
from physx_runtime.collision.simd_math import (
    EPSILON,
    LARGEST,
    ONE,
    TWO,
    ZERO,
    add,
    cross,
    negated,
    scaled,
    set_vector,
    sub,
    times,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

FACE_COSINE = np.float32(0.99)
IN_FACE = np.float32(1e-4)          # of the face's height, for a vertex to belong to the face
ZERO_VECTOR = (ZERO, ZERO, ZERO)


@scalar_code
def farthest_vertex(vertices: Array, scale: Vec3, direction: Vec3) -> Vec3:
    """The first of the scaled vertices that is farthest along a direction."""
    # s(d) = S argmax_i (S d) . v_i  (GuConvexSupport.h, supportLocal)
    scaled_direction = times(scale, direction)
    if len(vertices) == 0 or length(scaled_direction) < EPSILON:
        return ZERO_VECTOR
    best, max_height = 0, -LARGEST
    for i in range(len(vertices)):
        height = dot(scaled_direction, vector_at(vertices, i))
        if height > max_height:
            best, max_height = i, height
    return times(scale, vector_at(vertices, best))


@scalar_code
def hull_face(vertices: Array, scale: Vec3, direction: Vec3, points: Array) -> tuple[Integer, Vec3]:
    """Fill in up to four vertices of the face or edge in a direction; return their number, 0 for a single vertex."""
    # face: spanned by the three vertices farthest along d  (GuConvexSupport.h, contactFace)
    a, b, c = _farthest_three(vertices, scale, direction)
    if b < 0:
        return 0, ZERO_VECTOR
    first = times(scale, vector_at(vertices, a))
    edge0 = sub(times(scale, vector_at(vertices, b)), first)
    edge1 = sub(times(scale, vector_at(vertices, c)), first) if c >= 0 else ZERO_VECTOR
    has_face, normal = _face_normal(direction, edge0, edge1, c >= 0)
    if not has_face:
        return 0, ZERO_VECTOR
    height, count = dot(normal, first), 0
    candidates, selected = np.empty((5, 3), np.float32), np.empty(4, np.int64)
    for i in range(len(vertices)):
        vertex = times(scale, vector_at(vertices, i))
        # vertices within 1e-4 of the face plane, reduced to four
        if not abs(dot(normal, vertex) - height) < IN_FACE:
            continue
        set_vector(candidates, 0, vertex)
        for k in range(count):
            set_vector(candidates, k + 1, vector_at(points, k))
        for k in range(1, count + 1):
            if dot(vector_at(candidates, 0), direction) < dot(vector_at(candidates, k), direction):
                first, other = vector_at(candidates, 0), vector_at(candidates, k)
                set_vector(candidates, 0, other)
                set_vector(candidates, k, first)
        count = widest_four(candidates, count + 1, direction, selected)
        for k in range(count):
            set_vector(points, k, vector_at(candidates, selected[k]))
    return (count if count > 1 else 0), normal


@scalar_code
def _farthest_three(vertices: Array, scale: Vec3, direction: Vec3) -> tuple[Integer, Integer, Integer]:
    best, max_heights = np.full(3, -1, np.int64), np.full(3, -LARGEST, np.float32)
    for i in range(len(vertices)):
        height, index = dot(direction, times(scale, vector_at(vertices, i))), i
        for k in range(3):
            if height > max_heights[k]:
                max_heights[k], height = height, max_heights[k]
                best[k], index = index, best[k]
    return best[0], best[1], best[2]


@scalar_code
def _face_normal(direction: Vec3, first: Vec3, second: Vec3, spanned: Condition) -> tuple[bool, Vec3]:
    """The normal in the direction: of the face of two edges, or of a face through one edge."""
    if not spanned:
        # edge: n = (d x e) x e, the normal of the edge closest to d; it counts within 8 degrees
        normal = unit(cross(cross(direction, first), first))
        return bool(dot(direction, normal) > FACE_COSINE), normal
    normal = unit(cross(first, second))
    cosine = dot(direction, normal)
    if cosine > FACE_COSINE:
        return True, normal
    if cosine < -FACE_COSINE:
        return True, negated(normal)
    normal = unit(cross(cross(first, direction), first))
    if dot(direction, normal) > FACE_COSINE:
        return True, normal
    normal = unit(cross(cross(second, direction), second))
    return bool(dot(direction, normal) > FACE_COSINE), normal


@scalar_code
def widest_four(points: Array, count: Integer, normal: Vec3, selected: Array) -> Integer:
    """Select up to four points that span the largest area, the first one included; return their number."""
    # first, the farthest from it, and both extremes across that line  (GuConvexSupport.h, reducePolygon)
    selected[0], other, max_square = 0, 0, -LARGEST
    first = vector_at(points, 0)
    for i in range(count):
        offset = sub(vector_at(points, i), first)
        square = dot(offset, offset)
        if square > max_square + EPSILON:
            other, max_square = i, square
    if other == 0:
        return 1
    selected[1] = other
    perpendicular = cross(normal, sub(vector_at(points, other), first))
    low, high, lowest, highest = -1, -1, ZERO, ZERO
    for i in range(count):
        off = dot(perpendicular, sub(vector_at(points, i), first))
        if off < lowest - EPSILON:
            low, lowest = i, off
        if off > highest + EPSILON:
            high, highest = i, off
    selected_count = 2
    for i in (low, high):
        if i > 0 and i != other:
            selected[selected_count] = i
            selected_count += 1
    return selected_count


ConvexCore = tuple[Integer, Vec3, Scalar, Pose, Array]

PARALLEL_COSINE, PERPENDICULAR_COSINE = np.float32(0.99), np.float32(0.14)     # cosines of some 8 and of 90 - 8 degrees
AXIS_TOLERANCE = np.float32(1e-5)                                # of a unit direction: less across the axis is none
MAX_FACE_POINTS = 4


@scalar_code
def core_of(kind: Integer, size: Vec3, pose: Pose, vertices: Array) -> ConvexCore:
    """The core of a shape; vertices: of a hull, whose scale is its size."""
    # margin: sphere and capsule have their radius, others none  (GuConvexGeometry.cpp, makeConvexShape)
    if kind == SPHERE:
        return kind, ZERO_VECTOR, size[0], pose, vertices
    if kind == CAPSULE:
        return kind, (ZERO, size[1], ZERO), size[0], pose, vertices
    return kind, size, ZERO, pose, vertices


@scalar_code
def local_support(core: ConvexCore, direction: Vec3) -> Vec3:
    """The core's own point farthest along a direction, both in its frame; without the margin."""
    kind, size = core[0], core[1]
    # s(d) of point, segment, box, hull  (GuConvexSupport.h, supportLocal)
    if kind == SPHERE:
        return ZERO_VECTOR
    if kind == CAPSULE:
        return sign(direction[0]) * size[1], ZERO, ZERO
    if kind == BOX:
        return sign(direction[0]) * size[0], sign(direction[1]) * size[1], sign(direction[2]) * size[2]
    if kind == CONVEX:
        return farthest_vertex(core[4], size, direction)
    # cylinder: [+-h, r d_yz / |d_yz|]; cone: tip where d_x > sin(alpha), otherwise the rim of its base
    d = unit(direction)
    x = sign(d[0]) * size[1]
    if kind == CONE:
        if d[0] > _sine_of_tip(size):
            return size[1], ZERO, ZERO
        x = -size[1]
    if abs(d[1]) < AXIS_TOLERANCE and abs(d[2]) < AXIS_TOLERANCE:
        return x, size[0], ZERO
    return add((x, ZERO, ZERO), scaled(unit((ZERO, d[1], d[2])), size[0]))


@scalar_code
def _sine_of_tip(size: Vec3) -> Scalar:
    """The sine of half the angle at a cone's tip."""
    # sin(alpha) = r / sqrt((2 h)^2 + r^2)
    height = size[1] * TWO
    return size[0] / math.sqrt(height * height + size[0] * size[0])


@scalar_code
def support_point(core: ConvexCore, direction: Vec3) -> Vec3:
    """The shape's point farthest along a direction, in the world, with its margin."""
    # s_world(d) = T s(R^T d) + margin d
    point = transform(core[3], local_support(core, rotated_back(core[3][1], direction)))
    return add(point, scaled(direction, core[2]))


@scalar_code
def support_face(core: ConvexCore, direction: Vec3, reference: Vec3, points: Array) -> tuple[Integer, Vec3]:
    """Fill in up to four points of the face or edge of a shape in a direction; return their number and its normal.

    reference: the world point that the first rim point of a round face is turned to.
    """
    # face of the core, moved by the margin along its normal  (GuConvexSupport.h, contactFace)
    pose = core[3]
    for i in range(MAX_FACE_POINTS):
        set_vector(points, i, ZERO_VECTOR)
    count, local = _local_face(core, rotated_back(pose[1], direction), transform_inv(pose, reference), points)
    normal = rotated(pose[1], local)
    for i in range(count):
        set_vector(points, i, add(transform(pose, vector_at(points, i)), scaled(normal, core[2])))
    return count, normal


@scalar_code
def _local_face(core: ConvexCore, direction: Vec3, reference: Vec3, points: Array) -> tuple[Integer, Vec3]:
    """The same in the frame of the core, without its margin."""
    kind, size = core[0], core[1]
    if kind == SPHERE:
        return 0, ZERO_VECTOR
    if kind == CONVEX:
        return hull_face(core[4], size, direction, points)
    d = unit(direction)
    # segment: an edge where d is within 8 degrees across it
    if kind == CAPSULE:
        if not abs(d[0]) < PERPENDICULAR_COSINE:
            return 0, ZERO_VECTOR
        set_vector(points, 0, (size[1], ZERO, ZERO))
        set_vector(points, 1, (-size[1], ZERO, ZERO))
        return 2, unit((ZERO, d[1], d[2]))
    if kind == BOX:
        return _box_face(size, d, points)
    if kind == CYLINDER:
        return _cylinder_face(size, d, reference, points)
    return _cone_face(size, d, reference, points)


@scalar_code
def _box_face(half: Vec3, d: Vec3, points: Array) -> tuple[Integer, Vec3]:
    # box: a face within 8 degrees along an axis, an edge within 8 degrees across one
    for axis in range(3):
        b, c = (axis + 1) % 3, (axis + 2) % 3
        if abs(d[axis]) > PARALLEL_COSINE and (half[b] * TWO > EPSILON or half[c] * TWO > EPSILON):
            for i in range(4):
                points[i, axis] = sign(d[axis]) * half[axis]
                points[i, b] = -half[b] if i in (1, 2) else half[b]
                points[i, c] = -half[c] if i > 1 else half[c]
            sense = sign(d[axis])
            return 4, (sense if axis == 0 else ZERO, sense if axis == 1 else ZERO, sense if axis == 2 else ZERO)
        if (abs(d[axis]) < PERPENDICULAR_COSINE and half[axis] * TWO > EPSILON
                and (abs(d[b]) < PARALLEL_COSINE or half[c] * TWO < EPSILON)
                and (abs(d[c]) < PARALLEL_COSINE or half[b] * TWO < EPSILON)):
            for i in range(2):
                points[i, axis] = half[axis] if i == 0 else -half[axis]
                points[i, b], points[i, c] = sign(d[b]) * half[b], sign(d[c]) * half[c]
            normal = (ZERO if axis == 0 else d[0], ZERO if axis == 1 else d[1], ZERO if axis == 2 else d[2])
            return 2, times_reciprocal(normal, length(normal))
    return 0, ZERO_VECTOR


@scalar_code
def _cylinder_face(size: Vec3, d: Vec3, reference: Vec3, points: Array) -> tuple[Integer, Vec3]:
    # cylinder: a cap along the axis, an edge across it
    radius, half = size[0], size[1]
    if abs(d[0]) > PARALLEL_COSINE and radius > ZERO:
        return _round_face(sign(d[0]), radius, half, reference, points)
    if abs(d[0]) < PERPENDICULAR_COSINE and half > ZERO:
        perpendicular = unit((ZERO, d[1], d[2]))
        set_vector(points, 0, add((half, ZERO, ZERO), scaled(perpendicular, radius)))
        set_vector(points, 1, add((-half, ZERO, ZERO), scaled(perpendicular, radius)))
        return 2, perpendicular
    return 0, ZERO_VECTOR


@scalar_code
def _cone_face(size: Vec3, d: Vec3, reference: Vec3, points: Array) -> tuple[Integer, Vec3]:
    # cone: the base, or an edge from tip to rim
    radius, half = size[0], size[1]
    height = half * TWO
    if (d[0] < -PARALLEL_COSINE or (d[0] > PARALLEL_COSINE and height < AXIS_TOLERANCE)) and radius > ZERO:
        return _round_face(sign(d[0]), radius, half, reference, points)
    if height > ZERO:
        sine = _sine_of_tip(size)
        # sin of the angle between d and the lateral surface's normal
        off = d[0] * math.sqrt(ONE - sine * sine) - math.sqrt(ONE - d[0] * d[0]) * sine
        if abs(off) < PERPENDICULAR_COSINE:
            perpendicular = unit((ZERO, d[1], d[2]))
            set_vector(points, 0, (half, ZERO, ZERO))
            set_vector(points, 1, add((-half, ZERO, ZERO), scaled(perpendicular, radius)))
            return 2, unit((radius / height, perpendicular[1], perpendicular[2]))
    return 0, ZERO_VECTOR


@scalar_code
def _round_face(sense: Scalar, radius: Scalar, half: Scalar, reference: Vec3, points: Array) -> tuple[Integer, Vec3]:
    """Four points of the rim, the first turned to the reference."""
    center, normal = (sense * half, ZERO, ZERO), (sense, ZERO, ZERO)
    set_vector(points, 0, (center[0], radius, ZERO))
    set_vector(points, 1, (center[0], ZERO, radius))
    set_vector(points, 2, (center[0], -radius, ZERO))
    set_vector(points, 3, (center[0], ZERO, -radius))
    # the rim's four points turn so that the first faces the reference  (GuConvexSupport.h, rotatePoints)
    to_first, off = sub(vector_at(points, 0), center), sub(reference, center)
    to_reference = add(off, scaled(normal, dot(normal, off)))
    lengths = length(to_first), length(to_reference)
    if lengths[0] < EPSILON or lengths[1] < EPSILON:
        return 4, normal
    to_first, to_reference = times_reciprocal(to_first, lengths[0]), times_reciprocal(to_reference, lengths[1])
    axis = cross(to_first, to_reference)
    if length(axis) < EPSILON:
        return 4, normal
    rotation = axis_angle(normal if dot(normal, axis) > ZERO else negated(normal),
                          math.acos(dot(to_first, to_reference)))
    for i in range(4):
        set_vector(points, i, add(rotated(rotation, sub(vector_at(points, i), center)), center))
    return 4, normal
