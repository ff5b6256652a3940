"""Attributes authored with another type than their schema gives them, where PhysX can read them all the same."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from pxr import Sdf, Usd

from physx_schema.checking.edits import Repair, SetValue, safe
from physx_schema.checking.finding import Finding
from physx_schema.checking.rule import Rule
from physx_schema.checking.values import JUDGED_ELSEWHERE
from physx_schema.description import Authored, Description
from physx_schema.description.declared import definitions
from physx_schema.description.schemas import INSTANCE, SCHEMAS

_TEXT = frozenset({"string", "token", "asset"})
_WHOLE = frozenset({"int", "uint"})
_NUMBERS = frozenset({"float", "double", *_WHOLE})
_USD_INSTANCE = "__INSTANCE_NAME__"


def authored_types(description: Description) -> Iterator[Finding]:
    """One finding for each attribute of a readable value and another type than declared."""
    unreadable = {(item.path, item.property) for item in description.problems if item.code == "value/wrong-type"}
    for item in description.authored:
        if item.type_name == "rel" or not item.schema or (item.path, item.property) in unreadable:
            continue
        wanted = _declared_type(item.schema, item.base)
        if wanted and wanted != item.type_name and _kind(wanted) != _kind(item.type_name):
            yield from _mismatch(item, wanted)


def _mismatch(item: Authored, wanted: str) -> Iterator[Finding]:
    if (wanted in _TEXT) != (item.type_name in _TEXT):
        if item.schema not in JUDGED_ELSEWHERE:
            yield Finding(
                "value/wrong-type", "error", item.path, item.property,
                f"authored as {item.type_name}, {item.schema} declares {wanted}",
                "PhysX cannot read it and works with its default", f"author the attribute as {wanted}",
            )
        return
    yield Finding(
        "value/type", "warning", item.path, item.property,
        f"authored as {item.type_name}, {item.schema} declares {wanted}",
        "PhysX reads the value; other programs may refuse or ignore it", f"author the attribute as {wanted}",
        repair=_retyped(item, wanted),
    )


def _retyped(item: Authored, wanted: str) -> Repair | None:
    """A number as the declared type, where that holds it without loss."""
    value = item.value
    if wanted not in _NUMBERS or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if wanted in _WHOLE and value != int(value):
        return None
    return safe(SetValue(item.path, item.property, int(value) if wanted in _WHOLE else float(value), wanted))


@lru_cache(4096)
def _kind(type_name: str) -> str:
    """What is stored under a type name: roles such as point and color aside."""
    return str(Sdf.ValueTypeNames.Find(type_name).cppTypeName)


@lru_cache(4096)
def _declared_type(schema: str, base: str) -> str:
    """The type of a schema's property, "" where it is a relationship or not known."""
    definition = definitions().get(schema)
    if definition is not None:
        attribute = definition.attributes.get(base)
        return attribute.type if attribute is not None else ""
    registry = Usd.SchemaRegistry()
    found = registry.FindConcretePrimDefinition(schema) or registry.FindAppliedAPIPrimDefinition(schema)
    facts = SCHEMAS.get(schema)
    if not found or facts is None:
        return ""
    name = facts.prefix.replace(INSTANCE, _USD_INSTANCE) + base
    if found.GetSpecType(name) != Sdf.SpecTypeAttribute:
        return ""
    return str(found.GetAttributeDefinition(name).GetTypeName())


RULES = (Rule("value-types", authored_types, ("value/wrong-type", "value/type")),)
