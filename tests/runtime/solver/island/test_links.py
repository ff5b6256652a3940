"""Links in islands move as those of the measured prototype, which reproduces PhysX with dense matrices."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime.solver.settings import SolverSettings
from support.stages.iteration_stages import lone_island, lone_worlds

from physx_schema.description import describe

# float64 rounding of some steps of 4 to 8 iterations at up to 300 rad/s; 5e-12 was measured.
F64_STEPS = 1e-9
DT, TURN = 1 / 60, 2 * np.pi
Q = (-0.4, 0.7, 0.3, 0.2, 0.5)


def as_read(x: Any) -> Any:
    """A scene with the numbers that a stage keeps of it, float32."""
    if isinstance(x, float):
        return float(np.float32(x))
    if isinstance(x, dict):
        return {name: as_read(value) for name, value in x.items()}
    return type(x)(map(as_read, x)) if isinstance(x, list | tuple) else x


def difference(prototype: SimpleNamespace, folder: Path, scene: Any, q: Sequence[float] | dict[str, float],
               steps: int, coupled: bool = False) -> float:
    """Largest difference of joint positions and velocities after steps from q, at random velocities.

    q: joint by joint as the prototype numbers them, or by name.
    """
    scene, v = as_read(scene), np.random.default_rng(1).uniform(-1, 1, len(q))
    if isinstance(q, dict):
        q = [q[name] for name in prototype.artloop.LoopSim(copy.deepcopy(scene)).dof_names()]
    sim = prototype.artloop.LoopSim(copy.deepcopy(scene), np.array(q), v.copy())
    stage = folder / "stage.usda"
    stage.write_text(prototype.spec.usda(scene))
    island = lone_island(describe(stage), "ideal" if coupled else "physx")
    arm = next(iter(island.actors.values()))
    place = [sim.dof_names().index(name.rpartition("/")[2]) for name in arm.dof_names]
    worlds = lone_worlds(island, SolverSettings(sim.N, sim.V, True), DT, "float64",
                         {"actor0_q": np.array(q)[place], "actor0_v": v[place]})
    for _ in range(steps):
        sim.step(DT)
    worlds.step(steps, sim.N, sim.V)

    def apart(name: str, other: NDArray[np.float64]) -> float:
        found = worlds.rows(name)[0] - other[place]
        return float(np.abs(found - TURN * np.round(found / TURN) * (name == "actor0_q")).max())
    return max(apart("actor0_q", sim.q), apart("actor0_v", sim.v))


def test_links_held_to_the_world_do(prototype: SimpleNamespace, tmp_path: Path) -> None:
    scene, q = prototype.scenes.fourbar(N=4)
    assert difference(prototype, tmp_path, scene, q, 3) < F64_STEPS


@pytest.mark.parametrize(("kind", "v"), [("Revolute", 2), ("Fixed", 1), ("Spherical", 0)])
def test_links_of_two_branches_do(prototype: SimpleNamespace, tmp_path: Path, kind: str, v: int) -> None:
    scene, q = prototype.scenes.tree2(N=4, V=v, kind=kind)
    assert difference(prototype, tmp_path, scene, q, 3) < F64_STEPS


def test_two_joints_at_one_articulation_do(prototype: SimpleNamespace, tmp_path: Path) -> None:
    joint = prototype.spec.joint
    joints = [joint("Spherical", f"x{i}", "base", f"l{link}", pos0=(0.1, 0.2, 0.3), pos1=(-0.5, 0.1, 0.2), in_art=False)
              for i, link in enumerate((1, 3))]
    scene = prototype.scenes.serial(5, N=4, V=2, extra_joints=joints)
    assert difference(prototype, tmp_path, scene, Q, 1) < F64_STEPS


@pytest.mark.parametrize("links", [(0, 2), (1, 3), (3, 1), (1, 4)])
def test_a_link_and_its_ancestor_do_with_the_velocities_that_physx_reads(
        prototype: SimpleNamespace, tmp_path: Path, links: tuple[int, int]) -> None:
    assert difference(prototype, tmp_path, chain_with_loop(prototype, links), Q, 1) < F64_STEPS


def test_links_that_answer_together_do_where_the_prototype_counts_that(
        prototype: SimpleNamespace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prototype.artloop.Ext, "coupled", True)
    monkeypatch.setattr(prototype.artloop.Articulation, "pair_vel", lambda art, a, b: (art.vel(a), art.vel(b)))
    scene = chain_with_loop(prototype, (3, 1))
    for link in scene["bodies"]:
        link["extra"] = {"float physxRigidBody:cfmScale": 0.0}      # the ideal has none
    assert difference(prototype, tmp_path, scene, Q, 1, coupled=True) < F64_STEPS


def chain_with_loop(prototype: SimpleNamespace, links: tuple[int, int]) -> Any:
    """A chain of five links, two of them held together by a ball joint that begins far open."""
    loop = prototype.spec.joint("Spherical", "loop", f"l{links[0]}", f"l{links[1]}", pos0=(0.1, 0.2, 0.3),
                                pos1=(-0.5, 0.1, 0.2), in_art=False)
    return prototype.scenes.serial(5, N=4, V=2, extra_joints=[loop])
