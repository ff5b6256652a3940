"""Mimic joints, DJ.007."""

from __future__ import annotations

from physx_schema.checking.catalogue.snippets import LIMITS, follower, joint, prim
from physx_schema.checking.finding import PROFILES
from physx_schema.checking.rule import Code

_SCRIPT = " (`benchmarks/measure_mimics.py`: the reference driven to 20 degrees, 240 steps of 1/120 s.)"
_SOUND = follower()
_REFERENCE = "rel physxMimicJoint:rotX:referenceJoint"
_RING = {"float physics:lowerLimit": "-45", "float physics:upperLimit": "45", _REFERENCE: "</Robot/j2>",
         "float physxMimicJoint:rotX:gearing": "-2", "float physxMimicJoint:rotX:naturalFrequency": "20",
         "float physxMimicJoint:rotX:dampingRatio": "1"}
_LOCKED = [f"PhysicsLimitAPI:{name}" for name in ("transX", "transY", "transZ", "rotY", "rotZ")]
_TRANSLATIONS = {
    "float physics:lowerLimit": None, "float physics:upperLimit": None,
    **{f"float limit:{name}:physics:low": "1" for name in ("transX", "transY", "rotY", "rotZ")},
    **{f"float limit:{name}:physics:high": "-1" for name in ("transX", "transY", "rotY", "rotZ")},
}
_THIRD = follower({"referenceJoint": "</Robot/j2>"}, name="j3", parent="b", child="c")
_LIMITED_LINK = prim("Xform", "c", {"float physics:mass": "1", "float3 physics:diagonalInertia": "(1, 1, 1)"},
                     "PhysicsRigidBodyAPI", "PhysicsMassAPI")

CODES = (
    Code(
        "DJ.007/host", "error", "Mimic joint on a prim that is no joint",
        "PhysxMimicJointAPI belongs on the joint that follows, of a type derived from PhysicsJoint.",
        measured="The follower stays at 0, without a message. (`benchmarks/measure_mimics.py`)",
        example=prim("Xform", "j2", {_REFERENCE: "</Robot/j1>"}, "PhysxMimicJointAPI:rotX"), remedy=_SOUND,
    ),
    Code(
        "DJ.007/instance", "error", "Mimic joint under an instance name that PhysX ignores",
        "The instance name must be rotX, rotY or rotZ, on prismatic joints too: it names a slot, not a direction. "
        "Under any other name PhysX ignores the mimic joint without a message.",
        measured="Under transZ or Z the follower stays at 0 and no log has a word; under rotX and rotZ it reaches "
                 "19.99 degrees, on sliders 0.200." + _SCRIPT,
        example=follower(api="transZ"), remedy=_SOUND,
    ),
    Code(
        "DJ.007/one-instance", "error", "Several mimic joints on a joint with one axis",
        "A revolute or prismatic joint has one axis and can follow once. PhysX takes the first of rotX, rotY, rotZ "
        "and refuses the others.",
        measured="rotX with gearing -1 and rotY with 1: the follower reaches 19.99 degrees, and PhysX logs that only "
                 "one instance can be applied." + _SCRIPT,
        example=follower({"rel physxMimicJoint:rotY:referenceJoint": "</Robot/j1>",
                          "float physxMimicJoint:rotY:gearing": "1"}, "PhysxMimicJointAPI:rotY"), remedy=_SOUND,
    ),
    Code(
        "DJ.007/reference-count", "error", "No reference joint, or several",
        "referenceJoint needs exactly one target after composition.",
        measured="With two targets the follower stays at 0, and PhysX logs that exactly one is needed." + _SCRIPT,
        example=follower({"referenceJoint": "[</Robot/j1>, </Robot/anchor>]"}), remedy=_SOUND,
    ),
    Code(
        "DJ.007/reference-missing", "error", "Reference joint that does not exist",
        "referenceJoint points at a path without a prim.",
        measured="The follower stays at 0, and PhysX logs a non existing prim." + _SCRIPT,
        example=follower({"referenceJoint": "</Robot/j_1>"}), remedy=_SOUND,
    ),
    Code(
        "DJ.007/reference-type", "error", "Reference that is no joint",
        "referenceJoint points at a prim that is no joint.",
        measured="The follower stays at 0, and PhysX logs that the reference is no joint." + _SCRIPT,
        example=follower({"referenceJoint": "</Robot/a>"}), remedy=_SOUND,
    ),
    Code(
        "DJ.007/self", "error", "Joint that follows itself",
        "A joint cannot follow itself.",
        measured="PhysX logs the same joint for mimic and reference, and makes none." + _SCRIPT,
        example=follower({"referenceJoint": "</Robot/j2>"}), remedy=_SOUND,
    ),
    Code(
        "DJ.007/cycle", "error", "Mimic joints in a ring",
        "Mimic joints follow one another in a ring. PhysX solves each as a two-way constraint; unless the product of "
        "the gearings closes the ring exactly, the joints settle between the demands.",
        measured="A ring with gearings -1 and -1 works; with -1 and -2 the joints settle at 8.70 and 7.45 degrees, "
                 "where 20 was asked for, without a message." + _SCRIPT,
        example=joint("j1", _RING, "PhysxMimicJointAPI:rotX") + _SOUND, remedy=joint("j1", LIMITS) + _SOUND,
    ),
    Code(
        "DJ.007/chain", "error", "Reference joint that follows another",
        "The reference joint follows another joint. PhysX handles chains, so profile physx only warns; the published "
        "rule forbids them, and Newton rejects them.", PROFILES,
        measured="A third joint that follows the follower reaches 19.99 degrees with the others, never more than "
                 "0.0004 apart from the first. (`benchmarks/measure_mimics.py`)",
        example=_LIMITED_LINK + _SOUND + _THIRD,
        remedy=_LIMITED_LINK + _SOUND + follower(name="j3", parent="b", child="c"),
    ),
    Code(
        "DJ.007/gearing", "error", "Gearing that is missing, zero or no number",
        "gearing must be a finite number other than 0. Positive gearing turns the joint opposite to its reference: q "
        "= -gearing * q_reference - offset. NaN or infinity makes the articulation NaN. Left out it counts as 1.",
        measured="Gearing 1 brings the follower to -19.99 degrees, -2 to 39.99. Gearing 0 is refused with an error; "
                 "with NaN or infinity both joints become NaN, and the log has nothing but invalid transforms."
                 + _SCRIPT,
        example=follower({"gearing": "0"}), remedy=_SOUND,
    ),
    Code(
        "DJ.007/offset", "error", "Offset that is no number",
        "offset must be finite; in degrees on a revolute joint, in length units on a prismatic one.",
        measured="Offset 10 with gearing -1 leaves the follower at 9.99 degrees; offset NaN makes both joints NaN."
                 + _SCRIPT,
        example=follower({"offset": "nan"}), remedy=follower({"offset": "0"}),
    ),
    Code(
        "DJ.007/naturalFrequency", "error", "Natural frequency that makes a hard constraint",
        "At most 0, or not authored, naturalFrequency makes a hard constraint; profile physx takes note of it. The "
        "published rule wants it authored and above 0. From 10 rad in a time step on "
        "it is all but hard, an info.",
        measured="With 0 and -5 the follower is never more than 0.0002 degrees behind, with 1 it falls back by 1.42, "
                 "with 10 by 1.28, with 100 by 0.54, with 1200 by 0.006." + _SCRIPT,
        example=follower({"naturalFrequency": "0"}), remedy=_SOUND,
    ),
    Code(
        "DJ.007/dampingRatio", "error", "Damping ratio that makes a hard constraint or oscillates",
        "At most 0, or not authored, dampingRatio makes a hard constraint. Below 1 a compliant mimic joint may "
        "oscillate; PhysX's documentation advises against it.",
        measured="With naturalFrequency 10 the follower falls back by 1.28 degrees at dampingRatio 1, by 1.40 at 0.1, "
                 "and by no more than 0.0002 at 0 or none." + _SCRIPT,
        example=follower({"dampingRatio": None}), remedy=_SOUND,
    ),
    Code(
        "DJ.007/limits", "error", "Mimic joint without finite limits on both joints",
        "PhysX makes a mimic joint of a revolute joint only if both bounds of both joints are finite. Prismatic "
        "joints work without; the published rule wants limits on them too.",
        measured="Without limits on either hinge, or with one bound infinite, the follower stays at 0 and PhysX logs "
                 "a missing finite limit. Sliders without limits follow to 0.200. Limits [30, -30] of the follower "
                 "freeze the reference at 3.64 degrees, without a message about the mimic joint." + _SCRIPT,
        example=follower({"float physics:lowerLimit": None, "float physics:upperLimit": None}), remedy=_SOUND,
    ),
    Code(
        "DJ.007/limits-clip", "error", "Limits that stop the reference joint early",
        "Part of the reference joint's range asks the follower to leave its own limits. The coupling is two-way, so "
        "the follower's limit stops the reference joint, without a message. With reference limits [r0, r1] the "
        "follower needs every position between -gearing r0 - offset and -gearing r1 - offset.",
        measured="Limits [0, 10] of the follower stop the reference at 11.80 of 20 degrees; [-45, 0] stop it at 3.60; "
                 "[30, 60] pull it past its target to 28.20. No log has a word." + _SCRIPT,
        example=follower({"float physics:lowerLimit": "0", "float physics:upperLimit": "10"}), remedy=_SOUND,
    ),
    Code(
        "DJ.007/limits-disjoint", "error", "Limits that no position satisfies",
        "No position of the reference joint within its limits lets the follower stay in its own.",
        measured="A follower of [50, 60] whose reference has limits of 45 ends at 50 and drags its reference to 44.59 "
                 "where 20 was asked for; one of [70, 80] drags a reference of 60 to its limit. "
                 "(`benchmarks/measure_mimics.py`)",
        example=follower({"float physics:lowerLimit": "50", "float physics:upperLimit": "60"}), remedy=_SOUND,
    ),
    Code(
        "DJ.007/excluded-self", "error", "Mimic joint on a joint outside its articulation",
        "Mimic joints work inside articulations; this joint is excluded from its articulation.",
        measured="PhysX logs that mimic joints are supported on articulation joints only." + _SCRIPT,
        example=follower({"bool physics:excludeFromArticulation": "true"}), remedy=_SOUND,
    ),
    Code(
        "DJ.007/excluded-ref", "error", "Reference joint outside the articulation",
        "Mimic joints work inside articulations; the reference joint is excluded from it.",
        measured="The follower stays at 0, and PhysX logs that the reference is excluded." + _SCRIPT,
        example=joint("j1", {**LIMITS, "bool physics:excludeFromArticulation": "true"}) + _SOUND,
        remedy=joint("j1", LIMITS) + _SOUND,
    ),
    Code(
        "DJ.007/disabled", "warning", "Mimic joint with a disabled joint",
        "One of the two joints is disabled; PhysX then makes no mimic joint and says nothing.",
        measured="With the reference disabled the follower stays at 0; disabled itself, it is no joint of the "
                 "articulation. The log has no word of either." + _SCRIPT,
        example=follower({"bool physics:jointEnabled": "false"}), remedy=_SOUND,
    ),
    Code(
        "DJ.007/joint-type", "error", "Mimic joint on a kind of joint that PhysX does not couple",
        "PhysX couples revolute joints, prismatic joints, and generic joints whose translations are all locked and "
        "whose named rotation is free.",
        measured="A generic follower with its translations locked follows to 20.00 degrees. With transZ free it stays "
                 "at 0 and PhysX logs what it needs; a spherical one stays at 0 without a message." + _SCRIPT,
        example=follower(_TRANSLATIONS, *(name for name in _LOCKED if "transZ" not in name), kind=""),
        remedy=follower({**_TRANSLATIONS, "float limit:transZ:physics:low": "1",
                         "float limit:transZ:physics:high": "-1"}, *_LOCKED, kind=""),
    ),
    Code(
        "DJ.007/reference-axis", "error", "Reference axis that does not exist",
        "referenceJointAxis must be rotX, rotY or rotZ even where the reference has one axis.",
        measured="With Z the follower stays at 0, and PhysX logs an unsupported token." + _SCRIPT,
        example=follower({"uniform token physxMimicJoint:rotX:referenceJointAxis": '"Z"'}),
        remedy=follower({"uniform token physxMimicJoint:rotX:referenceJointAxis": '"rotZ"'}),
    ),
    Code(
        "DJ.007/same-articulation", "error", "Mimic joint across articulations",
        "Both joints must connect links of one articulation; a joint to the world, or outside the tree, is not part "
        "of it.",
        measured="A follower between the world and a link does not follow; PhysX logs that the mimic joint could not "
                 "be found." + _SCRIPT,
        example=follower(parent=""), remedy=_SOUND,
    ),
    Code(
        "DJ.007/drive-fight", "warning", "Drive with gains on a joint that follows",
        "A drive with gains on a following joint acts against the coupling, and through it on the reference joint. "
        "Both springs pull at one motion: equal gains with opposed targets leave both joints near the middle.",
        measured="A reference driven to 20 and a follower driven to -20 with equal gains end at 1.98 and -1.98 degrees "
                 "where gearing -1 wants them equal." + _SCRIPT,
        example=follower({"float drive:angular:physics:stiffness": "100"}, "PhysicsDriveAPI:angular"),
        remedy=follower({"float drive:angular:physics:stiffness": "0"}, "PhysicsDriveAPI:angular"),
    ),
    Code(
        "DJ.007/initial-violation", "warning", "Joint states that miss the mimic equation",
        "The authored joint states do not satisfy the mimic equation, and the first steps move the joints until they "
        "do.",
        measured="Joint states of 10 and 0 degrees, gearing -1, the reference held by its drive: after one step the "
                 "follower is at 10.4 beside it." + _SCRIPT,
        example=follower({"float state:angular:physics:position": "10"}, "PhysicsJointStateAPI:angular"),
        remedy=follower({"float state:angular:physics:position": "0"}, "PhysicsJointStateAPI:angular"),
    ),
    Code(
        "DJ.007/double-mimic", "error", "PhysX and Newton mimic joint on one joint",
        "PhysX obeys a NewtonMimicAPI beside PhysxMimicJointAPI. Where the two disagree neither joint can move. They "
        "agree where mimicCoef1 = -gearing and mimicCoef0 = -offset.", PROFILES,
        measured="Gearing 1 with mimicCoef1 1: the reference stays at 1.98 of 20 degrees, the follower at 0."
                 + _SCRIPT,
        example=follower({"gearing": "1", "float newton:mimicCoef1": "1", "rel newton:mimicJoint": "</Robot/j1>"},
                         "NewtonMimicAPI"), remedy=_SOUND,
    ),
    Code(
        "DJ.007/orphan-properties", "error", "Mimic properties without the API",
        "physxMimicJoint properties count only where PhysxMimicJointAPI is applied under the same instance name.",
        measured="With gearing and reference authored and the API not applied the follower stays at 0, without a "
                 "message. (`benchmarks/measure_mimics.py`)",
        example=joint("j2", {**LIMITS, _REFERENCE: "</Robot/j1>", "float physxMimicJoint:rotX:gearing": "-1"}),
        remedy=_SOUND,
    ),
    Code(
        "DJ.007/time-samples", "warning", "Mimic joint whose numbers change or come from elsewhere",
        "PhysX reads gearing, offset and limits once, at the default time, and follows no connection. Time samples "
        "and connections do nothing.",
        measured="Gearing -1 with time samples of -2, or connected to -2, follows as -1. With samples or a connection "
                 "alone PhysX works with 1: the follower goes to -19.99. A limit of time samples alone is none, and "
                 "the mimic joint is refused. (`benchmarks/measure_mimics.py`)",
        example=follower({"float physxMimicJoint:rotX:gearing.timeSamples": "{ 0: -1, 10: -2 }"}), remedy=_SOUND,
    ),
    Code(
        "DJ.007/newton-portability", "warning", "Mimic joint that other engines read differently",
        "Newton's mimic joints couple two joints of one type, do not chain, and take offsets in other units. A warning "
        "of profile newton, elsewhere an info.", PROFILES,
        measured="PhysX itself couples a hinge and a slider: gearing -0.01 per degree leads the slider to 0.200 at 20 "
                 "degrees. (`benchmarks/measure_mimics.py`)",
        example=follower({"offset": "5", "float physics:lowerLimit": "-60"}), remedy=_SOUND,
    ),
)
