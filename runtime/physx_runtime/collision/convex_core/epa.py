"""Penetration depth of two overlapping convex cores by the expanding polytope algorithm (PhysX GuRefGjkEpa)."""

from __future__ import annotations

import numpy as np

from physx_runtime.arrays import Array, Integer, Record, Records, Scalar, Vec3
from physx_runtime.collision.convex_core.gjk import HUNDREDTH, MAX_POINTS, accuracy, center_direction, find_point
from physx_runtime.collision.convex_core.support import ConvexCore
from physx_runtime.collision.scalar_math import dot, length, tangents, times_reciprocal
from physx_runtime.collision.simd_math import (
    EPSILON,
    LARGEST,
    ONE,
    ZERO,
    add,
    cross,
    negated,
    scaled,
    set_vector,
    sub,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

MAX_FACES = 2 * MAX_POINTS - 4
MAX_EDGES = MAX_POINTS + MAX_FACES - 2
ZERO_VECTOR = (ZERO, ZERO, ZERO)

# Support points of each core, vertices made of one of each, and faces of vertices with their planes.
HULL = np.dtype([
    ("known0", "f4", (MAX_POINTS, 3)), ("known1", "f4", (MAX_POINTS, 3)), ("count0", "i4"), ("count1", "i4"),
    ("weld0", "f4"), ("weld1", "f4"),
    ("which", "i4", (MAX_POINTS, 2)), ("corners", "i4"),
    ("face", "i4", (MAX_FACES, 3)), ("normal", "f4", (MAX_FACES, 3)), ("depth", "f4", MAX_FACES), ("faces", "i4"),
    ("edge", "i4", (MAX_EDGES, 2)),
], align=True)


@scalar_code
def penetration_depth(core0: ConvexCore, core1: ConvexCore) -> tuple[Scalar, Vec3, Vec3, Vec3]:
    """Minus the penetration depth of two cores, the deepest points of both, and the direction from core 1 to core 0.

    The distance is LARGEST where the polytope has no volume.
    """
    return _expand(np.zeros(1, HULL), core0, core1)


@scalar_code
def _expand(storage: Records, core0: ConvexCore, core1: ConvexCore) -> tuple[Scalar, Vec3, Vec3, Vec3]:
    """The same with memory for the polytope, kept by the caller: a record does not keep its array alive."""
    # epsilon = 0.01 min(accuracy_0, accuracy_1)  (GuRefGjkEpa.h, computeEpaDepth)
    hull = storage[0]
    hull.weld0, hull.weld1 = accuracy(core0), accuracy(core1)
    epsilon = HUNDREDTH * min(hull.weld0, hull.weld1)
    _add_first_triangle(hull, core0, core1, epsilon)
    if hull.faces == 0:
        return LARGEST, ZERO_VECTOR, ZERO_VECTOR, ZERO_VECTOR
    best, best_ahead = np.zeros(3, np.int64), -LARGEST
    best_normal, best_depth = ZERO_VECTOR, ZERO
    # grow at the closest face until the support point is no farther than the face
    while hull.faces > 0:
        closest = _closest_face(hull)
        normal, depth = vector_at(hull.normal, closest), hull.depth[closest]
        a, b, c = hull.face[closest, 0], hull.face[closest, 1], hull.face[closest, 2]
        flat, full = hull.faces == 2, hull.corners == MAX_POINTS
        ahead, new_depth = -LARGEST, LARGEST
        if not full:
            ahead, new_depth = _add(hull, core0, core1, normal, epsilon)
        if flat or ahead > best_ahead:
            best[0], best[1], best[2] = a, b, c
            best_normal, best_depth = normal, depth
        best_ahead = max(best_ahead, ahead)
        if new_depth >= depth - epsilon:
            break
    # witness points by barycentric coordinates of the origin's projection  (GuRefGjkEpa.h, computePoints)
    at0, at1 = _witness_points(hull, best[0], best[1], best[2])
    return best_depth, at0, at1, negated(best_normal)


@scalar_code
def _add_first_triangle(hull: Record, core0: ConvexCore, core1: ConvexCore, epsilon: Scalar) -> None:
    """Build the first triangle, as two faces."""
    # first triangle: support points along +-d, then across it  (GuRefGjkEpa.h, computeEpaDepth)
    first = center_direction(core0, core1)
    second, third = tangents(first)
    _add(hull, core0, core1, first, epsilon)
    _add(hull, core0, core1, negated(first), epsilon)
    _add(hull, core0, core1, second, epsilon)
    if hull.corners < 3:
        _add(hull, core0, core1, negated(second), epsilon)
    if hull.corners < 3:
        _add(hull, core0, core1, third, epsilon)
    if hull.corners < 3:
        _add(hull, core0, core1, negated(third), epsilon)


@scalar_code
def _closest_face(hull: Record) -> Integer:
    # planes have n . x + depth = 0, depth < 0 outside: the closest face has the greatest depth
    closest, max_depth = 0, -LARGEST
    for i in range(hull.faces):
        if hull.depth[i] > max_depth:
            closest, max_depth = i, hull.depth[i]
    return closest


@scalar_code
def _vertex(hull: Record, i: Integer) -> Vec3:
    return sub(vector_at(hull.known0, hull.which[i, 0]), vector_at(hull.known1, hull.which[i, 1]))


@scalar_code
def _add(hull: Record, core0: ConvexCore, core1: ConvexCore, direction: Vec3, epsilon: Scalar) -> tuple[Scalar, Scalar]:
    """Add the support point along a direction; return bounds of the depth, the upper one LARGEST where it ends."""
    # w = s0(d) - s1(-d)  (GuRefGjkEpa.h, addPoint)
    a, hull.count0 = find_point(core0, direction, hull.known0, hull.count0, hull.weld0)
    b, hull.count1 = find_point(core1, negated(direction), hull.known1, hull.count1, hull.weld1)
    point = sub(vector_at(hull.known0, a), vector_at(hull.known1, b))
    ahead = dot(point, negated(direction))
    for i in range(hull.corners):
        if hull.which[i, 0] == a and hull.which[i, 1] == b:
            return ahead, LARGEST
    hull.which[hull.corners, 0], hull.which[hull.corners, 1] = a, b
    hull.corners += 1
    if hull.corners < 3:
        return ahead, ZERO
    if hull.corners == 3:
        if not (_add_face(hull, 0, 1, 2) and _add_face(hull, 1, 0, 2)):
            hull.faces = 0
            return ahead, LARGEST
        return ahead, ZERO
    # faces visible from w are removed, the horizon is closed by faces to w
    edges = _remove_faces_below(hull, point, epsilon)
    if edges == 0 or hull.faces > MAX_FACES - edges:
        return ahead, LARGEST
    for i in range(edges):
        if not _add_face(hull, hull.edge[i, 0], hull.edge[i, 1], hull.corners - 1):
            return ahead, LARGEST
    return ahead, ahead


@scalar_code
def _remove_faces_below(hull: Record, point: Vec3, epsilon: Scalar) -> Integer:
    """Remove the faces visible from a point; return the number of edges of the hole."""
    # visible: n . w + depth > epsilon
    edges = 0
    for i in range(hull.faces - 1, -1, -1):
        normal = vector_at(hull.normal, i)
        if not normal[0] * point[0] + normal[1] * point[1] + normal[2] * point[2] + hull.depth[i] > epsilon:
            continue
        for j in range(3):
            edges = _toggle_edge(hull, edges, hull.face[i, j], hull.face[i, (j + 1) % 3])
        hull.faces -= 1
        last = hull.faces
        for k in range(3):
            hull.face[i, k], hull.normal[i, k] = hull.face[last, k], hull.normal[last, k]
        hull.depth[i] = hull.depth[last]
    return edges


@scalar_code
def _toggle_edge(hull: Record, edges: Integer, start: Integer, end: Integer) -> Integer:
    """Add an edge of a removed face, or remove it once its other face is removed as well."""
    # an edge of two removed faces is inside the hole
    for k in range(edges - 1, -1, -1):
        if start == hull.edge[k, 1] and end == hull.edge[k, 0]:
            hull.edge[k, 0], hull.edge[k, 1] = hull.edge[edges - 1, 0], hull.edge[edges - 1, 1]
            return edges - 1
    hull.edge[edges, 0], hull.edge[edges, 1] = start, end
    return edges + 1


@scalar_code
def _add_face(hull: Record, i: Integer, j: Integer, k: Integer) -> bool:
    """Add a face; return False for a face without area."""
    # n = sum of the three corner cross products, normalised: less rounding in slim faces  (GuRefGjkEpa.h, makePlane)
    a, b, c = _vertex(hull, i), _vertex(hull, j), _vertex(hull, k)
    spanned = add(add(cross(sub(b, a), sub(c, a)), cross(sub(c, b), sub(a, b))), cross(sub(a, c), sub(b, c)))
    size = length(spanned)
    if size < EPSILON:
        return False
    normal, row = times_reciprocal(spanned, size), hull.faces
    hull.face[row, 0], hull.face[row, 1], hull.face[row, 2] = i, j, k
    set_vector(hull.normal, row, normal)
    hull.depth[row] = dot(normal, negated(a))
    hull.faces += 1
    return True


@scalar_code
def _witness_points(hull: Record, i: Integer, j: Integer, k: Integer) -> tuple[Vec3, Vec3]:
    """The points of both cores at the projection of the origin onto a face."""
    # foot = n (n . a) / n^2, weights = areas opposite to the corners / n^2
    a, b, c = _vertex(hull, i), _vertex(hull, j), _vertex(hull, k)
    normal = cross(sub(b, a), sub(c, a))
    inverse = ONE / dot(normal, normal)
    foot = scaled(scaled(normal, dot(normal, a)), inverse)
    barycentric = (dot(normal, cross(sub(b, foot), sub(c, foot))) * inverse,
                   dot(normal, cross(sub(c, foot), sub(a, foot))) * inverse,
                   dot(normal, cross(sub(a, foot), sub(b, foot))) * inverse)
    return (_interpolate(hull.known0, hull.which[i, 0], hull.which[j, 0], hull.which[k, 0], barycentric),
            _interpolate(hull.known1, hull.which[i, 1], hull.which[j, 1], hull.which[k, 1], barycentric))


@scalar_code
def _interpolate(points: Array, i: Integer, j: Integer, k: Integer, barycentric: Vec3) -> Vec3:
    return add(add(scaled(vector_at(points, i), barycentric[0]), scaled(vector_at(points, j), barycentric[1])),
               scaled(vector_at(points, k), barycentric[2]))
