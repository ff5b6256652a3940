"""Where definitions lie and in which form: folders of YAML files, files of schema.usda, and plugins without either.

What `diff` compares: definitions in any form, every plugin of a folder, or an installed package by its name.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import load_yaml
from .commit import has_control_characters
from .installed_schemas import GENERATED, PLUGIN, USDA, plugin_json
from .load_yaml import libraries
from .model import Library, Location, SchemaError, display_path, one_line


def library_paths(root: Path) -> list[Path]:
    """What to read below `root`, one place per library: a folder of YAML files, a schema.usda, or a plugInfo.json.

    `root` is either, or a folder with one sub-folder per library. A plugin is read where there is neither YAML nor a
    schema.usda. Raises SchemaError where there is nothing to read.
    """
    if has_control_characters(str(root.absolute())):
        message = "the path has control characters, which USD does not allow; rename the file or folder"
        raise SchemaError([(Location(one_line(display_path(root)), 1), message)], unreadable=True)
    if not root.exists():
        message = f"no such file or folder; use a folder with definitions, or a {USDA}"
        raise SchemaError([(Location(display_path(root), 1), message)], unreadable=True)
    if root.is_file():
        return [root.parent / PLUGIN if root.name == GENERATED else root]
    paths = [path for path in [_library_path(root)] if path]
    paths = paths or [path for folder in _folders(root) if (path := _library_path(folder))]
    if not paths:
        nothing = (f"this folder holds no YAML files, no {USDA} and no {PLUGIN}; use the folder with the definitions, "
                   f"or a {USDA}")
        raise SchemaError([(Location(display_path(root), 1), nothing)], unreadable=True)
    return paths


def _folders(root: Path) -> list[Path]:
    return sorted(path for path in root.iterdir() if path.is_dir()) if root.is_dir() else []


def _library_path(folder: Path) -> Path | None:
    """The definitions in a folder itself. Raises SchemaError for both forms side by side."""
    has_yaml, usda = any(folder.glob("*.yaml")), folder / USDA
    if has_yaml and usda.is_file():
        message = f"this folder holds YAML files and a {USDA}; move one of the two away, or use the path of the {USDA}"
        raise SchemaError([(Location(display_path(folder), 1), message)], unreadable=True)
    has_plugin = all((folder / name).is_file() for name in (PLUGIN, GENERATED))
    return folder if has_yaml else usda if usda.is_file() else folder / PLUGIN if has_plugin else None


def load_library(path: Path) -> Library:
    """The library of one place. Raises SchemaError with every problem found."""
    if path.is_dir():
        return load_yaml.load(path)
    if path.suffix in {".yaml", ".yml"}:
        message = f"this is one file of a library; use the folder of the library, {display_path(path.parent)}"
        raise SchemaError([(Location(display_path(path), 1), message)], unreadable=True)
    if path.name == PLUGIN:
        from .load_usda import load_generated  # pxr, which YAML does without

        return load_generated(path.parent)
    from .load_usda import load_usda

    return load_usda(path)


def load_all(paths: Sequence[Path]) -> list[Library]:
    """The libraries of several places. Raises SchemaError with the problems of all of them."""
    libraries: list[Library] = []
    problems: list[tuple[Location, str]] = []
    unreadable = False
    for path in paths:
        try:
            libraries.append(load_library(path))
        except SchemaError as error:
            problems += error.problems
            unreadable = unreadable or error.unreadable
    if problems:
        raise SchemaError(problems, unreadable)
    return libraries


# What a form of schema carries beyond names, kinds, types, defaults, variability, tokens, built-ins and display texts.
ALL = frozenset({"api", "docs", "range", "unit", "advice", "deprecation"})
USD = frozenset({"api", "docs"})        # of a schema.usda by other hands
NONE: frozenset[str] = frozenset()      # of generated files


@dataclass(frozen=True, slots=True)
class Source:
    """The libraries of one place, and which facts that form of schema can hold."""

    name: str                           # as given
    libraries: tuple[Library, ...]
    facts: frozenset[str]


def read(name: str) -> Source:
    """The schema at a path, or of an installed distribution or module. Raises SchemaError."""
    path = Path(name)
    if name and path.exists():
        # A package that we made has a schema.usda too, but only for the library at its top.
        paths = [] if path.is_file() or libraries(path) else plugin_files([path])
        return _source(name, paths or library_paths(path))
    paths = plugin_files(_installed(name)) if name else []
    if not paths:
        message = ("is not a path, and not an installed distribution or module with plugInfo.json; use a "
                   "schema.usda, the name of a package, or a folder with YAML, schema.usda or plugInfo.json")
        raise SchemaError([(Location(name or "''", 1), message)])
    return _source(name, paths)


def _source(name: str, paths: Sequence[Path]) -> Source:
    loaded = load_all(paths)                        # dangling names do not keep from comparing
    facts = [supported_facts(path, library) for path, library in zip(paths, loaded, strict=True)]
    return Source(name, tuple(loaded), ALL.intersection(*facts))


def supported_facts(path: Path, library: Library) -> frozenset[str]:
    """The facts that the definitions of a place can hold."""
    if path.name == PLUGIN:
        return NONE
    return ALL if path.is_dir() or has_extensions(library) else USD


def has_extensions(library: Library) -> bool:
    """Whether a schema.usda carries what only our language has words for, as those that we write do."""
    return any(getattr(prop, key) for cls in library.classes for prop in cls.properties
               for key in ("unit", "targets", "deprecated", "retired", "renamed_from") if hasattr(prop, key))


def plugin_files(folders: Iterable[Path]) -> list[Path]:
    """Every plugInfo.json below some folders, sorted, but for those that only include others."""
    paths = sorted({info for folder in folders for info in folder.rglob(PLUGIN)})
    return [info for info in paths if not _is_index(info)]


def _is_index(info: Path) -> bool:
    """Whether a plugInfo.json only says where others lie."""
    try:
        content = plugin_json(info)
    except (OSError, ValueError):
        return False
    return isinstance(content, dict) and "Includes" in content and "Plugins" not in content


def _installed(name: str) -> Iterator[Path]:
    """The folders of a distribution with plugInfo.json, or else of a module, without importing it."""
    try:
        files = importlib.metadata.files(name) or ()
    except importlib.metadata.PackageNotFoundError:
        files = ()
    folders = {Path(str(file.locate())).resolve().parent for file in files if file.name == PLUGIN}
    yield from folders
    try:
        spec = None if folders or not name.isidentifier() else importlib.util.find_spec(name)
    except ImportError:
        spec = None
    for folder in spec.submodule_search_locations or () if spec else ():
        yield Path(folder)
