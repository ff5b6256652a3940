"""Run small stages in real PhysX and print a line for each: what the scripts `measure_*.py` share.

They need the environment that `oracle.py` describes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from oracle import Oracle

Result = dict[str, Any]     # what the oracle returns of one stage


@dataclass(frozen=True)
class Case:
    """A stage, how long it runs, and where it starts."""

    usda: str
    steps: int = 1
    positions: tuple[float, ...] | None = None      # rad or length; None leaves what is authored
    velocities: tuple[float, ...] | None = None


def run(oracle: Oracle, cases: Mapping[str, Case], step: float) -> dict[str, Result]:
    """Every case in one engine process, results by label."""
    jobs = [oracle.engine.sim_job(case.usda, step, case.steps, joint_pos0=case.positions, joint_vel0=case.velocities)
            for case in cases.values()]
    return dict(zip(cases, oracle.engine.run_jobs(jobs), strict=True))


def print_messages(results: Iterable[Result]) -> None:
    """What the engine said of all stages of a process, each message once and without its source line."""
    log = next(iter(results))["log"].splitlines()
    for line in dict.fromkeys(line.partition(", FILE")[0] for line in log if "warmup" not in line):
        print(line)


def spelt(values: Iterable[float], unit: float = 1.0) -> str:
    """Numbers side by side, in another unit where one is given."""
    return " ".join(f"{float(value) * unit:10.5g}" for value in values) or "none"


def print_joints(title: str, results: Mapping[str, Result], unit: float = 1.0) -> None:
    """Joint positions before the first step, positions and velocities after the last."""
    print(f"{title:46} start | position | velocity of each degree of freedom")
    for label, result in results.items():
        if "q" not in result:
            print(f"{label:46} no articulation")
            continue
        print(f"{label:46} {spelt(result['q'][0], unit)} | {spelt(result['q'][-1], unit)} | "
              f"{spelt(result['qd'][-1], unit)}")
    print_messages(results.values())


def place(result: Result, name: str) -> list[float]:
    """Where a link or a free body is in the end."""
    for item in (result, *result.get("others", {}).values()):
        if name in item.get("link_names", ()):
            return list(map(float, item["link_pose"][-1][item["link_names"].index(name)]))
    names = [path.rpartition("/")[2] for path in result["rigid_paths"]]
    return list(map(float, result["rigid_pose"][-1][names.index(name)]))


def loose(text: ModuleType, body: str, scenes: str) -> str:
    """A stage whose bodies are in no articulation."""
    head = text.HEAD.format(mpu=1.0, kpu=1.0)
    return str(head + text.prim("Xform", "World", children=scenes + text.prim("Xform", "art", children=body)))
