"""Stages of bodies that touch, come to rest and are woken, and what is written to them there and here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from physx_runtime import Scene

from support.stages.iteration_stages import prim, stage

DT = 1 / 60
BODY = "RIGID_BODY"
Write = tuple[str, str, str, Any]
Ours = Callable[[Scene], None]
Place = tuple[float, float, float]
TURNED = "(0.9914449, 0, 0.1305262, 0)"     # 15 degrees about y


def collider(kind: str, more: Mapping[str, str] | None = None) -> str:
    return prim(kind, "shape", "PhysicsCollisionAPI", more or {})


CUBE = collider("Cube", {"double size": "1"})
BALL = collider("Sphere", {"double radius": "0.5"})


def placed(place: Place, turn: str = "(1, 0, 0, 0)") -> dict[str, str]:
    return {"double3 xformOp:translate": str(place), "quatd xformOp:orient": turn,
            "uniform token[] xformOpOrder": '["xformOp:translate", "xformOp:orient"]'}


def body(name: str, place: Place, shape: str = CUBE, turn: str = "(1, 0, 0, 0)", **more: str) -> str:
    """A body of 1 kg."""
    return prim("Xform", name, "PhysicsRigidBodyAPI PhysicsMassAPI PhysxRigidBodyAPI", {
        "float physics:mass": "1", **placed(place, turn), **{key.replace("__", " ").replace("_", ":"): value
                                                             for key, value in more.items()}}, shape)


def kinematic(name: str, place: Place, shape: str = CUBE) -> str:
    return body(name, place, shape, bool__physics_kinematicEnabled="1")


def asleep(name: str, place: Place, shape: str = CUBE) -> str:
    return body(name, place, shape, bool__physics_startsAsleep="1")


def moving(velocity: Place) -> dict[str, str]:
    return {"vector3f__physics_velocity": str(velocity)}


GROUND = prim("Plane", "ground", "PhysicsCollisionAPI", {"uniform token axis": '"Z"'})
SLOPE = prim("Cube", "slope", "PhysicsCollisionAPI", {"double size": "10", **placed((0, 0, -5), TURNED)})
SHELF = prim("Cube", "shelf", "PhysicsCollisionAPI", {"double size": "2", **placed((0, 0, -1))})


def tower(name: str, x: float, count: int, gap: float = 0.0) -> list[str]:
    return [body(f"{name}{i}", (x, 0, 0.5 + i + gap * (i + 1))) for i in range(count)]


@dataclass(frozen=True)
class Case:
    """A stage, and what is written before which step, there and here."""

    text: str
    steps: int
    theirs: Mapping[int, Sequence[Write]] = field(default_factory=dict)
    ours: Mapping[int, Sequence[Ours]] = field(default_factory=dict)


def put_to_sleep(path: str) -> tuple[Write, Ours]:
    return (BODY, path, "wake", 0), lambda scene: scene[path].put_to_sleep()


def wake(path: str) -> tuple[Write, Ours]:
    return (BODY, path, "wake", 1), lambda scene: scene[path].wake()


def velocity(path: str, *linear: float) -> tuple[Write, Ours]:
    return (BODY, path, "linearVelocity", list(linear)), lambda scene: scene[path].set("v", [*linear, 0.0, 0.0, 0.0])


def place(path: str, *position: float) -> tuple[Write, Ours]:
    return (BODY, path, "position", list(position)), lambda scene: scene[path].set("root_position", position)


def force(path: str, *values: float) -> tuple[Write, Ours]:
    return (BODY, path, "force", list(values)), lambda scene: scene[path].apply_force(values)


def sent(path: str, *position: float) -> tuple[Write, Ours]:
    return ((BODY, path, "kinematicTargetPosition", list(position)),
            lambda scene: scene.set_kinematic_target(path, [*position, 0, 0, 0, 1]))


def shifted(path: str, *position: float) -> tuple[Write, Ours]:
    return ((BODY, path, "position", list(position)),
            lambda scene: scene.set_kinematic_pose(path, [*position, 0, 0, 0, 1]))


def case(steps: int, *prims: str, writes: Mapping[int, Sequence[tuple[Write, Ours]]] | None = None) -> Case:
    pairs = writes or {}
    return Case(stage(*prims), steps, {step: [theirs for theirs, _ in those] for step, those in pairs.items()},
                {step: [ours for _, ours in those] for step, those in pairs.items()})


def wall(name: str, y: float) -> str:
    """Beside a ball that rolls along x, without touching it."""
    return prim("Cube", name, "PhysicsCollisionAPI", {"double size": "1", **placed((0, y, 0.5)),
                                                      "float3 xformOp:scale": "(20, 1, 1)",
                                                      "uniform token[] xformOpOrder": '["xformOp:translate", '
                                                                                      '"xformOp:scale"]'})


def steps(count: int) -> list[str]:
    """Static boxes that a ball on them touches one or two of."""
    return [prim("Cube", f"step{i}", "PhysicsCollisionAPI", {"double size": "0.5", **placed((0.5 * i, 0, -0.25))})
            for i in range(count)]


def robot(name: str, place: Place, tip: float = 1.1, threshold: float = 5e-5, **of_links: str) -> str:
    """An articulation of two boxes side by side with a hinge about y, that falls on what is below."""
    links = "".join(body(link, (x, 0, 0), **of_links) for link, x in (("base", 0.0), ("tip", tip)))
    hinge = prim("PhysicsRevoluteJoint", "hinge", "", {
        "rel physics:body0": f"</{name}/base>", "rel physics:body1": f"</{name}/tip>",
        "uniform token physics:axis": '"Y"', "point3f physics:localPos0": f"({tip / 2}, 0, 0)",
        "point3f physics:localPos1": f"({-tip / 2}, 0, 0)"})
    return prim("Xform", name, "PhysicsArticulationRootAPI PhysxArticulationAPI", {
        "float physxArticulation:sleepThreshold": str(threshold), **placed(place)}, links + hinge)


ROLLING = {**moving((1, 0, 0)), "float__physxRigidBody_linearDamping": "1",
           "float__physxRigidBody_angularDamping": "1", "float__physxRigidBody_sleepThreshold": "0.05"}
HINGE = prim("PhysicsRevoluteJoint", "hinge", "", {
    "rel physics:body0": "</A>", "rel physics:body1": "</B>", "uniform token physics:axis": '"Y"',
    "point3f physics:localPos0": "(0.6, 0, 0)", "point3f physics:localPos1": "(-0.6, 0, 0)"})
PAIR = (body("A", (0, 0, 0.5)), body("B", (1.2, 0, 0.5)), HINGE)
ROW = tuple(body(f"R{i}", (3 + 1.001 * i, 0, 0.5), BALL) for i in range(4))

CASES: dict[str, Case] = {
    "a ball on a plane": case(60, GROUND, body("B", (0, 0, 0.5), BALL)),
    "a ball that is dropped": case(240, GROUND, body("B", (0, 0, 0.6), BALL)),
    "a box that is dropped": case(200, GROUND, body("B", (0, 0, 0.7))),
    "a box on a slope": case(120, SLOPE, body("B", (0, 0, 0.5176), CUBE, TURNED)),
    "a stack of three": case(160, GROUND, *tower("T", 0, 3, 0.01)),
    "two stacks of different age": case(
        240, GROUND, *tower("T", 0, 2), *tower("U", 4, 3), writes={40: [velocity("/U2", 0, 0, 1)]}),
    "a ball rolling into a sleeping row": case(
        300, GROUND, body("B", (-3, 0, 0.5), BALL, **moving((3, 0, 0)),
                          float__physxRigidBody_sleepThreshold="0"), *ROW),
    "a slow ball rolling into a sleeping row": case(
        300, GROUND, body("B", (1.8, 0, 0.5), BALL, **moving((0.1, 0, 0)),
                          float__physxRigidBody_sleepThreshold="0"), *ROW),
    "a support that leaves downwards": case(
        160, kinematic("K", (0, 0, -0.5)), body("B", (0, 0, 0.5)), body("C", (0, 0, 1.5)),
        writes={60 + i: [sent("/K", 0, 0, -0.5 - 0.02 * (i + 1))] for i in range(20)}),
    "a support that leaves sideways": case(
        160, kinematic("K", (0, 0, -0.5)), body("B", (0, 0, 0.5)),
        writes={60 + i: [sent("/K", 0.1 * (i + 1), 0, -0.5)] for i in range(20)}),
    "a support that jumps away": case(
        120, kinematic("K", (0, 0, -0.5)), body("B", (0, 0, 0.5)), writes={60: [shifted("/K", 5, 0, -0.5)]}),
    "a support that is sent to where it is": case(
        200, kinematic("K", (0, 0, -0.5)), body("B", (0, 0, 0.5)),
        writes={step: [sent("/K", 0, 0, -0.5)] for step in range(10, 100)}),
    "a pusher": case(
        260, GROUND, kinematic("K", (-2, 0, 0.6)), body("B", (0, 0, 0.5)), body("C", (1.0, 0, 0.5)),
        writes={60 + i: [sent("/K", -2 + 0.02 * (i + 1), 0, 0.6)] for i in range(70)}),
    "two boxes with a hinge": case(160, GROUND, *PAIR),
    "two boxes with a hinge, one hit": case(
        260, GROUND, *PAIR, body("D", (0.1, 0, 1.6)), writes={80: [velocity("/D", 0, 0, 0.5)]}),
    "one of a stack put to sleep": case(120, GROUND, *tower("T", 0, 3), writes={10: [put_to_sleep("/T1")]}),
    "all of a stack put to sleep": case(
        120, GROUND, *tower("T", 0, 3), writes={10: [put_to_sleep(f"/T{i}") for i in range(3)]}),
    "one of a stack woken": case(120, GROUND, *tower("T", 0, 3), writes={60: [wake("/T1")]}),
    "a velocity of 0 in a stack": case(120, GROUND, *tower("T", 0, 3), writes={60: [velocity("/T2", 0, 0, 0)]}),
    "a push in a stack": case(160, GROUND, *tower("T", 0, 3), writes={60: [force("/T0", 0, 0, 15)]}),
    "a place in a stack": case(160, GROUND, *tower("T", 0, 3), writes={60: [place("/T1", 5, 0, 0.5)]}),
    "the lowest of a stack lifted": case(160, GROUND, *tower("T", 0, 2), writes={60: [place("/T0", 0, 0, 5)]}),
    "asleep at the start": case(120, GROUND, asleep("A", (0, 0, 0.5)), asleep("B", (3, 0, 2))),
    "asleep and hit": case(160, asleep("A", (0, 0, 0.5)), body("B", (0, 0, 2.0), BALL)),
    "a stack asleep and hit": case(
        160, GROUND, asleep("A", (0, 0, 0.5)), asleep("B", (0, 0, 1.5)), body("C", (0, 0, 2.7), BALL)),
    "asleep beside one that passes": case(
        160, GROUND, asleep("A", (0, 0, 0.5)), body("B", (-2, 1.02, 0.5), **moving((4, 0, 0)))),
    "sliding off an edge": case(200, SHELF, body("B", (0.6, 0, 0.5), **moving((2.5, 0, 0)))),
    "two balls side by side": case(
        120, GROUND, body("A", (0, 0, 0.5), BALL), body("B", (1.01, 0, 0.5), BALL)),
    "a box beside a box that is woken": case(
        120, GROUND, body("A", (0, 0, 0.5)), body("B", (1.02, 0, 0.5)), writes={60: [wake("/A")]}),
    "a ball that bounces": case(240, GROUND, body("B", (0, 0, 1.0), BALL)),
    "a robot on the ground": case(160, GROUND, robot("R", (0, 0, 0.51))),
    "a robot on the ground that a box falls on": case(
        260, GROUND, robot("R", (0, 0, 0.5)), body("B", (0.1, 0, 1.6)), writes={60: [velocity("/B", 0, 0, 2)]}),
    "a robot on the ground beside a box that is woken": case(
        120, GROUND, robot("R", (0, 0, 0.5)), body("B", (2.12, 0, 0.5)), writes={60: [wake("/B")]}),
    "a box put to sleep in the air": case(
        80, GROUND, body("B", (0, 0, 5)), body("C", (3, 0, 0.7)), writes={20: [put_to_sleep("/B")]}),
    "balls that float off the ground": case(100, GROUND, *(
        body(f"B{i}", (3.0 * i, 0, 0.5), BALL, **moving((0, 0, speed)), bool__physxRigidBody_disableGravity="1",
             float__physxRigidBody_sleepThreshold="5") for i, speed in enumerate((0.1, 0.104, 0.11, 0.15, 0.2)))),
    "robots that float off the ground": case(100, GROUND, *(
        robot(f"R{i}", (3.0 * i, 0, 0.5), 1.1, 5.0, **moving((0, 0, speed)), bool__physxRigidBody_disableGravity="1")
        for i, speed in enumerate((0.1, 0.2)))),
    "a ball that rolls out": case(400, GROUND, body("B", (0, 0, 0.5), BALL, **ROLLING)),
    "a ball that rolls out between walls": case(
        400, GROUND, wall("left", 1.01), wall("right", -1.01), body("B", (0, 0, 0.5), BALL, **ROLLING)),
    "a ball that rolls out over steps": case(400, *steps(20), body("B", (0.2, 0, 0.5), BALL, **ROLLING)),
}
