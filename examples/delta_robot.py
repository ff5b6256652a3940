"""Author a delta robot: three motors on a plate carry a platform by three pairs of rods and do not turn it.

    python examples/delta_robot.py delta.usda

Each motor turns an arm; two rods on balls go from the arm to the platform. One rod carries the platform in the tree of
the articulation, the other five close loops.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path

from linkages import ball, gap, hinge, new_stage, rod
from physx_runtime import simulate
from pxr import Gf, Usd

from physx_schema import authoring

PLATE, PLATFORM = 0.12, 0.04        # distances of motors and rods from the middle [m]
ARM, DROP, HALF = 0.16, 0.35, 0.03  # length of an arm, height of the platform below the plate, half between two rods
TARGETS = (20.0, -10.0, 5.0)        # of the motors [degrees]
LOOPS = tuple(f"/Delta/joints/platform_{leg}{side}" for leg in range(3) for side in "ab")[1:]


def build(path: Path | str) -> Usd.Stage:
    """The stage of the delta robot."""
    stage = new_stage(path, "/Delta")
    plate = authoring.rigid_body(stage, "/Delta/plate", mass=3.0, inertia=(0.02, 0.02, 0.04)).GetPrim()
    platform = authoring.rigid_body(stage, "/Delta/platform", mass=0.3, inertia=(2e-4, 2e-4, 4e-4),
                                    position=(0.0, 0.0, -DROP)).GetPrim()
    authoring.fixed_joint(stage, "/Delta/joints/anchor", None, plate)
    for leg, target in enumerate(TARGETS):
        add_leg(stage, leg, plate, platform, target)
    authoring.articulation_root(stage.GetDefaultPrim(), position_iterations=32, velocity_iterations=1)
    stage.Save()
    return stage


def add_leg(stage: Usd.Stage, leg: int, plate: Usd.Prim, platform: Usd.Prim, target: float) -> None:
    """A motor, its arm, and two rods to the platform."""
    angle = leg * 2.0 * math.pi / 3.0
    out, across = Gf.Vec3d(math.cos(angle), math.sin(angle), 0.0), Gf.Vec3d(-math.sin(angle), math.cos(angle), 0.0)
    elbow = (PLATE + ARM) * out
    arm = rod(stage, f"/Delta/arm_{leg}", PLATE * out, elbow, mass=0.2)
    motor = hinge(f"/Delta/joints/motor_{leg}", plate, arm, PLATE * out, across)
    authoring.drive(motor, stiffness=1.0, damping=0.05, target=target, max_force=20.0)      # per degree
    authoring.joint_axis(motor, armature=0.005)
    for side, shift in (("a", HALF), ("b", -HALF)):
        top, end = elbow + shift * across, PLATFORM * out + shift * across - Gf.Vec3d(0.0, 0.0, DROP)
        forearm = rod(stage, f"/Delta/rod_{leg}{side}", top, end, mass=0.05)
        ball(f"/Delta/joints/elbow_{leg}{side}", arm, forearm, top)
        name = f"/Delta/joints/platform_{leg}{side}"
        ball(name, forearm, platform, end, closes_loop=name in LOOPS)


if __name__ == "__main__":
    robot = sys.argv[1] if len(sys.argv) > 1 else "delta.usda"
    built = build(robot)
    motion = simulate(robot, dt=1 / 240, steps=240)
    poses = motion.body_pose[:, 0]
    x, y, z, *turn = poses[-1, motion.body_names.index("/Delta/platform")]
    widest = max(gap(built, motion.body_names, pose, loop) for pose in poses for loop in LOOPS)
    angle = 2.0 * math.asin(min(1.0, math.hypot(*turn[:3])))
    print(f"{robot}: the platform is at ({x:.3f}, {y:.3f}, {z:.3f}), turned by {angle:.4f} rad")
    print(f"widest gap of {len(LOOPS)} loops: {1e6 * widest:.1f} micrometres")
