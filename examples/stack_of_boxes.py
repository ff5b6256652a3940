"""Author a stack of five boxes of rubber on the ground, let it stand for two seconds, and ask who carries how much.

    python examples/stack_of_boxes.py stack.usda
"""

from __future__ import annotations

import sys
from pathlib import Path

from physx_runtime import simulate
from pxr import Usd, UsdGeom, UsdPhysics, UsdShade

import physx_schema as PhysxSchema
from physx_schema import authoring

COUNT, SIZE, MASS = 5, 0.2, 2.0     # boxes; m; kg
GAP = 0.001                         # between boxes at the start, m: they come down by themselves


def build(path: Path | str) -> Usd.Stage:
    """The stage of the stack."""
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdPhysics.Scene.Define(stage, "/Scene")
    rubber = UsdShade.Material.Define(stage, "/Rubber")
    UsdPhysics.MaterialAPI.Apply(rubber.GetPrim()).CreateStaticFrictionAttr(0.8)
    UsdPhysics.MaterialAPI(rubber).CreateDynamicFrictionAttr(0.8)
    PhysxSchema.PhysxMaterialAPI.Apply(rubber.GetPrim(), frictionCombineMode="max")
    collider(UsdGeom.Plane.Define(stage, "/Ground").GetPrim(), rubber)
    moment = MASS * SIZE**2 / 6.0
    for i in range(COUNT):
        body = authoring.rigid_body(stage, f"/Box{i}", mass=MASS, inertia=(moment,) * 3,
                                    position=(0.0, 0.0, SIZE / 2 + i * SIZE + (i + 1) * GAP)).GetPrim()
        cube = UsdGeom.Cube.Define(stage, body.GetPath().AppendChild("shape"))
        cube.CreateSizeAttr(SIZE)
        collider(cube.GetPrim(), rubber)
    stage.Save()
    return stage


def collider(prim: Usd.Prim, material: UsdShade.Material) -> None:
    """Let a shape collide, of a material."""
    UsdPhysics.CollisionAPI.Apply(prim)
    UsdShade.MaterialBindingAPI.Apply(prim).Bind(material, materialPurpose="physics")


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else "stack.usda"
    build(target)
    motion = simulate(target, steps=120, every=20)
    names = [f"/Box{i}" for i in range(COUNT)]
    for below, above in zip(["/Ground", *names], names, strict=False):
        # of the first record after the start: later the stack is asleep, and PhysX tells no contacts of what sleeps
        force = motion.net_contact_force([above], [below])[1, 0, 0, 0]
        print(f"{below} carries {above} with {force[2]:.1f} N")
    top = motion.body_pose[-1, 0, motion.body_names.index(names[-1])]
    print(f"the top box is at {top[2]:.3f} m of {SIZE * (COUNT - 0.5):.3f} m")
