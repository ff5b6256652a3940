"""What analytic solids of density 1 weigh, in PhysX's order of operations.

Numbers may be Python's or NumPy's of single precision: with the latter results have PhysX's bits, which decide the
principal axes of round bodies.
"""

from __future__ import annotations

import math
from typing import Any

_DISCS = 32             # PhysX sums a cone up from discs


def solid(kind: str, sizes: tuple[Any, ...]) -> tuple[Any, tuple[Any, Any, Any], Any]:
    """Volume, moments and the centre along the first axis.

    The sizes are half extents of a box, the radius of a sphere, or radius and half height of a capsule, cylinder or
    cone, whose own axis is the first. Moments are about the centre, but a cone's are about mid-height, which PhysX uses
    as if they were about the centre.
    """
    if kind == "box":
        return _box(*sizes)
    if kind == "sphere":
        return _sphere(*sizes)
    if kind == "capsule":
        return _capsule(*sizes)
    radius, half_height = sizes
    height = half_height * 2
    if kind == "cone":
        return _cone(height, radius)
    volume, axial, transverse = _cylinder(height, radius)
    return volume, (axial, transverse, transverse), height * 0


def _box(x: Any, y: Any, z: Any) -> tuple[Any, tuple[Any, Any, Any], Any]:
    volume = x * y * z * 8
    third = volume * 1 / 3
    return volume, ((y * y + z * z) * third, (x * x + z * z) * third, (x * x + y * y) * third), volume * 0


def _sphere(r: Any) -> tuple[Any, tuple[Any, Any, Any], Any]:
    unit = r * 0 + 1         # of the type of the radius: the constants are rounded one by one
    volume = unit * (4 / 3) * math.pi * r * r * r
    moment = unit * (2 / 5) * volume * r * r
    return volume, (moment, moment, moment), r * 0


def _capsule(r: Any, h: Any) -> tuple[Any, tuple[Any, Any, Any], Any]:
    volume = (r * (4 / 3) + 2 * h) * math.pi * r * r
    transverse = r * r * r * (8 / 15) + h * r * r * (3 / 2) + h * h * r * (4 / 3) + h * h * h * (2 / 3)
    axial = r * r * r * (8 / 15) + h * r * r
    return volume, (axial * math.pi * r * r, transverse * math.pi * r * r, transverse * math.pi * r * r), r * 0


def _cylinder(height: Any, radius: Any) -> tuple[Any, Any, Any]:
    volume = math.pi * radius * radius * height
    return volume, volume * radius * radius / 2, volume * (3 * radius * radius + height * height) / 12


def _cone(height: Any, radius: Any) -> tuple[Any, tuple[Any, Any, Any], Any]:
    if not height or not radius:
        return height * 0, (height * 0, height * 0, height * 0), height * 0
    thickness = height / _DISCS
    positions = [-height * 0.5 + i * thickness + thickness * 0.5 for i in range(_DISCS)]
    discs = [_cylinder(thickness, radius * (height * 0.5 - x) / height) for x in positions]
    volume, center, axial, transverse = height * 0, height * 0, height * 0, height * 0
    for x, (mass, _, _) in zip(positions, discs, strict=True):
        volume, center = volume + mass, center + x * mass
    center = center * (1 / volume)
    for x, (mass, disc_axial, disc_transverse) in zip(positions, discs, strict=True):
        axial, transverse = axial + disc_axial, transverse + ((center - x) * (center - x) * mass + disc_transverse)
    transverse = transverse + center * center * volume
    return volume, (axial, transverse, transverse), center
