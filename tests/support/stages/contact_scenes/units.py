"""The same things in other units, small and large, with another axis up, and without gravity."""

from __future__ import annotations

from support.stages.contact_scenes.parts import (
    ASKEW,
    STONE,
    ContactScene,
    ball,
    body,
    box,
    capsule,
    ground,
    hull,
    rod,
    turn,
    world,
)
from support.stages.contact_scenes.robots import chain, quadruped

WEIGHT = 981.0      # cm/s^2
DENSE: dict[str, object] = {"float physics:density": 0.001}        # kg/cm^3


def tower(side: float, count: int, gap: float) -> list[str]:
    return [body(f"b{i}", box((side, side, side)), (0.02 * side * (i % 2), 0.01 * side * i,
                                                   gap + side / 2 + i * (side + gap)), turn((0, 0, 1), 5 * i))
            for i in range(count)]


def kinds(size: float, more: dict[str, object]) -> list[str]:
    """A body of each kind but hulls, beside each other over the ground."""
    shapes = (box((size, 0.8 * size, 0.6 * size)), ball(0.5 * size), capsule(0.3 * size, size),
              rod("Cylinder", 0.4 * size, size), rod("Cone", 0.5 * size, size))
    return [body(f"b{i}", shape, (3 * size * i, 0, 1.3 * size), ASKEW, velocity=(0, size, 0), more=more)
            for i, shape in enumerate(shapes)]


def stone(size: float) -> str:
    """A hull of about this size."""
    return hull([(size * x / 0.4, size * y / 0.4, size * z / 0.4) for x, y, z in STONE])


def stones(size: float) -> list[str]:
    """Two hulls and a box on each other."""
    return [body("a", stone(size), (0, 0, 0.8 * size), ASKEW), body("b", stone(size), (0.1 * size, 0, 1.7 * size)),
            body("c", box((size, 0.8 * size, 0.6 * size)), (0, 0.1 * size, 2.6 * size), ASKEW)]


UNITS = {
    "stack in centimetres": ContactScene(world(ground(), *tower(30.0, 5, 0.4), gravity=WEIGHT, meters=0.01), steps=120),
    "small stack in centimetres": ContactScene(world(
        ground(), *tower(2.0, 5, 0.05), gravity=WEIGHT, meters=0.01), steps=120),
    "all kinds in centimetres": ContactScene(world(ground(), *kinds(40.0, DENSE), gravity=WEIGHT, meters=0.01),
                                             steps=120),
    "quadruped in centimetres": ContactScene(world(
        ground(), quadruped("dog", (0, 0, 70), scale=100.0, stiff=1e4), gravity=WEIGHT, meters=0.01), steps=120),
    "chain in centimetres": ContactScene(world(
        ground(), chain("rope", (0, 0, 50), [ball(10.0)] * 4, gap=30.0, way=ASKEW), gravity=WEIGHT, meters=0.01),
        steps=120),
    "stack in millimetres": ContactScene(world(ground(), *tower(100.0, 4, 1.0), gravity=9810.0, meters=0.001),
                                         steps=120),
    "stack in units of 10 metres": ContactScene(world(ground(), *tower(0.05, 4, 0.0005), gravity=0.981, meters=10.0),
                                                steps=120),
    "all kinds, small": ContactScene(world(ground(), *kinds(0.04, {"float physics:density": 1000.0})), steps=90),
    "stones, small": ContactScene(world(ground(), *stones(0.04)), steps=90),
    "stones, large": ContactScene(world(ground(), *stones(8.0)), steps=200),
    "small stack": ContactScene(world(ground(), *tower(0.03, 5, 0.0005)), steps=120),
    "all kinds, large": ContactScene(world(ground(), *kinds(10.0, {"float physics:density": 100.0})), steps=200),
    "large stack": ContactScene(world(ground(), *tower(8.0, 4, 0.02)), steps=120),
    "y up": ContactScene(world(
        ground(axis="Y"), body("a", box((0.4, 0.3, 0.2)), (0, 0.6, 0), ASKEW),
        body("b", rod("Cylinder", 0.15, 0.4, "Y"), (1, 0.5, 0), turn((1, 0, 0), 15)),
        body("c", capsule(0.1, 0.3, "Z"), (2, 0.5, 0), turn((1, 0, 0), 35)), up="Y"), steps=120),
    "floating bodies meet": ContactScene(world(
        body("a", box((0.4, 0.3, 0.2)), (0, 0, 1), ASKEW, velocity=(1, 0, 0), spin=(50, 20, 0)),
        body("b", capsule(0.1, 0.3), (0.8, 0.05, 1), velocity=(-1, 0, 0)),
        body("c", ball(0.15), (0.4, 0.9, 1.02), velocity=(0, -1.5, 0)),
        body("e", box((0.3, 0.3, 0.3)), (0.4, -0.9, 0.95), turn((1, 0, 1), 40), velocity=(0, 1.2, 0)), gravity=0.0),
        steps=120),
}
