"""Packs colliders, materials and collision filters of a world as the arrays that contact generation and the solver
read. `surfaces` combines two materials as PhysX does (PxCombineMode). `pack_contacts` makes the shapes, bodies, groups
and excluded pairs. `side_precedence` gives PhysX's order of the two sides of a pair. `Touching` says which actors are
stepped with contacts and which contacts are left out.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import Array
from physx_runtime.collision.broad_phase.pair_order import creation_ranks
from physx_runtime.collision.friction_patch import RIGID_BODY, SURFACE
from physx_runtime.collision.pair_table import ContactTable, PairTable, supported
from physx_runtime.collision.shapes import (
    BOX,
    CAPSULE,
    CONE,
    CYLINDER,
    EVERY_WORLD,
    MESH,
    NO_ARTICULATION,
    NO_GEOMETRY,
    NO_OWNER,
    PLANE,
    SHAPE,
    SHAPE_KINDS,
    Geometry,
)
from physx_runtime.model.body_kind import BODY, KINEMATIC, LINK, STATIC, BodyKind
from physx_runtime.model.scene import SceneModel
from physx_runtime.packing.frames import Frame, compose, rounded_frame
from physx_runtime.packing.hulls import has_shape, pack_geometry
from physx_runtime.packing.mass_frames import mass_frames, relative_to_mass_frame, rotate_locally
from physx_runtime.packing.model import length_scale
from physx_schema.description.collision.materials import COMBINE_MODES, DEFAULT_MATERIAL
from physx_schema.description.filter import CollisionFilter
from physx_schema.description.model import Articulation, Collider, Description, Link, PhysicsMaterial, Scene
from physx_schema.description.opinions.reading import path_key
from physx_schema.description.records import IDENTITY_POSE, Pose, Quat

Single = np.float32


def rows_of_materials(materials: Iterable[PhysicsMaterial], used: Iterable[str]
                      ) -> tuple[dict[str, int], list[PhysicsMaterial]]:
    """The row of each material in use, by path, and the materials of the rows; equal materials share a row."""
    by_path, rows = {material.path: material for material in materials}, dict[PhysicsMaterial, int]()
    row_of = {path: rows.setdefault(replace(by_path.get(path, DEFAULT_MATERIAL), path="", density=0.0), len(rows))
              for path in used}
    return row_of, list(rows)


def surfaces(materials: Sequence[PhysicsMaterial]) -> Array:
    """SURFACE of every pair of materials, (n, n)."""
    rows = [[_surface(a, b) for b in materials] for a in materials]
    return np.array(rows, SURFACE).reshape(len(materials), len(materials))


def _surface(a: PhysicsMaterial, b: PhysicsMaterial) -> tuple[float, ...]:
    """Both materials combined, in PhysX's float32: the fields of SURFACE in their order."""
    mode = later_mode(a.friction_combine, b.friction_combine)
    dynamic = max(_combined(a.dynamic_friction, b.dynamic_friction, mode), Single(0.0))
    static = max(_combined(a.static_friction, b.static_friction, mode), dynamic)
    compliant = [material for material in (a, b) if material.compliant_stiffness > 0.0]
    if not compliant:
        restitution = _combined(a.restitution, b.restitution, later_mode(a.restitution_combine, b.restitution_combine))
        return float(static), float(dynamic), float(restitution), 0.0, 0.0, 0.0
    stiffness, damping = _spring(compliant, (a, b))
    accelerates = any(material.compliant_acceleration for material in compliant)
    return float(static), float(dynamic), 0.0, float(stiffness), float(damping), float(accelerates)


def _spring(compliant: Sequence[PhysicsMaterial], materials: tuple[PhysicsMaterial, PhysicsMaterial]
            ) -> tuple[np.float32, np.float32]:
    """Stiffness and damping where one or both materials are soft; of unlike springs that of acceleration counts alone.

    PhysX keeps a stiffness as a negative restitution and combines it as such: the least of two is the stiffest.
    """
    a, b = materials
    if len(compliant) == 1:
        return Single(compliant[0].compliant_stiffness), Single(max(a.compliant_damping, b.compliant_damping))
    if a.compliant_acceleration != b.compliant_acceleration:
        accelerating = a if a.compliant_acceleration else b
        return Single(accelerating.compliant_stiffness), Single(accelerating.compliant_damping)
    mode = later_mode(a.restitution_combine, b.restitution_combine)
    stiffness = _combined(-a.compliant_stiffness, -b.compliant_stiffness, mode)
    damping = _combined(a.compliant_damping, b.compliant_damping, later_mode(a.damping_combine, b.damping_combine))
    return abs(stiffness), damping


def later_mode(a: str, b: str) -> str:
    """The combine mode of two that takes precedence: average < min < multiply < max."""
    return max(a, b, key=COMBINE_MODES.index)


def _combined(a: float, b: float, mode: str) -> np.float32:
    first, second = Single(a), Single(b)
    if mode == "average":
        return Single(0.5) * (first + second)
    return {"min": min(first, second), "multiply": first * second, "max": max(first, second)}[mode]


_SIN_45 = float(np.float32(math.sqrt(0.5)))
_IDENTITY = (0.0, 0.0, 0.0, 1.0)
# By kind, how its x axis is turned onto X, Y or Z of the prim; of a capsule onto -Y, -Z. Planes and capsules make half
# turns about the axis between, which the order of points and the last bits of separations show.
_QUARTER_ROTATIONS = (_IDENTITY, (0.0, 0.0, _SIN_45, _SIN_45), (0.0, -_SIN_45, 0.0, _SIN_45))
_AXIS_ROTATIONS = {PLANE: (_IDENTITY, (_SIN_45, _SIN_45, 0.0, 0.0), (_SIN_45, 0.0, _SIN_45, 0.0)),
                   CAPSULE: (_IDENTITY, (_SIN_45, -_SIN_45, 0.0, 0.0), (_SIN_45, 0.0, -_SIN_45, 0.0)),
                   CYLINDER: _QUARTER_ROTATIONS, CONE: _QUARTER_ROTATIONS}


@dataclass(frozen=True, slots=True)
class PackedContacts:
    """The colliders of one world: actors' first, then those of kinematic bodies, then static ones."""

    shapes: Array                       # SHAPE, of one world; `body` is a row of `rigid_bodies`
    rigid_bodies: Array                       # PLACE, of one world
    moving: int                         # number of bodies moved by forces
    collides: NDArray[np.bool_]            # by two groups of shapes
    excluded_pairs: tuple[tuple[int, int], ...]  # shapes that nevertheless never meet
    surfaces: Array                     # SURFACE, of two materials
    max_depenetration: Array            # of each place
    max_impulse: Array
    torsion_radius: Array               # of each shape
    min_torsion_radius: Array
    colliders: tuple[str, ...]          # prim of each shape
    bodies: tuple[str, ...]             # prim of each place, "" of a static one
    scene: Scene
    geometry: Geometry                  # of hulls, which all worlds share
    tolerance_length: float             # as of PairTable
    mass_frames: Mapping[int, Array]    # by actor, MASS_FRAME of every link of an articulation

    def of_worlds(self, worlds: int) -> ContactTable:
        """The colliders of several worlds; static ones are shared by all of them."""
        is_static = self.rigid_bodies["kind"] == STATIC
        order, body_worlds = self.body_copies(worlds), _worlds_of(is_static, worlds)
        bodies = self.rigid_bodies[order].copy()
        bodies["world"] = body_worlds
        # row of each place in world 0
        first_rows = np.concatenate([[0], np.cumsum(np.where(is_static, 1, worlds))[:-1]])
        shape_indices, shape_worlds = self.shape_copies(worlds), _worlds_of(self._shared, worlds)
        shapes = self.shapes[shape_indices].copy()
        shapes["world"] = shape_worlds
        shapes["body"] = first_rows[shapes["body"]] + np.maximum(shape_worlds, 0)
        settings = self.scene.contact
        return ContactTable(
            PairTable(shapes, self.moving * worlds, self.collides, self._excluded_rows(shape_indices),
                      self.geometry, self.tolerance_length), bodies,
            self.surfaces, self.max_depenetration[order], self.max_impulse[order], self.torsion_radius[shape_indices],
            self.min_torsion_radius[shape_indices], settings.bounce_threshold, settings.friction_offset_threshold,
            settings.friction_correlation_distance, self.mass_frames)

    def has_same_colliders(self, other: PackedContacts) -> bool:
        """Whether these are colliders of the same prims, shapes and bodies, whatever their materials and offsets."""
        names = [name for name in SHAPE.names or () if name not in ("material", "contact_offset", "rest_offset")]
        return ((self.colliders, self.bodies, self.moving, self.tolerance_length)
                == (other.colliders, other.bodies, other.moving, other.tolerance_length)
                and np.array_equal(self.rigid_bodies, other.rigid_bodies)
                and all(np.array_equal(self.shapes[name], other.shapes[name]) for name in names)
                and self.mass_frames.keys() == other.mass_frames.keys()
                and all(np.array_equal(frames, other.mass_frames[actor]) for actor, frames in self.mass_frames.items())
                and _equal(self.geometry, other.geometry))

    def body_copies(self, worlds: int) -> Array:
        """The index in one world's bodies of every body of these worlds."""
        return np.repeat(np.arange(len(self.rigid_bodies)), np.where(self.rigid_bodies["kind"] == STATIC, 1, worlds))

    def shape_copies(self, worlds: int) -> Array:
        """The index in one world's shapes of every shape of these worlds."""
        return np.repeat(np.arange(len(self.shapes)), np.where(self._shared, 1, worlds))

    def of_root(self, actor: int) -> list[int]:
        """The shapes of a body, or of the root link of an articulation."""
        bodies = self.rigid_bodies[self.shapes["body"]]
        is_root = (bodies["kind"] <= LINK) & (bodies["owner"] == actor) & (bodies["link"] == 0)
        return [int(shape) for shape in np.flatnonzero(is_root)]

    @property
    def _shared(self) -> NDArray[np.bool_]:
        """The shapes that all worlds share."""
        return np.asarray(self.rigid_bodies["kind"][self.shapes["body"]] == STATIC)

    def _excluded_rows(self, shape_indices: Array) -> list[tuple[int, int]]:
        """Rows of shapes that never meet: those of one world, in the order of worlds, and those that all share."""
        rows: dict[int, list[int]] = {}
        for row, shape in enumerate(shape_indices.tolist()):
            rows.setdefault(shape, []).append(row)
        return [(int(i), int(j)) for a, b in self.excluded_pairs for i, j in np.broadcast(rows[a], rows[b])]


def _equal(value: Any, other: Any) -> bool:
    """Whether arrays in tuples are the same."""
    if isinstance(value, tuple):
        return all(map(_equal, value, other))
    return np.array_equal(value, other)


def _worlds_of(shared: NDArray[np.bool_], worlds: int) -> Array:
    """The world of every copy of items, some of which are shared by all worlds."""
    copies = [np.full(1, EVERY_WORLD) if is_shared else np.arange(worlds) for is_shared in shared]
    return np.concatenate(copies) if copies else np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Mover:
    """A link or a rigid body in a world with contacts."""

    body: Link
    kind: BodyKind          # BODY, LINK or KINEMATIC
    owner: int              # which of the world's actors, or of its kinematic bodies
    link: int               # which of the actor's links
    link_frame: Frame             # the frame of its prim in its F
    fixed_root: bool = False      # the root of a fixed base

    @property
    def moves(self) -> bool:
        """Whether forces move it."""
        return self.kind in (BODY, LINK) and not self.fixed_root


class ColliderSource(Protocol):
    """The colliders of a stage, from which some are packed."""

    @property
    def filter(self) -> CollisionFilter:
        """The collision filter."""

    def can_collide(self, i: int) -> bool:
        """Whether any contacts are generated for collider `i`."""

    def kind(self, i: int) -> int:
        """The kind of collider `i` in the narrow phase."""


def pack_contacts(description: Description, touching: ColliderSource, movers: Sequence[Mover], scene: Scene,
                  solver: str,
                  articulations: Mapping[int, Articulation] = MappingProxyType({})) -> PackedContacts:
    """The colliders of one of `touching`'s worlds; movers: its links and bodies, those that forces move first.

    articulations: by actor, those that links are of.
    """
    numbers = {mover.body.path: number for number, mover in enumerate(movers)}
    selected, collision_filter = _SelectedColliders(touching, numbers.keys()), touching.filter
    static = [number for number in selected.numbers if not collision_filter.shapes[number].body]
    row_of = {number: len(numbers) + row for row, number in enumerate(static)}
    bodies = np.zeros(len(numbers) + len(static), RIGID_BODY)
    for name in ("kind", "owner", "link"):
        bodies[name][:len(movers)] = [getattr(mover, name) for mover in movers]
    bodies["kind"][len(movers):] = STATIC
    creation_indices = rank_by_creation(movers, len(static))
    precedence = side_precedence(movers, creation_indices)
    row_of_material, used = rows_of_materials(description.materials,
                                              (filter_shape.collider.material for filter_shape in selected.shapes))
    shapes = np.zeros(len(selected.shapes), SHAPE)
    shapes["geometry"], shapes["scale"] = NO_GEOMETRY, 1.0
    for row, (number, filter_shape) in enumerate(zip(selected.numbers, selected.shapes, strict=True)):
        collider = filter_shape.collider
        shapes[row]["body"] = numbers[filter_shape.body] if filter_shape.body else row_of[number]
        body = int(shapes[row]["body"])
        shapes[row]["precedence"], shapes[row]["created"] = precedence[body], creation_indices[body]
        shapes[row]["material"] = row_of_material[collider.material]
        if filter_shape.body:
            mover = movers[body]
            shapes[row]["articulation"] = mover.owner + 1 if mover.kind == LINK else NO_ARTICULATION
            shapes[row]["kinematic"] = mover.kind == KINEMATIC
        without_self = collision_filter.excludes_self_collision(filter_shape)
        shapes[row]["owner"] = movers[numbers[filter_shape.body]].owner if without_self else NO_OWNER
        if not filter_shape.body:
            bodies[row_of[number]]["position"], bodies[row_of[number]]["rotation"] = rounded_frame(collider.pose)
        _write_shape(shapes[row], collider, touching.kind(number),
                     movers[numbers[filter_shape.body]] if filter_shape.body else None)
    shapes["world"] = EVERY_WORLD
    geometry = pack_geometry(shapes, [filter_shape.collider for filter_shape in selected.shapes])
    shapes["group"], collides = selected.groups()
    limits = [mover.body.contact for mover in movers]
    unlimited = [np.inf] * len(static)
    return PackedContacts(
        shapes, bodies, sum(mover.moves for mover in movers), collides, selected.excluded_pairs(collision_filter),
        surfaces(used),
        np.array([*(limit.max_depenetration_velocity for limit in limits), *unlimited]),
        np.array([*(limit.max_impulse for limit in limits), *unlimited]),
        np.array([filter_shape.collider.torsional_patch_radius for filter_shape in selected.shapes]),
        np.array([filter_shape.collider.min_torsional_patch_radius for filter_shape in selected.shapes]),
        tuple(filter_shape.collider.path for filter_shape in selected.shapes), (*numbers, *[""] * len(static)), scene,
        geometry, length_scale(scene, solver),
                          {actor: mass_frames(articulation) for actor, articulation in articulations.items()})


def rank_by_creation(movers: Sequence[Mover], statics: int) -> list[int]:
    """Ranks of links and bodies, then of static colliders, in the order in which PhysX creates them.

    Bodies and static colliders come first, then articulations, link by link, in the order of a hash table as bodies.
    """
    free = sorted((number for number, mover in enumerate(movers) if mover.kind != LINK),
                  key=lambda number: path_key(movers[number].body.path))
    owners = sorted({mover.owner for mover in movers if mover.kind == LINK})
    rank = dict(zip(owners, creation_ranks(len(owners), 0), strict=True))
    links = sorted((number for number, mover in enumerate(movers) if mover.kind == LINK),
                   key=lambda number: (rank[movers[number].owner], movers[number].link))
    static_numbers = range(len(movers), len(movers) + statics)
    ranks = [*creation_ranks(len(free), statics), *range(len(free) + statics, len(movers) + statics)]
    creation_indices = [0] * len(ranks)
    for number, rank in zip((*free, *static_numbers, *links), ranks, strict=True):
        creation_indices[number] = rank
    return creation_indices


def side_precedence(movers: Sequence[Mover], creation_indices: Sequence[int]) -> list[int]:
    """The precedence of colliders by creation index; in a pair the lower one is side 0.

    Links that move come before bodies, then the roots of fixed bases, then kinematic bodies, at last what is static;
    of one kind the last created comes first.
    """
    def key(number: int) -> tuple[int, int]:
        if number >= len(movers):
            return 4, -creation_indices[number]
        mover = movers[number]
        kind = (2 if mover.fixed_root else 0) if mover.kind == LINK else (3 if mover.kind == KINEMATIC else 1)
        return kind, -creation_indices[number]

    precedence = [0] * len(creation_indices)
    for rank, number in enumerate(sorted(range(len(creation_indices)), key=key)):
        precedence[number] = rank
    return precedence


class _SelectedColliders:
    """The colliders of a world whose contacts are stepped."""

    def __init__(self, touching: ColliderSource, bodies: Collection[str]) -> None:
        self._touching = touching
        shapes = touching.filter.shapes
        self.numbers = [i for i, shape in enumerate(shapes)
                        if touching.can_collide(i) and (shape.body in bodies or not shape.body)
                        and has_shape(shape.collider)]
        self.shapes = [shapes[i] for i in self.numbers]

    def groups(self) -> tuple[Array, NDArray[np.bool_]]:
        """The group of each shape, and the matrix of groups that collide by filter and by supported kinds."""
        keys = [(int(self._touching.filter.classes[i]), self._touching.kind(i)) for i in self.numbers]
        classes = list(dict.fromkeys(keys))
        collides = np.array([[self._touching.filter.collides[a[0], b[0]] and supported(a[1], b[1]) for b in classes]
                             for a in classes], np.bool_).reshape(len(classes), len(classes))
        return np.array([classes.index(key) for key in keys], np.int32), collides

    def excluded_pairs(self, collision_filter: CollisionFilter) -> tuple[tuple[int, int], ...]:
        """Pairs of shapes that never collide although their groups do."""
        rows = {number: row for row, number in enumerate(self.numbers)}
        return tuple((rows[i], rows[j]) for i in self.numbers for j in collision_filter.excluded_pairs.get(i, ())
                     if i < j and j in rows)


def _write_shape(row: Any, shape: Collider, kind: int, mover: Mover | None) -> None:
    """Write kind, sizes, offsets and pose of a shape. mover: the body that it is fixed to, None for a static one."""
    rotation = _AXIS_ROTATIONS[kind][shape.axis] if kind in _AXIS_ROTATIONS else _IDENTITY
    row["kind"], (row["position"], row["rotation"]) = kind, _shape_frame(shape, rotation, mover)
    row["size"] = (shape.half_extents if kind == BOX else (shape.radius, shape.half_height, 0.0))
    row["contact_offset"], row["rest_offset"] = shape.contact_offset or 0.0, shape.rest_offset


def _shape_frame(shape: Collider, rotation: Quat, mover: Mover | None) -> Frame:
    """The pose of a shape in the frame of its body; of a link, in its mass frame."""
    if mover is not None and mover.kind == LINK:
        return relative_to_mass_frame(mover.body, (shape.pose[0], rotate_locally(shape.pose[1], rotation)))
    frame = compose(mover.link_frame, shape.pose) if mover is not None else IDENTITY_POSE
    return rounded_frame(compose(_singles(frame), ((0.0, 0.0, 0.0), rotation)))


def _singles(pose: Pose | Frame) -> Frame:
    """A pose rounded to float32, in which PhysX holds it."""
    (x, y, z), (a, b, c, d) = (tuple(float(np.float32(number)) for number in part) for part in pose)
    return (x, y, z), (a, b, c, d)


# The shape kind of each kind of collider in PhysX's narrow phase.
KINDS: Mapping[str, int] = {collider: code for code, kind in enumerate(SHAPE_KINDS) for collider in kind.colliders}
NO_KIND = -1        # of colliders that no contacts are made with


class Touching:
    """The contacts of a scene's actors: those that are stepped, as worlds of bodies, and those that are not.

    A world is all rigid bodies and articulations of one PhysicsScene that can collide with something in it,
    kinematic and static colliders included. `worlds` are their names, in the order of the scene; what cannot
    collide is in none. Contacts of kinds that `generate` does not know are not stepped.
    """

    def __init__(self, description: Description, model: SceneModel) -> None:
        self.filter = CollisionFilter(description)
        self._kind = [KINDS.get(shape.collider.kind, NO_KIND) for shape in self.filter.shapes]
        names = {link.path: name for name, actor in model.actors.items() for link in actor.links}
        stepped = names.keys() | {body.path for body in model.kinematic}
        self._is_stepped = [not shape.body or shape.body in stepped for shape in self.filter.shapes]
        actors_by_scene: dict[str, dict[str, None]] = {}
        for body in self._colliding(names.keys()):
            name = names[body]
            actors_by_scene.setdefault(description.scene_of(model.actors[name]).path, {})[name] = None
        self.worlds = tuple(tuple(name for name in model.actors if name in members)
                            for members in actors_by_scene.values())

    def can_collide(self, i: int) -> bool:
        """Whether any contacts of collider `i` are stepped."""
        return self._is_stepped[i] and any(supported(self._kind[i], kind) for kind in range(MESH + 1))

    def kinematic(self, scene: Scene) -> frozenset[str]:
        """The kinematic bodies of a scene whose contacts are stepped."""
        return frozenset(shape.body for i, shape in enumerate(self.filter.shapes)
                         if shape.body and not shape.moves and shape.scene == scene.path and self.can_collide(i))

    def kind(self, i: int) -> int:
        """The kind of collider `i` in the narrow phase."""
        return self._kind[i]

    def _colliding(self, bodies: Collection[str]) -> list[str]:
        """Those of some links and bodies that can meet something."""
        shapes, colliding = self.filter.shapes, dict[str, None]()
        for i, partners in self._partners(stepped=True):
            body = shapes[i].body
            if body in bodies and body not in colliding and any(self.filter.can_collide(i, j) for j in partners):
                colliding[body] = None
        return list(colliding)

    def first_unsupported(self, bodies: frozenset[str]) -> tuple[Collider, Collider] | None:
        """The first collider of these bodies with a contact that is not stepped, and the other collider."""
        shapes = self.filter.shapes
        for i, partners in self._partners(stepped=False):
            for j in partners if shapes[i].body in bodies else ():
                if self.filter.can_collide(i, j):
                    return shapes[i].collider, shapes[j].collider
        return None

    def _partners(self, stepped: bool) -> Iterator[tuple[int, Iterator[int]]]:
        """Every side, and the sides of classes that meet its own and whose contacts with it are stepped, or are not."""
        classes: dict[tuple[int, int, bool], list[int]] = {}
        keys = []
        for i, (number, kind,
                is_stepped) in enumerate(zip(self.filter.classes, self._kind, self._is_stepped, strict=True)):
            key = (int(number), kind, is_stepped)
            classes.setdefault(key, []).append(i)
            keys.append(key)
        colliding = {(a, b) for a in classes for b in classes if self.filter.collides[a[0], b[0]]
                     and (a[2] and b[2] and supported(a[1], b[1])) == stepped}
        for i, key in enumerate(keys):
            yield i, (j for other, members in classes.items() if (key, other) in colliding for j in members)
