"""What the mimic rule calls refused follows nothing in real PhysX, and follows once it is remedied."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from support.stages.faulty_robots import SCENE
from support.stages.rule_examples import stage

from physx_schema.checking import RULES

pytestmark = pytest.mark.sweep

REFUSED = ("instance", "reference-count", "reference-missing", "reference-type", "self", "gearing", "limits",
           "excluded-self", "disabled", "joint-type", "reference-axis", "same-articulation", "orphan-properties")
BROKEN = ("offset",)        # the whole articulation becomes NaN
STATE = ('"j1" (\n    prepend apiSchemas = ["PhysicsJointStateAPI:angular"]\n)\n{\n'
         '    float state:angular:physics:velocity = 60\n')
STEP = 1.0 / 60.0
FOLLOWS = 0.1               # rad/s: a share of the reference's 1.05 that rounding does not reach


def moving(prims: str) -> str:
    """The stage of an example with its reference joint turning at 60 degrees per second."""
    text = stage(prims)
    assert '"j1"\n{\n' in text
    return text.replace('"j1"\n{\n', STATE) + SCENE


@pytest.fixture(scope="module")
def speeds(oracle_folder: Path) -> dict[tuple[str, str], float]:
    """The follower's speed after one step, by sub-code and "example" or "remedy"; 0 where it is in no articulation."""
    from physx_oracle import run_jobs, sim_job

    cases = {(name, state): moving(getattr(RULES[f"DJ.007/{name}"], state))
             for name in (*REFUSED, *BROKEN) for state in ("example", "remedy")}
    runs = run_jobs([sim_job(usda, STEP, 1) for usda in cases.values()])
    return {key: follower_speed(run) for key, run in zip(cases, runs, strict=True)}


def follower_speed(run: dict[str, Any]) -> float:
    last = dict(zip(map(str, run["dof_names"]), run["qd"][-1], strict=True))
    return max((abs(float(value)) for name, value in last.items() if name.startswith("j2")), default=0.0)


@pytest.mark.parametrize("name", REFUSED)
def test_refused_mimic_joint_follows_nothing(speeds: dict[tuple[str, str], float], name: str) -> None:
    assert speeds[name, "example"] < FOLLOWS


@pytest.mark.parametrize("name", BROKEN)
def test_broken_mimic_joint_is_not_a_number(speeds: dict[tuple[str, str], float], name: str) -> None:
    assert math.isnan(speeds[name, "example"])


@pytest.mark.parametrize("name", (*REFUSED, *BROKEN))
def test_remedied_mimic_joint_follows(speeds: dict[tuple[str, str], float], name: str) -> None:
    assert speeds[name, "remedy"] > FOLLOWS
