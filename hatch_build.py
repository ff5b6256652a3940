"""Adds precompiled kernels to a wheel, for the interpreters that PHYSX_SCHEMA_KERNELS names, separated by spaces.

Each must have what the package depends on, with a USD. Without the variable nothing is compiled, as in every plain
installation and in an editable one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

VARIABLE = "PHYSX_SCHEMA_KERNELS"
SOURCES = (".", "codegen", "generated", "runtime")
FOLDER = "physx_runtime/precompiled"


class PrecompiledKernels(BuildHookInterface):  # type: ignore[type-arg]
    """The hook of wheels."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile for every interpreter, and name the files that the wheel takes along."""
        interpreters = os.environ.get(VARIABLE, "").split()
        if version == "editable" or not interpreters:
            return
        root, folder = Path(self.root), Path(self.root) / "build" / "precompiled"
        shutil.rmtree(folder, ignore_errors=True)
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(str(root / source) for source in SOURCES)}
        for interpreter in interpreters:
            subprocess.run([interpreter, "-c", "from physx_runtime.program import main; main()", "warm", "--pack",
                            str(folder)], env=environment, check=True)
        build_data["force_include"] |= {str(path): f"{FOLDER}/{path.name}" for path in sorted(folder.iterdir())}
