"""Contacts of boxes and hulls with meshes (PhysX GuPCMContactConvexMesh, GuPCMTriangleContactGen).

`convex_mesh` updates the manifolds of a pair and rebuilds them triangle by triangle. `min_overlap_axis` is the
separating axis test of a hull and a triangle: face normals and cross products of edges. `points_of_faces` clips the
face of the hull and the triangle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from physx_runtime.arrays import Array, Condition, Frame, Integer, Matrix3, Pose, Record, Records, Scalar, Vec3
from physx_runtime.collision.bounds import scale_of, size_of
from physx_runtime.collision.manifold.multi import (
    CONTACT_BUFFER,
    add_contact,
    copy_contact,
    drop_duplicates,
    is_invalidated,
    join_patch,
    refresh_all,
    reset_manifolds,
    world_normal_of,
)
from physx_runtime.collision.manifold.persistent import BOX_MARGIN, MAX_HULL_MARGIN, hull_margin, write_contact
from physx_runtime.collision.manifold.reduction import (
    OF_FACE,
    OF_HULL,
    REDUCE_THRESHOLD,
    process_contacts,
    reduce_to_five,
)
from physx_runtime.collision.meshes.active_edges import EDGE_CACHE, cache_edge, cache_vertex, has_edge, has_vertex
from physx_runtime.collision.meshes.triangle_mesh import EDGE_01, EDGE_12, EDGE_20, Meshes, corner_of, triangles_in_box
from physx_runtime.collision.narrow_phase.convex_convex import PolygonalData, polygonal_data
from physx_runtime.collision.narrow_phase.polygons import (
    NO_FACE,
    area,
    box_hull,
    contains,
    face_normal,
    incident_faces,
    rotate_rows,
    rotation_to_z,
    write_face_vertices,
)
from physx_runtime.collision.pcm.simplex import box_core, hull_core, interval
from physx_runtime.collision.shapes import BOX, Hulls
from physx_runtime.collision.simd_math import (
    EPSILON,
    HALF,
    LARGEST,
    ONE,
    ZERO,
    by_matrix,
    by_transposed,
    cross,
    dot,
    frame_of,
    from_frame,
    min_component,
    negated,
    reciprocal_root,
    relative,
    scaled,
    set_vector,
    sub,
    times,
    to_frame,
    transform,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

TRIANGLE, FACE, EDGE, DEFERRED, NO_AXIS = 0, 1, 2, 3, -1        # kinds of axes; DEFERRED: a face that comes last
PARALLEL = np.float32(1e-6)


class Triangle(NamedTuple):
    """A triangle in the frame of a hull."""

    a: Vec3
    b: Vec3
    c: Vec3
    normal: Vec3


@scalar_code
def triangle_of(a: Vec3, b: Vec3, c: Vec3) -> Triangle:
    """A triangle from its corners."""
    return Triangle(a, b, c, unit(cross(sub(b, a), sub(c, a))))


@scalar_code
def min_overlap_axis(poly: PolygonalData, triangle: Triangle, flags: Integer,
                     contact_distance: Scalar) -> tuple[Integer, Integer, Vec3]:
    """The kind of the axis of least overlap, its face of the hull, and the axis; NO_AXIS where they are apart."""
    # overlap along the triangle's normal  (GuPCMTriangleContactGen.cpp, testTriangleFaceNormal)
    height = dot(triangle.normal, triangle.a)
    low, high = interval(poly.core, triangle.normal)
    if low > height + contact_distance or height > high + contact_distance:
        return NO_AXIS, 0, triangle.normal
    min_overlap, kind, axis = (height - low) - EPSILON, TRIANGLE, triangle.normal
    # overlap along the hull's faces  (GuPCMTriangleContactGen.cpp, testPolyFaceNormal)
    within, overlap, face, normal = _of_faces(poly, triangle, contact_distance)
    if not within:
        return NO_AXIS, 0, axis
    if min_overlap > overlap + EPSILON:
        min_overlap, kind, axis = overlap, FACE, normal
    # overlap along products of edges  (GuPCMTriangleContactGen.cpp, testPolyEdgeNormal)
    within, less, edge_axis = _of_edges(poly, triangle, flags, contact_distance, min_overlap)
    if not within:
        return NO_AXIS, 0, axis
    if less:
        return EDGE, face, edge_axis
    return kind, face, axis


@scalar_code
def _of_faces(poly: PolygonalData, triangle: Triangle, contact_distance: Scalar) -> tuple[bool, Scalar, Integer, Vec3]:
    """Whether both are close along all face normals of the hull; the least overlap, its face and normal."""
    # overlap = high - lowest, n = S^-1 n_hull / |S^-1 n_hull| with the estimate of 1 / sqrt
    min_overlap, face, axis = LARGEST, 0, triangle.normal
    plain = poly.core.scale == (1.0, 1.0, 1.0)
    for i in range(len(poly.hull.planes)):
        normal = vector_at(poly.hull.planes, i)
        low, high = dot(normal, vector_at(poly.hull.vertices, poly.hull.spans[i, 2])), -poly.hull.planes[i, 3]
        if not plain:
            stretched = times(normal, poly.inverse)
            size = reciprocal_root(dot(stretched, stretched))
            low, high, normal = low * size, high * size, scaled(stretched, size)
        lowest, highest = _span(triangle, normal)
        if lowest > high + contact_distance or low > highest + contact_distance:
            return False, min_overlap, face, axis
        if min_overlap > high - lowest:
            min_overlap, face, axis = high - lowest, i, normal
    return True, min_overlap, face, axis


@scalar_code
def _span(triangle: Triangle, direction: Vec3) -> tuple[Scalar, Scalar]:
    """The interval of a triangle along a direction."""
    # [min, max] of n . v
    a, b, c = dot(triangle.a, direction), dot(triangle.b, direction), dot(triangle.c, direction)
    return min(a, min(b, c)), max(a, max(b, c))


@scalar_code
def _of_edges(poly: PolygonalData, triangle: Triangle, flags: Integer, contact_distance: Scalar,
              min_overlap: Scalar) -> tuple[bool, bool, Vec3]:
    """Whether both are close along all products of edges; whether one overlaps less than faces, and its axis."""
    # (GuPCMTriangleContactGen.cpp, testPolyEdgeNormalBruteForce)
    axes, axis, less = np.empty((3, 3), np.float32), triangle.normal, False
    a, b, c = times(triangle.a, poly.inverse), times(triangle.b, poly.inverse), times(triangle.c, poly.inverse)
    count = _active_edges(a, b, c, flags, axes)
    if count == 0:
        return True, False, axis
    facing, hull = unit(cross(sub(b, a), sub(c, a))), poly.hull
    for face in range(len(hull.spans)):
        if dot(vector_at(hull.planes, face), facing) > ZERO:
            continue
        first, vertex_count = hull.spans[face, 0], hull.spans[face, 1]
        for k in range(vertex_count):
            before = hull.corners[first + (k - 1 if k > 0 else vertex_count - 1)]
            edge = sub(vector_at(hull.vertices, before), vector_at(hull.vertices, hull.corners[first + k]))
            # e0 x e1 towards the front of the triangle, both senses
            for j in range(count):
                product = cross(edge, vector_at(axes, j))
                flat = abs(product[0]) < PARALLEL and abs(product[1]) < PARALLEL and abs(product[2]) < PARALLEL
                if flat or not dot(product, facing) > ZERO:
                    continue
                normal = unit(times(product, poly.inverse))
                lowest, highest = _span(triangle, normal)
                low, high = interval(poly.core, normal)
                if low > highest + contact_distance or lowest > high + contact_distance:
                    return False, less, axis
                if min_overlap > highest - low:
                    min_overlap, axis, less = highest - low, normal, True
                if min_overlap > high - lowest:
                    min_overlap, axis, less = high - lowest, negated(normal), True
    return True, less, axis


@scalar_code
def _active_edges(a: Vec3, b: Vec3, c: Vec3, flags: Integer, axes: Array) -> Integer:
    """Write the active edges of a triangle; return their number."""
    # an edge is active as its flag says
    count = 0
    if flags & EDGE_20:
        set_vector(axes, count, sub(c, a))
        count += 1
    if flags & EDGE_01:
        set_vector(axes, count, sub(a, b))
        count += 1
    if flags & EDGE_12:
        set_vector(axes, count, sub(b, c))
        count += 1
    return count


@scalar_code
def points_of_faces(buffer: Record, poly: PolygonalData, face: Integer, triangle: Triangle, normal: Vec3,
                    over: Condition, contact_distance: Scalar) -> None:
    """Add contacts of a face and a triangle; over: the triangle is the reference and has the normal, else the face.

    Contacts are in the frame of the hull: local0 on the hull, local1 on the triangle.
    """
    # reference polygon turned to z = level  (GuPCMTriangleContactGen.cpp, generatedTriangleContacts)
    m, polygon, triangle_vertices = rotation_to_z(normal), np.empty((poly.hull.spans[face, 1], 3),
                                                                    np.float32), _triangle_vertices(triangle)
    count = write_face_vertices(poly.hull, face, poly.core.scale, polygon)
    facing, start = (face_normal(poly.hull, face, poly.inverse), vector_at(polygon, 0)) if over else (
        triangle.normal, triangle.a)
    below, above = (triangle_vertices, polygon) if over else (polygon, triangle_vertices)
    count_below, count_above = (3, count) if over else (count, 3)
    origin = vector_at(below, 0)
    rotate_rows(m, below, count_below)
    level, inside = below[0, 2], 0
    heights, near = np.empty(count_above, np.float32), np.empty(count_above, np.bool_)
    # incident corners inside the reference polygon: gap = n . (v - p)
    for i in range(count_above):
        vertex = vector_at(above, i)
        x, y, z = by_matrix(m, vertex)
        heights[i], near[i] = z - level, level + contact_distance > z
        set_vector(above, i, (x, y, level))
        if near[i] and contains(below, count_below, EPSILON, x, y):
            inside += 1
            gap = dot(normal, sub(vertex, origin))
            _add_point_pair(buffer, over, sub(vertex, scaled(normal, gap)), vertex, normal, gap)
    if inside == count_above:
        return
    # reference corners inside the incident polygon
    inside = 0
    for i in range(count_below):
        if contains(above, count_above, EPSILON, below[i, 0], below[i, 1]):
            point = by_transposed(m, vector_at(below, i))
            height = dot(facing, point) - dot(facing, start)
            upper = sub(point, scaled(facing, height))
            on_triangle = over or (not height > contact_distance and _is_on(upper, triangle))
            inside += on_triangle
            if on_triangle and not height > contact_distance:
                _add_point_pair(buffer, over, point, upper, normal, dot(sub(upper, point), normal))
    if inside == count_below:
        return
    # edge crossings
    for e in range(3):
        for f in range(count):
            k, i = (e, f) if over else (f, e)
            h, j = k - 1 if k > 0 else count_below - 1, i - 1 if i > 0 else count_above - 1
            if near[i] or near[j]:
                _add_crossing(buffer, over, below, k, h, above, i, j, heights, level, m, normal, contact_distance)


@scalar_code
def _add_point_pair(buffer: Record, over: Condition, lower: Vec3, upper: Vec3, normal: Vec3, gap: Scalar) -> None:
    # the normal points to the hull
    """Add a contact of a lower and an upper point; over: the upper one is on the hull."""
    if over:
        add_contact(buffer, upper, lower, normal, gap)
    else:
        add_contact(buffer, lower, upper, negated(normal), gap)


@scalar_code
def _triangle_vertices(triangle: Triangle) -> Array:
    rows = np.empty((3, 3), np.float32)
    set_vector(rows, 0, triangle.a)
    set_vector(rows, 1, triangle.b)
    set_vector(rows, 2, triangle.c)
    return rows


@scalar_code
def _is_on(p: Vec3, triangle: Triangle) -> bool:
    # v >= 0, w >= 0, v + w <= 1
    v, w = barycentric(p, triangle)
    return bool(v >= ZERO and w >= ZERO and v + w <= ONE)


@scalar_code
def barycentric(p: Vec3, triangle: Triangle) -> tuple[Scalar, Scalar]:
    """The barycentric coordinates of corners b and c for a point of a triangle."""
    # weights = areas opposite to the corners
    a, b, c = triangle.a, triangle.b, triangle.c
    n, pa, pb, pc = cross(sub(b, a), sub(c, a)), sub(a, p), sub(b, p), sub(c, p)
    va, vb, vc = dot(n, cross(pb, pc)), dot(n, cross(pc, pa)), dot(n, cross(pa, pb))
    total = va + (vb + vc)
    inverse = ZERO if total == ZERO else ONE / total
    return vb * inverse, vc * inverse


@scalar_code
def _add_crossing(buffer: Record, over: Condition, below: Array, k: Integer, h: Integer, above: Array, i: Integer,
                  j: Integer, heights: Array, level: Scalar, m: Matrix3, normal: Vec3,
                  contact_distance: Scalar) -> None:
    """Add the crossing of the upper edge i-j and the lower edge k-h, in projection along the normal."""
    # bounds overlap, both ends of each edge lie on both sides of the other
    for axis in range(2):
        if min(above[i, axis], above[j, axis]) > max(below[k, axis], below[h, axis]) or (
                min(below[k, axis], below[h, axis]) > max(above[i, axis], above[j, axis])):
            return
    a1, a2 = area(below, k, below, h, above, i), area(below, k, below, h, above, j)
    if not a1 * a2 < ZERO or not area(above, i, above, j, below, k) * area(above, i, above, j, below, h) < ZERO:
        return
    start = (above[i, 0], above[i, 1], heights[i] + level)
    end = (above[j, 0], above[j, 1], heights[j] + level)
    x, y, z = sub(start, scaled(sub(end, start), a1 * (ONE / (a2 - a1))))
    if not z - level > contact_distance:
        _add_point_pair(buffer, over, by_transposed(m, (x, y, level)), by_transposed(m, (x, y, z)), normal, z - level)


HULL_INVALIDATE, HULL_BREAKING, HULL_REPLACE = np.float32(0.2), np.float32(0.8), np.float32(0.05)       # of the margin
FACE_COSINE = np.float32(0.70710677)        # cosine between a face and a triangle, which then has the normal
VERTEX_WEIGHT = np.float32(0.97)            # barycentric coordinate above which a point counts as the corner
PROCESS_THRESHOLD = 16


@scalar_code
def convex_mesh(pair: Record, manifolds: Record, shape0: Record, pose0: Pose, shape1: Record, pose1: Pose, hulls: Hulls,
                meshes: Meshes, contacts: Records, at: Integer) -> Integer:
    # invalidate 0.2, breaking 0.8, replace 0.05 of the margin  (GuPCMContactConvexMesh.cpp, PCMContactConvexMesh)
    pose = relative(pose0, pose1)
    poly, margin, center, half = _polygonal_data(shape0, hulls, pair.tolerance_length)
    if is_invalidated(manifolds, pose, margin * HULL_INVALIDATE):
        reset_manifolds(manifolds, pose)
        # triangles in the hull's box and its contact offset
        inflated = half[0] + pair.contact_distance, half[1] + pair.contact_distance, half[2] + pair.contact_distance
        candidates = triangles_in_box(meshes, shape1.geometry, frame_of(pose), center, inflated)
        _generate(np.zeros(1, CONTACT_BUFFER), np.zeros(1, EDGE_CACHE), manifolds, poly,
                  frame_of(relative(pose1, pose0)), meshes,
                  shape1.geometry, candidates, pair.contact_distance, margin * HULL_REPLACE)
    else:
        refresh_all(manifolds, frame_of(pose), margin * HULL_BREAKING)
    # every manifold has a normal of its own
    for m in range(manifolds.count):
        normal = world_normal_of(manifolds, m, pose1)
        for i in range(manifolds.points[m]):
            at = write_contact(contacts, at, transform(pose1, vector_at(manifolds.local1[m], i)), normal,
                               manifolds.distance[m, i])
    return at


@scalar_code
def _polygonal_data(shape: Record, hulls: Hulls, tolerance_length: Scalar) -> tuple[PolygonalData, Scalar, Vec3, Vec3]:
    """The hull, its margin, and the centre and half extents of its bounds."""
    # margin of a box and of a hull; bounds for the search
    if shape.kind == BOX:
        size = size_of(shape)
        margin = min(min_component(size) * BOX_MARGIN, tolerance_length * MAX_HULL_MARGIN)
        return polygonal_data(box_core(size, hulls), box_hull(size, hulls)), margin, (ZERO, ZERO, ZERO), size
    core, row = hull_core(hulls, shape.geometry, scale_of(shape)), hulls.hulls[shape.geometry]
    low, high = times((row.low[0], row.low[1], row.low[2]), core.scale), times(
        (row.high[0], row.high[1], row.high[2]), core.scale)
    middle = (low[0] + high[0]) * HALF, (low[1] + high[1]) * HALF, (low[2] + high[2]) * HALF
    margin = hull_margin(core.hull, core.scale, tolerance_length)
    return polygonal_data(core, core.hull), margin, middle, scaled(sub(high, low), HALF)


@scalar_code
def _generate(buffers: Records, edge_caches: Records, manifolds: Record, poly: PolygonalData, frame: Frame,
              meshes: Meshes, row: Integer, candidates: Array, contact_distance: Scalar,
              merge_distance: Scalar) -> None:
    """Rebuild the manifolds, in memory kept by the caller: a record does not keep its array alive.

    frame: of the mesh in the hull. candidates: triangles. merge_distance: closer contacts are one.
    """
    # triangle by triangle; faces of the hull as normal come last, where no edge was cached
    # (GuPCMContactConvexCommon.cpp, processTriangle)
    buffer, edge_cache, limit = buffers[0], edge_caches[0], merge_distance * merge_distance
    count, i = len(candidates), 0
    center, deferred, deferred_count = to_frame(frame, poly.center), np.empty((count, 2), np.int64), 0
    while i < count + deferred_count:
        is_deferred, first = i >= count, buffer.contacts
        k = deferred[i - count, 0] if is_deferred else candidates[i]
        vertices, flags = meshes.triangles[k], meshes.flags[k]
        triangle, kind, face, axis = _in_hull(meshes, row, k, frame), NO_AXIS, 0, center
        if is_deferred:
            if _is_uncached(edge_cache, vertices, flags):
                kind, face = DEFERRED, deferred[i - count, 1]
        elif _faces(meshes, row, k, center):
            kind, face, axis = min_overlap_axis(poly, triangle, flags, contact_distance)
            # face normal more than 45 degrees off the triangle: deferred  (GuPCMContactConvexCommon.h)
            if kind == FACE and not dot(negated(axis), triangle.normal) > FACE_COSINE:
                kind, deferred[deferred_count, 0], deferred[deferred_count, 1] = NO_AXIS, k, face
                deferred_count += 1
        if kind != NO_AXIS:
            normal = _collide_triangle(buffer, poly, triangle, kind, face, axis, contact_distance)
            if is_deferred:
                _drop_cached_vertices(buffer, first, edge_cache, vertices, triangle)
            elif buffer.contacts > first:
                _cache_edges(edge_cache, vertices, flags)
            if buffer.contacts > first:
                _finish_contacts(buffer, first, normal, frame, limit)
        i += 1
        # every 16 contacts become manifold points  (GuPCMContactConvexCommon.h, processContacts)
        if buffer.contacts >= PROCESS_THRESHOLD or i == count + deferred_count:
            process_contacts(manifolds, buffer, limit, OF_HULL)


@scalar_code
def _faces(meshes: Meshes, row: Integer, k: Integer, center: Vec3) -> bool:
    """Whether a point is on the outer side of a triangle."""
    # n . (c - a) >= 0
    a, b, c = corner_of(meshes, row, k, 0), corner_of(meshes, row, k, 1), corner_of(meshes, row, k, 2)
    normal = unit(cross(sub(b, a), sub(c, a)))
    return bool(dot(center, normal) - dot(a, normal) >= ZERO)


@scalar_code
def _in_hull(meshes: Meshes, row: Integer, k: Integer, frame: Frame) -> Triangle:
    return triangle_of(from_frame(frame, corner_of(meshes, row, k, 0)), from_frame(frame, corner_of(meshes, row, k, 1)),
                       from_frame(frame, corner_of(meshes, row, k, 2)))


@scalar_code
def _collide_triangle(buffer: Record, poly: PolygonalData, triangle: Triangle, kind: Integer, face: Integer, axis: Vec3,
                      contact_distance: Scalar) -> Vec3:
    """Add the contacts of a triangle for its axis of least overlap; return their normal."""
    # incident face, and a second one beside it where the triangle is the reference
    # (GuPCMTriangleContactGen.cpp, generateTriangleFullContactManifold)
    second_face, over, normal = NO_FACE, kind in (TRIANGLE, FACE), triangle.normal
    if kind in (TRIANGLE, EDGE):
        face, second_face = incident_faces(poly.hull, poly.core.scale, axis)
    if not over:
        second_face, normal = NO_FACE, face_normal(poly.hull, face, poly.inverse)
    while face != NO_FACE:
        first = buffer.contacts
        points_of_faces(buffer, poly, face, triangle, normal, over, contact_distance)
        reduce_to_five(buffer, first, REDUCE_THRESHOLD)
        face, second_face = second_face, NO_FACE
    return normal if over else negated(normal)


@scalar_code
def _cache_edges(edge_cache: Record, vertices: Array, flags: Integer) -> None:
    """Cache the corners and the inactive edges of a triangle."""
    # inactive edges and corners are cached: no other triangle makes contacts there
    for k in range(3):
        if not flags & (1 << k):
            cache_edge(edge_cache, vertices[k], vertices[(k + 1) % 3])
    for k in range(3):
        cache_vertex(edge_cache, vertices[k])


@scalar_code
def _is_uncached(edge_cache: Record, vertices: Array, flags: Integer) -> bool:
    """Whether all edges of a triangle are active or not cached."""
    cached = False
    for k in range(3):
        cached = cached or (not flags & (1 << k) and has_edge(edge_cache, vertices[k], vertices[(k + 1) % 3]))
    return not cached


@scalar_code
def _drop_cached_vertices(buffer: Record, first: Integer, edge_cache: Record, vertices: Array,
                          triangle: Triangle) -> None:
    """Drop contacts at cached corners of a triangle."""
    # weight of a corner > 0.97: contact at a cached corner
    for i in range(buffer.contacts - 1, first - 1, -1):
        v, w = barycentric(vector_at(buffer.local1, i), triangle)
        corner = 1 if v > VERTEX_WEIGHT else 2 if w > VERTEX_WEIGHT else 0 if v + w <= ONE - VERTEX_WEIGHT else -1
        if corner >= 0 and has_vertex(edge_cache, vertices[corner]):
            buffer.contacts -= 1
            for k in range(i, buffer.contacts):
                copy_contact(buffer, k + 1, k)


@scalar_code
def _finish_contacts(buffer: Record, first: Integer, normal: Vec3, frame: Frame, limit: Scalar) -> None:
    """Add the contacts from `first` on, of one normal in the hull, to the last patch or to a new one."""
    # at most five, one at a place, then into a patch  (GuPCMContactConvexCommon.cpp, addContactsToPatch)
    reduce_to_five(buffer, first, OF_FACE + 1)
    drop_duplicates(buffer, first, limit)
    mesh_normal, deepest = by_transposed(frame[1], normal), LARGEST
    for i in range(first, buffer.contacts):
        set_vector(buffer.normal, i, mesh_normal)
        set_vector(buffer.local1, i, to_frame(frame, vector_at(buffer.local1, i)))
        deepest = min(deepest, buffer.distance[i])
    join_patch(buffer, first, mesh_normal, deepest, limit)
