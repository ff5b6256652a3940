"""Several schemas applied to several prims as one change: all of them, or none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pxr import Usd

from physx_schema.authoring.prims import refuse, why_not_editable
from physx_schema.errors import AuthoringError


@dataclass(frozen=True, slots=True)
class Edit:
    """A generated multiple-apply class to apply to a prim under an instance name, with values by keyword."""

    schema: Any
    prim: Usd.Prim
    instance: str
    values: Mapping[str, object]


def author(edits: Sequence[Edit], problems: Iterable[str]) -> list[Any]:
    """Apply every edit and return the schema objects, in order.

    Raises AuthoringError with `problems` and with whatever the edits themselves would be refused for; then nothing has
    been written.
    """
    refuse([*problems, *(line for edit in edits for line in (*why_not_editable(edit.prim), *_rehearse(edit)))])
    return [edit.schema.Apply(edit.prim, edit.instance, **edit.values) for edit in edits]


def _rehearse(edit: Edit) -> list[str]:
    """What an edit would be refused for, found by applying it to a prim of the same path on an empty stage."""
    if not edit.instance:
        return [f"{edit.prim.GetPath()}: the name is empty; give an identifier such as flexor"]
    stage = Usd.Stage.CreateInMemory()
    prim = stage.DefinePrim(edit.prim.GetPath(), edit.prim.GetTypeName())
    try:
        edit.schema.Apply(prim, edit.instance, **edit.values)
    except AuthoringError as error:
        return str(error).splitlines()
    return []
