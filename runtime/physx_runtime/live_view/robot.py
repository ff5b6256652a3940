"""A stage that is stepped while it is edited, pulled and recorded: what a live view shows, without the view."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pxr import Usd, UsdGeom

from physx_runtime.live_view.edits import Edits, free_path
from physx_runtime.live_view.knobs import Knob, knobs
from physx_runtime.live_view.pull import Pulls
from physx_runtime.live_view.recorder import LiveRecorder
from physx_runtime.packing.frames import rigid
from physx_runtime.packing.not_simulated import require_accepted
from physx_runtime.session import Session
from physx_runtime.simulation.contacts import Contacts
from physx_runtime.viewing.robot.shapes import Shapes, visible_shapes
from physx_schema.description import describe
from physx_schema.description.frames import decompose
from physx_schema.description.stages import source_name
from physx_schema.errors import UnsupportedError


class LiveRobot:
    """A file's stage under a layer of edits, and the session that steps it.

    Edits are of the layer alone; the motion lies in the session layer and is never written to a file of the stage.

    Raises:
        UnreadableError: the file cannot be opened.
        UnsupportedError: PhysX refuses the stage.
    """

    def __init__(self, stage: Usd.Stage, dt: float = 1 / 60) -> None:
        self.description = describe(stage)
        require_accepted(self.description)          # which names the file; the session would name a layer in memory
        self.edits, self.dt = Edits(stage), dt
        self.name = Path(source_name(stage)).stem
        self.stage = self.edits.stage
        self.bodies = self.description.body_paths
        self.knobs = knobs(self.stage, self.description)
        self.shapes: Shapes = visible_shapes(self.stage, self.bodies)
        self._session = Session(self.stage, velocities=False, joint_states=False)
        self.pulls = Pulls(self._session, self.description)
        self.recorder: LiveRecorder | None = None
        self._owners = {dof.name: dof.angular for item in self.description.articulations for dof in item.dofs}

    def set_value(self, knob: Knob, value: float) -> None:
        """Author a knob's value in the layer of edits, or put its joint there at rest; degrees or lengths."""
        if knob.property:
            self.edits.author(knob, value)
            return
        names = [path for path in self._session.articulations
                 if knob.joint in self._session.simulation(path).model.dof_names]
        for actor in map(self._session.simulation, names):
            column = actor.model.dof_names.index(knob.joint)
            q, v = actor.get("q"), actor.get("v")
            q[:, column] = math.radians(value) if self._owners[knob.joint] else value
            v[:, actor.topology.root_size + column] = 0.0
            actor.set("q", q)
            actor.set("v", v)

    def step(self) -> None:
        """Take up what was edited, pull, advance by one step, and record."""
        self.pulls.apply()
        self._session.step(self.dt)
        if self.recorder is not None:
            self.recorder.record(self.contacts)

    def reset(self) -> None:
        """Back to the authored state without pulls; edits stay."""
        self.pulls.release_all()
        self._session.reset()

    def poses(self) -> NDArray[np.float64]:
        """(n_body, 7) position and quaternion x y z w of `bodies` in the world, as they are now."""
        frames = UsdGeom.XformCache(Usd.TimeCode.Default())
        poses = [decompose(rigid(frames.GetLocalToWorldTransform(self.stage.GetPrimAtPath(path)))).pose
                 for path in self.bodies]
        return np.array([[*position, *rotation] for position, rotation in poses]).reshape(-1, 7)

    @property
    def contacts(self) -> Contacts:
        """The contacts of the last step."""
        return self._session.contacts

    @property
    def messages(self) -> list[str]:
        """What the session reports, such as what is not simulated."""
        return [str(message) for message in self._session.messages]

    def start_recording(self) -> None:
        """Record from now on. Raises UnsupportedError where nothing moves."""
        if not self._session.articulations:
            raise UnsupportedError("nothing on the stage moves; there is nothing to record")
        self.recorder = LiveRecorder(self._session, self.bodies, self.poses, self.dt)

    def write_recording(self, folder: Path, suffix: str) -> Path:
        """End the recording and write it to a new file of a folder; return its path.

        Raises OSError where it cannot be written, ValueError and UnsupportedError where the format cannot hold it.
        """
        recorder, self.recorder = self.recorder, None
        if recorder is None:
            raise ValueError("nothing is recorded; start a recording first")
        return self._write(folder, f"{self.name}_motion", suffix,
                           lambda path: recorder.write(self.edits.edited_stage(), path))

    def save_edits(self, folder: Path) -> Path:
        """Write the edits as a layer over the stage to a new file of a folder; return its path.

        Raises OSError where it cannot be written, and UnsupportedError for a file of the stage.
        """
        return self._write(folder, f"{self.name}_edits", ".usda", self.edits.write)

    def _write(self, folder: Path, stem: str, suffix: str, write: Callable[[Path], None]) -> Path:
        """Write to a path that no file has."""
        folder.mkdir(parents=True, exist_ok=True)
        path = free_path(folder, stem, suffix)
        write(path)
        return path

    def close(self) -> None:
        """End the session."""
        self._session.close()
