"""`StartState` makes the state rows of a reset, authored or given; `StepWatcher` and `Watcher` are callbacks on steps
and writes.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.arrays import Array, Indices
from physx_runtime.dynamics import spatial as sp
from physx_runtime.packing.frames import Frame, root_frame, root_rows, rounded_rotations
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.arguments import required_numbers
from physx_runtime.simulation.parameters import is_rotation, refusal
from physx_runtime.targets.cuda.kernels import LineSelection


class StepWatcher(Protocol):
    """A callback around the steps of worlds."""

    def about_to_step(self) -> None:
        """Called before a step; always before the last step of a call."""

    def stepped(self) -> None:
        """Called after steps; always after the first step of a call."""


class Watcher(StepWatcher, Protocol):
    """A callback on writes to an actor's worlds and on its steps."""

    def state_changed(self, worlds: Indices | LineSelection) -> None:
        """Called after the state was set in worlds with these indices, or in worlds selected on a GPU."""




class StartState:
    """State rows of the worlds with indices `worlds`, as authored until something else is given.

    root_offset: F in the root link in each of these worlds (`packing.frames.root_frame_in_link`). Methods raise
    ValueError for shapes that do not fit and for numbers that `dtype` does not hold.
    """

    def __init__(self, model: PackedModel, worlds: NDArray[np.int64], dtype: str, root_offset: Frame) -> None:
        self._model, self._worlds, self._dtype, self._root_offset = model, worlds, dtype, root_offset
        self.rows = {name: np.broadcast_to(values, (len(worlds), len(values))).copy()
                     for name, values in model.state.items()}
        if model.topology.root_size:
            position, rotation = model.actor.links[0].pose
            self._set_root_pose(np.array([*position, *rotation]))

    def apply(self, joint_position: ArrayLike | None, joint_velocity: ArrayLike | None, root_pose: ArrayLike | None,
              root_velocity: ArrayLike | None) -> None:
        """Apply what is not None: one line for all of these worlds, or one for each."""
        root = self._model.topology.root_size
        if root_velocity is not None and not root:
            raise ValueError("root_velocity is given, but the base is fixed; leave it out")
        for argument, values, row, part in (
                ("joint_position", joint_position, "q", slice(None)),
                ("joint_velocity", joint_velocity, "v", slice(root, None)),
                ("root_velocity", root_velocity, "v", slice(0, root))):
            if values is not None:
                self.rows[row][:, part] = self._checked(argument, values, self.rows[row][:, part].shape[1])
        if root_pose is not None:
            pose = self._checked("root_pose", root_pose, 7).copy()
            if not is_rotation(pose[:, 3:]).all():
                raise ValueError("root_pose has a zero quaternion; give a position, then a quaternion x y z w")
            pose[:, 3:] = np.stack(sp.normalized((pose[:, 3], pose[:, 4], pose[:, 5], pose[:, 6])), axis=-1)
            self._set_root_pose(pose)

    def _checked(self, argument: str, values: ArrayLike, count: int) -> Array:
        array, worlds = required_numbers(argument, values), len(self._worlds)
        if array.shape not in ((count,), (worlds, count)):
            raise ValueError(f"{argument} has shape {array.shape}; give ({count},) or ({worlds}, {count})")
        array = np.broadcast_to(array, (worlds, count))
        with np.errstate(over="ignore"):
            invalid = ~np.isfinite(array.astype(self._dtype))
        if invalid.any():
            names = self._model.dof_names if argument.startswith("joint") else ()
            raise ValueError(refusal(argument, array, invalid, self._worlds,
                                     lambda i: names[i] if names else f"index {i}", "give finite numbers"))
        return array

    def _set_root_pose(self, pose: Array) -> None:
        """The root's rows from the pose of its link, with each world's own place of F in it."""
        p = [np.broadcast_to(x, len(self._worlds)) for x in np.moveaxis(pose, -1, 0)]
        self.rows |= root_rows(root_frame(((p[0], p[1], p[2]), (p[3], p[4], p[5], p[6])), self._root_offset))
        if self._dtype == "float32":
            self.rows["root_rotation"] = rounded_rotations(self.rows["root_rotation"]).astype(np.float64)
