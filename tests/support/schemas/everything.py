"""The schema with every feature of the format, in the types that the installed USD knows."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from pathlib import Path

from pxr import Sdf

from support.places import SCHEMAS

_SOURCE = SCHEMAS / "everything/schema.usda"
_NEW_TYPES = {"duration": "timecode"}       # of USD 26.11, and what holds the same numbers in those before


def _in_known_types() -> Path:
    """The schema itself, or a copy without the types that the installed USD would refuse."""
    unknown = [name for name in _NEW_TYPES if not Sdf.ValueTypeNames.Find(name)]
    if not unknown:
        return _SOURCE
    text = _SOURCE.read_text(encoding="utf-8")
    for name in unknown:
        text = text.replace(f"    {name} ", f"    {_NEW_TYPES[name]} ")
    folder = Path(tempfile.mkdtemp(prefix="everything-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    copy = folder / "everything" / _SOURCE.name
    copy.parent.mkdir()
    copy.write_text(text, encoding="utf-8")
    return copy


EVERYTHING = _in_known_types()
