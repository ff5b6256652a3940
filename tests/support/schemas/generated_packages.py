"""Packages generated during a test and imported beside the compiled classes they mirror."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

from physx_codegen.emit import write
from physx_codegen.generate import generate


def generated_package(definitions: Path, folder: Path, name: str) -> ModuleType:
    """Generate a package called `name` below `folder` and import it."""
    write({folder / name: generate(definitions)})
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(folder))
