"""Migrated layers to files: all of them or none, each complete before it takes the place of the old one."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from pxr import Sdf, Tf, UsdUtils

from physx_schema.errors import UnsupportedError
from physx_schema.files import replacing
from physx_schema.migration.report import LayerChange

CRATE = b"PXR-USDC"


def replace(changes: Sequence[LayerChange]) -> None:
    """Write changed layers over their files, then have USD read them again; on UnsupportedError none is written."""
    problems = [problem for change in changes for problem in [why_not(change.layer)] if problem]
    if problems:
        raise UnsupportedError("\n".join(sorted(problems)))
    staged: list[tuple[Path, Path]] = []
    try:
        for change in changes:
            path = Path(change.layer.realPath)
            temporary = exported(change.copy, path, is_crate(path))
            staged.append((temporary, path))
            shutil.copymode(path, temporary)
        for temporary, path in staged:
            temporary.replace(path)
    except OSError as error:
        remedy = "make it writable, or make room there"
        raise UnsupportedError(f"{error.filename}: cannot be written: {error.strerror}; {remedy}") from None
    finally:
        for temporary, _ in staged:
            temporary.unlink(missing_ok=True)
    for change in changes:
        change.layer.Reload(True)


def why_not(layer: Any) -> str:
    """Why a layer cannot be written in place; empty where it can."""
    name = layer.realPath or layer.identifier
    if not layer.realPath:
        return f"{name}: is not a file; export it first"
    if in_package(layer):
        return f"{name}: lies in a package; unpack it, change the layers and pack it again"
    if layer.GetFileFormat().formatId not in ("usda", "usdc", "usd"):
        return f"{name}: is written by another program; save a copy as .usda and change that"
    if layer.dirty:
        return f"{name}: has changes that are not saved; save it first"
    if not os.access(name, os.W_OK):
        return f"{name}: is read-only; make it writable"
    return ""


def in_package(layer: Any) -> bool:
    """Whether a layer is a usdz package or lies in one."""
    return bool(layer.GetFileFormat().IsPackage()) or "[" in layer.identifier


def copied(change: LayerChange, target: Path) -> None:
    """Write a migrated copy of a layer; relative asset paths go on meaning the same files. Raises UnsupportedError."""
    source = Path(change.layer.realPath)
    copy = Sdf.Layer.CreateAnonymous(".usda")
    copy.TransferContent(change.copy)
    if source.parent.resolve() != target.parent.resolve():
        UsdUtils.ModifyAssetPaths(copy, lambda path: _anchored(path, source.parent, target.parent))
    crate = target.suffix == ".usdc" or (target.suffix == ".usd" and is_crate(source))
    try:
        with replacing(target) as temporary:
            exported(copy, temporary, crate).replace(temporary)
    except OSError as error:
        remedy = "give a writable place with room"
        raise UnsupportedError(f"{target}: cannot be written: {error.strerror}; {remedy}") from None


def _anchored(path: str, source: Path, target: Path) -> str:
    """A path relative to one folder, relative to another; absolute and search paths as they are."""
    if not path.startswith(("./", "../")):
        return path
    moved = os.path.relpath(source / path, target)
    return moved if moved.startswith("..") else f"./{moved}"


def exported(layer: Any, beside: Path, crate: bool) -> Path:
    """The layer in a new file beside another. Raises OSError, and leaves no file then."""
    handle, name = tempfile.mkstemp(dir=beside.parent, prefix=f".{beside.name}.", suffix=".usdc" if crate else ".usda")
    os.close(handle)
    temporary = Path(name)
    temporary.chmod(0o644)
    reason = ""
    try:
        if layer.Export(name):
            return temporary
    except Tf.ErrorException as error:
        reason = next((f": {words}" for words in _reasons(error)), "")
    temporary.unlink()
    raise OSError(errno.EIO, f"USD could not export the layer{reason}", str(beside))


def _reasons(error: Any) -> Iterator[str]:
    """What went wrong in the words of the operating system, where USD passes them on."""
    return (str(item.commentary).rpartition(": ")[2] for item in error.args if ": " in str(item.commentary))


def comment_lines(path: Path) -> int:
    """How many lines of a usda file look like comments, which USD drops when it writes."""
    if is_crate(path):
        return 0
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()[1:]
    return sum(line.lstrip().startswith("#") for line in lines)


def is_crate(path: Path) -> bool:
    """Whether a file is in USD's binary format, whatever its name."""
    with path.open("rb") as stream:
        return stream.read(len(CRATE)) == CRATE
