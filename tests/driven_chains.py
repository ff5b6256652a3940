"""Chains of any length for the path that needs no code of their own: drives, limits, friction, armature everywhere."""

from __future__ import annotations

from pathlib import Path

from pxr import Usd, UsdGeom

from physx_schema import authoring


def driven_chain(path: Path, dofs: int) -> None:
    """Write a chain of so many hinges about alternating axes, hanging from the world."""
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    stage.SetDefaultPrim(stage.DefinePrim("/World", "Xform"))
    stage.DefinePrim("/World/scene", "PhysicsScene")
    root = stage.DefinePrim("/World/art", "Xform")
    below = authoring.rigid_body(stage, "/World/art/base", mass=2.0, inertia=(0.1, 0.1, 0.1), position=(0.0, 0.0, 0.0))
    authoring.fixed_joint(stage, "/World/art/anchor", None, below)
    for i in range(dofs):
        body = authoring.rigid_body(stage, f"/World/art/link{i}", mass=0.5, inertia=(0.01, 0.01, 0.005),
                                    position=(0.0, 0.0, -0.05 - 0.1 * i))
        joint = authoring.revolute_joint(stage, f"/World/art/joint{i}", below, body, axis="XYXZ"[i % 4],
                                         anchor=(0.0, 0.0, -0.1 * i), lower=-120.0, upper=120.0)
        authoring.drive(joint, stiffness=0.5, damping=0.1, max_force=60.0)
        authoring.joint_axis(joint, armature=0.05, static_friction=0.05, dynamic_friction=0.03,
                             viscous_friction=0.0005, max_velocity=400.0)
        below = body
    authoring.articulation_root(root)
    stage.Save()
