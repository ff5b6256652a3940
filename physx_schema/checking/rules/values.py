"""Authored values: unknown tokens, numbers that are not finite or out of range.

Time samples and connections, which PhysX ignores. Attributes of another type than their schema declares.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cache, lru_cache
from typing import Any

from physx_generated import Range, Relationship
from pxr import Gf, Sdf, Usd

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import PROFILES, Finding, Repair, SetValue, safe, unsafe
from physx_schema.checking.engine.rule import ReaderRule, Rule, finder, flatten, is_sequence
from physx_schema.definitions import definitions
from physx_schema.description import Authored, Description
from physx_schema.description.collision.meshes import KINDS
from physx_schema.description.model import Problem
from physx_schema.description.opinions.schemas import INSTANCE, SCHEMAS

_JOINTS = ("PhysicsRevoluteJoint", "PhysicsPrismaticJoint", "PhysicsSphericalJoint")
_NOT_NEGATIVE = Range(0.0, math.inf, True, False)
_NOT_NEGATIVE_OR_INF = Range(0.0, math.inf, True, True)
_FINITE = Range(-math.inf, math.inf, False, False)
_ANY = Range(-math.inf, math.inf, True, True)

# Allowed values of UsdPhysics properties, which are not generated here.
_TOKENS: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("PhysicsDriveAPI", "type"): ("force", "acceleration"),
    **{(joint, "axis"): ("X", "Y", "Z") for joint in _JOINTS},
    ("PhysicsMeshCollisionAPI", "approximation"): tuple(KINDS),
}

_RANGES: Mapping[tuple[str, str], Range] = {
    ("PhysicsDriveAPI", "stiffness"): _NOT_NEGATIVE,
    ("PhysicsDriveAPI", "damping"): _NOT_NEGATIVE,
    ("PhysicsDriveAPI", "maxForce"): _NOT_NEGATIVE_OR_INF,
    ("PhysicsMassAPI", "mass"): _NOT_NEGATIVE,
    ("PhysicsMassAPI", "density"): _NOT_NEGATIVE,
    ("PhysicsMassAPI", "diagonalInertia"): _NOT_NEGATIVE,
    ("PhysicsMaterialAPI", "density"): _NOT_NEGATIVE,
    ("PhysicsMassAPI", "centerOfMass"): _ANY,
    ("PhysicsScene", "gravityMagnitude"): Range(-math.inf, math.inf, True, False),
    ("PhysicsLimitAPI", "low"): _ANY,
    ("PhysicsLimitAPI", "high"): _ANY,
    **{(joint, name): _ANY for joint in _JOINTS for name in ("lowerLimit", "upperLimit")},
    **{("NewtonMimicAPI", name): _FINITE for name in ("mimicCoef0", "mimicCoef1")},
    **{(joint, name): _NOT_NEGATIVE_OR_INF for joint in (*_JOINTS, "PhysicsFixedJoint", "PhysicsJoint")
       for name in ("breakForce", "breakTorque")},
}

# The effects of NaN in PhysX, measured by experiments/measure_joint_rules.py.
_NAN_STATE = "the state of the whole articulation becomes NaN"
_NAN_RATIO = "the state of both bodies becomes NaN"
_RATIOS = (("PhysxPhysicsGearJoint", "gearRatio"), ("PhysxPhysicsRackAndPinionJoint", "ratio"))

_WITH_NAN: Mapping[tuple[str, str], str] = {
    **{("PhysicsDriveAPI", name): _NAN_STATE for name in ("stiffness", "damping", "targetPosition")},
    **{("NewtonMimicAPI", name): _NAN_STATE for name in ("mimicCoef0", "mimicCoef1")},
    ("PhysicsDriveAPI", "maxForce"): "PhysX does not limit the drive's effort",
    ("PhysxJointAxisAPI", "maxJointVelocity"): "PhysX does not limit the velocity",
    ("PhysxJointAxisAPI", "armature"): "PhysX uses no armature",
    **dict.fromkeys(_RATIOS, _NAN_RATIO),
    **{(joint, name): "PhysX refuses the limits and holds the joint at 0"
       for joint in _JOINTS for name in ("lowerLimit", "upperLimit")},
}

_VECTORS = (Gf.Vec3f, Gf.Vec3d)
# Problems of values that the reader reports.
_READER_CODES = frozenset({"scene/gravity", "material/refused", "material/combine-mode", "joint/drive-refused",
                           "joint/limit-order", "joint/infinite-distance"})
# The mimic rules judge these values.
JUDGED_ELSEWHERE = frozenset({"PhysxMimicJointAPI"})

TOKEN = Rule("value/token", "error", """
    Unknown token

    PhysX replaces an unknown token by the default, without a message.

    Measured: PhysX reads the drive types acelleration and Acceleration as force, and the axes W and y as X.
    (`experiments/measure_contact_rules.py`)
    """,
    why="PhysX does not know the token and uses the default",
    profiles=PROFILES,
    example=usda.driven_joint({"uniform token drive:angular:physics:type": '"acelleration"'}),
    remedy=usda.driven_joint({"uniform token drive:angular:physics:type": '"acceleration"'}),
)


def _token(item: Authored, allowed: tuple[str, ...]) -> Iterator[Finding]:
    for value in _token_values(item.value):
        if value not in allowed:
            close = get_close_matches(value, allowed, 1, 0.5)
            yield TOKEN.at(
                item.path, item.property, f"{value!r} is not one of {', '.join(allowed)}",
                fix=f"did you mean {close[0]!r}?" if close else f"author one of {', '.join(allowed)}",
                repair=safe(SetValue(item.path, item.property, close[0])) if close and value == item.value else None,
            )


_ROUNDED_ZERO = 1e-12       # smaller than any real value; converters that diagonalise inertia tensors write it

RANGE = Rule("value/range", "error", """
    Number out of range

    PhysX clamps, replaces or refuses a number outside the range of its property. For a rounded zero such as -1e-15
    the severity is warning.

    Measured: A drive with stiffness -100 throws a slider from 0.1 to -5.1 in 0.5 s. A maxJointVelocity of -1 has the
    same effect as 0. (`experiments/measure_joint_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.driven_joint({"float drive:angular:physics:stiffness": "-10"}),
    remedy=usda.driven_joint(),
)

NOT_FINITE = Rule("value/not-finite", "error", """
    Number that is not finite

    A value is NaN, or it is infinite although the property must be finite. PhysX refuses the value, or the state of the
    whole articulation becomes NaN.

    Measured: With a stiffness of NaN or infinity the state of the articulation becomes NaN. A joint limit of NaN holds
    the joint at 0. (`experiments/measure_joint_rules.py`)
    """,
    why="PhysX refuses the value, or the state of the whole articulation becomes NaN",
    fix="author a number",
    profiles=PROFILES,
    example=usda.driven_joint({"float drive:angular:physics:stiffness": "inf"}),
    remedy=usda.driven_joint(),
)


def _numbers(item: Authored, allowed: Range, by_name: Mapping[tuple[str, str], object]) -> Iterator[Finding]:
    numbers = flatten(item.value)
    nans = [value for value in numbers if math.isnan(value)]
    if nans:
        why = _WITH_NAN.get((item.schema, item.base), "")
        yield NOT_FINITE.at(item.path, item.property, f"{nans[0]:g} is not a number", why=why)
        return
    lower, upper = (_bound(item, bound, by_name) for bound in (allowed.lower, allowed.upper))
    for value in numbers:
        low = value >= lower if allowed.lower_closed else value > lower
        high = value <= upper if allowed.upper_closed else value < upper
        if not (low and high):
            rule = NOT_FINITE if math.isinf(value) else RANGE
            rounded = lower == 0.0 and -_ROUNDED_ZERO < value < 0.0
            yield rule.at(
                item.path, item.property, f"{value:g} is not in {allowed}{', probably a rounded zero' * rounded}",
                why=_consequence(item, value, lower), fix="author a value in the allowed range",
                severity="warning" if rounded else "", repair=_clamp_repair(item, value, allowed, lower, upper),
            )
            return


def _consequence(item: Authored, value: float, lower: float) -> str:
    if math.isinf(value) and item.schema in ("PhysicsDriveAPI", "NewtonMimicAPI"):
        return _NAN_STATE
    if math.isinf(value) and (item.schema, item.base) in _RATIOS:
        return _NAN_RATIO
    if item.schema == "PhysicsDriveAPI":
        return "the drive adds energy to the joint"
    if item.schema == "PhysicsMassAPI" or item.base == "density":
        return "PhysX replaces the value"
    if item.schema == "PhysicsMaterialAPI" and math.isinf(value):
        return "PhysX accepts the value, but some other engines do not"
    if item.base == "restitution" and value > lower and item.schema.startswith("PhysxLimitAPI"):
        return "outside articulations PhysX refuses the whole limit"
    return f"PhysX uses {lower:g}" if value < lower else "PhysX uses the nearest allowed value"


def _clamp_repair(item: Authored, value: float, allowed: Range, lower: float, upper: float) -> Repair | None:
    """Set a single number to the end of its range, if the range includes the end."""
    bound, closed = (lower, allowed.lower_closed) if value < lower else (upper, allowed.upper_closed)
    if item.value != value or lower <= value <= upper or not closed or not math.isfinite(bound):
        return None
    return unsafe(SetValue(item.path, item.property, type(item.value)(bound)))


def _bound(item: Authored, bound: float | str, by_name: Mapping[tuple[str, str], object]) -> float:
    """A bound as a number; if it names another attribute, the value or default of that one."""
    if not isinstance(bound, str):
        return bound
    definition = definitions()[item.schema]
    attribute = next((name for name in definition.attributes if name.rpartition(":")[2] == bound), bound)
    other = item.property.removesuffix(item.base) + bound
    values = flatten(by_name.get((item.path, other), definition.attributes[attribute].default))
    return values[0] if values else math.nan


@finder("values", TOKEN, NOT_FINITE, RANGE)
def authored_values(description: Description) -> Iterator[Finding]:
    """Unknown tokens, and numbers that are not finite or out of range."""
    yield from findings_of_values(description.authored, description.problems)


def findings_of_values(authored: Collection[Authored], problems: Iterable[Problem]) -> Iterator[Finding]:
    """The findings about authored values, except those that the reader reports."""
    related = {(item.path, item.property): item.value for item in authored if item.schema in _related()}
    reported = {(problem.path, problem.property) for problem in problems if problem.code in _READER_CODES}
    for item in authored:
        if not item.schema or item.schema in JUDGED_ELSEWHERE or (item.path, item.property) in reported:
            continue
        tokens, allowed = _allowed(item.schema, item.base, item.property)
        if tokens:
            yield from _token(item, tokens)
        if item.type_name != "rel" and not _is_plainly_in(item.value, allowed):
            yield from _numbers(item, allowed, related)


@lru_cache(4096)
def _allowed(schema: str, base: str, name: str) -> tuple[tuple[str, ...], Range]:
    """The tokens and the range that a property allows; no tokens if all are allowed."""
    definition = definitions().get(schema)
    attribute = definition and (definition.attributes.get(base) or definition.attributes.get(name))
    plain = _FINITE if schema.startswith("Physics") else _ANY
    if attribute is not None:
        return attribute.tokens, attribute.range or plain
    return _TOKENS.get((schema, base), ()), _RANGES.get((schema, base), plain)


@cache
def _related() -> frozenset[str]:
    """Schemas with a property that has another property as a bound."""
    return frozenset(schema for schema, definition in definitions().items() if any(
        isinstance(bound, str) for item in definition.attributes.values() if item.range is not None
        for bound in (item.range.lower, item.range.upper)))


def _is_plainly_in(value: Any, allowed: Range) -> bool:
    """Whether a number, or each number of a vector, is inside its range: a fast test for the common case."""
    lower, upper = allowed.lower, allowed.upper
    if isinstance(lower, str) or isinstance(upper, str):
        return False
    if type(value) is float:
        return lower < value < upper
    return type(value) in _VECTORS and all(lower < part < upper for part in memoryview(value).tolist())


def _token_values(value: Any) -> tuple[str, ...]:
    """The tokens of a single token or an array of them."""
    if isinstance(value, str):
        return (value,)
    return tuple(item for item in value if isinstance(item, str)) if is_sequence(value) else ()


_STIFFNESS = "float drive:angular:physics:stiffness"

ONLY_SAMPLES = ReaderRule("value/only-samples", "warning", """
    Time samples without a default value

    PhysX reads a stage once, by default at USD's default time. At the default time PhysX ignores time samples and uses
    the property's default value.

    Measured: If a property has only time samples, PhysX reads a stiffness as 0, a mass as 1 and a translation as (0, 0,
    0). (`experiments/measure_value_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.driven_joint({_STIFFNESS: None, f"{_STIFFNESS}.timeSamples": "{ 0: 10 }"}),
    remedy=usda.driven_joint(),
)

VALUE_TIME_SAMPLES = ReaderRule("value/time-samples", "warning", """
    Time samples on a physics property

    ovphysx reads a stage once, by default at USD's default time, and ignores time samples. Omniverse follows the time
    samples of drives, joint frames, gravity and velocities. The rule body/animated covers transforms of bodies.

    Measured: Time samples in addition to stiffness 5, mass 3 or a translation have no effect.
    (`experiments/measure_value_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.driven_joint({f"{_STIFFNESS}.timeSamples": "{ 0: 20 }"}),
    remedy=usda.driven_joint(),
)

CONNECTED = ReaderRule("value/connected", "warning", """
    Attribute with a connection

    PhysX reads an attribute's authored value and ignores connections. If a value is also authored, the rule reports
    connections only on mimic joints.

    Measured: A stiffness has a connection to the value 9. PhysX reads 5 if the value 5 is authored too, and 0 if no
    value is authored. (`experiments/measure_value_rules.py`)
    """,
    example=usda.driven_joint({_STIFFNESS: None, f"{_STIFFNESS}.connect": "</Robot/j2.given>", "float given": "10"}),
    remedy=usda.driven_joint(),
)


_INTEGERS = frozenset({"int", "uint"})
_NUMBERS = frozenset({"float", "double", *_INTEGERS})
_READER_TYPE_CODES = frozenset({"value/wrong-type", "tendon/array-length"})      # of types, reported by the reader
_SCALARS = ("bool", "uchar", "int", "uint", "int64", "uint64", "half", "float", "double")
_USD_INSTANCE = "__INSTANCE_NAME__"

WRONG_TYPE = ReaderRule("value/wrong-type", "error", """
    Value of an unreadable type

    If PhysX cannot read the type of a value, it uses the property's default, or 0 for a limit.

    Measured: PhysX reads a stiffness of type string, token, timecode or float[] as 0. PhysX also reads a lowerLimit of
    type string as 0.
    (`experiments/measure_value_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.driven_joint({_STIFFNESS: None, "string drive:angular:physics:stiffness": '"10"'}),
    remedy=usda.driven_joint(),
)

TYPE = Rule("value/type", "warning", """
    Value of another type than declared

    PhysX converts between number and bool types, including arrays and vectors with three elements. Some other programs
    do not convert values.

    Measured: PhysX reads a stiffness of type float, double, half, int, uint, int64, uint64, uchar or bool.
    (`experiments/measure_value_rules.py`)
    """,
    why="PhysX reads the value, but some other programs refuse or ignore it",
    profiles=PROFILES,
    example=usda.driven_joint({_STIFFNESS: None, "double drive:angular:physics:stiffness": "10"}),
    remedy=usda.driven_joint(),
)


@finder("value-types", WRONG_TYPE, TYPE)
def authored_types(description: Description) -> Iterator[Finding]:
    """Properties of another type than declared, except those that the reader reports."""
    unreadable = {(item.path, item.property) for item in description.problems if item.code in _READER_TYPE_CODES}
    for item in description.authored:
        if not item.schema or (item.path, item.property) in unreadable:
            continue
        declared = _declared_type(item.schema, item.base, item.property)
        if declared and declared != item.type_name and _kind(declared) != _kind(item.type_name):
            yield from _mismatch(item, declared)


def _mismatch(item: Authored, declared: str) -> Iterator[Finding]:
    message = f"the authored type is {_type_text(item.type_name)}, but {item.schema} declares {_type_text(declared)}"
    fix = f"author the property as {_type_text(declared)}"
    if _is_readable(item.type_name, declared):
        yield TYPE.at(item.path, item.property, message, fix=fix, repair=_retyped(item, declared))
    elif item.schema not in JUDGED_ELSEWHERE or declared not in _NUMBERS:
        yield WRONG_TYPE.at(item.path, item.property, message, fix=fix, repair=_retyped(item, declared))


def _type_text(type_name: str) -> str:
    return "a relationship" if type_name == "rel" else type_name


@lru_cache(4096)
def _is_readable(type_name: str, declared: str) -> bool:
    """Whether PhysX reads a value of another type than declared.

    It converts between number and bool types: scalars, vectors of three and arrays. Strings and quaternions must have
    the declared type.
    """
    return any({_kind(type_name), _kind(declared)} <= kinds for kinds in _COMPATIBLE)


def _retyped(item: Authored, declared: str) -> Repair | None:
    """Author a number with the declared type, if that is exact, and a string as a token."""
    value = item.value
    if declared == "token" and isinstance(value, str):
        return safe(SetValue(item.path, item.property, value, declared))
    if declared not in _NUMBERS or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if declared in _INTEGERS and not float(value).is_integer():
        return None
    return safe(SetValue(item.path, item.property, int(value) if declared in _INTEGERS else float(value), declared))


@lru_cache(4096)
def _kind(type_name: str) -> str:
    """The C++ type of a type name, without roles such as point and color."""
    return str(Sdf.ValueTypeNames.Find(type_name).cppTypeName)


@lru_cache(4096)
def _declared_type(schema: str, base: str, name: str) -> str:
    """The type of a schema's property: "rel" for a relationship, "" if it is unknown."""
    definition = definitions().get(schema)
    if definition is not None:
        names = base, name, name.split(":", 2)[-1] if definition.prefix else ""
        item = next((definition.by_name[key] for key in names if key in definition.by_name), None)
        return "rel" if isinstance(item, Relationship) else item.type if item is not None else ""
    registry = Usd.SchemaRegistry()
    prim_definition = registry.FindConcretePrimDefinition(schema) or registry.FindAppliedAPIPrimDefinition(schema)
    facts = SCHEMAS.get(schema)
    if not prim_definition or facts is None:
        return ""
    full_name = facts.prefix.replace(INSTANCE, _USD_INSTANCE) + base
    kind = prim_definition.GetSpecType(full_name)
    if kind == Sdf.SpecTypeRelationship:
        return "rel"
    return str(prim_definition.GetAttributeDefinition(full_name).GetTypeName()) if kind == Sdf.SpecTypeAttribute else ""


_COMPATIBLE = tuple(frozenset(map(_kind, names)) for names in (      # types that PhysX converts between
    _SCALARS, [f"{name}[]" for name in _SCALARS], ("half3", "float3", "double3", "int3"),
))
