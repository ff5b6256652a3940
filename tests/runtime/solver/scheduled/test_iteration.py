"""PGS stages move as in real PhysX: one feature at a time against recorded motions, random trees against the engine."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Session, Simulation, simulate
from support.physx.random_motions import FAMILIES, compare
from support.places import DATA
from support.stages.pgs_scenes import ARTICULATION_STAGES, DT, ITERATIONS, STEPS
from support.stages.robots import opened

RECORDED = DATA / "pgs.json"      # of ovphysx 0.7.0, written by `record`
# Largest difference of float32 arithmetic in another order over a few steps, of the largest velocity.
ROUNDING = 1e-6
# Families of random trees by their first seed, seeds of each, and the share of all seeds that must hold.
SEEDED, SEEDS, SHARE = (0, 1000, 2000, 3000, 4000, 5000), 16, 0.98
COUNTS = {f"{n}/{v}": (n, v) for n, v in ITERATIONS}


def record() -> dict[str, Any]:
    """Joint velocities and positions of every stage after each step, from the engine."""
    from physx_oracle import run_jobs, sim_job

    keys = [(name, counts) for name in ARTICULATION_STAGES for counts in COUNTS]
    jobs = []
    for name, counts in keys:
        stage = ARTICULATION_STAGES[name]
        jobs.append(sim_job(stage.text(COUNTS[counts]), DT, STEPS, stage.position, stage.velocity,
                            effort=stage.effort or [0.0] * len(stage.position)))
    found: dict[str, Any] = {name: {} for name in ARTICULATION_STAGES}
    for (name, counts), result in zip(keys, run_jobs(jobs), strict=True):
        found[name][counts] = {part: [[float(f"{x:.9g}") for x in row] for row in result[part][1:]]
                               for part in ("qd", "q")}
    return found


def motion(name: str, counts: str) -> tuple[NDArray[Any], NDArray[Any]]:
    """Joint velocities and positions after each step."""
    stage = ARTICULATION_STAGES[name]
    ours = simulate(opened(stage.text(COUNTS[counts])), DT, STEPS, joint_position=stage.position,
                    joint_velocity=stage.velocity, joint_effort=stage.effort or None)
    return ours.joint_velocity[1:, 0], ours.joint_position[1:, 0]


@pytest.mark.parametrize("name", ARTICULATION_STAGES)
def test_one_feature_moves_as_recorded_from_physx(name: str) -> None:
    recorded = json.loads(RECORDED.read_text())[name]
    for counts in COUNTS:
        v, q = (np.array(recorded[counts][part]) for part in ("qd", "q"))
        ours_v, ours_q = motion(name, counts)
        size = max(1.0, float(np.abs(v).max()))
        assert np.abs(ours_v - v).max() < ROUNDING * size, counts
        assert np.abs(ours_q - q).max() < ROUNDING * max(1.0, float(np.abs(q).max())), counts


def test_forces_act_once_and_an_iteration_counts_for_the_whole_step() -> None:
    sim = Simulation(opened(ARTICULATION_STAGES["free fall"].text((4, 0))), dt=DT)
    assert not sim.topology.forces_every_iteration
    assert (sim.get("h")[0, 0], sim.settings.velocity_iterations) == (pytest.approx(DT), 1)


def test_the_ideal_of_a_pgs_stage_is_that_of_tgs() -> None:
    text = ARTICULATION_STAGES["force drive"].text((4, 0))
    pgs, tgs = (simulate(opened(x), DT, 1, solver="ideal") for x in (text, text.replace('"PGS"', '"TGS"')))
    assert np.array_equal(pgs.joint_velocity, tgs.joint_velocity)


def test_a_session_follows_the_solver_type() -> None:
    """A first step from rest falls by g dt^2 under PGS, and by g dt^2 (N + 1) / 2N under TGS."""
    stage = opened(ARTICULATION_STAGES["free fall"].text((4, 0)))
    fallen = stage.GetPrimAtPath("/Robot/l0").GetAttribute("xformOp:translate")
    session = Session(stage)
    session.step(DT)
    assert fallen.Get()[2] == pytest.approx(-1e-3, abs=ROUNDING)
    session.reset()
    stage.GetPrimAtPath("/Scene").GetAttribute("physxScene:solverType").Set("TGS")
    session.step(DT)
    assert fallen.Get()[2] == pytest.approx(-6.25e-4, abs=ROUNDING)
    session.close()


@pytest.mark.sweep
def test_recorded_motions_are_those_of_the_engine(oracle_folder: Path) -> None:
    assert record() == json.loads(RECORDED.read_text())


@pytest.mark.sweep
def test_random_pgs_articulations_move_as_in_physx(oracle_folder: Path, tmp_path: Path) -> None:
    rows = [row for first in SEEDED for row in compare(
        range(first, first + SEEDS), replace(FAMILIES[first][1], solver="PGS"), tmp_path)]
    assert len(rows) > 0.8 * SEEDS * len(SEEDED)
    beyond = [row for row in rows if row.ratio > 1.0]
    assert len(beyond) <= (1 - SHARE) * len(rows), "\n\n".join(row.dump() for row in beyond)
