"""What a schema's name means: the libraries that are generated together, then the installed USD."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from .installed_schemas import Installed, installed
from .model import Library, SchemaClass, SchemaError


@dataclass(frozen=True)
class Scope:
    """The libraries of one output."""

    libraries: tuple[Library, ...]

    @cached_property
    def homes(self) -> Mapping[str, tuple[Library, SchemaClass]]:
        """Identifier to class and its library."""
        return {cls.name: (library, cls) for library in reversed(self.libraries) for cls in library.classes}

    @cached_property
    def holders(self) -> Mapping[str, tuple[SchemaClass, ...]]:
        """Identifier to the classes that hold its retired properties."""
        every = [cls for library in self.libraries for cls in library.classes if cls.extends]
        return {name: tuple(cls for cls in every if cls.extends == name) for name in {cls.extends for cls in every}}

    def find(self, name: str) -> SchemaClass | None:
        """The class with this identifier."""
        return self.homes[name][1] if name in self.homes else None

    def library_of(self, cls: SchemaClass) -> Library:
        """The library that defines a class."""
        return self.homes[cls.name][0]

    def installed_base(self, cls: SchemaClass) -> Installed:
        """The parent type of a class, from the installed USD. Raises SchemaError where there is none."""
        if cls.base not in installed():
            hint = "define it, or install the plugin that does and put it on PXR_PLUGINPATH_NAME"
            raise SchemaError([(cls.at("base"), f"unknown base '{cls.base}'; {hint}")])
        return installed()[cls.base]


def python_class(schema: Installed) -> tuple[str, str] | None:
    """The module of pxr and the name of the compiled class of an installed schema; None where it has no class."""
    module = schema.plugin[:1].upper() + schema.plugin[1:]
    is_compiled = schema.tf_type.startswith(module) and importlib.util.find_spec(f"pxr.{module}") is not None
    return (module, schema.tf_type.removeprefix(module)) if is_compiled else None
