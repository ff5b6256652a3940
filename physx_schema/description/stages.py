"""Opening a file as a USD stage, with one line for whatever is wrong with it."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import Any

from pxr import Sdf, Tf, Usd

from physx_schema.description.file_safety import require_text
from physx_schema.description.robot_files import ROBOT_SUFFIXES, converted, converter_of, original
from physx_schema.description.trial import require_survived
from physx_schema.errors import UnreadableError, printable
from physx_schema.files import STAGE_SUFFIXES, has_control_characters, legible, representable

_PARSER_RULE = re.compile(r"parse error matching .*?(?= at ')")
_LONGEST = 160
_GIVE = "give a .usda, .usdc, .usd or .usdz file, or a robot as .urdf or MJCF .xml"


def open_stage(source: str | Path | Any) -> Any:
    """The stage at a path, or the stage itself; a robot in URDF or MJCF is made into one.

    Raises UnreadableError for what is not a readable USD file.
    """
    if isinstance(source, Usd.Stage):
        return source
    path = Path(source)
    _require_name(path)
    _require_file(path)
    converter = converter_of(path)
    path = converted(path, converter) if converter else path
    require_text(path)
    require_survived(path)
    try:
        layer = Sdf.Layer.FindOrOpen(str(path))
        if layer is None:
            raise UnreadableError(f"{path}: not a USD file; {_GIVE}")
        return Usd.Stage.Open(layer)
    except Tf.ErrorException as error:
        raise UnreadableError(f"{path}: {_reason(error, path)}") from None


def _require_name(path: Path) -> None:
    """Refuse a name, or that of a folder around it, that no asset path of USD can hold: not UTF-8, or with controls."""
    name = str(path.absolute())
    if not representable(name):
        raise UnreadableError(f"{legible(str(path))}: its name or a folder's is not UTF-8, which USD needs; rename it")
    if has_control_characters(name):
        raise UnreadableError(f"{printable(str(path))}: its name or a folder's has control characters, which no asset "
                              "path of USD holds; rename it")


def _require_file(path: Path) -> None:
    try:
        status = path.stat()
    except FileNotFoundError:
        raise UnreadableError(f"{path}: no such file; {_GIVE}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UnreadableError(f"{path}: cannot be read: {reason}; check the path and its permissions") from None
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableError(f"{path}: a directory, not a USD file; {_within(path)}")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableError(f"{path}: not a regular file; {_GIVE}")
    if status.st_size == 0:
        raise UnreadableError(f"{path}: the file is empty; {_GIVE}")


def _within(folder: Path) -> str:
    """What to give in place of a folder."""
    held = sorted(path.name for path in folder.glob("*") if path.suffix.lower() in (*STAGE_SUFFIXES, *ROBOT_SUFFIXES))
    return f"give a file of it, such as {held[0]}" if held else _GIVE


def _reason(error: Any, path: Path) -> str:
    """The first thing USD said about a place in the file, else the first thing it said, on one short line."""
    said, names = [], (str(path), str(path.absolute()), str(path.resolve()))
    for item in error.args:
        try:
            text = " ".join(str(item.commentary).split())
        except UnicodeDecodeError:
            return "not valid UTF-8 text"
        place = next((name for name in names if text.startswith(f"{name}:")), None)
        if place is not None:
            return _short(text.removeprefix(f"{place}:"))
        if text and not text.startswith("Failed to open layer"):
            said.append(text)
    return _short(_without(names, said[0])) if said else "USD cannot open the file"


def _without(names: tuple[str, ...], text: str) -> str:
    """A sentence about a file without its subject, the file."""
    subject = next((f"<{name}> " for name in names if text.startswith(f"<{name}> ")), None)
    return text if subject is None else text.removeprefix(subject).removeprefix("is ")


def _short(text: str) -> str:
    """USD's words without the names of its parser's rules and without long excerpts of the file."""
    if text.startswith("Cannot determine file format"):
        return f"not a USD file; {_GIVE}"
    text = _PARSER_RULE.sub("it cannot be parsed", text)
    return printable(text if len(text) <= _LONGEST else text[:_LONGEST] + " ...")


def source_name(stage: Any) -> str:
    """The root layer's file or what it was converted from, or its display name where it lives in memory."""
    layer = stage.GetRootLayer()
    return str(original(layer.realPath) or layer.realPath or layer.GetDisplayName() or "in-memory stage")
