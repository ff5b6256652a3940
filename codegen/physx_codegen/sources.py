"""Where a schema can be read from: YAML, schema.usda, the files of a plugin, or the name of an installed package."""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from .load_yaml import libraries, load
from .model import Library, Location, SchemaError

PLUG_INFO, GENERATED = "plugInfo.json", "generatedSchema.usda"
# What a form of schema carries beyond names, kinds, types, defaults, variability, tokens, built-ins and display texts.
YAML = frozenset({"api", "docs", "range", "unit", "advice", "deprecation"})
USDA = frozenset({"api", "docs"})
PLUGIN: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Source:
    """The libraries of one place, and which facts that form of schema can hold."""

    name: str                           # as given
    libraries: tuple[Library, ...]
    carries: frozenset[str]


def read(name: str) -> Source:
    """The schema at a path, or of an installed distribution or module. Raises SchemaError."""
    path = Path(name)
    if path.is_dir():
        return _folder(name, path)
    if path.is_file():
        return _file(name, path)
    folders = list(_installed(name))
    if not folders:
        _refuse(name, "is no path and no installed distribution or module with plugInfo.json; give a folder with YAML "
                      "or plugInfo.json, a schema.usda or the name of a package")
    return _plugins(name, folders)


def _folder(name: str, path: Path) -> Source:
    found = libraries(path)
    if found:
        return Source(name, tuple(map(load, found)), YAML)       # dangling names do not keep from comparing
    folders = sorted({info.parent for info in path.rglob(PLUG_INFO)})
    if not folders:
        _refuse(name, "holds neither YAML files nor a plugInfo.json; give a folder that does")
    return _plugins(name, folders)


def _file(name: str, path: Path) -> Source:
    if path.name in (PLUG_INFO, GENERATED):
        return _plugins(name, [path.parent])
    if path.suffix not in (".usda", ".usd", ".usdc"):
        _refuse(name, "is not a schema; give a folder with YAML, a schema.usda or a generatedSchema.usda")
    from .load_usda import load_usda  # needs pxr

    library = load_usda(path)
    return Source(name, (library,), YAML if has_own_facts(library) else USDA)


def has_own_facts(library: Library) -> bool:
    """Whether a schema.usda carries what only our language has words for, as those that we write do."""
    return any(getattr(prop, key) for cls in library.classes for prop in cls.properties
               for key in ("unit", "targets", "deprecated", "retired", "renamed_from") if hasattr(prop, key))


def _plugins(name: str, folders: list[Path]) -> Source:
    from .load_generated import load_generated  # needs pxr

    return Source(name, tuple(load_generated(folder) for folder in folders), PLUGIN)


def _installed(name: str) -> Iterator[Path]:
    """The folders with plugInfo.json of a distribution, or else of a module, without importing it."""
    try:
        files = importlib.metadata.files(name) or ()
    except importlib.metadata.PackageNotFoundError:
        files = ()
    found = sorted({Path(str(file.locate())).resolve().parent for file in files if file.name == PLUG_INFO})
    yield from found
    try:
        spec = None if found or not name.isidentifier() else importlib.util.find_spec(name)
    except ImportError:
        spec = None
    for place in spec.submodule_search_locations or () if spec else ():
        yield from sorted(info.parent for info in Path(place).rglob(PLUG_INFO))


def _refuse(name: str, message: str) -> NoReturn:
    raise SchemaError([(Location(name, 1), message)])
