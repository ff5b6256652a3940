"""Opinions that PhysX reads to no effect, and those of other engines.

Why what PhysX knows has no effect where it is authored, and what would have had one.

Which numbers bound an axis, and which axes of a generic joint are free by them.

What PhysX reads of other engines' opinions as fallbacks, and what it has instead of the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pxr import Usd

from physx_schema.definitions import definitions
from physx_schema.description.model import unlimited
from physx_schema.description.model.joint import AXES, ROTATIONS, TRANSLATIONS
from physx_schema.description.opinions.counterparts import counterpart
from physx_schema.description.opinions.prim import PrimOpinions, closest_property, suggest_instance, suggest_property
from physx_schema.description.opinions.schemas import (
    IMPLIED,
    JOINT_KINDS,
    NOT_EVALUATED,
    OTHER_ENGINES,
    SCHEMAS,
    SINGLE_AXIS,
    WITHOUT_EFFECT,
    Owner,
    find_owner,
    similar_names,
    split_name,
)


def is_bound(number: float) -> bool:
    """Whether a number limits an axis: it is finite, and not so large that PhysX takes it for no bound."""
    return math.isfinite(number) and not unlimited(number)


def is_axis_free(opinions: PrimOpinions, axis: str) -> bool:
    """Whether a generic joint leaves an axis free; it is locked where a limit has its low bound above the high one."""
    view = opinions.view("PhysicsLimitAPI", axis)
    low, high = view.number("low"), view.number("high")
    return not (is_bound(low) or is_bound(high)) or not low > high


Reason = tuple[str, str, str]       # code, reason, suggestion

APPLY = "apply "        # how the suggestion to apply a schema begins
STATIC_MASS = "static-mass"     # code of masses that nothing could feel
MAXIMAL_ONLY = ("breakForce", "breakTorque", "collisionEnabled")    # what PhysX reads of joints beside articulations
_BOUNCING = ("restitution", "bounceThreshold")     # of PhysxLimitAPI
_SOFTENED = {"revolute": ("angular",), "prismatic": ("linear",), "spherical": ("cone",),     # its instances that act
             "d6": (*AXES, "distance")}
OF_BODIES = ("PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI")
_LIMITS = {"low": "physics:lowerLimit", "high": "physics:upperLimit"}
_REDUCED = ("PhysicsJointStateAPI", "PhysxJointAxisAPI", "PhysxDrivePerformanceEnvelopeAPI")
_AXIS_SCHEMAS = ("PhysicsDriveAPI", "PhysicsJointStateAPI", "PhysxJointAxisAPI", "PhysxDrivePerformanceEnvelopeAPI",
                 "PhysicsLimitAPI", "PhysxLimitAPI")
_INACTIVE = (   # start of the schema's name, why nothing reads it, what to do
    ("PhysxTendonAttachment", "the prim is not a link of an articulation",
     "apply the schema to a link of an articulation"),
    ("PhysicsMassAPI", "the prim is not a rigid body, and not a collider of a rigid body", "apply PhysicsRigidBodyAPI"),
    ("PhysxRigidBodyAPI", "the prim is not an enabled rigid body", "apply PhysicsRigidBodyAPI"),
    ("PhysxForceAPI", "no rigid body is at or above the prim",
     "apply the schema to a rigid body or to a prim below a rigid body"),
    ("PhysxArticulationAPI", "the prim is not the root prim of an articulation", "apply PhysicsArticulationRootAPI"),
    ("PhysxSceneAPI", "the prim is not the PhysicsScene in use", "apply the schema to the PhysicsScene"),
    ("PhysicsMeshCollisionAPI", "the prim is not a Mesh with PhysicsCollisionAPI",
     "apply the schema to a mesh that is a collider"),
    ("PhysxConvexHullCollisionAPI", "the prim is not a mesh with a convex hull",
     "set physics:approximation to convexHull"),
    ("PhysxCollisionAPI", "the prim has no collision shape", "apply PhysicsCollisionAPI to a prim with geometry"),
    ("PhysxMaterialAPI", "the prim is not a physics material", "apply PhysicsMaterialAPI"),
    ("PhysicsCollisionGroup", "PhysX does not read this property of a collision group",
     "list the groups in physics:filteredGroups, or set physxScene:invertCollisionGroupFilter on the scene"),
)

_MATERIAL = "Material"
_OF_MATERIALS = ("PhysicsMaterialAPI", "PhysxMaterialAPI")
# Applying the schemas to a collider would do nothing: PhysX reads them where a collider is bound.
_BIND = "use a Material with PhysicsMaterialAPI, and bind the colliders to that Material with material:binding:physics"


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What PhysX makes of the bodies and joints of a stage."""

    tree_joints: frozenset[str]          # joints of articulations
    bases: frozenset[str]           # joints that fix the base of one
    maximal_joints: frozenset[str]         # joints beside articulations
    refused: Mapping[str, str]       # joints that PhysX makes nowhere: why
    bodies: frozenset[str]          # that PhysX makes once, as links or by themselves
    dropped: Mapping[tuple[str, str], str]      # prim and "drive:angular": why PhysX drops it


def instance_prefix(name: str) -> str:
    """The namespace and the instance that a property belongs to: "drive:angular"."""
    return ":".join(name.split(":")[:2])


def why_unused(
    outcomes: Outcomes, opinions: PrimOpinions, name: str, candidates: Sequence[Owner], owner: Owner | None,
) -> Reason:
    """Why PhysX does not read a property."""
    if owner is not None:
        return why_inactive(outcomes, opinions, owner)
    options = [item for item in candidates if item.known and item.schema not in JOINT_KINDS]
    options.sort(key=lambda item: not _fits(opinions, item.schema))
    for item in options:
        better = _better_instance(opinions, item)
        if better:
            return "wrong-instance", f"{item.applied} is not applied to the prim", better
    declared = options[0] if options else find_owner(name)
    if declared is not None:
        return _why_not_applied(outcomes, opinions, declared)
    close = suggest_property(name) or closest_property(
        name, _property_names(opinions, name, candidates) | WITHOUT_EFFECT)
    if close == name:
        label = opinions.type_name or "prim without type"
        return "idle", f"a {label} has no property with this name; other prim types have such a property", ""
    return "misspelt-property", "no schema of the prim has a property with this name", close


def _why_not_applied(outcomes: Outcomes, opinions: PrimOpinions, owner: Owner) -> Reason:
    """What to do with a property whose schema is not applied: applying it is named alone where PhysX then reads it."""
    schema, applied = owner.schema, owner.applied
    if Usd.SchemaRegistry.IsTyped(Usd.SchemaRegistry.GetTypeFromSchemaTypeName(schema)) or (
            schema in definitions() and definitions()[schema].kind == "typed"):
        return "not-applied", f"the prim is not a {applied}", f"author the property on a {applied}"
    if schema in _OF_MATERIALS and opinions.type_name != _MATERIAL:
        return "not-applied", f"the prim is not a {_MATERIAL} with {applied}", _BIND
    reason, others = f"{applied} is not applied to the prim", opinions.instances(schema)
    if _belongs(outcomes, opinions, owner):
        is_free = others and schema in _NAMED_FREELY
        by_name = f", or author the property under {' or '.join(map(repr, others))}" if is_free else ""
        return "not-applied", reason, f"{APPLY}{applied}{by_name}"
    code, why, suggestion = why_inactive(outcomes, opinions, owner)
    if code == "wrong-instance":
        return code, f"{why}, and the property of that axis is authored too", ""
    if suggestion.startswith(f"{APPLY}Physics") and suggestion.count(" ") == 1:
        of_body = schema in OF_BODIES and opinions.type_name.startswith("Physics")      # no joint or scene is a body
        suggestion = "author the property on a rigid body" if of_body else f"{suggestion} and {applied}"
    return "not-applied", f"{reason}, and {why}", suggestion or (
        "author the property on a prim where PhysX reads it, or remove the property")


# Schemas whose instance names are the author's own.
_NAMED_FREELY = frozenset({
    "PhysxTendonAxisRootAPI", "PhysxTendonAxisAPI", "PhysxTendonAttachmentRootAPI", "PhysxTendonAttachmentAPI",
    "PhysxTendonAttachmentLeafAPI"})
# What a prim has to be for PhysX to read a schema on it; of joints see `_belongs_on_joint`.
_HOSTS: Mapping[str, Callable[[Outcomes, PrimOpinions], bool]] = {
    "PhysxTendonAttachment": lambda outcomes, opinions: opinions.path in outcomes.bodies,
    "PhysicsMassAPI": lambda _, opinions: opinions.has("PhysicsRigidBodyAPI") or opinions.has("PhysicsCollisionAPI"),
    "PhysxRigidBodyAPI": lambda _, opinions: opinions.has("PhysicsRigidBodyAPI"),
    "PhysxForceAPI": lambda outcomes, opinions: _is_in_body(outcomes, opinions.path),
    "PhysxContactReportAPI": lambda outcomes, opinions: opinions.path in outcomes.bodies or (
        opinions.has("PhysicsCollisionAPI") and not _is_in_body(outcomes, opinions.path)),
    "PhysxArticulationAPI": lambda _, opinions: opinions.has("PhysicsArticulationRootAPI"),
    "PhysxSceneAPI": lambda _, opinions: opinions.type_name == "PhysicsScene",
    "PhysicsMeshCollisionAPI": lambda _, opinions: (
        opinions.type_name == "Mesh" and opinions.has("PhysicsCollisionAPI")),
    "PhysxConvexHullCollisionAPI": lambda _, opinions: opinions.has("PhysicsMeshCollisionAPI"),
    "PhysxCollisionAPI": lambda _, opinions: opinions.has("PhysicsCollisionAPI"),
    "PhysicsMaterialAPI": lambda _, opinions: opinions.type_name == "Material",
    "PhysxMaterialAPI": lambda _, opinions: opinions.has("PhysicsMaterialAPI"),
    "PhysxPhysicsDistanceJointAPI": lambda _, opinions: opinions.joint_kind == "distance",
}


def _belongs(outcomes: Outcomes, opinions: PrimOpinions, owner: Owner) -> bool:
    """Whether PhysX would read a schema on this prim if it were applied."""
    if owner.schema in _AXIS_SCHEMAS or owner.schema.startswith(("PhysxTendonAxis", "PhysxMimicJoint")):
        return _belongs_on_joint(outcomes, opinions, owner)
    return all(fits(outcomes, opinions) for start, fits in _HOSTS.items() if owner.schema.startswith(start))


def _belongs_on_joint(outcomes: Outcomes, opinions: PrimOpinions, owner: Owner) -> bool:
    kind, schema, outside = opinions.joint_kind, owner.schema, opinions.path in outcomes.maximal_joints
    if kind is None or kind == "fixed" or opinions.path in outcomes.bases or opinions.path in outcomes.refused:
        return False
    if schema not in _AXIS_SCHEMAS:
        return not outside
    if schema == "PhysxLimitAPI":
        return outside and owner.instance in _SOFTENED.get(kind, ())
    if outside and schema in _REDUCED:
        return False
    if schema == "PhysxDrivePerformanceEnvelopeAPI" and not opinions.has("PhysicsDriveAPI", owner.instance):
        return False
    if kind in SINGLE_AXIS:
        return owner.instance == SINGLE_AXIS[kind] and schema != "PhysicsLimitAPI"
    if kind == "spherical":
        return schema == "PhysxJointAxisAPI" and owner.instance in ROTATIONS
    return kind == "d6" and owner.instance in (*AXES, "distance")


def _is_in_body(outcomes: Outcomes, path: str) -> bool:
    """Whether a body is at or above a prim."""
    while path and path not in outcomes.bodies:
        path = path.rpartition("/")[0]
    return bool(path)


def _fits(opinions: PrimOpinions, schema: str) -> bool:
    """Whether a schema of the tendon family belongs on this kind of prim."""
    return not schema.startswith("PhysxTendonAttachment" if opinions.joint_kind else "PhysxTendonAxis")


def _better_instance(opinions: PrimOpinions, owner: Owner) -> str:
    """The property's name under the instance that was meant, "" where there is none or it is authored too."""
    expected = SINGLE_AXIS.get(opinions.joint_kind or "", "") if owner.schema in _AXIS_SCHEMAS else ""
    instance = suggest_instance(owner, opinions.instances(owner.schema), expected)
    better = SCHEMAS[owner.schema].name(owner.base, instance) if instance else ""
    return "" if better and opinions.authors(better) else better


def why_inactive(outcomes: Outcomes, opinions: PrimOpinions, owner: Owner) -> Reason:
    """Why a known property or schema on this prim has no effect."""
    key = opinions.path, instance_prefix(SCHEMAS[owner.schema].name("", owner.instance))
    if key in outcomes.dropped:
        return "dropped", outcomes.dropped[key], ""
    if owner.schema == "PhysxLimitAPI" and opinions.path in outcomes.maximal_joints and owner.base in _BOUNCING:
        return "idle", "PhysX uses this value only for hard limits with a restitution above 0", "remove it"
    if owner.schema == "PhysxLimitAPI" and opinions.path not in outcomes.maximal_joints | outcomes.refused.keys():
        reason = "PhysX does not soften the limits of articulation joints"
        return "soft-limit", reason, "remove PhysxLimitAPI; the limits stay hard"
    if opinions.path in outcomes.refused:
        return "dropped", f"PhysX does not create the joint: {outcomes.refused[opinions.path]}", ""
    if opinions.path in outcomes.bases:
        code = "idle" if opinions.joint_kind == "fixed" else "fixed-base"
        return code, "the joint fixes the base of an articulation, and PhysX reads nothing else from this joint", ""
    if owner.schema in JOINT_KINDS and owner.base in MAXIMAL_ONLY and opinions.path in outcomes.tree_joints:
        return "idle", "PhysX does not read this value on a joint of an articulation", ""
    if owner.schema in _AXIS_SCHEMAS or owner.schema.startswith(("PhysxTendonAxis", "PhysxMimicJoint")):
        return _why_inactive_on_joint(outcomes, opinions, owner)
    if owner.base == "enableExternalForcesEveryIteration":
        return ("idle", "the PGS solver ignores this value and applies external forces once in each step",
                "set physxScene:solverType to TGS")
    if owner.base == "gearing" and f"PhysxTendonAttachmentRootAPI:{owner.instance}" in opinions.used_schemas:
        return ("idle", "PhysX ignores the gearing of a root attachment",
                "author the gearing of the attachments below the root")
    if owner.schema in OF_BODIES and opinions.has("PhysicsRigidBodyAPI") and opinions.path not in outcomes.bodies:
        enabled = opinions.view("PhysicsRigidBodyAPI").flag("rigidBodyEnabled")
        fix = "correct the problems of the body" if enabled else "set physics:rigidBodyEnabled to true"
        return "idle", "PhysX makes no body of the prim", fix
    if owner.schema == "PhysxMaterialAPI" and opinions.type_name != _MATERIAL:
        return "idle", "the prim is not a physics material", _BIND
    of_body = owner.schema in OF_BODIES and opinions.path in outcomes.bodies
    if owner.schema == "PhysicsMassAPI" and not of_body and opinions.has("PhysicsCollisionAPI"):
        return STATIC_MASS, "the collider is static, and PhysX ignores its mass", ""
    for start, reason, suggestion in _INACTIVE:
        if owner.schema.startswith(start) and not of_body:
            return "idle", reason, suggestion
    return "idle", "nothing on the stage uses this opinion", ""


def _why_inactive_on_joint(outcomes: Outcomes, opinions: PrimOpinions, owner: Owner) -> Reason:
    kind = opinions.joint_kind
    if kind is None:
        return "idle", "the prim is not a joint", "apply the schema to the joint"
    if not opinions.joint_view().flag("jointEnabled"):
        return "disabled", "the joint is disabled", "set physics:jointEnabled to true"
    expected = SINGLE_AXIS.get(kind)
    if owner.schema == "PhysicsLimitAPI" and expected:
        return _why_no_limit(opinions, owner)
    if owner.schema in _AXIS_SCHEMAS and expected and owner.instance != expected:
        better = SCHEMAS[owner.schema].name(owner.base, expected) if owner.base else f"{owner.schema}:{expected}"
        return "wrong-instance", f"a {kind} joint has only the axis {expected!r}", better
    if owner.schema in _REDUCED and opinions.path in outcomes.maximal_joints:
        return ("idle", f"PhysX reads {owner.schema} only on joints of an articulation",
                "connect the joint to links of an articulation")
    if owner.schema == "PhysxDrivePerformanceEnvelopeAPI" and opinions.path in outcomes.tree_joints and (
            kind in (*SINGLE_AXIS, "d6") and not opinions.has("PhysicsDriveAPI", owner.instance)):
        return ("no-drive", "an envelope limits a drive, and the axis has no drive",
                f"apply PhysicsDriveAPI:{owner.instance}")
    if kind == "d6" and opinions.path in outcomes.tree_joints and owner.instance in (*TRANSLATIONS, "distance"):
        return "idle", "PhysX locks the translations of a generic joint in an articulation", "use a prismatic joint"
    if kind == "d6" and owner.instance in AXES and not is_axis_free(opinions, owner.instance):
        return "idle", f"{owner.instance} is locked: its low limit is above the high one", "author low < high"
    if owner.schema.startswith("PhysxTendon") and expected and opinions.path not in outcomes.tree_joints:
        return "idle", "the joint is not in an articulation", "connect the joint to links of an articulation"
    if owner.schema == "PhysxLimitAPI" and owner.instance in _SOFTENED.get(kind, ()):
        return ("idle", "the joint has no limits that PhysxLimitAPI could soften",
                "author limits, or remove PhysxLimitAPI")
    return "idle", f"PhysX does not read this opinion on a {kind} joint", ""


def _why_no_limit(opinions: PrimOpinions, owner: Owner) -> Reason:
    """Of limits of generic joints on a joint that has two of its own."""
    reason, better = f"a {opinions.joint_kind} joint has its limits in the joint schema", _LIMITS.get(owner.base, "")
    if not better:
        return "idle", reason, "author physics:lowerLimit and physics:upperLimit"
    return ("idle", f"{reason}, and {better} is authored too", "remove it") if opinions.authors(better) else (
        "wrong-instance", reason, better)


def instance_for(opinions: PrimOpinions, schema: str) -> str:
    if schema == "PhysxMimicJointAPI":
        return "rotX"
    return SINGLE_AXIS.get(opinions.joint_kind or "", "name") if schema in _AXIS_SCHEMAS else "name"


def _property_names(opinions: PrimOpinions, name: str, candidates: Sequence[Owner]) -> set[str]:
    """Names that a misspelt property may have been meant for."""
    names = {*opinions.defined(), *similar_names(name)}
    for applied in (opinions.type_name, *opinions.applied):
        schema, instance = split_name(applied)
        if schema in SCHEMAS:
            known = (*SCHEMAS[schema].defaults, *NOT_EVALUATED.get(schema, ()))
            names.update(SCHEMAS[schema].name(base, instance) for base in known)
    for owner in candidates:
        names.update(SCHEMAS[owner.schema].name(base, owner.instance) for base in SCHEMAS[owner.schema].defaults)
    return names


_NAMESPACES: Mapping[str, str] = {name.lower(): engine for name, engine in OTHER_ENGINES.items()}

_HULLS = "newton:maxHullVertices"

# Properties of other engines that PhysX reads and no fact holds, with what they are about.
_READ: Mapping[str, str] = {
    "newton:timeStepsPerSecond": "the time step, which the caller of the simulation sets",
    "newton:selfCollisionEnabled": "contacts", "newton:contactMargin": "contacts", "newton:contactGap": "contacts",
    _HULLS: "contacts",
}

# The schema of PhysX that, once applied, decides in place of a property: with its default where nothing is authored.
_DECIDING: Mapping[str, tuple[str, str]] = {
    "newton:selfCollisionEnabled": ("PhysxArticulationAPI", "physxArticulation:enabledSelfCollisions"),
    _HULLS: ("PhysxConvexHullCollisionAPI", "physxConvexHullCollision:hullVertexLimit"),
}

# PhysX's own property, of a schema, that hides one on prims on which the schema was read.
_HIDING: Mapping[str, tuple[str, str]] = {
    "newton:contactMargin": ("PhysxCollisionAPI", "physxCollision:restOffset"),
    "newton:contactGap": ("PhysxCollisionAPI", "physxCollision:contactOffset"),
}


@lru_cache(4096)
def engine_of(name: str) -> str:
    """The engine whose schema or property a name is, "" for USD's and PhysX's own."""
    head, separator, _ = name.partition(":")
    if separator and head in _NAMESPACES:
        return _NAMESPACES[head]
    return next((engine for start, engine in OTHER_ENGINES.items() if name.startswith(start)), "")


def what_is_read(opinions: PrimOpinions, name: str) -> str:
    """What a property of another engine is about that PhysX reads on the prim; "" where it does not."""
    unread = _is_decided(opinions, name) or _is_hidden(opinions, name) or (name == _HULLS and not _is_split(opinions))
    return "" if unread else _READ.get(name, "")


def _is_decided(opinions: PrimOpinions, name: str) -> bool:
    return name in _DECIDING and opinions.has(_DECIDING[name][0])


def _is_split(opinions: PrimOpinions) -> bool:
    """Whether PhysX makes several hulls of a mesh with limits that Newton's may be."""
    api = "PhysxConvexDecompositionCollisionAPI"
    return opinions.peek("physics:approximation") == "convexDecomposition" and not opinions.has(api)


def _is_hidden(opinions: PrimOpinions, name: str) -> bool:
    return name in _HIDING and _HIDING[name][0] in opinions.used_schemas


def why_schema_unused(opinions: PrimOpinions, name: str) -> Reason | None:
    """Why an applied schema or prim type of another engine has no effect; None where something of it has."""
    if name in IMPLIED:
        return None         # it brings a schema of PhysX with it
    if name in SCHEMAS:
        used = name in opinions.used_schemas
        where = "on the scene that PhysX uses" if name == "NewtonSceneAPI" else "on joints of an articulation"
        return None if used else ("idle", f"{name}: PhysX reads this schema only {where}", "")
    return "other-engine", f"{name}: a schema of {engine_of(name)}, which PhysX does not read", ""


def why_property_unused(opinions: PrimOpinions, name: str, inside: bool) -> Reason:
    """Why an unread property of another engine has no effect; `inside` for joints of an articulation."""
    engine = engine_of(name)
    base = name.partition(":")[2]
    if engine == "Newton":
        if base in SCHEMAS["NewtonJointAPI"].defaults:
            if not inside:
                return "idle", ("PhysX reads this property only on joints of an "
                                "articulation"), "author the property on a joint of an articulation"
            return "overridden", "PhysX uses its own property of this joint axis instead", ""
        if base in SCHEMAS["NewtonMimicAPI"].defaults and opinions.joint_kind is not None:
            return "idle", "PhysX makes no mimic joint from NewtonMimicAPI on this joint", ""
    if name == _HULLS and not _is_decided(opinions, name):
        return "idle", "PhysX reads this property only on meshes that PhysX converts to convex hulls", ""
    if name in _DECIDING:
        schema, physx_name = _DECIDING[name]
        return "overridden", f"PhysX uses {physx_name} of {schema}, even if that property is not authored", physx_name
    if _is_hidden(opinions, name):
        schema, physx_name = _HIDING[name]
        return "overridden", f"PhysX uses {physx_name} of {schema} instead", physx_name
    return "other-engine", f"a property of {engine} that PhysX does not read", counterpart(opinions, name)
