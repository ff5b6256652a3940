"""Collision meshes as PhysX cooks them: limits, thin meshes, and the solid of the hull that comes out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from physx_schema.definitions import ends
from physx_schema.description.collision.convex_hull import DegenerateHullError, Hull, build_hull, merge_flat_neighbours
from physx_schema.description.collision.cropped_hull import crop
from physx_schema.description.collision.hull_face import Tolerances
from physx_schema.description.collision.polyhedron import Doubles, FirstFace, Polyhedron, Solid, Triangles, solid_of
from physx_schema.description.collision.single import Single, Singles, dot, normalized

PLANE_TOLERANCE = 0.0007        # of the size of the points, in their own units
POLYGON_LIMIT = 64
FACE_LIMIT = 31                 # corners of one face
LEAST_VERTICES, MOST_VERTICES = map(int, ends("PhysxConvexHullCollisionAPI", "hullVertexLimit"))
WIDE_LIMIT = 255                # of polygons, corners and corners of one face, where no GPU is in view
_LEAST_THICKNESS = 1e-5
_THICKNESS_OF_SIZE = 0.011      # least thickness of a flat mesh, of its largest extent
_PARALLEL = 0.98
_FLAT = 1e-6                    # m
_BOX_HALF = 0.01                # m
_CORNERS = np.array([
    (-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1),
], dtype=float)


@dataclass(frozen=True, slots=True)
class HullLimits:
    """What physxConvexHullCollision:* authors."""

    vertices: int = 64
    thickness: float = 0.001    # in the units of the points
    length: float = 1.0         # of a metre, in the units of the points
    for_gpu: bool = True        # collision shapes have to fit the GPU; hulls that only measure a mesh do not


def cook_hull(points: Doubles, triangles: Triangles, limits: HullLimits) -> Polyhedron | None:
    """The convex hull that PhysX collides with; None where it makes none."""
    points = points[np.isfinite(points).all(axis=1)]
    if not len(points):
        return None
    cloud = _opened(_thickened(points, triangles, limits.thickness), limits.length)
    try:
        polygons = POLYGON_LIMIT if limits.for_gpu else WIDE_LIMIT
        hull = build_hull(_lifted(cloud.astype(Single)), PLANE_TOLERANCE, polygons)
    except DegenerateHullError:
        return None
    vertex_limit = min(max(limits.vertices, LEAST_VERTICES), MOST_VERTICES) if limits.for_gpu else WIDE_LIMIT
    face_limit = FACE_LIMIT if limits.for_gpu else WIDE_LIMIT
    if hull.corners > vertex_limit:
        return _cropped(hull, vertex_limit, face_limit)
    merge_flat_neighbours(hull)
    if max(len(face.loop) for face in hull.faces) > face_limit:
        return _cropped(hull, vertex_limit, face_limit)
    return _polyhedron(hull)


def _polyhedron(hull: Hull) -> Polyhedron:
    planes = np.array([(*face.normal, -face.offset) for face in hull.faces], dtype=Single)
    first = FirstFace(len(hull.first.loop), hull.first.alive)
    return Polyhedron(hull.points.astype(float), tuple(tuple(face.loop) for face in hull.faces), planes, first)


def _cropped(hull: Hull, vertex_limit: int, face_limit: int) -> Polyhedron:
    whole = _polyhedron(hull)
    solid = solid_of(whole.points, whole.triangles())
    return crop(hull, solid, vertex_limit, face_limit)


def hull_solid(hull: Polyhedron) -> Solid:
    """The solid of a cooked hull."""
    return solid_of(hull.points, hull.triangles())


def _thickened(points: Doubles, triangles: Triangles, thickness: float) -> Doubles:
    """The points, or those of the slab or box that stands for a flat or tiny mesh."""
    if not len(triangles):
        return points
    half = max(thickness, _THICKNESS_OF_SIZE * float(np.ptp(points, axis=0).max()), _LEAST_THICKNESS) / 2.0
    corners = points[triangles]
    used = corners.reshape(-1, 3)
    if float(np.ptp(used, axis=0).max()) <= half:
        center = (used.min(axis=0) + used.max(axis=0)) / 2.0
        return np.asarray(center + half * _CORNERS)
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = normals / np.where(lengths > 0.0, lengths, 1.0)
    offsets = -np.einsum("ij,ij->i", normals, corners[:, 0])
    flat = (normals @ normals[0] >= _PARALLEL) & (np.abs(offsets - offsets[0]) <= half)
    if flat[1:].all():
        return np.concatenate([points - half * normals[0], points + half * normals[0]])
    return points


def _opened(points: Doubles, length: float) -> Doubles:
    """The points, or the corners of a box where they have hardly any extent along an axis."""
    low, high = points.min(axis=0), points.max(axis=0)
    sides = high - low
    flat = sides < _FLAT * length
    if not flat.any() and len(points) > 2:
        return points
    widest = _BOX_HALF * length
    least = float(sides[sides > _FLAT * length].min(initial=np.inf))
    half = np.where(flat, min(least * 0.05, widest), sides * 0.5) if np.isfinite(least) else np.full(3, widest)
    return np.asarray((low + high) * 0.5 + half * _CORNERS)


def _lifted(points: Singles) -> Singles:
    """The points, one of them moved where all are nearly on a line or in a plane."""
    tolerance = Tolerances.of(points, PLANE_TOLERANCE).plane
    axis = int(np.argmax(np.ptp(points, axis=0)))
    first = points[np.argmax(points[:, axis])]
    line = normalized(points[np.argmin(points[:, axis])] - first)[0]
    crossed = np.cross(line, points - first)
    third = int(np.argmax(dot(crossed, crossed)))
    normal, distance = normalized(crossed[third])
    moved = points.copy()
    if distance < tolerance:
        arm = points[third] - first
        moved[third] += normalized(arm - dot(arm, line) * line)[0] * Single(tolerance)
    heights = dot(moved, normal) - dot(moved[third], normal)
    fourth = int(np.argmax(np.abs(heights)))
    if abs(heights[fourth]) < tolerance:
        moved[fourth] += normal * Single(tolerance if heights[fourth] > 0.0 else -tolerance)
    return moved
