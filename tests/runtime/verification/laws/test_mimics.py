"""What verification says about mimic joints, against numbers measured in PhysX.

The robot of the table: two hinges about z beside each other on a fixed base, links with moments of inertia of 0.1, the
leader driven with stiffness 1000 and damping 200 per degree, gearing -1, 120 Hz. PhysX was asked for 20 degrees.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from physx_runtime.verification import verify
from physx_runtime.verification.bench import Bench
from physx_runtime.verification.laws.mimics import sweep, with_drives
from pxr import Usd
from support.stages.verified_robots import both, chain, drive, limits, mimic, row_of, verified

from physx_schema.description import describe

GEARING, OFFSET = "physxMimicJoint:rotZ:gearing", "physxMimicJoint:rotZ:offset"
LIGHT = ((), {"float3 physics:diagonalInertia": (0.1, 0.1, 0.1)})


def pair(follower: tuple[float, float] = (-80, 80), leader: tuple[float, float] = (-60, 60), instance: str = "rotZ",
         iterations: tuple[int, int] = (32, 1), kind: str = "Revolute", **values: float) -> Usd.Stage:
    token = "angular" if kind == "Revolute" else "linear"
    first = both(drive(token, stiffness=1000.0, damping=200.0), limits(*leader))
    second = both(mimic(instance, **({"gearing": -1.0} | values)), limits(*follower))
    return chain(first, second, kind=kind, serial=False, along="Z", iterations=iterations, links={0: LIGHT, 1: LIGHT})


@pytest.mark.parametrize(("follower", "values", "leader_at", "follower_at"), [
    ((-80, 80), {}, 19.99, 19.99), ((-80, 80), {"gearing": 1.0}, 19.99, -19.99),
    ((-80, 80), {"gearing": -2.0}, 20.00, 39.99), ((-80, 80), {"offset": 10.0}, 19.99, 9.99),
    ((0, 10), {}, 11.80, 10.00), ((-45, 0), {}, 3.60, 0.00), ((30, 60), {}, 28.20, 30.00)])
def test_sweep_comes_to_rest_where_physx_does(follower: tuple[float, float], values: dict[str, float], leader_at: float,
                                              follower_at: float) -> None:
    description = describe(pair(follower, **values))
    (articulation,) = description.articulations
    bench = Bench(description, with_drives(articulation), 1 / 120)
    rest = np.degrees(sweep(bench, articulation.mimics[0], np.radians([20.0])).positions[0])
    # PhysX was stopped after two seconds, up to 0.01 degrees before its rest
    assert rest == pytest.approx([leader_at, follower_at], abs=0.015)


def test_gearing_and_offset_come_out_as_authored() -> None:
    rows = verify(pair((-150, 150), gearing=1.5, offset=20.0))
    assert [row_of(rows, name, "/Robot/j1").effective for name in (GEARING, OFFSET)] == pytest.approx([1.5, 20.0])
    assert [row_of(rows, name, "/Robot/j1").verdict for name in (GEARING, OFFSET)] == ["as authored"] * 2


@pytest.mark.parametrize(("values", "verdict"), [
    ({"naturalFrequency": 60.0}, "ignored"), ({"naturalFrequency": 60.0, "dampingRatio": 0.0}, "as authored")])
def test_frequency_of_a_rigid_coupling_is_ignored_unless_a_damping_ratio_of_zero_asks_for_it(
    values: dict[str, float], verdict: str,
) -> None:
    assert row_of(verify(pair(**values)), "physxMimicJoint:rotZ:naturalFrequency", "/Robot/j1").verdict == verdict


def test_gearing_between_a_slider_and_a_hinge_is_in_degrees_per_length() -> None:
    first = both(drive("linear", stiffness=1000.0, damping=200.0), limits(-0.2, 0.2))
    second = both(mimic("rotX", gearing=-100.0, offset=5.0), limits(-60, 60))
    stage = chain(first, second, kind="Prismatic", serial=False)
    stage.GetPrimAtPath("/Robot/j1").SetTypeName("PhysicsRevoluteJoint")
    rows = verify(stage)
    assert row_of(rows, "physxMimicJoint:rotX:gearing", "/Robot/j1").effective == pytest.approx(-100.0)
    assert row_of(rows, "physxMimicJoint:rotX:offset", "/Robot/j1").effective == pytest.approx(5.0)


def test_limits_of_the_follower_are_a_note_on_gearing() -> None:
    row = verified(pair((0, 10)), GEARING, "/Robot/j1", dt=1 / 120)
    assert (row.verdict, row.effective) == ("altered", pytest.approx(-1.0))
    assert row.reason.startswith(
        "the limits [0, 10] deg of /Robot/j1 block /Robot/j0; this joint reaches [0, 10] deg of its range "
        "[-60, 60] deg, and with target ")


def test_limits_that_exclude_the_whole_range_leave_nothing_to_measure() -> None:
    row = verified(pair((70, 75)), GEARING, "/Robot/j1", dt=1 / 120)
    assert (row.verdict, row.effective) == ("altered", None)
    assert "the limits [70, 75] deg of /Robot/j1 block /Robot/j0; this joint reaches none of its range" in row.reason


def test_limits_equal_to_the_image_of_the_range_are_no_fault() -> None:
    assert verified(pair((0, 45), (0, 45)), GEARING, "/Robot/j1").verdict == "as authored"


def test_slider_without_limits_follows() -> None:
    first = drive("linear", stiffness=1000.0, damping=200.0)
    row = verified(chain(first, mimic("rotX", gearing=-2.0), serial=False), "physxMimicJoint:rotX:gearing", "/Robot/j1")
    assert (row.verdict, row.effective) == ("as authored", pytest.approx(-2.0))


def test_mimic_joints_that_disagree_are_found() -> None:
    # a cycle, -1 one way and -2 back: PhysX lets the joints go to 8.7 and 7.5 where 20 was asked for
    driven = drive("angular", stiffness=1000.0, damping=200.0)
    first = both(driven, mimic("rotZ", "j1", gearing=-2.0), limits(-60, 60))
    second = both(mimic("rotZ", gearing=-1.0), limits(-80, 80))
    stage = chain(first, second, kind="Revolute", serial=False, along="Z", links={0: LIGHT, 1: LIGHT})
    row = verified(stage, GEARING, "/Robot/j1", dt=1 / 120)
    assert row.verdict == "altered"
    assert row.reason.startswith("conflicting mimic joints block /Robot/j0; ")


def test_compliant_mimic_joint_is_the_spring_it_says_without_velocity_iterations() -> None:
    rows = verify(pair(iterations=(32, 0), naturalFrequency=25.0, dampingRatio=0.6))
    found = [row_of(rows, f"physxMimicJoint:rotZ:{name}", "/Robot/j1").effective
             for name in ("naturalFrequency", "dampingRatio")]
    assert found == pytest.approx([25.0, 0.6], rel=0.02)


def test_velocity_iterations_overdamp_a_compliant_mimic_joint() -> None:
    # PhysX, natural frequency 10, damping ratio 1, 4/1 at 0.01 s: an error of 1 has become 0.972 after 5 steps
    stage = pair(iterations=(4, 1), naturalFrequency=10.0, dampingRatio=1.0)
    row = verified(stage, "physxMimicJoint:rotZ:dampingRatio", "/Robot/j1", dt=0.01)
    decay = -math.log(0.972) / 0.05
    assert row.effective == pytest.approx((10.0 ** 2 + decay ** 2) / (2.0 * 10.0 * decay), rel=0.02)
    assert "PhysX solves the mimic joint as rigid in velocity iterations: 1 velocity iteration" in row.reason


@pytest.mark.parametrize(("name", "values"), [
    ("naturalFrequency", {"naturalFrequency": -5.0, "dampingRatio": 1.0}),
    ("dampingRatio", {"naturalFrequency": -5.0, "dampingRatio": 1.0}),
    ("naturalFrequency", {"naturalFrequency": 100.0})])
def test_half_of_a_compliance_is_ignored(name: str, values: dict[str, float]) -> None:
    row = verified(pair(**values), f"physxMimicJoint:rotZ:{name}", "/Robot/j1")
    assert (row.verdict, row.authored) == ("ignored", values[name])


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_gearing_that_is_no_number_spoils_the_whole_articulation(value: float) -> None:
    rows = [row for row in verify(pair(gearing=value)).rows if row.property.startswith("physxMimicJoint:")]
    assert {row.verdict for row in rows} == {"not evaluated"}
    assert all("/Robot/j1 physxMimicJoint:rotZ:gearing is" in row.reason for row in rows)
