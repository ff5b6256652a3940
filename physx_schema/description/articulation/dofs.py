"""Degrees of freedom of articulations: limits, initial state, axis properties and drives."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from physx_schema.description.articulation.drives import made_drive, read_envelope, takes_drive
from physx_schema.description.articulation.friction import read_resistance
from physx_schema.description.articulation.limits import FREE, bounds, cone, swing
from physx_schema.description.model import Dof, Drive, Joint, Link
from physx_schema.description.opinions.axes import is_axis_free
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.opinions.schemas import ROTATIONS, SINGLE_AXIS, TRANSLATIONS
from physx_schema.description.opinions.view import View
from physx_schema.description.poses import Vec3
from physx_schema.description.units import DEGREES_PER_TURN, coordinate

_X, _Y, _Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
_UNITS: tuple[Vec3, ...] = (_X, _Y, _Z)
_TWIST_AND_SWINGS: tuple[tuple[Vec3, ...], ...] = (    # of a spherical joint with the axis x, y, z
    (_X, _Y, _Z), (_Y, _Z, _X), (_Z, (-1.0, 0.0, 0.0), (0.0, -1.0, 0.0)),
)


class _Axis(NamedTuple):
    """Where the properties of one degree of freedom are authored, and what PhysX does with them there."""

    instance: str           # of drives, axis properties, joint state
    name: str               # of the degree of freedom
    angular: bool
    direction: Vec3         # in the joint frame
    lower: float
    upper: float
    turn: float = math.inf  # degrees to either side within which PhysX takes a drive's target and a joint state
    wraps: bool = False     # PhysX takes whole turns off a target
    driven: bool = True     # PhysX reads a drive and a joint state


def read_dofs(reading: Reading, opinions: PrimOpinions, kind: str, axis: int) -> tuple[Dof, ...]:
    """The free axes of an articulation's joint, in PhysX's order; generic joints only turn there."""
    if kind in ("revolute", "prismatic"):
        return (_read(reading, opinions, _single(reading, opinions, kind, axis)),)
    if kind == "spherical":
        found = _ball(reading, opinions, axis)
    elif kind == "d6":
        found = _generic(reading, opinions)
    else:
        found = []
    return tuple(_read(reading, opinions, item) for item in found)


def instance_of(joint: Joint, dof: Dof) -> str:
    """The instance name under which schemas of a degree of freedom are applied to its joint."""
    if joint.kind in SINGLE_AXIS:
        return SINGLE_AXIS[joint.kind]
    if ":" in dof.name:
        return dof.name.rpartition(":")[2]
    return (ROTATIONS if dof.angular else TRANSLATIONS)[max(range(3), key=lambda i: abs(dof.axis[i]))]


def first_dofs(links: Sequence[Link]) -> dict[str, int]:
    """Index of the first degree of freedom of each joint of an articulation, by joint path."""
    index: dict[str, int] = {}
    count = 0
    for link in links:
        if link.joint is not None:
            index[link.joint.path] = count
            count += len(link.joint.dofs)
    return index


def _single(reading: Reading, opinions: PrimOpinions, kind: str, axis: int) -> _Axis:
    angular = kind == "revolute"
    view = opinions.joint_view()
    limits = bounds(reading, view, ("lowerLimit", "upperLimit"), angular)
    wraps = angular and limits == FREE
    turn = DEGREES_PER_TURN if wraps else math.inf
    return _Axis(SINGLE_AXIS[kind], opinions.path, angular, _UNITS[axis], *limits, turn, wraps)


def _ball(reading: Reading, opinions: PrimOpinions, axis: int) -> list[_Axis]:
    """Twist about the joint's axis and two swings, bounded by the cone."""
    limits = ((-math.inf, math.inf), *(swing(reading, opinions, *half) for half in cone(reading, opinions)))
    return [
        _Axis(instance, f"{opinions.path}:{instance}", True, direction, *limit, DEGREES_PER_TURN / 2,
              driven=False)
        for instance, direction, limit in zip(ROTATIONS, _TWIST_AND_SWINGS[axis], limits, strict=True)
    ]


def _generic(reading: Reading, opinions: PrimOpinions) -> list[_Axis]:
    names = [axis for axis in (*TRANSLATIONS, *ROTATIONS) if is_axis_free(opinions, axis)]
    if names[:1] and names[0] in TRANSLATIONS:
        _report_translations(reading, opinions, [name for name in names if name in TRANSLATIONS])
    names = [name for name in names if name in ROTATIONS]
    found = []
    within = DEGREES_PER_TURN / 2
    for name in names:
        limits = bounds(reading, opinions.view("PhysicsLimitAPI", name), ("low", "high"), True, within)
        path = f"{opinions.path}:{name}" if len(names) > 1 else opinions.path
        found.append(_Axis(name, path, True, _UNITS[ROTATIONS.index(name)], *limits, within))
    return found


def _report_translations(reading: Reading, opinions: PrimOpinions, names: list[str]) -> None:
    reading.problem(
        "joint/free-translation", opinions.path, f"limit:{names[0]}:physics:low",
        f"a generic joint of an articulation with {', '.join(names)} not locked",
        "PhysX locks the translations of generic joints in articulations",
        f"author a low limit above the high one for {', '.join(names)}, or use a prismatic joint", "warning",
    )


def _read(reading: Reading, opinions: PrimOpinions, axis: _Axis) -> Dof:
    properties = opinions.view("PhysxJointAxisAPI", axis.instance)
    resistance = read_resistance(reading, opinions, properties, axis.angular)
    position, velocity = _state(reading, opinions, axis)
    axis_prefix = properties.prefix if properties.applied else None
    drive = _drive(reading, opinions, axis) if axis.driven else None
    return Dof(     # by position, which takes half the time
        axis.name, opinions.path, axis.angular, axis.lower, axis.upper, position, velocity, resistance.armature,
        resistance.static_friction, resistance.dynamic_friction, resistance.viscous_friction, resistance.max_velocity,
        axis_prefix, drive, axis.direction, resistance.sources,
    )


def _state(reading: Reading, opinions: PrimOpinions, axis: _Axis) -> tuple[float, float]:
    """Initial position and velocity; 0 where PhysX refuses or does not read them."""
    if not axis.driven:
        return 0.0, 0.0
    view = opinions.view("PhysicsJointStateAPI", axis.instance)
    if not view.applied:
        return 0.0, 0.0
    found = []
    for base, most in (("position", axis.turn), ("velocity", math.inf)):
        value = view.number(base)
        if not abs(value) <= most:
            why = f"PhysX takes no position beyond {most:g} degrees on this joint" if math.isfinite(value) else \
                "PhysX refuses what is no number"
            reading.problem("joint/state-refused", opinions.path, view.name(base), f"{base} is {value:g}",
                            f"{why} and starts at 0", f"author a {base} that the joint can have")
            value = 0.0
        elif math.isinf(value):
            reading.problem("joint/state-refused", opinions.path, view.name(base), f"{base} is {value:g}",
                            "PhysX does not refuse it: the motion becomes NaN, or as fast as a joint may be",
                            f"author a finite {base}")
            value = 0.0     # nothing is left to predict
        found.append(coordinate(value, axis.angular))
    return found[0], found[1]


def _drive(reading: Reading, opinions: PrimOpinions, axis: _Axis) -> Drive | None:
    view = opinions.view("PhysicsDriveAPI", axis.instance)
    if not takes_drive(reading, view):
        return None
    return made_drive(view, axis.angular, _target(reading, view, axis),
                      read_envelope(opinions, axis.instance, axis.angular))


def _target(reading: Reading, view: View, axis: _Axis) -> float:
    """The target position as PhysX sets it, in degrees or lengths."""
    target = view.number("targetPosition")
    if math.isinf(axis.turn) or abs(target) < axis.turn or (abs(target) == axis.turn and not axis.wraps):
        return target
    if axis.wraps and math.isfinite(target):
        taken = math.fmod(target, DEGREES_PER_TURN)
        why = f"PhysX takes whole turns off the target of a joint without limits: it drives to {taken:g} degrees"
        fix = "author both limits, which makes the joint one that turns on"
    else:
        taken = 0.0
        why, fix = "PhysX refuses the target and drives to 0", "author a finite target that the joint can have"
    if taken != target:
        reading.problem("joint/target-changed", view.path, view.name("targetPosition"), f"targetPosition is {target:g}",
                        why, fix, "warning")
    return taken
