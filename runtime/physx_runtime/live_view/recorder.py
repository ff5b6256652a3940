"""The motion of a live view, recorded step by step and written as a film, a page or a layer of time samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from pxr import Usd

from physx_runtime.arrays import DoubleArray
from physx_runtime.packing.model import NotSimulated
from physx_runtime.session import Session
from physx_runtime.simulation.contacts import NO_CONTACTS, Contacts
from physx_runtime.simulation.recording import Recording
from physx_runtime.simulation.scene_actor import SceneActor
from physx_runtime.viewing.formats.recording_format import Motion, find_formats
from physx_schema.description import describe
from physx_schema.errors import UnsupportedError

MAX_SECONDS = 120.0             # of a recording
UNFIT = (".npz", ".csv")        # formats without a picture


def recording_suffixes() -> list[str]:
    """The suffixes of the files that a motion can be written to from a page, a film first."""
    suffixes = [suffix for suffix in find_formats() if suffix not in UNFIT]
    return sorted(suffixes, key=lambda suffix: (suffix != ".gif", suffixes.index(suffix)))


class LiveRecorder:
    """Records of a session's bodies and joints: one at the start, then one for each step.

    poses: (n_body, 7) of `bodies` in the world as they are now.
    """

    def __init__(self, session: Session, bodies: Sequence[str], poses: Callable[[], DoubleArray], dt: float) -> None:
        self._session, self._bodies, self._poses, self._dt = session, bodies, poses, dt
        self._states: list[tuple[DoubleArray, ...]] = []
        self._contacts: list[Contacts] = []
        self.record(NO_CONTACTS)

    @property
    def seconds(self) -> float:
        """Simulated seconds since the first record."""
        return (len(self._states) - 1) * self._dt

    @property
    def full(self) -> bool:
        """Whether a recording gets no longer."""
        return self.seconds >= MAX_SECONDS

    def record(self, contacts: Contacts) -> None:
        """Take a record after a step."""
        actors = self._actors()
        rows = [np.concatenate([np.asarray(getattr(actor, name)[0], np.float64) for actor in actors])
                for name in ("joint_position", "joint_velocity", "link_pose", "link_velocity")]
        still = [self._bodies.index(path) for path in self._standing(actors)]
        self._states.append((*rows, self._poses()[still]))
        self._contacts.append(contacts)

    def recording(self) -> Recording:
        """All records; bodies that no force moves come last, as in every recording."""
        actors = self._actors()
        position, velocity, pose, motion, standing = (np.stack(rows)[:, None].astype(np.float32)
                                                      for rows in zip(*self._states, strict=True))
        still = self._standing(actors)
        messages = [item for item in self._session.messages if item.kind == "not-simulated"]
        return Recording(
            np.asarray(self._dt * np.arange(len(self._states)), np.float64),
            tuple(name for actor in actors for name in actor.model.dof_names), position, velocity,
            (*(name for actor in actors for name in actor.model.link_names), *still),
            np.concatenate([pose, standing], axis=2),
            np.concatenate([motion, np.zeros((*standing.shape[:3], 6), np.float32)], axis=2),
            (max(actor.settings.position_iterations for actor in actors),
             max(actor.settings.velocity_iterations for actor in actors)), "",
            tuple(NotSimulated(item.code, item.path, item.property, item.text) for item in messages),
            kinematic_names=still, contacts=tuple(self._contacts))

    def write(self, stage: Usd.Stage, path: Path) -> None:
        """Write the recording in the format of a path's suffix, over a stage without results.

        Raises OSError where the file cannot be written, ValueError and UnsupportedError where the format cannot hold
        the motion.
        """
        if len(self._states) < 2:
            raise UnsupportedError("nothing was recorded; press Play and record again")
        layout = find_formats()[path.suffix]
        layout.require(path)
        layout.write(path, Motion(stage, describe(stage), self.recording()))

    def _actors(self) -> list[SceneActor]:
        return [self._session.simulation(name) for name in self._session.articulations]

    def _standing(self, actors: Sequence[SceneActor]) -> tuple[str, ...]:
        """The bodies that belong to no actor: kinematic ones, and those that are not simulated."""
        moving = {name for actor in actors for name in actor.model.link_names}
        return tuple(path for path in self._bodies if path not in moving)
