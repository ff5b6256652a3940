"""Numbers of mimic joints, DJ.007.

Limits of mimic joints: PhysX needs them on revolute joints, and wrong ones cut off part of the motion in silence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding, Repair, SetValue, per_profile, safe
from physx_schema.checking.engine.rule import ReaderRule, Rule, finder
from physx_schema.checking.rules.mimic import SCRIPT, VALID, property_name
from physx_schema.definitions import default_number
from physx_schema.description import Description, Dof, MimicDeclaration, unlimited
from physx_schema.description.model.joint import SINGLE_AXIS_KINDS
from physx_schema.description.units import STEPS_PER_SECOND

_UNAUTHORED = default_number("PhysxMimicJointAPI", "gearing")
_DIRECTION = "opposite to" if _UNAUTHORED > 0.0 else "with"
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
    remedy=VALID,
)


def _gearing(item: MimicDeclaration) -> Iterator[Finding]:
    value, name = item.value("gearing"), property_name(item, "gearing")
    if "gearing" not in item.authored:
        yield GEARING.at(
            item.path, name, "gearing is not authored", fix="author gearing", severity="warning",
            why=f"PhysX works with {_UNAUTHORED:g}, which turns the joint {_DIRECTION} its reference",
        )
    elif not isinstance(value, int | float):
        message = f"{value!r} is not a number"
        yield GEARING.at(item.path, name, message, why="PhysX cannot read it", fix="author a float other than 0")
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
    remedy=VALID,
)


def _natural_frequency(item: MimicDeclaration) -> Iterator[Finding]:
    base = "naturalFrequency"
    value, name = item.value(base), property_name(item, base)
    if not isinstance(value, int | float) or not math.isfinite(value):
        yield NATURAL_FREQUENCY.at(item.path, name, f"{value!r} is not a finite number")
    elif base not in item.authored or value <= 0:
        text = f"{value:g}" if base in item.authored else "not authored"
        finding = NATURAL_FREQUENCY.at(
            item.path, name, f"naturalFrequency is {text}", why=_HARD,
            fix="author a frequency above 0; for a hard one leave dampingRatio at 0",
        )
        yield from per_profile(finding, "info", "error")
    elif value / STEPS_PER_SECOND > _NEARLY_HARD:
        step_angle = f"{value / STEPS_PER_SECOND:.0f} rad in a step of 1/{STEPS_PER_SECOND:g} s"
        yield NATURAL_FREQUENCY.at(
            item.path, name, f"naturalFrequency {value:g} is {step_angle}", why="the mimic joint is all but hard",
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
    remedy=VALID,
)


def _damping_ratio(item: MimicDeclaration) -> Iterator[Finding]:
    base = "dampingRatio"
    value, name = item.value(base), property_name(item, base)
    if not isinstance(value, int | float) or not math.isfinite(value):
        yield DAMPING_RATIO.at(item.path, name, f"{value!r} is not a finite number")
    elif base not in item.authored or value < 0:
        text = f"{value:g}" if base in item.authored else "not authored"
        fix = "author at least 0; 0 for a hard one"
        finding = DAMPING_RATIO.at(item.path, name, f"dampingRatio is {text}", why=_HARD, fix=fix)
        yield from per_profile(finding, "info", "error")
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
    refused. (`experiments/measure_mimics.py`)
    """,
    example=usda.follower({"float physxMimicJoint:rotX:gearing.timeSamples": "{ 0: -1, 10: -2 }"}),
    remedy=VALID,
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


TOLERANCE = 1e-4        # relative to the ends of the image, at least of 1: degrees or lengths are float32
Interval = tuple[float, float]

FINITE_LIMITS = Rule("DJ.007/limits", "error", f"""
    Mimic joint without finite limits on both joints

    PhysX makes a mimic joint of a revolute joint only if both bounds of both joints are finite. Prismatic joints work
    without; the published rule wants limits on them too.

    Measured: Without limits on either hinge, or with one bound infinite, the follower stays at 0 and PhysX logs a
    missing finite limit. Sliders without limits follow to 0.200. Limits [30, -30] of the follower freeze the reference
    at 3.64 degrees, without a message about the mimic joint. {SCRIPT}
    """,
    fix="author finite physics:lowerLimit and physics:upperLimit, lower < upper",
    example=usda.follower({"float physics:lowerLimit": None, "float physics:upperLimit": None}),
    remedy=VALID,
)


def _limits(item: MimicDeclaration) -> Iterator[Finding]:
    """Both joints need two finite limits, the lower below the upper."""
    joints = [(item.path, "the joint", item.joint_kind, item.limits)]
    if len(item.references) == 1 and item.reference_kind is not None and item.references[0] != item.path:
        joints.append((item.references[0], "the reference joint", item.reference_kind, item.reference_limits))
    for path, role, kind, bounds in joints:
        fault = limits_fault(bounds)
        if kind not in SINGLE_AXIS_KINDS or not fault:
            continue
        name = "upperLimit" if unlimited(bounds[1]) and not unlimited(bounds[0]) else "lowerLimit"
        why = ("PhysX refuses the mimic joint" if kind == "revolute" and "no limit" in fault
               else "PhysX accepts the mimic joint, the published rule does not" if "no limit" in fault
               else "PhysX holds the joint at one position, and the mimic holds the other with it")
        subject = role if path == item.path else f"{role} of {item.path}"
        finding = FINITE_LIMITS.at(path, f"physics:{name}", f"{subject} has {fault}", why=why)
        yield from per_profile(finding, "warning" if kind == "prismatic" and "no limit" in fault else "error", "error")


def limits_fault(bounds: Interval) -> str:
    """What is wrong with the limits of a joint that a mimic joint couples; empty where nothing is."""
    lower, upper = bounds
    if math.isnan(lower) or math.isnan(upper):
        return f"limits that are not numbers, [{lower:g}, {upper:g}]"
    if unlimited(lower) or unlimited(upper):
        name = "lower and upper" if unlimited(lower) and unlimited(upper) else "lower" if unlimited(lower) else "upper"
        return f"no limit on its {name} side"
    return "" if lower < upper else f"limits [{lower:g}, {upper:g}] without room between them"


LIMITS_CLIP = Rule("DJ.007/limits-clip", "error", f"""
    Limits that stop the reference joint early

    Part of the reference joint's range asks the follower to leave its own limits. The coupling is two-way, so the
    follower's limit stops the reference joint, without a message. With reference limits [r0, r1] the follower needs
    every position between -gearing r0 - offset and -gearing r1 - offset.

    Measured: Limits [0, 10] of the follower stop the reference at 11.80 of 20 degrees; [-45, 0] stop it at 3.60; [30,
    60] pull it past its target to 28.20. No log has a word. {SCRIPT}
    """,
    example=usda.follower({"float physics:lowerLimit": "0", "float physics:upperLimit": "10"}),
    remedy=VALID,
)

LIMITS_DISJOINT = Rule("DJ.007/limits-disjoint", "error", """
    Limits that no position satisfies

    No position of the reference joint within its limits lets the follower stay in its own.

    Measured: A follower of [50, 60] whose reference has limits of 45 ends at 50 and drags its reference to 44.59 where
    20 was asked for; one of [70, 80] drags a reference of 60 to its limit. (`experiments/measure_mimics.py`)
    """,
    why="no position satisfies both: the two joints fight their limits",
    example=usda.follower({"float physics:lowerLimit": "50", "float physics:upperLimit": "60"}),
    remedy=VALID,
)


def clip_findings(path: str, limits: Interval, reference: Interval, gearing: float, offset: float) -> Iterator[Finding]:
    """Whether a follower's limits hold what those of its reference ask for; nothing where either has a fault."""
    if limits_fault(limits) or limits_fault(reference):
        return
    (lower, upper), image = limits, _image(reference, gearing, offset)
    tolerance = TOLERANCE * max(1.0, abs(image[0]), abs(image[1]))
    if lower - tolerance <= image[0] and image[1] <= upper + tolerance:
        return
    clipped = _preimage(limits, reference, gearing, offset)
    rule, why = LIMITS_CLIP, (
        f"the limit stops the reference joint too, without a message: it reaches only [{clipped[0]:g}, {clipped[1]:g}] "
        f"of [{reference[0]:g}, {reference[1]:g}]")
    if image[1] < lower - tolerance or upper + tolerance < image[0]:
        rule, why = LIMITS_DISJOINT, LIMITS_DISJOINT.why
    yield rule.at(
        path, "physics:lowerLimit", f"the reference's limits ask for [{image[0]:g}, {image[1]:g}], the joint's own "
        f"limits are [{lower:g}, {upper:g}]", why=why,
        fix=f"widen the joint's limits to hold [{image[0]:g}, {image[1]:g}], or narrow the reference's",
        repair=_widen_repair(path, limits, image),
    )


def _widen_repair(path: str, limits: tuple[float, float], image: tuple[float, float]) -> Repair:
    """The follower's limits around every position that the reference's limits ask for."""
    lower, upper = min(limits[0], image[0]), max(limits[1], image[1])
    edits = [SetValue(path, f"physics:{name}", value, "float") for name, value, old in (
        ("lowerLimit", lower, limits[0]), ("upperLimit", upper, limits[1])) if value != old]
    return safe(*edits)


def _image(bounds: Interval, gearing: float, offset: float) -> Interval:
    """Where the reference's limits put the follower."""
    ends = [-gearing * bound - offset + 0.0 for bound in bounds]
    return min(ends), max(ends)


def _preimage(limits: Interval, reference: Interval, gearing: float, offset: float) -> Interval:
    """The part of the reference's range that the follower's limits leave."""
    ends = sorted(-(bound + offset) / gearing for bound in limits)
    lower, upper = (min(max(end, reference[0]), reference[1]) for end in ends)
    return lower + 0.0, upper + 0.0


def _range_of_motion(item: MimicDeclaration) -> Iterator[Finding]:
    """The follower's limits must hold every position that the reference's limits ask for."""
    gearing, offset = item.value("gearing"), item.value("offset")
    if not isinstance(gearing, int | float) or not isinstance(offset, int | float):
        return
    if not (math.isfinite(gearing) and math.isfinite(offset)) or gearing == 0.0:
        return
    if item.reference_kind is not None:
        yield from clip_findings(item.path, item.limits, item.reference_limits, gearing, offset)


@finder("mimic-limits", FINITE_LIMITS, LIMITS_CLIP, LIMITS_DISJOINT)
def limits(description: Description) -> Iterator[Finding]:
    """The limits of both joints of each declaration."""
    for item in description.mimic_declarations:
        if item.refusal_code != "host":
            yield from _limits(item)
            yield from _range_of_motion(item)


@finder("mimic-newton", LIMITS_CLIP, LIMITS_DISJOINT)
def newton_ranges(description: Description) -> Iterator[Finding]:
    """The same of Newton's mimic joints, of which PhysX makes its own."""
    for articulation in description.articulations:
        for mimic in (item for item in articulation.mimics if not item.instance):
            follower, reference = articulation.dofs[mimic.follower], articulation.dofs[mimic.reference]
            unit, per = _unit(follower), _unit(reference)
            yield from clip_findings(
                mimic.path, (follower.lower * unit, follower.upper * unit),
                (reference.lower * per, reference.upper * per), mimic.gearing * unit / per, mimic.offset * unit)


def _unit(dof: Dof) -> float:
    """What a coordinate is multiplied with for the unit it is authored in."""
    return math.degrees(1.0) if dof.angular else 1.0
