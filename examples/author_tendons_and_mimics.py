"""Author a finger with two tendons and a mimic joint, and see what PhysX will make of it.

    python examples/author_tendons_and_mimics.py finger.usda

Lengths in metres, angles in degrees.
"""

from __future__ import annotations

import sys

from pxr import Usd, UsdGeom, UsdPhysics

import physx_schema as PhysxSchema
from physx_schema.authoring import (
    Attachment,
    articulation_root,
    drive,
    fixed_joint,
    fixed_tendon,
    joint_axis,
    mimic,
    revolute_joint,
    rigid_body,
    spatial_tendon,
)

BONES = ("palm", "proximal", "middle", "distal")
LENGTH = 0.04                   # of every bone; a joint between each two of them
KNUCKLE, MIDDLE, TIP = "/Finger/knuckle", "/Finger/middle_joint", "/Finger/tip_joint"


def finger(path: str) -> Usd.Stage:
    """A palm held to the world and three bones in a row along x, bending about y."""
    stage = Usd.Stage.CreateNew(path)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdPhysics.Scene.Define(stage, "/Scene")
    root = UsdGeom.Xform.Define(stage, "/Finger").GetPrim()
    for index, name in enumerate(BONES):
        rigid_body(stage, f"/Finger/{name}", mass=0.02, inertia=(2e-6, 4e-6, 4e-6), position=(index * LENGTH, 0, 0))
    fixed_joint(stage, "/Finger/wrist", None, "/Finger/palm")
    for index, joint in enumerate((KNUCKLE, MIDDLE, TIP)):
        revolute_joint(
            stage, joint, f"/Finger/{BONES[index]}", f"/Finger/{BONES[index + 1]}", axis="Y",
            anchor=((index + 0.5) * LENGTH, 0.0, 0.0), lower=-5.0, upper=90.0,
        )
        joint_axis(stage.GetPrimAtPath(joint), armature=0.002)      # kg m^2, of the gear motors
    articulation_root(root, position_iterations=32, velocity_iterations=0)
    return stage


def actuate(stage: Usd.Stage) -> None:
    """A flexor along knuckle and middle joint, an elastic band along the back, and a tip that follows."""
    # the tendon shortens by 8 mm per radian of the knuckle and 6 mm of the middle joint: gearing is per degree
    fixed_tendon(
        stage, "flexor", [(KNUCKLE, 1.4e-4, 0.002), (MIDDLE, 1.05e-4, 0.006)], stiffness=300.0, damping=0.2,
        rest_length=0.004,
    )
    band = Attachment("/Finger/middle", (0.0, 0.0, 0.008))
    spatial_tendon(
        stage, "band", ("/Finger/palm", (0.0, 0.0, 0.008)),
        [Attachment("/Finger/proximal", (0.0, 0.0, 0.008), children=(band,))], stiffness=20.0, damping=0.1,
    )
    drive(stage.GetPrimAtPath(KNUCKLE), stiffness=0.002, damping=0.0005, target=20.0, max_force=0.5)
    # q_tip - 0.6 q_middle = 0: the tip bends with the middle joint
    mimic(stage.GetPrimAtPath(TIP), MIDDLE, gearing=-0.6, natural_frequency=30.0, damping_ratio=1.0)


def main() -> None:
    """Author, show what was understood, and show what is refused."""
    path = sys.argv[1] if len(sys.argv) > 1 else "finger.usda"
    stage = finger(path)
    actuate(stage)
    stage.Save()
    found = PhysxSchema.describe(stage).articulations[0]
    print(f"{path}: {len(found.links)} links, {len(found.fixed_tendons)} fixed tendon, "
          f"{len(found.spatial_tendons)} spatial tendon, {len(found.mimics)} mimic joint")
    print(f"findings: {len(PhysxSchema.check(stage).findings)}")
    try:
        fixed_tendon(stage, "extensor", [(KNUCKLE, -1e-4, -0.006), (TIP, -1e-4, -0.006)], stiffness=100.0, upper=0.01)
    except PhysxSchema.AuthoringError as error:
        print(f"refused, and nothing written:\n{error}")


if __name__ == "__main__":
    main()
