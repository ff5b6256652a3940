"""The order of a mesh's triangles in PhysX's four-branched bounding volume hierarchy (GuBV4Build).

Contacts are made in this order, which decides ties. The tree splits triangles at the mean of their corners, along the
axis of greatest variance of their centres (GuBV4Build.cpp). Culling in a search does not change the order of the
remaining triangles. `triangles_in_order` returns the order.
"""

from __future__ import annotations

import numpy as np

from physx_runtime.arrays import Array, Integer
from physx_runtime.compiling.numba_functions import scalar_code, scalar_entry

IN_LEAF = 15                # greatest number of triangles in a leaf, as in the ovphysx wheel (the public source has 4)
THIRD = np.float32(1.0 / 3.0)
HALF = np.float32(0.5)

NODE = np.dtype([("first", "i4"), ("count", "i4"), ("split", "i4"), ("positive", "i4"), ("negative", "i4"),
                 ("depth", "i4")])
NONE = -1


def triangles_in_order(points: Array, triangles: Array) -> Array:
    """Indices of triangles, in PhysX's order. points: (n, 3) float32; triangles: (m, 3)."""
    if not len(triangles):
        return np.zeros(0, np.int64)
    corners = np.ascontiguousarray(points[triangles], np.float32)
    # centre of a triangle: that of its bounds
    centers = (corners.max(axis=1) + corners.min(axis=1)) * HALF
    order, nodes = np.arange(len(triangles)), np.zeros(2 * len(triangles) - 1, NODE)
    build_nodes(corners, centers, order, nodes)
    if len(triangles) <= IN_LEAF:
        return order
    return order[_leaf_order(nodes)]


@scalar_entry
def build_nodes(corners: Array, centers: Array, order: Array, nodes: Array) -> None:
    """Order triangles by recursive splits, and fill in the nodes of the tree."""
    # top-down, the positive half first  (GuBV4Build.cpp, local_Subdivide)
    nodes[0].first, nodes[0].count, node_count = 0, len(order), 1
    waiting, stack = 1, np.zeros(len(nodes), np.int64)
    while waiting:
        waiting -= 1
        node = nodes[stack[waiting]]
        node.positive, node.negative = NONE, NONE
        prims = order[node.first:node.first + node.count]
        node.split = _split(corners, centers, prims) if len(prims) > 1 else 0
        if node.count <= IN_LEAF:
            continue
        node.positive, node.negative = node_count, node_count + 1
        nodes[node_count].first, nodes[node_count].count = node.first, node.split
        nodes[node_count + 1].first, nodes[node_count + 1].count = node.first + node.split, node.count - node.split
        stack[waiting], stack[waiting + 1] = node_count + 1, node_count
        waiting, node_count = waiting + 2, node_count + 2


@scalar_code
def _split(corners: Array, centers: Array, prims: Array) -> Integer:
    """Put the triangles of the upper half first; return their number."""
    # axis of greatest variance sum (c - mean)^2 / (n - 1)  (GuBV4Build.cpp, splitPrimitives)
    count = len(prims)
    mean, spread = np.zeros(3, np.float32), np.zeros(3, np.float32)
    for i in prims:
        for k in range(3):
            mean[k] += centers[i, k]
    for k in range(3):
        mean[k] *= np.float32(1.0) / np.float32(count)
    for i in prims:
        for k in range(3):
            off = centers[i, k] - mean[k]
            spread[k] += off * off
    axis = 0
    for k in range(3):
        spread[k] *= np.float32(1.0) / np.float32(count - 1)
    for k in range(1, 3):
        if spread[k] > spread[axis]:
            axis = k
    upper = _partition(corners, centers, prims, axis)
    if 0 < upper < count:
        return upper
    # balanced split: axis with |n_upper / n - 1/2| least  (GuBV4Build.cpp, local_Split)
    best, min_square = 0, np.float32(2.0)
    for k in range(3):
        fraction = np.float32(_partition(corners, centers, prims, k)) / np.float32(count) - HALF
        if fraction * fraction < min_square:
            best, min_square = k, fraction * fraction
    upper = _partition(corners, centers, prims, best)
    return upper if 0 < upper < count else count // 2


@scalar_code
def _partition(corners: Array, centers: Array, prims: Array, axis: Integer) -> Integer:
    # split value: mean of all corners  (GuBV4Build.cpp, local_Split)
    value = np.float32(0.0)
    for i in prims:
        for k in range(3):
            value += corners[i, k, axis]
    value /= np.float32(3 * len(prims))
    upper = 0
    for at in range(len(prims)):
        i = prims[at]
        if centers[i, axis] > value:
            prims[at], prims[upper] = prims[upper], i
            upper += 1
    return upper


def _leaf_order(nodes: Array) -> Array:
    """Indices of triangles in the order of traversal; leaves directly below a node come last to first."""
    # a stack of four-branched nodes, pushed in order and popped last to first  (GuBV4Build.cpp, flattenNQ)
    depths = _depths(nodes)
    ranges: list[Array] = []
    waiting = [0]
    while waiting:
        slots = _branches(nodes, depths, waiting.pop())
        for first, count, node in reversed(slots):
            if node == NONE:
                ranges.append(np.arange(first, first + count))
        waiting += [node for *_, node in reversed(slots) if node != NONE]
    return np.concatenate(ranges)


def _depths(nodes: Array) -> list[int]:
    depths = [1] * len(nodes)
    for row in range(len(nodes) - 1, -1, -1):
        if nodes["count"][row] > IN_LEAF:
            depths[row] = 1 + max(depths[nodes["positive"][row]], depths[nodes["negative"][row]])
    return depths


def _branches(nodes: Array, depths: list[int], row: int) -> list[tuple[int, int, int]]:
    """The nodes two levels below a node with branches: leaves as (first, count, NONE), others with their node."""
    # the child of less depth comes first  (GuBV4Build.cpp)
    positive, negative = int(nodes["positive"][row]), int(nodes["negative"][row])
    if depths[positive] > depths[negative]:
        positive, negative = negative, positive
    leaves = [nodes["count"][child] <= IN_LEAF for child in (positive, negative)]
    slots: list[tuple[int, int, int]] = []
    for child, leaf in zip((positive, negative), leaves, strict=True):
        if not leaf:
            below = int(nodes["positive"][child]), int(nodes["negative"][child])
            if depths[below[0]] > depths[below[1]]:
                below = below[1], below[0]
            slots += [_slot(nodes, grandchild) for grandchild in below]
        elif all(leaves) and nodes["count"][child] > 1:
            first, count, split = (int(nodes[name][child]) for name in ("first", "count", "split"))
            slots += [(first, split, NONE), (first + split, count - split, NONE)]
        else:
            slots.append(_slot(nodes, child))
    return slots


def _slot(nodes: Array, row: int) -> tuple[int, int, int]:
    leaf = nodes["count"][row] <= IN_LEAF
    return int(nodes["first"][row]), int(nodes["count"][row]), NONE if leaf else row
