"""Spheres and capsules on planes in many worlds at once: as `narrow_phase` has them to the bit, with masks as branches.

Traced: conditions stand for themselves, all other numbers are `Single`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from physx_runtime.collision.bounds import extent_of
from physx_runtime.collision.manifold import PLANE_MAY_TURN, where_now
from physx_runtime.collision.narrow_phase.plane_capsule import CAPSULE_BREAKING, CAPSULE_INVALIDATE, CAPSULE_REPLACE
from physx_runtime.collision.vectors import (
    ONE,
    ZERO,
    Number,
    Pose,
    Vector,
    add,
    alike,
    dot,
    frame_of,
    inward,
    outward,
    relative,
    scaled,
    sub,
    x_axis,
)
from physx_runtime.language.ops import Scalar, Single, inverted, maximum, minimum, where

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
    reach = extent_of(kind, size, pose, offset)
    own_low, own_high = sub(pose[0], reach), add(pose[0], reach)
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
