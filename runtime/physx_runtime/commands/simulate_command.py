"""The command `simulate`; what it needs is imported when it runs."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from physx_runtime.commands.options import DEFAULT_DT, Seconds
from physx_runtime.progress import followed
from physx_runtime.viewing.formats.recording_format import Motion, find_formats, help_text
from physx_schema.command_line.options import force_option, is_quiet, isolation_option, quiet_option
from physx_schema.command_line.progress import progress
from physx_schema.errors import UnsupportedError, printable
from physx_schema.files import unwritable
from physx_schema.terminal import print_line
from physx_schema.text import plural

if TYPE_CHECKING:
    from physx_runtime.packing.model import NotSimulated
    from physx_runtime.simulation.recording import Recording

_NOT_EVALUATED, _DIVERGED = 5, 6
_MAX_PAIRS = 5     # lines of bodies that touch; the recording has all
_FORMATS = find_formats()


@click.command("simulate")
@click.argument("stage")
@isolation_option
@click.option("--steps", type=click.IntRange(0), default=600, show_default=True, help="Number of steps.")
@click.option("--dt", type=Seconds(), default=DEFAULT_DT, show_default="1/60", help="Time step in seconds.")
@click.option("--every", type=click.IntRange(1), default=1, show_default=True, help="Record every Nth step.")
@click.option("--articulation", help="Step only the articulation or free body at this prim path.")
@click.option("--joint-position", "positions", metavar="JOINT=VALUE", multiple=True,
              help="Initial joint position: rad, length units, or degrees as in knuckle=30deg. May be repeated.")
@click.option("--joint-velocity", "velocities", metavar="JOINT=VALUE", multiple=True, help="Initial joint velocity.")
@click.option("--joint-target", "targets", metavar="JOINT=VALUE", multiple=True, help="Target position of a drive.")
@click.option("--joint-effort", "efforts", metavar="JOINT=VALUE", multiple=True, help="Constant force or torque.")
@click.option("--start", type=click.Path(dir_okay=False, exists=True, path_type=Path),
              help="JSON file with values for joints: {\"joint_position\": {JOINT: VALUE}, ...}. "
                   "Options override the file.")
@click.option("--worlds", type=click.Path(dir_okay=False, exists=True, path_type=Path),
              help="YAML file with the number of worlds, and the parameters to randomise in all worlds except the "
                   "first.")
@click.option("-o", "--out", type=click.Path(dir_okay=False, path_type=Path),
              help=f"Write the motion to a file: {help_text(_FORMATS.values())}.")
@force_option
@click.option("--joint-forces", is_flag=True, help="Also record the forces of joints outside articulations.")
@quiet_option
@click.option("--strict", is_flag=True,
              help="Exit with code 5 if physics is left out, or if a part of the stage is missing.")
def simulate_command(stage: str, steps: int, dt: float, every: int, articulation: str | None,
                     positions: tuple[str, ...], velocities: tuple[str, ...], targets: tuple[str, ...],
                     efforts: tuple[str, ...], start: Path | None, worlds: Path | None, out: Path | None,
                     force: bool, joint_forces: bool, strict: bool) -> None:
    """Step a stage as PhysX does.

    All articulations and free bodies are stepped together, or only the one that --articulation names.

    Prints the final joint positions, the limits that joints reached, and the energy. Physics that this command leaves
    out is listed on stderr; with --strict the exit code is then 5. If the motion diverges, the exit code is 6, and a
    line on stderr names the step and the joint.
    """
    if out is not None and out.suffix not in _FORMATS:
        raise click.BadParameter(f"{out} has no known suffix; use one of {', '.join(_FORMATS)}", param_hint="--out")
    from physx_runtime.packing.not_simulated import NotSimulatedWarning
    from physx_runtime.simulation.divergence import DivergenceWarning
    from physx_runtime.simulation.simulate import simulate, start_values
    from physx_runtime.simulation.variation import read_variation
    from physx_runtime.viewing.summary import summary_lines, worlds_lines
    from physx_schema.description import describe
    from physx_schema.description.stages import open_stage
    from physx_schema.outputs import files_of, require_output

    if out is not None:
        _FORMATS[out.suffix].require(out)
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
        with warnings.catch_warnings(), followed() as tasks, progress(f"{stage}: simulating", tasks):
            for reported_warning in (NotSimulatedWarning, DivergenceWarning):
                warnings.simplefilter("ignore", reported_warning)
            recording = simulate(description, dt=dt, steps=steps, every=every, articulation=articulation,
                                 joint_forces=joint_forces, variation=variation, **initial_values)
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    except UnsupportedError as error:
        if not (strict and description.incomplete):
            raise
        click.echo(printable(str(error)), err=True)
        raise click.exceptions.Exit(_NOT_EVALUATED) from None
    _print_messages(stage, (*recording.not_simulated, *recording.diverged))
    if out is not None:
        try:
            _FORMATS[out.suffix].write(out, Motion(stage, description, recording))
        except OSError as error:
            raise unwritable(out, error) from None
    destination = f", written to {out}" if out else "; use --out to save the motion"
    if recording.raised:
        click.echo(f"{stage}: {recording.raised}", err=True)
    lines = (f"{stage}: {_step_summary(recording)}, {steps - steps % every} steps of {dt:.6g} s, "
             f"{len(recording.time)} states{destination}",
             *summary_lines(description, recording), *_contact_lines(recording),
             *(worlds_lines(description, recording) if variation else ()))
    for line in () if is_quiet() else lines:
        print_line(line)
    if recording.diverged:
        raise click.exceptions.Exit(_DIVERGED)
    if strict and (recording.not_simulated or description.incomplete):
        raise click.exceptions.Exit(_NOT_EVALUATED)


def _step_summary(recording: Recording) -> str:
    """How much of a stage was stepped."""
    text = (f"{plural(len(recording.joint_names), 'joint axis', 'joint axes')} and "
            f"{plural(len(recording.link_names), 'link')}")
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
    yield from (f"at the end, {pair}" for pair in pairs[:_MAX_PAIRS])
    if len(pairs) > _MAX_PAIRS:
        yield f"and {len(pairs) - _MAX_PAIRS} more touching pairs"


def _print_messages(stage: str, messages: Sequence[NotSimulated | str]) -> None:
    """One line on stderr for everything that is left out or went wrong."""
    for item in messages:
        click.echo(printable(f"{stage}: {item}"), err=True)
