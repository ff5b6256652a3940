"""The geometry of every kind of joint is the same of numbers, of arrays and traced, and small enough to compile.

Rows of distance joints: what the distance lacks, one-sided, and a slack of 25 mm on either bound.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from physx_runtime.compiling.code import row_scalars, trace
from physx_runtime.compiling.python_source import python_function
from physx_runtime.language.ops import Scalar, where
from physx_runtime.model.body_kind import LINK, STATIC
from physx_runtime.model.island import DISTANCE, FREE, GEAR, LIMITED, RACK, AxisTopology, JointTopology, SolverBody
from physx_runtime.solver.maximal_joint.drives import EPSILON
from physx_runtime.solver.maximal_joint.kinds import rows_of
from physx_runtime.solver.maximal_joint.rows import NO_HINT
from support.chance.maximal_joints import (
    BODIES,
    FREE_AXIS,
    LOCKED_AXIS,
    coupled_hinges,
    d6,
    frames,
    locking,
    placed,
    random_rotation,
    random_rows,
)
from support.chance.packed_models import Rows
from support.mechanics.body_islands import RATE, rate_difference

# Sums written in another order, of numbers of size 1.
F64, F32 = 1e-13, 2e-5
HARD, SOFT = (AxisTopology(LIMITED, soft, "force") for soft in (False, True))
KINDS = {
    "welded": locking(*range(6)),
    "hinge": locking(0, 1, 2, 4, 5),
    "one swing locked": locking(4),
    "limits and drives": d6([HARD] * 6, sides=(SolverBody(STATIC), SolverBody(LINK))),
    "soft limits and drives": d6([SOFT] * 6, sides=(SolverBody(LINK), SolverBody(LINK))),
    "distance limit": replace(d6([FREE_AXIS] * 6), distance="soft"),
    "cone": d6([LOCKED_AXIS] * 3 + [AxisTopology(FREE, drive="acceleration")] * 3, "hard"),
    "soft cone": d6([LOCKED_AXIS] * 3 + [FREE_AXIS] * 3, "soft"),
    "distance": JointTopology(DISTANCE, BODIES, range="both", spring=True),
    "one distance": JointTopology(DISTANCE, BODIES, range="equal"),
    "gear": coupled_hinges(GEAR, True, False),
    "rack": coupled_hinges(RACK, True, False),
}
FLAGS = 2                   # numbers of a row that stand for truth values
MOST_OPERATIONS = 2000      # of any joint's geometry; the loop over iterations is larger


def numbers(t: JointTopology, rows: object) -> dict[str, list[Scalar]]:
    """All that the geometry is made of."""
    made = rows_of(t, rows)         # type: ignore[arg-type]
    out: dict[str, list[Scalar]] = {"arms": [*made.arm0, *made.arm1, *made.lever], **made.persistent}
    for i, row in enumerate(made.rows):
        spring = [row.spring.stiffness, row.spring.damping, row.spring.target_velocity] if row.spring else []
        out[f"row{i}"] = [*row.linear0, *row.angular0, *row.linear1, *row.angular1, row.error, row.lower, row.upper,
                          *spring, where(row.keeps_bias, 1.0, 0.0), where(row.active, 1.0, 0.0)]
    return out


def flat(made: dict[str, list[Scalar]]) -> list[Scalar]:
    """The numbers one behind the other."""
    return [x for values in made.values() for x in values]


def floats(rows: Rows) -> dict[str, list[float]]:
    """Rows of plain numbers."""
    return {name: [float(x) for x in values] for name, values in rows.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_traced_geometry_is_that_of_numbers(kind: str) -> None:
    t, random = KINDS[kind], np.random.default_rng(0)
    given = row_scalars({name: len(values) for name, values in random_rows(t, random).items()})
    code, _ = trace(lambda rows: numbers(t, rows), given)
    code = code.pruned({row for row, _ in code.outputs})
    assert code.operations < MOST_OPERATIONS
    names = [str(x) for scalars in given.values() for x in scalars]
    function = python_function(code, names)
    for _ in range(10):
        rows = floats(random_rows(t, random))
        found = dict(zip((name for name, _ in code.outputs), function([x for v in rows.values() for x in v]),
                         strict=True))
        wanted = {f"{name}_{i}": float(x) for name, values in numbers(t, rows).items() for i, x in enumerate(values)}
        assert [found.get(name, wanted[name]) for name in wanted] == pytest.approx(list(wanted.values()), abs=F64)


def test_traced_rotational_rows_stay_independent_half_a_turn_apart() -> None:
    t = locking(3, 4, 5)
    rows = floats(random_rows(t, np.random.default_rng(3)))
    rows |= {f"{what}{side}_rotation": [0.0, 0.0, 0.0, 1.0] for what in ("body", "frame") for side in (0, 1)}
    rows["frame1_rotation"] = [1.0, 0.0, 0.0, 0.0]
    given = row_scalars({name: len(values) for name, values in rows.items()})
    code, _ = trace(lambda rows: {"axis": list(rows_of(t, rows).rows[0].angular0)}, given)
    function = python_function(code, [str(x) for scalars in given.values() for x in scalars])
    assert function([x for values in rows.values() for x in values]) == [EPSILON, 0.0, 0.0]


@pytest.mark.parametrize("kind", KINDS)
def test_geometry_of_many_worlds_is_that_of_each(kind: str) -> None:
    t, random = KINDS[kind], np.random.default_rng(1)
    worlds = [random_rows(t, random) for _ in range(5)]
    together = {name: np.array([rows[name] for rows in worlds]).T for name in worlds[0]}
    found = np.array([np.broadcast_to(x, 5) for x in flat(numbers(t, together))]).T
    assert found == pytest.approx(np.array([flat(numbers(t, floats(rows))) for rows in worlds], float), abs=F64)


@pytest.mark.parametrize("kind", KINDS)
def test_geometry_in_single_precision_stays_near_and_in_it(kind: str) -> None:
    t, random = KINDS[kind], np.random.default_rng(2)
    rows = random_rows(t, random)
    single = {name: np.array(values, "f")[:, None] for name, values in rows.items()}
    made = numbers(t, single)
    assert all(x.dtype == np.float32 for values in made.values() for x in values[:-FLAGS] if np.ndim(x))
    assert np.array([float(np.ravel(x)[0]) for x in flat(made)]) == pytest.approx(
        np.array(flat(numbers(t, floats(rows))), float), abs=F32)


# --- distance --------------------------------------------------------------------------------------------------------

DISTANCE_F64 = 1e-14         # some dozen operations on numbers of size 1
DISTANCE_KINDS = ("both", "min", "max", "equal")
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


@pytest.mark.parametrize(("kind", "bounds"), [("min", (0.0, np.inf)), ("max", (-np.inf, 0.0))])
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
    t = joint("min")
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
        assert np.abs(np.array(row.angular0) - np.cross(b - rows["body0_position"], row.linear0)).max() < DISTANCE_F64
        assert row.spring and row.spring.stiffness == rows["spring_stiffness"][0]
        assert row.spring.damping == rows["spring_damping"][0] and row.spring.target_velocity == 0.0
        assert row.hint == NO_HINT and row.holds and not row.drive and not row.angular
    assert np.abs(np.array(made.arm0) - (b - rows["body0_position"])).max() < DISTANCE_F64


def test_anchors_at_one_place_are_parted_along_x() -> None:
    t = joint("min")
    row, = rows_of(t, apart(t, 0.0)).rows
    assert row.linear0 == (1.0, 0.0, 0.0)
    assert np.isfinite([row.error, *row.angular0, *row.angular1]).all()
