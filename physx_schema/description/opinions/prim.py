"""The physics opinions of one prim, and which of them became facts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from pxr import Tf, Usd

from physx_schema.description.model import Problem
from physx_schema.description.opinions.hints import meant_property, meant_schema
from physx_schema.description.opinions.ownership import Owner
from physx_schema.description.opinions.retirement import retired_schema
from physx_schema.description.opinions.schemas import IMPLIED, JOINT_KINDS, OTHER_ENGINES, SCHEMAS, UNGATED, split_name
from physx_schema.description.opinions.view import Seen, View, mentioned, unauthored

_PLAIN = (float, int, str)      # values that USD hands out as they are authored
_DEFAULT_TIME = Usd.TimeCode.Default()
_AUTHORED = (Usd.ResolveInfoSourceDefault, Usd.ResolveInfoSourceTimeSamples, Usd.ResolveInfoSourceValueClips,
             Usd.ResolveInfoSourceSpline)      # HasAuthoredValue of newer USD
_NAMES = 4096       # names whose namespace is remembered: a stage repeats few of them often
_CORE_NAMESPACES = frozenset({"physics", "drive", "limit", "state", "newton", "mjc"})
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
    return head in _CORE_NAMESPACES or head.lower().startswith(_PREFIXES) or bool(meant_property(name))


@lru_cache(_NAMES)
def is_physics_schema(name: str) -> bool:
    """Whether an applied schema or prim type belongs to UsdPhysics, PhysX, Newton or MuJoCo."""
    known = ("Physics", "Physx", "OmniPhysics", "JointStateAPI", "DriveAPI", *OTHER_ENGINES)
    return name.startswith(known) or retired_schema(name) is not None or bool(meant_schema(split_name(name)[0]))


def look_up(prim: Any, name: str) -> Seen:
    """A property of a prim."""
    found = prim.GetProperty(name)
    if isinstance(found, Usd.Attribute):
        specs = found.GetPropertyStack()
        strongest = getattr(specs[0], "default", None) if specs else None
        if isinstance(strongest, _PLAIN) or type(strongest).__module__ == "pxr.Gf":
            return Seen(True, strongest, str(specs[0].typeName))    # nothing weaker counts, nothing is left to resolve
        authored = found.GetResolveInfo(_DEFAULT_TIME).GetSource() in _AUTHORED
        type_name = _authored_type(found) if specs else str(found.GetTypeName())
        if type_name == "rel":
            return Seen(True, (), "rel")        # USD finds no value, and hands out the schema's default
        return Seen(authored, found.Get(), type_name)
    if not isinstance(found, Usd.Relationship):
        return Seen(False, (), "rel")        # nothing on the prim has this name
    try:
        targets = found.GetTargets()
    except Tf.ErrorException:       # an attribute is authored where the schema has a relationship
        return Seen(True, (), _authored_type(found))
    return Seen(bool(targets) or found.HasAuthoredTargets(), tuple(map(str, targets)), "rel")


def _authored_type(found: Any) -> str:
    """The type of a property's strongest opinion, whatever its schema says."""
    return str(getattr(found.GetPropertyStack()[0], "typeName", "rel"))


class Kind(NamedTuple):
    """What prims of one type with the same applied schemas and the same properties have in common."""

    applied: tuple[str, ...]                        # as authored, then what Newton's schemas bring with them
    schemas: frozenset[str]                         # those and the type
    instances: Mapping[str, tuple[str, ...]]        # instance names by schema
    properties: tuple[str, ...]                     # those about physics
    operations: tuple[str, ...]                     # authored transform operations and their order
    physical: bool                                  # whether anything concerns physics
    absent: dict[str, View]                         # the defaults of schemas that are not applied


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

    __slots__ = ("_views", "applied", "kind", "path", "prim", "problems", "properties", "seen", "type_name")

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
        self.seen = {name: look_up(prim, name) for name in kind.properties}
        self._views: dict[str, View] = {}       # of applied schemas, by their entry in apiSchemas
        self.problems = problems

    @property
    def joint_kind(self) -> str | None:
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

    def view(self, schema: str, instance: str = "") -> View:
        """The properties of one schema; PhysX's defaults where the schema is not applied and has to be."""
        name = f"{schema}:{instance}" if instance else schema
        return self._views.get(name) or self.kind.absent.get(name) or self._made_view(name, schema, instance)

    def _made_view(self, name: str, schema: str, instance: str) -> View:
        counts = name in self.kind.schemas and ":" not in instance      # PhysX reads nothing under a nested name
        if counts or (schema in UNGATED and mentioned(schema, instance, self.properties)):
            view = self._views[name] = View(schema, instance, self)
        else:
            view = self.kind.absent[name] = unauthored(schema, instance)
        return view

    def joint_view(self) -> View:
        """The properties every joint prim has, whatever its type, and those of its own type that are facts."""
        schema = self.type_name if self.type_name in SCHEMAS else "PhysicsJoint"
        if schema not in self._views:
            self._views[schema] = View(schema, "", self)
        return self._views[schema]

    def authors(self, name: str) -> bool:
        """Whether the property has a value at the default time, or targets, on this prim."""
        return name in self.seen and self.seen[name].authored

    def look(self, name: str) -> Seen:
        """What is authored under a name."""
        return self.seen.get(name) or look_up(self.prim, name)

    def only_samples(self, name: str) -> bool:
        """Whether an attribute has time samples and no value at the default time."""
        seen = self.look(name)
        return not seen.authored and seen.type_name != "rel" and self.prim.GetAttribute(name).HasAuthoredValue()

    def has_owner(self, owner: Owner) -> bool:
        """Whether the schema that a property belongs to is on this prim, under its instance name."""
        return self.has(owner.schema, owner.instance)

    def peek(self, name: str) -> object:
        """A property's value or targets, without counting it as read."""
        return self.look(name).value

    def defined(self) -> frozenset[str]:
        """Names of the properties that the prim's registered schemas define."""
        return frozenset(self.prim.GetPrimDefinition().GetPropertyNames())

    def mark(self, schema: str, instance: str = "") -> None:
        """Record that a fact was made of an applied schema, whatever its properties say."""
        self.view(schema, instance)
