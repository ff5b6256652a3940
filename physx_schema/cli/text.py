"""Text for people: findings in a few lines each, errors first, and what was not evaluated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from physx_schema.checking import Finding, Report
from physx_schema.checking.engine.finding import location, rank
from physx_schema.description import Opinion
from physx_schema.errors import printable

_ELSEWHERE, _HIDDEN, _IDLE = "unused/other-engine", "scene/hidden", "unused/idle"
_PRIM = "<prim>"    # stands for each of several prims in a text
_NAMED = 5          # prims named of a finding that is no error


def finding_lines(source: str, findings: Sequence[Finding], folding: bool = True) -> Iterator[str]:
    """Where and what, why it matters, what to do; errors first, and once what several prims have in common.

    folding: many opinions of other engines are one line, and what a hidden scene has in vain is counted with it, as
    files have them that converters wrote.
    """
    if folding:
        findings = tuple(_counted_with_scenes(findings))
        elsewhere = [finding for finding in findings if finding.code == _ELSEWHERE]
        if len(elsewhere) > _NAMED:
            prims = plural(len({finding.path for finding in elsewhere}), "prim")
            findings = [finding for finding in findings if finding.code != _ELSEWHERE]
            yield from finding_lines(source, findings, False)
            yield (f"{printable(source)}: {prims}: info {_ELSEWHERE}: {len(elsewhere)} opinions of other engines that "
                   f"PhysX does not read; list them with --select {_ELSEWHERE}")
            return
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in sorted(findings, key=lambda item: -rank(item.severity)):
        groups.setdefault(_in_common(finding), []).append(finding)
    for (severity, code, name, layer, *texts), group in groups.items():
        message, why, fix = texts if len(group) > 1 else (group[0].message, group[0].why, group[0].fix)
        yield printable(f"{source}: {_place(group, name)}: {severity} {code}: {message}"
                        + (f" [{layer}]" if layer else ""))
        if len(group) > 1:
            yield printable(f"    at: {_prims(group)}")
        yield printable(f"    why: {why}")
        yield printable(f"    fix: {fix}")


def _counted_with_scenes(findings: Sequence[Finding]) -> Iterator[Finding]:
    """The findings, those that follow from a hidden scene as a count in its own."""
    hidden = {finding.path for finding in findings if finding.code == _HIDDEN}
    for finding in findings:
        follow = sum(item.code == _IDLE and item.path == finding.path for item in findings)
        if finding.code == _HIDDEN and follow:
            said = f"{finding.message}; {plural(follow, 'opinion')} on it without effect for that reason"
            yield replace(finding, message=said)
        elif finding.code != _IDLE or finding.path not in hidden:
            yield finding


def _in_common(finding: Finding) -> tuple[str, ...]:
    """All that a finding says but its prim."""
    own = re.compile(re.escape(finding.path) + r"(?![\w/])")
    texts = (own.sub(_PRIM, text) for text in (finding.message, finding.why, finding.fix))
    return (finding.severity, finding.code, finding.property, finding.layer, *texts)


def _place(group: Sequence[Finding], name: str) -> str:
    if len(group) == 1:
        return location(group[0].path, name)
    prims = f"{len(group)} prims"
    return f"{name} of {prims}" if name and name != "apiSchemas" else prims


def _prims(group: Sequence[Finding]) -> str:
    """The prims of a group: of errors all, of others the first few."""
    paths = [finding.path for finding in group]
    shown = paths if group[0].severity == "error" else paths[:_NAMED]
    return ", ".join(shown) + (f" and {len(paths) - len(shown)} more" if len(paths) > len(shown) else "")


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
