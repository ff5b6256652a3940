"""Forces of inbound joints are those that PhysX reports, for fixed bases without tendons."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from physx_runtime import Simulation
from pxr import Usd
from support.chance.articulations import Features, engine_names, random_articulation
from support.physx.pushed import pushed, run_pushed
from support.stages.forces import author

from physx_schema.description import describe

DT, STEPS = 1 / 60, 3
# Of the largest force or torque of an articulation: PhysX's velocities in float32, divided by the time step. The states
# below stay below 8e-6, one of others came to 4e-5.
ROUNDING = 1e-4
EVERYTHING_BUT_TENDONS = Features(links=(3, 6), drive=0.8, limit=0.5, friction=0.5, damping=0.8, mimic=0.4, swapped=0.3,
                                  fixed_tendon=0.0, spatial_tendon=0.0, max_velocity=0.0)
FORCES_ONCE, PGS = replace(EVERYTHING_BUT_TENDONS, once=1.0), replace(EVERYTHING_BUT_TENDONS, solver="PGS")
GENERIC = replace(EVERYTHING_BUT_TENDONS, spherical=0.7, generic=1.0)       # PhysX lets its locked axes drift
PUSH = np.array([3.0, -2.0, 1.0, 0.5, -1.0, 2.0])       # m/s^2, rad/s^2
CASES = [*(EVERYTHING_BUT_TENDONS for _ in range(6)), *(FORCES_ONCE for _ in range(3)), *(PGS for _ in range(3)),
         *(GENERIC for _ in range(2))]


def joint_forces(sim: Simulation) -> NDArray[np.float64]:
    """(n_link, 6) force and torque."""
    values = np.zeros((1, len(sim.model.link_names), 6))
    sim.direct.get("eLINK_INCOMING_JOINT_FORCE", values, [0])
    return values[0]


def push_last_link(path: Path) -> None:
    stage = Usd.Stage.Open(str(path))
    link = describe(path).articulations[0].links[-1].path
    author(stage.GetPrimAtPath(link), PUSH, world=False, mode="acceleration")
    stage.Save()


def test_joints_carry_what_physx_says_they_do(oracle_folder: Path, tmp_path: Path) -> None:
    simulations, jobs = [], []
    for seed, features in enumerate(CASES):
        art, random = random_articulation(seed, features), np.random.default_rng(seed)
        path = tmp_path / f"{seed}.usda"
        path.write_text(art.text)
        if seed % 2:
            push_last_link(path)
        description = describe(path)
        names = engine_names(description.articulations[0])
        q, v, effort = ([values[name] for name in names] for values in (art.positions, art.velocities, art.efforts))
        wrenches = np.round(random.uniform(-1.0, 1.0, (len(description.articulations[0].links), 6)), 3) * (seed % 3)
        sim = Simulation(description, dt=DT, dtype="float64")
        sim.reset(joint_position=q, joint_velocity=v)
        simulations.append((sim, effort, wrenches))
        jobs.append(pushed(path, DT, STEPS, {"*": {"link_force": wrenches}}, q, v, effort=effort,
                           extra=("incoming_joint_force",)))
    for seed, ((sim, effort, wrenches), real) in enumerate(zip(simulations, run_pushed(jobs), strict=True)):
        assert sim.direct.count == 1
        ends = [str(name).rsplit("/", 1)[-1] for name in real["link_names"]]
        order = [ends.index(name.rsplit("/", 1)[-1]) for name in sim.model.link_names]
        for name, values in zip(("link_force", "link_torque"), np.split(wrenches, 2, axis=1), strict=True):
            sim.set(name, values.ravel())
        for step in range(1, STEPS + 1):
            sim.set("joint_effort", effort)
            sim.step()
            # what acts in the next step is not what acted in this one
            sim.set("joint_effort", np.zeros(len(effort)))
            expected = real["incoming_joint_force"][step][order]
            error = np.abs(joint_forces(sim) - expected)[1:].max() / np.abs(expected).max()
            assert error < ROUNDING, f"seed {seed}, step {step}: {error:.1e}"
