"""Which of many contacts of one normal are kept: five of a face and a triangle, six of a manifold."""

from __future__ import annotations

from typing import Any

import numpy as np

from physx_runtime.collision.meshes.manifolds import NONE, copy_made, deepest_of, take
from physx_runtime.collision.reduction import across, extremes, furthest
from physx_runtime.collision.vectors import EPSILON, LARGEST, ZERO, Number, cross, dot, sub, vector_at
from physx_runtime.compiling.numba_functions import scalar_code

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
