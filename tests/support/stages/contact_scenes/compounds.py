"""Bodies of several colliders, and colliders that are scaled, mirrored, instanced or around a mesh."""

from __future__ import annotations

from support.stages.contact_scenes.parts import (
    ASKEW,
    ContactScene,
    ball,
    body,
    box,
    ground,
    hull,
    scaled,
    turn,
    world,
)
from support.stages.contact_scenes.parts import (
    STONE as ROCK,
)
from support.stages.parts import collider
from support.stages.robots import prim

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
