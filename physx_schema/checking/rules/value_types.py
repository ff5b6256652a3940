"""Attributes authored with another type than their schema gives them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from physx_generated import Relationship
from pxr import Sdf, Usd

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.profile import PROFILES
from physx_schema.checking.engine.repair import Repair, SetValue, safe
from physx_schema.checking.engine.rule import ReaderRule, Rule, finder
from physx_schema.checking.rules.values import JUDGED_ELSEWHERE
from physx_schema.definitions import definitions
from physx_schema.description import Authored, Description
from physx_schema.description.opinions.schemas import SCHEMAS
from physx_schema.description.opinions.usd_physics import INSTANCE

_WHOLE = frozenset({"int", "uint"})
_NUMBERS = frozenset({"float", "double", *_WHOLE})
_TYPES_SAID = frozenset({"value/wrong-type", "tendon/array-length"})      # what the reader says of types
_SCALARS = ("bool", "uchar", "int", "uint", "int64", "uint64", "half", "float", "double")
_USD_INSTANCE = "__INSTANCE_NAME__"
_STIFFNESS = "float drive:angular:physics:stiffness"

WRONG_TYPE = ReaderRule("value/wrong-type", "error", """
    Value of a type that cannot be read

    The value has a type that cannot be read as the property's. PhysX works with its default, and of limits with 0.

    Measured: A stiffness of type string, token, timecode or float[] is 0, moments of type float[] are worked out,
    rotations of type quatd, quath or float4 are none, acceleration of type string is force. A lower limit of type
    string beside an upper one of 9 is 0, and so is a cone angle. (`benchmarks/measure_value_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.driven({_STIFFNESS: None, "string drive:angular:physics:stiffness": '"10"'}),
    remedy=usda.driven(),
)

TYPE = Rule("value/type", "warning", """
    Value of another type than declared

    The attribute is authored with another type than its schema declares. PhysX reads numbers and truth values of every
    type for one another, alone, in vectors of three and in arrays; other programs may not.

    Measured: A stiffness is read as float, double, half, int, uint, int64, uint64, uchar and bool, moments as float3,
    double3, half3 and int3, jointEnabled as int and float. (`benchmarks/measure_value_rules.py`)
    """,
    why="PhysX reads the value; other programs may refuse or ignore it",
    profiles=PROFILES,
    example=usda.driven({_STIFFNESS: None, "double drive:angular:physics:stiffness": "10"}),
    remedy=usda.driven(),
)


@finder("value-types", WRONG_TYPE, TYPE)
def authored_types(description: Description) -> Iterator[Finding]:
    """One finding for each property of another type than declared, where the reader has said nothing of it."""
    unreadable = {(item.path, item.property) for item in description.problems if item.code in _TYPES_SAID}
    for item in description.authored:
        if not item.schema or (item.path, item.property) in unreadable:
            continue
        wanted = _declared_type(item.schema, item.base, item.property)
        if wanted and wanted != item.type_name and _kind(wanted) != _kind(item.type_name):
            yield from _mismatch(item, wanted)


def _mismatch(item: Authored, wanted: str) -> Iterator[Finding]:
    found = f"authored as {_spelt(item.type_name)}, {item.schema} declares {_spelt(wanted)}"
    fix = f"author the property as {_spelt(wanted)}"
    if _is_readable(item.type_name, wanted):
        yield TYPE.at(item.path, item.property, found, fix=fix, repair=_retyped(item, wanted))
    elif item.schema not in JUDGED_ELSEWHERE or wanted not in _NUMBERS:
        yield WRONG_TYPE.at(item.path, item.property, found, fix=fix, repair=_retyped(item, wanted))


def _spelt(type_name: str) -> str:
    return "a relationship" if type_name == "rel" else type_name


@lru_cache(4096)
def _is_readable(found: str, wanted: str) -> bool:
    """Whether PhysX reads a value of another type: numbers and truth values for one another, as scalars, in vectors of
    three and in arrays. Of texts and quaternions it reads the declared type alone."""
    return any({_kind(found), _kind(wanted)} <= kinds for kinds in _ALIKE)


def _retyped(item: Authored, wanted: str) -> Repair | None:
    """A number as the declared type, where that holds it without loss, and a text as a token."""
    value = item.value
    if wanted == "token" and isinstance(value, str):
        return safe(SetValue(item.path, item.property, value, wanted))
    if wanted not in _NUMBERS or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if wanted in _WHOLE and not float(value).is_integer():
        return None
    return safe(SetValue(item.path, item.property, int(value) if wanted in _WHOLE else float(value), wanted))


@lru_cache(4096)
def _kind(type_name: str) -> str:
    """What is stored under a type name: roles such as point and color aside."""
    return str(Sdf.ValueTypeNames.Find(type_name).cppTypeName)


@lru_cache(4096)
def _declared_type(schema: str, base: str, name: str) -> str:
    """The type of a schema's property, "rel" for a relationship, "" where it is not known."""
    definition = definitions().get(schema)
    if definition is not None:
        names = base, name, name.split(":", 2)[-1] if definition.prefix else ""
        found = next((definition.by_name[one] for one in names if one in definition.by_name), None)
        return "rel" if isinstance(found, Relationship) else found.type if found is not None else ""
    registry = Usd.SchemaRegistry()
    registered = registry.FindConcretePrimDefinition(schema) or registry.FindAppliedAPIPrimDefinition(schema)
    facts = SCHEMAS.get(schema)
    if not registered or facts is None:
        return ""
    defined = facts.prefix.replace(INSTANCE, _USD_INSTANCE) + base
    kind = registered.GetSpecType(defined)
    if kind == Sdf.SpecTypeRelationship:
        return "rel"
    return str(registered.GetAttributeDefinition(defined).GetTypeName()) if kind == Sdf.SpecTypeAttribute else ""


_ALIKE = tuple(frozenset(map(_kind, names)) for names in (      # kinds of values that PhysX reads for one another
    _SCALARS, [f"{name}[]" for name in _SCALARS], ("half3", "float3", "double3", "int3"),
))
