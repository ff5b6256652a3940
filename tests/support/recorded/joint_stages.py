"""Stages about one joint, and about opinions of other engines.

Stages about one joint: limits, cones, generic axes, drives, states, frames, and joints outside articulations.

Stages with opinions of other engines, beside and without PhysX's own.
"""

from __future__ import annotations

import math

from support.recorded.scene_stages import still
from support.recorded.tree_stages import EXCLUDED, gear
from support.stages.robots import base, joint, link, prim

NAN, INF = math.nan, math.inf
TRANSLATIONS, ROTATIONS = ("transX", "transY", "transZ"), ("rotX", "rotY", "rotZ")
LOCKED = (1.0, -1.0)
Values = dict[str, object]


def one(kind: str, schemas: tuple[str, ...] = (), more: Values | None = None, swapped: bool = False) -> str:
    """A fixed base and one link with the joint under test."""
    ends = ("tip", "base") if swapped else ("base", "tip")
    return still(base(), link("tip", (1, 0, 0)), joint(kind, "j", *ends, schemas, more))


def own(**values: object) -> Values:
    return {f"float physics:{name}": value for name, value in values.items()}


def drive(name: str, **values: float) -> Values:
    return {f"float drive:{name}:physics:{key}": value for key, value in values.items()}


def state(name: str, position: float, velocity: float = 0.0) -> Values:
    return {f"float state:{name}:physics:position": position, f"float state:{name}:physics:velocity": velocity}


def axis(name: str, **values: float) -> Values:
    return {f"float physxJointAxis:{name}:{key}": value for key, value in values.items()}


def cone(first: float, second: float, along: str = "X") -> Values:
    return {**own(coneAngle0Limit=first, coneAngle1Limit=second), "uniform token physics:axis": along}


def generic(limits: dict[str, tuple[float, float]], schemas: tuple[str, ...] = (), more: Values | None = None,
            swapped: bool = False) -> str:
    bounds: Values = {}
    for name, (low, high) in limits.items():
        bounds |= {f"float limit:{name}:physics:low": low, f"float limit:{name}:physics:high": high}
    applied = tuple(f"PhysicsLimitAPI:{name}" for name in limits)
    return one("", (*applied, *schemas), {**bounds, **(more or {})}, swapped)


def locked(*free: str) -> dict[str, tuple[float, float]]:
    """Limits that lock every axis of a generic joint but some."""
    return {name: LOCKED for name in (*TRANSLATIONS, *ROTATIONS) if name not in free}


def turning(name: str, low: float, high: float) -> str:
    """A generic joint that turns, with one bound axis."""
    return generic({**locked(*ROTATIONS), name: (low, high)})


BOUNDS = {
    "of NaN below": (NAN, 10.0), "of NaN": (NAN, NAN), "open above": (-10.0, INF), "open below": (-INF, 10.0),
    "of two infinities above": (INF, INF), "that are equal": (5.0, 5.0), "beyond a turn": (-400.0, 400.0),
    "of -1e38 below": (-1e38, 10.0), "of 1e38 above": (-10.0, 1e38), "of the largest floats": (-3.4e38, 3.4e38),
    "in the wrong order": (10.0, -10.0), "without 0": (20.0, 30.0),
}
CONES = {"unauthored": (-1, -1), "of two angles": (20, 30), "of one angle": (20, -1), "of the other": (-1, 30),
         "of 0": (0, 0), "of 0 and 30": (0, 30), "of 180": (180, 180), "beyond 180": (200, 30), "of NaN": (NAN, 30),
         "open": (INF, 30)}
LIMITS = {
    **{f"{kind} limits {name}": one(kind, (), own(lowerLimit=low, upperLimit=high))
       for kind in ("Revolute", "Prismatic") for name, (low, high) in BOUNDS.items()},
    **{f"a cone {name}": one("Spherical", (), cone(float(first), float(second)))
       for name, (first, second) in CONES.items()},
    "a cone about y": one("Spherical", (), cone(20.0, 30.0, "Y")),
    "a cone about z": one("Spherical", (), cone(20.0, 30.0, "Z"), swapped=True),
    "a lower limit alone": one("Revolute", (), own(lowerLimit=-10.0)),
    "limits of a reversed joint": one("Revolute", ("PhysicsJointStateAPI:angular",), {
        **own(lowerLimit=-10.0, upperLimit=40.0), **state("angular", 15.0)}, swapped=True),
    "an axis W": one("Revolute", (), {**own(lowerLimit=-1.0, upperLimit=2.0), "uniform token physics:axis": "W"}),
    "PhysicsLimitAPI on a revolute joint": one("Revolute", ("PhysicsLimitAPI:angular",), {
        "float limit:angular:physics:low": -5.0, "float limit:angular:physics:high": 5.0}),
}
GENERIC = {
    "nothing authored": generic({}), "translations locked": generic(locked(*ROTATIONS)),
    "all locked": generic(locked()),
    **{f"{' and '.join(free)} free": generic(locked(*free)) for free in (
        ("rotX",), ("rotY",), ("rotZ",), ("rotX", "rotZ"), ("transX",), ("transX", "rotX"), ("transX", "transY"))},
    "a limited translation": generic({**locked("transX"), "transX": (-2.0, 3.0)}),
    "three limits": generic({**locked(*ROTATIONS), "rotX": (-10, 20), "rotY": (-30, 40), "rotZ": (-50, 60)}),
    "three limits, reversed": generic({**locked(*ROTATIONS), "rotX": (-10, 20), "rotY": (-30, 40)}, swapped=True),
    "equal limits": turning("rotX", 5.0, 5.0), "limits open to one side": turning("rotX", -10.0, INF),
    "a limit of NaN": turning("rotX", NAN, 10.0), "infinite limits in the wrong order": turning("rotX", INF, -INF),
    "limits of 1e38": turning("rotX", -1e38, 1e38), "one limit of 1e38": turning("rotY", -1e38, 5.0),
    "limits beyond 180": turning("rotX", -200.0, 100.0),
    "drives": generic(locked(*ROTATIONS), tuple(f"PhysicsDriveAPI:{name}" for name in (*TRANSLATIONS, *ROTATIONS)), {
        key: value for i, name in enumerate((*TRANSLATIONS, *ROTATIONS))
        for key, value in drive(name, stiffness=1.0 + i, damping=0.5, maxForce=9.0, targetPosition=3.0).items()}),
    "a drive for angular": generic(locked(*ROTATIONS), ("PhysicsDriveAPI:angular",), drive("angular", stiffness=2.0)),
    "states": generic(locked(*ROTATIONS), tuple(f"PhysicsJointStateAPI:{name}" for name in ROTATIONS), {
        **state("rotX", 20.0, 2.0), **state("rotY", 25.0, 3.0), **state("rotZ", 30.0, 4.0)}),
    "a state of one axis": generic(locked("rotY"), ("PhysicsJointStateAPI:rotY",), state("rotY", 20.0, 3.0), True),
    "axis properties": generic(locked(*ROTATIONS), tuple(f"PhysxJointAxisAPI:{name}" for name in ROTATIONS), {
        key: value for i, name in enumerate(ROTATIONS)
        for key, value in axis(name, armature=1.0 + i, maxJointVelocity=10.0 + i).items()}),
    "an envelope": generic(locked("rotX"), ("PhysicsDriveAPI:rotX", "PhysxDrivePerformanceEnvelopeAPI:rotX"), {
        **drive("rotX", stiffness=1.0, maxForce=5.0),
        "float physxDrivePerformanceEnvelope:rotX:maxActuatorVelocity": 90.0,
        "float physxDrivePerformanceEnvelope:rotX:speedEffortGradient": 2.0}),
    "a target beyond 180": generic(locked("rotX"), ("PhysicsDriveAPI:rotX",), drive(
        "rotX", stiffness=1.0, targetPosition=200.0)),
    "a state beyond 180": generic(locked(*ROTATIONS), ("PhysicsJointStateAPI:rotX",), state("rotX", 200.0, 2.0)),
}
BALL = {
    "drives of a ball": one("Spherical", tuple(f"PhysicsDriveAPI:{name}" for name in ROTATIONS), {
        **drive("rotX", stiffness=1.0), **drive("rotY", stiffness=2.0)}),
    "states of a ball": one("Spherical", tuple(f"PhysicsJointStateAPI:{name}" for name in ROTATIONS), {
        **state("rotX", 10.0), **state("rotY", 20.0)}),
    **{f"axis properties of a ball about {along}": one(
        "Spherical", tuple(f"PhysxJointAxisAPI:{name}" for name in ROTATIONS), {
            **axis("rotX", armature=1.0, maxJointVelocity=90.0), **axis("rotY", staticFrictionEffort=3.0),
            **axis("rotZ", viscousFrictionCoefficient=0.5), "uniform token physics:axis": along}) for along in "XYZ"},
    "limits of a ball": one("Spherical", ("PhysicsLimitAPI:rotX",), {"float limit:rotX:physics:low": 1.0,
                                                                     "float limit:rotX:physics:high": -1.0}),
}
DRIVE, STATE, AXIS = ("PhysicsDriveAPI:angular",), ("PhysicsJointStateAPI:angular",), ("PhysxJointAxisAPI:angular",)
VALUES = {
    **{f"a target of {target}": one("Revolute", DRIVE, drive("angular", stiffness=1.0, targetPosition=target))
       for target in (360.0, 500.0, -500.0, 1000.0)},
    "a target beyond a turn within limits": one("Revolute", DRIVE, {
        **drive("angular", stiffness=1.0, targetPosition=500.0), **own(lowerLimit=-600.0, upperLimit=600.0)}),
    "a maxForce of NaN": one("Revolute", DRIVE, drive("angular", stiffness=1.0, maxForce=NAN)),
    "a maxForce below 0": one("Revolute", DRIVE, drive("angular", stiffness=1.0, maxForce=-5.0)),
    "gains below 0": one("Revolute", DRIVE, drive("angular", stiffness=-1.0, damping=-1.0)),
    "a state of NaN": one("Revolute", STATE, state("angular", NAN)),
    "a state of three turns": one("Revolute", STATE, state("angular", 1000.0)),
    "a velocity of NaN": one("Revolute", STATE, state("angular", 5.0, NAN)),
    "a state outside limits": one("Revolute", STATE, {
        **state("angular", 50.0), **own(lowerLimit=-10.0, upperLimit=10.0)}),
    "axis properties of NaN": one("Revolute", AXIS, axis("angular", armature=NAN, viscousFrictionCoefficient=NAN,
                                                         staticFrictionEffort=NAN, maxJointVelocity=NAN)),
    "axis properties below 0": one("Revolute", AXIS, axis("angular", armature=-1.0, maxJointVelocity=-5.0)),
    "dynamic friction above static": one("Revolute", AXIS, axis("angular", staticFrictionEffort=1.0,
                                                                dynamicFrictionEffort=3.0)),
    "an envelope without a drive": one("Revolute", ("PhysxDrivePerformanceEnvelopeAPI:angular",), {
        "float physxDrivePerformanceEnvelope:angular:maxActuatorVelocity": 90.0}),
    "a rotation not of length 1": one("Revolute", (), {"quatf physics:localRot0": (2, 0, 2, 0)}),
    **{f"{name} refused": one("Revolute", (), {
        "point3f physics:localPos0": (0.3, 0, 0), "point3f physics:localPos1": (0, 0.2, 0), **refused})
       for name, refused in {
           "a parent's rotation": {"quatf physics:localRot0": (0, 0, 0, 0)},
           "a child's rotation": {"quatf physics:localRot1": (0, 0, 0, 0)},
           "a parent's position": {"point3f physics:localPos0": (NAN, 0, 0)},
       }.items()},
}


def free(*joints: str) -> str:
    """Bodies a, b, c outside articulations."""
    return still(link("a"), link("b"), link("c"), *joints, schemas=())


HINGES = joint("Revolute", "j1", "a", "b") + joint("Revolute", "j2", "a", "c")
RACK = prim("PhysxPhysicsRackAndPinionJoint", "g", (), {
    "rel physics:body0": "</Robot/b>", "rel physics:body1": "</Robot/c>", "rel physics:hinge": "</Robot/j1>",
    "rel physics:prismatic": "</Robot/j2>", "float physics:ratio": 2.0})
FREE = {
    **{f"a free {kind or 'generic'} joint": free(joint(kind, "j", "a", "b"))
       for kind in ("Revolute", "Prismatic", "Spherical", "Fixed", "Distance", "")},
    "a gear joint": free(HINGES, gear("b", "c", ("j1", "j2"))),
    "a gear joint without bodies of its own": free(HINGES, gear("", "", ("j1", "j2"))),
    "a rack joint": free(joint("Revolute", "j1", "a", "b"), joint("Prismatic", "j2", "a", "c"), RACK),
    "a free joint of one body": free(joint("Fixed", "j", "a", "a")),
    "a free joint of no body": free(joint("Fixed", "j", "", "")),
    "a disabled free joint": free(joint("Fixed", "j", "a", "b", (), {"bool physics:jointEnabled": False})),
    "an excluded free joint": free(joint("Fixed", "j", "a", "b", (), EXCLUDED)),
    **{f"a free joint of {name} bodies": still(
        link("s", more={attribute: value}), link("t", more={attribute: value}), joint("Fixed", "j", "s", "t"),
        schemas=())
       for name, attribute, value in (("disabled", "bool physics:rigidBodyEnabled", False),
                                      ("kinematic", "bool physics:kinematicEnabled", True))},
}
STAGES = {
    **LIMITS, **{f"a generic joint with {name}": text for name, text in GENERIC.items()}, **BALL, **VALUES, **FREE,
    "two targets": still(link("a"), link("b"), joint("Revolute", "j", "a", "b").replace(
        "= </Robot/b>", "= [</Robot/b>, </Robot/a>]")),
    "two targets, the first missing": still(link("a"), link("b"), joint("Revolute", "j", "a", "b").replace(
        "= </Robot/b>", "= [</Robot/nope>, </Robot/b>]")),
}


# --- engine stages ---------------------------------------------------------------------------------------------------

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
