"""What a schema's name means: the libraries that are generated together, then the installed USD."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any, TypeVar

from .installed_schemas import Installed, installed
from .model import Library, SchemaClass, SchemaError

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Scope:
    """The libraries of one output."""

    libraries: tuple[Library, ...]
    cache: dict[tuple[object, int], Any] = field(default_factory=dict, repr=False)     # of functions of a class

    @cached_property
    def homes(self) -> Mapping[str, tuple[Library, SchemaClass]]:
        """Identifier to class and its library."""
        return {cls.name: (library, cls) for library in reversed(self.libraries) for cls in library.classes}

    @cached_property
    def holders(self) -> Mapping[str, tuple[SchemaClass, ...]]:
        """Identifier to the classes that hold its retired properties."""
        holders = [cls for library in self.libraries for cls in library.classes if cls.extends]
        return {name: tuple(cls for cls in holders if cls.extends == name) for name in {cls.extends for cls in holders}}

    @cached_property
    def included(self) -> frozenset[str]:
        """Identifiers of classes that others include."""
        return frozenset(name for library in self.libraries for cls in library.classes for name in cls.includes)

    def find(self, name: str) -> SchemaClass | None:
        """The class with this identifier."""
        return self.homes[name][1] if name in self.homes else None

    def library_of(self, cls: SchemaClass) -> Library:
        """The library that defines a class."""
        return self.homes[cls.name][0]

    def installed_base(self, cls: SchemaClass) -> Installed:
        """The parent type of a class, from the installed USD. Raises SchemaError where there is none."""
        if cls.base not in installed():
            suggestion = "define this class, or install its plugin and add the plugin's folder to PXR_PLUGINPATH_NAME"
            raise SchemaError([(cls.at("base"), f"unknown base '{cls.base}'; {suggestion}")])
        return installed()[cls.base]


def per_class(function: Callable[[Scope, SchemaClass], T]) -> Callable[[Scope, SchemaClass], T]:
    """Compute what a function says of a class once per scope."""

    @wraps(function)
    def cached(scope: Scope, cls: SchemaClass) -> T:
        key = (function, id(cls))           # the scope keeps its classes alive
        if key not in scope.cache:
            scope.cache[key] = function(scope, cls)
        return scope.cache[key]  # type: ignore[no-any-return]

    return cached


def python_class(schema: Installed) -> tuple[str, str] | None:
    """The module of pxr and the name of the compiled class of an installed schema; None where it has no class."""
    module = schema.plugin[:1].upper() + schema.plugin[1:]
    is_compiled = schema.tf_type.startswith(module) and importlib.util.find_spec(f"pxr.{module}") is not None
    return (module, schema.tf_type.removeprefix(module)) if is_compiled else None
