"""Whole files or none: written beside the target and renamed over it; devices and links are written through."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from physx_schema.errors import UnsupportedError

LAYER_SUFFIXES = (".usda", ".usdc", ".usd")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A path to write to, which becomes `path` when the block ends without an error, and vanishes otherwise.

    The folder is made where missing; the temporary file keeps the suffix, by which USD chooses the format. What is no
    regular file (a device, a FIFO, a symbolic link) stays what it is: the whole text is then written through it.
    """
    replaced = path.is_file() and not path.is_symlink()
    through = not replaced and (path.exists() or path.is_symlink())
    if not through:
        path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=None if through else path.parent, prefix=f".{path.stem}.", suffix=path.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        if through:
            with temporary.open("rb") as source, path.open("wb") as target:
                shutil.copyfileobj(source, target)
        else:
            # mkstemp makes files that only their owner can read
            temporary.chmod(path.stat().st_mode & 0o777 if replaced else 0o666 & ~_umask())
            _flush(temporary)
            temporary.replace(path)
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def _flush(path: Path) -> None:
    """Have the disk hold a file's bytes before its name says that it does."""
    with path.open("rb") as stream:
        os.fsync(stream.fileno())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def require_layer_name(path: Path) -> None:
    """Refuse a name by which USD would write no layer. Raises UnsupportedError."""
    if path.suffix not in LAYER_SUFFIXES:
        raise UnsupportedError(f"{path}: is no name of a USD layer; end it in {', '.join(LAYER_SUFFIXES)}")


def write_text(path: Path, text: str) -> None:
    """Put text in a file's place at once. Raises UnsupportedError where it cannot be written."""
    try:
        with replacing(path) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        remedy = "give a writable place with room"
        raise UnsupportedError(f"{path}: cannot be written: {error.strerror}; {remedy}") from None
