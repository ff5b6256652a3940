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
    refuse([*problems, *(line for edit in edits for line in why_not_editable(edit.prim)), *_rehearse(edits)])
    return [edit.schema.Apply(edit.prim, edit.instance, **edit.values) for edit in edits]


def _rehearse(edits: Sequence[Edit]) -> list[str]:
    """What the edits would be refused for, found by applying them to prims of the same paths on an empty stage."""
    stage = Usd.Stage.CreateInMemory()
    lines: list[str] = []
    for edit in edits:
        prim = stage.DefinePrim(edit.prim.GetPath(), edit.prim.GetTypeName())
        try:
            edit.schema.Apply(prim, edit.instance, **edit.values)
        except AuthoringError as error:
            lines += str(error).splitlines()
    return lines
