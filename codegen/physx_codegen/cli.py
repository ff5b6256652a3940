"""The command `generate`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from . import emit, json_schema
from .generate import generate as generate_files
from .load_yaml import libraries
from .model import SchemaError

SCHEMA, OUT = Path("schema"), Path("generated/physx_generated")
FOUND, USAGE, UNREADABLE = 1, 2, 3      # exit codes


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; print a diff and exit 1 where files are out of date.")
@click.option("--from", "source", type=click.Path(path_type=Path, exists=True),
              help="A schema.usda, a folder with YAML definitions, or a folder with one such folder per library; "
                   "the checkout's schema/.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False),
              help="Folder to write: a Python package and USD plugin; the checkout's generated/physx_generated/.")
def generate(check: bool, source: Path | None, out: Path | None) -> None:
    """Turn schema definitions into typed classes, tokens and the USD plugin.

    Exit codes: 0 in step, 1 out of date or faults in the definitions, 2 usage, 3 unreadable definitions.
    """
    if source is None or out is None:
        root = checkout()
        if root is None or source or out:
            click.echo("generate: give --from and --out together, or run in a checkout of physx-schema", err=True)
            sys.exit(USAGE)
        source, out = root / SCHEMA, root / OUT
    try:
        files = generate_files(source)
        emit.check_root(out)
        if check:
            sys.exit(report(emit.diff(files, out) + "".join(
                emit.file_diff(path, text, path.name) for path, text in editor_schema(source).items())))
        changed = [*emit.write(files, out), *emit.replace(editor_schema(source))]
    except (SchemaError, emit.EmitError) as error:
        click.echo(str(error), err=True)
        sys.exit(UNREADABLE if isinstance(error, SchemaError) and error.unreadable else FOUND)
    click.echo(f"{len(files)} files, {len(changed)} changed in {out}", err=True)


def editor_schema(schema: Path) -> dict[Path, str]:
    """The JSON Schema beside the definitions, kept current where there is one."""
    path = schema / json_schema.NAME
    return {path: json_schema.render()} if path.is_file() else {}


def checkout() -> Path | None:
    """The checkout around the working directory, or else around this file."""
    here = Path.cwd()
    candidates = (here, *here.parents, Path(__file__).resolve().parents[2])
    return next((root for root in candidates if (root / OUT).is_dir() and libraries(root / SCHEMA)), None)


def report(difference: str) -> int:
    """Print the diff; the exit code."""
    click.echo(difference, nl=False)
    if difference:
        click.echo("generated files are out of date; run `physx-schema generate`", err=True)
    return FOUND if difference else 0


commands: list[click.Command] = [generate]
