"""What sessions write on stages is what real PhysX does with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Session
from support.chance.articulations import Features, random_articulation
from support.stages.session_stages import arm, floating, pose_error, state, world_poses
from support.stages.session_stages import opened as opened_arm

from physx_schema.description import describe

DT, COMPARED_STEPS, COMPARED_SEEDS = 1 / 60, 30, 12
Q_FLOAT32, POSE_FLOAT32 = 5e-6, 2e-5        # rad or length; poses add up along chains
SPREAD_FACTOR = 10.0


def stages() -> list[tuple[str, str]]:
    """Name and text: hinges in metres and centimetres, a floating base, and random articulations at rest."""
    found = [("arm", arm()), ("centimetres", arm(meters=0.01, kilograms=0.001)), ("floating", floating())]
    for seed in range(COMPARED_SEEDS):
        made = random_articulation(seed, Features(floating=seed % 3 == 0))
        found.append((f"seed {seed}", made.text))
    return found


@pytest.mark.sweep
def test_written_poses_and_joint_states_are_those_of_physx(oracle_folder: Path) -> None:
    from physx_oracle import run_jobs, sim_job

    todo = [(name, text) for name, text in stages() if describe(opened_arm(text)).articulations[0].dofs]
    jobs = []
    for _, text in todo:
        count = len(describe(opened_arm(text)).articulations[0].dofs)
        nudge = np.nextafter(np.zeros(count, np.float32), np.float32(1.0)) + np.float32(1e-7)
        jobs += [sim_job(text, DT, COMPARED_STEPS), sim_job(text, DT, COMPARED_STEPS, joint_pos0=nudge)]
    results = iter(run_jobs(jobs))
    wrong = []
    for name, text in todo:
        exact, nudged = next(results), next(results)
        spread = float(np.abs(exact["q"] - nudged["q"]).max())
        stage = opened_arm(text)
        with Session(stage) as session:
            for _ in range(COMPARED_STEPS):
                session.step(DT)
            model = session.simulation().model
        leaves = [path.rpartition("/")[2] for path in model.dof_names]
        order = [leaves.index(leaf) for leaf in exact["dof_names"]]
        angular = describe(opened_arm(text)).articulations[0].dofs
        q = np.array([np.radians(state(stage, dof.path)) if dof.angular else state(stage, dof.path, instance="linear")
                      for dof in angular])[order]
        links = [path.rpartition("/")[2] for path in model.link_names]
        paths = tuple(model.link_names[links.index(str(path).rpartition("/")[2])] for path in exact["link_paths"])
        errors = np.abs(q - exact["q"][-1]).max(), pose_error(world_poses(stage, paths), exact["link_pose"][-1])
        bars = max(Q_FLOAT32, SPREAD_FACTOR * spread), max(POSE_FLOAT32, 2 * SPREAD_FACTOR * spread)
        if errors[0] > bars[0] or errors[1] > bars[1]:
            wrong.append(f"{name}: {errors[0]:.1e} > {bars[0]:.1e} or {errors[1]:.1e} > {bars[1]:.1e}")
    assert len(todo) > 10
    assert not wrong, "\n".join(wrong)
