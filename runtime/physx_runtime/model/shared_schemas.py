"""Attribute names and types of PhysX's schemas, read as data, because a machine that steps packed models may have no
USD.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path

NUMBERS = ("float", "float[]")


@cache
def attribute_types() -> Mapping[str, Mapping[str, str]]:
    """Type of every attribute by schema and name, as generated from the YAML; the generated package, which needs USD,
    is not imported.

    Raises ImportError where it is not installed.
    """
    spec = find_spec("physx_generated")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("the package physx_generated is not installed; install physx-schema, or add its folder "
                          "generated/ to the path")
    path = Path(spec.submodule_search_locations[0], "attributes.json")
    classes: Mapping[str, Mapping[str, str]] = json.loads(path.read_text(encoding="utf-8"))["classes"]
    return classes


def numbers_of(schema: str) -> dict[str, str]:
    """The numbers of a schema, in the order of the YAML: name here ("limit_stiffness") -> attribute."""
    return {re.sub("[A-Z]", lambda capital: f"_{capital[0].lower()}", name): name
            for name, kind in attribute_types()[schema].items() if kind in NUMBERS}
