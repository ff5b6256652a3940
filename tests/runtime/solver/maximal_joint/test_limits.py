"""Rows of limits: what is left to them, in PhysX's order, soft ones only beyond them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from physx_runtime.model.island import LIMITED, AxisTopology, JointTopology
from physx_runtime.solver.maximal_joint.kinds import rows_of
from physx_runtime.solver.maximal_joint.limits import MAX_ERROR, measured_twist, swing_angles, swing_of, twist_angle
from physx_runtime.solver.maximal_joint.rows import NO_HINT, ROTATION_LIMIT, TRANSLATION_LIMIT, JointRow
from support.chance.outside_joints import FREE_AXIS, LOCKED_AXIS, d6, frames, placed, random_rotation
from support.chance.packed_trees import Rows
from support.mechanics.joint_rates import RATE, rate_difference
from support.mechanics.rigid_motion import about, quaternion, rotation

F64 = 1e-14         # some dozen operations on numbers of size 1
LIMITED_AXIS, SOFT_AXIS = AxisTopology(LIMITED), AxisTopology(LIMITED, soft=True)
AXES = range(6)
BELOW, INSIDE, ABOVE = -0.9, 0.02, 0.9          # of limits that lie within +-(0.05, 0.8)


def limited(axis: int, soft: bool = False) -> JointTopology:
    """A joint with one limited axis; what else turns is locked, what else slides is free."""
    own = SOFT_AXIS if soft else LIMITED_AXIS
    return d6([own if i == axis else LOCKED_AXIS if i >= 3 else FREE_AXIS for i in AXES])


def at(t: JointTopology, axis: int, place: float, seed: int = 0) -> Rows:
    """Rows of a joint at a coordinate of one axis and 0 of all others."""
    turn, offset = np.eye(3), np.zeros(3)
    if axis < 3:
        offset[axis] = place
    else:
        turn = about(place * np.eye(3)[axis - 3])
    return placed(t, np.random.default_rng(seed), turn, offset)


def limit_rows(t: JointTopology, rows: Rows) -> list[JointRow]:
    """The two rows of the only limited axis; limits come before locked axes."""
    return rows_of(t, rows).rows[:2]


@pytest.mark.parametrize("place", [BELOW, INSIDE, ABOVE])
@pytest.mark.parametrize("axis", AXES)
def test_errors_are_what_is_left_to_the_limits(axis: int, place: float) -> None:
    t = limited(axis)
    rows = at(t, axis, place)
    left = [place - rows["lower_limit"][axis], rows["upper_limit"][axis] - place]
    if axis < 3:
        left.reverse()              # of translations the upper limit goes first
    found = limit_rows(t, rows)
    assert np.abs(np.array([row.error for row in found]) - left).max() < F64
    assert [row.keeps_bias for row in found] == [x > 0.0 for x in left]
    assert {row.hint for row in found} == {TRANSLATION_LIMIT if axis < 3 else ROTATION_LIMIT}
    assert all(row.bounded and row.lower == 0.0 and row.upper == np.inf and row.active and row.holds for row in found)


@pytest.mark.parametrize("axis", AXES)
def test_j_v_is_how_the_errors_change(axis: int) -> None:
    t = d6([LIMITED_AXIS if i == axis else LOCKED_AXIS if axis >= 3 and i >= 3 else FREE_AXIS for i in AXES])
    random = np.random.default_rng(1)
    rows = at(t, axis, 0.5)
    if axis < 3:                    # an offset changes as it should wherever the frames are
        rows = placed(t, random, random_rotation(random), random.uniform(-1, 1, 3))
    assert rate_difference(t, rows, random) < RATE


@pytest.mark.parametrize("axis", AXES)
def test_a_soft_limit_acts_only_beyond_it_and_then_both_ways(axis: int) -> None:
    t = limited(axis, soft=True)
    for place, acting in ((BELOW, [True, False]), (INSIDE, [False, False]), (ABOVE, [False, True])):
        rows = at(t, axis, place)
        found = limit_rows(t, rows)
        assert [bool(row.active) for row in found] == (acting[::-1] if axis < 3 else acting)
        assert all(row.hint == NO_HINT and (row.lower, row.upper) == (-np.inf, np.inf) for row in found)
        assert all(row.spring and row.spring.stiffness == rows["limit_stiffness"][axis] for row in found)
        assert all(row.error < 0.0 if row.active else row.error == 0.0 for row in found)


@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("axis", AXES)
def test_a_bound_that_is_not_there_is_never_near(axis: int, soft: bool) -> None:
    t = limited(axis, soft)
    rows = at(t, axis, INSIDE) | {"lower_limit": np.full(6, -np.inf), "upper_limit": np.full(6, np.inf)}
    for row in limit_rows(t, rows):
        assert np.isfinite(row.error)
        assert not row.active if soft else row.keeps_bias and row.error == MAX_ERROR


@pytest.mark.parametrize("axis", [4, 5])
def test_a_swing_beside_a_free_one_has_no_limit(axis: int) -> None:
    t = d6([LIMITED_AXIS if i == axis else FREE_AXIS for i in AXES])
    assert not rows_of(t, at(t, axis, ABOVE)).rows


def test_a_distance_limit_acts_along_the_way_that_free_translations_went() -> None:
    t = dataclasses.replace(d6([FREE_AXIS, LOCKED_AXIS, *[FREE_AXIS] * 4]), distance="hard")
    rows = placed(t, np.random.default_rng(0), np.eye(3), np.array([0.3, 5.0, -0.4]))
    row, own = rows_of(t, rows | {"distance_limit": np.array([0.2])}).rows[0], frames(rows)[0][0]
    assert row.error == pytest.approx(0.2 - 0.5, abs=F64)
    np.testing.assert_allclose(row.linear0, own @ [0.6, 0.0, -0.8], atol=F64)
    assert (row.hint, row.lower, row.upper) == (TRANSLATION_LIMIT, 0.0, np.inf)


def test_j_v_is_how_what_is_left_of_a_distance_changes() -> None:
    t, random = dataclasses.replace(d6([FREE_AXIS] * 6), distance="hard"), np.random.default_rng(1)
    rows = placed(t, random, random_rotation(random), random.uniform(-1, 1, 3))
    assert rate_difference(t, rows, random) < RATE


def test_a_distance_of_nothing_is_far_from_its_limit() -> None:
    t = dataclasses.replace(d6([FREE_AXIS] * 6), distance="hard")
    rows = placed(t, np.random.default_rng(0), np.eye(3), np.zeros(3)) | {"distance_limit": np.array([0.2])}
    row = rows_of(t, rows).rows[0]
    assert row.error == MAX_ERROR
    assert np.linalg.norm(row.linear0) == pytest.approx(1.0, abs=F64)


def test_a_cone_stands_for_the_limits_of_both_swings() -> None:
    t = d6([*[FREE_AXIS] * 4, LIMITED_AXIS, LIMITED_AXIS], cone="hard")
    assert len(rows_of(t, at(t, 4, INSIDE)).rows) == 1


@pytest.mark.parametrize("angle", [-3.1, -1.0, -1e-9, 0.0, 1e-9, 2.0, 3.1])
def test_the_twist_angle_of_a_turn_about_x_is_its_angle(angle: float) -> None:
    turn = quaternion(about(np.array([angle, 0.0, 0.0])))
    assert twist_angle(tuple(turn)) == pytest.approx(angle, abs=1e-15, rel=1e-9)


@pytest.mark.parametrize(("angle", "seen"), [
    (1e-4, 0.0), (-4e-4, 0.0), (6e-4, 2.0 * np.arccos(1.0 - 2.0 ** -24)), (-6e-4, -2.0 * np.arccos(1.0 - 2.0 ** -24))])
def test_physx_sees_small_twists_in_steps_of_a_float32_cosine(angle: float, seen: float) -> None:
    turn = quaternion(about(np.array([angle, 0.0, 0.0])))
    found = measured_twist(dataclasses.replace(limited(3), exact=False), tuple(turn))
    assert found == pytest.approx(seen, rel=1e-6)


@pytest.mark.parametrize("angle", [-3.0, -1.0, 0.5, 2.5])
def test_physx_sees_large_twists_as_they_are(angle: float) -> None:
    turn = quaternion(about(np.array([angle, 0.0, 0.0])))
    found = measured_twist(dataclasses.replace(limited(3), exact=False), tuple(turn))
    assert found == pytest.approx(angle, abs=1e-6)


def test_swing_and_twist_make_the_turn_and_the_swing_has_no_part_about_x() -> None:
    random = np.random.default_rng(2)
    turn = random_rotation(random)
    q = quaternion(turn)
    swing = swing_of(tuple(q))
    twist = about(np.array([twist_angle(tuple(q)), 0.0, 0.0]))
    assert swing[0] == pytest.approx(0.0, abs=F64)
    assert np.abs(rotation(np.array(swing)) @ twist - turn).max() < F64


def test_half_a_turn_of_swing_leaves_no_twist() -> None:
    assert swing_of((0.0, 0.6, 0.8, 0.0)) == (0.0, 0.6, 0.8, 0.0)


@pytest.mark.parametrize("angle", [-2.5, 0.3, 2.5])
def test_swing_angles_about_one_axis_are_the_angle(angle: float) -> None:
    about_y, about_z = (tuple(quaternion(about(angle * axis))) for axis in np.eye(3)[1:])
    assert swing_angles(about_y) == pytest.approx((angle, 0.0), abs=F64)
    assert swing_angles(about_z) == pytest.approx((0.0, angle), abs=F64)


def test_swings_are_bounded_about_axes_that_swing_along() -> None:
    t = d6([*[FREE_AXIS] * 3, LOCKED_AXIS, LIMITED_AXIS, LIMITED_AXIS])
    swing = about(np.array([0.0, 0.4, -0.7]))
    rows = placed(t, np.random.default_rng(3), swing, np.zeros(3))
    R = frames(rows)[0][0]
    axes = np.array([row.angular0 for row in rows_of(t, rows).rows[:4]])
    y, z = (R @ swing)[:, 1], (R @ swing)[:, 2]
    assert np.abs(axes - [-y, y, -z, z]).max() < F64


def test_the_twist_is_bounded_about_b_s_own_axis() -> None:
    t = d6([*[FREE_AXIS] * 3, LIMITED_AXIS, FREE_AXIS, FREE_AXIS])
    rows = placed(t, np.random.default_rng(4), about(np.array([0.3, 0.4, -0.7])), np.zeros(3))
    x = frames(rows)[1][0][:, 0]
    assert np.abs(np.array([row.angular0 for row in rows_of(t, rows).rows]) - [-x, x]).max() < F64
