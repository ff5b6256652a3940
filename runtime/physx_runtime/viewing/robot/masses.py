"""Masses of bodies as ellipsoids: each has the mass, the centre and the inertia of its body, at an even density."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from pxr import Gf

from physx_schema.description.model import Description, Link
from physx_schema.description.records import Quat, Vec3


@dataclass(frozen=True, slots=True)
class MassEllipsoid:
    """An ellipsoid in the frame of its body."""

    body: int                           # the body's number
    mass: float
    centre: Vec3                        # of mass, length
    semi_axes: Vec3                     # length
    rotation: Quat                      # of its axes, x y z w


def mass_ellipsoids(description: Description, index: Mapping[str, int]) -> Iterator[MassEllipsoid]:
    """The ellipsoids of all bodies with finite numbers; index: body's prim path -> its number."""
    links = [link for articulation in description.articulations for link in articulation.links]
    for link in (*links, *description.separate_bodies):
        numbers = np.array([link.mass, *link.center_of_mass, *np.ravel(link.inertia)], np.float64)
        if link.path in index and link.mass > 0.0 and np.isfinite(numbers).all():
            yield _ellipsoid(link, index[link.path])


def _ellipsoid(link: Link, body: int) -> MassEllipsoid:
    """I_x = m / 5 (b^2 + c^2) and so on, so a^2 = 5 / (2 m) (I_y + I_z - I_x); no less than 0."""
    moments, axes = np.linalg.eigh(np.array(link.inertia, np.float64))
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    squares = 2.5 / link.mass * (moments.sum() - 2.0 * moments)
    a, b, c = np.sqrt(np.maximum(squares, 0.0)).tolist()
    # the columns of `axes` are the ellipsoid's axes in the body; Gf multiplies row vectors
    rotation = Gf.Matrix3d(*axes.T.ravel().tolist()).ExtractRotation().GetQuat()
    x, y, z = rotation.GetImaginary()
    return MassEllipsoid(body, link.mass, link.center_of_mass, (a, b, c), (x, y, z, rotation.GetReal()))
