"""Recordings as .npz files."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np

from physx_runtime.simulation.recording import Recording
from physx_schema.files import replacing


def write_recording(path: Path, recording: Recording) -> None:
    """Write what a recording has under its own names, lines of text for what was not simulated.

    The file appears whole or not at all.

    Raises OSError where the file cannot be written.
    """
    names = (*(field.name for field in dataclasses.fields(recording)), "link_names", "link_pose", "link_velocity")
    arrays = {name: np.asarray(getattr(recording, name)) for name in names}
    arrays["not_simulated"] = np.array([str(item) for item in recording.not_simulated], dtype=np.str_)
    with replacing(path) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, **arrays)
