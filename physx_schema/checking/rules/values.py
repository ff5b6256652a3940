"""Authored values: tokens that exist, numbers that are finite and in range.

Values that come from time samples or connections, which PhysX does not follow.

Attributes authored with another type than their schema gives them.
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

# What PhysX makes of NaN, as experiments/measure_joint_rules.py measured it.
_NAN_STATE = "the state of the whole articulation becomes NaN"
_NAN_RATIO = "the state of both bodies becomes NaN"
_RATIOS = (("PhysxPhysicsGearJoint", "gearRatio"), ("PhysxPhysicsRackAndPinionJoint", "ratio"))

_WITH_NAN: Mapping[tuple[str, str], str] = {
    **{("PhysicsDriveAPI", name): _NAN_STATE for name in ("stiffness", "damping", "targetPosition")},
    **{("NewtonMimicAPI", name): _NAN_STATE for name in ("mimicCoef0", "mimicCoef1")},
    ("PhysicsDriveAPI", "maxForce"): "PhysX drives the joint without a bound",
    ("PhysxJointAxisAPI", "maxJointVelocity"): "PhysX does not limit the velocity",
    ("PhysxJointAxisAPI", "armature"): "PhysX works without armature",
    **dict.fromkeys(_RATIOS, _NAN_RATIO),
    **{(joint, name): "PhysX refuses the limits and holds the joint at 0"
       for joint in _JOINTS for name in ("lowerLimit", "upperLimit")},
}

_VECTORS = (Gf.Vec3f, Gf.Vec3d)
# What the reader says of a value itself.
_READER_CODES = frozenset({"scene/gravity", "material/refused", "material/combine-mode", "joint/drive-refused",
                           "joint/limit-order", "joint/infinite-distance"})
# The mimic rule judges these values itself.
JUDGED_ELSEWHERE = frozenset({"PhysxMimicJointAPI"})

TOKEN = Rule("value/token", "error", """
    Token that does not exist

    A token that PhysX does not know is replaced by its default, without a message.

    Measured: acelleration, Acceleration and an empty drive type act as force, axes W and y as X, without a message.
    (`experiments/measure_value_rules.py`) An unknown approximation acts as none: a ball falls into a static pit that
    convexHull closes. (`experiments/measure_contact_rules.py`)
    """,
    why="PhysX does not know it and works with its default",
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


_ROUNDED_ZERO = 1e-12       # below what any property means; converters that diagonalise moments leave such numbers

RANGE = Rule("value/range", "error", """
    Number out of range

    A number outside the range of its property is clamped, replaced or refused by PhysX. A number that is a rounded zero
    is a warning.

    Measured: A stiffness of -100 throws a slider from 0.1 to -5.1 in half a second; maxJointVelocity -1 holds it as 0
    does. dynamicFrictionEffort -2, viscousFrictionCoefficient -10, armature -0.5 and maxActuatorVelocity -1 act as 0.
    (`experiments/measure_joint_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.driven_joint({"float drive:angular:physics:stiffness": "-10"}),
    remedy=usda.driven_joint(),
)

NOT_FINITE = Rule("value/not-finite", "error", """
    Number that is not finite

    NaN, or an infinity where none is allowed.

    Measured: NaN or infinite stiffness, NaN damping or target make the articulation NaN; maxForce NaN drives without
    bound, maxJointVelocity NaN does not limit, armature NaN is none, a limit of NaN holds the joint at 0.
    (`experiments/measure_joint_rules.py`)
    """,
    why="PhysX refuses it, or carries it into the state of the whole articulation",
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
                item.path, item.property, f"{value:g} is not in {allowed}{', a zero that a tool rounded' * rounded}",
                why=_consequence(item, value, lower), fix=f"author a value in {allowed}",
                severity="warning" if rounded else "", repair=_clamp_repair(item, value, allowed, lower, upper),
            )
            return


def _consequence(item: Authored, value: float, lower: float) -> str:
    if math.isinf(value) and item.schema in ("PhysicsDriveAPI", "NewtonMimicAPI"):
        return _NAN_STATE
    if math.isinf(value) and (item.schema, item.base) in _RATIOS:
        return _NAN_RATIO
    if item.schema == "PhysicsDriveAPI":
        return "the drive feeds energy into the joint"
    if item.schema == "PhysicsMassAPI" or item.base == "density":
        return "PhysX works with a value of its own"
    if item.schema == "PhysicsMaterialAPI" and math.isinf(value):
        return "PhysX takes it as it is, other engines may not"
    if item.base == "restitution" and value > lower and item.schema.startswith("PhysxLimitAPI"):
        return "outside articulations PhysX refuses the whole limit"
    return f"PhysX works with {lower:g}" if value < lower else "PhysX works with the nearest value it allows"


def _clamp_repair(item: Authored, value: float, allowed: Range, lower: float, upper: float) -> Repair | None:
    """A single number at the end of its range, where the end belongs to it."""
    bound, closed = (lower, allowed.lower_closed) if value < lower else (upper, allowed.upper_closed)
    if item.value != value or lower <= value <= upper or not closed or not math.isfinite(bound):
        return None
    return unsafe(SetValue(item.path, item.property, type(item.value)(bound)))


def _bound(item: Authored, bound: float | str, by_name: Mapping[tuple[str, str], object]) -> float:
    """A bound's number; where it names another attribute, that one's value or default."""
    if not isinstance(bound, str):
        return bound
    definition = definitions()[item.schema]
    attribute = next((name for name in definition.attributes if name.rpartition(":")[2] == bound), bound)
    other = item.property.removesuffix(item.base) + bound
    values = flatten(by_name.get((item.path, other), definition.attributes[attribute].default))
    return values[0] if values else math.nan


@finder("values", TOKEN, NOT_FINITE, RANGE)
def authored_values(description: Description) -> Iterator[Finding]:
    """Tokens that do not exist, numbers that are not finite, numbers out of range."""
    yield from findings_of_values(description.authored, description.problems)


def findings_of_values(authored: Collection[Authored], problems: Iterable[Problem]) -> Iterator[Finding]:
    """The findings about authored values, where no problem says the same."""
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
    """The tokens and the numbers that a property may have; no tokens where any will do."""
    definition = definitions().get(schema)
    attribute = definition and (definition.attributes.get(base) or definition.attributes.get(name))
    plain = _FINITE if schema.startswith("Physics") else _ANY
    if attribute is not None:
        return attribute.tokens, attribute.range or plain
    return _TOKENS.get((schema, base), ()), _RANGES.get((schema, base), plain)


@cache
def _related() -> frozenset[str]:
    """Schemas with a property whose range ends at another property."""
    return frozenset(schema for schema, definition in definitions().items() if any(
        isinstance(bound, str) for item in definition.attributes.values() if item.range is not None
        for bound in (item.range.lower, item.range.upper)))


def _is_plainly_in(value: Any, allowed: Range) -> bool:
    """Whether a number, or each of a vector's, is well inside its range, as nearly all are."""
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

    PhysX reads a stage once, by default at USD's default time, where time samples alone leave its own default in place.

    Measured: Stiffness, mass and translation of time samples alone are 0, 1 and (0, 0, 0), the size of a cube 2. Opened
    at 0 s or 1 s, as `ovstage.population.open_usd` can be told, the samples of that time are read.
    (`experiments/measure_value_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.driven_joint({_STIFFNESS: None, f"{_STIFFNESS}.timeSamples": "{ 0: 10 }"}),
    remedy=usda.driven_joint(),
)

VALUE_TIME_SAMPLES = ReaderRule("value/time-samples", "warning", """
    Time samples that physics does not read

    ovphysx reads a stage once, by default at USD's default time. Omniverse follows the samples of drives, joint frames,
    gravity and velocities along its timeline. Of transforms of bodies body/animated says more.

    Measured: Samples beside a stiffness of 5, a mass of 3 and a translation change nothing. Opened at 0 s or 1 s, as
    `ovstage.population.open_usd` can be told, the samples of that time count and not the default value.
    (`experiments/measure_value_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.driven_joint({f"{_STIFFNESS}.timeSamples": "{ 0: 20 }"}),
    remedy=usda.driven_joint(),
)

CONNECTED = ReaderRule("value/connected", "warning", """
    Value that comes from a connection

    PhysX reads an attribute's own value and follows no connection. Beside a value connections are reported of mimic
    joints alone.

    Measured: A stiffness connected to 9 is 5 where 5 is authored beside it, and 0 otherwise; a gearing of -2 connected
    to 9 is -2. (`experiments/measure_value_rules.py`)
    """,
    example=usda.driven_joint({_STIFFNESS: None, f"{_STIFFNESS}.connect": "</Robot/j2.given>", "float given": "10"}),
    remedy=usda.driven_joint(),
)


_INTEGERS = frozenset({"int", "uint"})
_NUMBERS = frozenset({"float", "double", *_INTEGERS})
_READER_TYPE_CODES = frozenset({"value/wrong-type", "tendon/array-length"})      # what the reader says of types
_SCALARS = ("bool", "uchar", "int", "uint", "int64", "uint64", "half", "float", "double")
_USD_INSTANCE = "__INSTANCE_NAME__"

WRONG_TYPE = ReaderRule("value/wrong-type", "error", """
    Value of a type that cannot be read

    The value has a type that cannot be read as the property's. PhysX works with its default, and of limits with 0.

    Measured: A stiffness of type string, token, timecode or float[] is 0, moments of type float[] are worked out,
    rotations of type quatd, quath or float4 are none, acceleration of type string is force. A lower limit of type
    string beside an upper one of 9 is 0, and so is a cone angle. (`experiments/measure_value_rules.py`)
    """,
    profiles=PROFILES,
    example=usda.driven_joint({_STIFFNESS: None, "string drive:angular:physics:stiffness": '"10"'}),
    remedy=usda.driven_joint(),
)

TYPE = Rule("value/type", "warning", """
    Value of another type than declared

    The attribute is authored with another type than its schema declares. PhysX reads numbers and truth values of every
    type for one another, alone, in vectors of three and in arrays; other programs may not.

    Measured: A stiffness is read as float, double, half, int, uint, int64, uint64, uchar and bool, moments as float3,
    double3, half3 and int3, jointEnabled as int and float. (`experiments/measure_value_rules.py`)
    """,
    why="PhysX reads the value; other programs may refuse or ignore it",
    profiles=PROFILES,
    example=usda.driven_joint({_STIFFNESS: None, "double drive:angular:physics:stiffness": "10"}),
    remedy=usda.driven_joint(),
)


@finder("value-types", WRONG_TYPE, TYPE)
def authored_types(description: Description) -> Iterator[Finding]:
    """One finding for each property of another type than declared, where the reader has said nothing of it."""
    unreadable = {(item.path, item.property) for item in description.problems if item.code in _READER_TYPE_CODES}
    for item in description.authored:
        if not item.schema or (item.path, item.property) in unreadable:
            continue
        declared = _declared_type(item.schema, item.base, item.property)
        if declared and declared != item.type_name and _kind(declared) != _kind(item.type_name):
            yield from _mismatch(item, declared)


def _mismatch(item: Authored, declared: str) -> Iterator[Finding]:
    message = f"authored as {_type_text(item.type_name)}, {item.schema} declares {_type_text(declared)}"
    fix = f"author the property as {_type_text(declared)}"
    if _is_readable(item.type_name, declared):
        yield TYPE.at(item.path, item.property, message, fix=fix, repair=_retyped(item, declared))
    elif item.schema not in JUDGED_ELSEWHERE or declared not in _NUMBERS:
        yield WRONG_TYPE.at(item.path, item.property, message, fix=fix, repair=_retyped(item, declared))


def _type_text(type_name: str) -> str:
    return "a relationship" if type_name == "rel" else type_name


@lru_cache(4096)
def _is_readable(type_name: str, declared: str) -> bool:
    """Whether PhysX reads a value of another type: numbers and truth values for one another, as scalars, in vectors of
    three and in arrays. Of texts and quaternions it reads the declared type alone."""
    return any({_kind(type_name), _kind(declared)} <= kinds for kinds in _COMPATIBLE)


def _retyped(item: Authored, declared: str) -> Repair | None:
    """A number as the declared type, where that holds it without loss, and a text as a token."""
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
    """What is stored under a type name: roles such as point and color aside."""
    return str(Sdf.ValueTypeNames.Find(type_name).cppTypeName)


@lru_cache(4096)
def _declared_type(schema: str, base: str, name: str) -> str:
    """The type of a schema's property, "rel" for a relationship, "" where it is not known."""
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


_COMPATIBLE = tuple(frozenset(map(_kind, names)) for names in (      # kinds of values that PhysX reads for one another
    _SCALARS, [f"{name}[]" for name in _SCALARS], ("half3", "float3", "double3", "int3"),
))
