"""Stages for sessions, edits of them, and bodies that turn slowly.

Stages for sessions, and what a stage says about the poses and joints on it.

Edits of the arm of session_stages between two steps, each of one kind.

Bodies that turn slowly, with orientations in single precision, and prims nested far out on them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics

from physx_schema.description.frames import decompose
from support.stages.iteration_stages import prim as body_prim
from support.stages.iteration_stages import stage
from support.stages.robots import base, joint, link, opened, prim, robot

DT = 1 / 60
DRIVEN = ("PhysicsDriveAPI:angular", "PhysicsJointStateAPI:angular")
DRIVE: dict[str, object] = {
    "uniform token physics:axis": "Y", "point3f physics:localPos0": (1.0, 0.0, 0.0),
    "float drive:angular:physics:stiffness": 2.0, "float drive:angular:physics:damping": 0.1,
    "float drive:angular:physics:targetPosition": 30.0, "float state:angular:physics:position": 0.0,
}
SCENE = prim("PhysicsScene", "scene", (), {"vector3f physics:gravityDirection": (0, 0, -1),
                                           "float physics:gravityMagnitude": 9.81})


def arm(*more: str, meters: float = 1.0, kilograms: float = 1.0, upper: str = "", lower: str = "") -> str:
    """Two driven hinges on a fixed base: /Robot/shoulder turns /Robot/upper, /Robot/elbow turns /Robot/lower."""
    return robot(
        base(), upper or link("upper", (1, 0, 0)), lower or link("lower", (2, 0, 0)),
        joint("Revolute", "shoulder", "base", "upper", DRIVEN, DRIVE),
        joint("Revolute", "elbow", "upper", "lower", DRIVEN, DRIVE), *more,
        meters=meters, kilograms=kilograms, outside=SCENE)


def floating() -> str:
    """The arm without its joint to the world; the root body is /Robot/base."""
    drive = joint("Revolute", "shoulder", "base", "upper", DRIVEN, DRIVE)
    return robot(link("base", schemas=("PhysicsArticulationRootAPI",)), link("upper", (1, 0, 0)), drive, schemas=(),
                 outside=SCENE)


def texts(stage: Any) -> list[str]:
    """The text of every layer in use."""
    return [layer.ExportToString() for layer in (stage.GetSessionLayer(), stage.GetRootLayer())]


def world_poses(stage: Any, paths: tuple[str, ...]) -> NDArray[np.float64]:
    """(n, 7) world poses as USD composes them."""
    cache = UsdGeom.XformCache(Usd.TimeCode.Default())
    poses = [decompose(cache.GetLocalToWorldTransform(stage.GetPrimAtPath(path))).pose for path in paths]
    return np.array([[*position, *rotation] for position, rotation in poses])


def pose_error(found: NDArray[Any], expected: NDArray[Any]) -> float:
    """Largest difference between poses, quaternions up to their sign."""
    sign = np.sign((found[:, 3:] * expected[:, 3:]).sum(axis=1, keepdims=True))
    return float(np.abs(np.concatenate([found[:, :3], found[:, 3:] * sign], axis=1) - expected).max())


def value(stage: Any, path: str) -> Any:
    """The composed value of an attribute."""
    return stage.GetAttributeAtPath(path).Get()


def state(stage: Any, joint_path: str, base: str = "position", instance: str = "angular") -> float:
    """A joint's state as written."""
    return float(value(stage, f"{joint_path}.state:{instance}:physics:{base}"))


__all__ = ["DT", "arm", "floating", "link", "opened", "pose_error", "prim", "state", "texts", "value", "world_poses"]


# --- session edits ---------------------------------------------------------------------------------------------------

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


# --- small turns -----------------------------------------------------------------------------------------------------

FAR = 3.0           # m: what a turn moves most
BODY, TIP = "/Base/Bar", "/Base/Bar/tip"
SMALL = (1e-6, 1e-3)        # rad that a body has turned by after STEPS: from below what float32 shows to above it
STEPS = 30


def slow_turn(seed: int) -> str:
    """A weightless body below a placed prim, scaled or not, that turns by a small angle about any axis."""
    random = np.random.default_rng([seed, 11])
    axis = random.normal(size=3)
    axis /= np.linalg.norm(axis)
    angle = float(np.exp(random.uniform(*np.log(SMALL))))
    rate = np.degrees(angle / (STEPS * DT)) * axis
    turned = random.normal(size=4) if seed % 3 == 0 else np.array([1.0, 0.0, 0.0, 0.0])     # most begin unturned
    quaternion = turned / np.linalg.norm(turned)
    operations = {"double3 xformOp:translate": vector(random.uniform(-1, 1, 3)),
                  "quatf xformOp:orient": vector(quaternion)}
    names = ["xformOp:translate", "xformOp:orient"]
    if seed % 2:
        operations["float3 xformOp:scale"] = vector(np.full(3, random.uniform(0.5, 2.0)))
        names.append("xformOp:scale")
    order = {"uniform token[] xformOpOrder": "[" + ", ".join(f'"{name}"' for name in names) + "]"}
    tip = body_prim("Xform", "tip", "", {"double3 xformOp:translate": vector([FAR, 0, 0]),
                                         "uniform token[] xformOpOrder": '["xformOp:translate"]'})
    bar = body_prim("Xform", "Bar", "PhysicsRigidBodyAPI PhysicsMassAPI PhysxRigidBodyAPI", {
        "float physics:mass": "1", "float3 physics:diagonalInertia": "(1, 1, 1)",
        "bool physxRigidBody:disableGravity": "1", "float physxRigidBody:angularDamping": "0",
        "float physxRigidBody:sleepThreshold": "0", "vector3f physics:angularVelocity": vector(rate),
        **operations, **order}, tip)
    base = {"double3 xformOp:translate": vector(random.uniform(-1, 1, 3)),
            "uniform token[] xformOpOrder": '["xformOp:translate"]'}
    return stage(body_prim("Xform", "Base", "", base, bar))


def vector(values: object) -> str:
    return "(" + ", ".join(f"{float(x)!r}" for x in np.asarray(values)) + ")"
