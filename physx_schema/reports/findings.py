"""Text for people: findings in a few lines each, errors first, and what was not evaluated."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from physx_schema.checking import Finding, Report
from physx_schema.checking.engine.finding import location, rank
from physx_schema.description import Opinion
from physx_schema.errors import printable
from physx_schema.reports.usda_lines import line_of
from physx_schema.text import plural, styled

_FOREIGN, _HIDDEN, _IDLE = "unused/other-engine", "scene/hidden", "unused/idle"
_PRIM = "<prim>"    # stands for each of several prims in a text
_NAMED = 5          # prims named of a finding that is no error


def finding_lines(source: str, findings: Sequence[Finding], folding: bool = True) -> Iterator[str]:
    """Where and what, why it matters, what to do; errors first, and once what several prims have in common.

    source: the file of the root layer; the line is told of what stands in layers of text.
    folding: many opinions of other engines are one line, and what a hidden scene has in vain is counted with it, as
    files have them that converters wrote.
    """
    if folding:
        findings = tuple(_counted_with_scenes(findings))
        foreign = [finding for finding in findings if finding.code == _FOREIGN]
        if len(foreign) > _NAMED:
            prims = plural(len({finding.path for finding in foreign}), "prim")
            findings = [finding for finding in findings if finding.code != _FOREIGN]
            yield from finding_lines(source, findings, False)
            yield (f"{printable(source)}: {prims}: info {_FOREIGN}: {len(foreign)} opinions of other engines that "
                   f"PhysX does not read; list them with --select {_FOREIGN}")
            return
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for finding in sorted(findings, key=lambda item: -rank(item.severity)):
        groups.setdefault(_in_common(finding), []).append(finding)
    for (severity, code, name, layer, *texts), group in groups.items():
        message, why, fix = texts if len(group) > 1 else (group[0].message, group[0].why, group[0].fix)
        line = line_of(layer or source, group[0].path, name) if len(group) == 1 else None
        number = f":{line}" if line else ""
        yield (printable(f"{source}{'' if layer else number}: {_location(group, name)}: ") + styled(severity, severity)
               + printable(f" {code}: {message}" + (f" [{layer}{number}]" if layer else "")))
        if len(group) > 1:
            yield printable(f"    at: {_prims(group, layer or source)}")
        yield printable(f"    why: {why}")
        yield printable(f"    fix: {fix}")


def _counted_with_scenes(findings: Sequence[Finding]) -> Iterator[Finding]:
    """The findings, those that follow from a hidden scene as a count in its own."""
    hidden = {finding.path for finding in findings if finding.code == _HIDDEN}
    for finding in findings:
        follow = sum(item.code == _IDLE and item.path == finding.path for item in findings)
        if finding.code == _HIDDEN and follow:
            message = f"{finding.message}; {plural(follow, 'opinion')} on it without effect for that reason"
            yield replace(finding, message=message)
        elif finding.code != _IDLE or finding.path not in hidden:
            yield finding


def _in_common(finding: Finding) -> tuple[str, ...]:
    """All that a finding says but its prim."""
    path_pattern = re.compile(re.escape(finding.path) + r"(?![\w/])")
    texts = (path_pattern.sub(_PRIM, text) for text in (finding.message, finding.why, finding.fix))
    return (finding.severity, finding.code, finding.property, finding.layer, *texts)


def _location(group: Sequence[Finding], name: str) -> str:
    if len(group) == 1:
        return location(group[0].path, name)
    prims = f"{len(group)} prims"
    return f"{name} of {prims}" if name and name != "apiSchemas" else prims


def _prims(group: Sequence[Finding], file: str) -> str:
    """The prims of a group with their lines: of errors all, of others the first few."""
    visible = group if group[0].severity == "error" else group[:_NAMED]
    lines = [line_of(file, finding.path, finding.property) for finding in visible]
    entries = (f"{finding.path} (line {line})" if line else finding.path
               for finding, line in zip(visible, lines, strict=True))
    return ", ".join(entries) + (f" and {len(group) - len(visible)} more" if len(group) > len(visible) else "")


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
    omitted = [f"{len(items)} {what}" for items, what in ((report.waived, "waived"), (report.known, "known")) if items]
    return ", ".join((*counts, *omitted))
