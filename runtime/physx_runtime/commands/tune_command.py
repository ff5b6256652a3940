"""The command `tune`; what it needs is imported when it runs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import click

from physx_runtime.commands.options import DEFAULT_DT, Seconds
from physx_runtime.progress import followed
from physx_schema.command_line.options import force_option, is_quiet, isolation_option, quiet_option
from physx_schema.command_line.progress import progress
from physx_schema.errors import printable
from physx_schema.terminal import print_line

if TYPE_CHECKING:
    from physx_runtime.verification import TuningTarget

BANDWIDTH = "bandwidth"     # in Hz, a name of natural_frequency on the command line
_NOT_REACHED = 1


@click.command("tune")
@click.argument("stage")
@isolation_option
@click.option("--target", "targets", type=(str, str, float), multiple=True, required=True, metavar="PATH NAME VALUE",
              help="A motion target of a drive, tendon, mimic joint or link; may be repeated.")
@click.option("--dt", type=Seconds(), default=DEFAULT_DT, show_default="1/60", help="Time step in seconds.")
@click.option("-o", "--out", type=click.Path(path_type=Path),
              help="Write the gains to a layer over the stage in this .usda, .usdc or .usd file.")
@force_option
@quiet_option
def tune_command(stage: str, targets: tuple[tuple[str, str, float], ...], dt: float, out: Path | None,
                 force: bool) -> None:
    """Find the gains with which a robot reaches motion targets.

    PATH is a joint, path:axis, or path:instance of a tendon or mimic joint. NAME is bandwidth in Hz, natural_frequency
    in rad/s, damping_ratio, settling_time in seconds, sag in degrees or length, or tip_stiffness of a link.

    If a target is not reached, nothing is written.

    Exit codes: 0 all targets reached; 1 a target not reached; 2 usage error; 3 unreadable file; 4 internal error.
    """
    from physx_runtime.verification import tune
    from physx_runtime.viewing.stage_over import open_over, require_another_file, write_over
    from physx_schema.description.stages import open_stage
    from physx_schema.outputs import files_of, require_output

    opened = open_stage(stage)
    try:
        if out is not None:
            require_another_file(opened, out)
            require_output(out, files_of(opened), force)
        with followed() as tasks, progress(f"{stage}: tuning", tasks):
            tuning = tune(opened, _by_path(targets), dt)
    except ValueError as error:
        raise click.UsageError(printable(str(error))) from None
    for result in tuning.results if not is_quiet() or not tuning.feasible else ():
        reached = "not measured" if result.reached is None else f"{result.reached:.4g}"
        reason = f"; {result.reason}" if result.reason else ""
        print_line(f"{result.path}: {result.name} {reached}, target {result.target:.4g}{reason}")
    if not tuning.feasible:
        raise click.exceptions.Exit(_NOT_REACHED)
    for change in tuning.changes:
        print_line(f"{change.path}: author {change.property} {change.value:.5g}")
    if out is not None:
        over = open_over(opened)
        tuning.author(over)
        write_over(over.GetRootLayer(), out)
        print_line(f"{stage}: gains written to {out}")


def _by_path(targets: tuple[tuple[str, str, float], ...]) -> dict[str, TuningTarget]:
    """The targets of each path. Raises ValueError for an unknown name, and for a target that is given twice."""
    from physx_runtime.verification.tuning.motion import NAMES
    from physx_schema.arguments import display, suggestion

    by_path: dict[str, TuningTarget] = {}
    for path, name_or_bandwidth, number in targets:
        if name_or_bandwidth not in (BANDWIDTH, *NAMES):
            advice = suggestion(name_or_bandwidth, (BANDWIDTH, *NAMES))
            raise ValueError(f"{path}: {display(name_or_bandwidth)} is not a tuning target; {advice}")
        name, value = name_or_bandwidth, number
        if name == BANDWIDTH:
            name, value = "natural_frequency", 2.0 * math.pi * number
        target = by_path.get(path, {})
        if name in target:
            raise ValueError(f"{path}: {name_or_bandwidth} is given twice; give one value")
        by_path[path] = {**target, name: value}     # type: ignore[misc]  # the name is one of NAMES
    return by_path
