"""Contact points of two convex cores by clipping their support faces (PhysX GuConvexSupport).

`contact_points` clips the faces or edges that two cores turn to each other, and keeps at most four points.
`add_to_patches` and `write_patches` sort the contacts of a core with many triangles into patches of one normal, of up
to four points each (GuContactConvexCoreMesh.cpp).
"""

from __future__ import annotations

import math

import numpy as np

from physx_runtime.arrays import Array, Integer, Record, Records, Scalar, Vec3
from physx_runtime.collision.convex_core.support import MAX_FACE_POINTS, ConvexCore, support_face, widest_four
from physx_runtime.collision.manifold.persistent import write_contact
from physx_runtime.collision.scalar_math import dot, tangents
from physx_runtime.collision.simd_math import (
    HALF,
    LARGEST,
    ONE,
    add,
    cross,
    negated,
    scaled,
    set_vector,
    sub,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

SLACK = np.float32(1e-5)
MERGE_SQUARED = np.float32(1e-6)            # square length in every unit: points of two edges nearer than that are one
MAX_PLANES = 2 * 6                 # an edge or a diagonal of either face
MAX_CLIPPED_POINTS = 4 + MAX_PLANES + 1


@scalar_code
def contact_points(core0: ConvexCore, core1: ConvexCore, point0: Vec3, point1: Vec3, axis: Vec3, points: Array,
                   gaps: Array) -> Integer:
    """Fill in up to four points half-way between two shapes and their separations; return their number.

    point0, point1: closest points of the shapes; axis: the unit vector from shape 1 to shape 0.
    """
    # faces: support face of each core towards the other  (GuConvexSupport.cpp, generateContacts)
    face0, face1 = np.empty((MAX_FACE_POINTS, 3), np.float32), np.empty((MAX_FACE_POINTS, 3), np.float32)
    count0, normal0 = support_face(core0, negated(axis), point0, face0)
    count1, normal1 = support_face(core1, axis, point1, face1)
    middle = scaled(add(point0, point1), HALF)
    # a corner on either side: one contact half-way between the closest points
    if count0 < 2 or count1 < 2:
        return _single_contact(middle, dot(axis, sub(point0, point1)), points, gaps)
    # two edges: parallel ones overlap along a stretch, others meet in a point
    if count0 == 2 and count1 == 2:
        if abs(dot(cross(sub(vector_at(face0, 1), vector_at(face0, 0)), sub(vector_at(face1, 1), vector_at(face1, 0))),
                   axis)) > SLACK:
            return _single_contact(middle, dot(axis, sub(point0, point1)), points, gaps)
        return _edge_edge_contacts(face0, face1, axis, points, gaps)
    # polygon of both faces, clipped by the side planes of each
    polygon = np.empty((MAX_CLIPPED_POINTS, 3), np.float32)
    count = _first_polygon(face0, count0, face1, count1, axis, middle, polygon)
    planes = np.empty((MAX_PLANES, 4), np.float32)
    plane_count = _add_side_planes(face1, count1, axis, planes, _add_side_planes(face0, count0, axis, planes, 0))
    for i in range(plane_count):
        count = _clip_by_plane(planes[i], polygon, count)
    set_vector(polygon, count, middle)
    return _midpoint_contacts(face0, normal0, face1, normal1, axis, polygon, count + 1, points, gaps)


@scalar_code
def _single_contact(point: Vec3, gap: Scalar, points: Array, gaps: Array) -> Integer:
    set_vector(points, 0, point)
    gaps[0] = gap
    return 1


@scalar_code
def _edge_edge_contacts(edge0: Array, edge1: Array, axis: Vec3, points: Array, gaps: Array) -> Integer:
    """Add each end of one edge that projects onto the other; of coincident ends the deeper one stays."""
    count = 0
    # end of edge 0 on edge 1, and the other way round
    for i in range(2):
        end = vector_at(edge0, i)
        is_inside, foot = _foot_on(edge1, end)
        if is_inside:
            set_vector(points, count, scaled(add(end, foot), HALF))
            gaps[count] = dot(axis, sub(end, foot))
            count += 1
    for i in range(2):
        end = vector_at(edge1, i)
        is_inside, foot = _foot_on(edge0, end)
        if is_inside:
            set_vector(points, count, scaled(add(foot, end), HALF))
            gaps[count] = dot(axis, sub(foot, end))
            count += 1
    return _merge_contacts(points, gaps, count)


@scalar_code
def _foot_on(edge: Array, point: Vec3) -> tuple[bool, Vec3]:
    start, end = vector_at(edge, 0), vector_at(edge, 1)
    # t = (p - a) . (b - a) / |b - a|^2, inside for 0 <= t <= 1
    edge_vector, off = sub(end, start), sub(point, start)
    if not (dot(off, edge_vector) > -SLACK and dot(sub(point, end), sub(start, end)) > -SLACK):
        return False, start
    inverse = ONE / dot(edge_vector, edge_vector)
    return True, add(start, scaled(scaled(edge_vector, dot(edge_vector, off)), inverse))


@scalar_code
def _merge_contacts(points: Array, gaps: Array, count: Integer) -> Integer:
    # coincident points: the deeper one stays
    for i in range(count - 1, -1, -1):
        for j in range(i - 1, -1, -1):
            offset = sub(vector_at(points, i), vector_at(points, j))
            if dot(offset, offset) < MERGE_SQUARED:
                if gaps[i] < gaps[j]:
                    set_vector(points, j, vector_at(points, i))
                    gaps[j] = gaps[i]
                count -= 1
                set_vector(points, i, vector_at(points, count))
                gaps[i] = gaps[count]
                break
    return count


@scalar_code
def _add_side_planes(face: Array, count: Integer, axis: Vec3, planes: Array, plane_count: Integer) -> Integer:
    """Add the side planes of a face along the axis; return the number of planes."""
    if count < 3:
        return plane_count
    # side plane n = (v_j - v_i) x axis where all other corners lie on one side
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
            set_vector(planes, plane_count, negated(normal))
            planes[plane_count, 3] = dot(normal, start)
            plane_count += 1
    return plane_count


@scalar_code
def _first_polygon(face0: Array, count0: Integer, face1: Array, count1: Integer, axis: Vec3, middle: Vec3,
                   polygon: Array) -> Integer:
    """Fill in the edge of a shape without a face, otherwise a rectangle around both faces; return its size."""
    if count0 == 2 or count1 == 2:
        for i in range(2):
            set_vector(polygon, i, vector_at(face0, i) if count0 == 2 else vector_at(face1, i))
        return 2
    # bounding rectangle of both faces across the axis
    x, y = tangents(axis)
    low_x, high_x, low_y, high_y = LARGEST, -LARGEST, LARGEST, -LARGEST
    for i in range(count0 + count1):
        point = vector_at(face0, i) if i < count0 else vector_at(face1, i - count0)
        at_x, at_y = dot(point, x), dot(point, y)
        low_x, high_x, low_y, high_y = min(low_x, at_x), max(high_x, at_x), min(low_y, at_y), max(high_y, at_y)
    middle_x, middle_y = dot(middle, x), dot(middle, y)
    for i in range(4):
        to_x = (low_x if i in (0, 3) else high_x) - middle_x
        to_y = (low_y if i < 2 else high_y) - middle_y
        set_vector(polygon, i, add(add(middle, scaled(x, to_x)), scaled(y, to_y)))
    return 4


@scalar_code
def _clip_by_plane(plane: Array, polygon: Array, count: Integer) -> Integer:
    """Clip a polygon by a plane (Sutherland-Hodgman); return the number of points."""
    heights = np.empty(MAX_CLIPPED_POINTS, np.float32)
    before = polygon.copy()
    # Sutherland-Hodgman: h_i = n . p_i + d, keep h >= 0, cut at t = h0 / (h0 - h1)
    for i in range(count):
        heights[i] = plane[0] * before[i, 0] + plane[1] * before[i, 1] + plane[2] * before[i, 2] + plane[3]
    size = 0
    for i in range(count):
        j = (i + 1) % count
        h0, h1 = heights[i], heights[j]
        if h0 > -SLACK:
            set_vector(polygon, size, vector_at(before, i))
            size += 1
            crosses = h1 < -SLACK and h0 - h1 > SLACK
        else:
            crosses = h1 > -SLACK and h1 - h0 > SLACK
        if crosses:
            start = vector_at(before, i)
            set_vector(polygon, size, add(start, scaled(sub(vector_at(before, j), start), h0 / (h0 - h1))))
            size += 1
    return size


@scalar_code
def _midpoint_contacts(face0: Array, normal0: Vec3, face1: Array, normal1: Vec3, axis: Vec3, polygon: Array,
                       count: Integer, points: Array, gaps: Array) -> Integer:
    """Fill in the four points that span the largest area, the deepest first, each half-way between both faces."""
    # p0, p1 = projections along the axis to both faces, contact (p0 + p1) / 2, gap axis . (p0 - p1)
    off0, off1 = dot(negated(normal0), vector_at(face0, 0)), dot(negated(normal1), vector_at(face1, 0))
    candidates, gap = np.empty((MAX_CLIPPED_POINTS, 3), np.float32), np.empty(MAX_CLIPPED_POINTS, np.float32)
    deepest = 0
    for i in range(count):
        point = vector_at(polygon, i)
        on0, on1 = _project_to_plane(point, axis, normal0, off0), _project_to_plane(point, axis, normal1, off1)
        set_vector(candidates, i, scaled(add(on0, on1), HALF))
        gap[i] = dot(axis, sub(on0, on1))
        if gap[i] < gap[deepest]:
            deepest = i
    first, other = vector_at(candidates, 0), vector_at(candidates, deepest)
    set_vector(candidates, 0, other)
    set_vector(candidates, deepest, first)
    gap[0], gap[deepest] = gap[deepest], gap[0]
    selected = np.empty(4, np.int64)
    # at most four contacts, the deepest first  (GuConvexSupport.h, reducePolygon)
    size = widest_four(candidates, count, axis, selected)
    for i in range(size):
        set_vector(points, i, vector_at(candidates, selected[i]))
        gaps[i] = gap[selected[i]]
    return size


@scalar_code
def _project_to_plane(point: Vec3, axis: Vec3, normal: Vec3, off: Scalar) -> Vec3:
    """A point moved along the axis into a plane."""
    # p' = p - axis (n . p + d) / (axis . n)
    height = normal[0] * point[0] + normal[1] * point[1] + normal[2] * point[2] + off
    return sub(point, scaled(scaled(axis, height), ONE / dot(axis, normal)))


MAX_PATCHES, MAX_PATCH_POINTS = 16, 4
ONE_NORMAL = np.float32(0.999)

PATCHES = np.dtype([
    ("count", "i4"),
    ("normal", "f4", (MAX_PATCHES, 3)),
    ("points", "i4", MAX_PATCHES),
    ("point", "f4", (MAX_PATCHES, MAX_PATCH_POINTS, 3)),
    ("gap", "f4", (MAX_PATCHES, MAX_PATCH_POINTS)),
], align=True)


@scalar_code
def add_to_patches(patches: Record, point: Vec3, normal: Vec3, gap: Scalar) -> None:
    """Add a contact to the patch of its normal, or as a new patch."""
    # patches of normals within 2.6 degrees  (GuContactConvexCoreMesh.cpp, contactConvexCoreTrimesh)
    for i in range(patches.count):
        if dot(vector_at(patches.normal, i), normal) >= ONE_NORMAL:
            _add_to_patch(patches, i, point, gap)
            return
    index = patches.count
    if index < MAX_PATCHES:
        patches.count += 1
    else:
        index = _patch_to_replace(patches, normal)
    if index >= 0:
        set_vector(patches.normal, index, normal)
        patches.points[index] = 1
        set_vector(patches.point[index], 0, point)
        patches.gap[index, 0] = gap


@scalar_code
def write_patches(patches: Record, contacts: Records, at: Integer) -> Integer:
    """Write the contacts, patch by patch; return the next free row."""
    for i in range(patches.count):
        normal = vector_at(patches.normal, i)
        for k in range(patches.points[i]):
            at = write_contact(contacts, at, vector_at(patches.point[i], k), normal, patches.gap[i, k])
    return at


@scalar_code
def _add_to_patch(patches: Record, patch: Integer, point: Vec3, gap: Scalar) -> None:
    """Keep the four points that span the largest area; the deepest one comes first."""
    # insert by depth, then reduce to four
    count = patches.points[patch]
    points, gaps = np.empty((MAX_PATCH_POINTS + 1, 3), np.float32), np.empty(MAX_PATCH_POINTS + 1, np.float32)
    selected, index = np.empty(MAX_PATCH_POINTS, np.int64), 0
    while index < count and gap > patches.gap[patch, index]:
        set_vector(points, index, vector_at(patches.point[patch], index))
        gaps[index] = patches.gap[patch, index]
        index += 1
    set_vector(points, index, point)
    gaps[index] = gap
    for k in range(index, count):
        set_vector(points, k + 1, vector_at(patches.point[patch], k))
        gaps[k + 1] = patches.gap[patch, k]
    size = widest_four(points, count + 1, vector_at(patches.normal, patch), selected)
    for k in range(size):
        set_vector(patches.point[patch], k, vector_at(points, selected[k]))
        patches.gap[patch, k] = gaps[selected[k]]
    patches.points[patch] = size


@scalar_code
def _patch_to_replace(patches: Record, normal: Vec3) -> Integer:
    """The shallower of the two patches with the closest normals, or -1 where the new normal is closer to one."""
    # of the two most similar normals the shallower patch gives way
    new_similarity, max_similarity, first, second = -LARGEST, -LARGEST, 0, 0
    for i in range(MAX_PATCHES):
        new_similarity = max(new_similarity, dot(normal, vector_at(patches.normal, i)))
        for k in range(i + 1, MAX_PATCHES):
            similarity = dot(vector_at(patches.normal, i), vector_at(patches.normal, k))
            if similarity > max_similarity:
                max_similarity, first, second = similarity, i, k
    if new_similarity > max_similarity:
        return -1
    return first if _deepest(patches, first) > _deepest(patches, second) else second


@scalar_code
def _deepest(patches: Record, patch: Integer) -> Scalar:
    min_gap = patches.gap[patch, 0]
    for k in range(1, patches.points[patch]):
        min_gap = min(min_gap, patches.gap[patch, k])
    return min_gap
