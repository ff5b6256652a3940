"""The reader against real PhysX on authored, shipped and recorded stages (run by `make sweep`)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from support.chance.graphs import random_graph
from support.chance.weighed_bodies import weighed_stage
from support.compared.themes import STAGES as COMPARED_STAGES
from support.compared.themes import THEMES as COMPARED_THEMES
from support.physx.reading_differences import FIELDS
from support.physx.readings import Stage, agreement, articulations_below, samples

pytestmark = pytest.mark.sweep

EVERY_FIELD = ("rich_finger", "floating_start", "branched_tendon", "branched_cable", "excluded_anchor", "disabled_body",
               "disabled_articulation")


def hold(stages: Iterable[Stage], but: str = "-") -> None:
    """Fail with every difference that does not begin so."""
    lines = [f"{name}: {text}" for name, found in agreement(tuple(stages)).items() for text in found.differences()
             if not text.startswith(but)]
    if lines:
        pytest.fail("\n".join(lines), pytrace=False)


@pytest.mark.parametrize("theme", COMPARED_THEMES)
def test_reader_and_physx_agree_on_authored_stages(oracle_folder: Path, theme: str) -> None:
    hold(COMPARED_THEMES[theme])


def test_reader_and_physx_agree_on_the_samples_of_ovphysx(oracle_folder: Path) -> None:
    hold(articulations_below(samples()))


def test_reader_and_physx_agree_on_recorded_cases(oracle_folder: Path, shared_cases: Path) -> None:
    hold(articulations_below(shared_cases))


@pytest.mark.parametrize("first", [0, 60, 120])
def test_reader_and_physx_agree_on_random_stages(oracle_folder: Path, first: int) -> None:
    """Colliders that overlap push the root in the step that PhysX takes before anything can be read."""
    hold((Stage(f"seed {seed}", random_graph(seed)) for seed in range(first, first + 60)), "root velocity")


def test_reader_and_physx_agree_on_mass_properties_in_sheared_and_mirrored_prims(oracle_folder: Path) -> None:
    hold(Stage(f"seed {seed}", weighed_stage(seed)) for seed in range(60))


def test_every_field_is_compared(oracle_folder: Path) -> None:
    found = agreement([stage for stage in COMPARED_STAGES if stage.name in EVERY_FIELD])
    assert {field for item in found.values() for field in item.fields} == set(FIELDS)


def test_sixty_stages_have_names_of_their_own() -> None:
    assert len({stage.name for stage in COMPARED_STAGES}) == len(COMPARED_STAGES) >= 60
