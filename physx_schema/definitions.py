"""What the schemas say, as generated from their YAML: every definition by USD identifier, every attribute by name.

Defaults, ranges, units, types and allowed tokens of PhysX's schemas are asked for here and written down nowhere else:
an edit of the YAML reaches whoever asks.
"""

from __future__ import annotations

import importlib
import math
import pkgutil
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import ModuleType

import physx_generated
from physx_generated import Attribute, Definition


@cache
def every_definition() -> tuple[Definition, ...]:
    """The definitions of all schemas, those that PhysX no longer has among them, sorted by identifier."""
    return tuple(definitions_of(physx_generated))


@cache
def definitions() -> Mapping[str, Definition]:
    """The definition of every schema that PhysX has, by USD identifier."""
    return {item.identifier: item for item in every_definition() if not item.retired}


@cache
def attribute(schema: str, base: str) -> Attribute:
    """An attribute of a schema by its name without namespaces: "cfmScale" of "PhysxRigidBodyAPI".

    Its `default`, `range`, `unit` and `tokens` are as in the YAML, angles in degrees. Raises KeyError for a schema or
    an attribute that the YAML does not define.
    """
    by_base = {name.rpartition(":")[2]: item for name, item in definitions()[schema].attributes.items()}
    return by_base[base]


def default_number(schema: str, base: str) -> float:
    """The default of an attribute that is a number or an array of one.

    Raises KeyError as :func:`attribute`, TypeError for any other default.
    """
    value = attribute(schema, base).default
    if isinstance(value, tuple) and len(value) == 1:
        value = value[0]
    if not isinstance(value, int | float):
        raise TypeError(f"{schema}.{base} has the default {value!r}, which is not a number; set a number in the YAML")
    return float(value)


def float_fields(schema: str) -> dict[str, str]:
    """The attributes of a schema itself that are one number: name of the fact ("limit_stiffness") -> attribute.

    Raises KeyError for a schema that the YAML does not define, TypeError for a number without a default.
    """
    names = [item.name for item in definitions()[schema].declared.values()
             if isinstance(item, Attribute) and item.type == "float"]
    for base in names:
        default_number(schema, base)
    return {re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", base): base for base in names}


@cache
def attribute_range(schema: str, base: str) -> tuple[float, float]:
    """The numbers at the two ends of an attribute's range; infinite where it has none or the end is another attribute.

    Raises KeyError as :func:`attribute`.
    """
    allowed = attribute(schema, base).range
    if allowed is None:
        return -math.inf, math.inf
    return (-math.inf if isinstance(allowed.lower, str) else allowed.lower,
            math.inf if isinstance(allowed.upper, str) else allowed.upper)


def definitions_of(package: ModuleType) -> list[Definition]:
    """Every definition of a generated package and the packages inside it, sorted by identifier.

    Raises ValueError for a module that the generator did not make.
    """
    modules = [package]
    for info in pkgutil.iter_modules(package.__path__ if hasattr(package, "__path__") else ()):
        if info.ispkg:
            modules.append(importlib.import_module(f"{package.__name__}.{info.name}"))
    by_identifier = {item.definition.identifier: item.definition for module in modules for item in vars(module).values()
                     if isinstance(item, type) and hasattr(item, "definition")}
    if not by_identifier:
        raise ValueError(f"{package.__name__} has no schema classes; give a package that `physx-schema generate` wrote")
    return [by_identifier[name] for name in sorted(by_identifier)]


def plugin_folders() -> list[Path]:
    """The folders with a plugInfo.json, one for each library and one for the validator, for PXR_PLUGINPATH_NAME."""
    homes = (Path(physx_generated.__file__).resolve().parent, Path(__file__).resolve().parent)
    return sorted(path.parent for home in homes for path in home.rglob("plugInfo.json"))
