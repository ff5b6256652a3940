"""Degrees of freedom in the units of simulation, and the values PhysX refuses (as measured)."""

from __future__ import annotations

import math

import pytest
from support.stages.robots import finger, opened

from physx_schema.description import Description, Dof, describe

DEGREE = math.pi / 180.0
INF = math.inf


def read(attributes: dict[str, object], schemas: tuple[str, ...] = (), kind: str = "Revolute") -> Description:
    return describe(opened(finger(attributes, schemas, kind)))


def dof(attributes: dict[str, object], schemas: tuple[str, ...] = (), kind: str = "Revolute") -> Dof:
    return read(attributes, schemas, kind).articulations[0].dofs[0]


def limits(lower: float | None, upper: float | None, kind: str = "Revolute") -> tuple[float, float]:
    authored = {"float physics:lowerLimit": lower, "float physics:upperLimit": upper}
    found = dof({name: value for name, value in authored.items() if value is not None}, (), kind)
    return found.lower, found.upper


def test_angular_limits_are_radians() -> None:
    assert limits(-90.0, 180.0) == pytest.approx((-math.pi / 2, math.pi))


def test_linear_limits_keep_their_length() -> None:
    assert limits(-0.5, 2.0, "Prismatic") == (-0.5, 2.0)


def test_joint_without_limits_is_free() -> None:
    assert limits(None, None) == (-INF, INF)


def test_bounds_from_half_1e38_on_are_none() -> None:
    assert limits(-1e38, 1e38) == (-INF, INF)


def test_one_bound_of_1e38_leaves_the_other() -> None:
    assert limits(-10.0, 1e38) == pytest.approx((-10 * DEGREE, INF))


@pytest.mark.parametrize("kind", ["Revolute", "Prismatic"])
@pytest.mark.parametrize("pair", [(-10.0, None), (None, 10.0), (10.0, -10.0), (30.0, 20.0)])
def test_limits_that_physx_refuses_hold_the_joint_at_0(pair: tuple[float | None, float | None], kind: str) -> None:
    assert limits(*pair, kind) == (0.0, 0.0)


@pytest.mark.parametrize(("pair", "code", "name"), [
    ((-10.0, None), "joint/one-sided-limit", "physics:upperLimit"),
    ((None, 10.0), "joint/one-sided-limit", "physics:lowerLimit"),
    ((10.0, -10.0), "joint/limit-order", "physics:lowerLimit"),
])
def test_refused_limits_are_reported(pair: tuple[float | None, float | None], code: str, name: str) -> None:
    authored = {"float physics:lowerLimit": pair[0], "float physics:upperLimit": pair[1]}
    problems = read({key: value for key, value in authored.items() if value is not None}).problems
    assert [(problem.code, problem.path, problem.property) for problem in problems] == [(code, "/Robot/j", name)]


def drive(name: str, **values: object) -> dict[str, object]:
    return {f"float drive:{name}:physics:{key}": value for key, value in values.items()}


def test_angular_drive_gains_are_per_radian() -> None:
    values = drive("angular", stiffness=3.0, damping=2.0, targetPosition=30.0, targetVelocity=60.0, maxForce=7.0)
    found = dof(values, ("PhysicsDriveAPI:angular",)).drive
    assert found is not None
    assert found.stiffness == pytest.approx(171.88734436)
    assert found.damping == pytest.approx(114.59156036)
    assert (found.target_position, found.target_velocity) == pytest.approx((math.pi / 6, math.pi / 3))
    assert found.max_force == 7.0


def test_linear_drive_gains_are_as_authored() -> None:
    found = dof(drive("linear", stiffness=3.0, damping=2.0), ("PhysicsDriveAPI:linear",), "Prismatic").drive
    assert found is not None
    assert (found.stiffness, found.damping, found.max_force) == (3.0, 2.0, INF)


def test_drive_needs_its_api() -> None:
    assert dof(drive("angular", stiffness=3.0)).drive is None


def test_drive_of_another_axis_is_no_drive() -> None:
    assert dof(drive("linear", stiffness=3.0), ("PhysicsDriveAPI:linear",)).drive is None


def test_negative_max_force_refuses_the_drive() -> None:
    description = read(drive("angular", stiffness=3.0, maxForce=-4.0), ("PhysicsDriveAPI:angular",))
    assert description.articulations[0].dofs[0].drive is None
    assert [problem.code for problem in description.problems] == ["joint/drive-refused"]


def test_negative_stiffness_is_taken_as_it_is() -> None:
    found = dof(drive("linear", stiffness=-3.0), ("PhysicsDriveAPI:linear",), "Prismatic").drive
    assert found is not None
    assert found.stiffness == -3.0


@pytest.mark.parametrize(("token", "acceleration"), [("acceleration", True), ("force", False), ("acelleration", False)])
def test_drive_type_is_force_unless_spelt_acceleration(token: str, acceleration: bool) -> None:
    authored = {"uniform token drive:angular:physics:type": token}
    found = dof(authored, ("PhysicsDriveAPI:angular",)).drive
    assert found is not None
    assert found.acceleration is acceleration


def axis(name: str, **values: object) -> dict[str, object]:
    return {f"float physxJointAxis:{name}:{key}": value for key, value in values.items()}


def test_angular_axis_properties_are_in_radians() -> None:
    values = axis("angular", armature=0.5, maxJointVelocity=90.0, viscousFrictionCoefficient=2.0,
                  staticFrictionEffort=5.0, dynamicFrictionEffort=3.0)
    found = dof(values, ("PhysxJointAxisAPI:angular",))
    assert found.armature == 0.5
    assert found.max_velocity == pytest.approx(1.5707963)
    assert (found.static_friction, found.dynamic_friction) == (5.0, 3.0)
    assert found.viscous_friction == pytest.approx(114.59156)


def test_dynamic_friction_above_static_leaves_no_friction_at_all() -> None:
    values = axis("angular", staticFrictionEffort=1.0, dynamicFrictionEffort=3.0, viscousFrictionCoefficient=2.0)
    description = read(values, ("PhysxJointAxisAPI:angular",))
    found = description.articulations[0].dofs[0]
    assert (found.static_friction, found.dynamic_friction, found.viscous_friction) == (0.0, 0.0, 0.0)
    assert [problem.code for problem in description.problems] == ["joint/friction-order"]


def test_negative_axis_properties_are_zero() -> None:
    found = dof(axis("angular", armature=-0.5, maxJointVelocity=-5.0), ("PhysxJointAxisAPI:angular",))
    assert (found.armature, found.max_velocity) == (0.0, 0.0)


def test_envelope_is_in_radians() -> None:
    values = {f"float physxDrivePerformanceEnvelope:angular:{key}": value for key, value in
              (("maxActuatorVelocity", 90.0), ("velocityDependentResistance", 1.0), ("speedEffortGradient", 2.0))}
    found = dof(values, ("PhysicsDriveAPI:angular", "PhysxDrivePerformanceEnvelopeAPI:angular")).drive
    assert found is not None
    assert found.envelope is not None
    assert found.envelope.max_actuator_velocity == pytest.approx(math.pi / 2)
    assert found.envelope.velocity_dependent_resistance == pytest.approx(180 / math.pi)
    assert found.envelope.speed_effort_gradient == pytest.approx(2 * DEGREE)


def test_joint_state_is_in_radians() -> None:
    values = {"float state:angular:physics:position": 40.0, "float state:angular:physics:velocity": -60.0}
    found = dof(values, ("PhysicsJointStateAPI:angular",))
    assert (found.position, found.velocity) == pytest.approx((0.6981317, -1.0471976))


def test_generic_joint_keeps_its_unlocked_rotations() -> None:
    schemas = ("PhysicsLimitAPI:rotX", "PhysicsLimitAPI:rotY", "PhysicsDriveAPI:rotZ")
    values = {"float limit:rotX:physics:low": 1.0, "float limit:rotX:physics:high": -1.0,
              "float limit:rotY:physics:low": -30.0, "float limit:rotY:physics:high": 40.0,
              "float drive:rotZ:physics:stiffness": 2.0}
    first, second = read(values, schemas, "").articulations[0].dofs
    assert (first.name, second.name) == ("/Robot/j:rotY", "/Robot/j:rotZ")
    assert (first.lower, first.upper) == pytest.approx((-0.5235988, 0.6981317))
    assert second.drive is not None
    assert second.drive.stiffness == pytest.approx(114.59156)


def test_limit_of_a_wrong_type_is_reported_and_counts_as_0() -> None:
    description = read({"string physics:lowerLimit": "low", "float physics:upperLimit": 9.0})
    dof = description.articulations[0].dofs[0]
    assert (dof.lower, dof.upper) == (0.0, pytest.approx(math.radians(9.0)))
    assert [(problem.code, problem.path, problem.property) for problem in description.problems] == [
        ("value/wrong-type", "/Robot/j", "physics:lowerLimit")]


def test_time_samples_without_a_default_are_reported() -> None:
    text = finger({"float physxJointAxis:angular:armature.timeSamples": "<>"}, ("PhysxJointAxisAPI:angular",))
    description = describe(opened(text.replace("= <>", "= {0: 3, 10: 5}")))
    assert description.articulations[0].dofs[0].armature == 0.0
    assert [problem.code for problem in description.problems] == ["value/only-samples"]
