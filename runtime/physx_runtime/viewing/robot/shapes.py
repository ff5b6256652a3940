"""What is drawn of a stage: the visible shapes of every body, in the body's frame, and those that stand still."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from pxr import Usd, UsdGeom, UsdShade

from physx_runtime.packing.placement import rigid
from physx_runtime.viewing.robot.triangles import Triangles, thinned, triangles
from physx_schema.description.frames import Frames

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
