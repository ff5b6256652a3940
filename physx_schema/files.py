"""A whole file or none: written beside the target and renamed over it; devices and links are written through."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from physx_codegen.commit import Writer, commit, flush, has_control_characters, prepare_file, recover, writer

from physx_schema.errors import UnsupportedError, printable

__all__ = ["LARGEST_INPUT", "LAYER_SUFFIXES", "Writer", "has_control_characters", "legible", "read_text", "recover",
           "replacing", "representable", "require_layer_name", "unwritable", "write_files", "write_text", "writer"]

LARGEST_INPUT = 1 << 26     # bytes of a file of settings, known findings or differences
LONGEST_PATH = 4096         # characters of a path, as Linux has it
LAYER_SUFFIXES = (".usda", ".usdc", ".usd")
STAGE_SUFFIXES = (*LAYER_SUFFIXES, ".usdz")


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
            prepare_file(temporary, path)
            temporary.replace(path)
            flush(path.parent)
    finally:
        with suppress(FileNotFoundError):
            temporary.unlink()


def representable(name: str) -> bool:
    """Whether a file's name is UTF-8; Python keeps other bytes of one as lone surrogates."""
    return name.isascii() or name.encode("utf-8", "replace").decode() == name


def legible(name: str) -> str:
    """A file's name with bytes that are not UTF-8 as escapes."""
    if representable(name):
        return name
    try:
        return os.fsencode(name).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:      # surrogates that stand for no byte
        return name.encode("utf-8", "backslashreplace").decode()


def read_text(path: Path) -> str:
    """The UTF-8 text of a regular file, without waiting for a pipe or a device.

    Raises FileNotFoundError, and UnsupportedError for what cannot be read, is no regular file, too large or no text.
    """
    name = printable(legible(str(path)))
    if len(name) > LONGEST_PATH:
        raise UnsupportedError(f"{name[:60]}...: the path has {len(name)} characters, and the longest path has "
                               f"{LONGEST_PATH}; give the path of a file")
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            what = "a directory" if stat.S_ISDIR(status.st_mode) else "a pipe or device"
            raise UnsupportedError(f"{name}: {what}; use a regular file")
        if status.st_size > LARGEST_INPUT:
            raise UnsupportedError(f"{name}: {status.st_size / 1e6:.0f} MB; the limit is {LARGEST_INPUT / 1e6:.0f} MB")
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UnsupportedError(f"{name}: not UTF-8 text at byte {error.start}; save the file as UTF-8") from None
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UnsupportedError(f"{name}: cannot be read: {reason}; check the path and its permissions") from None


def require_layer_name(path: Path) -> None:
    """Refuse a name by which USD would write no layer. Raises UnsupportedError."""
    if path.suffix not in LAYER_SUFFIXES:
        raise UnsupportedError(f"{path}: not a name of a USD layer; use a name that ends in "
                               f"{', '.join(LAYER_SUFFIXES)}")


def write_text(path: Path, text: str) -> None:
    """Put text in a file's place at once. Raises UnsupportedError where it cannot be written."""
    try:
        with replacing(path) as temporary:
            writer(text)(temporary)
    except OSError as error:
        raise unwritable(path, error) from None


def write_files(writers: Mapping[Path, Writer]) -> None:
    """Put files in their places, all or none. Raises UnsupportedError where one cannot be written."""
    try:
        commit(writers)
    except OSError as error:
        raise unwritable(error.filename, error) from None


def unwritable(path: Path | str, error: OSError) -> UnsupportedError:
    """What is said of a file that cannot be written."""
    return UnsupportedError(f"{path}: cannot be written: {error.strerror or error}; use a writable folder with enough "
                            "space")
