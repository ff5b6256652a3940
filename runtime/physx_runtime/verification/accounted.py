"""What the account of a stage says of opinions without an experiment: each of them becomes a row.

The account knows every opinion: it became a fact, nothing uses it, or this library cannot judge it. Nothing is listed
here by name, so what the reader learns to read has a row from the first day.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from physx_runtime.verification.authored import Authored
from physx_runtime.verification.outside.lost import lost_limits
from physx_runtime.verification.outside.unmeasured import refused_drives, unmeasured
from physx_runtime.verification.report import IGNORED, NOT_EVALUATED, Row
from physx_schema.description.model import Description
from physx_schema.description.opinions.coverage import WITHOUT_EFFECT

NO_EXPERIMENT = "there is no experiment for this property yet; simulate shows what it does"
REFUSED_AIM = "PhysX refuses the drive, but its target still turns where the joint's other drives aim"
CHOICE = "it chooses how PhysX computes or allocates, not what comes out of it"
_CONTACT = "it acts in contact alone, which simulate shows; on the benches nothing touches"
_COUNT = "it is what every other number is measured under"
_SLEEP = "it says when something that hardly moves falls asleep, which simulate shows; on the benches nothing does"
_FRAME = "it says where the joint holds, and an articulation keeps that exactly"
# Why numbers are in no experiment, by the end of their names.
_REASONS: Mapping[str, str] = {
    **dict.fromkeys(("localPos0", "localPos1", "localRot0", "localRot1"), _FRAME),
    **dict.fromkeys(("solverPositionIterationCount", "solverVelocityIterationCount"), _COUNT),
    **dict.fromkeys(("sleepThreshold", "stabilizationThreshold"), _SLEEP),
    **dict.fromkeys(("maxDepenetrationVelocity", "maxContactImpulse", "contactSlopCoefficient"), _CONTACT),
    **dict.fromkeys(("breakForce", "breakTorque"), "no joint of an articulation breaks, and this says no less"),
    "threshold": "it chooses which contacts are reported, not what they do",
    "cfmScale": "what it softens has rows of its own, whose reasons name it",
    "localPos": "it is a place of the link; the tendon's rows say what comes of it",
    **dict.fromkeys(("mass", "density", "diagonalInertia", "principalAxes", "centerOfMass"),
                    "PhysX takes no such number from here: it works mass properties out from the colliders, or forces "
                    "do not move the body"),
}
# What the numbers of a schema are, where there is more to say than that there is no experiment.
_SUBJECTS: Mapping[str, str] = {
    **dict.fromkeys(("PhysicsRigidBodyAPI", "PhysxRigidBodyAPI"), "settings of bodies"),
    **dict.fromkeys(("PhysxSceneAPI", "PhysxArticulationAPI"), "settings of the solver"),
    "PhysicsJointStateAPI": "initial states of joints",
}
_COLLIDING = frozenset({
    "PhysicsCollisionAPI", "PhysxCollisionAPI", "NewtonCollisionAPI", "PhysicsMeshCollisionAPI",
    "PhysxConvexHullCollisionAPI", "NewtonMeshCollisionAPI", "PhysicsMaterialAPI", "PhysxMaterialAPI",
})


def accounted_rows(description: Description, authored: Authored) -> Iterator[Row]:
    """Ignored: what PhysX refuses or nothing uses. Not evaluated: what cannot be judged, and numbers that act."""
    seen = set()
    for path, name, verdict, reason in _accounted(description, authored):
        key = path, name, "" if (path, name) in authored else reason
        if key not in seen:
            seen.add(key)
            yield Row(path, name, authored.get((path, name), math.nan), None, None, verdict, reason)


def _accounted(description: Description, authored: Authored) -> Iterator[tuple[str, str, str, str]]:
    """Path, property, verdict and reason; the first word on a property counts."""
    yield from _refused(description)
    yield from _of_refused_drives(description, authored)
    for (path, name), why in lost_limits(description, authored).items():
        yield path, name, IGNORED, why
    for opinion in description.unused:
        hint = f" ({opinion.suggestion})" if opinion.suggestion else ""
        yield opinion.path, opinion.property, IGNORED, opinion.reason + hint
    for opinion in description.not_evaluated:
        yield opinion.path, opinion.property, NOT_EVALUATED, opinion.reason
    outside = {joint.path: joint for joint in description.separate_joints}
    for item in description.authored:
        if (item.path, item.property) in authored and f"{item.path}.{item.property}" in description.consumed:
            own = unmeasured(outside[item.path], item.property) if item.path in outside else ""
            yield item.path, item.property, NOT_EVALUATED, own or _unmeasured(item.property, item.schema)


def _refused(description: Description) -> Iterator[tuple[str, str, str, str]]:
    """What PhysX makes nothing of."""
    accepted = {(m.path, m.instance) for a in description.articulations for m in a.mimics}
    for d in description.mimic_declarations:
        name = f"physxMimicJoint:{d.instance}:gearing"
        if d.refusal:
            yield d.path, name, IGNORED, f"PhysX makes no mimic joint: {d.refusal}"
        elif (d.path, d.instance) not in accepted:
            yield d.path, name, IGNORED, "PhysX makes no mimic joint: the two joints are not in one articulation"
    opinions = {(item.path, item.property) for item in description.authored}
    for problem in description.problems:
        if problem.severity == "error" and (problem.path, problem.property) in opinions:
            yield problem.path, problem.property, IGNORED, f"{problem.message}: {problem.why}"


def _of_refused_drives(description: Description, authored: Authored) -> Iterator[tuple[str, str, str, str]]:
    """What belongs to a drive that PhysX refuses whole, outside articulations."""
    refused = refused_drives(description)
    driven = {joint.path for joint in description.separate_joints
              if any(axis.angular and axis.drive for axis in joint.axes)}
    for path, name in authored:
        why = refused.get((path, name.rpartition(":")[0]))
        if why and name.endswith(":targetPosition") and path in driven:
            yield path, name, NOT_EVALUATED, REFUSED_AIM
        elif why:
            yield path, name, IGNORED, f"PhysX refuses the whole drive: {why}"


def _unmeasured(name: str, schema: str) -> str:
    """Why a number that became a fact is not measured."""
    if name in WITHOUT_EFFECT:
        return CHOICE
    if schema in _COLLIDING:
        return "there is no experiment for this property of contacts yet; simulate shows what bodies do"
    if name.rpartition(":")[2] in _REASONS:
        return _REASONS[name.rpartition(":")[2]]
    subject = _SUBJECTS.get(schema)
    return f"there is no experiment for {subject} yet; simulate shows what they do" if subject else NO_EXPERIMENT
