"""Contacts of hulls with meshes.

A box or a hull and a mesh: what of a face lies over each triangle in reach, or of the triangle over a face.

A hull and a triangle: the axis along which they overlap least, of the normals of faces and products of edges.

What of a face of a hull and a triangle lies over the other: corners of either, and crossings of their edges.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from physx_runtime.collision.bounds import scale_of, size_of
from physx_runtime.collision.manifold.multi import (
    MADE,
    begin_anew,
    copy_made,
    drop_alike,
    join_patch,
    moved_on,
    put_made,
    refresh_all,
    world_normal_of,
)
from physx_runtime.collision.manifold.persistent import BOX_MARGIN, MOST_HULL_MARGIN, hull_margin, put_contact
from physx_runtime.collision.manifold.reduction import BEFORE_CHOICE, OF_FACE, OF_HULL, divide, keep_few
from physx_runtime.collision.meshes.active_edges import SEEN, knows_corner, knows_edge, see_corner, see_edge
from physx_runtime.collision.meshes.triangle_mesh import EDGE_01, EDGE_12, EDGE_20, Meshes, corner_of, triangles_in_box
from physx_runtime.collision.narrow_phase.convex_convex import Side, side_of
from physx_runtime.collision.narrow_phase.polygons import (
    NO_FACE,
    area,
    box_hull,
    contains,
    face_normal,
    opposed_faces,
    put_corners_of,
    turn,
    turned_up,
)
from physx_runtime.collision.pcm.simplex import box_core, hull_core, interval
from physx_runtime.collision.shapes import BOX, Hulls
from physx_runtime.collision.simd_math import (
    EPSILON,
    HALF,
    LARGEST,
    ONE,
    ZERO,
    Frame,
    Matrix,
    Number,
    Pose,
    Vector,
    by_matrix,
    by_transposed,
    cross,
    dot,
    frame_of,
    into,
    least,
    negated,
    out_of,
    outward,
    put_vector,
    reciprocal_root,
    relative,
    scaled,
    sub,
    times,
    unit,
    vector_at,
)
from physx_runtime.compiling.numba_functions import scalar_code

TRIANGLE, FACE, EDGE, LATE, NO_AXIS = 0, 1, 2, 3, -1        # what the axis belongs to; LATE: a face put off
PARALLEL = np.float32(1e-6)


class Triangle(NamedTuple):
    """A triangle in the frame of a hull."""

    a: Vector
    b: Vector
    c: Vector
    normal: Vector


@scalar_code
def triangle_of(a: Vector, b: Vector, c: Vector) -> Triangle:
    """A triangle from its corners."""
    return Triangle(a, b, c, unit(cross(sub(b, a), sub(c, a))))


@scalar_code
def least_overlap(side: Side, triangle: Triangle, flags: Any, reach: Number) -> tuple[Any, Any, Vector]:
    """What the axis of least overlap belongs to, which face of the hull, and the axis; NO_AXIS where they are apart."""
    height = dot(triangle.normal, triangle.a)
    low, high = interval(side.core, triangle.normal)
    if low > height + reach or height > high + reach:
        return NO_AXIS, 0, triangle.normal
    least, kind, axis = (height - low) - EPSILON, TRIANGLE, triangle.normal
    within, overlap, face, normal = _of_faces(side, triangle, reach)
    if not within:
        return NO_AXIS, 0, axis
    if least > overlap + EPSILON:
        least, kind, axis = overlap, FACE, normal
    within, less, across = _of_edges(side, triangle, flags, reach, least)
    if not within:
        return NO_AXIS, 0, axis
    if less:
        return EDGE, face, across
    return kind, face, axis


@scalar_code
def _of_faces(side: Side, triangle: Triangle, reach: Number) -> tuple[bool, Number, Any, Vector]:
    """Whether both are within reach along the normals of faces; the least overlap, its face and normal."""
    least, found, axis = LARGEST, 0, triangle.normal
    plain = side.core.scale == (1.0, 1.0, 1.0)
    for i in range(len(side.hull.planes)):
        normal = vector_at(side.hull.planes, i)
        low, high = dot(normal, vector_at(side.hull.vertices, side.hull.spans[i, 2])), -side.hull.planes[i, 3]
        if not plain:
            stretched = times(normal, side.inverse)
            size = reciprocal_root(dot(stretched, stretched))
            low, high, normal = low * size, high * size, scaled(stretched, size)
        lowest, highest = _span(triangle, normal)
        if lowest > high + reach or low > highest + reach:
            return False, least, found, axis
        if least > high - lowest:
            least, found, axis = high - lowest, i, normal
    return True, least, found, axis


@scalar_code
def _span(triangle: Triangle, direction: Vector) -> tuple[Number, Number]:
    """How far a triangle reaches along a direction: the least and the most."""
    a, b, c = dot(triangle.a, direction), dot(triangle.b, direction), dot(triangle.c, direction)
    return min(a, min(b, c)), max(a, max(b, c))


@scalar_code
def _of_edges(side: Side, triangle: Triangle, flags: Any, reach: Number, least: Number) -> tuple[bool, bool, Vector]:
    """Whether both are within reach along products of edges; whether they overlap less there, and along which axis."""
    axes, axis, less = np.empty((3, 3), np.float32), triangle.normal, False
    a, b, c = times(triangle.a, side.inverse), times(triangle.b, side.inverse), times(triangle.c, side.inverse)
    count = _active_edges(a, b, c, flags, axes)
    if count == 0:
        return True, False, axis
    facing, hull = unit(cross(sub(b, a), sub(c, a))), side.hull
    for face in range(len(hull.spans)):
        if dot(vector_at(hull.planes, face), facing) > ZERO:
            continue
        first, corners = hull.spans[face, 0], hull.spans[face, 1]
        for k in range(corners):
            before = hull.corners[first + (k - 1 if k > 0 else corners - 1)]
            edge = sub(vector_at(hull.vertices, before), vector_at(hull.vertices, hull.corners[first + k]))
            for j in range(count):
                product = cross(edge, vector_at(axes, j))
                flat = abs(product[0]) < PARALLEL and abs(product[1]) < PARALLEL and abs(product[2]) < PARALLEL
                if flat or not dot(product, facing) > ZERO:
                    continue
                normal = unit(times(product, side.inverse))
                lowest, highest = _span(triangle, normal)
                low, high = interval(side.core, normal)
                if low > highest + reach or lowest > high + reach:
                    return False, less, axis
                if least > highest - low:
                    least, axis, less = highest - low, normal, True
                if least > high - lowest:
                    least, axis, less = high - lowest, negated(normal), True
    return True, less, axis


@scalar_code
def _active_edges(a: Vector, b: Vector, c: Vector, flags: Any, axes: Any) -> Any:
    """Write the active edges of a triangle: how many."""
    count = 0
    if flags & EDGE_20:
        put_vector(axes, count, sub(c, a))
        count += 1
    if flags & EDGE_01:
        put_vector(axes, count, sub(a, b))
        count += 1
    if flags & EDGE_12:
        put_vector(axes, count, sub(b, c))
        count += 1
    return count


@scalar_code
def points_of_faces(made: Any, side: Side, face: Any, triangle: Triangle, normal: Vector, over: Any,
                    reach: Number) -> None:
    """Add contacts along a normal: `over` the triangle and of its normal, else over the face and of that one's.

    They are in the frame of the hull: local0 on the hull, local1 on the triangle.
    """
    m, polygon, corners = turned_up(normal), np.empty((side.hull.spans[face, 1], 3), np.float32), _corners(triangle)
    count = put_corners_of(side.hull, face, side.core.scale, polygon)
    facing, start = (face_normal(side.hull, face, side.inverse), vector_at(polygon, 0)) if over else (
        triangle.normal, triangle.a)
    below, above = (corners, polygon) if over else (polygon, corners)
    count_below, count_above = (3, count) if over else (count, 3)
    origin = vector_at(below, 0)
    turn(m, below, count_below)
    level, inside = below[0, 2], 0
    heights, near = np.empty(count_above, np.float32), np.empty(count_above, np.bool_)
    for i in range(count_above):
        corner = vector_at(above, i)
        x, y, z = by_matrix(m, corner)
        heights[i], near[i] = z - level, level + reach > z
        put_vector(above, i, (x, y, level))
        if near[i] and contains(below, count_below, EPSILON, x, y):
            inside += 1
            gap = dot(normal, sub(corner, origin))
            _put(made, over, sub(corner, scaled(normal, gap)), corner, normal, gap)
    if inside == count_above:
        return
    inside = 0
    for i in range(count_below):
        if contains(above, count_above, EPSILON, below[i, 0], below[i, 1]):
            point = by_transposed(m, vector_at(below, i))
            height = dot(facing, point) - dot(facing, start)
            upper = sub(point, scaled(facing, height))
            on_triangle = over or (not height > reach and _is_on(upper, triangle))
            inside += on_triangle
            if on_triangle and not height > reach:
                _put(made, over, point, upper, normal, dot(sub(upper, point), normal))
    if inside == count_below:
        return
    for e in range(3):
        for f in range(count):
            k, i = (e, f) if over else (f, e)
            h, j = k - 1 if k > 0 else count_below - 1, i - 1 if i > 0 else count_above - 1
            if near[i] or near[j]:
                _put_crossing(made, over, below, k, h, above, i, j, heights, level, m, normal, reach)


@scalar_code
def _put(made: Any, over: Any, lower: Vector, upper: Vector, normal: Vector, gap: Number) -> None:
    """Add a contact of a point below and one above; over: the upper one is the hull's."""
    if over:
        put_made(made, upper, lower, normal, gap)
    else:
        put_made(made, lower, upper, negated(normal), gap)


@scalar_code
def _corners(triangle: Triangle) -> Any:
    rows = np.empty((3, 3), np.float32)
    put_vector(rows, 0, triangle.a)
    put_vector(rows, 1, triangle.b)
    put_vector(rows, 2, triangle.c)
    return rows


@scalar_code
def _is_on(p: Vector, triangle: Triangle) -> bool:
    v, w = shares_of(p, triangle)
    return bool(v >= ZERO and w >= ZERO and v + w <= ONE)


@scalar_code
def shares_of(p: Vector, triangle: Triangle) -> tuple[Number, Number]:
    """The shares of corners b and c of which a point of a triangle is made."""
    a, b, c = triangle.a, triangle.b, triangle.c
    n, pa, pb, pc = cross(sub(b, a), sub(c, a)), sub(a, p), sub(b, p), sub(c, p)
    va, vb, vc = dot(n, cross(pb, pc)), dot(n, cross(pc, pa)), dot(n, cross(pa, pb))
    total = va + (vb + vc)
    inverse = ZERO if total == ZERO else ONE / total
    return vb * inverse, vc * inverse


@scalar_code
def _put_crossing(made: Any, over: Any, below: Any, k: Any, h: Any, above: Any, i: Any, j: Any, heights: Any,
                  level: Number, m: Matrix, normal: Vector, reach: Number) -> None:
    """Add where edge i-j of what is above crosses edge k-h of what is below, as seen along the normal."""
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
    if not z - level > reach:
        _put(made, over, by_transposed(m, (x, y, level)), by_transposed(m, (x, y, z)), normal, z - level)


MAY_MOVE, BREAKING, NEAR = np.float32(0.2), np.float32(0.8), np.float32(0.05)       # of the margin
FACE_ON = np.float32(0.70710677)        # cosine between a face and a triangle, which then has the normal
AT_CORNER = np.float32(0.97)            # share of a corner in a point that counts as that corner
BEFORE_DIVISION = 16


@scalar_code
def convex_mesh(pair: Any, kept: Any, shape0: Any, pose0: Pose, shape1: Any, pose1: Pose, hulls: Hulls,
                meshes: Meshes, contacts: Any, at: Any) -> Any:
    pose = relative(pose0, pose1)
    side, margin, center, half = _side(shape0, hulls, pair.tolerance_length)
    if moved_on(kept, pose, margin * MAY_MOVE):
        begin_anew(kept, pose)
        grown = half[0] + pair.reach, half[1] + pair.reach, half[2] + pair.reach
        near = triangles_in_box(meshes, shape1.geometry, frame_of(pose), center, grown)
        _make(np.zeros(1, MADE), np.zeros(1, SEEN), kept, side, frame_of(relative(pose1, pose0)), meshes,
              shape1.geometry, near, pair.reach, margin * NEAR)
    else:
        refresh_all(kept, frame_of(pose), margin * BREAKING)
    for m in range(kept.count):
        normal = world_normal_of(kept, m, pose1)
        for i in range(kept.points[m]):
            at = put_contact(contacts, at, outward(pose1, vector_at(kept.local1[m], i)), normal, kept.distance[m, i])
    return at


@scalar_code
def _side(shape: Any, hulls: Hulls, tolerance_length: Number) -> tuple[Side, Number, Vector, Vector]:
    """The hull, how far points on it may stray, and the middle and half sides of its bounds."""
    if shape.kind == BOX:
        size = size_of(shape)
        margin = min(least(size) * BOX_MARGIN, tolerance_length * MOST_HULL_MARGIN)
        return side_of(box_core(size, hulls), box_hull(size, hulls)), margin, (ZERO, ZERO, ZERO), size
    core, row = hull_core(hulls, shape.geometry, scale_of(shape)), hulls.hulls[shape.geometry]
    low, high = times((row.low[0], row.low[1], row.low[2]), core.scale), times(
        (row.high[0], row.high[1], row.high[2]), core.scale)
    middle = (low[0] + high[0]) * HALF, (low[1] + high[1]) * HALF, (low[2] + high[2]) * HALF
    margin = hull_margin(core.hull, core.scale, tolerance_length)
    return side_of(core, core.hull), margin, middle, scaled(sub(high, low), HALF)


@scalar_code
def _make(made_room: Any, seen_room: Any, kept: Any, side: Side, frame: Frame, meshes: Meshes, row: Any, near: Any,
          reach: Number, close: Number) -> None:
    """Make the manifolds anew, in rooms that the caller keeps: a record does not keep its array alive.

    frame: of the mesh in the hull. near: triangles. close: contacts of less distance are one.
    """
    made, seen, limit, count, i = made_room[0], seen_room[0], close * close, len(near), 0
    center, put_off, waiting = into(frame, side.center), np.empty((count, 2), np.int64), 0
    while i < count + waiting:
        late, first = i >= count, made.contacts
        k = put_off[i - count, 0] if late else near[i]
        corners, flags = meshes.triangles[k], meshes.flags[k]
        triangle, kind, face, axis = _in_hull(meshes, row, k, frame), NO_AXIS, 0, center
        if late:
            if _is_new(seen, corners, flags):
                kind, face = LATE, put_off[i - count, 1]
        elif _faces(meshes, row, k, center):
            kind, face, axis = least_overlap(side, triangle, flags, reach)
            if kind == FACE and not dot(negated(axis), triangle.normal) > FACE_ON:
                kind, put_off[waiting, 0], put_off[waiting, 1] = NO_AXIS, k, face
                waiting += 1
        if kind != NO_AXIS:
            normal = _touch_triangle(made, side, triangle, kind, face, axis, reach)
            if late:
                _drop_known_corners(made, first, seen, corners, triangle)
            elif made.contacts > first:
                _see(seen, corners, flags)
            if made.contacts > first:
                _add(made, first, normal, frame, limit)
        i += 1
        if made.contacts >= BEFORE_DIVISION or i == count + waiting:
            divide(kept, made, limit, OF_HULL)


@scalar_code
def _faces(meshes: Meshes, row: Any, k: Any, center: Vector) -> bool:
    """Whether a point lies on the outside of a triangle."""
    a, b, c = corner_of(meshes, row, k, 0), corner_of(meshes, row, k, 1), corner_of(meshes, row, k, 2)
    normal = unit(cross(sub(b, a), sub(c, a)))
    return bool(dot(center, normal) - dot(a, normal) >= ZERO)


@scalar_code
def _in_hull(meshes: Meshes, row: Any, k: Any, frame: Frame) -> Triangle:
    return triangle_of(out_of(frame, corner_of(meshes, row, k, 0)), out_of(frame, corner_of(meshes, row, k, 1)),
                       out_of(frame, corner_of(meshes, row, k, 2)))


@scalar_code
def _touch_triangle(made: Any, side: Side, triangle: Triangle, kind: Any, face: Any, axis: Vector,
                    reach: Number) -> Vector:
    """Add the contacts of a triangle by what its axis of least overlap belongs to; their normal."""
    beside, over, normal = NO_FACE, kind in (TRIANGLE, FACE), triangle.normal
    if kind in (TRIANGLE, EDGE):
        face, beside = opposed_faces(side.hull, side.core.scale, axis)
    if not over:
        beside, normal = NO_FACE, face_normal(side.hull, face, side.inverse)
    while face != NO_FACE:
        first = made.contacts
        points_of_faces(made, side, face, triangle, normal, over, reach)
        keep_few(made, first, BEFORE_CHOICE)
        face, beside = beside, NO_FACE
    return normal if over else negated(normal)


@scalar_code
def _see(seen: Any, corners: Any, flags: Any) -> None:
    """Note the corners and the edges that are not active of a triangle."""
    for k in range(3):
        if not flags & (1 << k):
            see_edge(seen, corners[k], corners[(k + 1) % 3])
    for k in range(3):
        see_corner(seen, corners[k])


@scalar_code
def _is_new(seen: Any, corners: Any, flags: Any) -> bool:
    """Whether all edges of a triangle are active or were not noted."""
    known = False
    for k in range(3):
        known = known or (not flags & (1 << k) and knows_edge(seen, corners[k], corners[(k + 1) % 3]))
    return not known


@scalar_code
def _drop_known_corners(made: Any, first: Any, seen: Any, corners: Any, triangle: Triangle) -> None:
    """Drop contacts at corners of a triangle that were noted."""
    for i in range(made.contacts - 1, first - 1, -1):
        v, w = shares_of(vector_at(made.local1, i), triangle)
        corner = 1 if v > AT_CORNER else 2 if w > AT_CORNER else 0 if v + w <= ONE - AT_CORNER else -1
        if corner >= 0 and knows_corner(seen, corners[corner]):
            made.contacts -= 1
            for k in range(i, made.contacts):
                copy_made(made, k + 1, k)


@scalar_code
def _add(made: Any, first: Any, normal: Vector, frame: Frame, limit: Number) -> None:
    """Add the contacts from `first` on, of one normal in the hull, to the last patch or to a new one."""
    keep_few(made, first, OF_FACE + 1)
    drop_alike(made, first, limit)
    turned, deepest = by_transposed(frame[1], normal), LARGEST
    for i in range(first, made.contacts):
        put_vector(made.normal, i, turned)
        put_vector(made.local1, i, into(frame, vector_at(made.local1, i)))
        deepest = min(deepest, made.distance[i])
    join_patch(made, first, turned, deepest, limit)
