"""The definitions of a generated package and of the packages inside it."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType

import physx_generated
from physx_generated import Definition


def known_definitions() -> list[Definition]:
    """The definitions of the PhysX schemas."""
    return definitions_of(physx_generated)


def definitions_of(package: ModuleType) -> list[Definition]:
    """Every definition by identifier, sorted. Raises ValueError for a module that the generator did not make."""
    modules = [package]
    for found in pkgutil.iter_modules(package.__path__ if hasattr(package, "__path__") else ()):
        if found.ispkg:
            modules.append(importlib.import_module(f"{package.__name__}.{found.name}"))
    made = {item.definition.identifier: item.definition for module in modules for item in vars(module).values()
            if isinstance(item, type) and hasattr(item, "definition")}
    if not made:
        raise ValueError(f"{package.__name__} has no schema classes; give a package that `physx-schema generate` made")
    return [made[name] for name in sorted(made)]
