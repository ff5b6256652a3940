"""Checks of one or several stages.

`check` returns the report of one stage: findings without the waived ones. `check_all` returns a report for each stage,
unreadable files, and findings about the settings and the baseline.

Remarks are findings for other programs: code, severity, location and text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from physx_schema.arguments import display
from physx_schema.checking.catalogue import FINDERS, RULES, selection_of
from physx_schema.checking.engine.authored_specs import with_spec
from physx_schema.checking.engine.baseline import Baseline
from physx_schema.checking.engine.causes import with_causes
from physx_schema.checking.engine.finding import (
    DEFAULT_PROFILE,
    WHOLE_SIMREADY,
    Finding,
    location,
    parse_profile,
)
from physx_schema.checking.engine.layer_editor import LayerEditor, with_obstacle
from physx_schema.checking.engine.outcome import Outcome, Report, Waiver, apply_waivers, run, sort_key, waivers_of
from physx_schema.checking.engine.published import NOT_REQUESTED, PUBLISHED_RULES, PublishedVerdict, features_of, judged
from physx_schema.checking.engine.rule import RULE_FAILED, Selection
from physx_schema.checking.rules.stages import faults, stale
from physx_schema.checking.settings import TABLE, Settings
from physx_schema.description import Opinion, describe
from physx_schema.description.bodies import gc_disabled
from physx_schema.description.releases import as_of_release
from physx_schema.description.stages import StageSource, open_stage
from physx_schema.diagnostics import captured
from physx_schema.engine_releases import LATEST
from physx_schema.errors import UnreadableError
from physx_schema.files import legible


def check(
    source: StageSource, profile: str = DEFAULT_PROFILE, select: Sequence[str] = (), ignore: Sequence[str] = (),
    waivers: Sequence[Waiver] = (), engine_release: str = LATEST,
) -> Report:
    """Check a stage, given as a path or a Usd.Stage, against the rules of a profile.

    `profile` is "physx" (PhysX's behaviour), "simready" (SimReady's rules), "newton" (Newton's behaviour), "driven"
    (SimReady's rules for driven joints) or "published" (SimReady's other rules). Join several with +.

    `select` limits the check to codes or families such as "DJ.007", and `ignore` leaves them out. `select` and `ignore`
    also accept published codes or features such as "RB.007". `waivers` apply in addition to those on the stage.
    `engine_release` is the ovphysx release to check for: values that this release reads are not reported as unused.

    Raises UnreadableError for a path without a readable USD file, and ValueError for an unknown profile, code, family
    or release.
    """
    selection = selection_of(select, ignore)
    parse_profile(profile)      # raises before the stage is read
    if not isinstance(waivers, Sequence) or not all(isinstance(waiver, Waiver) for waiver in waivers):
        raise ValueError(f"waivers is {display(waivers)}; give a list of waivers")
    with gc_disabled(), captured():         # messages of USD are findings
        return _check(open_stage(source), profile, selection, waivers, engine_release)


def _check(
    stage: Any, profile: str, selection: Selection, waivers: Sequence[Waiver], engine_release: str,
) -> Report:
    description = as_of_release(describe(stage), engine_release)
    outcome = run(FINDERS, description, parse_profile(profile), selection)
    outcome = replace(outcome, findings=with_causes(outcome.findings, RULES, stage, description))
    stage_waivers = tuple(waivers_of(stage))
    applied = apply_waivers((*stage_waivers, *waivers), outcome.findings)
    waiver_findings = selection.filter(faults(stage_waivers, applied.used, outcome.codes, RULES))
    editor = LayerEditor(stage)
    findings = (with_obstacle(editor, with_spec(stage, item)) for item in (*applied.findings, *waiver_findings))
    outcome = replace(outcome, findings=tuple(sorted(findings, key=sort_key)))
    waived = tuple(replace(item, finding=with_spec(stage, item.finding)) for item in applied.waived)
    unevaluated = (Opinion(item.path, item.property, item.reason, item.fix, item.code) for item in outcome.unevaluated)
    published = tuple(_published(outcome, profile, selection))
    return Report(
        description.source, profile, outcome.findings, description.unused, (*description.not_evaluated, *unevaluated),
        outcome.verdicts, waived, published=published, features=tuple(features_of(published)),
    )


def _published(outcome: Outcome, profile: str, selection: Selection) -> Iterator[PublishedVerdict]:
    """Verdicts on published codes: all if the profile is all of SimReady, else the selected ones."""
    whole = set(parse_profile(profile)) >= set(WHOLE_SIMREADY)
    codes = [code for code in PUBLISHED_RULES
             if code in selection.published or (whole and selection.has_published(code))]
    wanted = [rule.code for rule in RULES.values() if not set(WHOLE_SIMREADY).isdisjoint(rule.profiles)]
    reasons = {verdict.code: verdict.reason for verdict in outcome.verdicts}
    return judged(codes, {code: reasons.get(code, NOT_REQUESTED) for code in wanted}, outcome.findings)


UNREADABLE_CODE = 3
_ORDER = (4, UNREADABLE_CODE, 1, 5)      # exit codes, the gravest first


@dataclass(slots=True)
class Run:
    """The results of checking several stages, by the given paths."""

    reports: dict[str, Report] = field(default_factory=dict)
    unreadable: dict[str, str] = field(default_factory=dict)    # path: why
    broken: dict[str, str] = field(default_factory=dict)        # path: the fault of this program

    def exit_code(self, strict: bool, fail_on: str) -> int:
        """4 after an internal error, 3 for an unreadable file, else the gravest exit code of the reports."""
        codes = [4] * bool(self.broken) + [UNREADABLE_CODE] * bool(self.unreadable)
        codes += [report.exit_code(strict, fail_on) for report in self.reports.values()]
        return next((code for code in _ORDER if code in codes), 0)


def check_all(
    paths: Sequence[str], settings: Settings, baseline: Baseline | None = None,
    check_stage: Callable[[str], Report | str] | None = None,
) -> Run:
    """Check stages one by one; an unreadable stage does not stop the run.

    check_stage: checks a single stage in place of `check_one`; it returns a report, or the text of an internal error.
    """
    run = Run()
    for path in dict.fromkeys(paths):
        try:
            report = check_stage(path) if check_stage else check_one(path, settings)
        except UnreadableError as error:
            run.unreadable[legible(path)] = str(error)
            continue
        if isinstance(report, str):
            run.broken[legible(path)] = report
        else:
            run.reports[path] = baseline.without_known(path, report) if baseline else report
    _add_report(run, settings, str(settings.source), _idle_waivers(run, settings))
    if baseline is not None:
        _add_report(run, settings, str(baseline.path), stale(baseline))
    return run


def check_one(path: str, settings: Settings) -> Report:
    """The report on one stage. Raises UnreadableError."""
    return check(path, settings.profile, settings.select, settings.ignore, settings.waivers_for(path),
                 settings.engine_release)


def _add_report(run: Run, settings: Settings, path: str, findings: Iterator[Finding]) -> None:
    """Add a report on a file that is not a stage, if it has findings."""
    reported = tuple(findings)
    if reported:
        run.reports[path] = Report(path, settings.profile, reported)


def _idle_waivers(run: Run, settings: Settings) -> Iterator[Finding]:
    """Waivers of the settings that match no finding; waivers for files outside this run are not judged."""
    used_sources = {item.source for report in run.reports.values() for item in report.waived}
    matching = {waiver for path in run.reports for waiver in settings.waivers_for(path)}
    codes = {verdict.code for report in run.reports.values() for verdict in report.verdicts}
    used_waivers = [waiver for waiver in settings.waivers if waiver.source in used_sources]
    for finding in faults((waiver for waiver in settings.waivers if waiver in matching), used_waivers, codes, RULES):
        yield replace(finding, property=f"{TABLE}.waive")


NOT_EVALUATED = "not-evaluated"
UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class Remark:
    """A finding, or something not evaluated, for another program."""

    code: str                   # "DJ.007/limits-clip", NOT_EVALUATED, UNREADABLE, or a published code
    severity: str               # "error" | "warning" | "info"
    path: str                   # prim
    property: str               # full property name, "apiSchemas", or ""
    text: str                   # the code, location, message, effect and fix


def remarks(stage: Any, profile: str = DEFAULT_PROFILE) -> tuple[Remark, ...]:
    """All remarks on an open stage: findings, and values that are not evaluated.

    Raises nothing, because an exception ends the whole run of some programs: unreadable metadata and internal errors
    are remarks too.
    """
    try:
        return tuple(_report_remarks(check(stage, profile)))
    except UnreadableError as error:
        return (Remark(UNREADABLE, "error", "/", "", f"{UNREADABLE}: {error}"),)
    except Exception as fault:
        return (remark_of(RULE_FAILED.at("/", "", f"the check raised {type(fault).__name__}: {fault}")),)


def remark_of(finding: Finding) -> Remark:
    """A finding as a remark. The text begins with the code, because some programs do not print codes."""
    text = f"{finding.code}: {finding_text(finding)}"
    return Remark(finding.code, finding.severity, finding.path, finding.property, text)


def finding_text(finding: Finding) -> str:
    """Location, message, effect and fix, in three lines."""
    where = location(finding.path, finding.property)
    return f"{where}: {finding.message}\nwhy: {finding.why}\nfix: {finding.fix}"


def _report_remarks(report: Report) -> Iterator[Remark]:
    yield from map(remark_of, report.findings)
    for verdict in report.verdicts:
        if verdict.state == "not evaluated":
            yield Remark(NOT_EVALUATED, "warning", "/", "", f"{NOT_EVALUATED}: {verdict.code}: {verdict.reason}")
    for item in report.not_evaluated:
        text = f"{NOT_EVALUATED}: {location(item.path, item.property)}: {item.reason}"
        suggestion = f"; {item.suggestion}" if item.suggestion else ""
        yield Remark(NOT_EVALUATED, "info", item.path, item.property, text + suggestion)
    for published in report.published:
        if published.state != "pass":
            reason = ", ".join(published.ours) or published.reason
            yield Remark(published.code, "error", "/", "", f"{published.code}: {published.name}: "
                         f"{published.state}: {reason}")
