"""A recording's joints as comma-separated values."""

from __future__ import annotations

import csv
from pathlib import Path

from physx_runtime.simulation.recording import Recording
from physx_schema.files import replacing


def write_table(path: Path, recording: Recording, world: int = 0) -> None:
    """Write a line for each record: time [s], then position and velocity of every joint [rad or length, per s].

    The file appears whole or not at all. Raises OSError where it cannot be written.
    """
    names = [f"{name} {what}" for what in ("position", "velocity") for name in recording.joint_names]
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["time", *names])
        for i, time in enumerate(recording.time.tolist()):
            writer.writerow([time, *recording.joint_position[i, world].tolist(),
                             *recording.joint_velocity[i, world].tolist()])
