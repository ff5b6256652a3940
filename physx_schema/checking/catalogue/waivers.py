"""Waivers: decisions to live with a finding."""

from __future__ import annotations

from physx_schema.checking.catalogue.snippets import joint
from physx_schema.checking.finding import PROFILES as EVERYONE
from physx_schema.checking.rule import Code


def _waived(value: str, kind: str = "dictionary") -> str:
    """Limits that look like radians, with a waiver."""
    radians = {"float physics:lowerLimit": "-1.5708", "float physics:upperLimit": "1.5708"}
    return joint("j2", radians, metadata=f"customData = {{\n    dictionary physxSchema = {{\n"
                 f"        {kind} waive = {value}\n    }}\n}}")


_SOUND = _waived('{ string "unit/radians" = "small angles are meant" }')

CODES = (
    Code(
        "waiver/no-reason", "error", "Waiver without a reason",
        "A waiver takes findings out of a report, so it has to say why. One without a reason waives nothing.",
        profiles=EVERYONE,
        example=_waived('{ string "unit/radians" = "" }'),
        remedy=_SOUND,
    ),
    Code(
        "waiver/unused", "warning", "Waiver that matches nothing",
        "Nothing was found that the waiver would take out: the fault is gone, or the waiver stands on another prim. "
        "Left in place it would hide the next one.",
        profiles=EVERYONE,
        example=_waived('{ string "unit/gravity" = "a small moon" }'),
        remedy=_SOUND,
    ),
    Code(
        "waiver/unknown-code", "error", "Waiver of a code that does not exist",
        "A waiver names a code such as DJ.007/chain, or a family such as DJ.007.",
        profiles=EVERYONE,
        example=_waived('{ string "unit/radian" = "small angles are meant" }'),
        remedy=_SOUND,
    ),
    Code(
        "waiver/malformed", "error", "Waiver that cannot be read",
        "physxSchema:waive in a prim's customData is a dictionary: codes, with a reason each.",
        profiles=EVERYONE,
        example=_waived('"unit/radians"', "string"),
        remedy=_SOUND,
    ),
)
