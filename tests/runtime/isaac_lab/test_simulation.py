"""SimulationCfg gives the scene its settings, with Isaac Lab's defaults where the configuration gives none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from physx_runtime.isaac_lab.report import FAULT, NOT_EVALUATED, UNRELATED, IsaacLabReport
from physx_runtime.isaac_lab.simulation import DEFAULT
from pxr import UsdPhysics
from support.isaac_lab import configured, implicit, notes, robot, setting
from support.stages.named_robots import star

SCENE = "/physicsScene"


def simulated(folder: Path, simulation: str, stage: Any = None, extra: str = "") -> tuple[Any, IsaacLabReport]:
    text = robot(implicit(f"stiffness=None, damping=None{extra}")) + (
        f"@configclass\nclass EnvCfg:\n    decimation = 4\n    sim = {simulation}\n    robot = ROBOT_CFG.copy()\n")
    changed, report = configured(folder, text, stage)
    return changed, report


def test_the_scene_is_made_where_the_stage_has_none(tmp_path: Path) -> None:
    stage, report = simulated(tmp_path, "SimulationCfg(dt=1 / 200, gravity=(0.0, 0.0, -3.7))")
    scene = UsdPhysics.Scene(stage.GetPrimAtPath(SCENE))
    assert scene.GetGravityMagnitudeAttr().Get() == pytest.approx(3.7)
    assert tuple(scene.GetGravityDirectionAttr().Get()) == (0.0, 0.0, -1.0)
    assert (report.dt, report.decimation) == (1 / 200, 4)
    assert setting(report, SCENE, "physxScene:timeStepsPerSecond").configured == 200


def test_the_scene_of_the_stage_is_overridden(tmp_path: Path) -> None:
    stage = star(("hip",))
    UsdPhysics.Scene.Define(stage, "/World/scene").CreateGravityMagnitudeAttr(1.6)
    _, report = simulated(tmp_path, "SimulationCfg()", stage)
    item = setting(report, "/World/scene", "physics:gravityMagnitude")
    assert (item.authored, item.configured, item.place) == (pytest.approx(1.6), pytest.approx(9.81), DEFAULT)


@pytest.mark.parametrize(("field", "prop", "configured_value"), [
    ("solver_type=0", "solverType", "PGS"), ("solver_type=1", "solverType", "TGS"),
    ("min_position_iteration_count=3", "minPositionIterationCount", 3),
    ("max_velocity_iteration_count=1", "maxVelocityIterationCount", 1),
    ("bounce_threshold_velocity=0.2", "bounceThreshold", 0.2), ("enable_ccd=True", "enableCCD", True),
    ("friction_correlation_distance=0.01", "frictionCorrelationDistance", 0.01)])
def test_settings_of_physx_are_written(field: str, prop: str, configured_value: object, tmp_path: Path) -> None:
    _, report = simulated(tmp_path, f"SimulationCfg(physx=PhysxCfg({field}))")
    item = setting(report, SCENE, f"physxScene:{prop}")
    assert item.configured == configured_value and item.place != DEFAULT


@pytest.mark.parametrize(("extra", "expected"), [("", False), (", joint_effort_limit=1.0", True)])
def test_the_default_of_external_forces_is_that_of_the_release(extra: str, expected: bool, tmp_path: Path) -> None:
    _, report = simulated(tmp_path, "SimulationCfg()", extra=extra)
    assert setting(report, SCENE, "physxScene:enableExternalForcesEveryIteration").configured is expected


@pytest.mark.parametrize(("simulation", "outcome", "reason"), [
    ("SimulationCfg(dt=-1.0)", FAULT, "give a time in seconds, above 0 and up to 1"),
    ("SimulationCfg(gravity=(0.0, 1.0))", FAULT, "give three numbers"),
    ("SimulationCfg(physx=PhysxCfg(solver_type=2))", FAULT, "allowed are 0 for PGS and 1 for TGS"),
    ("SimulationCfg(physics=NewtonCfg(solver_cfg=MJWarpSolverCfg()))", NOT_EVALUATED,
     "NewtonCfg has no settings of PhysX"),
    ("SimulationCfg(dt=DT)", NOT_EVALUATED, "the name DT is not defined in the file"),
    ("SimulationCfg(physics_material=sim_utils.RigidBodyMaterialCfg(static_friction=1.0))", NOT_EVALUATED,
     "the material of colliders without one is not applied here")])
def test_what_is_wrong_or_not_applied_has_a_note(simulation: str, outcome: str, reason: str, tmp_path: Path) -> None:
    _, report = simulated(tmp_path, simulation)
    assert [note.reason for note in notes(report, outcome)] == [reason]


def test_the_settings_of_physx_are_found_in_a_choice_of_engines(tmp_path: Path) -> None:
    _, report = simulated(tmp_path, "SimulationCfg(physics=Presets(newton=NewtonCfg(), physx=PhysxCfg(solver_type=0)))")
    assert setting(report, SCENE, "physxScene:solverType").configured == "PGS"
    assert report.release == "3.0.0"


def test_a_robot_alone_keeps_the_scene_of_the_stage(tmp_path: Path) -> None:
    _, report = configured(tmp_path, robot(implicit("stiffness=None, damping=None")))
    assert report.dt is None
    assert [note.field for note in notes(report, UNRELATED)] == ["sim"]
