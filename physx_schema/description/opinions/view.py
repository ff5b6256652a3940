"""The properties of one schema on one prim, with defaults in place of what is not authored, and what was read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple, Protocol, TypeVar

from physx_schema.description.model import Problem
from physx_schema.description.opinions.schemas import SCHEMAS
from physx_schema.description.records import Quat, Vec3
from physx_schema.description.units import (
    as_flag,
    as_number,
    as_numbers,
    as_quaternion,
    as_token,
    as_tokens,
    as_vector,
    display,
)

_T = TypeVar("_T")

_NAMES = 4096       # layouts that are remembered: a stage repeats few of them often
# Limits of UsdPhysics, of which PhysX takes 0 where it cannot read them, and not their default.
_ZERO_UNREAD = frozenset({"lowerLimit", "upperLimit", "low", "high", "coneAngle0Limit", "coneAngle1Limit"})


class CachedProperty:
    """A property as USD composes it at the default time."""

    __slots__ = ("authored", "type_name", "used", "value")

    def __init__(self, authored: bool, value: object, type_name: str) -> None:
        self.authored = authored        # whether it has a value, or targets, of its own
        self.value = value              # of an attribute; target paths of a relationship
        self.type_name = type_name      # Sdf type name as authored, "rel" for a relationship
        self.used = False               # whether a fact was made of it


class Opinions(Protocol):
    """What a view needs of a prim with the schema."""

    path: str
    properties: tuple[str, ...]         # those about physics
    cached_properties: dict[str, CachedProperty]               # by full name
    problems: list[Problem]


class SchemaView:
    """Typed access to the properties of one schema on one prim, recording what is read."""

    __slots__ = (
        "_cached_properties",
        "_defaults",
        "_mentioned",
        "_names",
        "_problems",
        "_ranges",
        "_schema",
        "applied",
        "path",
        "prefix",
        "silent",
    )

    def __init__(self, schema: str, instance: str, opinions: Opinions | None = None) -> None:
        self.applied = opinions is not None
        self.path = opinions.path if opinions else ""
        self._cached_properties = opinions.cached_properties if opinions else {}
        self._problems = opinions.problems if opinions else []
        self._schema = schema
        # what is mentioned on the prim may have a value, everything else has its default
        self.prefix, self._defaults, self._ranges, self._names, self._mentioned = _layout(
            schema, instance, opinions.properties if opinions else ())
        self.silent = not self._mentioned       # every property has its default

    def name(self, base: str) -> str:
        """The full property name."""
        return self._names[base]

    def has_opinion(self, base: str) -> bool:
        """Whether there is an opinion on the property, be it a value or not."""
        return base in self._mentioned

    def authored(self, base: str) -> bool:
        """Whether the property has a value of its own."""
        return base in self._mentioned and self._cached_properties[self._names[base]].authored

    def raw(self, base: str) -> object:
        """The value as authored, or PhysX's default."""
        if base in self._mentioned:
            value = self._used(base)
            if value is not None:
                return value
        return self._defaults[base]

    def _used(self, base: str) -> object:
        """The authored value at the default time, counted as read; None where there is none."""
        cached = self._cached_properties[self._names[base]]
        if not cached.authored:
            return None
        cached.used = True
        return cached.value

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

    def refused(self, base: str) -> bool:
        """Whether a number is NaN or above its declared range; only then it counts as read."""
        if base not in self._mentioned:
            return False
        cached = self._cached_properties[self._names[base]]
        used, value = cached.used, as_number(self.raw(base))
        is_refused = value is not None and not value <= self._ranges[base][1]
        cached.used = is_refused or used
        return is_refused

    def count(self, base: str, low: int = 0) -> int:
        """A whole number; the default for NaN and infinity, which a value of another type can be."""
        value = self.number(base, low)
        return int(value if math.isfinite(value) else _default(self._schema, base, as_number))

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
        value = self._used(base) if base in self._mentioned else ()
        return value if isinstance(value, tuple) else ()

    def _typed(
        self, base: str, convert: Callable[[Any], _T | None], expected: str,
        readable: Callable[[str], bool] | None = None,
    ) -> _T:
        """The value converted; what PhysX takes instead where it, or the type it is authored with, is no such thing."""
        if base not in self._mentioned:
            return _default(self._schema, base, convert)    # type: ignore[no-any-return]
        raw_value = self.raw(base)
        value = convert(raw_value)
        if value is not None and (readable is None or not self.authored(base)
                                  or readable(self._cached_properties[self._names[base]].type_name)):
            return value
        return self._refused(base, convert, expected, raw_value)

    def _refused(self, base: str, convert: Callable[[Any], _T | None], expected: str, raw_value: object) -> _T:
        """What PhysX takes for a value that it cannot read, and a problem."""
        zero = base in _ZERO_UNREAD and self._schema.startswith("Physics")
        effective = 0.0 if zero else self._defaults[base]
        type_name = self._cached_properties[self.name(base)].type_name
        authored = "a relationship" if type_name == "rel" else f"{display(raw_value)} of type {type_name}"
        self._problems.append(Problem(
            "value/wrong-type", self.path, self.name(base), f"{authored} is not {expected}",
            f"PhysX cannot read the value and uses {'0' if zero else f'its default {effective!r}'}",
            f"author {expected}, or remove the opinion",
        ))
        return convert(effective) if zero else _default(self._schema, base, convert)    # type: ignore[return-value]


@cache
def unauthored(schema: str, instance: str = "") -> SchemaView:
    """The defaults of a schema, which every prim without it shares."""
    return SchemaView(schema, instance)


class _Layout(NamedTuple):
    """What the views of one schema on prims with the same properties have in common."""

    prefix: str                         # what the property names begin with
    defaults: Mapping[str, object]      # by base name
    ranges: Mapping[str, tuple[float, float]]   # by base name, of attributes of generated schemas
    names: Mapping[str, str]            # full names by base name
    mentioned: frozenset[str]           # base names on which the prims have an opinion


def mentioned(schema: str, instance: str, properties: tuple[str, ...]) -> frozenset[str]:
    """Base names of a schema's properties among the full names of some."""
    return _layout(schema, instance, properties).mentioned


@lru_cache(_NAMES)
def _layout(schema: str, instance: str, properties: tuple[str, ...]) -> _Layout:
    facts = SCHEMAS[schema]
    names = {base: facts.name(base, instance) for base in facts.defaults}
    mentioned = frozenset(base for base, name in names.items() if name in properties)
    return _Layout(facts.name("", instance), facts.defaults, facts.ranges, names, mentioned)


@cache
def _default(schema: str, base: str, convert: Callable[[Any], _T | None]) -> _T:
    """PhysX's default of a property in the type asked for."""
    fallback = convert(SCHEMAS[schema].defaults[base])
    if fallback is None:
        raise TypeError(f"{schema}.{base} has no default that {convert.__name__} can read")
    return fallback

