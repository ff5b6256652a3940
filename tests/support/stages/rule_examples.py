"""Whole stages around the examples of the rules: one that gets the finding, and the same one without it."""

from __future__ import annotations

from collections.abc import Iterator

from physx_schema.checking import RULES, Rule
from support.stages.robots import base, joint, link, robot

LEADER = joint("Revolute", "j1", "base", "a", (), {
    "float physics:lowerLimit": -45.0, "float physics:upperLimit": 45.0})


def stage(prims: str) -> str:
    """A fixed base with links a and b, a joint j1 where the prims have none, and the prims, all under /Robot."""
    leader = "" if '"j1"' in prims else LEADER
    return robot(base(), link("a"), link("b"), leader, prims)


def examples() -> Iterator[Rule]:
    """The rules with an example."""
    return (rule for rule in RULES.values() if rule.example)
