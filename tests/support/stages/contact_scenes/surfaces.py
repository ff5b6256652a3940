"""Materials and settings of contact, bodies that kinematic ones move, and other units.

Materials and settings of contact: friction, restitution, compliance, torsion, offsets, limits, iterations.

Bodies that kinematic ones push, carry and squeeze, and bodies that fall asleep and are woken by contact.

The same things in other units, small and large, with another axis up, and without gravity.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from support.stages.contact_scenes.parts import (
    ASKEW,
    STONE,
    Attributes,
    ContactScene,
    Vector,
    ball,
    body,
    box,
    capsule,
    ground,
    hull,
    kinematic,
    material,
    mesh,
    rod,
    sleeper,
    still,
    turn,
    world,
)
from support.stages.contact_scenes.robots import chain, quadruped

MODES = ("average", "min", "multiply", "max")
CUBE: Vector = (0.4, 0.4, 0.4)


def of(name: str, **more: object) -> Attributes:
    """What a collider of a material has."""
    return {"material": name, **more}


def counts(position: int, velocity: int) -> Attributes:
    """Iteration counts of a body."""
    return {"int physxRigidBody:solverPositionIterationCount": position,
            "int physxRigidBody:solverVelocityIterationCount": velocity}


def swung(e: float, count: int) -> list[str]:
    """Balls in a row, the first of which hits the others."""
    made = [material("steel", 0.1, 0.1, e, restitutionCombineMode="max")]
    return made + [body(f"b{i}", ball(0.1, more=of("steel")), (0.201 * i - (0.5 if i == 0 else 0.0), 0.001 * i, 1),
                        velocity=(2.0, 0, 0) if i == 0 else (0, 0, 0)) for i in range(count)]


SURFACES = {
    "friction by four modes": ContactScene(world(
        *(material(f"m{i}", 0.7 - 0.1 * i, 0.6 - 0.1 * i, frictionCombineMode=mode) for i, mode in enumerate(MODES)),
        material("floor", 0.4, 0.3, frictionCombineMode="average"), ground(of("floor")),
        *(body(f"b{i}", box(CUBE, more=of(f"m{i}")), (0, 0.8 * i, 0.2004), velocity=(2, 0.1, 0)) for i in range(4)))),
    "restitution by four modes": ContactScene(world(
        *(material(f"m{i}", 0.5, 0.5, 0.9 - 0.1 * i, restitutionCombineMode=mode) for i, mode in enumerate(MODES)),
        material("floor", 0.5, 0.4, 0.6, restitutionCombineMode="average"), ground(of("floor")),
        *(body(f"b{i}", ball(0.2, more=of(f"m{i}")), (0, 0.8 * i, 1), spin=(90, 200, 0)) for i in range(4)))),
    "restitution of 1": ContactScene(world(
        material("rubber", 0.6, 0.6, 1.0, restitutionCombineMode="max"), ground(),
        body("a", ball(0.2, more=of("rubber")), (0, 0, 1)), body("b", ball(0.3, more=of("rubber")), (1, 0, 1.3),
                                                                velocity=(0.5, 0, -1)))),
    "bouncing box": ContactScene(world(
        material("rubber", 0.6, 0.4, 0.8, restitutionCombineMode="max"), ground(),
        body("a", box((0.4, 0.3, 0.2), more=of("rubber")), (0, 0, 0.9), ASKEW, velocity=(0.5, 0, 0))), steps=120),
    "bounce threshold": ContactScene(world(
        material("rubber", 0.6, 0.4, 0.7, restitutionCombineMode="max"), ground(),
        body("a", ball(0.2, more=of("rubber")), (0, 0, 0.6)), body("b", ball(0.2, more=of("rubber")), (1, 0, 0.25)),
        scene={"float physxScene:bounceThreshold": 1.0})),
    "row of balls of restitution 1": ContactScene(world(*swung(1.0, 5), gravity=0.0), steps=120),
    "soft ground": ContactScene(world(
        material("foam", 0.5, 0.5, compliantContactStiffness=2000.0, compliantContactDamping=20.0), ground(of("foam")),
        body("a", ball(0.2), (0, 0, 0.6), more={"float physics:mass": 2.0}),
        body("b", box((0.4, 0.3, 0.2)), (1, 0, 0.6), ASKEW, more={"float physics:mass": 3.0}),
        body("c", capsule(0.1, 0.4), (2, 0, 0.6), ASKEW, more={"float physics:mass": 1.0}))),
    "soft ground by acceleration": ContactScene(world(
        material("foam", 0.5, 0.5, compliantContactStiffness=500.0, compliantContactDamping=10.0,
                 compliantContactAccelerationSpring=True), ground(of("foam")),
        body("a", ball(0.2), (0, 0, 0.6)), body("b", box((0.4, 0.3, 0.2)), (1, 0, 0.6), ASKEW))),
    "spinning balls": ContactScene(world(
        material("felt", 0.8, 0.7), ground(of("felt")),
        material("foam", 0.8, 0.7, compliantContactStiffness=5000.0, compliantContactDamping=50.0),
        body("a", ball(0.2, more=of("foam", **{"float physxCollision:torsionalPatchRadius": 0.05})), (0, 0, 0.25),
             spin=(0, 0, 600)),
        body("b", ball(0.2, more=of("felt", **{"float physxCollision:minTorsionalPatchRadius": 0.02})), (1, 0, 0.25),
             spin=(0, 0, 600)),
        body("c", ball(0.2, more=of("felt")), (2, 0, 0.25), spin=(60, 0, 600)))),
    "boxes that overlap at the start": ContactScene(world(ground(), *(
        body(f"{name}{i}", box(CUBE), (1.0 * i, 0.01 * k, 0.15 + 0.34 * k),
             more={"float physxRigidBody:maxDepenetrationVelocity": speed})
        for i, speed in enumerate((0.3, 1.0, 5.0)) for k, name in enumerate("ab"))), steps=120),
    "impulses that are limited": ContactScene(world(ground(), *(
        body(f"b{i}", box(CUBE), (1.0 * i, 0, 0.5), more={"float physxRigidBody:maxContactImpulse": limit,
                                                          "float physics:mass": 10.0})
        for i, limit in enumerate((0.2, 0.5, 20.0)))), steps=60),
    "offsets": ContactScene(world(ground(), *(
        body(f"b{i}", box(CUBE, more={"float physxCollision:contactOffset": reach,
                                      "float physxCollision:restOffset": rest}), (0.8 * i, 0, 0.5), turn((1, 0, 0), 5))
        for i, (reach, rest) in enumerate(((0.1, 0.05), (0.02, -0.01), (0.3, 0.0)))))),
    "friction of a scene": ContactScene(world(
        ground(), body("a", box(CUBE), (0, 0, 0.25), velocity=(2, 0, 0)),
        body("b", box((0.8, 0.2, 0.2)), (0, 1, 0.3), turn((0, 0, 1), 30), velocity=(1, 1, 0), spin=(0, 0, 200)),
        scene={"float physxScene:frictionCorrelationDistance": 0.2,
               "float physxScene:frictionOffsetThreshold": 0.002})),
    "few and many iterations": ContactScene(world(
        ground(), *(body(f"{name}{i}", box(CUBE), (1.0 * i, 0, 0.21 + 0.41 * k), more=counts(*pair))
                    for i, pair in enumerate(((1, 0), (64, 4))) for k, name in enumerate("abc")))),
    "one iteration": ContactScene(world(
        ground(), *(body(f"b{k}", box(CUBE), (0.02 * k, 0, 0.21 + 0.41 * k), more=counts(1, 0)) for k in range(3)))),
    "damped and slow": ContactScene(world(
        ground(), body("a", box(CUBE), (0, 0, 0.6), ASKEW, velocity=(3, 0, 0), more={
            "float physxRigidBody:linearDamping": 1.0, "float physxRigidBody:angularDamping": 2.0,
            "float physxRigidBody:maxLinearVelocity": 2.0, "float physxRigidBody:maxAngularVelocity": 180.0}))),
    "slopes of three angles": ContactScene(world(
        *(part for i, angle in enumerate((15, 25, 30)) for part in (
            still(f"slope{i}", box((6, 0.8, 0.5)), (0, i, 0), turn((0, 1, 0), angle)),
            body(f"b{i}", box((0.4, 0.4, 0.2)), (0, i, 0.4 + 0.05 * i), turn((0, 1, 0), angle))))), steps=120),
    "low gravity in short steps": ContactScene(world(
        ground(), body("a", box(CUBE), (0, 0, 0.205), more={"float physics:mass": 2.0}),
        body("b", ball(0.2), (1, 0, 0.205)), gravity=0.5), steps=120, dt=1 / 240),
}


# --- pushed ----------------------------------------------------------------------------------------------------------

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


# --- units -----------------------------------------------------------------------------------------------------------

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
