"""Recordings as CSV, and how numbers and lists appear in reports.

A recording's joints as comma-separated values.

How numbers and lists of words appear in reports.
"""

from __future__ import annotations

import csv
import math
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


def numeral(value: float | tuple[float, ...] | None) -> str:
    """Four significant digits with a true minus sign; a dash where there is no value."""
    if isinstance(value, tuple):
        return f"({', '.join(map(numeral, value))})"
    if value is None or math.isnan(value):
        return "\N{EN DASH}"
    if math.isinf(value):
        return "unlimited" if value > 0.0 else "\N{MINUS SIGN}unlimited"
    return f"{value:.4g}".replace("-", "\N{MINUS SIGN}")


def listed(items: list[str]) -> str:
    """``a, b and c``."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
