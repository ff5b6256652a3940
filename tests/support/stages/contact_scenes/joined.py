"""Bodies that joints outside articulations hold together, touching the ground and others."""

from __future__ import annotations

from support.stages.contact_scenes.parts import (
    ContactScene,
    ball,
    body,
    box,
    capsule,
    ground,
    hinge,
    rod,
    still,
    turn,
    world,
)
from support.stages.contact_scenes.robots import LIGHT, chain
from support.stages.parts import Attributes, drive

CONE: Attributes = {"float physics:coneAngle0Limit": 40.0, "float physics:coneAngle1Limit": 40.0}
TORSO = (body("chest", box((0.2, 0.35, 0.4)), (0, 0, 1.5)), body("head", ball(0.12), (0, 0, 1.85)),
         hinge("neck", "chest", "head", (0, 0, 0.21), (0, 0, -0.14), "Z", "Spherical", more=CONE))


def limb(name: str, side: float, low: float, wide: float) -> list[str]:
    """Two capsules hanging from the chest."""
    parts = []
    for part, drop in (("upper", 0.15), ("lower", 0.5)):
        parts.append(body(f"{name}_{part}", capsule(0.05, 0.2, "Z"), (0, side * wide, low - drop)))
    return [*parts, hinge(f"{name}_root", "chest", f"{name}_upper", (0, side * wide, low - 1.5 + 0.02), (0, 0, 0.17),
                          "X", "Spherical", more=CONE),
            hinge(f"{name}_bend", f"{name}_upper", f"{name}_lower", (0, 0, -0.17), (0, 0, 0.18), more={
                "float physics:lowerLimit": -5.0, "float physics:upperLimit": 120.0})]


def plank(i: int) -> str:
    return body(f"p{i}", box((0.28, 0.4, 0.05)), (0.3 * i, 0, 0.6), more={"float physics:mass": 1.0})


def wheel(name: str, x: float, y: float, shape: str) -> list[str]:
    """A wheel of a cart, driven."""
    return [body(name, shape, (x, y, 0.152), more=LIGHT),
            hinge(f"axle_{name}", "cart", name, (x, y, -0.1), (0, 0, 0), schemas=("PhysicsDriveAPI:angular",),
                  more={**drive("angular", damping=0.02, targetVelocity=300.0)})]


def cart(shape: str) -> list[str]:
    """A box on four wheels."""
    return [body("cart", box((0.7, 0.3, 0.1)), (0, 0, 0.252), more={"float physics:mass": 3.0}), *(
        part for i, (x, y) in enumerate(((0.3, 0.25), (0.3, -0.25), (-0.3, 0.25), (-0.3, -0.25)))
        for part in wheel(f"w{i}", x, y, shape))]


JOINED = {
    "ragdoll falls": ContactScene(world(
        ground(), *TORSO, *limb("arm_l", 1, 1.65, 0.26), *limb("arm_r", -1, 1.65, 0.26), *limb("leg_l", 1, 1.28, 0.1),
        *limb("leg_r", -1, 1.28, 0.1)), steps=90),
    "bridge with a box": ContactScene(world(
        ground(), *(plank(i) for i in range(5)),
        *(hinge(f"j{i}", f"p{i}", f"p{i + 1}", (0.15, 0, 0), (-0.15, 0, 0)) for i in range(4)),
        hinge("left", "", "p0", (-0.15, 0, 0.6), (-0.15, 0, 0)), hinge("right", "", "p4", (1.35, 0, 0.6), (0.15, 0, 0)),
        body("load", box((0.2, 0.2, 0.2)), (0.62, 0.02, 0.8), more={"float physics:mass": 1.0})), steps=120),
    "pendulum hits a stack": ContactScene(world(
        ground(), body("bob", ball(0.15), (-1, 0, 1.3), more={"float physics:mass": 2.0}),
        hinge("hook", "", "bob", (0, 0, 1.3), (1, 0, 0)),
        *(body(f"b{i}", box((0.2, 0.3, 0.2)), (0.26, 0, 0.102 + 0.202 * i), more=LIGHT) for i in range(3))), steps=90),
    "door hit by a ball": ContactScene(world(
        ground(), body("door", box((0.8, 0.05, 1)), (0.4, 0, 0.55), more={"float physics:mass": 3.0}),
        hinge("post", "", "door", (0, 0, 0.55), (-0.4, 0, 0), "Z", more={
            "float physics:lowerLimit": -60.0, "float physics:upperLimit": 60.0}),
        body("b", ball(0.12), (0.6, -0.6, 0.5), velocity=(0, 3, 1))), steps=120),
    "cart on balls": ContactScene(world(ground(), *cart(ball(0.15))), steps=120),
    "cart on cylinders over a step": ContactScene(world(
        ground(), still("step", box((1, 2, 0.06)), (1.0, 0, 0.0)), *cart(rod("Cylinder", 0.15, 0.08, "Y"))), steps=120),
    "balls on strings": ContactScene(world(*(
        part for i in range(4) for part in (
            body(f"b{i}", ball(0.1), (0.205 * i - (0.4 if i == 0 else 0), 0, 1 if i else 1.2)),
            hinge(f"s{i}", "", f"b{i}", (0.205 * i, 0, 1.8), (0, 0, 0), kind="Distance", more={
                "float physics:minDistance": -1.0, "float physics:maxDistance": 0.81})))), steps=120),
    "welded boxes fall": ContactScene(world(
        ground(), body("a", box((0.3, 0.2, 0.2)), (0, 0, 0.7), turn((0, 1, 0), 30)),
        body("b", box((0.2, 0.2, 0.3)), (0.3, 0, 0.53), turn((0, 1, 0), 30)),
        hinge("weld", "a", "b", (0.17, 0, 0), (-0.17, 0, 0), kind="Fixed")), steps=120),
    "bodies of a joint that touch": ContactScene(world(
        ground(), body("a", box((0.3, 0.3, 0.3)), (0, 0, 0.4)), body("b", box((0.3, 0.3, 0.3)), (0.35, 0, 0.4)),
        hinge("j", "a", "b", (0.175, 0, 0), (-0.175, 0, 0), more={"bool physics:collisionEnabled": True}),
        body("c", ball(0.1), (0.18, 0.01, 0.8))), steps=120),
    "robot holds a body by a joint": ContactScene(world(
        ground(), chain("rope", (0, 0, 0.6), [ball(0.1)] * 3), body("load", box((0.2, 0.2, 0.2)), (0.9, 0, 0.6)),
        hinge("hold", "rope/l2", "load", (0.15, 0, 0), (-0.15, 0, 0), "X", "Spherical",
              more={"bool physics:excludeFromArticulation": True})), steps=120),
}
