"""What a joint outside articulations leaves free of PhysX's generic joint, of which it makes all kinds with axes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

from physx_schema.description.articulation.drives import made_drive, takes_drive
from physx_schema.description.articulation.outside_limits import (
    REFUSED_SLIDE,
    REFUSED_TURN,
    Limits,
    cone_angles,
    generic_limits,
    hinge_limits,
    refuses_limits,
    slider_limits,
)
from physx_schema.description.model import Cone, Drive, JointAxis
from physx_schema.description.opinions.axes import is_axis_free
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.opinions.schemas import ROTATIONS, SINGLE_AXIS, TRANSLATIONS
from physx_schema.description.opinions.view import View
from physx_schema.description.poses import Vec3
from physx_schema.description.units import LARGEST_SINGLE, coordinate, radians

_CONE = "cone"          # instance of PhysxLimitAPI
_D6_AXIS = {"revolute": "rotX", "prismatic": "transX"}
_NO_LIMITS = Limits(-math.inf, math.inf)


def read_axes(reading: Reading, opinions: PrimOpinions, kind: str) -> tuple[JointAxis, ...]:
    """The axes that a joint does not lock, translations first."""
    if kind in SINGLE_AXIS:
        view = opinions.joint_view()
        limits = hinge_limits(reading, view) if kind == "revolute" else slider_limits(reading, view)
        if limits.acts and refuses_limits(opinions, SINGLE_AXIS[kind]):
            limits = REFUSED_TURN if kind == "revolute" else REFUSED_SLIDE
        return (_read(reading, opinions, _D6_AXIS[kind], SINGLE_AXIS[kind], limits, opinions.path),)
    if kind == "spherical":
        return tuple(_read(reading, opinions, axis, axis, _NO_LIMITS, f"{opinions.path}:{axis}") for axis in ROTATIONS)
    if kind != "d6":
        return ()
    free = tuple(axis for axis in (*TRANSLATIONS, *ROTATIONS) if is_axis_free(opinions, axis))
    found = _softened(opinions, generic_limits(reading, opinions, free))
    named = {axis: f"{opinions.path}:{axis}" if len(free) > 1 else opinions.path for axis in free}
    return tuple(_read(reading, opinions, axis, axis, found[axis][0], named[axis], found[axis][1]) for axis in free)


def _softened(opinions: PrimOpinions, limits: Mapping[str, Limits]) -> dict[str, tuple[Limits, str]]:
    """By axis its limits and the axis whose softness they have: that of the last one for both swings."""
    last = [axis for axis in ROTATIONS[1:] if axis in limits and limits[axis].acts][-1:]
    return {axis: (found, last[0] if last and axis in ROTATIONS[1:] else axis) for axis, found in limits.items()}


def _read(reading: Reading, opinions: PrimOpinions, axis: str, instance: str, limits: Limits, name: str,
          soft: str = "") -> JointAxis:
    angular = axis in ROTATIONS
    held = limits.acts and limits.taken
    stiffness, damping = softness(opinions, soft or instance) if held else (0.0, 0.0)
    restitution, threshold = bounce(opinions, soft or instance) if held else (0.0, 0.0)
    driven = opinions.joint_kind != "spherical"         # PhysX reads no drive of it
    return JointAxis(
        name=name, path=opinions.path, axis=axis, instance=instance,
        lower=coordinate(limits.lower, angular), upper=coordinate(limits.upper, angular),
        limit_stiffness=stiffness, limit_damping=damping, restitution=restitution, bounce_threshold=threshold,
        drive=_drive(reading, opinions, instance, angular) if driven else None,
    )


def _drive(reading: Reading, opinions: PrimOpinions, instance: str, angular: bool) -> Drive | None:
    view = opinions.view("PhysicsDriveAPI", instance)
    if not takes_drive(reading, view):
        return None
    for base in ("stiffness", "damping"):
        if not 0.0 <= view.number(base) < math.inf:
            reading.problem(
                "joint/drive-refused", view.path, view.name(base), f"{base} {view.number(base):g} is negative or not "
                "finite", "outside articulations PhysX refuses the whole drive: no stiffness, no damping",
                f"author a finite {base} of at least 0",
            )
            return None
    for base in ("targetPosition", "targetVelocity"):
        _report_target(reading, view, base)
    drive = made_drive(view, angular, view.number("targetPosition") if _takes(opinions, "targetPosition") else 0.0)
    return drive if _takes(opinions, "targetVelocity") else replace(drive, target_velocity=0.0)


def _report_target(reading: Reading, view: View, base: str) -> None:
    """Say that a target is not finite, where it is not."""
    target = view.number(base)
    if not math.isfinite(target):
        reading.problem(
            "joint/drive-refused", view.path, view.name(base), f"{base} is {target:g}",
            "outside articulations PhysX refuses the targets of all axes and takes 0", "author a finite target",
        )


def read_aim(opinions: PrimOpinions, kind: str) -> Vec3:
    """What the drives of a joint's rotations turn to, in rad: PhysX makes one rotation of all that are authored, of
    locked axes and refused ones too."""
    instances = ROTATIONS if kind == "d6" else (SINGLE_AXIS[kind],) if kind == "revolute" else ()
    if not instances:
        return (0.0, 0.0, 0.0)
    found = [opinions.view("PhysicsDriveAPI", instance).number("targetPosition") for instance in instances]
    x, y, z = (*found, 0.0, 0.0, 0.0)[:3]
    return (radians(x), radians(y), radians(z)) if _takes(opinions, "targetPosition") else (0.0, 0.0, 0.0)


def _takes(opinions: PrimOpinions, base: str) -> bool:
    """Whether all targets of a joint's drives are finite: PhysX takes all of them or none."""
    kind = opinions.joint_kind or ""
    read = opinions.instances("PhysicsDriveAPI") if kind == "d6" else (SINGLE_AXIS[kind],)
    return all(math.isfinite(opinions.view("PhysicsDriveAPI", instance).number(base)) for instance in read)


def read_cone(reading: Reading, opinions: PrimOpinions, kind: str) -> Cone | None:
    """What bounds both swings of a spherical joint; None where nothing does."""
    angles = cone_angles(reading, opinions) if kind == "spherical" else None
    return Cone(*angles, *softness(opinions, _CONE), *bounce(opinions, _CONE)) if angles else None


def softness(opinions: PrimOpinions, instance: str) -> tuple[float, float]:
    """Stiffness and damping of a soft limit, those of an angle per radian; 0 of a hard one."""
    view = opinions.view("PhysxLimitAPI", instance)
    return spring_gain(view, "stiffness"), spring_gain(view, "damping")


def bounce(opinions: PrimOpinions, instance: str) -> tuple[float, float]:
    """Restitution and threshold of a hard limit; 0 of a soft one, and where nothing bounces."""
    view = opinions.view("PhysxLimitAPI", instance)
    if any(softness(opinions, instance)):
        return 0.0, 0.0
    restitution = view.number("restitution")
    return (restitution, spring_gain(view, "bounceThreshold")) if restitution > 0.0 else (0.0, 0.0)


def spring_gain(view: View, base: str) -> float:
    """A gain of a spring that is no drive: PhysX takes NaN for 0 and infinity for the largest number."""
    gain = view.clamped(base)
    return 0.0 if math.isnan(gain) else min(gain, LARGEST_SINGLE)
