"""The command `convert`: schema.usda to YAML files, YAML files to schema.usda."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import fields as fields_of
from dataclasses import is_dataclass, replace
from pathlib import Path
from typing import Any

import click

from . import definitions, emit, write_usda, write_yaml
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
        message = f"this folder holds {len(paths)} libraries: {names}; convert one library at a time"
        raise SchemaError([(Location(str(source), 1), message)])
    library = validate(definitions.load_library(paths[0]), references=False)
    files = {USDA: write_usda.render(library)} if paths[0].is_dir() else write_yaml.render(library)
    try:
        where = difference(library, _read(files))
    except SchemaError as error:
        message = f"the result of the conversion cannot be read: {error.problems[0][1]}"
        raise SchemaError([(library.loc, message)]) from None
    if where:
        message = f"the conversion would lose a part of {where}; report this definition as a bug of the converter"
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


FAILED, USAGE, UNREADABLE = 1, 2, 3      # exit codes


@click.command("convert")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True,
              help="Folder for the YAML files, or path of the schema.usda, to write.")
@click.option("--force", is_flag=True, help="Replace existing files.")
def convert_command(source: Path, out: Path, force: bool) -> None:
    """Convert a schema.usda to YAML definitions, or YAML definitions to a schema.usda.

    SOURCE is a schema.usda, a folder with the YAML files of one library, or a plugin's folder. A plugin's folder
    (plugInfo.json and generatedSchema.usda) is converted to YAML. Both directions keep all content. The result is read
    and compared before it is written.

    Exit codes: 0 converted, 1 errors in the definitions, 2 usage or a place that cannot be written, 3 unreadable
    definitions.
    """
    try:
        files = convert_files(source)
        targets = {target(out, name): text for name, text in files.items()}
        other = conflicting_file(targets)
        if other:
            click.echo(f"{other}: the file has definitions in another form; use another --out, because a library has "
                       "only one form",
                       err=True)
            sys.exit(USAGE)
        taken = sorted(path for path, text in targets.items() if path.exists() and not (force or emit.same(path, text)))
        if taken:
            click.echo(f"{taken[0]}: the file exists; use another --out, or --force to replace it", err=True)
            sys.exit(USAGE)
        emit.replace(targets)
    except SchemaError as error:
        click.echo(str(error), err=True)
        sys.exit(UNREADABLE if error.unreadable else FAILED)
    except emit.EmitError as error:
        click.echo(str(error), err=True)
        sys.exit(USAGE)
    click.echo("\n".join(map(str, sorted(targets))), err=True)


def conflicting_file(targets: Iterable[Path]) -> Path | None:
    """A file in a folder to be written that would make two forms of one library of it."""
    for path in targets:
        pattern = {USDA: "*.yaml"}.get(path.name, USDA if path.suffix == ".yaml" else "")
        matches = sorted(path.parent.glob(pattern)) if pattern else []
        if matches:
            return matches[0]
    return None


def target(out: Path, name: str) -> Path:
    """Where a file goes: `out` itself for a schema.usda where it is named as a file."""
    return out if name == USDA and out.suffix == ".usda" else out / name
