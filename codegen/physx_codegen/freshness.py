"""Remembers which definitions and outputs were found in step, so that an unchanged check need not generate again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from .installed_schemas import schema_files

HERE = Path(__file__).resolve().parent


def seal(definitions: Iterable[Path], outputs: Iterable[Path]) -> str:
    """A digest of everything a check compares: definitions, generator, the schemas it reads parents from, and outputs.

    Definitions and outputs are files or folders.
    """
    digest = hashlib.sha256()
    for group in (definitions, [HERE], schema_files(), outputs):
        for path in sorted(file for place in group for file in files(place)):
            content = path.read_bytes()
            digest.update(f"\0{path}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def files(place: Path) -> Iterator[Path]:
    """A file, or every file in a folder but what Python keeps there."""
    if place.is_file():
        yield place
    for folder, names, found in os.walk(place):
        names[:] = [name for name in names if name != "__pycache__"]
        yield from (Path(folder) / name for name in found)


def memory() -> Path:
    """The folder with one empty file per pair that was found in step: in the user's cache folder."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "physx_codegen" / "fresh"


def is_remembered(digest: str) -> bool:
    """Whether a check of exactly these files found no difference before."""
    return (memory() / digest).is_file()


def remember(digest: str) -> None:
    """Note that a check of these files found no difference."""
    with suppress(OSError):         # without a writable cache the next check takes its full time, no more
        memory().mkdir(parents=True, exist_ok=True)
        (memory() / digest).touch()
