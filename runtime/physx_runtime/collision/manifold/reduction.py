"""Which points of a manifold stay.

Four of many points, chosen as PhysX does: the deepest, the one furthest from it, and both extremes beside that line.

Candidates lie in the rows of arrays (points in shape 1, distances) and are named by row.

Which of many contacts of one normal are kept: five of a face and a triangle, six of a manifold.

Contacts of triangles divided among the manifolds of a pair: one a normal, of the deepest and widest points.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physx_runtime.collision.manifold.multi import (
    MOST_MADE,
    MOST_MANIFOLDS,
    NONE,
    ONE_NORMAL,
    append_manifold,
    copy_made,
    deepest_of,
    link_patches,
    manifold_normal,
    rows_of,
    start,
    take,
)
from physx_runtime.collision.pcm.simplex import nearest_of_segment, nearest_of_triangle
from physx_runtime.collision.simd_math import (
    EPSILON,
    LARGEST,
    ONE,
    ZERO,
    Number,
    Vector,
    cross,
    divided,
    dot,
    sub,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

SHALLOW = np.float32(0.02)      # of the tolerance length: of points above and below, deeper ones replace chosen ones


@scalar_code
def across(points: Any, first: Any, second: Any, normal: Vector) -> Vector:
    """The direction in which points lie beside a line between two of them."""
    beside = cross(sub(vector_at(points, second), vector_at(points, first)), normal)
    square = dot(beside, beside)
    return divided(beside, math.sqrt(square)) if square > ZERO else normal


@scalar_code
def square_between(points: Any, i: Any, j: Any) -> Any:
    """The square of the distance of two points."""
    way = sub(vector_at(points, i), vector_at(points, j))
    return dot(way, way)


@scalar_code
def furthest(points: Any, candidates: Any, count: Any, first: Any) -> Any:
    """The place in the list of the candidate furthest from a point."""
    best, place = square_between(points, candidates[0], first), 0
    for i in range(1, count):
        square = square_between(points, candidates[i], first)
        if square > best:
            best, place = square, i
    return place


@scalar_code
def extremes(points: Any, candidates: Any, count: Any, first: Any, side: Vector) -> Any:
    """Places in the list of the furthest and nearest candidates along a direction, and how far both are."""
    high, low, place_high, place_low = -LARGEST, LARGEST, 0, 0
    origin = vector_at(points, first)
    for i in range(count):
        d = dot(sub(vector_at(points, candidates[i]), origin), side)
        if d > high:
            high, place_high = d, i
        if low > d:
            low, place_low = d, i
    return place_high, place_low, high, low


@scalar_code
def four_of_boxes(points: Any, distances: Any, count: Any, normal: Vector, tolerance_length: Number,
                  chosen: Any) -> None:
    """Choose four of more than four points of two boxes or hulls."""
    candidates = _all(count)
    deepest, highest = 0, distances[0]
    for i in range(1, count):
        highest = max(highest, distances[i])
        if distances[deepest] > distances[i]:
            deepest = i
    chosen[0] = deepest
    count -= 1
    candidates[deepest] = candidates[count]     # whatever is taken leaves its place to the last
    place = furthest(points, candidates, count, deepest)
    chosen[1] = candidates[place]
    count -= 1
    candidates[place] = candidates[count]
    side = across(points, deepest, chosen[1], normal)
    place, place_low, high, low = extremes(points, candidates, count, deepest, side)
    chosen[2], lowest = candidates[place], candidates[place_low]
    count -= 1
    candidates[place] = candidates[count]
    if place_low == count:
        place_low = place
    if low * high > ZERO:                       # all on one side: the furthest again
        place_low = extremes(points, candidates, count, deepest, side)[0]
        lowest = candidates[place_low]
    chosen[3] = lowest
    count -= 1
    candidates[place_low] = candidates[count]
    shallow = tolerance_length * SHALLOW
    if distances[deepest] < shallow and highest > shallow:
        _deepen(distances, candidates, count, shallow, chosen)


@scalar_code
def _deepen(distances: Any, candidates: Any, count: Any, shallow: Number, chosen: Any) -> None:
    """Exchange chosen points that are far off for candidates that are not."""
    for i in range(4):
        best, place = distances[chosen[i]], -1
        if best > shallow:
            for j in range(count):
                d = distances[candidates[j]]
                if best > d and d < shallow:
                    best, place = d, j
        if place >= 0:
            chosen[i], candidates[place] = candidates[place], chosen[i]


@scalar_code
def two_of(points: Any, distances: Any, first: Any, last: Any, chosen: Any) -> None:
    """Choose two of the points from one to before another: the deepest, and the furthest from it.

    The second gives way to the last of those nearer to it than to the deepest that is deeper.
    """
    deepest = first
    for i in range(first + 1, last):
        if distances[deepest] > distances[i]:
            deepest = i
    second = first
    for i in range(first + 1, last):
        if square_between(points, i, deepest) > square_between(points, second, deepest):
            second = i
    chosen[0], chosen[1] = deepest, second
    for i in range(first, last):
        if i not in (deepest, second) and distances[second] > distances[i] and (
                square_between(points, deepest, i) > square_between(points, second, i)):
            chosen[1] = i


@scalar_code
def four_of_plane(points: Any, distances: Any, count: Any, normal: Vector, chosen: Any) -> None:
    """Choose four of more than four points on a plane; each then gives way to the deepest of those nearest to it."""
    first = 0
    for i in range(1, count):
        if distances[first] > distances[i]:
            first = i
    everyone = _all(count)
    second = everyone[furthest(points, everyone, count, first)]
    side, left = across(points, first, second, normal), _without(everyone, first, second, -1)
    place_high, place_low, high, low = extremes(points, everyone, left, first, side)
    third, fourth = everyone[place_high], everyone[place_low]
    if low * high > ZERO:
        left = _without(everyone, first, second, third)
        fourth = everyone[extremes(points, everyone, left, first, side)[0]]
    centres = (first, second, third, fourth)
    for k in range(4):
        chosen[k] = centres[k]
    for i in range(count):
        if i in (first, second, third, fourth):
            continue
        best, nearest = LARGEST, 0
        for k in range(4):
            square = square_between(points, i, centres[k])
            if best > square:
                best, nearest = square, k
        if distances[chosen[nearest]] > distances[i]:
            chosen[nearest] = i


@scalar_code
def four_of_five(points0: Any, points: Any, distances: Any, chosen: Any) -> None:
    """Choose four of five points: the deepest, the furthest from it, from their line, from the triangle.

    The fifth takes the place of the one nearest to it on shape 0 where it is deeper.
    """
    candidates, first = _all(5), 4
    for i in range(4):
        if distances[first] > distances[i]:
            first = i
    _take(chosen, candidates, 0, first)
    for k in range(1, 4):
        best, place = -ONE, 0
        for i in range(5):
            if candidates[i] == i:
                square = _square_from(points, chosen, k, i)
                if square > best:
                    best, place = square, i
        _take(chosen, candidates, k, place)
    fifth, nearest, least = 0, 0, LARGEST
    for i in range(5):
        if candidates[i] == i:
            fifth = i
    for k in range(4):
        square = square_between(points0, chosen[k], fifth)
        if least > square:
            least, nearest = square, k
    if distances[chosen[nearest]] > distances[fifth]:
        chosen[nearest] = fifth


@scalar_code
def _take(chosen: Any, candidates: Any, k: Any, i: Any) -> None:
    chosen[k], candidates[i] = i, -1


@scalar_code
def _square_from(points: Any, chosen: Any, count: Any, i: Any) -> Any:
    """The square of the distance of a point from the first one, two or three chosen ones' hull."""
    point = vector_at(points, i)
    a = sub(vector_at(points, chosen[0]), point)
    if count == 1:
        return dot(a, a)
    b = sub(vector_at(points, chosen[1]), point)
    if count == 2:
        nearest = nearest_of_segment(a, b)[0]
        return dot(nearest, nearest)
    return nearest_of_triangle(a, b, sub(vector_at(points, chosen[2]), point))[1]


@scalar_code
def _all(count: Any) -> Any:
    candidates = np.empty(count, np.int64)
    for i in range(count):
        candidates[i] = i
    return candidates


@scalar_code
def _without(candidates: Any, first: Any, second: Any, third: Any) -> Any:
    """Move the candidates that are none of three to the front: how many."""
    count = 0
    for i in range(len(candidates)):
        if i not in (first, second, third):
            candidates[count] = i
            count += 1
    return count


OF_FACE, OF_HULL = 5, 6         # contacts of a face and a triangle, and of a manifold, at most
BEFORE_CHOICE = 16              # contacts of a face and a triangle, of which five are kept then


@scalar_code
def keep_few(made: Any, first: Any, many: Any) -> None:
    """Of the contacts from `first` on keep five whenever there come to be BEFORE_CHOICE, or once if `many` is less.

    Where less than six places differ, those are the first five rows.
    """
    while made.contacts - first >= many:
        last = made.contacts
        made.contacts = first + BEFORE_CHOICE if many == BEFORE_CHOICE else last
        waiting = made.contacts
        count = _without_equals(made, first)
        if count > OF_FACE:
            _put_five_first(made, first, count, last)
        made.contacts = first + OF_FACE
        for row in range(waiting, last):
            copy_made(made, row, made.contacts)
            made.contacts += 1


@scalar_code
def _without_equals(made: Any, first: Any) -> Any:
    """Move contacts of places of their own to the front: how many."""
    count, i = made.contacts - first, 0
    while i < count:
        a, j = vector_at(made.local1, first + i), i + 1
        while j < count:
            way = sub(a, vector_at(made.local1, first + j))
            if abs(way[0]) < EPSILON and abs(way[1]) < EPSILON and abs(way[2]) < EPSILON:
                count -= 1
                copy_made(made, first + count, first + j)
            else:
                j += 1
        i += 1
    return count


@scalar_code
def _put_five_first(made: Any, first: Any, count: Any, free: Any) -> None:
    """The deepest, the one furthest from it, both extremes beside their line, and the deepest of the others."""
    candidates, chosen = np.arange(first, first + count), np.empty(OF_FACE, np.int64)
    place = _deepest(made, candidates, count)
    chosen[0], count = _take_out(candidates, place, count)
    chosen[1], count = _take_out(candidates, furthest(made.local1, candidates, count, chosen[0]), count)
    line = sub(vector_at(made.local1, chosen[1]), vector_at(made.local1, chosen[0]))
    side = cross(line, vector_at(made.normal, chosen[0]))
    place, place_low, high, low = extremes(made.local1, candidates, count, chosen[0], side)
    chosen[2], count = _take_out(candidates, place, count)
    if place_low == count:
        place_low = place
    if low * high > ZERO:                       # all on one side: the furthest again
        place_low = extremes(made.local1, candidates, count, chosen[0], side)[0]
    chosen[3], count = _take_out(candidates, place_low, count)
    chosen[4] = candidates[_deepest(made, candidates, count)]
    for k in range(OF_FACE):
        copy_made(made, chosen[k], free + k)
    for k in range(OF_FACE):
        copy_made(made, free + k, first + k)


@scalar_code
def _deepest(made: Any, candidates: Any, count: Any) -> Any:
    best = 0
    for i in range(1, count):
        if made.distance[candidates[best]] > made.distance[candidates[i]]:
            best = i
    return best


@scalar_code
def _take_out(candidates: Any, place: Any, count: Any) -> tuple[Any, Any]:
    """A candidate, which leaves its place to the last, and how many are left."""
    taken = candidates[place]
    candidates[place] = candidates[count - 1]
    return taken, count - 1


@scalar_code
def take_six(kept: Any, m: Any, made: Any, rows: Any, count: Any) -> Number:
    """Fill a manifold with six of more contacts: the widest four and the deepest two of the others; the least distance.

    The first is the one furthest from the origin of the mesh.
    """
    chosen, least = np.zeros(count, np.bool_), LARGEST
    first, most = 0, -LARGEST
    for k in range(count):
        point = vector_at(made.local1, rows[k])
        if dot(point, point) > most:
            first, most = k, dot(point, point)
    second = furthest(made.local1, rows, count, rows[first])
    chosen[first] = chosen[second] = True
    side = across(made.local1, rows[first], rows[second], vector_at(made.normal, rows[first]))
    third, fourth, high, low = _extremes_left(made, rows, count, chosen, rows[first], side)
    chosen[third] = True
    if low * high > ZERO:
        fourth = _extremes_left(made, rows, count, chosen, rows[first], side)[0]
    chosen[fourth] = True
    for k in (first, second, third, fourth):
        take(kept, m, made, rows[k])
        least = min(least, made.distance[rows[k]])
    for _ in range(OF_HULL - 4):
        deepest = deepest_of(made, rows, count, chosen)
        if deepest != NONE:
            chosen[deepest] = True
            take(kept, m, made, rows[deepest])
            least = min(least, made.distance[rows[deepest]])
    return least


@scalar_code
def _extremes_left(made: Any, rows: Any, count: Any, chosen: Any, origin: Any, side: Any) -> tuple[Any, Any, Any, Any]:
    """As `extremes`, of rows that are not chosen yet."""
    left, places, found = np.empty(count, np.int64), np.empty(count, np.int64), 0
    for k in range(count):
        if not chosen[k]:
            left[found], places[found] = rows[k], k
            found += 1
    high, low, most, least = extremes(made.local1, left, found, origin, side)
    return places[high], places[low], most, least


OF_SPHERE, OF_CAPSULE = 1, 3        # points of a manifold at most


@scalar_code
def divide(kept: Any, made: Any, limit: Number, most: Any) -> None:
    """Move all contacts made so far into manifolds of `most` points at most, and forget them."""
    if made.contacts:
        link_patches(made, limit)
        known = kept.count
        for i in range(made.patches):
            patch = made.order[i]
            if made.root[patch] == patch and not _place(kept, known, made, patch, most):
                break
    start(made)


@scalar_code
def _place(kept: Any, known: Any, made: Any, patch: Any, most: Any) -> bool:
    """Put linked patches into the manifold of their normal, a new one or a shallower one's place.

    known: how many manifolds there were before these patches; where there were none, each gets one.
    """
    before, m, known_normal = kept.count, 0, False
    while m < before and known and not known_normal:
        known_normal = dot(vector_at(made.patch_normal, patch), unit(manifold_normal(kept, m))) >= ONE_NORMAL
        m += not known_normal
    full = not known_normal and before == MOST_MANIFOLDS
    if known_normal:
        append_manifold(made, kept, m, patch)
    elif full:
        m = 0
        for i in range(1, before):
            if kept.deepest[i] > kept.deepest[m]:
                m = i
    else:
        kept.count, m = before + 1, before
    if not full or kept.deepest[m] > made.deepest[patch]:
        _fill(kept, m, made, patch, most)
    return not full


@scalar_code
def _fill(kept: Any, m: Any, made: Any, patch: Any, most: Any) -> None:
    rows, chosen = np.zeros(MOST_MADE, np.int64), np.zeros(MOST_MADE, np.bool_)
    count = rows_of(made, patch, rows)
    kept.points[m] = 0
    if most > 1 and count <= most:      # as the wheel counts; the public source counts dropped ones, too
        for k in range(count):
            take(kept, m, made, rows[k])
        kept.deepest[m] = made.deepest[patch]
        return
    if most == OF_HULL:
        kept.deepest[m] = take_six(kept, m, made, rows, count)
        return
    first = deepest_of(made, rows, count, chosen)
    chosen[first] = True
    take(kept, m, made, rows[first])
    least = made.distance[rows[first]]
    if most > 1:
        least = _widen(kept, m, made, rows, count, chosen, first, least)
    kept.deepest[m] = least


@scalar_code
def _widen(kept: Any, m: Any, made: Any, rows: Any, count: Any, chosen: Any, first: Any, least: Number) -> Number:
    """Add the contact farthest from the deepest one, and the deepest of the others; the least distance of all."""
    far, most = 0, -LARGEST
    for k in range(count):
        way = sub(vector_at(made.local1, rows[k]), vector_at(made.local1, rows[first]))
        square = dot(way, way)
        if square > most:
            far, most = k, square
    chosen[far] = True
    take(kept, m, made, rows[far])
    second = deepest_of(made, rows, count, chosen)
    if second == NONE:
        second = far
    take(kept, m, made, rows[second])
    return min(least, min(made.distance[rows[far]], made.distance[rows[second]]))
