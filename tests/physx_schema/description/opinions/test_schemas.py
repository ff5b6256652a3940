"""Opinions of Newton and MuJoCo: what becomes a fact, under which name, and what is unused."""

from __future__ import annotations

import math

import pytest
from physx_runtime.simulation.simulation import Simulation
from support.recorded import joint_stages
from support.recorded.joint_stages import ALL, MIMICS, beside, mimic, newton, one
from support.recorded.scene_stages import still
from support.stages.robots import base, described, joint, link, opened, prim

from physx_schema.checking import check

DEGREE = math.pi / 180.0


def test_values_of_newton_name_their_properties() -> None:
    found = described(joint_stages.ENGINE_STAGES["Newton's values on a Revolute joint"]).articulations[0].dofs[0]
    assert dict(found.sources) == {
        "armature": "newton:armature", "static_friction": "newton:friction", "dynamic_friction": "newton:friction",
        "viscous_friction": "newton:damping", "max_velocity": "newton:velocityLimit"}
    assert found.max_velocity == pytest.approx(40 * DEGREE)
    assert found.viscous_friction == pytest.approx(0.5 / DEGREE)


def test_values_of_physx_name_no_other_source() -> None:
    found = described(beside(armature=5.0, staticFrictionEffort=1.0, viscousFrictionCoefficient=1.0,
                             maxJointVelocity=3.0))
    assert found.articulations[0].dofs[0].sources == ()


def test_newton_winning_over_an_authored_value_is_reported() -> None:
    found = described(beside(armature=0.0))
    assert [(item.code, item.property) for item in found.problems] == [
        ("joint/newton-wins", "physxJointAxis:angular:armature")]


def test_newton_losing_is_unused() -> None:
    found = described(beside(armature=5.0)).unused
    assert ("newton:armature", "overridden") in [(item.property, item.code) for item in found]


def test_what_physx_does_not_read_of_newton_is_unused() -> None:
    found = described(one("Revolute", ("NewtonJointAPI",), ALL)).unused
    assert [(item.property, item.code) for item in found] == [("newton:limitStiffness", "other-engine")]


def test_mujoco_is_unused_with_physx_counterpart() -> None:
    found = {item.property: item for item in described(joint_stages.ENGINE_STAGES["MuJoCo's values"]).unused}
    assert found["mjc:armature"].suggestion == "physxJointAxis:angular:armature"
    assert found["mjc:armature"].code == found["apiSchemas"].code == "other-engine"


def test_other_engines_are_no_fault() -> None:
    found = [item for item in check(opened(joint_stages.ENGINE_STAGES["MuJoCo's values"])).findings
             if item.code == "unused/other-engine"]
    assert {item.severity for item in found} == {"info"}


def test_retired_joint_api_is_unused_and_has_no_effect() -> None:
    found = described(joint_stages.ENGINE_STAGES["the retired joint API"])
    assert found.articulations[0].dofs[0].armature == 0.0
    assert {item.code for item in found.unused} == {"retired"}
    assert len(found.unused) == 4


def test_values_of_newton_outside_articulations_are_unused() -> None:
    text = still(link("a"), link("b"), joint("Revolute", "j", "a", "b", (), newton(armature=2.0)), schemas=())
    found = described(text)
    assert [(item.property, item.code) for item in found.unused] == [("newton:armature", "idle")]


# Where PhysX has the follower after 2 s, in degrees or lengths, with the leader at 20 degrees or 0.2.
REACHED = {
    "of its defaults": 20.0, "of two revolute joints": -35.0, "of a slider behind a hinge": 0.7,
    "of a hinge behind a slider": 11.0, "of two sliders": 0.5, "that is switched off": 0.0, "without its API": 0.0,
    "without limits": 0.0, "of coefficient 0": 0.0,
}


@pytest.mark.parametrize("name", MIMICS)
def test_follower_goes_where_physx_has_it(name: str) -> None:
    description = described(MIMICS[name])
    world = Simulation(description, dt=1 / 120)
    world.step(240)
    dofs = description.articulations[0].dofs
    follower = next(i for i, dof in enumerate(dofs) if dof.path == "/Robot/f")
    unit = DEGREE if dofs[follower].angular else 1.0
    assert float(world.joint_position[0][follower]) / unit == pytest.approx(REACHED[name], abs=1e-3)


@pytest.mark.parametrize("name", ["without limits", "of coefficient 0"])
def test_mimic_joint_that_physx_refuses_is_reported(name: str) -> None:
    assert [problem.code for problem in described(MIMICS[name]).problems] == ["joint/newton-mimic"]


def test_mimic_joint_of_newton_follows_those_of_physx() -> None:
    text = mimic(("PhysxMimicJointAPI:rotX", "NewtonMimicAPI"), mimicCoef1=-2.0).replace(
        "rel newton:mimicJoint", "rel physxMimicJoint:rotX:referenceJoint = </Robot/l>\nrel newton:mimicJoint")
    found = described(text).articulations[0].mimics
    assert [(item.instance, item.prefix) for item in found] == [("rotX", "physxMimicJoint:rotX:"), ("", "newton:")]


@pytest.mark.sweep
def test_physx_has_followers_where_recorded(oracle_folder: object) -> None:
    import physx_oracle

    results = physx_oracle.run_jobs([physx_oracle.sim_job(text, 1 / 120, 240, every=240) for text in MIMICS.values()])
    for name, result in zip(MIMICS, results, strict=True):
        follower = result["dof_names"].index("f")
        unit = 1.0 if "slider behind" in name or "sliders" in name else DEGREE
        assert result["q"][-1][follower] / unit == pytest.approx(REACHED[name], abs=1e-3), name


@pytest.mark.parametrize("schemas", [("NewtonCollisionAPI",), ("PhysicsCollisionAPI", "NewtonCollisionAPI")])
def test_a_schema_of_newton_that_makes_a_collider_is_not_unused(schemas: tuple[str, ...]) -> None:
    found = described(still(link("a", children=prim("Cube", "shape", schemas)), schemas=()))
    assert [collider.path for collider in found.bodies[0].colliders] == ["/Robot/a/shape"]
    assert found.unused == ()


def test_inertia_of_newton_is_said_to_be_moments_and_axes() -> None:
    body = link("a", schemas=("NewtonMassAPI",), more={"float[] newton:inertia": [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]})
    found = [item for item in check(opened(still(body, schemas=()))).findings if item.property == "newton:inertia"]
    assert [item.fix for item in found] == [
        "keep the value for Newton; PhysX has physics:diagonalInertia (principal moments) and physics:principalAxes, "
        "in "
        "other units"]


@pytest.mark.parametrize(("schemas", "code"), [((), ""), (("PhysxArticulationAPI",), "overridden")])
def test_self_collision_of_newton_counts_where_physx_has_no_articulation_schema(
        schemas: tuple[str, ...], code: str) -> None:
    text = still(base(), schemas=("PhysicsArticulationRootAPI", "NewtonArticulationRootAPI", *schemas)).replace(
        "{\n", "{\nbool newton:selfCollisionEnabled = 0\n", 1)
    found = [item.code for item in described(text).unused if item.property == "newton:selfCollisionEnabled"]
    assert found == ([code] if code else [])
