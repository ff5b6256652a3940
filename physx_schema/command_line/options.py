"""Options that commands share: trying files in another process first, replacing files, and silence."""

from __future__ import annotations

import click

from physx_schema.description.trial import trusted_files
from physx_schema.engine_releases import LATEST, RELEASES

force_option = click.option(
    "--force", is_flag=True, help="Replace output files that physx-schema did not write. Files of the stage are never "
                                  "replaced.")


def _isolate(context: click.Context, parameter: click.Parameter, value: str) -> None:
    # of the program's own context, which is closed where another option of the command is refused too
    context.find_root().with_resource(trusted_files(value == "off"))


isolation_option = click.option(
    "--isolate", type=click.Choice(("on", "off")), default="on", show_default=True, expose_value=False,
    callback=_isolate, help="Open files first in a separate process, to survive crashes of USD.")


_QUIET = "physx_schema.quiet"


def _silence(context: click.Context, parameter: click.Parameter, value: bool) -> None:
    silenced(context, value)


quiet_option = click.option("-q", "--quiet", is_flag=True, expose_value=False, callback=_silence,
                            help="Print only problems: no summary and no progress.")


engine_release_option = click.option(
    "--engine-release", type=click.Choice(RELEASES), help=f"Check for this release of ovphysx.  [default: {LATEST}]")


def silenced(context: click.Context, quiet: bool) -> None:
    """Tell the command of a context whether to say only what is wrong."""
    context.meta[_QUIET] = quiet


def is_quiet() -> bool:
    """Whether the command that runs was told to say only what is wrong."""
    context = click.get_current_context(silent=True)
    return bool(context and context.meta.get(_QUIET))
