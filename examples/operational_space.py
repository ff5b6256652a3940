"""Pull the tip of an arm along a straight line with the inertia that it has there (operational-space control).

    python examples/operational_space.py

F = L (kp e - kd v), tau = J^T F + C + g, with L the operational-space inertia of the last link: the tip then answers as
a unit mass would, in every direction and pose alike. Its way is straight but for dJ/dt qd, which is left out here.
"""

from __future__ import annotations

import numpy as np
from gravity_compensation import arm
from physx_runtime import Simulation, compute

TIP, STIFFNESS, DAMPING = "/Arm/link2", 100.0, 20.0
DT, STEPS = 1 / 240, 480
START = np.array([0.2, 0.7, 0.9])
GOAL = np.array([0.5, 0.3, 0.5])


def run() -> tuple[float, float]:
    """(distance left to the goal, largest distance from the straight line), metres."""
    stage = arm()
    sim = Simulation(stage, dt=DT, dtype="float64")
    sim.reset(joint_position=START)
    begin = tip_position(sim)
    away = 0.0
    line = (GOAL - begin) / np.linalg.norm(GOAL - begin)
    for _ in range(STEPS):
        position = tip_position(sim)
        jacobian = sim.dynamics.jacobian(TIP)[0, :3]
        wanted = STIFFNESS * (GOAL - position) - DAMPING * (jacobian @ sim.joint_velocity[0])
        force = sim.dynamics.operational_inertia(TIP, axes="linear")[0] @ wanted
        sim.set("joint_effort", jacobian.T @ force + sim.dynamics.bias()[0])
        sim.step()
        offset = position - begin
        away = max(away, float(np.linalg.norm(offset - line * (offset @ line))))
    return float(np.linalg.norm(GOAL - tip_position(sim))), away


def tip_position(sim: Simulation) -> np.ndarray:
    """The last link's centre of mass, which is its frame's origin."""
    return sim.link_pose[0, -1, :3]


if __name__ == "__main__":
    mass = compute(arm(), START, np.zeros(3), "mass_matrix")
    print(f"joint inertias at the start: {', '.join(f'{x:.3f}' for x in np.diag(mass))} kg m^2")
    print("left to the goal: {:.4f} m, off the line: {:.4f} m".format(*run()))
