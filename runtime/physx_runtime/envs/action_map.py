"""`ActionMap` writes actions into a row of a robot's joints, such as joint_effort, and knows the bounds of actions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from physx_runtime.arrays import Array, Indices
from physx_runtime.simulation.actor import Actor
from physx_runtime.simulation.arguments import required_numbers
from physx_runtime.simulation.variation import matches
from physx_schema.arguments import display, required_choice, required_texts, suggestion

ROWS = ("joint_effort", "target_position", "target_velocity")
Bounds = tuple[Array | float, Array | float]


class ActionMap:
    """The joints that an action drives, the row that it sets, and its bounds.

    Raises ValueError for an unknown row or joint, for a row that the robot lacks, and for missing bounds.
    """

    def __init__(self, robot: Actor, row: str, joints: Sequence[str] | None, bounds: Bounds | None) -> None:
        self.row = required_choice("act", row, ROWS)
        self.columns = _columns(robot.model.actor.path, robot.model.dof_names, joints)
        self.joints = tuple(robot.model.dof_names[i] for i in self.columns)
        for i, joint in zip(self.columns, self.joints, strict=True):
            if row != "joint_effort" and not robot.topology.dofs[i].drive:
                raise ValueError(f"{joint} has no drive, and {row} needs one; author a drive, choose "
                                 "act='joint_effort', or give joints without this joint")
        low, high = _pair(bounds) if bounds is not None else self._default_bounds(robot)
        self.low, self.high = (self._bound(bound).astype(robot.dtype) for bound in (low, high))
        self._require_bounds()
        self._authored = robot.get(row)
        self._values = self._authored.copy()

    def apply(self, robot: Actor, actions: Array) -> Array:
        """Clip actions, (n_world, n_joint), to the bounds, and set them; return the clipped actions."""
        clipped = np.clip(actions, self.low, self.high)
        self._values[:, self.columns] = clipped
        robot.set(self.row, self._values)
        return clipped

    def clear(self, robot: Actor, worlds: Indices) -> None:
        """Set the row to its authored values in worlds with these indices."""
        self._values[worlds] = self._authored[worlds]
        robot.set(self.row, self._values[worlds], worlds)

    def _default_bounds(self, robot: Actor) -> tuple[Array, Array]:
        """The authored effort limits or position limits of the joints."""
        if self.row == "joint_effort" and "max_force" in robot.parameters:
            limit = robot.parameter("max_force")[0][self.columns]
            return -limit, limit
        if self.row == "target_position" and "lower_limit" in robot.parameters:
            return (robot.parameter("lower_limit")[0][self.columns], robot.parameter("upper_limit")[0][self.columns])
        return np.full(len(self.columns), -np.inf), np.full(len(self.columns), np.inf)

    def _bound(self, bound: Array | float) -> Array:
        """A bound of every action, (n_action,)."""
        array, count = required_numbers("action_range", bound), len(self.columns)
        if array.shape not in ((), (count,)):
            raise ValueError(f"action_range has a bound of shape {array.shape}; give numbers, or arrays of shape "
                             f"({count},)")
        return np.broadcast_to(array, (count,))

    def _require_bounds(self) -> None:
        valid = np.isfinite(self.low) & np.isfinite(self.high) & (self.low < self.high)
        if not valid.all():
            i = int(np.argmin(valid))
            raise ValueError(f"the bounds of {self.row} at {self.joints[i]} are {self.low[i]:g} and {self.high[i]:g}; "
                             "give action_range=(low, high) with finite numbers, or joints without this joint")


def _pair(bounds: Bounds) -> Bounds:
    if not isinstance(bounds, tuple | list) or len(bounds) != 2:
        raise ValueError(f"action_range is {display(bounds)}; give (low, high)")
    return bounds[0], bounds[1]


def _columns(path: str, names: Sequence[str], joints: Sequence[str] | None) -> list[int]:
    """The columns of joints by their paths, or the ends of their paths; all for None."""
    if joints is None:
        columns = list(range(len(names)))
    else:
        if isinstance(joints, str):
            raise ValueError(f"joints is {joints!r}; give a list, such as [{joints!r}]")
        columns = [_column(path, names, joint) for joint in required_texts("joints", joints)]
    if not columns:
        raise ValueError(f"{path} has no joint that an action can drive; give the robot's path as robot=")
    return columns


def _column(path: str, names: Sequence[str], joint: str) -> int:
    matching = [i for i, name in enumerate(names) if matches(name, joint)]
    if len(matching) != 1:
        problem = f"{joint!r} is not a joint axis" if not matching else f"{joint!r} names {len(matching)} joint axes"
        raise ValueError(f"{problem} of {path}; {suggestion(joint, names, 'allowed are')}")
    return matching[0]
