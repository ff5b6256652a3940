"""Write a cart with a pole to cart_pole.usda or the given file: the robot of the guide on training.

    python examples/cart_pole.py [cart_pole.usda]
"""

from __future__ import annotations

import sys

from pxr import Usd, UsdGeom

from physx_schema.authoring import articulation_root, fixed_joint, prismatic_joint, revolute_joint, rigid_body

TRACK = 2.4     # m to each side
LENGTH = 1.0    # of the pole, m
MASS = 0.1      # of the pole, kg


def build(path: str = "cart_pole.usda") -> Usd.Stage:
    """Write the stage: a rail that is fixed to the world, a cart on it, and a pole on a hinge of the cart."""
    stage = Usd.Stage.CreateNew(path)
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    rail = rigid_body(stage, "/CartPole/rail", mass=1.0, inertia=(1.0, 1.0, 1.0))
    cart = rigid_body(stage, "/CartPole/cart", mass=1.0, inertia=(0.01, 0.01, 0.01))
    about_hinge = MASS * LENGTH**2 / 12.0
    pole = rigid_body(stage, "/CartPole/pole", mass=MASS, inertia=(about_hinge, about_hinge, 1e-4),
                      center_of_mass=(0.0, 0.0, LENGTH / 2))
    fixed_joint(stage, "/CartPole/base", None, rail)
    prismatic_joint(stage, "/CartPole/slider", rail, cart, axis="X", lower=-2 * TRACK, upper=2 * TRACK)
    revolute_joint(stage, "/CartPole/hinge", cart, pole, axis="Y")
    articulation_root(stage.GetPrimAtPath("/CartPole"), position_iterations=4, velocity_iterations=1)
    stage.Save()
    return stage


if __name__ == "__main__":
    build(*sys.argv[1:2])
