"""Random stages of links and bodies on the ground: spheres, planes, capsules and boxes that fall, swing and meet.

Free bodies, articulations on fixed and floating bases, and both with kinematic bodies; nothing overlaps at the start.
`mixed_scenes` has all shapes, grounds and settings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np

from support.chance.touching_grounds import BOX, PLANE, lay
from support.chance.touching_shapes import Shape
from support.chance.touching_writer import IDENTITY, Writer

# Capsules do not meet boxes in a stage: spheres are with either.
SHAPES = (("Sphere", "Capsule"), ("Sphere", "Cube"))


def pile(w: Writer) -> None:
    """Free bodies over each other."""
    height = 0.0
    for _ in range(int(w.random.integers(2, 7))):
        own = w.shape()
        height += own.reach + 0.02
        w.body(own, np.array([*w.vector(0.15)[:2], height]), w.turned())
        height += own.reach


def fallen(w: Writer) -> None:
    """A robot on a floating base."""
    w.robot(False, w.between(0.02, 0.3), int(w.random.integers(2, 7)))


def standing(w: Writer) -> None:
    """A robot on a fixed base with a body or two that it may hit."""
    w.robot(True, w.between(0.01, 0.1), int(w.random.integers(3, 7)))
    _around(w, int(w.random.integers(0, 3)), 0.8)


def company(w: Writer) -> None:
    """A robot on a floating base among bodies, some of them kinematic."""
    w.robot(False, w.between(0.3, 0.5), int(w.random.integers(2, 6)))
    _around(w, int(w.random.integers(1, 4)), 0.7)
    if w.chance(0.5):
        w.kinematic(Shape("Sphere", np.full(3, 0.15)), np.array([*w.vector(0.3)[:2], 0.1]), IDENTITY)


def _around(w: Writer, count: int, far: float) -> None:
    """Bodies beside the robot, thrown about."""
    start = w.between(0.0, 6.0)
    for i in range(count):
        own, angle = w.shape(0.15), start + 2.0 * i
        w.body(own, np.array([far * math.cos(angle), far * math.sin(angle), own.reach + w.between(0.0, 0.3)]),
               w.turned())


FAMILIES: Mapping[str, tuple[int, int, Callable[[Writer], None]]] = {      # first seed, how many, what they are
    "piles of bodies": (0, 50, pile),
    "robots that fall": (1000, 50, fallen),
    "robots on fixed bases": (2000, 50, standing),
    "robots among bodies": (3000, 50, company),
}


def touching_scene(seed: int, move: int | None = None) -> str:
    """The stage of a seed of one of the families; with a number, its start is moved in the way of that number."""
    write = next(write for first, count, write in FAMILIES.values() if first <= seed < first + count)
    moved = None if move is None else np.random.default_rng([seed, move])
    writer = Writer(np.random.default_rng([seed, 16]), moved, SHAPES[seed % len(SHAPES)])
    lay(writer, PLANE if writer.chance(0.8) or "Cube" not in writer.shapes else BOX)
    writer.materials()
    write(writer)
    return writer.text()
