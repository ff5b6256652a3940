"""Mimic joints that PhysX refuses, DJ.007: by their host, their instance name, and the joint that they follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import (
    ApplySchema,
    Edit,
    Finding,
    RemoveProperty,
    RemoveSchema,
    RenameProperty,
    RenameSchema,
    Repair,
    SetValue,
    per_profile,
    safe,
    unsafe,
)
from physx_schema.checking.engine.rule import Rule, finder
from physx_schema.description import Description, MimicDeclaration, Opinion
from physx_schema.description.model.joint import AXES, ROTATIONS, SINGLE_AXIS_KINDS, TRANSLATIONS

API, SLOT = "PhysxMimicJointAPI", "rotX"
VALID = usda.follower()
REFERENCE = "rel physxMimicJoint:rotX:referenceJoint"
SCRIPT = "(`experiments/measure_mimics.py`: the reference driven to 20 degrees, 240 steps of 1/120 s.)"
_NOT_CREATED = "PhysX makes no mimic joint of it"
_LEGAL_IN_SIMREADY = frozenset({*TRANSLATIONS, "X", "Y", "Z"})
_LOCKED = [f"PhysicsLimitAPI:{name}" for name in AXES if name != SLOT]
_TRANSLATIONS = {
    "float physics:lowerLimit": None, "float physics:upperLimit": None,
    **{f"float limit:{name}:physics:low": "1" for name in ("transX", "transY", "rotY", "rotZ")},
    **{f"float limit:{name}:physics:high": "-1" for name in ("transX", "transY", "rotY", "rotZ")},
}


@dataclass(frozen=True, slots=True)
class Refusal(Rule):
    """A rule on declarations that PhysX refuses; its code ends in the reader's word for the refusal."""

    why: str = _NOT_CREATED
    base: str = ""              # the property at fault, "" for the applied schema
    repair: Callable[[MimicDeclaration], Repair | None] = lambda item: None


MIMIC_HOST = Rule("DJ.007/host", "error", """
    Mimic joint on a prim that is no joint

    PhysxMimicJointAPI belongs on the joint that follows, of a type derived from PhysicsJoint.

    Measured: The follower stays at 0, without a message. (`experiments/measure_mimics.py`)
    """,
    why=_NOT_CREATED,
    fix="apply it to the joint that should follow",
    example=usda.prim("Xform", "j2", {REFERENCE: "</Robot/j1>"}, "PhysxMimicJointAPI:rotX"),
    remedy=VALID,
)

MIMIC_INSTANCE = Rule("DJ.007/instance", "error", f"""
    Mimic joint under an instance name that PhysX ignores

    The instance name must be rotX, rotY or rotZ, on prismatic joints too: it names a slot, not a direction. Under any
    other name PhysX ignores the mimic joint without a message.

    Measured: Under transZ or Z the follower stays at 0 and no log has a word; under rotX and rotZ it reaches 19.99
    degrees, on sliders 0.200. {SCRIPT}
    """,
    why="PhysX ignores the mimic joint without a word",
    fix="rename the instance to rotX, on prismatic joints too",
    example=usda.follower(api="transZ"),
    remedy=VALID,
)


def _instance(item: MimicDeclaration) -> Iterator[Finding]:
    if item.instance in ROTATIONS:
        return
    message = f"instance name {item.instance!r} of PhysxMimicJointAPI is not one of rotX, rotY, rotZ"
    finding = MIMIC_INSTANCE.at(item.path, "apiSchemas", message, repair=_rename_repair(item))
    yield from per_profile(finding, "error", "info" if item.instance in _LEGAL_IN_SIMREADY else "error")


def _rename_repair(item: MimicDeclaration) -> Repair:
    """The declaration under the instance name rotX, with all its properties."""
    old, new = (f"physxMimicJoint:{name}:" for name in (item.instance, SLOT))
    schema = f"{API}:{item.instance}" if item.instance else API
    edits: list[Edit] = [RenameSchema(item.path, schema, f"{API}:{SLOT}")]
    edits += [RenameProperty(item.path, old + base, new + base) for base in sorted(item.authored)]
    return safe(*edits)


def removal_edits(item: MimicDeclaration) -> list[Edit]:
    """A declaration taken away with its properties, which would be orphans."""
    edits: list[Edit] = [RemoveSchema(item.path, f"{API}:{item.instance}")]
    edits += [RemoveProperty(item.path, f"physxMimicJoint:{item.instance}:{base}") for base in sorted(item.authored)]
    return edits


def _removal_repair(item: MimicDeclaration) -> Repair:
    return unsafe(*removal_edits(item))


ONE_INSTANCE = Refusal("DJ.007/one-instance", "error", f"""
    Several mimic joints on a joint with one axis

    A revolute or prismatic joint has one axis and can follow once. PhysX takes the first of rotX, rotY, rotZ and
    refuses the others.

    Measured: rotX with gearing -1 and rotY with 1: the follower reaches 19.99 degrees, and PhysX logs that only one
    instance can be applied. {SCRIPT}
    """,
    fix="keep one mimic instance on the joint",
    example=usda.follower({"rel physxMimicJoint:rotY:referenceJoint": "</Robot/j1>",
                           "float physxMimicJoint:rotY:gearing": "1"}, "PhysxMimicJointAPI:rotY"),
    remedy=VALID,
    repair=_removal_repair,
)

REFERENCE_COUNT = Rule("DJ.007/reference-count", "error", f"""
    No reference joint, or several

    referenceJoint needs exactly one target after composition.

    Measured: With two targets the follower stays at 0, and PhysX logs that exactly one is needed. {SCRIPT}
    """,
    why=_NOT_CREATED,
    fix="give referenceJoint one target, the joint to follow",
    example=usda.follower({"referenceJoint": "[</Robot/j1>, </Robot/anchor>]"}),
    remedy=VALID,
)


def _reference_count(item: MimicDeclaration) -> Iterator[Finding]:
    if len(item.references) != 1:
        message = f"{len(item.references)} targets, not one"
        yield REFERENCE_COUNT.at(item.path, property_name(item, "referenceJoint"), message)


REFERENCE_MISSING = Refusal("DJ.007/reference-missing", "error", f"""
    Reference joint that does not exist

    referenceJoint points at a path without a prim.

    Measured: The follower stays at 0, and PhysX logs a non existing prim. {SCRIPT}
    """,
    fix="point referenceJoint at an existing joint",
    example=usda.follower({"referenceJoint": "</Robot/j_1>"}),
    remedy=VALID,
    base="referenceJoint",
)

REFERENCE_TYPE = Refusal("DJ.007/reference-type", "error", f"""
    Reference that is no joint

    referenceJoint points at a prim that is no joint.

    Measured: The follower stays at 0, and PhysX logs that the reference is no joint. {SCRIPT}
    """,
    fix="point referenceJoint at a joint",
    example=usda.follower({"referenceJoint": "</Robot/a>"}),
    remedy=VALID,
    base="referenceJoint",
)

SELF_REFERENCE = Refusal("DJ.007/self", "error", f"""
    Joint that follows itself

    A joint cannot follow itself.

    Measured: PhysX logs the same joint for mimic and reference, and makes none. {SCRIPT}
    """,
    fix="point referenceJoint at another joint",
    example=usda.follower({"referenceJoint": "</Robot/j2>"}),
    remedy=VALID,
    base="referenceJoint",
)


def _include_repair(item: MimicDeclaration) -> Repair:
    return unsafe(SetValue(item.path, "physics:excludeFromArticulation", False, "bool"))


EXCLUDED_SELF = Refusal("DJ.007/excluded-self", "error", f"""
    Mimic joint on a joint outside its articulation

    Mimic joints work inside articulations; this joint is excluded from its articulation.

    Measured: PhysX logs that mimic joints are supported on articulation joints only. {SCRIPT}
    """,
    fix="clear physics:excludeFromArticulation, or remove the mimic",
    example=usda.follower({"bool physics:excludeFromArticulation": "true"}),
    remedy=VALID,
    repair=_include_repair,
)


def _include_reference_repair(item: MimicDeclaration) -> Repair | None:
    if len(item.references) != 1:
        return None
    return unsafe(SetValue(item.references[0], "physics:excludeFromArticulation", False, "bool"))


EXCLUDED_REF = Refusal("DJ.007/excluded-ref", "error", f"""
    Reference joint outside the articulation

    Mimic joints work inside articulations; the reference joint is excluded from it.

    Measured: The follower stays at 0, and PhysX logs that the reference is excluded. {SCRIPT}
    """,
    fix="clear physics:excludeFromArticulation on the reference joint, or refer to another",
    example=usda.joint("j1", {**usda.LIMITS, "bool physics:excludeFromArticulation": "true"}) + VALID,
    remedy=usda.joint("j1", usda.LIMITS) + VALID,
    base="referenceJoint",
    repair=_include_reference_repair,
)

MIMIC_DISABLED = Refusal("DJ.007/disabled", "warning", f"""
    Mimic joint with a disabled joint

    One of the two joints is disabled; PhysX then makes no mimic joint and says nothing.

    Measured: With the reference disabled the follower stays at 0; disabled itself, it is no joint of the articulation.
    The log has no word of either. {SCRIPT}
    """,
    fix="set physics:jointEnabled to true on both joints",
    example=usda.follower({"bool physics:jointEnabled": "false"}),
    remedy=VALID,
)

MIMIC_JOINT_TYPE = Refusal("DJ.007/joint-type", "error", f"""
    Mimic joint on a kind of joint that PhysX does not couple

    PhysX couples revolute joints, prismatic joints, and generic joints whose translations are all locked and whose
    named rotation is free.

    Measured: A generic follower with its translations locked follows to 20.00 degrees. With transZ free it stays at 0
    and PhysX logs what it needs; a spherical one stays at 0 without a message. {SCRIPT}
    """,
    fix="use a revolute or prismatic joint, or lock transX, transY and transZ and leave the axis free",
    example=usda.follower(_TRANSLATIONS, *(name for name in _LOCKED if "transZ" not in name), kind=""),
    remedy=usda.follower({**_TRANSLATIONS, "float limit:transZ:physics:low": "1",
                          "float limit:transZ:physics:high": "-1"}, *_LOCKED, kind=""),
)


def _default_axis_repair(item: MimicDeclaration) -> Repair | None:
    """Of a reference with one axis any name will do."""
    if item.reference_kind not in SINGLE_AXIS_KINDS:
        return None
    return safe(SetValue(item.path, property_name(item, "referenceJointAxis"), SLOT, "token"))


REFERENCE_AXIS = Refusal("DJ.007/reference-axis", "error", f"""
    Reference axis that does not exist

    referenceJointAxis must be rotX, rotY or rotZ even where the reference has one axis.

    Measured: With Z the follower stays at 0, and PhysX logs an unsupported token. {SCRIPT}
    """,
    fix="author rotX, rotY or rotZ",
    example=usda.follower({"uniform token physxMimicJoint:rotX:referenceJointAxis": '"Z"'}),
    remedy=usda.follower({"uniform token physxMimicJoint:rotX:referenceJointAxis": '"rotZ"'}),
    base="referenceJointAxis",
    repair=_default_axis_repair,
)

_REFUSALS = {rule.code.rpartition("/")[2]: rule for rule in (
    ONE_INSTANCE, REFERENCE_MISSING, REFERENCE_TYPE, SELF_REFERENCE, EXCLUDED_SELF, EXCLUDED_REF, MIMIC_DISABLED,
    MIMIC_JOINT_TYPE, REFERENCE_AXIS,
)}
_JUDGED_ELSEWHERE = frozenset({"", "host", "instance", "gearing", "limits", "reference-count"})


def _refused(item: MimicDeclaration) -> Iterator[Finding]:
    """Every refusal of PhysX, so that none goes without an error."""
    if item.refusal_code not in _JUDGED_ELSEWHERE:
        rule = _REFUSALS[item.refusal_code]
        yield rule.at(item.path, property_name(item, rule.base), item.refusal, repair=rule.repair(item))


ORPHAN_PROPERTIES = Rule("DJ.007/orphan-properties", "error", """
    Mimic properties without the API

    physxMimicJoint properties count only where PhysxMimicJointAPI is applied under the same instance name.

    Measured: With gearing and reference authored and the API not applied the follower stays at 0, without a message.
    (`experiments/measure_mimics.py`)
    """,
    why=_NOT_CREATED,
    example=usda.joint("j2", {**usda.LIMITS, REFERENCE: "</Robot/j1>", "float physxMimicJoint:rotX:gearing": "-1"}),
    remedy=VALID,
)


@finder("mimic-orphans", ORPHAN_PROPERTIES)
def orphans(description: Description) -> Iterator[Finding]:
    """Mimic properties without the API that would make them count."""
    for opinion in description.unused:
        if is_orphan(opinion):
            misspelt, not_applied = opinion.code == "misspelt-property", opinion.code == "not-applied"
            yield ORPHAN_PROPERTIES.at(
                opinion.path, opinion.property, opinion.reason,
                fix=opinion.suggestion or ("remove it; the API has no such property" if misspelt
                                           else "apply PhysxMimicJointAPI with this instance name"),
                repair=_apply_repair(opinion.path, opinion.property) if not_applied else None,
            )


def _apply_repair(path: str, name: str) -> Repair | None:
    """The API that a mimic property without it belongs to."""
    instance = name.split(":")[1] if name.count(":") > 1 else ""
    return unsafe(ApplySchema(path, f"{API}:{instance}")) if instance in ROTATIONS else None


def is_orphan(opinion: Opinion) -> bool:
    """Whether an unused opinion is a mimic property, which this rule reports."""
    return opinion.property.startswith("physxMimicJoint:")


@finder("mimic-declared", MIMIC_HOST, MIMIC_INSTANCE, REFERENCE_COUNT, *_REFUSALS.values())
def declarations(description: Description) -> Iterator[Finding]:
    """Why PhysX makes no mimic joint of a declaration."""
    for item in description.mimic_declarations:
        yield from _refused(item)
        if item.refusal_code == "host":
            yield MIMIC_HOST.at(item.path, "apiSchemas", f"the API is on a prim that is no joint: {item.refusal}")
        else:
            yield from _instance(item)
            yield from _reference_count(item)


def property_name(item: MimicDeclaration, base: str) -> str:
    """A property of a mimic joint by its base name; the applied schema for none."""
    return f"physxMimicJoint:{item.instance}:{base}" if base else "apiSchemas"
