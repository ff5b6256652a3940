"""Whole files or none: a file is written beside its target and then renamed over it."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from physx_schema.errors import UnsupportedError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to, which becomes `path` when the block ends without an error, and vanishes otherwise.

    The folder is made where missing; the temporary file keeps the suffix, by which USD chooses the format.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}.", suffix=path.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())      # mkstemp makes files that only their owner can read
        temporary.replace(path)
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_text(path: Path, text: str) -> None:
    """Put text in a file's place at once. Raises UnsupportedError where it cannot be written."""
    try:
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        remedy = "give a writable place with room"
        raise UnsupportedError(f"{path}: cannot be written: {error.strerror}; {remedy}") from None
