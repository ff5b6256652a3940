"""What is authored and never acts: refused mimic joints, problems and unused opinions become rows too."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from physx_runtime.verification.report import IGNORED, NOT_EVALUATED, Row
from physx_schema.description.model import Description

# Base names of the properties that verification answers for.
ANSWERED = frozenset({
    "stiffness", "damping", "maxForce", "gearing", "forceCoefficient", "limitStiffness", "offset", "restLength",
    "naturalFrequency", "dampingRatio", "armature", "staticFrictionEffort", "dynamicFrictionEffort",
    "viscousFrictionCoefficient", "maxJointVelocity", "maxActuatorVelocity", "velocityDependentResistance",
    "speedEffortGradient", "targetPosition", "targetVelocity",
})
# Applied schemas whose loss takes such properties along.
SCHEMAS = ("PhysxTendon", "PhysxMimicJoint", "PhysicsDrive", "PhysxDrivePerformanceEnvelope", "PhysxJointAxis")

# The number a property authors on the stage: (prim path, property) -> value, None where it is no number.
Authored = Callable[[str, str], float | None]


def refused_rows(description: Description, authored: Authored) -> Iterator[Row]:
    """A row for every number that does nothing, and for those that this library cannot judge."""
    seen = set()
    for path, name, verdict, reason in _refused(description):
        if (path, name) not in seen:
            seen.add((path, name))
            value = authored(path, name)
            yield Row(path, name, math.nan if value is None else value, None, None, verdict, reason)


def _refused(description: Description) -> Iterator[tuple[str, str, str, str]]:
    """Path, property, verdict and reason."""
    accepted = {(m.path, m.instance) for a in description.articulations for m in a.mimics}
    for d in description.mimic_declarations:
        name = f"physxMimicJoint:{d.instance}:gearing"
        if d.refusal:
            yield d.path, name, IGNORED, f"PhysX makes no mimic joint: {d.refusal}"
        elif (d.path, d.instance) not in accepted:
            yield d.path, name, IGNORED, "PhysX makes no mimic joint: the two joints are not in one articulation"
    for problem in description.problems:
        if problem.severity == "error" and _answered(problem.property):
            yield problem.path, problem.property, IGNORED, f"{problem.message}: {problem.why}"
    for opinion in description.unused:
        if _answered(opinion.property):
            hint = f" ({opinion.suggestion})" if opinion.suggestion else ""
            yield opinion.path, opinion.property, IGNORED, opinion.reason + hint
    for opinion in description.not_evaluated:
        if _answered(opinion.property):
            yield opinion.path, opinion.property, NOT_EVALUATED, opinion.reason
    for joint in description.joints:
        for dof in joint.dofs:
            for name in ("stiffness", "damping") if dof.drive else ():
                yield (dof.path, f"{dof.drive.prefix if dof.drive else ''}{name}", NOT_EVALUATED,
                       "the joint is in no articulation; only articulations are measured")


def _answered(name: str) -> bool:
    return name.rpartition(":")[2] in ANSWERED or any(schema in name for schema in SCHEMAS)
