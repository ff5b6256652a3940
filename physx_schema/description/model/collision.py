"""Collision shapes, hulls, physics materials, collision groups and filtered pairs.

Convex hulls and triangles are cooked as in PhysX.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from physx_schema.description.records import Pose, Vec3, record

Singles = npt.NDArray[np.float32]
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class ConvexHull:
    """A hull of a mesh, in the mesh's units, mirrored as its scale is but not scaled; the order of all is PhysX's."""

    vertices: Singles                       # (vertices, 3)
    planes: Singles                         # (faces, 4): outward normal, and minus the distance along it
    faces: tuple[tuple[int, ...], ...]      # vertices, counterclockwise seen from outside
    edges: tuple[tuple[int, int], ...]      # faces on both sides of each
    center: Singles                         # of mass


@dataclass(frozen=True, slots=True, eq=False)
class TriangleMesh:
    """The triangles of a mesh, in its units, mirrored as its scale is but not scaled; only what faces them touches."""

    vertices: Singles                       # (vertices, 3)
    triangles: Indices                      # (triangles, 3): vertices, counterclockwise seen from outside


@dataclass(frozen=True, slots=True, eq=False)
class Cooked:
    """What PhysX cooks of a mesh to collide with."""

    mesh: ConvexHull | TriangleMesh
    contact_offset: float                   # length, of the collider


@record
@dataclass(frozen=True, slots=True)
class Collider:
    """One collision shape. Its sizes include the world scale.

    Kinds are "box", "sphere", "capsule", "cylinder", "cone" and "plane". Meshes have the kinds "convex-hull",
    "convex-decomposition", "triangle-mesh", "simplified-mesh", "sdf", "bounding-box", "bounding-sphere" and
    "sphere-fill".
    """

    path: str                           # prim with PhysicsCollisionAPI
    geometry: str                       # prim with the geometry: the same one, or a child of a prim without geometry
    body: str                           # rigid body the shape moves with, "" for a static one
    kind: str                           # what PhysX makes of it
    pose: Pose                          # in the frame of the body, lengths scaled; in the world for a static one
    axis: int                           # 0, 1, 2: along which a capsule, cylinder or cone lies; a plane's normal
    half_extents: Vec3                  # length, of a box or bounding box
    radius: float                       # length, of a sphere, bounding sphere, capsule, cylinder or cone
    half_height: float                  # length, of a capsule (without its caps), cylinder or cone
    scale: Vec3                         # of a mesh: what multiplies its points
    margin: float                       # length, rounding of a cylinder or cone
    approximation: str                  # physics:approximation of a mesh as authored, "" elsewhere
    hull_vertex_limit: int              # corners of a convex hull at most as authored, 0 elsewhere
    material: str                       # prim of the physics material, "" for PhysX's default material
    group: str                          # prim of the collision group, "" for none
    enabled: bool                       # physics:collisionEnabled; a disabled collider still has mass
    trigger: bool                       # PhysxTriggerAPI; a trigger has no mass
    contact_offset: float | None        # length; None where PhysX derives it from hulls or spheres that it cooks
    rest_offset: float                  # length
    torsional_patch_radius: float       # length
    min_torsional_patch_radius: float   # length
    # The hull or triangles that PhysX cooks of a mesh; None for other shapes. It gives None where PhysX makes no shape.
    cooked: Callable[[], Cooked | None] | None = field(default=None, repr=False, compare=False)
    # Opposite corners of the box around a mesh's points, scaled, along the axes of the mesh; None for other shapes.
    mesh_bounds: tuple[Vec3, Vec3] | None = field(default=None, repr=False)
    # The share of its hull's surface that a mesh leaves open whose approximation PhysX replaces by the hull; else None.
    uncovered: Callable[[], float] | None = field(default=None, repr=False, compare=False)
    invisible_purpose: str = field(default="", repr=False)      # of geometry that is invisible, "" where it is seen
    material_bound: bool = field(default=True, repr=False)      # whether the prim binds a material for physics itself


@record
@dataclass(frozen=True, slots=True)
class PhysicsMaterial:
    """A physics material with the values that PhysX uses."""

    path: str                           # "" for the default material
    static_friction: float              # coefficient
    dynamic_friction: float             # coefficient
    restitution: float                  # 0 to 1
    density: float                      # mass / length^3, 0 where none is authored
    friction_combine: str               # "average" | "min" | "multiply" | "max"
    restitution_combine: str
    damping_combine: str
    compliant_stiffness: float          # force / length (1/s^2 for an acceleration spring); 0: rigid contact
    compliant_damping: float            # force s / length (1/s for an acceleration spring)
    compliant_acceleration: bool        # the spring of compliant contact is one of acceleration


@dataclass(frozen=True, slots=True)
class CollisionGroup:
    """A set of colliders and the groups it does not collide with."""

    path: str
    colliders: tuple[str, ...]          # prims in the colliders collection with PhysicsCollisionAPI
    filtered_groups: tuple[str, ...]    # groups it does not collide with; with the scene's inverted filter, only with
    invert: bool                        # physics:invertFilteredGroups, which PhysX does not read
    merge_group: str                    # physics:mergeGroup, which PhysX does not read


@dataclass(frozen=True, slots=True)
class FilteredPair:
    """Two prims with colliders that do not collide. Each is a collider, a body or an articulation root.

    `named_colliders.filtered_colliders` returns these colliders.
    """

    first: str                          # prim with PhysicsFilteredPairsAPI
    second: str


@dataclass(frozen=True, slots=True)
class ContactReport:
    """A prim with contact reports: a body, a static collider, or an articulation root for all of its links."""

    path: str                           # prim with PhysxContactReportAPI
    threshold: float                    # force; contacts of two bodies that together give less are not reported
    partners: tuple[str, ...] | None    # bodies, links and static colliders, None for everything
