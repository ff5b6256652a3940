"""Rows of drives: springs to the target, of axes that are not locked."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from physx_runtime.model.island import FREE, LOCKED, AxisTopology
from physx_runtime.solver.maximal_joint.drives import target_rotation
from physx_runtime.solver.maximal_joint.kinds import rows_of
from physx_runtime.solver.maximal_joint.rows import NO_HINT
from support.chance.maximal_joints import FREE_AXIS, LOCKED_AXIS, d6, frames, placed, random_rotation, random_rows
from support.chance.packed_models import Rows
from support.mechanics.body_islands import RATE, rate_difference
from support.mechanics.rigid_motion import Array, about, rotation

F64 = 1e-14         # some dozen operations on numbers of size 1
DRIVEN = AxisTopology(FREE, drive="force")
ALL = d6([DRIVEN] * 6)
BALL = d6([*[LOCKED_AXIS] * 3, *[DRIVEN] * 3])
X, Y, Z = np.eye(3)


def target(angles: Array) -> Array:
    """The target rotation: about x first, then y, then z of A."""
    return about(angles[2] * Z) @ about(angles[1] * Y) @ about(angles[0] * X)


def at_target(seed: int) -> Rows:
    """Rows of a joint with all drives, where they want it."""
    random = np.random.default_rng(seed)
    offset, angles = random.uniform(-1, 1, (2, 3))
    rows = placed(ALL, random, target(angles), offset)
    return rows | {"target_position": np.concatenate([offset, angles])}


def test_the_target_rotation_turns_about_x_first() -> None:
    angles = np.array([0.3, -0.8, 1.1])
    found = target_rotation({"target_position": [0.0, 0.0, 0.0, *angles]})
    assert np.abs(rotation(np.array(found)) - target(angles)).max() < F64


def test_no_error_at_the_target() -> None:
    assert max(abs(row.error) for row in rows_of(ALL, at_target(0)).rows) < F64


def test_j_v_is_how_the_errors_change_at_the_target() -> None:
    assert rate_difference(ALL, at_target(1), np.random.default_rng(1)) < RATE


def test_drives_of_translations_change_as_they_should_anywhere() -> None:
    random = np.random.default_rng(2)
    t = d6([*[DRIVEN] * 3, *[FREE_AXIS] * 3])
    assert rate_difference(t, random_rows(t, random), random) < RATE


@pytest.mark.parametrize(("axis", "error"), [
    (3, lambda x: -2.0 * np.sin(0.5 * x)), (4, lambda x: -np.sin(x)), (5, lambda x: -np.sin(x))])
def test_the_errors_of_rotational_drives_are_sines(axis: int, error: Callable[[float], float]) -> None:
    t = d6([*[FREE_AXIS] * 3, *[DRIVEN if i == axis else FREE_AXIS for i in (3, 4, 5)]])
    rows = placed(t, np.random.default_rng(3), about(0.9 * np.eye(3)[axis - 3]), np.zeros(3))
    rows["target_position"] = np.where(np.arange(6) == axis, 0.2, 0.0)
    row, = rows_of(t, rows).rows
    assert row.error == pytest.approx(error(0.7), abs=F64)


def test_the_turn_from_the_target_is_taken_about_a_s_axes() -> None:
    """As the engine was measured; its later source takes it about the target's."""
    rows = placed(BALL, np.random.default_rng(4), about(0.3 * Z) @ about(1.0 * X), np.zeros(3))
    rows["target_position"] = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0])
    errors = [row.error for row in rows_of(BALL, rows).rows[:3]]
    assert errors == pytest.approx([0.0, 0.0, -np.sin(0.3)], abs=F64)


def test_a_target_more_than_half_a_turn_away_is_reached_the_shorter_way() -> None:
    t = d6([*[FREE_AXIS] * 3, DRIVEN, *[FREE_AXIS] * 2])
    rows = placed(t, np.random.default_rng(5), about(-2.0 * X), np.zeros(3))
    rows["target_position"] = np.array([0.0, 0.0, 0.0, 2.0, 0.0, 0.0])
    row, = rows_of(t, rows).rows
    assert row.error == pytest.approx(-2.0 * np.sin(0.5 * (2.0 * np.pi - 4.0)), abs=F64)


def test_a_drive_is_a_spring_bounded_by_its_force_that_holds_nothing() -> None:
    t = d6([FREE_AXIS, AxisTopology(FREE, drive="acceleration"), *[FREE_AXIS] * 3, DRIVEN])
    rows = random_rows(t, np.random.default_rng(6))
    R = frames(rows)[0][0]
    made = rows_of(t, rows).rows
    assert np.abs(np.array([made[0].linear0, made[1].angular0]) - [R[:, 1], R[:, 2]]).max() < F64
    for row, i, acceleration in zip(made, (1, 5), (True, False), strict=True):
        assert (row.lower, row.upper) == (-rows["max_force"][i], rows["max_force"][i])
        assert row.drive and not row.holds and row.hint == NO_HINT and row.spring
        assert row.spring.acceleration == acceleration
        assert (row.spring.stiffness, row.spring.damping) == (rows["stiffness"][i], rows["damping"][i])
        assert row.spring.target_velocity == -rows["target_velocity"][i]


def test_the_drive_of_a_locked_axis_makes_no_row() -> None:
    t = d6([*[AxisTopology(LOCKED, drive="force")] * 6])
    random = np.random.default_rng(7)
    made = rows_of(t, placed(t, random, random_rotation(random), np.zeros(3))).rows
    assert len(made) == 6 and not any(row.drive for row in made)
