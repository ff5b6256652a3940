"""Baselines: files of findings that were there before."""

from __future__ import annotations

from physx_schema.checking.finding import PROFILES as EVERYONE
from physx_schema.checking.rule import Code

CODES = (
    Code(
        "baseline/stale", "info", "Known finding that is gone",
        "The baseline lists a finding that the stage no longer has. Write the baseline anew, so that the finding "
        "counts as new should it come back.",
        profiles=EVERYONE,
    ),
)
