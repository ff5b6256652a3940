"""What of a link's place on the stage stays while it moves: its scale, and the prims between it and the world.

The local matrix of a link at a time is  shape * pose(t) * (parent * carrier(t))^-1  (row vectors, as in USD), with
carrier(t) the pose of the nearest link above it whose motion reaches it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pxr import Gf, UsdGeom

from physx_schema.description.frames import Frames, pose_matrix, taken_apart


@dataclass(frozen=True, slots=True)
class PlacedLink:
    """A link and what does not change while it moves."""

    path: str
    shape: Any                          # matrix: world scale and shear, in the link's own frame
    carrier: str | None                 # the link below which the prim lies
    parent: Any                         # matrix of the parent prim, in the carrier's frame or in the world


def placed_links(stage: Any, names: Sequence[str]) -> list[PlacedLink]:
    """What is constant for every link, read at the default time."""
    frames, links = Frames(), []
    for name in names:
        prim = stage.GetPrimAtPath(name)
        matrix = frames.matrix(prim)
        if UsdGeom.Xformable(prim).GetResetXformStack():
            parent, carrier = Gf.Matrix4d(1.0), None
        else:
            parent, carrier = frames.matrix(prim.GetParent()), _carrier(prim, frozenset(names))
        if carrier is not None:
            parent = parent * rigid(frames.matrix(stage.GetPrimAtPath(carrier))).GetInverse()
        links.append(PlacedLink(name, matrix * rigid(matrix).GetInverse(), carrier, parent))
    return links


def _carrier(prim: Any, links: frozenset[str]) -> str | None:
    """The nearest link above a prim whose motion reaches it."""
    above = prim.GetParent()
    while above and not above.IsPseudoRoot():
        if str(above.GetPath()) in links:
            return str(above.GetPath())
        if UsdGeom.Xformable(above).GetResetXformStack():
            return None
        above = above.GetParent()
    return None


def rigid(matrix: Any) -> Any:
    """The pose in a matrix, without scale and shear, as PhysX takes it from USD."""
    return pose_matrix(*taken_apart(matrix).pose)
