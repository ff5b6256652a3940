"""Numbers of mimic joints, DJ.007."""

from __future__ import annotations

import math
from collections.abc import Iterator

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding, judged
from physx_schema.checking.engine.rule import ReaderRule, Rule, finder
from physx_schema.checking.rules.mimic import SCRIPT, SOUND, property_name
from physx_schema.definitions import default_number
from physx_schema.description import Description, MimicDeclaration
from physx_schema.description.units import STEPS_PER_SECOND

_UNAUTHORED = default_number("PhysxMimicJointAPI", "gearing")
_WAY = "opposite to" if _UNAUTHORED > 0.0 else "with"
_NEARLY_HARD = 10.0         # rad a step; from there the follower lags by less than 1% of what a soft one does
_NAN = "the whole articulation becomes NaN, without a message"
_HARD = "PhysX makes the mimic joint a hard constraint"

GEARING = Rule("DJ.007/gearing", "error", f"""
    Gearing that is missing, zero or no number

    gearing must be a finite number other than 0. Positive gearing turns the joint opposite to its reference: q =
    -gearing * q_reference - offset. NaN or infinity makes the articulation NaN. Left out it counts as 1.

    Measured: Gearing 1 brings the follower to -19.99 degrees, -2 to 39.99. Gearing 0 is refused with an error; with NaN
    or infinity both joints become NaN, and the log has nothing but invalid transforms. {SCRIPT}
    """,
    example=usda.follower({"gearing": "0"}),
    remedy=SOUND,
)


def _gearing(item: MimicDeclaration) -> Iterator[Finding]:
    value, name = item.value("gearing"), property_name(item, "gearing")
    if "gearing" not in item.authored:
        yield GEARING.at(
            item.path, name, "gearing is not authored", fix="author gearing", severity="warning",
            why=f"PhysX works with {_UNAUTHORED:g}, which turns the joint {_WAY} its reference",
        )
    elif not isinstance(value, int | float):
        found = f"{value!r} is not a number"
        yield GEARING.at(item.path, name, found, why="PhysX cannot read it", fix="author a float other than 0")
    elif not math.isfinite(value):
        fix = "author a finite number other than 0"
        yield GEARING.at(item.path, name, f"{value:g} is not finite", why=_NAN, fix=fix)
    elif value == 0:
        yield GEARING.at(
            item.path, name, "gearing is 0", why="PhysX refuses the mimic joint", fix="author a number other than 0")


OFFSET = Rule("DJ.007/offset", "error", f"""
    Offset that is no number

    offset must be finite; in degrees on a revolute joint, in length units on a prismatic one.

    Measured: Offset 10 with gearing -1 leaves the follower at 9.99 degrees; offset NaN makes both joints NaN. {SCRIPT}
    """,
    why=_NAN,
    fix="author a finite number",
    example=usda.follower({"offset": "nan"}),
    remedy=usda.follower({"offset": "0"}),
)


def _offset(item: MimicDeclaration) -> Iterator[Finding]:
    value = item.value("offset")
    if not isinstance(value, int | float) or not math.isfinite(value):
        yield OFFSET.at(item.path, property_name(item, "offset"), f"{value!r} is not a finite number")


NATURAL_FREQUENCY = Rule("DJ.007/naturalFrequency", "error", f"""
    Natural frequency that makes a hard constraint

    At most 0, or not authored, naturalFrequency makes a hard constraint; profile physx takes note of it. The published
    rule wants it authored and above 0. From 10 rad in a time step on it is all but hard, an info.

    Measured: With 0 and -5 the follower is never more than 0.0002 degrees behind, with 1 it falls back by 1.42, with 10
    by 1.28, with 100 by 0.54, with 1200 by 0.006. {SCRIPT}
    """,
    why="PhysX has no use for it",
    fix="author a finite number",
    example=usda.follower({"naturalFrequency": "0"}),
    remedy=SOUND,
)


def _natural_frequency(item: MimicDeclaration) -> Iterator[Finding]:
    base = "naturalFrequency"
    value, name = item.value(base), property_name(item, base)
    if not isinstance(value, int | float) or not math.isfinite(value):
        yield NATURAL_FREQUENCY.at(item.path, name, f"{value!r} is not a finite number")
    elif base not in item.authored or value <= 0:
        found = f"{value:g}" if base in item.authored else "not authored"
        finding = NATURAL_FREQUENCY.at(
            item.path, name, f"naturalFrequency is {found}", why=_HARD,
            fix="author a frequency above 0; for a hard one leave dampingRatio at 0",
        )
        yield from judged(finding, "info", "error")
    elif value / STEPS_PER_SECOND > _NEARLY_HARD:
        turn = f"{value / STEPS_PER_SECOND:.0f} rad in a step of 1/{STEPS_PER_SECOND:g} s"
        yield NATURAL_FREQUENCY.at(
            item.path, name, f"naturalFrequency {value:g} is {turn}", why="the mimic joint is all but hard",
            fix="author about 60, 1 rad in a step, or less for a compliant one", severity="info",
        )


DAMPING_RATIO = Rule("DJ.007/dampingRatio", "error", f"""
    Damping ratio that makes a hard constraint or oscillates

    At most 0, or not authored, dampingRatio makes a hard constraint. Below 1 a compliant mimic joint may oscillate;
    PhysX's documentation advises against it.

    Measured: With naturalFrequency 10 the follower falls back by 1.28 degrees at dampingRatio 1, by 1.40 at 0.1, and by
    no more than 0.0002 at 0 or none. {SCRIPT}
    """,
    why="PhysX has no use for it",
    fix="author a finite number",
    example=usda.follower({"dampingRatio": None}),
    remedy=SOUND,
)


def _damping_ratio(item: MimicDeclaration) -> Iterator[Finding]:
    base = "dampingRatio"
    value, name = item.value(base), property_name(item, base)
    if not isinstance(value, int | float) or not math.isfinite(value):
        yield DAMPING_RATIO.at(item.path, name, f"{value!r} is not a finite number")
    elif base not in item.authored or value < 0:
        found = f"{value:g}" if base in item.authored else "not authored"
        fix = "author at least 0; 0 for a hard one"
        finding = DAMPING_RATIO.at(item.path, name, f"dampingRatio is {found}", why=_HARD, fix=fix)
        yield from judged(finding, "info", "error")
    elif value == 0:
        fix = "author more than 0 for a compliant one"
        yield DAMPING_RATIO.at(item.path, name, "dampingRatio is 0", why=_HARD, fix=fix, severity="info")
    elif value < 1:
        yield DAMPING_RATIO.at(
            item.path, name, f"dampingRatio {value:g} is below 1", why="the mimic joint may oscillate",
            fix="author 1 or more", severity="warning",
        )


MIMIC_TIME_SAMPLES = ReaderRule("DJ.007/time-samples", "warning", """
    Mimic joint whose numbers change or come from elsewhere

    PhysX reads gearing, offset and limits once, at the default time, and follows no connection. Time samples and
    connections do nothing.

    Measured: Gearing -1 with time samples of -2, or connected to -2, follows as -1. With samples or a connection alone
    PhysX works with 1: the follower goes to -19.99. A limit of time samples alone is none, and the mimic joint is
    refused. (`benchmarks/measure_mimics.py`)
    """,
    example=usda.follower({"float physxMimicJoint:rotX:gearing.timeSamples": "{ 0: -1, 10: -2 }"}),
    remedy=SOUND,
)


@finder("mimic-values", GEARING, OFFSET, NATURAL_FREQUENCY, DAMPING_RATIO)
def values(description: Description) -> Iterator[Finding]:
    """The numbers of each declaration."""
    for item in description.mimic_declarations:
        if item.refusal_code != "host":
            yield from _gearing(item)
            yield from _offset(item)
            yield from _natural_frequency(item)
            yield from _damping_ratio(item)
