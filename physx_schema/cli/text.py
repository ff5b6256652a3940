"""Text for people: findings in three lines each, stage contents as an indented outline."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from physx_schema.checking import Finding, Report
from physx_schema.checking.finding import location
from physx_schema.description import Opinion

_ESCAPED = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})     # control, format and bidi characters, line separators


def printable(text: str) -> str:
    """The text with every control and direction character as an escape."""
    return "".join(map(_escape, text))


def _escape(character: str) -> str:
    if unicodedata.category(character) not in _ESCAPED:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def finding_lines(source: str, finding: Finding) -> Iterator[str]:
    """Where and what, why it matters, what to do."""
    place = f"{source}: {location(finding.path, finding.property)}"
    layer = f" [{finding.layer}]" if finding.layer else ""
    yield printable(f"{place}: {finding.severity} {finding.code}: {finding.message}{layer}")
    yield printable(f"    why: {finding.why}")
    yield printable(f"    fix: {finding.fix}")


def not_evaluated_lines(source: str, opinions: Sequence[Opinion]) -> Iterator[str]:
    """One line per reason, with how often it occurs and where first."""
    by_reason: dict[str, list[Opinion]] = {}
    for opinion in opinions:
        by_reason.setdefault(opinion.reason, []).append(opinion)
    for reason, group in by_reason.items():
        more = f" (and {len(group) - 1} more)" if len(group) > 1 else ""
        yield printable(f"{source}: {location(group[0].path, group[0].property)}: not evaluated: {reason}{more}")


def summary(report: Report) -> str:
    """The counts of a report."""
    counts = [plural(report.count(severity), severity) for severity in ("error", "warning")]
    counts += [f"{report.count('info')} info", f"{len(report.not_evaluated)} not evaluated"]
    aside = [f"{len(found)} {what}" for found, what in ((report.waived, "waived"), (report.known, "known")) if found]
    return ", ".join((*counts, *aside))


def plural(count: int, noun: str, several: str = "") -> str:
    """A count with its noun."""
    return f"{count} {noun}" if count == 1 else f"{count} {several or noun + 's'}"
