"""Workflow commands by which GitHub marks lines of a pull request."""

from __future__ import annotations

from collections.abc import Iterator

from physx_schema.checking.effects import by_effect
from physx_schema.checking.engine.causes import CauseGroup, grouped
from physx_schema.checking.engine.finding import location
from physx_schema.checking.engine.outcome import Report
from physx_schema.checking.stages import Run, finding_text
from physx_schema.reports.findings import ending
from physx_schema.reports.regions import TextRegion, TextRegions
from physx_schema.text import plural

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def workflow_commands(run: Run, limit: int | None = None) -> Iterator[str]:
    """One command for each cause, unreadable file and file that the program failed on; at most so many causes."""
    for path, report in run.reports.items():
        visible, hidden = report.first(limit)
        regions = TextRegions(path, visible)
        for cause in by_effect(grouped(visible)):
            yield _annotation(path, cause, regions.of(cause.root))
        if hidden:
            yield _command("notice", "not shown", f"{plural(hidden, 'finding')} more, not shown", path, None)
        for verdict in report.verdicts:
            if verdict.state == "not evaluated":
                yield _command("warning", f"{verdict.code} not evaluated", verdict.reason, path, None)
        yield from _unsimulated(path, report)
    for path, message in (*run.unreadable.items(), *run.broken.items()):
        yield _command("error", "cannot be checked", message, path, None)


def _unsimulated(path: str, report: Report) -> Iterator[str]:
    if report.not_evaluated:
        first = report.not_evaluated[0]
        where = location(first.path, first.property)
        text = f"{len(report.not_evaluated)} opinions, the first: {where}: {first.reason}"
        yield _command("notice", "not evaluated", text, path, None)


def _annotation(path: str, cause: CauseGroup, region: TextRegion | None) -> str:
    """The annotation of a finding, with the worst severity of what it explains."""
    finding = cause.root
    return _command(_COMMANDS[cause.severity], finding.code, "\n".join((finding_text(finding), *ending(cause))),
                    finding.layer or path, region)


def _command(kind: str, title: str, text: str, file: str, region: TextRegion | None) -> str:
    position = f"file={_value(file)}" + (f",line={region.line},col={region.column}" if region else "")
    return f"::{kind} {position},title={_value(title)}::{_text(text)}"


def _text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _value(text: str) -> str:
    return _text(text).replace(":", "%3A").replace(",", "%2C")
