"""The parts of spawn write to the prims that Isaac Lab finds by their schemas, and not inside instances."""

from __future__ import annotations

from math import degrees, radians
from pathlib import Path
from typing import Any

import pytest
from physx_runtime.isaac_lab.report import FAULT, IGNORED, NOT_EVALUATED, UNRELATED
from physx_runtime.isaac_lab.spawning import FRAGMENTS
from pxr import Sdf, UsdGeom, UsdPhysics
from support.isaac_lab import JOINTS, configured, implicit, notes, robot, setting
from support.stages.named_robots import star

KEEP = implicit("stiffness=None, damping=None")
BODIES = {"/Robot/base", *(f"/Robot/link_{name}" for name in JOINTS)}


def spawned(folder: Path, spawn: str, stage: Any = None) -> Any:
    return configured(folder, robot(KEEP, spawn), stage)[1]


def test_rigid_props_reach_all_bodies(tmp_path: Path) -> None:
    report = spawned(tmp_path, "rigid_props=sim_utils.RigidBodyPropertiesCfg(linear_damping=0.5, disable_gravity=True)")
    assert {item.path for item in report.settings} == BODIES
    assert setting(report, "/Robot/base", "physxRigidBody:linearDamping").configured == 0.5
    assert setting(report, "/Robot/base", "physxRigidBody:disableGravity").configured is True


@pytest.mark.parametrize(("kind", "reached"), [("RigidBodyPropertiesCfg", False), ("PhysxRigidBodyCfg", True)])
def test_only_the_classes_of_one_schema_reach_nested_bodies(kind: str, reached: bool, tmp_path: Path) -> None:
    assert ("PhysxRigidBodyCfg" in FRAGMENTS) and ("RigidBodyPropertiesCfg" not in FRAGMENTS)
    stage = star(("hip",))
    UsdPhysics.RigidBodyAPI.Apply(stage.DefinePrim("/Robot/base/inner", "Xform"))
    report = spawned(tmp_path, f"rigid_props=sim_utils.{kind}(linear_damping=0.5)", stage)
    assert ("/Robot/base/inner" in {item.path for item in report.settings}) is reached


def test_articulation_props_reach_the_root(tmp_path: Path) -> None:
    report = spawned(tmp_path, "articulation_props=sim_utils.ArticulationRootPropertiesCfg("
                               "solver_position_iteration_count=4, enabled_self_collisions=False)")
    item = setting(report, "/Robot", "physxArticulation:solverPositionIterationCount")
    assert (item.authored, item.configured, item.overrides) == (8, 4, True)
    assert setting(report, "/Robot", "physxArticulation:enabledSelfCollisions").configured is False


@pytest.mark.parametrize(("field", "prop", "expected"), [
    ("stiffness", "drive:angular:physics:stiffness", radians(2.0)),
    ("damping", "drive:angular:physics:damping", radians(2.0)),
    ("max_effort", "drive:angular:physics:maxForce", 2.0),
    ("max_velocity", "physxJoint:maxJointVelocity", degrees(2.0))])
def test_joint_drive_props_are_per_radian(field: str, prop: str, expected: float, tmp_path: Path) -> None:
    report = spawned(tmp_path, f"joint_drive_props=sim_utils.JointDrivePropertiesCfg({field}=2.0)")
    assert setting(report, "/Robot/hip", prop).configured == pytest.approx(expected, rel=1e-6)


def test_joint_drive_props_make_drives_for_actuators(tmp_path: Path) -> None:
    spawn = "joint_drive_props=sim_utils.JointDrivePropertiesCfg(drive_type='force')"
    text = robot(implicit("stiffness=1.0, damping=None"), spawn)
    _, report = configured(tmp_path, text, star(JOINTS, driven=False))
    assert notes(report, IGNORED) == []
    assert setting(report, "/Robot/hip", "drive:angular:physics:stiffness").configured == pytest.approx(radians(1.0))


def test_a_value_that_an_actuator_overwrites_is_ignored(tmp_path: Path) -> None:
    spawn = "joint_drive_props=sim_utils.JointDrivePropertiesCfg(stiffness=2.0)"
    _, report = configured(tmp_path, robot(implicit("stiffness=1.0, damping=None"), spawn))
    assert {note.field for note in notes(report, IGNORED)} == {"spawn.joint_drive_props.stiffness"}
    assert notes(report, IGNORED)[0].reason.startswith("actuators.all.stiffness of ")


def test_fields_without_a_prim_are_ignored(tmp_path: Path) -> None:
    report = spawned(tmp_path, "fixed_tendons_props=sim_utils.FixedTendonPropertiesCfg(stiffness=30.0)")
    assert [note.reason for note in notes(report, IGNORED)] == ["no prim below /Robot has PhysxTendonAxisRootAPI"]


def test_tendons_are_written_by_their_instance(tmp_path: Path) -> None:
    stage = star(("hip", "knee"))
    stage.GetPrimAtPath("/Robot/hip").AddAppliedSchema("PhysxTendonAxisRootAPI:rope")
    report = spawned(tmp_path, "fixed_tendons_props=sim_utils.FixedTendonPropertiesCfg(limit_stiffness=30.0)", stage)
    assert setting(report, "/Robot/hip", "physxTendon:rope:limitStiffness").configured == 30.0


def test_prims_inside_instances_keep_their_values(tmp_path: Path) -> None:
    stage = star(("hip",))
    prototype = UsdGeom.Cube.Define(stage, "/Prototype/box").GetPrim()
    UsdPhysics.CollisionAPI.Apply(prototype)
    shape = stage.DefinePrim("/Robot/base/shape", "Xform")
    shape.GetReferences().AddInternalReference("/Prototype")
    shape.SetInstanceable(True)
    report = spawned(tmp_path, "collision_props=sim_utils.CollisionPropertiesCfg(contact_offset=0.01)", stage)
    assert report.settings == ()
    assert any("1 prim inside instances, such as /Robot/base/shape/box" in note.reason
               for note in notes(report, IGNORED))


def test_values_for_another_engine_are_ignored(tmp_path: Path) -> None:
    report = spawned(tmp_path, "articulation_props=[PhysxArticulationCfg(sleep_threshold=0.1), "
                               "NewtonArticulationCfg(self_collision_enabled=True)]")
    assert [note.reason for note in notes(report, UNRELATED) if "Newton" in note.reason] == []
    assert setting(report, "/Robot", "physxArticulation:sleepThreshold").configured == pytest.approx(0.1)


def test_a_pattern_chooses_prims(tmp_path: Path) -> None:
    report = spawned(tmp_path, "rigid_props={'/link_.*': [sim_utils.PhysxRigidBodyCfg(linear_damping=0.5)]}")
    assert {item.path for item in report.settings} == BODIES - {"/Robot/base"}


@pytest.mark.parametrize(("release_field", "paths"), [("effort_limit_sim", set()), ("joint_effort_limit", BODIES)])
def test_contact_sensors_keep_bodies_awake(release_field: str, paths: set[str], tmp_path: Path) -> None:
    text = robot(implicit(f"stiffness=None, damping=None, {release_field}=9.0"), "activate_contact_sensors=True")
    _, report = configured(tmp_path, text)
    assert {item.path for item in report.settings if item.property == "physxRigidBody:sleepThreshold"} == paths


def test_variants_are_selected(tmp_path: Path) -> None:
    stage = star(("hip",))
    sets = stage.GetPrimAtPath("/Robot").GetVariantSets().AddVariantSet("Gripper")
    sets.AddVariant("soft")
    changed, report = configured(tmp_path, robot(KEEP, "variants={'Gripper': 'soft', 'Colour': 'red'}"), stage)
    assert changed.GetPrimAtPath("/Robot").GetVariantSet("Gripper").GetVariantSelection() == "soft"
    assert [note.value for note in notes(report, FAULT)] == ["Colour=red"]


def test_the_joint_that_fixes_the_base_is_disabled(tmp_path: Path) -> None:
    spawn = "articulation_props=sim_utils.ArticulationRootPropertiesCfg(fix_root_link=False)"
    stage, _ = configured(tmp_path, robot(KEEP, spawn))
    assert stage.GetPrimAtPath("/Robot/foot").GetAttribute("physics:jointEnabled").Get() is False


def test_a_joint_that_isaac_lab_would_make_is_not_evaluated(tmp_path: Path) -> None:
    stage = star(("hip",))
    stage.RemovePrim(Sdf.Path("/Robot/foot"))
    report = spawned(tmp_path, "articulation_props=sim_utils.ArticulationRootPropertiesCfg(fix_root_link=True)", stage)
    assert notes(report, NOT_EVALUATED)[0].reason.startswith("Isaac Lab makes a fixed joint to the world")


def test_a_value_of_another_type_is_an_error(tmp_path: Path) -> None:
    report = spawned(tmp_path, "rigid_props=sim_utils.RigidBodyPropertiesCfg(linear_damping='much')")
    assert notes(report, FAULT)[0].reason == "physxRigidBody:linearDamping is float, and does not take this value"
