"""Where commands are: `check_command` in a file `check_command.py`, for the command `check`, in a package of ours.

Other distributions add commands by entry points. Nothing is imported to find commands, USD included.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path

ENTRY_POINTS = "physx_schema.commands"
PACKAGES = ("physx_codegen", "physx_schema", "physx_runtime")
SUFFIX = "_command"


def find_commands() -> tuple[EntryPoint, ...]:
    """All commands by name, each with the module and function to load; names of our own files win."""
    commands = {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}
    commands |= {entry.name: entry for package in PACKAGES for entry in commands_of(package)}
    return tuple(commands[name] for name in sorted(commands))


def commands_of(package: str) -> Iterator[EntryPoint]:
    """The commands in files of a package and of the folders in it; none where it is not installed."""
    spec = find_spec(package)
    for root in map(Path, spec.submodule_search_locations or () if spec else ()):
        for path in (*root.glob(f"*{SUFFIX}.py"), *root.glob(f"*/*{SUFFIX}.py")):
            module = ".".join((package, *path.relative_to(root).with_suffix("").parts))
            name = path.stem.removesuffix(SUFFIX).replace("_", "-")
            yield EntryPoint(name, f"{module}:{path.stem}", ENTRY_POINTS)
