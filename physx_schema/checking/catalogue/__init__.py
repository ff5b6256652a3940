"""Every code a finding can have, with its meaning."""

from __future__ import annotations

from collections.abc import Mapping

from physx_schema.checking.catalogue import (
    articulations,
    baselines,
    bodies,
    collision,
    driven,
    iterations,
    joints,
    mimic,
    stages,
    tendons,
    units,
    unused_opinions,
    values,
    waivers,
)
from physx_schema.checking.finding import PROFILES
from physx_schema.checking.rule import Code

RULE_FAILED = "rule-failed"
_FAILED = Code(
    RULE_FAILED, "error", "Rule that failed",
    "A rule of this program failed on the stage. What it checks was not checked.", PROFILES,
)

CODES: Mapping[str, Code] = {item.code: item for item in (
    *driven.CODES, *mimic.CODES, *tendons.CODES, *joints.CODES, *bodies.CODES, *articulations.CODES, *iterations.CODES,
    *collision.CODES, *stages.CODES, *values.CODES, *units.CODES, *unused_opinions.CODES,
    *waivers.CODES, *baselines.CODES, _FAILED,
)}


def explain(code: str) -> str | None:
    """What a code means, None for an unknown one."""
    found = CODES.get(RULE_FAILED if code.startswith(RULE_FAILED + "/") else code)
    return found.text if found else None
