"""What changes the motion most of all that a verification found, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from physx_runtime.verification.report import ALTERED, IGNORED, Row, Verification, deviation, number
from physx_schema.checking.engine.finding import location
from physx_schema.text import plural

# What a value that is ignored leaves undone, by how its name begins; the gravest first.
_IGNORED: Sequence[tuple[tuple[str, ...], str]] = (
    (("physics:gravity", "physxScene:"), "gravity differs from the authored value"),
    (("drive:", "physxDrivePerformanceEnvelope:"), "drives do nothing"),
    (("physxTendon:", "physxMimicJoint:", "newton:mimic"), "couplings do not act"),
    (("limit:", "physics:lowerLimit", "physics:upperLimit", "physics:coneAngle"), "limits do not hold"),
    (("",), "values have no effect"),
)


def headline(verification: Verification) -> str:
    """The gravest effect with its place, "" where every number has its effect."""
    parts = (ignored_headline(verification), altered_headline(verification))
    return "; ".join(part for part in parts if part)


def ignored_headline(verification: Verification) -> str:
    """What values that are ignored leave undone, the gravest first; "" where none is ignored."""
    text, rows = gravest_ignored(verification)
    if not rows:
        return ""
    prims = list(dict.fromkeys(row.path for row in rows))
    place = location(prims[0], rows[0].property)
    return f"{text}: {place}" + (f" and on {plural(len(prims) - 1, 'more prim')}" if len(prims) > 1 else "")


def gravest_ignored(verification: Verification) -> tuple[str, list[Row]]:
    """The gravest effect of ignored values, and the rows with it; "" and none where no value is ignored."""
    rows = [row for row in verification.rows if row.verdict == IGNORED]
    for starts, text in _IGNORED:
        fitting = [row for row in rows if row.property.startswith(starts)]
        if fitting:
            return text, fitting
    return "", []


def altered_headline(verification: Verification) -> str:
    """The number whose effect is farthest from the intended one; "" where none is altered."""
    row = largest_alteration(verification)
    if row is None:
        return ""
    return (f"{location(row.path, row.property)} is effectively {number(row.effective)} instead of "
            f"{number(row.intended_effect)}")


def largest_alteration(verification: Verification) -> Row | None:
    """The row whose effect is farthest from the intended one; None where none is altered."""
    rows = [row for row in verification.rows if row.verdict == ALTERED and row.effective is not None]
    return max(rows, key=_change, default=None)


def _change(row: Row) -> float:
    """How far the effect of a number is from the intended one, up to all of it."""
    change = deviation(row.intended_effect, row.effective) if row.effective is not None else 0.0
    return 0.0 if math.isnan(change) else change
