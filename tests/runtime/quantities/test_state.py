"""Compiled quantities in float64 equal pinocchio's on 1200 random states of random articulations.

Fixed and floating bases; hinges, sliders, spherical and generic joints, fixed joints that pinocchio merges, centres of
mass off the frames, joints whose body0 is the child.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from types import SimpleNamespace

import numpy as np
import pytest
from physx_runtime.compiling.code import scalar_names
from physx_runtime.model.row_specs import input_rows, state_rows
from physx_runtime.model.topology import Topology
from physx_runtime.packing.articulation import pack
from physx_runtime.quantities import state as quantities
from physx_runtime.quantities.derivatives import inverse_derivatives
from physx_runtime.quantities.dynamics import Dynamics
from physx_runtime.quantities.state import WorldQuantities
from support.chance.articulations import Features, random_articulation
from support.stages.robots import opened

from physx_schema.description import describe

pinocchio_models = pytest.importorskip("support.mechanics.pinocchio_models", reason="pinocchio (pin) is not installed")

# Relative to the largest entry of a quantity.
FLOAT64 = 1e-10
STATES = 200
MIXED = {"prismatic": 0.3, "fixed": 0.2, "spherical": 0.3, "swapped": 0.4, "fixed_tendon": 0.0, "spatial_tendon": 0.0,
         "mimic": 0.0, "armature": 1.0, "drive": 0.0, "limit": 0.0, "friction": 0.0, "max_velocity": 0.0}
# seed, floating, share of generic joints among the spherical ones
TREES = [(11, False, 0.0), (12, False, 0.0), (13, False, 1.0), (24, True, 0.0), (25, True, 0.0), (26, True, 1.0)]
# Trees whose derivatives compile within seconds; those of the others are compared in the sweep.
COMPILED_AT_ONCE = (TREES[0], TREES[4])
KINDS = {"jacobian": quantities.jacobian, "mass": quantities.mass_without_armature,
         "gravity": quantities.gravity_compensation, "coriolis": quantities.coriolis_compensation,
         "center": quantities.com_world}


class Store:
    """Worlds in memory that nobody steps."""

    def __init__(self, t: Topology, rows: Mapping[str, np.ndarray], count: int, lanes: int = 16) -> None:
        names = scalar_names(state_rows(t) | input_rows(t))
        self.layout = {name: i for i, name in enumerate(names)}
        self.buffer = np.zeros((-(-count // lanes), len(names), lanes))
        for name, values in rows.items():
            for i in range(values.shape[-1]):
                line = np.resize(np.broadcast_to(values[..., i], count), self.buffer.shape[0] * lanes)
                self.buffer[:, self.layout[f"{name}_{i}"], :] = line.reshape(-1, lanes)

    def is_uniform(self, names: Collection[str]) -> bool:
        return False

    def blocks(self) -> tuple[np.ndarray, Mapping[str, int]]:
        return self.buffer, self.layout


class Tree:
    """A random articulation at STATES random states, in both libraries."""

    def __init__(self, seed: int, floating: bool, generic: float) -> None:
        text = random_articulation(seed, Features(links=(5, 6), floating=floating, generic=generic, **MIXED)).text
        description = describe(opened(text))
        art, random = description.articulations[0], np.random.default_rng(seed)
        self.packed = pack(art, description.scene)
        self.t, n = self.packed.topology, STATES
        self.q = random.uniform(-1.2, 1.2, (n, len(self.t.dofs)))
        self.v = random.uniform(-3.0, 3.0, (n, self.t.nv))
        self.position, rotation = random.uniform(-2.0, 2.0, (n, 3)), random.normal(size=(n, 4))
        self.rotation = rotation / np.linalg.norm(rotation, axis=1, keepdims=True)
        self.theirs = pinocchio_models.PinocchioModel(art, description.scene.gravity)
        state: dict[str, np.ndarray] = {**self.packed.parameters, **self.packed.state, "q": self.q, "v": self.v}
        state["velocity_clamp"] = np.full(len(self.t.dofs), np.inf)
        if floating:
            turned = [pinocchio_models.pin.Quaternion(r).matrix() @ np.array(art.links[0].center_of_mass)
                      for r in self.rotation]
            state |= {"root_position": self.position + turned, "root_rotation": self.rotation}
        self.store, self.batch = Store(self.t, state, n), WorldQuantities(self.t)
        self.armature = np.concatenate([np.zeros(self.t.root_size), self.packed.parameters["armature"]])

    def ours(self, quantity: object, **given: np.ndarray) -> dict[str, np.ndarray]:
        return self.batch.values(quantity, self.store, np.arange(STATES), given)

    def state(self, i: int) -> pinocchio_models.PinocchioModel:
        self.theirs.move(self.q[i], self.v[i], self.position[i], self.rotation[i])
        return self.theirs


@pytest.fixture(scope="module", params=TREES, ids=lambda p: f"{p[0]}-{'floating' if p[1] else 'fixed'}")
def tree(request: pytest.FixtureRequest) -> Tree:
    return Tree(*request.param)


def agree(ours: np.ndarray, theirs: np.ndarray, what: str) -> None:
    assert np.abs(ours - theirs.ravel()).max() <= FLOAT64 * max(1.0, np.abs(theirs).max()), what


def test_trees_have_every_kind_of_joint() -> None:
    kinds = {(link.joint.kind, link.joint.reversed) for tree in TREES
             for link in Tree(*tree).packed.actor.links if link.joint}
    assert kinds >= {(kind, reversed_) for kind in ("revolute", "prismatic", "fixed", "spherical", "d6")
                     for reversed_ in (False, True)}


def test_jacobian_mass_matrix_and_forces_equal_pinocchios(tree: Tree) -> None:
    made = {name: tree.ours(quantity)["values"] for name, quantity in KINDS.items()}
    for i in range(STATES):
        theirs = tree.state(i)
        for name, values in made.items():
            agree(values[i], getattr(theirs, name)(), name)


def test_centroidal_momentum_equals_pinocchios(tree: Tree) -> None:
    if tree.t.fixed_base:
        pytest.skip("a fixed base has no centroidal momentum")
    made = tree.ours(quantities.centroidal_momentum_at_state)
    for i in range(STATES):
        theirs = tree.state(i).centroidal()
        agree(made["matrix"][i], theirs[:, :-1], "matrix")
        agree(made["bias"][i], theirs[:, -1], "bias")


def test_inverse_and_forward_dynamics_equal_pinocchios(tree: Tree) -> None:
    random = np.random.default_rng(1)
    a, tau = random.uniform(-5.0, 5.0, (2, STATES, tree.t.nv))
    force = tree.ours(quantities.force_at_acceleration, acceleration=a)["values"]
    acceleration = tree.ours(quantities.acceleration_under_force, force=tau)["values"]
    for i in range(STATES):
        theirs = tree.state(i)
        agree(force[i], theirs.inverse(a[i]) + tree.armature * a[i], "force")
        agree(acceleration[i], theirs.forward(tau[i], tree.armature), "acceleration")


@pytest.mark.parametrize("kind", [
    pytest.param(kind, marks=() if kind in COMPILED_AT_ONCE else pytest.mark.sweep) for kind in TREES])
def test_derivatives_of_inverse_dynamics_equal_pinocchios(kind: tuple[int, bool, float]) -> None:
    tree = Tree(*kind)
    a = np.random.default_rng(2).uniform(-5.0, 5.0, (STATES, tree.t.nv))
    parts = [tree.ours(part, acceleration=a) for part in inverse_derivatives(tree.t)]
    position, velocity = (np.concatenate([part[name] for part in parts], axis=1).reshape(STATES, tree.t.nv, tree.t.nv)
                          for name in ("position", "velocity"))
    for i in range(STATES):
        by_position, by_velocity = tree.state(i).inverse_derivatives(tree.v[i], a[i])
        agree(position[i].T.ravel(), by_position, "position")
        agree(velocity[i].T.ravel(), by_velocity, "velocity")


def dynamics(tree: Tree) -> Dynamics:
    """The public methods on worlds that nobody steps."""
    return Dynamics(SimpleNamespace(topology=tree.t, worlds=STATES, dtype="float64", store=tree.store,
                                    model=tree.packed))        # type: ignore[arg-type]


def test_operational_inertia_is_that_of_pinocchios_matrices() -> None:
    tree = Tree(*COMPILED_AT_ONCE[1])
    ours = dynamics(tree).operational_inertia(tree.packed.link_names[-1])
    for i in range(STATES):
        theirs = tree.state(i)
        J = theirs.jacobian()[-6:]
        expected = np.linalg.inv(J @ np.linalg.solve(theirs.mass() + np.diag(tree.armature), J.T))
        assert np.abs(ours[i] - expected).max() <= FLOAT64 * np.abs(expected).max()


def test_derivatives_of_forward_dynamics_equal_pinocchios() -> None:
    tree = Tree(*COMPILED_AT_ONCE[0])
    tau = np.random.default_rng(3).uniform(-5.0, 5.0, (STATES, tree.t.nv))
    ours = dynamics(tree).forward_dynamics_derivatives(tau)
    for i in range(STATES):
        for mine, theirs in zip(ours, tree.state(i).forward_derivatives(tau[i], tree.armature), strict=True):
            assert np.abs(mine[i] - theirs).max() <= FLOAT64 * max(1.0, np.abs(theirs).max())
