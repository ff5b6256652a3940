"""Files that USD's own parser cannot be trusted with: looked at as bytes first, and tried in another process.

USD 26.11 reads nested text recursively and ends the whole process where it runs out of stack.
"""

from __future__ import annotations

import codecs
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from physx_schema.errors import UnreadableError

LARGEST_TEXT = 1 << 29       # bytes of one text layer; USD takes about 20 bytes of memory for each
DEEPEST = 500               # brackets inside brackets that no sound file needs
SECONDS = 20                # for a file that nests deeper, in another process

_CHUNK = 1 << 24
_MOST_FILES = 10_000
_CRATE, _ZIP = b"PXR-USDC", b"PK\x03\x04"
_ASSET = re.compile(rb"@([^@\r\n]{1,1024})@")
_STEP = np.zeros(256, dtype=np.int32)
_STEP[list(b"([{")], _STEP[list(b")]}")] = 1, -1

_TRIAL = """
import sys
from pxr import Usd, UsdGeom
stage = Usd.Stage.Open(sys.argv[1])
transforms = UsdGeom.XformCache()
for prim in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()):
    transforms.GetLocalToWorldTransform(prim)
"""


@dataclass(frozen=True, slots=True)
class _Text:
    """What the bytes of a text layer show."""

    fault: str              # why USD cannot read it, "" where nothing speaks against it
    depth: int              # of brackets inside brackets
    assets: frozenset[str]  # paths between @ signs


def require_safe(path: Path) -> None:
    """Refuse a file that USD cannot read, that is too large, or that ends the process that reads it.

    Raises UnreadableError. Files that nest deeply, or name text layers that do, are read in another process first.
    """
    first = True
    for layer, text in _text_layers(path):
        if first and text.fault:
            raise UnreadableError(f"{path}: {text.fault}")
        first = False
        if text.depth > DEEPEST:
            _try(path, layer, text.depth)
            return


def _text_layers(path: Path) -> Iterator[tuple[Path, _Text]]:
    """The file and the text layers it leads to, each once."""
    waiting, known = [path], {path}
    while waiting and len(known) < _MOST_FILES:
        layer = waiting.pop()
        text = _look_at(layer)
        if text is None:
            continue
        yield layer, text
        for asset in sorted(text.assets):
            target = _target(layer, asset)
            if target is not None and target not in known:
                known.add(target)
                waiting.append(target)


def _target(layer: Path, asset: str) -> Path | None:
    """The USD file that an asset path of a layer names, None for anything else."""
    if not asset.lower().endswith((".usda", ".usd")):
        return None
    target = Path(os.path.normpath(layer.parent / asset))
    try:
        return target if target.is_file() else None
    except (OSError, ValueError):
        return None


def _look_at(path: Path) -> _Text | None:
    """The bytes of a text layer or a package of them, None for a binary one or one that cannot be opened."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    assets: set[str] = set()
    offset, depth, deepest = 0, 0, 0
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                if not offset and chunk.startswith(_CRATE):
                    return None
                if not offset and chunk.startswith(_ZIP):
                    return _look_inside(path)
                if size > LARGEST_TEXT:
                    fault = f"{size / 1e6:.0f} MB of text, more than {LARGEST_TEXT / 1e6:.0f} MB; convert it to .usdc"
                    return _Text(fault, 0, frozenset())
                fault = _fault(chunk, offset, decoder)
                if fault:
                    return _Text(fault, deepest, frozenset(assets))
                rise, most = _nesting(chunk)
                deepest, depth = max(deepest, depth + most), depth + rise
                assets.update(found.decode("utf-8", "replace") for found in _ASSET.findall(chunk))
                offset += len(chunk)
    except OSError:
        return None     # USD says why
    return _Text("", deepest, frozenset(assets))


def _nesting(chunk: bytes) -> tuple[int, int]:
    """How much deeper brackets are nested after a text than before it, and the most they were in between."""
    depths = np.cumsum(_STEP[np.frombuffer(chunk, dtype=np.uint8)])
    return int(depths[-1]), int(depths.max())


def _look_inside(path: Path) -> _Text | None:
    """The deepest nesting of the text layers in a package."""
    deepest = 0
    try:
        with zipfile.ZipFile(path) as package:
            for entry in package.infolist():
                if entry.filename.lower().endswith((".usda", ".usd")) and 0 < entry.file_size <= LARGEST_TEXT:
                    content = package.read(entry)
                    deepest = max(deepest, 0 if content.startswith(_CRATE) else _nesting(content)[1])
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError):
        return None     # USD says why
    return _Text("", deepest, frozenset())


def _fault(chunk: bytes, offset: int, decoder: codecs.IncrementalDecoder) -> str:
    held = len(decoder.getstate()[0])
    try:
        decoder.decode(chunk)
    except UnicodeDecodeError as error:
        return f"not valid UTF-8 text at byte {offset - held + error.start}"
    nul = chunk.find(0)
    return f"a NUL in the text at byte {offset + nul}" if nul >= 0 else ""


def _try(path: Path, layer: Path, depth: int) -> None:
    """Open the stage in another process; raise where that process does not survive it."""
    where = "" if layer == path else f" of {layer}"
    deep = f"brackets{where} are nested {depth} deep"
    try:
        done = subprocess.run(
            [sys.executable, "-c", _TRIAL, str(path)], timeout=SECONDS, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
        )
    except subprocess.TimeoutExpired:
        raise UnreadableError(f"{path}: USD did not finish parsing within {SECONDS} s; {deep}") from None
    if done.returncode < 0 or done.returncode > 0x7fff_ffff:
        raise UnreadableError(f"{path}: USD crashed while parsing; {deep}")
