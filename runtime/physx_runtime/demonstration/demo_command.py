"""The command ``physx-schema demo``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from physx_runtime.progress import followed
from physx_schema.command_line.options import force_option, is_quiet, quiet_option
from physx_schema.command_line.progress import progress
from physx_schema.errors import printable


@click.command("demo")
@click.option("-o", "--out", type=click.Path(file_okay=False, path_type=Path), default=Path("demo"), show_default=True,
              help="Write all files to this folder.")
@quiet_option
@force_option
def demo_command(out: Path, force: bool) -> None:
    """Author, check, simulate and verify a tendon-driven hand.

    The last file is a report as an HTML page.
    """
    from physx_runtime.demonstration.run import run_demonstration  # here, so that other commands load no compiler

    try:
        lines = run_demonstration(out, force)
        while (line := _next(lines)) is not None:
            if not is_quiet():
                click.echo(printable(line))
    except OSError as error:
        raise click.BadParameter(f"{out}: {error.strerror or error}", param_hint="--out") from None


def _next(lines: Iterator[str]) -> str | None:
    """The next line of a story, None after the last; what is done for it is shown while it lasts."""
    with followed() as tasks, progress("building, simulating and measuring a hand", tasks):
        return next(lines, None)
