"""The table of fields agrees with Isaac Lab's own files, of the two releases that `make isaac-lab` fetches."""

from __future__ import annotations

import ast
import math
from typing import Any

import pytest
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
from physx_runtime.isaac_lab.selection import RELEASES
from support.isaac_lab import class_fields, module, package

pytestmark = pytest.mark.sweep

SLOTS = {"RigidBodyPropertiesCfg": RIGID_BODY, "CollisionPropertiesCfg": COLLISION, "MassPropertiesCfg": MASS,
         "ArticulationRootPropertiesCfg": ARTICULATION, "JointDrivePropertiesCfg": JOINT_DRIVE,
         "FixedTendonPropertiesCfg": FIXED_TENDON, "SpatialTendonPropertiesCfg": SPATIAL_TENDON}
NOT_A_PROPERTY = {"fix_root_link"}


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
