"""What verification says about fixed tendons, against formulae and numbers of docs/reference/physx/tendons.md.

Rest lengths, offsets and limits of tendons, and tendons of which a solver reads a number a tenth too large.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from physx_runtime.simulation.simulate import simulate
from physx_runtime.simulation.simulation import Simulation
from physx_runtime.verification import verify
from pxr import Usd
from support.stages.verified_robots import attachment, axis, chain, row_of, verified

STIFFNESS, DAMPING = "physxTendon:t:stiffness", "physxTendon:t:damping"
DT = 1 / 60


def rest_state_factor(stiffness: float, damping: float, gearing: float, force: float, iterations: int) -> float:
    """Effective over authored stiffness of one axis on a free unit mass without velocity iterations.

    Under an acceleration A it settles at |e| = A (1 + a r (1 - gearing force)) / (k r force), a = h (h k + d), r = 1.
    """
    h = DT / iterations
    return 1.0 / (1.0 + h * (h * stiffness + damping) * (1.0 - gearing * force))


@pytest.mark.parametrize("iterations", [1, 4, 32])
def test_one_axis_settles_as_the_rest_state_formula_says(iterations: int) -> None:
    stage = chain(axis(2.0, 1.0, root=True, stiffness=1000.0, damping=60.0), iterations=(iterations, 0))
    expected = 1000.0 * rest_state_factor(1000.0, 60.0, 2.0, 1.0, iterations)
    assert verified(stage, STIFFNESS).effective == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("iterations", "settled"), [((32, 0), -0.00484), ((1, 0), 0.001385)])
def test_effective_stiffness_is_that_of_the_rest_position_measured_in_physx(iterations: tuple[int, int],
                                                                            settled: float) -> None:
    # a vertical slider of unit mass under 10 m/s^2 with gearing 2; the recorded positions have three digits
    stage = chain(axis(2.0, 1.0, root=True, stiffness=1000.0, damping=60.0), iterations=iterations)
    assert verified(stage, STIFFNESS).effective == pytest.approx(10.0 / (2.0 * -settled), rel=5e-3)


def test_gearing_times_force_coefficient_1_is_exact() -> None:
    stage = chain(axis(2.0, 0.5, root=True, stiffness=1000.0, damping=60.0), iterations=(4, 0))
    assert verified(stage, STIFFNESS).verdict == "as authored"


@pytest.mark.parametrize(("n", "v"), [(4, 4), (32, 1), (8, 2)])
def test_velocity_iterations_repeat_the_pull(n: int, v: int) -> None:
    row = verified(chain(axis(root=True, stiffness=1.0), iterations=(n, v)), STIFFNESS)
    assert row.effective == pytest.approx((n + v) / n, rel=1e-3)
    assert row.ideal == pytest.approx(1.0, rel=1e-6)
    assert f"PhysX also applies the tendon's force in velocity iterations: {v} velocity iteration" in row.reason


@pytest.mark.parametrize("count", [2, 3, 5])
def test_pull_is_divided_by_the_number_of_axes(count: int) -> None:
    stage = chain(axis(root=True, stiffness=10.0, damping=0.5), *[axis()] * (count - 1), iterations=(32, 0))
    rows = verify(stage)
    assert row_of(rows, STIFFNESS).effective == pytest.approx(10.0 / count, rel=1e-3)
    assert row_of(rows, DAMPING).effective == pytest.approx(0.5 / count, rel=1e-3)
    cause = f"divides the tendon's pull by the number of its axes, {count} (x{1 / count:.3g})"
    assert cause in row_of(rows, STIFFNESS).reason


def test_effective_stiffness_is_the_load_over_the_stretch_that_simulating_shows() -> None:
    stage = chain(axis(1.5, 0.8, root=True, stiffness=400.0, damping=30.0))
    rest = [simulate(stage, steps=1200, every=1200, dtype="float64", joint_effort=[load]).joint_position[-1, 0, 0]
            for load in (4.0, 8.0)]
    expected = 4.0 / (0.8 * 1.5 * (rest[1] - rest[0]))
    assert verified(stage, STIFFNESS).effective == pytest.approx(expected, rel=1e-6)


def test_gearing_of_a_hinge_is_per_degree() -> None:
    row = verified(chain(axis(0.01, 0.5, root=True, stiffness=20.0), kind="Revolute"), "physxTendon:t:gearing")
    assert (row.effective, row.unit) == (pytest.approx(0.01, rel=1e-6), "length/deg")


def test_gearing_and_force_coefficient_are_found_for_every_axis() -> None:
    gearings, forces = (0.3, -0.7, 0.2), (0.4, -0.9, 0.25)
    joints = [axis(g, f, root=i == 0, **({"stiffness": 3.0} if i == 0 else {}))
              for i, (g, f) in enumerate(zip(gearings, forces, strict=True))]
    rows = verify(chain(*joints, iterations=(32, 0)))
    for name, values in (("gearing", gearings), ("forceCoefficient", forces)):
        found = [row_of(rows, f"physxTendon:t:{name}", f"/Robot/j{i}").effective for i in range(3)]
        assert found == pytest.approx(values, rel=1e-3), name


def test_axis_with_gearing_0_still_divides() -> None:
    stage = chain(axis(root=True, stiffness=10.0), axis(0.0, 0.0), iterations=(32, 0))
    assert verified(stage, STIFFNESS).effective == pytest.approx(5.0, rel=1e-3)


def test_damping_of_axes_that_are_not_parallel_acts_on_another_rate() -> None:
    crossed = chain(axis(0.01, 1.0, root=True, stiffness=1.0, damping=0.05), axis(0.02, 1.0), kind="Revolute")
    crossed.GetPrimAtPath("/Robot/j1").GetAttribute("physics:axis").Set("Y")
    row = verified(crossed, DAMPING)
    assert "the tendon's axes are not parallel" in row.reason


def test_limit_stiffness_acts_beyond_a_limit() -> None:
    limited = axis(root=True, stiffness=1.0, limitStiffness=40.0, lowerLimit=-1.0, upperLimit=1.0)
    stage = chain(limited, iterations=(32, 0))
    assert verified(stage, "physxTendon:t:limitStiffness").effective == pytest.approx(40.0, rel=1e-3)


def test_limit_stiffness_without_limits_is_ignored() -> None:
    row = verified(chain(axis(root=True, stiffness=1.0, limitStiffness=40.0)), "physxTendon:t:limitStiffness")
    assert (row.verdict, row.effective) == ("ignored", 0.0)
    assert row.reason == "the tendon has neither a lower nor an upper limit"


def test_disabled_tendon_is_ignored() -> None:
    schemas, attributes = axis(root=True, stiffness=10.0, damping=1.0)
    rows = verify(chain((schemas, {**attributes, "bool physxTendon:t:tendonEnabled": False})))
    for name in (STIFFNESS, DAMPING, "physxTendon:t:gearing", "physxTendon:t:forceCoefficient"):
        assert (row_of(rows, name).verdict, row_of(rows, name).effective) == ("ignored", 0.0), name
        assert row_of(rows, name).reason == "tendonEnabled is false, which disables the tendon"


def test_tendon_without_force_coefficients_pulls_on_nothing() -> None:
    rows = verify(chain(axis(1.0, 0.0, root=True, stiffness=10.0)))
    assert (row_of(rows, STIFFNESS).effective, row_of(rows, STIFFNESS).verdict) == (0.0, "altered")
    assert row_of(rows, "physxTendon:t:gearing").verdict == "not evaluated"


def test_tendon_that_drives_its_joint_apart_is_not_evaluated() -> None:
    # gearing and force coefficient of opposite sign: a stiff anti-spring, whose motion explodes within a step
    row = verified(chain(axis(60.0, -60.0, root=True, stiffness=1e5, damping=1e4)), STIFFNESS)
    assert (row.verdict, row.effective) == ("not evaluated", None)
    assert "no joint efforts that hold the pose" in row.reason


def test_pose_and_pretension_do_not_matter_to_a_chain_of_sliders() -> None:
    stretched = chain(axis(root=True, stiffness=10.0, restLength=-50.0, offset=7.0), axis(), iterations=(32, 0))
    assert verified(stretched, STIFFNESS).effective == pytest.approx(5.0, rel=1e-3)


def test_reason_multiplies_up_to_what_is_effective() -> None:
    row = verified(chain(axis(0.3, 0.2, root=True, stiffness=500.0, damping=40.0), axis(0.1, 0.1)), STIFFNESS)
    factors = [float(text.partition(")")[0]) for text in row.reason.split("(x")[1:]]
    assert len(factors) == 3
    assert row.authored * math.prod(factors) == pytest.approx(row.effective, rel=0.02)


# --- tendon lengths --------------------------------------------------------------------------------------------------

# Exact in float64, to the digits that a row keeps.
EXACT = 1e-5
ERROR = 1.1
# Of a planted error of 10 %: stiffness and damping are each divided by a little more when they grow.
SEEN = 0.01
FIXED = {"stiffness": 30.0, "damping": 2.0, "restLength": 0.7, "offset": 0.2, "limitStiffness": 100.0,
         "lowerLimit": -0.3, "upperLimit": 0.5}
AT_ROOT = {"stiffness": 150.0, "damping": 12.0, "offset": 0.3, "limitStiffness": 50.0}
AT_LEAF = {"restLength": 2.0, "lowerLimit": 1.0, "upperLimit": 3.0}
ROWS = {"stiffness": "stiffness", "damping": "damping", "limitStiffness": "limit_stiffness",
        "restLength": "rest_length", "offset": "offset", "lowerLimit": "lower_limit", "upperLimit": "upper_limit"}


def fixed(**more: float) -> Usd.Stage:
    """A slider under a fixed tendon of one axis."""
    return chain(axis(1.5, 0.5, root=True, **(FIXED | more)), iterations=(64, 0))


def spatial(**more: float) -> Usd.Stage:
    """A slider pulled towards the base."""
    leaf = attachment("f", (0.0, 0.0, 0.0), ("base", "r"), leaf=True, **(AT_LEAF | more))
    return chain(((), {}), links={0: leaf}, on_base=attachment("r", (2.0, 0.0, 0.0), **AT_ROOT), iterations=(64, 0))


NUMBERS = [*((fixed, "/Robot/j0", "t", name) for name in FIXED), *((spatial, "/Robot/base", "r", n) for n in AT_ROOT),
           *((spatial, "/Robot/l0", "f", name) for name in AT_LEAF)]
AT_ONCE = ("restLength", "limitStiffness")      # the others, 3 to 7 s each, are in the sweep


@pytest.mark.parametrize("stage", [fixed, spatial])
def test_lengths_come_out_as_authored(stage: Any) -> None:
    rows = [row for row in verify(stage()).rows
            if row.property.rpartition(":")[2] in ("restLength", "offset", "lowerLimit", "upperLimit")
            and row.property.startswith("physxTendon")]
    assert len(rows) == 4
    assert [row.verdict for row in rows] == ["as authored"] * 4
    assert [row.effective for row in rows] == pytest.approx([row.authored for row in rows], rel=EXACT)


def test_a_rest_length_that_stands_for_the_pose_is_no_length_to_measure() -> None:
    row = row_of(verify(spatial(restLength=-1.0)), "physxTendon:f:restLength", "/Robot/l0")
    assert row.verdict == "not evaluated"


@pytest.mark.parametrize(("stage", "path", "instance", "name"), [
    pytest.param(*number, marks=() if number[-1] in AT_ONCE else pytest.mark.sweep) for number in NUMBERS])
def test_a_solver_that_reads_a_number_of_a_tendon_a_tenth_too_large_is_found_out(
        stage: Any, path: str, instance: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    set_row = Simulation.set_row
    wrong = f"_tendon0_{ROWS[name]}"

    def misread(simulation: Simulation, row: str, values: Any, worlds: Any = None) -> None:
        set_row(simulation, row, [ERROR * value for value in values] if row.endswith(wrong) else values, worlds)

    before = row_of(verify(stage()), f"physxTendon:{instance}:{name}", path).effective
    monkeypatch.setattr(Simulation, "set_row", misread)
    after = row_of(verify(stage()), f"physxTendon:{instance}:{name}", path)
    assert after.verdict == "altered"
    assert isinstance(before, float)
    assert after.effective == pytest.approx(ERROR * before, rel=SEEN)
