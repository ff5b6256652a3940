"""Bodies that kinematic ones push, carry and squeeze, and bodies that fall asleep and are woken by contact."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.stages.contact_scenes.parts import (
    ContactScene,
    ball,
    body,
    box,
    capsule,
    ground,
    kinematic,
    mesh,
    rod,
    sleeper,
    turn,
    world,
)

DT = 1 / 60


def way(steps: int, place: Callable[[float], tuple[float, float, float]],
        degrees: Callable[[float], float] = lambda _: 0.0, axis: tuple[float, float, float] = (0.0, 0.0, 1.0),
        ) -> NDArray[Any]:
    """(steps, 7) poses by time in seconds: x y z and a turn about an axis, quaternions x y z w."""
    found = []
    for step in range(1, steps + 1):
        w, *rest = turn(axis, degrees(step * DT))
        found.append([*place(step * DT), *rest, w])
    return np.array(found)


MOVED_CUBE = box((0.3, 0.3, 0.3))
SHEET = mesh([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0), (0, 0, 0)],
             ((0, 1, 4), (1, 2, 4), (2, 3, 4), (3, 0, 4)))

PUSHED = {
    "pusher and a row": ContactScene(world(
        ground(), kinematic("k", box((0.2, 0.6, 0.4)), (-0.6, 0, 0.25)),
        *(body(f"b{i}", MOVED_CUBE, (0.32 * i, 0.01 * i, 0.151)) for i in range(3))), 120,
        targets={"/World/k": way(120, lambda t: (-0.6 + 0.5 * t, 0, 0.25))}),
    "lift with a stack": ContactScene(world(
        kinematic("k", box((1, 1, 0.2)), (0, 0, 0.3)),
        *(body(f"b{i}", MOVED_CUBE, (0.01 * i, 0, 0.551 + 0.301 * i)) for i in range(3))), 180,
        targets={"/World/k": way(180, lambda t: (0, 0, 0.3 + 0.3 * math.sin(2.5 * t) ** 2))}),
    "shaking table": ContactScene(world(
        kinematic("k", box((2, 2, 0.2)), (0, 0, 0)), body("a", MOVED_CUBE, (0, 0, 0.251)),
        body("b", ball(0.15), (0.6, 0, 0.251)), body("c", capsule(0.1, 0.3), (0, 0.6, 0.201))), 120,
        targets={"/World/k": way(120, lambda t: (0.05 * math.sin(9 * t), 0.02 * math.sin(7 * t), 0))}),
    "turning paddle": ContactScene(world(
        ground(), kinematic("k", box((1.6, 0.1, 0.4)), (0, 0, 0.25)), body("a", ball(0.15), (0.5, 0.4, 0.151)),
        body("b", MOVED_CUBE, (-0.5, -0.45, 0.151)),
        body("c", rod("Cylinder", 0.15, 0.3, "Z"), (0.4, -0.9, 0.151))), 120,
        targets={"/World/k": way(120, lambda t: (0, 0, 0.25), lambda t: 60 * t)}),
    "turntable": ContactScene(world(
        kinematic("k", rod("Cylinder", 0.8, 0.2, "Z"), (0, 0, 0)), body("a", MOVED_CUBE, (0.3, 0, 0.251)),
        body("b", ball(0.15), (-0.3, 0.1, 0.251))), 120,
        targets={"/World/k": way(120, lambda t: (0, 0, 0), lambda t: 50 * t)}),
    "squeezed between two": ContactScene(world(
        ground(), kinematic("left", box((0.2, 0.5, 0.5)), (-0.4, 0, 0.3)),
        kinematic("right", box((0.2, 0.5, 0.5)), (0.4, 0, 0.3)), body("a", ball(0.2), (0.01, 0, 0.202))), 90,
        targets={"/World/left": way(90, lambda t: (-0.4 + min(0.15 * t, 0.12), 0, 0.3)),
                 "/World/right": way(90, lambda t: (0.4 - min(0.15 * t, 0.12), 0, 0.3))}),
    "stone on a tilting board": ContactScene(world(
        ground(), kinematic("k", box((1.5, 1, 0.1)), (0, 0, 0.6)), body("a", MOVED_CUBE, (0.1, 0, 0.801)),
        body("b", rod("Cone", 0.2, 0.3, "Z"), (-0.3, 0.1, 0.801))), 120,
        targets={"/World/k": way(120, lambda t: (0, 0, 0.6), lambda t: 20 * t, (0, 1, 0))}),
    "cone on a moving sheet": ContactScene(world(
        kinematic("k", SHEET, (0, 0, 0)), body("a", rod("Cone", 0.2, 0.4, "Z"), (0.1, 0.05, 0.25), turn((1, 0, 0), 9)),
        body("b", rod("Cylinder", 0.15, 0.3, "Z"), (-0.5, 0.1, 0.2))), 120,
        targets={"/World/k": way(120, lambda t: (0.1 * math.sin(3 * t), 0, 0), lambda t: 10 * t)}),
}
RESTING = {
    "boxes fall asleep and are hit": ContactScene(world(
        ground(), *(sleeper(f"b{i}", MOVED_CUBE, (0, 0, 0.151 + 0.301 * i)) for i in range(2)),
        body("shot", ball(0.12), (-4.5, 0.02, 0.125), velocity=(2.5, 0, 0))), 200),
    "balls asleep in a row": ContactScene(world(
        ground(), *(sleeper(f"b{i}", ball(0.15), (0.302 * i, 0, 0.151)) for i in range(4)),
        body("shot", ball(0.15), (-3.5, 0.01, 0.151), velocity=(2.5, 0, 0))), 200),
}
