"""Several stages checked in one run: a report each, what could not be read, and what is said about the run itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from physx_schema.checking.catalogue import RULES
from physx_schema.checking.engine.baseline import Baseline
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.report import Report
from physx_schema.checking.rules.baselines import stale
from physx_schema.checking.rules.waivers import faults
from physx_schema.checking.settings import TABLE, Settings
from physx_schema.checking.stage import check
from physx_schema.errors import UnreadableError
from physx_schema.files import legible

UNREADABLE_CODE = 3
_ORDER = (4, UNREADABLE_CODE, 1, 5)      # exit codes, the one that matters most first


@dataclass(slots=True)
class Run:
    """What checking several stages gave, each under the path it was given as."""

    reports: dict[str, Report] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)    # path: why
    broken: dict[str, str] = field(default_factory=dict)        # path: the fault of this program

    def exit_code(self, strict: bool, fail_on: str) -> int:
        """4 after an internal error, 3 with something unreadable, else the worst of the reports."""
        codes = [4] * bool(self.broken) + [UNREADABLE_CODE] * bool(self.unreadable)
        codes += [report.exit_code(strict, fail_on) for report in self.reports.values()]
        return next((code for code in _ORDER if code in codes), 0)


def check_all(
    paths: Sequence[str], settings: Settings, baseline: Baseline | None = None,
    one: Callable[[str], Report | str] | None = None,
) -> Run:
    """Check stages one by one; one that cannot be read does not stop the others.

    `one` checks a single stage in place of this module, and may say in a line that the program failed on it.
    """
    run = Run()
    for path in dict.fromkeys(paths):
        try:
            report = one(path) if one else check_one(path, settings)
        except UnreadableError as error:
            run.unreadable[legible(path)] = str(error)
            continue
        if isinstance(report, str):
            run.broken[legible(path)] = report
        else:
            run.reports[path] = baseline.without_known(path, report) if baseline else report
    _add(run, settings, str(settings.source), _idle_waivers(run, settings))
    if baseline is not None:
        _add(run, settings, str(baseline.path), stale(baseline))
    return run


def check_one(path: str, settings: Settings) -> Report:
    """The report on one stage. Raises UnreadableError."""
    return check(path, settings.profile, settings.select, settings.ignore, settings.waivers_for(path))


def _add(run: Run, settings: Settings, path: str, findings: Iterator[Finding]) -> None:
    """A report on a file that is no stage, where there is anything to say about it."""
    found = tuple(findings)
    if found:
        run.reports[path] = Report(path, settings.profile, found)


def _idle_waivers(run: Run, settings: Settings) -> Iterator[Finding]:
    """Waivers of the settings that no stage in their file pattern needs; those of other stages are not judged."""
    used = {item.source for report in run.reports.values() for item in report.waived}
    held = {waiver for path in run.reports for waiver in settings.waivers_for(path)}
    asked = {verdict.code for report in run.reports.values() for verdict in report.verdicts}
    busy = [waiver for waiver in settings.waivers if waiver.source in used]
    for finding in faults((waiver for waiver in settings.waivers if waiver in held), busy, asked, RULES):
        yield replace(finding, property=f"{TABLE}.waive")
