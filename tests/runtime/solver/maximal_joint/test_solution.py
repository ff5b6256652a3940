"""Rows of joints outside articulations against what mechanics says of the simplest of them.

What joints between two free bodies keep, whatever they hold.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.compiling.code import row_of, row_scalars, trace
from physx_runtime.model.body_kind import BODY, KINEMATIC, LINK, STATIC
from physx_runtime.model.island import (
    AXES,
    D6,
    DISTANCE,
    FREE,
    GEAR,
    LIMITED,
    LOCKED,
    RACK,
    AxisTopology,
    HingeTopology,
    IslandTopology,
    JointTopology,
    SolverBody,
)
from physx_runtime.model.island_rows import INPUT_MAKERS, OUTPUT_MAKERS, joint_rows
from physx_runtime.solver.maximal_joint.kinds import preparation_inputs
from physx_runtime.solver.maximal_joint.step import conclude, prepare, prepared_rows, solve
from support.chance.maximal_joints import DT, TWO_BODIES, UPRIGHT, Rows, body_at_origin, momentum, two_bodies
from support.mechanics.body_islands import BodyIsland, step
from support.mechanics.rigid_motion import rotation

Array = NDArray[np.float64]
FIXED = (AxisTopology(LOCKED),) * 6
EVERYTHING = tuple(AxisTopology(LIMITED, drive="force") for _ in AXES[:3]) + tuple(
    AxisTopology(LIMITED, soft=True, drive="acceleration") for _ in AXES[3:])
HINGES = (HingeTopology(0, holds_first=True), HingeTopology(1))
KINDS: dict[str, dict[str, Any]] = {
    "fixed": {"kind": D6, "axes": FIXED}, "all axes limited": {"kind": D6, "axes": EVERYTHING},
    "cone": {"kind": D6, "axes": FIXED[:3] + (AxisTopology(),) * 3, "cone": "hard"},
    "range": {"kind": DISTANCE, "range": "both"}, "spring": {"kind": DISTANCE, "range": "equal", "spring": True},
    "gear": {"kind": GEAR, "hinges": HINGES}, "rack": {"kind": RACK, "hinges": HINGES},
    "uncounted gear": {"kind": GEAR}, "uncounted rack": {"kind": RACK}, "no range": {"kind": DISTANCE},
    "all free": {"kind": D6, "axes": (AxisTopology(),) * 6}}
SIDES = ((STATIC, BODY), (BODY, BODY), (BODY, KINEMATIC), (STATIC, LINK), (LINK, LINK), (BODY, LINK))


def along_x(axis: AxisTopology, side: str = STATIC, **more: Any) -> JointTopology:
    """A joint that heeds but the way along x."""
    return JointTopology(D6, (SolverBody(side), SolverBody(BODY)), (axis,) + (AxisTopology(),) * 5, **more)


def velocity_after(joint: JointTopology, v: float = 0.0, iterations: tuple[int, int] = (1, 0), **rows: Any) -> float:
    """Along x, of a body of mass 2 at the origin."""
    t, given = body_at_origin(joint, [v, 0, 0, 0, 0, 0], iterations=iterations[0], **rows)
    return float(step(t, given, iterations)["actor0_v"][0])


# --- what a joint reads and leaves -----------------------------------------------------------------------------------

@pytest.mark.parametrize("breaks", (False, True))
@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_is_solved_from_what_was_prepared_alone(kind: str, sides: tuple[str, str], breaks: bool) -> None:
    t = JointTopology(solver_bodies=(SolverBody(sides[0]), SolverBody(sides[1])), breaks=breaks, **KINDS[kind])
    made = dict(prepared_rows(t))
    assert not set(made) & {*joint_rows(t, *OUTPUT_MAKERS, *INPUT_MAKERS), *preparation_inputs(t)}
    moving = [k for k, side in enumerate(sides) if side in (BODY, LINK)]
    sizes = made | {"elapsed": 1} | {f"body{k}_{name}": size for k in moving for name, size in (
        ("v", 6), ("displacement", 3), ("angular_displacement", 3), ("delta_rotation", 4), ("inverse_mass", 1),
                                                                                                ("inverse_inertia", 6))}
    results = {f"body{k}_{'v' if sides[k] == BODY else 'impulse'}" for k in moving}
    for final, totals in ((False, {"impulse", "spring_impulse"}), (True, {"impulse"})):
        _, found = trace(lambda rows, final=final: solve(t, rows, final), row_scalars(sizes))
        assert set(found) == results | (totals & set(made))
    if breaks:
        given = sizes | {"dt": 1, "broken": 1, "break_force": 1, "break_torque": 1}
        _, found = trace(lambda rows: conclude(t, rows), row_scalars(given))
        assert found == {"broken": 1}


@pytest.mark.parametrize("kind", KINDS)
def test_everything_prepared_is_needed(kind: str) -> None:
    t = JointTopology(solver_bodies=(SolverBody(BODY), SolverBody(BODY)), **KINDS[kind])
    made = dict(prepared_rows(t))
    sizes = made | {"elapsed": 1} | {f"body{k}_{name}": size for k in (0, 1) for name, size in (
        ("v", 6), ("displacement", 3), ("angular_displacement", 3), ("delta_rotation", 4), ("inverse_mass", 1),
                                                                                                ("inverse_inertia", 6))}
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
    t, rows = body_at_origin(JointTopology(D6, (SolverBody(STATIC), SolverBody(BODY)), axes), iterations=1, **frame)
    found = abs(step(t, rows, (1, 0))["actor0_v"][axis])
    # the row of a rotation is half a unit axis turned by what is off: the error counts half the angle
    along = 1.0 if axis == 0 else 0.5 * 0.6
    assert found * along == pytest.approx(fastest / DT, rel=1e-12)


def test_what_is_fixed_to_a_kinematic_body_goes_with_it() -> None:
    speed = [0.3, -0.2, 0.1, 0.4, 0.5, -0.6]
    t, rows = body_at_origin(JointTopology(D6, (SolverBody(KINEMATIC), SolverBody(BODY)), FIXED), velocity=speed,
                             iterations=4)
    np.testing.assert_allclose(step(t, rows, (4, 4))["actor0_v"], speed, atol=1e-12)


def test_what_is_fixed_to_a_kinematic_body_is_not_behind_it_at_the_steps_end() -> None:
    speed = [0.3, -0.2, 0.1, 0.0, 0.0, 0.0]
    t, rows = body_at_origin(JointTopology(D6, (SolverBody(KINEMATIC), SolverBody(BODY)), FIXED), velocity=speed,
                             iterations=4)
    np.testing.assert_allclose(step(t, rows, (4, 0))["actor0_root_position"], DT * np.array(speed[:3]), atol=1e-15)


def test_a_drive_damps_against_the_velocity_of_a_kinematic_body() -> None:
    found = velocity_after(along_x(AxisTopology(drive="force"), KINEMATIC), damping=[11.0, *[0.0] * 5],
                           velocity=[0.3, 0.0, 0.0, 0.0, 0.0, 0.0])
    assert found == pytest.approx(implicit(0.0, 0.0, 11.0, 0.0, 0.3, 2.0, 1), rel=1e-12)


# --- breaking --------------------------------------------------------------------------------------------------------

def cantilever(**rows: list[float]) -> BodyIsland:
    """A body of mass 2 held at 0.5 beside its centre of mass, after a step in which it hardly sank."""
    t, given = body_at_origin(JointTopology(D6, (SolverBody(STATIC), SolverBody(BODY)), FIXED, breaks=True,
                                            stores_force=True),
                              gravity=[0, 0, -10.0], frame0_position=[-0.5, 0.0, 0.0],
                              frame1_position=[-0.5, 0.0, 0.0], iterations=16,
                              **{"break_force": [math.inf], "break_torque": [math.inf], **rows})
    island = BodyIsland(t, given)
    island.rows = island.step(16, 60)
    return island


def test_a_fixed_joint_bears_the_weight_and_its_torque() -> None:
    # 2 units of mass at 10: force 20 on the world, torque 0.5 x 20 about the anchor
    np.testing.assert_allclose(cantilever().rows["joint0_force"], [0, 0, -20.0, 0, 10.0, 0], atol=1e-5)


def test_what_a_drive_bears_does_not_count() -> None:
    axes = tuple(AxisTopology(drive="force") if name == "transZ" else AxisTopology(LOCKED) for name in AXES)
    t, rows = body_at_origin(JointTopology(D6, (SolverBody(STATIC), SolverBody(BODY)), axes, stores_force=True),
                             gravity=[0, 0, -10.0], damping=[0, 0, 1e6, 0, 0, 0])
    np.testing.assert_allclose(BodyIsland(t, rows).step(16, 1)["joint0_force"], 0.0, atol=1e-9)


@pytest.mark.parametrize(("name", "bears"), (("break_force", 20.0), ("break_torque", 10.0)))
def test_a_joint_breaks_beyond_what_it_bears(name: str, bears: float) -> None:
    assert cantilever(**{name: [1.001 * bears]}).rows["joint0_broken"] == [0.0]
    assert cantilever(**{name: [0.999 * bears]}).rows["joint0_broken"] == [1.0]


def test_a_broken_joint_gives_nothing() -> None:
    island = cantilever(broken=[1.0])
    np.testing.assert_allclose(island.rows["actor0_v"], [0, 0, -10.0 * DT, 0, 0, 0], atol=1e-15)
    assert island.rows["joint0_broken"] == [1.0]


# --- links -----------------------------------------------------------------------------------------------------------

PLACES = ([0.0, 0.0, 0.0], [0.4, -0.3, 0.5])        # of the links' centres of mass, which are their origins
ANCHOR = [0.3, 0.2, -0.4]
STILL = {f"body{k}_{name}": values for k in (0, 1) for name, values in (
    ("displacement", [0.0] * 3), ("angular_displacement", [0.0] * 3), ("delta_rotation", UPRIGHT))}


def two_links(axes: tuple[AxisTopology, ...], answers: Array, coupled: bool, cfm: float = 0.0,
              **more: list[float]) -> tuple[JointTopology, Rows]:
    """A joint between two links and what they answer (12x12, linear first)."""
    t = JointTopology(D6, (SolverBody(LINK), SolverBody(LINK, 0, 1)), axes)
    given = {"dt": [DT], "h": [DT], "length_scale": [1.0], "frame0_rotation": UPRIGHT, "frame1_rotation": UPRIGHT,
             **({"cross_response": [*answers[:6, 6:].ravel()]} if coupled else {})}
    upper = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
    for k, response in enumerate((answers[:6, :6], answers[6:, 6:])):
        given |= {f"body{k}_response": [*(response[:3, :3][i] for i in upper), *response[3:, :3].ravel(),
                                        *(response[3:, 3:][i] for i in upper)],
                  f"body{k}_cfm": [k * cfm], f"body{k}_origin": PLACES[k], f"body{k}_rotation": UPRIGHT,
                  f"body{k}_position": PLACES[k], f"frame{k}_position": [*np.subtract(ANCHOR, PLACES[k])], **more}
    return t, {name: [0.0] * size for name, size in joint_rows(t, *OUTPUT_MAKERS, *INPUT_MAKERS).items()} | given


def impulses(t: JointTopology, rows: Rows, v: Array, final: bool) -> Array:
    """What one solve gives both links (12,), at the velocities v (12,)."""
    now = STILL | {"elapsed": [0.0], "body0_v": [*v[:6]], "body1_v": [*v[6:]]}
    made = solve(t, rows | prepare(t, rows) | now, final)
    return np.array([*made["body0_impulse"], *made["body1_impulse"]])


def random_answers() -> Array:
    half = np.random.default_rng(3).normal(size=(12, 12))
    return half @ half.T


@pytest.mark.parametrize("coupled", (False, True))
def test_rows_between_links_are_solved_one_after_the_other(coupled: bool) -> None:
    # Gauss and Seidel's way with Delassus' matrix; links that do not answer together have none of its outer blocks
    t, rows = two_links(FIXED[:3] + (AxisTopology(),) * 3, random_answers(), coupled, cfm=0.3)
    answers = random_answers()
    if not coupled:
        answers[:6, 6:], answers[6:, :6] = 0.0, 0.0
    arms = [np.subtract(ANCHOR, place) for place in PLACES]
    J = np.array([[*x, *np.cross(arms[0], x), *-x, *-np.cross(arms[1], x)] for x in np.eye(3)])
    A, v, P = J @ answers @ J.T, np.random.default_rng(4).normal(size=12), np.zeros(3)
    for i in range(3):
        P[i] = -(J[i] @ v + A[i] @ P) / (A[i, i] + 0.3)
    np.testing.assert_allclose(impulses(t, rows, v, final=True), J.T @ P, rtol=1e-12)


def test_cfm_weakens_springs_at_links() -> None:
    # both links answer 2 and 3 along x and nothing else; the larger cfm is added to their 5
    axes = (AxisTopology(drive="force"),) + (AxisTopology(),) * 5
    answers = np.diag([2.0, *[0.0] * 5, 3.0, *[0.0] * 5])
    t, rows = two_links(axes, answers, False, 0.7, damping=[11.0, *[0.0] * 5], max_force=[math.inf] * 6)
    found = impulses(t, rows, np.array([1.0, *[0.0] * 11]), final=False)[0]
    assert found == pytest.approx(-11.0 * DT / (1.0 + 11.0 * DT * 5.7), rel=1e-12)


def test_links_take_an_error_back_at_a_tenth_of_what_bodies_do() -> None:
    t, rows = two_links((AxisTopology(LOCKED),) + (AxisTopology(),) * 5, np.diag([2.0, *[0.0] * 5, 3.0, *[0.0] * 5]),
                        False)
    rows["frame1_position"] = [1000.0, 0.0, 0.0]
    assert impulses(t, rows, np.zeros(12), final=False)[0] * 5.0 == pytest.approx(1.5 / DT, rel=1e-12)


def test_a_row_that_no_link_answers_gives_nothing() -> None:
    t, rows = two_links(FIXED, np.zeros((12, 12)), False, 1.0)
    assert not np.any(impulses(t, rows, np.ones(12), final=False))


# --- body joints -----------------------------------------------------------------------------------------------------

ROUNDING = 1e-12                # of some hundred operations on numbers about 1
LETTERS = {"x": LOCKED, ".": FREE}
# Translations along x, y, z, rotations about x, y, z.
LOCKS = {"fixed": "xxxxxx", "revolute": "xxx.xx", "prismatic": ".xxxxx", "spherical": "xxx...", "on a line": ".xx...",
         "in a plane": "..x...", "sliding in a plane": "x...xx", "first swing": "xxx.x.", "second swing": "xxx..x",
         "twist": "xxxx..", "turning as one": "...xxx"}


def joint(axes: str) -> JointTopology:
    return JointTopology(D6, TWO_BODIES, tuple(AxisTopology(LETTERS[letter]) for letter in axes))


def solved(t: IslandTopology, rows: Rows, final: bool, times: int = 1) -> tuple[list[Array], list[Array]]:
    """Both bodies' velocities before and after their joint is solved, where they stand at the step's start."""
    island = BodyIsland(t, rows)
    island.start()
    before = [np.array(body["v"]) for body in island.bodies]
    for _ in range(times):
        island.solve_joints(0.0, final)
    return before, [np.array(body["v"]) for body in island.bodies]


def of_the_frame(rows: Rows, velocities: list[Array]) -> Array:
    """Velocity of the joint's frame on body 1 against that on body 0, in its axes: linear, angular."""
    linear, angular = np.zeros(3), np.zeros(3)
    axes = rotation(np.array(rows["actor0_root_rotation"])) @ rotation(np.array(rows["joint0_frame0_rotation"]))
    for i, v in enumerate(velocities):
        arm = rotation(np.array(rows[f"actor{i}_root_rotation"])) @ np.array(rows[f"joint0_frame{i}_position"])
        linear += (2 * i - 1) * (v[:3] + np.cross(v[3:], arm))
        angular += (2 * i - 1) * v[3:]
    return np.array([*(axes.T @ linear), *(axes.T @ angular)])


ALL = tuple(AxisTopology(LIMITED, drive="force") for _ in range(6))
SOFT = tuple(AxisTopology(LIMITED, soft=True, drive="acceleration") for _ in range(6))
NARROW = {"lower_limit": [-0.01] * 6, "upper_limit": [0.01] * 6, "limit_stiffness": [50.0] * 6}
GAINS = {"stiffness": [40.0] * 6, "damping": [3.0] * 6, "target_position": [0.3] * 6, "target_velocity": [0.2] * 6}
FAR = ((0.3, 0.2, -0.1), (0.1, 0.3, -0.2, math.sqrt(0.86)))
UNLOCKED: dict[str, tuple[JointTopology, Rows]] = {
    "drives and limits": (JointTopology(D6, TWO_BODIES, ALL), NARROW | GAINS),
    "soft limits": (JointTopology(D6, TWO_BODIES, SOFT), NARROW | GAINS),
    "cone": (JointTopology(D6, TWO_BODIES, (AxisTopology(),) * 6, cone="hard"), {"cone_angle": [0.1, 0.2]}),
    "range": (JointTopology(DISTANCE, TWO_BODIES, range="both"), {
        "minimum_distance": [0.1], "maximum_distance": [0.2]}),
    "spring": (JointTopology(DISTANCE, TWO_BODIES, range="equal", spring=True), {
        "minimum_distance": [0.1], "maximum_distance": [0.1], "spring_stiffness": [90.0], "spring_damping": [2.0]})}


@pytest.mark.parametrize("final", (False, True))
@pytest.mark.parametrize("axes", LOCKS.values(), ids=LOCKS)
def test_locked_axes_leave_the_momentum_of_both_bodies_as_it_was(axes: str, final: bool) -> None:
    for seed in range(3):
        _keeps_momentum(*two_bodies(joint(axes), seed), final)


@pytest.mark.parametrize("name", UNLOCKED)
def test_drives_limits_and_distances_leave_the_momentum_of_both_bodies_as_it_was(name: str) -> None:
    topology, parameters = UNLOCKED[name]
    for seed in range(3):
        _keeps_momentum(*two_bodies(topology, seed, FAR, **parameters), final=False)


def _keeps_momentum(t: IslandTopology, rows: Rows, final: bool) -> None:
    before, after = solved(t, rows, final)
    assert np.abs(after[0] - before[0]).max() > 1e-3
    np.testing.assert_allclose(momentum(rows, after), momentum(rows, before), atol=ROUNDING)


def of_locked_axes(axes: str, seed: int, times: int) -> tuple[Array, Array]:
    """Velocities of locked axes before and after a joint was solved so often."""
    locked = [i for i, letter in enumerate(axes) if letter == "x"]
    t, rows = two_bodies(joint(axes), seed)
    before, after = solved(t, rows, final=True, times=times)
    return of_the_frame(rows, before)[locked], of_the_frame(rows, after)[locked]


@pytest.mark.parametrize("axes", ("xxx...", ".xx...", "..x...", "...xxx", "....x."))
def test_locked_translations_alone_or_rotations_alone_stand_once_they_were_solved(axes: str) -> None:
    for seed in range(3):
        before, after = of_locked_axes(axes, seed, times=1)
        assert np.abs(before).min() > 1e-3
        np.testing.assert_allclose(after, 0.0, atol=ROUNDING)


@pytest.mark.parametrize("axes", LOCKS.values(), ids=LOCKS)
def test_velocity_iterations_leave_locked_axes_no_velocity(axes: str) -> None:
    # rows that are upright to each other are no more so once they leave rotations alone: one solve is not enough
    before, after = of_locked_axes(axes, 0, times=120)
    assert np.abs(before).min() > 1e-3
    np.testing.assert_allclose(after, 0.0, atol=ROUNDING)


@pytest.mark.parametrize("axes", LOCKS.values(), ids=LOCKS)
def test_a_joint_takes_no_energy_in_but_what_its_error_gives(axes: str) -> None:
    t, rows = two_bodies(joint(axes), 1)
    before, after = solved(t, rows, final=True)
    assert _energy(rows, after) < _energy(rows, before)


def _energy(rows: Rows, velocities: list[Array]) -> float:
    """Of motion: v . p and w . L, each about the body's own centre of mass."""
    total = 0.0
    for i, v in enumerate(velocities):
        alone = [np.zeros(6), np.zeros(6)]
        alone[i] = v
        p = momentum(rows, alone)
        spin = p[3:] - np.cross(rows[f"actor{i}_root_position"], p[:3])
        total += float(v[:3] @ p[:3] + v[3:] @ spin) / 2
    return total
