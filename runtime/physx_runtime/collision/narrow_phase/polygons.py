"""Faces of hulls and boxes: support faces, witness faces and tests of polygons (PhysX GuPCMContactGenUtil).

`incident_face` and `support_edge` find the face or edge in a direction, `witness_face` the face that a point is on.
`rotation_to_z`, `contains` and `area` test polygons in projection along a normal.
"""

from __future__ import annotations

import numpy as np

from physx_runtime.arrays import Array, Integer, Matrix3, Scalar, Vec3
from physx_runtime.collision.pcm.simplex import dot_scalar
from physx_runtime.collision.shapes import Hull, Hulls, no_hull
from physx_runtime.collision.simd_math import (
    EPSILON,
    LARGEST,
    ONE,
    TWO,
    ZERO,
    add,
    by_matrix,
    dot,
    negated,
    scaled,
    set_vector,
    sub,
    times,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

NEARLY_UP = np.float32(0.9999)
MIN_WITNESS_TOLERANCE, MAX_WITNESS_TOLERANCE = np.float32(0.01), np.float32(0.05)    # of the tolerance length
WITNESS_MARGIN = np.float32(0.1)     # of the smallest inner half side of a hull
NO_FACE = -1
BOX_INDICES = np.array([0, 3, 2, 1, 1, 2, 6, 5, 5, 6, 7, 4, 4, 7, 3, 0, 3, 7, 6, 2, 4, 0, 1, 5], np.int32)
BOX_NORMALS = np.array([[0, 0, -1], [1, 0, 0], [0, 0, 1], [-1, 0, 0], [0, 1, 0], [0, -1, 0]], np.float32)
BOX_LOWEST = np.array([4, 0, 0, 1, 0, 2], np.int32)
BOX_VERTICES = np.array([[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1],
                         [-1, 1, 1]], np.float32)


@scalar_code
def box_hull(half: Vec3, hulls: Hulls) -> Hull:
    """A box as a hull, without edges."""
    vertices, planes, spans = np.empty((8, 3), np.float32), np.empty((6, 4), np.float32), np.empty((6, 3), np.int32)
    # half extents as vertices  (GuPCMShapeConvex.cpp, PCMPolygonalBox)
    for i in range(8):
        set_vector(vertices, i, times(vector_at(BOX_VERTICES, i), half))
    for i in range(6):
        normal = vector_at(BOX_NORMALS, i)
        set_vector(planes, i, normal)
        planes[i, 3] = -abs(dot_scalar(normal, half))
        spans[i, 0], spans[i, 1], spans[i, 2] = 4 * i, 4, BOX_LOWEST[i]
    none = no_hull(hulls)
    return Hull(vertices, planes, spans, BOX_INDICES.copy(), none.edges, none.valencies, none.neighbours, none.samples,
                (ZERO, ZERO, ZERO), half, ZERO)


@scalar_code
def face_normal(hull: Hull, face: Integer, inverse: Vec3) -> Vec3:
    """The outward normal of a face of a hull that is scaled; inverse: 1 over its scale."""
    # n = S^-1 n_hull / |S^-1 n_hull|
    return unit(times(vector_at(hull.planes, face), inverse))


@scalar_code
def write_face_vertices(hull: Hull, face: Integer, scale: Vec3, vertices: Array) -> Integer:
    """Write the corners of a face; return their number."""
    first, count = hull.spans[face, 0], hull.spans[face, 1]
    for i in range(count):
        # v = S v_hull
        set_vector(vertices, i, times(vector_at(hull.vertices, hull.corners[first + i]), scale))
    return count


@scalar_code
def incident_face(hull: Hull, scale: Vec3, normal: Vec3) -> Integer:
    """The face most opposed to a direction; where an edge is more opposed, its flatter face."""
    # argmin S n . n_face, or the flatter face of an edge that is more against n
    # (GuPCMContactGenUtil.cpp, getPolygonIndex)
    n = times(normal, scale)
    min_height, face = _lowest_face(hull, n)
    edge = support_edge(hull, negated(n), min_height * min_height)
    return face if edge == NO_FACE else _flatter(hull, edge, n)[0]


@scalar_code
def incident_faces(hull: Hull, scale: Vec3, normal: Vec3) -> tuple[Integer, Integer]:
    """The face most opposed to a direction and its most opposed neighbour; the latter is NO_FACE for a box."""
    n = times(normal, scale)
    min_height, face = _lowest_face(hull, n)
    edge = support_edge(hull, negated(n), min_height * min_height)
    if edge != NO_FACE:
        return _flatter(hull, edge, n)
    # second face: beside an edge with the greatest (n_0 + n_1) . n
    second, best = np.int64(NO_FACE), ZERO
    for i in range(len(hull.edges)):
        face0, face1 = hull.edges[i, 0], hull.edges[i, 1]
        if face in (face0, face1):
            height = dot(add(vector_at(hull.planes, face0), vector_at(hull.planes, face1)), n)
            if height * height >= best:
                best, second = height * height, np.int64(face1 if face0 == face else face0)
    return face, second


@scalar_code
def _lowest_face(hull: Hull, n: Vec3) -> tuple[Scalar, Integer]:
    # argmin n . n_face
    min_height, face = dot(n, vector_at(hull.planes, 0)), 0
    for i in range(1, len(hull.planes)):
        height = dot(n, vector_at(hull.planes, i))
        if min_height > height:
            min_height, face = height, i
    return min_height, face


@scalar_code
def _flatter(hull: Hull, edge: Integer, n: Vec3) -> tuple[Integer, Integer]:
    """Both faces of an edge, the more opposed to a direction first."""
    face0, face1 = np.int64(hull.edges[edge, 0]), np.int64(hull.edges[edge, 1])
    if dot(vector_at(hull.planes, face1), n) > dot(vector_at(hull.planes, face0), n):
        return face0, face1
    return face1, face0


@scalar_code
def support_edge(hull: Hull, direction: Vec3, square: Scalar) -> Integer:
    """The edge most along a direction whose cosine's square is above the given one, or NO_FACE."""
    edge = NO_FACE
    for i in range(len(hull.edges)):
        # cos^2 = (m . d)^2 / m . m, m = n_0 + n_1: no root is taken
        normal = add(vector_at(hull.planes, hull.edges[i, 0]), vector_at(hull.planes, hull.edges[i, 1]))
        size, height = dot(normal, normal), dot(normal, direction)
        if height >= ZERO and height * height > square * size:
            square, edge = height * height / size, i
    return edge


@scalar_code
def witness_face(hull: Hull, inverse: Vec3, normal: Vec3, point: Vec3, margin: Scalar,
                 tolerance_length: Scalar) -> Integer:
    """The face that a point on a hull belongs to; of several within tolerance the one most opposed to the normal."""
    # tolerance in [0.01, 0.05] toleranceLength  (GuPCMContactGenUtil.cpp, getWitnessPolygonIndex)
    tolerance = max(min(margin, tolerance_length * MAX_WITNESS_TOLERANCE), tolerance_length * MIN_WITNESS_TOLERANCE)
    at = times(point, inverse)
    count = len(hull.planes)
    gaps = np.empty(count, np.float32)
    closest, highest, top = 0, -LARGEST, 0
    for i in range(count):
        height = dot_scalar(vector_at(hull.planes, i), at) + hull.planes[i, 3]
        gaps[i] = abs(height) if height >= -tolerance else LARGEST
        if gaps[closest] > gaps[i]:
            closest = i
        if height > highest:
            highest, top = height, i
    if gaps[closest] == LARGEST:
        return top
    # of the faces within the tolerance the one most against the normal
    face, min_cosine = closest, dot(face_normal(hull, closest, inverse), normal)
    for i in range(count):
        if i != closest and tolerance > gaps[i] - gaps[closest]:
            height = dot(face_normal(hull, i, inverse), normal)
            if min_cosine > height:
                face, min_cosine = i, height
    return face


@scalar_code
def rotation_to_z(normal: Vec3) -> Matrix3:
    """The columns of the rotation from a direction to z."""
    # Moeller and Hughes, Efficiently building a matrix to rotate one vector to another, 1999
    # (GuPersistentContactManifold.cpp, findRotationMatrixFromZAxis)
    x, y, z = normal
    if abs(z) < NEARLY_UP:
        vx, vy = -y, x
        h = ONE / (ONE + z)
        hvx = h * vx
        hvxy = hvx * vy
        return (hvx * vx + z, hvxy, vy), (hvxy, h * (vy * vy) + z, -vx), (-vy, vx, z)
    # nearly along z: product of two reflections
    u, v = (ZERO, ONE, -ONE), sub((ZERO, ONE, ZERO), normal)
    c1, c2 = -(TWO / dot(u, u)), -(TWO / dot(v, v))
    c3 = c1 * (c2 * dot(u, v))
    a, b, c = scaled(u, c1), scaled(v, c2), scaled(v, c3)
    col0 = _reflected(u, v, a[0], b[0], c[0])
    col1 = _reflected(u, v, a[1], b[1], c[1])
    col2 = _reflected(u, v, a[2], b[2], c[2])
    return (col0[0] + ONE, col0[1], col0[2]), (col1[0], col1[1] + ONE, col1[2]), (col2[0], col2[1], col2[2] + ONE)


@scalar_code
def _reflected(u: Vec3, v: Vec3, a: Scalar, b: Scalar, c: Scalar) -> Vec3:
    return add(scaled(u, a), add(scaled(v, b), scaled(u, c)))


@scalar_code
def rotate_rows(m: Matrix3, vertices: Array, count: Integer) -> None:
    """Rotate rows of an array in place."""
    for i in range(count):
        set_vector(vertices, i, by_matrix(m, vector_at(vertices, i)))


@scalar_code
def contains(vertices: Array, count: Integer, slack: Scalar, x: Scalar, y: Scalar) -> bool:
    """Whether a point is in a polygon in projection along z; its corners are.

    slack: by which its bounds are enlarged.
    """
    # bounds of the polygon, then crossings of a ray along x  (GuPCMContactGenUtil.cpp, contains)
    low_x, high_x, low_y, high_y = LARGEST, -LARGEST, LARGEST, -LARGEST
    for i in range(count):
        low_x, high_x = min(low_x, vertices[i, 0]), max(high_x, vertices[i, 0])
        low_y, high_y = min(low_y, vertices[i, 1]), max(high_y, vertices[i, 1])
    if low_x - slack > x or x > high_x + slack or low_y - slack > y or y > high_y + slack:
        return False
    # crossings: one is inside, two are outside of a convex polygon
    hits = 0
    for i in range(count):
        j = i - 1 if i > 0 else count - 1
        xi, yi, xj, yj = vertices[i, 0], vertices[i, 1], vertices[j, 0], vertices[j, 1]
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
def area(rows_a: Array, a: Integer, rows_b: Array, b: Integer, rows_c: Array, c: Integer) -> Scalar:
    """Twice the signed area of a triangle in projection along z."""
    # (a - c) x (b - c)
    ca = rows_a[a, 0] - rows_c[c, 0], rows_a[a, 1] - rows_c[c, 1]
    cb = rows_b[b, 0] - rows_c[c, 0], rows_b[b, 1] - rows_c[c, 1]
    return ca[0] * cb[1] - ca[1] * cb[0]
