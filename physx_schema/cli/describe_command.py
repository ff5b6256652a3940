"""The command `describe`."""

from __future__ import annotations

import click

from physx_schema.command_line.each_asset import each_asset
from physx_schema.command_line.options import force_option, isolation_option
from physx_schema.description import describe
from physx_schema.diagnostics import captured
from physx_schema.reports.json_output import description_json
from physx_schema.reports.outline import outline
from physx_schema.terminal import print_line


@click.command("describe")
@isolation_option
@click.option("--json", "as_json", is_flag=True, help="Write all facts as JSON.")
@force_option
@each_asset("as_json")
def describe_command(stage: str, as_json: bool, force: bool) -> None:
    """Show the physics of stages as PhysX reads it.

    PATH is a file, a folder with stages, a pattern such as 'assets/**/*.usda', or - for a list on stdin.
    """
    with captured():        # what would be announced is in the outline
        description = describe(stage)
    if as_json:
        click.echo(description_json(description))
        return
    for line in outline(stage, description):
        print_line(line)
