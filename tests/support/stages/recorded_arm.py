"""A small robot authored by hand, and recordings of it whose numbers are chosen, for tests of what is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from physx_runtime.simulation.recording import Recording
from pxr import Usd, UsdGeom, UsdPhysics

from physx_schema import authoring

SHOULDER, ELBOW = "/World/shoulder", "/World/elbow"
LINKS = ("/World/base", "/World/upper", "/World/lower")
INERTIA = (0.1, 0.1, 0.1)


def arm(*, mimic: bool = False, tendon: bool = False, spatial: bool = False) -> Any:
    """An arm of two unit bones along Z, which turn about Y at heights 0 and 1."""
    stage = Usd.Stage.CreateInMemory()
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    root = UsdGeom.Xform.Define(stage, "/World")
    stage.SetDefaultPrim(root.GetPrim())
    UsdPhysics.Scene.Define(stage, "/World/scene")
    for path, height in zip(LINKS, (0.0, 0.5, 1.5), strict=True):
        authoring.rigid_body(stage, path, mass=1.0, inertia=INERTIA, position=(0.0, 0.0, height))
    authoring.fixed_joint(stage, "/World/hold", None, LINKS[0])
    limits = (("lower", -30.0), ("upper", 60.0))
    authoring.revolute_joint(stage, SHOULDER, LINKS[0], LINKS[1], axis="Y", anchor=(0, 0, 0), **dict(limits))
    authoring.revolute_joint(stage, ELBOW, LINKS[1], LINKS[2], axis="Y", anchor=(0, 0, 1), **dict(limits))
    authoring.articulation_root(root.GetPrim())
    if mimic:
        authoring.mimic(stage.GetPrimAtPath(ELBOW), SHOULDER, gearing=-0.5, offset=3.0)
    if tendon:
        authoring.fixed_tendon(stage, "cord", [(SHOULDER, 0.02, 1.0), (ELBOW, 0.01, 1.0)], stiffness=5.0,
                               rest_length=0.3, offset=0.1)
    if spatial:
        leaf = authoring.Attachment(LINKS[2], (0.0, 0.0, 0.5), gearing=2.0)
        authoring.spatial_tendon(stage, "rope", (LINKS[0], (1.0, 0.0, 0.0)), [leaf], stiffness=5.0, offset=0.25)
    return stage


def swing(degrees: ArrayLike) -> Recording:
    """The arm at joint positions (n_record, 2), one record every 0.1 s; poses from plane trigonometry."""
    q = np.radians(np.asarray(degrees, dtype=np.float64))
    poses = np.zeros((len(q), 1, 3, 7))
    poses[..., 6] = 1.0
    turned = np.cumsum(q, axis=1)
    tip = np.zeros((len(q), 2))
    for i in range(2):
        along = np.stack([np.sin(turned[:, i]), np.cos(turned[:, i])], axis=1)
        poses[:, 0, i + 1, [0, 2]] = tip + 0.5 * along
        poses[:, 0, i + 1, 4], poses[:, 0, i + 1, 6] = np.sin(turned[:, i] / 2), np.cos(turned[:, i] / 2)
        tip = tip + along
    still = np.zeros((*poses.shape[:3], 6))
    q = q[:, None]
    return Recording(0.1 * np.arange(len(q)), (SHOULDER, ELBOW), q, np.zeros_like(q), LINKS, poses, still, (32, 1), "")


def saved(stage: Any, path: Path) -> Path:
    """The stage, in a file."""
    stage.GetRootLayer().Export(str(path))
    return path
