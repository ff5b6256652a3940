"""Robots of tests/data/conversion: files in URDF and MJCF, and the stages that the converters make of them.

The stages are of urdf-usd-converter 0.3.4 and mujoco-usd-converter 0.8.0, flattened.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from physx_runtime.conversion.drives import Gains
from physx_runtime.conversion.robot import repair
from pxr import Sdf, Usd

from physx_schema.description import describe
from physx_schema.description.model import Articulation, Description
from physx_schema.description.robot_sources import RobotText, read_robot_text
from support.places import ROOT

FOLDER = ROOT / "tests" / "data" / "conversion"
FILES = {"quadruped": "quadruped.urdf", "cart": "cart.xml", "hopper": "hopper.xml", "stacked": "stacked.xml",
         "cup": "cup.urdf", "servos": "servos.xml"}
NO_DRIVES = Gains("none", 5.0)


def robot_file(name: str) -> Path:
    return FOLDER / FILES[name]


def robot_text(name: str) -> RobotText:
    return read_robot_text(robot_file(name))


def converted(name: str) -> Any:
    """A copy of a converted stage, in memory."""
    layer, kept = Sdf.Layer.CreateAnonymous(".usda"), Sdf.Layer.FindOrOpen(str(FOLDER / f"{name}.usda"))
    layer.TransferContent(kept)
    return Usd.Stage.Open(layer)


def repaired(name: str, base: Any = "auto", gains: Gains = NO_DRIVES, ground: bool = False) -> tuple[Any, str]:
    """A repaired stage, and the lines that say so."""
    stage = converted(name)
    return stage, "\n".join(repair(stage, robot_text(name), base, gains, ground))


def only_robot(stage: Any) -> tuple[Description, Articulation]:
    description = describe(stage)
    (robot,) = description.articulations
    return description, robot
