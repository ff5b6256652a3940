"""Mistakes that PhysX ignores in silence are found by the check, and their sound twins are not blamed.

In real PhysX planted problems change nothing, to the last bit, and their sound twins change the motion.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pxr import Sdf, Usd
from support.stages.planted_problems import PLANTED, base, stages
from support.stages.robots import opened

from physx_schema.checking import check
from physx_schema.description.opinions.schemas import SCHEMAS

Finding = tuple[str, str, str]      # code, path, property


@cache
def blamed(text: str) -> frozenset[Finding]:
    """Warnings and errors of a stage."""
    return frozenset((item.code, item.path, item.property) for item in check(opened(text)).findings
                     if item.severity != "info")


@pytest.mark.parametrize("name", PLANTED)
def test_planted_problem_is_found(name: str) -> None:
    texts = stages(PLANTED[name])
    added = blamed(texts["faulty"]) - blamed(texts["without"])
    # what the surroundings make idle is blamed on the prim where it lies, and not where the twin's let it act
    here = {item for item in blamed(texts["faulty"]) - blamed(texts["sound"]) if item[1] in PLANTED[name].faulty}
    assert added | here


@pytest.mark.parametrize("name", PLANTED)
def test_sound_twin_is_not_blamed(name: str) -> None:
    texts = stages(PLANTED[name])
    assert not blamed(texts["sound"]) - blamed(texts["sound without"])


def test_at_least_sixty_problems_are_planted() -> None:
    assert len(PLANTED) >= 60


# --- what is to be applied --------------------------------------------------------------------------------------------

PRIMS = ("/Robot/slide", "/Robot/swing", "/Robot/ball", "/Robot/weld", "/Robot/anchor", "/hook", "/Crate/solid",
         "/Robot/pole", "/Group", "/scene", "/Robot")
AXES = {"PhysicsDriveAPI": ("linear", "angular"), "PhysicsLimitAPI": ("linear", "rotX"), "PhysxLimitAPI": ("angular",)}


def unapplied() -> Iterator[tuple[str, str]]:
    """A schema and its name under each instance; a property of it is authored where nothing applies it."""
    registry = Usd.SchemaRegistry()
    for schema, facts in SCHEMAS.items():
        base = next((base for base, value in facts.defaults.items() if type(value) is float), "")
        names = AXES.get(schema, ("angular", "rotX")) if registry.IsMultipleApplyAPISchema(schema) else ("",)
        yield from ((schema, facts.name(base, name)) for name in names if base)


@pytest.mark.sweep
@pytest.mark.parametrize(("schema", "name"), list(unapplied()))
def test_a_schema_is_to_be_applied_only_where_its_property_then_counts(schema: str, name: str) -> None:
    left = []
    for path in PRIMS:
        stage = opened(base())
        prim = stage.GetPrimAtPath(path)
        if prim.GetAttribute(name).HasAuthoredValue():
            continue
        prim.CreateAttribute(name, Sdf.ValueTypeNames.Float).Set(1.5)
        named = [item.fix.split()[1] for item in check(stage).findings
                 if (item.path, item.property, item.code) == (path, name, "unused/not-applied")
                 and item.fix.startswith("apply ") and len(item.fix.split()) == 2]
        for applied in named:
            prim.AddAppliedSchema(applied)
            left += [(path, item.fix) for item in check(stage).findings
                     if item.path == path and item.property == name and item.code.startswith("unused/")]
    assert not left


# --- planted in PhysX ------------------------------------------------------------------------------------------------

DT, STEPS = 1 / 60, 15
READ = ("pos", "quat", "vel", "ang", "q", "qd")


@pytest.fixture(scope="module")
def recordings(oracle_folder: Path) -> dict[str, dict[str, Any]]:
    """PhysX's motion of every stage, by its text."""
    from scene_recorder import record

    texts = sorted({text for case in PLANTED.values() for text in stages(case).values()})
    found = record([{"usd": text, "dt": DT, "steps": STEPS, "every": 5} for text in texts])
    return dict(zip(texts, found, strict=True))


def same(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Whether two stages move alike, bit by bit."""
    return first["paths"] == second["paths"] and all(np.array_equal(first[name], second[name]) for name in READ)


@pytest.mark.parametrize("name", PLANTED)
def test_planted_problem_has_no_effect(recordings: dict[str, dict[str, Any]], name: str) -> None:
    texts = stages(PLANTED[name])
    assert same(recordings[texts["without"]], recordings[texts["faulty"]])


@pytest.mark.parametrize("name", PLANTED)
def test_sound_twin_has_an_effect(recordings: dict[str, dict[str, Any]], name: str) -> None:
    texts = stages(PLANTED[name])
    assert not same(recordings[texts["sound without"]], recordings[texts["sound"]])
