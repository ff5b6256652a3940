"""A page for a browser, in one file: no script, nothing from elsewhere, printable."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from typing import Any

import jinja2

from physx_schema.checking.catalogue import rule_of
from physx_schema.checking.effects import by_effect, headline
from physx_schema.checking.engine.causes import CauseGroup, grouped
from physx_schema.checking.engine.finding import SEVERITIES, Finding, location
from physx_schema.checking.engine.outcome import Report
from physx_schema.checking.stages import Run
from physx_schema.description import Opinion
from physx_schema.errors import printable
from physx_schema.reports.findings import ending
from physx_schema.text import plural

_BREAKS = re.compile(r"(?<=[/:.])")      # after these a long name may go on in the next line
_MAX_EFFECTS = 100       # findings that are listed of those that another explains; JSON has all
_MARKS = {"error": "✕", "warning": "▲", "info": "i", "not evaluated": "?", "pass": "✓"}


def page(run: Run, limit: int | None = None) -> str:
    """The findings of every stage by prim, at most so many, the rules they are of, and what was not evaluated."""
    codes = {cause.root.code for report in run.reports.values() for cause in grouped(report.first(limit)[0])}
    return _environment().get_template("page.html.jinja").render(
        stages=[_stage(path, report, limit) for path, report in run.reports.items()],
        failed=[*run.unreadable.items(), *run.broken.items()],
        explained=sorted((rule for rule in map(rule_of, codes) if rule), key=lambda rule: rule.code),
        totals=_totals(run),
    )


def _totals(run: Run) -> list[tuple[str, str, int]]:
    """Kind, mark and count over all stages."""
    reports = run.reports.values()
    counts = [(severity, sum(report.count_causes(severity) for report in reports))
              for severity in reversed(SEVERITIES)]
    counts.append(("not evaluated", sum(len(report.not_evaluated) for report in reports)))
    return [(kind, _MARKS[kind], count) for kind, count in counts]


def _stage(path: str, report: Report, limit: int | None) -> Mapping[str, Any]:
    states = [verdict.state for verdict in report.verdicts]
    visible, hidden = report.first(limit)
    return {
        "path": path, "report": report, "hidden": hidden,
        "headline": headline(report.causes),
        "prims": list(_by_prim(by_effect(grouped(visible)))),
        "passed": states.count("pass"), "failed": states.count("fail"), "unjudged": list(_unjudged(report)),
        "reasons": list(_reasons(report.not_evaluated)),
    }


def _by_prim(causes: Iterable[CauseGroup]) -> Iterator[tuple[str, list[CauseGroup]]]:
    """Causes of one severity by prim, in the order of the causes: no prim brings an info before another's error."""
    prims: dict[tuple[str, str], list[CauseGroup]] = {}
    for cause in causes:
        prims.setdefault((cause.severity, cause.root.path), []).append(cause)
    return ((path, group) for (_, path), group in prims.items())


def _unjudged(report: Report) -> Iterator[tuple[str, str]]:
    """Codes that were not evaluated, with the reason."""
    return ((item.code, item.reason) for item in report.verdicts if item.state == "not evaluated")


def _reasons(opinions: tuple[Opinion, ...]) -> Iterator[tuple[str, int, str]]:
    """Each reason once: how often, and where first."""
    locations: dict[str, list[str]] = {}
    for opinion in opinions:
        locations.setdefault(opinion.reason, []).append(location(opinion.path, opinion.property))
    return ((reason, len(paths), paths[0]) for reason, paths in locations.items())


def _location(finding: Finding) -> str:
    return location(finding.path, finding.property)


def _template(name: str) -> str:
    return resources.files("physx_schema.reports").joinpath(name).read_text(encoding="utf-8")


def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(_template), autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
        finalize=lambda value: printable(value) if type(value) is str else value,
    )
    environment.filters |= {"plural": plural, "place": _location, "parts": _BREAKS.split, "ending": ending}
    environment.globals |= {"marks": _MARKS, "max_effects": _MAX_EFFECTS}
    return environment
