"""Limits of mimic joints: PhysX needs them on revolute joints, and wrong ones cut off part of the motion in silence."""

from __future__ import annotations

import math
from collections.abc import Iterator

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding, judged
from physx_schema.checking.engine.repair import Repair, SetValue, safe
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.checking.rules.mimic import SCRIPT, SOUND
from physx_schema.description import Description, Dof, MimicDeclaration, unlimited

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
    remedy=SOUND,
)


def _limits(item: MimicDeclaration) -> Iterator[Finding]:
    """Both joints need two finite limits, the lower below the upper."""
    sides = [(item.path, "the joint", item.joint_kind, item.limits)]
    if len(item.references) == 1 and item.reference_kind is not None and item.references[0] != item.path:
        sides.append((item.references[0], "the reference joint", item.reference_kind, item.reference_limits))
    for path, role, kind, bounds in sides:
        fault = limits_fault(bounds)
        if kind not in ("revolute", "prismatic") or not fault:
            continue
        name = "upperLimit" if unlimited(bounds[1]) and not unlimited(bounds[0]) else "lowerLimit"
        why = ("PhysX refuses the mimic joint" if kind == "revolute" and "no limit" in fault
               else "PhysX accepts the mimic joint, the published rule does not" if "no limit" in fault
               else "PhysX holds the joint at one position, and the mimic holds the other with it")
        whose = role if path == item.path else f"{role} of {item.path}"
        finding = FINITE_LIMITS.at(path, f"physics:{name}", f"{whose} has {fault}", why=why)
        yield from judged(finding, "warning" if kind == "prismatic" and "no limit" in fault else "error", "error")


def limits_fault(bounds: Interval) -> str:
    """What is wrong with the limits of a joint that a mimic joint couples; empty where nothing is."""
    lower, upper = bounds
    if math.isnan(lower) or math.isnan(upper):
        return f"limits that are not numbers, [{lower:g}, {upper:g}]"
    if unlimited(lower) or unlimited(upper):
        side = "lower and upper" if unlimited(lower) and unlimited(upper) else "lower" if unlimited(lower) else "upper"
        return f"no limit on its {side} side"
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
    remedy=SOUND,
)

LIMITS_DISJOINT = Rule("DJ.007/limits-disjoint", "error", """
    Limits that no position satisfies

    No position of the reference joint within its limits lets the follower stay in its own.

    Measured: A follower of [50, 60] whose reference has limits of 45 ends at 50 and drags its reference to 44.59 where
    20 was asked for; one of [70, 80] drags a reference of 60 to its limit. (`benchmarks/measure_mimics.py`)
    """,
    why="no position satisfies both: the two joints fight their limits",
    example=usda.follower({"float physics:lowerLimit": "50", "float physics:upperLimit": "60"}),
    remedy=SOUND,
)


def asked_for(path: str, limits: Interval, reference: Interval, gearing: float, offset: float) -> Iterator[Finding]:
    """Whether a follower's limits hold what those of its reference ask for; nothing where either has a fault."""
    if limits_fault(limits) or limits_fault(reference):
        return
    (lower, upper), image = limits, _image(reference, gearing, offset)
    slack = TOLERANCE * max(1.0, abs(image[0]), abs(image[1]))
    if lower - slack <= image[0] and image[1] <= upper + slack:
        return
    reach = _preimage(limits, reference, gearing, offset)
    rule, why = LIMITS_CLIP, (
        f"the limit stops the reference joint too, without a message: it reaches only [{reach[0]:g}, {reach[1]:g}] "
        f"of [{reference[0]:g}, {reference[1]:g}]")
    if image[1] < lower - slack or upper + slack < image[0]:
        rule, why = LIMITS_DISJOINT, LIMITS_DISJOINT.why
    yield rule.at(
        path, "physics:lowerLimit", f"the reference's limits ask for [{image[0]:g}, {image[1]:g}], the joint's own "
        f"limits are [{lower:g}, {upper:g}]", why=why,
        fix=f"widen the joint's limits to hold [{image[0]:g}, {image[1]:g}], or narrow the reference's",
        repair=_widened(path, limits, image),
    )


def _widened(path: str, limits: tuple[float, float], image: tuple[float, float]) -> Repair:
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
        yield from asked_for(item.path, item.limits, item.reference_limits, gearing, offset)


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
            yield from asked_for(
                mimic.path, (follower.lower * unit, follower.upper * unit),
                (reference.lower * per, reference.upper * per), mimic.gearing * unit / per, mimic.offset * unit)


def _unit(dof: Dof) -> float:
    """What a coordinate is multiplied with for the unit it is authored in."""
    return math.degrees(1.0) if dof.angular else 1.0
