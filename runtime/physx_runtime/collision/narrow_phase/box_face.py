"""What of a face of one box lies over the face of another: corners inside, and edges cut by the borders."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.polygons import contains
from physx_runtime.collision.reciprocal import reciprocal
from physx_runtime.collision.vectors import (
    EPSILON,
    LARGEST,
    ONE,
    ZERO,
    Frame,
    Number,
    Vector,
    absolute,
    add,
    dot,
    negated,
    put_vector,
    scaled,
    sub,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

BORDER = np.float32(1.0001)         # the face is taken this much larger
PARALLEL = np.float32(1e-6)         # an edge's way along an axis below which it runs beside it
MOST = 16                           # points: four corners of either face and two cuts of four edges


@scalar_code
def incident_face(direction: Vector, frame: Frame, half: Vector, corners: Any) -> Vector:
    """Corners of the face of a box most against a direction, in the frame in which the box is given; its normal."""
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
    put_vector(corners, 0, add(centre, s))
    put_vector(corners, 1, add(centre, t))
    put_vector(corners, 2, sub(centre, s))
    put_vector(corners, 3, sub(centre, t))
    return normal


@scalar_code
def points_over_face(ex: Number, ey: Number, corners: Any, face_normal: Vector, reach: Number, on_face: Any,
                     on_other: Any, distances: Any) -> Any:
    """Points of a face with four corners over the face |x| <= ex, |y| <= ey of z = 0: how many.

    Filled in: the points on the face and on the other, and how far the other is above.
    """
    ex, ey, count = ex * BORDER, ey * BORDER, 0
    near, inside = np.zeros(4, np.bool_), np.zeros(4, np.bool_)
    for i in range(4):
        x, y, z = vector_at(corners, i)
        near[i] = reach > -z
        inside[i] = near[i] and ex >= abs(x) and ey >= abs(y)
        if inside[i]:
            count = _put(on_face, on_other, distances, count, (x, y, z))
    if count == 4:
        return count
    for i in range(4):
        x, y = ex if i < 2 else -ex, ey if i & 1 == 0 else -ey
        if contains(corners, 4, ZERO, x, y):
            height = dot(face_normal, sub(vector_at(corners, 0), (x, y, ZERO))) / face_normal[2]
            if reach > -height:
                count = _put(on_face, on_other, distances, count, (x, y, height))
    high, low = (ex, ey, LARGEST), (-ex, -ey, -(reach + EPSILON))
    for i in range(4):
        j = (i + 3) & 3
        if not (near[i] or near[j]) or (inside[i] and inside[j]):
            continue
        start = vector_at(corners, i)
        way = sub(vector_at(corners, j), start)
        cut, enters, leaves = _clipped(start, way, high, low)
        if cut and not inside[i]:
            count = _put(on_face, on_other, distances, count, add(scaled(way, enters), start))
        if cut and not inside[j]:
            count = _put(on_face, on_other, distances, count, add(scaled(way, leaves), start))
    return count


@scalar_code
def _put(on_face: Any, on_other: Any, distances: Any, count: Any, point: Vector) -> Any:
    put_vector(on_face, count, (point[0], point[1], ZERO))
    put_vector(on_other, count, point)
    distances[count] = -point[2]
    return count + 1


@scalar_code
def _clipped(start: Vector, way: Vector, high: Vector, low: Vector) -> Any:
    """Whether a segment enters an upright box, and the shares of its way at which it enters and leaves."""
    enters, leaves = -LARGEST, LARGEST
    steep = absolute(way)
    for k in range(3):
        if steep[k] < PARALLEL:
            if start[k] > high[k] or low[k] > start[k]:
                return False, ZERO, ZERO
            a, b = ZERO, LARGEST
        else:
            inverse = reciprocal(way[k])
            a, b = (low[k] - start[k]) * inverse, (high[k] - start[k]) * inverse
        enters, leaves = max(enters, min(a, b)), min(leaves, max(a, b))
    enters, leaves = max(enters, ZERO), min(leaves, ONE)
    return enters <= leaves and enters <= ONE, enters, leaves
