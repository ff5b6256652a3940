"""Authored stages about joints: frames, directions, generic joints, drives, limits, axis properties and states."""

from __future__ import annotations

from support.stages.parts import (
    ANGULAR,
    LINEAR,
    SKEW,
    TILT,
    TURN,
    Attributes,
    axis_values,
    body,
    chain,
    drive,
    envelope,
    frames,
    limit,
    stage,
    state,
)
from support.stages.robots import base, joint, link, placed, prim

ROTATIONS, TRANSLATIONS = ("rotX", "rotY", "rotZ"), ("transX", "transY", "transZ")
SIDES = {"Revolute": ANGULAR, "Prismatic": LINEAR}


def limited(**axes: tuple[float, float]) -> tuple[tuple[str, ...], Attributes]:
    """Schemas and attributes that limit axes of a generic joint."""
    values: Attributes = {}
    for name, (low, high) in axes.items():
        values |= limit(name, low, high)
    return tuple(f"PhysicsLimitAPI:{name}" for name in axes), values


LOCKED_TRANSLATIONS = dict.fromkeys(TRANSLATIONS, (1.0, -1.0))


def generic(*schemas: str, more: Attributes | None = None, **axes: tuple[float, float]) -> str:
    """A base and a link with a generic joint whose translations are locked."""
    applied, values = limited(**{**LOCKED_TRANSLATIONS, **axes})
    return stage(base(), link("l1", (1, 0, 0)), joint("", "j", "base", "l1", (*applied, *schemas), {
        **frames((1, 0, 0), (0, 0, 0.5), TILT, TURN), **values, **(more or {})}))


def rich_finger() -> str:
    first = {**frames((1, 0, 0), (-1, 0, 0), TILT, TURN, "Y", lowerLimit=-70.0, upperLimit=80.0),
             **drive("angular", stiffness=3.0, damping=2.0, maxForce=7.0),
             **axis_values("angular", armature=0.5, staticFrictionEffort=5.0, dynamicFrictionEffort=3.0,
                           viscousFrictionCoefficient=0.2, maxJointVelocity=90.0)}
    second = {**frames((0, 1, 0), (0, 0, -1), TURN, TILT, "Z", lowerLimit=-1.0, upperLimit=2.0),
              **drive("linear", "acceleration", stiffness=5.0, damping=1.0),
              **axis_values("linear", armature=0.25, maxJointVelocity=3.0)}
    return stage(
        base(), link("l1", (2, 0, 0)), link("l2", (2, 1, 1)),
        joint("Revolute", "j1", "base", "l1", ("PhysicsDriveAPI:angular", "PhysxJointAxisAPI:angular"), first),
        joint("Prismatic", "j2", "l1", "l2", ("PhysicsDriveAPI:linear", "PhysxJointAxisAPI:linear"), second))


def swapped(kind: str, token: str) -> str:
    """A chain whose joints alternate in direction, with drives, limits and states that have a sign."""
    values = {**frames((0.5, 0.2, 0), (-0.5, 0, 0.1), TILT, TURN, "Y", lowerLimit=-10.0, upperLimit=20.0),
              **drive(token, stiffness=4.0, damping=1.0, targetPosition=3.0, targetVelocity=-2.0),
              **state(token, 5.0, -1.5)}
    return stage(base(), link("l1"), link("l2"), link("l3"),
                 joint(kind, "j1", "base", "l1", SIDES[kind], values),
                 joint(kind, "j2", "l2", "l1", SIDES[kind], values),
                 joint(kind, "j3", "l3", "l2", SIDES[kind], values))


def target_inside_a_link() -> str:
    mount = prim("Xform", "mount", (), placed((0.5, 0.25, 0), (1, 1, 1), TILT))
    return stage(base(), link("l1", (1, 0, 0), children=mount), link("l2", (2, 0, 0)),
                 joint("Revolute", "j1", "base", "l1", (), frames((0.5, 0, 0), (-0.5, 0, 0), axis="Z")),
                 joint("Revolute", "j2", "l1/mount", "l2", (), frames((0.1, 0, 0), (-0.5, 0, 0), TURN, axis="Y")))


def refused_limits() -> str:
    low, high, both = {"lowerLimit": -10.0}, {"upperLimit": 10.0}, {"lowerLimit": 30.0, "upperLimit": 20.0}
    sentinel, free = {"lowerLimit": -10.0, "upperLimit": 1e38}, {"lowerLimit": -1e38, "upperLimit": 1e38}
    equal, wide = {"lowerLimit": 15.0, "upperLimit": 15.0}, {"lowerLimit": -900.0, "upperLimit": 720.0}
    return _side_by_side("Revolute", [frames((i, 0, 0), **pair) for i, pair in enumerate(
        (low, high, both, sentinel, free, equal, wide))])


def _side_by_side(kind: str, rows: list[Attributes], schemas: tuple[str, ...] = ()) -> str:
    """One link for every row of joint attributes, all on the base."""
    parts = [base()]
    for i, row in enumerate(rows):
        parts += [link(f"l{i}", (i, 0, 0)), joint(kind, f"j{i}", "base", f"l{i}", schemas, row)]
    return stage(*parts)


def refused_values() -> str:
    negative = drive("angular", stiffness=3.0, maxForce=-4.0)
    friction = axis_values("angular", staticFrictionEffort=1.0, dynamicFrictionEffort=3.0,
                           viscousFrictionCoefficient=2.0)
    typo = drive("angular", "acelleration", stiffness=-3.0, damping=2.0)
    return stage(base(), link("a"), joint("Revolute", "ja", "base", "a", ("PhysicsDriveAPI:angular",), negative),
                 link("b"), joint("Revolute", "jb", "base", "b", ("PhysxJointAxisAPI:angular",), friction),
                 link("c"), joint("Revolute", "jc", "base", "c", ("PhysicsDriveAPI:angular",), typo))


def drives(kind: str, token: str) -> str:
    """Drives of every sort side by side."""
    rows = [
        drive(token, stiffness=10.0, damping=2.0, maxForce=50.0, targetPosition=0.5, targetVelocity=0.25),
        drive(token, "acceleration", stiffness=10.0, damping=2.0, targetPosition=-0.5),
        drive(token, damping=3.0, targetVelocity=7.0), drive(token, maxForce=0.0, stiffness=1.0), drive(token),
        drive(token, maxForce=5.0), drive(token, stiffness=1e-3, damping=1e5, maxForce=float("1e30")),
        drive(token, "acceleration"),
    ]
    return _side_by_side(kind, [{**frames((i, 0, 0)), **row} for i, row in enumerate(rows)],
                         (f"PhysicsDriveAPI:{token}",))


def misplaced_values() -> str:
    """Schemas under an instance name of another kind of joint, and properties whose schema is not applied."""
    wrong = {**frames(), **drive("linear", stiffness=9.0), **axis_values("linear", armature=4.0)}
    bare = {**frames((1, 0, 0)), **drive("angular", stiffness=9.0), **axis_values("angular", armature=4.0)}
    turning = {**frames((2, 0, 0)), **drive("rotX", stiffness=9.0), **axis_values("rotX", armature=4.0)}
    return stage(base(), link("a"), link("b", (1, 0, 0)), link("c", (2, 0, 0)),
                 joint("Revolute", "ja", "base", "a", ("PhysicsDriveAPI:linear", "PhysxJointAxisAPI:linear"), wrong),
                 joint("Revolute", "jb", "base", "b", (), bare),
                 joint("Revolute", "jc", "base", "c", ("PhysicsDriveAPI:rotX", "PhysxJointAxisAPI:rotX"), turning))


def axis_properties(kind: str, token: str) -> str:
    rows = [
        axis_values(token, armature=2.5), axis_values(token, staticFrictionEffort=4.0, dynamicFrictionEffort=4.0),
        axis_values(token, viscousFrictionCoefficient=1.5), axis_values(token, maxJointVelocity=25.0),
        axis_values(token, maxJointVelocity=0.0), axis_values(token, staticFrictionEffort=2.0), axis_values(token),
    ]
    return _side_by_side(kind, [{**frames((i, 0, 0)), **row} for i, row in enumerate(rows)],
                         (f"PhysxJointAxisAPI:{token}",))


def envelopes(kind: str, token: str) -> str:
    full = {**drive(token, stiffness=20.0, damping=1.0, maxForce=30.0), **envelope(
        token, maxActuatorVelocity=40.0, velocityDependentResistance=0.3, speedEffortGradient=0.02)}
    unforced = envelope(token, maxActuatorVelocity=40.0)
    part = {**drive(token, damping=1.0, maxForce=30.0), **envelope(token, velocityDependentResistance=0.3)}
    return _side_by_side(kind, [{**frames((i, 0, 0)), **row} for i, row in enumerate((full, unforced, part))],
                         (f"PhysicsDriveAPI:{token}", f"PhysxDrivePerformanceEnvelopeAPI:{token}"))


def starting(kind: str, token: str, position: float) -> str:
    """Joint states along a chain, one of them beyond its limits."""
    own = {**frames((1, 0, 0), (0, 0, 0.25), TILT, axis="Z"), **state(token, position, 2 * position)}
    stopped = {**own, "float physics:lowerLimit": -0.1, "float physics:upperLimit": 0.1}
    return stage(base(), link("l1"), link("l2"), link("l3"), joint(kind, "j1", "base", "l1", SIDES[kind], own),
                 joint(kind, "j2", "l1", "l2", SIDES[kind], own), joint(kind, "j3", "l3", "l2", SIDES[kind], stopped))


def axes_x_y_z(kind: str) -> str:
    """One joint about or along each axis of a turned frame."""
    return _side_by_side(kind, [frames((i, 0, 0), (0, 0.5, 0), SKEW, TURN, axis) for i, axis in enumerate("XYZ")])


def ball(**cone: float) -> str:
    values = {**frames((1, 0, 0), (0, 0, 0.5), TILT, TURN, "Y", **cone)}
    return stage(base(), link("l1"), joint("Spherical", "j", "base", "l1", (), values))


def driven_ball() -> str:
    schemas = tuple(f"PhysicsDriveAPI:{axis}" for axis in ROTATIONS)
    values: Attributes = {**frames((1, 0, 0))}
    for i, axis in enumerate(ROTATIONS):
        values |= drive(axis, stiffness=1.0 + i, damping=0.5)
    return stage(base(), link("l1"), joint("Spherical", "j", "base", "l1", schemas, values))


def driven_generic() -> str:
    more: Attributes = {}
    for i, axis in enumerate(ROTATIONS):
        more |= {**drive(axis, "acceleration" if i == 1 else "force", stiffness=2.0 + i, damping=1.0, maxForce=9.0 + i,
                         targetPosition=4.0 * i),
                 **axis_values(axis, armature=0.1 * (i + 1), maxJointVelocity=30.0 + i)}
    schemas = [f"{name}:{axis}" for name in ("PhysicsDriveAPI", "PhysxJointAxisAPI") for axis in ROTATIONS]
    return generic(*schemas, more=more, rotY=(-20.0, 30.0))


def generic_in_a_chain() -> str:
    applied, values = limited(**{**LOCKED_TRANSLATIONS, "rotZ": (1.0, -1.0)})
    own = {**frames((0.5, 0, 0), (-0.5, 0, 0), TILT), **values}
    return stage(base(), link("l1"), link("l2"), link("l3"), joint("", "j1", "base", "l1", applied, own),
                 joint("Revolute", "j2", "l1", "l2", (), frames((1, 0, 0), axis="Y")),
                 joint("", "j3", "l3", "l2", applied, own))


def welded_in_the_middle() -> str:
    return stage(base(), link("l1"), link("l2"), link("l3"), link("l4"),
                 joint("Revolute", "j1", "base", "l1", (), frames((1, 0, 0), axis="Z")),
                 joint("Fixed", "weld", "l1", "l2", (), frames((0, 1, 0), (0, 0, 0.5), TILT)),
                 joint("Fixed", "reversed_weld", "l3", "l2", (), frames((0, 1, 0), (0, 0, 0.5), TURN)),
                 joint("Prismatic", "j2", "l3", "l4", (), frames((0, 0, 1), axis="Y")))


def unturned_quaternions() -> str:
    """Rotations that are not of unit length, and one that is zero."""
    return _side_by_side("Revolute", [
        frames((0, 0, 0), rot0=(2.0, 2.0, 0, 0), axis="Z"), frames((1, 0, 0), rot1=(0.3, 0, 0.3, 0), axis="Y"),
        frames((2, 0, 0), rot0=(0, 0, 0, 0), axis="X")])


def joint_below_its_link() -> str:
    inner = prim("PhysicsRevoluteJoint", "hinge", (), {
        "rel physics:body0": "</Robot/base>", "rel physics:body1": "</Robot/l1>", **frames((1, 0, 0), axis="Y")})
    return stage(base(), link("l1", children=inner))


def joint_outside_the_root() -> str:
    hinge = prim("PhysicsRevoluteJoint", "hinge", (), {
        "rel physics:body0": "</Robot/base>", "rel physics:body1": "</Robot/l1>", **frames((1, 0, 0), axis="Y")})
    return stage(base(), link("l1"), outside=prim("Scope", "joints", children=hinge))


def distance_joint() -> str:
    own = {"float physics:minDistance": 0.5, "float physics:maxDistance": 1.5}
    return stage(*chain(3), joint("Distance", "rope", "a", "c", (), own))


def heavy_colliders_on_joints() -> str:
    """Joint frames in bodies whose colliders move the centre of mass."""
    cube = prim("Cube", "c", ("PhysicsCollisionAPI",), {"double size": 1.0, **placed((0.4, 0.2, -0.3))})
    return stage(base(), body("l0", (1, 0, 0), cube), body("l1", (2, 0, 0), cube),
                 joint("Revolute", "j0", "base", "l0", (), frames((0.5, 0, 0), (-0.5, 0, 0), axis="Z")),
                 joint("Prismatic", "j1", "l0", "l1", (), frames((0.5, 0, 0), (-0.5, 0, 0), TILT, axis="Z")))


STAGES = {
    "rich_finger": rich_finger(),
    "swapped_hinges": swapped("Revolute", "angular"),
    "swapped_sliders": swapped("Prismatic", "linear"),
    "target_inside_a_link": target_inside_a_link(),
    "refused_limits": refused_limits(),
    "slider_limits": _side_by_side("Prismatic", [frames((i, 0, 0), **pair) for i, pair in enumerate((
        {"lowerLimit": -0.5, "upperLimit": 1.5}, {"lowerLimit": 1.0, "upperLimit": -1.0}, {"lowerLimit": 0.0},
        {"lowerLimit": 0.3, "upperLimit": 0.3}, {}))]),
    "refused_values": refused_values(),
    "hinge_drives": drives("Revolute", "angular"),
    "slider_drives": drives("Prismatic", "linear"),
    "misplaced_values": misplaced_values(),
    "hinge_axis_properties": axis_properties("Revolute", "angular"),
    "slider_axis_properties": axis_properties("Prismatic", "linear"),
    "hinge_envelopes": envelopes("Revolute", "angular"),
    "slider_envelopes": envelopes("Prismatic", "linear"),
    "hinge_states": starting("Revolute", "angular", 20.0),
    "slider_states": starting("Prismatic", "linear", 0.4),
    "hinges_about_x_y_z": axes_x_y_z("Revolute"),
    "sliders_along_x_y_z": axes_x_y_z("Prismatic"),
    "ball": ball(),
    "ball_with_a_cone": ball(coneAngle0Limit=30.0, coneAngle1Limit=50.0),
    "ball_driven": driven_ball(),
    "generic_free": generic(),
    "generic_limited": generic(rotX=(-30.0, 40.0), rotY=(-10.0, 10.0)),
    "generic_one_axis": generic(rotX=(1.0, -1.0), rotY=(1.0, -1.0)),
    "generic_one_limited_axis": generic(rotX=(-50.0, 20.0), rotY=(1.0, -1.0), rotZ=(1.0, -1.0)),
    "generic_locked": generic(rotX=(1.0, -1.0), rotY=(1.0, -1.0), rotZ=(1.0, -1.0)),
    "generic_driven": driven_generic(),
    "generic_in_a_chain": generic_in_a_chain(),
    "generic_slides_along_x": generic(rotX=(1.0, -1.0), rotY=(1.0, -1.0), rotZ=(1.0, -1.0), transX=(-1.0, 2.0)),
    "generic_joint": stage(base(), link("l1"), joint("", "j", "base", "l1", (
        "PhysicsLimitAPI:rotX", "PhysicsLimitAPI:rotY", "PhysicsDriveAPI:rotZ"),
        {**limit("rotX", 1.0, -1.0), **limit("rotY", -30.0, 40.0), "float drive:rotZ:physics:stiffness": 2.0})),
    "welded_in_the_middle": welded_in_the_middle(),
    "unturned_quaternions": unturned_quaternions(),
    "joint_below_its_link": joint_below_its_link(),
    "joint_outside_the_root": joint_outside_the_root(),
    "distance_joint": distance_joint(),
    "heavy_colliders_on_joints": heavy_colliders_on_joints(),
}
