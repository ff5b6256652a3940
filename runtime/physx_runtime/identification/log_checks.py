"""A log compared with a robot: columns in the robot's order, and one line for each log that does not fit the robot."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from physx_runtime.arrays import DoubleArray, Flags
from physx_runtime.identification.log import Log
from physx_runtime.model.topology import PRISMATIC
from physx_runtime.simulation.simulation import Simulation
from physx_schema.arguments import suggestion
from physx_schema.errors import UnsupportedError

MAX_ANGLE = 4.0 * math.pi           # rad, beyond which an angle is taken for degrees
STILL = 5.0                         # standard deviations of noise, below which a joint does not move
MAX_REPEAT = 1e-9                   # rad or length, below which a target is a measurement


def require_supported(sim: Simulation) -> None:
    """Raise UnsupportedError for a robot that windows cannot start: a free body, or a floating base."""
    if not sim.topology.dofs:
        raise UnsupportedError(f"{sim.model.actor.path} has no joints; choose an articulation with joints")
    if sim.topology.root_size:
        raise UnsupportedError(f"{sim.model.actor.path} has a floating base, which is not supported; fix the base to "
                               "the world, as the log was recorded")


def log_for(log: Log, sim: Simulation) -> Log:
    """The log with columns in the order of the simulation's joints.

    Raises ValueError for a joint that the log lacks, angles in degrees, commands that are constant or are measurements,
    and commands that end before the measurements.
    """
    columns = [_column(log, path) for path in sim.model.dof_names]
    names = tuple(log.joint_names[i] for i in columns)
    picked = {name: values[:, columns] for name in ("joint_position", "target_position", "joint_velocity",
                                                    "target_velocity")
              if (values := getattr(log, name)) is not None}
    log = replace(log, joint_names=names, **picked)
    _require_radians(log, sim)
    _require_commands(log)
    return log


def _column(log: Log, path: str) -> int:
    """The column of a joint: by its path, or by its name without the path."""
    ends = (path, path.rsplit("/")[-1])
    columns = [i for i, name in enumerate(log.joint_names) if name in ends]
    if len(columns) != 1:
        problem = "has no joint" if not columns else "has several joints"
        raise ValueError(f"the log {problem} {path}; {suggestion(ends[1], log.joint_names)}")
    return columns[0]


def _require_radians(log: Log, sim: Simulation) -> None:
    largest = np.abs(log.joint_position).max(axis=0)
    for i, name in enumerate(log.joint_names):
        if sim.topology.kind_of(i) != PRISMATIC and largest[i] > MAX_ANGLE:
            raise ValueError(f"the position of joint {name} reaches {largest[i]:.4g}, which looks like degrees; give "
                             "radians, or degrees=True (--degrees)")


def _require_commands(log: Log) -> None:
    if not np.ptp(log.target_position, axis=0).any():
        raise ValueError("the targets of all joints are constant; record a log with commands that move the joints")
    missing = max(log.command_time[0] - log.time[0], 0.0) + max(log.time[-1] - log.command_time[-1] - 1.0, 0.0)
    if missing > 0.5 * log.duration:
        raise ValueError(f"the commands cover {max(log.duration - missing, 0.0):.3g} s of {log.duration:.3g} s of "
                         "measurements; give both times from one clock")
    for i, name in enumerate(log.joint_names):
        target = log.target_position[:, i]
        error = np.abs(np.interp(log.command_time, log.time, log.joint_position[:, i]) - target).max()
        if np.ptp(target) > 0.0 and error < MAX_REPEAT:
            raise ValueError(f"the target of joint {name} is its measured position; record the command that was sent")


def still_joints(log: Log, noise: DoubleArray) -> Flags:
    """(n_joint,) joints that stay within five standard deviations of their position's noise."""
    away = np.abs(log.joint_position - np.median(log.joint_position, axis=0)).max(axis=0)
    return np.asarray(away < STILL * np.maximum(noise, 1e-12))
