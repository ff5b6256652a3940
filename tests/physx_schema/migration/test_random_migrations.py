"""Random schemas and stages: what both schemas can hold reads as before, everything else is named, once is enough."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from support.chance.schema_changes import new_package, new_yaml, random_change
from support.schemas.generated_packages import generated_package
from support.schemas.random_migrations import random_case

from physx_schema import migration
from physx_schema.definitions import definitions_of
from physx_schema.migration import composition, leftovers, plan, rewrite

QUICK, ALL, BATCH = 60, 2000, 20
BATCHES = [pytest.param(start, marks=() if start < QUICK else (pytest.mark.sweep,)) for start in range(0, ALL, BATCH)]
# A planted error is found by one of these, most by the first few.
LOOKED_AT = 60


def faults(seeds: range, folder: Path) -> dict[int, list[str]]:
    """Seed to what its migration got wrong."""
    found = {seed: list(random_case(seed, folder / str(seed)).faults()) for seed in seeds}
    return {seed: texts for seed, texts in found.items() if texts}


@pytest.mark.parametrize("start", BATCHES)
def test_every_value_reads_as_before_through_the_new_schema_or_is_named(start: int, tmp_path: Path) -> None:
    assert faults(range(start, start + BATCH), tmp_path) == {}


def test_definitions_of_a_random_schema_are_those_that_generate_makes(tmp_path: Path) -> None:
    change = random_change(random.Random(7))
    (tmp_path / "new").mkdir()
    (tmp_path / "new/parts.yaml").write_text(new_yaml(change), encoding="utf-8")
    made = generated_package(tmp_path / "new", tmp_path / "made", "parts_of_chance")
    facts = ("identifier", "kind", "prefix", "properties", "includes", "renamed_from")
    ours, generated = ({item.identifier: (*(getattr(item, name) for name in facts), names_of(item.inherited))
                        for item in definitions_of(package)} for package in (new_package(change), made))
    assert ours == generated


def names_of(definitions: Any) -> list[str]:
    return [item.identifier for item in definitions]


def nothing(*_: Any) -> None:
    """Does not do what it stands for."""


def without_samples(spec: Any, kind: str) -> None:
    """Another type as `retype` gives it, but for the samples."""
    kept = spec.default
    spec.ClearInfo("timeSamples")
    spec.SetInfo("typeName", kind)
    spec.default = kept


PLANTED: dict[str, tuple[Any, str, Any]] = {
    "targets do not follow": (rewrite.Rewriter, "_paths", nothing),
    "orders do not follow": (rewrite.Rewriter, "_order", nothing),
    "a layer's value moves where another's stays": (plan.Plan, "_spread", nothing),
    "other variants are not looked at": (migration, "other_variants", lambda *_: []),
    "values are cut to the new type": (plan, "holds", lambda *_: True),
    "samples are lost with a type": (rewrite, "retype", without_samples),
    "another fallback is not said": (leftovers, "present", lambda *_: ()),
    "built-in classes do not count": (composition.Composition, "schemas_of", lambda *_: set()),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_error_is_found(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*PLANTED[name])
    assert any(faults(range(seed, seed + 1), tmp_path) for seed in range(LOOKED_AT))
