"""Rows of locked axes: their errors vanish where the frames agree, and J v is how the errors change."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.solver.maximal_joint.drives import EPSILON, rotation_axes
from physx_runtime.solver.maximal_joint.kinds import rows_of
from physx_runtime.solver.maximal_joint.rows import ROTATION, TRANSLATION
from support.chance.outside_joints import frames, locking, placed, random_rotation, random_rows
from support.mechanics.joint_rates import RATE, rate_difference
from support.mechanics.rigid_motion import about

F64 = 1e-14         # some dozen operations on numbers of size 1
WELD = locking(*range(6))


def test_rows_come_as_translations_then_rotations_and_hold() -> None:
    made = rows_of(WELD, random_rows(WELD, np.random.default_rng(0)))
    assert [row.hint for row in made.rows] == [TRANSLATION] * 3 + [ROTATION] * 3
    assert all(row.holds and not row.drive for row in made.rows)


def test_no_error_where_the_frames_agree() -> None:
    rows = placed(WELD, np.random.default_rng(1), np.eye(3), np.zeros(3))
    assert max(abs(row.error) for row in rows_of(WELD, rows).rows) < F64


def test_rotational_rows_are_half_axes_of_a_where_the_frames_agree() -> None:
    rows = placed(WELD, np.random.default_rng(2), np.eye(3), np.zeros(3))
    R = frames(rows)[0][0]
    axes = np.array([row.angular0 for row in rows_of(WELD, rows).rows[3:]])
    assert np.abs(axes - 0.5 * R.T).max() < F64


@pytest.mark.parametrize("axis", range(3))
def test_errors_of_locked_rotations_are_sines_of_half_angles(axis: int) -> None:
    rows = placed(WELD, np.random.default_rng(3), about(0.7 * np.eye(3)[axis]), np.zeros(3))
    errors = [row.error for row in rows_of(WELD, rows).rows[3:]]
    assert np.abs(np.array(errors) + np.sin(0.35) * np.eye(3)[axis]).max() < F64


@pytest.mark.parametrize("axes", [(0,), (1,), (2,), (3, 4), (3, 4, 5), (4, 5), (3,), (4,), (5,)])
def test_j_v_is_how_errors_change_wherever_the_frames_are(axes: tuple[int, ...]) -> None:
    random = np.random.default_rng(4)
    t = locking(*axes)
    assert rate_difference(t, random_rows(t, random, turned=3.0), random) < RATE


def test_j_v_is_how_errors_of_locked_translations_change_where_there_are_none() -> None:
    random = np.random.default_rng(5)
    assert rate_difference(WELD, placed(WELD, random, random_rotation(random, 1.0), np.zeros(3)), random) < RATE


def test_the_only_locked_swing_keeps_the_twist_axis_upright() -> None:
    random = np.random.default_rng(6)
    rows = random_rows(locking(4), random)
    (R, _), (S, _) = frames(rows)
    row, = rows_of(locking(4), rows).rows
    assert abs(row.error + S[:, 0] @ R[:, 2]) < F64
    assert row.hint == ROTATION


def test_rotational_rows_stay_independent_half_a_turn_apart() -> None:
    axes = rotation_axes((0.0, 0.0, 0.0, 1.0), (1.0, 0.0, 0.0, 0.0))
    lifted = np.array(axes) - EPSILON * np.eye(3)
    assert abs(np.linalg.det(np.array(axes))) > 0.0
    assert np.abs(lifted - [[0, 0, 0], [0, 0, 0.5], [0, -0.5, 0]]).max() < F64
