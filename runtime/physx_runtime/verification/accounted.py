"""A row for each opinion without an experiment, from the reader's account of opinions that became facts, are unused or
cannot be evaluated. A newly read property therefore has a row without any change here.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

from physx_runtime.verification.authored import Authored
from physx_runtime.verification.maximal_joints.events import refused_limits
from physx_runtime.verification.maximal_joints.experiments import refused_drives, unmeasured
from physx_runtime.verification.report import IGNORED, NOT_EVALUATED, OTHER_ENGINE, Row
from physx_schema.description.engine_values import engine_differences, opinion_engine
from physx_schema.description.model import Description
from physx_schema.description.opinions.inactive import STATIC_MASS
from physx_schema.description.opinions.schemas import WITHOUT_EFFECT

NO_EXPERIMENT = "there is no experiment for this property yet; the command simulate shows its effect"
REFUSED_DRIVE_TARGET = "PhysX refuses the drive, but its target still changes the combined target rotation of the joint"
COMPUTATION_ONLY = "the property changes how PhysX computes or allocates memory, not the result"
_CONTACT = ("the property acts only in contacts, and the experiments have no contacts; the command simulate shows its "
            "effect")
_COUNT = "all experiments use this setting; its effect is not measured separately"
_SLEEP = "the property controls sleeping, and no body sleeps in the experiments; the command simulate shows its effect"
_FRAME = ("the property is part of a joint frame; joints of articulations follow their frames exactly, and this is not "
          "measured")
# Why numbers are in no experiment, by the end of their names.
_REASONS: Mapping[str, str] = {
    **dict.fromkeys(("localPos0", "localPos1", "localRot0", "localRot1"), _FRAME),
    **dict.fromkeys(("solverPositionIterationCount", "solverVelocityIterationCount"), _COUNT),
    **dict.fromkeys(("sleepThreshold", "stabilizationThreshold"), _SLEEP),
    **dict.fromkeys(("maxDepenetrationVelocity", "maxContactImpulse", "contactSlopCoefficient"), _CONTACT),
    **dict.fromkeys(("breakForce", "breakTorque"),
                    "PhysX never breaks joints of articulations; this value also means that the joint never breaks"),
    "threshold": "the property selects which contacts are reported, and does not change the contacts",
    "cfmScale": "the property softens constraints; the rows of these constraints name cfmScale as a reason",
    "localPos": "the property is a point of the tendon on the link; the tendon's rows show its effect",
    **dict.fromkeys(("mass", "density", "diagonalInertia", "principalAxes", "centerOfMass"),
                    "PhysX does not read this value: mass properties are computed from the colliders, or forces do not "
                    "move the body"),
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
    """Rows without experiment. Ignored: refused or unused opinions. Not evaluated: others, and numbers that act.

    Opinions for another engine are ignored only where PhysX works with another value.
    """
    keys = set()
    for path, name, verdict, reason in _accounted(description, authored):
        key = path, name, "" if (path, name) in authored else reason
        if key not in keys:
            keys.add(key)
            yield Row(path, name, authored.get((path, name), math.nan), None, None, verdict, reason)


def _accounted(description: Description, authored: Authored) -> Iterator[tuple[str, str, str, str]]:
    """Path, property, verdict and reason; the first entry of a property counts."""
    yield from _refused(description)
    yield from _refused_drive_rows(description, authored)
    for (path, name), why in refused_limits(description, authored).items():
        yield path, name, IGNORED, why
    differences = {(item.path, name): item for item in engine_differences(description) for name, _ in item.values}
    for opinion in description.unused:
        suggestion = f" ({opinion.suggestion})" if opinion.suggestion else ""
        difference = differences.get((opinion.path, opinion.property))
        verdict = OTHER_ENGINE if opinion_engine(opinion) and difference is None else (
            NOT_EVALUATED if opinion.code == STATIC_MASS else IGNORED)
        other = f"; the engines read different values of the {difference.quantity}: {difference.text}" if (
            difference is not None) else ""
        yield opinion.path, opinion.property, verdict, opinion.reason + suggestion + other
    for opinion in description.not_evaluated:
        yield opinion.path, opinion.property, NOT_EVALUATED, opinion.reason
    maximal_joints = {joint.path: joint for joint in description.separate_joints}
    for item in description.authored:
        if (item.path, item.property) in authored and f"{item.path}.{item.property}" in description.consumed:
            reason = unmeasured(maximal_joints[item.path], item.property) if item.path in maximal_joints else ""
            yield item.path, item.property, NOT_EVALUATED, reason or _unmeasured(item.property, item.schema)


def _refused(description: Description) -> Iterator[tuple[str, str, str, str]]:
    """Opinions that PhysX refuses."""
    accepted = {(m.path, m.instance) for a in description.articulations for m in a.mimics}
    for d in description.mimic_declarations:
        name = f"physxMimicJoint:{d.instance}:gearing"
        if d.refusal:
            yield d.path, name, IGNORED, f"PhysX creates no mimic joint: {d.refusal}"
        elif (d.path, d.instance) not in accepted:
            yield d.path, name, IGNORED, "PhysX creates no mimic joint: the two joints are in different articulations"
    opinions = {(item.path, item.property) for item in description.authored}
    for problem in description.problems:
        if problem.severity == "error" and (problem.path, problem.property) in opinions:
            yield problem.path, problem.property, IGNORED, f"{problem.message}: {problem.why}"


def _refused_drive_rows(description: Description, authored: Authored) -> Iterator[tuple[str, str, str, str]]:
    """Numbers of drives outside articulations that PhysX refuses as a whole."""
    refused = refused_drives(description)
    driven = {joint.path for joint in description.separate_joints
              if any(axis.angular and axis.drive for axis in joint.axes)}
    for path, name in authored:
        why = refused.get((path, name.rpartition(":")[0]))
        if why and name.endswith(":targetPosition") and path in driven:
            yield path, name, NOT_EVALUATED, REFUSED_DRIVE_TARGET
        elif why:
            yield path, name, IGNORED, f"PhysX refuses the whole drive: {why}"


def _unmeasured(name: str, schema: str) -> str:
    """The reason why a number that became a fact is not measured."""
    if name in WITHOUT_EFFECT:
        return COMPUTATION_ONLY
    if schema in _COLLIDING:
        return "there is no experiment for this contact property yet; the command simulate shows its effect"
    if name.rpartition(":")[2] in _REASONS:
        return _REASONS[name.rpartition(":")[2]]
    subject = _SUBJECTS.get(schema)
    return (f"there is no experiment for {subject} yet; the command simulate shows their effect"
            if subject else NO_EXPERIMENT)
