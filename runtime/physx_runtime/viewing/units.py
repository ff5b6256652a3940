"""Units of a stage's lengths and forces as a report shows them."""

from __future__ import annotations

from physx_runtime.viewing.text import numeral
from physx_schema.description.model import Description

LENGTH_UNITS = {1.0: "m", 0.1: "dm", 0.01: "cm", 0.001: "mm", 0.0254: "in", 0.3048: "ft"}


def length_unit(description: Description) -> str:
    """The unit of the stage's lengths."""
    scale = description.scene.meters_per_unit
    return LENGTH_UNITS.get(scale, f"{numeral(scale)} m")


def force_unit(description: Description) -> str:
    """The unit of the stage's forces: a name where that has one."""
    scene = description.scene
    return "N" if scene.meters_per_unit == scene.kilograms_per_unit == 1.0 else "force units"
