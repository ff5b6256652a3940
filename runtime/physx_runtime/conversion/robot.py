"""`convert` turns a robot's file into a stage and repairs it; each repair is a line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pxr import Sdf, Usd, UsdPhysics, UsdUtils

from physx_runtime.arrays import DoubleArray
from physx_runtime.conversion.base import BASES, Base, BaseChoice, infer_base, set_base, world_joints
from physx_runtime.conversion.drives import (
    DRIVES,
    Drives,
    Gains,
    author_drives,
    author_servos,
    effective_inertia,
)
from physx_runtime.conversion.ground import add_ground, repair_scene
from physx_runtime.conversion.limbs import Stance, stance_of, upward
from physx_runtime.conversion.self_collision import filter_overlaps
from physx_runtime.conversion.stacked_joints import chain_joints
from physx_runtime.conversion.start import pose_links, set_start
from physx_schema.arguments import display, required_choice
from physx_schema.authoring.prims import is_finite
from physx_schema.description import describe
from physx_schema.description.frames import start_poses_by_body
from physx_schema.description.model import Articulation, Description, FreeBody, MaximalJoint
from physx_schema.description.robot_files import converter_of
from physx_schema.description.robot_sources import Origins, RobotText, read_robot_text
from physx_schema.description.stages import open_stage
from physx_schema.errors import UnreadableError, UnsupportedError
from physx_schema.files import Writer, require_layer_name, write_files
from physx_schema.migration.layer_files import export
from physx_schema.outputs import require_copy

DEFAULT_BANDWIDTH = 5.0     # Hz: an arm follows targets that change within a second


@dataclass(frozen=True, slots=True)
class Conversion:
    """A robot as a stage that PhysX simulates as its author means it."""

    source: Path                    # the robot's file
    stage: Usd.Stage                      # in memory
    repairs: tuple[str, ...]        # what was repaired and added, a line each
    folder: Path                    # where the converter put textures

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the stage to a .usda, .usdc or .usd file, and its textures to a folder next to the file.

        Without `force` no other file is replaced. Raises UnsupportedError for a name or place that cannot be written.
        """
        target = Path(path)
        require_layer_name(target)
        layer, textures = Sdf.Layer.CreateAnonymous(".usda"), dict[Path, Path]()
        layer.TransferContent(self.stage.GetRootLayer())

        def relative(asset: str) -> str:
            if not Path(asset).is_relative_to(self.folder):
                return asset
            name = f"{target.stem}_textures/{Path(asset).name}"
            textures[target.parent / name] = Path(asset)
            return f"./{name}"

        UsdUtils.ModifyAssetPaths(layer, relative)
        writers: dict[Path, Writer] = {place: partial(_copy, asset) for place, asset in textures.items()}
        writers[target] = partial(export, layer, crate=target.suffix == ".usdc")
        for place, write in writers.items():
            require_copy(place, write, [self.source], force)
        write_files(writers)


def convert(robot: str | Path, base: Base = "auto", drives: Drives = "file", bandwidth: float = DEFAULT_BANDWIDTH,
            damping_ratio: float = 1.0, ground: bool = False) -> Conversion:
    """Convert a robot in URDF or MJCF to a stage, and repair what converters leave for PhysX.

    The base becomes fixed or floating, joints start within their limits, and pairs of links that overlap at the start
    no longer collide. Values for Newton and MuJoCo stay as the converter wrote them.

    Args:
        robot: A .urdf file, or an .xml file in MJCF.
        base: "fixed", "floating", or "auto": as the file says, in a URDF by names of links, wheels and legs.
        drives: Servos of the file for "file". A drive on every joint with a motor for "position" and "velocity".
            Each drive has the effort limit of the file.
        bandwidth: Natural frequency of the drives in Hz, for the inertia that each joint moves at the start.
        damping_ratio: Of position drives, 1 without overshoot.
        ground: Add a plane below the lowest collider.

    Raises:
        UnreadableError: The file is missing, or the converter refuses it or is not installed.
        UnsupportedError: The file is not a robot in URDF or MJCF.
        TypeError: `robot` is not a path.
        ValueError: Another argument has a value that is not allowed.
    """
    if not isinstance(robot, str | Path):
        raise TypeError(f"robot is {display(robot)}; give the path of a .urdf file or of an .xml file in MJCF")
    _require(base, drives, bandwidth, damping_ratio)
    path = Path(robot)
    opened = open_stage(path)
    if converter_of(path) is None:
        raise UnsupportedError(f"{path}: not a robot in URDF or MJCF; convert takes .urdf and MJCF .xml files")
    folder = Path(opened.GetRootLayer().realPath).parent
    stage = Usd.Stage.Open(opened.Flatten())
    if not any(prim.HasAPI(UsdPhysics.RigidBodyAPI) for prim in stage.Traverse()):
        raise UnreadableError(f"{path}: its converter makes no rigid body of it; give the file that has the robot, and "
                              "the meshes that the file names")
    text = read_robot_text(path)
    repairs = repair(stage, text, base, Gains(drives, bandwidth, damping_ratio), ground)
    return Conversion(path, stage, repairs, folder)


def repair(stage: Usd.Stage, text: RobotText, base: Base, gains: Gains, ground: bool) -> tuple[str, ...]:
    """Repair a converted stage in memory, as `convert` says; what was done, a line each."""
    names = Origins(stage, text)
    done = [f"scene: {line}" for line in repair_scene(stage)]
    done += [f"joints: {line}" for line in chain_joints(stage, describe(stage))]
    done += [f"base: {line}" for line in _repair_bases(stage, text, base)]
    description = describe(stage)
    starts = [line for robot in _robots(description) for line in set_start(
        stage, robot, _stance(description, robot), _up(description, robot))]
    if starts:
        description = describe(stage)
        for robot in _robots(description):
            pose_links(stage, robot)
        description = describe(stage)
    done += [f"start: {line}" for line in starts]
    done += [f"self-collision: {line}" for line in filter_overlaps(stage, description)]
    if gains.kind != "none":
        done += [f"drives: {line}" for line in _drives(stage, description, gains)]
    if ground:
        up = upward(description.scene.gravity, description.scene.up_axis)
        done += [f"ground: {line}" for line in add_ground(stage, description, up)]
    return tuple(names.renamed(line) for line in done)


def _repair_bases(stage: Usd.Stage, text: RobotText, base: Base) -> Iterator[str]:
    description = describe(stage)
    robots: list[Articulation | FreeBody] = [*_robots(description)]
    if text.root == "robot":        # of a URDF with one link
        robots += [FreeBody(body, 0, 0) for body in description.bodies]
    for robot in robots:
        joints = world_joints(description, robot)
        choice = _choice(description, robot, joints, text, base)
        kind, other = ("fixed", "floating") if choice.fixed else ("floating", "fixed")
        done = [f"{robot.links[0].path} is {kind}, {choice.reason}", *set_base(stage, robot, joints, choice.fixed)]
        yield "; ".join(done) + (f"; --base {other} changes that" if base == "auto" else "")


def _choice(description: Description, robot: Articulation | FreeBody, joints: list[MaximalJoint], text: RobotText,
            base: Base) -> BaseChoice:
    """Whether the base becomes fixed, and why."""
    if base != "auto":
        return BaseChoice(base == "fixed", "as asked for")
    if isinstance(robot, FreeBody):
        return BaseChoice(False, "because it has no joints")
    choice = infer_base(joints, _stance(description, robot), text)
    return BaseChoice(choice.fixed, f"because {choice.reason}")


def _drives(stage: Usd.Stage, description: Description, gains: Gains) -> Iterator[str]:
    for robot in _robots(description):
        if gains.kind == "file":
            yield from author_servos(stage, description, robot)
            continue
        stance = None if robot.fixed_base else _stance(description, robot)
        inertia = effective_inertia(robot, start_poses_by_body(description), stance)
        yield from author_drives(stage, robot, inertia, gains)


def _robots(description: Description) -> list[Articulation]:
    return [item for item in description.articulations if item.enabled]


def _stance(description: Description, robot: Articulation) -> Stance:
    return stance_of(robot, start_poses_by_body(description), _up(description, robot))


def _up(description: Description, robot: Articulation) -> DoubleArray:
    scene = description.scene_of(robot)
    return upward(scene.gravity, scene.up_axis)


def _copy(source: Path, target: Path) -> None:
    target.write_bytes(source.read_bytes())


def _require(base: object, drives: object, bandwidth: object, damping_ratio: object) -> None:
    """Raise ValueError for an argument that is not allowed."""
    required_choice("base", base, BASES)
    required_choice("drives", drives, DRIVES)
    for name, number in (("bandwidth", bandwidth), ("damping_ratio", damping_ratio)):
        if not is_finite(number) or number <= 0.0:
            raise ValueError(f"{name} is {display(number)}; give a positive, finite number")
