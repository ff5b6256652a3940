"""Text for people: a verdict on each published feature, and on published rules."""

from __future__ import annotations

from collections.abc import Iterator

from physx_schema.checking import Report
from physx_schema.checking.engine.published import FEATURES, FeatureVerdict, codes_of
from physx_schema.errors import printable


def published_lines(source: str, report: Report, complete: bool) -> Iterator[str]:
    """The verdict on each published feature, then on published codes, a line a reason; none where none was asked for.

    complete: what passed or was not evaluated too, not only what failed.
    """
    lines = [*map(_feature_line, report.features), *_failed_lines(report), *_other_lines(report)]
    shown = [line for state, line in lines if complete or state == "fail"]
    if shown:
        yield printable(f"{source}: SimReady:")
        yield from (printable(f"    {line}") for line in shown)


def _feature_line(verdict: FeatureVerdict) -> tuple[str, str]:
    missing = [*verdict.not_evaluated, *filter(None, [verdict.reason])]
    texts = [f"{state}: {', '.join(items)}" for state, items in (("fail", verdict.failed), ("not evaluated", missing))
             if items]
    return verdict.state, f"{verdict.feature} {verdict.version}: {'; '.join(texts) or 'pass'}"


def _failed_lines(report: Report) -> Iterator[tuple[str, str]]:
    for item in report.published:
        if item.state == "fail":
            yield item.state, f"{item.code} {item.name}: fail: {', '.join(item.ours)}"


def _other_lines(report: Report) -> Iterator[tuple[str, str]]:
    """Codes that were not evaluated by their reason, and those that passed outside of the features above."""
    reasons: dict[str, list[str]] = {}
    for item in report.published:
        if item.state == "not evaluated":
            reasons.setdefault(item.reason, []).append(item.code)
    yield from (("not evaluated", f"{', '.join(codes)}: not evaluated: {reason}") for reason, codes in reasons.items())
    within = {code for verdict in report.features for code in codes_of(FEATURES[verdict.feature])}
    passed = [item.code for item in report.published if item.state == "pass" and item.code not in within]
    if passed:
        yield "pass", f"{', '.join(passed)}: pass"
