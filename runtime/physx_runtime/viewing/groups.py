"""Rows and findings as a report lists them: by prim, by reason, by rule."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from physx_runtime.verification.fold import Fold, folded
from physx_runtime.verification.report import ALTERED, AS_AUTHORED, IGNORED, NOT_EVALUATED, Row, Verification
from physx_schema.checking import Finding
from physx_schema.checking.engine.finding import location, rank

Prims = list[tuple[str, list[Row]]]
# A reason, how many rows have it, and these in folds.
Reasoned = tuple[str, int, list[Fold]]


@dataclass(frozen=True, slots=True)
class Found:
    """The findings of one rule; message, why and fix where they are the same of all."""

    code: str
    severity: str                       # the worst
    findings: tuple[Finding, ...]
    message: str
    why: str
    fix: str


def failed_by_path(verification: Verification) -> Prims:
    """Prims with the rows to look at one by one: altered, with a remedy, and ignored for a reason of their own.

    What is altered alike on several prims stands once.
    """
    many = {id(row) for row in _ignored_alike(verification)}
    return _by_path(row for row in verification.rows
                    if (row.verdict in (ALTERED, IGNORED) or row.remedy) and id(row) not in many and not row.alike)


def ignored_by_reason(verification: Verification) -> list[Reasoned]:
    """Rows that are ignored for one reason on several prims or properties."""
    return _by_reason(_ignored_alike(verification))


def _ignored_alike(verification: Verification) -> list[Row]:
    ignored = [row for row in verification.rows if row.verdict == IGNORED and not row.remedy and row.effective is None]
    counts = Counter(map(_reason, ignored))
    return [row for row in ignored if counts[row.reason] > 1]


def sound_by_path(verification: Verification) -> Prims:
    """Prims with the rows whose values act as authored."""
    return _by_path(row for row in verification.rows if row.verdict == AS_AUTHORED and not row.remedy)


def _by_path(rows: Iterable[Row]) -> Prims:
    return [(path, list(members)) for path, members in groupby(rows, lambda row: row.path)]


def unmeasured_by_reason(verification: Verification) -> list[Reasoned]:
    """Rows that are not evaluated."""
    return _by_reason([row for row in verification.rows if row.verdict == NOT_EVALUATED])


def _by_reason(rows: Sequence[Row]) -> list[Reasoned]:
    """Rows of each reason, the commonest first."""
    found = [(reason, list(members)) for reason, members in groupby(sorted(rows, key=_reason), _reason)]
    return [(reason, len(members), list(folded(members))) for reason, members in sorted(found, key=_fewness)]


def _fewness(found: tuple[str, list[Row]]) -> int:
    return -len(found[1])


def _reason(row: Row) -> str:
    return row.reason


def by_rule(findings: Iterable[Finding]) -> list[Found]:
    """Findings of each rule, the worst rules first."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.code, []).append(finding)
    found = [Found(code, max((f.severity for f in members), key=rank), tuple(members),
                   _common([f.message for f in members]) if len(members) > 1 else "",
                   _common([f.why for f in members]), _common([f.fix for f in members]))
             for code, members in groups.items()]
    return sorted(found, key=lambda rule: -rank(rule.severity))


def _common(texts: Sequence[str]) -> str:
    return texts[0] if len(set(texts)) == 1 else ""


def remedy_lines(rows: Sequence[Row]) -> list[str]:
    """What the remedy of a row authors there and on those alike, a line each: property path = value."""
    remedy = rows[0].remedy
    if remedy is None:
        return []
    values = [] if remedy.value is None else [(row.path, row.property, remedy.value) for row in rows]
    values += [(change.path, change.property, change.value) for change in remedy.settings]
    lines = [f"{location(path, name)} = {value:.9g}" for path, name, value in values]
    return lines + ([] if remedy.dt is None else [f"# with steps of {remedy.dt:.9g} s"])
