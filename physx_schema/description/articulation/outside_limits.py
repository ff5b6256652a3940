"""Limits of joints outside articulations as PhysX sets them up, and what it takes in place of those it refuses."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

from physx_schema.description.articulation.limits import FREE, cone
from physx_schema.description.model import unlimited
from physx_schema.description.opinions.axes import is_bound
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.opinions.schemas import ROTATIONS, TRANSLATIONS
from physx_schema.description.opinions.view import View
from physx_schema.description.units import radians

_HALF_TURN, _QUARTER = 180.0, 90.0      # degrees
_SWINGS = ROTATIONS[1:]
_TO_EITHER_SIDE = "refuses the pair and limits the axis to 90 degrees to either side"
_SLIDES = "refuses the pair and the axis slides freely"


class Limits(NamedTuple):
    """Bounds of an axis in degrees or lengths, infinite where there is none; refused ones are never soft."""

    lower: float
    upper: float
    taken: bool = True

    @property
    def acts(self) -> bool:
        """Whether there is any bound."""
        return (self.lower, self.upper) != FREE


_NONE = Limits(*FREE)
# What of PhysxLimitAPI loses a limit, of soft ones and of translations too, where it is NaN or above its range.
_BOUNCES, _GAINS = ("restitution", "bounceThreshold"), ("stiffness", "damping")
# What PhysX works with where it refuses limits.
REFUSED_TURN, REFUSED_SLIDE = Limits(-_QUARTER, _QUARTER, False), Limits(*FREE, taken=False)


def losing(instance: str) -> tuple[str, ...]:
    """The numbers of PhysxLimitAPI that lose a limit where they are NaN or above their range."""
    return _GAINS if instance == "distance" else _BOUNCES


def refuses_limits(opinions: PrimOpinions, instance: str) -> bool:
    """Whether PhysX refuses limits for a number of their PhysxLimitAPI."""
    view = opinions.view("PhysxLimitAPI", instance)
    return any(view.refused(base) for base in losing(instance))


def hinge_limits(reading: Reading, view: View) -> Limits:
    """Of a revolute joint, cut to half a turn; one bound suffices."""
    lower, upper = _angles(reading, view, "lowerLimit", "upperLimit")
    if (lower, upper) == FREE:
        return _NONE
    cut = max(lower, -_HALF_TURN), min(upper, _HALF_TURN)
    if cut[0] > cut[1]:
        _report_limits(reading, view, "lowerLimit", "upperLimit", _TO_EITHER_SIDE,
                       "author bounds within 180 degrees, lower <= upper")
        return REFUSED_TURN
    return Limits(*cut)


def slider_limits(reading: Reading, view: View, low: str = "lowerLimit", high: str = "upperLimit") -> Limits:
    """Of a translation; PhysX takes two finite bounds alone."""
    lower, upper = view.number(low), view.number(high)
    if not (is_bound(lower) or is_bound(upper)):
        return _NONE
    if not (math.isfinite(lower) and math.isfinite(upper) and lower <= upper):
        _report_limits(reading, view, low, high, _SLIDES,
                       "author two finite bounds, lower <= upper; a magnitude of 1e38 stands for no bound")
        return REFUSED_SLIDE
    return Limits(-math.inf if unlimited(lower) else lower, math.inf if unlimited(upper) else upper)


def generic_limits(reading: Reading, opinions: PrimOpinions, free: tuple[str, ...]) -> Mapping[str, Limits]:
    """Of the axes that a generic joint does not lock; PhysX takes those of both swings together or neither."""
    found = {axis: slider_limits(reading, opinions.view("PhysicsLimitAPI", axis), "low", "high")
             for axis in free if axis in TRANSLATIONS}
    found |= {axis: REFUSED_SLIDE for axis, limits in found.items() if limits.acts and refuses_limits(opinions, axis)}
    if "rotX" in free:
        twist = Limits(*_angles(reading, opinions.view("PhysicsLimitAPI", "rotX"), "low", "high"))
        found["rotX"] = REFUSED_TURN if twist.acts and refuses_limits(opinions, "rotX") else twist
    swings = {axis: _swing(reading, opinions.view("PhysicsLimitAPI", axis)) for axis in free if axis in _SWINGS}
    acting = [axis for axis, limits in swings.items() if limits.acts]
    # the last one's bounce is that of both
    if (acting and refuses_limits(opinions, acting[-1])) or not all(limits.taken for limits in swings.values()):
        swings |= dict.fromkeys(acting, REFUSED_TURN if len(acting) == 1 else _NONE)
    return found | swings


def _swing(reading: Reading, view: View) -> Limits:
    """Of one swing by itself."""
    lower, upper = view.number("low"), view.number("high")
    if not (is_bound(lower) or is_bound(upper)):
        return _NONE
    if not -_HALF_TURN < lower <= upper < _HALF_TURN:
        why = ("refuses the limits of both swings: where the other one has none this one turns by 90 degrees to either "
               "side, else both turn freely")
        _report_limits(reading, view, "low", "high", why, "author two bounds between -180 and 180 degrees, low <= high")
        return REFUSED_TURN
    return Limits(lower, upper)


def cone_angles(reading: Reading, opinions: PrimOpinions) -> tuple[float, float] | None:
    """The half angles of a spherical joint's cone in rad; None where PhysX makes none."""
    (name, first), (_, second) = cone(reading, opinions)
    if math.isinf(first) or refuses_limits(opinions, "cone"):
        return None
    if not (0.0 < first < _HALF_TURN and 0.0 < second < _HALF_TURN):
        view = opinions.joint_view()
        reading.problem(
            "joint/limit-range", view.path, view.name(name), f"cone angles {first:g} and {second:g}",
            "outside articulations PhysX refuses the cone and both swings are free",
            "author two angles above 0 and below 180 degrees",
        )
        return None
    return radians(first), radians(second)


def _angles(reading: Reading, view: View, low: str, high: str) -> tuple[float, float]:
    """Two bounds of an angle, infinite where PhysX takes one for none."""
    lower, upper = view.number(low), view.number(high)
    if math.isnan(lower) or math.isnan(upper):
        _report_limits(reading, view, low, high, "takes NaN for no bound", "author numbers")
    return (-math.inf if not is_bound(lower) else lower), (math.inf if not is_bound(upper) else upper)


def _report_limits(reading: Reading, view: View, low: str, high: str, why: str, fix: str) -> None:
    lower, upper = view.number(low), view.number(high)
    infinite = math.isinf(lower) or math.isinf(upper)
    reading.problem(
        "joint/one-sided-limit" if infinite else "joint/limit-order", view.path,
        view.name(high if math.isinf(upper) or math.isnan(upper) else low), f"limits [{lower:g}, {upper:g}]",
        f"outside articulations PhysX {why}", fix,
    )
