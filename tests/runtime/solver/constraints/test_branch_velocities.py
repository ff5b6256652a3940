"""Branches of a tree: where it is cut, and that an iteration branch by branch is the one by the dense inverse."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.compiling.llvm.vectors import Vectors
from physx_runtime.dynamics import inverse_mass
from physx_runtime.dynamics.inverse_mass import branches_of, cut_at, forks_of, products
from physx_runtime.model.row_specs import input_rows, state_rows
from physx_runtime.model.topology import (
    PGS,
    REVOLUTE,
    ROOT,
    TGS,
    DofTopology,
    FixedTendonTopology,
    LinkTopology,
    Topology,
)
from physx_runtime.packing.articulation import pack
from physx_runtime.solver.program import step_on_numbers, step_program
from physx_runtime.solver.settings import SolverSettings, solver_settings
from physx_runtime.targets.cuda.kernels import gpu_on_host
from physx_runtime.targets.host_driver import HostDriver
from physx_runtime.worlds.cpu import CompiledWorlds
from physx_runtime.worlds.gpu.worlds import CudaWorlds
from support.chance.articulations import random_articulation
from support.chance.packed_models import packed_robot, random_rows, random_tree
from support.compiled_program import compiled_program
from support.physx.random_motions import DT, FAMILIES

from physx_schema.description import describe

Rows = dict[str, list[float]]
# Rounding of float64 in another order over a step of some ten iterations, of the largest number of the state.
ROUNDING = 1e-13
# Seeds of each family that are drawn; those without a fork are left out.
SEEDS = {0: 8, 1000: 8, 2000: 8, 3000: 8, 4000: 12, 5000: 12, 6000: 2, 7000: 2}


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[bool], None]]:
    """Has trees cut at all forks, or at none, whatever that saves."""
    def force(everywhere: bool) -> None:
        sign = -1 if everywhere else 1
        monkeypatch.setattr(inverse_mass, "products", lambda t, b: sign * len(b.velocities))
        branches_of.cache_clear()
        step_program.cache_clear()

    yield force
    branches_of.cache_clear()
    step_program.cache_clear()


def drawn(seed: int, solver: str, folder: Path) -> tuple[Topology, Rows, Any]:
    """A random articulation of one of the families, its rows before a step and its settings."""
    art = random_articulation(seed, replace(FAMILIES[seed // 1000 * 1000][1], solver=solver))
    path = folder / f"seed{seed}.usda"
    path.write_text(art.text)
    description = describe(path)
    articulation = description.articulations[0]
    model = pack(articulation, description.scene_of(articulation))
    t, settings, chance = model.topology.tree, solver_settings("physx", model), np.random.default_rng(seed)
    given = {name: np.zeros(size) for name, size in (state_rows(t) | input_rows(t)).items()}
    given |= {**model.parameters, **model.state, "joint_effort": chance.uniform(-1, 1, len(t.dofs))}
    given["v"] = model.state["v"] + chance.uniform(-1, 1, t.nv)
    given |= {name: np.array([value]) for name, value in settings.rows(DT).items()}
    return t, {name: [float(x) for x in values] for name, values in given.items()}, settings


def state(t: Topology, rows: Rows) -> NDArray[np.float64]:
    return np.concatenate([np.asarray(rows[name], float) for name in state_rows(t)])


@pytest.mark.parametrize("solver", ["TGS", "PGS"])
@pytest.mark.parametrize("family", SEEDS)
def test_a_step_by_branches_is_the_step_by_the_dense_inverse(family: int, solver: str, cut: Callable[[bool], None],
                                                             tmp_path: Path) -> None:
    forked = [one for seed in range(family, family + SEEDS[family])
              if forks_of((one := drawn(seed, solver, tmp_path))[0])]
    assert forked
    for t, rows, settings in forked:
        ends = []
        for everywhere in (False, True):
            cut(everywhere)
            assert (len(branches_of(t).velocities) > 1) is everywhere
            ends.append(state(t, step_on_numbers(t, rows, settings)))
        assert np.abs(ends[1] - ends[0]).max() <= ROUNDING * max(1.0, np.abs(ends[0]).max())


def coupled_hand() -> tuple[Topology, Rows]:
    """The hand with two tendons on its first finger, one from the wrist into the next, and mimic joints in a finger and
    between two."""
    t, _ = packed_robot("hand")
    t = replace(t, fixed_tendons=(*t.fixed_tendons, FixedTendonTopology((4, 5)), FixedTendonTopology((1, 6, 7))),
                mimics=((12, 11), (16, 21)))
    rows = random_rows(np.random.default_rng(5), t)
    for i, tendon in enumerate(t.fixed_tendons):
        for name, value in (("stiffness", 20.0), ("damping", 5.0), ("limit_stiffness", 10.0)):
            rows[f"fixed_tendon{i}_{name}"][:] = value
        rows[f"fixed_tendon{i}_upper_limit"][:] = 0.01
        rows[f"fixed_tendon{i}_gearing"] = np.linspace(0.3, 0.5, len(tendon.dofs))
        rows[f"fixed_tendon{i}_force_coefficient"][:] = 1.0
    for i in range(len(t.mimics)):
        rows[f"mimic{i}_gearing"][:] = -0.7
    return t, {name: [float(x) for x in values] for name, values in rows.items()}


@pytest.mark.parametrize("solver", [TGS, PGS])
def test_tendons_and_mimic_joints_read_what_other_branches_were_given(solver: str, cut: Callable[[bool], None]) -> None:
    t, rows = coupled_hand()
    t, ends = replace(t, solver=solver, forces_every_iteration=solver == TGS), []
    for everywhere in (False, True):
        cut(everywhere)
        ends.append(state(t, step_on_numbers(t, rows, SolverSettings(4, 1, True))))
    assert len(branches_of(t).velocities) == 6
    assert np.abs(ends[1] - ends[0]).max() <= ROUNDING * max(1.0, np.abs(ends[0]).max())


@pytest.mark.parametrize("floating", [False, True])
def test_machine_code_by_branches_is_the_step_on_numbers(floating: bool, cut: Callable[[bool], None]) -> None:
    cut(True)
    t, rows = random_tree(2, 6, floating, "rrps")
    assert len(branches_of(t).velocities) > 2
    program = step_program(t)
    x = np.zeros((len(program.layout), 8))
    for name, values in rows.items():
        for i, value in enumerate(values):
            x[program.layout[f"{name}_{i}"]] = value
    compiled_program(program, Vectors("double", 4), 2)(x.ctypes.data, 1, 4, 1)
    ended = step_on_numbers(t, {name: list(values) for name, values in rows.items()}, SolverSettings(4, 1, True))
    for name in ("q", "v"):
        found = x[[program.layout[f"{name}_{i}"] for i in range(len(ended[name]))], 0]
        assert np.allclose(found, np.asarray(ended[name], float), rtol=0, atol=1e-12)


def test_a_gpu_gives_the_bits_of_the_processor(cpp_compiler: str) -> None:
    joints = (0, 1, *(parent for first in (3, 6, 9) for parent in (2, first, first + 1)))
    links = (LinkTopology(-1, ROOT), *(LinkTopology(parent, REVOLUTE) for parent in joints))
    t = Topology(True, True, links, tuple(DofTopology(i + 1, "force", friction=True, limit=True) for i in range(11)),
                 (FixedTendonTopology((2, 3, 4)), FixedTendonTopology((5, 6, 7))), mimics=((9, 10), (4, 7)))
    assert len(branches_of(t).velocities) == 4
    rows = random_rows(np.random.default_rng(7), t)
    ends = []
    for store in (CompiledWorlds(t, 3, "float32"), CudaWorlds(gpu_on_host(HostDriver()), t, 3, "float32")):
        for name, values in rows.items():
            store.write(name, np.tile(values.astype(np.float32), (3, 1)))
        for i in range(2):
            for name, value in (("stiffness", 20.0), ("gearing", 0.2), ("force_coefficient", 1.0)):
                size = store.rows(f"fixed_tendon{i}_{name}").shape
                store.write(f"fixed_tendon{i}_{name}", np.full(size, value, np.float32))
            store.write(f"mimic{i}_gearing", np.full((3, 1), -0.7, np.float32))
        store.step(3, 4, 1)
        ends.append(np.concatenate([store.rows("q"), store.rows("v")], axis=1))
    assert np.array_equal(ends[0], ends[1])
    assert np.isfinite(ends[0]).all() and not np.array_equal(ends[0][:, :11], np.tile(rows["q"], (3, 1)))


def test_fingers_are_branches_that_meet_in_the_wrist() -> None:
    t, _ = packed_robot("hand")
    b = branches_of(t)
    assert b.velocities == ((0, 1), *(tuple(range(first, first + 4)) for first in range(2, 22, 4)))
    assert b.trunks == ((0, 1),) * 6
    assert products(t, b) < 0.5 * len(t.dofs) * t.nv


@pytest.mark.parametrize("robot", ["arm", "ant"])
def test_a_tree_that_branches_would_save_little_in_is_one_branch(robot: str) -> None:
    t, _ = packed_robot(robot)
    assert [sorted(own) for own in branches_of(t).velocities] == [list(range(t.nv))]
    assert branches_of(t).trunks == ((),)


def test_no_other_cut_takes_fewer_products(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inverse_mass, "MAX_PRODUCT_RATIO", 1.0)
    branches_of.cache_clear()
    for seed in range(20):
        t, _ = random_tree(seed, 14, seed % 2 == 1, "rrrs")
        forks = forks_of(t)
        every = [products(t, cut_at(t, frozenset(cuts))) for size in range(len(forks) + 1)
                 for cuts in itertools.combinations(forks, size)]
        assert products(t, branches_of(t)) == min(every)
    branches_of.cache_clear()


@pytest.mark.parametrize("seed", range(4))
def test_the_trunk_of_a_branch_is_what_supports_it_and_others(seed: int) -> None:
    t, _ = random_tree(seed, 10, seed % 2 == 1, "rrps")
    b = cut_at(t, frozenset(forks_of(t)))
    assert sorted(i for own in b.velocities for i in own) == list(range(t.nv))
    for i, j in itertools.combinations(range(t.nv), 2):
        if b.branch_of[i] != b.branch_of[j]:
            assert set(b.trunk_of[i]) & set(b.trunk_of[j]) == set(b.supports[i]) & set(b.supports[j])
