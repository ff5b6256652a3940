"""Stages of a single prim, made through USD's own calls."""

from __future__ import annotations

from pxr import Sdf, Usd


def lone_prim(type_name: str, *schemas: str, **values: tuple[Sdf.ValueTypeName, object]) -> Usd.Stage:
    """A stage with one prim /prim; names of attributes have __ for the colon where they are no strings."""
    stage = Usd.Stage.CreateInMemory()
    made = stage.DefinePrim("/prim", type_name)
    for schema in schemas:
        made.AddAppliedSchema(schema)
    for name, (kind, value) in values.items():
        made.CreateAttribute(name.replace("__", ":"), kind).Set(value)
    return stage
