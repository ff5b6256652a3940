"""Migrated layers to files: all of them or none, each complete before it takes the place of the old one.

USD loses some of a text layer's form when it rewrites the layer: comments and ends of lines, which a note names.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pxr import Sdf, Tf, UsdUtils

from physx_schema.errors import UnsupportedError
from physx_schema.files import write_files
from physx_schema.migration.report import LayerChange
from physx_schema.outputs import require_copy

CRATE = b"PXR-USDC"


def replace(changes: Sequence[LayerChange]) -> None:
    """Write changed layers over their files, then have USD read them again; on UnsupportedError none is written."""
    problems = [problem for change in changes for problem in [why_not(change.layer)] if problem]
    if problems:
        raise UnsupportedError("\n".join(sorted(problems)))
    paths = {Path(change.layer.realPath): change for change in changes}
    write_files({path: partial(export, change.copy, crate=is_crate(path)) for path, change in paths.items()})
    for change in changes:
        change.layer.Reload(True)


def why_not(layer: Any) -> str:
    """Why a layer cannot be written in place; empty where it can."""
    name = layer.realPath or layer.identifier
    if not layer.realPath:
        return f"{name}: the layer is not a file; export the layer first"
    if in_package(layer):
        return f"{name}: the layer is in a package; unpack the package, change the layers and pack them again"
    if layer.GetFileFormat().formatId not in ("usda", "usdc", "usd"):
        return f"{name}: another program generates this layer; save a copy as .usda and change that copy"
    if layer.dirty:
        return f"{name}: the layer has unsaved changes; save the layer first"
    if not os.access(name, os.W_OK):
        return f"{name}: the file is read-only; make the file writable"
    links = Path(name).stat().st_nlink
    if links > 1:
        return f"{name}: the file has {links} names (hard links), and writing would separate them; write a copy with -o"
    return ""


def in_package(layer: Any) -> bool:
    """Whether a layer is a usdz package or lies in one."""
    return bool(layer.GetFileFormat().IsPackage()) or "[" in layer.identifier


def copy(copies: Mapping[Path, LayerChange], parts: Iterable[Path], force: bool) -> None:
    """Write migrated copies of layers, all or none, in which relative asset paths go on meaning the same files.

    parts: files of the stages, which no copy replaces. force: replace other files too. Raises UnsupportedError.
    """
    writers = {target: partial(_export_copy, change=change, folder=target.parent) for target, change in copies.items()}
    for target, write in writers.items():
        require_copy(target, write, parts, force)
    write_files(writers)


def write_layer(layer: Any, target: Path, parts: Iterable[Path], force: bool) -> None:
    """Write a layer to a file, with `parts` and `force` as of `copy`. Raises UnsupportedError."""
    write = partial(export, layer, crate=target.suffix == ".usdc")
    require_copy(target, write, parts, force)
    write_files({target: write})


def _export_copy(path: Path, change: LayerChange, folder: Path) -> None:
    source = Path(change.layer.realPath)
    layer = Sdf.Layer.CreateAnonymous(".usda")
    layer.TransferContent(change.copy)
    if source.parent.resolve() != folder.resolve():
        UsdUtils.ModifyAssetPaths(layer, lambda asset: _anchored(asset, source.parent, folder))
    export(layer, path, path.suffix == ".usdc" or (path.suffix == ".usd" and is_crate(source)))


def _anchored(path: str, source: Path, target: Path) -> str:
    """A path relative to one folder, relative to another; absolute and search paths as they are."""
    if not path.startswith(("./", "../")):
        return path
    relative = os.path.relpath(source / path, target)
    return relative if relative.startswith("..") else f"./{relative}"


def export(layer: Any, path: Path, crate: bool) -> None:
    """Write a layer to a new file, as a crate or as text. Raises OSError."""
    reason = ""
    try:
        if layer.Export(str(path), args={"format": "usdc" if crate else "usda"} if path.suffix == ".usd" else {}):
            return
    except Tf.ErrorException as error:
        reason = next((f": {words}" for words in _reasons(error)), "")
    raise OSError(errno.EIO, f"USD could not export the layer{reason}", str(path))


def _reasons(error: Any) -> Iterator[str]:
    """What went wrong in the words of the operating system, where USD passes them on."""
    return (str(item.commentary).rpartition(": ")[2] for item in error.args if ": " in str(item.commentary))


def is_crate(path: Path) -> bool:
    """Whether a file is in USD's binary format, whatever its name."""
    with path.open("rb") as stream:
        return stream.read(len(CRATE)) == CRATE


_FIRST = 5              # lines that are named
# Of USD's text: what may hold a comment's signs, then comments themselves.
_PARTS = re.compile(
    r'"""(?:\\.|.)*?"""' r"|'''(?:\\.|.)*?'''" r'|"(?:\\.|[^"\\\n])*"' r"|'(?:\\.|[^'\\\n])*'"
    r"|@@@.*?@@@|@[^@\n]*@|<[^>\n]*>|(?P<comment>\#[^\n]*|//[^\n]*|/\*.*?\*/)", re.DOTALL)


def lost_text(path: Path) -> str:
    """A note on what is lost of a file, such as comments on lines 2 and 14; "" for nothing, and for a crate."""
    data = path.read_bytes()
    if not data.startswith(b"#"):
        return ""
    text = data.decode("utf-8", "replace")
    offsets = [match.start() for match in _PARTS.finditer(text) if match["comment"]][1:]     # the first is the header
    lines = list(dict.fromkeys(text.count("\n", 0, offset) + 1 for offset in offsets))
    lost = [_comments(lines)] if lines else []
    lost += ["CR LF line ends"] if b"\r\n" in data else []
    return f"USD rewrites the whole file and drops {' and '.join(lost)}" if lost else ""


def _comments(lines: list[int]) -> str:
    if len(lines) == 1:
        return f"a comment on line {lines[0]}"
    named = ", ".join(map(str, lines[:_FIRST]))
    return f"comments on lines {named}" + (f" and {len(lines) - _FIRST} more" if len(lines) > _FIRST else "")
