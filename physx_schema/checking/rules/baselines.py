"""Baselines: files of findings that were there before."""

from __future__ import annotations

from collections.abc import Iterator

from physx_schema.checking.engine.baseline import Baseline
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.profile import PROFILES
from physx_schema.checking.engine.rule import Rule

STALE = Rule("baseline/stale", "info", """
    Known finding that is gone

    The baseline lists a finding that the stage no longer has. Write the baseline anew, so that the finding counts as
    new should it come back.
    """,
    why="a finding that comes back would be taken for a known one",
    fix="write the baseline anew",
    profiles=PROFILES,
)


def stale(baseline: Baseline) -> Iterator[Finding]:
    """The entries of a baseline whose findings are gone."""
    for entry in baseline.stale():
        yield STALE.at(entry.path, entry.property, f"{entry.file} no longer has this {entry.code}")
