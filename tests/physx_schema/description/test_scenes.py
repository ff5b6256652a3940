"""Scenes, owners, transforms and instances: the facts and problems beside what `test_reader` holds to PhysX."""

from __future__ import annotations

import pytest
from support.recorded import scene_stages, transform_stages
from support.recorded.scene_stages import falling, metadata, owner, scene, still
from support.stages.robots import HEAD, described, joint, link, placed, prim, robot


def problems(text: str) -> list[tuple[str, str, str]]:
    return [(problem.code, problem.path, problem.property) for problem in described(text).problems
            if problem.severity != "info"]


def test_every_scene_is_a_fact_by_path() -> None:
    found = described(falling(scene("B", 5.0), scene("A", 3.0)))
    assert [item.path for item in found.scenes] == ["/A", "/B"]
    assert found.scene is found.scenes[0]


def test_stage_without_scenes_has_the_one_that_physx_makes() -> None:
    found = described(falling())
    assert found.scenes == ()
    assert found.scene_of(found.bodies[0]) is found.scene


def test_scene_of_an_articulation_is_that_of_its_links() -> None:
    found = described(scene_stages.STAGES["an articulation in one scene"])
    assert found.scene_of(found.articulations[0]).gravity == (0.0, 0.0, -5.0)


def test_further_scenes_are_mentioned() -> None:
    found = described(falling(scene("B", 5.0), scene("A", 3.0))).problems
    assert [(item.code, item.path, item.severity) for item in found] == [("scene/several", "/B", "info")]


def test_iterations_are_bounded_by_the_scene_that_steps_the_articulation() -> None:
    bounds = {"int physxScene:maxPositionIterationCount": 7, "int physxScene:minVelocityIterationCount": 3}
    text = robot(link("a", more=owner("/B")), link("b", more=owner("/B")), joint("Revolute", "j", "a", "b"),
                 outside=scene("A") + scene("B", more=bounds))
    found = described(text).articulations[0]
    assert (found.position_iterations, found.velocity_iterations) == (7, 3)


def test_least_iterations_above_the_most_count_as_the_most() -> None:
    bounds = {"int physxScene:minPositionIterationCount": 50, "int physxScene:maxPositionIterationCount": 7}
    found = described(robot(link("a"), link("b"), joint("Revolute", "j", "a", "b"), outside=scene("A", more=bounds)))
    assert found.articulations[0].position_iterations == 7


def test_gravity_switched_off_by_newton_names_its_source() -> None:
    found = described(scene_stages.STAGES["Newton's gravity switched off"])
    assert found.scene.gravity_source == "newton:gravityEnabled"
    assert "/A.newton:gravityEnabled" in found.consumed


@pytest.mark.parametrize(("name", "expected"), [
    ("an owner that does not exist", ("body/no-scene", "/Robot/x", "physics:simulationOwner")),
    ("the first owner that is a scene", ("body/several-scenes", "/Robot/x", "physics:simulationOwner")),
    ("an articulation in two scenes", ("articulation/several-scenes", "/Robot", "physics:simulationOwner")),
    ("a free joint between two scenes", ("joint/several-scenes", "/Robot/j", "physics:body0")),
    ("a direction of 0", ("scene/gravity-direction", "/A", "physics:gravityDirection")),
    ("a direction of length 2", ("scene/gravity-direction", "/A", "physics:gravityDirection")),
])
def test_what_is_wrong_with_a_scene_is_named(name: str, expected: tuple[str, str, str]) -> None:
    assert expected in problems(scene_stages.STAGES[name])


def test_owners_are_consumed() -> None:
    assert "/Robot/x.physics:simulationOwner" in described(scene_stages.STAGES["an owner"]).consumed


def test_units_are_refused_with_the_value() -> None:
    found = described(metadata(falling(scene("A")), metersPerUnit="-1")).problems[0]
    assert (found.code, found.property, found.severity) == ("stage/units", "metersPerUnit", "error")
    assert "PhysX refuses the whole stage" in found.why


@pytest.mark.parametrize("units", [
    {"metersPerUnit": "1e-30"}, {"metersPerUnit": "2.95e-38"}, {"metersPerUnit": "1e15"}, {"metersPerUnit": "3.4e38"},
    {"kilogramsPerUnit": "1e-38"}, {"kilogramsPerUnit": "8e-46"}])
def test_units_in_which_physx_own_numbers_overflow_are_a_warning(units: dict[str, str]) -> None:
    found = described(metadata(falling(scene("A")), **units)).problems
    assert [(item.code, item.severity) for item in found if item.path == "/"] == [("stage/units-extreme", "warning")]


@pytest.mark.parametrize("units", [
    {"metersPerUnit": "1e-9"}, {"metersPerUnit": "1e9"}, {"kilogramsPerUnit": "1e-9"}, {"kilogramsPerUnit": "1e20"}])
def test_units_that_physx_computes_in_are_taken_without_a_word(units: dict[str, str]) -> None:
    assert [item for item in described(metadata(falling(scene("A")), **units)).problems if item.path == "/"] == []


def test_mass_beyond_single_precision_is_1() -> None:
    """PhysX: a cube of size 2 weighs 1 where metersPerUnit is 6e11, and 8e33 at 1e10."""
    cube = prim("Xform", "b", ("PhysicsRigidBodyAPI",), {}, prim("Cube", "c", ("PhysicsCollisionAPI",)))
    masses = [described(HEAD.format(meters=meters, kilograms=1.0) + cube).bodies[0].mass for meters in (6e11, 1e10)]
    assert masses == [1.0, pytest.approx(8e33)]


@pytest.mark.parametrize(("name", "code"), [
    ("a shearing matrix", "body/transform-sheared"), ("a scale mirrored along x", "body/transform-mirrored"),
    ("a scale flat along y", "body/transform-singular"), ("a transform of NaN", "body/transform-not-finite"),
    ("an operation of no known type", "body/transform-operation"), ("bodies in an instance", "body/in-instance"),
    ("an articulation in an instance", "body/in-instance"), ("a body inside a point instancer", "body/in-instancer"),
    ("a body that is a prototype elsewhere", "body/in-instancer"),
])
def test_what_is_wrong_with_a_transform_is_named(name: str, code: str) -> None:
    assert code in [problem.code for problem in described(transform_stages.STAGES[name]).problems]


@pytest.mark.parametrize("name", ["a scale of three lengths", "a scale mirrored twice", "a scale uniform",
                                  "a turned body in a uniform scale", "an instance that is a body"])
def test_sound_transforms_are_no_problem(name: str) -> None:
    assert problems(transform_stages.STAGES[name]) == []


def test_body_in_an_instance_names_its_prototype() -> None:
    found = described(transform_stages.STAGES["bodies in an instance"]).problems[0]
    assert found.path == "/Robot/I/a"
    assert "/Robot/I" in found.message
    assert "/__Prototype_" in found.message


def test_joint_to_a_body_in_an_instance_says_why_that_is_none() -> None:
    text = transform_stages.instanced(link("a") + link("b", (1, 0, 0)), joint("Revolute", "j", "I/a", "I/b"))
    found = [item for item in described(text).problems if item.code == "joint/no-body"]
    assert [item.message for item in found] == [
        f"/Robot/I/{name} is inside an instance, which has no bodies" for name in "ab"]


def test_shear_is_reported_in_degrees() -> None:
    text = transform_stages.STAGES["a turned body in a scale of three lengths"]
    message = next(problem.message for problem in described(text).problems if problem.code == "body/transform-sheared")
    assert message == "the world transform shears by 53.1 degrees"


def test_kinematic_body_says_so() -> None:
    found = described(still(link("x", more={"bool physics:kinematicEnabled": True, **placed((1, 0, 0))}), schemas=()))
    assert [body.kinematic for body in found.bodies] == [True]
