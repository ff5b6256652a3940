"""The faces of a hull or a box: which one a direction or a point belongs to, and what lies over it."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.pcm.simplex import along
from physx_runtime.collision.shapes import Hull, no_hull
from physx_runtime.collision.simd_math import (
    EPSILON,
    LARGEST,
    ONE,
    TWO,
    ZERO,
    Matrix,
    Number,
    Vector,
    add,
    by_matrix,
    dot,
    negated,
    put_vector,
    scaled,
    sub,
    times,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

NEARLY_UP = np.float32(0.9999)
LEAST_WITNESS, MOST_WITNESS = np.float32(0.01), np.float32(0.05)    # of the tolerance length
WITNESS_MARGIN = np.float32(0.1)     # of the smallest inner half side of a hull
NO_FACE = -1
BOX_CORNERS = np.array([0, 3, 2, 1, 1, 2, 6, 5, 5, 6, 7, 4, 4, 7, 3, 0, 3, 7, 6, 2, 4, 0, 1, 5], np.int32)
BOX_NORMALS = np.array([[0, 0, -1], [1, 0, 0], [0, 0, 1], [-1, 0, 0], [0, 1, 0], [0, -1, 0]], np.float32)
BOX_LOWEST = np.array([4, 0, 0, 1, 0, 2], np.int32)
BOX_VERTICES = np.array([[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1],
                         [-1, 1, 1]], np.float32)


@scalar_code
def box_hull(half: Vector, hulls: Any) -> Hull:
    """A box as a hull; its edges are nobody's business."""
    vertices, planes, spans = np.empty((8, 3), np.float32), np.empty((6, 4), np.float32), np.empty((6, 3), np.int32)
    for i in range(8):
        put_vector(vertices, i, times(vector_at(BOX_VERTICES, i), half))
    for i in range(6):
        normal = vector_at(BOX_NORMALS, i)
        put_vector(planes, i, normal)
        planes[i, 3] = -abs(along(normal, half))
        spans[i, 0], spans[i, 1], spans[i, 2] = 4 * i, 4, BOX_LOWEST[i]
    none = no_hull(hulls)
    return Hull(vertices, planes, spans, BOX_CORNERS.copy(), none.edges, none.valencies, none.neighbours, none.samples,
                (ZERO, ZERO, ZERO), half, ZERO)


@scalar_code
def face_normal(hull: Hull, face: Any, inverse: Vector) -> Vector:
    """The outward normal of a face of a hull that is scaled; inverse: 1 over its scale."""
    return unit(times(vector_at(hull.planes, face), inverse))


@scalar_code
def put_corners_of(hull: Hull, face: Any, scale: Vector, corners: Any) -> Any:
    """Write the corners of a face: how many."""
    first, count = hull.spans[face, 0], hull.spans[face, 1]
    for i in range(count):
        put_vector(corners, i, times(vector_at(hull.vertices, hull.corners[first + i]), scale))
    return count


@scalar_code
def opposed_face(hull: Hull, scale: Vector, normal: Vector) -> Any:
    """The face most against a direction; where an edge is more so, the flatter of the faces beside it."""
    n = times(normal, scale)
    least, found = _lowest_face(hull, n)
    edge = edge_along(hull, negated(n), least * least)
    return found if edge == NO_FACE else _flatter(hull, edge, n)[0]


@scalar_code
def opposed_faces(hull: Hull, scale: Vector, normal: Vector) -> tuple[Any, Any]:
    """The face most against a direction and the one beside it that is next; NO_FACE for that of a box."""
    n = times(normal, scale)
    least, found = _lowest_face(hull, n)
    edge = edge_along(hull, negated(n), least * least)
    if edge != NO_FACE:
        return _flatter(hull, edge, n)
    beside, best = np.int64(NO_FACE), ZERO
    for i in range(len(hull.edges)):
        face0, face1 = hull.edges[i, 0], hull.edges[i, 1]
        if found in (face0, face1):
            height = dot(add(vector_at(hull.planes, face0), vector_at(hull.planes, face1)), n)
            if height * height >= best:
                best, beside = height * height, np.int64(face1 if face0 == found else face0)
    return found, beside


@scalar_code
def _lowest_face(hull: Hull, n: Vector) -> tuple[Number, Any]:
    least, found = dot(n, vector_at(hull.planes, 0)), 0
    for i in range(1, len(hull.planes)):
        height = dot(n, vector_at(hull.planes, i))
        if least > height:
            least, found = height, i
    return least, found


@scalar_code
def _flatter(hull: Hull, edge: Any, n: Vector) -> tuple[Any, Any]:
    """Both faces of an edge, the one more against a direction first."""
    face0, face1 = np.int64(hull.edges[edge, 0]), np.int64(hull.edges[edge, 1])
    if dot(vector_at(hull.planes, face1), n) > dot(vector_at(hull.planes, face0), n):
        return face0, face1
    return face1, face0


@scalar_code
def edge_along(hull: Hull, direction: Vector, square: Number) -> Any:
    """The edge most along a direction whose cosine's square is above the given one, or NO_FACE."""
    found = NO_FACE
    for i in range(len(hull.edges)):
        normal = add(vector_at(hull.planes, hull.edges[i, 0]), vector_at(hull.planes, hull.edges[i, 1]))
        size, height = dot(normal, normal), dot(normal, direction)
        if height >= ZERO and height * height > square * size:
            square, found = height * height / size, i
    return found


@scalar_code
def witness_face(hull: Hull, inverse: Vector, normal: Vector, point: Vector, margin: Number,
                 tolerance_length: Number) -> Any:
    """The face that a point on a hull belongs to; of several that are near, the one most against a direction."""
    tolerance = max(min(margin, tolerance_length * MOST_WITNESS), tolerance_length * LEAST_WITNESS)
    at = times(point, inverse)
    count = len(hull.planes)
    gaps = np.empty(count, np.float32)
    nearest, highest, top = 0, -LARGEST, 0
    for i in range(count):
        height = along(vector_at(hull.planes, i), at) + hull.planes[i, 3]
        gaps[i] = abs(height) if height >= -tolerance else LARGEST
        if gaps[nearest] > gaps[i]:
            nearest = i
        if height > highest:
            highest, top = height, i
    if gaps[nearest] == LARGEST:
        return top
    found, least = nearest, dot(face_normal(hull, nearest, inverse), normal)
    for i in range(count):
        if i != nearest and tolerance > gaps[i] - gaps[nearest]:
            height = dot(face_normal(hull, i, inverse), normal)
            if least > height:
                found, least = i, height
    return found


@scalar_code
def turned_up(normal: Vector) -> Matrix:
    """The columns of a rotation that turns a direction to z."""
    x, y, z = normal
    if abs(z) < NEARLY_UP:
        vx, vy = -y, x
        h = ONE / (ONE + z)
        hvx = h * vx
        hvxy = hvx * vy
        return (hvx * vx + z, hvxy, vy), (hvxy, h * (vy * vy) + z, -vx), (-vy, vx, z)
    u, v = (ZERO, ONE, -ONE), sub((ZERO, ONE, ZERO), normal)
    c1, c2 = -(TWO / dot(u, u)), -(TWO / dot(v, v))
    c3 = c1 * (c2 * dot(u, v))
    a, b, c = scaled(u, c1), scaled(v, c2), scaled(v, c3)
    col0 = _reflected(u, v, a[0], b[0], c[0])
    col1 = _reflected(u, v, a[1], b[1], c[1])
    col2 = _reflected(u, v, a[2], b[2], c[2])
    return (col0[0] + ONE, col0[1], col0[2]), (col1[0], col1[1] + ONE, col1[2]), (col2[0], col2[1], col2[2] + ONE)


@scalar_code
def _reflected(u: Vector, v: Vector, a: Number, b: Number, c: Number) -> Vector:
    return add(scaled(u, a), add(scaled(v, b), scaled(u, c)))


@scalar_code
def turn(m: Matrix, corners: Any, count: Any) -> None:
    """Turn rows of an array in place."""
    for i in range(count):
        put_vector(corners, i, by_matrix(m, vector_at(corners, i)))


@scalar_code
def contains(corners: Any, count: Any, slack: Number, x: Number, y: Number) -> bool:
    """Whether a point lies in a polygon as seen along z; points on its corners do.

    slack: how much larger its bounds are taken.
    """
    low_x, high_x, low_y, high_y = LARGEST, -LARGEST, LARGEST, -LARGEST
    for i in range(count):
        low_x, high_x = min(low_x, corners[i, 0]), max(high_x, corners[i, 0])
        low_y, high_y = min(low_y, corners[i, 1]), max(high_y, corners[i, 1])
    if low_x - slack > x or x > high_x + slack or low_y - slack > y or y > high_y + slack:
        return False
    hits = 0
    for i in range(count):
        j = i - 1 if i > 0 else count - 1
        xi, yi, xj, yj = corners[i, 0], corners[i, 1], corners[j, 0], corners[j, 1]
        if (x == xj and y == yj) or (x == xi and y == yi):
            return True
        if (yj > y) != (yi > y):
            rise = yi - yj
            a, b = (y - yj) * (xi - xj) + (xj + EPSILON) * rise, x * rise
            if (a >= b) if rise > ZERO else (b >= a):
                if hits == 1:
                    return False
                hits += 1
    return hits > 0


@scalar_code
def area(rows_a: Any, a: Any, rows_b: Any, b: Any, rows_c: Any, c: Any) -> Number:
    """Twice the signed area of a triangle as seen along z."""
    ca = rows_a[a, 0] - rows_c[c, 0], rows_a[a, 1] - rows_c[c, 1]
    cb = rows_b[b, 0] - rows_c[c, 0], rows_b[b, 1] - rows_c[c, 1]
    return ca[0] * cb[1] - ca[1] * cb[0]
