"""Baselines: files of known findings, which a check leaves out of its report."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.outcome import Report
from physx_schema.errors import UnsupportedError
from physx_schema.files import read_text, write_text

BASELINE_VERSION = 1
_FIELDS = ("file", "code", "path", "property")


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One known finding, without its message: numbers in it may change."""

    file: str                   # relative to the baseline's folder, with /
    code: str
    path: str
    property: str


class Baseline:
    """The known findings of a baseline file. Raises UnsupportedError if the file is not a baseline."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._remaining = Counter(_read(path))
        self._checked: set[tuple[str, str]] = set()     # stage and code

    def without_known(self, stage: str, report: Report) -> Report:
        """The report of a stage, with its known findings moved to `known`."""
        file = relative_path(stage, self.path)
        self._checked |= {(file, verdict.code) for verdict in report.verdicts if verdict.state != "not evaluated"}
        new: list[Finding] = []
        known: list[Finding] = []
        for finding in report.findings:
            entry = _entry(file, finding)
            if self._remaining[entry] > 0:
                self._remaining[entry] -= 1
                known.append(finding)
            else:
                new.append(finding)
        return replace(report, findings=tuple(new), known=(*report.known, *known))

    def stale(self) -> list[Entry]:
        """Entries without a finding, for checked stages and codes."""
        return sorted(entry for entry in self._remaining.elements() if (entry.file, entry.code) in self._checked)


def write_baseline(path: Path, reports: Mapping[str, Report]) -> int:
    """Write the findings of reports, by stage, as a baseline; return their number.

    Raises UnsupportedError if the file cannot be written.
    """
    entries = sorted(_entry(relative_path(stage, path), finding)
                     for stage, report in reports.items() for finding in (*report.findings, *report.known))
    content = {"version": BASELINE_VERSION,
               "findings": [{name: getattr(entry, name) for name in _FIELDS} for entry in entries]}
    write_text(path, json.dumps(content, indent=1) + "\n")
    return len(entries)


def relative_path(stage: str, baseline: Path) -> str:
    """A stage's file relative to the baseline's folder."""
    return Path(os.path.relpath(stage, baseline.resolve().parent)).as_posix()


def _entry(file: str, finding: Finding) -> Entry:
    return Entry(file, finding.code, finding.path, finding.property)


def _read(path: Path) -> list[Entry]:
    try:
        content = json.loads(read_text(path))
        version = content["version"]
        if version != BASELINE_VERSION:
            raise UnsupportedError(f"{path}: the baseline has version {version!r} instead of {BASELINE_VERSION}; "
                                   f"write it again with --write-baseline {path}")
        return list(_entries(content["findings"]))
    except FileNotFoundError:
        raise UnsupportedError(f"{path}: the file does not exist; create it with --write-baseline {path}") from None
    except (ValueError, LookupError, TypeError, RecursionError):
        raise UnsupportedError(f"{path}: the file is not a baseline; create one with --write-baseline {path}") from None


def _entries(records: Iterable[Mapping[str, Any]]) -> Iterator[Entry]:
    for item in records:
        yield Entry(*(str(item[name]) for name in _FIELDS))
