"""PhysX's counterparts of properties of other engines that it does not read.

What a property is depends on the prim: mjc:stiffness is a joint's spring on a joint, and a tendon's on a tendon.
"""

from __future__ import annotations

from collections.abc import Mapping

from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.schemas import SINGLE_AXIS

_Names = Mapping[str, str]

# Of joints; {axis} is the instance name of the joint's axis.
_JOINT: _Names = {
    "mjc:armature": "physxJointAxis:{axis}:armature",
    "mjc:damping": "physxJointAxis:{axis}:viscousFrictionCoefficient",
    "mjc:frictionloss": "physxJointAxis:{axis}:staticFrictionEffort",
    "mjc:stiffness": "drive:{axis}:physics:stiffness",
    "mjc:springref": "drive:{axis}:physics:targetPosition",
    "mjc:actuatorfrcrange:max": "drive:{axis}:physics:maxForce",
    "urdf:limit:effort": "drive:{axis}:physics:maxForce",
    "urdf:limit:velocity": "physxJointAxis:{axis}:maxJointVelocity",
}



def _tendon(name: str, schema: str) -> str:
    return f"physxTendon:*:{name} ({schema})"


_AXIS_ROOT, _ROOT, _LEAF = "PhysxTendonAxisRootAPI", "PhysxTendonAttachmentRootAPI", "PhysxTendonAttachmentLeafAPI"

# Of tendons over joints, and of those over places.
_FIXED_TENDON: _Names = {
    "mjc:stiffness": _tendon("stiffness", _AXIS_ROOT), "mjc:damping": _tendon("damping", _AXIS_ROOT),
    "mjc:range:min": _tendon("lowerLimit", _AXIS_ROOT), "mjc:range:max": _tendon("upperLimit", _AXIS_ROOT),
    "mjc:springlength": _tendon("restLength", _AXIS_ROOT),
    "mjc:path": "PhysxTendonAxisAPI on each joint of the tendon",
    "mjc:path:coef": f"{_tendon('gearing', 'PhysxTendonAxisAPI')} on each joint",
}
_SPATIAL_TENDON: _Names = {
    "mjc:stiffness": _tendon("stiffness", _ROOT),
    "mjc:damping": _tendon("damping", _ROOT),
    "mjc:range:min": _tendon("lowerLimit", _LEAF),
    "mjc:range:max": _tendon("upperLimit", _LEAF),
    "mjc:springlength": _tendon("restLength", _LEAF),
    "mjc:path": "PhysxTendonAttachmentAPI on the link of each site",
}

# Of actuators, which name what they drive.
_STIFFNESS, _DAMPING, _FORCE = (
    f"drive:*:physics:{name} of the driven joint" for name in ("stiffness", "damping", "maxForce"))
_ACTUATOR: _Names = {
    "newton:kp": _STIFFNESS, "newton:kd": _DAMPING, "newton:maxEffort": _FORCE,
    "mjc:gainPrm": _STIFFNESS, "mjc:biasPrm": f"{_STIFFNESS}, and the damping of that drive",
    "mjc:forceRange:max": _FORCE,
}

_COLLIDER: _Names = {
    "mjc:margin": "physxCollision:contactOffset", "mjc:gap": "physxCollision:contactOffset",
    "mjc:maxhullvert": "physxConvexHullCollision:hullVertexLimit",
}
_MATERIAL: _Names = {
    "newton:torsionalFriction": "physxCollision:torsionalPatchRadius",
    "mjc:torsionalfriction": "physxCollision:torsionalPatchRadius",
}

# Of prims of any other kind.
_OTHER: _Names = {
    **_COLLIDER, **_MATERIAL, "newton:inertia": "physics:diagonalInertia (principal moments) and "
                                                "physics:principalAxes",
    "newton:maxSolverIterations": "physxScene:maxPositionIterationCount",
    "mjc:option:timestep": "physxScene:timeStepsPerSecond",
    "mjc:option:iterations": "physxScene:maxPositionIterationCount",
}


def counterpart(opinions: PrimOpinions, name: str) -> str:
    """What PhysX has in place of a property on a prim, "" for nothing."""
    if opinions.joint_kind is not None:
        return _JOINT.get(name, "").format(axis=SINGLE_AXIS.get(opinions.joint_kind, "*"))
    if opinions.type_name == "MjcTendon":
        fixed = opinions.peek("mjc:type") == "fixed"
        return (_FIXED_TENDON if fixed else _SPATIAL_TENDON).get(name, "")
    if opinions.type_name.endswith("Actuator"):
        return "" if _drives_tendon(opinions) else _ACTUATOR.get(name, "")
    return _OTHER.get(name, "")


def _drives_tendon(opinions: PrimOpinions) -> bool:
    """Whether an actuator pulls a tendon, which nothing does in PhysX."""
    prim = opinions.prim
    targets = prim.GetRelationship("mjc:target").GetForwardedTargets() if prim.HasRelationship("mjc:target") else ()
    return any(prim.GetStage().GetPrimAtPath(target).GetTypeName() == "MjcTendon" for target in targets)
