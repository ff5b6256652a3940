"""What becomes of every opinion of a class.

The account of a stage: every physics opinion became a fact, is unused with a reason, or is not evaluated.

Where PhysX works with another value than its schema's default: the whole list, each with how that was found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from physx_schema.description.model import Articulation, Authored, Link, MaximalJoint, Opinion, unlimited
from physx_schema.description.opinions.conditions import report_connection
from physx_schema.description.opinions.inactive import (
    APPLY,
    MAXIMAL_ONLY,
    OF_BODIES,
    Outcomes,
    Reason,
    engine_of,
    instance_for,
    instance_prefix,
    what_is_read,
    why_inactive,
    why_property_unused,
    why_schema_unused,
    why_unused,
)
from physx_schema.description.opinions.instances import dropped_below_instances
from physx_schema.description.opinions.prim import (
    PrimOpinions,
    Retired,
    closest,
    is_physics_schema,
    retired_property,
    retired_schema,
    suggest_schema,
)
from physx_schema.description.opinions.reading import ReadContext, Roles, read_roles
from physx_schema.description.opinions.schemas import (
    JOINT,
    JOINT_KINDS,
    NOT_EVALUATED,
    OTHER_SCHEMAS,
    SCHEMAS,
    WITHOUT_EFFECT,
    Owner,
    declaring,
    namespace,
    owners,
    split_name,
)
from physx_schema.description.opinions.view import CachedProperty

_CONTACT_SCHEMAS = frozenset({
    "PhysicsCollisionAPI", "PhysxCollisionAPI", "PhysicsMeshCollisionAPI", "PhysxConvexHullCollisionAPI",
    "PhysicsMaterialAPI", "PhysxMaterialAPI", "PhysicsFilteredPairsAPI",
})
_REFUSED = frozenset({
    "DJ.011/loop", "joint/same-body", "joint/no-bodies", "joint/static", "joint/several-scenes",
})
CONTACTS = "contacts"       # what opinions are about that are not evaluated, and their code
_CONTACTS_TEXT = "only a Scene or a Session with the whole stage simulates this"
_CACHE_SIZE = 4096       # of prims, by type, applied schemas and properties, that are remembered
_REPEATED = "bodies that a point instancer repeats"
_LOCAL_VELOCITIES = "physics:localSpaceVelocities"      # custom data of a body, where it is true


@dataclass(slots=True)
class Account:
    """Where the opinions of a stage went."""

    roles: Roles
    outcomes: Outcomes
    contacts: bool                  # whether anything on the stage can touch
    repeated: frozenset[str]        # bodies and what is in them, in a point instancer
    authored: list[Authored] = field(default_factory=list)
    unused: list[Opinion] = field(default_factory=list)
    not_evaluated: list[Opinion] = field(default_factory=list)
    consumed: set[str] = field(default_factory=set)


def classify(
    context: ReadContext, articulations: Sequence[Articulation], bodies: Sequence[Link], joints: Sequence[MaximalJoint],
) -> Account:
    """Account for every physics opinion, after all facts have been read."""
    account = Account(
        read_roles(context, articulations, bodies), _outcomes(context, articulations, bodies, joints),
        any(context.prims_with("PhysicsCollisionAPI")),
        frozenset(path for path in context.copies if not context.is_proxy(path) and context.body_of(path)),
    )
    for opinions in context.prims.values():
        if is_physics_schema(opinions.type_name):
            _classify_type(account, opinions)
        if opinions.path in account.outcomes.bodies and opinions.prim.GetCustomDataByKey(_LOCAL_VELOCITIES):
            account.not_evaluated.append(Opinion(opinions.path, "",
                                                 f"custom data {_LOCAL_VELOCITIES}: Omniverse then reads and writes "
                                                 "the velocities in the body's frame; ovphysx ignores this value; "
                                                 "this library uses world axes"))
        for applied in opinions.applied:
            if applied in _CONTACT_SCHEMAS or (is_physics_schema(applied) and applied not in opinions.used_schemas):
                _classify_schema(account, opinions, applied)
        for item in _properties(opinions.type_name, opinions.applied, opinions.properties):
            cached = opinions.get_property(item.name)
            if cached.authored:
                _classify_property(account, opinions, item, cached)
            elif opinions.has_only_samples(item.name):
                context.problem(
                    "value/only-samples", opinions.path, item.name, "time samples without a default value",
                    "PhysX reads only the value at the default time; there is none, and PhysX uses its own default",
                    "author a default value", "warning",
                )
            elif not opinions.instances("PhysxMimicJointAPI"):      # there they are reported, values or not
                report_connection(context, opinions, item.name)
    account.unused.extend(dropped_below_instances(context))
    return account


def _outcomes(
    context: ReadContext, articulations: Sequence[Articulation], bodies: Sequence[Link], joints: Sequence[MaximalJoint],
) -> Outcomes:
    tree_joints = frozenset(link.joint.path for item in articulations for link in item.links if link.joint is not None)
    bases = frozenset(item.base_joint.path for item in articulations if item.base_joint is not None)
    maximal_joints = frozenset(joint.path for joint in joints)
    created = tree_joints | bases | maximal_joints
    return Outcomes(
        tree_joints, bases, maximal_joints,
        refused={problem.path: problem.message for problem in context.problems
                 if problem.code in _REFUSED
                 or (problem.code == "joint/frame-refused" and problem.path not in created)},
        bodies=frozenset(link.path for link in chain(bodies, *(item.links for item in articulations))),
        dropped=_dropped(context),
    )


def _dropped(context: ReadContext) -> dict[tuple[str, str], str]:
    """Parts of tendons that the reader reported, and drives that PhysX refuses."""
    return {(problem.path, instance_prefix(problem.property)): problem.message for problem in context.problems
            if problem.property.startswith("physxTendon:") or problem.code == "joint/drive-refused"}


def _classify_type(account: Account, opinions: PrimOpinions) -> None:
    """A prim type of PhysX without facts. Joints are accounted for one by one elsewhere."""
    name = opinions.type_name
    if retired := retired_schema(name):
        account.unused.append(_retired(opinions, "", name, retired))
    elif engine_of(name):
        reason = f"a prim type of {engine_of(name)}, which PhysX does not read"
        account.unused.append(Opinion(opinions.path, "", f"{name}: {reason}", "", "other-engine"))
    elif name in OTHER_SCHEMAS and name not in JOINT_KINDS:
        account.not_evaluated.append(Opinion(opinions.path, "", _not_simulated(name, OTHER_SCHEMAS[name])))
    elif name not in SCHEMAS and name not in JOINT_KINDS and name not in OTHER_SCHEMAS:
        close = suggest_schema(name) or closest(name, (*SCHEMAS, *OTHER_SCHEMAS))
        account.unused.append(Opinion(opinions.path, "", f"PhysX has no prim type {name}", close, "misspelt-schema"))


def _not_simulated(schema: str, about: str) -> str:
    return f"{schema}: {about}; {_CONTACTS_TEXT if about == CONTACTS else 'not simulated'}"


def _classify_schema(account: Account, opinions: PrimOpinions, applied: str) -> None:
    name, instance = split_name(applied)
    if engine_of(name):
        why = why_schema_unused(opinions, name)
        if why is not None:
            account.unused.append(Opinion(opinions.path, "apiSchemas", why[1], why[2], why[0]))
    elif name in OTHER_SCHEMAS or applied in opinions.used_schemas:
        about = OTHER_SCHEMAS.get(name, CONTACTS)
        account.not_evaluated.append(Opinion(opinions.path, "apiSchemas", _not_simulated(applied, about),
                                             code=about if about == CONTACTS else ""))
    elif retired := retired_schema(name):
        account.unused.append(_retired(opinions, "apiSchemas", applied, retired))
    elif name not in SCHEMAS:
        close = suggest_schema(name) or closest(name, (*SCHEMAS, *OTHER_SCHEMAS))
        reason = f"{applied}: PhysX has no schema with this name"
        suggestion = close and applied.replace(name, close, 1)
        account.unused.append(Opinion(opinions.path, "apiSchemas", reason, suggestion, "misspelt-schema", applied))
    elif name in OF_BODIES and opinions.path in account.repeated:
        account.not_evaluated.append(Opinion(opinions.path, "apiSchemas", f"{applied}: {_REPEATED} are not simulated"))
    elif SCHEMAS[name].multiple and not instance:
        reason = f"{applied} needs an instance name"
        suggestion = f"{name}:{instance_for(opinions, name)}"
        account.unused.append(Opinion(opinions.path, "apiSchemas", reason, suggestion, "no-instance", applied))
    else:
        code, reason, suggestion = why_inactive(account.outcomes, opinions, Owner(name, instance, ""))
        account.unused.append(Opinion(opinions.path, "apiSchemas", f"{applied}: {reason}", suggestion, code, applied))


class _Property(NamedTuple):
    """A property on prims of one kind."""

    name: str
    owner: Owner | None     # the schema on the prim that has it as far as facts go
    schema: str             # the one that declares it at all, "" where none does
    base: str               # its name there


@lru_cache(_CACHE_SIZE)
def _properties(type_name: str, applied: tuple[str, ...], names: tuple[str, ...]) -> tuple[_Property, ...]:
    """The properties of prims of one kind."""
    schemas = (type_name, *applied)
    result = []
    for name in names:
        owner = next((item for item in owners(name) if item.known and item.applied in schemas), None)
        declared = owner or declaring(schemas, name)
        result.append(_Property(name, owner, declared.schema if declared else "", declared.base if declared else ""))
    return tuple(result)


def authored_opinions(opinions: PrimOpinions) -> list[Authored]:
    """Every physics property that a prim authors."""
    values = ((item, opinions.get_property(item.name))
              for item in _properties(opinions.type_name, opinions.applied, opinions.properties))
    return [_authored(opinions.path, item, cached) for item, cached in values if cached.authored]


def _authored(path: str, item: _Property, cached: CachedProperty) -> Authored:
    return Authored(path, item.name, cached.value, cached.type_name, item.schema, item.base)


def _classify_property(account: Account, opinions: PrimOpinions, item: _Property, cached: CachedProperty) -> None:
    path, name = opinions.path, item.name
    account.authored.append(_authored(path, item, cached))
    unread = account.roles.why_unread(opinions, name)
    if unread is not None and not account.roles.has_default_value(opinions, name):
        code, reason, suggestion = unread
        account.unused.append(Opinion(path, name, reason, suggestion, code))
        return
    if cached.used or unread is not None:
        account.consumed.add(f"{path}.{name}")
        return
    retired = retired_property(name)
    if retired is not None:
        account.unused.append(_retired(opinions, name, name, retired))
        return
    candidates = owners(name)
    about = _about(account, opinions, name, candidates)
    idle = (name in WITHOUT_EFFECT and opinions.has("PhysxSceneAPI")) or (about == CONTACTS and not account.contacts)
    if idle or _is_default_of_articulation_joint(account, opinions, name):
        account.consumed.add(f"{opinions.path}.{name}")
    elif about:
        about_contacts = about == CONTACTS
        account.not_evaluated.append(Opinion(
            opinions.path, name, f"about {about}; {_CONTACTS_TEXT if about_contacts else 'not simulated'}",
            code=about if about_contacts else ""))
    else:
        code, reason, suggestion = _why_unused(account, opinions, name, candidates, item.owner)
        applied = suggestion.removeprefix(APPLY)
        schema = applied if code == "not-applied" and applied != suggestion and " " not in applied else ""
        account.unused.append(Opinion(opinions.path, name, reason, suggestion, code, schema))


def _why_unused(
    account: Account, opinions: PrimOpinions, name: str, candidates: Sequence[Owner], owner: Owner | None,
) -> Reason:
    """Why PhysX does not read a property."""
    if engine_of(name):
        return why_property_unused(opinions, name, opinions.path in account.outcomes.tree_joints)
    return why_unused(account.outcomes, opinions, name, candidates, owner)


def _is_default_of_articulation_joint(account: Account, opinions: PrimOpinions, name: str) -> bool:
    """Whether a property that only joints outside articulations have says what joints of articulations do anyway."""
    base = name.removeprefix("physics:")
    outcomes = account.outcomes
    if base not in MAXIMAL_ONLY or (opinions.path not in outcomes.tree_joints and opinions.path not in outcomes.bases):
        return False
    value = opinions.peek(name)
    return value == JOINT[base] or (isinstance(value, float) and unlimited(value))


def _about(account: Account, opinions: PrimOpinions, name: str, candidates: Sequence[Owner]) -> str:
    """What an unread property is about where PhysX reads it; empty where it does not."""
    if engine_of(name):
        return what_is_read(opinions, name)
    for owner in candidates:
        if opinions.has_owner(owner):
            if owner.schema in OF_BODIES and opinions.path in account.repeated:
                return _REPEATED
            if owner.schema in OF_BODIES and opinions.path not in account.outcomes.bodies:
                return ""       # PhysX makes no body of the prim
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


def _retired(opinions: PrimOpinions, property_name: str, name: str, retired: Retired) -> Opinion:
    return Opinion(opinions.path, property_name, f"{name}: {retired.text}", retired.replacement, "retired")


SLEEP_ENERGY = 0.005        # m^2 / s^2, kinetic energy per mass

DEVIATIONS: Mapping[tuple[str, str], str] = {       # schema and base name
    ("PhysxRigidBodyAPI", "sleepThreshold"):
        "PhysX uses 0.005 m^2 / s^2, converted to the stage's units, even if the class is not applied; see "
        "docs/reference/physx/sleeping.md",
}


def default_sleep_threshold(meters_per_unit: float) -> float:
    """Below which PhysX lets things sleep where nothing is authored, in stage lengths squared per second squared.

    Of a body outside articulations; of an articulation without PhysxArticulationAPI, whose default counts otherwise.
    """
    return SLEEP_ENERGY / meters_per_unit**2
