"""Definitions from one form into the other: schema.usda to YAML files, YAML files to schema.usda."""

from __future__ import annotations

from dataclasses import fields as fields_of
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any

from . import definitions, write_usda, write_yaml
from .emit import temp_folder
from .installed_schemas import USDA
from .model import Library, Location, SchemaClass, SchemaError
from .validate import validate

LOCATION_KEYS = {"loc", "key_lines", "folder", "file"}     # where a definition was read, which another file must change


def convert_files(source: Path) -> dict[str, str]:
    """File name to text of the other form; both forms hold the same, which is checked by reading the text again.

    Raises SchemaError for problems of the source, and where it holds several libraries.
    """
    paths = definitions.library_paths(source)
    if len(paths) != 1:
        names = ", ".join(path.name if path.is_dir() else path.parent.name for path in paths)
        message = f"holds {len(paths)} libraries: {names}; convert one at a time"
        raise SchemaError([(Location(str(source), 1), message)])
    library = validate(definitions.load_library(paths[0]), references=False)
    files = {USDA: write_usda.render(library)} if paths[0].is_dir() else write_yaml.render(library)
    try:
        where = difference(library, _read(files))
    except SchemaError as error:
        message = f"makes nothing that can be read: {error.problems[0][1]}"
        raise SchemaError([(library.loc, message)]) from None
    if where:
        message = f"would lose something of {where}; please report the definition as a fault of the converter"
        raise SchemaError([(library.loc, message)])
    return files


def _read(files: dict[str, str]) -> Library:
    """The library in a set of texts."""
    with temp_folder(files) as folder:
        return definitions.load_library(definitions.library_paths(folder)[0])


def difference(left: Any, right: Any, where: str = "") -> str:
    """The name of what differs first between two libraries, files and lines aside; empty where they are equal."""
    if isinstance(left, SchemaClass) and isinstance(right, SchemaClass):
        left, right = _ordered(left), _ordered(right)
    if is_dataclass(left) and type(left) is type(right):
        inner = f"{where} {getattr(left, 'name', '')}".strip()
        keys = [field.name for field in fields_of(left) if field.name not in LOCATION_KEYS]
        differences = (difference(getattr(left, key), getattr(right, key), f"{inner} {key}") for key in keys)
        return next(filter(None, differences), "")
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        return next(filter(None, (difference(*pair, where) for pair in zip(left, right, strict=True))), "")
    return "" if repr(left) == repr(right) else where


def _ordered(cls: SchemaClass) -> SchemaClass:
    """The class with its tokens in the order in which USD keeps a dictionary."""
    return replace(cls, tokens=tuple(sorted(cls.tokens, key=lambda token: token.name)))
