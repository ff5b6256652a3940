"""The command `identify`; what it needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path

import click

from physx_runtime.commands.options import DEFAULT_DT, Seconds
from physx_schema.command_line.options import force_option, is_quiet, isolation_option, quiet_option
from physx_schema.command_line.progress import progress
from physx_schema.errors import printable

_NOT_EXPLAINED = 1


@click.command("identify")
@click.argument("stage")
@click.argument("log", type=click.Path(path_type=Path))
@isolation_option
@click.option("--dt", type=Seconds(), default=DEFAULT_DT, show_default="1/60",
              help="Time step in seconds of the simulation that will use the values.")
@click.option("--unknowns", multiple=True, default=("joints", "delay"), show_default=True, metavar="NAME",
              help="Identify joints, delay, a joint parameter, or PATTERN:PARAMETER; may be repeated.")
@click.option("--until", type=Seconds(), help="Fit this many seconds of the log and predict the rest.  "
                                              "[default: five sixths]")
@click.option("--degrees", is_flag=True, help="Read the angles of the log in degrees.")
@click.option("--format", "style", type=click.Choice(("text", "json")), default="text", show_default=True,
              help="Output format.")
@click.option("-o", "--out", type=click.Path(path_type=Path),
              help="Write the determined values to a layer over the stage in this .usda, .usdc or .usd file.")
@force_option
@quiet_option
def identify_command(stage: str, log: Path, dt: float, unknowns: tuple[str, ...], until: float | None, degrees: bool,
                     style: str, out: Path | None, force: bool) -> None:
    """Identify a robot's parameters from a log of its motion.

    Each parameter has a 95 % interval. LOG is a .csv file with columns time, JOINT.position, JOINT.target, and maybe
    JOINT.velocity and JOINT.target_velocity; or an .npz file with the same arrays. The robot has a fixed base.

    If the model does not explain the log, nothing is written.

    Exit codes: 0 the model explains the log; 1 it does not; 2 usage error; 3 unreadable file; 4 internal error.
    """
    from physx_runtime.identification.identification import identify
    from physx_runtime.identification.text import identification_json, identification_lines
    from physx_runtime.viewing.stage_over import open_over, require_another_file, write_over
    from physx_schema.description.stages import open_stage
    from physx_schema.outputs import files_of, require_output

    opened = open_stage(stage)
    try:
        if out is not None:
            require_another_file(opened, out)
            require_output(out, files_of(opened), force)
        with progress(f"{stage}: identifying"):
            result = identify(opened, log, unknowns, until, dt=dt, degrees=degrees)
    except ValueError as error:
        raise click.UsageError(printable(str(error))) from None
    if style == "json":
        click.echo(identification_json(result))
    elif not is_quiet() or not result.explained:
        for line in identification_lines(result):
            click.echo(printable(line))
    if not result.explained:
        raise click.exceptions.Exit(_NOT_EXPLAINED)
    if out is not None:
        over = open_over(opened)
        result.author(over)
        write_over(over.GetRootLayer(), out)
        click.echo(printable(f"{stage}: identified values written to {out}"), err=style == "json")
