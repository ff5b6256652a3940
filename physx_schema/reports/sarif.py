"""SARIF 2.1.0 (OASIS), which code scanning services and editors read."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import quote

from physx_schema.checking.catalogue import RULES, rule_of
from physx_schema.checking.engine.finding import Finding, location
from physx_schema.checking.engine.outcome import Report, Waived
from physx_schema.checking.engine.rule import Rule
from physx_schema.checking.stages import Run
from physx_schema.reports.regions import TextRegion, TextRegions

SARIF_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_CODES = tuple(RULES)


def sarif(run: Run) -> dict[str, Any]:
    """A log with one run: every code as a rule, every finding, waived and known ones included, as a result."""
    return {
        "$schema": SARIF_SCHEMA, "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "physx-schema", "semanticVersion": _version(), "rules": list(map(_rule, RULES.values())),
            }},
            "columnKind": "unicodeCodePoints",
            "invocations": [{
                "executionSuccessful": not (run.unreadable or run.broken),
                "toolExecutionNotifications": list(_notifications(run)),
            }],
            "results": [result for path, report in run.reports.items() for result in _results(path, report)],
        }],
    }


def _version() -> str:
    try:
        return metadata.version("physx-schema")
    except metadata.PackageNotFoundError:
        return "0.0.0"


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code, "shortDescription": {"text": rule.title}, "fullDescription": {"text": rule.text},
        "defaultConfiguration": {"level": _LEVELS[rule.severity]}, "properties": {"profiles": list(rule.profiles)},
    }


def _results(path: str, report: Report) -> Iterator[dict[str, Any]]:
    regions = TextRegions(path, (*report.findings, *report.known, *(item.finding for item in report.waived)))
    for finding in report.findings:
        result = _result(path, finding, regions.of(finding))
        yield {**result, "baselineState": "new"} if report.known else result
    for finding in report.known:
        yield {**_result(path, finding, regions.of(finding)), "baselineState": "unchanged"}
    for item in report.waived:
        yield {**_result(path, item.finding, regions.of(item.finding)), "suppressions": [_suppression(item)]}


def _suppression(item: Waived) -> dict[str, Any]:
    kind = "inSource" if item.source.startswith("custom") else "external"
    return {"kind": kind, "status": "accepted", "justification": item.reason}


def _result(path: str, finding: Finding, region: TextRegion | None) -> dict[str, Any]:
    rule = rule_of(finding.code)
    mark = hashlib.sha256("\0".join((finding.code, finding.path, finding.property)).encode()).hexdigest()
    known = {"ruleIndex": _CODES.index(rule.code)} if rule else {}
    return {
        "ruleId": rule.code if rule else finding.code, **known, "level": _LEVELS[finding.severity],
        "message": {"text": f"{finding.message}. {finding.why}. Fix: {finding.fix}"},
        "locations": [_location(finding.layer or path, finding, region)],
        "partialFingerprints": {"codeAndPlace/v1": mark},
        "properties": {"profiles": list(finding.profiles), **_cause(finding)},
    }


def _cause(finding: Finding) -> dict[str, Any]:
    """The finding that explains one, where one does."""
    if finding.cause is None:
        return {}
    return {"cause": {"ruleId": finding.cause.code, "at": location(finding.cause.path, finding.cause.property)}}


def _location(file: str, finding: Finding, region: TextRegion | None) -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(file)}}
    if region:
        physical["region"] = {"startLine": region.line, "startColumn": region.column, "endColumn": region.end_column}
    name = location(finding.path, finding.property)
    return {"physicalLocation": physical, "logicalLocations": [{"fullyQualifiedName": name, "kind": "member"}]}


def _uri(file: str) -> str:
    """A file as a URI reference: relative to where the program ran, or absolute."""
    return Path(file).as_uri() if Path(file).is_absolute() else quote(Path(file).as_posix())


def _notifications(run: Run) -> Iterator[dict[str, Any]]:
    """What could not be read or judged."""
    for path, text in (*run.unreadable.items(), *run.broken.items()):
        yield _notification("error", path, text)
    for path, report in run.reports.items():
        for verdict in report.verdicts:
            if verdict.state == "not evaluated":
                yield _notification("warning", path, f"{verdict.code} was not evaluated: {verdict.reason}")
        for item in report.published:
            if item.state == "not evaluated":
                yield _notification("warning", path, f"{item.code} was not evaluated: {item.reason}")
        for opinion in report.not_evaluated:
            where = location(opinion.path, opinion.property)
            yield _notification("note", path, f"{where} was not evaluated: {opinion.reason}")


def _notification(level: str, path: str, text: str) -> dict[str, Any]:
    physical = {"physicalLocation": {"artifactLocation": {"uri": _uri(path)}}}
    return {"level": level, "message": {"text": text}, "locations": [physical]}
