"""Triangle meshes of colliders in flat arrays, and queries of their triangles.

`meshes_of` builds the table of all meshes, which shapes refer to by row. `edge_flags` marks active edges: borders and
convex edges, where a contact normal may leave the triangle's normal. `neighbours` finds adjacent triangles.
`triangles_in_bounds` and `triangles_in_box` search a mesh for the triangles in an axis-aligned or oriented box (PhysX
GuMidphaseBV4). `closest_point_on_triangle` finds the closest point, and the corner or edge that it is on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from physx_runtime.arrays import Array, Frame, Integer, Records, Scalar, Vec3
from physx_runtime.collision.meshes.bvh_order import triangles_in_order
from physx_runtime.collision.simd_math import (
    ZERO,
    absolute,
    add,
    by_transposed,
    cross,
    dot,
    from_frame,
    scaled,
    sub,
)
from physx_runtime.compiling.numba_functions import scalar_code

FACE = 6            # corners are 0 to 2, edges 01 12 20 are 3 to 5


@scalar_code
def closest_point_on_triangle(p: Vec3, a: Vec3, b: Vec3, c: Vec3) -> tuple[Integer, Vec3, Scalar]:
    """The closest feature of a triangle (corner, edge or FACE), the closest point, and the squared distance."""
    # Ericson, Real-time collision detection, 5.1.5: Voronoi regions by d1 to d6
    # (GuPCMContactSphereMesh.cpp, pcmDistancePointTriangleSquared)
    ab, ac, ap, bp, cp = sub(b, a), sub(c, a), sub(p, a), sub(p, b), sub(p, c)
    d1, d2, d3, d4, d5, d6 = dot(ab, ap), dot(ac, ap), dot(ab, bp), dot(ac, bp), dot(ab, cp), dot(ac, cp)
    if d1 < ZERO and d2 < ZERO:
        return 0, a, dot(ap, ap)
    if d3 >= ZERO and d3 >= d4:
        return 1, b, dot(bp, bp)
    if d6 >= ZERO and d6 >= d5:
        return 2, c, dot(cp, cp)
    normal = cross(ab, ac)
    if dot(normal, cross(ap, bp)) < ZERO and d1 >= ZERO and d3 < ZERO:
        return _point_on_edge(3, p, a, ab, d1 / (d1 - d3))
    upper, lower = d4 - d3, d5 - d6
    if dot(normal, cross(bp, cp)) < ZERO and d4 >= d3 and d5 >= d6:
        return _point_on_edge(4, p, b, sub(c, b), upper / (upper + lower))
    if dot(normal, cross(cp, ap)) < ZERO and d2 >= ZERO and d6 < ZERO:
        return _point_on_edge(5, p, a, ac, d2 / (d2 - d6))
    # face: p + n (n . (a - p)) / n^2
    offset = scaled(normal, dot(normal, sub(a, p)) / dot(normal, normal))
    return FACE, add(p, offset), dot(offset, offset)


@scalar_code
def _point_on_edge(feature: Integer, p: Vec3, start: Vec3, edge: Vec3,
                   fraction: Scalar) -> tuple[Integer, Vec3, Scalar]:
    point = add(scaled(edge, fraction), start)
    offset = sub(p, point)
    return feature, point, dot(offset, offset)



EDGE_01, EDGE_12, EDGE_20 = 1, 2, 4         # bits of a triangle's flags
RIDGE = 0.1                                 # rad between the normals of both sides
FOLDED = -0.999                             # cosine between the normals of a sheet's two sides
NO_TRIANGLE = -1


def edge_flags(points: Array, triangles: Array) -> Array:
    """The bits of the active edges of each triangle. points: (n, 3) float32; triangles: (m, 3)."""
    count = len(triangles)
    # active: border, or convex with an angle above 0.1 rad
    which, shared, order, starts = _edges(triangles)
    active = shared == 1
    pairs = np.flatnonzero(shared == 2)
    first, second = order[starts[pairs]], order[starts[pairs] + 1]
    corners = points[triangles].astype(np.float64)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1)
    normals /= np.where(lengths > 0.0, lengths, 1.0)[:, None]
    opposite = corners[first // 3, (first + 2) % 3]
    face0, face1 = first // 3, second // 3
    # height of the opposite corner over the other triangle: below 0 the edge is convex
    height = ((opposite - corners[face1, 0]) * normals[face1]).sum(axis=1)
    cosine = np.clip((normals[face0] * normals[face1]).sum(axis=1), -1.0, 1.0)
    active[pairs] = np.where(height < 0.0, np.arccos(cosine) > RIDGE, cosine < FOLDED)
    bits = active[which].reshape(count, 3) @ np.array([EDGE_01, EDGE_12, EDGE_20])
    return np.asarray(bits, np.int8)


def neighbours(triangles: Array) -> Array:
    """(m, 3) the triangle across the edge from each corner to the next, NO_TRIANGLE at a border.

    Of an edge with more than two triangles the first two are neighbours.
    """
    _, shared, order, starts = _edges(triangles)
    neighbour = np.full(3 * len(triangles), NO_TRIANGLE, np.int32)
    # first two triangles of an edge are neighbours
    pairs = np.flatnonzero(shared > 1)
    first, second = order[starts[pairs]], order[starts[pairs] + 1]
    neighbour[first], neighbour[second] = second // 3, first // 3
    return neighbour.reshape(-1, 3)


def _edges(triangles: Array) -> tuple[Array, Array, Array, Array]:
    """Indices, counts, sorted order and starts of the edges 01, 12 and 20 of all triangles."""
    edges = np.stack([triangles, np.roll(triangles, -1, axis=1)], axis=-1).reshape(-1, 2)
    _, which, shared = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True, return_counts=True)
    which = which.ravel()
    return which, shared, np.argsort(which, kind="stable"), np.cumsum(shared) - shared


IN_LEAF = 4             # triangles in a leaf of the search tree, about
MAX_LEVELS = 32
INITIAL_CAPACITY = 64                # initial capacity of a search, in triangles

# Rows of a mesh in the arrays of all: first, and one after the last
MESH = np.dtype([
    ("vertices", "i4", 2),
    ("triangles", "i4", 2),
    ("nodes", "i4", 2),
    ("levels", "i4"),
    ("scale", "f4", 3),     # as authored, with signs
    ("mirrored", "i4"),     # 1: the winding of its triangles is reversed, so that normals point outwards
    ("low", "f4", 3),       # its bounds
    ("high", "f4", 3),
], align=True)


class Meshes(NamedTuple):
    """All meshes, scaled; vertices of triangles are counted within the mesh, triangles over all."""

    meshes: Records     # MESH
    vertices: Array     # (n, 3) f4
    points: Array       # (n, 3) f4, the same as authored, neither scaled nor mirrored
    triangles: Array    # (n, 3) i4, in PhysX's order
    adjacencies: Array       # (n, 3) i4, the triangles beyond their edges from each corner on, NO_TRIANGLE without one
    flags: Array        # (n,) i1, of triangles: which edges are active (`edge_flags`)
    nodes: Array        # (n, 2, 3) f4, low and high bounds; node k of a mesh has the children 2k + 1 and 2k + 2


NO_MESHES = Meshes(np.zeros(0, MESH), np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32),
                   np.zeros((0, 3), np.int32), np.zeros((0, 3), np.int32), np.zeros(0, np.int8),
                   np.zeros((0, 2, 3), np.float32))


def meshes_of(meshes: Sequence[tuple[Array, Array, Array]]) -> Meshes:
    """The table of meshes, each (points (n, 3), triangles (m, 3), scale (3)).

    Points are distinct and used, and every triangle has an area. A negative scale is already applied to the points, and
    the winding is reversed: the authored corners 0 and 1 are 1 and 0.
    """
    if not meshes:
        return NO_MESHES
    rows, parts = np.zeros(len(meshes), MESH), [[] for _ in Meshes._fields[1:]]     # type: ignore[var-annotated]
    counts = [0, 0, 0]
    for row, (points, corners, scale) in zip(rows, meshes, strict=True):
        signs = np.where(np.asarray(scale) < 0.0, np.float32(-1.0), np.float32(1.0))
        mirrored_points, faces = np.asarray(points, np.float32) * signs, np.asarray(corners, np.int64)
        # S < 0 mirrors: points are reflected and triangles turned
        row["scale"], row["mirrored"] = scale, np.prod(signs) < 0.0
        faces = faces[triangles_in_order(mirrored_points, faces[:, (1, 0, 2)] if row["mirrored"] else faces)]
        scaled = mirrored_points * row["scale"]
        levels, bounds = _search_tree(scaled[faces])
        row["levels"], row["low"], row["high"] = levels, scaled.min(axis=0), scaled.max(axis=0)
        neighbour = neighbours(faces)
        arrays = (scaled, mirrored_points, faces.astype(np.int32),
                  np.where(neighbour == NO_TRIANGLE, neighbour, neighbour + counts[1]),
                  edge_flags(mirrored_points * signs, faces), bounds)
        after = [a + b for a, b in zip(counts, (len(mirrored_points), len(faces), len(bounds)), strict=True)]
        for name, first, last in zip(("vertices", "triangles", "nodes"), counts, after, strict=True):
            row[name] = first, last
        counts = after
        for part, array in zip(parts, arrays, strict=True):
            part.append(array)
    return Meshes(rows, *map(np.concatenate, parts))


def _search_tree(corners: Array) -> tuple[int, Array]:
    """Levels and bounds of a tree whose leaves are ranges of the triangles in their order."""
    count = len(corners)
    levels = max(0, (max(count, 1) - 1) // IN_LEAF).bit_length() + 1
    nodes = np.zeros(((1 << levels) - 1, 2, 3), np.float32)
    # static bounding volume hierarchy: leaves are runs of the triangles in PhysX's order
    low, high = corners.min(axis=1), corners.max(axis=1)
    first = (1 << (levels - 1)) - 1
    starts = np.arange((1 << (levels - 1)) + 1) * count >> (levels - 1)
    for leaf in range(1 << (levels - 1)):
        nodes[first + leaf] = low[starts[leaf]:starts[leaf + 1]].min(axis=0), high[
            starts[leaf]:starts[leaf + 1]].max(axis=0)
    for node in range(first - 1, -1, -1):
        pair = nodes[2 * node + 1], nodes[2 * node + 2]
        nodes[node] = np.minimum(pair[0][0], pair[1][0]), np.maximum(pair[0][1], pair[1][1])
    return levels, nodes


@scalar_code
def triangles_in_bounds(meshes: Meshes, row: Integer, low: Vec3, high: Vec3) -> Array:
    """The rows of the triangles whose bounds overlap an axis-aligned box, in PhysX's order."""
    mesh = meshes.meshes[row]
    first, count, levels = mesh.triangles[0], mesh.triangles[1] - mesh.triangles[0], mesh.levels
    nodes = meshes.nodes[mesh.nodes[0]:mesh.nodes[1]]
    leaves = 1 << (levels - 1)
    stack, candidates = np.zeros(MAX_LEVELS + 1, np.int64), np.empty(INITIAL_CAPACITY, np.int64)
    # depth first, left before right: triangles come in their order
    waiting, total = 1, 0
    while waiting:
        waiting -= 1
        node = stack[waiting]
        if not _bounds_overlap(nodes[node, 0], nodes[node, 1], low, high):
            continue
        if node < leaves - 1:
            stack[waiting], stack[waiting + 1] = 2 * node + 2, 2 * node + 1
            waiting += 2
            continue
        leaf = node - (leaves - 1)
        for i in range((leaf * count) >> (levels - 1), ((leaf + 1) * count) >> (levels - 1)):
            if _triangle_overlaps(meshes, mesh.vertices[0], first + i, low, high):
                if total == len(candidates):
                    candidates = np.concatenate((candidates, np.empty(total, np.int64)))
                candidates[total] = first + i
                total += 1
    return candidates[:total]


@scalar_code
def _bounds_overlap(low0: Array, high0: Array, low: Vec3, high: Vec3) -> bool:
    return bool(low0[0] <= high[0] and low0[1] <= high[1] and low0[2] <= high[2]
                and low[0] <= high0[0] and low[1] <= high0[1] and low[2] <= high0[2])


@scalar_code
def _triangle_overlaps(meshes: Meshes, vertices: Integer, triangle: Integer, low: Vec3, high: Vec3) -> bool:
    # separating axis of the three coordinate axes
    for k in range(3):
        a, b, c = (meshes.vertices[vertices + meshes.triangles[triangle, 0], k],
                   meshes.vertices[vertices + meshes.triangles[triangle, 1], k],
                   meshes.vertices[vertices + meshes.triangles[triangle, 2], k])
        if min(min(a, b), c) > high[k] or max(max(a, b), c) < low[k]:
            return False
    return True


@scalar_code
def corner_as_authored(meshes: Meshes, row: Integer, corner: Integer) -> Integer:
    """The authored index of a corner of a triangle in the table; both differ in a mirrored mesh."""
    return 1 - corner if meshes.meshes[row].mirrored and corner < 2 else corner


@scalar_code
def corner_of(meshes: Meshes, row: Integer, triangle: Integer, corner: Integer) -> Vec3:
    """A corner of a triangle of a mesh."""
    at = meshes.meshes[row].vertices[0] + meshes.triangles[triangle, corner]
    return meshes.vertices[at, 0], meshes.vertices[at, 1], meshes.vertices[at, 2]


@scalar_code
def triangles_in_box(meshes: Meshes, row: Integer, frame: Frame, center: Vec3, half: Vec3) -> Array:
    """The rows of the triangles that overlap an oriented box, in PhysX's order.

    frame: of the box in the mesh; center: in that frame.
    """
    # bounds of the box in the mesh: e = |R| h  (GuMidphaseBV4.cpp, intersectBoxVsMesh_BV4)
    middle, m = from_frame(frame, center), frame[1]
    extent = (abs(m[0][0]) * half[0] + abs(m[1][0]) * half[1] + abs(m[2][0]) * half[2],
              abs(m[0][1]) * half[0] + abs(m[1][1]) * half[1] + abs(m[2][1]) * half[2],
              abs(m[0][2]) * half[0] + abs(m[1][2]) * half[1] + abs(m[2][2]) * half[2])
    candidates, count = triangles_in_bounds(meshes, row, sub(middle, extent), add(middle, extent)), 0
    for k in range(len(candidates)):
        a, b, c = (by_transposed(m, sub(corner_of(meshes, row, candidates[k], 0), middle)),
                   by_transposed(m, sub(corner_of(meshes, row, candidates[k], 1), middle)),
                   by_transposed(m, sub(corner_of(meshes, row, candidates[k], 2), middle)))
        if overlaps_box(half, a, b, c):
            candidates[count] = candidates[k]
            count += 1
    return candidates[:count]


@scalar_code
def overlaps_box(half: Vec3, a: Vec3, b: Vec3, c: Vec3) -> bool:
    """Whether a triangle overlaps the axis-aligned box of these half extents about the origin."""
    # axes: coordinate axes, normal, nine edge products  (GuIntersectionTriangleBox.cpp, intersectTriangleBoxBV4)
    if abs(a[0]) <= half[0] and abs(a[1]) <= half[1] and abs(a[2]) <= half[2]:
        return True
    for k in range(3):
        if min(min(a[k], b[k]), c[k]) > half[k] or -half[k] > max(max(a[k], b[k]), c[k]):
            return False
    ab, bc, ca = sub(b, a), sub(c, b), sub(a, c)
    # |n . a| <= sum_k h_k |n_k|
    normal = cross(ab, bc)
    height, radius = dot(normal, a), dot(normal, (math.copysign(half[0], normal[0]), math.copysign(half[1], normal[1]),
                                                  math.copysign(half[2], normal[2])))
    if height > radius or -radius > height:
        return False
    return _overlaps_along(half, ab, a, b, c) and _overlaps_along(half, bc, a, b, c) and _overlaps_along(half, ca, a, b,
                                                                                                         c)


@scalar_code
def _overlaps_along(half: Vec3, edge: Vec3, a: Vec3, b: Vec3, c: Vec3) -> bool:
    """Whether box and triangle overlap along the cross products of an edge with the axes."""
    # e x axis_k: min and max of the corners against the box radius  (GuIntersectionTriangleBox.cpp, testClassIIIAxes)
    p, q, r, e = _products(a, edge), _products(b, edge), _products(c, edge), absolute(edge)
    radii = half[0] * e[1] + half[1] * e[0], half[1] * e[2] + half[2] * e[1], half[2] * e[0] + half[0] * e[2]
    separated = False
    for k in range(3):
        separated = separated or min(min(p[k], q[k]), r[k]) > radii[k] or -radii[k] > max(max(p[k], q[k]), r[k])
    return not separated


@scalar_code
def _products(a: Vec3, e: Vec3) -> Vec3:
    return a[0] * e[1] - a[1] * e[0], a[1] * e[2] - a[2] * e[1], a[2] * e[0] - a[0] * e[2]
