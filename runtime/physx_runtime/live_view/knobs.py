"""The numbers that a live view changes: joint positions, targets, gains, frictions, tendons and materials."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pxr import Usd, UsdGeom

from physx_runtime.viewing.units import length_unit
from physx_schema.description.model import Articulation, Description, Dof, FixedTendon, SpatialTendon
from physx_schema.description.model.joint import Drive, JointAxis, MaximalJoint

JOINTS, TARGETS, DRIVES, FRICTION, TENDONS = "Joints", "Targets", "Drives", "Friction", "Tendons"
GROUPS = (TARGETS, JOINTS, DRIVES, FRICTION, TENDONS)      # in the order of the page
MATERIALS = "Materials"
OTHER_JOINTS = "Joints outside robots"
MAX_RATIO = 3.0             # times the authored value
FREE_ANGLE = 180.0          # degrees either way without limits
FREE_SPEED = 360.0          # degrees per second either way without a maximum
MAX_FREE = 1e6              # degrees or lengths: a limit beyond them limits nothing that is shown
MAX_FRICTION = 2.0          # coefficient
GAINS = ("stiffness", "damping", "maxForce")
AXIS_FRICTIONS = ("staticFrictionEffort", "dynamicFrictionEffort", "viscousFrictionCoefficient", "armature")


@dataclass(frozen=True, slots=True)
class Knob:
    """One number, in the units of the stage: degrees, and its lengths and masses.

    `property` is what an edit authors on the prim. It is "" for a joint that is put somewhere, which authors nothing.
    """

    robot: str                          # prim path of the articulation; `OTHER_JOINTS` or `MATERIALS` outside of them
    group: str
    path: str                           # prim
    property: str
    label: str
    low: float
    high: float
    value: float
    joint: str = ""                     # name of the degree of freedom that is put somewhere


Makers = Callable[[Usd.Stage, Articulation, str], Iterator[Knob]]


def knobs(stage: Usd.Stage, description: Description) -> list[Knob]:
    """Every knob of a stage: robot by robot, then joints outside robots, then materials; group by group in each."""
    unit = length_unit(description)
    makers: tuple[Makers, ...] = (_targets, _joints, _drives, _friction, _tendons)
    acting = [item for item in description.articulations if item.enabled]
    result = [knob for item in acting for make in makers for knob in make(stage, item, unit)]
    result += _of_other_joints(stage, description.separate_joints, unit)
    result += _of_materials(stage, description)
    return [knob for knob in result if _is_usable(stage, knob)]


def _is_usable(stage: Usd.Stage, knob: Knob) -> bool:
    """Whether a slider can show a knob, and an edit can author it: USD allows none inside instances."""
    editable = not knob.property or not stage.GetPrimAtPath(knob.path).IsInstanceProxy()
    return editable and all(map(math.isfinite, (knob.low, knob.high, knob.value)))


def _joints(stage: Usd.Stage, articulation: Articulation, unit: str) -> Iterator[Knob]:
    for dof in articulation.dofs:
        value = math.degrees(dof.position) if dof.angular else dof.position
        yield Knob(articulation.path, JOINTS, dof.path, "", f"{_leaf(dof.name)} [{_unit(dof.angular, unit)}]",
                   *_around(_range(stage, dof), value), value, dof.name)


def _targets(stage: Usd.Stage, articulation: Articulation, unit: str) -> Iterator[Knob]:
    for dof in articulation.dofs:
        if dof.drive is not None:
            yield from _of_target(stage, articulation.path, TARGETS, dof, dof.drive, unit)


def _of_target(stage: Usd.Stage, robot: str, group: str, axis: Dof | JointAxis, drive: Drive, unit: str,
               ) -> Iterator[Knob]:
    """The position that a drive holds, and the velocity of a drive that holds none or has one authored."""
    name, shown = _leaf(axis.name), _unit(axis.angular, unit)
    speed = _value(stage, axis.path, f"{drive.prefix}targetVelocity")
    if drive.stiffness > 0.0:
        target = _value(stage, axis.path, f"{drive.prefix}targetPosition")
        yield Knob(robot, group, axis.path, f"{drive.prefix}targetPosition", f"{name} [{shown}]",
                   *_around(_range(stage, axis), target), target)
    if drive.damping > 0.0 and (drive.stiffness <= 0.0 or speed):
        yield Knob(robot, group, axis.path, f"{drive.prefix}targetVelocity", f"{name} velocity [{shown}/s]",
                   *_around(_speeds(stage, axis), speed), speed)


def _drives(stage: Usd.Stage, articulation: Articulation, unit: str) -> Iterator[Knob]:
    for dof in articulation.dofs:
        if dof.drive is not None:
            yield from _of_values(stage, articulation.path, DRIVES, dof.path, dof.drive.prefix, _leaf(dof.name), GAINS)


def _friction(stage: Usd.Stage, articulation: Articulation, unit: str) -> Iterator[Knob]:
    for dof in articulation.dofs:
        if dof.axis_prefix:
            yield from _of_values(stage, articulation.path, FRICTION, dof.path, dof.axis_prefix, _leaf(dof.name),
                                  AXIS_FRICTIONS)


def _tendons(stage: Usd.Stage, articulation: Articulation, unit: str) -> Iterator[Knob]:
    tendons: tuple[FixedTendon | SpatialTendon, ...] = (*articulation.fixed_tendons, *articulation.spatial_tendons)
    for tendon in tendons:
        if not tendon.enabled:
            continue
        name, offset = _leaf(tendon.name), _value(stage, tendon.path, f"{tendon.prefix}offset")
        extent = max(abs(offset), 0.1 * _metre(stage))
        yield Knob(articulation.path, TENDONS, tendon.path, f"{tendon.prefix}offset", f"{name} offset [{unit}]",
                   -extent, extent, offset)
        yield from _of_values(stage, articulation.path, TENDONS, tendon.path, tendon.prefix, name, GAINS[:2])


def _of_other_joints(stage: Usd.Stage, joints: Iterable[MaximalJoint], unit: str) -> Iterator[Knob]:
    driven = [(axis, axis.drive) for joint in joints for axis in joint.axes if axis.drive is not None]
    for axis, drive in driven:
        yield from _of_target(stage, OTHER_JOINTS, TARGETS, axis, drive, unit)
    for axis, drive in driven:
        yield from _of_values(stage, OTHER_JOINTS, DRIVES, axis.path, drive.prefix, _leaf(axis.name), GAINS)


def _of_materials(stage: Usd.Stage, description: Description) -> Iterator[Knob]:
    for material in description.materials:
        for base, high in (("staticFriction", MAX_FRICTION), ("dynamicFriction", MAX_FRICTION), ("restitution", 1.0)):
            if stage.GetPrimAtPath(material.path):
                value = _value(stage, material.path, f"physics:{base}")
                yield Knob(MATERIALS, MATERIALS, material.path, f"physics:{base}", f"{_leaf(material.path)} {base}",
                           *_around((0.0, high), value), value)


def _of_values(stage: Usd.Stage, robot: str, group: str, path: str, prefix: str, name: str, bases: Iterable[str],
               ) -> Iterator[Knob]:
    """Values that are 0 or more, up to a multiple of what is authored."""
    for base in bases:
        value = _value(stage, path, prefix + base)
        yield Knob(robot, group, path, prefix + base, f"{name} {base}",
                   *_around((0.0, MAX_RATIO * max(value, 0.0) or 1.0), value), value)


def _range(stage: Usd.Stage, axis: Dof | JointAxis) -> tuple[float, float]:
    """The limits of a joint, degrees or lengths; a wide range without limits."""
    scale, widest = (math.degrees(1.0), FREE_ANGLE) if axis.angular else (1.0, _metre(stage))
    low, high = scale * axis.lower, scale * axis.upper
    return (low if abs(low) < MAX_FREE else -widest), (high if abs(high) < MAX_FREE else widest)


def _speeds(stage: Usd.Stage, axis: Dof | JointAxis) -> tuple[float, float]:
    """Velocities either way up to the joint's maximum, degrees or lengths per second; at most `FREE_SPEED`."""
    widest = FREE_SPEED if axis.angular else _metre(stage)
    if isinstance(axis, Dof):
        widest = min(widest, math.degrees(axis.max_velocity) if axis.angular else axis.max_velocity)
    return -widest, widest


def _around(bounds: tuple[float, float], value: float) -> tuple[float, float]:
    """Bounds in order, wide enough for the authored value."""
    return min(*bounds, value), max(*bounds, value)


def _unit(angular: bool, length: str) -> str:
    return "°" if angular else length


def _metre(stage: Usd.Stage) -> float:
    """Lengths of the stage in a metre."""
    return 1.0 / float(UsdGeom.GetStageMetersPerUnit(stage))


def _leaf(name: str) -> str:
    return name.rpartition("/")[2]


def _value(stage: Usd.Stage, path: str, name: str) -> float:
    return float(stage.GetPrimAtPath(path).GetAttribute(name).Get() or 0.0)
