"""The commands `simulate`, `verify` and `report`; what they need is imported when they run."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from physx_schema.cli.check_command import RepairOptions, fix_stages
from physx_schema.cli.force import force_option
from physx_schema.cli.isolation import isolation_option
from physx_schema.cli.progress import is_quiet, progress, quiet_option
from physx_schema.errors import printable
from physx_schema.files import unwritable
from physx_schema.text import plural

if TYPE_CHECKING:
    from physx_runtime.packing.model import NotSimulated
    from physx_runtime.simulation.recording import Recording
    from physx_schema.checking import Report
    from physx_schema.description import Description

_DT = 1 / 60
_ALTERED, _NOT_EVALUATED, _DIVERGED = 1, 5, 6
FILMS = (".gif", ".mp4")
OUTPUTS = (".npz", ".csv", ".html", ".usda", ".usdc", ".usd", *FILMS)
_MAX_PAIRS = 5     # lines of bodies that touch; the recording has all


class _Seconds(click.ParamType[float]):
    """A positive, finite time, also as a fraction such as 1/60."""

    name = "seconds"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """The time in seconds."""
        try:
            over, _, under = str(value).partition("/")
            seconds = float(over) / float(under or 1.0)
        except (ValueError, ZeroDivisionError):
            seconds = math.nan
        if not (math.isfinite(seconds) and seconds > 0.0):
            self.fail(f"{value!r} is not a positive time; write seconds such as 0.01 or 1/60", param, ctx)
        return seconds


@click.command("simulate")
@click.argument("stage")
@isolation_option
@click.option("--steps", type=click.IntRange(0), default=600, show_default=True)
@click.option("--dt", type=_Seconds(), default=_DT, show_default="1/60", help="Time step in seconds.")
@click.option("--every", type=click.IntRange(1), default=1, show_default=True, help="Record every so many steps.")
@click.option("--articulation", help="Step this articulation or free body by itself: a prim path.")
@click.option("--joint-position", "positions", metavar="JOINT=VALUE", multiple=True,
              help="Where a joint starts: rad or length units, or degrees as in knuckle=30deg. May be repeated.")
@click.option("--joint-velocity", "velocities", metavar="JOINT=VALUE", multiple=True, help="How fast it starts.")
@click.option("--joint-target", "targets", metavar="JOINT=VALUE", multiple=True, help="What its drive holds.")
@click.option("--joint-effort", "efforts", metavar="JOINT=VALUE", multiple=True, help="A force or torque throughout.")
@click.option("--start", type=click.Path(dir_okay=False, exists=True, path_type=Path),
              help="A JSON file of these: {\"joint_position\": {JOINT: VALUE}, ...}; options come before it.")
@click.option("--worlds", type=click.Path(dir_okay=False, exists=True, path_type=Path),
              help="A YAML file: how many worlds, and which parameters are drawn for all but the first.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path),
              help="Write the motion: .npz (all of it), .csv (joints), .html (a page), .usda, .usdc, .usd (a layer "
                   "over the stage that plays it), or .gif, .mp4 (a film).")
@force_option
@click.option("--joint-forces", is_flag=True, help="Write the forces of joints outside articulations too.")
@quiet_option
@click.option("--strict", is_flag=True, help="Exit with 5 where something that moves them in PhysX is not simulated.")
def simulate_command(stage: str, steps: int, dt: float, every: int, articulation: str | None,
                     positions: tuple[str, ...], velocities: tuple[str, ...], targets: tuple[str, ...],
                     efforts: tuple[str, ...], start: Path | None, worlds: Path | None, out: Path | None,
                     force: bool, joint_forces: bool, strict: bool) -> None:
    """Step a stage as PhysX steps it: all its articulations and free bodies together, or one of them.

    Ends with where the joints came to, the limits they were at, and the energy. What moves them in PhysX and is not
    simulated is named on stderr; with --strict the exit code is then 5. Where the motion does not stay finite the
    exit code is 6, and a line on stderr says by which step and at which joint.
    """
    if out is not None and out.suffix not in OUTPUTS:
        raise click.BadParameter(f"{out} does not end in {', '.join(OUTPUTS)}", param_hint="--out")
    from physx_runtime.packing.not_simulated import NotSimulatedWarning
    from physx_runtime.simulation.divergence import DivergenceWarning
    from physx_runtime.simulation.simulate import simulate, start_values
    from physx_runtime.simulation.variation import read_variation
    from physx_runtime.viewing.film.writing import require_film
    from physx_runtime.viewing.summary import summary_lines, worlds_lines
    from physx_schema.description import describe
    from physx_schema.description.stages import open_stage
    from physx_schema.outputs import files_of, require_output

    if out is not None and out.suffix in FILMS:
        require_film(out)
    usd_stage = open_stage(stage)
    if out is not None:
        require_output(out, files_of(usd_stage), force)
    description = describe(usd_stage)
    joints = [dof.name for item in description.articulations for dof in item.dofs]
    options = dict(zip(("joint_position", "joint_velocity", "joint_target", "joint_effort"),
                       (positions, velocities, targets, efforts), strict=True))
    try:
        initial_values: dict[str, Any] = start_values(start, options, joints)
        variation = read_variation(worlds) if worlds else None
        with warnings.catch_warnings(), progress(f"{stage}: {steps} steps"):
            for reported_warning in (NotSimulatedWarning, DivergenceWarning):
                warnings.simplefilter("ignore", reported_warning)
            recording = simulate(description, dt=dt, steps=steps, every=every, articulation=articulation,
                                 joint_forces=joint_forces, variation=variation, **initial_values)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    _print_messages(stage, (*recording.not_simulated, *recording.diverged))
    if out is not None:
        try:
            _write(out, stage, description, recording)
        except OSError as error:
            raise unwritable(out, error) from None
    destination = f", written to {out}" if out else "; give --out to keep the motion"
    if recording.raised:
        click.echo(f"{stage}: {recording.raised}", err=True)
    lines = (f"{stage}: {_step_summary(recording)}, {steps - steps % every} steps of {dt:.6g} s, "
             f"{len(recording.time)} states{destination}",
             *summary_lines(description, recording), *_contact_lines(recording),
             *(worlds_lines(description, recording) if variation else ()))
    for line in () if is_quiet() else lines:
        click.echo(printable(line))
    if recording.diverged:
        raise click.exceptions.Exit(_DIVERGED)
    if strict and recording.not_simulated:
        raise click.exceptions.Exit(_NOT_EVALUATED)


def _write(out: Path, stage: str, description: Description, recording: Recording) -> None:
    """Write a motion in the format that the file's name ends in."""
    from physx_runtime.simulation.recorder import write_recording
    from physx_runtime.viewing.motion import write_motion
    from physx_runtime.viewing.text import write_table

    if out.suffix == ".npz":
        write_recording(out, recording)
    elif out.suffix == ".csv":
        write_table(out, recording)
    elif out.suffix == ".html":
        from physx_runtime.viewing.report import write_report
        from physx_schema.checking import check

        messages = [f"{item}." for item in (*recording.not_simulated, *recording.diverged)]
        write_report(out, stage, check(stage), None, recording, missing=messages)
    elif out.suffix in FILMS:
        from physx_runtime.viewing.film.writing import write_film

        write_film(stage, description, recording, out)
    else:
        write_motion(stage, recording, out)


def _step_summary(recording: Recording) -> str:
    """How much of a stage was stepped."""
    text = f"{len(recording.joint_names)} joint axes and {len(recording.link_names)} links"
    joint_count = len(recording.maximal_joint_names)
    if not joint_count:
        return text
    broken = int(recording.broken[-1].any(axis=0).sum())
    joint_text = plural(joint_count, "joint outside articulations", "joints outside articulations")
    return f"{text}, held by {joint_text}" + (f" ({broken} broken)" if broken else "")


def _contact_lines(recording: Recording) -> Iterator[str]:
    """A line for each of the bodies that press hardest on each other in the last recorded step."""
    from physx_runtime.simulation.events import touching_pairs

    pairs = touching_pairs(recording.contacts[-1]) if recording.contacts else []
    yield from (f"at the end {pair}" for pair in pairs[:_MAX_PAIRS])
    if len(pairs) > _MAX_PAIRS:
        yield f"and {len(pairs) - _MAX_PAIRS} more pairs that touch"


def _print_messages(stage: str, messages: Sequence[NotSimulated | str]) -> None:
    """One line on stderr for everything that is left out or went wrong."""
    for item in messages:
        click.echo(printable(f"{stage}: {item}"), err=True)


_engine_option = click.option(
    "--engine", type=click.Choice(("builtin", "physx")), default="builtin", show_default=True,
    help="physx: repeat the experiments on articulations in real PhysX too; wants ovphysx, here or in the Python that "
         "OVPHYSX_PYTHON names.")


def _engines(engine: str) -> tuple[str, ...]:
    return ("builtin",) if engine == "builtin" else ("builtin", engine)


@click.command("verify")
@click.argument("stage")
@isolation_option
@click.option("--format", "style", type=click.Choice(("text", "json")), default="text", show_default=True)
@click.option("--dt", type=_Seconds(), default=_DT, show_default="1/60", help="Time step in seconds.")
@_engine_option
@quiet_option
@click.option("--strict", is_flag=True, help="Exit with 5 where something was not evaluated or not simulated.")
@click.option("--all", "whole", is_flag=True, help="Put what is as authored into the table too.")
@click.option("--fix", "fixing", is_flag=True, help="Author what has the intended effects; shows a diff.")
@click.option("--unsafe-fixes", is_flag=True, help="With --fix: change iteration counts too where no value does.")
@click.option("-o", "--output", type=click.Path(path_type=Path),
              help="With --fix: write a changed copy of the stage's own layer.")
@click.option("--in-place", is_flag=True, help="With --fix: change the file itself.")
@click.option("--override", type=click.Path(path_type=Path),
              help="With --fix: write the values as a layer over the stage, which stays as it is.")
@force_option
def verify_command(stage: str, style: str, dt: float, engine: str, strict: bool, whole: bool, fixing: bool,
                   unsafe_fixes: bool, output: Path | None, in_place: bool, override: Path | None,
                   force: bool) -> None:
    """Measure what the numbers on a stage come to, and name those that are not measured.

    Exit codes: 0 everything as authored, 1 something altered or ignored, 2 usage, 3 unreadable file, 4 internal error,
    5 something not evaluated or not simulated (with --strict).
    """
    fix_options = RepairOptions(unsafe_fixes, in_place, output, override, force)
    if fixing:
        if style != "text":
            raise click.UsageError("--fix goes with --format text")
        if engine != "builtin":
            raise click.UsageError("--fix goes with --engine builtin")
        raise click.exceptions.Exit(_fix(stage, dt, strict, fix_options))
    if unsafe_fixes or not fix_options.dry:
        raise click.UsageError("--unsafe-fixes, -o, --in-place and --override go with --fix")
    from physx_runtime.verification import verify
    from physx_runtime.verification.report import NOT_EVALUATED
    from physx_runtime.verification.text import verification_json, verification_lines

    with progress(f"{stage}: verifying"):
        verification = verify(stage, engines=_engines(engine), dt=dt)
    if style == "json":
        click.echo(verification_json(verification))
    elif verification.failed or not is_quiet():
        click.echo("\n".join(verification_lines(verification, show_all=whole)))
    unknown = verification.not_simulated or any(row.verdict == NOT_EVALUATED for row in verification.rows)
    raise click.exceptions.Exit(_ALTERED if verification.failed else _NOT_EVALUATED if strict and unknown else 0)


def _fix(stage: str, dt: float, strict: bool, fix_options: RepairOptions) -> int:
    """Make the remedies of a stage as repairs of a check are made; the exit code."""
    from physx_runtime.verification import verify
    from physx_runtime.verification.remedies.findings import findings_of

    def find_remedies(item: Any) -> Report:
        return findings_of(item, verify(item, dt=dt))

    return fix_stages([stage], lambda path: find_remedies, fix_options, strict, "warning")


@click.command("report")
@click.argument("stage")
@isolation_option
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path), default=Path("report.html"),
              show_default=True, help="The HTML file to write.")
@quiet_option
@force_option
@click.option("--open", "shown", is_flag=True, help="Open it in a browser.")
@click.option("--dt", type=_Seconds(), default=_DT, show_default="1/60", help="Time step in seconds.")
@click.option("--steps", type=click.IntRange(1), default=240, show_default=True, help="Steps of the motion.")
@_engine_option
def report_command(stage: str, out: Path, force: bool, shown: bool, dt: float, steps: int, engine: str) -> None:
    """Write one self-contained page about a robot: what its values do, findings, and the robot moving in 3D.

    What cannot be verified, simulated or stepped in the page is said in it, with the reason.
    """
    from physx_runtime.viewing.report import report_robot
    from physx_schema.description.stages import open_stage
    from physx_schema.outputs import files_of, require_output

    usd_stage = open_stage(stage)
    require_output(out, files_of(usd_stage), force)
    try:
        with progress(stage) as line:
            report_robot(usd_stage, out, dt, steps, lambda what: setattr(line, "what", f"{stage}: being {what}"),
                         _engines(engine))
    except OSError as error:
        raise unwritable(out, error) from None
    if not is_quiet():
        click.echo(printable(f"{stage}: report written to {out}"))
    if shown:
        import webbrowser

        webbrowser.open(out.resolve().as_uri())
