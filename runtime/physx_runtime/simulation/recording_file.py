"""Recordings as .npz files."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.simulation.contacts import joined
from physx_runtime.simulation.recording import Recording
from physx_schema.files import replacing


def write_recording(path: Path, recording: Recording) -> None:
    """Write what a recording has under its own names, lines of text for what was not simulated.

    The file appears whole or not at all.

    Raises OSError where the file cannot be written.
    """
    fields = (field.name for field in dataclasses.fields(recording) if field.name not in ("contacts", "contact_events"))
    names = (*fields, "link_names", "link_pose", "link_velocity")
    arrays = {name: np.asarray(getattr(recording, name)) for name in names}
    arrays |= _contacts(recording)
    arrays["not_simulated"] = np.array([str(item) for item in recording.not_simulated], dtype=np.str_)
    with replacing(path) as temporary, temporary.open("wb") as stream:
        np.savez_compressed(stream, allow_pickle=False, **arrays)


def _contacts(recording: Recording) -> dict[str, NDArray[Any]]:
    """Contacts and friction of all records as rows, contact_record and friction_record saying of which one each is."""
    whole = joined(recording.contacts)
    found = {"contact_normal": whole.normals, "contact_separation": whole.separations}
    for kind, rows, counts in (("contact", whole, [len(one) for one in recording.contacts]),
                               ("friction", whole.friction, [len(one.friction) for one in recording.contacts])):
        found[f"{kind}_record"] = np.repeat(np.arange(len(counts)), counts)
        found[f"{kind}_pair"], found[f"{kind}_bodies"] = (
            np.array(names, np.str_).reshape(-1, 2) for names in (rows.pairs, rows.bodies))
        found |= {f"{kind}_world": rows.worlds, f"{kind}_point": rows.points, f"{kind}_impulse": rows.impulses}
    return found | _events(recording)


def _events(recording: Recording) -> dict[str, NDArray[Any]]:
    """The events of all records as rows; their points are among the contacts of their record, world and pair."""
    told = [(record, event) for record, events in enumerate(recording.contact_events) for event in events]
    return {"event_record": np.array([record for record, _ in told], np.int64),
            "event_kind": np.array([event.kind for _, event in told], np.str_),
            "event_world": np.array([event.world for _, event in told], np.int64),
            "event_pair": np.array([event.pair for _, event in told], np.str_).reshape(-1, 2)}
