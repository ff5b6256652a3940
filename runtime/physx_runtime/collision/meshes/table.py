"""Triangle meshes of colliders in flat arrays, which shapes refer to by row, and the search for triangles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.meshes.edges import NO_TRIANGLE, edge_flags, neighbours
from physx_runtime.collision.meshes.order import triangles_in_order
from physx_runtime.collision.vectors import Vector
from physx_runtime.compiling.numba_functions import scalar_code

Array = NDArray[Any]
IN_LEAF = 4             # triangles in a leaf of the search tree, about
MOST_LEVELS = 32
FEW = 64                # triangles that a search first has room for

# Rows of a mesh in the arrays of all: first, and one after the last
MESH = np.dtype([
    ("vertices", "i4", 2),
    ("triangles", "i4", 2),
    ("nodes", "i4", 2),
    ("levels", "i4"),
    ("scale", "f4", 3),     # as authored, with signs
    ("mirrored", "i4"),     # 1: its triangles are turned, so that their outsides stay outside
    ("low", "f4", 3),       # its bounds
    ("high", "f4", 3),
], align=True)


class Meshes(NamedTuple):
    """All meshes, scaled; vertices of triangles are counted within the mesh, triangles over all."""

    meshes: Array       # MESH
    vertices: Array     # (n, 3) f4
    points: Array       # (n, 3) f4, the same as authored, neither scaled nor mirrored
    triangles: Array    # (n, 3) i4, in PhysX's order
    beside: Array       # (n, 3) i4, the triangles beyond their edges from each corner on, NO_TRIANGLE without one
    flags: Array        # (n,) i1, of triangles: which edges are active (meshes/edges.py)
    nodes: Array        # (n, 2, 3) f4, low and high bounds; node k of a mesh has the children 2k + 1 and 2k + 2


NO_MESHES = Meshes(np.zeros(0, MESH), np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32),
                   np.zeros((0, 3), np.int32), np.zeros((0, 3), np.int32), np.zeros(0, np.int8),
                   np.zeros((0, 2, 3), np.float32))


def meshes_of(meshes: Sequence[tuple[Array, Array, Array]]) -> Meshes:
    """The table of some meshes, each (points (n, 3), triangles (m, 3), scale (3)).

    No two points are equal, all are corners, every triangle has an area. Where a scale is below 0 the points are
    mirrored by it already, and triangles turned: the corners 0 and 1 of those that are authored are 1 and 0.
    """
    if not meshes:
        return NO_MESHES
    rows, parts = np.zeros(len(meshes), MESH), [[] for _ in Meshes._fields[1:]]     # type: ignore[var-annotated]
    counts = [0, 0, 0]
    for row, (points, corners, scale) in zip(rows, meshes, strict=True):
        signs = np.where(np.asarray(scale) < 0.0, np.float32(-1.0), np.float32(1.0))
        own, faces = np.asarray(points, np.float32) * signs, np.asarray(corners, np.int64)
        row["scale"], row["mirrored"] = scale, np.prod(signs) < 0.0
        faces = faces[triangles_in_order(own, faces[:, (1, 0, 2)] if row["mirrored"] else faces)]
        scaled = own * row["scale"]
        levels, bounds = _search_tree(scaled[faces])
        row["levels"], row["low"], row["high"] = levels, scaled.min(axis=0), scaled.max(axis=0)
        beside = neighbours(faces)
        arrays = (scaled, own, faces.astype(np.int32), np.where(beside == NO_TRIANGLE, beside, beside + counts[1]),
                  edge_flags(own * signs, faces), bounds)
        after = [a + b for a, b in zip(counts, (len(own), len(faces), len(bounds)), strict=True)]
        for name, first, last in zip(("vertices", "triangles", "nodes"), counts, after, strict=True):
            row[name] = first, last
        counts = after
        for part, array in zip(parts, arrays, strict=True):
            part.append(array)
    return Meshes(rows, *map(np.concatenate, parts))


def _search_tree(corners: Array) -> tuple[int, Array]:
    """Levels and bounds of a tree whose leaves are stretches of the triangles as they follow each other."""
    count = len(corners)
    levels = max(0, (max(count, 1) - 1) // IN_LEAF).bit_length() + 1
    nodes = np.zeros(((1 << levels) - 1, 2, 3), np.float32)
    low, high = corners.min(axis=1), corners.max(axis=1)
    first = (1 << (levels - 1)) - 1
    starts = np.arange((1 << (levels - 1)) + 1) * count >> (levels - 1)
    for place in range(1 << (levels - 1)):
        nodes[first + place] = low[starts[place]:starts[place + 1]].min(axis=0), high[
            starts[place]:starts[place + 1]].max(axis=0)
    for node in range(first - 1, -1, -1):
        pair = nodes[2 * node + 1], nodes[2 * node + 2]
        nodes[node] = np.minimum(pair[0][0], pair[1][0]), np.maximum(pair[0][1], pair[1][1])
    return levels, nodes


@scalar_code
def triangles_near(meshes: Meshes, row: Any, low: Vector, high: Vector) -> Any:
    """The rows of the triangles whose bounds meet a box, in PhysX's order."""
    mesh = meshes.meshes[row]
    first, count, levels = mesh.triangles[0], mesh.triangles[1] - mesh.triangles[0], mesh.levels
    nodes = meshes.nodes[mesh.nodes[0]:mesh.nodes[1]]
    leaves = 1 << (levels - 1)
    stack, near = np.zeros(MOST_LEVELS + 1, np.int64), np.empty(FEW, np.int64)
    waiting, found = 1, 0
    while waiting:
        waiting -= 1
        node = stack[waiting]
        if not _meet(nodes[node, 0], nodes[node, 1], low, high):
            continue
        if node < leaves - 1:
            stack[waiting], stack[waiting + 1] = 2 * node + 2, 2 * node + 1
            waiting += 2
            continue
        place = node - (leaves - 1)
        for i in range((place * count) >> (levels - 1), ((place + 1) * count) >> (levels - 1)):
            if _triangle_meets(meshes, mesh.vertices[0], first + i, low, high):
                if found == len(near):
                    near = np.concatenate((near, np.empty(found, np.int64)))
                near[found] = first + i
                found += 1
    return near[:found]


@scalar_code
def _meet(low0: Any, high0: Any, low: Vector, high: Vector) -> bool:
    return bool(low0[0] <= high[0] and low0[1] <= high[1] and low0[2] <= high[2]
                and low[0] <= high0[0] and low[1] <= high0[1] and low[2] <= high0[2])


@scalar_code
def _triangle_meets(meshes: Meshes, vertices: Any, triangle: Any, low: Vector, high: Vector) -> bool:
    for k in range(3):
        a, b, c = (meshes.vertices[vertices + meshes.triangles[triangle, 0], k],
                   meshes.vertices[vertices + meshes.triangles[triangle, 1], k],
                   meshes.vertices[vertices + meshes.triangles[triangle, 2], k])
        if min(min(a, b), c) > high[k] or max(max(a, b), c) < low[k]:
            return False
    return True


@scalar_code
def corner_as_authored(meshes: Meshes, row: Any, corner: Any) -> Any:
    """Which corner of a triangle of the table is a corner of it as authored."""
    return 1 - corner if meshes.meshes[row].mirrored and corner < 2 else corner


@scalar_code
def corner_of(meshes: Meshes, row: Any, triangle: Any, corner: Any) -> Vector:
    """A corner of a triangle of a mesh."""
    at = meshes.meshes[row].vertices[0] + meshes.triangles[triangle, corner]
    return meshes.vertices[at, 0], meshes.vertices[at, 1], meshes.vertices[at, 2]
