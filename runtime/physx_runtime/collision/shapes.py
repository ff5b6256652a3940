"""Records of shapes, pairs, contacts and convex hulls, and the kinds of shapes.

All numbers are float32, the precision of PhysX's contact generation: the last bits choose points. `SHAPE`, `PAIR` and
`CONTACT` are the dtypes of colliders, pairs and contacts. `Hulls` holds all hulls in flat arrays; shapes with the same
hull share it. A hull is cooked as in PhysX: the order of vertices, polygons and edges decides ties.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from physx_runtime.arrays import Array, Integer, Records, Scalar, Vec3
from physx_runtime.collision.meshes.triangle_mesh import NO_MESHES, Meshes
from physx_runtime.collision.simd_math import (
    ZERO,
)
from physx_runtime.compiling.numba_functions import scalar_code


class ShapeKind(NamedTuple):
    """A kind of shape in the narrow phase; its code is its index in `SHAPE_KINDS`."""

    name: str                       # in messages
    colliders: tuple[str, ...]      # kinds of described colliders with this shape
    rank: int                       # of two shapes of one rank, cylinder and cone too, side 0 has shape 0


# In PhysX's order: of two shapes the one of the lower kind is shape 0 of their pair.
SHAPE_KINDS = (
    ShapeKind("sphere", ("sphere", "bounding-sphere"), 0), ShapeKind("plane", ("plane",), 1),
    ShapeKind("capsule", ("capsule",), 2), ShapeKind("box", ("box", "bounding-box"), 3),
    ShapeKind("cylinder", ("cylinder",), 4), ShapeKind("cone", ("cone",), 4),
    ShapeKind("convex mesh", ("convex-hull",), 5), ShapeKind("triangle mesh", ("triangle-mesh",), 6))
SPHERE, PLANE, CAPSULE, BOX, CYLINDER, CONE, CONVEX, MESH = range(len(SHAPE_KINDS))
RANKS = np.array([kind.rank for kind in SHAPE_KINDS])
# Greatest number of contacts of a pair of kinds, for pairs with a single normal.
MAX_CONTACTS = {(SPHERE, PLANE): 1, (SPHERE, CAPSULE): 1, (SPHERE, BOX): 1, (SPHERE, SPHERE): 1, (PLANE, CAPSULE): 2,
                (PLANE, BOX): 4, (CAPSULE, CAPSULE): 4, (CAPSULE, BOX): 2, (BOX, BOX): 4}
EVERY_WORLD = -1
NO_OWNER = -1
NO_ARTICULATION = 0
NO_GEOMETRY = -1
MANIFOLD_SIZE = 4     # of a manifold

SHAPE = np.dtype([
    ("kind", "i4"),
    ("body", "i4"),                 # row of `poses`; bodies that forces move come first
    ("world", "i4"),                # shapes of different worlds do not collide; EVERY_WORLD for statics that all share
    ("group", "i4"),                # row of the table of colliding groups
    ("owner", "i4"),                # shapes of one owner do not collide (an articulation's links); NO_OWNER for none
    ("precedence", "i4"),           # of two shapes the lower one is side 0 of the solver, which normals point to
    ("articulation", "i4"),         # articulation of its link, from 1 in each world; NO_ARTICULATION for none
    ("kinematic", "i4"),            # 1: on a kinematic body
    ("created", "i4"),              # counts up in the order in which PhysX creates them
    ("material", "i4"),
    ("position", "f4", 3),          # in the frame of its body, of a link its mass frame; x along axis or plane's normal
    ("rotation", "f4", 4),          # x y z w, as the engine has it: a plane's is not quite of unit length
    ("size", "f4", 3),              # half extents; radius; radius, half height
    ("geometry", "i4"),             # of a hull or a mesh: its row in the table of its kind; NO_GEOMETRY for the others
    ("scale", "f4", 3),             # and what multiplies it along its axes, above 0
    ("contact_offset", "f4"),
    ("rest_offset", "f4"),
])

FREE = -1
TO_SEARCH = -1      # in `warm_start_count` of a pair: its faces make no contact, but no axis separates the shapes

PAIR = np.dtype([
    ("shape0", "i4"),               # of the lower kind, of equal ones that of side 0; FREE in a free row of the table
    ("shape1", "i4"),
    ("swapped", "i4"),              # 1: side 0 of the solver owns shape 1
    ("contact_distance", "f4"),     # points with a larger separation give no contact: sum of the contact offsets
    ("rest_distance", "f4"),        # the sum of the rest offsets
    ("tolerance_length", "f4"),     # as of PairTable
    ("creation_index", "i8"),       # increases in the order in which bounds began to overlap; unique
    ("slot", "i4"),                 # its index in PhysX's pool of contact managers
    ("following", "i4"),            # the next pair of the same moving shape, or FREE
    ("touching", "i4"),             # 1 while it has contacts
    ("first", "i4"),                # its contacts of this step: row of the first one
    ("contacts", "i4"),             # and how many
    ("manifolds", "i4"),            # of a pair with a mesh its row of the table of those (manifold/multi.py)
    # its manifold: points kept between steps, and the poses of their last rebuilding
    ("known", "i4"),                # 1 once those poses are known
    ("points", "i4"),
    ("local0", "f4", (MANIFOLD_SIZE, 3)),  # points in the frame of shape 0; of a plane's pair shape 0 is the other
    ("local1", "f4", (MANIFOLD_SIZE, 3)),
    ("normal", "f4", (MANIFOLD_SIZE, 3)),  # in the frame of shape 1, towards shape 0
    ("distance", "f4", MANIFOLD_SIZE),
    ("position", "f4", 3),          # of shape 0 in shape 1
    ("rotation", "f4", 4),
    ("rotation0", "f4", 4),         # of both shapes in the world
    ("rotation1", "f4", 4),
    # warm start: vertices of both shapes in the last simplex of GJK
    ("warm_start_count", "i4"),     # how many
    ("warm_start0", "i4", 4),
    ("warm_start1", "i4", 4),
], align=True)

CONTACT = np.dtype([
    ("pair", "i4"),                 # row of the table of pairs
    ("point", "f4", 3),
    ("normal", "f4", 3),            # towards side 0 of the solver
    ("separation", "f4"),           # of the surfaces; the rest distance is not taken off
])



# Rows of a hull in the arrays of all: first, and one after the last
HULL = np.dtype([
    ("vertices", "i4", 2),
    ("polygons", "i4", 2),
    ("corners", "i4", 2),
    ("edges", "i4", 2),
    ("neighbours", "i4", 2),
    ("samples", "i4", 2),           # empty for a hull of few vertices, which is searched by brute force
    ("center", "f4", 3),            # of mass
    ("inner_half", "f4", 3),        # half extents of an axis-aligned box about the centre, inside the hull
    ("inner_radius", "f4"),         # radius of a sphere about the centre, inside the hull
    ("low", "f4", 3),               # its bounds
    ("high", "f4", 3),
], align=True)


class Hulls(NamedTuple):
    """All hulls; indices of polygons, edges and vertices are relative to the hull."""

    hulls: Records          # HULL
    vertices: Array         # (n, 3) f4
    planes: Array           # (n, 4) f4, of the polygons: normals, and minus the distance along them
    spans: Array            # (n, 3) i4, of the polygons: first corner, how many, and the vertex furthest below
    corners: Array          # (n,) i4: vertices
    edges: Array            # (n, 2) i4: polygons on both sides
    valencies: Array        # (n, 2) i4, of the vertices: first neighbour, and how many
    neighbours: Array       # (n,) i4: vertices
    samples: Array          # (n,) i4: vertices furthest along directions to the six sides of a cube


class Geometry(NamedTuple):
    """Hulls and meshes of shapes."""

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
    center: Vec3
    inner_half: Vec3
    inner_radius: Scalar


@scalar_code
def hull_at(hulls: Hulls, row: Integer) -> Hull:
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
def no_hull(hulls: Hulls) -> Hull:
    """An empty hull, for shapes that have none."""
    origin = (ZERO, ZERO, ZERO)
    return Hull(hulls.vertices[:0], hulls.planes[:0], hulls.spans[:0], hulls.corners[:0], hulls.edges[:0],
                hulls.valencies[:0], hulls.neighbours[:0], hulls.samples[:0], origin, origin, ZERO)
