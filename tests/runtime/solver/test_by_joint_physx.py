"""The by-joint step moves random articulations as real PhysX does, trees of up to 100 links among them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import simulate
from support.chance.articulations import Features, RandomArticulation
from support.physx.random_motions import BATCH, DT, FAMILIES, FLOAT32, STEPS, compare
from support.stages.driven_chains import driven_chain

from physx_schema.description.model import Description

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
