"""Joints outside articulations: why they are, what they hold, what acts in them, and which may stay open."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator

from physx_schema.cli.joint_text import drive_text, joint_name
from physx_schema.cli.unit_names import Units, number
from physx_schema.description import Description, OutsideJoint
from physx_schema.description.loops import looped_joints, why_outside
from physx_schema.description.opinions.schemas import ROTATIONS, SINGLE_AXIS, TRANSLATIONS


def outside_lines(description: Description, units: Units) -> Iterator[str]:
    """Every joint with what it joins, its limits and drives below it."""
    looped = looped_joints(description)
    made = {body.path: body.kinematic for body in description.separate_bodies}
    made |= dict.fromkeys((link.path for item in description.articulations for link in item.links), False)
    for joint in description.joints:
        ends = [_end(body, made) for body in (joint.body0, joint.body1)]
        parts = [f"{joint_name(joint.kind, joint.path, joint.axis)}, from {ends[0]} to {ends[1]}"]
        if joint.kind in SINGLE_AXIS:
            parts += [units.limits(axis.lower, axis.upper, axis.angular) for axis in joint.axes]
        yield ", ".join(parts)
        yield f"    outside articulations: {why_outside(description, joint)}"
        yield from (f"    {line}" for line in _held(joint, units))
        if joint.path in looped:
            yield "    in a loop, which may stay open while it moves: physx-schema verify says how far"


def _end(body: str, made: dict[str, bool]) -> str:
    """What a joint holds at one end."""
    if not body:
        return "the world"
    if body not in made:
        return f"{body} (not simulated: the world)"
    return f"{body} (kinematic)" if made[body] else body


def _held(joint: OutsideJoint, units: Units) -> Iterator[str]:
    """What a joint authors beyond its bodies and the limits of its only axis."""
    if joint.distance is not None:
        found = joint.distance
        soft = _soft(found.stiffness, found.damping, units, False)
        yield ", ".join((f"distance {units.limits(found.minimum, found.maximum, False)}", *soft))
    if joint.coupling is not None:
        coupling = joint.coupling
        yield f"couples {coupling.first} and {coupling.second}, ratio {number(coupling.ratio)}"
    if joint.cone is not None:
        cone = joint.cone
        yield ", ".join((f"swings by {units.coordinate(cone.angle0, True)} and {units.coordinate(cone.angle1, True)}",
                         *_soft(cone.stiffness, cone.damping, units, True)))
    if joint.kind == "d6":
        yield f"locks {_locked({axis.axis for axis in joint.axes})}"
    for axis in joint.axes:
        parts = _soft(axis.limit_stiffness, axis.limit_damping, units, axis.angular)
        if axis.drive is not None:
            parts.append(drive_text(axis.drive, units, axis.angular))
        if joint.kind not in SINGLE_AXIS:
            parts.insert(0, f"{axis.axis}: {units.limits(axis.lower, axis.upper, axis.angular)}")
        if parts:
            yield ", ".join(parts)
    if math.isfinite(joint.break_force) or math.isfinite(joint.break_torque):
        yield f"breaks at {units.effort(joint.break_force, False)}, {units.effort(joint.break_torque, True)}"


def _locked(free: Container[str]) -> str:
    """The axes that a generic joint leaves no freedom."""
    return ", ".join(axis for axis in (*TRANSLATIONS, *ROTATIONS) if axis not in free) or "nothing"


def _soft(stiffness: float, damping: float, units: Units, angular: bool) -> list[str]:
    """What makes a limit soft; nothing of a hard one."""
    if not (stiffness or damping):
        return []
    return [f"soft: stiffness {units.stiffness(stiffness, angular)}, damping {units.damping(damping, angular)}"]
