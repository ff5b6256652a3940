"""The command `diff`."""

from __future__ import annotations

import sys

import click

from .definitions import read
from .diff import LEVELS, Level, as_json, compare, text
from .model import SchemaError

FAILED, UNREADABLE = 1, 3                # exit codes


@click.command("diff")
@click.argument("old")
@click.argument("new")
@click.option("--json", "json_output", is_flag=True, help="Write all differences as JSON.")
@click.option("--level", type=click.Choice(LEVELS), default=LEVELS[-1], show_default=True,
              help="Show differences of this level or higher. The exit code is 1 if there is such a "
                   "difference.")
def diff_command(old: str, new: str, json_output: bool, level: Level) -> None:
    """Compare two schemas.

    The output lists the differences, and which of them break stages or programs.

    OLD and NEW are each a schema.usda, a generatedSchema.usda, a folder, or the name of an installed package such as
    physx_usd_schemas. A folder has YAML definitions, a schema.usda or a plugInfo.json, or several of these below it.

    Exit codes: 0 no difference, 1 differences, 2 usage, 3 unreadable schema.
    """
    sources, problems = [], []
    for name in (old, new):
        try:
            sources.append(read(name))
        except SchemaError as error:
            problems += str(error).splitlines()
    if problems:
        click.echo("\n".join(dict.fromkeys(problems)), err=True)
        sys.exit(UNREADABLE)
    comparison = compare(*sources).down_to(level)
    click.echo(as_json(comparison) if json_output else text(comparison))
    sys.exit(FAILED if comparison.differences else 0)
