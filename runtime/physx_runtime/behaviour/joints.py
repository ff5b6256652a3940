"""`driven_joints` judges driven joints: distance from the target, effort, and cause.

`follower_errors` judges mimic joints, `starts_outside` the start positions of joints.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import DoubleArray
from physx_runtime.behaviour.loads import Loads
from physx_runtime.behaviour.motion import Motion
from physx_runtime.behaviour.window import LAST_SECOND
from physx_schema.description.model import Articulation, Description, Dof, Drive, Mimic, unlimited

# Allowed distance of a joint at rest from its target: a degree or a hundredth of its range. A drive with a finite
# stiffness needs some of it to hold any load.
ANGLE_TOLERANCE, RANGE_SHARE = math.radians(1.0), 0.01
# The same for a prismatic joint without limits: in metres, and as a share of the distance to the target.
LENGTH_TOLERANCE = 1e-3
# A soft mimic joint gives way by design: only more than a quarter of the follower's range is reported.
SOFT_FOLLOWER_SHARE = 0.25
# A drive that exerts this share of maxForce is saturated.
SATURATED = 0.99
# A joint that moved with at least this share of maxJointVelocity all the time is limited by it.
AT_SPEED_LIMIT = 0.9
# A joint that reduced its error by this share within the last second still moves to its target.
APPROACH_SHARE = 0.02
# Difference of drive effort and load that still counts as equal, as a share of the effort.
LOAD_SHARE = 0.2
# Allowed distance of a start or target beyond a limit, rad or length: float32's rounding of degrees.
LIMIT_TOLERANCE = 1e-4

Cause = Literal["arrived", "friction", "speed-limit", "swings", "too-weak", "slow", "blocked", "sag"]


@dataclass(frozen=True, slots=True)
class DrivenJoint:
    """The motion of a joint to its drive target; angles in rad."""

    dof: Dof
    drive: Drive
    articulation: str           # path
    start: float
    end: float                  # mean of the last second if it swings, else the last value
    swing: float                # between the extremes of the last second
    tolerance: float
    arrival: float              # s after which it stays within the tolerance, or inf
    effort: float               # of the drive at the end
    load: float                 # of the weight at the end
    greatest_load: float        # of the weight on the straight way to the target
    inertia: float              # that the joint moves, with the armature
    cause: Cause

    @property
    def error(self) -> float:
        """The distance from the end position to the target, signed."""
        return self.drive.target_position - self.end


@dataclass(frozen=True, slots=True)
class FollowerError:
    """A mimic joint that does not follow; rad or length."""

    mimic: Mimic
    articulation: str
    dof: Dof
    end: float
    wanted: float               # that its reference's position gives
    tolerance: float            # of a hard one


@dataclass(frozen=True, slots=True)
class StartOutside:
    """A joint that starts outside its limits; rad or length."""

    dof: Dof
    bound: float                # the nearest position that the limits allow
    first_move: float           # distance that the first step moves it


def tolerance_of(dof: Dof, meters: float, distance: float = 0.0) -> float:
    """Return the allowed distance of a joint from its intended position, rad or length."""
    free = unlimited(dof.lower) or unlimited(dof.upper)
    share = RANGE_SHARE * (abs(distance) if free else dof.upper - dof.lower)
    return max(ANGLE_TOLERANCE if dof.angular else LENGTH_TOLERANCE / meters, share)


def driven_joints(description: Description, motion: Motion, touched: frozenset[str]) -> Iterator[DrivenJoint]:
    """Judge every joint of an articulation with a drive target position that the joint can reach.

    touched: the articulations whose joints a contact may hold at the end.
    """
    for articulation in description.articulations:
        if not articulation.enabled or not articulation.dofs or articulation.dofs[0].name not in motion.joint_names:
            continue
        loads = Loads(description, articulation, motion)
        followers = {mimic.follower for mimic in articulation.mimics}
        meters = description.scene_of(articulation).meters_per_unit
        for index, dof in enumerate(articulation.dofs):
            if dof.drive is not None and index not in followers and _is_judged(dof, dof.drive):
                yield _judged(dof, dof.drive, articulation, motion, loads, index, meters, articulation.path in touched)


def _is_judged(dof: Dof, drive: Drive) -> bool:
    """Whether a drive has a target position within usable limits; other rules report everything else."""
    return (drive.stiffness > 0.0 and drive.max_force > 0.0 and math.isfinite(drive.target_position)
            and dof.lower < dof.upper and dof.max_velocity > 0.0
            and dof.lower - LIMIT_TOLERANCE <= drive.target_position <= dof.upper + LIMIT_TOLERANCE)


def _judged(dof: Dof, drive: Drive, articulation: Articulation, motion: Motion, loads: Loads, index: int,
            meters: float, touched: bool) -> DrivenJoint:
    column = motion.column(dof.name)
    position, velocity = motion.position[:, column], motion.velocity[:, column]
    error = drive.target_position - position
    tolerance = tolerance_of(dof, meters, float(error[0]))
    inertia = loads.inertia[index]
    effort = drive_effort(drive, float(error[-1]), float(velocity[-1]), inertia)
    item = DrivenJoint(dof, drive, articulation.path, float(position[0]), float(position[-1]),
                       float(np.ptp(position[-LAST_SECOND:])), tolerance,
                       _arrival(motion.time, np.abs(error) <= tolerance), effort, loads.end[index],
                       loads.greatest[index], inertia, "arrived")
    if math.isfinite(item.arrival):
        return item
    several_axes = dof.path != dof.name     # their drives load each other
    pulled = not articulation.fixed_base or several_axes or bool(
        articulation.fixed_tendons or articulation.spatial_tendons or articulation.mimics)
    cause = _cause(item, error, velocity, touched, pulled)
    end = float(position[-LAST_SECOND:].mean()) if cause == "swings" else item.end
    return replace(item, cause=cause, end=end)


def _arrival(time: DoubleArray, within: NDArray[np.bool_]) -> float:
    """Return the time after which all samples are within the tolerance, inf without one."""
    outside = np.flatnonzero(~within)
    if not len(outside):
        return 0.0
    return float(time[outside[-1] + 1]) if outside[-1] + 1 < len(time) else math.inf


def drive_effort(drive: Drive, error: float, velocity: float, inertia: float) -> float:
    """Return the effort of a drive in a state, k error + d (target velocity - v), at most maxForce."""
    effort = drive.stiffness * error + drive.damping * (drive.target_velocity - velocity)
    effort *= inertia if drive.acceleration else 1.0
    return float(np.clip(effort, -drive.max_force, drive.max_force))


def _cause(item: DrivenJoint, error: DoubleArray, velocity: DoubleArray, touched: bool, pulled: bool) -> Cause:
    """Return why a joint misses its drive target. pulled: tendons, contacts or mimic joints may load it as well."""
    dof, drive, recent = item.dof, item.drive, error[-LAST_SECOND:]
    towards = velocity * np.sign(error)         # above 0 on the way to the target
    moving = towards[velocity != 0.0]           # until it fell asleep
    still = item.swing < 0.1 * item.tolerance
    saturated = abs(item.effort) >= SATURATED * drive.max_force
    if still and dof.static_friction > 0.0 and not _is_load(item) and abs(
            item.effort) <= dof.static_friction + abs(item.load):
        return "friction"
    if len(moving) and float(moving[len(moving) // 2:].mean()) >= AT_SPEED_LIMIT * dof.max_velocity:
        return "speed-limit"
    if saturated and item.greatest_load > drive.max_force:
        return "too-weak"
    if item.swing > item.tolerance and np.count_nonzero(np.diff(np.sign(velocity[-LAST_SECOND:]))) >= 2:
        return "swings"
    if touched and not _is_load(item):
        return "blocked"
    if saturated:
        return "too-weak"
    if abs(recent[-1]) < (1.0 - APPROACH_SHARE) * abs(recent[0]):
        return "slow"
    # PhysX may have put such a slow joint to sleep
    return "sag" if pulled or _is_load(item) or item.greatest_load >= abs(item.effort) else "slow"


def _is_load(item: DrivenJoint) -> bool:
    """Whether the drive exerts about the load of the weight."""
    return abs(abs(item.effort) - abs(item.load)) <= LOAD_SHARE * abs(item.effort)


def follower_errors(description: Description, motion: Motion, soft_share: float = SOFT_FOLLOWER_SHARE,
                    ) -> Iterator[FollowerError]:
    """Return mimic joints too far from the position that their reference gives.

    soft_share: the share of the range by which a soft one may give way, at least the tolerance of a hard one.
    """
    for articulation in description.articulations:
        for mimic in articulation.mimics if articulation.enabled else ():
            follower, reference = (articulation.dofs[index] for index in (mimic.follower, mimic.reference))
            if follower.name not in motion.joint_names:
                continue
            end, leading = (float(motion.position[-LAST_SECOND:, motion.column(dof.name)].mean())
                            for dof in (follower, reference))
            # q + gearing q_reference + offset = 0  (PhysX DyFeatherstoneArticulation.cpp, mimic joint)
            wanted = -(mimic.gearing * leading + mimic.offset)
            tolerance = tolerance_of(follower, description.scene_of(articulation).meters_per_unit, wanted)
            give = tolerance
            if mimic.natural_frequency > 0.0 and not unlimited(follower.lower) and not unlimited(follower.upper):
                give = max(tolerance, soft_share * (follower.upper - follower.lower))
            if abs(end - wanted) > give:
                yield FollowerError(mimic, articulation.path, follower, end, wanted, tolerance)


def starts_outside(description: Description, motion: Motion) -> Iterator[StartOutside]:
    """Return joints with a start position outside their limits, authored or not."""
    for articulation in description.articulations:
        meters = description.scene_of(articulation).meters_per_unit
        for dof in articulation.dofs:
            if dof.name not in motion.joint_names or not dof.lower <= dof.upper:
                continue
            column = motion.column(dof.name)
            start = float(motion.position[0, column])
            bound = min(max(start, dof.lower), dof.upper)
            if abs(start - bound) > LIMIT_TOLERANCE * max(1.0 if dof.angular else 1.0 / meters, abs(bound)):
                yield StartOutside(dof, bound, float(motion.position[1, column]) - start)
