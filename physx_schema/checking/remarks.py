"""What a check says to programs that know no more of a finding than a code, a severity, a place and a text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from physx_schema.checking.engine.finding import Finding, location
from physx_schema.checking.engine.report import Report
from physx_schema.checking.engine.rule import RULE_FAILED
from physx_schema.checking.stage import check
from physx_schema.errors import UnreadableError

NOT_EVALUATED = "not-evaluated"
UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Remark:
    """One thing to say about a stage."""

    code: str                   # "DJ.007/limits-clip", or one of the two above
    severity: str               # "error" | "warning" | "info"
    path: str                   # prim
    property: str               # full property name, "apiSchemas", or ""
    text: str                   # where, what was found, why it matters and what to do


def remarks(stage: Any) -> tuple[Remark, ...]:
    """Everything that a check of an open stage has to say: its findings, and what was not evaluated.

    Raises nothing, since one exception ends the whole run of some of those programs: a stage whose metadata cannot be
    read and a fault of this program are remarks too.
    """
    try:
        return tuple(_of(check(stage)))
    except UnreadableError as error:
        return (Remark(UNREADABLE, "error", "/", "", str(error)),)
    except Exception as fault:
        return (of_finding(RULE_FAILED.at("/", "", f"the check raised {type(fault).__name__}: {fault}")),)


def of_finding(finding: Finding) -> Remark:
    """A finding as a remark."""
    return Remark(finding.code, finding.severity, finding.path, finding.property, text_of(finding))


def text_of(finding: Finding) -> str:
    """Where, what, why and what to do, in three lines."""
    where = location(finding.path, finding.property)
    return f"{where}: {finding.message}\nwhy: {finding.why}\nfix: {finding.fix}"


def _of(report: Report) -> Iterator[Remark]:
    yield from map(of_finding, report.findings)
    for verdict in report.verdicts:
        if verdict.state == "not evaluated":
            yield Remark(NOT_EVALUATED, "warning", "/", "", f"{verdict.code} was not evaluated: {verdict.reason}")
    for item in report.not_evaluated:
        text = f"{location(item.path, item.property)}: not evaluated: {item.reason}"
        hint = f"; {item.suggestion}" if item.suggestion else ""
        yield Remark(NOT_EVALUATED, "info", item.path, item.property, text + hint)
