"""Bodies of the generic path: a step's start and its end, row by row."""

from __future__ import annotations

from physx_runtime.language.ops import where
from physx_runtime.solver.articulation.velocity_clamp import larger_excess, slowed
from physx_runtime.solver.articulation.wrapping import wrapped
from physx_runtime.solver.by_joint.bodies import Made, Rows
from physx_runtime.solver.divergence import still_sound


def find_excess(rows: Rows) -> Made:
    """Largest ratio of a joint velocity to its start-of-step maximum."""
    return {"excess": [larger_excess(rows["excess"][0], rows["v"][0], rows["velocity_clamp"][0])]}


def one(rows: Rows) -> Made:
    """1 in a row."""
    return {"ones": [1.0] * len(rows["ones"])}


def clamp_velocity(rows: Rows) -> Made:
    """A joint velocity brought below its start-of-step maximum."""
    return {"v": [slowed(rows["v"][0], rows["excess"][0])]}


def wrap(rows: Rows) -> Made:
    """A revolute joint's position wrapped."""
    return {"q": [wrapped(rows["q"][0], rows["lower_limit"][0], rows["upper_limit"][0])]}


def add_size(rows: Rows) -> Made:
    """Sum of absolute values."""
    return {"size": [rows["size"][0] + abs(rows["x"][0])]}


def judge(rows: Rows) -> Made:
    """Whether the world is sound, as a number, and its flag."""
    sound = still_sound(rows["size"][0], rows["diverged"][0])
    return {"sound": [where(sound, 1.0, 0.0)], "diverged": [where(sound, 0.0, 1.0)]}


def keep(rows: Rows) -> Made:
    """The new value in a sound world, the kept one in another."""
    return {"x": [where(rows["sound"][0] > 0.5, rows["x"][0], rows["kept"][0])]}
