"""Where definitions lie and in which form: folders of YAML files, files of schema.usda, and plugins without either."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from . import load_yaml
from .commit import has_control_characters
from .model import Library, Location, SchemaError
from .plugin_files import GENERATED, PLUGIN, USDA
from .wording import displayed, shown


def places(root: Path) -> list[Path]:
    """What to read below `root`, one place per library: a folder of YAML files, a schema.usda, or a plugInfo.json.

    `root` is either, or a folder with one sub-folder per library. A plugin is read where there is neither YAML nor a
    schema.usda. Raises SchemaError where there is nothing to read.
    """
    if has_control_characters(str(root.absolute())):
        message = "its name or a folder's has control characters, which no asset path of USD holds; rename it"
        raise SchemaError([(Location(shown(displayed(root)), 1), message)], unreadable=True)
    if root.is_file():
        return [root.parent / PLUGIN if root.name == GENERATED else root]
    found = [place for place in [_place(root)] if place]
    found = found or [place for folder in _folders(root) if (place := _place(folder))]
    if not found:
        nothing = f"holds no YAML files, no {USDA} and no {PLUGIN}; give the folder with the definitions, or a {USDA}"
        raise SchemaError([(Location(displayed(root), 1), nothing)], unreadable=True)
    return found


def _folders(root: Path) -> list[Path]:
    return sorted(path for path in root.iterdir() if path.is_dir()) if root.is_dir() else []


def _place(folder: Path) -> Path | None:
    """The definitions in a folder itself. Raises SchemaError for both forms side by side."""
    has_yaml, usda = any(folder.glob("*.yaml")), folder / USDA
    if has_yaml and usda.is_file():
        message = f"holds YAML files and a {USDA}; move one away, or give the {USDA} itself"
        raise SchemaError([(Location(displayed(folder), 1), message)], unreadable=True)
    has_plugin = all((folder / name).is_file() for name in (PLUGIN, GENERATED))
    return folder if has_yaml else usda if usda.is_file() else folder / PLUGIN if has_plugin else None


def load_place(place: Path) -> Library:
    """The library of one place. Raises SchemaError with every problem found."""
    if place.is_dir():
        return load_yaml.load(place)
    if place.suffix in {".yaml", ".yml"}:
        message = f"is one file of a library; give its folder, {displayed(place.parent)}"
        raise SchemaError([(Location(displayed(place), 1), message)], unreadable=True)
    if place.name == PLUGIN:
        from .load_generated import load_generated  # pxr, which YAML does without

        return load_generated(place.parent)
    from .load_usda import load_usda

    return load_usda(place)


def load_all(found: Sequence[Path]) -> list[Library]:
    """The libraries of several places. Raises SchemaError with the problems of all of them."""
    libraries: list[Library] = []
    problems: list[tuple[Location, str]] = []
    unreadable = False
    for place in found:
        try:
            libraries.append(load_place(place))
        except SchemaError as error:
            problems += error.problems
            unreadable = unreadable or error.unreadable
    if problems:
        raise SchemaError(problems, unreadable)
    return libraries
