"""Drives of joint axes and their envelopes."""

from __future__ import annotations

import math

from physx_schema.description.model import Drive, Envelope
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.opinions.view import View
from physx_schema.description.units import coordinate, gain, radians


def takes_drive(reading: Reading, view: View) -> bool:
    """Whether PhysX makes the drive that a view of PhysicsDriveAPI says."""
    if not view.applied:
        return False
    max_force = view.number("maxForce")
    if max_force < 0.0:
        reading.problem(
            "joint/drive-refused", view.path, view.name("maxForce"), f"maxForce {max_force:g} is negative",
            "PhysX refuses the whole drive: no stiffness, no damping",
            "author a force of at least 0, or inf for no bound",
        )
        return False
    return True


def made_drive(view: View, angular: bool, target: float, envelope: Envelope | None = None) -> Drive:
    """The drive of one axis; its target in degrees or lengths."""
    max_force = view.number("maxForce")
    return Drive(
        view.path, view.prefix,
        stiffness=gain(view.number("stiffness"), angular), damping=gain(view.number("damping"), angular),
        target_position=coordinate(target, angular),
        target_velocity=coordinate(view.number("targetVelocity"), angular),
        max_force=math.inf if math.isnan(max_force) else max_force, acceleration=view.token("type") == "acceleration",
        envelope=envelope,
    )


def read_envelope(opinions: PrimOpinions, instance: str, angular: bool) -> Envelope | None:
    """The performance envelope of a drive, which counts in articulations."""
    view = opinions.view("PhysxDrivePerformanceEnvelopeAPI", instance)
    if not view.applied:
        return None
    gradient = view.clamped("speedEffortGradient")
    return Envelope(
        path=opinions.path, prefix=view.prefix,
        max_actuator_velocity=coordinate(view.clamped("maxActuatorVelocity"), angular),
        velocity_dependent_resistance=gain(view.clamped("velocityDependentResistance"), angular),
        speed_effort_gradient=radians(gradient) if angular else gradient,
    )
