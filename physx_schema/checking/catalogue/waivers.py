"""Waivers: decisions to live with a finding."""

from __future__ import annotations

from physx_schema.checking.finding import PROFILES as EVERYONE
from physx_schema.checking.rule import Code

CODES = (
    Code(
        "waiver/no-reason", "error", "Waiver without a reason",
        "A waiver takes findings out of a report, so it has to say why. One without a reason waives nothing.",
        profiles=EVERYONE,
    ),
    Code(
        "waiver/unused", "warning", "Waiver that matches nothing",
        "Nothing was found that the waiver would take out: the fault is gone, or the waiver stands on another prim. "
        "Left in place it would hide the next one.",
        profiles=EVERYONE,
    ),
    Code(
        "waiver/unknown-code", "error", "Waiver of a code that does not exist",
        "A waiver names a code such as DJ.007/chain, or a family such as DJ.007.",
        profiles=EVERYONE,
    ),
    Code(
        "waiver/malformed", "error", "Waiver that cannot be read",
        "physxSchema:waive in a prim's customData is a dictionary: codes, with a reason each.",
        profiles=EVERYONE,
    ),
)
