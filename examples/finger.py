"""Write a finger of three hinges, without tendon or mimic joint, to finger.usda or the given file.

    python examples/finger.py [finger.usda]
"""

from __future__ import annotations

import sys

from pxr import Usd

from physx_schema.authoring import articulation_root, fixed_joint, joint_axis, revolute_joint, rigid_body

BONES = [f"/Finger/{name}" for name in ("palm", "proximal", "middle", "distal")]
JOINTS = [f"/Finger/{name}" for name in ("knuckle", "middle_joint", "tip_joint")]
LENGTH = 0.04       # of a bone, m


def build(path: str = "finger.usda") -> Usd.Stage:
    """Write the stage: four bones, three hinges about Y, and a wrist fixed to the world."""
    stage = Usd.Stage.CreateNew(path)
    stage.SetMetadata("metersPerUnit", 1.0)
    for i, bone in enumerate(BONES):
        rigid_body(stage, bone, mass=0.02, inertia=(2e-6, 4e-6, 4e-6), position=(LENGTH * i, 0, 0))
    fixed_joint(stage, "/Finger/wrist", None, BONES[0])
    for name, parent, child in zip(JOINTS, BONES, BONES[1:], strict=False):
        joint = revolute_joint(stage, name, parent, child, axis="Y", lower=-5, upper=90)
        joint_axis(joint, armature=0.002)
    articulation_root(stage.GetPrimAtPath("/Finger"), position_iterations=32, velocity_iterations=0)
    stage.Save()
    return stage


if __name__ == "__main__":
    build(*sys.argv[1:2])
