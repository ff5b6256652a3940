"""A format of recordings, and all that the files of this folder list."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from physx_runtime.simulation.recording import Recording
    from physx_schema.description import Description
    from physx_schema.description.stages import StageSource


@dataclass(frozen=True, slots=True)
class Motion:
    """What a format writes: a recording, and the stage that was stepped."""

    stage: StageSource          # that was stepped, without results of the motion
    description: Description
    recording: Recording


def needs_nothing(path: Path) -> None:
    """Require nothing of the installation."""


@dataclass(frozen=True, slots=True)
class RecordingFormat:
    """Files of some suffixes; what a format needs is imported when it writes."""

    suffixes: tuple[str, ...]
    content: str                # for the help: "all of it"
    write: Callable[[Path, Motion], object]             # raises OSError where the file cannot be written
    require: Callable[[Path], None] = needs_nothing     # raises UnsupportedError before anything is stepped


def find_formats() -> Mapping[str, RecordingFormat]:
    """Every format by suffix, those of `built_in` first and others by the names of their files."""
    package = __name__.rpartition(".")[0]
    names = sorted((info.name for info in pkgutil.iter_modules(importlib.import_module(package).__path__)),
                   key=lambda name: (name != "built_in", name))
    modules = [importlib.import_module(f"{package}.{name}") for name in names]
    formats: list[RecordingFormat] = [item for module in modules for item in getattr(module, "FORMATS", ())]
    return {suffix: item for item in formats for suffix in item.suffixes}


def help_text(formats: Iterable[RecordingFormat]) -> str:
    """Suffixes and contents of formats: ".npz (all of it), .csv (joints), or .gif, .mp4 (a film)"."""
    parts = [f"{', '.join(item.suffixes)} ({item.content})" for item in dict.fromkeys(formats)]
    return ", or ".join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else parts[0]
