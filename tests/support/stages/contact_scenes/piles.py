"""Piles, stacks and rows of free bodies."""

from __future__ import annotations

import math

import numpy as np

from support.stages.contact_scenes.parts import (
    ContactScene,
    Turn,
    Vector,
    ball,
    body,
    box,
    capsule,
    ground,
    hull,
    rod,
    still,
    turn,
    world,
)

GAP = 0.005         # metres between what stands on each other at the start


def tower(sizes: list[float]) -> list[str]:
    """Cubes on each other, from the ground up, each aside and turned by a little."""
    random, height, found = np.random.default_rng(7), 0.0, []
    for i, size in enumerate(sizes):
        x, y, angle = (float(v) for v in np.round(random.uniform(-1, 1, 3) * (0.02, 0.02, 10), 3))
        found.append(body(f"b{i:02}", box((size, size, size)), (x, y, height + GAP + size / 2), turn((0, 0, 1), angle)))
        height += size + GAP
    return found


def dropped(shapes: list[str], reach: float, wide: float, seed: int) -> list[str]:
    """Bodies above each other, turned anyhow: what reaches so far from its place falls on the others."""
    random, found = np.random.default_rng(seed), []
    for i, shape in enumerate(shapes):
        x, y = (float(v) for v in np.round(random.uniform(-wide, wide, 2), 3))
        w, qx, qy, qz = (v / 2 for v in np.round(random.normal(size=4), 3))
        length = math.hypot(w, qx, qy, qz)      # BLAS would round it as the machine does
        way: Turn = (w / length, qx / length, qy / length, qz / length)
        place: Vector = (x, y, reach + 0.02 + i * (2 * reach + 0.02))
        found.append(body(f"b{i:02}", shape, place, way))
    return found


PAN = tuple(still(f"side{i}", box(size), place) for i, (size, place) in enumerate((
    ((2, 2, 0.2), (0, 0, -0.1)), ((0.2, 2, 1), (-0.6, 0, 0.5)), ((0.2, 2, 1), (0.6, 0, 0.5)),
    ((2, 0.2, 1), (0, -0.6, 0.5)), ((2, 0.2, 1), (0, 0.6, 0.5)))))
CRATE, PELLET, STICK = box((0.3, 0.25, 0.2)), ball(0.12), capsule(0.08, 0.25)
DRUM, HAT, PILE_STONE = rod("Cylinder", 0.12, 0.25), rod("Cone", 0.15, 0.25), hull()

PILES = {
    "stack of ten boxes": ContactScene(world(ground(), *tower([0.4] * 10))),
    "stack of ten boxes, smaller above": ContactScene(world(ground(), *tower([0.5 - 0.03 * i for i in range(10)]))),
    "stack of ten boxes, larger above": ContactScene(world(
        ground(), *tower([0.3 + 0.02 * i for i in range(10)])), steps=120),
    "stack of cylinders": ContactScene(world(ground(), *(
        body(f"b{i}", rod("Cylinder", 0.3, 0.2, "Z"), (0.01 * (i % 2), 0.005 * i, 0.105 + 0.205 * i))
        for i in range(5)))),
    "pyramid of boxes": ContactScene(world(ground(), *(
        body(f"b{i}{k}", box((0.3, 0.3, 0.3)), (0.32 * k + 0.16 * i, 0, 0.155 + 0.305 * i))
        for i in range(4) for k in range(4 - i)))),
    "pyramid of logs": ContactScene(world(
        ground(), still("left", box((0.2, 2, 0.4)), (-0.215, 0, 0.2)),
        still("right", box((0.2, 2, 0.4)), (0.835, 0, 0.2)),
        *(body(f"b{i}{k}", capsule(0.1, 0.8, "Y"), (0.21 * k + 0.105 * i, 0.01 * k, 0.105 + 0.18 * i))
          for i in range(3) for k in range(4 - i))), steps=120),
    "row of dominoes": ContactScene(world(ground(), *(
        body(f"b{i}", box((0.06, 0.3, 0.5)), (0.25 * i, 0, 0.252), spin=(0, 150, 0) if i == 0 else (0, 0, 0))
        for i in range(7)))),
    "wall hit by a ball": ContactScene(world(ground(), *(
        body(f"b{i}{k}", box((0.4, 0.2, 0.2)), (0.41 * k + 0.2 * (i % 2), 0, 0.102 + 0.202 * i))
        for i in range(3) for k in range(3)),
        body("shot", ball(0.15), (0.5, -1.2, 0.3), velocity=(0, 4, 1.5))), steps=120),
    "pile of balls": ContactScene(world(*PAN, *dropped([PELLET] * 10, 0.12, 0.2, 1)), steps=120),
    "pile of boxes": ContactScene(world(ground(), *dropped([CRATE] * 8, 0.22, 0.15, 2)), steps=120),
    "pile of capsules": ContactScene(world(*PAN, *dropped([STICK] * 8, 0.21, 0.15, 3)), steps=120),
    "pile of stones": ContactScene(world(ground(), *dropped([PILE_STONE] * 6, 0.28, 0.15, 4)), steps=120),
    "pile of drums and hats": ContactScene(world(ground(), *dropped([DRUM, HAT] * 3, 0.2, 0.12, 5)), steps=120),
    "pile of everything": ContactScene(world(
        ground(), *dropped([CRATE, PELLET, STICK, PILE_STONE, CRATE, PELLET], 0.28, 0.12, 6)), steps=120),
    "pile of everything round": ContactScene(world(
        ground(), *dropped([DRUM, PELLET, STICK, HAT, CRATE, DRUM], 0.24, 0.12, 8)), steps=120),
}
