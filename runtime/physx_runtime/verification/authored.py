"""`authored_numbers` lists the numbers that a stage authors; `intended_numbers` lists those that they are meant to come
to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from physx_runtime.verification.report import Value
from physx_schema.description.model import Description
from physx_schema.description.units import as_number, as_numbers, intended_effect

# By prim path and property name.
Authored = Mapping[tuple[str, str], Value]


def authored_numbers(description: Description) -> Authored:
    """Every physics property that authors a number, or several; tokens, switches and relationships do not."""
    candidates = ((item.path, item.property, numbers(item.value)) for item in description.authored)
    return {(path, name): value for path, name, value in candidates if value is not None}


def intended_numbers(stage: Any, authored: Authored) -> dict[tuple[str, str], float]:
    """The intended effects of numbers of a stage, where they differ from the authored numbers."""
    effects = ((prop, intended_effect(stage.GetPrimAtPath(prop[0]).GetAttribute(prop[1]))) for prop in authored)
    return {prop: effect for prop, effect in effects if effect is not None}


def numbers(value: Any) -> Value | None:
    """A number, or the numbers of a vector, a quaternion (w first, as in USD) or an array; None for anything else.

    To the digits a float carries; an array of one number is that number.
    """
    if isinstance(value, bool | str) or value is None:
        return None
    if hasattr(value, "GetImaginary"):
        return tuple(map(_plain, (value.GetReal(), *value.GetImaginary())))
    single = as_number(value)
    if single is not None:
        return _plain(single)
    several = as_numbers(value)
    if not several:
        return None
    return tuple(map(_plain, several)) if len(several) > 1 else _plain(several[0])


def _plain(value: float) -> float:
    return float(f"{value:.7g}")
