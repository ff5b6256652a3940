"""The reader says of many small stages what PhysX makes of them; the recordings are PhysX's (`make sweep` renews none).

Run as a program with `--record` and `tests` on PYTHONPATH to measure anew and write the recordings.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from support.physx.fact_differences import differences, gravity_differences
from support.physx.facts import Facts, measured_facts
from support.places import DATA
from support.recorded import (
    engine_stages,
    joint_stages,
    loop_stages,
    random_stages,
    scene_stages,
    transform_stages,
    tree_stages,
)
from support.stages.robots import described

FILE = DATA / "physx_facts.json"
THEMES = {
    "scenes": scene_stages.STAGES, "transforms": transform_stages.STAGES, "trees": tree_stages.STAGES,
    "joints": joint_stages.STAGES, "loops": loop_stages.STAGES, "engines": engine_stages.STAGES,
    "random": random_stages.STAGES,
}
STAGES = {f"{theme}: {name}": text for theme, stages in THEMES.items() for name, text in stages.items()}
REFUSED = {f"scenes: {name}": text for name, text in scene_stages.REFUSED.items()}



@pytest.fixture(scope="session")
def recorded() -> dict[str, Facts]:
    """What PhysX made of every stage when it was last measured."""
    facts: dict[str, Facts] = json.loads(FILE.read_text(encoding="utf-8"))
    return facts


@pytest.mark.parametrize("name", STAGES)
def test_stage_reads_as_physx_made_it(recorded: dict[str, Facts], name: str) -> None:
    assert differences(described(STAGES[name]), recorded[name]) == []


@pytest.mark.parametrize("name", [f"scenes: {name}" for name in scene_stages.STAGES if "joint" not in name])
def test_bodies_fall_by_the_gravity_of_their_scene(recorded: dict[str, Facts], name: str) -> None:
    assert gravity_differences(described(STAGES[name]), recorded[name]) == []


@pytest.mark.parametrize("name", REFUSED)
def test_units_that_physx_refuses_are_an_error(recorded: dict[str, Facts], name: str) -> None:
    assert "refused" in recorded[name]
    problems = described(REFUSED[name]).problems
    assert [problem.code for problem in problems if problem.severity == "error"] == ["stage/units"]


@pytest.mark.parametrize("name", scene_stages.BROKEN)
def test_gravity_that_is_not_finite_is_an_error(name: str) -> None:
    assert "scene/gravity" in [problem.code for problem in described(scene_stages.BROKEN[name]).problems]


def test_every_stage_is_recorded(recorded: dict[str, Facts]) -> None:
    assert set(recorded) == STAGES.keys() | REFUSED.keys()


@pytest.mark.sweep
def test_physx_makes_of_the_stages_what_is_recorded(recorded: dict[str, Facts], oracle_folder: Path) -> None:
    found = measured_facts(STAGES | REFUSED)
    assert {name: facts for name, facts in found.items() if _text(facts) != _text(recorded[name])} == {}


def _text(facts: Any) -> str:
    return json.dumps(facts, sort_keys=True)


if __name__ == "__main__" and "--record" in sys.argv:
    rows = (f"{json.dumps(name)}: {_text(facts)}" for name, facts in measured_facts(STAGES | REFUSED).items())
    FILE.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
