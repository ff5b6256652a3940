"""Boxes and spheres around meshes, as PhysX finds them from the corners of the convex hull."""

from __future__ import annotations

import math

import numpy as np

from physx_schema.description.collision.cooking import HullLimits, cook_hull, hull_solid
from physx_schema.description.collision.polyhedron import Doubles, Polyhedron, Solid
from physx_schema.description.collision.single import (
    Single,
    Singles,
    about,
    added,
    columns,
    dot,
    principal_turn,
    turned_back,
)
from physx_schema.description.frames import vector
from physx_schema.description.poses import Pose, Quat, Vec3

_NO_TRIANGLES = np.empty((0, 3), dtype=np.intp)
_TURNS = 360            # orientations of a box tried about each principal axis
_STEP = Single(math.pi / 180.0)
_SLACK = Single(0.001)  # length, in units of the scaled points: how far a point may lie outside of a sphere


def bounding_box(points: Doubles, length: float) -> tuple[Vec3, Pose] | None:
    """Half extents and pose of the smallest box; None where there is no hull."""
    found = _corners(points, length)
    if found is None:
        return None
    corners, _, axes = found
    best, least = (np.array([0, 0, 0, 1], dtype=Single), corners[0], corners[0]), math.inf
    for axis in axes.T:
        for step in range(_TURNS):
            turn = about(-axis, Single(step) * _STEP)
            turned = turned_back(turn, corners)
            low, high = turned.min(axis=0), turned.max(axis=0)
            sides = high - low
            volume = float(sides[0] * sides[1] * sides[2])
            if volume < least:
                best, least = (turn, low, high), volume
    turn, low, high = best
    center = columns(turn) @ ((low + high) * Single(0.5))
    x, y, z, w = map(float, turn)
    rotation: Quat = (x, y, z, w)
    return vector((high - low) * Single(0.5)), (vector(center), rotation)


def bounding_sphere(points: Doubles, length: float) -> tuple[float, Vec3] | None:
    """Radius and centre of the sphere: the smallest of four that grow point by point."""
    found = _corners(points, length)
    if found is None:
        return None
    corners, center, axes = found
    along = [_sphere_along(corners, center, axis) for axis in axes.T]
    radii = [radius for radius, _ in along]
    first = 0 if radii[0] < radii[1] and radii[0] < radii[2] else 1 if radii[1] < radii[2] else 2
    grown = _grown_sphere(corners)
    radius, middle = along[first] if radii[first] < grown[0] else grown
    return float(radius), vector(middle)


def _corners(points: Doubles, length: float) -> tuple[Singles, Singles, Singles] | None:
    """Corners of the hull in the order of its faces, its centre of mass, and its principal axes about the origin."""
    hull: Polyhedron | None = cook_hull(points, _NO_TRIANGLES, HullLimits(length=length, for_gpu=False))
    if hull is None:
        return None
    order = list(dict.fromkeys(corner for loop in hull.faces for corner in loop))
    solid: Solid = hull_solid(hull)
    axes = columns(principal_turn(solid.inertia_at_origin().astype(Single)))
    return hull.points[order].astype(Single), solid.center.astype(Single), axes


def _length(arm: Singles) -> Single:
    return Single(np.sqrt(dot(arm, arm)))


def _sphere_along(corners: Singles, start: Singles, axis: Singles) -> tuple[Single, Singles]:
    """A sphere with its centre on an axis, moved along it where a point lies outside."""
    heights = dot(corners - start, axis)
    low, high = int(heights.argmin()), int(heights.argmax())
    center = (start + heights[high] * axis + start + heights[low] * axis) * Single(0.5)
    radius = min(_length(corners[high] - center), _length(corners[low] - center))
    for corner in corners:
        arm = corner - center
        distance = _length(arm)
        if not distance > radius + _SLACK:
            continue
        height = Single(dot(arm, axis))
        if abs(height) < _SLACK:
            radius = distance
            continue
        sign = Single(-2.0 if height > 0.0 else 2.0)
        moved = (radius * radius - distance * distance) / (sign * radius * added(axis) - Single(2.0) * height)
        center = center + axis * moved
        radius = _length(corner - center)
    return radius, center


def _grown_sphere(corners: Singles) -> tuple[Single, Singles]:
    """A sphere through two far corners, grown to every corner outside."""
    arms = corners - corners[0]
    far = corners[int(dot(arms, arms).argmax())]
    other, most = far, Single(0.0)
    for corner in corners:      # from the farthest so far, which is how PhysX measures
        square = Single(dot(other - corner, other - corner))
        if square > most:
            other, most = corner, square
    center = (other + far) * Single(0.5)
    square = Single(dot(other - center, other - center))
    for corner in corners:
        arm = corner - center
        distance = _length(arm)
        if Single(dot(arm, arm)) > square + _SLACK:
            center = (corner + center - arm / distance * Single(np.sqrt(square))) * Single(0.5)
            square = Single(dot(corner - center, corner - center))
    return Single(np.sqrt(square)), center
