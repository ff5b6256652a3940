"""Every command is there, with its help, where none of the extras is installed."""

from __future__ import annotations

import subprocess
import sys
import tomllib

from support.places import ROOT

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
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    commands = project["entry-points"]["physx_schema.commands"]
    script = LOADED.format(extras=OF_EXTRAS, commands=commands)
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert commands
    assert (result.returncode, result.stderr) == (0, "")
