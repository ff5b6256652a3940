"""Spherical joints: rotations, dynamics and the step, against closed forms and the matrices PhysX reports."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Simulation
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.crba import mass_matrix
from physx_runtime.dynamics.inertia import central_force, central_inertia
from physx_runtime.dynamics.jacobian import angular_jacobian, com_jacobian
from physx_runtime.dynamics.kinematics import forward_kinematics, link_motions, spherical_positions
from physx_runtime.dynamics.rnea import coriolis_force, gravity_force
from physx_runtime.dynamics.spatial import quaternion
from physx_runtime.model.topology import Topology
from physx_runtime.packing.articulation import pack
from physx_runtime.solver.program import step_program
from physx_runtime.solver.settings import begin, finish, iterate
from physx_runtime.worlds import cpu
from support.chance.articulations import Features, engine_names, random_articulation
from support.chance.packed_models import Rows, random_tree
from support.places import BALL

from physx_schema.description import describe

# float64 rounding of a few hundred operations on numbers of size 1 to 100.
ROUNDING = 1e-11
# PhysX reports in float32; relative to the largest entry.
FLOAT32 = 5e-6


def tree(seed: int, floating: bool = False) -> tuple[Topology, Rows]:
    """Three-, two-coordinate and backwards spherical joints beside hinges and sliders."""
    t, rows = random_tree(seed, links=6, floating=floating, kinds="ssubrp")
    assert t.spherical_links
    return t, rows


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-4, 0.7, 2.9, 3.14159])
def test_rotation_vector_is_the_inverse_of_exponential(angle: float) -> None:
    axis = np.array([0.48, -0.6, 0.64])
    vector = sp.rotation_vector(sp.exponential(tuple(angle * axis)))
    assert np.allclose(vector, angle * axis, rtol=1e-14, atol=1e-16)


def test_a_rotation_beyond_half_a_turn_counts_the_other_way() -> None:
    vector = sp.rotation_vector(sp.exponential((0.0, 4.0, 0.0)))
    assert np.allclose(vector, (0.0, 4.0 - 2.0 * np.pi, 0.0), atol=1e-15)


@pytest.mark.parametrize("floating", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_half_v_m_v_is_kinetic_energy(seed: int, floating: bool) -> None:
    t, rows = tree(seed, floating)
    k = forward_kinematics(t, rows, rows["q"], quaternion(rows, "root_rotation", 0))
    motions = link_motions(t, k, rows["v"])
    energy = sum(0.5 * central_force(m, central_inertia(t, rows, k, i), motion.velocity).dot(motion.velocity)
                 for i, (m, motion) in enumerate(zip(rows["mass"], motions, strict=True)))
    M = np.array(mass_matrix(t, rows, k), dtype=float)
    assert 0.5 * rows["v"] @ M @ rows["v"] == pytest.approx(energy, rel=ROUNDING)


@pytest.mark.parametrize("seed", range(4))
def test_coordinates_are_found_again_in_the_poses_they_make(seed: int) -> None:
    t, rows = tree(seed)
    rows["locked"] = np.random.default_rng(seed).uniform(-0.3, 0.3, len(t.locked))
    k = forward_kinematics(t, rows, rows["q"], quaternion(rows, "root_rotation", 0))
    q, locked = spherical_positions(t, rows, k, rows["q"])
    assert np.allclose(np.array(q, float), rows["q"], atol=1e-13)
    assert np.allclose(np.array(locked, float), rows["locked"], atol=1e-13)


@pytest.mark.parametrize("floating", [False, True])
def test_the_compiled_step_computes_what_the_algorithms_compute_on_floats(floating: bool) -> None:
    t, rows = tree(1, floating)
    assert t.locked
    program, width = step_program(t), cpu.default_block_size(t, "float64")
    x = np.zeros((1, len(program.layout), width))
    for name, values in rows.items():
        for i, value in enumerate(values):
            x[0, program.layout[f"{name}_{i}"], :] = value
    cpu.compile_step(t, "float64", width)(x, 1, 4, 1)

    state: dict[str, object] = {name: list(map(float, values)) for name, values in rows.items()}
    state |= begin(t, state)
    for i in range(5):
        state |= iterate(t, state, final=i >= 4)
    state |= finish(t, state)
    for name in ("q", "v", "locked"):
        for i, expected in enumerate(state[name]):      # type: ignore[arg-type]
            assert x[0, program.layout[f"{name}_{i}"], 0] == pytest.approx(float(expected), abs=ROUNDING)


def test_a_top_turns_as_eulers_equations_say() -> None:
    """A body on a spherical joint through its centre of mass, free of gravity and damping."""
    sim = Simulation(BALL, dt=1e-4, dtype="float64")
    for name, value in (("gravity", 0.0), ("com", 0.0), ("linear_damping", 0.0), ("angular_damping", 0.0)):
        sim.set_row(name, np.full(sim.get(name).shape[1], value))
    start = np.array([1.0, -0.5, 2.0])
    sim.set("v", start)
    sim.step(1000)
    moments = sim.get("inertia")[0, 6:9]

    def rate(w: np.ndarray) -> np.ndarray:
        return -np.cross(w, moments * w) / moments

    w = start
    for _ in range(1000):       # Heun's method, far more accurate than the step
        ahead = w + 1e-4 * rate(w)
        w = w + 0.5e-4 * (rate(w) + rate(ahead))
    assert np.allclose(sim.joint_velocity[0], w, atol=2e-4)
    assert np.abs(w - start).max() > 0.05


@pytest.mark.parametrize("state", range(5))
def test_matrices_and_forces_equal_those_physx_reports(state: int, shared_cases: Path) -> None:
    description = describe(shared_cases / "direct_api" / "fixed_spherical.usda")
    found = np.load(shared_cases / "direct_api" / "fixed_spherical.npz", allow_pickle=True)
    info = json.loads(str(found["info"]))
    model = pack(description.articulations[0], description.scene)
    t, rows = model.topology, model.parameters
    names = engine_names(description.articulations[0])
    order = [info["dof_names"].index(name) for name in names]
    q, qd = (found[f"s{state}_in_{key}"][order] for key in ("q", "qd"))
    k = forward_kinematics(t, rows, q, quaternion(model.state, "root_rotation", 0))

    ours = {"mass_matrix": mass_matrix(t, rows, k), "gravity": gravity_force(t, rows, k),
            "coriolis": coriolis_force(t, rows, k, link_motions(t, k, qd))}
    for name, value in ours.items():
        reported = found[f"s{state}_{name}"][np.ix_(order, order) if name == "mass_matrix" else order]
        assert np.abs(np.array(value, float) - reported).max() <= FLOAT32 * np.abs(reported).max(), name
    jacobian = found[f"s{state}_jacobian"].reshape(len(t.links) - 1, 6, -1)
    for i, path in enumerate(model.link_names[1:], 1):
        reported = jacobian[info["body_names"].index(path.rsplit("/", 1)[-1]) - 1][:, order]
        for columns, part in ((com_jacobian(t, k, i), reported[:3]), (angular_jacobian(t, k, i), reported[3:])):
            dense = np.zeros((3, len(order)))
            for dof, column in columns.items():
                dense[:, dof] = column
            assert np.abs(dense - part).max() <= FLOAT32


def test_writing_positions_takes_back_what_locked_axes_have_drifted(tmp_path: Path) -> None:
    path = tmp_path / "universal.usda"
    path.write_text(random_articulation(4, Features(links=(1, 1), spherical=1.0, generic=1.0, drive=0.0)).text)
    sim = Simulation(path, worlds=2)
    assert sim.topology.locked
    sim.set("v", np.full(len(sim.topology.dofs), 2.0))
    sim.step(10)
    assert sim.get("locked").any()
    sim.set("q", sim.joint_position[:1], worlds=[0])
    assert not sim.get("locked")[0].any()
    assert sim.get("locked")[1].any()


def test_a_joint_about_z_alone_is_clamped_at_the_start_as_if_it_turned_about_x(tmp_path: Path) -> None:
    features = Features(links=(1, 1), spherical=1.0, generic=1.0, limit=0.0, drive=0.0, max_velocity=1.0)
    stages = (random_articulation(seed, features).text for seed in range(50))
    path = tmp_path / "z.usda"
    path.write_text(next(text for text in stages if "limit:rotX" in text and "limit:rotY" in text))
    description = describe(path)
    model = pack(description.articulations[0], description.scene)
    assert model.dof_names == ("/World/art/j0",)
    assert model.parameters["max_velocity"][0] < 10.0
    assert model.parameters["velocity_clamp"][0] == 100.0
