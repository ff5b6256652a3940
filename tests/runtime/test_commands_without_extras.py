"""Every command is there, with its help, where none of the extras is installed."""

from __future__ import annotations

import subprocess
import sys

from physx_schema.command_line.command_files import PACKAGES, commands_of

# What extras alone bring; a command asks for it when it is run.
OF_EXTRAS = ("viser", "websockets", "PIL", "matplotlib", "imageio_ffmpeg", "mcp", "ovphysx", "coal")
LOADED = """
import importlib, sys
sys.modules.update(dict.fromkeys({extras!r}))
for name, place in {commands!r}.items():
    module, _, attribute = place.partition(":")
    assert getattr(importlib.import_module(module), attribute).name == name, name
"""


def test_every_command_loads_without_the_packages_of_extras() -> None:
    commands = {entry.name: entry.value for package in PACKAGES for entry in commands_of(package)}
    script = LOADED.format(extras=OF_EXTRAS, commands=commands)
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert commands
    assert (result.returncode, result.stderr) == (0, "")
