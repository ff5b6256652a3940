"""Numbers of mimic joints, DJ.007.

Limits of mimic joints: PhysX needs them on revolute joints, and wrong ones block part of the motion, without a
message.
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
    Gearing missing, zero or not finite

    The mimic equation is q = -gearing * q_reference - offset. PhysX refuses gearing 0. If no gearing is authored, PhysX
    uses 1. With a gearing of NaN or infinity, the state of the whole articulation becomes NaN.

    Measured: With gearing 1 the follower joint reaches -19.99 degrees, and with gearing -2 it reaches 39.99 degrees.
    {SCRIPT}
    """,
    example=usda.follower({"gearing": "0"}),
    remedy=VALID,
)


def _gearing(item: MimicDeclaration) -> Iterator[Finding]:
    value, name = item.value("gearing"), property_name(item, "gearing")
    if "gearing" not in item.authored:
        yield GEARING.at(
            item.path, name, "gearing is not authored", fix="author gearing", severity="warning",
            why=f"PhysX uses {_UNAUTHORED:g}, which turns the joint {_DIRECTION} its reference",
        )
    elif not isinstance(value, int | float):
        message = f"gearing {value!r} is not a number"
        fix = "author a number other than 0"
        yield GEARING.at(item.path, name, message, why="PhysX creates no mimic joint", fix=fix)
    elif not math.isfinite(value):
        fix = "author a finite number other than 0"
        yield GEARING.at(item.path, name, f"gearing {value:g} is not finite", why=_NAN, fix=fix)
    elif value == 0:
        yield GEARING.at(
            item.path, name, "gearing is 0", why="PhysX refuses the mimic joint", fix="author a number other than 0")


OFFSET = Rule("DJ.007/offset", "error", f"""
    Offset that is not finite

    The offset of a mimic joint must be finite. The offset is in degrees on a revolute joint, and in length units on a
    prismatic joint. With an offset of NaN or infinity, the state of the whole articulation becomes NaN.

    Measured: With offset 10 and gearing -1 the follower joint is at 9.99 degrees. With offset NaN the positions of both
    joints become NaN. {SCRIPT}
    """,
    why=_NAN,
    fix="author a finite number",
    example=usda.follower({"offset": "nan"}),
    remedy=usda.follower({"offset": "0"}),
)


def _offset(item: MimicDeclaration) -> Iterator[Finding]:
    value = item.value("offset")
    if not isinstance(value, int | float) or not math.isfinite(value):
        yield OFFSET.at(item.path, property_name(item, "offset"), f"offset {value!r} is not a finite number")


NATURAL_FREQUENCY = Rule("DJ.007/naturalFrequency", "error", f"""
    Natural frequency missing, not positive or too high

    PhysX makes the mimic joint a hard constraint if naturalFrequency is not authored or at most 0. SimReady DJ.007
    requires a naturalFrequency above 0. If naturalFrequency times the time step is above 10 rad, the mimic joint is
    nearly a hard constraint.

    Measured: With naturalFrequency 0 or -5 the follower joint misses the required position by at most 0.0002 degrees.
    The follower joint misses this position by 1.42 degrees with naturalFrequency 1, and by 0.006 degrees with 1200.
    {SCRIPT}
    """,
    why="PhysX cannot use the value",
    fix="author a finite number",
    example=usda.follower({"naturalFrequency": "0"}),
    remedy=VALID,
)


def _natural_frequency(item: MimicDeclaration) -> Iterator[Finding]:
    base = "naturalFrequency"
    value, name = item.value(base), property_name(item, base)
    if not isinstance(value, int | float) or not math.isfinite(value):
        yield NATURAL_FREQUENCY.at(item.path, name, f"naturalFrequency {value!r} is not a finite number")
    elif base not in item.authored or value <= 0:
        text = f"{value:g}" if base in item.authored else "not authored"
        finding = NATURAL_FREQUENCY.at(
            item.path, name, f"naturalFrequency is {text}", why=_HARD,
            fix="author a naturalFrequency above 0; for a hard constraint set dampingRatio to 0",
        )
        yield from per_profile(finding, "info", "error")
    elif value / STEPS_PER_SECOND > _NEARLY_HARD:
        step_angle = f"{value / STEPS_PER_SECOND:.0f} rad in a step of 1/{STEPS_PER_SECOND:g} s"
        yield NATURAL_FREQUENCY.at(
            item.path, name, f"naturalFrequency {value:g} is {step_angle}",
            why="the mimic joint is nearly a hard constraint",
            fix="author a naturalFrequency of about 60 (1 rad in a step), or less for a compliant mimic joint",
            severity="info",
        )


DAMPING_RATIO = Rule("DJ.007/dampingRatio", "error", f"""
    Damping ratio missing, negative or below 1

    PhysX makes the mimic joint a hard constraint if dampingRatio is not authored or at most 0. With a dampingRatio
    below 1 a compliant mimic joint can oscillate.

    Measured: With naturalFrequency 10 and dampingRatio 1 the follower joint misses the required position by 1.28
    degrees. With dampingRatio 0 it misses this position by at most 0.0002 degrees. {SCRIPT}
    """,
    why="PhysX cannot use the value",
    fix="author a finite number",
    example=usda.follower({"dampingRatio": None}),
    remedy=VALID,
)


def _damping_ratio(item: MimicDeclaration) -> Iterator[Finding]:
    base = "dampingRatio"
    value, name = item.value(base), property_name(item, base)
    if not isinstance(value, int | float) or not math.isfinite(value):
        yield DAMPING_RATIO.at(item.path, name, f"dampingRatio {value!r} is not a finite number")
    elif base not in item.authored or value < 0:
        text = f"{value:g}" if base in item.authored else "not authored"
        fix = "author a dampingRatio of at least 0; 0 makes a hard constraint"
        finding = DAMPING_RATIO.at(item.path, name, f"dampingRatio is {text}", why=_HARD, fix=fix)
        yield from per_profile(finding, "info", "error")
    elif value == 0:
        fix = "author a value above 0 for a compliant mimic joint"
        yield DAMPING_RATIO.at(item.path, name, "dampingRatio is 0", why=_HARD, fix=fix, severity="info")
    elif value < 1:
        yield DAMPING_RATIO.at(
            item.path, name, f"dampingRatio {value:g} is below 1", why="the mimic joint can oscillate",
            fix="author 1 or more", severity="warning",
        )


MIMIC_TIME_SAMPLES = ReaderRule("DJ.007/time-samples", "warning", """
    Time samples or connections on a mimic joint

    PhysX reads the gearing, offset and limits of a mimic joint once, at USD's default time, and ignores time samples
    and connections.

    Measured: PhysX uses an authored gearing of -1 even if the gearing also has time samples of -2 or a connection to
    -2. If a gearing has no authored default value, PhysX uses 1. (`experiments/measure_mimics.py`)
    """,
    example=usda.follower({"float physxMimicJoint:rotX:gearing.timeSamples": "{ 0: -1, 10: -2 }"}),
    remedy=VALID,
)


@finder("mimic-values", GEARING, OFFSET, NATURAL_FREQUENCY, DAMPING_RATIO)
def values(description: Description) -> Iterator[Finding]:
    """Faults in the numbers of each declaration."""
    for item in description.mimic_declarations:
        if item.refusal_code != "host":
            yield from _gearing(item)
            yield from _offset(item)
            yield from _natural_frequency(item)
            yield from _damping_ratio(item)


TOLERANCE = 1e-4        # relative to the ends of the image, at least of 1: degrees or lengths are float32
Interval = tuple[float, float]

FINITE_LIMITS = Rule("DJ.007/limits", "error", f"""
    Mimic joint without finite limits

    PhysX couples two revolute joints by a mimic joint only if all limits of both joints are finite. A prismatic mimic
    joint needs no limits in PhysX, but SimReady DJ.007 requires limits. If a coupled joint has a lower limit above its
    upper limit, both joints stop.

    Measured: A revolute follower joint without limits stays at 0. If the follower joint has limits [30, -30], the
    reference joint stops at 3.64 degrees. {SCRIPT}
    """,
    fix="author finite physics:lowerLimit and physics:upperLimit, lower < upper",
    example=usda.follower({"float physics:lowerLimit": None, "float physics:upperLimit": None}),
    remedy=VALID,
)


def _limits(item: MimicDeclaration) -> Iterator[Finding]:
    """Limits of both joints that are missing, not finite or reversed."""
    joints = [(item.path, "the joint", item.joint_kind, item.limits)]
    if len(item.references) == 1 and item.reference_kind is not None and item.references[0] != item.path:
        joints.append((item.references[0], "the reference joint", item.reference_kind, item.reference_limits))
    for path, role, kind, bounds in joints:
        fault = limits_fault(bounds)
        if kind not in SINGLE_AXIS_KINDS or not fault:
            continue
        name = "upperLimit" if unlimited(bounds[1]) and not unlimited(bounds[0]) else "lowerLimit"
        why = ("PhysX refuses the mimic joint" if kind == "revolute" and "no limit" in fault
               else "PhysX accepts the mimic joint, but SimReady DJ.007 does not" if "no limit" in fault
               else "PhysX holds the joint at one position, and the mimic joint holds the coupled joint too")
        subject = role if path == item.path else f"{role} of {item.path}"
        finding = FINITE_LIMITS.at(path, f"physics:{name}", f"{subject} has {fault}", why=why)
        yield from per_profile(finding, "warning" if kind == "prismatic" and "no limit" in fault else "error", "error")


def limits_fault(bounds: Interval) -> str:
    """The fault of the limits of a coupled joint; empty if there is none."""
    lower, upper = bounds
    if math.isnan(lower) or math.isnan(upper):
        return f"limits [{lower:g}, {upper:g}] that are not numbers"
    if unlimited(lower) or unlimited(upper):
        name = "lower or upper" if unlimited(lower) and unlimited(upper) else "lower" if unlimited(lower) else "upper"
        return f"no limit on the {name} side"
    return "" if lower < upper else f"limits [{lower:g}, {upper:g}] with the lower limit not below the upper limit"


LIMITS_CLIP = Rule("DJ.007/limits-clip", "error", f"""
    Mimic limits that stop the reference joint

    For some positions of the reference joint, the mimic equation gives positions outside the follower joint's limits. A
    mimic joint couples both ways: the follower joint's limits also stop the reference joint, without a message. If the
    reference joint has limits r0 and r1, the follower joint's limits must include -gearing * r0 - offset and -gearing *
    r1 - offset.

    Measured: Limits [0, 10] of the follower joint stop the reference joint at 11.80 degrees. Limits [-45, 0] of the
    follower joint stop the reference joint at 3.60 degrees. {SCRIPT}
    """,
    example=usda.follower({"float physics:lowerLimit": "0", "float physics:upperLimit": "10"}),
    remedy=VALID,
)

LIMITS_DISJOINT = Rule("DJ.007/limits-disjoint", "error", """
    Mimic limits that no position satisfies

    No position within the reference joint's limits keeps the follower joint within its own limits. In PhysX the two
    coupled joints then push against their limits and miss their targets.

    Measured: The follower joint has limits [50, 60], and the reference joint has limits [-45, 45] and target 20. The
    follower joint ends at 50 degrees and the reference joint at 44.59 degrees. (`experiments/measure_mimics.py`)
    """,
    why="no position satisfies the limits of both joints, so the joints push against their limits",
    example=usda.follower({"float physics:lowerLimit": "50", "float physics:upperLimit": "60"}),
    remedy=VALID,
)


def clip_findings(path: str, limits: Interval, reference: Interval, gearing: float, offset: float) -> Iterator[Finding]:
    """Whether a follower's limits include the range that its reference joint needs; nothing if either has a fault."""
    if limits_fault(limits) or limits_fault(reference):
        return
    (lower, upper), image = limits, _image(reference, gearing, offset)
    tolerance = TOLERANCE * max(1.0, abs(image[0]), abs(image[1]))
    if lower - tolerance <= image[0] and image[1] <= upper + tolerance:
        return
    clipped = _preimage(limits, reference, gearing, offset)
    rule, why = LIMITS_CLIP, (
        f"the limit also stops the reference joint, without a message; the reference joint reaches only "
        f"[{clipped[0]:g}, {clipped[1]:g}] of [{reference[0]:g}, {reference[1]:g}]")
    if image[1] < lower - tolerance or upper + tolerance < image[0]:
        rule, why = LIMITS_DISJOINT, LIMITS_DISJOINT.why
    yield rule.at(
        path, "physics:lowerLimit",
        f"for the reference joint's limits this joint needs the range [{image[0]:g}, {image[1]:g}], but its limits are "
        f"[{lower:g}, {upper:g}]", why=why,
        fix=f"widen the limits of this joint to include [{image[0]:g}, {image[1]:g}], or narrow the limits of the "
            "reference joint",
        repair=_widen_repair(path, limits, image),
    )


def _widen_repair(path: str, limits: tuple[float, float], image: tuple[float, float]) -> Repair:
    """Widen the follower's limits to every position that the reference joint's limits need."""
    lower, upper = min(limits[0], image[0]), max(limits[1], image[1])
    edits = [SetValue(path, f"physics:{name}", value, "float") for name, value, old in (
        ("lowerLimit", lower, limits[0]), ("upperLimit", upper, limits[1])) if value != old]
    return safe(*edits)


def _image(bounds: Interval, gearing: float, offset: float) -> Interval:
    """The range of the follower for the reference joint's limits."""
    ends = [-gearing * bound - offset + 0.0 for bound in bounds]
    return min(ends), max(ends)


def _preimage(limits: Interval, reference: Interval, gearing: float, offset: float) -> Interval:
    """The part of the reference joint's range that the follower's limits allow."""
    ends = sorted(-(bound + offset) / gearing for bound in limits)
    lower, upper = (min(max(end, reference[0]), reference[1]) for end in ends)
    return lower + 0.0, upper + 0.0


def _range_of_motion(item: MimicDeclaration) -> Iterator[Finding]:
    """Follower limits that exclude a position that the reference joint's limits need."""
    gearing, offset = item.value("gearing"), item.value("offset")
    if not isinstance(gearing, int | float) or not isinstance(offset, int | float):
        return
    if not (math.isfinite(gearing) and math.isfinite(offset)) or gearing == 0.0:
        return
    if item.reference_kind is not None:
        yield from clip_findings(item.path, item.limits, item.reference_limits, gearing, offset)


@finder("mimic-limits", FINITE_LIMITS, LIMITS_CLIP, LIMITS_DISJOINT)
def limits(description: Description) -> Iterator[Finding]:
    """Faults in the limits of both joints of each declaration."""
    for item in description.mimic_declarations:
        if item.refusal_code != "host":
            yield from _limits(item)
            yield from _range_of_motion(item)


@finder("mimic-newton", LIMITS_CLIP, LIMITS_DISJOINT)
def newton_ranges(description: Description) -> Iterator[Finding]:
    """The same for Newton's mimic joints, which PhysX simulates too."""
    for articulation in description.articulations:
        for mimic in (item for item in articulation.mimics if not item.instance):
            follower, reference = articulation.dofs[mimic.follower], articulation.dofs[mimic.reference]
            unit, per = _unit(follower), _unit(reference)
            yield from clip_findings(
                mimic.path, (follower.lower * unit, follower.upper * unit),
                (reference.lower * per, reference.upper * per), mimic.gearing * unit / per, mimic.offset * unit)


def _unit(dof: Dof) -> float:
    """The factor from a coordinate to its authored unit."""
    return math.degrees(1.0) if dof.angular else 1.0
