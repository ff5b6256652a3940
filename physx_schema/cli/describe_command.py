"""The command `describe`."""

from __future__ import annotations

import click

from physx_schema.command_line.options import isolation_option
from physx_schema.description import describe
from physx_schema.diagnostics import captured
from physx_schema.reports.json_output import description_json
from physx_schema.reports.outline import outline
from physx_schema.terminal import print_line


@click.command("describe")
@click.argument("path")
@isolation_option
@click.option("--json", "as_json", is_flag=True, help="Write all facts as JSON.")
def describe_command(path: str, as_json: bool) -> None:
    """Show the physics of a stage as PhysX reads it."""
    with captured():        # what would be announced is in the outline
        description = describe(path)
    if as_json:
        click.echo(description_json(description))
        return
    for line in outline(path, description):
        print_line(line)
