"""Stages with opinions of other engines, beside and without PhysX's own."""

from __future__ import annotations

import math

from support.recorded.joint_stages import ROTATIONS, Values, axis, drive, generic, locked, one, own, state
from support.recorded.scene_stages import still
from support.stages.robots import base, joint, link, prim

JOINT_AXIS, NEWTON = ("PhysxJointAxisAPI:angular",), ("NewtonJointAPI",)


def newton(**values: float) -> Values:
    return {f"float newton:{name}": value for name, value in values.items()}


ALL = newton(armature=2.0, damping=0.5, friction=3.0, velocityLimit=40.0, limitStiffness=10.0)


def beside(**values: float) -> str:
    """Newton's values beside some of PhysX's."""
    return one("Revolute", (*NEWTON, *JOINT_AXIS), {**ALL, **axis("angular", **values)})


def mimic(schemas: tuple[str, ...] = ("NewtonMimicAPI",), kinds: tuple[str, str] = ("Revolute", "Revolute"),
          limits: bool = True, **values: object) -> str:
    """A leader l that a stiff drive holds, and a follower f."""
    leader = "angular" if kinds[1] == "Revolute" else "linear"
    at = 20.0 if kinds[1] == "Revolute" else 0.2
    bounds = own(lowerLimit=-300.0, upperLimit=300.0) if limits else {}
    own_values: Values = {"rel newton:mimicJoint": "</Robot/l>"}
    own_values |= {f"{'bool' if isinstance(value, bool) else 'float'} newton:{name}": value
                   for name, value in values.items()}
    return still(base(), link("a"), link("b"), joint(kinds[1], "l", "base", "a", (
        f"PhysicsJointStateAPI:{leader}", f"PhysicsDriveAPI:{leader}"), {
            **bounds, **state(leader, at), **drive(leader, stiffness=1e6, damping=1e5, targetPosition=at)}),
        joint(kinds[0], "f", "base", "b", schemas, {**bounds, **own_values}))


ENGINE_STAGES = {
    **{f"Newton's values on a {kind} joint": one(kind, NEWTON, ALL) for kind in ("Revolute", "Prismatic", "Spherical")},
    "Newton's values on a generic joint": generic(locked("rotX", "rotY"), NEWTON, ALL),
    "Newton's values without their API": one("Revolute", (), ALL),
    "Newton's values beside an empty API": beside(),
    "Newton's values beside an armature": beside(armature=5.0),
    "Newton's values beside zeros": beside(armature=0.0, staticFrictionEffort=0.0, viscousFrictionCoefficient=0.0,
                                           maxJointVelocity=0.0),
    "Newton's values beside a velocity": beside(maxJointVelocity=70.0),
    "Newton's values beside an infinite velocity": beside(maxJointVelocity=math.inf),
    "Newton's values beside static friction": beside(staticFrictionEffort=7.0),
    "Newton's values beside dynamic friction": beside(dynamicFrictionEffort=7.0),
    "Newton's values beside viscous friction": beside(viscousFrictionCoefficient=0.25),
    "Newton's values beside values below 0": beside(armature=-1.0, staticFrictionEffort=-1.0),
    "Newton's values below 0": one("Revolute", NEWTON, newton(armature=-2.0, friction=-3.0, velocityLimit=-40.0)),
    "Newton's values beside one axis of three": generic(
        locked(*ROTATIONS), (*NEWTON, "PhysxJointAxisAPI:rotY"), {**ALL, **axis("rotY", armature=5.0)}),
    "the retired joint API": one("Revolute", ("PhysxJointAPI",), {
        "float physxJoint:armature": 3.0, "float physxJoint:jointFriction": 4.0,
        "float physxJoint:maxJointVelocity": 50.0}),
    "MuJoCo's values": one("Revolute", ("MjcJointAPI",), {"float mjc:armature": 3.0, "float mjc:frictionloss": 5.0}),
    "Newton's articulation root": still(link("a"), link("b"), joint("Revolute", "j", "a", "b"),
                                        schemas=("NewtonArticulationRootAPI",)),
    "Newton's mass API": still(prim("Xform", "x", ("PhysicsRigidBodyAPI", "NewtonMassAPI"), {
        "float physics:mass": 3.0}), schemas=()),
    "Newton's collision API": still(prim("Xform", "x", ("PhysicsRigidBodyAPI",), {}, prim(
        "Cube", "c", ("NewtonCollisionAPI",), {"double size": 1.0})), schemas=()),
}
MIMICS = {      # moved for a while: where the follower is by then
    "of its defaults": mimic(), "of two revolute joints": mimic(mimicCoef0=5.0, mimicCoef1=-2.0),
    "of a slider behind a hinge": mimic(kinds=("Prismatic", "Revolute"), mimicCoef0=0.5, mimicCoef1=0.01),
    "of a hinge behind a slider": mimic(kinds=("Revolute", "Prismatic"), mimicCoef0=5.0, mimicCoef1=30.0),
    "of two sliders": mimic(kinds=("Prismatic", "Prismatic"), mimicCoef0=0.1, mimicCoef1=2.0),
    "that is switched off": mimic(mimicEnabled=False, mimicCoef1=2.0), "without its API": mimic((), mimicCoef1=2.0),
    "without limits": mimic(limits=False, mimicCoef1=2.0), "of coefficient 0": mimic(mimicCoef1=0.0),
}
