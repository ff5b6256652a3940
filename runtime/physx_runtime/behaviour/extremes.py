"""Unrealistic motions: `growing_joints`, `absurd_speeds`, and bodies that fall without end, `falling`."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from physx_runtime.behaviour.loads import root_pose
from physx_runtime.behaviour.motion import Motion
from physx_runtime.behaviour.window import DURATION, GROWING_SECONDS, LAST_SECOND, MIDDLE_SAMPLE
from physx_runtime.quantities.computation import compute
from physx_schema.description.model import Articulation, Description

# Speeds beyond all machines: rad/s (100 000 turns a minute), and m/s (three times that of sound).
ABSURD_TURNING, ABSURD_SPEED = 1e4, 1e3
# Angles and distances that need such speeds, rad and m.
ABSURD_ANGLE, ABSURD_DISTANCE = 1e4, 1e4
# A joint's motion grows if each of the last seconds has this many times the peak speed of the one before, and if
# energy grew by this share of the final energy: a falling pendulum gets faster, but keeps its energy.
GROWTH, ENERGY_SHARE = 1.3, 0.5
# Least final speed of a growing motion, rad/s or m/s: in centimetres PhysX limits prismatic joints to 1 m/s.
GROWN_SPEED = 0.3
# A body with at least this share of the speed of a free fall falls without end.
FALLING_SHARE = 0.5


@dataclass(frozen=True, slots=True)
class ExtremeSpeed:
    """A joint or body that is too fast, or gets faster without end."""

    path: str
    name: str                   # of the degree of freedom, or of the body
    angular: bool
    speed: float                # rad/s or m/s
    other: float = 0.0          # if absurd: the largest position, rad or m; if growing: the speed some seconds before


def absurd_speeds(description: Description, motion: Motion) -> Iterator[ExtremeSpeed]:
    """Return joints and bodies with unrealistic speeds."""
    meters = description.scene.meters_per_unit
    for articulation in description.articulations:
        for dof in articulation.dofs:
            if dof.name in motion.joint_names:
                column, unit = motion.column(dof.name), 1.0 if dof.angular else meters
                speed = unit * float(np.abs(motion.velocity[1:, column]).max())     # as authored before the first
                position = unit * float(np.abs(motion.position[1:, column]).max())
                if speed > (ABSURD_TURNING if dof.angular else ABSURD_SPEED) or position > (
                        ABSURD_ANGLE if dof.angular else ABSURD_DISTANCE):
                    yield ExtremeSpeed(dof.path, dof.name, dof.angular, speed, position)
    links = {link.path for item in description.articulations for link in item.links[1:]}
    for path, velocity in zip(motion.body_names, motion.body_velocity[-1], strict=True):
        speed = float(np.linalg.norm(velocity[:3])) * meters
        if path not in links and speed > ABSURD_SPEED:
            yield ExtremeSpeed(path, path, False, speed)


def growing_joints(description: Description, motion: Motion) -> Iterator[ExtremeSpeed]:
    """Return joints without a target velocity that get faster every second."""
    count = len(motion.time) // LAST_SECOND
    for articulation in description.articulations:
        if not articulation.enabled or not articulation.dofs or not _gains_energy(description, articulation, motion):
            continue
        meters = description.scene_of(articulation).meters_per_unit
        for dof in articulation.dofs:
            if dof.name not in motion.joint_names or (dof.drive is not None and dof.drive.target_velocity):
                continue
            speeds = np.abs(motion.velocity[-count * LAST_SECOND:, motion.column(dof.name)])
            peaks = speeds.reshape(count, LAST_SECOND).max(axis=1) * (1.0 if dof.angular else meters)
            last = peaks[-GROWING_SECONDS - 1:]
            if last[-1] > GROWN_SPEED and bool((last[1:] > GROWTH * last[:-1]).all()):
                yield ExtremeSpeed(dof.path, dof.name, dof.angular, float(last[-1]), float(last[0]))


def _gains_energy(description: Description, articulation: Articulation, motion: Motion) -> bool:
    """Whether an articulation has much more kinetic and potential energy at the end than some seconds before."""
    if any(dof.name not in motion.joint_names for dof in articulation.dofs):
        return False
    (before, _), (after, kinetic) = (_energy(description, articulation, motion, moment) for moment in (0, 1))
    return after - before > ENERGY_SHARE * kinetic > 0.0


def _energy(description: Description, articulation: Articulation, motion: Motion, moment: int) -> tuple[float, float]:
    """Return the energy of an articulation at a moment of `Motion.body_pose`, and its kinetic part."""
    columns = [motion.column(dof.name) for dof in articulation.dofs]
    sample = (MIDDLE_SAMPLE, -1)[moment]
    q, v = motion.position[sample, columns], motion.velocity[sample, columns]
    root = root_pose(articulation, motion, moment)
    mass, center = (np.asarray(compute(description, q, np.zeros_like(q), kind, root, articulation=articulation.path),
                               np.float64) for kind in ("mass_matrix", "com_world"))
    if root is not None:
        v = np.concatenate([motion.body_velocity[moment, motion.body_names.index(articulation.links[0].path)], v])
    armature = np.array([dof.armature for dof in articulation.dofs])
    kinetic = 0.5 * float(v @ mass @ v + armature @ v[-len(armature):] ** 2)
    weight = sum(link.mass for link in articulation.links) * np.array(description.scene_of(articulation).gravity)
    return kinetic - float(weight @ center), kinetic


def falling(description: Description, motion: Motion) -> list[tuple[str, float]]:
    """Return floating articulations and free bodies that fall freely, with their speed in m/s."""
    meters, gravity = description.scene.meters_per_unit, np.array(description.scene.gravity)
    size = float(np.linalg.norm(gravity))
    if not (math.isfinite(size) and size > 0.0):
        return []
    roots = [(item.path, item.links[0].path) for item in description.articulations
             if item.enabled and not item.fixed_base]
    roots += [(body.path, body.path) for body in description.separate_bodies if not body.kinematic]
    extremes = []
    for name, root in roots:
        if root in motion.body_names:
            velocity = motion.body_velocity[-1, motion.body_names.index(root), :3]
            speed = float(velocity @ gravity) / size
            if speed > FALLING_SHARE * size * DURATION:
                extremes.append((name, speed * meters))
    return extremes
