"""Small crates and packages with bytes changed, opened as everything is: in another process first."""

from __future__ import annotations

import tempfile
import zlib
from functools import cache
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy
from pxr import Sdf, UsdUtils

from physx_schema.errors import UnreadableError
from support.fuzzing.spoiling import require_ours
from support.fuzzing.stages import require_steady_report
from support.places import FINGER

PIECES = (b"", b"\0" * 8, b"\xff" * 8, b"\xff\xff\xff\x7f", b"\0\0\0\x80", b"PXR-USDC", b"\x01", b"PK\3\4", b"PK\5\6")


@cache
def sound() -> dict[str, bytes]:
    """A robot as a crate and as a package."""
    with tempfile.TemporaryDirectory() as folder:
        crate, package = Path(folder) / "robot.usdc", Path(folder) / "robot.usdz"
        assert Sdf.Layer.FindOrOpen(str(FINGER)).Export(str(crate))
        assert UsdUtils.CreateNewUsdzPackage(str(crate), str(package))
        return {path.suffix: path.read_bytes() for path in (crate, package)}


def of_kind(suffix: str) -> SearchStrategy[tuple[str, bytes]]:
    """Spoiled files of a kind, half of them as long as before: what the other bytes point to is then still there."""
    whole = sound()[suffix]
    place, piece = st.integers(0, len(whole) - 1), st.sampled_from(PIECES) | st.binary(min_size=1, max_size=8)
    kept = st.lists(st.tuples(place, piece), min_size=1, max_size=6).map(
        lambda edits: overwritten(whole, edits))
    cut = place.map(lambda end: whole[:end])
    return st.tuples(st.just(suffix), st.one_of(kept, kept, kept, cut, st.binary(max_size=64).map(whole[:8].__add__)))


def overwritten(whole: bytes, edits: list[tuple[int, bytes]]) -> bytes:
    """Bytes with others in the place of some of them."""
    found = bytearray(whole)
    for place, piece in edits:
        found[place:place + len(piece)] = piece
    return bytes(found[:len(whole)])


CASES = st.one_of(of_kind(".usdc"), of_kind(".usdc"), of_kind(".usdz"))


def hold(case: tuple[str, bytes]) -> None:
    """A file is checked, the same twice, or refused in one line."""
    suffix, content = case
    with tempfile.TemporaryDirectory() as folder:
        # USD keeps layers by name while anything holds them
        path = Path(folder) / f"robot_{zlib.crc32(content):x}{suffix}"
        path.write_bytes(content)
        try:
            require_steady_report(path)
        except UnreadableError as error:
            require_ours(error)
