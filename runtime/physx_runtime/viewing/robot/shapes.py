"""Shapes of a robot as triangles.

What is drawn of a stage: the visible shapes of every body, in the body's frame, and those that stand still.

Triangles of USD's shapes, and of meshes with more triangles than a page should carry.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pxr import Usd, UsdGeom, UsdShade

from physx_runtime.packing.frames import rigid
from physx_schema.description.frames import Frames

Points = NDArray[np.float64]        # (n, 3)
Faces = NDArray[np.int64]           # (n, 3) indices of points
SIDES, ARCS = 20, 5                 # of round shapes: corners around, and from the equator to a pole
PLANE_EXTENT = 2.0                  # half the width of a plane without one, in metres
MAX_CELLS = 512                    # along an edge of a thinned mesh's box


@dataclass(frozen=True, slots=True)
class Triangles:
    """Triangles in the frame of their prim."""

    points: Points
    faces: Faces


def triangles(prim: Usd.Prim, metre: float) -> Triangles | None:
    """The triangles of a prim, None for one that is no shape; metre: the stage's length units of one."""
    make = SHAPES.get(str(prim.GetTypeName()))
    if make is None:
        return None
    mesh = make(prim, metre)
    is_valid = len(mesh.faces) and np.isfinite(mesh.points).all() and mesh.faces.min() >= 0 and (
        mesh.faces.max() < len(mesh.points))
    return mesh if is_valid else None


def _value(prim: Usd.Prim, name: str) -> Any:
    return prim.GetAttribute(name).Get()


def _mesh(prim: Usd.Prim, metre: float) -> Triangles:
    """Every face as a fan from its first corner."""
    points = np.array(_value(prim, "points") or np.zeros((0, 3)), np.float64).reshape(-1, 3)
    counts, indices = (np.array(_value(prim, name) or (), np.int64)
                       for name in ("faceVertexCounts", "faceVertexIndices"))
    if counts.sum() != len(indices) or (counts < 0).any():
        return Triangles(points, np.zeros((0, 3), np.int64))
    starts = np.cumsum(counts) - counts
    inner = np.maximum(counts - 2, 0)
    first = np.repeat(starts, inner)
    step = np.arange(inner.sum()) - np.repeat(np.cumsum(inner) - inner, inner)
    return Triangles(points, np.stack([indices[first], indices[first + step + 1], indices[first + step + 2]], axis=1))


def _cube(prim: Usd.Prim, metre: float) -> Triangles:
    sides = (-1.0, 1.0)
    vertices = np.array([(x, y, z) for x in sides for y in sides for z in sides]) * _value(prim, "size") / 2.0
    quads = (0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)
    return Triangles(vertices, np.array([face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]))


def _sphere(prim: Usd.Prim, metre: float) -> Triangles:
    return _revolve(_arc(_value(prim, "radius"), 0.0), "Z")


def _capsule(prim: Usd.Prim, metre: float) -> Triangles:
    return _revolve(_arc(_value(prim, "radius"), _value(prim, "height") / 2.0), _value(prim, "axis"))


def _cylinder(prim: Usd.Prim, metre: float) -> Triangles:
    r, h = _value(prim, "radius"), _value(prim, "height") / 2.0
    return _revolve([(0.0, -h), (r, -h), (r, h), (0.0, h)], _value(prim, "axis"))


def _cone(prim: Usd.Prim, metre: float) -> Triangles:
    r, h = _value(prim, "radius"), _value(prim, "height") / 2.0
    return _revolve([(0.0, -h), (r, -h), (0.0, h)], _value(prim, "axis"))


def _plane(prim: Usd.Prim, metre: float) -> Triangles:
    """A plane as PhysX collides with it has no edge; drawn it has one."""
    w, h = (0.5 * (_value(prim, name) or 0.0) or PLANE_EXTENT * metre for name in ("width", "length"))
    axis = "ZXY".index(_value(prim, "axis"))
    vertices = np.roll(np.array([(-w, -h, 0.0), (w, -h, 0.0), (w, h, 0.0), (-w, h, 0.0)]), axis, axis=1)
    return Triangles(vertices, np.array([(0, 1, 2), (0, 2, 3)]))


SHAPES: Mapping[str, Callable[[Usd.Prim, float], Triangles]] = {
    "Mesh": _mesh, "Cube": _cube, "Sphere": _sphere, "Capsule": _capsule, "Cylinder": _cylinder, "Cone": _cone,
    "Plane": _plane}


def _arc(radius: float, half: float) -> list[tuple[float, float]]:
    """The profile of two half balls whose centres are `half` from the middle."""
    angles = np.linspace(0.0, np.pi / 2.0, ARCS)
    upper = [(radius * float(np.cos(a)), half + radius * float(np.sin(a))) for a in angles]
    return [(r, -z) for r, z in reversed(upper)] + upper


def _revolve(profile: list[tuple[float, float]], axis: str) -> Triangles:
    """The surface that a profile of (radius, height) sweeps about an axis."""
    angles = np.linspace(0.0, 2.0 * np.pi, SIDES, endpoint=False)
    points = np.array([(r * np.cos(a), r * np.sin(a), z) for r, z in profile for a in angles])
    faces = []
    for ring in range(len(profile) - 1):
        for i in range(SIDES):
            a, b = ring * SIDES + i, ring * SIDES + (i + 1) % SIDES
            faces += [(a, b, b + SIDES), (a, b + SIDES, a + SIDES)]
    return Triangles(np.roll(points, "ZXY".index(axis), axis=1), np.array(faces))


def decimate(shape: Triangles, max_triangles: int) -> Triangles:
    """The shape with about `most` triangles at most: points in one cell of a grid become one, their mean."""
    cells = MAX_CELLS
    while len(shape.faces) > max_triangles and cells > 1:
        clustered = _cluster_vertices(shape, cells)
        if len(clustered.faces) <= max_triangles:
            return clustered
        cells = int(cells * min(0.8, max(0.3, (max_triangles / len(clustered.faces)) ** 0.5)))
    return shape


def _cluster_vertices(shape: Triangles, cells: int) -> Triangles:
    low = shape.points.min(axis=0)
    size = float((shape.points.max(axis=0) - low).max()) or 1.0
    grid_cells = np.floor((shape.points - low) * (cells / size)).astype(np.int64)
    _, cell, count = np.unique(grid_cells, axis=0, return_inverse=True, return_counts=True)
    cell = cell.ravel()
    points = np.stack([np.bincount(cell, shape.points[:, i]) / count for i in range(3)], axis=1)
    faces = cell[shape.faces]
    a, b, c = faces.T
    return Triangles(points, faces[(a != b) & (b != c) & (c != a)])


# Triangles of all shapes together, about half a megabyte on the page; larger meshes are thinned in proportion.
MAX_TRIANGLES = 36_000
MIN_TRIANGLES = 60            # of a thinned shape
STATIC_BODY = -1                      # the body of shapes that are below none
COLOUR = (0.62, 0.65, 0.7)
GUIDE = "guide"                 # purpose of colliders that nobody is shown


@dataclass(frozen=True, slots=True)
class Shape:
    """One prim's triangles in the frame of a body, or in the world."""

    path: str
    body: int                           # index among the bodies, STILL for none
    colour: tuple[float, ...]           # red, green, blue
    triangles: Triangles


@dataclass(frozen=True, slots=True)
class Shapes:
    """All shapes, and what was done to have them fit."""

    shapes: tuple[Shape, ...]
    note: str                           # "" where they are as authored


def visible_shapes(stage: Usd.Stage, bodies: Sequence[str]) -> Shapes:
    """The shapes below each of these prims and below none, thinned to what a page carries.

    Where a body has nothing for the eye, its colliders are drawn.
    """
    candidates = list(_shapes_with_purpose(stage, bodies))
    bodies_with_visuals = {shape.body for shape, purpose in candidates if purpose != GUIDE}
    drawn = [shape for shape, purpose in candidates if purpose != GUIDE or shape.body not in bodies_with_visuals]
    total = sum(len(shape.triangles.faces) for shape in drawn)
    if total <= MAX_TRIANGLES:
        return Shapes(tuple(drawn), "")
    fitting = []
    for shape in drawn:
        max_triangles = max(MIN_TRIANGLES, len(shape.triangles.faces) * MAX_TRIANGLES // total)
        fitting.append(replace(shape, triangles=decimate(shape.triangles, max_triangles)))
    selected: list[Shape] = []
    budget = MAX_TRIANGLES + MIN_TRIANGLES * len(drawn)
    for shape in fitting:
        if len(shape.triangles.faces) <= budget:
            budget -= len(shape.triangles.faces)
            selected.append(shape)
    drawn_count = sum(len(shape.triangles.faces) for shape in selected)
    note = f"the drawing shows {drawn_count} of {total} triangles" + (
        f", and {len(fitting) - len(selected)} shapes are left out" if len(selected) < len(fitting) else "")
    return Shapes(tuple(selected), note)


def _shapes_with_purpose(stage: Usd.Stage, bodies: Sequence[str]) -> Iterator[tuple[Shape, str]]:
    """Every visible shape with its purpose."""
    frames, index = Frames(), {path: i for i, path in enumerate(bodies)}
    metre = 1.0 / UsdGeom.GetStageMetersPerUnit(stage)
    owners: dict[str, int] = {}
    for prim in stage.Traverse(Usd.TraverseInstanceProxies()):
        path = str(prim.GetPath())
        owner = owners[path] = index.get(path, owners.get(str(prim.GetPath().GetParentPath()), STATIC_BODY))
        imageable = UsdGeom.Imageable(prim)
        if not prim.IsA(UsdGeom.Gprim) or imageable.ComputeVisibility() == UsdGeom.Tokens.invisible:
            continue
        mesh = triangles(prim, metre)
        if mesh is None:
            continue
        matrix = frames.matrix(prim)
        if owner != STATIC_BODY:
            matrix = matrix * rigid(frames.matrix(stage.GetPrimAtPath(bodies[owner]))).GetInverse()
        local = np.array(matrix)
        placed = mesh.points @ local[:3, :3] + local[3, :3]
        if np.isfinite(placed).all():
            yield Shape(path, owner, _colour(prim), replace(mesh, points=placed)), imageable.ComputePurpose()


def _colour(prim: Usd.Prim) -> tuple[float, ...]:
    """The first display colour, else the material's diffuse one."""
    display_color = UsdGeom.Gprim(prim).GetDisplayColorPrimvar().Get()
    if display_color:
        return tuple(float(x) for x in display_color[0])
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
    shader = material.ComputeSurfaceSource()[0] if material else None
    diffuse = shader.GetInput("diffuseColor").Get() if shader and shader.GetInput("diffuseColor") else None
    return tuple(float(x) for x in diffuse) if diffuse is not None and len(diffuse) == 3 else COLOUR
