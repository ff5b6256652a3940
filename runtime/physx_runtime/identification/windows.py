"""A log cut into windows, each a world with its own start: `Windows` has their records and first start states.

`command_table` holds each command until the next one, on the grid of the simulation's steps.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import DoubleArray, Flags
from physx_runtime.identification.log import Log

LENGTH = 1.0                # s of a window
SMOOTHING = 0.04            # s on each side of a start, of which a cubic is fitted
MAX_GAP = 0.1               # s between two records of a window


@dataclass(frozen=True, slots=True, eq=False)
class Windows:
    """Records of all windows. Channels are joint positions, then joint velocities where the log has them."""

    start: NDArray[np.int64]    # (n_window,) step of the command table at which each begins
    steps: int                  # of each
    step: NDArray[np.int64]     # (n_window, n_record) step within the window before each record
    fraction: DoubleArray       # (n_window, n_record) of a step from there to the record
    measured: DoubleArray       # (n_window, n_record, n_channel)
    valid: Flags                # (n_window, n_record); the others fill up
    start_state: DoubleArray    # (n_window, 2 n_joint) first estimate

    def __len__(self) -> int:
        return len(self.start)

    def subset(self, index: NDArray[np.int64]) -> Windows:
        """The windows with these indices."""
        return Windows(self.start[index], self.steps, self.step[index], self.fraction[index], self.measured[index],
                       self.valid[index], self.start_state[index])


def command_table(log: Log, dt: float) -> dict[str, DoubleArray]:
    """Commands (n_step, n_joint) of every step from the log's first measurement on."""
    steps = math.ceil(log.duration / dt) + 1
    time = log.time[0] + np.arange(steps) * dt
    index = np.clip(np.searchsorted(log.command_time, time + 1e-6 * dt, side="right") - 1, 0, None)
    commands = {"target_position": log.target_position[index]}
    if log.target_velocity is not None:
        commands["target_velocity"] = log.target_velocity[index]
    return commands


def cut_windows(log: Log, dt: float, sigma: DoubleArray, until: float, length: float = LENGTH) -> Windows:
    """Windows of the first `until` seconds; those across a gap are left out. sigma: (n_channel,).

    Raises ValueError if no window is left.
    """
    steps = round(length / dt)
    times = log.time - log.time[0]
    channels = [log.joint_position] + ([log.joint_velocity] if log.joint_velocity is not None else [])
    measured = np.concatenate(channels, axis=1)
    starts, records = [], []
    for start in range(0, math.floor(until / dt + 1e-6) - steps + 1, steps):
        begin, end = start * dt, (start + steps) * dt
        inside = np.flatnonzero((times >= begin - 1e-9) & (times < end - 1e-9))
        edges = np.concatenate([[begin], times[inside], [end]])
        if len(inside) and np.diff(edges).max() <= MAX_GAP:
            starts.append(start)
            records.append(inside)
    if not starts:
        raise ValueError(f"no {length:g} s of the log are without a gap of more than {MAX_GAP:g} s; record it again")
    size = max(map(len, records))
    index = np.array([np.pad(inside, (0, size - len(inside)), mode="edge") for inside in records])
    valid = np.array([np.arange(size) < len(inside) for inside in records])
    first = np.array(starts)
    offset = times[index] / dt - first[:, None]
    offset = np.where(np.abs(offset - np.round(offset)) < 1e-6, np.round(offset), np.maximum(offset, 0.0))
    step = np.minimum(np.floor(offset).astype(np.int64), steps - 1)
    states = np.array([smoothed_state(times, log, start * dt, sigma) for start in starts])
    return Windows(first, steps, step, offset - step, measured[index], valid, states)


def smoothed_state(times: DoubleArray, log: Log, time: float, sigma: DoubleArray) -> DoubleArray:
    """Positions and velocities at a time: a cubic through measurements up to 40 ms away, weighted by their noise."""
    joints = log.joint_position.shape[1]
    near = np.flatnonzero(np.abs(times - time) <= SMOOTHING)
    if len(near) < 4:
        near = np.argsort(np.abs(times - time))[:5]
    t = times[near] - time
    state = np.zeros(2 * joints)
    for joint in range(joints):
        basis = np.vander(t, 4, increasing=True) / sigma[joint]
        right = log.joint_position[near, joint] / sigma[joint]
        if log.joint_velocity is not None:
            slope = np.stack([np.zeros_like(t), np.ones_like(t), 2 * t, 3 * t**2], axis=1) / sigma[joints + joint]
            basis = np.concatenate([basis, slope])
            right = np.concatenate([right, log.joint_velocity[near, joint] / sigma[joints + joint]])
        solution, *_ = np.linalg.lstsq(basis, right, rcond=None)
        state[[joint, joints + joint]] = solution[:2]
    return state
