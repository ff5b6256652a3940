"""Random stages in centimetres, millimetres and inches: every pair of shapes that can collide, dropped on each other.

A body is thrown, tilted, on a ground or on another body, which stands still or is thrown as well.
"""

from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np

from support.chance.touching_grounds import FIELD, PLANE, lay
from support.chance.touching_shapes import HULL, ROUND, random_shape
from support.chance.touching_writer import IDENTITY, Writer
from support.stages.units import UNITS, in_unit

UNIT_SHAPES = ("Sphere", "Cube", *ROUND, HULL)
UNIT_GROUNDS = (PLANE, FIELD)
PAIRS = (*((shape, ground) for ground in UNIT_GROUNDS for shape in UNIT_SHAPES),
         *combinations_with_replacement(UNIT_SHAPES, 2))
COUNT = 60
LARGEST = 0.5       # m: margins that are capped are those of half sides above 0.2 m
UNIT_HEIGHT = 0.05        # m


def unit_scene(seed: int, move: int | None = None) -> str:
    """The stage of a seed; with a number, its start is moved in the way of that number."""
    moved = None if move is None else np.random.default_rng([seed, move])
    upper, lower = PAIRS[seed % len(PAIRS)]
    writer = Writer(np.random.default_rng([seed, 18]), moved, UNIT_SHAPES)
    lay(writer, lower if lower in UNIT_GROUNDS else PLANE)
    writer.materials()
    height = writer.floor
    if lower not in UNIT_GROUNDS:
        under = random_shape(writer.random, (lower,), LARGEST)
        height += under.reach + UNIT_HEIGHT
        place = np.array([*writer.vector(0.1)[:2], height])
        if writer.chance(0.5):
            writer.kinematic(under, place, IDENTITY)
        else:
            writer.body(under, place, writer.turned())
        height += under.reach
    over = random_shape(writer.random, (upper,), LARGEST)
    height += over.reach + UNIT_HEIGHT
    writer.body(over, np.array([*writer.vector(0.1)[:2], height]), writer.turned())
    return in_unit(writer.text(), UNITS[(seed + seed // len(PAIRS)) % len(UNITS)])
