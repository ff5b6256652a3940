"""Limits of joint axes as PhysX sets them up."""

from __future__ import annotations

import math

from physx_schema.description.model import unlimited
from physx_schema.description.opinions.axes import is_bound
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.opinions.view import View
from physx_schema.description.units import coordinate, radians

FREE = (-math.inf, math.inf)
_STRAIGHT = 180.0       # degrees


def bounds(
    reading: Reading, view: View, names: tuple[str, str], angular: bool, within: float = math.inf,
) -> tuple[float, float]:
    """Limits as PhysX sets them up: FREE where both bounds are unlimited, held at 0 where it refuses the pair.

    `within` is the magnitude from which PhysX refuses a bound.
    """
    lower, upper = view.number(names[0]), view.number(names[1])
    if not (is_bound(lower) or is_bound(upper)):
        return FREE
    if not (math.isfinite(lower) and math.isfinite(upper) and lower <= upper):
        _report_refused(reading, view, names, lower, upper)
        return 0.0, 0.0
    if max(abs(lower), abs(upper)) > within:
        reading.problem(
            "joint/limit-range", view.path, view.name(names[0] if abs(lower) > within else names[1]),
            f"limits [{lower:g}, {upper:g}] on an axis that reaches {within:g} degrees to either side",
            "PhysX refuses the pair and holds the axis at 0",
            f"author bounds from -{within:g} to {within:g}, or neither of them for a free axis",
        )
        return 0.0, 0.0
    return (
        -math.inf if unlimited(lower) else coordinate(lower, angular),
        math.inf if unlimited(upper) else coordinate(upper, angular),
    )


def _report_refused(reading: Reading, view: View, names: tuple[str, str], lower: float, upper: float) -> None:
    open_end = math.isinf(lower) or math.isinf(upper)
    infinite = names[0] if math.isinf(lower) else names[1]
    reading.problem(
        "joint/one-sided-limit" if open_end else "joint/limit-order", view.path,
        view.name(infinite if open_end else names[0]),
        f"limits [{lower:g}, {upper:g}]", "PhysX refuses the pair and holds the joint at 0",
        "author both bounds; a magnitude of 1e38 stands for no bound" if open_end else "author lower <= upper",
    )


def cone(reading: Reading, opinions: PrimOpinions) -> tuple[tuple[str, float], tuple[str, float]]:
    """The two half angles of a spherical joint's cone by property, in degrees; infinite where there is no cone.

    PhysX makes one of two angles of at least 0, and none of a single one.
    """
    view = opinions.joint_view()
    names = ("coneAngle0Limit", "coneAngle1Limit")
    angles = [view.number(name) for name in names]
    given = [math.isfinite(angle) and angle >= 0.0 for angle in angles]
    if all(given):
        return (names[0], angles[0]), (names[1], angles[1])
    if any(given):
        missing = names[given.index(False)]
        reading.problem(
            "joint/half-cone", opinions.path, view.name(missing), f"{missing} is {angles[given.index(False)]:g} beside "
            f"{angles[given.index(True)]:g}", "PhysX limits neither swing unless both angles are at least 0",
            "author both cone angles; 180 leaves one swing free", "warning",
        )
    return (names[0], math.inf), (names[1], math.inf)


def swing(reading: Reading, opinions: PrimOpinions, name: str, angle: float) -> tuple[float, float]:
    """The bounds of one swing of a spherical joint from its half angle in degrees."""
    if angle > _STRAIGHT and math.isfinite(angle):
        reading.problem(
            "joint/limit-range", opinions.path, opinions.joint_view().name(name), f"{name} is {angle:g}",
            "PhysX refuses an angle above 180 degrees and holds the swing at 0",
            "author an angle of at most 180 degrees",
        )
        return 0.0, 0.0
    return -radians(angle), radians(angle)
