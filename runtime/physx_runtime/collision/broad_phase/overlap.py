"""Broad phase: overlapping bounds, found with a balanced bounding volume hierarchy (PhysX BpBroadPhase).

`build_tree` and `refit_tree` build and update the tree, `find_partners` finds the overlaps of all moving shapes.
`match_pairs` keeps known pairs, frees lost ones and lists new ones, and `create_pairs` writes the new ones.

Node k has the children 2k + 1 and 2k + 2. All leaves are on the lowest level. The shapes below a node are a range of
`order`, given by the index of the node in its level. Bounds are rows of (low, high) of four axes.
"""

from __future__ import annotations

import numpy as np

from physx_runtime.arrays import Array, Integer, Record, Records, Scalar
from physx_runtime.collision.shapes import FREE, NO_OWNER
from physx_runtime.collision.simd_math import LARGEST
from physx_runtime.compiling.numba_functions import borrowing_code, borrowing_entry, scalar_code, scalar_entry

IN_LEAF = 8         # shapes in a leaf, about


def levels_for(shapes: int) -> int:
    """The number of levels of a tree of so many shapes, the root included."""
    return max(0, (max(shapes, 1) - 1) // IN_LEAF).bit_length() + 1


@scalar_code
def node_range(count: Integer, level: Integer, index: Integer) -> tuple[Integer, Integer]:
    """The range of shapes below a node: the first, and the one after the last."""
    return (index * count) >> level, ((index + 1) * count) >> level


@scalar_entry
def build_tree(bounds: Array, order: Array, levels: Integer) -> None:
    """Order shapes so that those of a node are contiguous: split in halves along the axis of greatest extent."""
    # Median split along the axis of greatest extent; any order of equals is right, as pairs are sorted afterwards.
    for level in range(levels - 1):
        for index in range(1 << level):
            start, stop = node_range(len(order), level, index)
            middle = ((2 * index + 1) * len(order)) >> (level + 1)
            if stop - start > 1:
                _halve(bounds, order, start, stop, middle, _widest(bounds, order, start, stop))


@scalar_code
# low + high: twice the centre
def _centre(bounds: Array, shape: Integer, axis: Integer) -> Scalar:
    return bounds[shape, 0, axis] + bounds[shape, 1, axis]


@scalar_code
def _widest(bounds: Array, order: Array, start: Integer, stop: Integer) -> Integer:
    """The axis of greatest extent of the centres."""
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
def _halve(bounds: Array, order: Array, start: Integer, stop: Integer, middle: Integer, axis: Integer) -> None:
    """Partition shapes at the median along an axis (Hoare's selection)."""
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
def refit_tree(bounds: Array, order: Array, levels: Integer, nodes: Array) -> None:
    """Compute the bounds of all nodes from those of the shapes."""
    # node bounds = union of child bounds, from the leaves to the root
    first = (1 << (levels - 1)) - 1
    for index in range(first + 1):
        start, stop = node_range(len(order), levels - 1, index)
        node = nodes[first + index]
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
def _include(node: Array, bounds: Array) -> None:
    for axis in range(4):
        node[0, axis] = min(node[0, axis], bounds[0, axis])
        node[1, axis] = max(node[1, axis], bounds[1, axis])


@scalar_code
def overlap(a: Array, i: Integer, b: Array, j: Integer) -> bool:
    # low_a <= high_b and low_b <= high_a on every axis  (BpBroadPhaseABP.cpp, intersect2D)
    """Whether bounds a[i] and b[j] overlap."""
    # all at once without branches: a mispredicted branch would take longer
    return bool((a[i, 0, 0] <= b[j, 1, 0]) & (b[j, 0, 0] <= a[i, 1, 0])
                & (a[i, 0, 1] <= b[j, 1, 1]) & (b[j, 0, 1] <= a[i, 1, 1])
                & (a[i, 0, 2] <= b[j, 1, 2]) & (b[j, 0, 2] <= a[i, 1, 2])
                & (a[i, 0, 3] <= b[j, 1, 3]) & (b[j, 0, 3] <= a[i, 1, 3]))


@scalar_code
def overlaps_of_leaf(bounds: Array, order: Array, levels: Integer, nodes: Array, leaf: Integer, overlapping: Array,
                     columns: Array) -> tuple[Integer, Integer]:
    """Fill in the shapes whose bounds overlap those of a leaf; columns: their bounds, low and high of each axis.

    Returns the number of shapes, and the number of visited nodes.
    """
    # depth-first descent, one query box for all shapes of a leaf
    stack, top, count, visited = np.empty(64, np.int64), 1, 0, 0
    first = (1 << (levels - 1)) - 1
    stack[0] = 0
    while top > 0:
        top -= 1
        k = stack[top]
        visited += 1
        if not overlap(nodes, k, nodes, leaf):
            continue
        if k < first:
            stack[top], stack[top + 1] = 2 * k + 1, 2 * k + 2
            top += 2
            continue
        start, stop = node_range(len(order), levels - 1, k - first)
        for i in range(start, stop):
            if overlap(bounds, order[i], nodes, leaf):
                overlapping[count] = order[i]
                for axis in range(4):
                    columns[2 * axis, count], columns[2 * axis + 1, count] = (bounds[order[i], 0, axis],
                                                                              bounds[order[i], 1, axis])
                count += 1
    return count, visited


@scalar_code
def mark_overlaps(columns: Array, count: Integer, bounds: Array, hits: Array) -> None:
    """Fill in whether bounds in the first `count` columns overlap one box."""
    for j in range(count):
        hits[j] = ((columns[0, j] <= bounds[1, 0]) & (bounds[0, 0] <= columns[1, j])
                   & (columns[2, j] <= bounds[1, 1]) & (bounds[0, 1] <= columns[3, j])
                   & (columns[4, j] <= bounds[1, 2]) & (bounds[0, 2] <= columns[5, j])
                   & (columns[6, j] <= bounds[1, 3]) & (bounds[0, 3] <= columns[7, j]))




@scalar_code
def can_collide(shapes: Records, moving: Integer, collides: Array, excluded_pairs: Array, i: Integer,
                j: Integer) -> bool:
    """Whether the moving shape i forms a pair with shape j.

    A pair of two moving shapes is found by the one of lower index.
    """
    # filter: one body, one group, one owner or an excluded pair
    a, b = shapes[i], shapes[j]
    if a.body == b.body or (b.body < moving and j < i) or not collides[a.group, b.group]:
        return False
    if a.owner != NO_OWNER and a.owner == b.owner:
        return False
    key = (np.int64(min(i, j)) << 32) | np.int64(max(i, j))
    low, high = 0, len(excluded_pairs)
    while low < high:
        middle = (low + high) // 2
        if excluded_pairs[middle] < key:
            low = middle + 1
        else:
            high = middle
    return bool(low == len(excluded_pairs) or excluded_pairs[low] != key)


@scalar_entry
def find_partners(shapes: Records, moving: Integer, collides: Array, excluded_pairs: Array, bounds: Array, order: Array,
                  levels: Integer, nodes: Array, partners: Array, starts: Array,
                  counts: Array) -> tuple[Integer, Integer]:
    """Fill in the partners of each moving shape, the start of its list and its length.

    Shapes of a leaf are searched together. Returns the number of partners, which may exceed the capacity of `partners`,
    and the number of visited nodes.
    """
    total, visited, first = 0, 0, (1 << (levels - 1)) - 1
    candidates, hits, columns = np.empty(len(shapes), np.int32), np.empty(len(shapes), np.bool_), np.empty(
        (8, len(shapes)), np.float32)
    for index in range(first + 1):
        start, stop = node_range(len(order), levels - 1, index)
        count, leaf_visited = overlaps_of_leaf(bounds, order, levels, nodes, first + index, candidates, columns)
        visited += leaf_visited
        for i in order[start:stop]:
            starts[i], counts[i] = total, 0
            if shapes[i].body >= moving:
                continue
            mark_overlaps(columns, count, bounds[i], hits)
            for k in range(count):
                j = candidates[k]
                # of two that move the first finds the other
                if hits[k] and (j > i or shapes[j].body >= moving) and can_collide(shapes, moving, collides,
                                                                                   excluded_pairs, i, j):
                    if total < len(partners):
                        partners[total] = j
                    total += 1
                    counts[i] += 1
    return total, visited


@scalar_entry
def match_pairs(rows: Records, heads: Array, partners: Array, starts: Array, counts: Array, mates: Array,
                new_pairs: Array) -> Integer:
    """Free the pairs that no longer overlap, and list new ones as (shape, partner); return the number of new pairs.

    heads: by moving shape its first pair; the pairs of a shape are a linked list. mates: FREE for every shape.
    """
    # persistent pairs keep their rows; lost ones are freed, new ones listed
    # (BpBroadPhaseABP.cpp, computeCreatedDeletedPairs)
    new = 0
    for i in range(len(counts)):
        k = heads[i]
        while k != FREE:
            mates[_other(rows[k], i)] = k
            k = rows[k].following
        old, heads[i] = heads[i], FREE
        for at in range(starts[i], starts[i] + counts[i]):
            k = mates[partners[at]]
            if k == FREE:
                new_pairs[new, 0], new_pairs[new, 1] = i, partners[at]
                new += 1
            else:
                mates[partners[at]] = FREE
        while old != FREE:
            row, other = rows[old], _other(rows[old], i)
            following = row.following
            if mates[other] == FREE:
                row.following, heads[i] = heads[i], old
            else:
                mates[other] = FREE
                row.shape0 = FREE
            old = following
    return new


@borrowing_entry
def find_free(rows: Records, free_rows: Array) -> Integer:
    """Fill in the first free rows; return their number."""
    count = 0
    for k in range(len(rows)):
        if count == len(free_rows):
            break
        if rows[k].shape0 == FREE:
            free_rows[count] = k
            count += 1
    return count


@borrowing_entry
def create_pairs(rows: Records, free_rows: Array, new_pairs: Array, slots: Array, shapes: Records, ranks: Array,
                 supported: Array, creation_index: Integer, tolerance_length: Scalar, heads: Array) -> Integer:
    """Write new pairs, up to the first of two unsupported kinds, and link them to their shapes; return their number.

    new_pairs: (shape, partner), in the order of their creation; the first has number `creation_index`.
    """
    for i in range(len(new_pairs)):
        shape, partner = new_pairs[i, 0], new_pairs[i, 1]
        a, b, pair = shapes[shape], shapes[partner], rows[free_rows[i]]
        if not supported[a.kind, b.kind]:
            return i
        reset_pair(pair)
        # side 0 of the solver is the shape that was created later  (ScNPhaseCore.cpp, createShapeInteraction)
        later = b.precedence < a.precedence
        # shape 0 of the narrow phase is the one of the lower geometry type
        solver_shape0, solver_shape1 = (partner, shape) if later else (shape, partner)
        swapped = ranks[shapes[solver_shape0].kind] > ranks[shapes[solver_shape1].kind]
        pair.shape0, pair.shape1 = (solver_shape1, solver_shape0) if swapped else (solver_shape0, solver_shape1)
        pair.swapped, pair.creation_index, pair.slot = swapped, creation_index + i, slots[i]
        pair.tolerance_length = tolerance_length
        _add_offsets(pair, a, b)
        pair.following, heads[shape] = heads[shape], free_rows[i]
    return len(new_pairs)


@borrowing_entry
def update_offsets(rows: Records, shapes: Records) -> None:
    """Update the contact and rest distances of all pairs from their shapes."""
    for k in range(len(rows)):
        if rows[k].shape0 != FREE:
            _add_offsets(rows[k], shapes[rows[k].shape0], shapes[rows[k].shape1])


@borrowing_code
def _add_offsets(pair: Record, a: Record, b: Record) -> None:
    # contactDist = contactOffset_0 + contactOffset_1, rest = restOffset_0 + restOffset_1
    pair.contact_distance = a.contact_offset + b.contact_offset
    pair.rest_distance = a.rest_offset + b.rest_offset


@borrowing_code
def reset_pair(pair: Record) -> None:
    """Reset a pair to one that never touched, with an empty manifold."""
    pair.touching, pair.first, pair.contacts, pair.manifolds = 0, 0, 0, 0
    pair.known, pair.points, pair.warm_start_count = 0, 0, 0


@scalar_code
def _other(row: Record, shape: Integer) -> Integer:
    return row.shape1 if row.shape0 == shape else row.shape0
