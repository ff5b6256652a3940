"""Reduction of contact manifolds to few points (PhysX GuPersistentContactManifold).

`four_of_boxes`, `two_of`, `four_of_plane` and `four_of_five` select points of pairs with one normal: the deepest, the
farthest from it, and both extremes across that line. `reduce_to_five` and `select_six` reduce contacts with triangles
of a mesh. `process_contacts` divides the contacts of triangles among the manifolds of a pair, one for each normal.

Candidates are rows of arrays (points in shape 1, distances), given by their index.
"""

from __future__ import annotations

import math

import numpy as np

from physx_runtime.arrays import Array, Integer, Record, Scalar, Vec3
from physx_runtime.collision.manifold.multi import (
    MAX_BUFFERED,
    MAX_MANIFOLDS,
    NONE,
    ONE_NORMAL,
    append_manifold,
    append_point,
    clear_buffer,
    copy_contact,
    deepest_index,
    link_patches,
    manifold_normal,
    rows_of,
)
from physx_runtime.collision.pcm.simplex import closest_on_segment, closest_on_triangle
from physx_runtime.collision.simd_math import (
    EPSILON,
    LARGEST,
    ONE,
    ZERO,
    cross,
    divided,
    dot,
    sub,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

SHALLOW = np.float32(0.02)      # of the tolerance length: candidates below replace selected points above


@scalar_code
def perpendicular(points: Array, first: Integer, second: Integer, normal: Vec3) -> Vec3:
    """The direction across the line between two points, perpendicular to the normal."""
    # (p_b - p_a) x n, normalised; n where both coincide
    direction = cross(sub(vector_at(points, second), vector_at(points, first)), normal)
    square = dot(direction, direction)
    return divided(direction, math.sqrt(square)) if square > ZERO else normal


@scalar_code
def squared_distance(points: Array, i: Integer, j: Integer) -> Scalar:
    """The squared distance of two points."""
    offset = sub(vector_at(points, i), vector_at(points, j))
    return dot(offset, offset)


@scalar_code
def furthest(points: Array, candidates: Array, count: Integer, first: Integer) -> Integer:
    """The index in `candidates` of the one furthest from a point."""
    # argmax_i |p_i - p_first|^2
    best, index = squared_distance(points, candidates[0], first), 0
    for i in range(1, count):
        square = squared_distance(points, candidates[i], first)
        if square > best:
            best, index = square, i
    return index


@scalar_code
def extremes(points: Array, candidates: Array, count: Integer, first: Integer,
             direction: Vec3) -> tuple[Integer, Integer, Scalar, Scalar]:
    """Indices in `candidates` of both extremes along a direction, and their distances along it."""
    # argmax and argmin of (p_i - p_first) . direction
    high, low, high_index, low_index = -LARGEST, LARGEST, 0, 0
    origin = vector_at(points, first)
    for i in range(count):
        d = dot(sub(vector_at(points, candidates[i]), origin), direction)
        if d > high:
            high, high_index = d, i
        if low > d:
            low, low_index = d, i
    return high_index, low_index, high, low


@scalar_code
def four_of_boxes(points: Array, distances: Array, count: Integer, normal: Vec3, tolerance_length: Scalar,
                  selected: Array) -> None:
    """Select four of more than four points of two boxes or hulls."""
    # (GuPersistentContactManifold.cpp, reduceBatchContacts)
    candidates = _all_indices(count)
    deepest, highest = 0, distances[0]
    for i in range(1, count):
        highest = max(highest, distances[i])
        if distances[deepest] > distances[i]:
            deepest = i
    selected[0] = deepest
    count -= 1
    candidates[deepest] = candidates[count]     # the last candidate moves to the place of a selected one
    index = furthest(points, candidates, count, deepest)
    selected[1] = candidates[index]
    count -= 1
    candidates[index] = candidates[count]
    direction = perpendicular(points, deepest, selected[1], normal)
    index, low_index, high, low = extremes(points, candidates, count, deepest, direction)
    selected[2], lowest = candidates[index], candidates[low_index]
    count -= 1
    candidates[index] = candidates[count]
    if low_index == count:
        low_index = index
    if low * high > ZERO:                       # all on one side: the furthest again
        low_index = extremes(points, candidates, count, deepest, direction)[0]
        lowest = candidates[low_index]
    selected[3] = lowest
    count -= 1
    candidates[low_index] = candidates[count]
    # deeper candidates take the place of chosen points above 0.02 toleranceLength
    shallow = tolerance_length * SHALLOW
    if distances[deepest] < shallow and highest > shallow:
        _deepen(distances, candidates, count, shallow, selected)


@scalar_code
def _deepen(distances: Array, candidates: Array, count: Integer, shallow: Scalar, selected: Array) -> None:
    """Replace selected points that are too shallow by deeper candidates."""
    for i in range(4):
        best, index = distances[selected[i]], -1
        if best > shallow:
            for j in range(count):
                d = distances[candidates[j]]
                if best > d and d < shallow:
                    best, index = d, j
        if index >= 0:
            selected[i], candidates[index] = candidates[index], selected[i]


@scalar_code
def two_of(points: Array, distances: Array, first: Integer, last: Integer, selected: Array) -> None:
    """Select two of the points `first` to `last`: the deepest, and the furthest from it.

    The last deeper point that is nearer to the second than to the deepest one replaces the second.
    """
    # (GuPersistentContactManifold.cpp, reduceBatchContacts2)
    deepest = first
    for i in range(first + 1, last):
        if distances[deepest] > distances[i]:
            deepest = i
    second = first
    for i in range(first + 1, last):
        if squared_distance(points, i, deepest) > squared_distance(points, second, deepest):
            second = i
    selected[0], selected[1] = deepest, second
    for i in range(first, last):
        if i not in (deepest, second) and distances[second] > distances[i] and (
                squared_distance(points, deepest, i) > squared_distance(points, second, i)):
            selected[1] = i


@scalar_code
def four_of_plane(points: Array, distances: Array, count: Integer, normal: Vec3, selected: Array) -> None:
    """Select four of more than four points on a plane; each is replaced by the deepest of the points nearest to it."""
    # (GuPersistentContactManifold.cpp, reduceBatchContactsCluster)
    first = 0
    for i in range(1, count):
        if distances[first] > distances[i]:
            first = i
    candidates = _all_indices(count)
    second = candidates[furthest(points, candidates, count, first)]
    direction, remaining = perpendicular(points, first, second, normal), _compact(candidates, first, second, -1)
    high_index, low_index, high, low = extremes(points, candidates, remaining, first, direction)
    third, fourth = candidates[high_index], candidates[low_index]
    if low * high > ZERO:
        remaining = _compact(candidates, first, second, third)
        fourth = candidates[extremes(points, candidates, remaining, first, direction)[0]]
    centres = (first, second, third, fourth)
    for k in range(4):
        selected[k] = centres[k]
    # Voronoi cells of the four: the deepest of each stays
    for i in range(count):
        if i in (first, second, third, fourth):
            continue
        best, closest = LARGEST, 0
        for k in range(4):
            square = squared_distance(points, i, centres[k])
            if best > square:
                best, closest = square, k
        if distances[selected[closest]] > distances[i]:
            selected[closest] = i


@scalar_code
def four_of_five(points0: Array, points: Array, distances: Array, selected: Array) -> None:
    """Select four of five points: the deepest, then the furthest from it, from their line and from the triangle.

    The fifth replaces the one nearest to it on shape 0 where it is deeper.
    """
    # deepest, then farthest from point, segment and triangle  (GuPersistentContactManifold.cpp, reduceContactsForPCM)
    candidates, first = _all_indices(5), 4
    for i in range(4):
        if distances[first] > distances[i]:
            first = i
    _select(selected, candidates, 0, first)
    for k in range(1, 4):
        best, index = -ONE, 0
        for i in range(5):
            if candidates[i] == i:
                square = _squared_distance_to(points, selected, k, i)
                if square > best:
                    best, index = square, i
        _select(selected, candidates, k, index)
    fifth, closest, min_square = 0, 0, LARGEST
    for i in range(5):
        if candidates[i] == i:
            fifth = i
    for k in range(4):
        square = squared_distance(points0, selected[k], fifth)
        if min_square > square:
            min_square, closest = square, k
    if distances[selected[closest]] > distances[fifth]:
        selected[closest] = fifth


@scalar_code
def _select(selected: Array, candidates: Array, k: Integer, i: Integer) -> None:
    selected[k], candidates[i] = i, -1


@scalar_code
def _squared_distance_to(points: Array, selected: Array, count: Integer, i: Integer) -> Scalar:
    """The squared distance of a point from the first selected point, segment or triangle."""
    # distance to the hull of the chosen points: point, segment, triangle
    # (GuPersistentContactManifold.cpp, distancePointSegmentSquaredLocal, distancePointTriangleSquaredLocal)
    point = vector_at(points, i)
    a = sub(vector_at(points, selected[0]), point)
    if count == 1:
        return dot(a, a)
    b = sub(vector_at(points, selected[1]), point)
    if count == 2:
        closest = closest_on_segment(a, b)[0]
        return dot(closest, closest)
    return closest_on_triangle(a, b, sub(vector_at(points, selected[2]), point))[1]


@scalar_code
def _all_indices(count: Integer) -> Array:
    candidates = np.empty(count, np.int64)
    for i in range(count):
        candidates[i] = i
    return candidates


@scalar_code
def _compact(candidates: Array, first: Integer, second: Integer, third: Integer) -> Integer:
    """Remove three candidates from the list; return the number left."""
    count = 0
    for i in range(len(candidates)):
        if i not in (first, second, third):
            candidates[count] = i
            count += 1
    return count


OF_FACE, OF_HULL = 5, 6         # greatest number of contacts of a face and a triangle, and of a manifold
REDUCE_THRESHOLD = 16              # number of contacts of a face and a triangle that triggers a reduction


@scalar_code
def reduce_to_five(buffer: Record, first: Integer, threshold: Integer) -> None:
    """Reduce the contacts from `first` on to five whenever there are REDUCE_THRESHOLD, or once if `threshold` is less.

    With less than six different points the first five rows are kept.
    """
    # (GuPersistentContactManifold.cpp, SinglePersistentContactManifold::reduceContacts)
    while buffer.contacts - first >= threshold:
        last = buffer.contacts
        buffer.contacts = first + REDUCE_THRESHOLD if threshold == REDUCE_THRESHOLD else last
        waiting = buffer.contacts
        count = _drop_equal(buffer, first)
        if count > OF_FACE:
            _select_five(buffer, first, count, last)
        buffer.contacts = first + OF_FACE
        for row in range(waiting, last):
            copy_contact(buffer, row, buffer.contacts)
            buffer.contacts += 1


@scalar_code
def _drop_equal(buffer: Record, first: Integer) -> Integer:
    """Move contacts with different points to the front; return their number."""
    count, i = buffer.contacts - first, 0
    while i < count:
        a, j = vector_at(buffer.local1, first + i), i + 1
        while j < count:
            offset = sub(a, vector_at(buffer.local1, first + j))
            if abs(offset[0]) < EPSILON and abs(offset[1]) < EPSILON and abs(offset[2]) < EPSILON:
                count -= 1
                copy_contact(buffer, first + count, first + j)
            else:
                j += 1
        i += 1
    return count


@scalar_code
def _select_five(buffer: Record, first: Integer, count: Integer, free: Integer) -> None:
    """Keep the deepest, the furthest from it, both extremes across their line, and the deepest of the others."""
    candidates, selected = np.arange(first, first + count), np.empty(OF_FACE, np.int64)
    index = _deepest(buffer, candidates, count)
    selected[0], count = _remove_candidate(candidates, index, count)
    selected[1], count = _remove_candidate(candidates, furthest(buffer.local1, candidates, count, selected[0]), count)
    line = sub(vector_at(buffer.local1, selected[1]), vector_at(buffer.local1, selected[0]))
    direction = cross(line, vector_at(buffer.normal, selected[0]))
    # extremes across the line of the first two
    index, low_index, high, low = extremes(buffer.local1, candidates, count, selected[0], direction)
    selected[2], count = _remove_candidate(candidates, index, count)
    if low_index == count:
        low_index = index
    if low * high > ZERO:                       # all on one side: the furthest again
        low_index = extremes(buffer.local1, candidates, count, selected[0], direction)[0]
    selected[3], count = _remove_candidate(candidates, low_index, count)
    selected[4] = candidates[_deepest(buffer, candidates, count)]
    for k in range(OF_FACE):
        copy_contact(buffer, selected[k], free + k)
    for k in range(OF_FACE):
        copy_contact(buffer, free + k, first + k)


@scalar_code
def _deepest(buffer: Record, candidates: Array, count: Integer) -> Integer:
    best = 0
    for i in range(1, count):
        if buffer.distance[candidates[best]] > buffer.distance[candidates[i]]:
            best = i
    return best


@scalar_code
def _remove_candidate(candidates: Array, index: Integer, count: Integer) -> tuple[Integer, Integer]:
    """Remove a candidate; return it and the number left."""
    candidate = candidates[index]
    candidates[index] = candidates[count - 1]
    return candidate, count - 1


@scalar_code
def select_six(manifolds: Record, m: Integer, buffer: Record, rows: Array, count: Integer) -> Scalar:
    """Fill a manifold with six contacts: the widest four and the deepest two of the others; return the least distance.

    The first is the one furthest from the origin of the mesh.
    """
    # widest four first  (GuPersistentContactManifold.cpp, reduceBatchContactsConvex)
    selected, min_distance = np.zeros(count, np.bool_), LARGEST
    first, max_square = 0, -LARGEST
    for k in range(count):
        point = vector_at(buffer.local1, rows[k])
        if dot(point, point) > max_square:
            first, max_square = k, dot(point, point)
    second = furthest(buffer.local1, rows, count, rows[first])
    selected[first] = selected[second] = True
    direction = perpendicular(buffer.local1, rows[first], rows[second], vector_at(buffer.normal, rows[first]))
    third, fourth, high, low = _remaining_extremes(buffer, rows, count, selected, rows[first], direction)
    selected[third] = True
    if low * high > ZERO:
        fourth = _remaining_extremes(buffer, rows, count, selected, rows[first], direction)[0]
    selected[fourth] = True
    for k in (first, second, third, fourth):
        append_point(manifolds, m, buffer, rows[k])
        min_distance = min(min_distance, buffer.distance[rows[k]])
    # then the deepest two of the rest
    for _ in range(OF_HULL - 4):
        deepest = deepest_index(buffer, rows, count, selected)
        if deepest != NONE:
            selected[deepest] = True
            append_point(manifolds, m, buffer, rows[deepest])
            min_distance = min(min_distance, buffer.distance[rows[deepest]])
    return min_distance


@scalar_code
def _remaining_extremes(buffer: Record, rows: Array, count: Integer, selected: Array, origin: Integer,
                        direction: Vec3) -> tuple[Integer, Integer, Scalar, Scalar]:
    """As `extremes`, of rows that are not selected yet."""
    remaining, indices, size = np.empty(count, np.int64), np.empty(count, np.int64), 0
    for k in range(count):
        if not selected[k]:
            remaining[size], indices[size] = rows[k], k
            size += 1
    high, low, max_projection, min_projection = extremes(buffer.local1, remaining, size, origin, direction)
    return indices[high], indices[low], max_projection, min_projection


OF_SPHERE, OF_CAPSULE = 1, 3        # greatest number of points of a manifold


@scalar_code
def process_contacts(manifolds: Record, buffer: Record, limit: Scalar, max_points: Integer) -> None:
    """Move all contacts of the buffer into manifolds of at most `max_points` points, and clear the buffer."""
    # (GuPersistentContactManifold.cpp, addManifoldContactPoints)
    if buffer.contacts:
        link_patches(buffer, limit)
        initial_count = manifolds.count
        for i in range(buffer.patches):
            patch = buffer.order[i]
            if buffer.root[patch] == patch and not _add_to_manifold(manifolds, initial_count, buffer, patch,
                                                                    max_points):
                break
    clear_buffer(buffer)


@scalar_code
def _add_to_manifold(manifolds: Record, initial_count: Integer, buffer: Record, patch: Integer,
                     max_points: Integer) -> bool:
    """Add linked patches to the manifold of their normal, to a new one, or in place of a shallower one.

    initial_count: number of manifolds before these patches; if it is 0, each gets its own. Returns False if all are in
    use.
    """
    # manifold with n . n_patch >= 0.996, a new one, or that of the least depth
    before, m, known_normal = manifolds.count, 0, False
    while m < before and initial_count and not known_normal:
        known_normal = dot(vector_at(buffer.patch_normal, patch), unit(manifold_normal(manifolds, m))) >= ONE_NORMAL
        m += not known_normal
    full = not known_normal and before == MAX_MANIFOLDS
    if known_normal:
        append_manifold(buffer, manifolds, m, patch)
    elif full:
        m = 0
        for i in range(1, before):
            if manifolds.deepest[i] > manifolds.deepest[m]:
                m = i
    else:
        manifolds.count, m = before + 1, before
    if not full or manifolds.deepest[m] > buffer.deepest[patch]:
        _fill(manifolds, m, buffer, patch, max_points)
    return not full


@scalar_code
def _fill(manifolds: Record, m: Integer, buffer: Record, patch: Integer, max_points: Integer) -> None:
    rows, selected = np.zeros(MAX_BUFFERED, np.int64), np.zeros(MAX_BUFFERED, np.bool_)
    count = rows_of(buffer, patch, rows)
    manifolds.points[m] = 0
    if max_points > 1 and count <= max_points:      # as in the wheel; the public source counts dropped ones too
        for k in range(count):
            append_point(manifolds, m, buffer, rows[k])
        manifolds.deepest[m] = buffer.deepest[patch]
        return
    # hull: six points; capsule: three; sphere: the deepest
    if max_points == OF_HULL:
        manifolds.deepest[m] = select_six(manifolds, m, buffer, rows, count)
        return
    first = deepest_index(buffer, rows, count, selected)
    selected[first] = True
    append_point(manifolds, m, buffer, rows[first])
    min_distance = buffer.distance[rows[first]]
    if max_points > 1:
        min_distance = _widen(manifolds, m, buffer, rows, count, selected, first, min_distance)
    manifolds.deepest[m] = min_distance


@scalar_code
def _widen(manifolds: Record, m: Integer, buffer: Record, rows: Array, count: Integer, selected: Array, first: Integer,
           min_distance: Scalar) -> Scalar:
    """Add the contact farthest from the deepest one, and the deepest of the others; return the least distance."""
    # farthest from the deepest, then the next deepest  (GuPersistentContactManifold.cpp, reduceBatchContactsCapsule)
    far, max_square = 0, -LARGEST
    for k in range(count):
        offset = sub(vector_at(buffer.local1, rows[k]), vector_at(buffer.local1, rows[first]))
        square = dot(offset, offset)
        if square > max_square:
            far, max_square = k, square
    selected[far] = True
    append_point(manifolds, m, buffer, rows[far])
    second = deepest_index(buffer, rows, count, selected)
    if second == NONE:
        second = far
    append_point(manifolds, m, buffer, rows[second])
    return min(min_distance, min(buffer.distance[rows[far]], buffer.distance[rows[second]]))
