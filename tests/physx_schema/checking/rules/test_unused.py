"""Mistakes that PhysX ignores in silence are found by the check, and their sound twins are not blamed.

In real PhysX planted problems change nothing, to the last bit, and their sound twins change the motion.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.stages.planted_problems import PLANTED, stages
from support.stages.robots import opened

from physx_schema.checking import check

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
