"""Colliders: the shapes PhysX makes of prims with PhysicsCollisionAPI, and where they sit on their bodies."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from pxr import Usd

from physx_schema.description.collision.coverage import open_share
from physx_schema.description.collision.hull import Doubles
from physx_schema.description.collision.materials import (
    AuthoredOffsets,
    Materials,
    authored_offsets,
    automatic_offset,
    effective_offsets,
    min_contact_offset,
    offset_of_plane,
)
from physx_schema.description.collision.meshes import CookedMeshes, MeshData, Weighed, mesh_kind, read_mesh
from physx_schema.description.collision.shape_kinds import (
    Sizes,
    bounding_box,
    bounding_sphere,
    box_of,
    is_analytic,
    read_shape,
    sphere_of,
)
from physx_schema.description.collision.visibility import invisible_purpose
from physx_schema.description.frames import composed, decompose, scaled, vector
from physx_schema.description.model import Collider, Cooked
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext
from physx_schema.description.records import IDENTITY_POSE, Pose, Vec3, record
from physx_schema.description.scenes import Scenes

_EVEN = 1e-4                # relative difference of scales that is rounding
_MESH = "Mesh"
_COOKED = frozenset({"convex-hull", "triangle-mesh"})
_TRIANGLES = frozenset({"triangle-mesh", "simplified-mesh", "sdf"})
_ROUND = frozenset({"sphere", "capsule", "cylinder", "cone"})
_UNKNOWN = (math.nan, math.nan, math.nan)
_ACTIVE = Usd.TraverseInstanceProxies()


@record
@dataclass(frozen=True, slots=True)
class ColliderPart:
    """A collider with what its mass is worked out from."""

    fact: Collider
    opinions: PrimOpinions              # of the prim with PhysicsCollisionAPI
    prim: Any                           # with the geometry
    materials: Materials
    weigh: Callable[[], Weighed]        # meshes are cooked when their mass is asked for

    def density(self) -> float:
        """The density of the material bound to the collider, 0 where there is none."""
        return self.materials.density(self.prim)


class ColliderReader:
    """Makes colliders of prims, with what they share: meshes cooked once, materials and groups."""

    def __init__(self, context: ReadContext, scenes: Scenes, materials: Materials, groups: dict[str, str]) -> None:
        self._reading = context
        self._scenes = scenes
        self._materials = materials
        self._groups = groups
        self._meshes = CookedMeshes(1.0 / context.meters_per_unit)
        self._min_offset = min_contact_offset(context, scenes.default)

    def read(self, opinions: PrimOpinions) -> list[ColliderPart]:
        """The colliders of a prim with PhysicsCollisionAPI: one, or those of its children where it has no geometry."""
        opinions.mark_used("PhysicsCollisionAPI")
        if not self._has_scene(opinions):
            return []
        body, dynamic = self._reading.body_of(opinions.path), False
        if body:
            rigid = self._reading.prims[body].view("PhysicsRigidBodyAPI")
            body = body if rigid.flag("rigidBodyEnabled") else ""
            dynamic = bool(body) and not rigid.flag("kinematicEnabled")
        problem_count = len(self._reading.problems)
        parts = [self._part(opinions, geometry, body, dynamic) for geometry in _geometries(opinions)]
        valid_parts = [part for part in parts if part is not None]
        if opinions.has("PhysxMeshMergeCollisionAPI"):
            self._reading.problem(
                "collider/merged", opinions.path, "apiSchemas", "PhysxMeshMergeCollisionAPI",
                "ovphysx makes a shape of each direct child mesh and ignores deeper meshes; programs that merge all "
                "meshes compute another mass, centre of mass and inertia",
                "merge the meshes into one prim", "warning",
            )
        if not valid_parts and problem_count == len(self._reading.problems):
            self._report_no_shape(opinions, body)
        return valid_parts

    def _has_scene(self, opinions: PrimOpinions) -> bool:
        """Whether the collider names no scene, or one that there is; a body's owner is judged with the body."""
        name = "physics:simulationOwner"
        owners = opinions.peek(name) if name in opinions.properties else ()
        if not isinstance(owners, tuple) or not owners or opinions.has("PhysicsRigidBodyAPI"):
            return True
        if any(owner in self._scenes.by_path for owner in owners):
            return True
        self._reading.problem(
            "collider/no-scene", opinions.path, name, f"{', '.join(owners)} is not a PhysicsScene that PhysX reads",
            "PhysX makes no collision shape", f"target {self._scenes.default.path}" if self._scenes.by_path
            else "remove the target, or define a PhysicsScene there",
        )
        return False

    def _part(self, opinions: PrimOpinions, geometry: _Geometry, body: str, dynamic: bool) -> ColliderPart | None:
        prim = geometry.prim
        scale = self._reading.frames.lengths(prim, geometry.path)
        settings = _MeshSettings(opinions, dynamic) if geometry.kind == _MESH else None
        sizes: Sizes | None
        offset: Pose | None = None
        weigh: Callable[[], Weighed]
        if settings is not None:
            mesh = read_mesh(prim)
            mesh_shape = self._mesh(str(prim.GetPath()), mesh, settings, scale)
            if mesh_shape is None:
                return None
            sizes, offset, weigh = mesh_shape
        else:
            sizes = read_shape(prim, geometry.kind, scale)
            if sizes is None or (sizes.kind == "plane" and dynamic):
                return None
            if sizes.kind != "plane" and not all(0.0 < extent < math.inf for extent in sizes.extents):
                self._report_flat(opinions, sizes)
                return None
            weigh = Weighed(sizes.bulk).itself
            if sizes.kind in _ROUND:
                self._report_stretched(geometry.path, sizes, scale)
        fact = self._fact(opinions, geometry, body, sizes, settings)
        if offset is not None:
            fact = replace(fact, pose=composed(fact.pose, offset))
        if settings is not None and settings.kind in _COOKED:
            fact = replace(fact, cooked=partial(_cooked, self._meshes, mesh, settings, fact, self._min_offset))
        if settings is not None and offset is None:
            fact = replace(fact, mesh_bounds=_bounds(mesh.points * scale), uncovered=partial(
                open_share, self._meshes, mesh, scale, settings.vertices, settings.thickness,
            ) if settings.replaced and mesh.finite and not mesh.fault else None)
        return ColliderPart(fact, opinions, prim, self._materials, weigh)

    def _report_stretched(self, path: str, sizes: Sizes, scale: Vec3) -> None:
        """Scales that a round shape cannot follow: of a sphere all, of the others those across the axis."""
        spread = [abs(scale[i]) for i in range(3) if sizes.kind == "sphere" or i != sizes.axis]
        if max(spread) > min(spread) * (1.0 + _EVEN):
            self._reading.problem(
                "collider/stretched", path, "xformOpOrder",
                f"the {sizes.kind} is scaled by {', '.join(f'{abs(length):g}' for length in scale)}",
                f"PhysX keeps the shape round and uses the largest scale, which gives radius {sizes.radius:g}",
                f"scale the {sizes.kind} uniformly, or use a mesh", "warning",
            )

    def _mesh(
        self, path: str, mesh: MeshData, settings: _MeshSettings, scale: Vec3,
    ) -> tuple[Sizes, Pose | None, Callable[[], Weighed]] | None:
        """Sizes, the pose in the frame of the mesh where it differs, and the weight."""
        self._report_mesh(path, mesh, scale)
        if not mesh.usable or not all(scale):
            return None
        kind = settings.kind
        if kind in ("bounding-box", "bounding-sphere"):
            return self._bound(mesh.points * scale, kind)
        extents = scaled(mesh.spans, _absolute(scale)) if kind in ("triangle-mesh", "sdf") else _UNKNOWN
        return Sizes(kind, extents), None, lambda: self._meshes.weigh(
            mesh, kind, scale, settings.vertices, settings.thickness)

    def _bound(self, points: Doubles, kind: str) -> tuple[Sizes, Pose | None, Callable[[], Weighed]] | None:
        """The box or sphere around scaled points."""
        length = 1.0 / self._reading.meters_per_unit
        if kind == "bounding-box":
            box = bounding_box(points, length)
            if box is None:
                return None
            sizes, offset = box_of(box[0]), box[1]
        else:
            sphere = bounding_sphere(points, length)
            if sphere is None:
                return None
            sizes, offset = sphere_of(sphere[0]), (sphere[1], (0.0, 0.0, 0.0, 1.0))
        return replace(sizes, kind=kind), offset, Weighed(sizes.bulk).itself

    def _fact(
        self, opinions: PrimOpinions, geometry: _Geometry, body: str, sizes: Sizes, settings: _MeshSettings | None,
    ) -> Collider:
        view, prim = opinions.view("PhysxCollisionAPI"), geometry.prim
        contact, rest = self._offsets(opinions, sizes)
        margin = prim.GetAttribute("physxConvexGeometry:margin").Get() if sizes.kind in ("cylinder", "cone") else 0.0
        return Collider(
            path=opinions.path, geometry=geometry.path, body=body, kind=sizes.kind,
            pose=self._pose(geometry, body), axis=sizes.axis, half_extents=sizes.half_extents, radius=sizes.radius,
            half_height=sizes.half_height,
            scale=self._reading.frames.lengths(prim, geometry.path) if settings else (1.0, 1.0, 1.0),
            margin=max(float(margin), 0.0) if isinstance(margin, int | float) else 0.0,
            approximation=settings.approximation if settings else "",
            hull_vertex_limit=settings.vertices if settings else 0, material=self._materials.of(prim),
            group=self._groups.get(opinions.path, ""),
            enabled=opinions.view("PhysicsCollisionAPI").flag("collisionEnabled"),
            trigger=self._trigger(opinions, sizes), contact_offset=contact, rest_offset=rest,
            torsional_patch_radius=view.clamped("torsionalPatchRadius"),
            min_torsional_patch_radius=view.clamped("minTorsionalPatchRadius"),
            invisible_purpose=invisible_purpose(prim), material_bound=self._materials.binds(opinions.prim),
        )

    def _trigger(self, opinions: PrimOpinions, sizes: Sizes) -> bool:
        """Whether it is one; PhysX makes none of triangles."""
        has_api = opinions.has("PhysxTriggerAPI")
        if has_api and sizes.kind in _TRIANGLES:
            self._reading.problem(
                "collider/trigger-mesh", opinions.path, "apiSchemas", "PhysxTriggerAPI is on a triangle mesh",
                "PhysX ignores the trigger, and bodies collide with the mesh",
                "use an approximation such as convexHull, or a primitive shape",
            )
        return has_api and sizes.kind not in _TRIANGLES

    def _pose(self, geometry: _Geometry, body: str) -> Pose:
        """The shape's pose in its body's frame, with the body's scale in the position; in the world without a body."""
        frames = self._reading.frames
        if geometry.path == body:
            return IDENTITY_POSE
        if not body:
            return frames.pose(geometry.prim, geometry.path)
        body_prim = self._reading.prims[body].prim
        matrix, body_matrix = frames.matrix(geometry.prim), frames.matrix(body_prim)
        if matrix == body_matrix:
            return IDENTITY_POSE
        matrix = matrix * body_matrix.GetInverse()
        position, rotation = decompose(matrix).pose
        return scaled(position, frames.scale(body_prim, body)), rotation

    def _offsets(self, opinions: PrimOpinions, sizes: Sizes) -> tuple[float | None, float]:
        """Contact and rest offset; PhysX makes the contact offset of the shape's size where none is authored."""
        default = offset_of_plane(self._reading.meters_per_unit) if sizes.kind == "plane" else None
        authored = authored_offsets(opinions, default)
        contact, rest = effective_offsets(authored, default)
        if authored.contact and authored.authored_rest >= authored.contact:
            self._report_offsets(opinions, authored, contact, rest)
        smallest = min(sizes.extents)
        if contact is not None or math.isnan(smallest):
            return contact, rest
        return automatic_offset(smallest, rest, self._min_offset), rest

    def _report_offsets(
        self, opinions: PrimOpinions, authored: AuthoredOffsets, contact: float | None, rest: float,
    ) -> None:
        self._reading.problem(
            "collider/offsets", opinions.path,
            "physxCollision:restOffset" if authored.rest is not None else "newton:contactMargin",
            f"the rest offset is {authored.authored_rest:g} and the contact offset is {authored.contact:g}",
            "PhysX ignores both offsets, computes a contact offset and uses a rest offset of 0" if contact is None else
            "PhysX uses a rest offset of 0" if rest == 0.0 else f"PhysX uses a contact offset of {contact:g}",
            "author a rest offset below the contact offset",
        )

    def _report_mesh(self, path: str, mesh: MeshData, scale: Vec3) -> None:
        """A mesh that PhysX cannot read safely, or that it makes no shape of."""
        if mesh.fault:
            self._reading.problem(
                "collider/mesh", path, "faceVertexIndices", mesh.fault,
                "PhysX does not check faces; the process can crash",
                "author faces with indices of existing points",
            )
        if not mesh.finite:
            self._reading.problem(
                "collider/mesh", path, "points", "some points are not finite",
                "PhysX ignores these points or makes no shape", "author finite points",
            )
        if mesh.usable and not all(scale):
            self._reading.problem(
                "collider/no-shape", path, "xformOpOrder",
                "the mesh has a scale of 0", "PhysX makes no collision shape",
                "author scales other than 0",
            )

    def _report_flat(self, opinions: PrimOpinions, sizes: Sizes) -> None:
        extents = " x ".join(f"{extent:g}" for extent in sizes.extents)
        self._reading.problem(
            "collider/no-shape", opinions.path, "apiSchemas", f"PhysicsCollisionAPI is on a {sizes.kind} of {extents}",
            "PhysX makes no collision shape", "author finite sizes and scales other than 0",
        )

    def _report_no_shape(self, opinions: PrimOpinions, body: str) -> None:
        type_name = opinions.type_name or "prim without a type"
        if opinions.type_name == _MESH:
            label, fix = "a mesh without points or faces", "author points, faceVertexCounts and faceVertexIndices"
        elif opinions.type_name == "Plane":
            label, fix = f"a plane on the dynamic body {body}", "use a Cube, or move the plane out of the body"
        elif is_analytic(opinions.type_name) or opinions.prim.GetChildren():
            label, fix = f"a {type_name} without a child with geometry", "apply PhysicsCollisionAPI to the geometry"
        else:
            label, fix = f"a {type_name}", "use Cube, Sphere, Capsule, Cylinder, Cone, Plane or Mesh"
        self._reading.problem(
            "collider/no-shape", opinions.path, "apiSchemas", f"PhysicsCollisionAPI is on {label}",
            "PhysX makes no collision shape", fix,
        )


class _MeshSettings:
    """How a mesh is to be approximated."""

    def __init__(self, opinions: PrimOpinions, dynamic: bool) -> None:
        self.approximation = opinions.view("PhysicsMeshCollisionAPI").token("approximation")
        self.kind = mesh_kind(self.approximation, dynamic)
        self.replaced = self.kind != mesh_kind(self.approximation, False)      # a hull, as the body moves
        self.vertices, self.thickness = 0, 0.0
        if self.kind == "convex-hull":
            self._read_hull(opinions)

    def _read_hull(self, opinions: PrimOpinions) -> None:
        hull, newton = opinions.view("PhysxConvexHullCollisionAPI"), opinions.view("NewtonMeshCollisionAPI")
        limit = hull.count("hullVertexLimit")
        if not hull.applied and newton.count("maxHullVertices", -1) > 0:
            limit = newton.count("maxHullVertices", -1)
        self.vertices = limit
        self.thickness = hull.number("minThickness")


class _Geometry(NamedTuple):
    """A prim with a shape."""

    prim: Any
    path: str
    kind: str           # the prim's type


def _geometries(opinions: PrimOpinions) -> Iterator[_Geometry]:
    """The prim itself where it has geometry, else its children that have."""
    if _is_shape(opinions.type_name):
        yield _Geometry(opinions.prim, opinions.path, opinions.type_name)
    elif opinions.type_name in ("", "Xform", "Scope"):
        for child in opinions.prim.GetFilteredChildren(_ACTIVE):
            if _is_shape(str(child.GetTypeName())):
                yield _Geometry(child, str(child.GetPath()), str(child.GetTypeName()))


def _is_shape(type_name: str) -> bool:
    return type_name == _MESH or is_analytic(type_name)


def _bounds(points: Doubles) -> tuple[Vec3, Vec3]:
    """Opposite corners of the box around points."""
    return vector(points.min(axis=0)), vector(points.max(axis=0))


def _absolute(scale: Vec3) -> Vec3:
    return abs(scale[0]), abs(scale[1]), abs(scale[2])


def _cooked(meshes: CookedMeshes, mesh: MeshData, settings: _MeshSettings, fact: Collider,
            min_offset: float) -> Cooked | None:
    """The hull of a mesh and the contact offset that follows from its size, or its triangles."""
    if settings.kind == "triangle-mesh":
        triangles = meshes.triangles(mesh, fact.scale)
        return Cooked(triangles, fact.contact_offset or 0.0) if triangles is not None else None
    hull = meshes.hull(mesh, fact.scale, settings.vertices, settings.thickness)
    if hull is None:
        return None
    extents = np.ptp(hull.vertices, axis=0) * np.abs(fact.scale)
    offset = automatic_offset(float(extents.min()), fact.rest_offset, min_offset)
    return Cooked(hull, offset if fact.contact_offset is None else fact.contact_offset)
