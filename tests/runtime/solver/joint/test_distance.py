"""Rows of distance joints: what the distance lacks, one-sided, and a slack of 25 mm on either bound."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.model.island import DISTANCE, JointTopology
from physx_runtime.solver.maximal_joint.kinds import rows_of
from physx_runtime.solver.maximal_joint.rows import NO_HINT
from support.chance.outside_joints import BODIES, frames, placed, random_rotation
from support.chance.packed_trees import Rows
from support.mechanics.joint_rates import RATE, rate_difference

DISTANCE_F64 = 1e-14         # some dozen operations on numbers of size 1
DISTANCE_KINDS = ("both", "least", "most", "equal")
LEAST, MOST, SLACK = 0.4, 0.9, 0.025


def joint(kind: str, spring: bool = False) -> JointTopology:
    """A distance joint."""
    return JointTopology(DISTANCE, BODIES, range=kind, spring=spring)


def apart(t: JointTopology, distance: float, seed: int = 0) -> Rows:
    """Rows of a joint with its anchors this far apart."""
    random = np.random.default_rng(seed)
    direction = random.normal(size=3)
    offset = distance * direction / np.linalg.norm(direction)
    rows = placed(t, random, random_rotation(random), offset)
    least = MOST if t.range == "equal" else LEAST
    return rows | {"minimum_distance": np.array([least]), "maximum_distance": np.array([MOST])}


@pytest.mark.parametrize("distance", [0.2, 0.6, 1.2])
def test_errors_are_what_the_distance_lacks(distance: float) -> None:
    t = joint("both")
    least, most = rows_of(t, apart(t, distance)).rows
    assert least.error == pytest.approx(distance - LEAST + SLACK, abs=DISTANCE_F64)
    assert most.error == pytest.approx(distance - MOST - SLACK, abs=DISTANCE_F64)
    assert (least.lower, least.upper, most.lower, most.upper) == (0.0, np.inf, -np.inf, 0.0)
    assert (least.keeps_bias, most.keeps_bias) == (distance >= LEAST, distance <= MOST)


@pytest.mark.parametrize(("kind", "bounds"), [("least", (0.0, np.inf)), ("most", (-np.inf, 0.0))])
def test_a_side_that_is_off_makes_no_row(kind: str, bounds: tuple[float, float]) -> None:
    row, = rows_of(joint(kind), apart(joint(kind), 0.5)).rows
    assert (row.lower, row.upper) == bounds


@pytest.mark.parametrize(("distance", "error"), [(MOST - 0.1, -0.075), (MOST - 0.02, 0.0), (MOST, 0.0),
                                                 (MOST + 0.02, 0.0), (MOST + 0.1, 0.075)])
def test_equal_bounds_make_one_row_with_a_slack_both_ways(distance: float, error: float) -> None:
    row, = rows_of(joint("equal"), apart(joint("equal"), distance)).rows
    assert row.error == pytest.approx(error, abs=DISTANCE_F64)
    assert (row.lower, row.upper) == (-np.inf, np.inf)


def test_the_slack_counts_in_the_stage_s_units() -> None:
    t = joint("least")
    rows = apart(t, 50.0) | {"length_scale": np.array([100.0])}
    assert rows_of(t, rows).rows[0].error == pytest.approx(50.0 - LEAST + 2.5, abs=100 * DISTANCE_F64)


@pytest.mark.parametrize("kind", DISTANCE_KINDS)
def test_j_v_is_how_the_errors_change(kind: str) -> None:
    t = joint(kind)
    assert rate_difference(t, apart(t, 1.3), np.random.default_rng(1)) < RATE


@pytest.mark.parametrize("kind", DISTANCE_KINDS)
def test_rows_act_along_the_line_between_the_anchors_at_b_s(kind: str) -> None:
    t = joint(kind, spring=True)
    rows = apart(t, 0.7)
    (_, a), (_, b) = frames(rows)
    made = rows_of(t, rows)
    for row in made.rows:
        assert np.abs(np.array(row.linear0) - (a - b) / 0.7).max() < DISTANCE_F64
        assert np.abs(np.array(row.angular0) - np.cross(b - rows["side0_position"], row.linear0)).max() < DISTANCE_F64
        assert row.spring and row.spring.stiffness == rows["spring_stiffness"][0]
        assert row.spring.damping == rows["spring_damping"][0] and row.spring.target_velocity == 0.0
        assert row.hint == NO_HINT and row.holds and not row.drive and not row.angular
    assert np.abs(np.array(made.arm0) - (b - rows["side0_position"])).max() < DISTANCE_F64


def test_anchors_at_one_place_are_parted_along_x() -> None:
    t = joint("least")
    row, = rows_of(t, apart(t, 0.0)).rows
    assert row.linear0 == (1.0, 0.0, 0.0)
    assert np.isfinite([row.error, *row.angular0, *row.angular1]).all()
