"""Runs rules over a Description and gathers what they find."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from physx_schema.checking.catalogue import CODES, RULE_FAILED
from physx_schema.checking.choice import EVERYTHING, Choice
from physx_schema.checking.finding import DEFAULT_PROFILE, DRIVEN, PROFILES, SIMREADY, Finding, rank
from physx_schema.checking.registry import RULES
from physx_schema.checking.report import Report, Verdict, verdicts
from physx_schema.checking.rule import Rule, Unevaluated, belongs
from physx_schema.checking.waivers import Waiver, apply, faults, waivers_of
from physx_schema.description import Description, Opinion, describe
from physx_schema.description.stages import open_stage
from physx_schema.description.uncollected import uncollected

# What a rule raises on facts it did not expect; anything else is a fault of the program and passes through.
_RULE_FAULTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


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


def check(
    source: str | Path | Any, profile: str = DEFAULT_PROFILE, select: Sequence[str] = (), ignore: Sequence[str] = (),
    waivers: Sequence[Waiver] = (),
) -> Report:
    """Check a stage, given as a path or a Usd.Stage, against the rules of a profile.

    Profiles: "physx" (what the simulator does), "simready" (the published rules), "newton" (what Newton makes of the
    stage), "driven" (the published rules for driven joints), or several joined with +. `select` keeps the findings of
    some codes or families such as "DJ.007", `ignore` leaves some out; `waivers` count beside those on the stage. Raises
    UnreadableError for a path that is no readable USD file and ValueError for an unknown profile, code or family.
    """
    choice = Choice(tuple(select), tuple(ignore))
    parse_profile(profile)      # refused before anything is read
    with uncollected():
        return _check(open_stage(source), profile, choice, waivers)


def _check(stage: Any, profile: str, choice: Choice, waivers: Sequence[Waiver]) -> Report:
    description = describe(stage)
    outcome = run(RULES, description, parse_profile(profile), choice)
    own = tuple(waivers_of(stage))
    applied = apply((*own, *waivers), outcome.findings)
    left = sorted((*applied.findings, *choice.of(faults(own, applied.used, outcome.codes))), key=_order)
    outcome = replace(outcome, findings=tuple(_completed(stage, finding) for finding in left))
    unjudged = (Opinion(item.path, item.property, item.reason, item.fix, item.code) for item in outcome.unevaluated)
    return Report(
        description.source, profile, outcome.findings, description.unused, (*description.not_evaluated, *unjudged),
        outcome.verdicts, applied.waived,
    )


def parse_profile(profile: str) -> tuple[str, ...]:
    """The single profiles a profile stands for; "simready" by itself brings its optional feature "driven"."""
    parts = tuple(profile.split("+"))
    known = (*PROFILES, DRIVEN)
    unknown = [part for part in parts if part not in known]
    if unknown:
        raise ValueError(f"profile {profile!r}: {unknown[0]!r} is not one of {', '.join(known)}; join them with +")
    return (SIMREADY, DRIVEN) if parts == (SIMREADY,) else parts


def run(
    rules: Sequence[Rule], description: Description, profiles: Sequence[str], choice: Choice = EVERYTHING,
) -> Outcome:
    """The findings of rules that one of the profiles asks for and that are chosen."""
    merged: dict[tuple[str, str, str, str], Finding] = {}
    unevaluated: dict[Unevaluated, None] = {}
    unjudged: list[tuple[str, str]] = []
    codes = frozenset(code for code in _asked_for(rules, profiles) if choice.has(code))
    for rule in rules:
        own = _codes_of(rule.codes)
        if own and codes.isdisjoint(own):
            continue
        for item in _outcomes(rule, description):
            if isinstance(item, Unevaluated):
                unevaluated[item] = None
            elif belongs(item.code, RULE_FAILED):
                unjudged += [(family, item.message) for family in rule.codes]
            if isinstance(item, Finding) and choice.has(item.code):
                _merge(merged, item, profiles)
    findings = tuple(sorted(merged.values(), key=_order))
    missing = tuple(sorted(unevaluated, key=lambda item: (_path_key(item.path), item.property, item.code)))
    return Outcome(findings, missing, codes, (*unjudged, *((item.code, item.reason) for item in missing)))


def _merge(
    merged: dict[tuple[str, str, str, str], Finding], finding: Finding, profiles: Sequence[str],
) -> None:
    """Add a finding that one of the profiles wants; the same one twice counts once."""
    wanted = tuple(profile for profile in _profiles(finding) if profile in profiles)
    if wanted:
        key = (finding.path, finding.property, finding.code, finding.message)
        merged[key] = _worse(merged.get(key), replace(finding, profiles=wanted))


def _outcomes(rule: Rule, description: Description) -> list[Finding | Unevaluated]:
    """What a rule says; a rule that fails is itself a finding."""
    try:
        return list(rule.find(description))
    except _RULE_FAULTS as fault:
        return [Finding(
            f"{RULE_FAILED}/{rule.name}", "error", "/", "", f"the rule raised {type(fault).__name__}: {fault}",
            "what it checks was not checked", "report this stage as a bug of physx-schema",
        )]


def _profiles(finding: Finding) -> tuple[str, ...]:
    """The profiles that want a finding: its own, else those of its code, else all."""
    if finding.profiles:
        return finding.profiles
    code = CODES.get(finding.code)
    return code.profiles if code else PROFILES


def _asked_for(rules: Iterable[Rule], profiles: Sequence[str]) -> Iterator[str]:
    """The codes of the rules that one of the profiles wants."""
    for rule in rules:
        yield from (code for code in _codes_of(rule.codes) if not set(CODES[code].profiles).isdisjoint(profiles))


@cache
def _codes_of(families: tuple[str, ...]) -> frozenset[str]:
    """The codes of the catalogue that belong to one of some families."""
    return frozenset(code for code in CODES if any(belongs(code, family) for family in families))


def _worse(first: Finding | None, second: Finding) -> Finding:
    """One finding with the severer judgement and the profiles of both."""
    if first is None:
        return second
    worst = max((first, second), key=lambda finding: rank(finding.severity))
    profiles = tuple(profile for profile in (*PROFILES, DRIVEN) if profile in first.profiles + second.profiles)
    return replace(worst, profiles=profiles)


def _order(finding: Finding) -> tuple[tuple[str, ...], str, str, str]:
    return _path_key(finding.path), finding.property, finding.code, finding.message


def _path_key(path: str) -> tuple[str, ...]:
    return tuple(path.split("/"))


def _completed(stage: Any, finding: Finding) -> Finding:
    """A finding with the layer it is in and what was measured for its code."""
    code = CODES.get(finding.code)
    return replace(finding, layer=_layer(stage, finding), measured=code.measured if code else "")


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
