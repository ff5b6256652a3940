"""The option by which commands open files of one's own without trying them in another process first."""

from __future__ import annotations

import click

from physx_schema.description.trial import trusted_files


def _isolate(context: click.Context, parameter: click.Parameter, value: str) -> None:
    # of the program's own context, which is closed where another option of the command is refused too
    context.find_root().with_resource(trusted_files(value == "off"))


isolation_option = click.option(
    "--isolate", type=click.Choice(("on", "off")), default="on", show_default=True, expose_value=False,
    callback=_isolate, help="Whether files are opened in another process first, which may crash or be ended.")
