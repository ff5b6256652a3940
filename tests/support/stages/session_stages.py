"""Stages for sessions, and what a stage says about the poses and joints on it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Usd, UsdGeom

from physx_schema.description.frames import decompose
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
