"""Several objects of different iteration counts move as in real PhysX: in a Session, as a whole stage, and alone."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from physx_runtime import Session, simulate
from support.chance.companies import GRAVITY, Company, random_company
from support.stages.iteration_stages import opened

PHYSX_DT, STEPS, SEEDS = 1 / 60, 60, 60
# Position error in float32 over 60 steps of motion that does not amplify, m; else ten times PhysX's own spread under
# gravities that are a few float32 steps apart.
FLOAT32, SPREAD_FACTOR, NUDGES = 5e-6, 10.0, (-4, -3, -2, -1, 1, 2, 3, 4)
BATCH = 15          # seeds of one engine process
Places = dict[str, NDArray[np.float64]]         # link or body path -> (steps + 1, 3)


@dataclass(slots=True)
class Outcome:
    """How far every door is from PhysX on one stage, m, and what the errors may be."""

    company: Company
    session: float
    whole: float                                # of simulate, of the stage as a whole, kinematic bodies too
    alone: dict[str, float]                     # by articulation, up to the first change of its counts
    changes: list[tuple[int, str]] = field(default_factory=list)    # step before which an object's counts changed
    bar: float = FLOAT32

    def __str__(self) -> str:
        return (f"seed {self.company.seed}: Session {self.session:.1e}, simulate {self.whole:.1e} whole and "
                f"{max(self.alone.values()):.1e} alone, bar {self.bar:.1e}, counts changed {self.changes or 'never'}")

    @property
    def ratio(self) -> float:
        return max(self.session, self.whole, *self.alone.values()) / self.bar


def recorded_places(texts: list[str]) -> list[Places]:
    """What PhysX does."""
    from scene_recorder import record

    results: list[dict[str, Any]] = record([{"usd": text, "dt": PHYSX_DT, "steps": STEPS} for text in texts])
    return [{path: result["pos"][:, i].astype(np.float64) for i, path in enumerate(result["paths"])}
            for result in results]


def outcome(company: Company, real: Places) -> Outcome:
    """Every door on one stage."""
    names = (*company.articulations, *company.bodies)
    ours: dict[str, list[NDArray[np.float64]]] = {}
    counts: dict[str, list[tuple[int, int]]] = {name: [] for name in names}
    with Session(opened(company.text())) as session:
        for step in range(STEPS + 1):
            for name in names:
                sim = session.simulation(name)
                for link, pose in zip(sim.model.link_names, sim.link_pose[0], strict=True):
                    ours.setdefault(link, []).append(pose[:3])
            if step < STEPS:
                session.step(PHYSX_DT)
                for name in names:
                    found = session.simulation(name).iterations
                    counts[name].append((found.position, found.velocity))
    changes = [(step, name) for name in names for step in range(1, STEPS)
               if counts[name][step] != counts[name][step - 1]]
    alone = {name: _alone(company, name, real, min((s for s, n in changes if n == name), default=STEPS))
             for name in company.articulations}
    far = max(np.abs(np.array(places) - real[link]).max() for link, places in ours.items())
    return Outcome(company, float(far), _whole(company, real), alone, changes)


def _whole(company: Company, real: Places) -> float:
    """The largest error of simulate over all links and bodies."""
    found = simulate(opened(company.text()), dt=PHYSX_DT, steps=STEPS, path="generic")
    assert set(found.body_names) == real.keys()
    assert found.not_simulated == ()
    errors = [np.abs(found.body_pose[:, 0, i, :3] - real[body]) for i, body in enumerate(found.body_names)]
    return float(np.max(errors))


def _alone(company: Company, name: str, real: Places, steps: int) -> float:
    """The largest error of simulate until the counts change, which it says that it does not follow."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = simulate(opened(company.text()), dt=PHYSX_DT, steps=steps, articulation=name, path="generic")
    assert steps == STEPS or any(item.code == "sleep" for item in found.not_simulated), (company.seed, name)
    return max(float(np.abs(found.link_pose[:, 0, i, :3] - real[link][:steps + 1]).max())
               for i, link in enumerate(found.link_names))


def nudged(company: Company) -> list[str]:
    """The stage under gravities that are a few float32 steps apart."""
    unit = float(np.spacing(np.float32(GRAVITY)))
    return [company.text(float(np.float32(GRAVITY + k * unit))) for k in NUDGES]


@pytest.mark.parametrize("first", range(0, SEEDS, BATCH))
def test_companies_move_as_in_physx(first: int, oracle_folder: Path) -> None:
    companies = [random_company(seed) for seed in range(first, first + BATCH)]
    found = [outcome(company, real) for company, real in zip(
        companies, recorded_places([company.text() for company in companies]), strict=True)]
    assert sum(bool(item.changes) for item in found) >= BATCH // 3       # sleepers are among them
    doubtful = [item for item in found if item.ratio > 1.0]
    for item in doubtful:
        first, *others = recorded_places([item.company.text(), *nudged(item.company)])
        spread = max(np.abs(other[link] - first[link]).max() for other in others for link in first)
        item.bar = max(FLOAT32, SPREAD_FACTOR * float(spread))
    beyond = [str(item) for item in found if item.ratio > 1.0]
    assert not beyond, "\n".join(beyond)


@pytest.mark.parametrize("seed", range(3))
def test_a_company_is_a_function_of_its_seed(seed: int) -> None:
    assert random_company(seed).text() == random_company(seed).text()
