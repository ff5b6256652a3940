"""Isaac Lab configurations for tests, and the folder with Isaac Lab's own source where it was fetched."""

from __future__ import annotations

import ast
import importlib.util
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from physx_runtime.isaac_lab import IsaacLabReport, Note, Setting, configured_stage

from support.places import ROOT
from support.stages.named_robots import star

# What `make isaac-lab` fetches: the wheels of two releases, unpacked.
SOURCES = Path(os.environ.get("ISAAC_LAB_SOURCES", ROOT / ".isaac-lab"))
RELEASES = {"2.3.2": "isaaclab/source/{package}/{package}", "3.0.0": "{package}"}
HEADER = """
import math
import isaaclab.sim as sim_utils
from isaaclab.actuators import DCMotorCfg, IdealPDActuatorCfg, ImplicitActuatorCfg
from isaaclab.assets import ArticulationCfg
from isaaclab.sim import PhysxCfg, SimulationCfg
from isaaclab.utils import configclass
from isaaclab_newton.physics import MJWarpSolverCfg, NewtonCfg, Presets
from isaaclab_newton.sim.schemas import NewtonArticulationCfg
from isaaclab_physx.sim.schemas import PhysxArticulationCfg
"""
FIRST_LINE = HEADER.count("\n") + 1
JOINTS = ("hip", "knee", "ankle")


def package(release: str, name: str = "isaaclab") -> Path:
    """The folder of a package of Isaac Lab; skips where it was not fetched."""
    folder = SOURCES / release / RELEASES[release].format(package=name)
    if not folder.is_dir():
        pytest.skip(f"no source of Isaac Lab {release} at {folder}; run make isaac-lab")
    return folder


def module(path: Path) -> ModuleType:
    """A file of Isaac Lab that needs nothing but Python."""
    spec = importlib.util.spec_from_file_location(path.stem + "_of_isaac_lab", path)
    assert spec is not None and spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def class_fields(path: Path, name: str) -> dict[str, ast.expr | None]:
    """The fields of a class with their defaults."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    [found] = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name]
    return {node.target.id: node.value for node in found.body
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)}


def robot(actuators: str = "", spawn: str = "", rest: str = "") -> str:
    """The text of a configuration of one robot."""
    return (f"ROBOT_CFG = ArticulationCfg(\n    spawn=sim_utils.UsdFileCfg(usd_path='robot.usd', {spawn}),\n"
            f"    actuators={{{actuators}}},\n    {rest}\n)\n")


def implicit(fields: str, joints: str = "'.*'") -> str:
    """The text of an implicit actuator."""
    return f"'all': ImplicitActuatorCfg(joint_names_expr=[{joints}], {fields})"


def configured(folder: Path, text: str, stage: Any = None, name: str = "") -> tuple[Any, IsaacLabReport]:
    """A stage with what a configuration writes, and the report."""
    path = folder / "robot_cfg.py"
    path.write_text(HEADER + text, encoding="utf-8")
    return configured_stage(star(JOINTS) if stage is None else stage, f"{path}:{name}" if name else path)


def setting(report: IsaacLabReport, path: str, prop: str) -> Setting:
    """The setting of one property."""
    found = [item for item in report.settings if (item.path, item.property) == (path, prop)]
    assert len(found) == 1, found
    return found[0]


def notes(report: IsaacLabReport, outcome: str) -> list[Note]:
    """The notes with an outcome."""
    return list(report.notes_of(outcome))


def files(folder: Path, text: str, **options: Any) -> tuple[str, str]:
    """A stage and a configuration on disk."""
    star(JOINTS, **options).Export(str(folder / "robot.usda"))
    (folder / "robot_cfg.py").write_text(HEADER + text, encoding="utf-8")
    return str(folder / "robot.usda"), str(folder / "robot_cfg.py")
