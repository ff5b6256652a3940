"""Physical identities of the dynamics algorithms in float64, on random trees."""

from __future__ import annotations

import numpy as np
import pytest
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.crba import mass_matrix
from physx_runtime.dynamics.inertia import central_inertia
from physx_runtime.dynamics.jacobian import com_jacobian
from physx_runtime.dynamics.kinematics import Kinematics, forward_kinematics, link_motions
from physx_runtime.dynamics.linear import inverse
from physx_runtime.dynamics.rnea import coriolis_force, gravity_force
from physx_runtime.dynamics.spatial import quaternion
from physx_runtime.model.topology import Topology
from support.chance.packed_models import Rows, double_pendulum, random_tree

# Rounding of float64 sums over a few links.
ROUNDING = 1e-11
# Central differences with step 1e-6 of smooth functions of size 1.
DIFFERENCE = 1e-7
STEP = 1e-6
SEEDS = range(6)


def pose(t: Topology, rows: Rows, q: np.ndarray) -> Kinematics:
    return forward_kinematics(t, rows, q, quaternion(rows, "root_rotation", 0))


def matrix_of(t: Topology, rows: Rows, q: np.ndarray) -> np.ndarray:
    return np.array(mass_matrix(t, rows, pose(t, rows, q)), dtype=float)


def potential(t: Topology, rows: Rows, q: np.ndarray) -> float:
    k = pose(t, rows, q)
    g = tuple(rows["gravity"])
    return -sum(m * float(sp.dot(g, sp.add(p, c))) for m, p, c in zip(rows["mass"], k.position, k.com, strict=True))


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_half_v_m_v_is_kinetic_energy(seed: int, floating: bool) -> None:
    t, rows = random_tree(seed, floating=floating)
    k = pose(t, rows, rows["q"])
    motions = link_motions(t, k, rows["v"])
    energy = 0.0
    for i, mass in enumerate(rows["mass"]):
        v, w = motions[i].velocity.linear, motions[i].velocity.angular
        energy += 0.5 * mass * sp.dot(v, v) + 0.5 * sp.dot(w, sp.mul_sv(central_inertia(t, rows, k, i), w))
    M = np.array(mass_matrix(t, rows, k), dtype=float)
    assert 0.5 * rows["v"] @ M @ rows["v"] == pytest.approx(energy, rel=ROUNDING)


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_inverse_times_mass_matrix_is_identity(seed: int, floating: bool) -> None:
    t, rows = random_tree(seed, floating=floating)
    M = matrix_of(t, rows, rows["q"])
    assert np.abs(np.array(inverse(M.tolist())) @ M - np.eye(t.nv)).max() < 1e-9


@pytest.mark.parametrize("seed", SEEDS)
def test_gravity_force_is_the_slope_of_potential_energy(seed: int) -> None:
    t, rows = random_tree(seed)
    q, force = rows["q"], gravity_force(t, rows, pose(t, rows, rows["q"]))
    for i in range(len(q)):
        e = STEP * np.eye(len(q))[i]
        slope = (potential(t, rows, q + e) - potential(t, rows, q - e)) / (2 * STEP)
        assert force[i] == pytest.approx(slope, abs=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_coriolis_force_follows_from_the_mass_matrix(seed: int) -> None:
    """C_i = sum (dM_ij/dq_k - 1/2 dM_jk/dq_i) v_j v_k, so that dM/dt - 2C is skew (fixed base)."""
    t, rows = random_tree(seed)
    q, v, n = rows["q"], rows["v"], len(rows["q"])
    dM = [(matrix_of(t, rows, q + e) - matrix_of(t, rows, q - e)) / (2 * STEP) for e in STEP * np.eye(n)]
    expected = sum(dM[k] * v[k] for k in range(n)) @ v - 0.5 * np.array([v @ d @ v for d in dM])
    k = pose(t, rows, q)
    assert np.allclose(coriolis_force(t, rows, k, link_motions(t, k, v)), expected, atol=1e-6)


@pytest.mark.parametrize("seed", SEEDS)
def test_com_jacobian_times_velocity_is_the_rate_of_the_centre_of_mass(seed: int) -> None:
    t, rows = random_tree(seed)
    q, v = rows["q"], rows["v"]
    before, after = pose(t, rows, q - STEP * v), pose(t, rows, q + STEP * v)
    motions = link_motions(t, pose(t, rows, q), v)
    for i in range(len(t.links)):
        moved = np.array(sp.sub(sp.add(after.position[i], after.com[i]), sp.add(before.position[i], before.com[i])))
        columns = com_jacobian(t, pose(t, rows, q), i)
        from_jacobian = sum((np.array(c, float) * v[j] for j, c in columns.items()), np.zeros(3))
        assert np.allclose(moved / (2 * STEP), from_jacobian, atol=DIFFERENCE)
        assert np.allclose(np.array(motions[i].velocity.linear, float), from_jacobian, atol=ROUNDING)


def test_double_pendulum_has_the_textbooks_mass_matrix_and_forces() -> None:
    """Craig, Introduction to Robotics, planar two-link arm with distributed mass."""
    (m1, m2), length, (r1, r2), (i1, i2) = (1.3, 0.7), 0.9, (0.4, 0.3), (0.05, 0.02)
    t, rows = double_pendulum((m1, m2), length, (r1, r2), (i1, i2))
    q, v = np.array([0.3, -0.7]), np.array([1.1, 0.4])
    c, s = np.cos(q[1]), np.sin(q[1])
    m12 = m2 * (r2 * r2 + length * r2 * c) + i2
    m11 = m1 * r1 * r1 + m2 * (length**2 + r2 * r2 + 2 * length * r2 * c) + i1 + i2
    expected = [[m11, m12], [m12, m2 * r2 * r2 + i2]]
    h = -m2 * length * r2 * s
    k = pose(t, rows, q)
    assert np.allclose(mass_matrix(t, rows, k), expected, atol=1e-12)
    assert np.allclose(coriolis_force(t, rows, k, link_motions(t, k, v)),
                       [h * (2 * v[0] * v[1] + v[1] ** 2), -h * v[0] ** 2], atol=1e-12)
    g2 = m2 * r2 * 9.81 * np.cos(q[0] + q[1])
    assert np.allclose(gravity_force(t, rows, k), [(m1 * r1 + m2 * length) * 9.81 * np.cos(q[0]) + g2, g2], atol=1e-12)
