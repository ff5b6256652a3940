"""The outcome of checking one stage: findings, and for every code whether it passed, failed or was not evaluated."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from physx_schema.checking.engine.finding import Finding, location, rank
from physx_schema.checking.engine.rule import belongs
from physx_schema.description import Opinion
from physx_schema.html_table import html_table

VerdictState = Literal["pass", "fail", "not evaluated"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one code on one stage."""

    code: str
    state: VerdictState         # "fail" from a warning upwards; findings of severity info leave a code passed
    reason: str = ""            # why it was not evaluated


@dataclass(frozen=True, slots=True)
class Waived:
    """A finding that someone decided to live with."""

    finding: Finding
    reason: str
    source: str                 # where the waiver is: a prim path, or a file


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of checking one stage."""

    source: str
    profile: str
    findings: tuple[Finding, ...]
    unused: tuple[Opinion, ...] = ()
    not_evaluated: tuple[Opinion, ...] = ()
    verdicts: tuple[Verdict, ...] = ()      # of every code that the profile asks for, by code
    waived: tuple[Waived, ...] = ()         # findings that a waiver takes out
    known: tuple[Finding, ...] = ()         # findings that a baseline takes out

    def __repr__(self) -> str:
        return (f"Report({self.source!r}, {self.profile!r}, errors={self.count('error')}, "
                f"warnings={self.count('warning')}, infos={self.count('info')}, "
                f"not_evaluated={len(self.not_evaluated)})")

    def _repr_html_(self) -> str:
        worst = sorted(self.findings, key=lambda finding: -rank(finding.severity))
        return html_table(repr(self), ("severity", "code", "place", "found", "fix"), (
            (found.severity, found.code, location(found.path, found.property), found.message, found.fix)
            for found in worst))

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings of severity error."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    def count(self, severity: str) -> int:
        """How many findings have this severity."""
        return sum(finding.severity == severity for finding in self.findings)

    def first(self, most: int | None) -> tuple[tuple[Finding, ...], int]:
        """At most so many findings but every error, and how many are left out; all of them for None."""
        if most is None:
            return self.findings, 0
        room = max(most - len(self.errors), 0)
        others = [index for index, item in enumerate(self.findings) if item.severity != "error"][:room]
        shown = tuple(item for index, item in enumerate(self.findings) if item.severity == "error" or index in others)
        return shown, len(self.findings) - len(shown)

    def verdict(self, family: str) -> VerdictState:
        """The verdict on a code or on all of a family, such as "DJ.007": the worst that any of its codes has.

        Raises KeyError where nothing of the family was asked for.
        """
        states = {item.state for item in self.verdicts if belongs(item.code, family)}
        if not states:
            raise KeyError(f"{family}: no rule of this name was asked for")
        return "fail" if "fail" in states else "not evaluated" if "not evaluated" in states else "pass"

    def exit_code(self, strict: bool = False, fail_on: str = "error") -> int:
        """1 with findings at or above `fail_on`, 5 under `strict` with something not evaluated, else 0."""
        if any(rank(finding.severity) >= rank(fail_on) for finding in self.findings):
            return 1
        return 5 if strict and self.not_evaluated else 0


def verdicts(
    codes: Iterable[str], findings: Sequence[Finding], unjudged: Sequence[tuple[str, str]],
) -> Iterator[Verdict]:
    """A verdict for each code; `unjudged` holds codes or families that were not evaluated, with the reason."""
    failed = {finding.code for finding in findings if rank(finding.severity) >= rank("warning")}
    for code in sorted(codes):
        yield _verdict(code, failed, unjudged)


def _verdict(code: str, failed: Collection[str], unjudged: Sequence[tuple[str, str]]) -> Verdict:
    if code in failed:
        return Verdict(code, "fail")
    reason = next((why for family, why in unjudged if belongs(code, family)), None)
    return Verdict(code, "pass") if reason is None else Verdict(code, "not evaluated", reason)
