"""The by-joint step computes what the whole-tree algorithms compute, for every feature, and for trees of any size.

The by-joint step moves random articulations as real PhysX does, trees of up to 100 links among them.
"""

from __future__ import annotations

import re
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Simulation, simulate
from physx_runtime.compiling.llvm import machine_code
from physx_runtime.compiling.llvm.programs import emit_fragment
from physx_runtime.compiling.llvm.vectors import Vectors
from physx_runtime.dynamics.inertia import central_inertia
from physx_runtime.dynamics.kinematics import forward_kinematics, link_motions
from physx_runtime.dynamics.rnea import coriolis_force, generalized_force, gravity_force
from physx_runtime.dynamics.spatial import Force, quaternion
from physx_runtime.model.row_specs import input_rows, state_rows
from physx_runtime.model.topology import DofTopology, LinkTopology, Topology
from physx_runtime.solver.scheduled.program import step_schedules
from physx_runtime.solver.settings import begin, finish, iterate
from physx_runtime.worlds.cpu import ScheduledWorlds, load_step
from support.chance.articulations import Features, RandomArticulation, engine_names, random_articulation
from support.chance.packed_models import Rows, random_tree
from support.physx.random_motions import BATCH, DT, FAMILIES, FLOAT32, STEPS, compare
from support.stages.tendon_stages import driven_chain

from physx_schema.description import describe
from physx_schema.description.model import Description

# float64 rounding of three steps on numbers of size 1 to 100; 1e-14 was measured.
ROUNDING = 1e-11
# Of the equations of motion of 1024 links in float64, relative to the largest force; 1e-12 was measured.
IDENTITY = 1e-8
N, V = 4, 1

State = dict[str, NDArray[np.float64]]


def by_algorithms(t: Topology, rows: Rows, steps: int) -> State:
    """The state after steps of the whole-tree algorithms on floats."""
    held = {name: list(map(float, values)) for name, values in rows.items()}
    for _ in range(steps):
        held = {name: held[name] for name in rows}
        held |= begin(t, held)
        for i in range(N + V):
            held |= iterate(t, held, final=i >= N)
        held |= finish(t, held)
    return {name: np.array(held[name], dtype=np.float64) for name in state_rows(t)}


def by_path(t: Topology, rows: Rows, steps: int, dtype: str = "float64", worlds: int = 1,
            noise: float = 0.0) -> State:
    """The state of world 0 after steps joint by joint; other worlds start elsewhere by `noise`."""
    store = ScheduledWorlds(t, worlds, dtype)
    for name in state_rows(t) | input_rows(t):
        values = np.tile(np.asarray(rows[name], dtype=dtype), (worlds, 1))
        if name in ("q", "v"):
            values[1:] += noise
        store.write(name, values)
    store.step(steps, N, V)
    return {name: store.rows(name)[0] for name in state_rows(t)}


def largest_difference(a: State, b: State) -> float:
    return max(float(np.abs(a[name] - b[name]).max()) for name in a if len(a[name]))


@pytest.mark.parametrize(("links", "floating", "kinds"), [
    (1, False, "r"), (12, False, "rrrp"), (12, True, "rrpf"), (9, False, "rpsbuf"), (9, True, "rpsbuf"),
    (40, False, "rp"),
])
def test_the_scheduled_step_is_that_of_the_whole_tree_algorithms(links: int, floating: bool, kinds: str) -> None:
    t, rows = random_tree(links, links, floating, kinds)
    assert largest_difference(by_path(t, rows, 2), by_algorithms(t, rows, 2)) < ROUNDING


def test_envelopes_on_every_axis_act_as_in_the_whole_tree_algorithms() -> None:
    t, rows = random_tree(3, 6, kinds="rsb")
    t = replace(t, dofs=tuple(replace(dof, drive="force", envelope=True) for dof in t.dofs))
    assert max(sum(dof.link == link for dof in t.dofs) for link in range(len(t.links))) > 1
    assert largest_difference(by_path(t, rows, 2), by_algorithms(t, rows, 2)) < ROUNDING


def test_forces_once_a_step_act_as_in_the_whole_tree_algorithms() -> None:
    t, rows = random_tree(5, 6)
    t = replace(t, forces_every_iteration=False)
    assert largest_difference(by_path(t, rows, 2), by_algorithms(t, rows, 2)) < ROUNDING


@pytest.mark.parametrize(("seed", "features", "solver"), [
    (1, Features(), "TGS"), (1003, Features(floating=True), "TGS"),
    (2003, Features(spherical=0.5, generic=0.5, swapped=0.3), "TGS"),
    (3002, Features(floating=True, spherical=0.5, generic=0.5, swapped=0.3), "TGS"),
    (4, Features(), "PGS"), (1001, Features(floating=True, spherical=0.3), "PGS"),
])
def test_couplings_and_every_joint_property_act_as_in_the_whole_tree_algorithms(
        seed: int, features: Features, solver: str, tmp_path: Path) -> None:
    art = random_articulation(seed, replace(features, fixed_tendon=1.0, spatial_tendon=1.0, mimic=1.0))
    path = tmp_path / "stage.usda"
    path.write_text(art.text)
    description = describe(path)
    description = replace(description, scene=replace(description.scene, solver_type=solver,
                                                     forces_every_iteration=solver == "TGS"))
    sim = Simulation(description, dtype="float64", path="generic")
    names = engine_names(description.articulations[0])
    sim.reset(joint_position=[art.positions[n] for n in names], joint_velocity=[art.velocities[n] for n in names])
    sim.set("joint_effort", [art.efforts[n] for n in names])
    t = sim.topology
    assert t.fixed_tendons or t.spatial_tendons or t.mimics
    rows = {name: sim.get(name)[0] for name in state_rows(t) | input_rows(t)}
    sim.store.step(3, N, V)
    after = {name: sim.get(name)[0] for name in state_rows(t)}
    assert largest_difference(after, by_algorithms(t, rows, 3)) < ROUNDING


def test_forces_on_links_act_as_in_the_whole_tree_algorithms(tmp_path: Path) -> None:
    t, rows = random_tree(3, 5, floating=True)
    t = replace(t, link_forces=True)
    push = np.random.default_rng(0).uniform(-3, 3, (2, 3 * len(t.links)))
    rows |= {"link_force": push[0], "link_torque": push[1]}
    assert largest_difference(by_path(t, rows, 2), by_algorithms(t, rows, 2)) < ROUNDING


def test_a_world_has_the_same_bits_alone_and_beside_others() -> None:
    t, rows = random_tree(4, 8, floating=True)
    alone = by_path(t, rows, 3, "float32")
    for worlds, noise in ((2, np.nan), (100, 0.3)):
        beside = by_path(t, rows, 3, "float32", worlds, noise)
        assert all(np.array_equal(alone[name], beside[name]) for name in alone)


def test_a_block_leaves_nothing_behind_for_the_next_one() -> None:
    """The same thread steps a block of NaN and then a sound one, in the same memory."""
    t, rows = random_tree(4, 8, floating=True, kinds="rpsuf")
    alone = by_path(t, rows, 3, "float32")
    worlds = 2 * ScheduledWorlds(t, 1, "float32").block_size
    store = ScheduledWorlds(t, worlds, "float32")
    for name in state_rows(t) | input_rows(t):
        values = np.tile(np.asarray(rows[name], dtype=np.float32), (worlds, 1))
        if name in ("q", "v"):
            values[:worlds // 2] = np.nan
        store.write(name, values)
    step = load_step(t, "float32", store.block_size)
    for block in (0, 1):
        step(store.host[block:block + 1], 3, N, V)
    assert all(np.array_equal(alone[name], store.rows(name)[-1]) for name in alone)


def test_a_world_has_the_same_bits_in_blocks_of_every_width() -> None:
    t, rows = random_tree(5, 6)
    results = []
    program = step_schedules(t)
    for width in (8, 16, 32):
        x = np.zeros((1, program.size, width), np.float32)
        for name, values in rows.items():
            for i, value in enumerate(values):
                x[0, program.layout[f"{name}_{i}"]] = value
        load_step(t, "float32", width)(x, 2, N, V)
        results.append(x[0, [program.layout[f"v_{i}"] for i in range(t.nv)], 0])
    assert np.array_equal(results[0], results[1])
    assert np.array_equal(results[0], results[2])


def test_fragments_are_vector_code() -> None:
    """Packed multiplications and fmas are there; scalar ones are not."""
    program = step_schedules(random_tree(8, 6, floating=True)[0])
    vectors = Vectors("float", 32)
    fragments = {i.fragment for one in program.passes for i in one.code.instructions}
    code = "\n".join(machine_code.assembly(emit_fragment(fragment, vectors)[1]) for fragment in fragments)
    assert re.search(r"v(fn?m(add|sub)\d+|mul)ps", code)
    assert not re.search(r"v?(fn?m(add|sub)\d+|mul|add|sub)ss\b", code)


def test_schedules_grow_with_the_tree_and_fragments_do_not() -> None:
    programs = [step_schedules(chain(links)[0]) for links in (40, 80)]
    counts = [sum(len(one.code.instructions) for one in program.passes) for program in programs]
    fragments = [{i.fragment for one in program.passes for i in one.code.instructions} for program in programs]
    assert counts[1] < 2.01 * counts[0]
    assert programs[1].size < 2.01 * programs[0].size
    assert fragments[0] == fragments[1]


def test_a_diverged_world_is_flagged_and_put_back() -> None:
    t, rows = random_tree(6, 5)
    store = ScheduledWorlds(t, 2, "float32")
    for name in state_rows(t) | input_rows(t):
        store.write(name, np.tile(rows[name].astype(np.float32), (2, 1)))
    v = store.rows("v")
    v[1] = 1e37
    store.write("v", v)
    store.step(1, N, V)
    assert store.rows("diverged").ravel().tolist() == [0.0, 1.0]
    assert np.array_equal(store.rows("v")[1], v[1])


def chain(links: int, rows_of: int = 3) -> tuple[Topology, Rows]:
    """A hanging chain of revolute joints without constraints: the links of a random tree over and over."""
    _, small = random_tree(rows_of, 8, kinds="r")
    t = Topology(True, False, (LinkTopology(-1, "root"), *(LinkTopology(i, "revolute") for i in range(links))),
                 tuple(DofTopology(i + 1) for i in range(links)))
    rows = {}
    for name, size in (state_rows(t) | input_rows(t)).items():
        values = small[name]
        if size not in (links, links + 1, 3 * (links + 1), 4 * (links + 1), 6 * (links + 1)):
            rows[name] = values
            continue
        width = size // links
        rows[name] = np.tile(values[-width:], size // width + 1)[:size]
    q = np.random.default_rng(0)
    rows |= {"q": q.uniform(-0.3, 0.3, links), "v": q.uniform(-0.1, 0.1, links), "h": rows["dt"]}
    return t, rows


def test_a_chain_of_1024_links_obeys_the_equations_of_motion() -> None:
    """M (v1 - v0) / dt + C = gravity, with M v as the generalised force of the links' momenta."""
    t, rows = chain(1024)
    store = ScheduledWorlds(t, 1, "float64")
    for name in state_rows(t) | input_rows(t):
        store.write(name, rows[name][None])
    store.step(1, 1, 0)
    k = forward_kinematics(t, rows, rows["q"], quaternion(rows, "root_rotation", 0))
    rate = (store.rows("v")[0] - rows["v"]) / rows["dt"][0]
    moved = link_motions(t, k, rate)
    needed = [Force(tuple(_full(central_inertia(t, rows, k, i)) @ np.array(motion.velocity.angular)),
                    tuple(rows["mass"][i] * np.array(motion.velocity.linear))) for i, motion in enumerate(moved)]
    mass_times_rate = np.array(generalized_force(t, k, needed)) + rows["armature"] * rate
    tau = -np.array(gravity_force(t, rows, k)) - np.array(coriolis_force(t, rows, k, link_motions(t, k, rows["v"])))
    assert np.abs(rate).max() > 1.0
    assert np.abs(mass_times_rate - tau).max() < IDENTITY * np.abs(tau).max()


def _full(s: tuple[float, ...]) -> NDArray[np.float64]:
    xx, yy, zz, xy, xz, yz = s
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def test_every_part_of_a_structure_is_known_to_the_by_joint_step() -> None:
    """A field that schedules do not heed would be ignored in silence."""
    known = {"fixed_base", "forces_every_iteration", "links", "dofs", "fixed_tendons", "spatial_tendons", "mimics",
             "solver", "link_forces", "tendon_impulses", "external_forces", "sleeping", "body"}
    assert {field.name for field in fields(Topology)} - known == set()
    assert set(LinkTopology.__slots__) == {"parent", "kind", "flipped"}
    assert set(DofTopology.__slots__) == {"link", "drive", "envelope", "friction", "load_friction", "limit",
                                          "max_velocity", "axis"}


# --- by joint in PhysX -----------------------------------------------------------------------------------------------

# Trees so large that straight-line code is out of the question.
HUGE = Features(links=(30, 100), fixed_tendon=0.5, spatial_tendon=0.5)
# first seed -> (seeds, features)
TREES = {0: (20, FAMILIES[0][1]), 1000: (20, FAMILIES[1000][1]), 3000: (20, FAMILIES[3000][1]),
         6000: FAMILIES[6000], 7000: FAMILIES[7000],
         8000: (5, HUGE), 9000: (5, replace(HUGE, floating=True))}
# Of all seeds together within their bar, and how far beyond it any may be.
SHARE, BEYOND = 0.96, 3.0


def by_joint_motion(description: Description, art: RandomArticulation, names: list[str]) -> NDArray[np.float64]:
    """(steps + 1, n_dof) joint positions in float32, joint by joint."""
    q, v, effort = ([values[n] for n in names] for values in (art.positions, art.velocities, art.efforts))
    ours = simulate(description, DT, STEPS, joint_position=q, joint_velocity=v, joint_effort=effort, path="generic")
    return ours.joint_position[:, 0].astype(np.float64)


@pytest.mark.sweep
def test_the_by_joint_step_moves_random_articulations_as_physx_does(oracle_folder: Path, tmp_path: Path) -> None:
    found = [each for first, (count, features) in TREES.items() for start in range(first, first + count, BATCH)
             for each in compare(range(start, min(start + BATCH, first + count)), features, tmp_path, by_joint_motion)]
    beyond = [each for each in found if each.ratio > 1.0]
    assert len(found) > 70
    assert max(len(each.names) for each in found) > 40
    assert len(beyond) <= (1 - SHARE) * len(found), "\n".join(map(str, beyond))
    assert max(each.ratio for each in found) < BEYOND, "\n".join(map(str, beyond))


@pytest.mark.sweep
def test_a_chain_of_1024_links_moves_as_in_physx(oracle_folder: Path, tmp_path: Path) -> None:
    from physx_oracle import run_jobs, sim_job

    links, steps = 1024, 10
    path = tmp_path / "chain.usda"
    driven_chain(path, links)
    start = np.random.default_rng(0).uniform(-0.1, 0.1, links)
    ours = simulate(path, DT, steps, joint_position=start)
    real = next(iter(run_jobs([sim_job(path, DT, steps, start, np.zeros(links))])))
    order = [list(real["dof_names"]).index(name.rsplit("/", 1)[-1]) for name in ours.joint_names]
    assert len(order) == links
    assert np.abs(ours.joint_position[-1, 0] - start).max() > 1e-2
    assert np.abs(ours.joint_position[:, 0] - real["q"][:, order]).max() < FLOAT32
