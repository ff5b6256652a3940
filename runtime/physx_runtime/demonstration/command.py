"""The command ``physx-schema demo``."""

from __future__ import annotations

from pathlib import Path

import click

from physx_schema.errors import printable


@click.command("demo")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), default=Path("demo"), show_default=True,
              help="The folder to write to.")
def demo(out: Path) -> None:
    """Author a tendon-driven hand, check, simulate and verify it, and leave a report."""
    from physx_runtime.demonstration.run import tell  # here, so that other commands load no compiler

    try:
        for line in tell(out):
            click.echo(printable(line))
    except OSError as error:
        raise click.BadParameter(f"{out}: {error.strerror or error}", param_hint="--out") from None
