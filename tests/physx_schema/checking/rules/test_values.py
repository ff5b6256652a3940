"""Tokens, ranges and numbers that are none; one finding each, with prim path and property."""

from __future__ import annotations

import math

import pytest
from pxr import Sdf, Usd
from support.places import STAGES
from support.stages.robots import base, finger, joint, link, opened, robot

from physx_schema.checking import Finding, check


def findings(stage: Usd.Stage | str) -> list[Finding]:
    return list(check(opened(stage) if isinstance(stage, str) else stage).findings)


def places(stage: Usd.Stage | str) -> list[tuple[str, str, str]]:
    return [(item.code, item.path, item.property) for item in findings(stage)]


@pytest.mark.parametrize(("name", "code", "path", "prop"), [
    ("misspelt_token", "value/token", "/Robot/j", "drive:angular:physics:type"),
    ("misspelt_property", "unused/misspelt-property", "/Robot/j", "drive:angular:physics:stifness"),
    ("out_of_range", "value/range", "/Robot/j", "physxJointAxis:angular:armature"),
    ("tendon_without_root", "tendon/no-root", "/Robot/j", "physxTendon:flexor:gearing"),
    ("mimic_transz", "DJ.007/instance", "/Robot/follow", "apiSchemas"),
])
def test_bad_stage_has_one_error_with_path_and_property(name: str, code: str, path: str, prop: str) -> None:
    found = check(STAGES / f"{name}.usda").findings
    assert [(item.code, item.severity, item.path, item.property) for item in found] == [(code, "error", path, prop)]


def test_sound_stage_has_no_findings() -> None:
    assert check(STAGES / "clean_finger.usda").findings == ()


def test_misspelt_token_suggests_the_close_one() -> None:
    assert "'acceleration'" in check(STAGES / "misspelt_token.usda").findings[0].fix


def test_unknown_joint_axis_is_an_error() -> None:
    assert ("value/token", "/Robot/j", "physics:axis") in places(finger({"uniform token physics:axis": "W"}))


def test_unknown_solver_type_is_an_error() -> None:
    stage = opened(robot(base()))
    scene = stage.DefinePrim("/scene", "PhysicsScene")
    scene.AddAppliedSchema("PhysxSceneAPI")
    scene.CreateAttribute("physxScene:solverType", Sdf.ValueTypeNames.Token).Set("TSG")
    assert places(stage) == [("value/token", "/scene", "physxScene:solverType")]


@pytest.mark.parametrize(("value", "code"), [
    (math.nan, "value/not-finite"), (-1.0, "value/range"), (math.inf, "value/not-finite"),
])
def test_drive_stiffness_must_be_a_number_of_at_least_0(value: float, code: str) -> None:
    stage = opened(finger({"float drive:angular:physics:stiffness": 1.0}, ("PhysicsDriveAPI:angular",)))
    stage.GetPrimAtPath("/Robot/j").GetAttribute("drive:angular:physics:stiffness").Set(value)
    assert places(stage) == [(code, "/Robot/j", "drive:angular:physics:stiffness")]


def test_infinite_max_force_is_allowed() -> None:
    stage = opened(finger({"float drive:angular:physics:maxForce": 1.0}, ("PhysicsDriveAPI:angular",)))
    stage.GetPrimAtPath("/Robot/j").GetAttribute("drive:angular:physics:maxForce").Set(math.inf)
    assert places(stage) == []


@pytest.mark.parametrize(("name", "value"), [
    ("float physics:mass", -2.0), ("float physics:density", -1.0), ("float3 physics:diagonalInertia", (-1.0, 2.0, 3.0)),
])
def test_negative_mass_properties_are_errors(name: str, value: object) -> None:
    stage = robot(base(), link("tip", more={name: value}), joint("Revolute", "j", "base", "tip"))
    assert ("value/range", "/Robot/tip", name.partition(" ")[2]) in places(stage)


@pytest.mark.parametrize(("moments", "severity"), [
    ((-4.4e-22, 0.1, 0.1), "warning"), ((0.1, -1e-20, 0.1), "warning"), ((-3.5e-8, 0.1, 0.1), "error"),
])
def test_negative_moment_that_is_a_rounded_zero_is_a_warning(moments: tuple[float, ...], severity: str) -> None:
    tip = link("tip", more={"float3 physics:diagonalInertia": moments})
    found = findings(robot(base(), tip, joint("Revolute", "j", "base", "tip")))
    assert [item.severity for item in found if item.code == "value/range"] == [severity]


def test_limit_of_a_tendon_under_its_other_limit_is_an_error() -> None:
    values = {"float physxTendon:t:lowerLimit": 2.0, "float physxTendon:t:upperLimit": 1.0,
              "float physxTendon:t:limitStiffness": 1.0}
    found = places(finger(values, ("PhysxTendonAxisRootAPI:t",)))
    assert ("value/range", "/Robot/j", "physxTendon:t:upperLimit") in found


def test_value_of_a_wrong_type_is_an_error() -> None:
    found = places(finger({"string physics:lowerLimit": "low", "float physics:upperLimit": 9.0}))
    assert found == [("value/wrong-type", "/Robot/j", "physics:lowerLimit")]


def test_iteration_count_out_of_range_is_an_error() -> None:
    stage = opened(robot(base(), schemas=("PhysicsArticulationRootAPI", "PhysxArticulationAPI")))
    stage.GetPrimAtPath("/Robot").GetAttribute("physxArticulation:solverPositionIterationCount").Set(0)
    assert places(stage) == [("value/range", "/Robot", "physxArticulation:solverPositionIterationCount")]
