"""Mass, centre of mass and inertia of a body, from what it and its colliders author."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from pxr import Gf

from physx_schema.description.colliders import Collider, material_density
from physx_schema.description.frames import Matrix3, quaternion, rotation_matrix, scaled
from physx_schema.description.model import Quat, Vec3
from physx_schema.description.opinions import PrimOpinions
from physx_schema.description.reading import Reading
from physx_schema.description.units import default_density, point_inertia

Array = npt.NDArray[np.float64]

_JACOBI_SWEEPS = 24


@dataclass(frozen=True, slots=True)
class MassProperties:
    """Mass, centre of mass in the body frame, inertia about it in body axes, and its principal axes (columns)."""

    mass: float
    center: Array
    inertia: Array
    axes: Array = field(default_factory=lambda: np.eye(3))


def read_mass(reading: Reading, body: PrimOpinions, colliders: Sequence[Collider]) -> MassProperties:
    """The body's mass properties as PhysX works them out."""
    view = body.view("PhysicsMassAPI")
    mass = max(view.number("mass"), 0.0)
    density = max(view.number("density"), 0.0)
    diagonal = view.vector("diagonalInertia")
    center = view.vector("centerOfMass")
    axes = view.quaternion("principalAxes") if view.authored("principalAxes") else None
    has_inertia = any(moment > 0.0 for moment in diagonal)
    has_center = all(map(math.isfinite, center))
    given = np.array(scaled(center, reading.frames.scale(body.prim))) if has_center else None

    parts = [_collider_mass(reading, collider, density) for collider in colliders]
    if parts:
        total = _moved(_scaled(_sum(parts), mass), given)
    else:
        point = point_inertia(mass or 1.0, reading.meters_per_unit)
        total = MassProperties(mass or 1.0, np.zeros(3) if given is None else given, np.diag([point] * 3))
        if mass == 0.0 and not has_inertia:
            _report_no_mass(reading, body)
    moments, own_axes = _principal(total.inertia)
    if not has_inertia and axes is None:
        return MassProperties(total.mass, total.center, total.inertia, own_axes)
    rotation = np.array(rotation_matrix(axes)) if axes is not None else own_axes
    chosen = np.abs(diagonal) if has_inertia else moments
    if not chosen.all():
        _report_zero_inertia(reading, body)
        chosen = np.ones(3)
    return MassProperties(total.mass, total.center, rotation @ np.diag(chosen) @ rotation.T, rotation)


def as_matrix(inertia: Array) -> Matrix3:
    """Rows as tuples."""
    rows = [(float(row[0]), float(row[1]), float(row[2])) for row in inertia]
    return rows[0], rows[1], rows[2]


def as_vector(value: Array) -> Vec3:
    """Components as floats."""
    return float(value[0]), float(value[1]), float(value[2])


def as_rotation(axes: Array) -> Quat:
    """The rotation whose columns are the axes; a left-handed set is turned over along its last axis."""
    columns = axes * [1.0, 1.0, math.copysign(1.0, float(np.linalg.det(axes)))]
    return quaternion(Gf.Matrix3d(*map(float, columns.T.ravel())).ExtractRotation().GetQuat())


def _collider_mass(reading: Reading, collider: Collider, body_density: float) -> MassProperties:
    """A collider's mass properties in the body frame."""
    view = collider.opinions.view("PhysicsMassAPI")
    mass = max(view.number("mass"), 0.0)
    density = max(view.number("density"), 0.0) or body_density or material_density(reading, collider.opinions)
    density = density or default_density(reading.meters_per_unit, reading.kilograms_per_unit)
    volume = collider.shape.volume
    factor = (mass / volume if volume else 0.0) if mass else density
    mass = mass or volume * density
    inertia = np.diag(collider.shape.inertia) * factor
    diagonal = view.vector("diagonalInertia")
    has_inertia = any(moment > 0.0 for moment in diagonal)
    center = np.array(collider.shape.center)
    given = view.vector("centerOfMass")
    if all(map(math.isfinite, given)):
        moved = np.array(scaled(given, reading.frames.scale(collider.opinions.prim)))
        inertia, center = inertia + mass * _steiner(moved - center), moved
    if has_inertia:
        inertia = np.diag(diagonal)
    position, rotation = collider.pose
    turn = np.array(rotation_matrix(rotation))
    return MassProperties(mass, np.array(position) + turn @ center, turn @ inertia @ turn.T)


def _sum(parts: Sequence[MassProperties]) -> MassProperties:
    mass = sum(part.mass for part in parts)
    center = sum((part.mass * part.center for part in parts), np.zeros(3)) / mass if mass else np.zeros(3)
    inertia = sum((part.inertia + part.mass * _steiner(part.center - center) for part in parts), np.zeros((3, 3)))
    return MassProperties(mass, center, inertia)


def _scaled(total: MassProperties, mass: float) -> MassProperties:
    """The same distribution with another mass; 0 keeps the sum."""
    if not mass or not total.mass:
        return total
    return MassProperties(mass, total.center, total.inertia * (mass / total.mass))


def _moved(total: MassProperties, center: Array | None) -> MassProperties:
    """The centre of mass put elsewhere, the inertia grown by the parallel-axis rule."""
    if center is None:
        return total
    return MassProperties(total.mass, center, total.inertia + total.mass * _steiner(center - total.center))


def _steiner(offset: Array) -> Array:
    """|d|^2 1 - d d^T."""
    return np.asarray(np.dot(offset, offset) * np.eye(3) - np.outer(offset, offset))


def _principal(inertia: Array) -> tuple[Array, Array]:
    """Moments and axes (columns) by Jacobi rotations from the body axes, which keeps PhysX's order of axes."""
    matrix, axes = inertia.copy(), np.eye(3)
    for _ in range(_JACOBI_SWEEPS):
        i, j = max(((1, 2), (0, 2), (0, 1)), key=lambda pair: abs(matrix[pair]))
        if abs(matrix[i, j]) <= 1e-15 * float(np.abs(np.diag(matrix)).max()):
            break
        angle = 0.5 * math.atan(2.0 * matrix[i, j] / gap) if (gap := matrix[j, j] - matrix[i, i]) else math.pi / 4
        turn = np.eye(3)
        turn[i, i] = turn[j, j] = math.cos(angle)
        turn[i, j], turn[j, i] = math.sin(angle), -math.sin(angle)
        matrix, axes = turn.T @ matrix @ turn, axes @ turn
    return np.diag(matrix).copy(), axes


def _report_zero_inertia(reading: Reading, body: PrimOpinions) -> None:
    reading.problem(
        "body/zero-inertia", body.path, "physics:diagonalInertia", "a moment of inertia of 0 beside others above 0",
        "PhysX refuses the three and works with a moment of 1 about every axis", "author three positive moments",
    )


def _report_no_mass(reading: Reading, body: PrimOpinions) -> None:
    reading.problem(
        "body/no-mass", body.path, "physics:mass", "the body has neither a mass nor a collider",
        "PhysX takes a mass of 1 and the inertia of a sphere of radius 0.1 m", "author physics:mass", "warning",
    )


