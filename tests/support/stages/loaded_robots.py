"""Robots whose own drive and weight push their joints: an arm and a slider, in any unit and along any axis."""

from __future__ import annotations

from collections.abc import Mapping

from support.stages.robots import base, joint, link, prim, robot
from support.stages.verified_robots import NOTHING, ROOT_SCHEMAS, Part, both, drive, limits, part

WITHOUT_DAMPING = {"float physxRigidBody:linearDamping": 0.0, "float physxRigidBody:angularDamping": 0.0}
SOFT = drive("angular", stiffness=10.0, damping=1.0, targetPosition=60.0)
STIFF = drive("angular", stiffness=80.0, damping=4.0, targetPosition=45.0)


def slow(token: str, velocity: float) -> Part:
    """A greatest velocity of a joint axis."""
    return part(f"PhysxJointAxisAPI:{token}", f"physxJointAxis:{token}", maxJointVelocity=velocity)


def gravity_scene(magnitude: float, direction: tuple[float, float, float] = (0, 0, -1)) -> str:
    """A scene with gravity."""
    return prim("PhysicsScene", "Scene", ("PhysxSceneAPI",), {
        "vector3f physics:gravityDirection": direction, "float physics:gravityMagnitude": magnitude,
        "bool physxScene:enableGPUDynamics": False, "uniform token physxScene:broadphaseType": "MBP"})


def body(name: str, position: tuple[float, float, float], meters: float, more: Mapping[str, object]) -> str:
    """A link of 1 kg and 0.1 kg m^2, undamped."""
    moments = (0.1 / meters ** 2,) * 3
    return link(name, position, ("PhysxRigidBodyAPI",),
                more={"float3 physics:diagonalInertia": moments, **WITHOUT_DAMPING, **more})


def arm(on_joint: Part = SOFT, on_link: Mapping[str, object] | None = None, *, along: str = "Y", meters: float = 1.0,
        gravity: float = 9.81, side: float = 0.0, first: str = "") -> str:
    """A hinge on a fixed base with limits of 90 degrees, and a link 0.25 m away, level where it hangs about Y.

    first: further links and joints that come before them. Gains are per degree, of a stage in metres.
    """
    reach = 0.25 / meters
    away = {"X": (0.0, reach, 0.0), "Y": (reach, 0.0, 0.0), "Z": (reach, 0.0, 0.0)}[along]
    x, y, z = away
    place = {"uniform token physics:axis": along, "point3f physics:localPos0": (0.0, side, 0.0),
             "point3f physics:localPos1": (-x, -y, -z)}
    schemas, attributes = both(limits(-90, 90), on_joint)
    return robot(gravity_scene(gravity / meters), base(), first, body("l0", (x, y + side, z), meters, on_link or {}),
                 joint("Revolute", "j0", "base", "l0", schemas, {**place, **attributes}), schemas=ROOT_SCHEMAS,
                 meters=meters)


def lift(on_joint: Part = NOTHING, on_link: Mapping[str, object] | None = None, *, meters: float = 1.0,
         gravity: float = 9.81) -> str:
    """A slider along Z on a fixed base with limits of 10 m, and a link."""
    schemas, attributes = both(limits(-10 / meters, 10 / meters), on_joint)
    return robot(gravity_scene(gravity / meters), base(), body("l0", (0, 0, 0), meters, on_link or {}),
                 joint("Prismatic", "j0", "base", "l0", schemas, {"uniform token physics:axis": "Z", **attributes}),
                 schemas=ROOT_SCHEMAS, meters=meters)
