"""Rows of gears and racks: their errors follow the hinges through every turn."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.model.body_kind import BODY, STATIC
from physx_runtime.model.island import GEAR, RACK, JointTopology, SolverBody
from physx_runtime.solver.maximal_joint.couplings import hinge, slide
from physx_runtime.solver.maximal_joint.kinds import JointGeometry, rows_of
from physx_runtime.solver.maximal_joint.rows import NO_HINT
from support.chance.maximal_joints import BODIES, coupled_hinges, d6, frames, locking, moved, placed, random_rows
from support.chance.packed_models import Rows
from support.mechanics.body_islands import row_velocity
from support.mechanics.rigid_motion import Array, about, quaternion

F64 = 1e-12             # a hundred steps that add up angles of size 10
RATIO, STEPS = 1.7, 100
TURN = 0.3              # of a body in a step; all steps are more than four turns
HOLDING = [(False, False), (False, True), (True, False), (True, True)]


class Coupled:
    """Two bodies on joints with the world, of which each is body0 or body1, coupled by a gear or a rack.

    A body's motion is how far it has turned about, or slid along, its joint's axis in the world.
    """

    def __init__(self, kind: str, first: tuple[bool, bool], seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        self.t = coupled_hinges(kind, *first)
        self.slides = (False, kind == RACK)
        self.body_side = [0 if holds else 1 for holds in first]
        self.joints: list[tuple[JointTopology, Rows]] = []
        for holds, slides in zip(first, self.slides, strict=True):
            sides = (SolverBody(BODY), SolverBody(STATIC)) if holds else (SolverBody(STATIC), SolverBody(BODY))
            t = d6(locking(*((1, 2, 3, 4, 5) if slides else (0, 1, 2, 4, 5))).axes, sides=sides)
            self.joints.append((t, placed(t, random, np.eye(3), np.zeros(3))))
        self.kept: Rows = {"turns": np.zeros(2), "last_angle": np.full(2, np.inf)}

    def axis(self, i: int) -> Array:
        """The world axis of a joint."""
        return frames(self.joints[i][1])[0][0][:, 0]

    def at(self, motion: tuple[float, float]) -> Rows:
        """Rows of the coupling where its bodies have moved so far; those on hinges turn in place."""
        made: Rows = dict(self.kept) | {"ratio": np.array([RATIO])}
        for i, (t, rows) in enumerate(self.joints):
            side, axis, still = self.body_side[i], self.axis(i), np.zeros(3)
            linear, angular = (axis, still) if self.slides[i] else (still, axis)
            rows = moved(rows, side, linear, angular, motion[i])
            read = slide(t, rows)["slide_position"] if self.slides[i] else hinge(t, rows)["hinge_angle"]
            made[f"hinge{i}_coordinate"] = np.array(read)
            for name in ("body{}_position", "body{}_rotation", "frame{}_position", "frame{}_rotation"):
                made[name.format(i)] = rows[name.format(side)]
        return made

    def step(self, motion: tuple[float, float]) -> JointGeometry:
        """The geometry there; what it counted is kept."""
        made = rows_of(self.t, self.at(motion))
        self.kept = {name: np.array(values) for name, values in made.persistent.items()}
        return made


@pytest.mark.parametrize("first", HOLDING)
def test_a_gear_s_error_is_what_its_bodies_have_turned_through_every_turn(first: tuple[bool, bool]) -> None:
    coupled = Coupled(GEAR, first)
    for n in range(STEPS):
        motion = (0.4 + TURN * n, 0.7 - 0.8 * TURN * n)
        row, = coupled.step(motion).rows
        assert row.error == pytest.approx(RATIO * (motion[0] - 0.4) + (motion[1] - 0.7), abs=F64)


@pytest.mark.parametrize("first", HOLDING)
def test_a_rack_s_error_is_the_pinion_s_turn_less_the_slider_s_place(first: tuple[bool, bool]) -> None:
    coupled = Coupled(RACK, first)
    for n in range(STEPS):
        motion = (0.4 + TURN * n, 0.2 - 0.1 * n)
        row, = coupled.step(motion).rows
        side = np.sign(row.linear1 @ coupled.axis(1))
        assert row.error == pytest.approx(motion[0] - 0.4 - side * RATIO * motion[1], abs=F64)


@pytest.mark.parametrize("first", HOLDING)
@pytest.mark.parametrize("kind", [GEAR, RACK])
def test_j_v_is_how_the_error_changes(kind: str, first: tuple[bool, bool]) -> None:
    for way in ((1.0, 0.0), (0.0, 1.0), (0.3, -0.8)):
        coupled = Coupled(kind, first)
        coupled.step((0.1, 0.2))
        now = coupled.step((0.1, 0.2)).rows[0]
        later = coupled.step((0.1 + 1e-3 * way[0], 0.2 + 1e-3 * way[1])).rows[0]
        still = np.zeros(3)
        velocities = [np.concatenate([still, rate * coupled.axis(i)][::-1 if coupled.slides[i] else 1])
                      for i, rate in enumerate(way)]
        rate = row_velocity(now, (velocities[0], velocities[1]))
        assert (later.error - now.error) / 1e-3 == pytest.approx(rate, abs=1e-9)


@pytest.mark.parametrize("kind", [GEAR, RACK])
def test_the_first_step_counts_no_turn(kind: str) -> None:
    coupled = Coupled(kind, (False, False))
    coupled.step((2.9, 0.0))
    assert list(coupled.kept["turns"]) == [0.0, 0.0]


def test_one_row_is_angular_of_no_hint_and_holds() -> None:
    for kind in (GEAR, RACK):
        row, = Coupled(kind, (False, True)).step((0.1, 0.2)).rows
        assert row.angular and row.holds and row.hint == NO_HINT and not row.drive
        assert (row.lower, row.upper) == (-np.inf, np.inf)


@pytest.mark.parametrize("kind", [GEAR, RACK])
def test_without_hinges_there_is_neither_error_nor_count(kind: str) -> None:
    t = JointTopology(kind, BODIES)
    made = rows_of(t, random_rows(t, np.random.default_rng(0)))
    assert [row.error for row in made.rows] == [0.0] and not made.persistent


def test_a_rack_s_slider_is_not_counted() -> None:
    coupled = Coupled(RACK, (False, False))
    for n in range(5):
        coupled.step((0.1 * n, 0.1 * n))
    assert coupled.kept["turns"][0] == pytest.approx(-0.4, abs=F64)
    assert coupled.kept["turns"][1] == 0.0


@pytest.mark.parametrize(("above", "tilt", "ratio"), [
    (0.5, 0.0, RATIO), (-0.5, 0.0, -RATIO), (5e-4, 0.0, RATIO), (-5e-4, 0.0, RATIO),
    (-0.5, 0.5 * np.pi - 1e-3, RATIO), (-0.5, 0.5 * np.pi - 1e-2, -RATIO)])
def test_a_rack_moves_as_the_rim_beside_it(above: float, tilt: float, ratio: float) -> None:
    """The pinion turns about x, the rack slides along y tilted to x; above it, z > 0, the rim moves against y."""
    t = JointTopology(RACK, BODIES)
    upright = np.array([0.0, 0.0, 0.0, 1.0])
    slider = quaternion(about(np.array([0.0, 0.0, 0.5 * np.pi - tilt])))
    rows = {"frame0_position": np.zeros(3), "frame0_rotation": upright, "ratio": np.array([RATIO]),
            "frame1_position": np.array([0.3, 0.0, -above]), "frame1_rotation": slider}
    for side in (0, 1):
        rows |= {f"body{side}_position": np.zeros(3), f"body{side}_rotation": upright}
    row, = rows_of(t, rows).rows
    assert np.abs(np.array(row.linear1) - ratio * np.array([np.sin(tilt), np.cos(tilt), 0.0])).max() < F64
