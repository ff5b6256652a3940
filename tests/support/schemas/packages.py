"""Packages of schemas: with every feature of the format, generated during a test, and installed as wheels.

The schema with every feature of the format, in the types that the installed USD knows.

Packages generated during a test and imported beside the compiled classes they mirror.

Wheels with schemas by others, where the extra 'oracle' has brought them: NVIDIA's physx-usd-schemas and Newton's.
"""

from __future__ import annotations

import atexit
import importlib
import importlib.util
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import pytest
from physx_codegen.emit import write
from physx_codegen.generate import generate
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


# --- generated packages ----------------------------------------------------------------------------------------------


def generated_package(definitions: Path, folder: Path, name: str) -> ModuleType:
    """Generate a package called `name` below `folder` and import it."""
    write({folder / name: generate(definitions)})
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))


# --- wheels ----------------------------------------------------------------------------------------------------------

PHYSX = "physx_usd_schemas"
needs_wheel = pytest.mark.skipif(
    importlib.util.find_spec(PHYSX) is None, reason=f"{PHYSX} is not installed (extra 'oracle')")


def wheel_folder(package: str = PHYSX) -> Path:
    """The folder of an installed wheel's package; skips the test where it is not installed."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{package} is not installed (extra 'oracle')")
    return Path(spec.origin).parent
