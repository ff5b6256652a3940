"""Free bodies that touch: shapes, piles, and bodies of several colliders.

Shapes that fall on the ground, on edges and corners, and on each other.

Piles, stacks and rows of free bodies.

Bodies of several colliders, and colliders that are scaled, mirrored, instanced or around a mesh.
"""

from __future__ import annotations

import math

import numpy as np

from support.stages.contact_scenes.parts import (
    ASKEW,
    ContactScene,
    Turn,
    Vector,
    ball,
    body,
    box,
    capsule,
    ground,
    hull,
    mesh,
    rod,
    scaled,
    still,
    turn,
    world,
)
from support.stages.contact_scenes.parts import STONE as ROCK
from support.stages.parts import collider
from support.stages.robots import prim

ON_CORNER = turn((1, -1, 0.2), 47)         # of a cube, some degrees from upright
WALLS = (still("floor", box((4, 4, 1)), (0, 0, -0.5)), still("wall_x", box((1, 4, 2)), (-0.5, 0, 1)),
         still("wall_y", box((4, 1, 2)), (0, -0.5, 1)))
CYLINDER, CONE = rod("Cylinder", 0.2, 0.5, "Z"), rod("Cone", 0.25, 0.5, "Z")
SMALL_BOX, STONE, MIRRORED = box((0.3, 0.3, 0.3)), hull(), hull(scale=(1.3, -0.8, 1.1))
RIDGE = mesh([(x, y, -0.3 * abs(x)) for x in (-1, 0, 1) for y in (-1, 1)],
             ((0, 2, 1), (1, 2, 3), (2, 4, 3), (3, 4, 5)))
SLOPE = mesh([(-1, -1, 0.4), (2, -1, -0.4), (2, 1, -0.4), (-1, 1, 0.4)], ((0, 1, 2), (0, 2, 3)))
BALL, CAPSULE = ball(0.12), capsule(0.1, 0.3)

SHAPES = {
    "box on a corner": ContactScene(world(ground(), body("a", box((0.4, 0.4, 0.4)), (0, 0, 0.5), ON_CORNER))),
    "box over an edge": ContactScene(world(
        ground(), still("step", box((1, 1, 0.5)), (0, 0, 0.25)),
        body("a", box((0.6, 0.3, 0.2)), (0.55, 0.1, 0.62), ASKEW, velocity=(0.5, 0, 0)))),
    "boxes cross by their edges": ContactScene(world(
        still("beam", box((2, 0.4, 0.4)), (0, 0, 0.5), turn((1, 0, 0), 43)), ground(),
        body("a", box((0.4, 2, 0.4)), (0.02, 0.05, 1.11), turn((0, 1, 0), 44))), steps=120),
    "box slides into a corner": ContactScene(world(
        *WALLS, body("a", box((0.4, 0.3, 0.3)), (0.6, 0.7, 0.2), turn((0, 0, 1), 20), velocity=(-2, -1.5, 0)))),
    "ball in a corner": ContactScene(world(*WALLS, body("a", ball(0.2), (0.5, 0.4, 0.6), velocity=(-1.5, -2, 1)))),
    "capsule in a corner": ContactScene(world(
        *WALLS, body("a", capsule(0.1, 0.5), (0.5, 0.45, 0.5), ASKEW, velocity=(-1, -1.5, 0)))),
    "capsule over an edge": ContactScene(world(
        ground(), still("step", box((1, 1, 0.5)), (0, 0, 0.25)),
        body("a", capsule(0.1, 0.5), (0.45, 0.05, 0.75), turn((0, 1, 0), 10), velocity=(0.4, 0, 0)))),
    "cylinder falls on its rim": ContactScene(world(ground(), body("a", CYLINDER, (0, 0, 0.6), ASKEW))),
    "cylinder rolls down": ContactScene(world(
        still("slope", box((6, 2, 0.5)), (0, 0, 0), turn((0, 1, 0), 12)),
        body("a", rod("Cylinder", 0.2, 0.5, "Y"), (-0.5, 0, 0.57))), steps=120),
    "cylinder over an edge": ContactScene(world(
        ground(), still("step", box((1, 1, 0.5)), (0, 0, 0.25)),
        body("a", rod("Cylinder", 0.15, 0.6, "X"), (0.4, 0, 0.72), turn((0, 1, 0), 8), velocity=(0.6, 0, 0)))),
    "cone falls on its rim": ContactScene(world(ground(), body("a", CONE, (0, 0, 0.5), turn((1, 0.3, 0), 25)))),
    "cone rolls round": ContactScene(world(
        ground(), body("a", rod("Cone", 0.25, 0.5, "X"), (0, 0, 0.3), turn((0, 1, 0), 26), velocity=(0, 0.8, 0)))),
    "cylinders and cones meet": ContactScene(world(
        body("a", CYLINDER, (0, 0, 1), ASKEW, velocity=(1, 0, 0)), body("b", CONE, (0.9, 0.05, 1.05)),
        body("c", CYLINDER, (1.9, 0.1, 0.95), velocity=(-1, 0, 0)), gravity=0.0), steps=120),
    "box on a cylinder": ContactScene(world(
        ground(), still("log", rod("Cylinder", 0.3, 1, "Y"), (0, 0, 0.3)),
        body("a", box((0.5, 0.4, 0.2)), (0.18, 0.02, 0.76))), steps=120),
    "capsule on a cone": ContactScene(world(
        ground(), still("tip", rod("Cone", 0.4, 0.6, "Z"), (0, 0, 0.3)),
        body("a", capsule(0.1, 0.4), (0.08, 0.05, 0.85), turn((0, 0, 1), 30))), steps=120),
    "hull on the ground": ContactScene(world(ground(), body("a", STONE, (0, 0, 0.5), ASKEW))),
    "mirrored hull on the ground": ContactScene(world(ground(), body("a", MIRRORED, (0, 0, 0.5), ASKEW))),
    "hull on a hull": ContactScene(world(
        still("s", MIRRORED, (0, 0, 0.2)), body("a", STONE, (0.02, 0.03, 0.75), ASKEW)), steps=90),
    "hull on a box": ContactScene(world(
        still("s", SMALL_BOX, (0, 0, 0.15)), body("a", STONE, (0.01, 0.02, 0.7), ASKEW)), steps=90),
    "box on a hull": ContactScene(world(
        still("s", STONE, (0, 0, 0.2)), body("a", SMALL_BOX, (0.01, 0.02, 0.7), ASKEW)), steps=90),
    "ball on a hull": ContactScene(world(still("s", STONE, (0, 0, 0.2)), body("a", BALL, (0.01, 0.02, 0.7))), steps=90),
    "capsule on a hull": ContactScene(world(
        still("s", MIRRORED, (0, 0, 0.2)), body("a", CAPSULE, (0.03, 0.02, 0.7), ASKEW)), steps=90),
    "cylinder on a hull": ContactScene(world(
        still("s", STONE, (0, 0, 0.2)), body("a", CYLINDER, (0.02, 0.03, 0.75), ASKEW)), steps=90),
    "cone on a mirrored hull": ContactScene(world(
        still("s", MIRRORED, (0, 0, 0.2)), body("a", CONE, (0.02, 0.01, 0.75), ASKEW)), steps=90),
    "hull on a cylinder": ContactScene(world(
        still("log", rod("Cylinder", 0.3, 1, "Y"), (0, 0, 0.3)), body("a", STONE, (0.05, 0.02, 0.9), ASKEW)), steps=90),
    "hull on a cone": ContactScene(world(
        ground(), still("tip", rod("Cone", 0.4, 0.6, "Z"), (0, 0, 0.3)),
        body("a", MIRRORED, (0.03, 0.02, 0.9), ASKEW)), steps=120),
    "cylinder, cone and hulls meet": ContactScene(world(
        body("a", CYLINDER, (0, 0, 1), ASKEW, velocity=(1, 0, 0)), body("b", STONE, (0.9, 0.05, 1.03)),
        body("c", CONE, (1.9, 0.1, 0.95), velocity=(-1, 0, 0)), gravity=0.0), steps=120),
    "cylinder on a ridge of triangles": ContactScene(world(
        still("s", RIDGE, (0, 0, 0)), body("a", CYLINDER, (-0.05, 0.1, 0.45), ASKEW)), steps=90),
    "cone on a ridge of triangles": ContactScene(world(
        still("s", RIDGE, (0, 0, 0)), body("a", CONE, (0.06, 0.1, 0.4), turn((1, 0.3, 0), 25))), steps=90),
    "cylinder rolls down triangles": ContactScene(world(
        still("s", SLOPE, (0, 0, 0)), body("a", rod("Cylinder", 0.2, 0.5, "Y"), (-0.5, 0.1, 0.5))), steps=120),
    "hulls meet": ContactScene(world(
        body("a", STONE, (0, 0, 1), ASKEW, velocity=(1, 0, 0)),
        body("b", MIRRORED, (0.9, 0.05, 1.03), velocity=(-1, 0, 0)), gravity=0.0), steps=120),
}


# --- piles -----------------------------------------------------------------------------------------------------------

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


# --- compounds -------------------------------------------------------------------------------------------------------

TABLE = box((0.8, 0.6, 0.06), (0, 0, 0.4), "top") + "".join(
    box((0.06, 0.06, 0.4), (0.35 * x, 0.25 * y, 0.17), f"leg{i}")
    for i, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))))
UNEVEN = prim("Xform", "group", (), scaled((1.5, 0.7, 0.5)), collider("Cube", "shape", {"double size": 0.4}))
PROTOTYPE = prim("Xform", "mold", (), {}, ball(0.1, (0.2, 0, 0), "left") + box((0.3, 0.1, 0.1), name="bar")).replace(
    'def Xform "mold"', 'class Xform "mold"', 1)


def copy(name: str) -> str:
    """An instance of the prototype."""
    return f'def Xform "{name}" (\n    instanceable = true\n    references = </World/mold>\n)\n{{\n}}\n'


COMPOUNDS = {
    "table with a box": ContactScene(world(
        ground(), body("table", TABLE, (0, 0, 0.05)), body("b", box((0.2, 0.2, 0.2)), (0.1, 0.05, 0.6),
                                                           turn((0, 0, 1), 20))), steps=120),
    "table falls on its legs": ContactScene(world(ground(), body("table", TABLE, (0, 0, 0.4), turn((1, 0.4, 0), 25))),
                                            steps=120),
    "unevenly scaled boxes": ContactScene(world(
        ground(), body("a", UNEVEN, (0, 0, 0.3), ASKEW), body("b", UNEVEN, (0.05, 0.03, 0.75))), steps=120),
    "instances": ContactScene(world(
        PROTOTYPE, ground(), body("a", copy("one"), (0, 0, 0.4), ASKEW),
        body("b", copy("one"), (0.05, 0.1, 0.8), turn((0, 0, 1), 60))), steps=120),
    "bounding shapes": ContactScene(world(
        ground(), body("a", hull(ROCK, approximation="boundingCube"), (0, 0, 0.5), ASKEW),
        body("b", hull(ROCK, approximation="boundingSphere"), (0.8, 0, 0.6), ASKEW, velocity=(-0.5, 0, 0))),
        steps=120),
    "mirrored compound": ContactScene(world(
        ground(), body("a", prim("Xform", "left", (), scaled((-1, 1, 1)), hull() + ball(0.1, (0.3, 0.1, 0), "ball")),
                       (0, 0, 0.6), ASKEW)), steps=120),
}
