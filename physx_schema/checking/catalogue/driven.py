"""The published rules for driven joints: DJ.001 to DJ.006, and DJ.011."""

from __future__ import annotations

from physx_schema.checking.catalogue.snippets import LIMITS, driven, joint
from physx_schema.checking.finding import DRIVEN, PROFILES
from physx_schema.checking.rule import Code

_SCRIPT = " (`benchmarks/measure_joint_rules.py`)"
_ONLY_PUBLISHED = " PhysX does not need it, so only the profiles driven and simready (by itself) ask for it."
_STIFF = "float drive:angular:physics:stiffness"
_TARGET = "float drive:angular:physics:targetPosition"

CODES = (
    Code(
        "DJ.001/max-force", "error", "Drive without a finite force limit",
        "The published rule wants maxForce authored, finite and above 0 on every driven joint; mimic joints with zero "
        "gains are left out." + _ONLY_PUBLISHED + " A negative maxForce is joint/drive-refused, 0 is "
        "joint/drive-powerless, NaN is value/not-finite.", (DRIVEN,),
        measured="maxForce inf and NaN drive without bound; 0 and -5 leave the joint where it is." + _SCRIPT,
        example=driven({"float drive:angular:physics:maxForce": "inf"}), remedy=driven(),
    ),
    Code(
        "DJ.001/target-state", "error", "Drive target away from the joint state",
        "The published rule wants the drive's target and the joint state to agree at the start, here within 0.01 rad "
        "or 10 mm whatever the stage's unit." + _ONLY_PUBLISHED, (DRIVEN,),
        measured="A slider at 0 with a drive to 1, stiffness 100, has a velocity of 1.66 after one step of 1/60 s. "
                 "(`benchmarks/measure_joint_rules.py`)",
        example=driven({_TARGET: "20"}), remedy=driven({_TARGET: "0.2"}),
    ),
    Code(
        "DJ.002/joint-state", "error", "Driven joint without a joint state",
        "The published rule wants PhysicsJointStateAPI on every driven joint, spherical and generic ones included, "
        "whose instances are rotX and so on." + _ONLY_PUBLISHED, (DRIVEN,),
        measured="Without a joint state PhysX starts a joint at 0, not where its links are posed: a hinge posed at 30 "
                 "degrees starts at 0, with a state of 10 at 10." + _SCRIPT,
        example=driven({"float state:angular:physics:position": None}), remedy=driven(),
    ),
    Code(
        "DJ.003/frames-apart", "error", "Joint frames that do not meet",
        "The frames of a joint on its two bodies differ at the authored poses, by more than 1 mm or half a degree "
        "from what the joint state says. PhysX places links by their joints, at position 0 where no state is authored. "
        "The frames of the joint that fixes the base are not read: PhysX leaves the root where it is posed.",
        measured="A fixed, hinged or spherical link posed 1 m or 30 degrees away from its joint is at its joint before "
                 "the first step. A root posed at the origin, with an anchor frame 1 m above, stays at the origin. "
                 "(`benchmarks/measure_start_poses.py`)",
        example=driven({"float state:angular:physics:position": "30"}), remedy=driven(),
    ),
    Code(
        "DJ.004/undriven", "error", "Joint with neither a drive nor a mimic joint",
        "The published rule wants every joint of an articulation driven or following." + _ONLY_PUBLISHED + " Passive "
        "joints are legal. What the published rule says of prismatic mimic joints, that PhysX does not enforce them "
        "and they need stiffness, is not so: under rotX they follow exactly, and gains fight the coupling "
        "(DJ.007/drive-fight).", (DRIVEN,),
        measured="A slider without a drive keeps its speed of 1. A prismatic mimic joint under rotX follows to 0.200 "
                 "without gains; gains of its reference's size leave both at 0.100. "
                 "(`benchmarks/measure_joint_rules.py`, `benchmarks/measure_mimics.py`)",
        example=joint("j1", LIMITS), remedy=driven(name="j1"),
    ),
    Code(
        "DJ.005/max-velocity", "error", "Driven joint without a velocity limit",
        "The published rule wants maxJointVelocity authored and above 0. It looks in PhysxJointAPI, which PhysX no "
        "longer has; here PhysxJointAxisAPI and newton:velocityLimit count." + _ONLY_PUBLISHED
        + " 0 is joint/no-velocity.", (DRIVEN,),
        measured="physxJoint:maxJointVelocity 0.5 leaves a slider at speed 1; physxJointAxis:linear:maxJointVelocity "
                 "0.5 slows it to 0.5; 0 and -1 hold it; NaN does nothing." + _SCRIPT,
        example=driven({"float physxJointAxis:angular:maxJointVelocity": None}), remedy=driven(),
    ),
    Code(
        "DJ.006/stiffness", "error", "Drive with an unlikely stiffness",
        "The published rule allows a stiffness of 0 to 1e6, per degree on angular axes." + _ONLY_PUBLISHED
        + " Negative and infinite ones are value/range and value/not-finite.", (DRIVEN,),
        measured="1e8 holds a slider on its target of 1; -100 throws it to -5.1 in half a second; infinity and NaN "
                 "make the articulation NaN." + _SCRIPT,
        example=driven({_STIFF: "2000000"}), remedy=driven(),
    ),
    Code(
        "DJ.006/target-without-gain", "warning", "Drive target without the gain that pulls to it",
        "targetPosition needs a stiffness, targetVelocity a damping. Without, the target does nothing; but beside a "
        "stiffness a targetVelocity without damping still shifts the position that the drive aims at within a step.",
        measured="Target 1 with stiffness and damping 0, and target velocity 1 with both 0, leave a slider at 0. "
                 "Target velocity 1 with stiffness 100 and damping 0 brings it to -0.000154 in one step." + _SCRIPT,
        example=driven({_STIFF: "0", _TARGET: "20"}), remedy=driven({_TARGET: "20"}),
    ),
    Code(
        "DJ.006/target-outside-limits", "warning", "Drive target outside the joint's limits",
        "The drive presses the joint against its limit for as long as the target stands.",
        measured="Target 1 with limits of 0.5 ends at 0.500001." + _SCRIPT,
        example=driven({_TARGET: "60"}), remedy=driven({_TARGET: "40"}),
    ),
    Code(
        "DJ.011/loop", "error", "Joint that closes a loop",
        "A joint connects two links that the tree already connects, by whatever kinds of joints, or connects two "
        "bodies a second time. PhysX articulations are trees: it makes no joint of this one, neither inside nor beside "
        "the articulation. Excluded and disabled joints close no loop.", PROFILES,
        measured="Two links in a ring of three hinges j0, j1 and j2 have the joints j0 and j1; where the third is a0, "
                 "a0 and j1; where it is fixed, j1 alone, and where it is a second hinge between the two by path "
                 "last, j0 and j1. PhysX logs a closed articulation with its joints, not which one it drops. "
                 "(`benchmarks/measure_joint_bodies.py`)",
        example=joint("j2", LIMITS) + joint("j3", LIMITS, kind="Fixed", parent="b", child="a"),
        remedy=joint("j2", LIMITS) + joint("j3", {"bool physics:excludeFromArticulation": "true"}, kind="Fixed",
                                           parent="b", child="a"),
    ),
    Code(
        "DJ.011/beside", "warning", "Third joint between two links",
        "Of several joints between the same two bodies PhysX makes the first the articulation's, by type and then by "
        "path, and drops the second. Every further one it makes beside the articulation, as a separate and softer "
        "constraint, in which joint states, armature, friction and envelopes do not count. The hinges of one MuJoCo "
        "body become such joints where a converter puts no bodies between them.",
        measured="A link on a hinge about y sags by 10.232 degrees in half a second, with a second hinge about x by as "
                 "much, and with a third about z not at all. (`benchmarks/measure_joint_bodies.py`)",
        example=joint("j2", LIMITS) + joint("j3", LIMITS) + joint("j4", LIMITS),
        remedy=joint("j2", LIMITS),
    ),
    Code(
        "DJ.011/world-loop", "warning", "Second joint from an articulation to the world",
        "One joint to the world fixes the base. A second one closes a loop through the world: PhysX solves it beside "
        "the articulation, as a separate and softer constraint.",
        measured="With a fixed base and a second, prismatic joint from a link to the world PhysX makes an articulation "
                 "of one joint without a message; the other two hold it from outside. (`benchmarks/"
                 "measure_start_poses.py`)",
        example=joint("j2", LIMITS) + joint("j3", LIMITS, parent="", child="b"), remedy=joint("j2", LIMITS),
    ),
)
