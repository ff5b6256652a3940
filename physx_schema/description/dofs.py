"""Degrees of freedom: limits, initial state, axis properties, drives and their envelopes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from physx_schema.description.model import Dof, Drive, Envelope, unlimited
from physx_schema.description.opinions import PrimOpinions
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
    if kind == "revolute":
        return (_read(reading, opinions, _Axis("angular", opinions.path, True), *_limits(opinions, True)),)
    if kind == "prismatic":
        return (_read(reading, opinions, _Axis("linear", opinions.path, False), *_limits(opinions, False)),)
    if kind == "spherical":
        return tuple(_read(reading, opinions, axis, -math.inf, math.inf) for axis in _named(opinions, ROTATIONS))
    if kind == "d6":
        free = [axis for axis in ROTATIONS if is_axis_free(opinions, axis)]
        return tuple(_read(reading, opinions, axis, *_axis_limits(opinions, axis.instance))
                     for axis in _named(opinions, free))
    return ()


def _named(opinions: PrimOpinions, axes: list[str] | tuple[str, ...]) -> list[_Axis]:
    several = len(axes) > 1
    return [_Axis(axis, f"{opinions.path}:{axis}" if several else opinions.path, True) for axis in axes]


def _limits(opinions: PrimOpinions, angular: bool) -> tuple[float, float]:
    """Limits of a one-axis joint. PhysX limits a revolute joint only where both bounds are finite."""
    view = opinions.joint_view()
    lower, upper = view.number("lowerLimit"), view.number("upperLimit")
    if angular and (unlimited(lower) or unlimited(upper)):
        return -math.inf, math.inf
    return _bounded(lower, upper, angular)


def _axis_limits(opinions: PrimOpinions, axis: str) -> tuple[float, float]:
    view = opinions.view("PhysicsLimitAPI", axis)
    return _bounded(view.number("low"), view.number("high"), True)


def _bounded(lower: float, upper: float, angular: bool) -> tuple[float, float]:
    return (
        -math.inf if unlimited(lower) else coordinate(lower, angular),
        math.inf if unlimited(upper) else coordinate(upper, angular),
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
        drive=_drive(opinions, axis),
    )


def _drive(opinions: PrimOpinions, axis: _Axis) -> Drive | None:
    view = opinions.view("PhysicsDriveAPI", axis.instance)
    if not view.applied:
        return None
    return Drive(
        path=opinions.path, prefix=view.prefix,
        stiffness=gain(view.number("stiffness"), axis.angular), damping=gain(view.number("damping"), axis.angular),
        target_position=coordinate(view.number("targetPosition"), axis.angular),
        target_velocity=coordinate(view.number("targetVelocity"), axis.angular),
        max_force=view.number("maxForce"), acceleration=view.token("type") == "acceleration",
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
