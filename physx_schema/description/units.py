"""Conversions between what USD physics authors and what PhysX computes with."""

from __future__ import annotations

import math

import numpy as np

from physx_schema.definitions import default_number

DEGREES_PER_RADIAN = 180.0 / math.pi
DEGREES_PER_TURN = 360.0
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


def takes_unit(name: str, value: float) -> bool:
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
