"""Fragments of divergence, world by world."""

from __future__ import annotations

from physx_runtime.language.ops import Rows, where
from physx_runtime.solver.by_joint.fragments.operands import Operands
from physx_runtime.solver.divergence import still_sound


def judge(rows: Operands) -> Rows:
    """Whether the world is sound, as a number, and its flag."""
    sound = still_sound(rows["size"][0], rows["diverged"][0])
    return {"sound": [where(sound, 1.0, 0.0)], "diverged": [where(sound, 0.0, 1.0)]}


def keep(rows: Operands) -> Rows:
    """The new value in a sound world, the kept one in another."""
    return {"x": [where(rows["sound"][0] > 0.5, rows["x"][0], rows["kept"][0])]}
