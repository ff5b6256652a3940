"""The public names of the packages with their signatures, one a line, as `tests/data/api.txt` holds them.

    PYTHONPATH=tests python -m support.api

writes that file anew. Of generated classes it has names and bases alone: their methods follow from the YAML, and
`physx-schema diff` says what a change there breaks.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from support.places import DATA

PACKAGES = ("physx_schema", "physx_schema.authoring", "physx_runtime", "physx_runtime.components",
            "physx_runtime.envs", "physx_runtime.fleet")
SNAPSHOT = DATA / "api.txt"


def lines() -> Iterator[str]:
    """Every public name, package by package, in alphabetical order."""
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in sorted(module.__all__):
            yield from _described(f"{package}.{name}", getattr(module, name))


def _described(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, type):
        yield from _class(name, value)
    elif isinstance(value, ModuleType):
        yield f"{name}: module"
    elif callable(value):
        yield f"{name}{_signature(value)}"
    else:
        yield f"{name}: {type(value).__name__}"


def _class(name: str, cls: type) -> Iterator[str]:
    bases = ", ".join(base.__name__ for base in cls.__bases__)
    if cls.__module__.startswith("physx_generated") or name.endswith(".Tokens"):
        yield f"{name}: class({bases})"
        return
    yield f"{name}: class({bases}){_signature(cls)}"
    for member, value in sorted(inspect.getmembers(cls)):
        if member.startswith("_") or not _own(cls, member):
            continue
        if isinstance(value, property) or not callable(value):
            yield f"{name}.{member}"
        else:
            yield f"{name}.{member}{_signature(value)}"


def _own(cls: type, member: str) -> bool:
    """Whether a member is of this project rather than of Python's or USD's classes."""
    home = next((base for base in cls.__mro__ if member in vars(base)), object)
    return home.__module__.startswith("physx_")


def _signature(value: Any) -> str:
    try:
        return str(inspect.signature(value))
    except ValueError:      # of classes of Python's own, such as exceptions
        return "(...)"


def main(path: Path = SNAPSHOT) -> None:
    """Write the snapshot."""
    path.write_text("\n".join(lines()) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
