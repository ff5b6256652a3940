"""The momentum of a humanoid as a whole: what its joints cannot change in flight.

    python examples/centroidal_momentum.py

h = A(q) v is linear and angular momentum about the centre of mass, dh/dt = A a + bias. A falling humanoid waves its
limbs: its angular momentum stays, and linear momentum grows by its weight alone.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from humanoid import build
from physx_runtime import Simulation

WORLDS, STEPS, DT = 8, 100, 1 / 1000


def momenta(sim: Simulation) -> np.ndarray:
    """h of every world, (n_world, 6), through the Direct API's one buffer of four regions."""
    direct, indices, nv = sim.direct, np.arange(sim.worlds), sim.topology.nv
    sizes = (nv * nv, nv, 6 * nv, 6)            # one kind of articulation: nothing is padded
    data = np.zeros(sim.worlds * sum(sizes), sim.dtype)
    mass, coriolis, matrix, _ = np.split(data, np.cumsum(sizes[:3]) * sim.worlds)
    direct.compute("eMASS_MATRICES", mass, indices)
    direct.compute("eCORIOLIS_AND_CENTRIFUGAL_COMPENSATION", coriolis, indices)
    direct.compute("eCENTROIDAL_MOMENTUM_MATRICES", data, indices)
    return np.einsum("wij,wj->wi", matrix.reshape(-1, 6, nv), sim.get("v"))


def fall() -> tuple[np.ndarray, np.ndarray, float]:
    """Momenta before and after the fall, and the robot's weight."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "humanoid.usda"
        build(path)
        sim = Simulation(path, worlds=WORLDS, dt=DT, dtype="float64")
    sim.step()                                  # the Direct API works from the first step on, as PhysX's does
    random = np.random.default_rng(0)
    for name in ("linear_damping", "angular_damping"):
        sim.set_parameter(name, 0.0)
    sim.reset(joint_velocity=random.uniform(-1.0, 1.0, (WORLDS, 21)))
    before = momenta(sim)
    sim.set("joint_effort", random.uniform(-0.2, 0.2, (WORLDS, 21)))
    sim.step(STEPS)
    return before, momenta(sim), float(sim.parameter("mass")[0].sum() * 9.81)


if __name__ == "__main__":
    before, after, weight = fall()
    change = after - before
    print(f"linear momentum grew by {np.abs(change[:, 2]).mean():.2f} kg m/s, weight times time is "
          f"{weight * STEPS * DT:.2f} kg m/s")
    print(f"angular momentum: up to {np.abs(before[:, 3:]).max():.2f} kg m^2/s, changed by at most "
          f"{np.abs(change[:, 3:]).max():.4f}")
