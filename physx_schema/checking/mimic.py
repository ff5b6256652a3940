"""The mimic-joint rule, DJ.007: what PhysX refuses, what a limit cuts off, and what the published rule asks for.

A mimic joint holds q + gearing * q_reference + offset = 0, in the units of the stage: degrees or length.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from physx_schema.checking import mimic_repairs
from physx_schema.checking.edits import Repair
from physx_schema.checking.finding import Finding, judged
from physx_schema.checking.mimic_limits import limits, newton_ranges, range_of_motion
from physx_schema.checking.mimic_pairs import pairs
from physx_schema.checking.rule import Rule
from physx_schema.definitions import default_number
from physx_schema.description import Description, MimicDeclaration, Opinion
from physx_schema.description.units import STEPS_PER_SECOND

CODE = "DJ.007/"
_GEARING = default_number("PhysxMimicJointAPI", "gearing")
_WAY = "opposite to" if _GEARING > 0.0 else "with"
_ROTATIONS = ("rotX", "rotY", "rotZ")
_LEGAL_IN_SIMREADY = frozenset({"transX", "transY", "transZ", "X", "Y", "Z"})
_NEARLY_HARD = 10.0         # rad a step; from there the follower lags by less than 1% of what a soft one does
_HARD = "PhysX makes the mimic joint a hard constraint"


def declared(description: Description) -> Iterator[Finding]:
    """Everything a declaration shows by itself."""
    for item in description.mimic_declarations:
        if item.refusal_code == "host":
            yield _finding(item, "host", "", f"the API is on a prim that is no joint: {item.refusal}",
                           "PhysX makes no mimic joint of it", "apply it to the joint that should follow")
            continue
        for part in _PARTS:
            yield from part(item)


def refused(description: Description) -> Iterator[Finding]:
    """Every refusal of PhysX, so that none goes without an error."""
    covered = {"", "host", "instance", "gearing", "limits", "reference-count"}
    for item in description.mimic_declarations:
        if item.refusal_code not in covered:
            yield _finding(item, item.refusal_code, _REFUSED.get(item.refusal_code, ""), item.refusal,
                           "PhysX makes no mimic joint of it", _FIXES[item.refusal_code],
                           "warning" if item.refusal_code == "disabled" else "error", mimic_repairs.refused(item))


def orphans(description: Description) -> Iterator[Finding]:
    """Mimic properties without the API that would make them count."""
    for opinion in description.unused:
        if is_orphan(opinion):
            yield Finding(
                CODE + "orphan-properties", "error", opinion.path, opinion.property, opinion.reason,
                "PhysX makes no mimic joint of it",
                opinion.suggestion or ("remove it; the API has no such property" if opinion.code == "misspelt-property"
                                       else "apply PhysxMimicJointAPI with this instance name"),
                repair=mimic_repairs.applied(opinion.path, opinion.property) if opinion.code == "not-applied" else None,
            )


def is_orphan(opinion: Opinion) -> bool:
    """Whether an unused opinion is a mimic property, which this rule reports."""
    return opinion.property.startswith("physxMimicJoint:")


_REFUSED = {    # refusal to the property that is at fault
    "reference-missing": "referenceJoint", "reference-type": "referenceJoint", "self": "referenceJoint",
    "excluded-ref": "referenceJoint", "reference-axis": "referenceJointAxis",
}
_FIXES = {
    "one-instance": "keep one mimic instance on the joint",
    "reference-missing": "point referenceJoint at an existing joint",
    "reference-type": "point referenceJoint at a joint",
    "self": "point referenceJoint at another joint",
    "excluded-self": "clear physics:excludeFromArticulation, or remove the mimic",
    "excluded-ref": "clear physics:excludeFromArticulation on the reference joint, or refer to another",
    "disabled": "set physics:jointEnabled to true on both joints",
    "joint-type": "use a revolute or prismatic joint, or lock transX, transY and transZ and leave the axis free",
    "reference-axis": "author rotX, rotY or rotZ",
}


def _finding(
    item: MimicDeclaration, code: str, base: str, message: str, why: str, fix: str, severity: str = "error",
    repair: Repair | None = None,
) -> Finding:
    name = f"physxMimicJoint:{item.instance}:{base}" if base else "apiSchemas"
    return Finding(CODE + code, severity, item.path, name, message, why, fix, repair=repair)


def _instance(item: MimicDeclaration) -> Iterator[Finding]:
    if item.instance in _ROTATIONS:
        return
    finding = _finding(
        item, "instance", "", f"instance name {item.instance!r} of PhysxMimicJointAPI is not one of rotX, rotY, rotZ",
        "PhysX ignores the mimic joint without a word", "rename the instance to rotX, on prismatic joints too",
        repair=mimic_repairs.renamed(item),
    )
    yield from judged(finding, "error", "info" if item.instance in _LEGAL_IN_SIMREADY else "error")


def _reference_count(item: MimicDeclaration) -> Iterator[Finding]:
    if len(item.references) != 1:
        yield _finding(item, "reference-count", "referenceJoint", f"{len(item.references)} targets, not one",
                       "PhysX makes no mimic joint of it", "give referenceJoint one target, the joint to follow")


def _gearing(item: MimicDeclaration) -> Iterator[Finding]:
    value = item.value("gearing")
    if "gearing" not in item.authored:
        yield _finding(item, "gearing", "gearing", "gearing is not authored",
                       f"PhysX works with {_GEARING:g}, which turns the joint {_WAY} its reference",
                       "author gearing", "warning")
    elif not isinstance(value, int | float):
        yield _finding(item, "gearing", "gearing", f"{value!r} is not a number", "PhysX cannot read it",
                       "author a float other than 0")
    elif not math.isfinite(value):
        yield _finding(item, "gearing", "gearing", f"{value:g} is not finite",
                       "the whole articulation becomes NaN, without a message", "author a finite number other than 0")
    elif value == 0:
        yield _finding(item, "gearing", "gearing", "gearing is 0", "PhysX refuses the mimic joint",
                       "author a number other than 0")


def _offset(item: MimicDeclaration) -> Iterator[Finding]:
    value = item.value("offset")
    if not isinstance(value, int | float) or not math.isfinite(value):
        yield _finding(item, "offset", "offset", f"{value!r} is not a finite number",
                       "the whole articulation becomes NaN, without a message", "author a finite number")


def _natural_frequency(item: MimicDeclaration) -> Iterator[Finding]:
    base = "naturalFrequency"
    value = item.value(base)
    if not isinstance(value, int | float) or not math.isfinite(value):
        yield _finding(item, base, base, f"{value!r} is not a finite number", "PhysX has no use for it",
                       "author a finite number")
    elif base not in item.authored or value <= 0:
        found = f"{value:g}" if base in item.authored else "not authored"
        finding = _finding(item, base, base, f"naturalFrequency is {found}", _HARD,
                           "author a frequency above 0; for a hard one leave dampingRatio at 0")
        yield from judged(finding, "info", "error")
    elif value / STEPS_PER_SECOND > _NEARLY_HARD:
        turn = f"{value / STEPS_PER_SECOND:.0f} rad in a step of 1/{STEPS_PER_SECOND:g} s"
        yield _finding(item, base, base, f"naturalFrequency {value:g} is {turn}", "the mimic joint is all but hard",
                       "author about 60, 1 rad in a step, or less for a compliant one", "info")


def _damping_ratio(item: MimicDeclaration) -> Iterator[Finding]:
    base = "dampingRatio"
    value = item.value(base)
    if not isinstance(value, int | float) or not math.isfinite(value):
        yield _finding(item, base, base, f"{value!r} is not a finite number", "PhysX has no use for it",
                       "author a finite number")
    elif base not in item.authored or value < 0:
        found = f"{value:g}" if base in item.authored else "not authored"
        finding = _finding(item, base, base, f"dampingRatio is {found}", _HARD, "author at least 0; 0 for a hard one")
        yield from judged(finding, "info", "error")
    elif value == 0:
        yield _finding(item, base, base, "dampingRatio is 0", _HARD, "author more than 0 for a compliant one", "info")
    elif value < 1:
        yield _finding(item, base, base, f"dampingRatio {value:g} is below 1", "the mimic joint may oscillate",
                       "author 1 or more", "warning")


_PARTS: tuple[Callable[[MimicDeclaration], Iterator[Finding]], ...] = (
    _instance, _reference_count, _gearing, _offset, _natural_frequency, _damping_ratio, limits, range_of_motion,
)

RULES = (
    Rule("mimic-declared", declared, ("DJ.007",)),
    Rule("mimic-refused", refused, ("DJ.007",)),
    Rule("mimic-pairs", pairs, ("DJ.007",)),
    Rule("mimic-newton", newton_ranges, ("DJ.007/limits-clip", "DJ.007/limits-disjoint")),
    Rule("mimic-orphans", orphans, ("DJ.007/orphan-properties",)),
)
