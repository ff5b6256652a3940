"""What bodies weigh: mass, centre of mass and principal moments, of shapes together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from physx_runtime.components.pose import Pose, quaternion_of, rotation_matrix, unit
from physx_schema.description.collision.hull import Solid

Doubles = NDArray[np.float64]

DEFAULT_MASS = 1e-6              # kg and kg m^2 of a body without a shape that weighs, as in SAPIEN
ALIGNMENT_TOLERANCE = 1e-6              # share of the largest moment up to which products of inertia are rounding


@dataclass(frozen=True)
class Mass:
    """Mass in kg, centre of mass in m and inertia about it in kg m^2, (3, 3), in a body's axes."""

    mass: float
    center: Doubles
    inertia: Doubles

    def principal(self) -> tuple[Pose, Doubles]:
        """Return the frame of the principal axes at the centre of mass, and the moments about them, (3,)."""
        off_diagonal = self.inertia - np.diag(np.diag(self.inertia))
        if abs(off_diagonal).max() <= ALIGNMENT_TOLERANCE * abs(self.inertia).max():
            return Pose(self.center), np.diag(self.inertia).copy()
        moments, axes = np.linalg.eigh(self.inertia)
        order = _nearest_order(axes)
        axes, moments = axes[:, order], moments[order]
        axes = axes * np.where(np.diag(axes) < 0.0, -1.0, 1.0)
        if np.linalg.det(axes) < 0.0:
            axes[:, int(np.argmin(abs(np.diag(axes))))] *= -1.0
        return Pose(self.center, quaternion_of(axes)), moments


def _nearest_order(axes: Doubles) -> list[int]:
    """Which principal axis is nearest to x, y and z: each once."""
    remaining, order = [0, 1, 2], []
    for row in range(3):
        best = max(remaining, key=lambda column: abs(axes[row, column]))
        order.append(best)
        remaining.remove(best)
    return order


def of_solid(solid: Solid, density: float, pose: Pose) -> Mass:
    """Return the mass of a solid with a density, placed in a body's frame."""
    rotation = rotation_matrix(unit(pose.q))
    return Mass(solid.volume * density, pose.transform(solid.center), density * rotation @ solid.inertia @ rotation.T)


def total(parts: Iterable[Mass]) -> Mass:
    """Return the sum of several masses; a point of 1e-6 kg if the sum is 0."""
    heavy = [part for part in parts if part.mass > 0.0]
    if not heavy:
        return Mass(DEFAULT_MASS, np.zeros(3), DEFAULT_MASS * np.eye(3))
    mass = sum(part.mass for part in heavy)
    center = np.asarray(sum(part.mass * part.center for part in heavy)) / mass
    inertia = np.asarray(sum(part.inertia + _parallel_axis(part.mass, part.center - center) for part in heavy))
    return Mass(mass, center, inertia)


def _parallel_axis(mass: float, offset: Doubles) -> Doubles:
    """What the parallel-axis rule adds: m (|d|^2 1 - d d^T)."""
    return np.asarray(mass * (offset @ offset * np.eye(3) - np.outer(offset, offset)))
