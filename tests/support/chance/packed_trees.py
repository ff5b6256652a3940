"""Small packed models for tests that need no stage: random trees, as structure and parameter rows."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from physx_runtime.model.row_specs import input_rows, state_rows
from physx_runtime.model.topology import (
    FIXED,
    PRISMATIC,
    REVOLUTE,
    ROOT,
    SPHERICAL,
    DofTopology,
    LinkTopology,
    Topology,
)

Rows = dict[str, NDArray[np.float64]]


def random_tree(seed: int, links: int = 5, floating: bool = False, kinds: str = "rrrp") -> tuple[Topology, Rows]:
    """A branching tree with random geometry, masses and state; drives, limits and friction on every dof.

    kinds: revolute, prismatic, fixed, spherical; b: spherical with coordinates counted backwards; u: with two of them.
    """
    random = np.random.default_rng(seed)
    letters = random.choice(list(kinds), links)
    chosen = [{"r": REVOLUTE, "p": PRISMATIC, "f": FIXED}.get(k, SPHERICAL) for k in letters]
    parents = [max(0, int(i - random.integers(0, 2))) for i in range(links)]
    topology = Topology(
        not floating, True,
        (LinkTopology(-1, ROOT), *(LinkTopology(p, k, letter == "b")
                                   for p, k, letter in zip(parents, chosen, letters, strict=True))),
        tuple(DofTopology(i + 1, "force", friction=True, limit=True, axis=axis) for i, k in enumerate(letters)
              for axis in {"f": (), "s": (0, 1, 2), "b": (0, 1, 2), "u": (0, 2)}.get(k, (0,))))
    return topology, random_rows(random, topology)


def random_rows(random: np.random.Generator, topology: Topology) -> Rows:
    """Random geometry, masses and state of a tree; tendons and mimics stay 0."""
    rows = {name: np.zeros(n) for name, n in (state_rows(topology) | input_rows(topology)).items()}
    count, dofs = len(topology.links), len(topology.dofs)

    def rotations(n: int) -> NDArray[np.float64]:
        q = random.normal(size=(n, 4))
        return (q / np.linalg.norm(q, axis=1, keepdims=True)).ravel()

    mass = random.uniform(0.5, 2.0, count)
    moments = random.uniform(0.05, 0.08, (count, 3)) * mass[:, None]
    rows |= {
        "dt": np.array([1 / 60]), "h": np.array([1 / 60 / 4]), "erp": np.array([0.9]), "length_scale": np.ones(1),
        "gravity": np.array([0.0, 0.0, -9.81]), "mass": mass, "com": random.uniform(-0.2, 0.2, 3 * count),
        "inertia": np.concatenate([moments, np.zeros((count, 3))], axis=1).ravel(),
        "tree_position": random.uniform(-0.5, 0.5, 3 * count), "tree_rotation": rotations(count),
        "gravity_enabled": np.ones(count), "max_linear_velocity": np.full(count, np.inf),
        "max_angular_velocity": np.full(count, np.inf), "cfm_scale": np.full(count, 0.025),
        "armature": random.uniform(0.0, 0.1, dofs), "velocity_clamp": np.full(dofs, np.inf),
        "max_velocity": np.full(dofs, np.inf), "lower_limit": np.full(dofs, -1.0), "upper_limit": np.full(dofs, 1.0),
        "static_friction": random.uniform(0, 0.5, dofs), "dynamic_friction": random.uniform(0, 0.3, dofs),
        "stiffness": random.uniform(0, 20, dofs), "damping": random.uniform(0, 2, dofs),
        "max_force": np.full(dofs, 50.0), "q": random.uniform(-0.8, 0.8, dofs),
        "v": random.uniform(-1, 1, topology.nv), "root_rotation": rotations(1),
    }
    if not topology.fixed_base:
        rows["com"][:3] = 0.0       # a floating root's frame is at its centre of mass
        rows["root_axes"] = rotations(1)
    return rows


def double_pendulum(m: tuple[float, float], length: float, reach: tuple[float, float],
                    moment: tuple[float, float]) -> tuple[Topology, Rows]:
    """Two links turning about z, hanging along x at q = 0: the planar arm of the textbooks."""
    t = Topology(True, True, (LinkTopology(-1, "root"), LinkTopology(0, "revolute"), LinkTopology(1, "revolute")),
                 (DofTopology(1), DofTopology(2)))
    rows = {name: np.zeros(n) for name, n in (state_rows(t) | input_rows(t)).items()}
    half = np.sqrt(0.5)
    onto_z = [0.0, -half, 0.0, half]           # x of the internal frame onto the world's z
    identity = [0.0, 0.0, 0.0, 1.0]
    rows |= {
        "root_rotation": np.array(identity), "tree_rotation": np.array(identity + onto_z + identity),
        "tree_position": np.array([0.0] * 6 + [0.0, 0.0, -length]),
        "com": np.array([0.0] * 3 + [0.0, 0.0, -reach[0]] + [0.0, 0.0, -reach[1]]),
        "mass": np.array([0.0, *m]), "gravity": np.array([0.0, -9.81, 0.0]), "gravity_enabled": np.ones(3),
        "inertia": np.array([0.0] * 6 + [moment[0]] + [0.0] * 5 + [moment[1]] + [0.0] * 5),
    }
    return t, rows
