"""Support points of convex cores (PxConvexCoreGeometry).

The farthest point of a core in a direction, and the points of the face or edge that it turns there.

A core is (kind, size, margin, pose, corners): a point, segment, box, cylinder, cone or hull by the kind of its shape;
cylinders and cones have radius and half height in `size` and their axis along x, a cone its tip there; a hull has
`corners`, and in `size` what scales them.

Hulls as cores: the farthest of their corners, the corners of the face they turn somewhere, four of many points.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physx_runtime.collision.scalar_math import (
    about,
    dot,
    inward,
    length,
    outward,
    rotated,
    rotated_back,
    shared,
    sign,
    unit,
)
from physx_runtime.collision.shapes import BOX, CAPSULE, CONE, CONVEX, CYLINDER, SPHERE
from physx_runtime.collision.simd_math import (
    EPSILON,
    LARGEST,
    ONE,
    TWO,
    ZERO,
    Number,
    Pose,
    Vector,
    add,
    cross,
    negated,
    put_vector,
    scaled,
    sub,
    times,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

FACE_COSINE = np.float32(0.99)
IN_FACE = np.float32(1e-4)          # of the face's height, for a corner to be one of its own
NOWHERE = (ZERO, ZERO, ZERO)


@scalar_code
def farthest_corner(corners: Any, scale: Vector, direction: Vector) -> Vector:
    """The first corner that is farthest along a direction, of corners that are scaled."""
    way = times(scale, direction)
    if len(corners) == 0 or length(way) < EPSILON:
        return NOWHERE
    best, most = 0, -LARGEST
    for i in range(len(corners)):
        along = dot(way, vector_at(corners, i))
        if along > most:
            best, most = i, along
    return times(scale, vector_at(corners, best))


@scalar_code
def corner_face(corners: Any, scale: Vector, direction: Vector, points: Any) -> tuple[Any, Vector]:
    """Fill in up to four corners of the face or edge towards a direction; their number, 0 for a corner alone."""
    a, b, c = _three_farthest(corners, scale, direction)
    if b < 0:
        return 0, NOWHERE
    first = times(scale, vector_at(corners, a))
    edge0 = sub(times(scale, vector_at(corners, b)), first)
    edge1 = sub(times(scale, vector_at(corners, c)), first) if c >= 0 else NOWHERE
    found, normal = _face_normal(direction, edge0, edge1, c >= 0)
    if not found:
        return 0, NOWHERE
    height, count = dot(normal, first), 0
    held, chosen = np.empty((5, 3), np.float32), np.empty(4, np.int64)
    for i in range(len(corners)):
        corner = times(scale, vector_at(corners, i))
        if not abs(dot(normal, corner) - height) < IN_FACE:
            continue
        put_vector(held, 0, corner)
        for k in range(count):
            put_vector(held, k + 1, vector_at(points, k))
        for k in range(1, count + 1):
            if dot(vector_at(held, 0), direction) < dot(vector_at(held, k), direction):
                first, other = vector_at(held, 0), vector_at(held, k)
                put_vector(held, 0, other)
                put_vector(held, k, first)
        count = widest_four(held, count + 1, direction, chosen)
        for k in range(count):
            put_vector(points, k, vector_at(held, chosen[k]))
    return (count if count > 1 else 0), normal


@scalar_code
def _three_farthest(corners: Any, scale: Vector, direction: Vector) -> tuple[Any, Any, Any]:
    best, most = np.full(3, -1, np.int64), np.full(3, -LARGEST, np.float32)
    for i in range(len(corners)):
        along, which = dot(direction, times(scale, vector_at(corners, i))), i
        for k in range(3):
            if along > most[k]:
                most[k], along = along, most[k]
                best[k], which = which, best[k]
    return best[0], best[1], best[2]


@scalar_code
def _face_normal(direction: Vector, first: Vector, second: Vector, spanned: Any) -> tuple[bool, Vector]:
    """The normal of the face of two edges, or of one through an edge, that faces the direction."""
    if not spanned:
        normal = unit(cross(cross(direction, first), first))
        return bool(dot(direction, normal) > FACE_COSINE), normal
    normal = unit(cross(first, second))
    along = dot(direction, normal)
    if along > FACE_COSINE:
        return True, normal
    if along < -FACE_COSINE:
        return True, negated(normal)
    normal = unit(cross(cross(first, direction), first))
    if dot(direction, normal) > FACE_COSINE:
        return True, normal
    normal = unit(cross(cross(second, direction), second))
    return bool(dot(direction, normal) > FACE_COSINE), normal


@scalar_code
def widest_four(points: Any, count: Any, normal: Vector, chosen: Any) -> Any:
    """Choose up to four points that span most, the first and the one farthest from it among them; how many."""
    chosen[0], other, most = 0, 0, -LARGEST
    first = vector_at(points, 0)
    for i in range(count):
        way = sub(vector_at(points, i), first)
        square = dot(way, way)
        if square > most + EPSILON:
            other, most = i, square
    if other == 0:
        return 1
    chosen[1] = other
    across = cross(normal, sub(vector_at(points, other), first))
    low, high, lowest, highest = -1, -1, ZERO, ZERO
    for i in range(count):
        off = dot(across, sub(vector_at(points, i), first))
        if off < lowest - EPSILON:
            low, lowest = i, off
        if off > highest + EPSILON:
            high, highest = i, off
    found = 2
    for i in (low, high):
        if i > 0 and i != other:
            chosen[found] = i
            found += 1
    return found


ConvexCore = tuple[Any, Vector, Number, Pose, Any]

FACING, ACROSS = np.float32(0.99), np.float32(0.14)     # cosines of some 8 and of 90 - 8 degrees
ALONG = np.float32(1e-5)                                # of a unit direction: less across the axis is none
MOST_FACE_POINTS = 4


@scalar_code
def core_of(kind: Any, size: Vector, pose: Pose, corners: Any) -> ConvexCore:
    """The core of a shape; corners: of a hull, whose scale is its size."""
    if kind == SPHERE:
        return kind, NOWHERE, size[0], pose, corners
    if kind == CAPSULE:
        return kind, (ZERO, size[1], ZERO), size[0], pose, corners
    return kind, size, ZERO, pose, corners


@scalar_code
def farthest(core: ConvexCore, direction: Vector) -> Vector:
    """The core's own point farthest along a direction, both in its frame; without the margin."""
    kind, size = core[0], core[1]
    if kind == SPHERE:
        return NOWHERE
    if kind == CAPSULE:
        return sign(direction[0]) * size[1], ZERO, ZERO
    if kind == BOX:
        return sign(direction[0]) * size[0], sign(direction[1]) * size[1], sign(direction[2]) * size[2]
    if kind == CONVEX:
        return farthest_corner(core[4], size, direction)
    d = unit(direction)
    x = sign(d[0]) * size[1]
    if kind == CONE:
        if d[0] > _sine_of_tip(size):
            return size[1], ZERO, ZERO
        x = -size[1]
    if abs(d[1]) < ALONG and abs(d[2]) < ALONG:
        return x, size[0], ZERO
    return add((x, ZERO, ZERO), scaled(unit((ZERO, d[1], d[2])), size[0]))


@scalar_code
def _sine_of_tip(size: Vector) -> Number:
    """Of half the angle at a cone's tip."""
    height = size[1] * TWO
    return size[0] / math.sqrt(height * height + size[0] * size[0])


@scalar_code
def support(core: ConvexCore, direction: Vector) -> Vector:
    """The shape's point farthest along a direction, in the world, with its margin."""
    point = outward(core[3], farthest(core, rotated_back(core[3][1], direction)))
    return add(point, scaled(direction, core[2]))


@scalar_code
def face_towards(core: ConvexCore, direction: Vector, reference: Vector, points: Any) -> tuple[Any, Vector]:
    """Fill in up to four points of the face or edge that a shape turns in a direction; their number, and its normal.

    reference: a point of the world that the first rim point of a round face is turned towards.
    """
    pose = core[3]
    for i in range(MOST_FACE_POINTS):
        put_vector(points, i, NOWHERE)
    count, local = _own_face(core, rotated_back(pose[1], direction), inward(pose, reference), points)
    normal = rotated(pose[1], local)
    for i in range(count):
        put_vector(points, i, add(outward(pose, vector_at(points, i)), scaled(normal, core[2])))
    return count, normal


@scalar_code
def _own_face(core: ConvexCore, direction: Vector, reference: Vector, points: Any) -> tuple[Any, Vector]:
    """The same in the frame of the core and without its margin."""
    kind, size = core[0], core[1]
    if kind == SPHERE:
        return 0, NOWHERE
    if kind == CONVEX:
        return corner_face(core[4], size, direction, points)
    d = unit(direction)
    if kind == CAPSULE:
        if not abs(d[0]) < ACROSS:
            return 0, NOWHERE
        put_vector(points, 0, (size[1], ZERO, ZERO))
        put_vector(points, 1, (-size[1], ZERO, ZERO))
        return 2, unit((ZERO, d[1], d[2]))
    if kind == BOX:
        return _box_face(size, d, points)
    if kind == CYLINDER:
        return _cylinder_face(size, d, reference, points)
    return _cone_face(size, d, reference, points)


@scalar_code
def _box_face(half: Vector, d: Vector, points: Any) -> tuple[Any, Vector]:
    for axis in range(3):
        b, c = (axis + 1) % 3, (axis + 2) % 3
        if abs(d[axis]) > FACING and (half[b] * TWO > EPSILON or half[c] * TWO > EPSILON):
            for i in range(4):
                points[i, axis] = sign(d[axis]) * half[axis]
                points[i, b] = -half[b] if i in (1, 2) else half[b]
                points[i, c] = -half[c] if i > 1 else half[c]
            way = sign(d[axis])
            return 4, (way if axis == 0 else ZERO, way if axis == 1 else ZERO, way if axis == 2 else ZERO)
        if (abs(d[axis]) < ACROSS and half[axis] * TWO > EPSILON
                and (abs(d[b]) < FACING or half[c] * TWO < EPSILON)
                and (abs(d[c]) < FACING or half[b] * TWO < EPSILON)):
            for i in range(2):
                points[i, axis] = half[axis] if i == 0 else -half[axis]
                points[i, b], points[i, c] = sign(d[b]) * half[b], sign(d[c]) * half[c]
            normal = (ZERO if axis == 0 else d[0], ZERO if axis == 1 else d[1], ZERO if axis == 2 else d[2])
            return 2, shared(normal, length(normal))
    return 0, NOWHERE


@scalar_code
def _cylinder_face(size: Vector, d: Vector, reference: Vector, points: Any) -> tuple[Any, Vector]:
    radius, half = size[0], size[1]
    if abs(d[0]) > FACING and radius > ZERO:
        return _round_face(sign(d[0]), radius, half, reference, points)
    if abs(d[0]) < ACROSS and half > ZERO:
        across = unit((ZERO, d[1], d[2]))
        put_vector(points, 0, add((half, ZERO, ZERO), scaled(across, radius)))
        put_vector(points, 1, add((-half, ZERO, ZERO), scaled(across, radius)))
        return 2, across
    return 0, NOWHERE


@scalar_code
def _cone_face(size: Vector, d: Vector, reference: Vector, points: Any) -> tuple[Any, Vector]:
    radius, half = size[0], size[1]
    height = half * TWO
    if (d[0] < -FACING or (d[0] > FACING and height < ALONG)) and radius > ZERO:
        return _round_face(sign(d[0]), radius, half, reference, points)
    if height > ZERO:
        sine = _sine_of_tip(size)
        off = d[0] * math.sqrt(ONE - sine * sine) - math.sqrt(ONE - d[0] * d[0]) * sine
        if abs(off) < ACROSS:
            across = unit((ZERO, d[1], d[2]))
            put_vector(points, 0, (half, ZERO, ZERO))
            put_vector(points, 1, add((-half, ZERO, ZERO), scaled(across, radius)))
            return 2, unit((radius / height, across[1], across[2]))
    return 0, NOWHERE


@scalar_code
def _round_face(way: Number, radius: Number, half: Number, reference: Vector, points: Any) -> tuple[Any, Vector]:
    """Four points of the rim, the first turned towards the reference."""
    center, normal = (way * half, ZERO, ZERO), (way, ZERO, ZERO)
    put_vector(points, 0, (center[0], radius, ZERO))
    put_vector(points, 1, (center[0], ZERO, radius))
    put_vector(points, 2, (center[0], -radius, ZERO))
    put_vector(points, 3, (center[0], ZERO, -radius))
    to_first, off = sub(vector_at(points, 0), center), sub(reference, center)
    to_reference = add(off, scaled(normal, dot(normal, off)))
    lengths = length(to_first), length(to_reference)
    if lengths[0] < EPSILON or lengths[1] < EPSILON:
        return 4, normal
    to_first, to_reference = shared(to_first, lengths[0]), shared(to_reference, lengths[1])
    axis = cross(to_first, to_reference)
    if length(axis) < EPSILON:
        return 4, normal
    turn = about(normal if dot(normal, axis) > ZERO else negated(normal), math.acos(dot(to_first, to_reference)))
    for i in range(4):
        put_vector(points, i, add(rotated(turn, sub(vector_at(points, i), center)), center))
    return 4, normal
