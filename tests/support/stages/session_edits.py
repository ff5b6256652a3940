"""Edits of the arm of session_stages between two steps, each of one kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pxr import Gf, Sdf, UsdGeom, UsdPhysics

SHOULDER, ELBOW = "/Robot/shoulder", "/Robot/elbow"


def edited(path: str, given: object) -> Callable[[Any], None]:
    """An edit that sets the value of an attribute."""
    return lambda stage: stage.GetAttributeAtPath(path).Set(given)


VALUES: dict[str, Callable[[Any], None]] = {
    "target": edited(f"{ELBOW}.drive:angular:physics:targetPosition", -40.0),
    "stiffness": edited(f"{ELBOW}.drive:angular:physics:stiffness", 9.0),
    "damping": edited(f"{ELBOW}.drive:angular:physics:damping", 3.0),
    "mass": edited("/Robot/lower.physics:mass", 4.0),
    "inertia": edited("/Robot/lower.physics:diagonalInertia", Gf.Vec3f(4, 5, 6)),
    "gravity": edited("/scene.physics:gravityMagnitude", 1.5),
    "joint frame": edited(f"{ELBOW}.physics:localPos0", Gf.Vec3f(0.6, 0.0, 0.2)),
    "limits": lambda stage: [UsdPhysics.RevoluteJoint(stage.GetPrimAtPath(ELBOW)).CreateLowerLimitAttr(-5.0),
                             UsdPhysics.RevoluteJoint(stage.GetPrimAtPath(ELBOW)).CreateUpperLimitAttr(3.0)],
    "max force": lambda stage: UsdPhysics.DriveAPI(
        stage.GetPrimAtPath(ELBOW), "angular").CreateMaxForceAttr(0.5),
    "applied API": lambda stage: apply_axis(stage.GetPrimAtPath(ELBOW)),
    "removed API": lambda stage: stage.GetPrimAtPath(ELBOW).RemoveAPI(UsdPhysics.DriveAPI, "angular"),
    "units": lambda stage: UsdGeom.SetStageMetersPerUnit(stage, 0.01),
}


def apply_axis(prim: Any) -> None:
    prim.AddAppliedSchema("PhysxJointAxisAPI:angular")
    prim.CreateAttribute("physxJointAxis:angular:armature", Sdf.ValueTypeNames.Float).Set(2.0)
