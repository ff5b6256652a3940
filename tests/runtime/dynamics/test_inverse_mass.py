"""M^-1 by the factor that keeps the zeros of a tree, on random trees in float64."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from physx_runtime.dynamics.crba import mass_matrix
from physx_runtime.dynamics.inverse_mass import InverseMass, inverse_mass, supports
from physx_runtime.dynamics.kinematics import forward_kinematics
from physx_runtime.dynamics.spatial import quaternion
from physx_runtime.model.topology import DofTopology, LinkTopology, Topology
from support.chance.packed_models import random_tree

# Rounding of float64 sums over a dozen velocities, amplified by the condition of M.
ROUNDING = 1e-11
SEEDS = range(6)


def inverted(seed: int, floating: bool) -> tuple[Topology, np.ndarray, InverseMass]:
    """A random tree with joints of every kind, its mass matrix and the inverse."""
    t, rows = random_tree(seed, 9, floating, "rrpsbuf")
    k = forward_kinematics(t, rows, rows["q"], quaternion(rows, "root_rotation", 0))
    M = mass_matrix(t, rows, k)
    return t, np.array(M, float), inverse_mass(t, M)


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_the_factor_is_zero_unless_one_velocity_supports_the_other(seed: int, floating: bool) -> None:
    t, _, minv = inverted(seed, floating)
    support = np.zeros((t.nv, t.nv), bool)
    for i, velocities in enumerate(supports(t)):
        support[i, list(velocities)] = True
    assert not np.array(minv.factor, float)[~support].any()


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_products_solve_the_equations_of_motion(seed: int, floating: bool, sparse: bool) -> None:
    t, M, minv = inverted(seed, floating)
    force = np.random.default_rng(seed).normal(size=t.nv)
    v = np.array(replace(minv, sparse=sparse).times(list(force)), float)
    assert np.allclose(M @ v, force, rtol=0, atol=ROUNDING)


@pytest.mark.parametrize("seed", SEEDS)
def test_half_of_a_solve_squared_is_the_response(seed: int) -> None:
    t, M, minv = inverted(seed, True)
    row = np.random.default_rng(seed).normal(size=t.nv)
    y = np.array(minv.half_solve(list(row)), float)
    assert y @ y == pytest.approx(row @ np.linalg.solve(M, row), rel=ROUNDING)


def test_a_chain_is_solved_by_its_dense_inverse_and_a_star_by_the_factor() -> None:
    def structure(*parents: int) -> Topology:
        links = (LinkTopology(-1, "root"), *(LinkTopology(parent, "revolute") for parent in parents))
        return Topology(True, True, links, tuple(DofTopology(i + 1) for i in range(len(parents))))

    chain, star = structure(0, 1, 2, 3, 4, 5), structure(0, 0, 0, 0, 0, 0)
    assert [inverse_mass(t, np.eye(6).tolist()).sparse for t in (chain, star)] == [False, True]
