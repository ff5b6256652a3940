"""Which modules of a package import which: at the top, inside functions and for type checkers alike."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

from support.places import ROOT

SOURCES = {
    "physx_codegen": ROOT / "codegen/physx_codegen",
    "physx_generated": ROOT / "generated/physx_generated",
    "physx_schema": ROOT / "physx_schema",
    "physx_runtime": ROOT / "runtime/physx_runtime",
}
Imports = Mapping[str, set[str]]


def imports_within(folder: Path) -> dict[str, set[str]]:
    """Every module of the package in a folder by its dotted name, with the modules of that package it imports.

    A package stands for its ``__init__.py``. What a module needs of the packages it lies in is not counted.
    """
    paths = {_dotted(path, folder.parent): path for path in folder.rglob("*.py")}
    return {name: set(_imported(name, path, paths)) - {name} for name, path in sorted(paths.items())}


def circles(imports: Imports) -> list[list[str]]:
    """The groups of modules that import each other, directly or by way of others in the group."""
    reached = {name: _reached(name, imports) for name in imports}
    groups = {frozenset(other for other in reached[name] if name in reached[other]) for name in imports}
    return sorted(sorted(group) for group in groups if group)


def _dotted(path: Path, start: Path) -> str:
    parts = path.relative_to(start).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(name: str, path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[:len(package.split(".")) + 1 - node.level] if node.level else []
            source = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                yield from [inner] if inner in modules else [source] if source in modules else []


def _reached(start: str, imports: Imports) -> set[str]:
    """Everything that a module imports, directly or not; itself only where it lies on a circle."""
    found: set[str] = set()
    waiting = list(imports[start])
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += imports[name]
    return found
