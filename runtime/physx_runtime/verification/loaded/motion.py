"""`loaded_motion` steps the whole stage as authored and keeps how fast and how far everything moves: under its own
drives, gravity, frictions and contacts. Experiments on the bench measure without these loads.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import DoubleArray
from physx_runtime.progress import counted
from physx_runtime.simulation.scene import Scene
from physx_runtime.worlds.store import SCHEDULED
from physx_schema.description.model import Description, Dof, Link

# For how long the stage moves, s.
MOTION_TIME = 2.0
# A position that is read twice may be off by this part of itself: what two roundings to float32 leave.
POSITION_ERROR = 2.0 ** -23
# A revolute joint that passes a turn is moved back by two turns.
TWO_TURNS = 4.0 * math.pi


@dataclass(frozen=True, slots=True)
class LoadedMotion:
    """The greatest speeds and the farthest positions of a motion, by joint axis or prim; radians and lengths.

    A speed is the greater one of what PhysX reports after a step and of the way within the step over its time. The two
    differ, because velocity iterations change velocities after everything has moved.
    """

    time: float                             # s
    diverged: bool                          # whether it did not stay finite, and is worth nothing
    joint_speed: Mapping[str, float]
    linear_speed: Mapping[str, float]       # of the centre of mass
    angular_speed: Mapping[str, float]
    lowest: Mapping[str, float]             # position of a joint axis from where it is first within its limits
    highest: Mapping[str, float]


def loaded_motion(description: Description, dt: float) -> LoadedMotion:
    """The motion of the stage from its authored start. Raises UnsupportedError where nothing steps it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")     # the verification reports once what is left out, and `diverged` the rest
        scene = Scene(description, dt=dt, path=SCHEDULED)
        dofs = {dof.name: dof for articulation in description.articulations for dof in articulation.dofs}
        links = {link.path: link for link in (*(link for item in description.articulations for link in item.links),
                                              *description.separate_bodies)}
        joints = _JointPeaks(scene, [dofs[name] for name in scene.joint_names], _single_axes(description))
        bodies = _BodyPeaks(scene, [links.get(path) for path in scene.body_names])
        for _ in counted("simulating the authored motion, step", range(max(1, round(MOTION_TIME / dt)))):
            scene.step()
            joints.update()
            bodies.update()
        diverged = bool(scene.diverged.any())
    by_joint = [_by_name(scene.joint_names, values) for values in (joints.speed, *joints.positions())]
    by_body = [_by_name(scene.body_names, values) for values in bodies.speed.T]
    return LoadedMotion(MOTION_TIME, diverged, by_joint[0], *by_body, *by_joint[1:])


def _by_name(names: Sequence[str], values: DoubleArray) -> dict[str, float]:
    return dict(zip(names, map(float, values), strict=True))


def _single_axes(description: Description) -> frozenset[str]:
    """The axes whose velocity is the rate of their position: those of hinges and sliders."""
    joints = (link.joint for item in description.articulations for link in item.links if link.joint)
    return frozenset(dof.name for joint in joints if joint.kind in ("revolute", "prismatic") for dof in joint.dofs)


class _JointPeaks:
    """The greatest speed and the farthest positions of every joint axis, (n_dof,)."""

    def __init__(self, scene: Scene, dofs: Sequence[Dof], single: frozenset[str]) -> None:
        self._scene, self._single = scene, np.array([dof.name in single for dof in dofs], dtype=np.bool_)
        self._angular = np.array([dof.angular for dof in dofs], dtype=np.bool_)
        self._lower, self._upper = (np.array([getattr(dof, name) for dof in dofs]) for name in ("lower", "upper"))
        self._position = self._read()
        self._entered = self._within()
        self.speed = np.zeros(len(dofs))
        self.lowest, self.highest = np.full(len(dofs), math.inf), np.full(len(dofs), -math.inf)

    def update(self) -> None:
        """Take in one step."""
        before, self._position = self._position, self._read()
        change = self._position - before
        change = np.where(self._angular, change - TWO_TURNS * np.round(change / TWO_TURNS), change)
        error = POSITION_ERROR * np.maximum(np.abs(before), np.abs(self._position))
        moved = np.where(self._single, np.maximum(np.abs(change) - error, 0.0), 0.0) / self._scene.dt
        reported = np.abs(self._scene.joint_velocity[0].astype(np.float64))
        self.speed = np.maximum(self.speed, np.maximum(moved, reported))
        self._entered |= self._within()
        self.lowest = np.where(self._entered, np.minimum(self.lowest, self._position), self.lowest)
        self.highest = np.where(self._entered, np.maximum(self.highest, self._position), self.highest)

    def positions(self) -> tuple[DoubleArray, DoubleArray]:
        """The lowest and the highest position; the last one of a joint that never came within its limits."""
        return (np.where(self._entered, self.lowest, self._position),
                np.where(self._entered, self.highest, self._position))

    def _read(self) -> DoubleArray:
        return np.asarray(self._scene.joint_position[0], dtype=np.float64)

    def _within(self) -> NDArray[np.bool_]:
        return (self._position >= self._lower) & (self._position <= self._upper)


class _BodyPeaks:
    """The greatest linear and angular speed of every link and body, (n_body, 2)."""

    def __init__(self, scene: Scene, links: Sequence[Link | None]) -> None:
        self._scene = scene
        self._centers = np.array([link.center_of_mass if link else (0.0, 0.0, 0.0) for link in links]).reshape(-1, 3)
        self._state = self._read()
        self.speed = np.zeros((len(links), 2))

    def update(self) -> None:
        """Take in one step."""
        (before, q0), (after, q1) = self._state, self._read()
        self._state = after, q1
        error = POSITION_ERROR * np.maximum(np.abs(before), np.abs(after)).max(axis=1, initial=0.0)
        ways = np.stack([np.linalg.norm(after - before, axis=1) - 2.0 * error, _angle(q0, q1) - 4.0 * POSITION_ERROR],
                        axis=1)
        velocity = self._scene.body_velocity[0].astype(np.float64)
        reported = np.stack([np.linalg.norm(velocity[:, :3], axis=1), np.linalg.norm(velocity[:, 3:], axis=1)], axis=1)
        self.speed = np.maximum(self.speed, np.maximum(ways / self._scene.dt, reported))

    def _read(self) -> tuple[DoubleArray, DoubleArray]:
        """Centres of mass and rotations."""
        pose = self._scene.body_pose[0].astype(np.float64)
        u, w = pose[:, 3:6], pose[:, 6:]
        twice = 2.0 * np.cross(u, self._centers)
        return pose[:, :3] + self._centers + w * twice + np.cross(u, twice), pose[:, 3:]


def _angle(q0: DoubleArray, q1: DoubleArray) -> DoubleArray:
    """The angle between rotations, (n,) rad; exact for small ones."""
    vector = q0[:, 3:] * q1[:, :3] - q1[:, 3:] * q0[:, :3] - np.cross(q0[:, :3], q1[:, :3])
    return np.asarray(2.0 * np.arctan2(np.linalg.norm(vector, axis=1), np.abs((q0 * q1).sum(axis=1))))
