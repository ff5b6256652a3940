"""Numbers of findings with their units: positions and speeds of joints, forces, lengths."""

from __future__ import annotations

import math

from physx_runtime.behaviour.window import DURATION
from physx_schema.description.model import Description, Dof

DURATION_TEXT = f"{DURATION:g} s"

_LENGTHS = {1.0: "m", 0.1: "dm", 0.01: "cm", 0.001: "mm", 0.0254: "in", 0.3048: "ft"}


def position(description: Description, dof: Dof, value: float) -> str:
    """Format a coordinate in degrees, or in the stage's unit of length."""
    return f"{figure(math.degrees(value))} degrees" if dof.angular else length(description, value)


def length(description: Description, value: float) -> str:
    """Format a length in the stage's unit."""
    unit = _LENGTHS.get(description.scene.meters_per_unit, "length units")
    return f"{figure(value)} {unit}"


def effort(description: Description, dof: Dof, value: float) -> str:
    """Format a torque or a force."""
    return f"{figure(value)} {'N m' if dof.angular else 'N'}" if is_si(description) else (
        f"{figure(value)} units of {'torque' if dof.angular else 'force'}")


def force(description: Description, value: float) -> str:
    """Format a force."""
    return f"{figure(value)} {'N' if is_si(description) else 'units of force'}"


def is_si(description: Description) -> bool:
    """Whether the stage's forces are newtons."""
    return description.scene.meters_per_unit == description.scene.kilograms_per_unit == 1.0


def figure(value: float) -> str:
    """Format a number with three significant digits, large ones as integers."""
    return f"{value:.3g}" if abs(value) < 1000.0 or abs(value) >= 1e7 else f"{value:.0f}"
