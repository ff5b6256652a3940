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

SHAPES = ("Sphere", "Cube", *ROUND, HULL)
GROUNDS = (PLANE, FIELD)
PAIRS = (*((shape, ground) for ground in GROUNDS for shape in SHAPES), *combinations_with_replacement(SHAPES, 2))
COUNT = 60
LARGEST = 0.5       # m: margins that are capped are those of half sides above 0.2 m
ABOVE = 0.05        # m


def unit_scene(seed: int, move: int | None = None) -> str:
    """The stage of a seed; with a number, its start is moved in the way of that number."""
    moved = None if move is None else np.random.default_rng([seed, move])
    upper, lower = PAIRS[seed % len(PAIRS)]
    writer = Writer(np.random.default_rng([seed, 18]), moved, SHAPES)
    lay(writer, lower if lower in GROUNDS else PLANE)
    writer.materials()
    height = writer.floor
    if lower not in GROUNDS:
        under = random_shape(writer.random, (lower,), LARGEST)
        height += under.reach + ABOVE
        place = np.array([*writer.vector(0.1)[:2], height])
        if writer.chance(0.5):
            writer.kinematic(under, place, IDENTITY)
        else:
            writer.body(under, place, writer.turned())
        height += under.reach
    over = random_shape(writer.random, (upper,), LARGEST)
    height += over.reach + ABOVE
    writer.body(over, np.array([*writer.vector(0.1)[:2], height]), writer.turned())
    return in_unit(writer.text(), UNITS[(seed + seed // len(PAIRS)) % len(UNITS)])
