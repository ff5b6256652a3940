"""Joints."""

from __future__ import annotations

from physx_schema.checking.catalogue.snippets import LIMITS, driven, joint, prim
from physx_schema.checking.finding import PROFILES as EVERYONE
from physx_schema.checking.rule import Code

_FREE = dict.fromkeys(LIMITS)       # limits taken away
_NEWTON = {"rel newton:mimicJoint": "</Robot/j1>"}
_TRANSLATIONS = ("transX", "transY", "transZ")
_LOCKED = [f"PhysicsLimitAPI:{name}" for name in _TRANSLATIONS]
_BALL = {f"float limit:{name}:physics:{bound}": value for name in _TRANSLATIONS
         for bound, value in (("low", "1"), ("high", "-1"))}
_GEAR = {"rel physics:body0": "</Robot/a>", "rel physics:body1": "</Robot/b>", "rel physics:hinge0": "</Robot/j1>",
         "rel physics:hinge1": "</Robot/j2>"}
_ANVIL = prim("Xform", "anvil", {"float physics:mass": "1", "bool physics:kinematicEnabled": "true"},
              "PhysicsRigidBodyAPI", "PhysicsMassAPI")
_SCENES = prim("PhysicsScene", "day", {}) + prim("PhysicsScene", "night", {})
_WELD = prim("PhysicsFixedJoint", "weld", {"rel physics:body0": "</Robot/c>", "rel physics:body1": "</Robot/d>"})


def _ball(first: str, second: str) -> str:
    """A spherical joint with the two angles of its cone; -1 stands for none."""
    cone = {"float physics:coneAngle0Limit": first, "float physics:coneAngle1Limit": second}
    return joint("j2", cone, kind="Spherical")


def _owned(name: str, scene: str) -> str:
    """A body that a scene steps."""
    return prim("Xform", name, {"float physics:mass": "1", "rel physics:simulationOwner": f"</Robot/{scene}>"},
                "PhysicsRigidBodyAPI", "PhysicsMassAPI")


CODES = (
    Code(
        "joint/one-sided-limit", "error", "Joint limit on one side only",
        "PhysX refuses limits with one infinite bound and holds the joint at 0. Author both bounds; 1e38 and above "
        "stands for no bound and is accepted.",
        measured="Limits [-inf, 0.5] hold a slider of speed 1 at 0, and PhysX logs invalid limit parameters. "
                 "(`benchmarks/measure_joint_rules.py`)",
        example=joint("j2", {"float physics:lowerLimit": "-45"}),
        remedy=joint("j2", LIMITS),
    ),
    Code(
        "joint/limit-order", "error", "Lower limit above the upper one",
        "PhysX refuses limits with the lower bound above the upper, or that are no numbers, and holds the joint at 0.",
        profiles=EVERYONE,
        measured="Limits [0.5, -0.5] and [NaN, 0.5] hold a slider of speed 1 at 0, and PhysX logs invalid limit "
                 "parameters. (`benchmarks/measure_joint_rules.py`)",
        example=joint("j2", {"float physics:lowerLimit": "45", "float physics:upperLimit": "-45"}),
        remedy=joint("j2", LIMITS),
    ),
    Code(
        "joint/friction-order", "error", "Dynamic friction above static friction",
        "dynamicFrictionEffort above staticFrictionEffort is an error in PhysX, and the joint then has no friction at "
        "all, viscous friction included.",
        measured="Static 2 and dynamic 5, with viscous 10 or without, and dynamic 5 alone leave a slider at speed 1; "
                 "static 5 and dynamic 2 slow it to 0.967 in a step. (`benchmarks/measure_joint_rules.py`)",
        example=joint("j2", {"float physxJointAxis:angular:dynamicFrictionEffort": "5"}, "PhysxJointAxisAPI:angular"),
        remedy=joint("j2", {"float physxJointAxis:angular:dynamicFrictionEffort": "5",
                             "float physxJointAxis:angular:staticFrictionEffort": "5"}, "PhysxJointAxisAPI:angular"),
    ),
    Code(
        "joint/no-dynamic-friction", "warning", "Static friction without dynamic friction",
        "staticFrictionEffort holds a joint at rest, and dynamicFrictionEffort, 0 unless authored, brakes it once it "
        "moves.",
        measured="Static and dynamic 5 stop a slider of speed 1 within 0.0997; static 5 alone leaves it at speed 1, "
                 "and stops one of speed 0.05. (`benchmarks/measure_joint_rules.py`)",
        example=joint("j2", {"float physxJointAxis:angular:staticFrictionEffort": "5"}, "PhysxJointAxisAPI:angular"),
        remedy=joint("j2", {"float physxJointAxis:angular:staticFrictionEffort": "5",
                             "float physxJointAxis:angular:dynamicFrictionEffort": "4"}, "PhysxJointAxisAPI:angular"),
    ),
    Code(
        "joint/drive-refused", "error", "Drive with a negative force limit",
        "A negative maxForce makes PhysX refuse the whole drive.",
        measured="maxForce -5 leaves a slider at 0 that is driven to 1, and PhysX logs that envelope parameters must "
                 "be non-negative. (`benchmarks/measure_joint_rules.py`)",
        example=driven({"float drive:angular:physics:maxForce": "-5"}),
        remedy=driven(),
    ),
    Code(
        "joint/several-bodies", "error", "Several bodies on one side of a joint",
        "A body relationship has more than one target; PhysX takes the first.",
        profiles=EVERYONE,
        measured="A hinge with body1 l0 and l1 swings l0 to -10.23 degrees and lets l1 fall; with l1 and l0 it swings "
                 "l1. No log has a word. With a first target that does not exist that side is the world. "
                 "(`benchmarks/measure_joint_bodies.py`)",
        example=joint("j2", {"rel physics:body1": "[</Robot/b>, </Robot/a>]"}),
        remedy=joint("j2"),
    ),
    Code(
        "joint/missing-body", "error", "Joint to a body that does not exist",
        "A body relationship points at a path without a prim.",
        profiles=EVERYONE,
        measured="With body0 missing the joint to the world fixes the base: the hinge has no degree of freedom, and "
                 "l0 stays. With body1 missing l0 falls as a free body. No log has a word. "
                 "(`benchmarks/measure_joint_bodies.py`)",
        example=joint("j2", {"rel physics:body1": "</Robot/bb>"}),
        remedy=joint("j2"),
    ),
    Code(
        "joint/no-body", "warning", "Joint to a prim that is no body",
        "A body relationship points at a prim that is no rigid body nor inside one; that side then is the world.",
        profiles=EVERYONE,
        measured="A hinge from an Xform without body to a link fixes the base: no degree of freedom, no message. "
                 "(`benchmarks/measure_joint_bodies.py`)",
        example=prim("Xform", "rock", {}) + joint("j2", {"rel physics:body0": "</Robot/rock>"}),
        remedy=joint("j2"),
    ),
    Code(
        "joint/disabled", "info", "Joint that is switched off",
        "PhysX makes nothing of a joint with jointEnabled false.",
        profiles=EVERYONE,
        measured="With jointEnabled false a hanging link falls by 0.125 in half a second, as a free body does. "
                 "(`benchmarks/measure_joint_bodies.py`)",
        example=joint("j2", {"bool physics:jointEnabled": "false"}),
        remedy=joint("j2"),
    ),
    Code(
        "joint/locked", "info", "Joint with one position",
        "Both limits of the joint are the same, 0 and 0 included, so it has one position.",
        profiles=EVERYONE,
        measured="Under gravity a hinge with limits of 10 and 10 stays at 10.000 degrees, one of 0 and 0 at 0. "
                 "(`benchmarks/measure_joint_bodies.py`)",
        example=joint("j2", {"float physics:lowerLimit": "0", "float physics:upperLimit": "0"}),
        remedy=joint("j2", LIMITS),
    ),
    Code(
        "joint/no-velocity", "error", "Joint that may not move",
        "PhysX clamps the speed of a joint to maxJointVelocity; 0 holds it where it is.",
        measured="maxJointVelocity 0, and -1 as well, stop a slider of speed 1 in one step. "
                 "(`benchmarks/measure_joint_rules.py`)",
        example=driven({"float physxJointAxis:angular:maxJointVelocity": "0"}),
        remedy=driven(),
    ),
    Code(
        "joint/drive-powerless", "error", "Drive without force",
        "maxForce bounds what a drive and the effort beside it may exert; 0 takes the drive away, its envelope too, "
        "and leaves the effort unbounded.",
        measured="maxForce 0 leaves a slider at 0 that is driven to 1. An effort of 3 brings it to speed 1.5 in half a "
                 "second, with an envelope of velocity 0.2 as well; with maxForce 2 it gets to 1.0. "
                 "(`benchmarks/measure_joint_rules.py`)",
        example=driven({"float drive:angular:physics:maxForce": "0"}),
        remedy=driven(),
    ),
    Code(
        "joint/state-outside-limits", "warning", "Joint state outside the limits",
        "The authored joint state is outside the joint's limits, so the first steps push the joint back with great "
        "force.",
        profiles=EVERYONE,
        measured="A slider that starts at 1 with limits of 0.5 is at 0.5 after one step. "
                 "(`benchmarks/measure_joint_rules.py`)",
        example=driven({"float state:angular:physics:position": "60"}),
        remedy=driven(),
    ),
    Code(
        "joint/limit-range", "error", "Limits beyond half a turn",
        "Generic and spherical joints of an articulation turn by at most 180 degrees to either side. PhysX refuses "
        "wider limits and holds the axis at 0.",
        measured="rotX of a generic joint turns with limits of 180 and stays at 0 with [-200, 100]; the swing of a "
                 "cone of 200 degrees beside 30 stays at 0.3. PhysX logs the range. A hinge takes [-400, 400]. "
                 "(`benchmarks/measure_joint_limits.py`)",
        example=_ball("200", "30"),
        remedy=_ball("180", "30"),
    ),
    Code(
        "joint/half-cone", "warning", "Cone limit with one angle",
        "PhysX makes a cone of two angles of at least 0, and ignores one alone.",
        measured="Cone angles 20 and 30 stop two swings of 1 rad/s within a second; 20 alone lets both turn on, to "
                 "57.3 degrees, without a message. (`benchmarks/measure_joint_limits.py`)",
        example=_ball("20", "-1"),
        remedy=_ball("20", "180"),
    ),
    Code(
        "joint/newton-mimic", "error", "Newton mimic joint that PhysX refuses",
        "PhysX makes mimic joints of NewtonMimicAPI too: q = mimicCoef0 + mimicCoef1 * q of the joint that "
        "newton:mimicJoint names, in degrees and lengths. Both joints have one axis, revolute ones finite limits, and "
        "mimicCoef1 is not 0.",
        measured="mimicCoef0 10 leads the follower to 29.99 degrees behind 19.99. It stays at 0 with mimicCoef1 0, a "
                 "target that is missing, itself or one of two, without limits, and on a spherical joint; each is "
                 "logged. Infinity or NaN makes both joints NaN. (`benchmarks/measure_mimics.py`)",
        example=joint("j2", _NEWTON, "NewtonMimicAPI"),
        remedy=joint("j2", {**_NEWTON, **LIMITS}, "NewtonMimicAPI"),
    ),
    Code(
        "joint/newton-wins", "warning", "Newton value that PhysX takes instead of its own",
        "PhysX takes newton:armature, friction, damping or velocityLimit where its own property is not above 0, or "
        "for the velocity not below infinity, even where that is authored.",
        measured="newton:friction 2 beside a static friction of 0 slows a slider to 0.967, beside 5 it leaves the "
                 "0.917 of PhysX's own. newton:velocityLimit 0.5 counts beside infinity, not beside 0.8 or 1e38; "
                 "newton:armature 1 beside 0, not beside 3. (`benchmarks/measure_unused.py`)",
        example=joint("j2", {"float newton:armature": "1", "float physxJointAxis:angular:armature": "0"},
                      "NewtonJointAPI", "PhysxJointAxisAPI:angular"),
        remedy=joint("j2", {"float newton:armature": "1"}, "NewtonJointAPI"),
    ),
    Code(
        "joint/free-translation", "warning", "Free translation of a generic joint",
        "PhysX locks the translations of generic joints in articulations.",
        measured="With transX free or limited to [-1, 1] the joint has its rotations alone, and PhysX logs that it "
                 "locks all translations. (`benchmarks/measure_joint_limits.py`)",
        example=joint("j2", kind=""),
        remedy=joint("j2", _BALL, *_LOCKED, kind=""),
    ),
    Code(
        "joint/state-refused", "error", "Joint state that PhysX refuses",
        "PhysX refuses NaN, and a joint position beyond one turn where a revolute joint has no limits, beyond half a "
        "turn on a generic joint; it starts at 0 then. Other infinite positions and velocities it takes, and the "
        "motion becomes NaN or as fast as a joint may be.",
        measured="A hinge at 361 degrees and one at NaN start at 0, at 360 and, with limits of 500, at 400 it starts "
                 "there; a generic joint does at 170, not at 200. An infinite velocity makes a hinge NaN and a slider "
                 "as fast as 100; an infinite position makes a slider NaN. (`benchmarks/measure_joint_limits.py`)",
        example=driven({"float state:angular:physics:position": "nan"}),
        remedy=driven(),
    ),
    Code(
        "joint/target-changed", "warning", "Drive target that PhysX changes",
        "On a revolute joint without limits PhysX takes whole turns off a drive's target; on a generic joint it "
        "refuses targets beyond 180 degrees.",
        measured="A hinge driven to 350 degrees arrives; to 360 it stays at 0, to 500 it ends at 140, with limits of "
                 "600 at 499.99. A generic joint arrives at 170 and stays at 0 for 200; that alone is logged. "
                 "(`benchmarks/measure_joint_limits.py`)",
        example=driven({**_FREE, "float drive:angular:physics:targetPosition": "500"}),
        remedy=driven({**_FREE, "float drive:angular:physics:targetPosition": "140"}),
    ),
    Code(
        "joint/frame-refused", "error", "Joint frame that is none",
        "A joint frame needs finite numbers and a rotation other than 0.",
        profiles=EVERYONE,
        measured="A zero or NaN frame on the parent's side puts the hinge where the child is posed, turned to another "
                 "axis; on the child's side the child is held by its own origin. PhysX logs an invalid pose. A "
                 "rotation of length 2 counts as of 1. (`benchmarks/measure_joint_bodies.py`)",
        example=joint("j2", {"quatf physics:localRot0": "(0, 0, 0, 0)"}),
        remedy=joint("j2", {"quatf physics:localRot0": "(1, 0, 0, 0)"}),
    ),
    Code(
        "joint/no-hinge", "error", "Gear or rack joint without its hinges",
        "A gear joint couples two revolute joints, a rack joint a revolute and a prismatic one, each the joint that "
        "holds the body on its side. Without them PhysX warns and couples the bodies about the x axes of the "
        "joint's own frames. With a joint of another kind, or of another body, it takes that joint's position for the "
        "hinge's, and the bodies turn at other speeds, without a message. Only a gear of ratio 1 turns alike with its "
        "hinges swapped.",
        measured="A wheel driven to 1 rad/s turns the other with -2. Without hinges it does so too on hinges about x, "
                 "and about y where the gear's own frames are turned alike. With hinge1 of another body, or a slider, "
                 "the wheels turn with 19 and -38; with the two swapped with -10.3 and 20.6. Only missing hinges are "
                 "logged. (`benchmarks/measure_joint_bodies.py`)",
        example=joint("j2") + prim("PhysxPhysicsGearJoint", "gear", {**_GEAR, "rel physics:hinge0": "</Robot/j2>"}),
        remedy=joint("j2") + prim("PhysxPhysicsGearJoint", "gear", _GEAR),
    ),
    Code(
        "joint/same-body", "error", "Joint between a body and itself",
        "PhysX makes no joint between a body and itself.",
        profiles=EVERYONE,
        measured="A joint from a link to itself changes nothing, and PhysX logs a closed articulation, outside "
                 "articulations that both bodies must be unique. (`benchmarks/measure_joint_bodies.py`)",
        example=joint("j2", parent="b"),
        remedy=joint("j2"),
    ),
    Code(
        "joint/no-bodies", "error", "Joint without bodies",
        "A joint with no rigid body on either side does nothing.",
        profiles=EVERYONE,
        measured="A joint without bodies changes nothing, and PhysX logs that none are defined. "
                 "(`benchmarks/measure_joint_bodies.py`)",
        example=prim("PhysicsRevoluteJoint", "j2", {}),
        remedy=joint("j2"),
    ),
    Code(
        "joint/static", "error", "Joint between bodies that do not move",
        "PhysX makes no joint between two bodies that forces do not move.",
        measured="A kinematic or disabled body joined to a kinematic one: PhysX logs that it cannot create a joint "
                 "between static bodies. To a dynamic body it makes the joint. (`benchmarks/measure_joint_bodies.py`)",
        example=_ANVIL + prim("PhysicsFixedJoint", "weld", {"rel physics:body0": "</Robot/anvil>"}),
        remedy=_ANVIL + prim("PhysicsFixedJoint", "weld", {
            "rel physics:body0": "</Robot/anvil>", "rel physics:body1": "</Robot/b>"}),
    ),
    Code(
        "joint/several-scenes", "error", "Joint between scenes",
        "PhysX makes no joint between bodies that different scenes step.",
        measured="A body of one scene hinged to one of another falls by 0.125 in half a second, as a free body; PhysX "
                 "logs different owners. In one scene it swings. (`benchmarks/measure_joint_bodies.py`)",
        example=_SCENES + _owned("c", "day") + _owned("d", "night") + _WELD,
        remedy=_SCENES + _owned("c", "day") + _owned("d", "day") + _WELD,
    ),
    Code(
        "joint/velocity-clamp", "warning", "Velocity above the clamp of prismatic joints",
        "At each step's start PhysX scales the velocities of an articulation down until no prismatic joint is faster "
        "than 100 length units per second: 100 m/s in a stage in metres, 1 m/s in one in centimetres. A larger "
        "maxJointVelocity changes nothing. In stages where the clamp is 2 m/s or less, articulations with prismatic "
        "joints get an info.",
        measured="A slider of speed 250 moves with 100, also with maxJointVelocity 300. A drive with a damping of "
                 "1e4 brings it back to 300 within the step. (`benchmarks/measure_joint_rules.py`)",
        example=driven({"float physxJointAxis:linear:maxJointVelocity": "300"}, kind="Prismatic"),
        remedy=driven(kind="Prismatic"),
    ),
)
