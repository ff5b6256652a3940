"""Rows of locked axes: their errors vanish where the frames agree, and J v is how the errors change.

A joint's frames in the world are where its sides are, and the same joint however it is written down.

Rows of joints are those of the measured prototype, which reproduces PhysX's motions with them.
"""

from __future__ import annotations

import dataclasses
import importlib.util
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from physx_runtime.model.body_kind import BODY, LINK, STATIC
from physx_runtime.model.island import AXES, DISTANCE, GEAR, RACK, JointTopology, SolverBody
from physx_runtime.solver.maximal_joint.drives import EPSILON, rotation_axes
from physx_runtime.solver.maximal_joint.kinds import rows_of
from physx_runtime.solver.maximal_joint.rows import (
    ROTATION,
    ROTATION_LIMIT,
    TRANSLATION,
    TRANSLATION_LIMIT,
    JointRow,
    joint_frames,
)
from support.chance.maximal_joints import (
    BODIES,
    coupled_hinges,
    frames,
    locking,
    placed,
    random_d6,
    random_rotation,
    random_rows,
)
from support.chance.packed_models import Rows
from support.mechanics.body_islands import RATE, rate_difference
from support.mechanics.rigid_motion import about, rotation

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


# --- frames ----------------------------------------------------------------------------------------------------------

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


# --- prototype -------------------------------------------------------------------------------------------------------

# A hundred operations in float64 on numbers of size 1; the prototype's acos costs the most.
F64_ROWS = 1e-12
LARGEST = 3.4e38        # the prototype's infinity


@pytest.fixture(scope="module")
def prototype(shared_cases: Path) -> ModuleType:
    """The module maximal.py."""
    path = shared_cases.parent / "reference" / "proofs" / "maximal" / "maximal.py"
    if not path.is_file():
        pytest.skip(f"no prototype at {path}")
    spec = importlib.util.spec_from_file_location("maximal_prototype", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def same_joint(prototype: ModuleType, t: JointTopology, rows: Rows, settings: dict[str, Any]) -> Any:
    """The prototype's joint with the sides and frames of the rows."""
    bodies: dict[Any, Any] = {None: prototype.World(np.float64)}
    for side in (0, 1):
        if t.solver_bodies[side].kind == BODY:
            spec = {"name": side, "com": (0, 0, 0), "pa": (1, 0, 0, 0), "kinematic": False, "mass": 1.0,
                    "inertia": (1, 1, 1), "lin_damp": 0.0, "ang_damp": 0.0, "extra": {}, "lock_lin": 0, "lock_rot": 0}
            pose = [*rows[f"body{side}_position"], *rows[f"body{side}_rotation"]]
            bodies[side] = prototype.Body(spec, np.float64, pose, np.zeros(6))
    names = [side if t.solver_bodies[side].kind == BODY else None for side in (0, 1)]
    frames = {f"pos{i}": rows[f"frame{i}_position"] for i in (0, 1)}
    frames |= {f"rot{i}": np.roll(rows[f"frame{i}_rotation"], 1) for i in (0, 1)}
    return prototype.Joint({"name": "j", "b0": names[0], "b1": names[1], "axis": "X", **frames, **settings}, bodies,
                           np.float64)


def d6_of(prototype: ModuleType, t: JointTopology, rows: Rows) -> Any:
    """The prototype's D6 joint with the topology and the parameters in rows."""
    joint = same_joint(prototype, t, rows, {"kind": "D6"})
    for i, (name, axis) in enumerate(zip(AXES, t.axes, strict=True)):
        joint.motion[name] = axis.motion
        if axis.motion == "limited":
            gains = (rows["limit_stiffness"][i], rows["limit_damping"][i]) if axis.soft else (0.0, 0.0)
            joint.limits[name] = (rows["lower_limit"][i], rows["upper_limit"][i], prototype.Limit(np.float64, *gains))
        if axis.drive:
            joint.drives[name] = {"k": rows["stiffness"][i], "d": rows["damping"][i], "max": rows["max_force"][i],
                                  "accel": axis.drive == "acceleration", "tp": rows["target_position"][i],
                                  "tv": rows["target_velocity"][i]}
    if t.cone:
        gains = (rows["cone_stiffness"][0], rows["cone_damping"][0]) if t.cone == "soft" else (0.0, 0.0)
        joint.cone = (*rows["cone_angle"], prototype.Limit(np.float64, *gains))
    return joint


def hint_of(row: Any) -> int:
    """The hint that the prototype's preparation gives a row."""
    angular = {TRANSLATION: ROTATION, TRANSLATION_LIMIT: ROTATION_LIMIT} if row.angular else {}
    return angular.get(row.hint, row.hint)


def expected(row: Any) -> list[float]:
    """All numbers of a row of the prototype."""
    spring = [row.k, row.d, row.vt, row.accel] if row.spring else []
    return [*row.l0, *row.a0, *row.l1, *row.a1, row.err, hint_of(row), row.angular, row.lo, row.hi, *spring,
            row.drive_limit, bool(row.keep_bias), row.out]


def ours(row: JointRow) -> list[float]:
    """All numbers of a row."""
    spring = [row.spring.stiffness, row.spring.damping, row.spring.target_velocity, row.spring.acceleration] \
        if row.spring else []
    return [*row.linear0, *row.angular0, *row.linear1, *row.angular1, row.error, row.hint, row.angular,
            max(row.lower, -LARGEST), min(row.upper, LARGEST), *spring, row.drive, bool(row.keeps_bias), row.holds]


def difference(t: JointTopology, rows: Rows, wanted: list[Any], arms: tuple[Any, Any]) -> float:
    """The largest difference between the rows in action and the prototype's, and between the arms."""
    made = rows_of(t, {name: list(map(float, values)) for name, values in rows.items()})
    acting = [row for row in made.rows if row.active]
    assert len(acting) == len(wanted)
    pairs = [(ours(a), expected(b)) for a, b in zip(acting, wanted, strict=True)]
    pairs += [(list(made.arm0), list(arms[0])), (list(made.arm1), list(arms[1]))]
    return max(float(np.abs(np.subtract(a, b)).max()) for a, b in pairs)


@pytest.mark.parametrize("seed", range(10))
def test_rows_of_d6_joints_are_the_prototype_s(prototype: ModuleType, seed: int) -> None:
    random = np.random.default_rng(seed)
    for _ in range(40):
        t = random_d6(random)
        rows = random_rows(t, random)
        found, *arms = d6_of(prototype, t, rows).rows()
        assert difference(t, rows, found, (arms[0], arms[1])) < F64_ROWS


@pytest.mark.parametrize("axes", [(0, 1, 2, 3, 4, 5), (0, 1, 2, 4, 5), (1, 2, 3, 4, 5), (0, 1, 2), (4,), (5,), (3, 4)])
def test_rows_of_locked_axes_are_the_prototype_s(prototype: ModuleType, axes: tuple[int, ...]) -> None:
    random = np.random.default_rng(1)
    t = locking(*axes)
    rows = random_rows(t, random, turned=3.0)
    found, *arms = d6_of(prototype, t, rows).rows()
    assert difference(t, rows, found, (arms[0], arms[1])) < F64_ROWS


@pytest.mark.parametrize("spring", [False, True])
@pytest.mark.parametrize("kind", ["both", "min", "max", "equal"])
def test_rows_of_distance_joints_are_the_prototype_s(prototype: ModuleType, kind: str, spring: bool) -> None:
    random = np.random.default_rng(2)
    t = JointTopology(DISTANCE, BODIES, range=kind, spring=spring)
    for _ in range(30):
        rows = random_rows(t, random)
        least, most = sorted(random.uniform(0.0, 1.0, 2))
        least = {"equal": most, "max": -1.0}.get(kind, least)
        most = -1.0 if kind == "min" else most
        rows |= {"minimum_distance": np.array([least]), "maximum_distance": np.array([most])}
        settings: dict[str, Any] = {"kind": "Distance", "min": least, "max": most}
        if spring:
            settings["spring"] = (rows["spring_stiffness"][0], rows["spring_damping"][0])
        found, *arms = same_joint(prototype, t, rows, settings).rows()
        for row in found:
            row.out = True          # in PhysX distance joints do break, in the prototype they do not
        assert difference(t, rows, found, (arms[0], arms[1])) < F64_ROWS


@pytest.mark.parametrize("kind", [GEAR, RACK])
def test_rows_of_gears_and_racks_are_the_prototype_s(prototype: ModuleType, kind: str) -> None:
    random = np.random.default_rng(3)
    for first, second in ((False, False), (False, True), (True, False), (True, True)):
        t = coupled_hinges(kind, first, second)
        rows = random_rows(t, random)
        ratio = rows["ratio"][0]
        joint = same_joint(prototype, t, rows, {"kind": kind.capitalize(), "hinge0": "a", "hinge1": "b",
                                                "ratio": ratio if kind == GEAR else np.degrees(ratio)})
        joint.sign = [-1 if x else 1 for x in (first, second)]
        joint.virtual, joint.last = list(rows["turns"]), list(rows["last_angle"])
        joint.h0, joint.h1 = (Told(rows[f"hinge{i}_coordinate"][0]) for i in (0, 1))
        found, *arms = joint.rows()
        found[0].out = True         # nor do its gears and racks
        assert difference(t, rows, found, (arms[0], arms[1])) < F64_ROWS
        made = rows_of(t, rows)
        counts = 2 if kind == GEAR else 1
        assert np.allclose(made.persistent["turns"][:counts], joint.virtual[:counts], rtol=0.0, atol=F64_ROWS)
        assert made.persistent["last_angle"][:counts] == joint.last[:counts]


class Told:
    """A hinge of the prototype that says a given coordinate."""

    def __init__(self, coordinate: float) -> None:
        self.coordinate = coordinate

    def coordinates(self) -> tuple[float, float]:
        """Angle and position."""
        return self.coordinate, self.coordinate
