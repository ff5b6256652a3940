"""Numbers in another unit than meant, values that two engines disagree about, and what the solver makes of tendons."""

from __future__ import annotations

import pytest
from support.stages.robots import base, finger, joint, link, opened, prim, robot

from physx_schema.checking import check

LIMIT_NAMES = ("float physics:lowerLimit", "float physics:upperLimit")
AXIS = "PhysxJointAxisAPI:angular"


def codes(text: str) -> set[str]:
    return {item.code for item in check(opened(text), "physx").findings}


def limited(lower: float, upper: float) -> str:
    return finger(dict(zip(LIMIT_NAMES, (lower, upper), strict=True)))


@pytest.mark.parametrize(("lower", "upper"), [(-3.14159, 3.14159), (-1.57, 1.57), (0.0, 6.2832), (-0.785, 2.0944)])
def test_limits_that_are_parts_of_pi_look_like_radians(lower: float, upper: float) -> None:
    assert "unit/radians" in codes(limited(lower, upper))


@pytest.mark.parametrize(("lower", "upper"), [(-3.0, 3.0), (-5.5, 5.5), (-1.6, 1.57), (-90.0, 90.0), (-0.5, 0.5)])
def test_other_limits_do_not(lower: float, upper: float) -> None:
    assert "unit/radians" not in codes(limited(lower, upper))


def test_lengths_of_a_slider_are_no_angles() -> None:
    assert codes(finger(dict(zip(LIMIT_NAMES, (-1.5708, 1.5708), strict=True)), kind="Prismatic")) == set()


def hand(*limits: float) -> str:
    parts = [base()]
    for i, size in enumerate(limits):
        parts += [link(f"l{i}"), joint("Revolute", f"j{i}", "base", f"l{i}", (),
                                       dict(zip(LIMIT_NAMES, (-size, size), strict=True)))]
    return robot(*parts)


@pytest.mark.parametrize(("limits", "found"), [
    ((2.9, 1.76, 2.6), True), ((2.9, 1.76), False), ((2.9, 1.76, 90.0), False), ((5.6, 5.6, 5.6), False),
])
def test_several_hinges_of_small_and_different_limits_look_like_radians(limits: tuple[float, ...], found: bool) -> None:
    assert ("unit/small-limits" in codes(hand(*limits))) == found


@pytest.mark.parametrize(("magnitude", "meters", "found"), [
    (9.81, 1.0, False), (9.81, 0.01, True), (981.0, 0.01, False), (981.0, 1.0, True), (1.62, 1.0, False),
    (0.0, 1.0, False),
])
def test_gravity_is_judged_in_metres(magnitude: float, meters: float, found: bool) -> None:
    scene = prim("PhysicsScene", "scene", ("PhysxSceneAPI",), {"float physics:gravityMagnitude": magnitude})
    assert ("unit/gravity" in codes(robot(base(), meters=meters, outside=scene))) == found


def test_damping_is_compared_in_one_unit() -> None:
    """One per degree is 57.3 per radian, which is what MuJoCo counts in."""
    values = {"float physxJointAxis:angular:viscousFrictionCoefficient": 1.0}
    assert "engine/disagree" in codes(finger({**values, "float mjc:damping": 1.0}, (AXIS,)))
    assert "engine/disagree" not in codes(finger({**values, "float mjc:damping": 57.29578}, (AXIS,)))


def test_time_steps_of_two_engines_are_compared() -> None:
    values = {"uint physxScene:timeStepsPerSecond": 60, "double mjc:option:timestep": 0.002}
    scene = prim("PhysicsScene", "scene", ("PhysxSceneAPI",), values)
    assert "engine/disagree" in codes(robot(base(), outside=scene))


@pytest.mark.parametrize(("margin", "found"), [(0.01, False), (0.02, True), (-1.0, False)])
def test_rest_offset_is_compared_with_newtons_contact_margin(margin: float, found: bool) -> None:
    shape = prim("Cube", "shape", ("PhysicsCollisionAPI", "PhysxCollisionAPI", "NewtonCollisionAPI"), {
        "float physxCollision:restOffset": 0.01, "float physxCollision:contactOffset": 0.05,
        "float newton:contactMargin": margin})
    assert ("engine/disagree" in codes(robot(base(), outside=shape))) == found


@pytest.mark.parametrize("own", [True, False])
def test_self_collisions_are_compared(own: bool) -> None:
    schemas = ("PhysicsArticulationRootAPI", "PhysxArticulationAPI", "NewtonArticulationRootAPI")
    text = robot(base(), link("tip"), joint("Revolute", "j", "base", "tip"), schemas=schemas)
    values = f"bool physxArticulation:enabledSelfCollisions = {int(own)}\nbool newton:selfCollisionEnabled = 1\n"
    head = '"NewtonArticulationRootAPI"])\n{\n'
    assert ("engine/disagree" in codes(text.replace(head, head + values, 1))) == (not own)


# --- the solver ---


def tendon(iterations: tuple[int, int], gearing: float = 1.0, force: float = 1.0, stiffness: float = 10.0,
           damping: float = 0.0) -> str:
    values = {"float[] physxTendon:t:gearing": [gearing], "float[] physxTendon:t:forceCoefficient": [force],
              "float physxTendon:t:stiffness": stiffness, "float physxTendon:t:damping": damping}
    counts = {"int physxArticulation:solverPositionIterationCount": iterations[0],
              "int physxArticulation:solverVelocityIterationCount": iterations[1]}
    text = robot(base(), link("tip"), joint("Prismatic", "j", "base", "tip", ("PhysxTendonAxisRootAPI:t",), values),
                 schemas=("PhysicsArticulationRootAPI", "PhysxArticulationAPI"))
    authored = "".join(f"{name} = {count}\n" for name, count in counts.items())
    head = '"PhysxArticulationAPI"])\n{\n'
    return text.replace(head, head + authored, 1)


@pytest.mark.parametrize(("iterations", "found"), [((32, 1), False), ((4, 0), False), ((4, 1), True), ((32, 4), True)])
def test_velocity_iterations_that_add_force_are_a_warning(iterations: tuple[int, int], found: bool) -> None:
    assert ("tendon/velocity-iterations" in codes(tendon(iterations))) == found


@pytest.mark.parametrize(("gearing", "force", "severity"), [
    (1.0, 1.0, None), (0.5, 0.5, "warning"), (1.0, 2.0, "error"), (2.0, 2.0, "error"), (2.0, 0.5, None),
])
def test_stiff_tendon_that_rests_elsewhere_is_judged_by_how_far(
    gearing: float, force: float, severity: str | None,
) -> None:
    """The five of experiments/measure_tendon_rules.py: right, too far, against the load, not a number, right."""
    found = {item.code: item.severity for item in check(
        opened(tendon((4, 0), gearing, force, 1e5, 2e3)), "physx").findings}
    assert found.get("tendon/rest-bias") == severity
