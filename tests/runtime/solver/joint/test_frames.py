"""A joint's frames in the world are where its sides are, and the same joint however it is written down."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from physx_runtime.model.body_kind import BODY, LINK, STATIC
from physx_runtime.model.island import SolverBody
from physx_runtime.solver.maximal_joint.kinds import rows_of
from physx_runtime.solver.maximal_joint.rows import joint_frames
from support.chance.outside_joints import frames, locking, random_rows
from support.mechanics.rigid_motion import rotation

F64 = 1e-14         # some dozen operations on numbers of size 1
HINGE = locking(0, 1, 2, 4, 5)


@pytest.mark.parametrize("kinds", [(BODY, BODY), (STATIC, BODY), (LINK, BODY), (BODY, LINK), (LINK, STATIC)])
def test_frames_are_those_of_the_definition(kinds: tuple[str, str]) -> None:
    t = dataclasses.replace(HINGE, solver_bodies=(SolverBody(kinds[0]), SolverBody(kinds[1])))
    rows = random_rows(t, np.random.default_rng(0), turned=3.0)
    (R, p), (S, q) = frames(rows)
    found = joint_frames(t, rows)
    pairs = [(found.A, R), (found.B, S), (rotation(np.array(found.relative)), R.T @ S), (found.between, q - p),
             (found.offset, R.T @ (q - p)),
             (found.arm0, q - rows.get("body0_position", np.zeros(3))),
             (found.arm1, q - rows.get("body1_position", np.zeros(3)))]
    assert max(np.abs(np.subtract(a, b)).max() for a, b in pairs) < F64


def test_the_other_quaternion_of_a_side_is_the_same_joint() -> None:
    rows = random_rows(HINGE, np.random.default_rng(1))
    other = rows | {"body1_rotation": -rows["body1_rotation"]}
    assert rows_of(HINGE, rows) == rows_of(HINGE, other)


def test_the_arms_of_a_joint_without_locked_translations_end_at_b_s_anchor() -> None:
    rows = random_rows(HINGE, np.random.default_rng(2))
    made = rows_of(locking(3, 4, 5), rows)
    anchor = frames(rows)[1][1]
    assert np.abs(np.array(made.arm0) - (anchor - rows["body0_position"])).max() < F64
    assert made.lever == made.arm0


def test_the_first_arm_ends_at_a_s_anchor_where_all_translations_are_locked() -> None:
    rows = random_rows(HINGE, np.random.default_rng(3))
    (_, anchor), (_, other) = frames(rows)
    made = rows_of(HINGE, rows)
    assert np.abs(np.array(made.arm0) - (anchor - rows["body0_position"])).max() < F64
    assert np.abs(np.array(made.lever) - (other - rows["body0_position"])).max() < F64
