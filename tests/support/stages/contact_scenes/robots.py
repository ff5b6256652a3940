"""Articulations, and bodies on joints, that touch the ground and each other.

Articulations that touch the ground, bodies, themselves and each other.

Bodies that joints outside articulations hold together, touching the ground and others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from support.stages.contact_scenes.parts import (
    ASKEW,
    ORIGIN,
    ContactScene,
    Turn,
    Vector,
    ball,
    body,
    box,
    capsule,
    ground,
    hinge,
    hull,
    link,
    robot,
    rod,
    still,
    turn,
    world,
)
from support.stages.parts import Attributes, drive

LIGHT: Attributes = {"float physics:mass": 0.3}


def driven(stiffness: float, damping: float, target: float = 0.0, force: float = 1e4, token: str = "angular",
           reach: tuple[float, float] = (-150.0, 150.0), **more: Any) -> dict[str, Any]:
    """Schemas and attributes of a joint with a drive and limits, as keywords of `hinge`; angles in degrees."""
    return {"schemas": (f"PhysicsDriveAPI:{token}", *more.get("schemas", ())), "more": {
        **drive(token, stiffness=stiffness, damping=damping, targetPosition=target, maxForce=force),
        "float physics:lowerLimit": reach[0], "float physics:upperLimit": reach[1], **more.get("more", {})}}


def quadruped(name: str, place: Vector, way: Turn = (1.0, 0.0, 0.0, 0.0), scale: float = 1.0, stiff: float = 1.0,
              ) -> str:
    """A box with four legs of two capsules each; sizes times a scale, drives times another."""
    def sized(*values: float) -> Vector:
        x, y, z = (scale * v for v in values)
        return x, y, z

    parts = [link("torso", box(sized(0.5, 0.3, 0.1)), ORIGIN, 4.0)]
    for k, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
        for part, drop, mass in (("hip", -0.15, 0.3), ("shin", -0.42, 0.2)):
            parts.append(link(f"{part}{k}", capsule(0.03 * scale, 0.15 * scale, "Z"),
                              sized(0.3 * x, 0.2 * y, drop), mass))
        parts.append(hinge(f"shoulder{k}", f"{name}/torso", f"{name}/hip{k}", sized(0.3 * x, 0.2 * y, -0.03),
                           sized(0, 0, 0.12), **driven(0.6 * stiff, 0.03 * stiff, 20.0 * x)))
        parts.append(hinge(f"knee{k}", f"{name}/hip{k}", f"{name}/shin{k}", sized(0, 0, -0.135), sized(0, 0, 0.135),
                           **driven(0.4 * stiff, 0.02 * stiff, -35.0 * x)))
    return robot(name, *parts, place=place, more={"quatd xformOp:orient": way})


def arm(name: str, place: Vector, shapes: Sequence[str], targets: Sequence[float], stiffness: float = 4.0) -> str:
    """A chain of links along x on a fixed base, 0.5 apart, about y; its drives go to targets in degrees."""
    parts = [link("base", box((0.1, 0.1, 0.1)), ORIGIN),
             hinge("anchor", "", f"{name}/base", place, ORIGIN, kind="Fixed")]
    before, out = "base", 0.1
    for i, (shape, target) in enumerate(zip(shapes, targets, strict=True)):
        parts.append(link(f"l{i}", shape, (0.3 + 0.5 * i, 0, 0), 1.0))
        parts.append(hinge(f"j{i}", f"{name}/{before}", f"{name}/l{i}", (out, 0, 0), (-0.2 if i == 0 else -0.25, 0, 0),
                           **driven(stiffness, 0.1 * stiffness, target)))
        before, out = f"l{i}", 0.25
    return robot(name, *parts, place=place)


def chain(name: str, place: Vector, shapes: Sequence[str], gap: float = 0.3, kind: str = "Revolute",
          way: Turn = (1.0, 0.0, 0.0, 0.0), more: Attributes | None = None) -> str:
    """Links in a row along x with free joints, on a floating base."""
    parts = [link(f"l{i}", shape, (gap * i, 0, 0), 0.5) for i, shape in enumerate(shapes)]
    parts += [hinge(f"j{i}", f"{name}/l{i}", f"{name}/l{i + 1}", (gap / 2, 0, 0), (-gap / 2, 0, 0),
                    "YZ"[i % 2] if kind == "Revolute" else "X", kind) for i in range(len(shapes) - 1)]
    return robot(name, *parts, place=place, more={"quatd xformOp:orient": way, **(more or {})})


def coupled(name: str, place: Vector, *joints: tuple[str, Attributes]) -> str:
    """Three capsules in a row along x whose two hinges each have a schema that couples them, and its attributes."""
    parts = [link(f"l{i}", capsule(0.05, 0.2), (0.34 * i, 0, 0), 0.5) for i in range(3)]
    parts += [hinge(f"j{i}", f"{name}/l{i}", f"{name}/l{i + 1}", (0.17, 0, 0), (-0.17, 0, 0), "YZ"[i],
                    schemas=(schema,) if schema else (), more=more) for i, (schema, more) in enumerate(joints)]
    return robot(name, *parts, place=place, more={"quatd xformOp:orient": ASKEW})


STRING: Attributes = {"float[] physxTendon:t:gearing": [0.02], "float[] physxTendon:t:forceCoefficient": [1.0]}
PULL: Attributes = {"float physxTendon:t:stiffness": 15.0, "float physxTendon:t:damping": 0.2}
BOUNDED: Attributes = {"float physics:lowerLimit": -120.0, "float physics:upperLimit": 120.0}
FOLLOWS: Attributes = {**BOUNDED, "rel physxMimicJoint:rotY:referenceJoint": "</World/worm/j1>",
                       "uniform token physxMimicJoint:rotY:referenceJointAxis": "rotZ",
                       "float physxMimicJoint:rotY:gearing": 0.8, "float physxMimicJoint:rotY:naturalFrequency": 10.0,
                       "float physxMimicJoint:rotY:dampingRatio": 1.0}
BEAD = ball(0.1)
OUTRIGGER = (box((0.3, 0.1, 0.1)) + ball(0.08, (0, 0.2, 0), "left") + ball(0.08, (0, -0.2, 0), "right"))

ROBOTS = {
    "quadruped stands": ContactScene(world(ground(), quadruped("dog", (0, 0, 0.7)))),
    "quadruped falls on its side": ContactScene(world(
        ground(), quadruped("dog", (0, 0, 0.8), turn((1, 0.2, 0), 70))), steps=120),
    "quadruped jumps off a step": ContactScene(world(
        ground(), still("step", box((1, 1, 0.3)), (0, 0, 0.15)), quadruped("dog", (0.45, 0, 0.95), stiff=2.0)),
        steps=120),
    "two quadrupeds": ContactScene(world(
        ground(), quadruped("dog", (0, 0, 0.7)), quadruped("pup", (0.15, 0.1, 1.45), turn((0, 0, 1), 50))), steps=120),
    "quadruped under a box": ContactScene(world(
        ground(), quadruped("dog", (0, 0, 0.7), stiff=2.0),
        body("load", box((0.3, 0.3, 0.2)), (0.05, 0.02, 0.95), more={"float physics:mass": 2.0})), steps=120),
    "arm hits a stack": ContactScene(world(
        ground(), arm("arm", (0, 0, 0.5), [box((0.4, 0.1, 0.1)), capsule(0.06, 0.35)], [10.0, 25.0], 8.0),
        *(body(f"b{i}", box((0.2, 0.2, 0.2)), (1.0, 0, 0.102 + 0.202 * i), more=LIGHT) for i in range(2))), steps=120),
    "arm pushes a ball": ContactScene(world(
        ground(), arm("arm", (0, 0, 0.4), [capsule(0.05, 0.35), capsule(0.05, 0.35)], [60.0, -40.0]),
        body("b", ball(0.12), (0.55, 0.02, 0.125), more=LIGHT)), steps=120),
    "two arms cross": ContactScene(world(
        arm("left", (0, 0, 0.5), [capsule(0.05, 0.35)] * 2, [35.0, 30.0]),
        arm("right", (0.2, 0.3, 0.1), [box((0.4, 0.8, 0.1)), capsule(0.05, 0.35)], [-30.0, 10.0])), steps=120),
    "chain of boxes on a bar": ContactScene(world(
        ground(), still("bar", capsule(0.08, 2.0, "Y"), (0.9, 0, 0.7)),
        chain("rope", (0, 0, 0.95), [box((0.22, 0.1, 0.06))] * 6)), steps=120),
    "chain with ball joints on a box": ContactScene(world(
        ground(), still("block", box((0.4, 0.4, 0.4)), (0.6, 0, 0.2)),
        chain("rope", (0, 0, 0.6), [capsule(0.05, 0.12)] * 5, kind="Spherical")), steps=120),
    "links of round shapes": ContactScene(world(
        ground(), chain("worm", (0, 0, 0.6), [
            box((0.3, 0.2, 0.15)), rod("Cylinder", 0.1, 0.3), BEAD, rod("Cone", 0.12, 0.3)], gap=0.45, way=ASKEW)),
        steps=120),
    "links of hulls": ContactScene(world(
        ground(), chain("worm", (0, 0, 0.6), [hull(scale=(0.7, 0.7, 0.7)), box((0.3, 0.2, 0.15)), hull()], gap=0.5,
                        way=ASKEW)), steps=120),
    "links of several shapes": ContactScene(world(
        ground(), chain("raft", (0, 0, 0.5), [OUTRIGGER] * 3, gap=0.4, way=ASKEW)), steps=120),
    "links that do not touch each other": ContactScene(world(
        ground(), chain("rope", (0, 0, 0.5), [BEAD] * 5, gap=0.15, way=ASKEW, more={
            "bool physxArticulation:enabledSelfCollisions": False})), steps=120),
    "tendon of a robot that lands": ContactScene(world(ground(), coupled(
        "worm", (0, 0, 0.4), ("PhysxTendonAxisRootAPI:t", {**STRING, **PULL}), ("PhysxTendonAxisAPI:t", STRING))),
        steps=60),
    "mimic joint of a robot that lands": ContactScene(world(ground(), coupled(
        "worm", (0, 0, 0.4), ("PhysxMimicJointAPI:rotY", FOLLOWS), ("", BOUNDED))), steps=60),
    "contacts solved last": ContactScene(world(
        ground(), quadruped("dog", (0, 0, 0.7)), scene={"bool physxScene:solveArticulationContactLast": True}),
        steps=120),
}


# --- joined ----------------------------------------------------------------------------------------------------------

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
