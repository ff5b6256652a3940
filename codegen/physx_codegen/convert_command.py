"""The command `convert`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from . import emit
from .convert import convert_files
from .installed_schemas import USDA
from .model import SchemaError

FAILED, USAGE, UNREADABLE = 1, 2, 3      # exit codes


@click.command()
@click.argument("source", type=click.Path(path_type=Path, exists=True))
@click.option("--out", type=click.Path(path_type=Path), required=True,
              help="The folder of YAML files, or the schema.usda, to write.")
@click.option("--force", is_flag=True, help="Replace files that are there already.")
def convert(source: Path, out: Path, force: bool) -> None:
    """Turn a schema.usda into YAML definitions, or YAML definitions into a schema.usda.

    SOURCE is a schema.usda, a folder with one library's YAML files, or the folder of a plugin that came without either
    (plugInfo.json and generatedSchema.usda), which becomes YAML. Nothing is lost either way: what only one of the
    two has words for is carried along, and the result is read again before it is written.

    Exit codes: 0 converted, 1 faults in the definitions, 2 usage or a place that cannot be written, 3 unreadable
    definitions.
    """
    try:
        files = convert_files(source)
        targets = {target(out, name): text for name, text in files.items()}
        other = conflicting_file(targets)
        if other:
            click.echo(f"{other}: definitions of the other form; give an --out of its own, as one library has one form",
                       err=True)
            sys.exit(USAGE)
        taken = sorted(path for path, text in targets.items() if path.exists() and not (force or emit.same(path, text)))
        if taken:
            click.echo(f"{taken[0]}: exists already; give another --out, or --force to replace it", err=True)
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
