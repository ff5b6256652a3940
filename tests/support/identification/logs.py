"""Logs of legs that real PhysX moves: commands, motion, noise, quantised speeds, missing records and a delay.

Run as `python -m support.identification.logs LEGS SEED FOLDER` to write stage.usda, log.npz and truth.npz.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.identification.engine import commanded
from support.identification.legs import draw_guess, draw_truth, joint_names, legs_stage
from support.places import SHARED

Array = NDArray[np.float64]
DT, HELD = 1 / 240, 4           # s of a step; steps that a command is held for
NOISE, QUANTUM = 1e-3, 0.02     # rad, rad/s
EVERY, MISSING = 2, 0.025       # steps between two records; share of records that are missing


@dataclass(frozen=True, slots=True)
class MadeLog:
    """A log, the stage that guesses the robot, and what moved it."""

    stage: str
    arrays: dict[str, NDArray[Any]]     # as of `physx_runtime.Log`
    truth: dict[str, Array]
    delay: int                          # steps
    motion: Array                       # (n_step + 1, n_joint) without noise


def fast_commands(joints: int, seconds: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Target positions and velocities (n_step, n_joint): a chirp for each joint, up and down in frequency."""
    time = np.arange(round(seconds / DT) // HELD + 1) * HELD * DT
    position = np.zeros((len(time), joints))
    for joint in range(joints):
        low, high, period = rng.uniform(0.2, 0.5), rng.uniform(1.8, 2.5), rng.uniform(7.0, 11.0)
        frequency = low + (high - low) * (0.5 - 0.5 * np.cos(2 * np.pi * time / period + rng.uniform(0, 2 * np.pi)))
        phase = 2 * np.pi * np.cumsum(frequency) * HELD * DT
        slow = 0.15 * np.sin(2 * np.pi * rng.uniform(0.05, 0.15) * time + rng.uniform(0, 2 * np.pi))
        position[:, joint] = 0.45 / (1.0 + frequency) * np.sin(phase) + slow
    velocity = np.gradient(position, HELD * DT, axis=0)
    steps = round(seconds / DT)
    return np.repeat(position, HELD, axis=0)[:steps], np.repeat(velocity, HELD, axis=0)[:steps]


def make_log(legs: int, seed: int, seconds: float = 36.0) -> MadeLog:
    """A log of a robot of this seed; numbers as a driver writes them, in float32."""
    if str(SHARED / "oracle") not in sys.path:
        sys.path.insert(0, str(SHARED / "oracle"))
    rng, names = np.random.default_rng((seed, 3)), joint_names(legs)
    truth, delay = draw_truth(legs, seed), int(rng.integers(2, 8))
    position, velocity = fast_commands(len(names), seconds, rng)
    given = np.maximum(np.arange(len(position)) - delay, 0)
    sent = [values.astype(np.float32).astype(np.float64)[given] for values in (position, velocity)]
    q, v = commanded(legs_stage(legs, truth), names, *sent, DT)
    records = np.arange(0, len(q), EVERY)
    records = records[rng.uniform(size=len(records)) >= MISSING]
    measured = q[records] + NOISE * rng.normal(size=(len(records), len(names)))
    arrays: dict[str, NDArray[Any]] = {
        "time": records * DT, "joint_names": np.array(names), "joint_position": measured.astype(np.float32),
        "joint_velocity": (np.round(v[records] / QUANTUM) * QUANTUM).astype(np.float32),
        "command_time": np.arange(0, len(position), HELD) * DT,
        "target_position": position[::HELD].astype(np.float32),
        "target_velocity": velocity[::HELD].astype(np.float32)}
    return MadeLog(legs_stage(legs, draw_guess(legs, seed)), arrays, truth, delay, q)


def write_log(made: MadeLog, folder: Path) -> None:
    """Write stage.usda, log.npz, and truth.npz with the delay in steps."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "stage.usda").write_text(made.stage)
    np.savez_compressed(folder / "log.npz", **made.arrays)
    np.savez_compressed(folder / "truth.npz", **made.truth, delay=np.array(made.delay), motion=made.motion)


if __name__ == "__main__":
    write_log(make_log(int(sys.argv[1]), int(sys.argv[2])), Path(sys.argv[3]))
