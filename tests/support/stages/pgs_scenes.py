"""PGS stages whose bodies and links touch, one feature each; the start of each can be moved a little."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from support.stages.iteration_stages import prim, stage
from support.stages.resting_stages import BALL, CUBE, GROUND, TURNED, Place, body, moving, placed, robot

MOVED = 1e-7        # m
PGS = {"uniform token physxScene:solverType": '"PGS"', "float physxScene:bounceThreshold": "0.2"}
SURFACE = "surface"
Parts = Callable[["Start"], tuple[str, ...]]


class Start:
    """Where bodies begin, as authored or moved."""

    def __init__(self, move: int | None) -> None:
        self._random = None if move is None else np.random.default_rng(move)

    def at(self, *place: float) -> Place:
        """A place, moved by so little that only rounding is felt."""
        if self._random is None:
            return place[0], place[1], place[2]
        x, y, z = np.array(place) + self._random.uniform(-MOVED, MOVED, 3)
        return float(x), float(y), float(z)


def surface(**values: str) -> str:
    """The material of the balls and boxes that have one."""
    return prim("Material", SURFACE, "PhysicsMaterialAPI PhysxMaterialAPI", {
        key.replace("__", " ").replace("_", ":"): value for key, value in values.items()})


BOUND = {"rel__material_binding_physics": f"</{SURFACE}>"}
SLOPE = prim("Cube", "slope", "PhysicsCollisionAPI", {"double size": "10", **placed((0, 0, -5.177), TURNED)})
COUNTS = {"int__physxRigidBody_solverPositionIterationCount": "2",
          "int__physxRigidBody_solverVelocityIterationCount": "0"}
AWAKE = {"float__physxRigidBody_sleepThreshold": "0"}
SPIN = {"vector3f__physics_angularVelocity": "(200, 100, 50)"}


def awake(name: str, place: Place, shape: str = CUBE, turn: str = "(1, 0, 0, 0)", **more: str) -> str:
    return body(name, place, shape, turn, **{**AWAKE, **more})


def bouncing(s: Start) -> tuple[str, ...]:
    return (GROUND, surface(float__physics_restitution="0.6"), awake("B", s.at(0, 0, 1.2), BALL, **BOUND,
                                                                      **moving((1, 0, 0))))


def springs(s: Start) -> tuple[str, ...]:
    return (GROUND, surface(float__physxMaterial_compliantContactStiffness="2000",
                            float__physxMaterial_compliantContactDamping="20"),
            awake("B", s.at(0, 0, 0.6), BALL, **BOUND), awake("C", s.at(3, 0, 0.55), **BOUND))


def light_springs(s: Start) -> tuple[str, ...]:
    return (GROUND, surface(float__physxMaterial_compliantContactStiffness="800",
                            float__physxMaterial_compliantContactDamping="5",
                            bool__physxMaterial_compliantContactAccelerationSpring="1"),
            awake("B", s.at(0, 0, 0.6), BALL, **BOUND, **moving((0.5, 0, 0))))


def falling_robot(s: Start) -> tuple[str, ...]:
    return GROUND, robot("R", s.at(0, 0, 0.7), threshold=0.0), awake("B", s.at(0.1, 0, 1.9), BALL)


def slipping(s: Start) -> tuple[str, ...]:
    return (GROUND, surface(float__physics_staticFriction="0.4", float__physics_dynamicFriction="0.2"),
            awake("B", s.at(0, 0, 0.501), **BOUND, **moving((2, 1, 0))))


def soft_robot(s: Start) -> tuple[str, ...]:
    return (GROUND, surface(float__physxMaterial_compliantContactStiffness="3000",
                            float__physxMaterial_compliantContactDamping="30"),
            robot("R", s.at(0, 0, 0.6), threshold=0.0, **BOUND))


STAGES: Mapping[str, Parts] = {
    "a ball that bounces": bouncing,
    "a box that is thrown": lambda s: (GROUND, awake("B", s.at(0, 0, 1), **moving((1, 0.5, 0)), **SPIN)),
    "a box on a slope": lambda s: (SLOPE, awake("B", s.at(0, 0, 0.52), CUBE, TURNED)),
    "a box that slips": slipping,
    "a ball that begins to roll": lambda s: (GROUND, awake("B", s.at(0, 0, 0.501), BALL, **moving((3, 0.5, 0)))),
    "a stack of four": lambda s: (GROUND, *(awake(f"T{i}", s.at(0.01 * i, 0, 0.502 + 1.002 * i)) for i in range(4))),
    "a box that starts in the ground": lambda s: (GROUND, awake(
        "B", s.at(0, 0, 0.3), float__physxRigidBody_maxDepenetrationVelocity="1")),
    "two iterations": lambda s: (GROUND, awake("B", s.at(0, 0, 0.6), **moving((2, 0, 0)), **COUNTS)),
    "balls that meet": lambda s: (GROUND, *(awake(
        f"B{i}", s.at(1.1 * i, 0.2 * (i % 2), 0.6), BALL, **moving((2.0 - i, 0, 0))) for i in range(6))),
    "contacts that give way": lambda s: (GROUND, awake(
        "B", s.at(0, 0, 0.8), BALL, float__physxRigidBody_maxContactImpulse="0.1")),
    "springs": springs,
    "springs that feel no mass": light_springs,
    "a ball that spins on the spot": lambda s: (
        GROUND, awake("B", s.at(0, 0, 0.501), BALL.replace(
            '"PhysicsCollisionAPI"', '"PhysicsCollisionAPI", "PhysxCollisionAPI"').replace(
                "double radius", "float physxCollision:torsionalPatchRadius = 0.1\n    double radius"),
                      vector3f__physics_angularVelocity="(0, 0, 300)")),
    "a robot that falls": falling_robot,
    "a robot on springs": soft_robot,
}


def text(name: str, move: int | None = None) -> str:
    """A stage; with a number its start is moved in the way of that number."""
    return stage(*STAGES[name](Start(move)), scene=PGS)
