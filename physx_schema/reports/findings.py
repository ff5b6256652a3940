"""Text for people: findings in a few lines each, errors first, and what was not evaluated."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from physx_schema.checking import SEVERITIES, Finding, Report
from physx_schema.checking.effects import by_effect, headline
from physx_schema.checking.engine.causes import CauseGroup, grouped
from physx_schema.checking.engine.finding import location
from physx_schema.description import Opinion
from physx_schema.description.opinions.inactive import engine_of
from physx_schema.errors import printable
from physx_schema.reports.usda_lines import line_of
from physx_schema.text import plural, styled

OTHER_ENGINE = "unused/other-engine"
_INSTEAD = "PhysX has "     # begins the remedy of a value for another engine that PhysX has a property for
_PRIM = "<prim>"    # stands for each of several prims in a text
_NAMED = 5          # prims named of a finding that is no error, and of copies


def finding_lines(source: str, findings: Sequence[Finding], folding: bool = True) -> Iterator[str]:
    """Where and what, why it matters, what to do; what is worst first, and once what several prims have in common.

    source: the file of the root layer; the line is told of what stands in layers of text.
    folding: what another finding explains is counted with it, and many values for another engine are one line.
    """
    causes = grouped(findings) if folding else [CauseGroup(finding) for finding in findings]
    groups: dict[tuple[str, ...], list[CauseGroup]] = {}
    for cause in by_effect(causes):
        groups.setdefault(_in_common(cause.root), []).append(cause)
    for same in groups.values():
        root = same[0].root
        if folding and root.code == OTHER_ENGINE and len(same[0].findings) > _NAMED:
            yield from _other_engine_lines(source, same[0].findings)
        else:
            yield from _group_lines(source, same)


def _group_lines(source: str, causes: Sequence[CauseGroup]) -> Iterator[str]:
    """The lines of causes that say the same of their prims."""
    prims = [cause.root for cause in causes]
    copies = [copy for cause in causes for copy in cause.copies]
    count, root = len(prims) + len(copies), prims[0]
    common = _in_common(root)
    severity, code, name, layer, *texts = common
    shared = count > 1 and all(_in_common(copy) == common for copy in copies)
    message, why, fix = texts if shared else (root.message, root.why, root.fix)
    message += " (and similar findings on the other prims)" if count > 1 and not shared else ""
    line = line_of(layer or source, root.path, name) if count == 1 else None
    number = f":{line}" if line else ""
    yield (printable(f"{source}{'' if layer else number}: {_location(root, count)}: ") + styled(severity, severity)
           + printable(f" {code}: {message}" + (f" [{layer}{number}]" if layer else "")))
    if count > 1:
        yield printable(f"    at: {_prims(prims, copies, layer or source)}")
    yield printable(f"    why: {why}")
    yield printable(f"    fix: {fix}")
    effects = [effect for cause in causes for effect in cause.effects]
    if effects:
        yield printable(f"    {effects_text(effects)}")


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


def _prims(prims: Sequence[Finding], copies: Sequence[Finding], file: str) -> str:
    """The prims of a group with their lines: of errors all, of others and of copies the first few."""
    visible = list(prims) if prims[0].severity == "error" else list(prims[:_NAMED])
    visible += copies[:max(_NAMED - len(visible), 0)]
    lines = [line_of(file, finding.path, finding.property) for finding in visible]
    entries = (f"{finding.path} (line {line})" if line else finding.path
               for finding, line in zip(visible, lines, strict=True))
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


def summary(report: Report) -> str:
    """What changes the motion most, and the counts of a report: of findings that no other explains."""
    causes = report.causes
    first = headline(causes) if len(causes) > 1 else ""        # a single one stands right above
    counts = [plural(report.count_causes(severity), severity) for severity in ("error", "warning")]
    counts += [f"{report.count_causes('info')} info", f"{len(report.not_evaluated)} not evaluated"]
    omitted = [f"{len(items)} {what}" for items, what in ((report.waived, "waived"), (report.known, "known")) if items]
    total = f"; {len(report.findings)} findings in all" if len(report.findings) > len(causes) else ""
    return (f"{first}; " if first else "") + ", ".join((*counts, *omitted)) + total + _fixable(report)


def _fixable(report: Report) -> str:
    """The number of findings that `--fix` repairs; "" for none."""
    repairs = [finding.repair for finding in report.findings if finding.repair is not None]
    safe = sum(repair.safe for repair in repairs)
    unsafe = len(repairs) - safe
    options = f"{unsafe} more with --unsafe-fixes" if safe else f"{unsafe} fixable with --fix --unsafe-fixes"
    return (f"; {safe} fixable with --fix" if safe else "") + (f"; {options}" if unsafe else "")
