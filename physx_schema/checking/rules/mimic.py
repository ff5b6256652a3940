"""Mimic joints that PhysX refuses, DJ.007: their host prim, instance name and reference joint."""

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
SCRIPT = "(`experiments/measure_mimics.py`; the reference joint has a drive target of 20 degrees)"
_NOT_CREATED = "PhysX creates no mimic joint"
_LEGAL_IN_SIMREADY = frozenset({*TRANSLATIONS, "X", "Y", "Z"})
_LOCKED = [f"PhysicsLimitAPI:{name}" for name in AXES if name != SLOT]
_TRANSLATIONS = {
    "float physics:lowerLimit": None, "float physics:upperLimit": None,
    **{f"float limit:{name}:physics:low": "1" for name in ("transX", "transY", "rotY", "rotZ")},
    **{f"float limit:{name}:physics:high": "-1" for name in ("transX", "transY", "rotY", "rotZ")},
}


@dataclass(frozen=True, slots=True)
class Refusal(Rule):
    """A rule on declarations that PhysX refuses; its code ends with the reader's code of the refusal."""

    why: str = _NOT_CREATED
    base: str = ""              # the property at fault, "" for the applied schema
    repair: Callable[[MimicDeclaration], Repair | None] = lambda item: None


MIMIC_HOST = Rule("DJ.007/host", "error", """
    PhysxMimicJointAPI on a prim without a joint

    PhysX ignores PhysxMimicJointAPI on a prim that is not a joint, without a message. Apply the schema to the follower
    joint.

    Measured: With PhysxMimicJointAPI on a prim that is not a joint, the follower joint stays at 0.
    (`experiments/measure_mimics.py`)
    """,
    why=_NOT_CREATED,
    fix="apply PhysxMimicJointAPI to the follower joint",
    example=usda.prim("Xform", "j2", {REFERENCE: "</Robot/j1>"}, "PhysxMimicJointAPI:rotX"),
    remedy=VALID,
)

MIMIC_INSTANCE = Rule("DJ.007/instance", "error", f"""
    Mimic joint with an unsupported instance name

    PhysX accepts the instance names rotX, rotY and rotZ, even on prismatic joints. PhysX ignores a mimic joint with
    another name, without a message.

    Measured: With the instance name transZ or Z the follower joint stays at 0. With rotX or rotZ a revolute follower
    joint reaches 19.99 degrees, and a prismatic follower joint reaches 0.200. {SCRIPT}
    """,
    why="PhysX ignores the mimic joint, without a message",
    fix="rename the mimic instance to rotX, even on a prismatic joint",
    example=usda.follower(api="transZ"),
    remedy=VALID,
)


def _instance(item: MimicDeclaration) -> Iterator[Finding]:
    if item.instance in ROTATIONS:
        return
    message = f"instance name {item.instance!r} of PhysxMimicJointAPI is not rotX, rotY or rotZ"
    finding = MIMIC_INSTANCE.at(item.path, "apiSchemas", message, repair=_rename_repair(item))
    yield from per_profile(finding, "error", "info" if item.instance in _LEGAL_IN_SIMREADY else "error")


def _rename_repair(item: MimicDeclaration) -> Repair:
    """Rename the instance to rotX, with all its properties."""
    old, new = (f"physxMimicJoint:{name}:" for name in (item.instance, SLOT))
    schema = f"{API}:{item.instance}" if item.instance else API
    edits: list[Edit] = [RenameSchema(item.path, schema, f"{API}:{SLOT}")]
    edits += [RenameProperty(item.path, old + base, new + base) for base in sorted(item.authored)]
    return safe(*edits)


def removal_edits(item: MimicDeclaration) -> list[Edit]:
    """Remove a declaration together with its properties."""
    edits: list[Edit] = [RemoveSchema(item.path, f"{API}:{item.instance}")]
    edits += [RemoveProperty(item.path, f"physxMimicJoint:{item.instance}:{base}") for base in sorted(item.authored)]
    return edits


def _removal_repair(item: MimicDeclaration) -> Repair:
    return unsafe(*removal_edits(item))


ONE_INSTANCE = Refusal("DJ.007/one-instance", "error", f"""
    Several mimic instances on a single-axis joint

    A revolute or prismatic joint has one axis and can follow one reference joint. If such a joint has several mimic
    instances, PhysX uses the first in the order rotX, rotY, rotZ. PhysX refuses the other instances with an error.

    Measured: One joint has the mimic instance rotX with gearing -1 and the instance rotY with gearing 1. The joint
    reaches 19.99 degrees, and PhysX logs an error. {SCRIPT}
    """,
    fix="keep one instance of PhysxMimicJointAPI on the joint",
    example=usda.follower({"rel physxMimicJoint:rotY:referenceJoint": "</Robot/j1>",
                           "float physxMimicJoint:rotY:gearing": "1"}, "PhysxMimicJointAPI:rotY"),
    remedy=VALID,
    repair=_removal_repair,
)

REFERENCE_COUNT = Rule("DJ.007/reference-count", "error", f"""
    Mimic joint without exactly one reference joint

    If referenceJoint has no target or several targets on the composed stage, PhysX logs an error and creates no mimic
    joint.

    Measured: If referenceJoint has two targets, the follower joint stays at 0. {SCRIPT}
    """,
    why=_NOT_CREATED,
    fix="target only the reference joint",
    example=usda.follower({"referenceJoint": "[</Robot/j1>, </Robot/anchor>]"}),
    remedy=VALID,
)


def _reference_count(item: MimicDeclaration) -> Iterator[Finding]:
    if len(item.references) != 1:
        message = f"referenceJoint has {len(item.references)} targets instead of one"
        yield REFERENCE_COUNT.at(item.path, property_name(item, "referenceJoint"), message)


REFERENCE_MISSING = Refusal("DJ.007/reference-missing", "error", f"""
    Reference joint that does not exist

    If referenceJoint targets a path without a prim, PhysX logs an error and creates no mimic joint.

    Measured: If referenceJoint targets a missing prim, the follower joint stays at 0. {SCRIPT}
    """,
    fix="target an existing joint",
    example=usda.follower({"referenceJoint": "</Robot/j_1>"}),
    remedy=VALID,
    base="referenceJoint",
)

REFERENCE_TYPE = Refusal("DJ.007/reference-type", "error", f"""
    Reference prim that is not a joint

    If referenceJoint targets a prim that is not a joint, PhysX logs an error and creates no mimic joint.

    Measured: If referenceJoint targets a link, the follower joint stays at 0. {SCRIPT}
    """,
    fix="target a joint",
    example=usda.follower({"referenceJoint": "</Robot/a>"}),
    remedy=VALID,
    base="referenceJoint",
)

SELF_REFERENCE = Refusal("DJ.007/self", "error", f"""
    Joint that follows itself

    If referenceJoint targets the mimic joint itself, PhysX logs an error and creates no mimic joint.

    Measured: PhysX logs that the mimic joint and its reference joint are the same. {SCRIPT}
    """,
    fix="target another joint",
    example=usda.follower({"referenceJoint": "</Robot/j2>"}),
    remedy=VALID,
    base="referenceJoint",
)


def _include_repair(item: MimicDeclaration) -> Repair:
    return unsafe(SetValue(item.path, "physics:excludeFromArticulation", False, "bool"))


EXCLUDED_SELF = Refusal("DJ.007/excluded-self", "error", f"""
    Mimic joint outside its articulation

    If the follower joint has physics:excludeFromArticulation = true, PhysX logs an error and creates no mimic joint.

    Measured: PhysX logs that it supports mimic joints only on joints of an articulation. {SCRIPT}
    """,
    fix="set physics:excludeFromArticulation to false, or remove PhysxMimicJointAPI",
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

    If the reference joint has physics:excludeFromArticulation = true, PhysX logs an error and creates no mimic joint.

    Measured: If the reference joint is excluded, the follower joint stays at 0. {SCRIPT}
    """,
    fix="set physics:excludeFromArticulation of the reference joint to false, or target another joint",
    example=usda.joint("j1", {**usda.LIMITS, "bool physics:excludeFromArticulation": "true"}) + VALID,
    remedy=usda.joint("j1", usda.LIMITS) + VALID,
    base="referenceJoint",
    repair=_include_reference_repair,
)

MIMIC_DISABLED = Refusal("DJ.007/disabled", "warning", f"""
    Mimic joint with a disabled joint

    If the follower joint or its reference joint has physics:jointEnabled = false, PhysX creates no mimic joint. PhysX
    logs no message.

    Measured: If the reference joint is disabled, the follower joint stays at 0. A disabled follower joint is not part
    of the articulation. {SCRIPT}
    """,
    fix="set physics:jointEnabled to true on both joints",
    example=usda.follower({"bool physics:jointEnabled": "false"}),
    remedy=VALID,
)

MIMIC_JOINT_TYPE = Refusal("DJ.007/joint-type", "error", f"""
    Mimic joint on an unsupported joint type

    A mimic joint can couple revolute, prismatic and generic joints. A generic joint must have locked translations and a
    free rotation about the axis of the instance name. PhysX creates no mimic joint for other joint types.

    Measured: A generic follower joint with locked translations reaches 20.00 degrees. A generic follower joint with
    free transZ stays at 0, and a spherical follower joint also stays at 0. {SCRIPT}
    """,
    fix="use a revolute or prismatic joint, or lock transX, transY and transZ and free the rotation axis",
    example=usda.follower(_TRANSLATIONS, *(name for name in _LOCKED if "transZ" not in name), kind=""),
    remedy=usda.follower({**_TRANSLATIONS, "float limit:transZ:physics:low": "1",
                          "float limit:transZ:physics:high": "-1"}, *_LOCKED, kind=""),
)


def _default_axis_repair(item: MimicDeclaration) -> Repair | None:
    """Set rotX if the reference joint has one axis: PhysX then accepts any of the three names."""
    if item.reference_kind not in SINGLE_AXIS_KINDS:
        return None
    return safe(SetValue(item.path, property_name(item, "referenceJointAxis"), SLOT, "token"))


REFERENCE_AXIS = Refusal("DJ.007/reference-axis", "error", f"""
    Unsupported reference axis of a mimic joint

    referenceJointAxis must be rotX, rotY or rotZ, even if the reference joint has only one axis. For any other token
    PhysX logs an error and creates no mimic joint.

    Measured: With referenceJointAxis Z the follower joint stays at 0. {SCRIPT}
    """,
    fix="set referenceJointAxis to rotX, rotY or rotZ",
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
    """One finding for each refusal that no other finder reports."""
    if item.refusal_code not in _JUDGED_ELSEWHERE:
        rule = _REFUSALS[item.refusal_code]
        yield rule.at(item.path, property_name(item, rule.base), item.refusal, repair=rule.repair(item))


ORPHAN_PROPERTIES = Rule("DJ.007/orphan-properties", "error", """
    Mimic properties without PhysxMimicJointAPI

    PhysX reads physxMimicJoint:NAME properties only if the schema PhysxMimicJointAPI:NAME is applied to the joint.
    Without the schema PhysX ignores these properties and logs no message.

    Measured: If gearing and reference joint are authored without PhysxMimicJointAPI, the follower joint stays at 0.
    (`experiments/measure_mimics.py`)
    """,
    why=_NOT_CREATED,
    example=usda.joint("j2", {**usda.LIMITS, REFERENCE: "</Robot/j1>", "float physxMimicJoint:rotX:gearing": "-1"}),
    remedy=VALID,
)


@finder("mimic-orphans", ORPHAN_PROPERTIES)
def orphans(description: Description) -> Iterator[Finding]:
    """Mimic properties without their API."""
    for opinion in description.unused:
        if is_orphan(opinion):
            misspelt, not_applied = opinion.code == "misspelt-property", opinion.code == "not-applied"
            yield ORPHAN_PROPERTIES.at(
                opinion.path, opinion.property, opinion.reason,
                fix=opinion.suggestion or ("remove the property; PhysxMimicJointAPI has no such property" if misspelt
                                           else "apply PhysxMimicJointAPI with this instance name"),
                repair=_apply_repair(opinion.path, opinion.property) if not_applied else None,
            )


def _apply_repair(path: str, name: str) -> Repair | None:
    """Apply the API that a mimic property belongs to."""
    instance = name.split(":")[1] if name.count(":") > 1 else ""
    return unsafe(ApplySchema(path, f"{API}:{instance}")) if instance in ROTATIONS else None


def is_orphan(opinion: Opinion) -> bool:
    """Whether an unused opinion is a mimic property, which this rule reports."""
    return opinion.property.startswith("physxMimicJoint:")


@finder("mimic-declared", MIMIC_HOST, MIMIC_INSTANCE, REFERENCE_COUNT, *_REFUSALS.values())
def declarations(description: Description) -> Iterator[Finding]:
    """One finding for each reason why PhysX creates no mimic joint."""
    for item in description.mimic_declarations:
        yield from _refused(item)
        if item.refusal_code == "host":
            yield MIMIC_HOST.at(item.path, "apiSchemas", "PhysxMimicJointAPI is applied to a prim that is not a joint")
        else:
            yield from _instance(item)
            yield from _reference_count(item)


def property_name(item: MimicDeclaration, base: str) -> str:
    """A property of a mimic joint by its base name; the applied schema for none."""
    return f"physxMimicJoint:{item.instance}:{base}" if base else "apiSchemas"
