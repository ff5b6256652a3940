"""Rules on rigid bodies: scenes, transforms, instances and nesting."""

from __future__ import annotations

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES
from physx_schema.checking.engine.rule import Explains, ReaderRule

# Findings that follow if PhysX creates no bodies and joints.
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
    Body without a physics scene

    physics:simulationOwner of the body names no PhysicsScene. PhysX does not create a body without a physics scene.

    Measured: PhysX creates no body if physics:simulationOwner targets a missing prim. If a second target is a
    PhysicsScene, PhysX creates the body. (`experiments/measure_scene_rules.py`)
    """,
    example=usda.body({_OWNER: "</Robot/scene>"}),
    remedy=usda.body({_OWNER: "</Robot/scene>"}) + usda.prim("PhysicsScene", "scene", {}),
)

BODY_SEVERAL_SCENES = ReaderRule("body/several-scenes", "warning", """
    Body owned by several scenes

    If physics:simulationOwner has several targets, PhysX uses the first PhysicsScene among them.

    Measured: A body's simulationOwner targets first a scene with gravity 10 and then a scene with gravity 1. In one
    second the body falls by 5.005. (`experiments/measure_scene_rules.py`)
    """,
    example=usda.body({_OWNER: "[</Robot/s1>, </Robot/s2>]"}) + _SCENES,
    remedy=usda.body({_OWNER: "</Robot/s1>"}) + _SCENES,
)

BODY_IN_INSTANCE = ReaderRule("body/in-instance", "error", """
    Body or joint inside an instance

    PhysX creates no body, joint or articulation inside an instance. The instance prim itself can be a body, and PhysX
    creates colliders inside an instance.

    Measured: A body inside an instance falls only if instanceable is false.
    (`experiments/measure_scene_rules.py`)
    """,
    example=usda.instance(usda.body()),
    remedy=usda.instance(usda.body(), instanceable=False),
    explains=(Explains("instance", WITHOUT_BODIES),),
)

IN_INSTANCER = ReaderRule("body/in-instancer", "info", """
    Bodies repeated by a point instancer

    A prototype of the point instancer has rigid bodies. PhysX simulates one body for each instance; PhysX's tensor API
    does not find these bodies.

    Measured: A point instancer has two box instances. In the simulation each box moves another body from height 3.0 to
    1.0. (`experiments/measure_scene_rules.py`)
    """,
    example=usda.prim("PointInstancer", "many", _INSTANCE, children=usda.body()),
    remedy=usda.prim("Xform", "many", {}, children=usda.body()),
)

TRANSFORM_OPERATION = ReaderRule("body/transform-operation", "error", """
    Ignored transform operation

    A transform operation is unreadable, has no authored value, or is missing in xformOpOrder; or xformOpOrder is not a
    token array. USD and PhysX ignore such an operation.

    Measured: Without xformOpOrder, a body translated by (1, 2, 3) stays at the origin.
    (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body({"uniform token[] xformOpOrder": '["xformOp:translate"]'}),
    remedy=usda.body(usda.transform(translate="(1, 2, 3)")),
)

TRANSFORM_NOT_FINITE = ReaderRule("body/transform-not-finite", "error", """
    Transform with NaN or infinity

    If a body's transform has NaN or infinity, PhysX creates neither the body nor its joints.

    Measured: In an articulation of three links, PhysX drops the link with a NaN transform and the joint of that
    link.
    (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body(usda.transform(translate="(nan, 0, 0)")),
    remedy=usda.body(usda.transform(translate="(0, 0, 0)")),
)

ANIMATED = ReaderRule("body/animated", "warning", """
    Animated body transform

    ovphysx ignores time samples on the transform of a body or of a prim above the body. Omniverse makes a body with
    such time samples kinematic and moves it along the samples. This project's runtime moves only kinematic bodies along
    their time samples.

    Measured: A body with time samples from (0, 0, 10) to (3, 0, 10) falls by 5.005 in one second.
    (`experiments/measure_outside_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body({**usda.transform(translate="(0, 0, 1)"), _SAMPLES: "{ 0: (0, 0, 1), 24: (1, 0, 1) }"}),
    remedy=usda.body(usda.transform(translate="(0, 0, 1)")),
)

TRANSFORM_SINGULAR = ReaderRule("body/transform-singular", "error", """
    Transform with a scale of 0

    A scale of 0 flattens the body along one axis. PhysX then reads a wrong rotation for the body, and its colliders
    have no shape.

    Measured: A rotation of 30 degrees becomes 15 degrees with scale (1, 0, 1), and 0 degrees with scale (0, 1, 1).
    (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body(usda.transform(scale="(1, 1, 0)")),
    remedy=usda.body(usda.transform(scale="(1, 1, 0.01)")),
)

TRANSFORM_SHEARED = ReaderRule("body/transform-sheared", "warning", """
    Sheared transform

    A rotation below a prim with an uneven scale shears the body. PhysX keeps the x axis of a sheared body and makes its
    y and z axes orthogonal to the x axis. PhysX scales joint frames by the symmetric part of the transform matrix.

    Measured: Below a scale of (1, 1, 2), a rotation of 45 degrees about x becomes 63.4 degrees.
    (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.prim("Xform", "up", _STRETCHED, children=usda.body(_ROTATED)),
    remedy=usda.prim("Xform", "up", _ROTATED, children=usda.body(_STRETCHED)),
)

TRANSFORM_MIRRORED = ReaderRule("body/transform-mirrored", "warning", """
    Mirrored transform

    An odd number of negative scales mirrors the body. PhysX reverses all three axes of a mirrored body, which turns the
    body. The colliders of a mirrored free body stay in place; the colliders of a mirrored link do not.

    Measured: A scale of (-1, 1, 1) turns a body by 180 degrees about x. (`experiments/measure_scene_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.body(usda.transform(scale="(-1, 1, 1)")),
    remedy=usda.body(usda.transform(scale="(1, 1, 1)")),
)

NESTED = ReaderRule("body/nested", "info", """
    Rigid body inside another rigid body

    A rigid body is below another rigid body, without a joint or !resetXformStack! between them. UsdPhysics advises
    against nested rigid bodies; PhysX simulates both bodies separately, from their world poses.

    Measured: The inner body starts 2 length units above the outer body, and both bodies fall equally fast. With
    !resetXformStack! or a joint the motion is the same. (`experiments/measure_body_rules.py`)
    """,
    example=usda.prim("Xform", "outer", _MASS, *_BODY, children=usda.prim("Xform", "inner", _MASS, *_BODY)),
    remedy=usda.prim("Xform", "outer", _MASS, *_BODY) + usda.prim("Xform", "inner", _MASS, *_BODY),
)
