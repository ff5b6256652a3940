"""Forces of inbound joints and accelerations of links are those that PhysX reports."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Simulation
from physx_runtime.worlds.store import AUTO, SCHEDULED
from pxr import Usd
from support.chance.articulations import Features, engine_names, random_articulation
from support.nonempty import nonempty
from support.physx.pushed import pushed, run_pushed
from support.stages.parts import author

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
KINDS = (EVERYTHING_BUT_TENDONS, FORCES_ONCE, PGS, GENERIC)
TENDONS = replace(EVERYTHING_BUT_TENDONS, links=(4, 7), fixed_tendon=1.0, spatial_tendon=1.0, tendon_limits=0.5,
                  leaves=0.3)
PULLED_PGS = replace(TENDONS, solver="PGS")
PULLED = [features for fixed in (TENDONS, replace(TENDONS, once=1.0), PULLED_PGS)
          for features in (fixed, fixed, replace(fixed, floating=True))]
FIXED = [features for features, count in zip(KINDS, (6, 3, 3, 2), strict=True) for _ in range(count)]
FLOATING = [replace(features, floating=True) for features, count in zip(KINDS, (4, 2, 2, 2), strict=True)
            for _ in range(count)]
CASES = [*((features, AUTO) for features in (*FIXED, *FLOATING, *PULLED)),
         (TENDONS, SCHEDULED), (PULLED_PGS, SCHEDULED)]


@dataclass(frozen=True)
class Reports:
    """What was reported after a step, (n_link, 6): force and torque, linear and angular acceleration."""

    case: str
    found: dict[str, NDArray[np.float64]]
    expected: dict[str, NDArray[np.float64]]

    def error(self, name: str) -> float:
        """Of the largest that PhysX reports of any link."""
        found, expected = self.found[name], self.expected[name]
        return float(np.abs(found - expected).max() / np.abs(expected).max())


def reported(sim: Simulation) -> dict[str, NDArray[np.float64]]:
    """What the Direct API has of the last step."""
    links = len(sim.model.link_names)
    force, linear, angular = np.zeros((1, links, 6)), np.zeros((1, links, 3)), np.zeros((1, links, 3))
    for kind, values in (("eLINK_INCOMING_JOINT_FORCE", force), ("eLINK_LINEAR_ACCELERATION", linear),
                         ("eLINK_ANGULAR_ACCELERATION", angular)):
        sim.direct.get(kind, values, [0])
    return {"incoming_joint_force": force[0], "link_acc": np.concatenate([linear[0], angular[0]], axis=1)}


def push_last_link(path: Path) -> None:
    stage = Usd.Stage.Open(str(path))
    link = describe(path).articulations[0].links[-1].path
    author(stage.GetPrimAtPath(link), PUSH, world=False, mode="acceleration")
    stage.Save()


@pytest.fixture(scope="module")
def reports(oracle_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Reports]:
    simulations, jobs, folder = [], [], tmp_path_factory.mktemp("stages")
    for seed, (features, way) in enumerate(CASES):
        art, random = random_articulation(seed, features), np.random.default_rng(seed)
        path = folder / f"{seed}.usda"
        path.write_text(art.text)
        if seed % 2:
            push_last_link(path)
        description = describe(path)
        names = engine_names(description.articulations[0])
        q, v, effort = ([values[name] for name in names] for values in (art.positions, art.velocities, art.efforts))
        wrenches = np.round(random.uniform(-1.0, 1.0, (len(description.articulations[0].links), 6)), 3) * (seed % 3)
        sim = Simulation(description, dt=DT, dtype="float64", path=way)
        sim.reset(joint_position=q, joint_velocity=v)
        simulations.append((sim, effort, wrenches))
        jobs.append(pushed(path, DT, STEPS, {"*": {"link_force": wrenches}}, q, v, effort=effort,
                           extra=("incoming_joint_force", "link_acc")))
    return nonempty(report for seed, (own, real) in enumerate(zip(simulations, run_pushed(jobs), strict=True))
                    for report in side_by_side(f"seed {seed}", *own, real))


def side_by_side(case: str, sim: Simulation, effort: Sequence[float], wrenches: NDArray[np.float64],
                 real: Mapping[str, Any]) -> Iterator[Reports]:
    """The reports of every step of a simulation and of PhysX, links in the simulation's order."""
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
        found = reported(sim)
        yield Reports(f"{case}, step {step}", found, {name: real[name][step][order] for name in found})


def test_joints_carry_what_physx_says_they_do(reports: list[Reports]) -> None:
    for report in reports:
        assert report.error("incoming_joint_force") < ROUNDING, report.case


def test_links_accelerate_as_physx_says_they_do(reports: list[Reports]) -> None:
    for report in reports:
        assert report.error("link_acc") < ROUNDING, report.case
