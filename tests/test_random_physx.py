"""Random articulations move as in real PhysX: every feature of the step at once, fixed and floating."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import simulate
from random_articulations import Features, RandomArticulation, engine_names, random_articulation

from physx_schema.description import describe

DT, STEPS = 1 / 60, 60
# Position error in float32 over 60 steps of motion that does not amplify, rad or length.
FLOAT32 = 5e-6
# Motion that amplifies is held against PhysX's own spread under 1-ulp changes of the start.
SPREAD_FACTOR, NUDGES = 10.0, 8
# Share of seeds that must hold: 96 of 100 fixed, 97 of 100 floating, 99 of 100 floating ones with spherical and
# generic joints do. The others stay within three times their bar, that one (seed 3099) within seven times: rounding is
# amplified in ways eight nudges do not show.
SHARE, BEYOND = 0.94, 10.0
BATCH = 20


def nudged(values: np.ndarray, seed: int) -> np.ndarray:
    """Every value moved to a neighbouring float32."""
    up = np.random.default_rng(seed).random(len(values)) < 0.5
    return np.nextafter(values.astype(np.float32), np.where(up, np.inf, -np.inf).astype(np.float32))


def compare(seeds: range, features: Features, folder: Path) -> Iterator[tuple[int, float, float]]:
    """(seed, largest position error, bar) of every articulation with joints."""
    from physx_oracle import run_jobs, sim_job

    todo: list[tuple[int, object, RandomArticulation, list[str]]] = []
    jobs = []
    for seed in seeds:
        art = random_articulation(seed, features)
        path = folder / f"seed{seed}.usda"
        path.write_text(art.text)
        description = describe(path)
        names = engine_names(description.articulations[0])
        if not names:
            continue
        todo.append((seed, description, art, names))
        start = np.array([art.positions[n] for n in names])
        for q in [start, *(nudged(start, k) for k in range(NUDGES))]:
            jobs.append(sim_job(path, DT, STEPS, q, [art.velocities[n] for n in names],
                                effort=[art.efforts[n] for n in names]))
    results = iter(run_jobs(jobs))
    for seed, description, art, names in todo:
        first, *others = [next(results) for _ in range(1 + NUDGES)]
        assert list(first["dof_names"]) == names, f"seed {seed}: order of dofs"
        ours = simulate(description, DT, STEPS, joint_position=[art.positions[n] for n in names],
                        joint_velocity=[art.velocities[n] for n in names],
                        joint_effort=[art.efforts[n] for n in names])
        spread = max(float(np.abs(other["q"] - first["q"]).max()) for other in others)
        error = float(np.abs(ours.joint_position[:, 0] - first["q"]).max())
        yield seed, error, max(FLOAT32, SPREAD_FACTOR * spread)


@pytest.mark.sweep
@pytest.mark.parametrize(("first", "features"), [
    (0, Features()), (1000, Features(floating=True)),
    (2000, Features(spherical=0.5, generic=0.5, swapped=0.3)),
    (3000, Features(floating=True, spherical=0.5, generic=0.5, swapped=0.3)),
])
def test_random_articulations_move_as_in_physx(first: int, features: Features, oracle_folder: Path,
                                               tmp_path: Path) -> None:
    rows = [row for start in range(first, first + 100, BATCH)
            for row in compare(range(start, start + BATCH), features, tmp_path)]
    beyond = [f"seed {seed}: {error:.1e} > {bar:.1e}" for seed, error, bar in rows if error > bar]
    assert len(rows) > 80
    assert len(beyond) <= (1 - SHARE) * len(rows), "\n".join(beyond)
    assert max(error / bar for _, error, bar in rows) < BEYOND, "\n".join(beyond)
