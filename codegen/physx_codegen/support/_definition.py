"""What a generated class knows about its schema: names, types, defaults, ranges and units, as frozen data."""

from __future__ import annotations

import warnings
from collections.abc import Container
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, TypeVar

Quick = tuple[str, tuple[type, ...], float, float]      # property name, exact types, open interval
PLACEHOLDER = "__INSTANCE_NAME__"
FLOAT_MAX = 3.4028234663852886e38
INTEGER_LIMITS = {
    "uchar": (0, 2**8 - 1),
    "int": (-(2**31), 2**31 - 1),
    "uint": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}
T_co = TypeVar("T_co", covariant=True)


def fate(what: str, retired: str, instead: str) -> str:
    """The warning about something that is no longer read; empty where it is."""
    return f"{what} is deprecated: {instead or f'dropped in {retired}'}" if retired else ""


class Items(Protocol[T_co]):
    """A list, tuple, NumPy array or Gf vector with elements of one kind."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> T_co: ...


class PhysxSchemaError(Exception):
    """Base class of all errors for user input."""


class AuthoringError(PhysxSchemaError, ValueError):
    """A value, name or target that PhysX would refuse or ignore. Nothing was written."""


class Range(NamedTuple):
    """An interval of allowed values. A bound is a number or the name of another attribute of the class."""

    lower: float | str
    upper: float | str
    lower_closed: bool
    upper_closed: bool

    def __str__(self) -> str:
        opening, closing = "[" if self.lower_closed else "(", "]" if self.upper_closed else ")"
        bounds = (bound if isinstance(bound, str) else f"{bound:g}" for bound in (self.lower, self.upper))
        return f"{opening}{', '.join(bounds)}{closing}"

    def bounds(self) -> tuple[str, ...]:
        """The names of attributes that are bounds of the range."""
        return tuple(bound for bound in (self.lower, self.upper) if isinstance(bound, str))


class Attribute(NamedTuple):
    """One attribute. `name` is the part after the instance name, or the full name outside multiple-apply schemas."""

    name: str
    type: str                           # Sdf value type name, such as "float[]"
    default: object = None
    uniform: bool = False
    tokens: tuple[str, ...] = ()        # allowed values; empty where any token is allowed
    range: Range | None = None
    unit: str = ""
    keyword: str = ""                   # of Apply and set; the last part of `name` where empty
    deprecated: str = ""                # what replaces it
    renamed_from: str = ""
    retired: str = ""                   # the release that dropped it

    @property
    def keyword_name(self) -> str:
        """The keyword of Apply and set."""
        return self.keyword or self.name.rpartition(":")[2]


class Relationship(NamedTuple):
    """One relationship; `name` as in :class:`Attribute`."""

    name: str
    targets: tuple[str, ...] = ()       # schemas that a target should have; advisory
    many: bool = False
    keyword: str = ""
    deprecated: str = ""
    renamed_from: str = ""
    retired: str = ""

    @property
    def keyword_name(self) -> str:
        """The keyword of Apply and set."""
        return self.keyword or self.name.rpartition(":")[2]


Property = Attribute | Relationship
Kind = Literal["single-apply", "multiple-apply", "non-applied", "typed", "abstract"]


class Facts(NamedTuple):
    """The content of the YAML definition of a class."""

    library: str                        # "PhysxSchema"
    identifier: str                     # USD's name of the schema
    kind: Kind
    prefix: str = ""                    # namespace of a multiple-apply schema's properties
    properties: tuple[Property, ...] = ()
    inherited: tuple[Definition, ...] = ()          # built-in schemas of the same instance name; parent of a prim type
    applies_to: tuple[str, ...] = ()                # advisory: schemas of prims it makes sense on
    instances: tuple[str, ...] = ()                 # advisory: instance names PhysX reads; empty where it reads any
    conflicts: tuple[str, ...] = ()                 # schemas whose properties clash under the same instance name
    includes: tuple[str, ...] = ()                  # built-in API schemas, as written
    equation: str = ""
    semantics: str = ""                             # where its meaning is documented at length
    deprecated: str = ""                            # what replaces it
    renamed_from: str = ""
    retired: str = ""                               # the release that dropped it
    retired_properties: tuple[Property, ...] = ()   # dropped since; the class keeps accessors for them


class Definition(Facts):
    """The definition of one schema class, with views that are computed on first use."""

    __eq__: Any = object.__eq__         # a definition is itself alone, and a key that hashes fast
    __ne__: Any = object.__ne__
    __hash__ = object.__hash__

    @cached_property
    def declared(self) -> dict[str, Property]:
        """Name to property, without inherited ones."""
        return {prop.name: prop for prop in self.properties}

    @property
    def own(self) -> dict[str, Property]:
        """The former name of `declared`."""
        warnings.warn("'own' is renamed to 'declared'; use the new name", DeprecationWarning, stacklevel=2)
        return self.declared

    @cached_property
    def accessible(self) -> dict[str, Any]:
        """Name to property for all properties with Get and Create methods, including retired ones."""
        return self.by_name | {prop.name: prop for prop in self.retired_properties}

    @cached_property
    def by_name(self) -> dict[str, Property]:
        """Name to property, inherited ones first."""
        properties = {name: prop for other in self.inherited for name, prop in other.by_name.items()}
        return properties | self.declared

    @cached_property
    def attributes(self) -> dict[str, Attribute]:
        """Name to attribute, inherited ones first."""
        return {name: prop for name, prop in self.by_name.items() if isinstance(prop, Attribute)}

    @cached_property
    def by_keyword(self) -> dict[str, Property]:
        """Keyword of Apply and set to property."""
        return {prop.keyword_name: prop for prop in self.by_name.values()}

    @cached_property
    def quick(self) -> dict[str, Quick]:
        """Keyword to what converts without further checks: bools, and numbers well inside what type and range allow.

        A range that names attributes is not looked at.
        """
        entries: dict[str, Quick] = {}
        for keyword, prop in self.by_keyword.items():
            if isinstance(prop, Relationship):
                continue
            if prop.type == "bool":
                entries[keyword] = (prop.name, (bool,), -1.0, 2.0)
            elif prop.type == "float":
                entries[keyword] = (prop.name, (float, int), *within(prop, -FLOAT_MAX, FLOAT_MAX))
            elif prop.type in INTEGER_LIMITS:
                entries[keyword] = (prop.name, (int,), *within(prop, *INTEGER_LIMITS[prop.type]))
        return entries

    @cached_property
    def retired_keywords(self) -> dict[str, str]:
        """Keyword to the warning about its property, for those that are no longer read."""
        prefix = self.start("<name>")
        return {keyword: fate(prefix + prop.name, prop.retired, prop.deprecated)
                for keyword, prop in self.by_keyword.items() if prop.retired}

    @cached_property
    def entangled(self) -> dict[str, list[str]]:
        """Attribute to those whose range must be looked at when it changes, because that names attributes."""
        dependents: dict[str, list[str]] = {}
        for name, prop in self.attributes.items():
            bounds = prop.range.bounds() if prop.range else ()
            for changed in (name, *bounds) if bounds else ():
                dependents.setdefault(changed, []).append(name)
        return dependents

    def ranges_to_check(self, changed: Container[str], doubtful: set[str]) -> set[str]:
        """The attributes among `doubtful`, and those whose range names attributes where one of them is in `changed`."""
        names = self.attributes.keys() & doubtful
        for bound, others in self.entangled.items():
            if bound in changed:
                names.update(others)
        return names

    def start(self, instance: str = "") -> str:
        """Return the beginning of the property names under an instance name; empty outside multiple-apply schemas."""
        return f"{self.prefix}:{instance}:" if self.prefix else ""

    def attribute_names(self, inherited: bool, instance: str) -> list[str]:
        """Return full names in the order of definition, with USD's placeholder if `instance` is empty."""
        start = self.start(instance or PLACEHOLDER)
        return [start + name for name in self.attributes if inherited or name in self.declared]


def within(prop: Attribute, lowest: float, highest: float) -> tuple[float, float]:
    """The numbers that both type and range allow, as far as the range is made of numbers."""
    lower, upper = (prop.range.lower, prop.range.upper) if prop.range else (lowest, highest)
    return (lowest if isinstance(lower, str) else max(lower, lowest),
            highest if isinstance(upper, str) else min(upper, highest))
