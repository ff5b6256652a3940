"""The command `verify`; what it needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from physx_runtime.commands.options import DEFAULT_DT, Seconds, engine_option, engines_of
from physx_runtime.progress import followed
from physx_schema.command_line.each_asset import each_asset, record
from physx_schema.command_line.options import (
    engine_release_option,
    force_option,
    is_quiet,
    isolation_option,
    quiet_option,
)
from physx_schema.command_line.progress import progress
from physx_schema.command_line.repairs import RepairOptions, fix_stages
from physx_schema.engine_releases import LATEST
from physx_schema.errors import printable
from physx_schema.terminal import wrapped
from physx_schema.text import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from physx_runtime.verification import Verification
    from physx_schema.checking import Report


_ALTERED, _NOT_EVALUATED = 1, 5


@click.command("verify")
@isolation_option
@click.option("--format", "style", type=click.Choice(("text", "json")), default="text", show_default=True,
              help="Output format.")
@click.option("--dt", type=Seconds(), show_default="1/60",
              help="Time step in seconds. With --isaac-lab, the default is the time step of the configuration.")
@click.option("--isaac-lab", metavar="CONFIG[:NAME]",
              help="Verify the stage with the values that this Isaac Lab configuration writes, and list these values. "
                   "CONFIG is a .py file or params/env.yaml. It is read as data and never runs.")
@engine_option
@engine_release_option
@quiet_option
@click.option("--strict", is_flag=True, help="Exit with code 5 if anything was not evaluated or not simulated.")
@click.option("--all", "whole", is_flag=True, help="In the table, also list values that act as authored.")
@click.option("--fix", "fixing", is_flag=True, help="Author values that have the intended effects; show a diff.")
@click.option("--unsafe-fixes", is_flag=True,
              help="With --fix: also change iteration counts if no value alone has the intended effect.")
@click.option("-o", "--out", type=click.Path(path_type=Path),
              help="With --fix: write a changed copy of the root layer to this file.")
@click.option("--in-place", is_flag=True, help="With --fix: change the file in place.")
@click.option("--override", type=click.Path(path_type=Path),
              help="With --fix: write the values to a new layer with the stage as sublayer; the stage itself stays "
                   "unchanged.")
@force_option
@each_asset("dt", "engine", "engine_release", "strict",
            single=("fixing", "out", "in_place", "override", "isaac_lab"))
def verify_command(stage: str, style: str, dt: float | None, isaac_lab: str | None, engine: str,
                   engine_release: str | None, strict: bool,
                   whole: bool, fixing: bool, unsafe_fixes: bool, out: Path | None, in_place: bool,
                   override: Path | None, force: bool) -> None:
    """Measure the effective values of the numbers on stages.

    PATH is a file, a folder with stages, a pattern such as 'assets/**/*.usda', or - for a list on stdin.

    The numbers that are not measured are listed with the reason. The text ends with findings of the family `behaviour`
    from a short simulation; these findings do not change the exit code.

    Exit codes: 0 all values as authored; 1 values altered or ignored; 2 usage error; 3 unreadable file; 4 internal
    error; 5 values not evaluated or not simulated (with --strict).
    """
    fix_options = RepairOptions(unsafe_fixes, in_place, out, override, force)
    if fixing:
        if style != "text":
            raise click.UsageError("--fix requires --format text")
        if engine != "builtin":
            raise click.UsageError("--fix requires --engine builtin")
        if isaac_lab is not None:
            raise click.UsageError("--fix changes the stage alone; run it without --isaac-lab")
        raise click.exceptions.Exit(_fix(stage, DEFAULT_DT if dt is None else dt, strict, fix_options))
    if unsafe_fixes or not fix_options.dry:
        raise click.UsageError("--unsafe-fixes, -o, --in-place and --override require --fix")
    from physx_runtime.verification import verify
    from physx_runtime.verification.records import rows_of
    from physx_runtime.verification.text import verification_json, verification_lines

    with followed() as tasks, progress(f"{stage}: verifying", tasks):
        release = engine_release or LATEST
        verification = verify(stage, engines=engines_of(engine), dt=dt, engine_release=release, isaac_lab=isaac_lab)
    record(lambda: rows_of(verification))
    if release != LATEST:
        click.echo(f"values are measured with the step of PhysX {LATEST}; the step of {release} may differ", err=True)
    if style == "json":
        click.echo(verification_json(verification))
    elif verification.failed or not is_quiet():
        *lines, counts = verification_lines(verification, show_all=whole)
        with followed() as tasks, progress(stage, tasks):
            behaviour = [printable(line) for line in _behaviour(stage, isaac_lab, verification)]
        for line in (*lines, *behaviour, counts):
            click.echo(wrapped(line))
    raise click.exceptions.Exit(_exit_code(verification, strict))


def _behaviour(stage: str, isaac_lab: str | None, verification: Verification) -> Iterator[str]:
    """Lines on the motion of the stage, with the values that Isaac Lab writes."""
    from physx_runtime.behaviour.summary import behaviour_lines
    from physx_runtime.isaac_lab import configured_stage
    from physx_schema.description.stages import open_stage

    report = verification.isaac_lab
    if isaac_lab is None or report is None:
        yield from behaviour_lines(stage)
    elif report.explicit:
        joints = plural(len(report.explicit), "joint")
        yield f"not simulated: Isaac Lab computes the efforts of {joints} with explicit actuators in each step"
    else:
        yield from behaviour_lines(configured_stage(open_stage(stage), isaac_lab)[0])


def _exit_code(verification: Verification, strict: bool) -> int:
    """The exit code of a verification."""
    from physx_runtime.verification.report import NOT_EVALUATED

    report = verification.isaac_lab
    if verification.failed or (report is not None and report.failed):
        return _ALTERED
    unknown = (verification.not_simulated or any(row.verdict == NOT_EVALUATED for row in verification.rows)
               or (report is not None and report.incomplete))
    return _NOT_EVALUATED if strict and unknown else 0


def _fix(stage: str, dt: float, strict: bool, fix_options: RepairOptions) -> int:
    """Make the remedies of a stage as repairs of a check are made; the exit code."""
    from physx_runtime.verification import verify
    from physx_runtime.verification.remedies.findings import findings_of

    def find_remedies(item: Any) -> Report:
        with followed() as tasks, progress(f"{stage}: verifying", tasks):
            return findings_of(item, verify(item, dt=dt))

    return fix_stages([stage], lambda path: find_remedies, fix_options, strict, "warning")
