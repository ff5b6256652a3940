"""Contacts of two hulls, or a box and a hull (PhysX GuPCMContactConvexConvex, GuPCMContactGenBoxConvex).

`convex_convex` runs GJK and EPA, and rebuilds the manifold from faces when points are lost. `min_overlap_of_faces` and
`min_overlap_of_edges` are the separating axis test: face normals, and cross products of edges that face each other.
`points_over_face` clips the face of one hull by that of the other.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from physx_runtime.arrays import Array, Frame, Integer, Matrix3, Pose, Record, Records, Scalar, Vec3
from physx_runtime.collision.bounds import scale_of, size_of
from physx_runtime.collision.manifold.persistent import (
    BOX_MARGIN,
    Points,
    add_manifold_point,
    add_point,
    are_boxes_invalidated,
    box_margin,
    hull_margin,
    local_normal,
    new_points,
    reduce_to_four,
    refresh,
    store_pose,
    store_rotations,
    world_normal,
    write_points_on_1,
)
from physx_runtime.collision.narrow_phase.polygons import (
    WITNESS_MARGIN,
    area,
    box_hull,
    contains,
    face_normal,
    incident_face,
    rotate_rows,
    rotation_to_z,
    witness_face,
    write_face_vertices,
)
from physx_runtime.collision.pcm.closest_points import GJK_CONTACT, GJK_DEGENERATE, GJK_NON_INTERSECT, closest_points
from physx_runtime.collision.pcm.simplex import (
    GjkConvex,
    box_core,
    dot_scalar,
    hull_core,
    interval,
    support_vertex,
    vertex_of,
)
from physx_runtime.collision.shapes import BOX, Hull, Hulls
from physx_runtime.collision.simd_math import (
    EPSILON,
    LARGEST,
    ONE,
    ZERO,
    add,
    by_matrix,
    by_transposed,
    cross,
    dot,
    frame_of,
    from_frame,
    half_rotated,
    min_component,
    negated,
    over,
    relative,
    scaled,
    set_vector,
    sub,
    times,
    to_frame,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code


class PolygonalData(NamedTuple):
    """One side of the test: a hull or a box, with its faces."""

    core: GjkConvex
    hull: Hull          # of a box its faces
    inverse: Vec3     # 1 over the scale
    center: Vec3      # of mass
    inner_half: Vec3  # half extents of an inner box and radius of an inner sphere; 0 for a scaled hull
    inner_radius: Scalar


@scalar_code
def points_over_face(poly0: PolygonalData, face0: Integer, poly1: PolygonalData, face1: Integer, frame: Frame,
                     contact_distance: Scalar,
                     points: Points) -> None:
    """Add points of face 1 over face 0: local0 on side 1, local1 on side 0, with the normal of face 0.

    frame: of side 0 in side 1. Distances are along that normal.
    """
    # reference face turned to z = level; heights of the incident polygon over it
    # (GuPCMContactGenBoxConvex.cpp, generatedContacts)
    normal = face_normal(poly0.hull, face0, poly0.inverse)
    m = rotation_to_z(normal)
    vertices0 = np.empty((poly0.hull.spans[face0, 1], 3), np.float32)
    count0 = write_face_vertices(poly0.hull, face0, poly0.core.scale, vertices0)
    rotate_rows(m, vertices0, count0)
    level = vertices0[0, 2]
    vertices1 = np.empty((poly1.hull.spans[face1, 1], 3), np.float32)
    count1 = write_face_vertices(poly1.hull, face1, poly1.core.scale, vertices1)
    on_plane = vector_at(vertices1, 0)
    heights, near = np.empty(count1, np.float32), np.empty(count1, np.bool_)
    # incident corners inside the reference face
    inside = 0
    for i in range(count1):
        vertex = vector_at(vertices1, i)
        x, y, z = by_matrix(m, to_frame(frame, vertex))
        heights[i], near[i] = z - level, level + contact_distance > z
        set_vector(vertices1, i, (x, y, level))
        if near[i] and contains(vertices0, count0, EPSILON, x, y):
            inside += 1
            add_point(points, vertex, by_transposed(m, (x, y, level)), normal, heights[i])
    if inside == count1:
        return
    # reference corners inside the incident face, then edge crossings
    if _add_covered(vertices0, count0, vertices1, count1, m, normal, on_plane,
                    face_normal(poly1.hull, face1, poly1.inverse), frame, contact_distance, points):
        return
    for i in range(count1):
        j = i - 1 if i > 0 else count1 - 1
        if near[i] or near[j]:
            for k in range(count0):
                _add_crossing(vertices0, k, k - 1 if k > 0 else count0 - 1, vertices1, i, j, heights, level, m, normal,
                              frame, contact_distance, points)


@scalar_code
def _add_covered(vertices0: Array, count0: Integer, vertices1: Array, count1: Integer, m: Matrix3, normal: Vec3,
                 on_plane: Vec3, facing: Vec3, frame: Frame, contact_distance: Scalar, points: Points) -> bool:
    """Add the corners of face 0 that face 1 covers; return whether it covers all of them."""
    # t = n1 . (v1 - p) / (n1 . n0): along the reference normal to the incident plane
    normal1, inside = by_matrix(frame[1], normal), 0
    for i in range(count0):
        if contains(vertices1, count1, EPSILON, vertices0[i, 0], vertices0[i, 1]):
            vertex = by_transposed(m, vector_at(vertices0, i))
            at = from_frame(frame, vertex)
            gap = dot(facing, sub(on_plane, at)) / dot(facing, normal1)
            if not gap > contact_distance:
                inside += 1
                add_point(points, add(scaled(normal1, gap), at), vertex, normal, gap)
    return bool(inside == count0)


@scalar_code
def _add_crossing(vertices0: Array, k: Integer, h: Integer, vertices1: Array, i: Integer, j: Integer, heights: Array,
                  level: Scalar, m: Matrix3, normal: Vec3, frame: Frame, contact_distance: Scalar,
                  points: Points) -> None:
    """Add the point where edge i-j of face 1 crosses edge k-h of face 0, in projection along the normal."""
    # bounds of both edges overlap
    for axis in range(2):
        if min(vertices1[i, axis], vertices1[j, axis]) > max(vertices0[k, axis], vertices0[h, axis]) or (
                min(vertices0[k, axis], vertices0[h, axis]) > max(vertices1[i, axis], vertices1[j, axis])):
            return
    # signed areas: the ends of each edge lie on both sides of the other
    a1, a2 = area(vertices0, k, vertices0, h, vertices1, i), area(vertices0, k, vertices0, h, vertices1, j)
    if not a1 * a2 < ZERO:
        return
    a3, a4 = area(vertices1, i, vertices1, j, vertices0, k), area(vertices1, i, vertices1, j, vertices0, h)
    if not a3 * a4 < ZERO:
        return
    start = (vertices1[i, 0], vertices1[i, 1], heights[i] + level)
    end = (vertices1[j, 0], vertices1[j, 1], heights[j] + level)
    # point = start - (end - start) a1 / (a2 - a1)
    x, y, z = sub(start, scaled(sub(end, start), a1 / (a2 - a1)))
    gap = z - level
    if not gap > contact_distance:
        add_point(points, from_frame(frame, by_transposed(m, (x, y, z))), by_transposed(m, (x, y, level)), normal, gap)


@scalar_code
def swap_shapes(points: Points, normal: Vec3) -> None:
    """Exchange the points of both sides, and set one normal for all."""
    for i in range(points.count[0]):
        # reference was shape 0: exchange local points, turn the normal
        a, b = vector_at(points.local0, i), vector_at(points.local1, i)
        set_vector(points.local0, i, b)
        set_vector(points.local1, i, a)
        set_vector(points.normal, i, normal)


@scalar_code
def polygonal_data(core: GjkConvex, hull: Hull) -> PolygonalData:
    """A side from its core and its faces; hull: for a box, its faces."""
    inverse = over(ONE, core.scale)
    center = hull.center[0] * core.scale[0], hull.center[1] * core.scale[1], hull.center[2] * core.scale[2]
    # inner box and ball bound the support from inside; unscaled hulls have them alone
    plain = core.scale == (ONE, ONE, ONE)
    inner = hull.inner_half if plain else (ZERO, ZERO, ZERO)
    return PolygonalData(core, hull, inverse, center, inner, hull.inner_radius if plain else ZERO)


SAME_AXIS = np.float32(0.9999)
MAX_AXES = 256
ZERO_VECTOR = (ZERO, ZERO, ZERO)


@scalar_code
def min_overlap_of_faces(poly0: PolygonalData, poly1: PolygonalData, into1: Frame, into0: Frame,
                         contact_distance: Scalar) -> tuple[bool, Scalar, Integer, Vec3]:
    """Whether the hulls are close along all face normals of side 0; the least overlap, its face and its normal.

    into1: the frame of side 0 in side 1; into0: that of side 1 in side 0.
    """
    # face normals: overlap = high0 - low1  (GuPCMContactGenBoxConvex.cpp, testFaceNormal)
    min_overlap, face, axis = LARGEST, 0, ZERO_VECTOR
    center = from_frame(into0, poly1.center)
    for i in range(len(poly0.hull.planes)):
        plane = vector_at(poly0.hull.planes, i)
        # n = S^-1 n_hull / |S^-1 n_hull|
        stretched = times(plane, poly0.inverse)
        size = ONE / math.sqrt(dot(stretched, stretched))
        low0 = dot(plane, vector_at(poly0.hull.vertices, poly0.hull.spans[i, 2])) * size
        high0 = -poly0.hull.planes[i, 3] * size
        normal = scaled(stretched, size)
        normal1 = by_matrix(into1[1], normal)
        radius, middle = _inner_extent(poly1, normal1), dot(center, normal)
        # an axis whose inner intervals overlap more than the best one cannot be better
        if min(high0, middle + radius) - max(low0, middle - radius) > min_overlap:
            continue
        low1, high1 = interval(poly1.core, normal1)
        offset = dot(into0[0], normal)
        low1, high1 = offset + low1, offset + high1
        # separated: low1 > high0 + contactDist or low0 > high1 + contactDist
        if low1 > high0 + contact_distance or low0 > high1 + contact_distance:
            return False, min_overlap, face, axis
        if min_overlap > high0 - low1:
            min_overlap, face, axis = high0 - low1, i, normal
    return True, min_overlap, face, axis


@scalar_code
def min_overlap_of_edges(poly0: PolygonalData, poly1: PolygonalData, into1: Frame, into0: Frame,
                         contact_distance: Scalar, min_overlap: Scalar) -> tuple[bool, bool, Vec3]:
    """Whether the hulls are close along all products of edges; whether one overlaps less than faces, and its axis."""
    # edge products of edges that face each other  (GuPCMContactGenBoxConvex.cpp, buildPartialHull)
    center_offset = sub(from_frame(into0, poly1.center), poly0.center)
    back = by_matrix(into1[1], negated(center_offset))
    end0 = vertex_of(poly0.core, support_vertex(poly0.core, center_offset))
    end1 = vertex_of(poly1.core, support_vertex(poly1.core, back))
    axes0, axes1 = np.empty((MAX_AXES, 3), np.float32), np.empty((MAX_AXES, 3), np.float32)
    count0 = _edges_facing(poly0, from_frame(into0, end1), center_offset, axes0)
    count1 = _edges_facing(poly1, from_frame(into1, end0), back, axes1)
    less, axis = False, ZERO_VECTOR
    for i in range(count0):
        for j in range(count1):
            # n = e0 x e1 / |e0 x e1|  (GuPCMContactGenBoxConvex.cpp, testEdgeNormal)
            product = cross(vector_at(axes0, i), by_matrix(into0[1], vector_at(axes1, j)))
            square = dot(product, product)
            if square < EPSILON:
                continue
            normal = scaled(product, ONE / math.sqrt(square))
            normal1 = by_matrix(into1[1], normal)
            radius0, radius1, middle = _inner_extent(poly0, normal), _inner_extent(poly1, normal1), dot(center_offset,
                                                                                                        normal)
            if min(radius0, middle + radius1) - max(-radius0, middle - radius1) > min_overlap:
                continue
            low0, high0 = interval(poly0.core, normal)
            low1, high1 = interval(poly1.core, normal1)
            offset = dot(into0[0], normal)
            low1, high1 = offset + low1, offset + high1
            if low1 > high0 + contact_distance or low0 > high1 + contact_distance:
                return False, less, axis
            if min_overlap > high0 - low1:
                min_overlap, less, axis = high0 - low1, True, normal
    return True, less, axis


@scalar_code
def _inner_extent(poly: PolygonalData, direction: Vec3) -> Scalar:
    """A lower bound of the extent of a hull along a direction, from its centre."""
    # support of the inner box or the inner ball, the larger
    half = poly.inner_half
    vertex = (half[0] if direction[0] > ZERO else -half[0], half[1] if direction[1] > ZERO else -half[1],
              half[2] if direction[2] > ZERO else -half[2])
    return max(dot(direction, vertex), poly.inner_radius)


@scalar_code
def _edges_facing(poly: PolygonalData, point: Vec3, offset: Vec3, axes: Array) -> Integer:
    """Write the directions of edges that reach beyond a point, each once; return their number."""
    # edges with an end beyond the other hull's support point  (GuPCMContactGenBoxConvex.cpp, buildPartialHull)
    direction, count = unit(offset), 0
    for face in range(len(poly.hull.spans)):
        vertices = np.empty((poly.hull.spans[face, 1], 3), np.float32)
        size = write_face_vertices(poly.hull, face, poly.core.scale, vertices)
        for k in range(size):
            a, b = vector_at(vertices, k - 1 if k > 0 else size - 1), vector_at(vertices, k)
            if dot(direction, sub(a, point)) > ZERO or dot(direction, sub(b, point)) > ZERO:
                edge = sub(a, b)
                length = math.sqrt(dot_scalar(edge, edge))
                edge = scaled(edge, ONE / length) if length > ZERO else ZERO_VECTOR
                is_duplicate = count == MAX_AXES
                for i in range(count):
                    is_duplicate = is_duplicate or abs(dot_scalar(edge, vector_at(axes, i))) > SAME_AXIS
                if not is_duplicate:
                    set_vector(axes, count, edge)
                    count += 1
    return count


CONVEX_BREAKING, CONVEX_REPLACE = np.float32(0.8), np.float32(0.05)      # of the smaller margin
SAME_NORMAL = np.float32(0.70710677)           # cosine: points with another normal are dropped
RELIABLE_COSINE = np.float32(0.9999)           # of the last direction, for points of a stalled search to count
OUTWARD_COSINE = np.float32(0.707)             # and between its normal and the line between the centres


@scalar_code
def convex_convex(pair: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose, hulls: Hulls,
                  contacts: Records, at: Integer) -> Integer:
    poly0, margin0 = _polygonal_data(shape0, hulls, pair.tolerance_length)
    poly1, margin1 = _polygonal_data(shape1, hulls, pair.tolerance_length)
    # breaking 0.8 of the margin  (GuPCMContactConvexConvex.cpp, pcmContactConvexConvex)
    pose, margin, before = relative(pose0, pose1), min(margin0, margin1), pair.points
    frame = frame_of(pose)
    lost = refresh(pair, frame, margin * CONVEX_BREAKING)
    if not (lost or are_boxes_invalidated(pair, pose, pose0[1], pose1[1], margin, _radius(shape0, poly0),
                                          _radius(shape1, poly1))):
        if pair.points == 0:
            return at
        return write_points_on_1(pair, pose1, world_normal(pair, pose1), contacts, at)
    store_pose(pair, pose)
    store_rotations(pair, pose0[1], pose1[1])
    # GJK from the last simplex, EPA where they overlap
    closest = closest_points(pair, poly0.core, frame, poly1.core, frame[0], pair.contact_distance)
    status, normal = closest.status, closest.normal
    if status == GJK_NON_INTERSECT:
        return at
    mean = local_normal(pair)
    known = status == GJK_CONTACT or (status == GJK_DEGENERATE and _is_reliable(poly0, frame, poly1, normal,
                                                                                       closest.direction))
    # replace distance 0.05 of the margin  (GuPCMContactConvexConvex.cpp, generateOrProcessContactsConvexConvex)
    if known:
        add_manifold_point(pair, to_frame(frame, closest.point0), closest.point1, normal, closest.distance,
                           margin * CONVEX_REPLACE)
        # measured: PhysX adds to a single point, and rebuilds more than one
        if before == 1 and dot(mean, normal) >= SAME_NORMAL:
            return write_points_on_1(pair, pose1, unit(half_rotated(pose1[1], add(mean, normal))), contacts, at)
    # (GuPCMContactConvexConvex.cpp, fullContactsGenerationConvexConvex)
    back, points = frame_of(relative(pose1, pose0)), new_points()
    if known:
        _add_witness_points(pair, poly0, poly1, frame, back, normal, closest.point0, closest.point1, points)
    elif not _add_min_overlap_points(poly0, poly1, frame, back, pair.contact_distance, points):
        return at
    if points.count[0] > 0:
        reduce_to_four(pair, points)
    elif not known:
        return at
    return write_points_on_1(pair, pose1, world_normal(pair, pose1), contacts, at)


@scalar_code
def _polygonal_data(shape: Record, hulls: Hulls, tolerance_length: Scalar) -> tuple[PolygonalData, Scalar]:
    """A side, and its margin."""
    if shape.kind == BOX:
        size = size_of(shape)
        return polygonal_data(box_core(size, hulls), box_hull(size, hulls)), box_margin(size, tolerance_length)
    core = hull_core(hulls, shape.geometry, scale_of(shape))
    return polygonal_data(core, core.hull), hull_margin(core.hull, core.scale, tolerance_length)


@scalar_code
def _radius(shape: Record, poly: PolygonalData) -> Scalar:
    """From the centre of a shape to a corner of the box inside it."""
    half = size_of(shape) if shape.kind == BOX else times(poly.hull.inner_half, poly.core.scale)
    return math.sqrt(dot(half, half))


@scalar_code
def _is_reliable(poly0: PolygonalData, frame: Frame, poly1: PolygonalData, normal: Vec3, last: Vec3) -> bool:
    """Whether the points of a stalled search count."""
    # normal of a stalled search: within 0.8 degrees of its last direction and 45 of the centres' line
    center_direction = unit(sub(from_frame(frame, poly0.center), poly1.center))
    return bool(dot(last, normal) > RELIABLE_COSINE and dot(center_direction, normal) > OUTWARD_COSINE)


@scalar_code
def _witness_margin(poly: PolygonalData) -> Scalar:
    if poly.core.kind == BOX:
        return min_component(poly.core.half) * BOX_MARGIN
    return min_component(times(poly.hull.inner_half, poly.core.scale)) * WITNESS_MARGIN


@scalar_code
def _add_witness_points(pair: Record, poly0: PolygonalData, poly1: PolygonalData, frame: Frame, back: Frame,
                        normal: Vec3, point0: Vec3,
                        point1: Vec3, points: Points) -> None:
    """Clip the faces of two closest points, with the one that is more perpendicular to the normal as reference."""
    # witness faces; the one straighter to the normal is the reference
    # (GuPCMContactGenBoxConvex.cpp, addGJKEPAContacts)
    normal1, normal0 = negated(normal), by_transposed(frame[1], normal)
    length, contact_distance = pair.tolerance_length, pair.contact_distance
    face1 = witness_face(poly1.hull, poly1.inverse, normal1, point1, _witness_margin(poly1), length)
    face0 = witness_face(poly0.hull, poly0.inverse, normal0, to_frame(frame, point0), _witness_margin(poly0), length)
    up1, up0 = face_normal(poly1.hull, face1, poly1.inverse), face_normal(poly0.hull, face0, poly0.inverse)
    if abs(dot(up1, normal1)) >= abs(dot(up0, normal0)):
        points_over_face(poly1, face1, poly0, face0, back, contact_distance, points)
    else:
        points_over_face(poly0, face0, poly1, face1, frame, contact_distance, points)
        swap_shapes(points, negated(by_matrix(frame[1], up0)))


@scalar_code
def _add_min_overlap_points(poly0: PolygonalData, poly1: PolygonalData, frame: Frame, back: Frame,
                            contact_distance: Scalar, points: Points) -> bool:
    """Add points of the faces of least overlap, or else of the edges; return False if the hulls are apart."""
    # least overlap of faces 0, faces 1, then edges  (GuPCMContactGenBoxConvex.cpp, computeMTD)
    within, overlap0, face0, axis0 = min_overlap_of_faces(poly0, poly1, frame, back, contact_distance)
    if not within:
        return False
    within, overlap1, face1, axis1 = min_overlap_of_faces(poly1, poly0, back, frame, contact_distance)
    if not within:
        return False
    if overlap0 > overlap1:
        other = incident_face(poly0.hull, poly0.core.scale, by_matrix(back[1], axis1))
        points_over_face(poly1, face1, poly0, other, back, contact_distance, points)
    else:
        axis = by_matrix(frame[1], axis0)
        other = incident_face(poly1.hull, poly1.core.scale, axis)
        points_over_face(poly0, face0, poly1, other, frame, contact_distance, points)
        swap_shapes(points, negated(axis))
    if points.count[0] > 0:
        return True
    # edges decide only where the faces make no contact
    within, less, axis = min_overlap_of_edges(poly0, poly1, frame, back, contact_distance, min(overlap0, overlap1))
    if within and less:
        face0 = incident_face(poly0.hull, poly0.core.scale, negated(axis))
        face1 = incident_face(poly1.hull, poly1.core.scale, by_matrix(frame[1], axis))
        points_over_face(poly1, face1, poly0, face0, back, contact_distance, points)
    return bool(within)
