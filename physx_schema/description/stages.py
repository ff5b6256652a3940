"""Opening stages safely, and motion that samples give.

Opening a file as a USD stage, with one line for whatever is wrong with it.

Text that USD's parser cannot be trusted with: looked at as bytes before it is parsed.

Where time samples take a kinematic body: its own, and those of the prims above it.
"""

from __future__ import annotations

import codecs
import math
import re
import stat
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

from pxr import Sdf, Tf, Usd, UsdGeom

from physx_schema.arguments import display
from physx_schema.description.composition import in_one_line, unresolved
from physx_schema.description.frames import decompose
from physx_schema.description.model import PoseSample
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext
from physx_schema.description.records import Pose, interpolate
from physx_schema.description.robot_files import ROBOT_SUFFIXES, converted, converter_of, original, require_known_format
from physx_schema.description.trial import require_openable
from physx_schema.diagnostics import announce, captured
from physx_schema.errors import UnreadableError, printable
from physx_schema.files import LONGEST_PATH, STAGE_SUFFIXES, has_control_characters, legible, representable

StageSource: TypeAlias = str | Path | Usd.Stage      # the path of a file, or an open stage
LARGEST_TEXT = 1 << 29       # bytes of one text layer; USD takes about 20 bytes of memory for each

_CHUNK = 1 << 24
_CRATE, _ZIP = b"PXR-USDC", b"PK\x03\x04"


def require_text(path: Path) -> None:
    """Raise UnreadableError for no access and a text layer that is too large, not UTF-8 or has a NUL; others pass."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset = 0
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                if not offset and chunk.startswith((_CRATE, _ZIP)):
                    return
                if size > LARGEST_TEXT:
                    raise UnreadableError(f"{path}: {size / 1e6:.0f} MB of text, more than {LARGEST_TEXT / 1e6:.0f} "
                                          "MB; convert the file to .usdc")
                if fault := _text_fault(chunk, offset, decoder):
                    raise UnreadableError(f"{path}: {fault}")
                offset += len(chunk)
    except OSError as error:
        raise UnreadableError(f"{path}: cannot be read: {error.strerror}; check its permissions") from None


def _text_fault(chunk: bytes, offset: int, decoder: codecs.IncrementalDecoder) -> str:
    pending = len(decoder.getstate()[0])
    try:
        decoder.decode(chunk)
    except UnicodeDecodeError as error:
        return f"not valid UTF-8 text at byte {offset - pending + error.start}; save the file as UTF-8"
    nul = chunk.find(0)
    return f"a NUL character in the text at byte {offset + nul}; remove that character" if nul >= 0 else ""


_PARSER_RULE = re.compile(r"parse error matching .*?(?= at ')")
_POSITION = re.compile(r"\s*\d+:\d+: ")         # line and column
_EXPORT = "export the file again"
_MAX_MESSAGE_LENGTH = 160
_ACCEPTED_FILES = "use a .usda, .usdc, .usd or .usdz file, or a robot as .urdf or MJCF .xml"


def open_stage(source: StageSource) -> Usd.Stage:
    """The stage at a path, or the stage itself; a robot in URDF or MJCF is made into one.

    Raises UnreadableError for what is not a readable USD file.
    """
    if isinstance(source, Usd.Stage):
        return source
    if not isinstance(source, str | Path) or len(str(source)) > LONGEST_PATH:
        raise UnreadableError(f"{display(source)} is not a stage; give an open Usd.Stage or the path of a file")
    with captured() as capture:
        stage = _open(Path(source))
        texts, name = capture.take(), stage.GetRootLayer().identifier
    _remarks.pop(name, None)
    if texts:
        _remarks[name] = texts
        for problem in unresolved(stage):
            announce(in_one_line(source_name(stage), problem))
    return stage


def remarks_on(stage: Any) -> tuple[str, ...]:
    """What USD remarked when a stage was opened here."""
    return _remarks.get(stage.GetRootLayer().identifier, ())


_remarks: dict[str, tuple[str, ...]] = {}       # of USD on stages when they were opened, by root layer


def _open(path: Path) -> Any:
    _require_name(path)
    _require_file(path)
    require_known_format(path)
    converter = converter_of(path)
    path = converted(path, converter) if converter else path
    require_text(path)
    require_openable(path)
    try:
        layer = Sdf.Layer.FindOrOpen(str(path))
        if layer is None:
            raise UnreadableError(f"{path}: not a USD file; {_ACCEPTED_FILES}")
        return Usd.Stage.Open(layer)
    except Tf.ErrorException as error:
        raise UnreadableError(f"{path}: {_reason(error, path)}") from None


def _require_name(path: Path) -> None:
    """Refuse a name, or that of a folder around it, that no asset path of USD can hold: not UTF-8, or with controls."""
    name = str(path.absolute())
    if not representable(name):
        raise UnreadableError(f"{legible(str(path))}: the path is not valid UTF-8, which USD requires; rename the file "
                              "or folder")
    if has_control_characters(name):
        raise UnreadableError(f"{printable(str(path))}: the path has control characters, which USD does not allow; "
                              "rename the file or folder")


def _require_file(path: Path) -> None:
    try:
        status = path.stat()
    except FileNotFoundError:
        raise UnreadableError(f"{path}: no such file; {_ACCEPTED_FILES}") from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UnreadableError(f"{path}: cannot be read: {reason}; check the path and its permissions") from None
    if stat.S_ISDIR(status.st_mode):
        raise UnreadableError(f"{path}: a directory, not a USD file; {_folder_fix(path)}")
    if not stat.S_ISREG(status.st_mode):
        raise UnreadableError(f"{path}: not a regular file; {_ACCEPTED_FILES}")
    if status.st_size == 0:
        raise UnreadableError(f"{path}: the file is empty; {_ACCEPTED_FILES}")


def _folder_fix(folder: Path) -> str:
    """What to give in place of a folder."""
    names = sorted(path.name for path in folder.glob("*") if path.suffix.lower() in (*STAGE_SUFFIXES, *ROBOT_SUFFIXES))
    return f"use a file in this folder, such as {names[0]}" if names else _ACCEPTED_FILES


def _reason(error: Any, path: Path) -> str:
    """The first thing USD said about a place in the file, else the first thing it said, on one short line."""
    messages, names = [], (str(path), str(path.absolute()), str(path.resolve()))
    for item in error.args:
        try:
            text = " ".join(str(item.commentary).split())
        except UnicodeDecodeError:
            return "not valid UTF-8 text; save the file as UTF-8"
        prefix = next((name for name in names if text.startswith(f"{name}:")), None)
        if prefix is not None:
            return _short(text.removeprefix(f"{prefix}:"))
        if text and not text.startswith("Failed to open layer"):
            messages.append(text)
    return _short(_without(names, messages[0])) if messages else f"USD cannot open the file; {_EXPORT}"


def _without(names: tuple[str, ...], text: str) -> str:
    """A sentence about a file without its subject, the file."""
    subject = next((f"<{name}> " for name in names if text.startswith(f"<{name}> ")), None)
    return text if subject is None else text.removeprefix(subject).removeprefix("is ")


def _short(text: str) -> str:
    """USD's words without the names of its parser's rules and long excerpts of the file, then what to do."""
    if text.startswith("Cannot determine file format"):
        return f"not a USD file; {_ACCEPTED_FILES}"
    remedy = "correct the syntax there" if _POSITION.match(text) else _EXPORT
    text = _PARSER_RULE.sub("it cannot be parsed", text)
    text = text if len(text) <= _MAX_MESSAGE_LENGTH else text[:_MAX_MESSAGE_LENGTH] + " ..."
    return printable(f"{text.removesuffix('.')}; {remedy}")


def source_name(stage: Any) -> str:
    """The root layer's file or what it was converted from, or its display name where it lives in memory."""
    layer = stage.GetRootLayer()
    return str(original(layer.realPath) or layer.realPath or layer.GetDisplayName() or "in-memory stage")


# How far the way between neighbours may be from USD's, in metres and in components of the quaternion: that of a turn
# about a parent 1 m away is then a few hundred poses.
_SAMPLE_TOLERANCE = 1e-5
_MIN_SAMPLE_INTERVAL = 1e-4    # s between neighbours that are not divided further: there the way jumps
_CHECKED_FRACTIONS = (0.5, 0.3141592653589793, 0.7320508075688772)    # shares that no number of whole turns hides from


def read_samples(context: ReadContext, body: PrimOpinions) -> tuple[PoseSample, ...]:
    """World poses along the time samples of a body's transform and of those above it, neighbours close enough.

    As for PhysX, an operation with a single sample does not vary.
    """
    codes = _sampled_codes(body.prim)
    if not codes or body.path in context.frames.unreadable:
        return ()
    stage = context.stage
    start, rate = stage.GetStartTimeCode(), stage.GetTimeCodesPerSecond()
    cache = UsdGeom.XformCache()

    def pose_at(time: float) -> Pose:
        cache.SetTime(start + time * rate)
        return decompose(cache.GetLocalToWorldTransform(body.prim)).pose

    samples = [PoseSample((code - start) / rate, pose_at((code - start) / rate)) for code in sorted(codes)]
    if not all(math.isfinite(number) for sample in samples for part in sample.pose for number in part):
        context.problem(
            "value/time-samples", body.path, "xformOpOrder", "time samples move the body to a pose that is not finite",
            "PhysX keeps the body at its default pose", "author finite time samples", "warning")
        return ()
    tolerance = _SAMPLE_TOLERANCE / context.meters_per_unit
    return (samples[0], *(item for a, b in pairwise(samples) for item in _divided(pose_at, a, b, tolerance)))


def animated_prim(prim: Any) -> str:
    """The prim, this one or one above, whose transform varies; "" where none does."""
    return next((str(path) for path, times in _xform_op_samples(prim) if len(times) > 1), "")


def _sampled_codes(prim: Any) -> set[float]:
    """The time codes of all samples that move a prim; none where no operation varies."""
    return {code for _, times in _xform_op_samples(prim) for code in times} if animated_prim(prim) else set()


def _xform_op_samples(prim: Any) -> Iterator[tuple[Any, Sequence[float]]]:
    """Paths and time codes of all operations that place a prim, from itself upwards."""
    while prim and not prim.IsPseudoRoot():
        for operation in UsdGeom.Xformable(prim).GetOrderedXformOps() if prim.IsA(UsdGeom.Xformable) else ():
            yield prim.GetPath(), operation.GetTimeSamples()
        prim = prim.GetParent()


def _divided(pose_at: Callable[[float], Pose], a: PoseSample, b: PoseSample, tolerance: float) -> Iterator[PoseSample]:
    """What follows a sample up to the next, b itself included."""
    if b.time - a.time > _MIN_SAMPLE_INTERVAL and any(
            _differ(pose_at(a.time + fraction * (b.time - a.time)), interpolate(a.pose, b.pose, fraction), tolerance)
            for fraction in _CHECKED_FRACTIONS):
        middle = 0.5 * (a.time + b.time)
        half = PoseSample(middle, pose_at(middle))
        yield from _divided(pose_at, a, half, tolerance)
        yield from _divided(pose_at, half, b, tolerance)
    else:
        yield b


def _differ(a: Pose, b: Pose, tolerance: float) -> bool:
    """Whether two poses differ by more than a length, or are turned otherwise."""
    agreement = abs(sum(x * y for x, y in zip(a[1], b[1], strict=True)))
    return math.dist(a[0], b[0]) > tolerance or math.sqrt(max(0.0, 1.0 - agreement * agreement)) > _SAMPLE_TOLERANCE
