"""Hold an arm still wherever it stands: the force that compensates gravity, computed for every world each step.

    python examples/gravity_compensation.py

A thousand worlds hold a three-joint arm in poses of their own; without the force the same arms fall.
"""

from __future__ import annotations

import numpy as np
from physx_runtime import Simulation
from pxr import Usd

from physx_schema import authoring

WORLDS, STEPS = 1000, 60


def arm() -> Usd.Stage:
    """A base fixed to the world and three links, each 0.4 m long."""
    stage = Usd.Stage.CreateInMemory()
    stage.SetMetadata("metersPerUnit", 1.0)
    stage.SetMetadata("upAxis", "Z")
    stage.DefinePrim("/Arm", "Xform")
    stage.DefinePrim("/Arm/scene", "PhysicsScene")
    below = authoring.rigid_body(stage, "/Arm/base", mass=5.0, inertia=(0.1, 0.1, 0.1))
    authoring.fixed_joint(stage, "/Arm/anchor", None, below)
    for i, axis in enumerate("ZYY"):
        link = authoring.rigid_body(stage, f"/Arm/link{i}", mass=2.0 - 0.5 * i, inertia=(0.03, 0.03, 0.003),
                                    position=(0.0, 0.0, 0.2 + 0.4 * i))
        authoring.revolute_joint(stage, f"/Arm/joint{i}", below, link, axis=axis, anchor=(0.0, 0.0, 0.4 * i))
        below = link
    authoring.articulation_root(stage.GetPrimAtPath("/Arm"))
    return stage


def largest_drift(compensated: bool) -> float:
    """How far any joint of any world moves in a second, degrees."""
    sim = Simulation(arm(), worlds=WORLDS, dt=1 / 60)
    start = np.random.default_rng(0).uniform(-1.5, 1.5, (WORLDS, 3))
    sim.reset(joint_position=start)
    sim.step()                                  # the Direct API works from the first step on, as PhysX's does
    sim.reset(joint_position=start)
    direct, indices = sim.direct, np.arange(WORLDS)
    gravity = np.zeros((WORLDS, direct.block_size("eGRAVITY_COMPENSATION")), np.float32)
    force = np.zeros((WORLDS, direct.block_size("eJOINT_FORCE")), np.float32)
    for _ in range(STEPS):
        if compensated:
            direct.compute("eGRAVITY_COMPENSATION", gravity, indices)
            force[:] = gravity[:, :3]           # a block has 6 places more, for a floating root
            direct.set("eJOINT_FORCE", force, indices)
        sim.step()
    return float(np.degrees(np.abs(sim.joint_position - start).max()))


if __name__ == "__main__":
    print(f"without: {largest_drift(False):.1f} degrees, with compensation: {largest_drift(True):.4f} degrees")
