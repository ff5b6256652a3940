"""Conversions between what USD physics authors and what PhysX computes with."""

from __future__ import annotations

import math

DEGREES_PER_RADIAN = 180.0 / math.pi
DEGREES_PER_TURN = 360.0
METERS_GRAVITY = 9.81       # m / s^2, where the stage authors none
WATER_DENSITY = 1000.0      # kg / m^3, where neither body, collider nor material authors one
SLEEP_ENERGY = 0.005        # m^2 / s^2, kinetic energy per mass below which PhysX lets things sleep if none is authored
POINT_RADIUS = 0.1          # m, the sphere PhysX puts where a mass has no collider


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


def default_sleep_threshold(meters_per_unit: float) -> float:
    """PhysX's own sleep threshold, in stage lengths squared per second squared."""
    return SLEEP_ENERGY / meters_per_unit**2
