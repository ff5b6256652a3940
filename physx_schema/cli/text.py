"""Text for people: findings in a few lines each, errors first, and what was not evaluated."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace

import click

from physx_schema.checking import Finding, Report
from physx_schema.checking.engine.finding import location, rank
from physx_schema.cli.formats.places import line_of
from physx_schema.description import Opinion
from physx_schema.errors import printable

_ELSEWHERE, _HIDDEN, _IDLE = "unused/other-engine", "scene/hidden", "unused/idle"
_PRIM = "<prim>"    # stands for each of several prims in a text
_NAMED = 5          # prims named of a finding that is no error
_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}


def painted(text: str, severity: str = "error") -> str:
    """The text in the colour of a severity, where a command writes to a terminal that is to have colours."""
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not sys.stdout.isatty()
    return text if plain or click.get_current_context(silent=True) is None else click.style(
        text, fg=_COLOURS[severity], bold=severity == "error")


def finding_lines(source: str, findings: Sequence[Finding], folding: bool = True) -> Iterator[str]:
    """Where and what, why it matters, what to do; errors first, and once what several prims have in common.

    source: the file of the root layer; the line is told of what stands in layers of text.
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
        line = line_of(layer or source, group[0].path, name) if len(group) == 1 else None
        number = f":{line}" if line else ""
        yield (printable(f"{source}{'' if layer else number}: {_place(group, name)}: ") + painted(severity, severity)
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


def _prims(group: Sequence[Finding], file: str) -> str:
    """The prims of a group with their lines: of errors all, of others the first few."""
    shown = group if group[0].severity == "error" else group[:_NAMED]
    lines = [line_of(file, finding.path, finding.property) for finding in shown]
    told = (f"{finding.path} (line {line})" if line else finding.path
            for finding, line in zip(shown, lines, strict=True))
    return ", ".join(told) + (f" and {len(group) - len(shown)} more" if len(group) > len(shown) else "")


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
