"""Closest points of two convex cores (GJK).

Closest points of two cores by GJK, as PhysX's reference implementation finds them.

Which corners of a simplex are nearest to the origin, and what share of each their nearest point is.

Corners are rows of an array; those kept are put in `kept` in the order in which they go on, with their `shares`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.convex_core.support import ConvexCore, farthest
from physx_runtime.collision.scalar_math import dot, length, outward, rotated_back, shared, unit
from physx_runtime.collision.simd_math import (
    EPSILON,
    HALF,
    LARGEST,
    ONE,
    ZERO,
    Number,
    Vector,
    add,
    cross,
    negated,
    put_vector,
    scaled,
    sub,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code


@scalar_code
def _keep_one(kept: Any, shares: Any, a: Any) -> Any:
    kept[0], shares[0] = a, ONE
    return 1


@scalar_code
def _keep_two(kept: Any, shares: Any, a: Any, b: Any, share: Number) -> Any:
    kept[0], kept[1] = a, b
    shares[0], shares[1] = share, ONE - share
    return 2


@scalar_code
def _square(a: Vector) -> Number:
    return dot(a, a)


@scalar_code
def nearest_of_two(corners: Any, kept: Any, shares: Any) -> Any:
    """How many are kept."""
    a, b = vector_at(corners, 0), vector_at(corners, 1)
    along = sub(a, b)
    part = dot(along, negated(b))
    if part <= ZERO:
        return _keep_one(kept, shares, 1)
    return _keep_two(kept, shares, 0, 1, part / _square(along))


@scalar_code
def nearest_of_three(corners: Any, kept: Any, shares: Any) -> Any:
    """How many are kept."""
    a, b, c = vector_at(corners, 0), vector_at(corners, 1), vector_at(corners, 2)
    ca, cb = sub(a, c), sub(b, c)
    part_a, part_b = dot(ca, negated(c)), dot(cb, negated(c))
    if part_a <= ZERO and part_b <= ZERO:
        return _keep_one(kept, shares, 2)
    normal = cross(sub(b, a), sub(c, a))
    inverse = ONE / _square(normal)
    foot = scaled(scaled(normal, dot(normal, a)), inverse)
    beside_ca = dot(normal, cross(sub(c, foot), sub(a, foot)))
    if part_a > ZERO and beside_ca <= ZERO:
        return _keep_two(kept, shares, 0, 2, part_a / _square(ca))
    beside_bc = dot(normal, cross(sub(b, foot), sub(c, foot)))
    if part_b > ZERO and beside_bc <= ZERO:
        return _keep_two(kept, shares, 1, 2, part_b / _square(cb))
    first, second = beside_bc * inverse, beside_ca * inverse
    kept[2], shares[2] = 2, ONE - first - second
    if dot(normal, a) > ZERO:
        kept[0], kept[1], shares[0], shares[1] = 1, 0, second, first
    else:
        kept[0], kept[1], shares[0], shares[1] = 0, 1, first, second
    return 3


@scalar_code
def _side(corners: Any, i: Any, j: Any) -> tuple[Vector, Number, Vector]:
    """Of the side through corners i, j and the last: its normal, one over its square, the foot of the origin."""
    d = vector_at(corners, 3)
    normal = cross(sub(vector_at(corners, i), d), sub(vector_at(corners, j), d))
    inverse = ONE / _square(normal)
    return normal, inverse, scaled(scaled(normal, dot(normal, d)), inverse)


@scalar_code
def _beside(normal: Vector, foot: Vector, start: Vector, end: Vector) -> Number:
    return dot(normal, cross(sub(start, foot), sub(end, foot)))


@scalar_code
def nearest_of_four(corners: Any, kept: Any, shares: Any) -> Any:
    """How many are kept: all four, with no shares, around the origin."""
    a, b, c, d = vector_at(corners, 0), vector_at(corners, 1), vector_at(corners, 2), vector_at(corners, 3)
    da, db, dc, back = sub(a, d), sub(b, d), sub(c, d), negated(d)
    part_a, part_b, part_c = dot(da, back), dot(db, back), dot(dc, back)
    if part_a <= ZERO and part_b <= ZERO and part_c <= ZERO:
        return _keep_one(kept, shares, 3)
    dab, inverse_ab, foot_ab = _side(corners, 0, 1)
    dbc, inverse_bc, foot_bc = _side(corners, 1, 2)
    dca, inverse_ca, foot_ca = _side(corners, 2, 0)
    tda, tad = _beside(dab, foot_ab, d, a), _beside(dca, foot_ca, a, d)
    if part_a > ZERO and tda <= ZERO and tad <= ZERO:
        return _keep_two(kept, shares, 0, 3, part_a / _square(da))
    tdb, tbd = _beside(dbc, foot_bc, d, b), _beside(dab, foot_ab, b, d)
    if part_b > ZERO and tdb <= ZERO and tbd <= ZERO:
        return _keep_two(kept, shares, 1, 3, part_b / _square(db))
    tcd, tdc = _beside(dbc, foot_bc, c, d), _beside(dca, foot_ca, d, c)
    if part_c > ZERO and tdc <= ZERO and tcd <= ZERO:
        return _keep_two(kept, shares, 2, 3, part_c / _square(dc))
    outside = cross(sub(b, a), sub(c, a))
    if tda > ZERO and tbd > ZERO and dot(dab, d) < ZERO and dot(outside, dab) > ZERO:
        return _keep_three(kept, shares, 0, 1, tbd * inverse_ab, tda * inverse_ab)
    if tdb > ZERO and tcd > ZERO and dot(dbc, d) < ZERO and dot(outside, dbc) > ZERO:
        return _keep_three(kept, shares, 1, 2, tcd * inverse_bc, tdb * inverse_bc)
    if tdc > ZERO and tad > ZERO and dot(dca, d) < ZERO and dot(outside, dca) > ZERO:
        first, third = tdc * inverse_ca, tad * inverse_ca
        kept[0], kept[1], kept[2] = 0, 3, 2
        shares[0], shares[1], shares[2] = first, ONE - first - third, third
        return 3
    for i in range(4):
        kept[i], shares[i] = i, ZERO
    return 4


@scalar_code
def _keep_three(kept: Any, shares: Any, a: Any, b: Any, first: Number, second: Number) -> Any:
    kept[0], kept[1], kept[2] = a, b, 3
    shares[0], shares[1], shares[2] = first, second, ONE - first - second
    return 3


HUNDREDTH = np.float32(0.01)
MOST_POINTS = 32            # that are kept of either core
MOST_STEPS = 100


@scalar_code
def accuracy(core: ConvexCore) -> Number:
    """A hundredth of a core's greatest extent: points nearer to each other are one."""
    most = max(max(_extent(core, 0), _extent(core, 1)), _extent(core, 2))
    return max(most * HUNDREDTH, EPSILON)


@scalar_code
def _extent(core: ConvexCore, axis: Any) -> Number:
    along = (ONE if axis == 0 else ZERO, ONE if axis == 1 else ZERO, ONE if axis == 2 else ZERO)
    return farthest(core, along)[axis] - farthest(core, negated(along))[axis]


@scalar_code
def towards(core0: ConvexCore, core1: ConvexCore) -> Vector:
    """The direction from the middle of the bounds of core 0 to that of core 1."""
    way = sub(_middle(core1), _middle(core0))
    size = length(way)
    return (ONE, ZERO, ZERO) if size < EPSILON else shared(way, size)


@scalar_code
def _middle(core: ConvexCore) -> Vector:
    return _middle_of(core, 0), _middle_of(core, 1), _middle_of(core, 2)


@scalar_code
def _middle_of(core: ConvexCore, axis: Any) -> Number:
    q = core[3][1]
    along = _row_of_turn(q, axis)
    high = outward(core[3], farthest(core, along))[axis]
    low = outward(core[3], farthest(core, negated(along)))[axis]
    return (low + high) * HALF


@scalar_code
def _row_of_turn(q: Any, axis: Any) -> Vector:
    """An axis of the world as seen from a turned frame."""
    x, y, z, w = q
    two = ONE + ONE
    w2 = w * two
    if axis == 0:
        x2 = x * two
        return (w * w2) - ONE + x * x2, (-z * w2) + y * x2, (y * w2) + z * x2
    if axis == 1:
        y2 = y * two
        return (z * w2) + x * y2, (w * w2) - ONE + y * y2, (-x * w2) + z * y2
    z2 = z * two
    return (-y * w2) + x * z2, (x * w2) + y * z2, (w * w2) - ONE + z * z2


@scalar_code
def find_point(core: ConvexCore, direction: Vector, known: Any, count: Any, weld: Number) -> tuple[Any, Any]:
    """The place of the farthest point among those known, to which it is added where it is none; and their number."""
    point = outward(core[3], farthest(core, rotated_back(core[3][1], direction)))
    closest, least = 0, LARGEST
    for i in range(count - 1, -1, -1):
        way = sub(vector_at(known, i), point)
        square = dot(way, way)
        if square < weld * weld:
            return i, count
        if least > square:
            closest, least = i, square
    if count == MOST_POINTS:
        return closest, count
    put_vector(known, count, point)
    return count, count + 1


@scalar_code
def closest_points(core0: ConvexCore, core1: ConvexCore, reach: Number) -> tuple[Number, Vector, Vector, Vector]:
    """The distance of two cores, 0 where they overlap; their closest points and the direction from core 1 to 0.

    The distance is LARGEST where it is beyond `reach`.
    """
    known0, known1 = np.empty((MOST_POINTS, 3), np.float32), np.empty((MOST_POINTS, 3), np.float32)
    corners, share, which = np.zeros((4, 3), np.float32), np.zeros(4, np.float32), np.zeros((4, 2), np.int64)
    weld0, weld1 = accuracy(core0), accuracy(core1)
    enough = HUNDREDTH * min(weld0, weld1)
    nowhere = (ZERO, ZERO, ZERO)
    direction = towards(core0, core1)
    a, count0 = find_point(core0, direction, known0, 0, weld0)
    b, count1 = find_point(core1, negated(direction), known1, 0, weld1)
    put_vector(corners, 0, sub(vector_at(known0, a), vector_at(known1, b)))
    which[0, 0], which[0, 1] = a, b
    size, closest, distance = 1, nowhere, np.float32(np.inf)
    for step in range(2, MOST_STEPS + 3):
        closest, size, distance = _nearest(corners, share, which, size, distance, closest)
        if distance < enough:
            return ZERO, nowhere, nowhere, nowhere
        direction = negated(unit(closest))
        ahead = LARGEST
        if step <= MOST_STEPS:
            a, count0 = find_point(core0, direction, known0, count0, weld0)
            b, count1 = find_point(core1, negated(direction), known1, count1, weld1)
            point = sub(vector_at(known0, a), vector_at(known1, b))
            if not _among(which, size, a, b):
                put_vector(corners, size, point)
                which[size, 0], which[size, 1] = a, b
                share[size] = ZERO
                size += 1
                ahead = dot(point, negated(direction))
        if ahead >= distance - enough:
            at0, at1 = nowhere, nowhere
            for i in range(size):
                at0 = add(at0, scaled(vector_at(known0, which[i, 0]), share[i]))
                at1 = add(at1, scaled(vector_at(known1, which[i, 1]), share[i]))
            return distance, at0, at1, negated(direction)
        if ahead > reach:
            return LARGEST, nowhere, nowhere, nowhere
    return LARGEST, nowhere, nowhere, nowhere


@scalar_code
def _among(which: Any, size: Any, a: Any, b: Any) -> bool:
    found = False
    for i in range(size):
        found |= which[i, 0] == a and which[i, 1] == b
    return found


@scalar_code
def _nearest(corners: Any, share: Any, which: Any, size: Any, distance: Number,
             closest: Vector) -> tuple[Vector, Any, Number]:
    """Reduce the simplex to what is nearest to the origin; where that is no nearer, drop its newest corner."""
    kept, shares = np.zeros(4, np.int64), np.zeros(4, np.float32)
    if size == 1:
        count = 1
        shares[0] = ONE
    elif size == 2:
        count = nearest_of_two(corners, kept, shares)
    elif size == 3:
        count = nearest_of_three(corners, kept, shares)
    else:
        count = nearest_of_four(corners, kept, shares)
    found = (ZERO, ZERO, ZERO)
    for i in range(count):
        found = add(found, scaled(vector_at(corners, kept[i]), shares[i]))
    so_far = length(found)
    if not so_far < distance - EPSILON:
        return closest, size - 1, distance
    old, places = corners.copy(), which.copy()
    for i in range(count):
        put_vector(corners, i, vector_at(old, kept[i]))
        which[i, 0], which[i, 1] = places[kept[i], 0], places[kept[i], 1]
        share[i] = shares[i]
    return found, count, so_far
