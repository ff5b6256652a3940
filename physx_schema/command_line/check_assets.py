"""Checks of many files: one after the other in this process if there are few, else in worker processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from physx_schema.checking import Report
from physx_schema.checking.settings import Settings
from physx_schema.checking.stages import UNREADABLE_CODE, check_one
from physx_schema.command_line.assets import AssetOptions, plan_of, print_known
from physx_schema.command_line.program import Boundary, Internal
from physx_schema.command_line.progress import Progress
from physx_schema.errors import UnreadableError
from physx_schema.library.columns import DONE, FAILED, FINDING, NOT_EVALUATED, UNREADABLE, UNUSED
from physx_schema.library.outcomes import Done, Known, Lost, Row

FEW = 16        # files whose checks take about as long as the start of a worker process


@dataclass(frozen=True, slots=True)
class Checks:
    """The checks of several files."""

    paths: Sequence[str]                        # the files that this run checks
    check: Callable[[str], Report | str]        # the report, or the line of an internal error; raises UnreadableError
    known: list[int] = field(default_factory=list)      # exit codes of files with results in the dataset


@dataclass(frozen=True, slots=True)
class CheckWork:
    """The check of one file in a worker process; its value is the report."""

    settings: Settings

    def __call__(self, path: str) -> Done[Report | None]:
        """The report, or the reason why there is none."""
        try:
            report = _guarded(path, self.settings)
        except UnreadableError as error:
            return Done(None, UNREADABLE_CODE, UNREADABLE, str(error))
        if isinstance(report, str):
            return Done(None, 4, FAILED, report)
        code = report.exit_code(self.settings.strict, self.settings.fail_on)
        return Done(report, code, DONE, "", tuple(rows_of(report)))


def check_assets(paths: Sequence[str], settings: Settings, assets: AssetOptions, repeat: bool,
                 indicator: Progress) -> Checks:
    """The checks of files: made by workers, or to be made in this process if the files are few."""
    workers = assets.workers(len(paths), FEW)
    if not workers:
        return Checks(paths, _with_progress(paths, indicator, settings))
    from physx_schema.library.asset_run import run_assets  # with multiprocessing, which few files do not need

    plan = plan_of(assets, "check", asdict(settings) | {"source": None, "baseline": None}, workers, repeat)
    answers = dict[str, Done[Report | None] | Lost]()
    known = []
    indicator.what, indicator.total = "checking, files:", len(paths)
    for path, answer in run_assets(paths, CheckWork(settings), plan):
        indicator.done += 1
        if isinstance(answer, Known):
            known.append(answer.exit_code)
        else:
            answers[path] = answer
    print_known(len(known), assets)
    return Checks([path for path in paths if path in answers], lambda path: _report_of(path, answers[path]), known)


def _report_of(path: str, answer: Done[Report | None] | Lost) -> Report | str:
    """What `check_one` would have returned. Raises UnreadableError."""
    if isinstance(answer, Lost):
        return f"{path}: the check {answer.reason}"
    if answer.outcome == UNREADABLE:
        raise UnreadableError(answer.message)
    return answer.message if answer.value is None else answer.value


def _with_progress(paths: Sequence[str], indicator: Progress, settings: Settings) -> Callable[[str], Report | str]:
    """What checks one of several stages, and tells how many were before it."""
    indicator.total = len(paths)

    def check_path(path: str) -> Report | str:
        indicator.what = f"checking {path}, files:"
        try:
            return _guarded(path, settings)
        finally:
            indicator.done += 1
    return check_path


def _guarded(path: str, settings: Settings) -> Report | str:
    """The report on a stage, or one line where the program fails on it."""
    try:
        with Boundary(passing=(UnreadableError,)):
            return check_one(path, settings)
    except Internal as fault:
        return f"{path}: {fault.message}"
    raise AssertionError


def rows_of(report: Report) -> Iterator[Row]:
    """The rows of a report in a dataset: findings, then what has no effect and what was not evaluated."""
    for finding in report.findings:
        yield {"kind": FINDING, "code": finding.code, "severity": finding.severity, "path": finding.path,
               "property": finding.property, "message": finding.message, "why": finding.why, "fix": finding.fix}
    for kind, opinions in ((UNUSED, report.unused), (NOT_EVALUATED, report.not_evaluated)):
        for opinion in opinions:
            row: dict[str, Any] = {"kind": kind, "code": opinion.code or None, "path": opinion.path,
                                   "property": opinion.property, "message": opinion.reason}
            yield row | {"fix": opinion.suggestion or None}
