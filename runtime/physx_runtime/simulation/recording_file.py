"""Recordings as .npz files."""

from __future__ import annotations

import dataclasses
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.simulation.contact_events import ContactEvent
from physx_runtime.simulation.contacts import joined
from physx_runtime.simulation.recording import Recording
from physx_runtime.simulation.triggers import TriggerEvent
from physx_schema.files import replacing
from physx_schema.outputs import MARK

_ROWS = ("contacts", "contact_events", "trigger_events")        # a number of them a record


def write_recording(path: Path, recording: Recording) -> None:
    """Write what a recording has under its own names, lines of text for what was not simulated.

    The file appears whole or not at all.

    Raises OSError where the file cannot be written.
    """
    fields = (field.name for field in dataclasses.fields(recording) if field.name not in _ROWS)
    names = (*fields, "link_names", "link_pose", "link_velocity")
    arrays = {name: np.asarray(getattr(recording, name)) for name in names}
    arrays |= _contacts(recording)
    arrays["not_simulated"] = np.array([str(item) for item in recording.not_simulated], dtype=np.str_)
    with replacing(path) as temporary, temporary.open("w+b") as stream:
        np.savez_compressed(stream, allow_pickle=False, **arrays)
        with zipfile.ZipFile(stream, "a") as archive:
            archive.comment = MARK.encode()


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
    return found | _events("event", recording.contact_events) | _events("trigger", recording.trigger_events)


def _events(prefix: str, events: Sequence[Sequence[ContactEvent | TriggerEvent]]) -> dict[str, NDArray[Any]]:
    """The events of all records as rows; points of contact events are among the contacts of record, world and pair."""
    told = [(record, event) for record, found in enumerate(events) for event in found]
    return {f"{prefix}_record": np.array([record for record, _ in told], np.int64),
            f"{prefix}_kind": np.array([event.kind for _, event in told], np.str_),
            f"{prefix}_world": np.array([event.world for _, event in told], np.int64),
            f"{prefix}_pair": np.array([event.pair for _, event in told], np.str_).reshape(-1, 2)}
