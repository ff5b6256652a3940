"""Cooking a convex hull of many points as PhysX cooks it.

Hulls of few corners that hold every point: a box around the points, cut by the planes of their full hull.

PhysX makes one where the hull has more corners than its limit, or more on one face than the GPU takes. It is an outer
approximation. The plane that cuts off the largest part comes next, until the limit is reached.

Collision meshes as PhysX cooks them: limits, thin meshes, and the solid of the hull that comes out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from physx_schema.definitions import attribute_range
from physx_schema.description.collision.convex_hull import DegenerateHullError, Hull, build_hull, merge_flat_neighbours
from physx_schema.description.collision.hull import (
    Doubles,
    FirstFace,
    Polyhedron,
    Single,
    Singles,
    Solid,
    Tolerances,
    Triangles,
    columns,
    cross,
    dot,
    normalized,
    principal_rotation,
    rotate_inverse,
    rotation_about,
    solid_of,
    sum_rows,
)

_ORIENTATIONS = 20             # orientations tried about each principal axis
_STEP = Single(math.pi / 180.0) * Single(360 // _ORIENTATIONS)
_BOX = (                # corners of each side, and the three that its plane is taken from
    ((0, 1, 3, 2), (0, 1, 3)), ((6, 7, 5, 4), (6, 7, 5)), ((0, 4, 5, 1), (0, 4, 5)),
    ((3, 7, 6, 2), (3, 7, 6)), ((0, 2, 6, 4), (0, 2, 6)), ((1, 5, 7, 3), (1, 5, 7)),
)
_MAX_CUTS = 256
_SAME_NORMAL = math.cos(math.radians(3.0))


@dataclass(slots=True)
class _Facet:
    normal: Singles
    offset: Single      # normal . point + offset is the height over the facet's plane
    loop: list[int]


def crop(hull: Hull, solid: Solid, vertex_limit: int, face_limit: int) -> Polyhedron:
    """A box around the hull, cut by its faces' planes; `solid` is the solid of the hull."""
    used = list(dict.fromkeys(vertex for face in hull.faces for vertex in face.loop))
    points, facets = _box(hull.points[used], solid)
    planes = [(face.normal, Single(-face.offset)) for face in hull.faces]
    plane, thickness = hull.tolerances.plane, hull.tolerances.thickness
    for _ in range(min(_MAX_CUTS, len(planes))):
        plane_index = _next_cut(points, facets, planes, plane, thickness)
        if plane_index is None:
            break
        cut = _cut(points, facets, *planes[plane_index], plane)
        if cut is None or not _is_valid(*cut, plane) or len(cut[0]) > vertex_limit or _max_sides(cut[1]) > face_limit:
            break
        points, facets = cut
    outline = np.array([(*facet.normal, facet.offset) for facet in facets], dtype=Single)
    return Polyhedron(points.astype(float), tuple(tuple(facet.loop) for facet in facets), outline, None)


def _box(points: Singles, solid: Solid) -> tuple[Singles, list[_Facet]]:
    """The smallest of the boxes in 20 orientations about each principal axis; the last of equally small ones."""
    mean = sum_rows(points) * (Single(1.0) / Single(len(points)))
    center = (solid.center - mean).astype(Single) + mean
    rotation, low, high, min_volume = np.zeros(4, dtype=Single), center, center, math.inf
    for axis in columns(principal_rotation(solid.inertia_at_origin().astype(Single))).T:
        for step in range(_ORIENTATIONS):
            candidate = rotation_about(axis, Single(step) * _STEP)
            local = rotate_inverse(candidate, points - center)
            lower, upper = local.min(axis=0), local.max(axis=0)
            extents = upper - lower
            volume = float(extents[0] * extents[1] * extents[2])
            if volume <= min_volume:
                rotation, low, high, min_volume = candidate, lower, upper, volume
    frame = columns(rotation)
    half = (high - low) * Single(0.5)
    shift = high - half
    middle = center + frame[:, 0] * shift[0] + frame[:, 1] * shift[1] + frame[:, 2] * shift[2]
    x, y, z = (frame * half).T
    vertices = np.array([
        middle - x - (y + z), middle - x - (y - z), middle - x + (y - z), middle - x + (y + z),
        middle + x - (y + z), middle + x - (y - z), middle + x + (y - z), middle + x + (y + z),
    ], dtype=Single)
    return vertices, [_facet(vertices, loop, of_plane) for loop, of_plane in _BOX]


def _facet(points: Singles, loop: Sequence[int], of_plane: Sequence[int]) -> _Facet:
    first, second, third = points[list(of_plane)]
    normal = normalized(cross(second - first, third - first))[0]
    return _Facet(normal, Single(-dot(first, normal)), list(loop))


def _next_cut(
    points: Singles, facets: Sequence[_Facet], planes: Sequence[tuple[Singles, Single]], tolerance: float, limit: float,
) -> int | None:
    """The plane that cuts off the largest part of the depth below it, but for those nearly parallel to a facet."""
    best_index, max_fraction = None, Single(0.0)
    normals = np.array([facet.normal for facet in facets])
    for index, (normal, offset) in enumerate(planes):
        heights = dot(points, normal) + offset
        top, bottom = max(heights.max(), Single(0.0)), min(heights.min(), Single(0.0))
        depth = top - bottom
        fraction = top / (depth if depth >= tolerance else Single(1.0))
        if fraction <= max_fraction:
            continue
        close = np.flatnonzero(dot(normals, normal) > _SAME_NORMAL)
        if all(_is_clear_of(facets[k], normal, offset, heights) for k in close.tolist()):
            best_index, max_fraction = index, fraction
    return best_index if max_fraction > limit else None


def _is_clear_of(facet: _Facet, normal: Singles, offset: Single, heights: Singles) -> bool:
    """Whether a nearly parallel facet is another plane with no corner below the cut."""
    same = bool(facet.offset == offset and (facet.normal == normal).all())
    return not same and float(heights[facet.loop].min()) >= 0.0


def _cut(
    points: Singles, facets: Sequence[_Facet], normal: Singles, offset: Single, tolerance: float,
) -> tuple[Singles, list[_Facet]] | None:
    """The part below a plane, points within the tolerance counting as on it; None where it does not close."""
    heights = dot(points, normal) + offset
    below, above = heights < -tolerance, heights > tolerance
    if not above.any():
        return points, list(facets)
    new_points: list[Singles] = list(points[below])
    indices: dict[tuple[int, int], int] = {(old, old): new for new, old in enumerate(np.flatnonzero(below).tolist())}
    owners = {(facet.loop[i - 1], vertex): facet for facet in facets for i, vertex in enumerate(facet.loop)}

    def crossing(inside: int, outer: int, facet: _Facet, behind: _Facet) -> int:
        """The corner where an edge leaves: the outer end itself where it lies on the plane."""
        on_plane = not above[outer]
        key = (outer, outer) if on_plane else (inside, outer)
        if key not in indices:
            indices[key] = len(new_points)
            new_points.append(points[outer] if on_plane else _intersection(facet, behind, normal, offset))
        return indices[key]

    new_facets: list[_Facet] = []
    rim: dict[int, int] = {}
    for facet in facets:
        loop: list[int] = []
        leaving = entering = None
        for i, vertex in enumerate(facet.loop):
            before = facet.loop[i - 1]
            if below[before] and not below[vertex]:
                leaving = crossing(before, vertex, facet, owners[vertex, before])
                loop.append(leaving)
            elif below[vertex] and not below[before]:
                entering = crossing(vertex, before, facet, owners[vertex, before])
                if not loop or loop[-1] != entering:
                    loop.append(entering)
            if below[vertex]:
                loop.append(indices[vertex, vertex])
        if not loop:
            continue
        if len(loop) > 1 and loop[0] == loop[-1]:
            loop.pop()
        new_facets.append(_Facet(facet.normal, facet.offset, loop))
        if leaving is not None and entering is not None and leaving != entering:
            rim[entering] = leaving
    cap = _closed_loop(rim)
    if cap is None or not below.any():
        return None
    new_facets.append(_Facet(normal, offset, cap))
    return np.array(new_points, dtype=Single), new_facets


def _intersection(first: _Facet, second: _Facet, normal: Singles, offset: Single) -> Singles:
    """The point in three planes, by Cramer's rule; not finite where there is none."""
    one, two, three = first.normal, second.normal, normal
    crossed = np.stack([cross(two, three), cross(three, one), cross(one, two)])
    with np.errstate(divide="ignore", invalid="ignore"):
        inverse = crossed * (Single(1.0) / dot(np.array([one[0], two[0], three[0]]), crossed[:, 0]))
        return -sum_rows(inverse * np.array([[first.offset], [second.offset], [offset]], dtype=Single))


def _closed_loop(steps: dict[int, int]) -> list[int] | None:
    """A closed loop through all steps; None where they do not form one."""
    if not steps:
        return None
    loop = [next(iter(steps))]
    while (following := steps.get(loop[-1])) is not None and following != loop[0] and len(loop) <= len(steps):
        loop.append(following)
    return loop if len(loop) == len(steps) and following == loop[0] else None


def _is_valid(points: Singles, facets: Sequence[_Facet], tolerance: float) -> bool:
    """Whether every facet's corners lie in its plane and turn the right way."""
    lengths = [len(facet.loop) for facet in facets]
    starts = np.cumsum([0, *lengths[:-1]])
    position = np.arange(sum(lengths)) - np.repeat(starts, lengths)
    vertices = points[[vertex for facet in facets for vertex in facet.loop]]
    normals = np.repeat(np.array([facet.normal for facet in facets]), lengths, axis=0)
    offsets = np.repeat(np.array([facet.offset for facet in facets], dtype=Single), lengths)
    if not float(np.abs(dot(vertices, normals) + offsets).max()) <= tolerance:
        return False
    base, count = np.repeat(starts, lengths), np.repeat(lengths, lengths)
    ahead, further = vertices[base + (position + 1) % count], vertices[base + (position + 2) % count]
    turning = dot(cross(ahead - vertices, further - ahead), normals)[count > 2]
    return bool((turning > 0.0).all())


def _max_sides(facets: Sequence[_Facet]) -> int:
    """The largest number of corners of a facet as PhysX counts: one too many for the first, none for the last."""
    max_count = len(facets[0].loop) + 1
    for facet in facets[1:-1]:
        if len(facet.loop) - 1 > max_count:
            max_count = len(facet.loop)
    return max_count


PLANE_TOLERANCE = 0.0007        # of the size of the points, in their own units
POLYGON_LIMIT = 64
FACE_LIMIT = 31                 # corners of one face
MIN_VERTICES, MAX_VERTICES = map(int, attribute_range("PhysxConvexHullCollisionAPI", "hullVertexLimit"))
WIDE_LIMIT = 255                # of polygons, corners and corners of one face, where no GPU is in view
_MIN_THICKNESS = 1e-5
_THICKNESS_OF_SIZE = 0.011      # least thickness of a flat mesh, of its largest extent
_PARALLEL = 0.98
_FLAT = 1e-6                    # m
_BOX_HALF = 0.01                # m
_BOX_CORNERS = np.array([
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
    cloud = _with_extent(_thickened(points, triangles, limits.thickness), limits.length)
    try:
        polygons = POLYGON_LIMIT if limits.for_gpu else WIDE_LIMIT
        hull = build_hull(_lifted(cloud.astype(Single)), PLANE_TOLERANCE, polygons)
    except DegenerateHullError:
        return None
    vertex_limit = min(max(limits.vertices, MIN_VERTICES), MAX_VERTICES) if limits.for_gpu else WIDE_LIMIT
    face_limit = FACE_LIMIT if limits.for_gpu else WIDE_LIMIT
    if hull.vertex_count > vertex_limit:
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
    polyhedron = _polyhedron(hull)
    solid = solid_of(polyhedron.points, polyhedron.triangles())
    return crop(hull, solid, vertex_limit, face_limit)


def hull_solid(hull: Polyhedron) -> Solid:
    """The solid of a cooked hull."""
    return solid_of(hull.points, hull.triangles())


def _thickened(points: Doubles, triangles: Triangles, thickness: float) -> Doubles:
    """The points, or those of the slab or box that stands for a flat or tiny mesh."""
    if not len(triangles):
        return points
    half = max(thickness, _THICKNESS_OF_SIZE * float(np.ptp(points, axis=0).max()), _MIN_THICKNESS) / 2.0
    vertices = points[triangles]
    used = vertices.reshape(-1, 3)
    if float(np.ptp(used, axis=0).max()) <= half:
        center = (used.min(axis=0) + used.max(axis=0)) / 2.0
        return np.asarray(center + half * _BOX_CORNERS)
    normals = np.cross(vertices[:, 1] - vertices[:, 0], vertices[:, 2] - vertices[:, 0])
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    normals = normals / np.where(lengths > 0.0, lengths, 1.0)
    offsets = -np.einsum("ij,ij->i", normals, vertices[:, 0])
    flat = (normals @ normals[0] >= _PARALLEL) & (np.abs(offsets - offsets[0]) <= half)
    if flat[1:].all():
        return np.concatenate([points - half * normals[0], points + half * normals[0]])
    return points


def _with_extent(points: Doubles, length: float) -> Doubles:
    """The points, or the corners of a box where they have hardly any extent along an axis."""
    low, high = points.min(axis=0), points.max(axis=0)
    sides = high - low
    flat = sides < _FLAT * length
    if not flat.any() and len(points) > 2:
        return points
    widest = _BOX_HALF * length
    min_side = float(sides[sides > _FLAT * length].min(initial=np.inf))
    half = np.where(flat, min(min_side * 0.05, widest), sides * 0.5) if np.isfinite(min_side) else np.full(3, widest)
    return np.asarray((low + high) * 0.5 + half * _BOX_CORNERS)


def _lifted(points: Singles) -> Singles:
    """The points, one of them moved where all are nearly on a line or in a plane."""
    tolerance = Tolerances.of(points, PLANE_TOLERANCE).plane
    axis = int(np.argmax(np.ptp(points, axis=0)))
    first = points[np.argmax(points[:, axis])]
    line = normalized(points[np.argmin(points[:, axis])] - first)[0]
    crossed = np.cross(line, points - first)
    third = int(np.argmax(dot(crossed, crossed)))
    normal, distance = normalized(crossed[third])
    lifted = points.copy()
    if distance < tolerance:
        arm = points[third] - first
        lifted[third] += normalized(arm - dot(arm, line) * line)[0] * Single(tolerance)
    heights = dot(lifted, normal) - dot(lifted[third], normal)
    fourth = int(np.argmax(np.abs(heights)))
    if abs(heights[fourth]) < tolerance:
        lifted[fourth] += normal * Single(tolerance if heights[fourth] > 0.0 else -tolerance)
    return lifted
