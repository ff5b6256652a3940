"""PhysX beside itself: a scene that is turned as a whole moves alike but for how its numbers are rounded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from pxr import Gf, Usd, UsdPhysics

from support.chance.jointed_scenes import jointed_scene
from support.chance.usda_text import Vector, normalized, product, rotate
from support.physx.beside_physx import Array, Motion, apart, recorded

TURNS = 4           # of a scene, by chance
VECTORS = ("xformOp:translate", "physics:velocity", "physics:angularVelocity")


def parted_by_turns(seed: int, kept: Path | None = None) -> Array | None:
    """(4, steps + 1) what PhysX's motions of a scene part by when it is turned; none where world axes are locked."""
    text, random = jointed_scene(seed), np.random.default_rng([seed, TURNS])
    if "lockedPosAxis" in text or "lockedRotAxis" in text:
        return None
    turns = [normalized(random.normal(size=4)) for _ in range(TURNS)]
    real, *others = recorded([text, *(turned_scene(text, turn) for turn in turns)], kept)
    found = [apart(real, turned_back(other, turn)) for other, turn in zip(others, turns, strict=True)]
    return np.max(found, axis=0)


def turned_scene(text: str, turn: Vector) -> str:
    """A jointed scene, all of it turned about the origin."""
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(text)
    for prim in stage.Traverse():
        for name in (name for name in VECTORS if prim.GetAttribute(name)):
            _set(prim.GetAttribute(name), lambda vector: rotate(turn, vector))
        if prim.GetAttribute("xformOp:orient"):
            _set(prim.GetAttribute("xformOp:orient"), lambda pose: normalized(product(turn, pose)))
        if prim.IsA(UsdPhysics.Scene):
            _set(prim.GetAttribute("physics:gravityDirection"), lambda vector: rotate(turn, vector))
        if prim.IsA(UsdPhysics.Joint):
            for i in (i for i in (0, 1) if not prim.GetRelationship(f"physics:body{i}").GetTargets()):
                _set(prim.GetAttribute(f"physics:localPos{i}"), lambda vector: rotate(turn, vector))
                _set(prim.GetAttribute(f"physics:localRot{i}"), lambda pose: normalized(product(turn, pose)))
    return str(stage.GetRootLayer().ExportToString())


def _set(attribute: Usd.Attribute, change: Callable[[Vector], Vector]) -> None:
    """Change a vector, or a quaternion given as (w, x, y, z)."""
    old = attribute.Get()
    if isinstance(old, (Gf.Quatf, Gf.Quatd)):
        new = change(np.array([old.GetReal(), *old.GetImaginary()]))
        attribute.Set(type(old)(float(new[0]), *(float(x) for x in new[1:])))
    else:
        attribute.Set(type(old)(*(float(x) for x in change(np.array(old, np.float64)))))


def turned_back(motion: Motion, turn: Vector) -> Motion:
    """The motion of a turned scene, seen in the axes of the scene as it was."""
    back, values = turn * [1, -1, -1, -1], motion.values.copy()
    matrix = np.array([rotate(back, axis) for axis in np.eye(3)])
    for part in (slice(0, 3), slice(7, 10), slice(10, 13)):
        values[..., part] = values[..., part] @ matrix
    for i in np.ndindex(values.shape[:2]):
        values[i][3:7] = product(back, values[i][[6, 3, 4, 5]])[[1, 2, 3, 0]]
    return Motion(motion.paths, values)
