"""Joints and drives in words, as they are named in an articulation and outside."""

from __future__ import annotations

import math

from physx_schema.cli.unit_names import Units
from physx_schema.description import Drive, Envelope

AXIS_NAMES = "XYZ"


def joint_name(kind: str, path: str, axis: int) -> str:
    """The kind and the path, with the axis where there is one."""
    preposition = {"revolute": "about", "prismatic": "along", "spherical": "about"}.get(kind)
    turned = f" {preposition} {AXIS_NAMES[axis]}" if preposition else ""
    return f"{'generic' if kind == 'd6' else kind} joint {path}{turned}"


def drive_text(drive: Drive, units: Units, turning: bool) -> str:
    """A drive with its gains, target and bounds."""
    of = units.accelerations() if drive.acceleration else units
    parts = [f"{'acceleration' if drive.acceleration else 'force'} drive: stiffness "
             f"{of.stiffness(drive.stiffness, turning)}", f"damping {of.damping(drive.damping, turning)}",
             f"target {units.coordinate(drive.target_position, turning)}"]
    if drive.target_velocity:
        parts.append(f"target velocity {units.rate(drive.target_velocity, turning)}")
    if math.isfinite(drive.max_force):
        parts.append(f"at most {units.effort(drive.max_force, turning)}")
    if drive.envelope is not None:
        parts.append(_envelope(drive.envelope, units, turning))
    return ", ".join(parts)


def _envelope(envelope: Envelope, units: Units, turning: bool) -> str:
    parts = []
    if math.isfinite(envelope.max_actuator_velocity):
        parts.append(f"to {units.rate(envelope.max_actuator_velocity, turning)}")
    if envelope.velocity_dependent_resistance:
        parts.append(f"resistance {units.damping(envelope.velocity_dependent_resistance, turning)}")
    if envelope.speed_effort_gradient:
        unit = units.torque if turning else units.force
        parts.append(f"gradient {units.rate(envelope.speed_effort_gradient, turning)} per {unit}")
    return f"within an envelope: {', '.join(parts) or 'without bounds'}"
