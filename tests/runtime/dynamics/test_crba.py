"""Physical identities of the equations of motion on random trees with every kind of joint, in float64.

Energies and momenta come from `rigid_motion`, which knows poses only and differentiates them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from physx_runtime.dynamics.crba import centroidal_momentum, mass_matrix
from physx_runtime.dynamics.kinematics import Kinematics, forward_kinematics, link_motions
from physx_runtime.dynamics.rnea import coriolis_force, gravity_force
from physx_runtime.dynamics.spatial import quaternion as quaternion_of
from physx_runtime.model.topology import Topology
from support.chance.packed_models import Rows, random_tree
from support.mechanics.rigid_motion import Configuration

# Fourth-order differences of poses.
DIFFERENCED = 1e-10
# Fourth-order differences over TIME of quantities that are differences themselves, relative to the rate's size.
RATE, TIME = 1e-6, 5e-4
# Hinges, sliders, fixed joints, spherical joints with three and two axes and backwards ones.
KINDS = "rrpfsub"
TREES = [(seed, floating) for floating in (False, True) for seed in range(4)]


def tree(seed: int, floating: bool, locked: bool = False) -> tuple[Topology, Rows]:
    """A tree; joints with locked axes leave their coordinates when moved, so most tests do without."""
    return random_tree(seed, links=7, floating=floating, kinds=KINDS if locked else KINDS.replace("u", "s"))


def rate(f: Callable[[float], np.ndarray]) -> np.ndarray:
    """df/dt at 0."""
    near, far = (np.asarray(f(h)) - np.asarray(f(-h)) for h in (TIME, 2.0 * TIME))
    return (8.0 * near - far) / (12.0 * TIME)


def pose(t: Topology, rows: Rows) -> Kinematics:
    return forward_kinematics(t, rows, rows["q"], quaternion_of(rows, "root_rotation", 0))


def matrix(t: Topology, rows: Rows) -> np.ndarray:
    return np.array(mass_matrix(t, rows, pose(t, rows)), float)


def coriolis(t: Topology, rows: Rows, v: np.ndarray) -> np.ndarray:
    k = pose(t, rows)
    return np.array(coriolis_force(t, rows, k, link_motions(t, k, v)), float)


def acceleration(t: Topology, rows: Rows, tau: np.ndarray) -> np.ndarray:
    """a with M a + C(q, v) + g(q) = tau."""
    held = coriolis(t, rows, rows["v"]) + np.array(gravity_force(t, rows, pose(t, rows)), float)
    return np.linalg.solve(matrix(t, rows), tau - held)


@pytest.mark.parametrize(("seed", "floating"), TREES)
def test_half_v_m_v_is_the_links_kinetic_energy(seed: int, floating: bool) -> None:
    t, rows = tree(seed, floating, locked=True)
    v = rows["v"]
    energy = Configuration.of(t, rows).kinetic(v)
    assert 0.5 * v @ matrix(t, rows) @ v == pytest.approx(energy, rel=DIFFERENCED)


@pytest.mark.parametrize(("seed", "floating"), TREES)
def test_energy_grows_by_the_power_of_the_generalised_force(seed: int, floating: bool) -> None:
    t, rows = tree(seed, floating)
    v, tau = rows["v"], np.random.default_rng(seed).uniform(-3.0, 3.0, t.nv)
    a, start = acceleration(t, rows, tau), Configuration.of(t, rows)

    def energy(time: float) -> float:
        there = start.moved(v, time)
        return there.kinetic(v + time * a) + there.potential()

    assert rate(energy) == pytest.approx(tau @ v, abs=RATE * np.abs(tau * v).sum())


@pytest.mark.parametrize("seed", range(4))
def test_a_floating_tree_that_nothing_pushes_keeps_its_momentum(seed: int) -> None:
    t, rows = tree(seed, floating=True)
    rows["gravity"] = np.zeros(3)
    tau = np.random.default_rng(seed).uniform(-3.0, 3.0, t.nv)
    tau[:6] = 0.0
    v, start = rows["v"], Configuration.of(t, rows)
    a = acceleration(t, rows, tau)
    change = rate(lambda time: start.moved(v, time).momentum(v + time * a))
    assert np.abs(change).max() < RATE * np.abs(a).max()


@pytest.mark.parametrize("seed", range(4))
def test_centroidal_momentum_is_the_links_momentum(seed: int) -> None:
    t, rows = tree(seed, floating=True, locked=True)
    A, _ = centroidal_momentum(t, matrix(t, rows), coriolis(t, rows, rows["v"]))
    expected = Configuration.of(t, rows).momentum(rows["v"])
    assert np.abs(np.array(A, float) @ rows["v"] - expected).max() < DIFFERENCED * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("seed", range(4))
def test_centroidal_bias_is_the_momentums_rate_without_acceleration(seed: int) -> None:
    t, rows = tree(seed, floating=True)
    v, start = rows["v"], Configuration.of(t, rows)
    _, bias = centroidal_momentum(t, matrix(t, rows), coriolis(t, rows, v))
    expected = rate(lambda time: start.moved(v, time).momentum(v))
    assert np.abs(np.array(bias, float) - expected).max() < RATE * np.abs(expected).max()


@pytest.mark.parametrize(("seed", "floating"), TREES)
def test_the_rate_of_the_mass_matrix_minus_twice_coriolis_does_no_work(seed: int, floating: bool) -> None:
    """v . (dM/dt v - 2 C(q, v)) = 0."""
    t, rows = tree(seed, floating)
    v, start = rows["v"], Configuration.of(t, rows)
    growth = v @ rate(lambda time: matrix(t, start.moved(v, time).as_rows())) @ v
    assert growth == pytest.approx(2.0 * v @ coriolis(t, rows, v), rel=RATE)


@pytest.mark.parametrize(("seed", "floating"), TREES)
def test_gravity_force_times_velocity_is_the_rate_of_potential_energy(seed: int, floating: bool) -> None:
    t, rows = tree(seed, floating)
    v, start = rows["v"], Configuration.of(t, rows)
    expected = rate(lambda time: start.moved(v, time).potential())
    assert np.array(gravity_force(t, rows, pose(t, rows)), float) @ v == pytest.approx(expected, rel=RATE)
