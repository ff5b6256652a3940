"""Units of a stage, and conversions between them.

Conversions between what USD physics authors and what PhysX computes with.

Values as USD hands them out, in the plain types of facts; None where a value is something else.

The effect that an authored number is to have in PhysX, where that is another number. It is custom data of the
attribute, with the number that it belongs to: once another is authored it no longer counts.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from physx_schema.definitions import default_number
from physx_schema.description.frames import quaternion, vector
from physx_schema.description.records import Quat, Vec3

DEGREES_PER_RADIAN = 180.0 / math.pi
DEGREES_PER_REVOLUTION = 360.0
METERS_GRAVITY = 9.81       # m / s^2, where the stage authors none
WATER_DENSITY = 1000.0      # kg / m^3, where neither body, collider nor material authors one
STEPS_PER_SECOND = default_number("PhysxSceneAPI", "timeStepsPerSecond")    # where the stage authors none
POINT_RADIUS = 0.1          # m, the sphere PhysX puts where a mass has no collider


LARGEST_SINGLE, SMALLEST_SINGLE = 3.4028234663852886e38, 1.1754943508222875e-38    # float32, normal numbers
LARGEST_SPEED_SCALE = 10.0  # m / s, from which PhysX derives thresholds of its own


def radians(degrees: float) -> float:
    """The angle or angular rate in radians; infinities stay."""
    return degrees / DEGREES_PER_RADIAN


def per_radian(per_degree: float) -> float:
    """A gain, gearing or coefficient per degree as one per radian."""
    return per_degree * DEGREES_PER_RADIAN


def coordinate(value: float, angular: bool) -> float:
    """A joint coordinate, rate or limit: degrees become radians, lengths stay."""
    return radians(value) if angular else value


def gain(value: float, angular: bool) -> float:
    """A quantity per joint coordinate: per degree becomes per radian, per length stays."""
    return per_radian(value) if angular else value


def default_gravity(meters_per_unit: float) -> float:
    """Earth's gravity in stage lengths per second squared."""
    return METERS_GRAVITY / meters_per_unit


def default_density(meters_per_unit: float, kilograms_per_unit: float) -> float:
    """The density of water in stage masses per stage length cubed."""
    return WATER_DENSITY * meters_per_unit**3 / kilograms_per_unit


def point_inertia(mass: float, meters_per_unit: float) -> float:
    """Moment of inertia, per axis, of the sphere that stands for a mass without collider."""
    radius = POINT_RADIUS / meters_per_unit
    return 0.4 * mass * radius * radius


def accepts_unit(name: str, value: float) -> bool:
    """Whether PhysX takes metersPerUnit or kilogramsPerUnit: positive and finite in float32, as is 10 m in lengths."""
    with np.errstate(over="ignore", under="ignore"):
        single = float(np.float32(value))
    fits = 0.0 < single < math.inf
    return fits and (name != "metersPerUnit" or LARGEST_SPEED_SCALE / single <= LARGEST_SINGLE)


def holds_defaults(meters_per_unit: float, kilograms_per_unit: float) -> bool:
    """Whether float32 holds what PhysX works with where nothing is authored: water's density and its thresholds."""
    density = default_density(meters_per_unit, kilograms_per_unit)
    threshold = (LARGEST_SPEED_SCALE / meters_per_unit)**2
    return all(SMALLEST_SINGLE <= value <= LARGEST_SINGLE for value in (density, threshold))


_MAX_VALUE_LENGTH = 60       # characters of a value in a message
_NUMBERS = (int, float)


def display(value: object) -> str:
    """A value as a message shows it: the size of an array, the beginning of a text."""
    if is_array(value):
        return f"an array of {len(value)} values"   # type: ignore[arg-type]
    text = repr(value)
    return text if len(text) <= _MAX_VALUE_LENGTH else text[:_MAX_VALUE_LENGTH] + "..."


def is_array(value: object) -> bool:
    """Whether a value is one of USD's arrays."""
    return type(value).__module__ == "pxr.Vt"


def as_number(value: object) -> float | None:
    """A number, truth values among them; None for anything else."""
    return float(value) if isinstance(value, _NUMBERS) else None


def as_flag(value: object) -> bool | None:
    """A truth value, numbers other than 0 among them; None for anything else."""
    return bool(value) if isinstance(value, _NUMBERS) else None


def as_token(value: object) -> str | None:
    """A text, None for anything else."""
    return value if isinstance(value, str) else None


def as_vector(value: Any) -> Vec3 | None:
    """Three numbers, None for anything else, an array among them."""
    if is_array(value):
        return None
    try:
        return vector(value) if len(value) == 3 else None
    except (TypeError, ValueError):
        return None


def as_quaternion(value: Any) -> Quat | None:
    """A unit quaternion (x, y, z, w), None for anything else."""
    if hasattr(value, "GetImaginary"):
        return quaternion(value)
    return value if isinstance(value, tuple) and len(value) == 4 else None


def unnormalized(value: Any) -> Quat | None:
    """A quaternion (x, y, z, w) as authored, of any length; None of anything else."""
    if not hasattr(value, "GetImaginary"):
        return None
    x, y, z = map(float, value.GetImaginary())
    return x, y, z, float(value.GetReal())


def as_numbers(value: Any) -> tuple[float, ...] | None:
    """Numbers of an array or a single one, None for anything else."""
    single = as_number(value)
    if single is not None:
        return (single,)
    if isinstance(value, str) or not hasattr(value, "__len__"):
        return None
    if is_array(value):
        numbers = np.asarray(value)
        return tuple(map(float, numbers.tolist())) if numbers.ndim == 1 and numbers.dtype.kind in "fiu" else None
    converted = [as_number(item) for item in value]
    return None if None in converted else tuple(item for item in converted if item is not None)


def as_tokens(value: Any) -> tuple[str, ...] | None:
    """Texts of an array, None for anything else."""
    if isinstance(value, str) or not hasattr(value, "__len__"):
        return None
    # by index: the iteration of USD's arrays ends with an exception, which takes several times as long
    tokens = [value[i] for i in range(len(value))]
    return tuple(tokens) if all(isinstance(item, str) for item in tokens) else None


KEY, INTENDED, AUTHORED = "physxSchema", "intended", "authored"
# The authored number is kept in double precision beside an attribute that may hold a float.
FLOAT_TOLERANCE = 1e-6


def custom_data(intended: float, authored: float) -> dict[str, dict[str, float]]:
    """What is kept beside an authored number."""
    return {KEY: {INTENDED: intended, AUTHORED: authored}}


def intended_effect(attribute: Any) -> float | None:
    """The effect that the attribute's number is to have; None where that is the number itself."""
    data = attribute.GetCustomDataByKey(KEY) if attribute and attribute.HasAuthoredCustomData() else None
    if not isinstance(data, dict):
        return None
    intended, authored = (as_number(data.get(name)) for name in (INTENDED, AUTHORED))
    current = as_numbers(attribute.Get()) or ()
    if intended is None or authored is None or len(current) != 1:
        return None
    return intended if math.isclose(current[0], authored, rel_tol=FLOAT_TOLERANCE) else None
