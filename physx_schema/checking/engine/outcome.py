"""The outcome of a check: findings, verdicts, waivers and the report.

`run` runs finders over a Description. A verdict says for each code whether it passed, failed or was not evaluated.

A waiver accepts findings, with a reason. A prim's customData has waivers for that prim under ``physxSchema:waive``: a
dictionary of codes or families, such as "DJ.007", with a reason each. The same dictionary in the root layer's
customLayerData applies to the whole stage. An entry of ``[[tool.physx-schema.check.waive]]`` in pyproject.toml applies
to the prims and files that it names.
"""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pxr import Tf, Usd

from physx_schema.arguments import label, required_choice, required_flag, required_text
from physx_schema.checking.engine.causes import CauseGroup, grouped
from physx_schema.checking.engine.finding import EXTRA_PROFILES, PROFILES, SEVERITIES, Finding, location, rank
from physx_schema.checking.engine.published import FeatureVerdict, PublishedVerdict, bare, published_codes
from physx_schema.checking.engine.rule import EVERYTHING, RULE_FAILED, Finder, Rule, Selection, Unevaluated, belongs
from physx_schema.description import Description, Opinion
from physx_schema.description.composition import UNRESOLVED
from physx_schema.description.opinions.reading import path_key
from physx_schema.former_names import former_keyword
from physx_schema.text import html_table

VerdictState = Literal["pass", "fail", "not evaluated"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one code for one stage."""

    code: str
    state: VerdictState         # "fail" from a warning upwards; findings of severity info leave a code passed
    reason: str = ""            # why it is not evaluated


@dataclass(frozen=True, slots=True)
class Waived:
    """A finding that a waiver accepts."""

    finding: Finding
    reason: str
    source: str                 # where the waiver is: a prim path, or a file


@dataclass(frozen=True, slots=True)
class Report:
    """The outcome of checking one stage."""

    source: str
    profile: str
    findings: tuple[Finding, ...]
    unused: tuple[Opinion, ...] = ()
    not_evaluated: tuple[Opinion, ...] = ()
    verdicts: tuple[Verdict, ...] = ()      # of every code of the profile, by code
    waived: tuple[Waived, ...] = ()         # findings that a waiver leaves out
    known: tuple[Finding, ...] = ()         # findings that a baseline leaves out
    published: tuple[PublishedVerdict, ...] = ()    # of every selected published code
    features: tuple[FeatureVerdict, ...] = ()       # of the published features with a verdict on every code

    def __repr__(self) -> str:
        return (f"Report({self.source!r}, {self.profile!r}, errors={self.count('error')}, "
                f"warnings={self.count('warning')}, infos={self.count('info')}, "
                f"not_evaluated={len(self.not_evaluated)})")

    def _repr_html_(self) -> str:
        worst = sorted(self.findings, key=lambda finding: -rank(finding.severity))
        return html_table(repr(self), ("severity", "code", "place", "found", "fix"), (
            (finding.severity, finding.code, location(finding.path, finding.property), finding.message, finding.fix)
            for finding in worst))

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings of severity error."""
        return tuple(finding for finding in self.findings if finding.severity == "error")

    def count(self, severity: str) -> int:
        """The number of findings with this severity. Raises ValueError for an unknown one."""
        required_choice("severity", severity, SEVERITIES)
        return sum(finding.severity == severity for finding in self.findings)

    @property
    def causes(self) -> tuple[CauseGroup, ...]:
        """The findings by cause.

        A cause is a finding that no other finding explains, together with all findings that it explains.
        """
        return grouped(self.findings)

    def count_causes(self, severity: str) -> int:
        """The number of causes with this severity; a cause has the worst severity of its findings.

        Raises ValueError for an unknown severity.
        """
        required_choice("severity", severity, SEVERITIES)
        return sum(group.severity == severity for group in self.causes)

    @former_keyword("most", "limit")
    def first(self, limit: int | None) -> tuple[tuple[Finding, ...], int]:
        """The findings of at most `limit` causes, and the number of omitted causes.

        Errors are always included, even if there are more than `limit`. If `limit` is None, all findings are included.
        """
        if limit is None:
            return self.findings, 0
        causes = self.causes
        remaining = max(limit - self.count_causes("error"), 0)
        shown = {index for index, group in enumerate(causes) if group.severity == "error"}
        shown |= set([index for index in range(len(causes)) if index not in shown][:remaining])
        visible = {id(item) for index in shown for item in causes[index].findings}
        return tuple(item for item in self.findings if id(item) in visible), len(causes) - len(shown)

    def verdict(self, family: str) -> VerdictState:
        """Return the worst verdict on a code, a family such as "DJ.007", or a published code or feature.

        Raises KeyError if the check included no rule with this code, family or feature.
        """
        required_text("family", family)
        codes = published_codes(family)
        states = {item.state for item in self.verdicts if belongs(item.code, bare(family))}
        states = states or {item.state for item in self.published if item.code in codes}
        if not states:
            raise KeyError(f"{label(family)}: the check included no rule of this name")
        return "fail" if "fail" in states else "not evaluated" if "not evaluated" in states else "pass"

    def exit_code(self, strict: bool = False, fail_on: str = "error") -> int:
        """Return 1 if a finding has the severity `fail_on` or higher.

        Without such a finding, return 5 if `strict` is true and something was not evaluated, else 0. Raises ValueError
        for an unknown severity.
        """
        required_choice("fail_on", fail_on, SEVERITIES)
        required_flag("strict", strict)
        if any(rank(finding.severity) >= rank(fail_on) for finding in self.findings):
            return 1
        missing = self.not_evaluated or any(item.state == "not evaluated" for item in self.published)
        return 5 if strict and missing else 0


def verdicts(
    codes: Iterable[str], findings: Sequence[Finding], unevaluated_codes: Sequence[tuple[str, str]],
) -> Iterator[Verdict]:
    """A verdict for each code. unevaluated_codes: codes or families that are not evaluated, with the reason."""
    failed = {finding.code for finding in findings if rank(finding.severity) >= rank("warning")}
    for code in sorted(codes):
        yield _verdict(code, failed, unevaluated_codes)


def _verdict(code: str, failed: Collection[str], unevaluated_codes: Sequence[tuple[str, str]]) -> Verdict:
    if code in failed:
        return Verdict(code, "fail")
    reason = next((why for family, why in unevaluated_codes if belongs(code, family)), None)
    return Verdict(code, "pass") if reason is None else Verdict(code, "not evaluated", reason)


# Exceptions of a finder on unexpected facts; any other exception is a fault of the program and passes through.
_FINDER_FAULTS = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, Tf.ErrorException)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results of rules for a description."""

    findings: tuple[Finding, ...]               # by prim, property and code
    unevaluated: tuple[Unevaluated, ...]        # in the same order
    codes: frozenset[str]                       # the selected codes of the profiles
    unevaluated_codes: tuple[tuple[str, str], ...]  # codes or families that are not evaluated, with the reason

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts on the selected codes, by code."""
        return tuple(verdicts(self.codes, self.findings, self.unevaluated_codes))


def run(
    finders: Sequence[Finder], description: Description, profiles: Sequence[str], selection: Selection = EVERYTHING,
) -> Outcome:
    """The findings of the selected rules of the profiles."""
    merged: dict[tuple[str, str, str, str], Finding] = {}
    unevaluated: dict[Unevaluated, None] = {}
    unevaluated_codes: list[tuple[str, str]] = []
    rules = {rule.code: rule for finder in finders for rule in finder.rules}
    codes = frozenset(code for code in _profile_codes(rules.values(), profiles) if selection.has(code))
    for finder in finders:
        if finder.rules and codes.isdisjoint(rule.code for rule in finder.rules):
            continue
        for item in _outcomes(finder, description):
            if isinstance(item, Unevaluated):
                unevaluated[item] = None
            elif belongs(item.code, RULE_FAILED.code):
                unevaluated_codes += [(rule.code, item.message) for rule in finder.rules]
            if isinstance(item, Finding) and selection.has(item.code, item.property):
                _merge(merged, item, _matching_profiles(item, rules, profiles))
    findings = tuple(sorted(merged.values(), key=sort_key))
    missing = tuple(sorted(unevaluated, key=lambda item: (path_key(item.path), item.property, item.code)))
    return Outcome(findings, missing, codes, (*unevaluated_codes, *((item.code, item.reason) for item in missing)))


def _merge(
    merged: dict[tuple[str, str, str, str], Finding], finding: Finding, profiles: tuple[str, ...],
) -> None:
    """Add a finding if it has a profile, and merge equal findings."""
    if profiles:
        key = (finding.path, finding.property, finding.code, finding.message)
        merged[key] = _more_severe(merged.get(key), replace(finding, profiles=profiles))


def _outcomes(finder: Finder, description: Description) -> list[Finding | Unevaluated]:
    """The results of a finder; a finding of RULE_FAILED if it raises."""
    try:
        return list(finder.find(description))
    except _FINDER_FAULTS as fault:
        failure = RULE_FAILED.at("/", "", f"the rule raised {type(fault).__name__}: {' '.join(str(fault).split())}")
        return [replace(failure, code=f"{RULE_FAILED.code}/{finder.name}")]


def _matching_profiles(finding: Finding, rules: Mapping[str, Rule], profiles: Sequence[str]) -> tuple[str, ...]:
    """The given profiles that include a finding: by its profiles, else those of its rule, else all."""
    rule = rules.get(finding.code)
    candidates = finding.profiles or (rule.profiles if rule else PROFILES)
    return tuple(profile for profile in candidates if profile in profiles)


def _profile_codes(rules: Iterable[Rule], profiles: Sequence[str]) -> Iterator[str]:
    """The codes of rules in one of the profiles."""
    return (rule.code for rule in rules if not set(rule.profiles).isdisjoint(profiles))


def _more_severe(first: Finding | None, second: Finding) -> Finding:
    """The severer of two findings, with the profiles of both."""
    if first is None:
        return second
    worst = max((first, second), key=lambda finding: rank(finding.severity))
    both = first.profiles + second.profiles
    profiles = tuple(profile for profile in (*PROFILES, *EXTRA_PROFILES) if profile in both)
    return replace(worst, profiles=profiles)


def sort_key(finding: Finding) -> tuple[bool, tuple[str, ...], str, str, str]:
    """The sort key of a finding: missing layers first, then prim, property, code and message."""
    return finding.code != UNRESOLVED, path_key(finding.path), finding.property, finding.code, finding.message


# Read by key: a whole dictionary may be nested deeper than USD can convert to Python.
WAIVER_KEY = "physxSchema:waive"
WAIVER_FAMILY = "waiver"           # findings about waivers, which cannot be waived


@dataclass(frozen=True, slots=True)
class Waiver:
    """Acceptance of the findings of a code or of a family of codes."""

    code: str
    reason: str
    source: str                 # the waiver's location as text
    path: str = "*"             # prims, as a pattern with * and ?; the whole stage by default
    file: str = "*"             # stages, as a pattern
    home: str = "/"             # the prim of findings about the waiver
    local: bool = False         # `path` is the path of one prim, not a pattern

    def covers(self, finding: Finding) -> bool:
        """Whether it accepts a finding of a stage that matches its file pattern."""
        if not self.reason or not belongs(finding.code, self.code) or belongs(finding.code, WAIVER_FAMILY):
            return False
        return finding.path == self.path if self.local else fnmatch.fnmatchcase(finding.path, self.path)


@dataclass(frozen=True, slots=True)
class WaiverResult:
    """Findings after waivers."""

    findings: tuple[Finding, ...]       # the remaining findings
    waived: tuple[Waived, ...]
    used: frozenset[Waiver]


def waivers_of(stage: Any) -> Iterator[Waiver]:
    """The waivers on a stage, those of the layer first."""
    layer = stage.GetRootLayer()
    entries = stage.GetMetadataByDictKey("customLayerData", WAIVER_KEY)
    yield from _entries(entries, "/", f"customLayerData of {layer.GetDisplayName()}")
    for prim in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()):
        if prim.HasAuthoredMetadata("customData"):
            path = str(prim.GetPath())
            yield from _entries(prim.GetCustomDataByKey(WAIVER_KEY), path, f"customData of {path}")


def _entries(entries: object, path: str, source: str) -> Iterator[Waiver]:
    if entries is None:
        return
    if not isinstance(entries, Mapping):
        yield Waiver("", "", source, path, home=path, local=path != "/")
        return
    for code, reason in sorted(entries.items()):
        reason_text = reason.strip() if isinstance(reason, str) else ""
        pattern = "*" if path == "/" else path
        yield Waiver(str(code), reason_text, source, pattern, home=path, local=path != "/")


def apply_waivers(waivers: Sequence[Waiver], findings: Iterable[Finding]) -> WaiverResult:
    """Separate the findings that a waiver covers; the first such waiver is used."""
    by_code: dict[str, list[Waiver]] = {}
    remaining: list[Finding] = []
    waived: list[Waived] = []
    used: set[Waiver] = set()
    for finding in findings:
        if finding.code not in by_code:
            by_code[finding.code] = [item for item in waivers if belongs(finding.code, item.code)]
        waiver = next((item for item in by_code[finding.code] if item.covers(finding)), None)
        if waiver is None:
            remaining.append(finding)
        else:
            waived.append(Waived(finding, waiver.reason, waiver.source))
            used.add(waiver)
    return WaiverResult(tuple(remaining), tuple(waived), frozenset(used))
