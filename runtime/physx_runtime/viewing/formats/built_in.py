"""Formats of recordings that are always there: arrays, a table, a page, a layer of USD, and films."""

from __future__ import annotations

from pathlib import Path

from physx_runtime.viewing.formats.recording_format import Motion, RecordingFormat


def _write_arrays(path: Path, motion: Motion) -> None:
    from physx_runtime.simulation.recorder import write_recording

    write_recording(path, motion.recording)


def _write_table(path: Path, motion: Motion) -> None:
    from physx_runtime.viewing.text import write_table

    write_table(path, motion.recording)


def _write_page(path: Path, motion: Motion) -> None:
    from physx_runtime.viewing.report import write_report
    from physx_schema.checking import check

    messages = [f"{item}." for item in (*motion.recording.not_simulated, *motion.recording.diverged)]
    write_report(path, motion.stage, check(motion.stage), None, motion.recording, missing=messages)


def _write_layer(path: Path, motion: Motion) -> None:
    from physx_runtime.viewing.motion import write_motion

    write_motion(motion.stage, motion.recording, path)


def _require_film(path: Path) -> None:
    from physx_runtime.viewing.film.writing import require_film

    require_film(path)


def _write_film(path: Path, motion: Motion) -> None:
    from physx_runtime.viewing.film.writing import write_film

    write_film(motion.stage, motion.description, motion.recording, path)


FORMATS = (
    RecordingFormat((".npz",), "all data", _write_arrays),
    RecordingFormat((".csv",), "joints", _write_table),
    RecordingFormat((".html",), "a web page", _write_page),
    RecordingFormat((".usda", ".usdc", ".usd"), "a layer that plays the motion on the stage", _write_layer),
    RecordingFormat((".gif", ".mp4"), "a film", _write_film, _require_film),
)
