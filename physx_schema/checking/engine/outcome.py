"""Runs finders over a Description and gathers what they find."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pxr import Tf

from physx_schema.checking.engine.finding import Finding, rank
from physx_schema.checking.engine.profile import DRIVEN, PROFILES
from physx_schema.checking.engine.report import Verdict, verdicts
from physx_schema.checking.engine.rule import RULE_FAILED, Finder, Rule, Unevaluated, belongs
from physx_schema.checking.engine.selection import EVERYTHING, Selection
from physx_schema.description import Description
from physx_schema.description.opinions.reading import path_key

# What a finder raises on facts it did not expect; anything else is a fault of the program and passes through.
_FINDER_FAULTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, Tf.ErrorException)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What rules made of a description."""

    findings: tuple[Finding, ...]               # by prim, property and code
    unevaluated: tuple[Unevaluated, ...]        # in the same order
    codes: frozenset[str]                       # the codes that were asked for
    unjudged: tuple[tuple[str, str], ...]       # codes or families that were not evaluated, each with the reason

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Of the codes asked for, by code."""
        return tuple(verdicts(self.codes, self.findings, self.unjudged))


def run(
    finders: Sequence[Finder], description: Description, profiles: Sequence[str], selection: Selection = EVERYTHING,
) -> Outcome:
    """The findings of rules that one of the profiles asks for and that are selected."""
    merged: dict[tuple[str, str, str, str], Finding] = {}
    unevaluated: dict[Unevaluated, None] = {}
    unjudged: list[tuple[str, str]] = []
    rules = {rule.code: rule for finder in finders for rule in finder.rules}
    codes = frozenset(code for code in _asked_for(rules.values(), profiles) if selection.has(code))
    for finder in finders:
        if finder.rules and codes.isdisjoint(rule.code for rule in finder.rules):
            continue
        for item in _outcomes(finder, description):
            if isinstance(item, Unevaluated):
                unevaluated[item] = None
            elif belongs(item.code, RULE_FAILED.code):
                unjudged += [(rule.code, item.message) for rule in finder.rules]
            if isinstance(item, Finding) and selection.has(item.code):
                _merge(merged, item, _wanted(item, rules, profiles))
    findings = tuple(sorted(merged.values(), key=order))
    missing = tuple(sorted(unevaluated, key=lambda item: (path_key(item.path), item.property, item.code)))
    return Outcome(findings, missing, codes, (*unjudged, *((item.code, item.reason) for item in missing)))


def _merge(
    merged: dict[tuple[str, str, str, str], Finding], finding: Finding, wanted: tuple[str, ...],
) -> None:
    """Add a finding that a profile wants; the same one twice counts once."""
    if wanted:
        key = (finding.path, finding.property, finding.code, finding.message)
        merged[key] = _worse(merged.get(key), replace(finding, profiles=wanted))


def _outcomes(finder: Finder, description: Description) -> list[Finding | Unevaluated]:
    """What a finder says; one that fails is itself a finding."""
    try:
        return list(finder.find(description))
    except _FINDER_FAULTS as fault:
        found = RULE_FAILED.at("/", "", f"the rule raised {type(fault).__name__}: {' '.join(str(fault).split())}")
        return [replace(found, code=f"{RULE_FAILED.code}/{finder.name}")]


def _wanted(finding: Finding, rules: Mapping[str, Rule], profiles: Sequence[str]) -> tuple[str, ...]:
    """Those of the profiles that want a finding: of its own, else of its rule's, else of all."""
    rule = rules.get(finding.code)
    own = finding.profiles or (rule.profiles if rule else PROFILES)
    return tuple(profile for profile in own if profile in profiles)


def _asked_for(rules: Iterable[Rule], profiles: Sequence[str]) -> Iterator[str]:
    """The codes of rules that one of the profiles wants."""
    return (rule.code for rule in rules if not set(rule.profiles).isdisjoint(profiles))


def _worse(first: Finding | None, second: Finding) -> Finding:
    """One finding with the severer judgement and the profiles of both."""
    if first is None:
        return second
    worst = max((first, second), key=lambda finding: rank(finding.severity))
    profiles = tuple(profile for profile in (*PROFILES, DRIVEN) if profile in first.profiles + second.profiles)
    return replace(worst, profiles=profiles)


def order(finding: Finding) -> tuple[tuple[str, ...], str, str, str]:
    """The place of a finding among others: by prim, property, code and message."""
    return path_key(finding.path), finding.property, finding.code, finding.message
