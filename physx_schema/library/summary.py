"""A summary of a dataset of results, as lines and as an HTML page: what to repair first in a library of assets."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

from physx_schema.files import write_text
from physx_schema.library.columns import ASSET, DONE, FINDING, VALUE
from physx_schema.library.dataset import Dataset
from physx_schema.outputs import PAGE_MARK
from physx_schema.text import html_table, plural

SHOWN = 10              # lines of each list
PAGE = "_summary.html"        # readers of datasets leave out files with an underscore
ALTERED = ("altered", "ignored")
_STYLE = ("body{font:15px system-ui;margin:2em auto;max-width:70em}table{border-collapse:collapse;margin:2em 0}"
          "caption{text-align:left;font-weight:600}"
          "td,th{text-align:left;padding:.2em 1.5em .2em 0;border-bottom:1px solid #ddd}")
_Result = tuple[str, str, str]      # asset, command, run


@dataclass(slots=True)
class Summary:
    """The newest results of every asset and command."""

    outcomes: Counter[str] = field(default_factory=Counter)
    lost: dict[_Result, str] = field(default_factory=dict)          # why an asset has no result
    severities: dict[_Result, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    codes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))            # assets with a code
    altered: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))          # assets with a property
    changes: list[str] = field(default_factory=list)


def summarise(dataset: Dataset) -> Summary:
    """The summary of a dataset, read file by file."""
    newest, before = _newest(dataset)
    summary, counts = Summary(), defaultdict[_Result, Counter[str]](Counter)
    for result, row in newest.items():
        summary.outcomes[row["outcome"]] += 1
        if row["outcome"] != DONE:
            summary.lost[result] = row["message"] or row["outcome"]
    for row in dataset.rows(("asset", "command", "run", "code", "severity"), kind=FINDING):
        result = row["asset"], row["command"], row["run"]
        counts[result][row["severity"]] += 1
        if result in newest:
            summary.severities[result][row["severity"]] += 1
            summary.codes[row["code"]].add(row["asset"])
    for row in dataset.rows(("asset", "command", "run", "property", "verdict"), kind=VALUE):
        result = row["asset"], row["command"], row["run"]
        if row["verdict"] in ALTERED:
            counts[result]["altered"] += 1
            if result in newest:
                summary.altered[row["property"]].add(row["asset"])
    summary.changes = list(_changes(newest, before, counts))
    return summary


def _newest(dataset: Dataset) -> tuple[dict[_Result, dict[str, Any]], dict[_Result, dict[str, Any]]]:
    """The newest asset row of each asset and command, and by the same key the one before it."""
    rows: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in dataset.rows(("asset", "command", "run", "outcome", "message", "started"), kind=ASSET):
        newest_two = rows[row["asset"], row["command"]]
        newest_two.append(row)
        newest_two.sort(key=lambda item: item["started"], reverse=True)
        del newest_two[2:]
    results = {(asset, command, two[0]["run"]): two for (asset, command), two in sorted(rows.items())}
    return ({result: two[0] for result, two in results.items()},
            {result: two[1] for result, two in results.items() if len(two) > 1})


def _changes(newest: dict[_Result, dict[str, Any]], before: dict[_Result, dict[str, Any]],
             counts: dict[_Result, Counter[str]]) -> Iterator[str]:
    """A line for each asset whose result differs from its result before."""
    for (asset, command, run), row in before.items():
        now, then = counts[asset, command, run], counts[asset, command, row["run"]]
        outcome = newest[asset, command, run]["outcome"]
        parts = [f"{name} {then[name]} -> {now[name]}" for name in ("error", "warning", "info", "altered")
                 if now[name] != then[name]]
        parts += [f"{row['outcome']} -> {outcome}"] * (outcome != row["outcome"])
        if parts:
            yield f"{asset}: {command}: {', '.join(parts)}"


def _tables(summary: Summary) -> Iterator[tuple[str, tuple[str, ...], list[tuple[str, ...]]]]:
    """The caption, headings and rows of each table of a summary, the first rows first."""
    worst = sorted(summary.severities.items(), key=lambda item: (-item[1]["error"], -item[1]["warning"], item[0]))
    yield "Assets with the most errors", ("asset", "errors", "warnings"), [
        (asset, str(count["error"]), str(count["warning"])) for (asset, _, _), count in worst
        if count["error"] or count["warning"]]
    for caption, heading, assets in (("Commonest findings", "code", summary.codes),
                                     ("Values most often altered", "property", summary.altered)):
        common = sorted(assets.items(), key=lambda item: (-len(item[1]), item[0]))
        yield caption, (heading, "assets"), [(name, str(len(names))) for name, names in common]
    yield "Assets without a result", ("asset", "command", "reason"), [
        (asset, command, reason) for (asset, command, _), reason in sorted(summary.lost.items())]
    yield "Changes since the run before", ("asset",), [(line,) for line in summary.changes]


def summary_lines(summary: Summary) -> Iterator[str]:
    """A summary as text."""
    outcomes = ", ".join(f"{count} {outcome}" for outcome, count in sorted(summary.outcomes.items()))
    yield f"{plural(summary.outcomes.total(), 'result')}: {outcomes or 'none'}"
    for caption, _, rows in _tables(summary):
        yield from _lines(caption, rows)


def _lines(caption: str, rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    if rows:
        yield f"{caption}:"
        yield from (f"  {'  '.join(row)}" for row in rows[:SHOWN])
    if len(rows) > SHOWN:
        yield f"  and {len(rows) - SHOWN} more"


def summary_page(summary: Summary) -> str:
    """A summary as a self-contained HTML page."""
    first, *_ = summary_lines(summary)
    tables = "".join(html_table(caption, headings, rows) for caption, headings, rows in _tables(summary) if rows)
    return (f"<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">{PAGE_MARK}<title>Asset library</title>"
            f"<style>{_STYLE}</style></head><body><h1>Asset library</h1><p>{escape(first)}</p>{tables}</body></html>\n")


def write_summary(dataset: Dataset) -> Iterator[str]:
    """Write the page of a dataset into its folder; return the summary as lines."""
    summary = summarise(dataset)
    write_text(dataset.folder / PAGE, summary_page(summary))
    yield from summary_lines(summary)
