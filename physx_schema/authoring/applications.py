"""Several schemas applied to several prims as one change: all of them, or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pxr import Usd

from physx_schema.authoring.prims import refuse, why_not_editable
from physx_schema.errors import AuthoringError


@dataclass(frozen=True, slots=True)
class Application:
    """A generated multiple-apply class to apply to a prim under an instance name, with values by keyword."""

    schema: Any
    prim: Usd.Prim
    instance: str
    values: Mapping[str, object]


def apply_all(applications: Sequence[Application], problems: Iterable[str]) -> list[Any]:
    """Apply every schema and return the schema objects, in order.

    Raises AuthoringError with `problems` and with whatever the applications themselves would be refused for; then
    nothing has been written.
    """
    refuse([*problems, *(line for item in applications for line in (*why_not_editable(item.prim), *_rehearse(item)))])
    return [item.schema.Apply(item.prim, item.instance, **item.values) for item in applications]


def _rehearse(item: Application) -> list[str]:
    """What an application would be refused for, found by applying it to a prim of the same path on an empty stage."""
    if not item.instance:
        return [f"{item.prim.GetPath()}: the name is empty; give an identifier such as flexor"]
    stage = Usd.Stage.CreateInMemory()
    prim = stage.DefinePrim(item.prim.GetPath(), item.prim.GetTypeName())
    try:
        item.schema.Apply(prim, item.instance, **item.values)
    except AuthoringError as error:
        return str(error).splitlines()
    return []
