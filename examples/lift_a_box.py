"""Author a gripper with two flat fingers that closes on a box and lifts it by friction.

    python examples/lift_a_box.py lift.usda
"""

from __future__ import annotations

import sys
from pathlib import Path

from linkages import joint, new_stage
from physx_runtime import Scene
from pxr import Usd, UsdGeom, UsdPhysics

from physx_schema import authoring

BOX, WEIGHT = 0.05, 0.2             # m, kg
GRIP, LIFT = 0.005, 0.1             # how far the fingers would go into the box, and how high it is lifted, m
SIDES = {"left": 1.0, "right": -1.0}
FINGER, OPEN = (0.02, 0.04, 0.08), 0.002        # a finger, and how far it is from the box at the start, m


def build(path: Path | str) -> Usd.Stage:
    """The stage of the gripper above a box on the ground."""
    stage = new_stage(path, "/Gripper")
    UsdPhysics.CollisionAPI.Apply(UsdGeom.Plane.Define(stage, "/Ground").GetPrim())
    body(stage, "/Box", WEIGHT, (0.0, 0.0, BOX / 2), (BOX,) * 3)
    mount, base = (authoring.rigid_body(stage, f"/Gripper/{name}", mass=1.0, inertia=(0.01,) * 3,
                                        position=(0.0, 0.0, height)).GetPrim()
                   for name, height in (("mount", 0.4), ("base", 0.25)))
    joint(UsdPhysics.FixedJoint, "/Gripper/hold", None, mount, (0.0, 0.0, 0.4))
    lift = joint(UsdPhysics.PrismaticJoint, "/Gripper/lift", mount, base, (0.0, 0.0, 0.25), (0.0, 0.0, 1.0))
    authoring.drive(lift, stiffness=5000.0, damping=500.0)
    for side, sign in SIDES.items():
        start = (sign * (BOX / 2 + FINGER[0] / 2 + OPEN), 0.0, 0.06)
        finger = body(stage, f"/Gripper/{side}", 0.1, start, FINGER)
        slide = joint(UsdPhysics.PrismaticJoint, f"/Gripper/close_{side}", base, finger, start, (-sign, 0.0, 0.0))
        authoring.drive(slide, stiffness=2000.0, damping=400.0, target=OPEN + GRIP)
    authoring.articulation_root(stage.GetDefaultPrim(), position_iterations=32, velocity_iterations=1)
    stage.Save()
    return stage


def body(stage: Usd.Stage, path: str, mass: float, position: tuple, sides: tuple) -> Usd.Prim:
    """A body that is a block."""
    inertia = tuple(mass * (sum(side**2 for side in sides) - own**2) / 12.0 for own in sides)
    prim = authoring.rigid_body(stage, path, mass=mass, inertia=inertia, position=position).GetPrim()
    cube = UsdGeom.Cube.Define(stage, f"{path}/shape")
    cube.CreateSizeAttr(1.0)
    UsdGeom.Xformable(cube).AddScaleOp().Set(sides)
    UsdPhysics.CollisionAPI.Apply(cube.GetPrim())
    return prim


def lifted(path: Path | str) -> Scene:
    """The scene once the gripper has closed for half a second and lifted the box for one."""
    scene = Scene(str(path), sleeping=False)        # PhysX tells no contacts of what sleeps
    scene.step(30)
    robot = scene["/Gripper"]
    targets = robot.get("target_position").copy()
    targets[:, list(scene.joint_names).index("/Gripper/lift")] = LIFT
    robot.set("target_position", targets)
    scene.step(60)
    return scene


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else "lift.usda"
    build(target)
    end = lifted(target)
    pressed = [abs(end.net_contact_force("/Box", [f"/Gripper/{side}"])[0, 0, 0]) for side in SIDES]
    carried = end.net_friction_force("/Box")[0, 2]
    print(f"the box is {end.body_pose[0, end.body_names.index('/Box'), 2] - BOX / 2:.3f} m above the ground")
    print(f"the fingers press it with {pressed[0]:.1f} N and {pressed[1]:.1f} N, friction carries {carried:.2f} N")
