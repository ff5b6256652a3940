"""Mass, centre of mass and inertia of a body, from what it and its colliders author."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pxr import Gf

from physx_schema.description.collision.colliders import ColliderPart
from physx_schema.description.collision.principal_axes import Weight, is_aligned, principal_axes, weight
from physx_schema.description.collision.shape_kinds import Bulk
from physx_schema.description.frames import Matrix3, quaternion, rotation_matrix, scaled
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext
from physx_schema.description.opinions.view import SchemaView
from physx_schema.description.records import IDENTITY_POSE, Quat, Vec3
from physx_schema.description.units import LARGEST_SINGLE, default_density, point_inertia, unnormalized

_SANE = 1e-2        # how far the length of principalAxes may be from 1 (PxQuat::isSane)
_ORIGIN: Vec3 = (0.0, 0.0, 0.0)
_IDENTITY: Matrix3 = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
# The axes (columns) of the shapes that PhysX makes of solids along y and z, whose x is along that axis or against it.
_SHAPE_AXES: Mapping[tuple[str, int], Matrix3] = {
    ("capsule", 1): ((0.0, -1.0, 0.0), (-1.0, 0.0, 0.0), (0.0, 0.0, -1.0)),
    ("capsule", 2): ((0.0, 0.0, -1.0), (0.0, -1.0, 0.0), (-1.0, 0.0, 0.0)),
    **{(kind, 1): ((0.0, -1.0, 0.0), (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)) for kind in ("cylinder", "cone")},
    **{(kind, 2): ((0.0, 0.0, -1.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)) for kind in ("cylinder", "cone")},
}


class MassProperties(NamedTuple):
    """Mass, centre of mass in the body frame, inertia about it in body axes, and its principal axes (columns)."""

    mass: float
    center: Vec3
    inertia: Matrix3
    axes: Matrix3 = _IDENTITY
    authored_axes: Quat | None = None       # the same as authored, of any length


class _Authored(NamedTuple):
    """What PhysicsMassAPI says of a body or a collider; PhysX works out the rest."""

    mass: float = 0.0               # 0 for none
    density: float = 0.0            # 0 for none
    moments: Vec3 | None = None     # where one is above 0
    center: Vec3 | None = None      # where it is finite, not scaled


def _authored(view: SchemaView) -> _Authored:
    if view.silent:
        return _NOTHING
    mass, density = view.number("mass"), view.number("density")     # NaN counts as none
    moments, center = view.vector("diagonalInertia"), view.vector("centerOfMass")
    return _Authored(
        mass if mass > 0.0 else 0.0, density if density > 0.0 else 0.0,
        moments if any(moment > 0.0 for moment in moments) else None,
        center if all(map(math.isfinite, center)) else None,
    )


_NOTHING = _Authored()


def read_mass(
    context: ReadContext, body: PrimOpinions, colliders: Sequence[ColliderPart], free: bool = False,
) -> MassProperties:
    """The body's mass properties as PhysX works them out; for a body outside articulations 0 moments are infinite."""
    view = body.view("PhysicsMassAPI")
    values = _authored(view)
    center = scaled(values.center, context.frames.lengths(body.prim, body.path)) if values.center is not None else None
    length = _length(view.raw("principalAxes")) if view.authored("principalAxes") else 0.0
    axes = view.quaternion("principalAxes") if length else None

    if values.mass and values.moments is not None and center is not None:   # nothing is left for the colliders to say
        total = MassProperties(values.mass, center, _IDENTITY)
    else:
        total = _accepted(_of_colliders(context, body, colliders, values, center))
    if values.moments is None and axes is None:
        return total
    rotation = rotation_matrix(axes) if axes is not None else total.axes
    moments = _moments(total.inertia, total.axes)
    if values.moments is not None:
        moments = abs(values.moments[0]), abs(values.moments[1]), abs(values.moments[2])
    if not all(map(math.isfinite, moments)):    # reported as what they are
        moments = (1.0, 1.0, 1.0)
    if not all(moments):
        _report_zero_inertia(context, body, free)
        moments = (moments[0] or math.inf, moments[1] or math.inf, moments[2] or math.inf) if free else (1.0, 1.0, 1.0)
    if axes is not None and not abs(length - 1.0) < _SANE:      # PhysX refuses the mass frame: centre and axes
        return MassProperties(total.mass, _ORIGIN, _diagonal(moments))
    return MassProperties(total.mass, total.center, _about(rotation, moments), rotation,
                          unnormalized(view.raw("principalAxes")) if axes is not None else None)


def _accepted(total: MassProperties) -> MassProperties:
    """What PhysX takes: it refuses a mass and moments that are not finite in float32, and works with 1."""
    is_valid = all(abs(value) <= LARGEST_SINGLE
                   for value in (total.mass, *total.inertia[0], *total.inertia[1], *total.inertia[2]))
    mass = total.mass if abs(total.mass) <= LARGEST_SINGLE else 1.0
    return total if is_valid else MassProperties(mass, total.center, _IDENTITY)


def _length(rotation: Any) -> float:
    """The length of a quaternion as authored, 1 of anything else."""
    if not hasattr(rotation, "GetImaginary"):
        return 1.0
    return math.hypot(*rotation.GetImaginary(), float(rotation.GetReal()))


def _of_colliders(
    context: ReadContext, body: PrimOpinions, colliders: Sequence[ColliderPart], values: _Authored, center: Vec3 | None,
) -> MassProperties:
    """What the colliders give, moved and scaled to what the body authors."""
    with_mass = [part for part in colliders if not part.fact.trigger]
    if any(part.fact.kind in ("triangle-mesh", "simplified-mesh") for part in with_mass):
        return MassProperties(1.0, center or _ORIGIN, _IDENTITY)        # of a kinematic body, which forces do not move
    parts: list[tuple[ColliderPart, Bulk]] = []
    for part in with_mass:
        weighed = part.weigh()
        if weighed.estimated:
            _report_estimated(context, body, part, weighed.estimated)
        if weighed.bulk is not None:
            parts.append((part, weighed.bulk))
    if parts:
        total = _sum([_collider_mass(context, part, bulk, values.density) for part, bulk in parts])
        total = _recentered(_scaled(total, values.mass), center)
        if center is None and len(parts) == 1 and is_aligned(parts[0][0].fact):
            return total        # nothing is turned or moved, whose rounding could turn the axes
        weights = [_weight(context, part, bulk, values.density) for part, bulk in parts]
        return total._replace(axes=rotation_matrix(principal_axes(weights, values.mass, center)))
    mass = values.mass or 1.0
    if colliders:       # triggers, or meshes that PhysX cannot cook
        return MassProperties(mass, center or _ORIGIN, _IDENTITY)
    point = point_inertia(mass, context.meters_per_unit)
    if not values.mass and values.moments is None:
        _report_no_mass(context, body)
    return MassProperties(mass, center or _ORIGIN, _diagonal((point, point, point)))


def as_rotation(axes: Matrix3) -> Quat:
    """The rotation whose columns are the axes; a left-handed set is turned over along its last axis."""
    if axes == _IDENTITY:
        return 0.0, 0.0, 0.0, 1.0
    (a, b, c), (d, e, f), (g, h, i) = axes
    hand = math.copysign(1.0, a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g))
    return quaternion(Gf.Matrix3d(a, d, g, b, e, h, c * hand, f * hand, i * hand).ExtractRotation().GetQuat())


def _authored_by_collider(context: ReadContext, part: ColliderPart, body_density: float) -> tuple[_Authored, float]:
    """What a collider authors, its centre scaled, and its density."""
    values = _authored(part.opinions.view("PhysicsMassAPI"))
    if values.center is not None:
        lengths = context.frames.lengths(part.opinions.prim, part.opinions.path)
        values = values._replace(center=scaled(values.center, lengths))
    density = values.density or body_density or part.density()
    return values, density or default_density(context.meters_per_unit, context.kilograms_per_unit)


def _weight(context: ReadContext, part: ColliderPart, bulk: Bulk, body_density: float) -> Weight:
    values, density = _authored_by_collider(context, part, body_density)
    return weight(part.fact, bulk, density, values.mass, values.center, values.moments)


def _collider_mass(context: ReadContext, part: ColliderPart, bulk: Bulk, body_density: float) -> MassProperties:
    """A collider's mass properties in the body frame; what it authors counts along the axes of PhysX's shape."""
    values, density = _authored_by_collider(context, part, body_density)
    factor = (values.mass / bulk.volume if bulk.volume else 0.0) if values.mass else density
    mass = values.mass or bulk.volume * density
    inertia, center = _times(bulk.inertia, factor), bulk.center
    axes = _SHAPE_AXES.get((part.fact.kind, part.fact.axis), _IDENTITY)
    if values.center is not None:
        new_center = _rotated(axes, values.center)
        inertia, center = _added(inertia, _steiner(mass, center, new_center)), new_center
    if values.moments is not None:
        inertia = _rotated_inertia(axes, _diagonal(values.moments))
    if part.fact.pose == IDENTITY_POSE and center == _ORIGIN:
        return MassProperties(mass, _ORIGIN, inertia)
    position, rotation = part.fact.pose
    matrix = rotation_matrix(rotation)
    return MassProperties(mass, _plus(position, _rotated(matrix, center)), _rotated_inertia(matrix, inertia))


def _sum(parts: Sequence[MassProperties]) -> MassProperties:
    if len(parts) == 1:
        return parts[0]
    mass = sum(part.mass for part in parts)
    center = _ORIGIN
    if mass:
        x, y, z = (sum(part.mass * part.center[i] for part in parts) / mass for i in range(3))
        center = (x, y, z)
    inertia = _diagonal(_ORIGIN)
    for part in parts:
        inertia = _added(inertia, _added(part.inertia, _steiner(part.mass, center, part.center)))
    return MassProperties(mass, center, inertia)


def _scaled(total: MassProperties, mass: float) -> MassProperties:
    """The same distribution with another mass; 0 keeps the sum."""
    if not mass or not total.mass:
        return total
    return MassProperties(mass, total.center, _times(total.inertia, mass / total.mass))


def _times(inertia: Matrix3, factor: float) -> Matrix3:
    (a, b, c), (d, e, f), (g, h, i) = inertia
    return (a * factor, b * factor, c * factor), (d * factor, e * factor, f * factor), (
        g * factor, h * factor, i * factor)


def _recentered(total: MassProperties, center: Vec3 | None) -> MassProperties:
    """The centre of mass put elsewhere, the inertia grown by the parallel-axis rule."""
    if center is None:
        return total
    return MassProperties(total.mass, center, _added(total.inertia, _steiner(total.mass, total.center, center)))


def _steiner(mass: float, start: Vec3, end: Vec3) -> Matrix3:
    """What the parallel-axis rule adds: m (|d|^2 1 - d d^T)."""
    x, y, z = end[0] - start[0], end[1] - start[1], end[2] - start[2]
    xy, xz, yz = -mass * x * y, -mass * x * z, -mass * y * z
    return (mass * (y * y + z * z), xy, xz), (xy, mass * (x * x + z * z), yz), (xz, yz, mass * (x * x + y * y))


def _moments(inertia: Matrix3, axes: Matrix3) -> Vec3:
    """The moments about axes (columns)."""
    (x, _, _), (_, y, _), (_, _, z) = _rotated_inertia(_transposed(axes), inertia)
    return x, y, z


def _diagonal(moments: Vec3) -> Matrix3:
    return (moments[0], 0.0, 0.0), (0.0, moments[1], 0.0), (0.0, 0.0, moments[2])


def _plus(a: Vec3, b: Vec3) -> Vec3:
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


def _added(a: Matrix3, b: Matrix3) -> Matrix3:
    return _plus(a[0], b[0]), _plus(a[1], b[1]), _plus(a[2], b[2])


def _transposed(matrix: Matrix3) -> Matrix3:
    (a, b, c), (d, e, f), (g, h, i) = matrix
    return (a, d, g), (b, e, h), (c, f, i)


def _rotated(rows: Matrix3, value: Vec3) -> Vec3:
    """The product of a matrix and a vector."""
    x, y, z = value
    (a, b, c), (d, e, f), (g, h, i) = rows
    return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z


def _product(first: Matrix3, second: Matrix3) -> Matrix3:
    a, b, c = _transposed(second)
    return _transposed((_rotated(first, a), _rotated(first, b), _rotated(first, c)))


def _rotated_inertia(rotation: Matrix3, inertia: Matrix3) -> Matrix3:
    """An inertia in the axes of the parent: R I R^T, exactly as it is where nothing turns."""
    return inertia if rotation == _IDENTITY else _product(_product(rotation, inertia), _transposed(rotation))


def _about(axes: Matrix3, moments: Vec3) -> Matrix3:
    """The inertia of principal moments about axes (columns); an infinite one counts where its axis has a part."""
    if all(map(math.isfinite, moments)):
        return _rotated_inertia(axes, _diagonal(moments))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = (
        [sum((a * b * moment for a, b, moment in zip(row, other, moments, strict=True) if a * b), 0.0)
         for other in axes] for row in axes)
    return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)


def _report_zero_inertia(context: ReadContext, body: PrimOpinions, free: bool) -> None:
    why = ("outside articulations PhysX reads a moment of 0 as infinite; the body cannot rotate about that axis"
           if free else "PhysX ignores the three moments and uses 1 about each axis")
    context.problem(
        "body/zero-inertia", body.path, "physics:diagonalInertia",
        "a moment of inertia is 0, and another moment is above 0",
        why, "author three positive moments", "warning" if free else "error",
    )


def _report_no_mass(context: ReadContext, body: PrimOpinions) -> None:
    context.problem(
        "body/no-mass", body.path, "physics:mass", "the body has no mass and no collider",
        "PhysX uses a mass of 1 and the inertia of a sphere with radius 0.1 m", "author physics:mass", "warning",
    )


def _report_estimated(context: ReadContext, body: PrimOpinions, part: ColliderPart, what: str) -> None:
    context.problem(
        "body/collider-mass", part.fact.geometry, "",
        f"PhysX computes {what} with its mesh tools, which this library does not have",
        "the body's mass, centre of mass and inertia are estimates",
        f"author physics:mass, physics:centerOfMass and physics:diagonalInertia on {body.path}", "warning",
    )
