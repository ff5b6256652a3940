"""Fixed tendons and mimic joints of random articulations that touch."""

from __future__ import annotations

import math
from dataclasses import dataclass

from support.chance.touching_shapes import Random
from support.stages.parts import Attributes

ROBOT = "art"
SINGLE = ("Revolute", "Prismatic")


@dataclass(frozen=True, slots=True)
class Joint:
    """A joint of an articulation, before it is written."""

    kind: str
    name: str
    parent: int                 # place of its parent link's joint among the joints; -1 at the root
    schemas: list[str]
    values: Attributes


def couple(random: Random, joints: list[Joint]) -> None:
    """Hold joints of one degree of freedom together: a tendon along a branch, or one joint that follows another."""
    single = [i for i, joint in enumerate(joints) if joint.kind in SINGLE]
    if len(single) > 1 and random.random() < 0.4:
        follower, reference = (joints[int(i)] for i in random.choice(single, 2, replace=False))
        _follow(random, follower, reference)
    elif single:
        _string(random, [joints[i] for i in _branch(joints, int(random.choice(single)))])


def _branch(joints: list[Joint], last: int) -> list[int]:
    """The joints of one degree of freedom without another between them, up to one of them."""
    found = [last]
    while (above := joints[found[0]].parent) >= 0 and joints[above].kind in SINGLE:
        found.insert(0, above)
    return found


def _string(random: Random, joints: list[Joint]) -> None:
    """A fixed tendon, which pulls towards where it starts."""
    for i, joint in enumerate(joints):
        unit = 180.0 / math.pi if joint.kind == "Revolute" else 1.0
        joint.schemas.append(f"PhysxTendonAxis{'' if i else 'Root'}API:t")
        gearing = float(random.uniform(0.3, 1.5))
        joint.values["float[] physxTendon:t:gearing"] = [round(gearing / unit, 6)]
        joint.values["float[] physxTendon:t:forceCoefficient"] = [round(gearing, 6)]
        if i == 0:
            joint.values["float physxTendon:t:stiffness"] = round(float(random.uniform(2.0, 20.0)), 4)
            joint.values["float physxTendon:t:damping"] = round(float(random.uniform(0.1, 1.0)), 4)


def _follow(random: Random, follower: Joint, reference: Joint) -> None:
    """A soft mimic joint."""
    units = [180.0 / math.pi if joint.kind == "Revolute" else 1.0 for joint in (follower, reference)]
    follower.schemas.append("PhysxMimicJointAPI:rotX")
    follower.values.update({
        "rel physxMimicJoint:rotX:referenceJoint": f"</World/{ROBOT}/{reference.name}>",
        "float physxMimicJoint:rotX:gearing": round(float(random.uniform(-1.2, 1.2)) * units[0] / units[1], 5),
        "float physxMimicJoint:rotX:naturalFrequency": round(float(random.uniform(5.0, 30.0)), 3),
        "float physxMimicJoint:rotX:dampingRatio": round(float(random.uniform(0.2, 1.2)), 3)})
