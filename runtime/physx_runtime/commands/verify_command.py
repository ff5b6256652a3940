"""The command `verify`; what it needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from physx_runtime.commands.options import DEFAULT_DT, Seconds, engine_option, engines_of
from physx_schema.command_line.each_asset import each_asset, record
from physx_schema.command_line.options import (
    engine_release_option,
    force_option,
    is_quiet,
    isolation_option,
    progress,
    quiet_option,
)
from physx_schema.command_line.repairs import RepairOptions, fix_stages
from physx_schema.engine_releases import LATEST
from physx_schema.errors import printable

if TYPE_CHECKING:
    from physx_schema.checking import Report


_ALTERED, _NOT_EVALUATED = 1, 5


@click.command("verify")
@isolation_option
@click.option("--format", "style", type=click.Choice(("text", "json")), default="text", show_default=True,
              help="Output format.")
@click.option("--dt", type=Seconds(), default=DEFAULT_DT, show_default="1/60", help="Time step in seconds.")
@engine_option
@engine_release_option
@quiet_option
@click.option("--strict", is_flag=True, help="Exit with code 5 if anything was not evaluated or not simulated.")
@click.option("--all", "whole", is_flag=True, help="In the table, also list values that act as authored.")
@click.option("--fix", "fixing", is_flag=True, help="Author values that have the intended effects; show a diff.")
@click.option("--unsafe-fixes", is_flag=True,
              help="With --fix: also change iteration counts if no value alone has the intended effect.")
@click.option("-o", "--output", type=click.Path(path_type=Path),
              help="With --fix: write a changed copy of the root layer to this file.")
@click.option("--in-place", is_flag=True, help="With --fix: change the file in place.")
@click.option("--override", type=click.Path(path_type=Path),
              help="With --fix: write the values to a new layer with the stage as sublayer; the stage itself stays "
                   "unchanged.")
@force_option
@each_asset("dt", "engine", "engine_release", "strict", single=("fixing", "output", "in_place", "override"))
def verify_command(stage: str, style: str, dt: float, engine: str, engine_release: str | None, strict: bool,
                   whole: bool, fixing: bool, unsafe_fixes: bool, output: Path | None, in_place: bool,
                   override: Path | None, force: bool) -> None:
    """Measure the effective values of the numbers on stages, and list the numbers that are not measured.

    PATH is a file, a folder with stages, a pattern such as 'assets/**/*.usda', or - for a list on stdin.

    The text ends with findings of the family `behaviour` from a short simulation; these findings do not change the exit
    code.

    Exit codes: 0 all values as authored; 1 values altered or ignored; 2 usage error; 3 unreadable file; 4 internal
    error; 5 values not evaluated or not simulated (with --strict).
    """
    fix_options = RepairOptions(unsafe_fixes, in_place, output, override, force)
    if fixing:
        if style != "text":
            raise click.UsageError("--fix requires --format text")
        if engine != "builtin":
            raise click.UsageError("--fix requires --engine builtin")
        raise click.exceptions.Exit(_fix(stage, dt, strict, fix_options))
    if unsafe_fixes or not fix_options.dry:
        raise click.UsageError("--unsafe-fixes, -o, --in-place and --override require --fix")
    from physx_runtime.behaviour.summary import behaviour_lines
    from physx_runtime.verification import verify
    from physx_runtime.verification.records import rows_of
    from physx_runtime.verification.report import NOT_EVALUATED
    from physx_runtime.verification.text import verification_json, verification_lines

    with progress(f"{stage}: verifying"):
        release = engine_release or LATEST
        verification = verify(stage, engines=engines_of(engine), dt=dt, engine_release=release)
    record(lambda: rows_of(verification))
    if release != LATEST:
        click.echo(f"values are measured with the step of PhysX {LATEST}; the step of {release} may differ", err=True)
    if style == "json":
        click.echo(verification_json(verification))
    elif verification.failed or not is_quiet():
        *lines, counts = verification_lines(verification, show_all=whole)
        with progress(f"{stage}: simulating until the robot settles"):
            behaviour = [printable(line) for line in behaviour_lines(stage)]
        click.echo("\n".join((*lines, *behaviour, counts)))
    unknown = verification.not_simulated or any(row.verdict == NOT_EVALUATED for row in verification.rows)
    raise click.exceptions.Exit(_ALTERED if verification.failed else _NOT_EVALUATED if strict and unknown else 0)


def _fix(stage: str, dt: float, strict: bool, fix_options: RepairOptions) -> int:
    """Make the remedies of a stage as repairs of a check are made; the exit code."""
    from physx_runtime.verification import verify
    from physx_runtime.verification.remedies.findings import findings_of

    def find_remedies(item: Any) -> Report:
        return findings_of(item, verify(item, dt=dt))

    return fix_stages([stage], lambda path: find_remedies, fix_options, strict, "warning")
