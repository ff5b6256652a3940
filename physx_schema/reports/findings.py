"""Text for people: findings with excerpts of their layers, errors first, and what was not evaluated."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from physx_schema.checking import SEVERITIES, Finding, Report
from physx_schema.checking.effects import by_effect, headline
from physx_schema.checking.engine.causes import CauseGroup, grouped
from physx_schema.checking.engine.finding import is_fixable, location
from physx_schema.description import Opinion
from physx_schema.description.opinions.inactive import engine_of
from physx_schema.errors import printable
from physx_schema.reports.excerpts import excerpt
from physx_schema.reports.regions import TextRegion, TextRegions
from physx_schema.text import plural, styled

FIXABLE = "[*]"     # marks a finding that `--fix` repairs
OTHER_ENGINE = "unused/other-engine"
_INSTEAD = "PhysX has "     # begins the remedy of a value for another engine that PhysX has a property for
_PRIM = "<prim>"    # stands for each of several prims in a text
_NAMED = 5          # prims named of a finding that is no error, and of copies


def finding_lines(source: str, findings: Sequence[Finding], folding: bool = True) -> Iterator[str]:
    """Where and what, the text there, why it matters, what to do; what is worst first, and once what prims share.

    source: the file of the root layer; lines and excerpts are those of layers with text.
    folding: what another finding explains is counted with it, and many values for another engine are one line.
    """
    groups: dict[tuple[str, ...], list[CauseGroup]] = {}
    for cause in _causes(findings, folding):
        groups.setdefault((cause.severity, *_in_common(cause.root)), []).append(cause)
    regions = TextRegions(source, findings)
    for same in groups.values():
        if folding and _is_other_engine(same[0]):
            yield from _other_engine_lines(source, same[0].findings)
        else:
            yield from _group_lines(source, same, regions)


def concise_lines(source: str, findings: Sequence[Finding], folding: bool = True) -> Iterator[str]:
    """One line for each finding that no other explains, the worst first; arguments as for `finding_lines`."""
    regions = TextRegions(source, findings)
    for cause in _causes(findings, folding):
        if folding and _is_other_engine(cause):
            yield next(_other_engine_lines(source, cause.findings))
            continue
        for finding in (cause.root, *cause.copies):
            where = location(finding.path, finding.property)
            severity = cause.severity if finding is cause.root else finding.severity
            yield _head(source, finding, severity, where, finding.message, regions.of(finding))


def _causes(findings: Sequence[Finding], folding: bool) -> list[CauseGroup]:
    return by_effect(grouped(findings) if folding else [CauseGroup(finding) for finding in findings])


def _is_other_engine(cause: CauseGroup) -> bool:
    return cause.root.code == OTHER_ENGINE and len(cause.findings) > _NAMED


def _group_lines(source: str, causes: Sequence[CauseGroup], regions: TextRegions) -> Iterator[str]:
    """The lines of causes that say the same of their prims."""
    prims = [cause.root for cause in causes]
    copies = [copy for cause in causes for copy in cause.copies]
    count, root = len(prims) + len(copies), prims[0]
    common = _in_common(root)
    shared = count > 1 and all(_in_common(copy) == common for copy in copies)
    message, why, fix = common[-3:] if shared else (root.message, root.why, root.fix)
    message += " (and similar findings on the other prims)" if count > 1 and not shared else ""
    region = regions.of(root)
    yield _head(source, root, causes[0].severity, _location(root, count), message, region)
    if region is not None:
        yield from excerpt(region, causes[0].severity)
    if count > 1:
        yield printable(f"    at: {_prims(prims, copies, regions)}")
    yield printable(f"    why: {why}")
    yield printable(f"    fix: {fix}")
    effects = [effect for cause in causes for effect in cause.effects]
    if effects:
        yield printable(f"    {effects_text(effects)}")


def _head(source: str, finding: Finding, severity: str, where: str, message: str, region: TextRegion | None) -> str:
    """The line with position, prim, severity, code and message; a position in another layer is at the end."""
    number = f":{region.line}:{region.column}" if region else ""
    mark = f" {FIXABLE}" if is_fixable(finding) else ""
    return (printable(f"{source}{'' if finding.layer else number}: {where}: ") + styled(severity, severity)
            + printable(f" {finding.code}{mark}: {message}"
                        + (f" [{_displayed_file(finding.layer)}{number}]" if finding.layer else "")))


def _displayed_file(layer: str) -> str:
    """A layer as a path from the working folder if it is in it."""
    return layer.removeprefix(f"{Path.cwd()}{os.sep}")


def ending(cause: CauseGroup) -> Iterator[str]:
    """Lines on the prims that have a finding too, and on what goes away with it."""
    if cause.copies:
        yield f"and on {plural(len(cause.copies), 'more prim')}, such as {cause.copies[0].path}"
    if cause.effects:
        yield effects_text(cause.effects)


def effects_text(effects: Sequence[Finding]) -> str:
    """How many findings go away with another, and which properties or codes they are of."""
    codes = Counter(effect.code for effect in effects)
    counts = ", ".join(f"{count} {code}" for code, count in codes.most_common())
    properties = list(dict.fromkeys(effect.property for effect in effects))
    if len(effects) <= _NAMED and "apiSchemas" not in properties and "" not in properties:
        counts = f"{', '.join(codes)} of {', '.join(properties)}"
    severities = Counter(effect.severity for effect in effects)
    named = ", ".join(plural(severities[item], item) if item != "info" else f"{severities[item]} info"
                      for item in reversed(SEVERITIES) if severities[item])
    return f"fixing this also removes {plural(len(effects), 'more finding')} ({named}): {counts}"


def _other_engine_lines(source: str, findings: Sequence[Finding]) -> Iterator[str]:
    """Two lines for all that one other engine is given, the second with what PhysX has instead."""
    yield printable(f"{source}: {plural(len({item.path for item in findings}), 'prim')}: "
                    f"{findings[0].severity} {OTHER_ENGINE}: {other_engine_text(findings)}; list them with "
                    f"--select {OTHER_ENGINE}")
    instead = [f"{name}: {fix.partition('; ')[2]}" for name, fix in
               dict.fromkeys((item.property, item.fix) for item in findings) if _INSTEAD in fix]
    if instead:
        more = f", and {len(instead) - _NAMED} more" if len(instead) > _NAMED else ""
        yield printable(f"    fix: {'; '.join(instead[:_NAMED])}{more}")


def other_engine_text(findings: Sequence[Finding]) -> str:
    """What one other engine is told, counted."""
    name = findings[0].message if findings[0].property in ("", "apiSchemas") else findings[0].property
    return f"{plural(len(findings), 'value')} for {engine_of(name)}, which PhysX does not read"


def _in_common(finding: Finding) -> tuple[str, ...]:
    """All that a finding says but its prim."""
    path_pattern = re.compile(re.escape(finding.path) + r"(?![\w/])")
    texts = (path_pattern.sub(_PRIM, text) for text in (finding.message, finding.why, finding.fix))
    return (finding.severity, finding.code, finding.property, finding.layer, *texts)


def _location(finding: Finding, count: int) -> str:
    if count == 1:
        return location(finding.path, finding.property)
    return f"{finding.property} of {count} prims" if finding.property not in ("", "apiSchemas") else f"{count} prims"


def _prims(prims: Sequence[Finding], copies: Sequence[Finding], regions: TextRegions) -> str:
    """The prims of a group with their lines: of errors all, of others and of copies the first few."""
    visible = list(prims) if prims[0].severity == "error" else list(prims[:_NAMED])
    visible += copies[:max(_NAMED - len(visible), 0)]
    entries = (f"{finding.path} (line {region.line})" if (region := regions.of(finding)) else finding.path
               for finding in visible)
    missing = len(prims) + len(copies) - len(visible)
    return ", ".join(entries) + (f" and {missing} more" if missing else "")


def not_evaluated_lines(source: str, opinions: Sequence[Opinion]) -> Iterator[str]:
    """One line per reason, with how often it occurs and where first."""
    by_reason: dict[str, list[Opinion]] = {}
    for opinion in opinions:
        by_reason.setdefault(opinion.reason, []).append(opinion)
    for reason, group in by_reason.items():
        more = f" (and {len(group) - 1} more)" if len(group) > 1 else ""
        yield printable(f"{source}: {location(group[0].path, group[0].property)}: not evaluated: {reason}{more}")


def summary(report: Report, marked: bool = False) -> str:
    """What changes the motion most, and the counts of a report: of findings that no other explains.

    marked: findings that `--fix` repairs have a mark, which is explained.
    """
    causes = report.causes
    first = headline(causes) if len(causes) > 1 else ""        # a single one stands right above
    counts = [plural(report.count_causes(severity), severity) for severity in ("error", "warning")]
    counts += [f"{report.count_causes('info')} info", f"{len(report.not_evaluated)} not evaluated"]
    omitted = [f"{len(items)} {what}" for items, what in ((report.waived, "waived"), (report.known, "known")) if items]
    in_all = f"; {len(report.findings)} findings in all" if len(report.findings) > len(causes) else ""
    return (f"{first}; " if first else "") + ", ".join((*counts, *omitted)) + in_all + _fixable(report.findings, marked)


def total(reports: Collection[Report]) -> str:
    """The counts of the reports on several files in one line."""
    counts = [plural(sum(report.count_causes(severity) for report in reports), severity)
              for severity in ("error", "warning")]
    findings = [finding for report in reports for finding in report.findings]
    return f"{plural(len(reports), 'file')}: {', '.join(counts)}{_fixable(findings, marked=True)}"


def _fixable(findings: Sequence[Finding], marked: bool) -> str:
    """The number of findings that `--fix` repairs; "" for none."""
    safe, unsafe = (sum(is_fixable(finding, kind) for finding in findings) for kind in (True, False))
    options = f"{unsafe} more with --unsafe-fixes" if safe else f"{unsafe} fixable with --fix --unsafe-fixes"
    mark = f"{FIXABLE} " if marked else ""
    return (f"; {mark}{safe} fixable with --fix" if safe else "") + (f"; {options}" if unsafe else "")
