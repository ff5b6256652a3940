"""Waivers: decisions to live with a finding."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from difflib import get_close_matches

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.profile import PROFILES
from physx_schema.checking.engine.rule import Rule, belongs
from physx_schema.checking.engine.waiver import KEY, Waiver


def _waived(value: str, kind: str = "dictionary") -> str:
    """Limits that look like radians, with a waiver."""
    radians = {"float physics:lowerLimit": "-1.5708", "float physics:upperLimit": "1.5708"}
    return usda.joint("j2", radians, metadata=f"customData = {{\n    dictionary physxSchema = {{\n"
                      f"        {kind} waive = {value}\n    }}\n}}")


_SOUND = _waived('{ string "unit/radians" = "small angles are meant" }')

NO_REASON = Rule("waiver/no-reason", "error", """
    Waiver without a reason

    A waiver takes findings out of a report, so it has to say why. One without a reason waives nothing.
    """,
    why="it waives nothing",
    fix="say why the finding is acceptable here",
    profiles=PROFILES,
    example=_waived('{ string "unit/radians" = "" }'),
    remedy=_SOUND,
)

UNUSED = Rule("waiver/unused", "warning", """
    Waiver that matches nothing

    Nothing was found that the waiver would take out: the fault is gone, or the waiver stands on another prim. Left in
    place it would hide the next one.
    """,
    why="it would hide such a finding if one came up",
    fix="remove the waiver",
    profiles=PROFILES,
    example=_waived('{ string "unit/gravity" = "a small moon" }'),
    remedy=_SOUND,
)

UNKNOWN_CODE = Rule("waiver/unknown-code", "error", """
    Waiver of a code that does not exist

    A waiver names a code such as DJ.007/chain, or a family such as DJ.007.
    """,
    why="it waives nothing",
    profiles=PROFILES,
    example=_waived('{ string "unit/radian" = "small angles are meant" }'),
    remedy=_SOUND,
)

MALFORMED = Rule("waiver/malformed", "error", """
    Waiver that cannot be read

    physxSchema:waive in a prim's customData is a dictionary: codes, with a reason each.
    """,
    why="it waives nothing",
    fix='author a dictionary of codes with a reason each: { string "DJ.007/chain" = "why" }',
    profiles=PROFILES,
    example=_waived('"unit/radians"', "string"),
    remedy=_SOUND,
)


def faults(
    waivers: Iterable[Waiver], used: Collection[Waiver], asked: Collection[str], known: Collection[str],
) -> Iterator[Finding]:
    """Waivers without a reason, for a code that is not `known`, or for one of `asked` that nothing was found of."""
    for waiver in waivers:
        yield from _fault(waiver, waiver in used, asked, known)


def _fault(waiver: Waiver, used: bool, asked: Collection[str], known: Collection[str]) -> Iterator[Finding]:
    home, where = waiver.home, f"{waiver.source}: the waiver of {waiver.code}"
    if not waiver.code:
        yield MALFORMED.at(home, "customData", f"{waiver.source}: {KEY} is no dictionary")
    elif not any(belongs(code, waiver.code) for code in known):
        close = get_close_matches(waiver.code, known, 1)
        hint = f"did you mean {close[0]!r}?" if close else "`physx-schema check --list-rules` lists the codes"
        yield UNKNOWN_CODE.at(home, "customData", f"{where}: there is no such code", fix=hint)
    elif not waiver.reason:
        yield NO_REASON.at(home, "customData", f"{where} gives no reason")
    elif not used and any(belongs(code, waiver.code) for code in asked):
        yield UNUSED.at(home, "customData", f"{where} matches no finding")
