"""Contacts of shapes with planes.

A plane and a capsule: the ends of its axis, +x first.

A plane and a box: its corners, of more than four the deepest and widest.

A plane and a hull: the corners of the face most against the plane; four are kept.

Spheres and capsules on planes in many worlds at once: as `narrow_phase` has them to the bit, with masks as branches.

Traced: conditions stand for themselves, all other numbers are `Single`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from physx_runtime.collision.bounds import extent_of, scale_of
from physx_runtime.collision.manifold.persistent import (
    PLANE_MAY_TURN,
    add_found,
    add_of_two,
    box_margin,
    hull_margin,
    keep_four,
    moved_on,
    new_points,
    put_point,
    put_points_of_1,
    put_points_of_segment,
    refresh,
    remember,
    where_now,
)
from physx_runtime.collision.manifold.reduction import four_of_plane
from physx_runtime.collision.narrow_phase.polygons import NO_FACE, edge_along
from physx_runtime.collision.shapes import hull_at
from physx_runtime.collision.simd_math import (
    ONE,
    ZERO,
    Frame,
    Number,
    Pose,
    Vector,
    add,
    alike,
    by_transposed,
    dot,
    frame_of,
    inward,
    negated,
    out_of,
    outward,
    put_vector,
    relative,
    scaled,
    sub,
    times,
    unit,
    vector_at,
    x_axis,
)
from physx_runtime.compiling.numba_functions import scalar_code, scalar_entry
from physx_runtime.language.ops import Scalar, Single, inverted, maximum, minimum, where

# Shares of the radius
CAPSULE_BREAKING, CAPSULE_INVALIDATE, CAPSULE_REPLACE = np.float32(0.05), np.float32(0.02), np.float32(0.001)


@scalar_code
def plane_capsule(pair: Any, size0: Vector, pose0: Pose, size1: Vector, pose1: Pose, contacts: Any, at: Any) -> Any:
    # the manifold is kept from the capsule's side: local0 and pose are the capsule's
    radius, pose = size1[0], relative(pose1, pose0)
    outside = unit(x_axis(pose0[1]))
    lost = refresh(pair, frame_of(pose), radius * CAPSULE_BREAKING)
    if lost or moved_on(pair, pose, radius * CAPSULE_INVALIDATE, PLANE_MAY_TURN):
        pair.points = 0
        remember(pair, pose)
        half = scaled(x_axis(pose[1]), size1[1])
        _add_end(pair, pose, add(pose[0], half), radius)
        _add_end(pair, pose, sub(pose[0], half), radius)
    return put_points_of_segment(pair, pose1, outside, negated(outside), radius, contacts, at)


@scalar_code
def _add_end(pair: Any, pose: Pose, end: Vector, radius: Number) -> None:
    """Add an end of the axis, given as the plane sees it, if it is near."""
    if radius + pair.reach > end[0]:
        up = (ONE, ZERO, ZERO)
        add_of_two(pair, inward(pose, end), sub(end, scaled(up, end[0])), up, end[0], radius * CAPSULE_REPLACE)


@scalar_entry
def find_outsides(capsules: Any, planes: Any, outsides: Any) -> None:
    """Fill in the direction out of planes that contacts have, by whether they are of capsules or of spheres."""
    for i in range(len(planes)):
        q = planes[i, 3:]
        axis = x_axis((q[0], q[1], q[2], q[3]))
        out = unit(axis) if capsules[i] else axis
        outsides[i, 0], outsides[i, 1], outsides[i, 2] = out[0], out[1], out[2]


SHARE = np.float32(0.2)         # of a box's margin, for breaking and for moving


@scalar_code
def plane_box(pair: Any, size0: Vector, pose0: Pose, size1: Vector, pose1: Pose, contacts: Any, at: Any) -> Any:
    # the manifold is kept from the box's side: local0 and pose are the box's, local1 lies on the plane
    pose, share = relative(pose1, pose0), box_margin(size1, pair.tolerance_length) * SHARE
    frame = frame_of(pose)
    lost = refresh(pair, frame, share)
    if lost or moved_on(pair, pose, share, PLANE_MAY_TURN):
        remember(pair, pose)
        _make(pair, frame, size1)
    return put_points_of_1(pair, pose0, unit(negated(x_axis(pose0[1]))), contacts, at)


@scalar_code
def _make(pair: Any, frame: Frame, half: Vector) -> None:
    """Make the points anew from the corners within reach."""
    corners, feet = np.empty((8, 3), np.float32), np.empty((8, 3), np.float32)
    distances, chosen = np.empty(8, np.float32), np.empty(4, np.int64)
    up, count = (ONE, ZERO, ZERO), 0
    for i in range(8):
        corner = _corner(half, i)
        height = _height(frame, half, i)
        if pair.reach - frame[0][0] > height:
            distances[count] = height + frame[0][0]
            put_vector(corners, count, corner)
            put_vector(feet, count, sub(out_of(frame, corner), scaled(up, distances[count])))
            count += 1
    for i in range(4):
        chosen[i] = i
    if count > 4:
        four_of_plane(feet, distances, count, up, chosen)
    pair.points = min(count, 4)
    for i in range(pair.points):
        k = chosen[i]
        put_point(pair, i, vector_at(corners, k), vector_at(feet, k), up, distances[k])


@scalar_code
def _corner(half: Vector, i: Any) -> Vector:
    """Corners in the order +++ ++- +-+ +-- -++ -+- --+ ---."""
    return (half[0] if i < 4 else -half[0], half[1] if i & 2 == 0 else -half[1], half[2] if i & 1 == 0 else -half[2])


@scalar_code
def _height(frame: Frame, half: Vector, i: Any) -> Number:
    """Of a corner above the plane, less that of the centre, added up as PhysX does."""
    a, b, c = frame[1][0][0] * half[0], frame[1][1][0] * half[1], frame[1][2][0] * half[2]
    if i & 1:
        c = -c
    side = a + b if i < 2 or i > 5 else a - b
    return c + side if i < 4 else c - side


CONVEX_BREAKING = CONVEX_INVALIDATE = np.float32(0.2)       # of the margin
EDGES_FIRST = np.float32(5e-4)              # how much less an edge may be against the plane than a face


@scalar_code
def plane_convex(pair: Any, shape0: Any, pose0: Pose, shape1: Any, pose1: Pose, hulls: Any, contacts: Any,
                 at: Any) -> Any:
    # the manifold is kept from the hull's side: local0 and pose are the hull's
    pose, hull, scale = relative(pose1, pose0), hull_at(hulls, shape1.geometry), scale_of(shape1)
    frame, margin = frame_of(pose), hull_margin(hull, scale, pair.tolerance_length)
    lost = refresh(pair, frame, margin * CONVEX_BREAKING)
    if lost or moved_on(pair, pose, margin * CONVEX_INVALIDATE, PLANE_MAY_TURN):
        remember(pair, pose)
        points = new_points()
        face, other = _faces_against(hull, unit(times(by_transposed(frame[1], (ONE, ZERO, ZERO)), scale)))
        _add_corners(hull, face, frame, scale, pair.reach, points)
        if other != NO_FACE:        # PhysX takes the corners of the same face again
            _add_corners(hull, face, frame, scale, pair.reach, points)
        keep_four(pair, points)
    return put_points_of_1(pair, pose0, negated(unit(x_axis(pose0[1]))), contacts, at)


@scalar_code
def _faces_against(hull: Any, normal: Vector) -> Any:
    """The face most against a direction, or where an edge is more so its flatter face, and then the other one."""
    least, found = dot(normal, vector_at(hull.planes, 0)), 0
    for i in range(1, len(hull.planes)):
        height = dot(normal, vector_at(hull.planes, i))
        if least > height:
            least, found = height, i
    back, least = negated(normal), least - EDGES_FIRST
    edge = edge_along(hull, back, least * least)
    if edge == NO_FACE:
        return found, NO_FACE
    face0, face1 = hull.edges[edge, 0], hull.edges[edge, 1]
    if dot(vector_at(hull.planes, face0), back) > dot(vector_at(hull.planes, face1), back):
        return face0, face1
    return face1, face0


@scalar_code
def _add_corners(hull: Any, face: Any, frame: Frame, scale: Vector, reach: Number, points: Any) -> None:
    """Add the corners of a face that are near the plane x = 0."""
    turned = frame[0], (scaled(frame[1][0], scale[0]), scaled(frame[1][1], scale[1]), scaled(frame[1][2], scale[2]))
    up, first = (ONE, ZERO, ZERO), hull.spans[face, 0]
    for k in range(first, first + hull.spans[face, 1]):
        vertex = vector_at(hull.vertices, hull.corners[k])
        seen = out_of(turned, vertex)
        if reach > seen[0]:
            add_found(points, times(vertex, scale), sub(seen, scaled(up, seen[0])), up, seen[0])


UP = (ONE, ZERO, ZERO)
Condition = Any


class Manifold(NamedTuple):
    """What a capsule's pair keeps between steps, as in `shape.PAIR`."""

    known: Scalar
    points: Scalar
    local0: Sequence[Vector]
    local1: Sequence[Vector]
    distance: Sequence[Number]
    pose: Pose


class Touch(NamedTuple):
    """Contacts of a step; those that there are come first, and all others repeat the first one."""

    used: Sequence[Condition]
    point: Sequence[Vector]
    separation: Sequence[Number]


def singles(values: Sequence[Scalar]) -> list[Single]:
    """Each number rounded to float32, as are all that are made of them."""
    return [Single(x) for x in values]


def pose_of(values: Sequence[Number]) -> Pose:
    """Position and quaternion."""
    return (values[0], values[1], values[2]), (values[3], values[4], values[5], values[6])


def may_touch(kind: int, size: Vector, offset: Number, pose: Pose, low: Vector, high: Vector) -> Condition:
    """Whether the bounds of a shape at `pose` overlap those of a plane, from `low` to `high`."""
    reach = extent_of(kind, size, pose)
    own_low, own_high = ([a - offset for a in sub(pose[0], reach)], [a + offset for a in add(pose[0], reach)])
    met = (own_low[0].value <= high[0].value) & (low[0].value <= own_high[0].value)
    for k in (1, 2):
        met = met & (own_low[k].value <= high[k].value) & (low[k].value <= own_high[k].value)
    return met


def sphere_on_plane(radius: Number, pose: Pose, plane: Pose, outside: Vector, reach: Number) -> Touch:
    """The contact of a sphere, if it has one."""
    separation = inward(plane, pose[0])[0] - radius
    return Touch([reach.value >= separation.value], [sub(pose[0], scaled(outside, radius))], [separation])


def capsule_on_plane(before: Manifold, size: Vector, pose: Pose, plane: Pose, outside: Vector, reach: Number
                     ) -> tuple[Manifold, Touch]:
    """The manifold of a capsule and its contacts."""
    radius, seen = size[0], relative(pose, plane)
    again, distances = _moved_on(before, seen, radius)
    fresh = _made_anew(before, seen, size, reach)
    points = where(again, fresh.points, before.points)
    local0, local1 = ([_chosen(again, a, b) for a, b in zip(new, old, strict=True)]
                      for new, old in ((fresh.local0, before.local0), (fresh.local1, before.local1)))
    distance = [Single(where(again, a.value, b.value)) for a, b in zip(fresh.distance, distances, strict=True)]
    kept = _chosen(again, seen[0], before.pose[0]), _chosen(again, seen[1], before.pose[1])
    separations = [a - radius for a in distance]
    used = [(points > float(i)) & (reach.value >= a.value) for i, a in enumerate(separations)]
    places = [sub(outward(pose, a), scaled(outside, radius)) for a in local0]
    return (Manifold(where(again, 1.0, before.known), points, local0, local1, distance, kept),
            _first_come_first(used, places, separations))


def _moved_on(before: Manifold, seen: Pose, radius: Number) -> tuple[Condition, list[Number]]:
    """Whether the points must be made anew, and their distances where not."""
    frame, breaking = frame_of(seen), radius * CAPSULE_BREAKING
    limit, distances = breaking * breaking, []
    again = before.known < 0.5
    for i, (local0, local1) in enumerate(zip(before.local0, before.local1, strict=True)):
        distance, slid = where_now(frame, local0, local1, UP)
        again = again | ((before.points > float(i)) & (slid.value > limit.value))
        distances.append(distance)
    off = [abs(a - b).value for a, b in zip(seen[0], before.pose[0], strict=True)]
    way = maximum(maximum(off[0], off[1]), off[2])
    turned = alike(seen[1], before.pose[1])
    return again | (way > (radius * CAPSULE_INVALIDATE).value) | (float(PLANE_MAY_TURN) > turned.value), distances


def _made_anew(before: Manifold, seen: Pose, size: Vector, reach: Number) -> Manifold:
    """The ends of the axis that are near."""
    radius, half = size[0], scaled(x_axis(seen[1]), size[1])
    ends = add(seen[0], half), sub(seen[0], half)
    near = [(radius + reach).value > end[0].value for end in ends]
    local0 = [inward(seen, end) for end in ends]
    local1 = [sub(end, scaled(UP, end[0])) for end in ends]
    off0, off1 = sub(local0[0], local0[1]), sub(local1[0], local1[1])
    close = radius * CAPSULE_REPLACE
    one = near[1] & ((close * close).value > minimum(dot(off1, off1).value, dot(off0, off0).value))
    first = near[0] & inverted(one)             # else the other end is the first point, or none is
    points = where(near[0] & near[1] & inverted(one), 2.0, where(near[0] | near[1], 1.0, 0.0))
    return Manifold(1.0, points, [_chosen(first, *local0), local0[1]], [_chosen(first, *local1), local1[1]],
                    [Single(where(first, ends[0][0].value, ends[1][0].value)), ends[1][0]], seen)


def _first_come_first(used: Sequence[Condition], places: Sequence[Vector], separations: Sequence[Number]) -> Touch:
    """Of two points those within reach."""
    first = [_chosen(used[0], *places), Single(where(used[0], separations[0].value, separations[1].value))]
    both = used[0] & used[1]
    return Touch([used[0] | used[1], both], [first[0], _chosen(both, places[1], first[0])],
                 [first[1], Single(where(both, separations[1].value, first[1].value))])


def _chosen(condition: Condition, a: Sequence[Number], b: Sequence[Number]) -> Any:
    return tuple(Single(where(condition, x.value, y.value)) for x, y in zip(a, b, strict=True))
