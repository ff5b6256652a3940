"""Authored stages of what is easily misread: other engines, retired schemas, samples over time, odd values."""

from __future__ import annotations

from typing import Any

from support.compared.joint_stages import LOCKED_TRANSLATIONS, ROTATIONS, limited
from support.stages.parts import (
    ANGULAR,
    SKEW,
    TILT,
    TURN,
    Attributes,
    axis_values,
    body,
    chain,
    collider,
    drive,
    frames,
    hinged,
    limit,
    stage,
    state,
)
from support.stages.robots import base, joint, link, placed, prim, robot


def two_links(kind: str, schemas: tuple[str, ...] = (), more: Attributes | None = None, swap: bool = False,
              **of_link: Any) -> str:
    """A base and a link with one joint."""
    ends = ("l1", "base") if swap else ("base", "l1")
    return stage(base(), link("l1", (1, 0, 0), **of_link), joint(kind, "j", *ends, schemas, more))


def newton_joint(*schemas: str, **own: float) -> str:
    """Values of Newton's joint schema beside PhysX's own."""
    newton: Attributes = {"float newton:armature": 0.4, "float newton:friction": 0.3,
                          "float newton:velocityLimit": 50.0}
    return two_links("Revolute", ("NewtonJointAPI", *schemas), {**frames(axis="Y"), **newton,
                                                               **axis_values("angular", **own)})


def with_own_rotations(swap: bool) -> str:
    """A generic joint that starts turned, and moving."""
    applied, values = limited(**{**LOCKED_TRANSLATIONS, "rotY": (-80.0, 80.0)})
    for place, axis in enumerate(ROTATIONS):
        values |= state(axis, 10.0 * (place + 1), 5.0 * place)
    states = tuple(f"PhysicsJointStateAPI:{axis}" for axis in ROTATIONS)
    return two_links("", (*applied, *states), {**frames((1, 0, 0), (0, 0.5, 0), TILT, TURN), **values}, swap)


def ball_that_starts_turned(axis: str, swap: bool = False) -> str:
    values: Attributes = frames((1, 0, 0), (0, 0.5, 0), TILT, TURN, axis)
    for place, name in enumerate(ROTATIONS):
        values |= {**state(name, 10.0 * (place + 1), 5.0 * place), **axis_values(name, armature=0.1 * (place + 1))}
    schemas = tuple(f"{api}:{name}" for api in ("PhysicsJointStateAPI", "PhysxJointAxisAPI") for name in ROTATIONS)
    return two_links("Spherical", schemas, values, swap)


def sampled(text: str, name: str, samples: str) -> str:
    """The stage with time samples for the default value of an attribute of the link l1."""
    head, tail = text.split('def Xform "l1"', 1)
    line = next(line for line in tail.splitlines() if line.split(" =")[0].endswith(name))
    samples_line = line.split(" =")[0] + ".timeSamples = { " + samples + " }"
    return head + 'def Xform "l1"' + tail.replace(line, samples_line, 1)


def retired_joint_values() -> str:
    old: Attributes = {"float physxJoint:armature": 3.0, "float physxJoint:maxJointVelocity": 30.0,
                       "float physxJoint:jointFriction": 0.5}
    return two_links("Revolute", ("PhysxJointAPI",), {**frames(axis="Y"), **old})


def soft_limits() -> str:
    own = {"float physxLimit:angular:stiffness": 5.0, "float physxLimit:angular:damping": 1.0}
    return two_links("Revolute", ("PhysxLimitAPI:angular",), {
        **frames(axis="Y", lowerLimit=-20.0, upperLimit=20.0), **own})


def mirrored() -> str:
    """A body under a negative scale."""
    own = placed((1, 0, 0), (-1, 1, 1))
    cube = collider("Cube", "c", {"double size": 1.0, **placed((0.25, 0.5, 0))})
    return stage(base(), body("l1", children=cube, more=own), joint("Revolute", "j", "base", "l1", (), frames(
        (1, 0, 0), (0.5, 0, 0), TILT, axis="Z")))


def generic_with_two_axes(first: str, second: str) -> str:
    kept = next(axis for axis in ROTATIONS if axis not in (first, second))
    applied, values = limited(**{**LOCKED_TRANSLATIONS, kept: (1.0, -1.0), first: (-40.0, 60.0)})
    own = drive(second, stiffness=3.0, targetPosition=15.0)
    return two_links("", (*applied, f"PhysicsDriveAPI:{second}"), {**frames((1, 0, 0), rot0=SKEW), **values, **own})


def linear_drive_on_a_generic_joint() -> str:
    applied, values = limited(**LOCKED_TRANSLATIONS)
    more = {**drive("transX", stiffness=5.0), **drive("angular", stiffness=6.0), **limit("rotX", -10.0, 10.0)}
    return two_links("", (*applied, "PhysicsDriveAPI:transX", "PhysicsDriveAPI:angular", "PhysicsLimitAPI:rotX"),
                     {**frames(), **values, **more})


def no_frames() -> str:
    """Joints without authored frames between bodies that are apart."""
    return stage(base(), link("l1", (1, 2, 3)), link("l2", (2, 2, 3)), joint("Revolute", "j1", "base", "l1"),
                 joint("Prismatic", "j2", "l1", "l2"))


def kinds_of_shapes_without_sizes() -> str:
    kinds = ("Cube", "Sphere", "Capsule", "Cylinder")
    bodies = [body(f"l{i}", (3 * i, 0, 0), collider(kind, "s")) for i, kind in enumerate(kinds)]
    joints = [joint("Revolute", f"j{i}", "base", f"l{i}") for i in range(len(kinds))]
    return stage(base(), *bodies, *joints)


def retyped(**types: str) -> str:
    """A hinge with values of other types than declared, by base name of a drive or of the joint."""
    values: Attributes = {**frames(axis="Z", lowerLimit=-40.0, upperLimit=50.0), **drive("angular", stiffness=4.0)}
    texts = {"token": "acceleration", "string": "acceleration", "float[]": [7.0]}
    for name, type_name in types.items():
        found = next(key for key in values if key.endswith(":" + name))
        value: Any = texts.get(type_name, 1 if type_name == "bool" else 7)
        values = {f"{type_name} {key.split()[-1]}" if key == found else key: value if key == found else old
                  for key, old in values.items()}
    return two_links("Revolute", ANGULAR, values)


def held_by(*schemas: str) -> str:
    """The root API on a joint from a prim with schemas."""
    wall = prim("Xform", "wall", schemas, {}, prim("Cube", "shape", (), {"double size": 1.0}))
    return stage(wall, *chain(2), joint("Fixed", "anchor", "wall", "a", ("PhysicsArticulationRootAPI",)), schemas=())


def owned(*owners: str, scenes: tuple[str, ...]) -> str:
    """Two links with owners of their own, and scenes."""
    links = [link(name, (i, 0, 0), more={"rel physics:simulationOwner": f"</{owner}>"} if owner else {})
             for i, (name, owner) in enumerate(zip("ab", owners, strict=True))]
    found = "".join(prim("PhysicsScene", name, ("PhysxSceneAPI",), {"float physics:gravityMagnitude": 2.0 + i})
                    for i, name in enumerate(scenes))
    return robot(*links, joint("Revolute", "j", "a", "b", (), frames((1, 0, 0), axis="Y")), outside=found)


def turned_masses() -> str:
    """Principal axes of several lengths and moments that are none, over a tilted box."""
    box = collider("Cube", "c", {"double size": 1.0, **placed((0, 0, 0), (1, 2, 3), TILT)})
    lengths = (0.995, 1.009, 1.011, 2.0, 0.0)
    rows: list[Attributes] = [
        *({"quatf physics:principalAxes": tuple(length * x for x in SKEW)} for length in lengths),
        {}, {"float3 physics:diagonalInertia": (float("nan"), 2.0, 3.0)},
        {"float3 physics:diagonalInertia": (0.0, 2.0, 3.0)}, {"float physics:mass": float("nan")},
    ]
    given: Attributes = {"float physics:mass": 4.0, "float3 physics:diagonalInertia": (1.0, 2.0, 3.0)}
    bodies = [body(f"l{i}", (i, 0, 0), box, ("PhysicsMassAPI",), more={**given, **row}) for i, row in enumerate(rows)]
    bodies += [body(f"l{len(rows) + i}", (i, 1, 0), "", ("PhysicsMassAPI",), more={
        **given, "point3f physics:centerOfMass": (0.5, 0, 0), **row}) for i, row in enumerate(rows[:5])]
    return hinged(*bodies)


FALLING = link("l1", (1, 0, 0))

STAGES = {
    "newton_joint": newton_joint(),
    "newton_and_physx_joint": newton_joint("PhysxJointAxisAPI:angular", armature=0.7, maxJointVelocity=20.0),
    "newton_friction_beside_physx_friction": newton_joint(
        "PhysxJointAxisAPI:angular", staticFrictionEffort=0.9, dynamicFrictionEffort=0.8),
    "mujoco_joint": two_links("Revolute", ("MjcJointAPI",), {
        **frames(axis="Y"), "double mjc:armature": 0.4, "double mjc:frictionloss": 0.3, "double mjc:damping": 1.0}),
    "retired_joint_values": retired_joint_values(),
    "soft_limits": soft_limits(),
    "generic_starts_turned": with_own_rotations(False),
    "generic_starts_turned_swapped": with_own_rotations(True),
    "ball_starts_turned": ball_that_starts_turned("X"),
    "ball_starts_turned_about_y": ball_that_starts_turned("Y"),
    "ball_starts_turned_about_z_swapped": ball_that_starts_turned("Z", True),
    "generic_about_x_and_y": generic_with_two_axes("rotX", "rotY"),
    "generic_about_y_and_z": generic_with_two_axes("rotY", "rotZ"),
    "generic_about_z_and_x": generic_with_two_axes("rotZ", "rotX"),
    "linear_drive_on_a_generic_joint": linear_drive_on_a_generic_joint(),
    "mirrored": mirrored(),
    "no_frames": no_frames(),
    "shapes_without_sizes": kinds_of_shapes_without_sizes(),
    "mass_over_time": sampled(two_links("Revolute"), "physics:mass", "0: 3.0, 10: 5.0"),
    "place_over_time": sampled(two_links("Revolute"), "xformOp:translate", "0: (2, 0, 0), 10: (3, 0, 0)"),
    "unknown_axis": two_links("Revolute", ANGULAR, {**frames(axis="W"), **drive("angular", stiffness=2.0)}),
    "unknown_kind_of_drive": two_links("Revolute", ANGULAR, {
        **frames(axis="Z"), **drive("angular", "push", damping=2.0)}),
    "values_of_other_numbers": retyped(stiffness="bool", lowerLimit="int", upperLimit="double"),
    "values_of_other_texts": retyped(type="string", stiffness="float[]"),
    "limit_that_is_text": retyped(lowerLimit="string"),
    "rotation_of_type_quatd": two_links("Revolute", (), {**frames((1, 0, 0)), "quatd physics:localRot0": TILT}).replace(
        "quatf physics:localRot0 = (1, 0, 0, 0)\n", ""),
    "cone_that_is_text": two_links("Spherical", (), {
        **frames(), "string physics:coneAngle0Limit": "wide", "float physics:coneAngle1Limit": 30.0}),
    "root_api_on_a_joint_to_a_prim": held_by(),
    "root_api_on_a_joint_to_a_collider": held_by("PhysicsCollisionAPI"),
    "one_link_owned_of_one_scene": owned("one", "", scenes=("one",)),
    "one_link_owned_of_two_scenes": owned("one", "", scenes=("one", "two")),
    "links_of_the_second_scene": owned("two", "two", scenes=("one", "two")),
    "turned_masses": turned_masses(),
    "two_bodies_on_one_side": stage(*chain(3)).replace(
        "rel physics:body1 = </Robot/c>", "rel physics:body1 = [</Robot/c>, </Robot/a>]"),
    "missing_body": stage(base(), FALLING, joint("Revolute", "j", "base", "nowhere"), joint(
        "Revolute", "k", "base", "l1")),
    "joint_of_a_body_with_itself": stage(base(), FALLING, joint("Revolute", "j", "l1", "l1"), joint(
        "Revolute", "k", "base", "l1")),
    "two_joints_between_two_bodies": stage(base(), FALLING, joint("Revolute", "k1", "base", "l1"), joint(
        "Prismatic", "k2", "base", "l1")),
    "collider_on_a_joint_target": stage(base(), prim("Xform", "l1", ("PhysicsRigidBodyAPI",), {}, collider(
        "Cube", "c", {"double size": 1.0, **placed((1, 0, 0), (2, 1, 1), TILT)})), joint(
        "Revolute", "j", "base", "l1/c", (), frames((1, 0, 0), (0.5, 0, 0), axis="Z"))),
}
