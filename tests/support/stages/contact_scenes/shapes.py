"""Shapes that fall on the ground, on edges and corners, and on each other."""

from __future__ import annotations

from support.stages.contact_scenes.parts import (
    ASKEW,
    ContactScene,
    ball,
    body,
    box,
    capsule,
    ground,
    hull,
    mesh,
    rod,
    still,
    turn,
    world,
)

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
