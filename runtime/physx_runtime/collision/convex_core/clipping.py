"""Contact patches of two convex cores by clipping.

Contact points of two cores: where the faces or edges that they turn to each other overlap.

Contacts of a core with many triangles, sorted into patches of one normal as they come, up to four points each.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physx_runtime.collision.convex_core.support import MOST_FACE_POINTS, ConvexCore, face_towards, widest_four
from physx_runtime.collision.manifold.persistent import put_contact
from physx_runtime.collision.scalar_math import across, dot
from physx_runtime.collision.simd_math import (
    HALF,
    LARGEST,
    ONE,
    Number,
    Vector,
    add,
    cross,
    negated,
    put_vector,
    scaled,
    sub,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

SLACK = np.float32(1e-5)
ALIKE = np.float32(1e-6)            # square length in every unit: points of two edges nearer than that are one
MOST_PLANES = 2 * 6                 # an edge or a diagonal of either face
MOST_CLIPPED = 4 + MOST_PLANES + 1


@scalar_code
def contact_points(core0: ConvexCore, core1: ConvexCore, point0: Vector, point1: Vector, axis: Vector, points: Any,
                   gaps: Any) -> Any:
    """Fill in up to four points half-way between two shapes and their separations; how many.

    point0, point1: closest points of the shapes; axis: the unit vector from shape 1 to shape 0.
    """
    face0, face1 = np.empty((MOST_FACE_POINTS, 3), np.float32), np.empty((MOST_FACE_POINTS, 3), np.float32)
    count0, normal0 = face_towards(core0, negated(axis), point0, face0)
    count1, normal1 = face_towards(core1, axis, point1, face1)
    middle = scaled(add(point0, point1), HALF)
    if count0 < 2 or count1 < 2:
        return _one(middle, dot(axis, sub(point0, point1)), points, gaps)
    if count0 == 2 and count1 == 2:
        if abs(dot(cross(sub(vector_at(face0, 1), vector_at(face0, 0)), sub(vector_at(face1, 1), vector_at(face1, 0))),
                   axis)) > SLACK:
            return _one(middle, dot(axis, sub(point0, point1)), points, gaps)
        return _of_two_edges(face0, face1, axis, points, gaps)
    polygon = np.empty((MOST_CLIPPED, 3), np.float32)
    count = _first_polygon(face0, count0, face1, count1, axis, middle, polygon)
    planes = np.empty((MOST_PLANES, 4), np.float32)
    walls = _put_walls(face1, count1, axis, planes, _put_walls(face0, count0, axis, planes, 0))
    for i in range(walls):
        count = _cut(planes[i], polygon, count)
    put_vector(polygon, count, middle)
    return _between(face0, normal0, face1, normal1, axis, polygon, count + 1, points, gaps)


@scalar_code
def _one(point: Vector, gap: Number, points: Any, gaps: Any) -> Any:
    put_vector(points, 0, point)
    gaps[0] = gap
    return 1


@scalar_code
def _of_two_edges(edge0: Any, edge1: Any, axis: Vector, points: Any, gaps: Any) -> Any:
    """Each end of one edge that lies along the other; the deeper of ends that coincide."""
    count = 0
    for i in range(2):
        end = vector_at(edge0, i)
        found, foot = _foot_on(edge1, end)
        if found:
            put_vector(points, count, scaled(add(end, foot), HALF))
            gaps[count] = dot(axis, sub(end, foot))
            count += 1
    for i in range(2):
        end = vector_at(edge1, i)
        found, foot = _foot_on(edge0, end)
        if found:
            put_vector(points, count, scaled(add(foot, end), HALF))
            gaps[count] = dot(axis, sub(foot, end))
            count += 1
    return _merged(points, gaps, count)


@scalar_code
def _foot_on(edge: Any, point: Vector) -> tuple[bool, Vector]:
    start, end = vector_at(edge, 0), vector_at(edge, 1)
    along, off = sub(end, start), sub(point, start)
    if not (dot(off, along) > -SLACK and dot(sub(point, end), sub(start, end)) > -SLACK):
        return False, start
    inverse = ONE / dot(along, along)
    return True, add(start, scaled(scaled(along, dot(along, off)), inverse))


@scalar_code
def _merged(points: Any, gaps: Any, count: Any) -> Any:
    for i in range(count - 1, -1, -1):
        for j in range(i - 1, -1, -1):
            way = sub(vector_at(points, i), vector_at(points, j))
            if dot(way, way) < ALIKE:
                if gaps[i] < gaps[j]:
                    put_vector(points, j, vector_at(points, i))
                    gaps[j] = gaps[i]
                count -= 1
                put_vector(points, i, vector_at(points, count))
                gaps[i] = gaps[count]
                break
    return count


@scalar_code
def _put_walls(face: Any, count: Any, axis: Vector, planes: Any, walls: Any) -> Any:
    """Add the planes along the axis that enclose a face; how many there are then."""
    if count < 3:
        return walls
    for i in range(count):
        start = vector_at(face, i)
        for j in range(i + 1, count):
            normal = cross(sub(vector_at(face, j), start), axis)
            square = dot(normal, normal)
            if square < SLACK * SLACK:
                continue
            normal = scaled(normal, ONE / math.sqrt(square))
            beyond, within = 0, 0
            for k in range(count):
                if k not in (i, j):
                    if dot(sub(vector_at(face, k), start), normal) > SLACK:
                        beyond += 1
                    else:
                        within += 1
            if beyond and within:
                continue
            if beyond:
                normal = negated(normal)
            put_vector(planes, walls, negated(normal))
            planes[walls, 3] = dot(normal, start)
            walls += 1
    return walls


@scalar_code
def _first_polygon(face0: Any, count0: Any, face1: Any, count1: Any, axis: Vector, middle: Vector,
                   polygon: Any) -> Any:
    """The edge of a shape that has no face there, else a rectangle around both faces; how many points."""
    if count0 == 2 or count1 == 2:
        for i in range(2):
            put_vector(polygon, i, vector_at(face0, i) if count0 == 2 else vector_at(face1, i))
        return 2
    x, y = across(axis)
    low_x, high_x, low_y, high_y = LARGEST, -LARGEST, LARGEST, -LARGEST
    for i in range(count0 + count1):
        point = vector_at(face0, i) if i < count0 else vector_at(face1, i - count0)
        at_x, at_y = dot(point, x), dot(point, y)
        low_x, high_x, low_y, high_y = min(low_x, at_x), max(high_x, at_x), min(low_y, at_y), max(high_y, at_y)
    middle_x, middle_y = dot(middle, x), dot(middle, y)
    for i in range(4):
        to_x = (low_x if i in (0, 3) else high_x) - middle_x
        to_y = (low_y if i < 2 else high_y) - middle_y
        put_vector(polygon, i, add(add(middle, scaled(x, to_x)), scaled(y, to_y)))
    return 4


@scalar_code
def _cut(plane: Any, polygon: Any, count: Any) -> Any:
    """Keep of a polygon what lies on the inner side of a plane; how many points."""
    heights = np.empty(MOST_CLIPPED, np.float32)
    before = polygon.copy()
    for i in range(count):
        heights[i] = plane[0] * before[i, 0] + plane[1] * before[i, 1] + plane[2] * before[i, 2] + plane[3]
    kept = 0
    for i in range(count):
        j = (i + 1) % count
        h0, h1 = heights[i], heights[j]
        if h0 > -SLACK:
            put_vector(polygon, kept, vector_at(before, i))
            kept += 1
            crosses = h1 < -SLACK and h0 - h1 > SLACK
        else:
            crosses = h1 > -SLACK and h1 - h0 > SLACK
        if crosses:
            start = vector_at(before, i)
            put_vector(polygon, kept, add(start, scaled(sub(vector_at(before, j), start), h0 / (h0 - h1))))
            kept += 1
    return kept


@scalar_code
def _between(face0: Any, normal0: Vector, face1: Any, normal1: Vector, axis: Vector, polygon: Any, count: Any,
             points: Any, gaps: Any) -> Any:
    """The four points of a polygon that span most, the deepest first, each half-way between both faces."""
    off0, off1 = dot(negated(normal0), vector_at(face0, 0)), dot(negated(normal1), vector_at(face1, 0))
    found, gap = np.empty((MOST_CLIPPED, 3), np.float32), np.empty(MOST_CLIPPED, np.float32)
    deepest = 0
    for i in range(count):
        point = vector_at(polygon, i)
        on0, on1 = _onto(point, axis, normal0, off0), _onto(point, axis, normal1, off1)
        put_vector(found, i, scaled(add(on0, on1), HALF))
        gap[i] = dot(axis, sub(on0, on1))
        if gap[i] < gap[deepest]:
            deepest = i
    first, other = vector_at(found, 0), vector_at(found, deepest)
    put_vector(found, 0, other)
    put_vector(found, deepest, first)
    gap[0], gap[deepest] = gap[deepest], gap[0]
    chosen = np.empty(4, np.int64)
    kept = widest_four(found, count, axis, chosen)
    for i in range(kept):
        put_vector(points, i, vector_at(found, chosen[i]))
        gaps[i] = gap[chosen[i]]
    return kept


@scalar_code
def _onto(point: Vector, axis: Vector, normal: Vector, off: Number) -> Vector:
    """A point moved along the axis into a plane."""
    height = normal[0] * point[0] + normal[1] * point[1] + normal[2] * point[2] + off
    return sub(point, scaled(scaled(axis, height), ONE / dot(axis, normal)))


MOST_PATCHES, MOST_OF_PATCH = 16, 4
ONE_NORMAL = np.float32(0.999)

PATCHES = np.dtype([
    ("count", "i4"),
    ("normal", "f4", (MOST_PATCHES, 3)),
    ("points", "i4", MOST_PATCHES),
    ("point", "f4", (MOST_PATCHES, MOST_OF_PATCH, 3)),
    ("gap", "f4", (MOST_PATCHES, MOST_OF_PATCH)),
], align=True)


@scalar_code
def add_to_patches(patches: Any, point: Vector, normal: Vector, gap: Number) -> None:
    """Add a contact to the patch of its normal, or as a new patch."""
    for i in range(patches.count):
        if dot(vector_at(patches.normal, i), normal) >= ONE_NORMAL:
            _add_to(patches, i, point, gap)
            return
    place = patches.count
    if place < MOST_PATCHES:
        patches.count += 1
    else:
        place = _place_among(patches, normal)
    if place >= 0:
        put_vector(patches.normal, place, normal)
        patches.points[place] = 1
        put_vector(patches.point[place], 0, point)
        patches.gap[place, 0] = gap


@scalar_code
def put_patches(patches: Any, contacts: Any, at: Any) -> Any:
    """Write the contacts, patch by patch; the row of the next one."""
    for i in range(patches.count):
        normal = vector_at(patches.normal, i)
        for k in range(patches.points[i]):
            at = put_contact(contacts, at, vector_at(patches.point[i], k), normal, patches.gap[i, k])
    return at


@scalar_code
def _add_to(patches: Any, patch: Any, point: Vector, gap: Number) -> None:
    """Keep those four points that span most; the deepest one comes first."""
    count = patches.points[patch]
    points, gaps = np.empty((MOST_OF_PATCH + 1, 3), np.float32), np.empty(MOST_OF_PATCH + 1, np.float32)
    chosen, place = np.empty(MOST_OF_PATCH, np.int64), 0
    while place < count and gap > patches.gap[patch, place]:
        put_vector(points, place, vector_at(patches.point[patch], place))
        gaps[place] = patches.gap[patch, place]
        place += 1
    put_vector(points, place, point)
    gaps[place] = gap
    for k in range(place, count):
        put_vector(points, k + 1, vector_at(patches.point[patch], k))
        gaps[k + 1] = patches.gap[patch, k]
    kept = widest_four(points, count + 1, vector_at(patches.normal, patch), chosen)
    for k in range(kept):
        put_vector(patches.point[patch], k, vector_at(points, chosen[k]))
        patches.gap[patch, k] = gaps[chosen[k]]
    patches.points[patch] = kept


@scalar_code
def _place_among(patches: Any, normal: Vector) -> Any:
    """The shallower of those two patches that are most alike, or -1 where the new normal is more like one of them."""
    own, most, first, second = -LARGEST, -LARGEST, 0, 0
    for i in range(MOST_PATCHES):
        own = max(own, dot(normal, vector_at(patches.normal, i)))
        for k in range(i + 1, MOST_PATCHES):
            alike = dot(vector_at(patches.normal, i), vector_at(patches.normal, k))
            if alike > most:
                most, first, second = alike, i, k
    if own > most:
        return -1
    return first if _deepest(patches, first) > _deepest(patches, second) else second


@scalar_code
def _deepest(patches: Any, patch: Any) -> Number:
    least = patches.gap[patch, 0]
    for k in range(1, patches.points[patch]):
        least = min(least, patches.gap[patch, k])
    return least
