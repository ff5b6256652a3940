"""A segment and a triangle: how near they are, and the points of the segment that lie over the triangle."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.meshes.edges import EDGE_01, EDGE_12, EDGE_20
from physx_runtime.collision.meshes.manifolds import put_made
from physx_runtime.collision.vectors import (
    EPSILON,
    HALF,
    ONE,
    ZERO,
    Number,
    Vector,
    add,
    clamped,
    cross,
    dot,
    negated,
    scaled,
    sub,
    unit,
)
from physx_runtime.compiling.numba_functions import scalar_code

FAR = np.float32(1e20)
AT_START, AT_END, AT_SUM = np.float32(1e-6), np.float32(0.999999), np.float32(0.9999)


@scalar_code
def inside(v: Number, w: Number) -> bool:
    """Whether shares of the second and third corner are those of a point of a triangle."""
    most = ONE + EPSILON
    return bool(v >= -EPSILON and most >= v and w >= -EPSILON and most >= w and most > v + w)


@scalar_code
def nearest_of_segment(p: Vector, q: Vector, a: Vector, b: Vector, c: Vector) -> tuple[Number, Number, Number, Number]:
    """The square distance of a segment and a triangle, the share along the segment, and those of corners b and c."""
    pq, ab, ac, bc, ap, aq = sub(q, p), sub(b, a), sub(c, a), sub(c, b), sub(p, a), sub(q, a)
    n = unit(cross(ab, ac))
    d00, d01, d11, height_p, height_q = dot(ab, ab), dot(ab, ac), dot(ac, ac), dot(ap, n), dot(aq, n)
    spanned = d00 * d11 - d01 * d01
    inverse = ONE / spanned if spanned > ZERO else ZERO
    if height_p * height_q < ZERO:
        t = -dot(n, ap) * (ONE / dot(n, pq))
        v, w = _shares(sub(add(scaled(pq, t), p), a), ab, ac, d00, d01, d11, inverse)
        if inside(v, w):
            return ZERO, t, v, w
    square_p, square_q = height_p * height_p, height_q * height_q
    v0, w0 = _shares(sub(sub(p, scaled(n, height_p)), a), ab, ac, d00, d01, d11, inverse)
    v1, w1 = _shares(sub(sub(q, scaled(n, height_q)), a), ab, ac, d00, d01, d11, inverse)
    over_p, over_q = inside(v0, w0), inside(v1, w1)
    if over_p and over_q:
        return (square_p, ZERO, v0, w0) if square_q > square_p else (square_q, ONE, v1, w1)
    square, t, v, w = _nearest_edge(p, pq, a, ab, b, bc, ac)
    if over_p:
        return (square_p, ZERO, v0, w0) if square > square_p else (square, t, v, w)
    if over_q:
        return (square_q, ONE, v1, w1) if square > square_q else (square, t, v, w)
    return square, t, v, w


@scalar_code
def _shares(off: Vector, ab: Vector, ac: Vector, d00: Number, d01: Number, d11: Number,
            inverse: Number) -> tuple[Number, Number]:
    d20, d21 = dot(off, ab), dot(off, ac)
    return (d11 * d20 - d01 * d21) * inverse, (d00 * d21 - d01 * d20) * inverse


@scalar_code
def _nearest_edge(p: Vector, pq: Vector, a: Vector, ab: Vector, b: Vector, bc: Vector,
                  ac: Vector) -> tuple[Number, Number, Number, Number]:
    square0, t0, s0 = _of_segments(p, pq, a, ab)
    square1, t1, s1 = _of_segments(p, pq, b, bc)
    square2, t2, s2 = _of_segments(p, pq, a, ac)
    if square1 > square0 and square2 > square0:
        return square0, t0, s0, ZERO
    if square2 > square1:
        return square1, t1, ONE - s1, s1
    return square2, t2, ZERO, s2


@scalar_code
def _sum(a: Vector, b: Vector) -> Number:
    """A dot product in the order of four segments at once."""
    return a[2] * b[2] + (a[0] * b[0] + a[1] * b[1])


@scalar_code
def _of_segments(p: Vector, along: Vector, start: Vector, other: Vector) -> tuple[Number, Number, Number]:
    """The square distance of two segments, and the shares along both."""
    r = sub(p, start)
    a, e, b, c, f = dot(along, along), _sum(other, other), _sum(along, other), _sum(along, r), _sum(other, r)
    spanned = a * e - b * b
    s = clamped(ONE if spanned == ZERO else (b * f - c * e) / spanned, ZERO, ONE)
    if spanned <= EPSILON:
        s = HALF
    t = clamped(ONE if e == ZERO else (b * s + f) * (ONE / e), ZERO, ONE)
    s = clamped(ONE if a == ZERO else (b * t - c) * (ONE / a), ZERO, ONE)
    way = sub(add(scaled(along, s), p), add(scaled(other, t), start))
    return way[0] * way[0] + (way[1] * way[1] + way[2] * way[2]), s, t


@scalar_code
def seen_face_on(u: Number, v: Number, flags: Any) -> bool:
    """Whether the nearest point, of shares u, v of corners 1, 2, has the triangle's normal: of no active edge."""
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
def points_over_triangle(made: Any, p: Vector, q: Vector, a: Vector, b: Vector, c: Vector, face: Vector,
                         normal: Vector, reach: Number) -> None:
    """Add the ends of a segment that lie over a triangle along a normal, else where the segment crosses its edges."""
    ab, ac, first = sub(b, a), sub(c, a), made.contacts
    d00, d01, d11 = dot(ab, ab), dot(ab, ac), dot(ac, ac)
    spanned, slope = d00 * d11 - d01 * d01, dot(face, normal)
    inverse = ONE / spanned if spanned > ZERO else FAR
    for end in (p, q):
        height = -(dot(face, negated(sub(end, a))) / slope) if slope > ZERO else FAR
        foot = sub(end, scaled(normal, height))
        v, w = _shares(sub(foot, a), ab, ac, d00, d01, d11, inverse)
        if inside(v, w) and reach > height:
            put_made(made, end, foot, normal, height)
    for start, along in ((a, ab), (b, sub(c, b)), (a, ac)):
        if made.contacts - first < 2:
            _add_edge_crossing(made, p, q, start, along, normal, reach * reach)


@scalar_code
def _add_edge_crossing(made: Any, p: Vector, q: Vector, a: Vector, ab: Vector, normal: Vector, reach: Number) -> None:
    """Add where a segment crosses an edge, seen along the normal; reach: squared."""
    n = cross(ab, normal)
    d, at_p, at_q = dot(n, a), dot(n, p), dot(n, q)
    pq = sub(q, p)
    across = dot(n, pq)
    if (at_p - d) * (at_q - d) > ZERO or across == ZERO:
        return
    point = add(scaled(pq, (d - at_p) / across), p)
    beside, off = cross(normal, pq), sub(point, a)
    share = dot(beside, off) / dot(beside, ab)
    if not (share <= ONE and share >= ZERO):
        return
    way = sub(off, scaled(ab, share))
    if reach > dot(way, way):
        put_made(made, point, sub(point, way), normal, dot(way, normal))
