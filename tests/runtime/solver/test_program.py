"""How fast the step converges, measured: first order in the substep, and in the step with iterations in proportion."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.model.row_specs import input_rows, state_rows
from physx_runtime.model.topology import DofTopology, LinkTopology, Topology
from physx_runtime.solver.program import step_on_numbers
from physx_runtime.solver.settings import SolverSettings
from support.chance.packed_models import Rows, double_pendulum

# Of an order estimated from two errors whose steps are in the ratio 2.
ORDER, SPREAD = 1.0, 0.1
# A planar two-link arm: masses, length of the first link, distances of the centres of mass, moments of inertia.
(M1, M2), LENGTH, (R1, R2), (I1, I2) = (1.3, 0.7), 0.9, (0.4, 0.3), (0.05, 0.02)


def run(t: Topology, rows: Rows, dt: float, duration: float, iterations: int) -> Rows:
    """The rows after `duration`, without limits, link damping and velocity iterations."""
    settings = SolverSettings(iterations, 0, softened=False)
    free = ("max_linear_velocity", "max_angular_velocity", "velocity_clamp", "max_force")
    now = rows | {name: np.full(len(rows[name]), np.inf) for name in free}
    now |= {name: np.array([value]) for name, value in settings.rows(dt).items()}
    for _ in range(round(duration / dt)):
        now = step_on_numbers(t, now, settings)
    return now


def orders(errors: list[float]) -> np.ndarray:
    return np.log2(np.array(errors[:-1]) / np.array(errors[1:]))


def slider(mass: float) -> tuple[Topology, Rows]:
    """A driven slider without gravity."""
    t = Topology(True, True, (LinkTopology(-1, "root"), LinkTopology(0, "prismatic")), (DofTopology(1, "force"),))
    rows = {name: np.zeros(n) for name, n in (state_rows(t) | input_rows(t)).items()}
    identity = np.array([0.0, 0.0, 0.0, 1.0])
    rows |= {"mass": np.array([0.0, mass]), "root_rotation": identity, "tree_rotation": np.concatenate([identity] * 2),
             "length_scale": np.ones(1)}
    return t, rows


def test_a_drive_converges_to_the_damped_oscillator_with_the_number_of_iterations() -> None:
    mass, k, d, duration = 2.0, 50.0, 4.0, 0.5
    t, rows = slider(mass)
    rows |= {"stiffness": np.array([k]), "damping": np.array([d]), "q": np.array([0.3]), "v": np.array([-1.0])}
    decay, w = d / (2 * mass), np.sqrt(k / mass - (d / (2 * mass))**2)
    exact = np.exp(-decay * duration) * (0.3 * np.cos(w * duration) + (-1.0 + decay * 0.3) / w * np.sin(w * duration))
    errors = [abs(float(run(t, rows, 0.02, duration, n)["q"][0]) - exact) for n in (4, 8, 16, 32)]
    assert np.abs(orders(errors) - ORDER).max() < SPREAD, errors


def acceleration(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Of the planar two-link arm (Craig, Introduction to Robotics)."""
    c, s = np.cos(q[1]), np.sin(q[1])
    m12 = M2 * (R2 * R2 + LENGTH * R2 * c) + I2
    M = np.array([[M1 * R1 * R1 + M2 * (LENGTH**2 + R2 * R2 + 2 * LENGTH * R2 * c) + I1 + I2, m12],
                  [m12, M2 * R2 * R2 + I2]])
    h = -M2 * LENGTH * R2 * s
    g2 = M2 * R2 * 9.81 * np.cos(q[0] + q[1])
    g1 = (M1 * R1 + M2 * LENGTH) * 9.81 * np.cos(q[0]) + g2
    return np.linalg.solve(M, -np.array([h * (2 * v[0] * v[1] + v[1]**2) + g1, -h * v[0]**2 + g2]))


def runge_kutta(q: np.ndarray, v: np.ndarray, duration: float, steps: int) -> np.ndarray:
    x, dt = np.concatenate([q, v]), duration / steps

    def rate(x: np.ndarray) -> np.ndarray:
        return np.concatenate([x[2:], acceleration(x[:2], x[2:])])

    for _ in range(steps):
        k1 = rate(x)
        k2 = rate(x + 0.5 * dt * k1)
        k3 = rate(x + 0.5 * dt * k2)
        k4 = rate(x + dt * k3)
        x = x + dt / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    return x[:2]


@pytest.mark.parametrize("iterations", [1, 16])
def test_a_double_pendulum_converges_to_runge_kutta_with_the_time_step(iterations: int) -> None:
    t, rows = double_pendulum((M1, M2), LENGTH, (R1, R2), (I1, I2))
    q, v, duration = np.array([0.3, -0.7]), np.array([1.1, 0.4]), 0.25
    rows |= {"q": q, "v": v}
    exact = runge_kutta(q, v, duration, 400)
    errors = [float(np.abs(np.array(run(t, rows, duration / n, duration, iterations)["q"], float) - exact).max())
              for n in (40, 80, 160)]
    assert np.abs(orders(errors) - ORDER).max() < SPREAD, errors
