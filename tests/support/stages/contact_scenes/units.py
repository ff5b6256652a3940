"""The same things in centimetres."""

from __future__ import annotations

from support.stages.contact_scenes.parts import (
    ASKEW,
    ContactScene,
    ball,
    body,
    box,
    capsule,
    ground,
    rod,
    turn,
    world,
)
from support.stages.contact_scenes.robots import quadruped

WEIGHT = 981.0      # cm/s^2
DENSE: dict[str, object] = {"float physics:density": 0.001}        # kg/cm^3


def tower(side: float, count: int, gap: float) -> list[str]:
    return [body(f"b{i}", box((side, side, side)), (0.02 * side * (i % 2), 0.01 * side * i,
                                                   gap + side / 2 + i * (side + gap)), turn((0, 0, 1), 5 * i))
            for i in range(count)]


def kinds(size: float, more: dict[str, object]) -> list[str]:
    """A body of each kind but hulls beside each other over the ground."""
    shapes = (box((size, 0.8 * size, 0.6 * size)), ball(0.5 * size), capsule(0.3 * size, size),
              rod("Cylinder", 0.4 * size, size), rod("Cone", 0.5 * size, size))
    return [body(f"b{i}", shape, (3 * size * i, 0, 1.3 * size), ASKEW, velocity=(0, size, 0), more=more)
            for i, shape in enumerate(shapes)]


UNITS = {
    "stack in centimetres": ContactScene(world(ground(), *tower(30.0, 5, 0.4), gravity=WEIGHT, meters=0.01), steps=120),
    "small stack in centimetres": ContactScene(world(
        ground(), *tower(2.0, 5, 0.05), gravity=WEIGHT, meters=0.01), steps=120),
    "all kinds in centimetres": ContactScene(world(ground(), *kinds(40.0, DENSE), gravity=WEIGHT, meters=0.01),
                                             steps=120),
    "quadruped in centimetres": ContactScene(world(
        ground(), quadruped("dog", (0, 0, 70), scale=100.0, stiff=1e4), gravity=WEIGHT, meters=0.01), steps=120),
}
