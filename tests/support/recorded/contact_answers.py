"""What real PhysX answered about contacts; written by experiments/record_contact_answers.py."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from pxr import Usd

from support.places import DATA

STEP = 1 / 60
CASES: dict[str, Any] = json.loads((DATA / "contact_answers.json").read_text())
# Cases of forces; in the others one asks what is reported.
FORCES = ("slides", "spins", "rolls", "stands on another", "two shapes", "kinematic")
EVENTS = tuple(name for name in CASES if name not in FORCES)


@dataclass(frozen=True, slots=True)
class Told:
    """A stage, and what PhysX told after each step."""

    stage: Usd.Stage
    steps: list[dict[str, Any]]
    pairs: list[tuple[str, list[str]]]


def told(name: str) -> Told:
    """A case by its name."""
    case = CASES[name]
    stage = Usd.Stage.CreateInMemory()
    stage.GetRootLayer().ImportFromString(case["stage"])
    return Told(stage, case["steps"], case["pairs"])
