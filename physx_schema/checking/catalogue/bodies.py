"""Rigid bodies."""

from __future__ import annotations

from physx_schema.checking.catalogue.snippets import body, cube, instance, joint, placed, prim
from physx_schema.checking.finding import PROFILES as EVERYONE
from physx_schema.checking.rule import Code

MASS = {"float physics:mass": "1", "float3 physics:diagonalInertia": "(1, 1, 1)"}
BODY = ("PhysicsRigidBodyAPI", "PhysicsMassAPI")
MOMENTS, AXES, CENTER = "float3 physics:diagonalInertia", "quatf physics:principalAxes", "point3f physics:centerOfMass"
OWNER = "rel physics:simulationOwner"
SCENES = prim("PhysicsScene", "s1", {}) + prim("PhysicsScene", "s2", {})
MANY = {"rel prototypes": "</Robot/many/thing>", "int[] protoIndices": "[0]", "point3f[] positions": "[(0, 0, 0)]"}

CODES = (
    Code(
        "body/mass-computed", "info", "Mass 0 that stands for the colliders' mass",
        "A mass of 0 is none: PhysX works it out from the colliders and their densities.",
        measured="A mass of 0 with a cube of size 1 gives 1000, with a density of 500 as well 500. "
                 "(`benchmarks/measure_mass_rules.py`)",
        example=body({"float physics:mass": "0"}, children=cube()),
        remedy=body(children=cube()),
    ),
    Code(
        "body/inertia-triangle", "error", "Moments of inertia that no solid has",
        "Each principal moment of a solid is at most the sum of the two others.",
        profiles=EVERYONE,
        measured="PhysX takes moments 1, 1, 5 as they are, without a message: a torque of 1 about each axis turns "
                 "the body a fifth as fast about z. (`benchmarks/measure_mass_rules.py`)",
        example=prim("Xform", "thing", {**MASS, "float3 physics:diagonalInertia": "(1, 1, 5)"}, *BODY),
        remedy=prim("Xform", "thing", MASS, *BODY),
    ),
    Code(
        "body/inertia-incomplete", "warning", "Moments or principal axes alone",
        "principalAxes turn the moments of diagonalInertia; alone they turn moments that PhysX works out along other "
        "axes. Moments alone are about the axes of the colliders, which may be tilted, unless the mass and the centre "
        "of mass are authored too.",
        profiles=EVERYONE,
        measured="principalAxes by 90 degrees about z swap the moments 13 and 10 of a box. diagonalInertia (1, 2, 3)"
                 " over a box tilted by 30 degrees gives 1.25, 1.75 and -0.433 beside them; with principalAxes (1, "
                 "0, 0, 0), or with a mass and a centre of mass, 1, 2, 3. (`benchmarks/measure_mass_rules.py`)",
        example=body({MOMENTS: None, AXES: "(0, 1, 0, 0)"}),
        remedy=body({AXES: "(0, 1, 0, 0)"}),
    ),
    Code(
        "body/center-far", "warning", "Centre of mass far from the body",
        "The centre of mass is far outside the colliders, often for another length unit or frame.",
        profiles=EVERYONE,
        measured="PhysX takes a centre 5 away from a cube of size 1 without a message, and moments that it works out"
                 " grow from 0.17 to 25.17. (`benchmarks/measure_mass_rules.py`)",
        example=body({CENTER: "(99, 0, 0)"}, children=cube()),
        remedy=body({CENTER: "(0.1, 0, 0)"}, children=cube()),
    ),
    Code(
        "body/no-mass", "warning", "Body without mass and colliders",
        "A body with neither mass nor collider gets a mass of 1 and the inertia of a small sphere.",
        profiles=EVERYONE,
        measured="PhysX warns of a negative mass and takes the inertia of a small sphere. "
                 "(`benchmarks/measure_body_rules.py`)",
        example=prim("Xform", "thing", {}, "PhysicsRigidBodyAPI"),
        remedy=prim("Xform", "thing", MASS, *BODY),
    ),
    Code(
        "body/zero-inertia", "error", "Moment of inertia of 0",
        "Of a link PhysX refuses a principal moment of 0 beside others and takes a moment of 1 about every axis. "
        "Outside articulations a moment of 0 is infinite: no torque turns the body about that axis, which is not "
        "simulated here.",
        measured="A link of moments 2, 0, 3 gets 1, 1, 1 and an error. A free body of moments 0, 0, 3 turns about z "
                 "alone under a torque of 1 about each axis. (`benchmarks/measure_mass_rules.py`)",
        example=body({MOMENTS: "(0, 1, 1)"}, name="c") + joint("j2", child="c"),
        remedy=body(name="c") + joint("j2", child="c"),
    ),
    Code(
        "body/collider-mass", "warning", "Collider whose mass is estimated",
        "PhysX's mesh tools make convex decompositions, sphere fillings and SDFs of open meshes. What they weigh is "
        "estimated here.",
        measured="An L of mass 3000 weighs 3216 as a convex decomposition and 6455 as a sphere filling; the estimate"
                 " is 3000 for both. As a hull and as an SDF it weighs what is worked out here. "
                 "(`benchmarks/measure_mass_rules.py`)",
    ),
    Code(
        "body/no-scene", "error", "Body owned by no scene",
        "physics:simulationOwner names no PhysicsScene, and PhysX leaves the body out.",
        measured="A body owned by a prim that does not exist is not made; owned by that and by a scene it is. "
                 "(`benchmarks/measure_scene_rules.py`)",
        example=body({OWNER: "</Robot/scene>"}),
        remedy=body({OWNER: "</Robot/scene>"}) + prim("PhysicsScene", "scene", {}),
    ),
    Code(
        "body/several-scenes", "warning", "Body owned by several scenes",
        "physics:simulationOwner has several targets; PhysX takes the first that is a PhysicsScene.",
        measured="With gravity 10 in /one and 1 in /two a body of /one, /two falls by 5.005 in a second, of /two, "
                 "/one by 0.501. (`benchmarks/measure_scene_rules.py`)",
        example=body({OWNER: "[</Robot/s1>, </Robot/s2>]"}) + SCENES,
        remedy=body({OWNER: "</Robot/s1>"}) + SCENES,
    ),
    Code(
        "body/in-instance", "error", "Body or joint inside an instance",
        "PhysX makes no body, joint or articulation of prims inside an instance, whether or not they are kinematic or "
        "disabled. An instance may itself be a body, and colliders inside it count.",
        measured="A body inside an instance is not made, kinematic or not; with instanceable off it falls. An "
                 "instance that is itself a body comes to rest on the collider inside it. "
                 "(`benchmarks/measure_scene_rules.py`)",
        example=instance(body()),
        remedy=instance(body(), instanceable=False),
    ),
    Code(
        "body/in-instancer", "info", "Bodies repeated by a point instancer",
        "The prototypes of a point instancer have rigid bodies; PhysX steps one for each instance.",
        measured="Two instances push the resting bodies below them from 3.0 down to 1.0, a third body beside them "
                 "stays. PhysX names the instancer as one body, which its tensors do not find. "
                 "(`benchmarks/measure_scene_rules.py`)",
        example=prim("PointInstancer", "many", MANY, children=body()),
        remedy=prim("Xform", "many", {}, children=body()),
    ),
    Code(
        "body/transform-operation", "error", "Transform operation that does not count",
        "USD cannot read one of the body's transform operations, xformOpOrder names one that is not authored, or an "
        "authored one is missing from xformOpOrder, or the order is no array of tokens. PhysX leaves out what "
        "USD does.",
        profiles=EVERYONE,
        measured="An operation of type string, one that is not authored and one that does not exist leave the body "
                 "at the translation beside them. Without xformOpOrder, or with one of type string[], a translation by "
                 "(1, 2, 3) leaves it at the origin. (`benchmarks/measure_scene_rules.py`)",
        example=body({"uniform token[] xformOpOrder": '["xformOp:translate"]'}),
        remedy=body(placed(translate="(1, 2, 3)")),
    ),
    Code(
        "body/transform-not-finite", "error", "Transform with NaN or infinity",
        "A transform with NaN or infinity: PhysX leaves the body and its joints out.",
        profiles=EVERYONE,
        measured="A body at NaN or infinity is not made. In an articulation of three the other two are, without the "
                 "joint to it. (`benchmarks/measure_scene_rules.py`)",
        example=body(placed(translate="(nan, 0, 0)")),
        remedy=body(placed(translate="(0, 0, 0)")),
    ),
    Code(
        "body/transform-singular", "error", "Transform with a scale of 0",
        "A scale of 0 leaves a body without an axis: PhysX turns it by another angle, and its colliders have no shape.",
        profiles=EVERYONE,
        measured="Turned by 30 degrees, a scale of (1, 0, 1) leaves a turn of 15 degrees, (0, 1, 1) none. A cube of "
                 "scale (1, 1, 0) has no shape and falls through the ground. (`benchmarks/measure_scene_rules.py`)",
        example=body(placed(scale="(1, 1, 0)")),
        remedy=body(placed(scale="(1, 1, 0.01)")),
    ),
    Code(
        "body/transform-sheared", "warning", "Sheared transform",
        "A turned prim below scales that differ along x, y and z is sheared. PhysX keeps the direction of x, and y "
        "and z square to it; joint frames use the scales of the symmetric part.",
        profiles=EVERYONE,
        measured="Turned by 45 degrees about x below a scale of (1, 1, 2), the body stands at 63.4 degrees. "
                 "(`benchmarks/measure_scene_rules.py`)",
        example=prim("Xform", "up", placed(scale="(1, 1, 2)"), children=body(placed(rotateXYZ="(45, 0, 0)"))),
        remedy=prim("Xform", "up", placed(rotateXYZ="(45, 0, 0)"), children=body(placed(scale="(1, 1, 2)"))),
    ),
    Code(
        "body/transform-mirrored", "warning", "Mirrored transform",
        "A transform with an odd number of negative scales. PhysX turns all axes over, which turns the body; colliders "
        "of a free body stay where they are seen, those of a link do not.",
        profiles=EVERYONE,
        measured="A scale of (-1, 1, 1) turns a body by 180 degrees about x, (1, -1, 1) about y. A link stands where"
                 " its joint puts it, and a cube at y = 1 is then at -1. (`benchmarks/measure_scene_rules.py`)",
        example=body(placed(scale="(-1, 1, 1)")),
        remedy=body(placed(scale="(1, 1, 1)")),
    ),
    Code(
        "body/nested", "info", "Rigid body inside another",
        "A rigid body lies inside another, no joint connects the two, and no !resetXformStack! stands between. "
        "UsdPhysics does not want it.",
        measured="PhysX steps both at their own world poses: the inner body falls as the outer one does, 2 above it. "
                 "With !resetXformStack! and with a joint the same. (`benchmarks/measure_body_rules.py`)",
        example=prim("Xform", "outer", MASS, *BODY, children=prim("Xform", "inner", MASS, *BODY)),
        remedy=prim("Xform", "outer", MASS, *BODY) + prim("Xform", "inner", MASS, *BODY),
    ),
)
