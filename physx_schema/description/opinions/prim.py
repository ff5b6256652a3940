"""The physics opinions of one prim, and which of them became facts."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeVar

from pxr import Tf, Usd

from physx_schema.description.conversions import (
    as_flag,
    as_number,
    as_numbers,
    as_quaternion,
    as_token,
    as_tokens,
    as_vector,
    shown,
)
from physx_schema.description.model import Problem
from physx_schema.description.opinions.hints import meant_property, meant_schema
from physx_schema.description.opinions.ownership import Owner
from physx_schema.description.opinions.retirement import retired_schema
from physx_schema.description.opinions.schemas import (
    IMPLIED,
    JOINT_KINDS,
    OTHER_ENGINES,
    SCHEMAS,
    UNGATED,
    split_name,
)
from physx_schema.description.poses import Quat, Vec3

T = TypeVar("T")

_PLAIN = (float, int, str)      # values that USD hands out as they are authored
_DEFAULT_TIME = Usd.TimeCode.Default()
_NAMES = 4096       # names whose namespace is remembered: a stage repeats few of them often
_CORE_NAMESPACES = frozenset({"physics", "drive", "limit", "state", "newton", "mjc"})
_PREFIXES = ("physx", "physics", "omniphysics")
# Limits of UsdPhysics, of which PhysX takes 0 where it cannot read them, and not their default.
_ZERO_UNREAD = frozenset({"lowerLimit", "upperLimit", "low", "high", "coneAngle0Limit", "coneAngle1Limit"})


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


class Seen:
    """A property as USD composes it at the default time."""

    __slots__ = ("authored", "type_name", "used", "value")

    def __init__(self, authored: bool, value: object, type_name: str) -> None:
        self.authored = authored        # whether it has a value, or targets, of its own
        self.value = value              # of an attribute; target paths of a relationship
        self.type_name = type_name      # Sdf type name as authored, "rel" for a relationship
        self.used = False               # whether a fact was made of it


def look_up(prim: Any, name: str) -> Seen:
    """A property of a prim."""
    found = prim.GetProperty(name)
    if isinstance(found, Usd.Attribute):
        specs = found.GetPropertyStack()
        strongest = getattr(specs[0], "default", None) if specs else None
        if isinstance(strongest, _PLAIN) or type(strongest).__module__ == "pxr.Gf":
            return Seen(True, strongest, str(specs[0].typeName))    # nothing weaker counts, nothing is left to resolve
        authored = found.GetResolveInfo(_DEFAULT_TIME).HasAuthoredValue()
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
        if counts or (schema in UNGATED and _layout(schema, instance, self.properties).mentioned):
            view = self._views[name] = View(self, schema, instance, True)
        else:
            view = self.kind.absent[name] = unauthored(schema, instance)
        return view

    def joint_view(self) -> View:
        """The properties every joint prim has, whatever its type, and those of its own type that are facts."""
        schema = self.type_name if self.type_name in SCHEMAS else "PhysicsJoint"
        if schema not in self._views:
            self._views[schema] = View(self, schema, "", True)
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


class View:
    """Typed access to the properties of one schema on one prim, recording what is read."""

    __slots__ = ("_defaults", "_mentioned", "_names", "_problems", "_ranges", "_schema", "_seen", "applied", "path",
                 "prefix", "silent")

    def __init__(self, opinions: PrimOpinions, schema: str, instance: str, applied: bool) -> None:
        self.path = opinions.path
        self._seen = opinions.seen
        self._problems = opinions.problems
        self._schema = schema
        self.applied = applied
        # what is mentioned on the prim may have a value, everything else has its default
        self.prefix, self._defaults, self._ranges, self._names, self._mentioned = _layout(
            schema, instance, opinions.properties if applied else ())
        self.silent = not self._mentioned       # every property has its default

    def name(self, base: str) -> str:
        """The full property name."""
        return self._names[base]

    def mentions(self, base: str) -> bool:
        """Whether there is an opinion on the property, be it a value or not."""
        return base in self._mentioned

    def authored(self, base: str) -> bool:
        """Whether the property has a value of its own."""
        return base in self._mentioned and self._seen[self._names[base]].authored

    def raw(self, base: str) -> object:
        """The value as authored, or PhysX's default."""
        if base in self._mentioned:
            value = self._used(base)
            if value is not None:
                return value
        return self._defaults[base]

    def _used(self, base: str) -> object:
        """The authored value at the default time, counted as read; None where there is none."""
        seen = self._seen[self._names[base]]
        if not seen.authored:
            return None
        seen.used = True
        return seen.value

    def clamped(self, base: str) -> float:
        """A number, at the nearer end of its declared range where it is outside: so PhysX takes what it clamps."""
        if base not in self._mentioned:
            default: float = _default(self._schema, base, as_number)        # which is in its range
            return default
        value, (low, high) = self._typed(base, as_number, "a number"), self._ranges[base]
        return low if value < low else high if value > high else value

    def number(self, base: str, low: float = -math.inf) -> float:
        """A number, `low` where it is less."""
        if base in self._mentioned:
            value = self._typed(base, as_number, "a number")
        else:
            value = _default(self._schema, base, as_number)
        return low if value < low else value

    def count(self, base: str, low: int = 0) -> int:
        """A whole number; the default for NaN and infinity, which a value of another type can be."""
        found = self.number(base, low)
        return int(found if math.isfinite(found) else _default(self._schema, base, as_number))

    def flag(self, base: str) -> bool:
        """A truth value."""
        if base not in self._mentioned:
            return _default(self._schema, base, as_flag)       # type: ignore[no-any-return]
        return self._typed(base, as_flag, "true or false")

    def token(self, base: str) -> str:
        """A token."""
        return self._typed(base, as_token, "a token", "token".__eq__)

    def vector(self, base: str) -> Vec3:
        """Three numbers."""
        if base not in self._mentioned:
            return _default(self._schema, base, as_vector)     # type: ignore[no-any-return]
        return self._typed(base, as_vector, "three numbers")

    def quaternion(self, base: str) -> Quat:
        """A unit quaternion (x, y, z, w)."""
        return self._typed(base, as_quaternion, "a quaternion of type quatf", "quatf".__eq__)

    def numbers(self, base: str) -> tuple[float, ...]:
        """An array of numbers; one element where the default is a single number."""
        return self._typed(base, as_numbers, "an array of numbers")

    def tokens(self, base: str) -> tuple[str, ...]:
        """An array of tokens."""
        return self._typed(base, as_tokens, "an array of tokens")

    def targets(self, base: str) -> tuple[str, ...]:
        """The composed targets of a relationship; none of an attribute."""
        found = self._used(base) if base in self._mentioned else ()
        return found if isinstance(found, tuple) else ()

    def _typed(
        self, base: str, convert: Callable[[Any], T | None], wanted: str, readable: Callable[[str], bool] | None = None,
    ) -> T:
        """The value converted; what PhysX takes instead where it, or the type it is authored with, is no such thing."""
        if base not in self._mentioned:
            return _default(self._schema, base, convert)    # type: ignore[no-any-return]
        found = self.raw(base)
        value = convert(found)
        if value is not None and (readable is None or not self.authored(base)
                                  or readable(self._seen[self._names[base]].type_name)):
            return value
        return self._refused(base, convert, wanted, found)

    def _refused(self, base: str, convert: Callable[[Any], T | None], wanted: str, found: object) -> T:
        """What PhysX takes for a value that it cannot read, and a problem."""
        zero = base in _ZERO_UNREAD and self._schema.startswith("Physics")
        taken = 0.0 if zero else self._defaults[base]
        type_name = self._seen[self.name(base)].type_name
        authored = "a relationship" if type_name == "rel" else f"{shown(found)} of type {type_name}"
        self._problems.append(Problem(
            "value/wrong-type", self.path, self.name(base), f"{authored} is not {wanted}",
            f"PhysX cannot read it and works with {'0' if zero else f'its default {taken!r}'}",
            f"author {wanted} or remove the opinion",
        ))
        return convert(taken) if zero else _default(self._schema, base, convert)    # type: ignore[return-value]


class _Nobody:
    """The opinions of a schema that is not applied: none."""

    path = ""
    seen: Mapping[str, Seen] = {}
    problems: Sequence[Problem] = ()


@cache
def unauthored(schema: str, instance: str = "") -> View:
    """The defaults of a schema, which every prim without it shares."""
    return View(_Nobody(), schema, instance, False)     # type: ignore[arg-type]


class _Layout(NamedTuple):
    """What the views of one schema on prims with the same properties have in common."""

    prefix: str                         # what the property names begin with
    defaults: Mapping[str, object]      # by base name
    ranges: Mapping[str, tuple[float, float]]   # by base name, of attributes of generated schemas
    names: Mapping[str, str]            # full names by base name
    mentioned: frozenset[str]           # base names on which the prims have an opinion


@lru_cache(_NAMES)
def _layout(schema: str, instance: str, properties: tuple[str, ...]) -> _Layout:
    facts = SCHEMAS[schema]
    names = {base: facts.name(base, instance) for base in facts.defaults}
    mentioned = frozenset(base for base, name in names.items() if name in properties)
    return _Layout(facts.name("", instance), facts.defaults, facts.ranges, names, mentioned)


@cache
def _default(schema: str, base: str, convert: Callable[[Any], T | None]) -> T:
    """PhysX's default of a property in the type asked for."""
    fallback = convert(SCHEMAS[schema].defaults[base])
    if fallback is None:
        raise TypeError(f"{schema}.{base} has no default that {convert.__name__} can read")
    return fallback
