"""A balanced tree of bounds, in which those that overlap a given one are found without looking at all others.

Node k has the children 2k + 1 and 2k + 2. All leaves lie on the lowest level; the shapes below a node are a stretch of
`order`, which its place in its level gives. Bounds are rows of (low, high) of four axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.vectors import LARGEST
from physx_runtime.compiling.numba_functions import scalar_code, scalar_entry

IN_LEAF = 8         # shapes in a leaf, about


def levels_for(shapes: int) -> int:
    """Levels of a tree of as many shapes, the root's included."""
    return max(0, (max(shapes, 1) - 1) // IN_LEAF).bit_length() + 1


@scalar_code
def stretch(count: Any, level: Any, place: Any) -> Any:
    """Of the shapes below a node: the first, and the one after the last."""
    return (place * count) >> level, ((place + 1) * count) >> level


@scalar_entry
def build(bounds: Any, order: Any, levels: Any) -> None:
    """Order shapes so that those of a node lie together: halves along the axis on which they are spread most."""
    for level in range(levels - 1):
        for place in range(1 << level):
            start, stop = stretch(len(order), level, place)
            middle = ((2 * place + 1) * len(order)) >> (level + 1)
            if stop - start > 1:
                _halve(bounds, order, start, stop, middle, _widest(bounds, order, start, stop))


@scalar_code
def _centre(bounds: Any, shape: Any, axis: Any) -> Any:
    return bounds[shape, 0, axis] + bounds[shape, 1, axis]


@scalar_code
def _widest(bounds: Any, order: Any, start: Any, stop: Any) -> Any:
    """The axis on which the centres are spread most."""
    best, widest = np.float32(-1.0), 0
    for axis in range(4):
        low = high = _centre(bounds, order[start], axis)
        for i in range(start + 1, stop):
            x = _centre(bounds, order[i], axis)
            low, high = min(low, x), max(high, x)
        if high - low > best:
            best, widest = high - low, axis
    return widest


@scalar_code
def _halve(bounds: Any, order: Any, start: Any, stop: Any, middle: Any, axis: Any) -> None:
    """Have all before the middle lie below all behind it along an axis (Hoare's selection)."""
    low, high = start, stop - 1
    while low < high:
        pivot = _centre(bounds, order[(low + high) // 2], axis)
        i, j = low, high
        while i <= j:
            while _centre(bounds, order[i], axis) < pivot:
                i += 1
            while pivot < _centre(bounds, order[j], axis):
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@scalar_entry
def fit(bounds: Any, order: Any, levels: Any, nodes: Any) -> None:
    """Bounds of the nodes around those of the shapes."""
    first = (1 << (levels - 1)) - 1
    for place in range(first + 1):
        start, stop = stretch(len(order), levels - 1, place)
        node = nodes[first + place]
        for axis in range(4):
            node[0, axis], node[1, axis] = LARGEST, -LARGEST
        for i in range(start, stop):
            _include(node, bounds[order[i]])
    for k in range(first - 1, -1, -1):
        left, right = nodes[2 * k + 1], nodes[2 * k + 2]
        for axis in range(4):
            nodes[k, 0, axis] = min(left[0, axis], right[0, axis])
            nodes[k, 1, axis] = max(left[1, axis], right[1, axis])


@scalar_code
def _include(node: Any, bounds: Any) -> None:
    for axis in range(4):
        node[0, axis] = min(node[0, axis], bounds[0, axis])
        node[1, axis] = max(node[1, axis], bounds[1, axis])


@scalar_code
def overlap(a: Any, i: Any, b: Any, j: Any) -> bool:
    """Whether bounds i of some and j of others have a point in common."""
    # all at once: which of them fails cannot be foreseen, and a wrong guess takes longer than they do
    return bool((a[i, 0, 0] <= b[j, 1, 0]) & (b[j, 0, 0] <= a[i, 1, 0])
                & (a[i, 0, 1] <= b[j, 1, 1]) & (b[j, 0, 1] <= a[i, 1, 1])
                & (a[i, 0, 2] <= b[j, 1, 2]) & (b[j, 0, 2] <= a[i, 1, 2])
                & (a[i, 0, 3] <= b[j, 1, 3]) & (b[j, 0, 3] <= a[i, 1, 3]))


@scalar_code
def near_leaf(bounds: Any, order: Any, levels: Any, nodes: Any, leaf: Any, found: Any, sides: Any) -> Any:
    """Fill in the shapes whose bounds overlap those of a leaf, and in columns of `sides` their bounds, low and high of
    every axis; how many, and how many nodes were looked at."""
    stack, top, count, looked = np.empty(64, np.int64), 1, 0, 0
    first = (1 << (levels - 1)) - 1
    stack[0] = 0
    while top > 0:
        top -= 1
        k = stack[top]
        looked += 1
        if not overlap(nodes, k, nodes, leaf):
            continue
        if k < first:
            stack[top], stack[top + 1] = 2 * k + 1, 2 * k + 2
            top += 2
            continue
        start, stop = stretch(len(order), levels - 1, k - first)
        for i in range(start, stop):
            if overlap(bounds, order[i], nodes, leaf):
                found[count] = order[i]
                for axis in range(4):
                    sides[2 * axis, count], sides[2 * axis + 1, count] = (bounds[order[i], 0, axis],
                                                                          bounds[order[i], 1, axis])
                count += 1
    return count, looked


@scalar_code
def overlaps(sides: Any, count: Any, bounds: Any, met: Any) -> None:
    """Fill in whether bounds in the first columns of `sides` overlap one box."""
    for j in range(count):
        met[j] = ((sides[0, j] <= bounds[1, 0]) & (bounds[0, 0] <= sides[1, j])
                  & (sides[2, j] <= bounds[1, 1]) & (bounds[0, 1] <= sides[3, j])
                  & (sides[4, j] <= bounds[1, 2]) & (bounds[0, 2] <= sides[5, j])
                  & (sides[6, j] <= bounds[1, 3]) & (bounds[0, 3] <= sides[7, j]))
