"""Degrees of freedom: limits, initial state, axis properties, drives and their envelopes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from physx_schema.description.model import Dof, Drive, Envelope, unlimited
from physx_schema.description.opinions import PrimOpinions, View
from physx_schema.description.reading import Reading
from physx_schema.description.schemas import ROTATIONS
from physx_schema.description.units import coordinate, gain, radians


@dataclass(frozen=True, slots=True)
class _Axis:
    """Where the properties of one degree of freedom are authored."""

    instance: str           # of drives, axis properties, joint state
    name: str               # of the degree of freedom
    angular: bool


def read_dofs(reading: Reading, opinions: PrimOpinions, kind: str) -> tuple[Dof, ...]:
    """The free axes of a joint; none for kinds that leave no freedom inside an articulation."""
    if kind in ("revolute", "prismatic"):
        angular = kind == "revolute"
        axis = _Axis("angular" if angular else "linear", opinions.path, angular)
        limits = _bounds(reading, opinions.joint_view(), ("lowerLimit", "upperLimit"), angular)
        return (_read(reading, opinions, axis, *limits),)
    if kind == "spherical":
        return tuple(_read(reading, opinions, axis, -math.inf, math.inf) for axis in _named(opinions, ROTATIONS))
    if kind == "d6":
        free = _named(opinions, [axis for axis in ROTATIONS if is_axis_free(opinions, axis)])
        return tuple(_read(reading, opinions, axis, *_axis_limits(reading, opinions, axis)) for axis in free)
    return ()


def _named(opinions: PrimOpinions, axes: list[str] | tuple[str, ...]) -> list[_Axis]:
    several = len(axes) > 1
    return [_Axis(axis, f"{opinions.path}:{axis}" if several else opinions.path, True) for axis in axes]


def _axis_limits(reading: Reading, opinions: PrimOpinions, axis: _Axis) -> tuple[float, float]:
    view = opinions.view("PhysicsLimitAPI", axis.instance)
    return _bounds(reading, view, ("low", "high"), axis.angular)


def _bounds(reading: Reading, view: View, names: tuple[str, str], angular: bool) -> tuple[float, float]:
    """Limits as PhysX sets them up: none where both bounds are unlimited, locked at 0 where it refuses the pair."""
    lower, upper = (view.number(name) for name in names)
    if not any(math.isfinite(bound) and not unlimited(bound) for bound in (lower, upper)):
        return -math.inf, math.inf
    if math.isfinite(lower) and math.isfinite(upper) and lower <= upper:
        return (
            -math.inf if unlimited(lower) else coordinate(lower, angular),
            math.inf if unlimited(upper) else coordinate(upper, angular),
        )
    _report_refused(reading, view, names, lower, upper)
    return 0.0, 0.0


def _report_refused(reading: Reading, view: View, names: tuple[str, str], lower: float, upper: float) -> None:
    one_sided = math.isinf(lower) or math.isinf(upper)
    infinite = names[0] if math.isinf(lower) else names[1]
    reading.problem(
        "joint/one-sided-limit" if one_sided else "joint/limit-order", view.path,
        view.name(infinite if one_sided else names[0]),
        f"limits [{lower:g}, {upper:g}]", "PhysX refuses the pair and holds the joint at 0",
        "author both bounds; a magnitude of 1e38 stands for no bound" if one_sided else "author lower <= upper",
    )


def is_axis_free(opinions: PrimOpinions, axis: str) -> bool:
    """Whether a generic joint leaves an axis free; it is locked where the low limit is above the high one."""
    view = opinions.view("PhysicsLimitAPI", axis)
    return not view.applied or view.number("low") <= view.number("high")


def _read(reading: Reading, opinions: PrimOpinions, axis: _Axis, lower: float, upper: float) -> Dof:
    state = opinions.view("PhysicsJointStateAPI", axis.instance)
    properties = opinions.view("PhysxJointAxisAPI", axis.instance)
    static = properties.number("staticFrictionEffort", 0.0)
    dynamic = properties.number("dynamicFrictionEffort", 0.0)
    viscous = gain(properties.number("viscousFrictionCoefficient", 0.0), axis.angular)
    if dynamic > static:
        reading.problem(
            "joint/friction-order", opinions.path, properties.name("dynamicFrictionEffort"),
            f"dynamic friction {dynamic:g} is above static friction {static:g}",
            "PhysX refuses the pair and the joint has no friction",
            "raise staticFrictionEffort to at least dynamicFrictionEffort",
        )
        static = dynamic = viscous = 0.0
    return Dof(
        name=axis.name, path=opinions.path, angular=axis.angular, lower=lower, upper=upper,
        position=coordinate(state.number("position"), axis.angular),
        velocity=coordinate(state.number("velocity"), axis.angular),
        armature=properties.number("armature", 0.0),
        static_friction=static, dynamic_friction=dynamic, viscous_friction=viscous,
        max_velocity=coordinate(properties.number("maxJointVelocity", 0.0), axis.angular),
        axis_prefix=properties.prefix if properties.applied else None,
        drive=_drive(reading, opinions, axis),
    )


def _drive(reading: Reading, opinions: PrimOpinions, axis: _Axis) -> Drive | None:
    view = opinions.view("PhysicsDriveAPI", axis.instance)
    if not view.applied:
        return None
    max_force = view.number("maxForce")
    if max_force < 0.0:
        reading.problem(
            "joint/drive-refused", opinions.path, view.name("maxForce"), f"maxForce {max_force:g} is negative",
            "PhysX refuses the whole drive: no stiffness, no damping",
            "author a force of at least 0, or inf for no bound",
        )
        return None
    return Drive(
        path=opinions.path, prefix=view.prefix,
        stiffness=gain(view.number("stiffness"), axis.angular), damping=gain(view.number("damping"), axis.angular),
        target_position=coordinate(view.number("targetPosition"), axis.angular),
        target_velocity=coordinate(view.number("targetVelocity"), axis.angular),
        max_force=math.inf if math.isnan(max_force) else max_force, acceleration=view.token("type") == "acceleration",
        envelope=_envelope(opinions, axis),
    )


def _envelope(opinions: PrimOpinions, axis: _Axis) -> Envelope | None:
    view = opinions.view("PhysxDrivePerformanceEnvelopeAPI", axis.instance)
    if not view.applied:
        return None
    gradient = view.number("speedEffortGradient", 0.0)
    return Envelope(
        path=opinions.path, prefix=view.prefix,
        max_actuator_velocity=coordinate(view.number("maxActuatorVelocity", 0.0), axis.angular),
        velocity_dependent_resistance=gain(view.number("velocityDependentResistance", 0.0), axis.angular),
        speed_effort_gradient=radians(gradient) if axis.angular else gradient,
    )
