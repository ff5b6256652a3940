"""Author a humanoid: a floating torso and 21 hinges, 27 degrees of freedom in all.

    python examples/humanoid.py humanoid.usda

Waist, hips, ankles and shoulders turn about several axes by light links one after another, as robots' joints do.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pxr import Usd, UsdGeom

from physx_schema import authoring, describe

# link: (what it hangs on, mass [kg], centre [m], moment of inertia [kg m^2], place of its joint [m], axis); world axes
TRUNK = {
    "waist_yaw": ("torso", 0.4, (0.0, 0.0, 1.05), 0.002, (0.0, 0.0, 1.05), "Z"),
    "waist_pitch": ("waist_yaw", 2.2, (0.0, 0.0, 1.0), 0.012, (0.0, 0.0, 1.02), "Y"),
    "pelvis": ("waist_pitch", 6.6, (0.0, 0.0, 0.9), 0.05, (0.0, 0.0, 0.95), "X"),
}
LEG = {
    "hip_roll": ("pelvis", 0.5, (0.0, 0.1, 0.88), 0.002, (0.0, 0.1, 0.88), "X"),
    "hip_yaw": ("hip_roll", 0.5, (0.0, 0.1, 0.86), 0.002, (0.0, 0.1, 0.87), "Z"),
    "thigh": ("hip_yaw", 4.5, (0.0, 0.1, 0.69), 0.07, (0.0, 0.1, 0.86), "Y"),
    "shin": ("thigh", 2.6, (0.0, 0.1, 0.33), 0.04, (0.0, 0.1, 0.5), "Y"),
    "ankle": ("shin", 0.3, (0.0, 0.1, 0.1), 0.001, (0.0, 0.1, 0.12), "Y"),
    "foot": ("ankle", 1.7, (0.05, 0.1, 0.05), 0.007, (0.0, 0.1, 0.09), "X"),
}
ARM = {
    "shoulder": ("torso", 0.4, (0.0, 0.2, 1.4), 0.001, (0.0, 0.2, 1.4), "X"),
    "upper_arm": ("shoulder", 1.6, (0.0, 0.24, 1.25), 0.012, (0.0, 0.22, 1.39), "Y"),
    "forearm": ("upper_arm", 1.2, (0.0, 0.24, 0.98), 0.01, (0.0, 0.24, 1.11), "Y"),
}


def build(path: Path | str) -> None:
    """Write the humanoid to a USD file."""
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    stage.SetDefaultPrim(stage.DefinePrim("/Humanoid", "Xform"))
    stage.DefinePrim("/Humanoid/scene", "PhysicsScene")
    bodies = {"torso": authoring.rigid_body(stage, "/Humanoid/torso", mass=8.9, inertia=(0.13, 0.1, 0.09),
                                            position=(0.0, 0.0, 1.28))}
    add_limb(stage, bodies, TRUNK, "", 1.0)
    for side, sign in (("left_", 1.0), ("right_", -1.0)):
        add_limb(stage, bodies, LEG, side, sign)
        add_limb(stage, bodies, ARM, side, sign)
    authoring.articulation_root(bodies["torso"])
    stage.Save()


def add_limb(stage: Usd.Stage, bodies: dict, limb: dict, side: str, sign: float) -> None:
    """Hang a limb on the bodies there are; the right side is the left one mirrored."""
    for name, (parent, mass, center, moment, place, axis) in limb.items():
        mirrored = [(x, sign * y, z) for x, y, z in (center, place)]
        body = authoring.rigid_body(stage, f"/Humanoid/{side}{name}", mass=mass, inertia=(moment,) * 3,
                                    position=mirrored[0])
        below = bodies.get(f"{side}{parent}", bodies.get(parent))
        joint = authoring.revolute_joint(stage, f"/Humanoid/{side}{name}_joint", below, body, axis=axis,
                                         anchor=mirrored[1], lower=-120.0, upper=120.0)
        authoring.joint_axis(joint, armature=0.01)
        bodies[f"{side}{name}"] = body


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else "humanoid.usda"
    build(target)
    robot, = describe(target).articulations
    print(f"{target}: {len(robot.links)} links, {6 + len(robot.dofs)} degrees of freedom, "
          f"{sum(link.mass for link in robot.links):.1f} kg")
