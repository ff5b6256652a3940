"""Rows of joints outside articulations against what mechanics says of the simplest of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from physx_runtime.compiling.trace import row_of, row_scalars, trace
from physx_runtime.model.island import (
    AXES,
    BODY,
    D6,
    DISTANCE,
    FREE,
    GEAR,
    KINEMATIC,
    LIMITED,
    LINK,
    LOCKED,
    RACK,
    WORLD,
    AxisTopology,
    HingeTopology,
    JointTopology,
    Side,
)
from physx_runtime.model.island_rows import LASTING, READ, joint_rows
from physx_runtime.solver.joint.kinds import prepared_from
from physx_runtime.solver.joint.step import broken, prepare, prepared_rows, solve
from support.chance.held_bodies import DT, UPRIGHT, Rows, body_at_origin
from support.mechanics.body_islands import BodyIsland, step

FIXED = (AxisTopology(LOCKED),) * 6
EVERYTHING = tuple(AxisTopology(LIMITED, drive="force") for _ in AXES[:3]) + tuple(
    AxisTopology(LIMITED, soft=True, drive="acceleration") for _ in AXES[3:])
HINGES = (HingeTopology(0, holds_first=True), HingeTopology(1))
KINDS: dict[str, dict[str, Any]] = {
    "fixed": {"kind": D6, "axes": FIXED}, "all axes limited": {"kind": D6, "axes": EVERYTHING},
    "cone": {"kind": D6, "axes": FIXED[:3] + (AxisTopology(),) * 3, "cone": "hard"},
    "range": {"kind": DISTANCE, "range": "both"}, "spring": {"kind": DISTANCE, "range": "equal", "spring": True},
    "gear": {"kind": GEAR, "hinges": HINGES}, "rack": {"kind": RACK, "hinges": HINGES}}
SIDES = ((WORLD, BODY), (BODY, BODY), (BODY, KINEMATIC), (WORLD, LINK), (LINK, LINK), (BODY, LINK))


def along_x(axis: AxisTopology, side: str = WORLD, **more: Any) -> JointTopology:
    """A joint that heeds but the way along x."""
    return JointTopology(D6, (Side(side), Side(BODY)), (axis,) + (AxisTopology(),) * 5, **more)


def velocity_after(joint: JointTopology, v: float = 0.0, iterations: tuple[int, int] = (1, 0), **rows: Any) -> float:
    """Along x, of a body of mass 2 at the origin."""
    t, given = body_at_origin(joint, [v, 0, 0, 0, 0, 0], iterations=iterations[0], **rows)
    return float(step(t, given, iterations)["actor0_v"][0])


# --- what a joint reads and leaves -----------------------------------------------------------------------------------

@pytest.mark.parametrize("breaks", (False, True))
@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_is_solved_from_what_was_prepared_alone(kind: str, sides: tuple[str, str], breaks: bool) -> None:
    t = JointTopology(sides=(Side(sides[0]), Side(sides[1])), breaks=breaks, **KINDS[kind])
    made = dict(prepared_rows(t))
    assert not set(made) & {*joint_rows(t, *LASTING, *READ), *prepared_from(t)}
    moving = [k for k, side in enumerate(sides) if side in (BODY, LINK)]
    sizes = made | {"elapsed": 1} | {f"side{k}_{name}": size for k in moving for name, size in (
        ("v", 6), ("travel", 3), ("turn", 3), ("turned_by", 4), ("inverse_mass", 1), ("inverse_inertia", 6))}
    results = {f"side{k}_{'v' if sides[k] == BODY else 'impulse'}" for k in moving}
    for final, totals in ((False, {"impulse", "spring_impulse"}), (True, {"impulse"})):
        _, found = trace(lambda rows, final=final: solve(t, rows, final), row_scalars(sizes))
        assert set(found) == results | (totals & set(made))
    if breaks:
        given = sizes | {"dt": 1, "broken": 1, "break_force": 1, "break_torque": 1}
        _, found = trace(lambda rows: broken(t, rows), row_scalars(given))
        assert found == {"broken": 1, "joint_force": 6}


@pytest.mark.parametrize("kind", KINDS)
def test_everything_prepared_is_needed(kind: str) -> None:
    t = JointTopology(sides=(Side(BODY), Side(BODY)), **KINDS[kind])
    made = dict(prepared_rows(t))
    sizes = made | {"elapsed": 1} | {f"side{k}_{name}": size for k in (0, 1) for name, size in (
        ("v", 6), ("travel", 3), ("turn", 3), ("turned_by", 4), ("inverse_mass", 1), ("inverse_inertia", 6))}
    read: set[str] = set()
    for final in (False, True):
        code, _ = trace(lambda rows, final=final: solve(t, rows, final), row_scalars(sizes))
        read |= {row_of(scalar) for scalar in code.pruned({row for row, _ in code.outputs}).inputs}
    assert set(made) <= read


# --- springs ---------------------------------------------------------------------------------------------------------

def implicit(v: float, k: float, d: float, target: float, rate: float, mass: float, parts: int) -> float:
    """The speed of a mass on a spring after a step of implicit Euler in so many parts."""
    h, x = DT / parts, 0.0
    for _ in range(parts):
        v = (mass * v + h * (k * (target - x) + d * rate)) / (mass + h * (h * k + d))
        x += h * v
    return v


@pytest.mark.parametrize("parts", (1, 8))
@pytest.mark.parametrize(("kind", "mass"), (("force", 2.0), ("acceleration", 1.0)))
def test_a_drive_is_an_implicit_spring(kind: str, mass: float, parts: int) -> None:
    found = velocity_after(along_x(AxisTopology(drive=kind)), 0.3, (parts, 0), stiffness=[700.0, *[0.0] * 5],
                           damping=[11.0, *[0.0] * 5], target_position=[0.2, *[0.0] * 5],
                           target_velocity=[-0.5, *[0.0] * 5])
    assert found == pytest.approx(implicit(0.3, 700.0, 11.0, 0.2, -0.5, mass, parts), abs=1e-12)


def test_velocity_iterations_leave_springs_alone() -> None:
    joint = along_x(AxisTopology(drive="force"))
    rows = {"stiffness": [700.0, *[0.0] * 5], "target_position": [0.2, *[0.0] * 5]}
    assert velocity_after(joint, iterations=(4, 0), **rows) == velocity_after(joint, iterations=(4, 5), **rows)


def test_a_drives_largest_force_bounds_its_impulse_over_the_whole_step() -> None:
    # PhysX counts maxForce dt for all iterations together: one part of the step may take all of it
    found = velocity_after(along_x(AxisTopology(drive="force")), iterations=(8, 2), stiffness=[1e7, *[0.0] * 5],
                           target_position=[5.0, *[0.0] * 5], max_force=[6.0, *[0.0] * 5])
    assert found == pytest.approx(6.0 * DT / 2.0, rel=1e-12)


def test_a_soft_limit_acts_only_where_the_step_starts_beyond_it() -> None:
    joint = along_x(AxisTopology(LIMITED, soft=True))
    rows = {"limit_stiffness": [500.0, *[0.0] * 5], "lower_limit": [-math.inf, *[0.0] * 5]}
    assert velocity_after(joint, 3.0, upper_limit=[0.001, *[0.0] * 5], **rows) == 3.0
    pushed = velocity_after(joint, 3.0, upper_limit=[-0.1, *[0.0] * 5], **rows)
    assert pushed == pytest.approx(implicit(3.0, 500.0, 0.0, -0.1, 0.0, 2.0, 1), abs=1e-12)


# --- hard rows -------------------------------------------------------------------------------------------------------

def test_a_limit_that_is_near_is_reached_within_the_step_and_holds_there() -> None:
    joint, rows = along_x(AxisTopology(LIMITED)), {"lower_limit": [-9.0, *[0.0] * 5], "upper_limit": [0.01, *[0.0] * 5]}
    assert velocity_after(joint, 4.0, (1, 0), **rows) == pytest.approx(0.01 / DT, abs=1e-12)
    assert velocity_after(joint, 4.0, (1, 1), **rows) == pytest.approx(0.0, abs=1e-12)


def test_a_limit_that_is_far_or_behind_does_nothing() -> None:
    rows = {"lower_limit": [0.0, *[0.0] * 5], "upper_limit": [0.5, *[0.0] * 5]}
    assert velocity_after(along_x(AxisTopology(LIMITED)), 4.0, (4, 1), **rows) == 4.0


@pytest.mark.parametrize(("axis", "fastest"), ((0, 15.0), (3, 0.75)))
def test_an_error_is_taken_back_at_most_so_fast(axis: int, fastest: float) -> None:
    axes = tuple(AxisTopology(LOCKED if i == axis else FREE) for i in range(6))
    frame = {"frame0_position": [1000.0, 0.0, 0.0]} if axis == 0 else {"frame0_rotation": [0.8, 0.0, 0.0, 0.6]}
    t, rows = body_at_origin(JointTopology(D6, (Side(WORLD), Side(BODY)), axes), iterations=1, **frame)
    found = abs(step(t, rows, (1, 0))["actor0_v"][axis])
    # the row of a rotation is half a unit axis turned by what is off: the error counts half the angle
    along = 1.0 if axis == 0 else 0.5 * 0.6
    assert found * along == pytest.approx(fastest / DT, rel=1e-12)


def test_what_is_fixed_to_a_kinematic_body_goes_with_it() -> None:
    speed = [0.3, -0.2, 0.1, 0.4, 0.5, -0.6]
    t, rows = body_at_origin(JointTopology(D6, (Side(KINEMATIC), Side(BODY)), FIXED), velocity=speed, iterations=4)
    np.testing.assert_allclose(step(t, rows, (4, 4))["actor0_v"], speed, atol=1e-12)


# --- breaking --------------------------------------------------------------------------------------------------------

def cantilever(**rows: list[float]) -> BodyIsland:
    """A body of mass 2 held at 0.5 beside its centre of mass, after a step in which it hardly sank."""
    t, given = body_at_origin(JointTopology(D6, (Side(WORLD), Side(BODY)), FIXED, breaks=True), gravity=[0, 0, -10.0],
                              frame0_position=[-0.5, 0.0, 0.0], frame1_position=[-0.5, 0.0, 0.0], iterations=16,
                              **{"break_force": [math.inf], "break_torque": [math.inf], **rows})
    island = BodyIsland(t, given)
    island.rows = island.step(16, 60)
    return island


def test_a_fixed_joint_bears_the_weight_and_its_torque() -> None:
    # 2 units of mass at 10: force 20 on the world, torque 0.5 x 20 about the anchor
    island = cantilever()
    joint, rows = island.t.joints[0], island.joints[0]
    force = broken(joint, rows | island.at_sides(joint.sides))["joint_force"]
    np.testing.assert_allclose(force, [0, 0, -20.0, 0, 10.0, 0], atol=1e-5)


@pytest.mark.parametrize(("name", "bears"), (("break_force", 20.0), ("break_torque", 10.0)))
def test_a_joint_breaks_beyond_what_it_bears(name: str, bears: float) -> None:
    assert cantilever(**{name: [1.001 * bears]}).rows["joint0_broken"] == [0.0]
    assert cantilever(**{name: [0.999 * bears]}).rows["joint0_broken"] == [1.0]


def test_a_broken_joint_gives_nothing() -> None:
    island = cantilever(broken=[1.0])
    np.testing.assert_allclose(island.rows["actor0_v"], [0, 0, -10.0 * DT, 0, 0, 0], atol=1e-15)
    assert island.rows["joint0_broken"] == [1.0]


# --- links -----------------------------------------------------------------------------------------------------------

def linked(first: np.ndarray, second: np.ndarray, cross: np.ndarray | None, cfm: tuple[float, float] = (0.0, 0.0)
           ) -> tuple[JointTopology, Rows]:
    """A joint between two links that heeds but the way along x, with what they answer (6x6, linear first)."""
    t = JointTopology(D6, (Side(LINK), Side(LINK, 0, 1)), (AxisTopology(LOCKED),) + (AxisTopology(),) * 5)
    rows: Rows = {"dt": [DT], "h": [DT], "length_scale": [1.0], "frame0_position": [0.1, 0.2, 0.3],
                  "frame1_position": [-0.2, 0.1, 0.0], "frame0_rotation": UPRIGHT, "frame1_rotation": UPRIGHT}
    for k, response in enumerate((first, second)):
        upper = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
        rows |= {f"side{k}_response": [*(response[:3, :3][i] for i in upper), *response[3:, :3].ravel(),
                                       *(response[3:, 3:][i] for i in upper)], f"side{k}_cfm": [cfm[k]],
                 f"side{k}_origin": [0.0] * 3, f"side{k}_rotation": UPRIGHT, f"side{k}_position": [0.0] * 3}
    return t, rows if cross is None else rows | {"cross_response": [*cross.ravel()]}


@pytest.mark.parametrize("together", (False, True))
def test_a_row_between_links_stands_in_the_answers_that_it_knows(together: bool) -> None:
    rng = np.random.default_rng(3)
    half = rng.normal(size=(12, 12))
    answers = half @ half.T
    first, second, cross = answers[:6, :6], answers[6:, 6:], answers[:6, 6:] if together else np.zeros((6, 6))
    t, rows = linked(first, second, cross if together else None)
    v = rng.normal(size=(2, 6))
    still = {f"side{k}_{name}": values for k in (0, 1) for name, values in (
        ("travel", [0.0] * 3), ("turn", [0.0] * 3), ("turned_by", UPRIGHT))}
    made = solve(t, rows | prepare(t, rows) | still | {"elapsed": [0.0], "side0_v": v[0], "side1_v": v[1]}, True)
    impulses = [np.array(made[f"side{k}_impulse"]) for k in (0, 1)]
    after = (v[0] + first @ impulses[0] + cross @ impulses[1], v[1] + second @ impulses[1] + cross.T @ impulses[0])
    ends = ([0.1, 0.1, 0.0], [-0.2, 0.1, 0.0])      # side 0's at A's anchor along the locked axis, at B's across
    speeds = [x[0] + np.cross(x[3:], end)[0] for x, end in zip(after, ends, strict=True)]
    assert speeds[0] - speeds[1] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(impulses[0][:3], -impulses[1][:3])


def test_the_larger_cfm_of_two_links_leaves_its_part_of_the_velocity() -> None:
    # both links answer 2 and 3 along x at their centres of mass, and nothing else: unit 5, cfm 1
    t, rows = linked(np.diag([2.0, 0, 0, 0, 0, 0]), np.diag([3.0, 0, 0, 0, 0, 0]), None, (0.25, 1.0))
    still = {f"side{k}_{name}": values for k in (0, 1) for name, values in (
        ("travel", [0.0] * 3), ("turn", [0.0] * 3), ("turned_by", UPRIGHT), ("v", [1.0 - k, 0, 0, 0, 0, 0]))}
    made = solve(t, rows | prepare(t, rows) | still | {"elapsed": [0.0]}, True)
    assert made["side0_impulse"][0] == pytest.approx(-1.0 / 6.0, rel=1e-12)


def test_a_row_that_no_link_answers_gives_nothing() -> None:
    t, rows = linked(np.zeros((6, 6)), np.zeros((6, 6)), None, (1.0, 1.0))
    still = {f"side{k}_{name}": values for k in (0, 1) for name, values in (
        ("travel", [0.0] * 3), ("turn", [0.0] * 3), ("turned_by", UPRIGHT), ("v", [1.0 - k, 0, 0, 0, 0, 0]))}
    made = solve(t, rows | prepare(t, rows) | still | {"elapsed": [0.0]}, False)
    assert not np.any(made["side0_impulse"])
