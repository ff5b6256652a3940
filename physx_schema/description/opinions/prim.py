"""Opinions of one prim.

The physics opinions of one prim, and which of them became facts.

What the applied schemas are on whose definitions say where they belong.

What PhysX no longer has, by the definitions: classes, prim types and properties, each with what replaces it.

The closest thing that would have worked, for names that nothing reads.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher, get_close_matches
from functools import cache, lru_cache
from typing import Any, NamedTuple

from pxr import Tf, Usd

from physx_schema.definitions import definitions, every_definition
from physx_schema.description.model import AppliedSchema, Problem
from physx_schema.description.model.joint import JointKind
from physx_schema.description.opinions.schemas import (
    IMPLIED,
    JOINT_KINDS,
    OTHER_ENGINES,
    OTHER_SCHEMAS,
    SCHEMAS,
    UNGATED,
    Owner,
    owners,
    split_name,
)
from physx_schema.description.opinions.view import CachedProperty, SchemaView, mentioned, unauthored


@dataclass(frozen=True, slots=True)
class Retired:
    """The release that dropped something, and what its definition says to use instead."""

    release: str                # of the schemas
    replacement: str

    @property
    def engine_release(self) -> str:
        """The first release of ovphysx that does not read it, "" where none since 0.5 has."""
        return _ENGINE_RELEASES.get(self.release, "")

    @property
    def text(self) -> str:
        """Since when PhysX does not read it."""
        since = f"from release {self.engine_release} on" if self.engine_release else "in any release from 0.5 on"
        return f"PhysX does not read this name {since}; release {self.release} of the PhysX schemas removed it"


# Releases of the schemas that dropped something which releases of ovphysx before this one still read.
_ENGINE_RELEASES = {"25.11.2": "0.7"}


def retired_schema(name: str) -> Retired | None:
    """A class or prim type that PhysX no longer has."""
    return _retired_schemas().get(name)


def retired_property(name: str) -> Retired | None:
    """A property that PhysX no longer has, or one in a namespace that only retired classes had."""
    return _properties().get(name) or _retired_namespaces().get(name.partition(":")[0])


@cache
def _retired_schemas() -> Mapping[str, Retired]:
    return {item.identifier: Retired(item.retired, item.deprecated) for item in every_definition() if item.retired}


@cache
def _properties() -> Mapping[str, Retired]:
    """Full names; a name that a living class has too is in use."""
    in_use = _names_in_use()
    retired = ((item, prop) for item in every_definition() for prop in (*item.properties, *item.retired_properties)
               if prop.retired or item.retired)
    return {prop.name: Retired(prop.retired or item.retired, prop.deprecated or item.deprecated)
            for item, prop in retired if prop.name not in in_use and ":" in prop.name}


@cache
def _retired_namespaces() -> Mapping[str, Retired]:
    in_use = {name.partition(":")[0] for name in _names_in_use()}
    retired = ((item, prop) for item in every_definition() if item.retired for prop in item.properties)
    heads = {prop.name.partition(":")[0]: item for item, prop in retired if ":" in prop.name}
    return {head: Retired(item.retired, item.deprecated) for head, item in heads.items() if head not in in_use}


@cache
def _names_in_use() -> frozenset[str]:
    return frozenset(prop.name if not item.prefix else f"{item.prefix}:"
                     for item in definitions().values() for prop in item.properties if not prop.retired)


_SIMILAR = 0.75           # of difflib's ratio, for names on a prim that is about physics anyway
_VERY_SIMILAR = 0.85      # for names that might be anyone's
_SWAPPED = 0.8          # for the same letters in another order
_SAME_WORD = 0.6        # for instance names, which are short
_HINTED_NAMES = 1 << 12
_TENSOR = "TensorPhysics"        # schemas that older Omniverse releases applied to what they had simulated
_OTHER_NAMES = {"physics:linearVelocity": "physics:velocity"}     # what other formats call a property


def closest(name: str, names: Iterable[str]) -> str:
    """The most similar of some names, "" where none is similar."""
    close = get_close_matches(name, sorted(names), 1, _SIMILAR)
    return close[0] if close else ""


def closest_property(name: str, names: Iterable[str]) -> str:
    """The property that was meant: the same in other case, or close as a whole and in its last part; else ""."""
    known = set(names)
    same = {other.lower(): other for other in known}.get(name.lower())
    close = _OTHER_NAMES.get(name) or same or closest(name, known)
    last, other = (part.rpartition(":")[2].lower() for part in (name, close))
    is_similar = name in _OTHER_NAMES or SequenceMatcher(None, last, other).ratio() >= _SIMILAR
    return close if is_similar else ""


@lru_cache(_HINTED_NAMES)
def suggest_property(name: str) -> str:
    """The property that a name with a misspelt namespace was meant for, "" for anything else.

    All behind the namespace has to be right, so that a namespace that is merely similar is left alone.
    """
    head, colon, remainder = name.partition(":")
    if not colon or head in _namespaces():
        return ""
    candidates = get_close_matches(head, _namespaces(), 3, _VERY_SIMILAR)
    swapped = (close for close in get_close_matches(head, _namespaces(), 3, _SWAPPED) if sorted(close) == sorted(head))
    for close in (*candidates, *swapped):
        better = f"{close}:{remainder}"
        if any(owner.known for owner in owners(better)):
            return better
    return ""


@lru_cache(_HINTED_NAMES)
def suggest_schema(name: str) -> str:
    """The schema or joint type that an unknown name was meant for, "" for anything else."""
    known = _schemas()
    if not name or name in known or name.startswith(_TENSOR) or Usd.SchemaRegistry.FindSchemaInfo(name) is not None:
        return ""
    if name.endswith(("API", "Joint")) and name != "Joint":
        full_name = next((start + name for start in ("Physics", "Physx") if start + name in known), "")
        if full_name:
            return full_name
    close = get_close_matches(name, known, 1, _VERY_SIMILAR)
    return close[0] if close else ""


def suggest_instance(owner: Owner, applied: Sequence[str], expected: str) -> str:
    """The instance name that a property of a schema was meant for, "" where none comes near.

    `applied` holds the instances of the schema on the prim, `right` the one that its kind of joint has, if it has one.
    """
    if not owner.instance or owner.instance in applied:
        return ""
    if expected and (expected in applied or not applied):
        return "" if owner.instance == expected else expected
    folded = {name.lower(): name for name in reversed(applied)}
    close = get_close_matches(owner.instance.lower(), list(folded), 1, _SAME_WORD)
    return folded[close[0]] if close else ""


@cache
def _namespaces() -> tuple[str, ...]:
    return tuple(sorted({facts.prefix.partition(":")[0] for facts in SCHEMAS.values()}))


@cache
def _schemas() -> tuple[str, ...]:
    return tuple(sorted({*SCHEMAS, *OTHER_SCHEMAS, *JOINT_KINDS}))


_PLAIN = (float, int, str)      # values that USD hands out as they are authored
_DEFAULT_TIME = Usd.TimeCode.Default()
_AUTHORED = (Usd.ResolveInfoSourceDefault, Usd.ResolveInfoSourceTimeSamples, Usd.ResolveInfoSourceValueClips,
             Usd.ResolveInfoSourceSpline)      # HasAuthoredValue of newer USD
_NAMES = 4096       # names whose namespace is remembered: a stage repeats few of them often
_CORE_NAMESPACES = frozenset({"physics", "drive", "limit", "state", *map(str.lower, OTHER_ENGINES)})
_PREFIXES = ("physx", "physics", "omniphysics")


@lru_cache(_NAMES)
def is_physics_name(name: str) -> bool:
    """Whether a property belongs to a namespace of UsdPhysics, PhysX, Newton or MuJoCo, or to what is taken for one.

    `PhysxTendonAxisRootAPI:flexor:stiffness`, with the schema's name for a namespace, is a mistake worth reporting, and
    so is `pyhsxTendon:flexor:stiffness`.
    """
    head, separator, _ = name.partition(":")
    if not separator:
        return False
    return head in _CORE_NAMESPACES or head.lower().startswith(_PREFIXES) or bool(suggest_property(name))


@lru_cache(_NAMES)
def is_physics_schema(name: str) -> bool:
    """Whether an applied schema or prim type belongs to UsdPhysics, PhysX, Newton or MuJoCo."""
    known = ("Physics", "Physx", "OmniPhysics", "JointStateAPI", "DriveAPI", *OTHER_ENGINES)
    return name.startswith(known) or retired_schema(name) is not None or bool(suggest_schema(split_name(name)[0]))


def is_physical(prim: Any) -> bool:
    """Whether a prim has anything to do with physics: its type, a schema or a property."""
    return (is_physics_schema(str(prim.GetTypeName())) or any(map(is_physics_name, prim.GetAuthoredPropertyNames()))
            or any(is_physics_schema(str(name)) for name in prim.GetPrimTypeInfo().GetAppliedAPISchemas()))


def read_property(prim: Any, name: str) -> CachedProperty:
    """A property of a prim."""
    prop = prim.GetProperty(name)
    if isinstance(prop, Usd.Attribute):
        specs = prop.GetPropertyStack()
        strongest = getattr(specs[0], "default", None) if specs else None
        if isinstance(strongest, _PLAIN) or type(strongest).__module__ == "pxr.Gf":
            return CachedProperty(True, strongest,
                                  str(specs[0].typeName))    # nothing weaker counts, nothing is left to resolve
        authored = prop.GetResolveInfo(_DEFAULT_TIME).GetSource() in _AUTHORED
        type_name = _authored_type(prop) if specs else str(prop.GetTypeName())
        if type_name == "rel":
            return CachedProperty(True, (), "rel")        # USD finds no value, and hands out the schema's default
        return CachedProperty(authored, prop.Get(), type_name)
    if not isinstance(prop, Usd.Relationship):
        return CachedProperty(False, (), "rel")        # nothing on the prim has this name
    try:
        targets = prop.GetTargets()
    except Tf.ErrorException:       # an attribute is authored where the schema has a relationship
        return CachedProperty(True, (), _authored_type(prop))
    return CachedProperty(bool(targets) or prop.HasAuthoredTargets(), tuple(map(str, targets)), "rel")


def _authored_type(prop: Any) -> str:
    """The type of a property's strongest opinion, whatever its schema says."""
    return str(getattr(prop.GetPropertyStack()[0], "typeName", "rel"))


class Kind(NamedTuple):
    """What prims of one type with the same applied schemas and the same properties have in common."""

    applied: tuple[str, ...]                        # as authored, then what Newton's schemas bring with them
    schemas: frozenset[str]                         # those and the type
    instances: Mapping[str, tuple[str, ...]]        # instance names by schema
    properties: tuple[str, ...]                     # those about physics
    operations: tuple[str, ...]                     # authored transform operations and their order
    physical: bool                                  # whether anything concerns physics
    absent: dict[str, SchemaView]                         # the defaults of schemas that are not applied


@lru_cache(_NAMES)
def _kind(type_name: str, applied: tuple[str, ...], properties: tuple[str, ...]) -> Kind:
    names = dict.fromkeys(applied)
    names.update(dict.fromkeys(IMPLIED[name] for name in applied if name in IMPLIED))
    instances: dict[str, tuple[str, ...]] = {}
    for schema, instance in map(split_name, names):
        if instance:
            instances[schema] = (*instances.get(schema, ()), instance)
    schemas = frozenset((*names, type_name))
    about = tuple(filter(is_physics_name, properties))
    operations = tuple(name for name in properties if name.startswith("xformOp"))
    physical = bool(about) or any(map(is_physics_schema, schemas))
    return Kind(tuple(names), schemas, instances, about, operations, physical, {})


class PrimOpinions:
    """What one prim authors about physics, and what has been read of it.

    `applied` holds the composed apiSchemas as authored, registered with USD or not, and what Newton's bring with them.
    """

    __slots__ = ("_views", "applied", "cached_properties", "kind", "path", "prim", "problems", "properties",
                 "type_name")

    def __init__(self, prim: Any, problems: list[Problem]) -> None:
        self.prim = prim
        self.path = str(prim.GetPath())
        info = prim.GetPrimTypeInfo()
        self.type_name = str(info.GetTypeName())
        applied = tuple(info.GetAppliedAPISchemas())
        self.kind = kind = _kind(self.type_name, applied, tuple(prim.GetAuthoredPropertyNames()))
        self.applied = kind.applied
        self.properties = kind.properties
        # now, while USD has the prim at hand: every one is accounted for in the end
        self.cached_properties = {name: read_property(prim, name) for name in kind.properties}
        self._views: dict[str, SchemaView] = {}       # of applied schemas, by their entry in apiSchemas
        self.problems = problems

    @property
    def joint_kind(self) -> JointKind | None:
        """Kind of joint this prim is, None for anything else."""
        return JOINT_KINDS.get(self.type_name)

    @property
    def used_schemas(self) -> Collection[str]:
        """The applied schemas that facts were made of."""
        return self._views.keys()

    def has(self, schema: str, instance: str = "") -> bool:
        """Whether the schema is the prim's type or applied to it (under the instance name)."""
        return (f"{schema}:{instance}" if instance else schema) in self.kind.schemas

    def instances(self, schema: str) -> tuple[str, ...]:
        """Instance names under which a multiple-apply schema is applied, in order of application."""
        return self.kind.instances.get(schema, ())

    def view(self, schema: str, instance: str = "") -> SchemaView:
        """The properties of one schema; PhysX's defaults where the schema is not applied and has to be."""
        name = f"{schema}:{instance}" if instance else schema
        return self._views.get(name) or self.kind.absent.get(name) or self._create_view(name, schema, instance)

    def _create_view(self, name: str, schema: str, instance: str) -> SchemaView:
        counts = name in self.kind.schemas and ":" not in instance      # PhysX reads nothing under a nested name
        if counts or (schema in UNGATED and mentioned(schema, instance, self.properties)):
            view = self._views[name] = SchemaView(schema, instance, self)
        else:
            view = self.kind.absent[name] = unauthored(schema, instance)
        return view

    def joint_view(self) -> SchemaView:
        """The properties every joint prim has, whatever its type, and those of its own type that are facts."""
        schema = self.type_name if self.type_name in SCHEMAS else "PhysicsJoint"
        if schema not in self._views:
            self._views[schema] = SchemaView(schema, "", self)
        return self._views[schema]

    def authors(self, name: str) -> bool:
        """Whether the property has a value at the default time, or targets, on this prim."""
        return name in self.cached_properties and self.cached_properties[name].authored

    def get_property(self, name: str) -> CachedProperty:
        """What is authored under a name."""
        return self.cached_properties.get(name) or read_property(self.prim, name)

    def has_only_samples(self, name: str) -> bool:
        """Whether an attribute has time samples and no value at the default time."""
        cached = self.get_property(name)
        return not cached.authored and cached.type_name != "rel" and self.prim.GetAttribute(name).HasAuthoredValue()

    def has_owner(self, owner: Owner) -> bool:
        """Whether the schema that a property belongs to is on this prim, under its instance name."""
        return self.has(owner.schema, owner.instance)

    def peek(self, name: str) -> object:
        """A property's value or targets, without counting it as read."""
        return self.get_property(name).value

    def defined(self) -> frozenset[str]:
        """Names of the properties that the prim's registered schemas define."""
        return frozenset(self.prim.GetPrimDefinition().GetPropertyNames())

    def mark_used(self, schema: str, instance: str = "") -> None:
        """Record that a fact was made of an applied schema, whatever its properties say."""
        self.view(schema, instance)


# Schemas of UsdPhysics about whose hosts published rules ask.
_HOSTED = frozenset({"PhysicsRigidBodyAPI", "PhysicsCollisionAPI", "PhysicsMeshCollisionAPI"})


def applied_schemas(prims: Iterable[PrimOpinions]) -> Iterator[AppliedSchema]:
    """The API schemas whose definitions say where they belong or under which instance names they count.

    Those of bodies and colliders of UsdPhysics are among them.
    """
    for opinions in prims:
        for applied in opinions.applied:
            schema, instance = split_name(applied)
            definition = definitions().get(schema)
            if schema in _HOSTED or (definition is not None and (definition.applies_to or definition.instances)):
                host = {*_ancestors(opinions.type_name), *(split_name(name)[0] for name in opinions.applied)}
                yield AppliedSchema(opinions.path, schema, instance, frozenset(host))


@cache
def _ancestors(type_name: str) -> frozenset[str]:
    """A prim type's USD name and those of the types it derives from."""
    kind = Usd.SchemaRegistry.GetTypeFromSchemaTypeName(type_name)
    ancestors = () if kind.isUnknown else kind.GetAllAncestorTypes()
    names = map(Usd.SchemaRegistry.GetSchemaTypeName, ancestors)
    return frozenset({type_name, *filter(None, names)})
