"""Numbers with their units, for people: lengths and masses in the stage's units, angles in degrees.

Joints and drives in words, as they are named in an articulation and outside.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from physx_schema.description import Drive, Envelope, Scene

_DEGREE = 180.0 / math.pi
_LENGTHS = ((1.0, "m"), (0.01, "cm"), (0.001, "mm"), (0.0254, "in"), (0.3048, "ft"), (1000.0, "km"))
_MASSES = ((1.0, "kg"), (0.001, "g"), (1000.0, "t"), (0.45359237, "lb"))


@dataclass(frozen=True, slots=True)
class Units:
    """Names of the stage's units; quantities come in the description's units, radians for angles."""

    length: str
    mass: str
    force: str
    torque: str
    spring: str                 # of a stiffness along a length
    damper: str                 # of a damping along a length

    def accelerations(self) -> Units:
        """With acceleration for effort, as the gains of an acceleration drive have it."""
        return replace(self, force=f"{self.length}/s2", torque="rad/s2", spring="/s2", damper="/s")

    def limits(self, lower: float, upper: float, angular: bool) -> str:
        """A range of coordinates."""
        unit = "deg" if angular else self.length
        if math.isinf(lower) and math.isinf(upper):
            return "no limits"
        first, second = (value * _DEGREE if angular else value for value in (lower, upper))
        if lower == upper:
            return f"held at {number(first)} {unit}"
        if math.isinf(lower):
            return f"up to {number(second)} {unit}"
        if math.isinf(upper):
            return f"from {number(first)} {unit}"
        return f"{number(first)} to {number(second)} {unit}"

    def coordinate(self, value: float, angular: bool) -> str:
        """A joint position."""
        return f"{number(value * _DEGREE)} deg" if angular else f"{number(value)} {self.length}"

    def rate(self, value: float, angular: bool) -> str:
        """A joint velocity."""
        return f"{number(value * _DEGREE)} deg/s" if angular else f"{number(value)} {self.length}/s"

    def effort(self, value: float, angular: bool) -> str:
        """A force or torque."""
        return f"{number(value)} {self.torque if angular else self.force}"

    def stiffness(self, value: float, angular: bool) -> str:
        """Effort per coordinate, per degree where that is an angle."""
        if angular:
            return f"{number(value / _DEGREE)} {self.torque}/deg"
        return f"{number(value)} {self.spring}"

    def damping(self, value: float, angular: bool) -> str:
        """Effort per velocity."""
        if angular:
            return f"{number(value / _DEGREE)} {self.torque} s/deg"
        return f"{number(value)} {self.damper}"

    def gearing(self, value: float, angular: bool) -> str:
        """Length of a tendon per coordinate of a joint."""
        return f"{number(value / _DEGREE)} {self.length}/deg" if angular else number(value)

    def armature(self, value: float, angular: bool) -> str:
        """Inertia added to a joint."""
        return f"{number(value)} {self.mass} {self.length}2" if angular else f"{number(value)} {self.mass}"

    def position(self, value: Sequence[float]) -> str:
        """A point."""
        return f"({', '.join(map(number, value))}) {self.length}"


def units_of(scene: Scene) -> Units:
    """The names of a stage's units; those without a name of their own are called by what they are."""
    length = _name(scene.meters_per_unit, _LENGTHS, "unit")
    mass = _name(scene.kilograms_per_unit, _MASSES, "mass")
    if (length, mass) == ("m", "kg"):
        return Units(length, mass, "N", "N m", "N/m", "N s/m")
    return Units(length, mass, f"{mass} {length}/s2", f"{mass} {length}2/s2", f"{mass}/s2", f"{mass}/s")


def number(value: float) -> str:
    """Six digits, without the minus of a zero."""
    text = f"{value:.6g}"
    return "0" if text == "-0" else text


def _name(size: float, names: Sequence[tuple[float, str]], other: str) -> str:
    return next((name for known, name in names if math.isclose(size, known, rel_tol=1e-6)), other)


AXIS_NAMES = "XYZ"


def joint_name(kind: str, path: str, axis: int) -> str:
    """The kind and the path, with the axis where there is one."""
    preposition = {"revolute": "about", "prismatic": "along", "spherical": "about"}.get(kind)
    axis_text = f" {preposition} {AXIS_NAMES[axis]}" if preposition else ""
    return f"{'generic' if kind == 'd6' else kind} joint {path}{axis_text}"


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
