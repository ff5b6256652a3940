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
MOST_CELLS = 512                    # along an edge of a thinned mesh's box


@dataclass(frozen=True, slots=True)
class Triangles:
    """Triangles in the frame of their prim."""

    points: Points
    faces: Faces


def triangles(prim: Any, metre: float) -> Triangles | None:
    """The triangles of a prim, None for one that is no shape; metre: the stage's length units of one."""
    make = SHAPES.get(str(prim.GetTypeName()))
    if make is None:
        return None
    made = make(prim, metre)
    sound = len(made.faces) and np.isfinite(made.points).all() and made.faces.min() >= 0 and (
        made.faces.max() < len(made.points))
    return made if sound else None


def _value(prim: Any, name: str) -> Any:
    return prim.GetAttribute(name).Get()


def _mesh(prim: Any, metre: float) -> Triangles:
    """Every face as a fan from its first corner."""
    points = np.array(_value(prim, "points") or np.zeros((0, 3)), np.float64).reshape(-1, 3)
    counts, corners = (np.array(_value(prim, name) or (), np.int64)
                       for name in ("faceVertexCounts", "faceVertexIndices"))
    if counts.sum() != len(corners) or (counts < 0).any():
        return Triangles(points, np.zeros((0, 3), np.int64))
    starts = np.cumsum(counts) - counts
    inner = np.maximum(counts - 2, 0)
    first = np.repeat(starts, inner)
    step = np.arange(inner.sum()) - np.repeat(np.cumsum(inner) - inner, inner)
    return Triangles(points, np.stack([corners[first], corners[first + step + 1], corners[first + step + 2]], axis=1))


def _cube(prim: Any, metre: float) -> Triangles:
    sides = (-1.0, 1.0)
    corners = np.array([(x, y, z) for x in sides for y in sides for z in sides]) * _value(prim, "size") / 2.0
    quads = (0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)
    return Triangles(corners, np.array([face for a, b, c, d in quads for face in ((a, b, c), (a, c, d))]))


def _sphere(prim: Any, metre: float) -> Triangles:
    return _turned(_arc(_value(prim, "radius"), 0.0), "Z")


def _capsule(prim: Any, metre: float) -> Triangles:
    return _turned(_arc(_value(prim, "radius"), _value(prim, "height") / 2.0), _value(prim, "axis"))


def _cylinder(prim: Any, metre: float) -> Triangles:
    r, h = _value(prim, "radius"), _value(prim, "height") / 2.0
    return _turned([(0.0, -h), (r, -h), (r, h), (0.0, h)], _value(prim, "axis"))


def _cone(prim: Any, metre: float) -> Triangles:
    r, h = _value(prim, "radius"), _value(prim, "height") / 2.0
    return _turned([(0.0, -h), (r, -h), (0.0, h)], _value(prim, "axis"))


def _plane(prim: Any, metre: float) -> Triangles:
    """A plane as PhysX collides with it has no edge; drawn it has one."""
    w, h = (0.5 * (_value(prim, name) or 0.0) or PLANE_EXTENT * metre for name in ("width", "length"))
    axis = "ZXY".index(_value(prim, "axis"))
    corners = np.roll(np.array([(-w, -h, 0.0), (w, -h, 0.0), (w, h, 0.0), (-w, h, 0.0)]), axis, axis=1)
    return Triangles(corners, np.array([(0, 1, 2), (0, 2, 3)]))


SHAPES: Mapping[str, Callable[[Any, float], Triangles]] = {
    "Mesh": _mesh, "Cube": _cube, "Sphere": _sphere, "Capsule": _capsule, "Cylinder": _cylinder, "Cone": _cone,
    "Plane": _plane}


def _arc(radius: float, half: float) -> list[tuple[float, float]]:
    """The profile of two half balls whose centres are `half` from the middle."""
    turns = np.linspace(0.0, np.pi / 2.0, ARCS)
    upper = [(radius * float(np.cos(a)), half + radius * float(np.sin(a))) for a in turns]
    return [(r, -z) for r, z in reversed(upper)] + upper


def _turned(profile: list[tuple[float, float]], axis: str) -> Triangles:
    """The surface that a profile of (radius, height) sweeps about an axis."""
    turn = np.linspace(0.0, 2.0 * np.pi, SIDES, endpoint=False)
    points = np.array([(r * np.cos(a), r * np.sin(a), z) for r, z in profile for a in turn])
    faces = []
    for ring in range(len(profile) - 1):
        for i in range(SIDES):
            a, b = ring * SIDES + i, ring * SIDES + (i + 1) % SIDES
            faces += [(a, b, b + SIDES), (a, b + SIDES, a + SIDES)]
    return Triangles(np.roll(points, "ZXY".index(axis), axis=1), np.array(faces))


def thinned(shape: Triangles, most: int) -> Triangles:
    """The shape with about `most` triangles at most: points in one cell of a grid become one, their mean."""
    cells = MOST_CELLS
    while len(shape.faces) > most and cells > 1:
        found = _clustered(shape, cells)
        if len(found.faces) <= most:
            return found
        cells = int(cells * min(0.8, max(0.3, (most / len(found.faces)) ** 0.5)))
    return shape


def _clustered(shape: Triangles, cells: int) -> Triangles:
    low = shape.points.min(axis=0)
    size = float((shape.points.max(axis=0) - low).max()) or 1.0
    places = np.floor((shape.points - low) * (cells / size)).astype(np.int64)
    _, cell, count = np.unique(places, axis=0, return_inverse=True, return_counts=True)
    cell = cell.ravel()
    points = np.stack([np.bincount(cell, shape.points[:, i]) / count for i in range(3)], axis=1)
    faces = cell[shape.faces]
    a, b, c = faces.T
    return Triangles(points, faces[(a != b) & (b != c) & (c != a)])


# Triangles of all shapes together, about half a megabyte on the page; larger meshes are thinned in proportion.
MOST_TRIANGLES = 36_000
LEAST_TRIANGLES = 60            # of a thinned shape
STILL = -1                      # the body of shapes that are below none
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


def visible_shapes(stage: Any, bodies: Sequence[str]) -> Shapes:
    """The shapes below each of these prims and below none, thinned to what a page carries.

    Where a body has nothing for the eye, its colliders are drawn.
    """
    found = list(_found(stage, bodies))
    seen = {shape.body for shape, purpose in found if purpose != GUIDE}
    drawn = [shape for shape, purpose in found if purpose != GUIDE or shape.body not in seen]
    total = sum(len(shape.triangles.faces) for shape in drawn)
    if total <= MOST_TRIANGLES:
        return Shapes(tuple(drawn), "")
    fitting = []
    for shape in drawn:
        share = max(LEAST_TRIANGLES, len(shape.triangles.faces) * MOST_TRIANGLES // total)
        fitting.append(replace(shape, triangles=thinned(shape.triangles, share)))
    kept: list[Shape] = []
    left = MOST_TRIANGLES + LEAST_TRIANGLES * len(drawn)
    for shape in fitting:
        if len(shape.triangles.faces) <= left:
            left -= len(shape.triangles.faces)
            kept.append(shape)
    drawn_now = sum(len(shape.triangles.faces) for shape in kept)
    note = f"{total} triangles are thinned to {drawn_now} here" + (
        f", and {len(fitting) - len(kept)} shapes left out" if len(kept) < len(fitting) else "")
    return Shapes(tuple(kept), note)


def _found(stage: Any, bodies: Sequence[str]) -> Iterator[tuple[Shape, str]]:
    """Every visible shape with its purpose."""
    frames, index = Frames(), {path: i for i, path in enumerate(bodies)}
    metre = 1.0 / UsdGeom.GetStageMetersPerUnit(stage)
    owners: dict[str, int] = {}
    for prim in stage.Traverse(Usd.TraverseInstanceProxies()):
        path = str(prim.GetPath())
        owner = owners[path] = index.get(path, owners.get(str(prim.GetPath().GetParentPath()), STILL))
        imageable = UsdGeom.Imageable(prim)
        if not prim.IsA(UsdGeom.Gprim) or imageable.ComputeVisibility() == UsdGeom.Tokens.invisible:
            continue
        made = triangles(prim, metre)
        if made is None:
            continue
        matrix = frames.matrix(prim)
        if owner != STILL:
            matrix = matrix * rigid(frames.matrix(stage.GetPrimAtPath(bodies[owner]))).GetInverse()
        local = np.array(matrix)
        placed = made.points @ local[:3, :3] + local[3, :3]
        if np.isfinite(placed).all():
            yield Shape(path, owner, _colour(prim), replace(made, points=placed)), imageable.ComputePurpose()


def _colour(prim: Any) -> tuple[float, ...]:
    """The first display colour, else the material's diffuse one."""
    own = UsdGeom.Gprim(prim).GetDisplayColorPrimvar().Get()
    if own:
        return tuple(float(x) for x in own[0])
    material, _ = UsdShade.MaterialBindingAPI(prim).ComputeBoundMaterial()
    shader = material.ComputeSurfaceSource()[0] if material else None
    diffuse = shader.GetInput("diffuseColor").Get() if shader and shader.GetInput("diffuseColor") else None
    return tuple(float(x) for x in diffuse) if diffuse is not None and len(diffuse) == 3 else COLOUR
