"""Reports on robots in URDF and MJCF in the names of their own files: links, not prims of a temporary stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.outcome import Report
from physx_schema.checking.stages import Run
from physx_schema.description import Opinion
from physx_schema.description.robot_sources import origins_of

Rename = Callable[[str], str]


def in_source_names(run: Run) -> Run:
    """The run with elements such as "link base" in the place of prim paths, where the file is a converted robot."""
    return replace(run, reports={path: _renamed(path, report) for path, report in run.reports.items()})


def _renamed(path: str, report: Report) -> Report:
    origins = origins_of(path)
    if origins is None:
        return report
    rename = origins.renamed
    return replace(
        report, findings=tuple(_finding(item, rename) for item in report.findings),
        known=tuple(_finding(item, rename) for item in report.known),
        waived=tuple(replace(item, finding=_finding(item.finding, rename)) for item in report.waived),
        not_evaluated=tuple(_opinion(item, rename) for item in report.not_evaluated))


def _finding(finding: Finding, rename: Rename) -> Finding:
    cause = finding.cause and replace(finding.cause, path=rename(finding.cause.path))
    return replace(finding, path=rename(finding.path), message=rename(finding.message), why=rename(finding.why),
                   fix=rename(finding.fix), cause=cause)


def _opinion(opinion: Opinion, rename: Rename) -> Opinion:
    return replace(opinion, path=rename(opinion.path), reason=rename(opinion.reason),
                   suggestion=rename(opinion.suggestion))
