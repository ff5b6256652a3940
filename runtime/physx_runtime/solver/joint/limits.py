"""Limits of a D6 joint: of its swing and twist, and of its offset (ExtD6Joint.cpp, ExtConstraintHelper.h).

Hard limits make rows however far they are, so that the solver sees them coming; soft ones are springs, and act only
where the step starts beyond them, but then both ways (measured; PhysX's later source bounds their impulse).
"""

from __future__ import annotations

from dataclasses import replace

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import ZERO3, Quat, Vec3
from physx_runtime.language.ops import Rows, Scalar, arctan2, maximum, minimum, single, sqrt, where
from physx_runtime.model.island import FREE, LIMITED, LOCKED, JointTopology
from physx_runtime.solver.joint.cone import cone_limit
from physx_runtime.solver.joint.frames import JointFrames, axis
from physx_runtime.solver.joint.row import (
    ROTATION_LIMIT,
    TRANSLATION_LIMIT,
    Bounce,
    JointRow,
    Spring,
    angular_row,
    linear_row,
)

TWIST, SWINGS = 3, (4, 5)       # which of the joint's axes they are
# No bound is farther away: an infinite one would make NaN of sides that nothing moves.
FARTHEST = 1e18
# A shorter way, in metres, has no direction (distanceMinDist).
LEAST_WAY = 1e-6


def limit_rows(t: JointTopology, rows: Rows, frames: JointFrames) -> list[JointRow]:
    """Rows of the cone or of both swings, of the twist, of the distance, then of the translations."""
    distance = [_distance_limit(t, rows, frames)] if t.distance else []
    return [*_angular_limits(t, rows, frames), *distance, *_linear_limits(t, rows, frames)]


def _angular_limits(t: JointTopology, rows: Rows, frames: JointFrames) -> list[JointRow]:
    swings, found = _limited_swings(t), list[JointRow]()
    if t.cone or swings:
        swing = swing_of(frames.relative)
        angles = swing_angles(swing)
        if t.cone:
            found.append(_cone(t, rows, frames, angles))
        turned = sp.matrix(sp.mul_quat(frames.a, swing))
        for i in swings:
            found += _between(t, rows, i, angles[SWINGS.index(i)], axis(turned, i - TWIST))
    if t.axes[TWIST].motion == LIMITED:
        found += _between(t, rows, TWIST, seen_twist(t, frames.relative), axis(frames.B, 0))
    return found


def _limited_swings(t: JointTopology) -> list[int]:
    """Swings with limits of their own: a cone bounds both, and beside a free swing the other has no row."""
    if t.cone or FREE in (t.axes[i].motion for i in SWINGS):
        return []
    return [i for i in SWINGS if t.axes[i].motion == LIMITED]


def _cone(t: JointTopology, rows: Rows, frames: JointFrames, angles: tuple[Scalar, Scalar]) -> JointRow:
    """The row of the cone; a soft one always acts, and draws the twist axis out to its rim."""
    twist = axis(sp.matrix(frames.relative), 0)
    about, error = cone_limit(angles, (rows["cone_angle"][0], rows["cone_angle"][1]), twist)
    row = angular_row(sp.rotate(frames.a, about), error)
    if t.cone == "soft":
        return replace(row, spring=Spring(rows["cone_stiffness"][0], rows["cone_damping"][0]), holds=True)
    bounce = Bounce(rows["cone_restitution"][0], rows["cone_bounce_threshold"][0]) if t.cone == "bouncing" else None
    return _hard(row, ROTATION_LIMIT, bounce)


def _between(t: JointTopology, rows: Rows, i: int, angle: Scalar, about: Vec3) -> list[JointRow]:
    """Rows of the lower and the upper limit of an angle."""
    lower = angular_row(sp.scale(-1.0, about), angle - rows["lower_limit"][i])
    upper = angular_row(about, rows["upper_limit"][i] - angle)
    return [_limited(t, rows, i, row, ROTATION_LIMIT) for row in (lower, upper)]


def _distance_limit(t: JointTopology, rows: Rows, frames: JointFrames) -> JointRow:
    """The row along the way that B's anchor has come by all translations that are not locked."""
    way = ZERO3
    for i in (i for i in range(3) if t.axes[i].motion != LOCKED):
        way = sp.add(way, sp.scale(frames.offset[i], axis(frames.A, i)))
    distance, x = sp.norm(way), axis(frames.A, 0)
    apart = distance > LEAST_WAY * rows["length_scale"][0]
    shrink = 1.0 / where(apart, distance, 1.0)
    along = (where(apart, shrink * way[0], x[0]), where(apart, shrink * way[1], x[1]),
             where(apart, shrink * way[2], x[2]))
    left = where(apart, rows["distance_limit"][0] - distance, FARTHEST)
    spring = (Spring(rows["distance_limit_stiffness"][0], rows["distance_limit_damping"][0])
              if t.distance == "soft" else None)
    return _bounding(linear_row(along, frames.arm0, frames.arm1, left), TRANSLATION_LIMIT, spring)


def _linear_limits(t: JointTopology, rows: Rows, frames: JointFrames) -> list[JointRow]:
    """Rows of the upper and the lower limit of every limited translation."""
    found = []
    for i in (i for i in range(3) if t.axes[i].motion == LIMITED):
        along = axis(frames.A, i)
        for direction, error in ((along, rows["upper_limit"][i] - frames.offset[i]),
                                 (sp.scale(-1.0, along), frames.offset[i] - rows["lower_limit"][i])):
            row = linear_row(direction, frames.arm0, frames.arm1, error)
            found.append(_limited(t, rows, i, row, TRANSLATION_LIMIT))
    return found


def _limited(t: JointTopology, rows: Rows, i: int, row: JointRow, hint: int) -> JointRow:
    """A row whose error is what is left to the limit of an axis."""
    own = t.axes[i]
    spring = Spring(rows["limit_stiffness"][i], rows["limit_damping"][i]) if own.soft else None
    return _bounding(row, hint, spring, Bounce(rows["restitution"][i], rows["bounce_threshold"][i])
                     if own.bounces and not own.soft else None)


def _bounding(row: JointRow, hint: int, spring: Spring | None, bounce: Bounce | None = None) -> JointRow:
    """A row whose error is what is left to a limit; of a soft one 0 where it does not act."""
    if spring is None:
        return _hard(replace(row, error=minimum(row.error, FARTHEST)), hint, bounce)
    beyond = row.error < 0.0
    return replace(row, error=where(beyond, row.error, 0.0), active=beyond, holds=True, spring=spring)


def _hard(row: JointRow, hint: int, bounce: Bounce | None) -> JointRow:
    return replace(row, hint=hint, lower=0.0, keeps_bias=row.error > 0.0, bounce=bounce, holds=True)


def twist_angle(relative: Quat) -> Scalar:
    """How far B is turned against A about its x axis, in [-pi, pi] where w >= 0."""
    return 2.0 * arctan2(relative[0], relative[3])


def seen_twist(t: JointTopology, relative: Quat) -> Scalar:
    """The twist that a limit is compared with.

    PhysX takes it from a cosine in float32, which is 1 for angles below 5e-4: a joint pressed against a limit of 0
    creeps on until that is seen.
    """
    if t.exact:
        return twist_angle(relative)
    x, w = relative[0], relative[3]
    size = sqrt(x * x + w * w)
    twists = size > 0.0
    cosine = single(where(twists, w * (1.0 / where(twists, size, 1.0)), 1.0))
    angle = 2.0 * arctan2(sqrt(maximum((1.0 - cosine) * (1.0 + cosine), 0.0)), cosine)
    return where(x < 0.0, -angle, angle)


def swing_of(relative: Quat) -> Quat:
    """B's turn against A without its twist: relative = swing twist."""
    x, w = relative[0], relative[3]
    size = sqrt(x * x + w * w)
    twists = size > 0.0
    inverse = 1.0 / where(twists, size, 1.0)
    return sp.mul_quat(relative, (-(x * inverse), 0.0, 0.0, where(twists, w * inverse, 1.0)))


def swing_angles(swing: Quat) -> tuple[Scalar, Scalar]:
    """The rotation about y and the one about z that PhysX reads from a swing."""
    return 4.0 * arctan2(swing[1], 1.0 + swing[3]), 4.0 * arctan2(swing[2], 1.0 + swing[3])
