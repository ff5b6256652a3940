"""Author a four-bar linkage, let a motor turn its crank, and see that the loop stays closed.

    python examples/four_bar.py four_bar.usda

The crank and the rocker turn about pins of the base; the coupler joins them. Grashof: the crank goes all the way round.
"""

from __future__ import annotations

import sys
from pathlib import Path

from linkages import gap, hinge, new_stage, rod
from physx_runtime import simulate
from pxr import Usd

from physx_schema import authoring

CRANK_PIN, ROCKER_PIN = (0.0, 0.0, 0.0), (0.4, 0.0, 0.0)
CRANK_END, ROCKER_END = (0.0, 0.0, 0.12), (0.3, 0.0, 0.3605551)     # the rocker 0.374 long, the coupler 0.384
LOOP = "/FourBar/joints/coupler_to_rocker"


def build(path: Path | str) -> Usd.Stage:
    """The stage of the four-bar."""
    stage = new_stage(path, "/FourBar")
    base = authoring.rigid_body(stage, "/FourBar/base", mass=2.0, inertia=(0.02, 0.04, 0.04),
                                position=(0.2, 0.0, -0.05)).GetPrim()
    crank = rod(stage, "/FourBar/crank", CRANK_PIN, CRANK_END, mass=0.2)
    coupler = rod(stage, "/FourBar/coupler", CRANK_END, ROCKER_END, mass=0.4)
    rocker = rod(stage, "/FourBar/rocker", ROCKER_PIN, ROCKER_END, mass=0.4)
    authoring.fixed_joint(stage, "/FourBar/joints/anchor", None, base)
    motor = hinge("/FourBar/joints/motor", base, crank, CRANK_PIN)
    hinge("/FourBar/joints/crank_to_coupler", crank, coupler, CRANK_END)
    hinge("/FourBar/joints/rocker_pin", base, rocker, ROCKER_PIN)
    hinge(LOOP, coupler, rocker, ROCKER_END, closes_loop=True)
    authoring.drive(motor, stiffness=0.0, damping=0.02, target_velocity=180.0, max_force=5.0)     # per degree
    authoring.articulation_root(stage.GetDefaultPrim(), position_iterations=32, velocity_iterations=1)
    stage.Save()
    return stage


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else "four_bar.usda"
    built = build(target)
    motion = simulate(target, dt=1 / 240, steps=480)
    turned = motion.joint_position[-1, 0, motion.joint_names.index("/FourBar/joints/motor")]
    widest = max(gap(built, motion.body_names, poses, LOOP) for poses in motion.body_pose[:, 0])
    print(f"{target}: the crank turned by {turned * 57.29578:.1f} degrees in {motion.time[-1]:.1f} s")
    print(f"widest gap of the loop: {1e6 * widest:.1f} micrometres")
