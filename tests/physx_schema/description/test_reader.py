"""The reader says of many small stages what PhysX makes of them; the recordings are PhysX's (`make sweep` renews none).

Run as a program with `--record` and `tests` on PYTHONPATH to measure anew and write the recordings.

The reader against real PhysX on authored, shipped and recorded stages (run by `make sweep`).

Damaged stages are described and checked without an exception (run by `make sweep`).
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from pxr import Sdf, Usd
from support.chance.reading_stages import random_graph, weighed_stage
from support.compared.themes import STAGES as COMPARED_STAGES
from support.compared.themes import THEMES as COMPARED_THEMES
from support.fuzzing.spoiling import damage
from support.physx.fact_differences import differences, gravity_differences
from support.physx.facts import Facts, measured_facts
from support.physx.readings import FIELDS, Stage, agreement, articulations_below, samples
from support.places import DATA
from support.recorded import (
    joint_stages,
    scene_stages,
    transform_stages,
    tree_stages,
)
from support.stages.robots import described

from physx_schema.checking import check
from physx_schema.description import describe

FILE = DATA / "physx_facts.json"
THEMES = {
    "scenes": scene_stages.STAGES, "transforms": transform_stages.STAGES, "trees": tree_stages.STAGES,
    "joints": joint_stages.STAGES, "loops": tree_stages.LOOP_STAGES, "engines": joint_stages.ENGINE_STAGES,
    "random": tree_stages.RANDOM_STAGES,
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


# --- in in PhysX -----------------------------------------------------------------------------------------------------

EVERY_FIELD = ("rich_finger", "floating_start", "branched_tendon", "branched_cable", "excluded_anchor", "disabled_body",
               "disabled_articulation")


def hold(stages: Iterable[Stage], but: str = "-") -> None:
    """Fail with every difference that does not begin so."""
    lines = [f"{name}: {text}" for name, found in agreement(tuple(stages)).items() for text in found.differences()
             if not text.startswith(but)]
    if lines:
        pytest.fail("\n".join(lines), pytrace=False)


@pytest.mark.sweep
@pytest.mark.parametrize("theme", COMPARED_THEMES)
def test_reader_and_physx_agree_on_authored_stages(oracle_folder: Path, theme: str) -> None:
    hold(COMPARED_THEMES[theme])


@pytest.mark.sweep
def test_reader_and_physx_agree_on_the_samples_of_ovphysx(oracle_folder: Path) -> None:
    hold(articulations_below(samples()))


@pytest.mark.sweep
def test_reader_and_physx_agree_on_recorded_cases(oracle_folder: Path, shared_cases: Path) -> None:
    hold(articulations_below(shared_cases))


@pytest.mark.sweep
@pytest.mark.parametrize("first", [0, 60, 120])
def test_reader_and_physx_agree_on_random_stages(oracle_folder: Path, first: int) -> None:
    """Colliders that overlap push the root in the step that PhysX takes before anything can be read."""
    hold((Stage(f"seed {seed}", random_graph(seed)) for seed in range(first, first + 60)), "root velocity")


@pytest.mark.sweep
def test_reader_and_physx_agree_on_mass_properties_in_sheared_and_mirrored_prims(oracle_folder: Path) -> None:
    hold(Stage(f"seed {seed}", weighed_stage(seed)) for seed in range(60))


@pytest.mark.sweep
def test_every_field_is_compared(oracle_folder: Path) -> None:
    found = agreement([stage for stage in COMPARED_STAGES if stage.name in EVERY_FIELD])
    assert {field for item in found.values() for field in item.fields} == set(FIELDS)


@pytest.mark.sweep
def test_sixty_stages_have_names_of_their_own() -> None:
    assert len({stage.name for stage in COMPARED_STAGES}) == len(COMPARED_STAGES) >= 60


# --- fuzz ------------------------------------------------------------------------------------------------------------

SEEDS = 12
DAMAGES = 6


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(SEEDS))
def test_damaged_stages_are_described_and_checked(case_stages: list[Path], seed: int) -> None:
    rng = random.Random(seed)
    for path in case_stages:
        layer = Sdf.Layer.CreateAnonymous(".usda")
        layer.TransferContent(Sdf.Layer.FindOrOpen(str(path)))
        stage = Usd.Stage.Open(layer)
        for _ in range(DAMAGES):
            damage(stage, rng)
        report = check(stage)
        assert not [item for item in report.findings if item.code.startswith("rule-failed")], path
        authored = {f"{item.path}.{item.property}" for item in describe(stage).authored}
        settled = {f"{item.path}.{item.property}" for item in (*report.unused, *report.not_evaluated)}
        assert authored <= describe(stage).consumed | settled
