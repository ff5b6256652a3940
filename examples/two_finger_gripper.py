"""Author a gripper of two fingers with four-bar linkages, in the manner of the Robotiq 2F-85, and close it.

    python examples/two_finger_gripper.py gripper.usda

A driver and a knuckle of equal length hold each finger, so that it stays upright; the finger's joint on the knuckle
closes a loop. One motor drives the left finger, and the right one follows it by a mimic joint.
"""

from __future__ import annotations

import sys
from pathlib import Path

from linkages import gap, hinge, new_stage, rod
from physx_runtime import simulate
from pxr import Gf, Usd, UsdPhysics

from physx_schema import authoring

DRIVER_PIN, KNUCKLE_PIN = Gf.Vec3d(0.03, 0.0, 0.055), Gf.Vec3d(0.012, 0.0, 0.065)   # of the left finger [m]
REACH = Gf.Vec3d(0.035, 0.0, 0.045)         # of driver and knuckle, open
TIP = Gf.Vec3d(-0.012, 0.0, 0.06)           # from the finger's lower pin
CLOSED = -35.0                              # where the motor is sent [degrees]
SIDES = {"left": 1.0, "right": -1.0}
LOOPS = tuple(f"/Gripper/joints/{side}_finger_to_knuckle" for side in SIDES)


def build(path: Path | str) -> Usd.Stage:
    """The stage of the gripper."""
    stage = new_stage(path, "/Gripper")
    base = authoring.rigid_body(stage, "/Gripper/base", mass=0.78, inertia=(2.6e-4, 2.3e-4, 1.5e-4),
                                center_of_mass=(0.0, 0.0, 0.035)).GetPrim()
    authoring.fixed_joint(stage, "/Gripper/joints/wrist", None, base)
    motors = [add_finger(stage, base, side, sign) for side, sign in SIDES.items()]
    authoring.articulation_root(stage.GetDefaultPrim(), position_iterations=32, velocity_iterations=1)
    authoring.drive(motors[0], stiffness=0.1, damping=0.005, target=CLOSED, max_force=5.0)      # per degree
    # q_right + q_left = 0: the fingers move against each other
    authoring.mimic(motors[1], motors[0], gearing=1.0)
    stage.Save()
    return stage


def add_finger(stage: Usd.Stage, base: Usd.Prim, side: str, sign: float) -> Usd.Prim:
    """Driver, knuckle and finger of one side, which is the left one mirrored; the joint of the driver."""
    driver_pin, knuckle_pin, reach, tip = (Gf.Vec3d(sign * x, y, z) for x, y, z in (
        DRIVER_PIN, KNUCKLE_PIN, REACH, TIP))
    driver = rod(stage, f"/Gripper/{side}_driver", driver_pin, driver_pin + reach, mass=0.023, radius=0.006)
    knuckle = rod(stage, f"/Gripper/{side}_knuckle", knuckle_pin, knuckle_pin + reach, mass=0.022, radius=0.006)
    pin = driver_pin + reach
    finger = rod(stage, f"/Gripper/{side}_finger", pin, pin + tip, mass=0.03, radius=0.008)
    motor = hinge(f"/Gripper/joints/{side}_motor", base, driver, driver_pin)
    for attribute, value in (("Lower", -50.0), ("Upper", 50.0)):
        getattr(UsdPhysics.RevoluteJoint(motor), f"Create{attribute}LimitAttr")(value)
    authoring.joint_axis(motor, armature=0.001)
    hinge(f"/Gripper/joints/{side}_finger_to_driver", driver, finger, pin)
    hinge(f"/Gripper/joints/{side}_knuckle_pin", base, knuckle, knuckle_pin)
    hinge(f"/Gripper/joints/{side}_finger_to_knuckle", knuckle, finger, knuckle_pin + reach, closes_loop=True)
    return motor


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else "gripper.usda"
    built = build(target)
    motion = simulate(target, dt=1 / 240, steps=240)
    left, right = (motion.joint_position[-1, 0, motion.joint_names.index(f"/Gripper/joints/{side}_motor")]
                   for side in SIDES)
    widest = max(gap(built, motion.body_names, poses, loop) for poses in motion.body_pose[:, 0] for loop in LOOPS)
    print(f"{target}: motors at {left * 57.29578:.2f} and {right * 57.29578:.2f} degrees")
    print(f"widest gap of {len(LOOPS)} loops: {1e6 * widest:.1f} micrometres")
