"""A stage that is stepped while it is edited: what a live view shows, without the view."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Usd, UsdGeom

from physx_runtime.live_view.knobs import Knob, knobs
from physx_runtime.packing.placement import rigid
from physx_runtime.session import Session
from physx_runtime.viewing.robot.shapes import Shapes, visible_shapes
from physx_runtime.viewing.stage_over import layer_over, require_another_file, write_over
from physx_schema.description import describe
from physx_schema.description.frames import taken_apart


class LiveRobot:
    """A file's stage under a layer of edits, and the session that steps it.

    Edits are of the layer alone; the motion lies in the session layer and is never written to a file.

    Raises:
        UnreadableError: the file cannot be opened.
        UnsupportedError: PhysX refuses the stage, or nothing on it moves.
    """

    def __init__(self, stage: Any) -> None:
        self._edits = layer_over(stage)
        self.stage = Usd.Stage.Open(self._edits)
        description = describe(self.stage)
        self.bodies = description.body_paths
        self.knobs = knobs(self.stage, description)
        self.shapes: Shapes = visible_shapes(self.stage, self.bodies)
        self._session = Session(self.stage, velocities=False, joint_states=False)
        self._owners = {dof.name: (item.path, dof.angular) for item in description.articulations for dof in item.dofs}

    def turn(self, knob: Knob, value: float) -> None:
        """Author a knob's value in the layer of edits, or put its joint there at rest; degrees or lengths."""
        if knob.property:
            self.stage.GetPrimAtPath(knob.path).GetAttribute(knob.property).Set(value)
            return
        path, angular = self._owners[knob.joint]
        actor = self._session.simulation(path)
        column = actor.model.dof_names.index(knob.joint)
        q, v = actor.get("q"), actor.get("v")
        q[:, column] = math.radians(value) if angular else value
        v[:, actor.topology.root_size + column] = 0.0
        actor.set("q", q)
        actor.set("v", v)

    def step(self, dt: float) -> None:
        """Take up what was turned and advance by dt [s]."""
        self._session.step(dt)

    def reset(self) -> None:
        """Back to the authored state; edits stay."""
        self._session.reset()

    def poses(self) -> NDArray[np.float64]:
        """(n_body, 7) position and quaternion x y z w of `bodies` in the world, as they are now."""
        frames = UsdGeom.XformCache(Usd.TimeCode.Default())
        poses = [taken_apart(rigid(frames.GetLocalToWorldTransform(self.stage.GetPrimAtPath(path)))).pose
                 for path in self.bodies]
        return np.array([[*position, *rotation] for position, rotation in poses]).reshape(-1, 7)

    @property
    def said(self) -> list[str]:
        """What the session reports, such as what is not simulated."""
        return [str(message) for message in self._session.messages]

    def save(self, path: Path) -> None:
        """Write the edits as a layer over the file.

        Raises OSError, ValueError for a name of no layer, and UnsupportedError for a file of the stage.
        """
        require_another_file(self.stage, path)
        write_over(self._edits, path)

    def close(self) -> None:
        """End the session."""
        self._session.close()
