"""The command `convert`: robots to stages, and schema definitions by the command of the generator.

What it needs is imported when it runs.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from physx_schema.command_line.command_files import commands_of
from physx_schema.command_line.options import is_quiet, isolation_option, quiet_option
from physx_schema.command_line.progress import progress
from physx_schema.errors import UnreadableError, printable
from physx_schema.files import STAGE_SUFFIXES, require_layer_name
from physx_schema.terminal import print_line

if TYPE_CHECKING:
    from physx_runtime.conversion.base import Base
    from physx_runtime.conversion.drives import Drives

_GENERATOR = "physx_codegen"
_ROBOT_OPTIONS = ("base", "drives", "bandwidth", "damping_ratio", "ground")


@click.command("convert")
@click.argument("source", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path), required=True,
              help="Write the stage to this .usda, .usdc or .usd file. For definitions: folder of YAML files, or "
                   "schema.usda, to write.")
@click.option("--force", is_flag=True, help="Replace existing files.")
@click.option("--base", type=click.Choice(("auto", "fixed", "floating")), default="auto", show_default=True,
              help="Fix the robot's base to the world, or let it float.")
@click.option("--drives", type=click.Choice(("file", "none", "position", "velocity")), default="file",
              show_default=True, help="Add drives to the joints: the servos of an MJCF, or drives by bandwidth, with "
                                      "the effort limits of the file.")
@click.option("--bandwidth", type=click.FloatRange(0.0, min_open=True), default=5.0, show_default=True,
              help="Natural frequency of the drives in Hz.")
@click.option("--damping-ratio", type=click.FloatRange(0.0, min_open=True), default=1.0, show_default=True,
              help="Damping ratio of position drives; 1 has no overshoot.")
@click.option("--ground", is_flag=True, help="Add a ground plane below the robot.")
@quiet_option
@isolation_option
@click.pass_context
def convert_command(context: click.Context, source: Path, out: Path, force: bool, base: Base, drives: Drives,
                    bandwidth: float, damping_ratio: float, ground: bool) -> None:
    """Convert a URDF or MJCF robot to a stage, or schema definitions.

    SOURCE is a .urdf file or an .xml file in MJCF. The stage is repaired: the base is fixed or floats, joints start
    within their limits, and links that overlap at the start no longer collide. Each repair is printed.

    Schema definitions get their other form, schema.usda or YAML. SOURCE is then a schema.usda, a folder with the YAML
    files of one library, or a plugin's folder. Both directions keep all content. The result is read and compared before
    it is written.

    Exit codes: 0 converted, 1 errors in the definitions, 2 usage or a place that cannot be written, 3 unreadable file.
    """
    from physx_schema.description.robot_files import converter_of, require_known_format

    if not source.exists():
        raise UnreadableError(f"{source}: no such file; use a robot as .urdf or MJCF .xml, or schema definitions")
    require_known_format(source)
    if source.is_dir() or converter_of(source) is None:
        _convert_definitions(context, source, out, force)
        return
    require_layer_name(out)         # before the conversion, which takes time
    from physx_runtime.conversion.robot import convert
    from physx_schema.checking import check
    from physx_schema.reports.findings import summary

    with progress(f"{source}: converting"):
        conversion = convert(source, base, drives, bandwidth, damping_ratio, ground)
        conversion.save(out, force)
        report = check(out)
    if not is_quiet():
        for line in (*conversion.repairs, f"{out}: {summary(report)}"):
            print_line(line)


def _is_scene(path: Path) -> bool:
    """Whether a layer defines prims, which definitions of schemas do not: theirs are classes."""
    from pxr import Sdf

    from physx_schema.description.trial import require_openable

    require_openable(path)
    layer = Sdf.Layer.OpenAsAnonymous(str(path))
    return layer is not None and any(prim.specifier == Sdf.SpecifierDef for prim in layer.rootPrims)


def _convert_definitions(context: click.Context, source: Path, out: Path, force: bool) -> None:
    """Run the generator's command of the same name. Raises UsageError for a stage, and for options of robots."""
    if source.suffix.lower() in STAGE_SUFFIXES and source.is_file() and _is_scene(source):
        raise click.UsageError(f"{printable(str(source))} is a stage already; repair it with: physx-schema check --fix "
                               f"{printable(str(source))}")
    robot_options = [name for name in _ROBOT_OPTIONS
             if context.get_parameter_source(name) is not click.core.ParameterSource.DEFAULT]
    if robot_options:
        option = robot_options[0].replace("_", "-")
        raise click.UsageError(f"--{option} is for robots, and {printable(str(source))} is not a .urdf file or MJCF")
    command = next(entry.load() for entry in commands_of(_GENERATOR) if entry.name == "convert")
    context.invoke(command, source=source, out=out, force=force)
