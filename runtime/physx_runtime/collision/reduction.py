"""Four of many points, chosen as PhysX does: the deepest, the one furthest from it, and both extremes beside that line.

Candidates lie in the rows of arrays (points in shape 1, distances) and are named by row.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physx_runtime.collision.simplex import nearest_of_segment, nearest_of_triangle
from physx_runtime.collision.vectors import LARGEST, ONE, ZERO, Number, Vector, cross, divided, dot, sub, vector_at
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
