"""Rows and findings as a report lists them: by prim, by reason, by rule."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from physx_runtime.verification.fold import Fold, folded
from physx_runtime.verification.report import ALTERED, AS_AUTHORED, IGNORED, NOT_EVALUATED, Row, Verification
from physx_schema.checking import Finding
from physx_schema.checking.engine.finding import location, rank

Prims = list[tuple[str, list[Row]]]


@dataclass(frozen=True, slots=True)
class Found:
    """The findings of one rule; why and fix where they are the same of all."""

    code: str
    severity: str                       # the worst
    findings: tuple[Finding, ...]
    why: str
    fix: str


def failed_by_path(verification: Verification) -> Prims:
    """Prims with the rows to look at: altered, ignored, and those with a remedy."""
    return _by_path(row for row in verification.rows if row.verdict in (ALTERED, IGNORED) or row.remedy)


def sound_by_path(verification: Verification) -> Prims:
    """Prims with the rows whose values act as authored."""
    return _by_path(row for row in verification.rows if row.verdict == AS_AUTHORED and not row.remedy)


def _by_path(rows: Iterable[Row]) -> Prims:
    return [(path, list(members)) for path, members in groupby(rows, lambda row: row.path)]


def by_reason(verification: Verification) -> list[tuple[str, int, list[Fold]]]:
    """Reasons why rows are not evaluated, how many they are, and these in folds."""
    rows = sorted((row for row in verification.rows if row.verdict == NOT_EVALUATED), key=_reason)
    found = [(reason, list(members)) for reason, members in groupby(rows, _reason)]
    return [(reason, len(members), list(folded(members))) for reason, members in found]


def _reason(row: Row) -> str:
    return row.reason


def by_rule(findings: Iterable[Finding]) -> list[Found]:
    """Findings of each rule, the worst rules first."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.code, []).append(finding)
    found = [Found(code, max((f.severity for f in members), key=rank), tuple(members),
                   _common([f.why for f in members]), _common([f.fix for f in members]))
             for code, members in groups.items()]
    return sorted(found, key=lambda rule: -rank(rule.severity))


def _common(texts: Sequence[str]) -> str:
    return texts[0] if len(set(texts)) == 1 else ""


def remedy_lines(row: Row) -> list[str]:
    """What a row's remedy authors, a line each: property path = value."""
    remedy = row.remedy
    if remedy is None:
        return []
    values = [] if remedy.value is None else [(row.path, row.property, remedy.value)]
    values += [(change.path, change.property, change.value) for change in remedy.settings]
    lines = [f"{location(path, name)} = {value:.9g}" for path, name, value in values]
    return lines + ([] if remedy.dt is None else [f"# with steps of {remedy.dt:.9g} s"])
