"""Runs the reader and real PhysX on many stages, in few engine processes, and compares them."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from physx_runtime import simulate
from pxr import Usd

from physx_schema.description import Articulation, Description, describe
from support.physx.reading_differences import Differences, compare, compare_posed, equal
from support.stages.robots import opened

SUFFIXES = frozenset({".usd", ".usda", ".usdc", ".usdz"})
_FIND_SAMPLES = "import ovphysx, pathlib; print(pathlib.Path(ovphysx.__file__).parent / 'samples')"
BATCH = 40              # stages of one engine process
DT, STEPS = 1 / 60, 4
MOTION = 2e-5           # float32 over a few steps, rad or length


@dataclass(frozen=True)
class Stage:
    """A stage to compare, as a path or as USDA text."""

    name: str
    source: Path | str
    moves: bool = False         # compare a few steps of motion as well


@dataclass
class Compared:
    """What became of a stage."""

    articulations: int = 0
    fields: Differences = field(default_factory=dict)
    crash: str = ""             # what the engine said as it ended

    def differences(self) -> list[str]:
        """Every difference in words, each behind its field."""
        if self.crash:
            return [f"the engine ended: {self.crash}"]
        return [f"{name}: {text}" for name, texts in self.fields.items() for text in texts]


def articulations_below(folder: Path) -> Iterator[Stage]:
    """Every stage in a folder that has a prim with PhysicsArticulationRootAPI; hostile files are no stages."""
    for path in sorted(item for item in folder.rglob("*") if item.suffix in SUFFIXES):
        if path.parent.name == "hostile":
            continue
        stage = Usd.Stage.Open(str(path))
        prims = Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies())
        if any("PhysicsArticulationRootAPI" in prim.GetAppliedSchemas() for prim in prims):
            yield Stage(str(path.relative_to(folder)), path)


def samples() -> Path:
    """The folder of ovphysx's own stages."""
    python = os.environ.get("ORACLE_PYTHON", sys.executable)
    done = subprocess.run([python, "-c", _FIND_SAMPLES], capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


def agreement(stages: Sequence[Stage]) -> dict[str, Compared]:
    """The comparison of every stage by name."""
    results: dict[str, Compared] = {}
    for start in range(0, len(stages), BATCH):
        for item, compared in zip(stages[start:start + BATCH], _run(stages[start:start + BATCH]), strict=True):
            results[item.name] = compared
    return results


def _run(stages: Sequence[Stage], moved: bool = True) -> list[Compared]:
    """One engine process; where it ends early, halves of the stages until the culprit is alone, then that unmoved."""
    oracle = importlib.import_module("physx_oracle")
    described = [_described(item.source) for item in stages]
    jobs: list[Any] = []
    for item, description in zip(stages, described, strict=True):
        jobs += _jobs(oracle, item, description, moved)
    try:
        with patch.dict(os.environ, PHYSX_WORKERS="1"):     # what PhysX says of a refused joint fails no reading
            found = iter(oracle.run_jobs(jobs))
    except oracle.OracleError as error:
        if len(stages) == 1:
            return _run(stages, False) if moved else [Compared(crash=str(error)[-400:])]
        middle = len(stages) // 2
        return _run(stages[:middle]) + _run(stages[middle:])
    return [_compared(item, description, found, moved) for item, description in zip(stages, described, strict=True)]


def _described(source: Path | str) -> Description:
    return describe(source if isinstance(source, Path) else opened(source))


def _jobs(oracle: Any, item: Stage, description: Description, moved: bool) -> list[Any]:
    """As authored; with the joints posed and moving, unless that ends the engine."""
    source = str(item.source)
    jobs = [oracle.dyn_job(source)]
    if not moved:
        return jobs
    posed = _posable(description)
    if posed is not None:
        jobs.append(oracle.sim_job(source, DT, 0, joint_pos0=pose(posed)))
    if item.moves and posed is not None:
        jobs.append(oracle.sim_job(source, DT, STEPS, joint_pos0=pose(posed)))
    return jobs


def _compared(item: Stage, description: Description, results: Iterator[Any], moved: bool) -> Compared:
    measured = next(results)
    rows = compare(description, measured)
    if not moved:
        rows["posed links"] = ["PhysX does not take the coordinates"]
        return Compared(len(measured["articulations"]), rows)
    posed = _posable(description)
    if posed is not None:
        there = next(results)
        if not rows.get("dof order", ["unknown"]):
            rows["posed links"] = compare_posed(posed, pose(posed), there)
    if item.moves and posed is not None:
        rows["motion"] = _motion(description, pose(posed), next(results))
    return Compared(len(measured["articulations"]), rows)


def _posable(description: Description) -> Articulation | None:
    """The articulation of a stage that has one, with joints whose axes are known."""
    ours = [item for item in description.articulations if item.enabled and item.dofs]
    return ours[0] if len(description.articulations) == len(ours) == 1 else None


def pose(articulation: Articulation) -> np.ndarray:
    """Some coordinates within the limits, different for every joint."""
    wanted = [0.1 + 0.05 * i for i in range(len(articulation.dofs))]
    return np.array([min(max(q, dof.lower), dof.upper) for q, dof in zip(wanted, articulation.dofs, strict=True)])


def _motion(description: Description, start: np.ndarray, found: Any) -> list[str]:
    """Joint positions and velocities over a few steps from given coordinates, ours by this project's solver."""
    ours = simulate(description, DT, STEPS, joint_position=start)
    differences = []
    for name, mine, theirs in (("position", ours.joint_position, found["q"]),
                               ("velocity", ours.joint_velocity, found["qd"])):
        mine = np.asarray(mine)[:, 0]
        scale = max(1.0, float(np.abs(theirs).max()))
        if not equal(mine, theirs, 0.0, MOTION * scale):
            differences.append(f"{name} differs by {np.abs(mine - theirs).max():.1e}")
    return differences
