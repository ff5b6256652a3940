"""What PhysX no longer has, by the definitions: classes, prim types and properties, each with what replaces it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from physx_schema.definitions import definitions, every_definition


@dataclass(frozen=True, slots=True)
class Retired:
    """The release that dropped something, and what its definition says to use instead."""

    release: str
    instead: str


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
    living = _living()
    gone = ((item, prop) for item in every_definition() for prop in (*item.properties, *item.retired_properties)
            if prop.retired or item.retired)
    return {prop.name: Retired(prop.retired or item.retired, prop.deprecated or item.deprecated)
            for item, prop in gone if prop.name not in living and ":" in prop.name}


@cache
def _retired_namespaces() -> Mapping[str, Retired]:
    living = {name.partition(":")[0] for name in _living()}
    gone = ((item, prop) for item in every_definition() if item.retired for prop in item.properties)
    heads = {prop.name.partition(":")[0]: item for item, prop in gone if ":" in prop.name}
    return {head: Retired(item.retired, item.deprecated) for head, item in heads.items() if head not in living}


@cache
def _living() -> frozenset[str]:
    return frozenset(prop.name if not item.prefix else f"{item.prefix}:"
                     for item in definitions().values() for prop in item.properties if not prop.retired)
