"""The account of a stage: every physics opinion became a fact, is unused with a reason, or is not evaluated."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from physx_schema.definitions import definitions
from physx_schema.description.model import Articulation, Authored, Joint, Link, Opinion, unlimited
from physx_schema.description.opinions.axes import is_axis_free
from physx_schema.description.opinions.circumstances import report_connection
from physx_schema.description.opinions.coverage import NOT_EVALUATED, OTHER_SCHEMAS, WITHOUT_EFFECT, namespace
from physx_schema.description.opinions.engines import engine_of, what_is_read, why_property_unused, why_schema_unused
from physx_schema.description.opinions.hints import (
    closest,
    closest_property,
    meant_instance,
    meant_property,
    meant_schema,
)
from physx_schema.description.opinions.ownership import Owner, declaring, elsewhere, names_like, owners
from physx_schema.description.opinions.prim import PrimOpinions, is_physics_schema
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.opinions.retirement import Retired, retired_property, retired_schema
from physx_schema.description.opinions.roles import Roles, read_roles
from physx_schema.description.opinions.schemas import JOINT_KINDS, ROTATIONS, SCHEMAS, TRANSLATIONS, split_name
from physx_schema.description.opinions.view import Seen

_AXIS_SCHEMAS = ("PhysicsDriveAPI", "PhysicsJointStateAPI", "PhysxJointAxisAPI", "PhysxDrivePerformanceEnvelopeAPI",
                 "PhysicsLimitAPI", "PhysxLimitAPI")
_TOUCHING = frozenset({
    "PhysicsCollisionAPI", "PhysxCollisionAPI", "PhysicsMeshCollisionAPI", "PhysxConvexHullCollisionAPI",
    "PhysicsMaterialAPI", "PhysxMaterialAPI", "PhysicsFilteredPairsAPI",
})
_IDLE = (   # start of the schema's name, why nothing reads it, what to do
    ("PhysxTendonAttachment", "the prim is not a link of an articulation", "apply it to a link of an articulation"),
    ("PhysicsMassAPI", "the prim is neither a rigid body nor a collider of one", "apply PhysicsRigidBodyAPI"),
    ("PhysxRigidBodyAPI", "the prim is not an enabled rigid body", "apply PhysicsRigidBodyAPI"),
    ("PhysxForceAPI", "no rigid body is at or above the prim", "apply it to a rigid body or to a prim below one"),
    ("PhysxArticulationAPI", "no articulation has its root API on the prim", "apply PhysicsArticulationRootAPI"),
    ("PhysxSceneAPI", "the prim is not the PhysicsScene in use", "apply it to the PhysicsScene"),
    ("PhysicsMeshCollisionAPI", "the prim is no Mesh with PhysicsCollisionAPI", "apply it to a mesh that collides"),
    ("PhysxConvexHullCollisionAPI", "the prim is no mesh that becomes a convex hull",
     "set physics:approximation to convexHull"),
    ("PhysxCollisionAPI", "the prim makes no collision shape", "apply PhysicsCollisionAPI to a prim with geometry"),
    ("PhysxMaterialAPI", "the prim is no physics material", "apply PhysicsMaterialAPI"),
    ("PhysicsCollisionGroup", "PhysX does not read it",
     "list the groups in physics:filteredGroups, or invert the filter of the scene with "
     "physxScene:invertCollisionGroupFilter"),
)
_OF_BODIES = ("PhysicsRigidBodyAPI", "PhysicsMassAPI", "PhysxRigidBodyAPI")
_REDUCED = ("PhysicsJointStateAPI", "PhysxJointAxisAPI", "PhysxDrivePerformanceEnvelopeAPI")
_UNMADE = frozenset({
    "DJ.011/loop", "joint/same-body", "joint/no-bodies", "joint/static", "joint/several-scenes",
})
_OUTSIDE_ONLY = {"breakForce": math.inf, "breakTorque": math.inf, "collisionEnabled": False}
CONTACTS = "contacts"       # what opinions are about that are not evaluated, and their code
_KINDS = 4096       # of prims, by type, applied schemas and properties, that are remembered
Reason = tuple[str, str, str]       # code, reason, suggestion
_APPLY = "apply "
_REPEATED = "bodies that a point instancer repeats"
_INSTANCES = {"revolute": "angular", "prismatic": "linear"}


_LOCAL_VELOCITIES = "physics:localSpaceVelocities"      # custom data of a body, where it is true


@dataclass(slots=True)
class Account:
    """Where the opinions of a stage went."""

    roles: Roles
    authored: list[Authored] = field(default_factory=list)
    unused: list[Opinion] = field(default_factory=list)
    not_evaluated: list[Opinion] = field(default_factory=list)
    consumed: set[str] = field(default_factory=set)
    contacts: bool = True       # whether anything on the stage can touch
    dropped: dict[tuple[str, str], str] = field(default_factory=dict)   # prim and "drive:angular": why it was dropped
    inside: frozenset[str] = frozenset()        # joints of articulations
    bases: frozenset[str] = frozenset()         # joints that fix the base of one
    outside: frozenset[str] = frozenset()       # joints beside articulations
    unmade: dict[str, str] = field(default_factory=dict)    # joints that PhysX makes nowhere: why
    bodies: frozenset[str] = frozenset()        # that PhysX makes once, as links or by themselves
    repeated: frozenset[str] = frozenset()      # bodies and what is in them, in a point instancer


def settle(
    reading: Reading, articulations: Sequence[Articulation], bodies: Sequence[Link], joints: Sequence[Joint],
) -> Account:
    """Account for every physics opinion, after all facts have been read."""
    account = Account(
        read_roles(reading, articulations, bodies),
        contacts=any(reading.having("PhysicsCollisionAPI")), dropped=_dropped(reading),
        inside=frozenset(link.joint.path for item in articulations for link in item.links if link.joint is not None),
        bases=frozenset(item.base_joint.path for item in articulations if item.base_joint is not None),
        outside=frozenset(joint.path for joint in joints),
        unmade={problem.path: problem.message for problem in reading.problems if problem.code in _UNMADE},
        bodies=frozenset(link.path for link in chain(bodies, *(item.links for item in articulations))),
        repeated=frozenset(path for path in reading.copies if not reading.is_proxy(path) and reading.body_of(path)),
    )
    account.not_evaluated += _unsimulated(articulations, bodies, joints)
    for opinions in reading.prims.values():
        if is_physics_schema(opinions.type_name):
            _settle_type(account, opinions)
        if opinions.path in account.bodies and opinions.prim.GetCustomDataByKey(_LOCAL_VELOCITIES):
            account.not_evaluated.append(Opinion(opinions.path, "", f"custom data {_LOCAL_VELOCITIES}: Omniverse sets "
                                                 "and writes the body's velocities in its own axes with it; ovphysx "
                                                 "does not read it, and here they are in the world's"))
        for applied in opinions.applied:
            if applied in _TOUCHING or (is_physics_schema(applied) and applied not in opinions.used_schemas):
                _settle_schema(account, opinions, applied)
        for item in _properties(opinions.type_name, opinions.applied, opinions.properties):
            seen = opinions.look(item.name)
            if seen.authored:
                _settle_property(account, opinions, item, seen)
            elif opinions.only_samples(item.name):
                reading.problem(
                    "value/only-samples", opinions.path, item.name, "time samples and no default value",
                    "PhysX reads the default time and works with its own default", "author a default value", "warning",
                )
            elif not opinions.instances("PhysxMimicJointAPI"):      # there they are reported, values or not
                report_connection(reading, opinions, item.name)
    return account


def _dropped(reading: Reading) -> dict[tuple[str, str], str]:
    """Parts of tendons that the reader reported, and drives that PhysX refuses."""
    return {(problem.path, _part(problem.property)): problem.message for problem in reading.problems
            if problem.property.startswith("physxTendon:") or problem.code == "joint/drive-refused"}


def _part(name: str) -> str:
    """The namespace and the instance that a property belongs to: "drive:angular"."""
    return ":".join(name.split(":")[:2])


def _unsimulated(
    articulations: Iterable[Articulation], bodies: Iterable[Link], joints: Sequence[Joint],
) -> Iterator[Opinion]:
    """Facts that no solver of this library steps."""
    for articulation in articulations:
        if not articulation.enabled:
            yield Opinion(articulation.path, "physxArticulation:articulationEnabled",
                          "an articulation that is switched off, whose bodies and joints PhysX simulates separately")
    held = {path for joint in joints for path in (joint.body0, joint.body1)}
    for body in bodies:
        if body.path in held:
            yield Opinion(body.path, "", "a rigid body that joints outside articulations hold is not simulated")
    for joint in joints:
        yield Opinion(joint.path, "", "a joint outside articulations is not simulated")


def _settle_type(account: Account, opinions: PrimOpinions) -> None:
    """A prim type of PhysX without facts. Joints are accounted for one by one elsewhere."""
    name = opinions.type_name
    if gone := retired_schema(name):
        account.unused.append(_retired(opinions, "", name, gone))
    elif engine_of(name):
        reason = f"a prim type of {engine_of(name)}, which PhysX does not read"
        account.unused.append(Opinion(opinions.path, "", f"{name}: {reason}", "", "other-engine"))
    elif name in OTHER_SCHEMAS and name not in JOINT_KINDS:
        account.not_evaluated.append(Opinion(opinions.path, "", f"{name}: {OTHER_SCHEMAS[name]} are not simulated"))
    elif name not in SCHEMAS and name not in JOINT_KINDS and name not in OTHER_SCHEMAS:
        close = meant_schema(name) or closest(name, (*SCHEMAS, *OTHER_SCHEMAS))
        account.unused.append(Opinion(opinions.path, "", f"PhysX has no prim type {name}", close, "misspelt-schema"))


def _settle_schema(account: Account, opinions: PrimOpinions, applied: str) -> None:
    name, instance = split_name(applied)
    if engine_of(name):
        why = why_schema_unused(opinions, name)
        if why is not None:
            account.unused.append(Opinion(opinions.path, "apiSchemas", why[1], why[2], why[0]))
    elif name in OTHER_SCHEMAS or applied in opinions.used_schemas:
        about = OTHER_SCHEMAS.get(name, CONTACTS)
        account.not_evaluated.append(Opinion(opinions.path, "apiSchemas", f"{applied}: {about} are not simulated",
                                             code=about if about == CONTACTS else ""))
    elif gone := retired_schema(name):
        account.unused.append(_retired(opinions, "apiSchemas", applied, gone))
    elif name not in SCHEMAS:
        close = meant_schema(name) or closest(name, (*SCHEMAS, *OTHER_SCHEMAS))
        reason = f"{applied}: PhysX has no schema of this name"
        suggestion = close and applied.replace(name, close, 1)
        account.unused.append(Opinion(opinions.path, "apiSchemas", reason, suggestion, "misspelt-schema", applied))
    elif name == "PhysxLimitAPI" and opinions.path in account.outside:
        reason = f"{applied}: soft limits of joints outside articulations are not simulated"
        account.not_evaluated.append(Opinion(opinions.path, "apiSchemas", reason))
    elif name in _OF_BODIES and opinions.path in account.repeated:
        account.not_evaluated.append(Opinion(opinions.path, "apiSchemas", f"{applied}: {_REPEATED} are not simulated"))
    elif SCHEMAS[name].multiple and not instance:
        reason = f"{applied} needs an instance name"
        suggestion = f"{name}:{_instance_for(opinions, name)}"
        account.unused.append(Opinion(opinions.path, "apiSchemas", reason, suggestion, "no-instance", applied))
    else:
        code, reason, suggestion = _why_idle(account, opinions, Owner(name, instance, ""))
        account.unused.append(Opinion(opinions.path, "apiSchemas", f"{applied}: {reason}", suggestion, code, applied))


class _Property(NamedTuple):
    """A property on prims of one kind."""

    name: str
    owner: Owner | None     # the schema on the prim that has it as far as facts go
    schema: str             # the one that declares it at all, "" where none does
    base: str               # its name there


@lru_cache(_KINDS)
def _properties(type_name: str, applied: tuple[str, ...], names: tuple[str, ...]) -> tuple[_Property, ...]:
    """The properties of prims of one kind."""
    schemas = (type_name, *applied)
    found = []
    for name in names:
        owner = next((item for item in owners(name) if item.known and item.applied in schemas), None)
        declared = owner or declaring(schemas, name)
        found.append(_Property(name, owner, declared.schema if declared else "", declared.base if declared else ""))
    return tuple(found)


def _settle_property(account: Account, opinions: PrimOpinions, item: _Property, seen: Seen) -> None:
    path, name = opinions.path, item.name
    account.authored.append(Authored(path, name, seen.value, seen.type_name, item.schema, item.base))
    unread = account.roles.why_unread(opinions, name)
    if unread is not None and not account.roles.says_nothing(opinions, name):
        code, reason, suggestion = unread
        account.unused.append(Opinion(path, name, reason, suggestion, code))
        return
    if seen.used or unread is not None:
        account.consumed.add(f"{path}.{name}")
        return
    gone = retired_property(name)
    if gone is not None:
        account.unused.append(_retired(opinions, name, name, gone))
        return
    found = owners(name)
    about = _about(account, opinions, name, found)
    idle = (name in WITHOUT_EFFECT and opinions.has("PhysxSceneAPI")) or (about == CONTACTS and not account.contacts)
    if idle or _is_default_of_articulation_joint(account, opinions, name):
        account.consumed.add(f"{opinions.path}.{name}")
    elif about:
        account.not_evaluated.append(Opinion(opinions.path, name, f"about {about}, which is not simulated",
                                             code=about if about == CONTACTS else ""))
    else:
        code, reason, suggestion = _why_unused(account, opinions, name, found, item.owner)
        wanted = suggestion.removeprefix(_APPLY) if code == "not-applied" and suggestion.startswith(_APPLY) else ""
        account.unused.append(Opinion(opinions.path, name, reason, suggestion, code, wanted))


def _is_default_of_articulation_joint(account: Account, opinions: PrimOpinions, name: str) -> bool:
    """Whether a property that only joints outside articulations have says what joints of articulations do anyway."""
    base = name.removeprefix("physics:")
    if base not in _OUTSIDE_ONLY or (opinions.path not in account.inside and opinions.path not in account.bases):
        return False
    value = opinions.peek(name)
    return value == _OUTSIDE_ONLY[base] or (isinstance(value, float) and unlimited(value))


def _about(account: Account, opinions: PrimOpinions, name: str, found: Sequence[Owner]) -> str:
    """What an unread property is about where PhysX reads it; empty where it does not."""
    if engine_of(name):
        return what_is_read(opinions, name)
    for owner in found:
        if opinions.has_owner(owner):
            if owner.schema in _OF_BODIES and opinions.path in account.repeated:
                return _REPEATED
            if owner.schema in _OF_BODIES and opinions.path not in account.bodies:
                return ""       # PhysX makes no body of the prim
            if owner.schema == "PhysxLimitAPI" and opinions.path in account.outside:
                return "soft limits of joints outside articulations"
            schema = "PhysicsJoint" if owner.schema in JOINT_KINDS else owner.schema
            about = NOT_EVALUATED.get(schema, {}).get(owner.base) or NOT_EVALUATED.get(owner.schema, {}).get(owner.base)
            if about:
                return about
    if opinions.type_name in OTHER_SCHEMAS and opinions.type_name not in SCHEMAS and name in opinions.defined():
        return OTHER_SCHEMAS[opinions.type_name]
    head = name.partition(":")[0]
    for applied in opinions.applied:
        schema = split_name(applied)[0]
        if schema in OTHER_SCHEMAS and (head == namespace(schema) or name in opinions.defined()):
            return OTHER_SCHEMAS[schema]
    return ""


def _why_unused(
    account: Account, opinions: PrimOpinions, name: str, found: Sequence[Owner], owner: Owner | None,
) -> Reason:
    """Why PhysX does not read a property."""
    if engine_of(name):
        return why_property_unused(opinions, name, opinions.path in account.inside)
    if owner is not None:
        return _why_idle(account, opinions, owner)
    options = [item for item in found if item.known and item.schema not in JOINT_KINDS]
    options.sort(key=lambda item: not _fits(opinions, item.schema))
    for item in options:
        better = _better_instance(opinions, item)
        if better:
            return "wrong-instance", f"{item.applied} is not applied to the prim", better
    declared = options[0] if options else elsewhere(name)
    if declared is not None:
        if declared.schema in definitions() and definitions()[declared.schema].kind == "typed":
            return "not-applied", f"the prim is no {declared.applied}", f"define a {declared.applied}"
        return "not-applied", f"{declared.applied} is not applied to the prim", _APPLY + declared.applied
    close = meant_property(name) or closest_property(
        name, _property_names(opinions, name, found) | WITHOUT_EFFECT)
    if close == name:
        return "idle", f"a {opinions.type_name or 'prim without type'} has no property of this name, other types do", ""
    return "misspelt-property", "no schema of the prim has a property of this name", close


def _fits(opinions: PrimOpinions, schema: str) -> bool:
    """Whether a schema of the tendon family belongs on this kind of prim."""
    return not schema.startswith("PhysxTendonAttachment" if opinions.joint_kind else "PhysxTendonAxis")


def _better_instance(opinions: PrimOpinions, owner: Owner) -> str:
    """The property's name under the instance that was meant, "" where there is none or it is authored too."""
    right = _INSTANCES.get(opinions.joint_kind or "", "") if owner.schema in _AXIS_SCHEMAS else ""
    instance = meant_instance(owner, opinions.instances(owner.schema), right)
    better = SCHEMAS[owner.schema].name(owner.base, instance) if instance else ""
    return "" if better and opinions.authors(better) else better


def _why_idle(account: Account, opinions: PrimOpinions, owner: Owner) -> Reason:
    """Why a known property or schema on this prim has no effect."""
    part = _part(SCHEMAS[owner.schema].name("", owner.instance))
    if (opinions.path, part) in account.dropped:
        return "dropped", account.dropped[opinions.path, part], ""
    if owner.schema == "PhysxLimitAPI" and opinions.path not in account.unmade:
        reason = "PhysX does not soften the limits of articulation joints"
        return "soft-limit", reason, "remove it; limits are hard"
    if opinions.path in account.unmade:
        return "dropped", f"PhysX makes no joint of it: {account.unmade[opinions.path]}", ""
    if opinions.path in account.bases:
        return "idle", "the joint fixes the base of an articulation, and PhysX takes nothing but that from it", ""
    if owner.schema in JOINT_KINDS and owner.base in _OUTSIDE_ONLY and opinions.path in account.inside:
        return "idle", "PhysX does not read it on a joint of an articulation", ""
    if owner.schema in _AXIS_SCHEMAS or owner.schema.startswith(("PhysxTendonAxis", "PhysxMimicJoint")):
        return _why_idle_on_joint(account, opinions, owner)
    if owner.base == "enableExternalForcesEveryIteration":
        return "idle", "the PGS solver applies forces once a step, whatever it says", "set physxScene:solverType to TGS"
    if owner.base == "gearing" and f"PhysxTendonAttachmentRootAPI:{owner.instance}" in opinions.used_schemas:
        return "idle", "PhysX ignores the gearing of a root attachment", "author it on the attachments below the root"
    if owner.schema in _OF_BODIES and opinions.has("PhysicsRigidBodyAPI") and opinions.path not in account.bodies:
        enabled = opinions.view("PhysicsRigidBodyAPI").flag("rigidBodyEnabled")
        fix = "repair what is reported of the body" if enabled else "set physics:rigidBodyEnabled to true"
        return "idle", "PhysX makes no body of the prim", fix
    for start, reason, suggestion in _IDLE:
        if owner.schema.startswith(start):
            return "idle", reason, suggestion
    return "idle", "nothing on the stage makes use of it", ""


def _why_idle_on_joint(account: Account, opinions: PrimOpinions, owner: Owner) -> Reason:
    kind = opinions.joint_kind
    if kind is None:
        return "idle", "the prim is not a joint", "apply it to the joint"
    if not opinions.joint_view().flag("jointEnabled"):
        return "disabled", "the joint is disabled", "set physics:jointEnabled to true"
    right = _INSTANCES.get(kind)
    if owner.schema in _AXIS_SCHEMAS and right and owner.instance != right:
        better = SCHEMAS[owner.schema].name(owner.base, right) if owner.base else f"{owner.schema}:{right}"
        return "wrong-instance", f"a {kind} joint has only the axis {right!r}", better
    if owner.schema in _REDUCED and opinions.path in account.outside:
        return "idle", "PhysX reads it on joints of an articulation only", "connect the joint to links of one"
    if owner.schema == "PhysxDrivePerformanceEnvelopeAPI" and opinions.path in account.inside and (
            not opinions.has("PhysicsDriveAPI", owner.instance)):
        return ("no-drive", "an envelope bounds what a drive does, and the axis has no drive",
                f"apply PhysicsDriveAPI:{owner.instance}")
    if kind == "d6" and opinions.path in account.inside and owner.instance in (*TRANSLATIONS, "distance"):
        return "idle", "in an articulation PhysX locks the translations of a generic joint", "use a prismatic joint"
    if kind == "d6" and owner.instance in (*TRANSLATIONS, *ROTATIONS) and not is_axis_free(opinions, owner.instance):
        return "idle", f"{owner.instance} is locked: its low limit is above the high one", "author low < high"
    if owner.schema.startswith("PhysxTendon") and right:
        return "idle", "the joint is not inside an articulation", "connect it to links of an articulation"
    return "idle", f"PhysX does not read it on a {kind} joint", ""


def _instance_for(opinions: PrimOpinions, schema: str) -> str:
    if schema == "PhysxMimicJointAPI":
        return "rotX"
    return _INSTANCES.get(opinions.joint_kind or "", "name") if schema in _AXIS_SCHEMAS else "name"


def _retired(opinions: PrimOpinions, place: str, name: str, gone: Retired) -> Opinion:
    reason = f"{name}: PhysX no longer reads it; {gone.release} dropped it"
    return Opinion(opinions.path, place, reason, gone.instead, "retired")


def _property_names(opinions: PrimOpinions, name: str, found: Sequence[Owner]) -> set[str]:
    """Names that a misspelt property may have been meant for."""
    names = {*opinions.defined(), *names_like(name)}
    for applied in (opinions.type_name, *opinions.applied):
        schema, instance = split_name(applied)
        if schema in SCHEMAS:
            known = (*SCHEMAS[schema].defaults, *NOT_EVALUATED.get(schema, ()))
            names.update(SCHEMAS[schema].name(base, instance) for base in known)
    for owner in found:
        names.update(SCHEMAS[owner.schema].name(base, owner.instance) for base in SCHEMAS[owner.schema].defaults)
    return names
