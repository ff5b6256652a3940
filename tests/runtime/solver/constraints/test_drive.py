"""Forces once a step (enableExternalForcesEveryIteration off): drives, efforts and envelopes as PhysX bounds them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from physx_runtime import Simulation
from support.chance.articulations import Features, random_articulation
from support.places import SLIDER

from physx_schema.description import describe
from physx_schema.description.model import Description, Drive, Envelope

ROUNDING = 2e-7
GPU_OFF = "bool physxScene:enableGPUDynamics = 0"
ONCE = "bool physxScene:enableExternalForcesEveryIteration = 0"
# Drive of a slider of mass 2 to 0.3: stiffness, damping, maxForce; envelope: maximum velocity, resistance, gradient;
# effort; v after steps 1 and 2 of 0.01 s from q = 0, v = 0.2 in ovphysx 0.7.0, the same for N/V = 4/0 and 4/2.
MEASURED = [
    ((200.0, 1.0, 10.0), None, 0.0, (0.25, 0.3)),
    ((200.0, 1.0, 10.0), None, 5.0, (0.25, 0.3)),
    ((200.0, 1.0, 10.0), None, -5.0, (0.25, 0.3)),
    ((0.0, 0.0, 10.0), None, 30.0, (0.25, 0.3)),
    ((20.0, 1.0, math.inf), None, 1.0, (0.23374788, 0.26708433)),
    ((200.0, 1.0, 20.0), (0.5, 0.0, 0.0), 8.0, (0.3, 0.4)),
    ((200.0, 1.0, 20.0), (1.0, 0.0, 0.05), 8.0, (0.27272728, 0.338843)),
    ((200.0, 1.0, 20.0), (math.inf, 10.0, 0.0), 8.0, (0.28571427, 0.3673469)),
    ((200.0, 1.0, 20.0), (0.6, 30.0, 0.01), 3.0, (0.26086956, 0.31379962)),
]


def slider(drive: Drive) -> Description:
    """One slider of mass 2 without gravity, N/V = 4/2."""
    description = describe(SLIDER)
    articulation = description.articulations[0]
    base, link = articulation.links
    assert link.joint is not None
    joint = replace(link.joint, dofs=(replace(link.joint.dofs[0], drive=drive),))
    links = (base, replace(link, mass=2.0, linear_damping=0.0, joint=joint))
    driven = replace(articulation, links=links, position_iterations=4, velocity_iterations=2)
    scene = replace(description.scene, gravity=(0.0, 0.0, 0.0), forces_every_iteration=False)
    return replace(description, articulations=(driven,), scene=scene, scenes=())


@pytest.mark.parametrize(("gains", "bounds", "effort", "expected"), MEASURED)
def test_drive_and_effort_of_a_step_are_bounded_together(
        gains: tuple[float, float, float], bounds: tuple[float, float, float] | None, effort: float,
        expected: tuple[float, float]) -> None:
    path, prefix = "/World/art/j", "drive:linear:physics:"
    envelope = Envelope(path, prefix, *bounds) if bounds else None
    stiffness, damping, most = gains
    drive = Drive(path, prefix, stiffness, damping, 0.3, 0.0, most, False, envelope)
    sim = Simulation(slider(drive), dt=0.01)
    sim.reset(joint_position=[0.0], joint_velocity=[0.2])
    sim.set("joint_effort", [effort])
    for v in expected:
        sim.step()
        assert sim.joint_velocity[0, 0] == pytest.approx(v, abs=ROUNDING)


def test_random_articulations_move_as_in_physx_with_forces_once_a_step(tmp_path: Path, oracle_folder: Path) -> None:
    """Every feature at once, fixed and floating, within rounding or ten times PhysX's spread of neighbouring starts."""
    from physx_oracle import run_jobs, sim_job

    dt, steps, jobs, motions = 1 / 60, 30, [], []
    for seed in range(4):
        text = random_articulation(seed, Features(floating=seed % 2 == 1, drive=0.8)).text
        path = tmp_path / f"seed{seed}.usda"
        path.write_text(text.replace(GPU_OFF, GPU_OFF + "\n        " + ONCE))
        sim = Simulation(path, dt=dt)
        assert not sim.topology.forces_every_iteration
        random, size = np.random.default_rng(seed), len(sim.topology.dofs)
        q, qd, effort = (random.uniform(-x, x, size).astype(np.float32) for x in (0.3, 0.5, 1.0))
        sim.reset(joint_position=q, joint_velocity=qd)
        sim.set("joint_effort", effort)
        motion = []
        for _ in range(steps):
            sim.step()
            motion.append(sim.joint_position[0])
        motions.append(np.array(motion))
        starts = [q, *(np.nextafter(q, np.float32(side)) for side in (-np.inf, 0.0, np.inf))]
        jobs += [sim_job(path, dt, steps, start, qd, effort=effort) for start in starts]
    results = iter(run_jobs(jobs))
    for seed, motion in enumerate(motions):
        real, *others = [next(results)["q"][1:] for _ in range(4)]
        bar = max(5e-6, 10.0 * max(float(np.abs(other - real).max()) for other in others))
        assert np.abs(motion - real).max() < bar, f"seed {seed}"
