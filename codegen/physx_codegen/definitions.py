"""Where definitions lie and in which form: folders of YAML files, files of schema.usda, and plugins without either."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from . import load_yaml
from .commit import has_control_characters
from .model import Library, Location, SchemaError
from .plugin_files import GENERATED, PLUGIN, USDA
from .wording import display_path, one_line


def library_paths(root: Path) -> list[Path]:
    """What to read below `root`, one place per library: a folder of YAML files, a schema.usda, or a plugInfo.json.

    `root` is either, or a folder with one sub-folder per library. A plugin is read where there is neither YAML nor a
    schema.usda. Raises SchemaError where there is nothing to read.
    """
    if has_control_characters(str(root.absolute())):
        message = "its name or a folder's has control characters, which no asset path of USD holds; rename it"
        raise SchemaError([(Location(one_line(display_path(root)), 1), message)], unreadable=True)
    if root.is_file():
        return [root.parent / PLUGIN if root.name == GENERATED else root]
    paths = [path for path in [_library_path(root)] if path]
    paths = paths or [path for folder in _folders(root) if (path := _library_path(folder))]
    if not paths:
        nothing = f"holds no YAML files, no {USDA} and no {PLUGIN}; give the folder with the definitions, or a {USDA}"
        raise SchemaError([(Location(display_path(root), 1), nothing)], unreadable=True)
    return paths


def _folders(root: Path) -> list[Path]:
    return sorted(path for path in root.iterdir() if path.is_dir()) if root.is_dir() else []


def _library_path(folder: Path) -> Path | None:
    """The definitions in a folder itself. Raises SchemaError for both forms side by side."""
    has_yaml, usda = any(folder.glob("*.yaml")), folder / USDA
    if has_yaml and usda.is_file():
        message = f"holds YAML files and a {USDA}; move one away, or give the {USDA} itself"
        raise SchemaError([(Location(display_path(folder), 1), message)], unreadable=True)
    has_plugin = all((folder / name).is_file() for name in (PLUGIN, GENERATED))
    return folder if has_yaml else usda if usda.is_file() else folder / PLUGIN if has_plugin else None


def load_library(path: Path) -> Library:
    """The library of one place. Raises SchemaError with every problem found."""
    if path.is_dir():
        return load_yaml.load(path)
    if path.suffix in {".yaml", ".yml"}:
        message = f"is one file of a library; give its folder, {display_path(path.parent)}"
        raise SchemaError([(Location(display_path(path), 1), message)], unreadable=True)
    if path.name == PLUGIN:
        from .load_generated import load_generated  # pxr, which YAML does without

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
