"""What joints between two free bodies keep, whatever they hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.model.island import D6, FREE, LOCKED, AxisTopology, IslandTopology, JointTopology
from support.chance.held_bodies import BODIES, momentum, two_bodies
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


def solved(t: IslandTopology, rows: dict[str, Any], final: bool, times: int = 1) -> tuple[list[Array], list[Array]]:
    """Both bodies' velocities before and after their joint is solved, where they stand at the step's start."""
    island = BodyIsland(t, rows)
    island.start()
    before = [np.array(body["v"]) for body in island.bodies]
    for _ in range(times):
        island.solve_joints(0.0, final)
    return before, [np.array(body["v"]) for body in island.bodies]


def of_the_frame(rows: dict[str, Any], velocities: list[Array]) -> Array:
    """Velocity of the joint's frame on body 1 against that on body 0, in its axes: linear, angular."""
    linear, angular = np.zeros(3), np.zeros(3)
    axes = rotation(np.array(rows["actor0_root_rotation"])) @ rotation(np.array(rows["joint0_frame0_rotation"]))
    for i, v in enumerate(velocities):
        arm = rotation(np.array(rows[f"actor{i}_root_rotation"])) @ np.array(rows[f"joint0_frame{i}_position"])
        linear += (2 * i - 1) * (v[:3] + np.cross(v[3:], arm))
        angular += (2 * i - 1) * v[3:]
    return np.array([*(axes.T @ linear), *(axes.T @ angular)])


@pytest.mark.parametrize("final", (False, True))
@pytest.mark.parametrize("axes", LOCKS.values(), ids=LOCKS)
def test_a_joint_leaves_the_momentum_of_its_bodies_as_it_was(axes: str, final: bool) -> None:
    for seed in range(3):
        t, rows = two_bodies(joint(axes), seed)
        before, after = solved(t, rows, final)
        assert np.abs(after[0] - before[0]).max() > 1e-2
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


def _energy(rows: dict[str, Any], velocities: list[Array]) -> float:
    """Of motion: v . p and w . L, each about the body's own centre of mass."""
    total = 0.0
    for i, v in enumerate(velocities):
        alone = [np.zeros(6), np.zeros(6)]
        alone[i] = v
        p = momentum(rows, alone)
        spin = p[3:] - np.cross(rows[f"actor{i}_root_position"], p[:3])
        total += float(v[:3] @ p[:3] + v[3:] @ spin) / 2
    return total
