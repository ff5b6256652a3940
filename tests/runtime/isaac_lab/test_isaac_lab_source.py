"""Isaac Lab's own files, of the two releases whose rules are known here: `make isaac-lab` fetches them.

Its functions for names and units give the same results as ours, and every robot of isaaclab_assets is read.
"""

from __future__ import annotations

import ast
import importlib.util
import math
import random
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from physx_runtime.isaac_lab import configured_stage
from physx_runtime.isaac_lab.fields import (
    ARTICULATION,
    COLLISION,
    EXTERNAL_FORCES,
    FIXED_TENDON,
    JOINT_DRIVE,
    MASS,
    PHYSX,
    RIGID_BODY,
    SOURCES,
    SPATIAL_TENDON,
    camel_case,
)
from physx_runtime.isaac_lab.matching import MatchError, matched
from physx_runtime.isaac_lab.modules import read_module
from physx_runtime.isaac_lab.report import FAULT, NOT_EVALUATED
from physx_runtime.isaac_lab.selection import ARTICULATION as ROBOT
from physx_runtime.isaac_lab.selection import RELEASES
from physx_runtime.isaac_lab.values import ConfigObject, NotEvaluated
from support.isaac_lab import package
from support.stages.named_robots import names_of, star

pytestmark = pytest.mark.sweep

# The parts of isaaclab_assets's robots that are not evaluated, by the last word of the field and the reason.
KNOWN_GAPS = {
    ("thrusters",
     "ThrusterCfg is not a class of Isaac Lab, and its base class is not in a file beside the configuration"),
    ("allocation_matrix", "the field is not known here"), ("rotor_directions", "the field is not known here"),
    ("thruster_force_direction", "the field is not known here"),
    ("ensure_drives_exist", "its effect on the stage is not applied here"),
    ("mesh_approximation_name", "the field mesh_approximation_name of UsdPhysicsMeshCollisionCfg is not known here"),
}
SLOTS = {"RigidBodyPropertiesCfg": RIGID_BODY, "CollisionPropertiesCfg": COLLISION, "MassPropertiesCfg": MASS,
         "ArticulationRootPropertiesCfg": ARTICULATION, "JointDrivePropertiesCfg": JOINT_DRIVE,
         "FixedTendonPropertiesCfg": FIXED_TENDON, "SpatialTendonPropertiesCfg": SPATIAL_TENDON}
NOT_A_PROPERTY = {"fix_root_link"}


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


@pytest.mark.parametrize("release", RELEASES)
def test_names_are_matched_as_isaac_lab_matches_them(release: str) -> None:
    theirs = module(package(release) / "utils" / "string.py")
    chance = random.Random(7)
    words = ("hip", "knee", "LF", "RF", "_", ".*", "[LR]F", "(hip|knee)", "k", "x?", "\\d")
    agreed = refused = 0
    for _ in range(3000):
        names = [f"{chance.choice(('LF', 'RF', 'LH'))}_{chance.choice(('hip', 'knee', 'foot'))}{i}" for i in range(4)]
        patterns = list(dict.fromkeys("".join(chance.choices(words, k=chance.randint(1, 4)))
                                      for _ in range(chance.randint(1, 2))))
        try:
            expected: list[str] | None = theirs.resolve_matching_names(patterns, names)[1]
        except (ValueError, re.error):
            expected = None
        try:
            found: list[str] | None = list(matched(patterns, names))
        except MatchError:
            found = None
        assert found == expected, (patterns, names)
        agreed, refused = agreed + (expected is not None), refused + (expected is None)
    assert agreed > 50 and refused > 50


@pytest.mark.parametrize("release", RELEASES)
def test_properties_have_isaac_labs_names(release: str) -> None:
    theirs = module(package(release) / "utils" / "string.py")
    for table in (RIGID_BODY, COLLISION, MASS, ARTICULATION, FIXED_TENDON, SPATIAL_TENDON):
        for name, field in table.items():
            assert field.property.rpartition(":")[2] == camel_case(name) == theirs.to_camel_case(name, "cC")


@pytest.mark.parametrize("kind", SLOTS)
def test_the_tables_have_every_field_of_the_classes_of_spawn(kind: str) -> None:
    fields = class_fields(package("2.3.2") / "sim" / "schemas" / "schemas_cfg.py", kind)
    assert fields.keys() - NOT_A_PROPERTY <= SLOTS[kind].keys()


def test_angular_drives_are_written_with_isaac_labs_factors() -> None:
    path = package("3.0.0") / "sim" / "schemas" / "schemas.py"
    [node] = [item for item in ast.parse(path.read_text(encoding="utf-8")).body
              if isinstance(item, ast.FunctionDef) and item.name == "_write_drive_attributes"]
    for item in (*node.args.args, node):
        item.__setattr__("annotation" if isinstance(item, ast.arg) else "returns", None)
    written: dict[str, Any] = {}
    names: dict[str, Any] = {"math": math, "safe_set_attribute_on_usd_schema":
                             lambda api, name, value, camel_case: written.update({name: value})}
    exec(compile(ast.Module([node], []), str(path), "exec"), names)
    for axis in ("angular", "linear"):
        names["_write_drive_attributes"](None, axis, "force", 3.0, 40.0, 5.0)
        for name, value, ours in (("stiffness", 40.0, "stiffness"), ("damping", 5.0, "damping"),
                                  ("max_force", 3.0, "max_force")):
            factor = JOINT_DRIVE[ours].factor(axis == "angular")
            assert written[name] == pytest.approx(value * factor, rel=1e-12)


@pytest.mark.parametrize(("release", "folder", "file"), [
    ("2.3.2", "isaaclab", "sim/simulation_cfg.py"), ("3.0.0", "isaaclab_physx", "physics/physx_manager_cfg.py")])
def test_the_defaults_of_the_scene_are_isaac_labs(release: str, folder: str, file: str) -> None:
    fields = class_fields(package(release, folder) / file, "PhysxCfg")
    for name, field in PHYSX.items():
        default = EXTERNAL_FORCES[release] if name == "enable_external_forces_every_iteration" else field.default
        value = fields[name]
        assert value is not None and ast.literal_eval(value) == default, name


@pytest.mark.parametrize("release", RELEASES)
def test_the_files_that_the_tables_cite_exist(release: str) -> None:
    for name, text in SOURCES.items():
        other = next(item for item in RELEASES if item != release)
        if other in name:
            continue
        first = text.partition(":")[0].partition(";")[0].partition(",")[0]
        head, _, rest = first.partition("/")
        assert (package(release, head) / rest.partition("/")[2]).is_file(), first


def robots(release: str) -> Iterator[tuple[Path, str, ConfigObject]]:
    """Every robot of isaaclab_assets, with its file and name."""
    for path in sorted((package(release, "isaaclab_assets") / "robots").glob("*.py")):
        found = read_module(path)
        for name in sorted(found.own):
            value = found.names[name]
            if isinstance(value, ConfigObject) and ROBOT in value.kinds:
                yield path, name, value


def joints_of(robot: ConfigObject) -> list[str]:
    """Names of joints for every expression of a robot."""
    patterns: list[str] = []
    actuators = robot.value("actuators") or {}
    for actuator in actuators.values() if isinstance(actuators, dict) else ():
        names = actuator.value("joint_names_expr") or []
        patterns += [names] if isinstance(names, str) else names
        patterns += [name for entry in actuator.fields.values() if isinstance(entry.value, dict)
                     for name in entry.value]
    state = robot.value("init_state")
    for field in ("joint_pos", "joint_vel"):
        patterns += list(state.value(field) or {}) if isinstance(state, ConfigObject) else []
    return [name for pattern in patterns for name in names_of(pattern)] or ["joint"]


@pytest.mark.parametrize("release", RELEASES)
def test_every_robot_of_isaac_lab_is_read(release: str) -> None:
    count, gaps = 0, set()
    for path, name, robot in robots(release):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            _, report = configured_stage(star(joints_of(robot)), f"{path}:{name}")
        assert report.release == release or release == RELEASES[1], name
        assert not any("not a regular expression" in note.reason for note in report.notes_of(FAULT)), name
        gaps |= {(note.field.rpartition(".")[2], note.reason) for note in report.notes_of(NOT_EVALUATED)}
        count += 1
    assert count > 40
    assert gaps <= KNOWN_GAPS


@pytest.mark.parametrize("release", RELEASES)
def test_fields_on_physics_are_evaluated(release: str) -> None:
    unknown = {(name, field) for _, name, robot in robots(release) for field, value in _values(robot, "")
               if isinstance(value, NotEvaluated)}
    assert {field.rpartition(".")[2] for _, field in unknown} <= {"usd_path", "asset_path", "network_file", "usd_dir"}


def _values(value: Any, label: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, ConfigObject):
        for name, entry in value.fields.items():
            yield from _values(entry.value, f"{label}.{name}")
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _values(item, f"{label}.{name}")
    else:
        yield label, value


def test_a_task_of_isaac_lab_gives_its_time_step_and_decimation() -> None:
    folder = package("3.0.0", "isaaclab_tasks")
    path = folder / "core" / "cartpole" / "cartpole_direct_env_cfg.py"
    _, report = configured_stage(star(("slider_to_cart", "cart_to_pole")), path)
    assert (report.dt, report.decimation, report.release) == (1 / 120, 2, "3.0.0")
