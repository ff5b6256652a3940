"""What a command may write to: never to a file of its stage, and over no file of others unless that is asked for.

A file of ours is known by what it holds. Pages, layers, films and recordings bear a mark; tables, reports as text and
JSON have no place for one and are known by their form. A layer's mark names the file: a copy under another name is not
ours any more.
"""

from __future__ import annotations

import filecmp
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pxr import Ar, Sdf, Tf

from physx_schema.description.robot_files import original
from physx_schema.description.stages import require_text
from physx_schema.description.trial import require_openable
from physx_schema.errors import UnreadableError, UnsupportedError, printable
from physx_schema.files import (
    LARGEST_INPUT,
    LAYER_SUFFIXES,
    Writer,
    has_control_characters,
    legible,
    representable,
    unwritable,
)

MARK = "physx-schema"
LAYER_KEY = "physx_schema:written_as"       # in a layer's customLayerData
PAGE_MARK = f'<meta name="generator" content="{MARK}">'
_MARK_BYTES = 1 << 13                             # bytes at the start and at the end in which marks stand
_CSV = re.compile(r'"?time"?(,"?/[^,]* (position|velocity)"?)*\n')
_LAST_LINE = re.compile(r"::(error|warning|notice) file=|    fix: |.*: \d+ errors?, \d+ warnings?, \d+ info, "
                        r"\d+ not evaluated|.*: not evaluated: |.*: \d+ findings? more, not shown$")
_LAYER_STARTS = (b"#usda", b"#sdf", b"PXR-USDC")


def require_output(path: Path, parts: Iterable[Path] = (), force: bool = False) -> None:
    """Refuse a file of the stage, a name that USD cannot take, and without `force` a file that is not ours.

    parts: the files of the stage, as `files_of` lists them. Raises UnsupportedError.
    """
    with _reporting_unwritable(path):
        _require_name(path)
        if any(_is_same(path, part) for part in parts):
            raise UnsupportedError(f"{path}: a file of the stage, which is never overwritten; use another name")
        if path.is_file() and not (force or is_ours(path)):
            raise UnsupportedError(f"{path}: the file exists, and physx-schema did not write it; use another name, or "
                                   "--force to replace it")


def require_report(path: Path, inputs: Iterable[str | Path], force: bool = False) -> None:
    """The same for a report about files that are not opened yet: it replaces none of them, nor any layer of USD.

    Raises UnsupportedError.
    """
    require_output(path, map(Path, inputs), force)
    if path.is_file() and (_is_layer(path) or _is_package(path)):
        raise UnsupportedError(f"{path}: a USD layer, which a report never replaces; use another name")


def require_copy(path: Path, write: Writer, parts: Iterable[Path] = (), force: bool = False) -> None:
    """The same for a copy of a layer: without `force` it only replaces a file that holds the same bytes already.

    People go on working on a copy, so that no mark tells whether it may be replaced. write: writes the copy to another
    path. Raises UnsupportedError.
    """
    require_output(path, parts, force=True)
    if force or not path.is_file():
        return
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / path.name
        write(copy)
        if not filecmp.cmp(copy, path, shallow=False):
            raise UnsupportedError(f"{path}: the file exists with other content; use another name, or --force to "
                                   "replace it")


def files_of(stage: Any) -> set[Path]:
    """The files of a stage: all its layers, what these name, there or not, and the robot's file it was made of."""
    robot = original(stage.GetRootLayer().realPath)
    return files_of_layers(stage.GetUsedLayers()) | ({Path(robot)} if robot else set())


def files_of_layers(layers: Iterable[Any]) -> set[Path]:
    """The files of layers, and those that they name, there or not."""
    names: set[str] = set()
    for layer in layers:
        if layer.realPath:
            folder = Path(_outer(layer.realPath)).parent
            names |= {_outer(layer.realPath), *(str(folder / _outer(name)) for name in _named(layer))}
    return {Path(name) for name in names}


def is_ours(path: Path) -> bool:
    """Whether this program wrote a regular file, or it is empty."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        start = stream.read(_MARK_BYTES)
        stream.seek(max(0, size - _MARK_BYTES))
        end = stream.read()
    if not size:
        return True
    if start.startswith(_LAYER_STARTS):
        return _has_layer_mark(path)
    if start.startswith(b"GIF8") or start[4:8] == b"ftyp":
        return MARK.encode() in start + end
    if start.startswith(b"PK"):
        return end.endswith(MARK.encode())          # the comment of an archive
    return _is_our_text(path, start.decode("utf-8", "replace"), end.decode("utf-8", "replace"), size)


def mark_layer(layer: Any, path: Path) -> None:
    """Note in a layer that this program writes it to a path."""
    layer.customLayerData = {**layer.customLayerData, LAYER_KEY: _file_name(path)}


@contextmanager
def _reporting_unwritable(path: Path) -> Iterator[None]:
    """A place that cannot be looked at cannot be written either. Raises UnsupportedError."""
    try:
        yield
    except OSError as error:
        raise unwritable(path, error) from None


def _is_our_text(path: Path, start: str, end: str, size: int) -> bool:
    if PAGE_MARK in start or start.startswith("<!-- Written by `physx-schema ") or _CSV.match(start):
        return True
    if start.startswith("{") and size <= LARGEST_INPUT:
        return _is_our_json(path)
    return bool(_LAST_LINE.match(end.rstrip("\n").rpartition("\n")[2]))


def _is_our_json(path: Path) -> bool:
    """Whether a file is a report of `check`, as JSON or SARIF, or a list of known findings."""
    try:
        content = json.loads(path.read_bytes())
    except (ValueError, RecursionError):
        return False
    if content.keys() in ({"version", "findings"}, {"version", "reports", "unreadable", "failed"}):
        return True
    try:
        return bool(content["runs"][0]["tool"]["driver"]["name"] == MARK)
    except (LookupError, TypeError):
        return False


def _has_layer_mark(path: Path) -> bool:
    try:
        require_text(path)
        require_openable(path)
        layer = Sdf.Layer.OpenAsAnonymous(str(path), metadataOnly=True)
    except (UnreadableError, Tf.ErrorException):
        return False
    return layer is not None and layer.customLayerData.get(LAYER_KEY) == _file_name(path)


def _file_name(path: Path) -> str:
    """The name of the file that a path leads to."""
    return Path(os.path.realpath(path)).name


def _is_layer(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(_MARK_BYTES).startswith(_LAYER_STARTS)


def _is_package(path: Path) -> bool:
    return path.suffix.lower() == ".usdz"


def _is_same(path: Path, part: Path) -> bool:
    """Whether two names are one file, by links of either kind too."""
    try:
        return path.samefile(part)
    except OSError:             # one of them is not there
        return os.path.realpath(path) == os.path.realpath(part)


def _outer(name: str) -> str:
    """The file of a layer, which may lie in a package."""
    return str(Ar.SplitPackageRelativePathOuter(name)[0])


def _named(layer: Any) -> Iterator[str]:
    """The files that a layer names; an internal reference names none."""
    for name in layer.GetCompositionAssetDependencies():
        if name and not Sdf.VariableExpression.IsExpression(name):
            yield Sdf.Layer.SplitIdentifier(str(layer.ComputeAbsolutePath(name)))[0]


def _require_name(path: Path) -> None:
    name = str(path.absolute())
    if has_control_characters(name):
        raise UnsupportedError(f"{printable(str(path))}: the path has control characters; use another name")
    if path.suffix in LAYER_SUFFIXES and not representable(name):
        raise UnsupportedError(f"{legible(str(path))}: the path is not valid UTF-8, which USD requires; use another "
                               "name")
