"""The command `report`; what it needs is imported when it runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from physx_runtime.commands.options import DEFAULT_DT, Seconds, engine_option, engines_of
from physx_runtime.progress import followed
from physx_schema.command_line.each_asset import each_asset
from physx_schema.command_line.options import force_option, is_quiet, isolation_option, quiet_option
from physx_schema.command_line.progress import progress
from physx_schema.errors import printable
from physx_schema.files import unwritable


def _page_of(stage: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options of one of several stages: its page lies in the folder as the stage does in the current folder."""
    parts = Path(os.path.normpath(stage)).relative_to(Path(stage).anchor).parts
    page = Path(*("__" if part == ".." else part for part in parts))
    return options | {"out": options["out"] / page.with_name(f"{page.name}.html")}


def _require_folder(options: dict[str, Any]) -> None:
    if options["out"].suffix:
        raise click.UsageError(f"-o is {printable(str(options['out']))}; for several stages give a folder, such as "
                               "-o reports")


@click.command("report")
@isolation_option
@click.option("-o", "--out", type=click.Path(path_type=Path), default=Path("report.html"),
              show_default=True, help="Write the report to this HTML file; reports of several stages to this folder.")
@quiet_option
@force_option
@click.option("--open", "shown", is_flag=True, help="Open the report in a browser.")
@click.option("--dt", type=Seconds(), default=DEFAULT_DT, show_default="1/60", help="Time step in seconds.")
@click.option("--steps", type=click.IntRange(1), default=240, show_default=True, help="Number of steps to simulate.")
@click.option("--compare", "before", metavar="BEFORE", help="Also show the robot and the motion of this stage, "
              "translucent over the first.")
@engine_option
@each_asset("dt", "steps", "engine", prepare=_require_folder, single=("shown", "before"), adapt=_page_of)
def report_command(stage: str, out: Path, force: bool, shown: bool, dt: float, steps: int, before: str | None,
                   engine: str) -> None:
    """Write an HTML page about a robot: values, findings, 3D motion.

    PATH is a file, a folder with stages, a pattern such as 'assets/**/*.usda', or - for a list on stdin.

    The page is one file. It lists everything that cannot be verified or simulated, with the reason.
    """
    from physx_runtime.viewing.report import report_robot
    from physx_schema.description.stages import open_stage
    from physx_schema.outputs import files_of, require_output

    usd_stage = open_stage(stage)
    before_stage = None if before is None else open_stage(before)
    require_output(out, files_of(usd_stage), force)
    try:
        with followed() as tasks, progress(stage, tasks):
            report_robot(usd_stage, out, dt, steps, engines_of(engine), before_stage)
    except OSError as error:
        raise unwritable(out, error) from None
    if not is_quiet():
        click.echo(printable(f"{stage}: report written to {out}"))
    if shown:
        import webbrowser

        webbrowser.open(out.resolve().as_uri())
