"""`KinematicBodies` moves the kinematic bodies of a scene to targets, poses or time samples in every world
(PxRigidDynamic::setKinematicTarget). `KinematicMotion` gives their poses for each step of a run. Nothing pushes a
kinematic body.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.arrays import DoubleArray, Indices, Scalar
from physx_runtime.dynamics import spatial as sp
from physx_runtime.simulation.arguments import required_numbers
from physx_runtime.simulation.parameters import is_rotation
from physx_schema.arguments import label, required_mapping, required_text, suggestion
from physx_schema.description.model import Link, PoseSample
from physx_schema.description.records import Pose, interpolate

# Of a target, in which the body keeps awake what it holds (measured, see docs/reference/physx/sleeping.md).
ACTIVE_STEPS = 3


class KinematicBodies:
    """Poses, velocities and next targets of the kinematic bodies of a scene in every world."""

    def __init__(self, bodies: Sequence[Link], worlds: int) -> None:
        self.paths = tuple(body.path for body in bodies)
        self._center = np.array([body.center_of_mass for body in bodies], dtype=np.float64).reshape(-1, 3)
        starts = [body.samples[0].pose if body.samples else body.pose for body in bodies]
        self._start = np.array([(*position, *rotation) for position, rotation in starts]).reshape(-1, 7)
        self.pose = np.tile(self._start, (worlds, 1, 1))                # (n_world, n_body, 7) of the prims
        self.velocity = np.zeros((worlds, len(bodies), 6))              # of the centre of mass, angular; last step's
        self._target, self._targeted = self.pose.copy(), np.zeros(self.pose.shape[:2], dtype=np.bool_)
        self._active = np.zeros(self.pose.shape[:2], dtype=np.int64)        # steps for which it stays active
        self.is_current = not bodies      # whether rows are those of where the bodies stand
        self._samples = {i: body.samples for i, body in enumerate(bodies) if body.samples}
        self._sampled = np.array([bool(body.samples) for body in bodies], dtype=np.bool_)
        self._follows_samples = np.tile(self._sampled, (worlds, 1))     # until it is sent or put elsewhere
        self._time = np.zeros(worlds)       # s that the bodies have followed their samples

    def set_target(self, path: str, poses: ArrayLike, worlds: Indices) -> None:
        """Set the pose of a body after the next step, (7,) or (n_world, 7).

        Raises ValueError for another path or shape, and for a pose that is none.
        """
        body = self._index(path)
        self._target[worlds, body] = checked_poses("kinematic_target", path, poses, (7,), (len(worlds), 7))
        self._targeted[worlds, body], self._follows_samples[worlds, body], self.is_current = True, False, False

    def set_pose(self, path: str, poses: ArrayLike, worlds: Indices) -> None:
        """Set the pose of a body at once, without a velocity; otherwise as `set_target`."""
        body = self._index(path)
        self.pose[worlds, body] = checked_poses("kinematic_pose", path, poses, (7,), (len(worlds), 7))
        self.velocity[worlds, body], self._targeted[worlds, body] = 0.0, False
        self._follows_samples[worlds, body], self.is_current = False, False

    def reset(self, worlds: Indices) -> None:
        """Reset these worlds to the authored poses, or to the first time samples."""
        self.pose[worlds], self.velocity[worlds] = self._start, 0.0
        self._targeted[worlds], self._active[worlds], self.is_current = False, 0, not self.paths
        self._follows_samples[worlds], self._time[worlds] = self._sampled, 0.0

    def continue_from(self, before: KinematicBodies) -> None:
        """Start bodies at the poses of another scene, by path, with their own poses as targets.

        Those with time samples go on along them.
        """
        self._time = before._time.copy()
        for i, path in enumerate(self.paths):
            if path in before.paths:
                pose_before = before.pose[:, before.paths.index(path)]
                changed = (pose_before != self.pose[:, i]).any(axis=-1) & ~self._follows_samples[:, i]
                self._target[:, i], self._targeted[:, i] = self.pose[:, i], changed
                self.pose[:, i] = pose_before
                self.velocity[:, i] = before.velocity[:, before.paths.index(path)]

    def set_targets(self, poses: Mapping[str, Pose]) -> None:
        """Set targets of bodies by path in every world, where a body is not there yet; poses must be valid."""
        for path, (position, rotation) in poses.items():
            body, pose = self.paths.index(path), np.array([*position, *rotation])
            self._target[:, body] = pose
            self._targeted[:, body] = (self.pose[:, body] != pose).any(axis=-1)
            self.is_current = self.is_current and not self._targeted[:, body].any()

    def rows_for_step(self, dt: float) -> Mapping[str, Mapping[str, DoubleArray]]:
        """The rows of every body for the next step, by path, (n_world, n) each; none where they are unchanged."""
        if self.is_current:
            return {}
        self._follow_samples(dt)
        self.velocity = np.where(self._targeted[..., None], self._target_velocity(dt), 0.0)
        self._active = np.where(self._targeted | self._follows_samples, ACTIVE_STEPS, np.maximum(self._active - 1, 0))
        centers, active = self._mass_centers(self.pose), (self._active > 0)[..., None].astype(np.float64)
        return {path: {"position": centers[:, i], "rotation": self.pose[:, i, 3:], "velocity": self.velocity[:, i],
                       "active": active[:, i]} for i, path in enumerate(self.paths)}

    def stepped(self) -> None:
        """A step was taken: bodies are where they went."""
        if self.is_current:
            return
        self.pose = np.where(self._targeted[..., None], self._target, self.pose)
        self.is_current = not (self._targeted | (self._active > 0) & ~self._follows_samples).any()
        self._targeted[:] = False

    def _follow_samples(self, dt: float) -> None:
        """Send bodies to where their time samples put them at the end of the next step."""
        for body, samples in self._samples.items():
            following = self._follows_samples[:, body] & (self._time <= max(samples[-1].time, 0.0))
            for time in np.unique(self._time[following]):
                worlds = np.flatnonzero(following & (self._time == time))
                position, rotation = _pose_at(samples, float(time) + dt)
                self._target[worlds, body] = (*position, *rotation)
                self._targeted[worlds, body] = True
        self._time += dt

    def _target_velocity(self, dt: float) -> DoubleArray:
        """Velocities with which bodies come to their targets, (n_world, n_body, 6)."""
        linear = (self._mass_centers(self._target) - self._mass_centers(self.pose)) / dt
        rotation = sp.mul_quat(_components(self._target[..., 3:]), sp.conjugate(_components(self.pose[..., 3:])))
        x, y, z, w = (np.asarray(part) for part in rotation)
        sine = np.sqrt(x * x + y * y + z * z)
        # of the two ways round the shorter one
        angle = 2.0 * np.arctan2(sine, np.abs(w)) * np.where(w < 0.0, -1.0, 1.0)
        factor = np.where(sine > 0.0, angle / np.where(sine > 0.0, sine, 1.0), 2.0) / dt
        return np.concatenate([linear, np.stack([x * factor, y * factor, z * factor], axis=-1)], axis=-1)

    def _mass_centers(self, pose: DoubleArray) -> DoubleArray:
        """Centres of mass in the world, (n_world, n_body, 3)."""
        x, y, z = self._center.T
        return np.asarray(pose[..., :3] + np.stack(sp.rotate(_components(pose[..., 3:]), (x, y, z)), axis=-1))

    def _index(self, path: str) -> int:
        if required_text("body", path) not in self.paths:
            raise ValueError(f"the stage has no kinematic body {label(path)}; "
                             f"{suggestion(path, self.paths, 'give one of')}")
        return self.paths.index(path)


class KinematicMotion:
    """Poses of kinematic bodies for every step of a run, as targets or set at once.

    poses: {path: (n_step, 7) or (n_step, n_world, 7)}. Raises ValueError for a path that is none of the bodies', for
    another shape, and for a pose that is none.
    """

    def __init__(self, bodies: KinematicBodies, argument: str, poses: Mapping[str, ArrayLike], steps: int) -> None:
        worlds = len(bodies.pose)
        self._worlds, self._set_pose = np.arange(worlds), bodies.set_pose
        if argument == "kinematic_target":
            self._set_pose = bodies.set_target
        unknown = sorted(set(required_mapping(argument, poses)) - set(bodies.paths))
        if unknown:
            raise ValueError(f"{argument} names {', '.join(unknown)}; allowed are the stage's kinematic bodies, "
                             f"{', '.join(bodies.paths) or 'none'}")
        self._poses = {path: checked_poses(argument, path, body_poses, (steps, 7), (steps, worlds, 7))
                       for path, body_poses in poses.items()}

    def before_step(self, step: int) -> None:
        """Set the targets or poses of the bodies for the step with this index."""
        for path, poses in self._poses.items():
            self._set_pose(path, poses[step], self._worlds)


def _pose_at(samples: Sequence[PoseSample], time: float) -> Pose:
    """The pose at a time: the first before all samples, the last after them."""
    after = bisect_right(samples, time, key=lambda sample: sample.time)
    if after in (0, len(samples)):
        return samples[max(after - 1, 0)].pose
    a, b = samples[after - 1], samples[after]
    return interpolate(a.pose, b.pose, (time - a.time) / (b.time - a.time))


def checked_poses(argument: str, path: str, poses: ArrayLike, *shapes: tuple[int, ...]) -> DoubleArray:
    """Poses of one body in one of some shapes, with rotations of length 1; raises ValueError for others."""
    array = required_numbers(f"{argument} of {path}", poses)
    if array.shape not in shapes:
        raise ValueError(f"{argument} of {path} has shape {array.shape}; give {' or '.join(map(str, shapes))}")
    if not np.isfinite(array).all():
        raise ValueError(f"{argument} of {path} contains a number that is not finite; give finite numbers")
    if not is_rotation(array[..., 3:]).all():
        raise ValueError(f"{argument} of {path} has a zero quaternion; give a position, then a quaternion x y z w")
    rotation = array[..., 3:] / np.linalg.norm(array[..., 3:], axis=-1, keepdims=True)
    return np.concatenate([array[..., :3], rotation], axis=-1)


def _components(rotation: DoubleArray) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    return tuple(np.moveaxis(rotation, -1, 0))
