"""What a joint outside articulations leaves free of PhysX's generic joint, of which it makes all kinds with axes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from physx_schema.description.articulation.drives import made_drive, takes_drive
from physx_schema.description.articulation.limits import FREE, cone
from physx_schema.description.model import Cone, JointAxis, unlimited
from physx_schema.description.opinions.axes import is_axis_free, is_bound
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.opinions.schemas import ROTATIONS, SINGLE_AXIS, TRANSLATIONS
from physx_schema.description.opinions.view import View
from physx_schema.description.units import DEGREES_PER_TURN, coordinate, radians

_HALF_TURN = DEGREES_PER_TURN / 2
_CONE = "cone"          # instance of PhysxLimitAPI


class _Free(NamedTuple):
    """One axis that is not locked, and where its limits are authored."""

    axis: str
    instance: str
    limits: tuple[float, float]         # degrees or lengths


def read_axes(reading: Reading, opinions: PrimOpinions, kind: str) -> tuple[JointAxis, ...]:
    """The axes that a joint does not lock, translations first."""
    found = list(_free_axes(opinions, kind))
    return tuple(_read(reading, opinions, item, len(found) > 1) for item in found)


def _free_axes(opinions: PrimOpinions, kind: str) -> Iterator[_Free]:
    if kind in SINGLE_AXIS:
        lower, upper = _bounds(opinions.joint_view(), "lowerLimit", "upperLimit")
        if kind == "revolute" and (lower, upper) != FREE:
            lower, upper = max(lower, -_HALF_TURN), min(upper, _HALF_TURN)
        yield _Free("rotX" if kind == "revolute" else "transX", SINGLE_AXIS[kind], (lower, upper))
    elif kind == "spherical":
        yield from (_Free(axis, axis, FREE) for axis in ROTATIONS)
    elif kind == "d6":
        for axis in (*TRANSLATIONS, *ROTATIONS):
            if is_axis_free(opinions, axis):
                yield _Free(axis, axis, _bounds(opinions.view("PhysicsLimitAPI", axis), "low", "high"))


def _bounds(view: View, low: str, high: str) -> tuple[float, float]:
    """Two limits as authored, infinite where PhysX takes a bound for none."""
    lower, upper = view.number(low), view.number(high)
    if not (is_bound(lower) or is_bound(upper)):
        return FREE
    return -math.inf if unlimited(lower) else lower, math.inf if unlimited(upper) else upper


def _read(reading: Reading, opinions: PrimOpinions, free: _Free, several: bool) -> JointAxis:
    angular = free.axis in ROTATIONS
    stiffness, damping = softness(opinions, free.instance) if free.limits != FREE else (0.0, 0.0)
    drive = opinions.view("PhysicsDriveAPI", free.instance)
    driven = opinions.joint_kind != "spherical" and takes_drive(reading, drive)     # PhysX reads none of a ball joint
    return JointAxis(
        name=f"{opinions.path}:{free.instance}" if several else opinions.path, path=opinions.path, axis=free.axis,
        instance=free.instance, lower=coordinate(free.limits[0], angular), upper=coordinate(free.limits[1], angular),
        limit_stiffness=stiffness, limit_damping=damping,
        drive=made_drive(drive, angular, drive.number("targetPosition")) if driven else None,
    )


def read_cone(reading: Reading, opinions: PrimOpinions, kind: str) -> Cone | None:
    """What bounds both swings of a spherical joint; None where nothing does."""
    if kind != "spherical":
        return None
    (_, first), (_, second) = cone(reading, opinions)
    if math.isinf(first):
        return None
    return Cone(radians(first), radians(second), *softness(opinions, _CONE))


def softness(opinions: PrimOpinions, instance: str) -> tuple[float, float]:
    """Stiffness and damping of a soft limit, those of an angle per radian; 0 of a hard one."""
    view = opinions.view("PhysxLimitAPI", instance)
    return view.clamped("stiffness"), view.clamped("damping")
