"""Stages of one articulation whose joints all have drives, limits, friction and armature."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pxr import Usd, UsdGeom

from physx_schema import authoring


def empty_world(path: Path) -> tuple[Any, Any]:
    """A new stage in metres with a scene, and the prim /World/art for an articulation on it."""
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    stage.SetDefaultPrim(stage.DefinePrim("/World", "Xform"))
    stage.DefinePrim("/World/scene", "PhysicsScene")
    return stage, stage.DefinePrim("/World/art", "Xform")


def driven_chain(path: Path, dofs: int) -> None:
    """Write a chain of so many hinges about alternating axes, hanging from the world."""
    _hinged(path, [0.5] * dofs, (0.01, 0.01, 0.005), "XYXZ", -0.1)


def driven_arm(path: Path) -> None:
    """Write an arm of seven hinges that stands on the world."""
    _hinged(path, [1.5 - 0.15 * i for i in range(7)], (0.02, 0.02, 0.01), "ZYXYZYX", 0.3)


def _hinged(path: Path, masses: Sequence[float], inertia: tuple[float, float, float], axes: str, length: float) -> None:
    """Links of these masses [kg] along z, each `length` [m] long, about `axes` in turn."""
    stage, root = empty_world(path)
    below = authoring.rigid_body(stage, "/World/art/base", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, 0.0))
    authoring.fixed_joint(stage, "/World/art/anchor", None, below)
    for i, mass in enumerate(masses):
        body = authoring.rigid_body(stage, f"/World/art/link{i}", mass=mass, inertia=inertia,
                                    position=(0.0, 0.0, 0.5 * length + length * i))
        joint = authoring.revolute_joint(stage, f"/World/art/joint{i}", below, body, axis=axes[i % len(axes)],
                                         anchor=(0.0, 0.0, length * i), lower=-120.0, upper=120.0)
        authoring.drive(joint, stiffness=0.5, damping=0.1, max_force=60.0)
        authoring.joint_axis(joint, armature=0.05, static_friction=0.05, dynamic_friction=0.03,
                             viscous_friction=0.0005, max_velocity=400.0)
        below = body
    authoring.articulation_root(root)
    stage.Save()
