"""Convex hulls of colliders in flat arrays, which shapes refer to by row: shapes of one hull share it.

A hull is as PhysX cooks it: the order of vertices, polygons and edges decides among equals.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.meshes.table import NO_MESHES, Meshes
from physx_runtime.collision.vectors import ZERO, Vector
from physx_runtime.compiling.numba_functions import scalar_code

Array = NDArray[Any]

# Rows of a hull in the arrays of all: first, and one after the last
HULL = np.dtype([
    ("vertices", "i4", 2),
    ("polygons", "i4", 2),
    ("corners", "i4", 2),
    ("edges", "i4", 2),
    ("neighbours", "i4", 2),
    ("samples", "i4", 2),           # none of a hull of few vertices, which are all looked at
    ("center", "f4", 3),            # of mass
    ("inner_half", "f4", 3),        # half sides of an upright box about the centre that lies inside
    ("inner_radius", "f4"),         # and the radius of such a ball
    ("low", "f4", 3),               # its bounds
    ("high", "f4", 3),
], align=True)


class Hulls(NamedTuple):
    """All hulls: what their polygons, edges and vertices refer to is counted within the hull."""

    hulls: Array            # HULL
    vertices: Array         # (n, 3) f4
    planes: Array           # (n, 4) f4, of the polygons: normals, and minus the distance along them
    spans: Array            # (n, 3) i4, of the polygons: first corner, how many, and the vertex furthest below
    corners: Array          # (n,) i4: vertices
    edges: Array            # (n, 2) i4: polygons on both sides
    valencies: Array        # (n, 2) i4, of the vertices: first neighbour, and how many
    neighbours: Array       # (n,) i4: vertices
    samples: Array          # (n,) i4: vertices furthest along directions to the six sides of a cube


class Geometry(NamedTuple):
    """What shapes are made of besides their sizes."""

    hulls: Hulls
    meshes: Meshes


NO_HULLS = Hulls(
    np.zeros(0, HULL), np.zeros((0, 3), np.float32), np.zeros((0, 4), np.float32), np.zeros((0, 3), np.int32),
    np.zeros(0, np.int32), np.zeros((0, 2), np.int32), np.zeros((0, 2), np.int32), np.zeros(0, np.int32),
    np.zeros(0, np.int32))
EMPTY = Geometry(NO_HULLS, NO_MESHES)


class Hull(NamedTuple):
    """One hull, or the polygons of a box."""

    vertices: Array
    planes: Array
    spans: Array
    corners: Array
    edges: Array
    valencies: Array
    neighbours: Array
    samples: Array
    center: Vector
    inner_half: Vector
    inner_radius: Any


@scalar_code
def hull_at(hulls: Any, row: Any) -> Any:
    """A hull of the table."""
    h = hulls.hulls[row]
    first, last = h.vertices[0], h.vertices[1]
    p, c, e, n, s = h.polygons, h.corners, h.edges, h.neighbours, h.samples
    center, inner = h.center, h.inner_half
    return Hull(hulls.vertices[first:last], hulls.planes[p[0]:p[1]], hulls.spans[p[0]:p[1]], hulls.corners[c[0]:c[1]],
                hulls.edges[e[0]:e[1]], hulls.valencies[first:last], hulls.neighbours[n[0]:n[1]],
                hulls.samples[s[0]:s[1]], (center[0], center[1], center[2]), (inner[0], inner[1], inner[2]),
                h.inner_radius)


@scalar_code
def no_hull(hulls: Any) -> Any:
    """A hull of nothing, for shapes that have none."""
    origin = (ZERO, ZERO, ZERO)
    return Hull(hulls.vertices[:0], hulls.planes[:0], hulls.spans[:0], hulls.corners[:0], hulls.edges[:0],
                hulls.valencies[:0], hulls.neighbours[:0], hulls.samples[:0], origin, origin, ZERO)
