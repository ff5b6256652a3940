"""Physics materials -> how the surfaces of two colliders answer each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.patches import SURFACE
from physx_schema.description.collision.materials import COMBINE_MODES, DEFAULT_MATERIAL
from physx_schema.description.model import PhysicsMaterial

Array = NDArray[Any]
Single = np.float32


def rows_of_materials(materials: Iterable[PhysicsMaterial], used: Iterable[str]
                      ) -> tuple[dict[str, int], list[PhysicsMaterial]]:
    """The row of each material in use, by path, and the materials of the rows: those that answer alike share one."""
    known, rows = {material.path: material for material in materials}, dict[PhysicsMaterial, int]()
    row_of = {path: rows.setdefault(replace(known.get(path, DEFAULT_MATERIAL), path="", density=0.0), len(rows))
              for path in used}
    return row_of, list(rows)


def surfaces(materials: Sequence[PhysicsMaterial]) -> Array:
    """SURFACE of every two of some materials, (n, n)."""
    found = [[_surface(a, b) for b in materials] for a in materials]
    return np.array(found, SURFACE).reshape(len(materials), len(materials))


def _surface(a: PhysicsMaterial, b: PhysicsMaterial) -> tuple[float, ...]:
    """Both materials combined, in PhysX's float32: the fields of SURFACE in their order."""
    mode = later_mode(a.friction_combine, b.friction_combine)
    dynamic = max(_combined(a.dynamic_friction, b.dynamic_friction, mode), Single(0.0))
    static = max(_combined(a.static_friction, b.static_friction, mode), dynamic)
    soft = [material for material in (a, b) if material.compliant_stiffness > 0.0]
    if not soft:
        restitution = _combined(a.restitution, b.restitution, later_mode(a.restitution_combine, b.restitution_combine))
        return float(static), float(dynamic), float(restitution), 0.0, 0.0, 0.0
    stiffness, damping = _spring(soft, (a, b))
    accelerates = any(material.compliant_acceleration for material in soft)
    return float(static), float(dynamic), 0.0, float(stiffness), float(damping), float(accelerates)


def _spring(soft: Sequence[PhysicsMaterial], both: tuple[PhysicsMaterial, PhysicsMaterial]
            ) -> tuple[np.float32, np.float32]:
    """Stiffness and damping where one or both materials are soft; of unlike springs that of acceleration counts alone.

    PhysX keeps a stiffness as a negative restitution and combines it as such: the least of two is the stiffest.
    """
    a, b = both
    if len(soft) == 1:
        return Single(soft[0].compliant_stiffness), Single(max(a.compliant_damping, b.compliant_damping))
    if a.compliant_acceleration != b.compliant_acceleration:
        alone = a if a.compliant_acceleration else b
        return Single(alone.compliant_stiffness), Single(alone.compliant_damping)
    mode = later_mode(a.restitution_combine, b.restitution_combine)
    stiffness = _combined(-a.compliant_stiffness, -b.compliant_stiffness, mode)
    damping = _combined(a.compliant_damping, b.compliant_damping, later_mode(a.damping_combine, b.damping_combine))
    return abs(stiffness), damping


def later_mode(a: str, b: str) -> str:
    """The mode that counts of two: average < min < multiply < max."""
    return max(a, b, key=COMBINE_MODES.index)


def _combined(a: float, b: float, mode: str) -> np.float32:
    first, second = Single(a), Single(b)
    if mode == "average":
        return Single(0.5) * (first + second)
    return {"min": min(first, second), "multiply": first * second, "max": max(first, second)}[mode]
