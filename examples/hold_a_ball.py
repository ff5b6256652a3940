"""Author a hand of three fingers that close on a ball and hold it under the palm.

    python examples/hold_a_ball.py hand.usda
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from linkages import Point, joint, new_stage, rod
from physx_runtime import simulate
from pxr import Usd, UsdGeom, UsdPhysics, UsdShade

import physx_schema as PhysxSchema
from physx_schema import authoring

RADIUS, WEIGHT = 0.04, 0.1          # of the ball, m and kg
LENGTH, THICK = 0.1, 0.01           # of a finger, m
PALM = 0.2                          # its height, m
FINGERS = 3


def build(path: Path | str) -> Usd.Stage:
    """The stage of the hand, its fingers open around the ball."""
    stage = new_stage(path, "/Hand")
    rubber = UsdShade.Material.Define(stage, "/Rubber")
    UsdPhysics.MaterialAPI.Apply(rubber.GetPrim()).CreateStaticFrictionAttr(1.0)
    UsdPhysics.MaterialAPI(rubber).CreateDynamicFrictionAttr(1.0)
    PhysxSchema.PhysxMaterialAPI.Apply(rubber.GetPrim(), frictionCombineMode="max")
    authoring.rigid_body(stage, "/Ball", mass=WEIGHT, inertia=(0.4 * WEIGHT * RADIUS**2,) * 3,
                         position=(0.0, 0.0, PALM - 0.75 * LENGTH))
    shape = UsdGeom.Sphere.Define(stage, "/Ball/shape")
    shape.CreateRadiusAttr(RADIUS)
    collider(shape.GetPrim(), rubber)
    palm = authoring.rigid_body(stage, "/Hand/palm", mass=0.5, inertia=(0.001,) * 3, position=(0, 0, PALM)).GetPrim()
    joint(UsdPhysics.FixedJoint, "/Hand/wrist", None, palm, (0.0, 0.0, PALM))
    for i in range(FINGERS):
        turn = 2.0 * math.pi * i / FINGERS
        out = (math.cos(turn), math.sin(turn))
        reach = RADIUS + 2.0 * THICK
        finger(stage, i, palm, (reach * out[0], reach * out[1], PALM), (-out[1], out[0], 0.0), rubber)
    authoring.articulation_root(stage.GetDefaultPrim(), position_iterations=32, velocity_iterations=1)
    stage.Save()
    return stage


def finger(stage: Usd.Stage, i: int, palm: Usd.Prim, root: Point, axis: Point, rubber: UsdShade.Material) -> None:
    """A finger that hangs from the palm and is driven towards the ball."""
    tip = (root[0], root[1], root[2] - LENGTH)
    prim = rod(stage, f"/Hand/finger{i}", root, tip, mass=0.02, radius=THICK)
    capsule = UsdGeom.Capsule.Define(stage, prim.GetPath().AppendChild("shape"))
    capsule.CreateAxisAttr(UsdGeom.Tokens.x)
    capsule.CreateRadiusAttr(THICK)
    capsule.CreateHeightAttr(LENGTH - 2.0 * THICK)
    collider(capsule.GetPrim(), rubber)
    hinge = joint(UsdPhysics.RevoluteJoint, f"/Hand/knuckle{i}", palm, prim, root, axis)
    authoring.drive(hinge, stiffness=0.05, damping=0.002, target=15.0)


def collider(prim: Usd.Prim, material: UsdShade.Material) -> None:
    """Let a shape collide, of a material."""
    UsdPhysics.CollisionAPI.Apply(prim)
    UsdShade.MaterialBindingAPI.Apply(prim).Bind(material, materialPurpose="physics")


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else "hand.usda"
    build(target)
    motion = simulate(target, steps=120, every=5)
    names = [f"/Hand/finger{i}" for i in range(FINGERS)]
    # of a third of a second after the start: later hand and ball are asleep, and PhysX tells no contacts of what sleeps
    pressed, rubbed = (force(["/Ball"], names)[4, 0, 0] for force in (motion.net_contact_force,
                                                                      motion.net_friction_force))
    for name, force in zip(names, pressed, strict=True):
        print(f"{name} presses the ball with {math.hypot(*force):.2f} N")
    print(f"the fingers carry {(pressed + rubbed)[:, 2].sum():.3f} N of {9.81 * WEIGHT:.3f} N")
    place = motion.body_pose[:, 0, motion.body_names.index("/Ball")]
    print(f"the ball is {PALM - place[-1, 2]:.3f} m below the palm, and was {PALM - place[0, 2]:.3f} m below it")
