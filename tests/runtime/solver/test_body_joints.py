"""What joints between two free bodies keep, whatever they hold."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.model.island import D6, DISTANCE, FREE, LIMITED, LOCKED, AxisTopology, IslandTopology, JointTopology
from support.chance.held_bodies import BODIES, Rows, momentum, two_bodies
from support.mechanics.body_islands import BodyIsland
from support.mechanics.rigid_motion import rotation

Array = NDArray[np.float64]
ROUNDING = 1e-12                # of some hundred operations on numbers about 1
LETTERS = {"x": LOCKED, ".": FREE}
# Translations along x, y, z, rotations about x, y, z.
LOCKS = {"fixed": "xxxxxx", "revolute": "xxx.xx", "prismatic": ".xxxxx", "spherical": "xxx...", "on a line": ".xx...",
         "in a plane": "..x...", "sliding in a plane": "x...xx", "first swing": "xxx.x.", "second swing": "xxx..x",
         "twist": "xxxx..", "turning as one": "...xxx"}


def joint(axes: str) -> JointTopology:
    return JointTopology(D6, BODIES, tuple(AxisTopology(LETTERS[letter]) for letter in axes))


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
    "drives and limits": (JointTopology(D6, BODIES, ALL), NARROW | GAINS),
    "soft limits": (JointTopology(D6, BODIES, SOFT), NARROW | GAINS),
    "cone": (JointTopology(D6, BODIES, (AxisTopology(),) * 6, cone="hard"), {"cone_angle": [0.1, 0.2]}),
    "range": (JointTopology(DISTANCE, BODIES, range="both"), {"minimum_distance": [0.1], "maximum_distance": [0.2]}),
    "spring": (JointTopology(DISTANCE, BODIES, range="equal", spring=True), {
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
