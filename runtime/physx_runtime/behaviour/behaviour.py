"""`measure_behaviour` steps a stage once, and once more for each attempt at remedies. `Behaviour` holds the results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from physx_runtime.behaviour.extremes import ExtremeSpeed, absurd_speeds, falling, growing_joints
from physx_runtime.behaviour.joints import (
    DrivenJoint,
    FollowerError,
    StartOutside,
    driven_joints,
    follower_errors,
    starts_outside,
)
from physx_runtime.behaviour.motion import Motion, step_motion
from physx_runtime.behaviour.remedies import Remedy, find_remedies
from physx_runtime.behaviour.starts import StartOverlap, start_overlaps, touched_articulations
from physx_schema.description.model import Description


@dataclass(frozen=True, slots=True)
class Behaviour:
    """The judged motion of a stage from its authored start to rest."""

    motion: Motion
    joints: tuple[DrivenJoint, ...]             # those with a drive to a target position
    followers: tuple[FollowerError, ...]
    outside: tuple[StartOutside, ...]
    overlaps: tuple[StartOverlap, ...]
    absurd: tuple[ExtremeSpeed, ...]
    growing: tuple[ExtremeSpeed, ...]
    falling: tuple[tuple[str, float], ...]      # prims and speeds, m/s
    remedies: Mapping[str, Remedy]              # by degree of freedom


def measure_behaviour(description: Description) -> Behaviour:
    """Step a stage and judge its motion. If it diverges, only its start is judged. Raises UnsupportedError."""
    motion = step_motion(description)
    outside = tuple(starts_outside(description, motion))
    overlaps = tuple(start_overlaps(description, motion))
    if motion.diverged:
        return Behaviour(motion, (), (), outside, overlaps, (), (), (), {})
    absurd = tuple(absurd_speeds(description, motion))
    touched = touched_articulations(description, motion)
    joints = () if absurd else tuple(driven_joints(description, motion, touched))
    followers = () if absurd else tuple(follower_errors(description, motion))
    return Behaviour(motion, joints, followers, outside, overlaps, absurd,
                     () if absurd else tuple(growing_joints(description, motion)),
                     () if absurd else tuple(falling(description, motion)),
                     find_remedies(description, joints, followers, touched))
