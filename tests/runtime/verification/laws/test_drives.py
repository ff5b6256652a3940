"""What verification says about drives and joint axes, on robots whose answer is known from mechanics.

Newton's values that PhysX takes are measured like PhysX's own, under the names they are authored with.
"""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.simulation.simulate import simulate
from physx_runtime.verification import verify
from support.stages.verified_robots import both, chain, drive, envelope, limits, part, row_of, turning, verified

EXACT = 1e-6        # experiments are in float64 and linear
SINE = 1e-5         # a drive of several axes sees twice the sine of half an angle; experiments turn by 0.01 at most
# A generic joint stops where a substep turns it by less than 1e-6 rad, a little of the load still on its damper.
STALL = 1e-3
SOFTENED = 1 / 1.025    # of an acceleration drive on a free slider at the default cfmScale


@pytest.mark.parametrize("iterations", [(1, 0), (4, 4), (32, 1)])
def test_force_drive_under_load_gives_its_stiffness_at_any_iteration_count(iterations: tuple[int, int]) -> None:
    stage = chain(drive("linear", stiffness=250.0, damping=12.0), iterations=iterations)
    assert verified(stage, "drive:linear:physics:stiffness").effective == pytest.approx(250.0, rel=EXACT)


@pytest.mark.parametrize("iterations", [(1, 0), (4, 4), (32, 1)])
def test_force_drive_at_speed_gives_its_damping_at_any_iteration_count(iterations: tuple[int, int]) -> None:
    stage = chain(drive("linear", stiffness=250.0, damping=12.0), iterations=iterations)
    assert verified(stage, "drive:linear:physics:damping").effective == pytest.approx(12.0, rel=EXACT)


def test_stiffness_is_the_load_over_the_displacement_that_simulating_shows() -> None:
    stage = chain(drive("linear", stiffness=250.0, damping=40.0))
    rest = [simulate(stage, steps=600, every=600, dtype="float64", joint_effort=[load]).joint_position[-1, 0, 0]
            for load in (5.0, 10.0)]
    shown = verified(stage, "drive:linear:physics:stiffness").effective
    assert shown == pytest.approx(5.0 / (rest[1] - rest[0]), rel=1e-6)


def test_angular_gains_are_per_degree() -> None:
    stage = chain(drive("angular", stiffness=0.5, damping=0.03), kind="Revolute")
    rows = verify(stage)
    found = [row_of(rows, f"drive:angular:physics:{name}") for name in ("stiffness", "damping")]
    assert [row.effective for row in found] == pytest.approx([0.5, 0.03], rel=EXACT)
    assert [row.unit for row in found] == ["torque/deg", "torque s/deg"]


def test_acceleration_drive_of_a_slider_is_softened_by_cfm() -> None:
    stage = chain(drive("linear", type="acceleration", stiffness=250.0, damping=0.0), iterations=(32, 0))
    row = verified(stage, "drive:linear:physics:stiffness")
    assert row.effective == pytest.approx(250.0 * SOFTENED, rel=1e-3)
    assert (row.verdict, row.ideal) == ("altered", pytest.approx(250.0, rel=EXACT))
    assert "cfmScale softens the constraint (x0.976)" in row.reason


def test_drive_saturates_at_max_force() -> None:
    stage = chain(drive("linear", stiffness=250.0, damping=12.0, maxForce=20.0))
    row = verified(stage, "drive:linear:physics:maxForce")
    assert (row.effective, row.verdict) == (pytest.approx(20.0, rel=EXACT), "as authored")


@pytest.mark.parametrize("iterations", [(1, 0), (4, 4), (32, 1)])
def test_drives_of_a_generic_joint_give_their_gains_and_forces(iterations: tuple[int, int]) -> None:
    drives = [drive(token, stiffness=2.0 + i, damping=0.3 + i, maxForce=5.0 + i)
              for i, token in enumerate(("rotX", "rotY", "rotZ"))]
    rows = verify(chain(turning(*drives), kind="", iterations=iterations))
    for i, token in enumerate(("rotX", "rotY", "rotZ")):
        found = [row_of(rows, f"drive:{token}:physics:{name}") for name in ("stiffness", "damping", "maxForce")]
        assert [row.effective for row in found] == pytest.approx([2.0 + i, 0.3 + i, 5.0 + i], rel=SINE)
        assert [row.ideal for row in found] == pytest.approx([2.0 + i, 0.3 + i, 5.0 + i], rel=SINE)


def test_stiffness_of_a_generic_joint_is_the_load_over_the_turn_that_simulating_shows() -> None:
    stage = chain(turning(drive("rotZ", stiffness=2.0, damping=0.1)), kind="", iterations=(4, 0))
    rest = [simulate(stage, steps=600, every=600, dtype="float64", joint_effort=[0.0, 0.0, load])
            .joint_position[-1, 0, 2] for load in (5.0, 10.0)]
    shown = verified(stage, "drive:rotZ:physics:stiffness").effective
    assert shown == pytest.approx(np.radians(1.0) * 5.0 / (rest[1] - rest[0]), rel=STALL)


def test_drive_without_force_is_ignored() -> None:
    row = verified(chain(drive("linear", stiffness=250.0, maxForce=0.0)), "drive:linear:physics:stiffness")
    assert (row.effective, row.verdict) == (0.0, "ignored")
    assert row.reason == "maxForce is 0, which disables the drive"


def test_negative_stiffness_is_shown_as_authored_beside_what_physx_takes() -> None:
    row = verified(chain(drive("linear", stiffness=-30.0, damping=1.0)), "drive:linear:physics:stiffness")
    assert row.authored == -30.0


def test_other_drives_of_the_chain_do_not_enter() -> None:
    weak, strong = drive("angular", stiffness=0.01, damping=0.001), drive("angular", stiffness=1e5, damping=1e4)
    rows = verify(chain(strong, weak, strong, kind="Revolute"))
    assert row_of(rows, "drive:angular:physics:stiffness", "/Robot/j1").effective == pytest.approx(0.01, rel=1e-5)


@pytest.mark.parametrize("stiffness", [1e-4, 1.0, 1e4, 1e6])
@pytest.mark.parametrize("mass", [1e-5, 1e4])
def test_gains_are_found_for_soft_and_stiff_drives_of_light_and_heavy_links(stiffness: float, mass: float) -> None:
    body = ((), {"float physics:mass": mass, "float3 physics:diagonalInertia": (mass, mass, mass)})
    stage = chain(drive("angular", stiffness=stiffness, damping=stiffness), kind="Revolute", links={0: body})
    rows = verify(stage)
    for name in ("stiffness", "damping"):
        assert row_of(rows, f"drive:angular:physics:{name}").effective == pytest.approx(stiffness, rel=1e-4), name


def test_joint_axis_numbers_come_out_as_authored() -> None:
    numbers = {"armature": 0.5, "staticFrictionEffort": 5.0, "dynamicFrictionEffort": 3.0,
               "viscousFrictionCoefficient": 2.0, "maxJointVelocity": 0.8}
    rows = verify(chain(part("PhysxJointAxisAPI:linear", "physxJointAxis:linear", **numbers)))
    found = {name: row_of(rows, f"physxJointAxis:linear:{name}") for name in numbers}
    assert {name: row.verdict for name, row in found.items()} == dict.fromkeys(numbers, "as authored")
    assert [row.effective for row in found.values()] == pytest.approx(list(numbers.values()), rel=2e-3)


def test_maximum_velocity_of_a_slider_is_exceeded_after_one_iteration() -> None:
    # PhysX: thrown at 1.5 with a maximum of 0.5 and one iteration, a slider of cfm 0.025 keeps 0.5243902
    axis = part("PhysxJointAxisAPI:linear", "physxJointAxis:linear", maxJointVelocity=0.5)
    row = verified(chain(axis, iterations=(1, 0)), "physxJointAxis:linear:maxJointVelocity")
    assert (row.effective, row.verdict) == (pytest.approx(0.5243902, rel=1e-6), "altered")


def test_maximum_velocity_is_measured_where_a_fast_joint_is_turned_round_by_its_own_motion() -> None:
    # a lopsided link on a second hinge: thrown at 13 500 degrees/s, j0 moves backwards a step later
    lopsided = ((), {"float physics:mass": 1.0, "float3 physics:diagonalInertia": (0.1, 1.0, 1.05),
                     "quatf physics:principalAxes": (0.19, -0.2, 0.95, 0.16)})
    fast = part("PhysxJointAxisAPI:angular", "physxJointAxis:angular", maxJointVelocity=4500.0)
    light = ((), {"float physics:mass": 0.01, "float3 physics:diagonalInertia": (0.001, 0.001, 0.001)})
    stage = chain(fast, ((), {"uniform token physics:axis": "Y"}), kind="Revolute", links={0: light, 1: lopsided})
    row = verified(stage, "physxJointAxis:angular:maxJointVelocity")
    assert (row.effective, row.verdict) == (pytest.approx(4500.0, rel=1e-3), "as authored")


def test_envelope_is_measured() -> None:
    stage = chain(both(drive("linear", stiffness=10.0, maxForce=5.0), envelope("linear", maxActuatorVelocity=2.0)))
    row = verified(stage, "physxDrivePerformanceEnvelope:linear:maxActuatorVelocity")
    assert (row.verdict, row.authored, row.effective) == ("as authored", 2.0, 2.0)


def test_gravity_limits_and_damping_of_the_stage_do_not_enter() -> None:
    heavy = ((), {"float physics:mass": 50.0})
    stage = chain(both(drive("linear", stiffness=250.0, damping=12.0), ((), {
        "float physics:lowerLimit": 0.3, "float physics:upperLimit": 0.4})), links={0: heavy}, along="Z")
    row = verified(stage, "drive:linear:physics:stiffness")
    assert row.effective == pytest.approx(250.0, rel=EXACT)
    assert np.isfinite(row.ideal or np.nan)


# --- newton ----------------------------------------------------------------------------------------------------------

JOINT = part("NewtonJointAPI", "newton", armature=0.25, friction=2.0, damping=0.5, velocityLimit=3.0)


@pytest.mark.parametrize(("name", "authored"), [("armature", 0.25), ("damping", 0.5), ("velocityLimit", 3.0)])
def test_value_that_physx_takes_from_newton_is_measured(name: str, authored: float) -> None:
    row = verified(chain(JOINT, iterations=(32, 0)), f"newton:{name}")
    assert (row.authored, row.verdict) == (authored, "as authored")
    assert row.effective == pytest.approx(authored, rel=1e-2)


def test_newtons_friction_is_measured_as_static_and_as_dynamic_friction() -> None:
    rows = [row for row in verify(chain(JOINT, iterations=(32, 0))).rows if row.property == "newton:friction"]
    assert [row.effective for row in rows] == [pytest.approx(2.0, rel=1e-2)] * 2
    assert {row.verdict for row in rows} == {"as authored"}


def test_newtons_value_beside_one_of_physx_is_ignored() -> None:
    own = part("PhysxJointAxisAPI:linear", "physxJointAxis:linear", armature=1.0)
    verification = verify(chain(both(JOINT, own)))
    assert row_of(verification, "physxJointAxis:linear:armature").verdict == "as authored"
    assert row_of(verification, "newton:armature").verdict == "ignored"


def test_coefficients_of_newtons_mimic_joint_are_measured() -> None:
    schemas, values = part("NewtonMimicAPI", "newton", mimicCoef0=5.0, mimicCoef1=0.5)
    follower = schemas, {**values, "rel newton:mimicJoint": "</Robot/j0>"}
    stage = chain(limits(-40, 40), both(follower, limits(-90, 90)), kind="Revolute", serial=False)
    verification = verify(stage)
    for name, value in (("newton:mimicCoef0", 5.0), ("newton:mimicCoef1", 0.5)):
        row = row_of(verification, name, "/Robot/j1")
        assert (row.authored, row.verdict) == (value, "as authored")
        assert row.effective == pytest.approx(value, rel=1e-3)


def test_value_of_newton_that_physx_does_not_read_is_for_another_engine() -> None:
    row = verified(chain(both(drive("linear", stiffness=1.0), ((), {"float newton:kp": 3.0}))), "newton:kp")
    assert (row.authored, row.verdict) == (3.0, "for another engine")
    assert "Newton" in row.reason
