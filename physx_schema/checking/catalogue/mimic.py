"""Mimic joints, DJ.007."""

from __future__ import annotations

from physx_schema.checking.finding import PROFILES as EVERYONE
from physx_schema.checking.rule import Code

CODES = (
    Code(
        "DJ.007/host", "error", "Mimic joint on a prim that is no joint",
        "PhysxMimicJointAPI belongs on the joint that follows, of a type derived from PhysicsJoint.",
    ),
    Code(
        "DJ.007/instance", "error", "Mimic joint under an instance name that PhysX ignores",
        "The instance name must be rotX, rotY or rotZ, on prismatic joints too: it names a slot, not a direction. "
        "Under any other name PhysX ignores the mimic joint without a message.",
    ),
    Code(
        "DJ.007/one-instance", "error", "Several mimic joints on a joint with one axis",
        "A revolute or prismatic joint has one axis and can follow once. PhysX takes the first of rotX, rotY, rotZ "
        "and refuses the others.",
    ),
    Code(
        "DJ.007/reference-count", "error", "No reference joint, or several",
        "referenceJoint needs exactly one target after composition.",
    ),
    Code(
        "DJ.007/reference-missing", "error", "Reference joint that does not exist",
        "referenceJoint points at a path without a prim.",
    ),
    Code(
        "DJ.007/reference-type", "error", "Reference that is no joint",
        "referenceJoint points at a prim that is no joint.",
    ),
    Code(
        "DJ.007/self", "error", "Joint that follows itself",
        "A joint cannot follow itself.",
    ),
    Code(
        "DJ.007/cycle", "error", "Mimic joints in a ring",
        "Mimic joints follow one another in a ring. PhysX solves each as a two-way constraint; unless the product of "
        "the gearings closes the ring exactly, the joints settle between the demands.",
    ),
    Code(
        "DJ.007/chain", "error", "Reference joint that follows another",
        "The reference joint follows another joint. PhysX handles chains; the published rule forbids them, and Newton "
        "rejects them.",
    ),
    Code(
        "DJ.007/gearing", "error", "Gearing that is missing, zero or no number",
        "gearing must be a finite number other than 0. Positive gearing turns the joint opposite to its reference: q "
        "= -gearing * q_reference - offset. NaN or infinity makes the articulation NaN.",
    ),
    Code(
        "DJ.007/offset", "error", "Offset that is no number",
        "offset must be finite; in degrees on a revolute joint, in length units on a prismatic one.",
    ),
    Code(
        "DJ.007/naturalFrequency", "error", "Natural frequency that makes a hard constraint",
        "At most 0, or not authored, naturalFrequency makes a hard constraint. The published rule wants it authored "
        "and above 0.",
    ),
    Code(
        "DJ.007/dampingRatio", "error", "Damping ratio that makes a hard constraint or oscillates",
        "At most 0, or not authored, dampingRatio makes a hard constraint. Below 1 a compliant mimic joint may "
        "oscillate.",
    ),
    Code(
        "DJ.007/limits", "error", "Mimic joint without finite limits on both joints",
        "PhysX makes a mimic joint of a revolute joint only if both bounds of both joints are finite. Prismatic "
        "joints work without; the published rule wants limits on them too.",
    ),
    Code(
        "DJ.007/limits-clip", "error", "Limits that stop the reference joint early",
        "Part of the reference joint's range asks the follower to leave its own limits. The coupling is two-way, so "
        "the follower's limit stops the reference joint, without a message.",
    ),
    Code(
        "DJ.007/limits-disjoint", "error", "Limits that no position satisfies",
        "No position of the reference joint within its limits lets the follower stay in its own.",
    ),
    Code(
        "DJ.007/excluded-self", "error", "Mimic joint on a joint outside its articulation",
        "Mimic joints work inside articulations; this joint is excluded from its articulation.",
    ),
    Code(
        "DJ.007/excluded-ref", "error", "Reference joint outside the articulation",
        "Mimic joints work inside articulations; the reference joint is excluded from it.",
    ),
    Code(
        "DJ.007/disabled", "warning", "Mimic joint with a disabled joint",
        "One of the two joints is disabled; PhysX then makes no mimic joint and says nothing.",
    ),
    Code(
        "DJ.007/joint-type", "error", "Mimic joint on a kind of joint that PhysX does not couple",
        "PhysX couples revolute joints, prismatic joints, and generic joints whose translations are all locked and "
        "whose named rotation is free.",
    ),
    Code(
        "DJ.007/reference-axis", "error", "Reference axis that does not exist",
        "referenceJointAxis must be rotX, rotY or rotZ even where the reference has one axis.",
    ),
    Code(
        "DJ.007/same-articulation", "error", "Mimic joint across articulations",
        "Both joints must connect links of one articulation; a joint to the world, or outside the tree, is not part "
        "of it.",
    ),
    Code(
        "DJ.007/drive-fight", "warning", "Drive with gains on a joint that follows",
        "A drive with gains on a following joint acts against the coupling, and through it on the reference joint.",
    ),
    Code(
        "DJ.007/initial-violation", "warning", "Joint states that miss the mimic equation",
        "The authored joint states do not satisfy the mimic equation, so the first step moves both joints at once.",
    ),
    Code(
        "DJ.007/double-mimic", "error", "PhysX and Newton mimic joint on one joint",
        "PhysX obeys a NewtonMimicAPI beside PhysxMimicJointAPI. Where the two disagree neither joint can move: 1.98 "
        "of 20 degrees were measured.",
        profiles=EVERYONE,
    ),
    Code(
        "DJ.007/orphan-properties", "error", "Mimic properties without their API",
        "physxMimicJoint properties count only where PhysxMimicJointAPI is applied under the same instance name.",
    ),
    Code(
        "DJ.007/newton-portability", "info", "Mimic joint that Newton reads differently",
        "Newton's mimic joints couple two joints of one type, do not chain, and take offsets in other units.",
        profiles=EVERYONE,
    ),
)
