"""Which corners of a simplex are nearest to the origin, and what share of each their nearest point is.

Corners are rows of an array; those kept are put in `kept` in the order in which they go on, with their `shares`.
"""

from __future__ import annotations

from typing import Any

from physx_runtime.collision.cores.plain import dot
from physx_runtime.collision.vectors import ONE, ZERO, Number, Vector, cross, negated, scaled, sub, vector_at
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
