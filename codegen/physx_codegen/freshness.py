"""Remembers which definitions and outputs were found in step, so that an unchanged check need not generate again."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from .installed_schemas import schema_files

HERE = Path(__file__).resolve().parent


def compute_digest(definitions: Iterable[Path], outputs: Iterable[Path]) -> str:
    """A digest of everything a check compares: definitions, generator, the schemas it reads parents from, and outputs.

    Definitions and outputs are files or folders.
    """
    digest = hashlib.sha256()
    for group in (definitions, [HERE], schema_files(), outputs):
        for path in sorted(file for root in group for file in files(root)):
            content = path.read_bytes()
            digest.update(f"\0{path}\0{len(content)}\0".encode())
            digest.update(content)
    return digest.hexdigest()


def files(root: Path) -> Iterator[Path]:
    """A file, or every file in a folder but what Python keeps there."""
    if root.is_file():
        yield root
    for folder, names, filenames in os.walk(root):
        names[:] = [name for name in names if name != "__pycache__"]
        yield from (Path(folder) / name for name in filenames)


def cache_folder() -> Path:
    """The folder with one empty file per pair that was found in step: in the user's cache folder."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "physx_codegen" / "fresh"


def is_cached(digest: str) -> bool:
    """Whether a check of exactly these files found no difference before."""
    return (cache_folder() / digest).is_file()


def store(digest: str) -> None:
    """Note that a check of these files found no difference."""
    with suppress(OSError):         # without a writable cache the next check takes its full time, no more
        cache_folder().mkdir(parents=True, exist_ok=True)
        (cache_folder() / digest).touch()
