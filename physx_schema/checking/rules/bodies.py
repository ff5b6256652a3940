"""Rigid bodies: their scenes, their places, and bodies inside others."""

from __future__ import annotations

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES
from physx_schema.checking.engine.rule import Explains, ReaderRule

# What is found where PhysX makes nothing of bodies and joints.
WITHOUT_BODIES = (
    "articulation/no-bodies", "articulation/no-root", "body/in-instance", "joint/missing-body", "joint/no-bodies",
    "joint/no-body", "joint/same-body", "joint/static", "DJ.007/same-articulation", "unused/idle",
    "unused/static-mass",
)
_MASS = {"float physics:mass": "1", "float3 physics:diagonalInertia": "(1, 1, 1)"}
_BODY = ("PhysicsRigidBodyAPI", "PhysicsMassAPI")
_SAMPLES = "double3 xformOp:translate.timeSamples"
_OWNER = "rel physics:simulationOwner"
_SCENES = usda.prim("PhysicsScene", "s1", {}) + usda.prim("PhysicsScene", "s2", {})
_STRETCHED, _ROTATED = usda.transform(scale="(1, 1, 2)"), usda.transform(rotateXYZ="(45, 0, 0)")
_INSTANCE = {"rel prototypes": "</Robot/many/thing>", "int[] protoIndices": "[0]", "point3f[] positions": "[(0, 0, 0)]"}

BODY_NO_SCENE = ReaderRule("body/no-scene", "error", """
    Body owned by no scene

    physics:simulationOwner names no PhysicsScene, and PhysX leaves the body out.

    Measured: A body owned by a prim that does not exist is not made; owned by that and by a scene it is.
    (`experiments/measure_scene_rules.py`)
    """,
    example=usda.body({_OWNER: "</Robot/scene>"}),
    remedy=usda.body({_OWNER: "</Robot/scene>"}) + usda.prim("PhysicsScene", "scene", {}),
)

BODY_SEVERAL_SCENES = ReaderRule("body/several-scenes", "warning", """
    Body owned by several scenes

    physics:simulationOwner has several targets; PhysX takes the first that is a PhysicsScene.

    Measured: With gravity 10 in /one and 1 in /two a body of /one, /two falls by 5.005 in a second, of /two, /one by
    0.501. (`experiments/measure_scene_rules.py`)
    """,
    example=usda.body({_OWNER: "[</Robot/s1>, </Robot/s2>]"}) + _SCENES,
    remedy=usda.body({_OWNER: "</Robot/s1>"}) + _SCENES,
)

BODY_IN_INSTANCE = ReaderRule("body/in-instance", "error", """
    Body or joint inside an instance

    PhysX makes no body, joint or articulation of prims inside an instance, whether or not they are kinematic or
    disabled. An instance may itself be a body, and colliders inside it count.

    Measured: A body inside an instance is not made, kinematic or not; with instanceable off it falls. An instance that
    is itself a body comes to rest on the collider inside it. (`experiments/measure_scene_rules.py`)
    """,
    example=usda.instance(usda.body()),
    remedy=usda.instance(usda.body(), instanceable=False),
    explains=(Explains("instance", WITHOUT_BODIES),),
)

IN_INSTANCER = ReaderRule("body/in-instancer", "info", """
    Bodies repeated by a point instancer

    The prototypes of a point instancer have rigid bodies; PhysX steps one for each instance.

    Measured: Two instances push the resting bodies below them from 3.0 down to 1.0, a third body beside them stays.
    PhysX names the instancer as one body, which its tensors do not find. (`experiments/measure_scene_rules.py`)
    """,
    example=usda.prim("PointInstancer", "many", _INSTANCE, children=usda.body()),
    remedy=usda.prim("Xform", "many", {}, children=usda.body()),
)

TRANSFORM_OPERATION = ReaderRule("body/transform-operation", "error", """
    Transform operation that does not count

    USD cannot read one of the body's transform operations, xformOpOrder names one that is not authored, or an authored
    one is missing from xformOpOrder, or the order is no array of tokens. PhysX leaves out what USD does.

    Measured: An operation of type string, one that is not authored and one that does not exist leave the body at the
    translation beside them. Without xformOpOrder, or with one of type string[], a translation by (1, 2, 3) leaves it at
    the origin. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body({"uniform token[] xformOpOrder": '["xformOp:translate"]'}),
    remedy=usda.body(usda.transform(translate="(1, 2, 3)")),
)

TRANSFORM_NOT_FINITE = ReaderRule("body/transform-not-finite", "error", """
    Transform with NaN or infinity

    A transform with NaN or infinity: PhysX leaves the body and its joints out.

    Measured: A body at NaN or infinity is not made. In an articulation of three the other two are, without the joint to
    it. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body(usda.transform(translate="(nan, 0, 0)")),
    remedy=usda.body(usda.transform(translate="(0, 0, 0)")),
)

ANIMATED = ReaderRule("body/animated", "warning", """
    Body whose transform has time samples

    The body's own transform, or that of a prim above it, has an operation with several time samples. ovphysx leaves a
    kinematic body where the default values put it, and steps another by forces from there. Omniverse moves kinematic
    bodies along the samples with its timeline, and makes others kinematic with a warning
    (PhysicsBody.cpp of omni.physx). Simulations here move kinematic bodies as Omniverse and step others as ovphysx.

    Measured: A body with samples that lead from (0, 0, 10) to (3, 0, 10) falls by 5.005 in a second as one without; so
    does one below a prim with such samples. A kinematic one stays. (`experiments/measure_outside_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body({**usda.transform(translate="(0, 0, 1)"), _SAMPLES: "{ 0: (0, 0, 1), 24: (1, 0, 1) }"}),
    remedy=usda.body(usda.transform(translate="(0, 0, 1)")),
)

TRANSFORM_SINGULAR = ReaderRule("body/transform-singular", "error", """
    Transform with a scale of 0

    A scale of 0 leaves a body without an axis: PhysX turns it by another angle, and its colliders have no shape.

    Measured: Turned by 30 degrees, a scale of (1, 0, 1) leaves a turn of 15 degrees, (0, 1, 1) none. A cube of scale
    (1, 1, 0) has no shape and falls through the ground. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body(usda.transform(scale="(1, 1, 0)")),
    remedy=usda.body(usda.transform(scale="(1, 1, 0.01)")),
)

TRANSFORM_SHEARED = ReaderRule("body/transform-sheared", "warning", """
    Sheared transform

    A turned prim below scales that differ along x, y and z is sheared. PhysX keeps the direction of x, and y and z
    square to it; joint frames use the scales of the symmetric part.

    Measured: Turned by 45 degrees about x below a scale of (1, 1, 2), the body stands at 63.4 degrees.
    (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.prim("Xform", "up", _STRETCHED, children=usda.body(_ROTATED)),
    remedy=usda.prim("Xform", "up", _ROTATED, children=usda.body(_STRETCHED)),
)

TRANSFORM_MIRRORED = ReaderRule("body/transform-mirrored", "warning", """
    Mirrored transform

    A transform with an odd number of negative scales. PhysX turns all axes over, which turns the body; colliders of a
    free body stay where they are seen, those of a link do not.

    Measured: A scale of (-1, 1, 1) turns a body by 180 degrees about x, (1, -1, 1) about y. A link stands where its
    joint puts it, and a cube at y = 1 is then at -1. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body(usda.transform(scale="(-1, 1, 1)")),
    remedy=usda.body(usda.transform(scale="(1, 1, 1)")),
)

NESTED = ReaderRule("body/nested", "info", """
    Rigid body inside another

    A rigid body lies inside another, no joint connects the two, and no !resetXformStack! stands between. UsdPhysics
    does not want it.

    Measured: PhysX steps both at their own world poses: the inner body falls as the outer one does, 2 above it. With
    !resetXformStack! and with a joint the same. (`experiments/measure_body_rules.py`)
    """,
    example=usda.prim("Xform", "outer", _MASS, *_BODY, children=usda.prim("Xform", "inner", _MASS, *_BODY)),
    remedy=usda.prim("Xform", "outer", _MASS, *_BODY) + usda.prim("Xform", "inner", _MASS, *_BODY),
)
