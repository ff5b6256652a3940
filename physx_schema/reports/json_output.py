"""JSON for programs: versioned, stable in order, without NaN or infinities as numbers."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from physx_schema.checking import Finding, Report
from physx_schema.checking.stages import Run
from physx_schema.description import Description
from physx_schema.former_names import JSON_KEY
from physx_schema.reports.regions import TextRegions

JSON_VERSION = 1


def run_json(run: Run) -> str:
    """The reports of several stages by path, and the paths that could not be read."""
    return _dumps({
        "version": JSON_VERSION,
        "reports": [_report(path, report) for path, report in run.reports.items()],
        "unreadable": [{"path": path, "message": message} for path, message in run.unreadable.items()],
        "failed": [{"path": path, "message": message} for path, message in run.broken.items()],
    })


def _report(path: str, report: Report) -> dict[str, Any]:
    regions = TextRegions(path, (*report.findings, *report.known, *(item.finding for item in report.waived)))
    return {
        "path": path,
        "profile": report.profile,
        "counts": {severity: report.count(severity) for severity in ("error", "warning", "info")},
        "causes": {severity: report.count_causes(severity) for severity in ("error", "warning", "info")},
        "verdicts": plain(report.verdicts),
        "published": plain(report.published),
        "features": plain(report.features),
        "findings": [_finding(item, regions) for item in report.findings],
        "known": [_finding(item, regions) for item in report.known],
        "waived": [{**_finding(item.finding, regions), "reason": item.reason, "waiver": item.source}
                   for item in report.waived],
        "unused": plain(report.unused),
        "not_evaluated": plain(report.not_evaluated),
    }


def _finding(finding: Finding, regions: TextRegions) -> dict[str, Any]:
    """A finding with its line and column; of its repair only whether there is one, and whether it is safe."""
    region = regions.of(finding)
    fields = {name: value for name, value in plain(finding).items() if name != "repair"}
    return {**fields, "repair": None if finding.repair is None else "safe" if finding.repair.safe else "unsafe",
            "line": region and region.line, "column": region and region.column}


def description_json(description: Description) -> str:
    """Everything in a description, every authored opinion included."""
    facts = {field.name: plain(getattr(description, field.name)) for field in dataclasses.fields(description)}
    return _dumps({"version": JSON_VERSION, **facts})


def plain(value: Any) -> Any:
    """Facts as JSON values: dataclasses show objects, vectors and arrays lists, infinities and NaN strings."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [field for field in dataclasses.fields(value) if field.repr]
        return {field.metadata.get(JSON_KEY, field.name): plain(getattr(value, field.name)) for field in fields}
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, bool | int | float | str) or value is None:
        return value
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, frozenset | set):
        return [plain(item) for item in sorted(value)]
    if hasattr(value, "GetImaginary"):      # quaternions, w first as in USD's text
        return [plain(value.GetReal()), *plain(value.GetImaginary())]
    if isinstance(value, Sequence) or (hasattr(value, "__len__") and hasattr(value, "__getitem__")):
        return [plain(item) for item in value]
    return str(value)


def _dumps(content: Any) -> str:
    return json.dumps(content, indent=2, allow_nan=False)
