"""Runs rules over a Description and gathers what they find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from physx_schema.checking import (
    articulation,
    joint,
    mass,
    mimic,
    problems,
    retired,
    rotations,
    schemas,
    tendon,
    unused,
    value_types,
    values,
)
from physx_schema.checking.finding import DEFAULT_PROFILE, PROFILES, Finding, Report, rank
from physx_schema.description import Description, describe
from physx_schema.description.stages import open_stage

Rule = Callable[[Description], Iterable[Finding]]

RULES: tuple[tuple[str, Rule], ...] = (
    *problems.RULES,
    *values.RULES,
    *value_types.RULES,
    *joint.RULES,
    *mass.RULES,
    *rotations.RULES,
    *articulation.RULES,
    *schemas.RULES,
    *mimic.RULES,
    *tendon.RULES,
    *retired.RULES,
    *unused.RULES,
)

# What a rule raises on facts it did not expect; anything else is a fault of the program and passes through.
_RULE_FAULTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


def check(source: str | Path | Any, profile: str = DEFAULT_PROFILE) -> Report:
    """Check a stage, given as a path or a Usd.Stage, against the rules of a profile.

    Profiles: "physx" (what the simulator does), "simready" (the published rules), "physx+simready" (both).
    Raises UnreadableError for a path that is no readable USD file and ValueError for an unknown profile.
    """
    wanted = parse_profile(profile)
    stage = open_stage(source)
    description = describe(stage)
    found = [replace(finding, layer=_layer(stage, finding)) for finding in run(RULES, description, wanted)]
    return Report(description.source, profile, tuple(found), description.unused, description.not_evaluated)


def parse_profile(profile: str) -> tuple[str, ...]:
    """The single profiles a profile stands for."""
    parts = tuple(profile.split("+"))
    unknown = [part for part in parts if part not in PROFILES]
    if unknown:
        raise ValueError(f"profile {profile!r}: {unknown[0]!r} is not one of {', '.join(PROFILES)}; join them with +")
    return parts


def run(rules: Sequence[tuple[str, Rule]], description: Description, profiles: Sequence[str]) -> tuple[Finding, ...]:
    """The findings of rules that one of the profiles asks for, sorted by prim, property and code."""
    merged: dict[tuple[str, str, str, str], Finding] = {}
    for name, rule in rules:
        for finding in _findings(name, rule, description):
            wanted = tuple(profile for profile in finding.profiles if profile in profiles)
            if not wanted:
                continue
            key = (finding.path, finding.property, finding.code, finding.message)
            merged[key] = _worse(merged.get(key), replace(finding, profiles=wanted))
    return tuple(sorted(merged.values(), key=_order))


def _findings(name: str, rule: Rule, description: Description) -> list[Finding]:
    """What a rule finds; a rule that fails is itself a finding."""
    try:
        return list(rule(description))
    except _RULE_FAULTS as fault:
        return [Finding(
            f"rule-failed/{name}", "error", "/", "", f"the rule raised {type(fault).__name__}: {fault}",
            "what it checks was not checked", "report this stage as a bug of physx-schema",
        )]


def _worse(first: Finding | None, second: Finding) -> Finding:
    """One finding with the severer judgement and the profiles of both."""
    if first is None:
        return second
    worst = max((first, second), key=lambda finding: rank(finding.severity))
    profiles = tuple(profile for profile in PROFILES if profile in first.profiles + second.profiles)
    return replace(worst, profiles=profiles)


def _order(finding: Finding) -> tuple[tuple[str, ...], str, str, str]:
    return tuple(finding.path.split("/")), finding.property, finding.code, finding.message


def _layer(stage: Any, finding: Finding) -> str:
    """The layer with the strongest opinion on what a finding is about, "" for the root layer."""
    prim = stage.GetPrimAtPath(finding.path) if finding.path.startswith("/") else None
    if not prim or prim.IsPseudoRoot():
        return ""
    item = prim.GetProperty(finding.property) if finding.property not in ("", "apiSchemas") else None
    stack = item.GetPropertyStack() if item else prim.GetPrimStack()
    if not stack or stack[0].layer == stage.GetRootLayer():
        return ""
    return str(stack[0].layer.realPath or stack[0].layer.GetDisplayName())
