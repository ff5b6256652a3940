"""Shapes, materials and filters of actors that may touch.

Description -> the colliders of a world with contacts, as arrays that contact generation and the solver read.

Physics materials -> how the surfaces of two colliders answer each other.

Who is stepped with contacts on a stage, and what touches nevertheless without being heard of.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.broad_phase.pair_order import creation_ranks
from physx_runtime.collision.friction_patch import BODY, KINEMATIC, LINK, PLACE, STATIC, SURFACE
from physx_runtime.collision.pair_table import ContactTable, PairTable, supported
from physx_runtime.collision.shapes import (
    ALONE,
    BOX,
    CAPSULE,
    CONE,
    CONVEX,
    CYLINDER,
    EVERY_WORLD,
    MESH,
    NO_GEOMETRY,
    NO_OWNER,
    PLANE,
    SHAPE,
    SPHERE,
    Geometry,
)
from physx_runtime.model.scene import SceneModel
from physx_runtime.packing.frames import Frame, compose, loaded
from physx_runtime.packing.hulls import has_shape, put_geometry
from physx_runtime.packing.mass_frames import against_mass_frame, mass_frames, turned_about_own
from physx_runtime.packing.model import length_scale
from physx_schema.description.collision.materials import COMBINE_MODES, DEFAULT_MATERIAL
from physx_schema.description.filter import CollisionFilter
from physx_schema.description.model import Articulation, Collider, Description, Link, PhysicsMaterial, Scene
from physx_schema.description.opinions.reading import path_key
from physx_schema.description.records import IDENTITY_POSE, Pose, Quat

Array = NDArray[Any]
Single = np.float32


def rows_of_materials(materials: Iterable[PhysicsMaterial], used: Iterable[str]
                      ) -> tuple[dict[str, int], list[PhysicsMaterial]]:
    """The row of each material in use, by path, and the materials of the rows: those that answer alike share one."""
    known, rows = {material.path: material for material in materials}, dict[PhysicsMaterial, int]()
    row_of = {path: rows.setdefault(replace(known.get(path, DEFAULT_MATERIAL), path="", density=0.0), len(rows))
              for path in used}
    return row_of, list(rows)


def surfaces(materials: Sequence[PhysicsMaterial]) -> Array:
    """SURFACE of every two of some materials, (n, n)."""
    found = [[_surface(a, b) for b in materials] for a in materials]
    return np.array(found, SURFACE).reshape(len(materials), len(materials))


def _surface(a: PhysicsMaterial, b: PhysicsMaterial) -> tuple[float, ...]:
    """Both materials combined, in PhysX's float32: the fields of SURFACE in their order."""
    mode = later_mode(a.friction_combine, b.friction_combine)
    dynamic = max(_combined(a.dynamic_friction, b.dynamic_friction, mode), Single(0.0))
    static = max(_combined(a.static_friction, b.static_friction, mode), dynamic)
    soft = [material for material in (a, b) if material.compliant_stiffness > 0.0]
    if not soft:
        restitution = _combined(a.restitution, b.restitution, later_mode(a.restitution_combine, b.restitution_combine))
        return float(static), float(dynamic), float(restitution), 0.0, 0.0, 0.0
    stiffness, damping = _spring(soft, (a, b))
    accelerates = any(material.compliant_acceleration for material in soft)
    return float(static), float(dynamic), 0.0, float(stiffness), float(damping), float(accelerates)


def _spring(soft: Sequence[PhysicsMaterial], both: tuple[PhysicsMaterial, PhysicsMaterial]
            ) -> tuple[np.float32, np.float32]:
    """Stiffness and damping where one or both materials are soft; of unlike springs that of acceleration counts alone.

    PhysX keeps a stiffness as a negative restitution and combines it as such: the least of two is the stiffest.
    """
    a, b = both
    if len(soft) == 1:
        return Single(soft[0].compliant_stiffness), Single(max(a.compliant_damping, b.compliant_damping))
    if a.compliant_acceleration != b.compliant_acceleration:
        alone = a if a.compliant_acceleration else b
        return Single(alone.compliant_stiffness), Single(alone.compliant_damping)
    mode = later_mode(a.restitution_combine, b.restitution_combine)
    stiffness = _combined(-a.compliant_stiffness, -b.compliant_stiffness, mode)
    damping = _combined(a.compliant_damping, b.compliant_damping, later_mode(a.damping_combine, b.damping_combine))
    return abs(stiffness), damping


def later_mode(a: str, b: str) -> str:
    """The mode that counts of two: average < min < multiply < max."""
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
_QUARTERS = (_IDENTITY, (0.0, 0.0, _SIN_45, _SIN_45), (0.0, -_SIN_45, 0.0, _SIN_45))
_AXIS_TURNS = {PLANE: (_IDENTITY, (_SIN_45, _SIN_45, 0.0, 0.0), (_SIN_45, 0.0, _SIN_45, 0.0)),
               CAPSULE: (_IDENTITY, (_SIN_45, -_SIN_45, 0.0, 0.0), (_SIN_45, 0.0, -_SIN_45, 0.0)),
               CYLINDER: _QUARTERS, CONE: _QUARTERS}


@dataclass(frozen=True, slots=True)
class PackedContacts:
    """The colliders of one world: actors' first, then those of kinematic bodies, then static ones."""

    shapes: Array                       # SHAPE, of one world; `body` is a row of `places`
    places: Array                       # PLACE, of one world
    moving: int                         # how many places forces move
    meets: NDArray[np.bool_]            # by two groups of shapes
    apart: tuple[tuple[int, int], ...]  # shapes that nevertheless never meet
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
        """The colliders of so many worlds; static ones are in all of them."""
        standing = self.places["kind"] == STATIC
        order, places_in = self.copies_of_places(worlds), _worlds_of(standing, worlds)
        places = self.places[order].copy()
        places["world"] = places_in
        first = np.concatenate([[0], np.cumsum(np.where(standing, 1, worlds))[:-1]])    # row of each place in world 0
        which, shapes_in = self.copies_of_shapes(worlds), _worlds_of(self._shared, worlds)
        shapes = self.shapes[which].copy()
        shapes["world"] = shapes_in
        shapes["body"] = first[shapes["body"]] + np.maximum(shapes_in, 0)
        settings = self.scene.contact
        return ContactTable(
            PairTable(shapes, self.moving * worlds, self.meets, self._apart_of(which),
                      self.geometry, self.tolerance_length), places,
            self.surfaces, self.max_depenetration[order], self.max_impulse[order], self.torsion_radius[which],
            self.min_torsion_radius[which], settings.bounce_threshold, settings.friction_offset_threshold,
            settings.friction_correlation_distance, self.mass_frames)

    def stands_as(self, other: PackedContacts) -> bool:
        """Whether these are colliders of the same prims, shapes and bodies, whatever their materials and offsets."""
        names = [name for name in SHAPE.names or () if name not in ("material", "contact_offset", "rest_offset")]
        return ((self.colliders, self.bodies, self.moving, self.tolerance_length)
                == (other.colliders, other.bodies, other.moving, other.tolerance_length)
                and np.array_equal(self.places, other.places)
                and all(np.array_equal(self.shapes[name], other.shapes[name]) for name in names)
                and self.mass_frames.keys() == other.mass_frames.keys()
                and all(np.array_equal(own, other.mass_frames[actor]) for actor, own in self.mass_frames.items())
                and _alike(self.geometry, other.geometry))

    def copies_of_places(self, worlds: int) -> Array:
        """Which place each one of so many worlds is."""
        return np.repeat(np.arange(len(self.places)), np.where(self.places["kind"] == STATIC, 1, worlds))

    def copies_of_shapes(self, worlds: int) -> Array:
        """Which shape each one of so many worlds is."""
        return np.repeat(np.arange(len(self.shapes)), np.where(self._shared, 1, worlds))

    def of_root(self, actor: int) -> list[int]:
        """The shapes of a body, or of the root link of an articulation."""
        own = self.places[self.shapes["body"]]
        moved = (own["kind"] <= LINK) & (own["owner"] == actor) & (own["link"] == 0)
        return [int(shape) for shape in np.flatnonzero(moved)]

    @property
    def _shared(self) -> NDArray[np.bool_]:
        """The shapes that all worlds share."""
        return np.asarray(self.places["kind"][self.shapes["body"]] == STATIC)

    def _apart_of(self, which: Array) -> list[tuple[int, int]]:
        """Rows of shapes that never meet: those of one world, in the order of worlds, and those that all share."""
        rows: dict[int, list[int]] = {}
        for row, shape in enumerate(which.tolist()):
            rows.setdefault(shape, []).append(row)
        return [(int(i), int(j)) for a, b in self.apart for i, j in np.broadcast(rows[a], rows[b])]


def _alike(own: Any, others: Any) -> bool:
    """Whether arrays in tuples are the same."""
    if isinstance(own, tuple):
        return all(map(_alike, own, others))
    return np.array_equal(own, others)


def _worlds_of(shared: NDArray[np.bool_], worlds: int) -> Array:
    """The world of every copy of things, of which some are one in all worlds."""
    own = [np.full(1, EVERY_WORLD) if alike else np.arange(worlds) for alike in shared]
    return np.concatenate(own) if own else np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Mover:
    """A link or a body in a world with contacts."""

    body: Link
    kind: int               # BODY, LINK or KINEMATIC, as of a place
    owner: int              # which of the world's actors, or of its kinematic bodies
    link: int               # which of the actor's links
    into: Frame             # the frame of its prim in its F
    held: bool = False      # the root of a fixed base

    @property
    def moves(self) -> bool:
        """Whether forces move it."""
        return self.kind in (BODY, LINK) and not self.held


class Sides(Protocol):
    """The colliders of a stage of which some are packed."""

    @property
    def filter(self) -> CollisionFilter:
        """Which of them meet."""

    def can_be_heard(self, i: int) -> bool:
        """Whether contacts of a side with anything are made."""

    def kind(self, i: int) -> int:
        """What a side is to the narrow phase."""


def pack_contacts(description: Description, touching: Sides, movers: Sequence[Mover], scene: Scene, solver: str,
                  articulations: Mapping[int, Articulation] = MappingProxyType({})) -> PackedContacts:
    """The colliders of one of `touching`'s worlds; movers: its links and bodies, those that forces move first.

    articulations: by actor, those that links are of.
    """
    numbers = {mover.body.path: number for number, mover in enumerate(movers)}
    heard, filtered = _Heard(touching, numbers.keys()), touching.filter
    static = [number for number in heard.numbers if not filtered.sides[number].body]
    row_of = {number: len(numbers) + row for row, number in enumerate(static)}
    places = np.zeros(len(numbers) + len(static), PLACE)
    for name in ("kind", "owner", "link"):
        places[name][:len(movers)] = [getattr(mover, name) for mover in movers]
    places["kind"][len(movers):] = STATIC
    created = created_order(movers, len(static))
    precedence = sides_before(movers, created)
    row_of_material, used = rows_of_materials(description.materials, (side.collider.material for side in heard.sides))
    shapes = np.zeros(len(heard.sides), SHAPE)
    shapes["geometry"], shapes["scale"] = NO_GEOMETRY, 1.0
    for row, (number, side) in enumerate(zip(heard.numbers, heard.sides, strict=True)):
        shape = side.collider
        shapes[row]["body"] = numbers[side.body] if side.body else row_of[number]
        place = int(shapes[row]["body"])
        shapes[row]["precedence"], shapes[row]["created"] = precedence[place], created[place]
        shapes[row]["material"] = row_of_material[shape.material]
        if side.body:
            mover = movers[place]
            shapes[row]["articulation"] = mover.owner + 1 if mover.kind == LINK else ALONE
            shapes[row]["kinematic"] = mover.kind == KINEMATIC
        shapes[row]["owner"] = movers[numbers[side.body]].owner if filtered.is_calm(side) else NO_OWNER
        if not side.body:
            places[row_of[number]]["position"], places[row_of[number]]["rotation"] = loaded(shape.pose)
        _place(shapes[row], shape, touching.kind(number), movers[numbers[side.body]] if side.body else None)
    shapes["world"] = EVERY_WORLD
    geometry = put_geometry(shapes, [side.collider for side in heard.sides])
    shapes["group"], meets = heard.groups()
    limits = [mover.body.contact for mover in movers]
    unbound = [np.inf] * len(static)
    return PackedContacts(
        shapes, places, sum(mover.moves for mover in movers), meets, heard.apart(filtered),
        surfaces(used),
        np.array([*(limit.max_depenetration_velocity for limit in limits), *unbound]),
        np.array([*(limit.max_impulse for limit in limits), *unbound]),
        np.array([side.collider.torsional_patch_radius for side in heard.sides]),
        np.array([side.collider.min_torsional_patch_radius for side in heard.sides]),
        tuple(side.collider.path for side in heard.sides), (*numbers, *[""] * len(static)), scene,
        geometry, length_scale(scene, solver), {actor: mass_frames(own) for actor, own in articulations.items()})


def created_order(movers: Sequence[Mover], statics: int) -> list[int]:
    """Counts up in the order in which PhysX creates some links and bodies and, behind them, static colliders.

    Bodies and static colliders come first, then articulations, link by link, in the order of a hash table as bodies.
    """
    free = sorted((number for number, mover in enumerate(movers) if mover.kind != LINK),
                  key=lambda number: path_key(movers[number].body.path))
    owners = sorted({mover.owner for mover in movers if mover.kind == LINK})
    rank = dict(zip(owners, creation_ranks(len(owners), 0), strict=True))
    links = sorted((number for number, mover in enumerate(movers) if mover.kind == LINK),
                   key=lambda number: (rank[movers[number].owner], movers[number].link))
    standing = range(len(movers), len(movers) + statics)
    ranks = [*creation_ranks(len(free), statics), *range(len(free) + statics, len(movers) + statics)]
    found = [0] * len(ranks)
    for number, rank in zip((*free, *standing, *links), ranks, strict=True):
        found[number] = rank
    return found


def sides_before(movers: Sequence[Mover], created: Sequence[int]) -> list[int]:
    """The precedence of what was `created` so: of two that touch the one of the lower is side 0.

    Links that move come before bodies, then the roots of fixed bases, then kinematic bodies, at last what is static;
    of one kind the last created comes first.
    """
    def key(number: int) -> tuple[int, int]:
        if number >= len(movers):
            return 4, -created[number]
        mover = movers[number]
        kind = (2 if mover.held else 0) if mover.kind == LINK else (3 if mover.kind == KINEMATIC else 1)
        return kind, -created[number]

    found = [0] * len(created)
    for place, number in enumerate(sorted(range(len(created)), key=key)):
        found[number] = place
    return found


class _Heard:
    """The sides of a world whose contacts are stepped."""

    def __init__(self, touching: Sides, bodies: Collection[str]) -> None:
        self._touching = touching
        known = touching.filter.sides
        self.numbers = [i for i, side in enumerate(known)
                        if touching.can_be_heard(i) and (side.body in bodies or not side.body)
                        and has_shape(side.collider)]
        self.sides = [known[i] for i in self.numbers]

    def groups(self) -> tuple[Array, NDArray[np.bool_]]:
        """The group of each shape, and which groups meet: of classes that do, and of kinds that are supported."""
        keys = [(int(self._touching.filter.classes[i]), self._touching.kind(i)) for i in self.numbers]
        known = list(dict.fromkeys(keys))
        meets = np.array([[self._touching.filter.meets[a[0], b[0]] and supported(a[1], b[1]) for b in known]
                          for a in known], np.bool_).reshape(len(known), len(known))
        return np.array([known.index(key) for key in keys], np.int32), meets

    def apart(self, filtered: CollisionFilter) -> tuple[tuple[int, int], ...]:
        """Shapes that never meet though their groups do."""
        rows = {number: row for row, number in enumerate(self.numbers)}
        return tuple((rows[i], rows[j]) for i in self.numbers for j in filtered.apart.get(i, ())
                     if i < j and j in rows)


def _place(row: Any, shape: Collider, kind: int, mover: Mover | None) -> None:
    """Kind, sizes, offsets and place of a shape; mover: of what moves, in whose frame it is then."""
    turn = _AXIS_TURNS[kind][shape.axis] if kind in _AXIS_TURNS else _IDENTITY
    row["kind"], (row["position"], row["rotation"]) = kind, _placed(shape, turn, mover)
    row["size"] = (shape.half_extents if kind == BOX else (shape.radius, shape.half_height, 0.0))
    row["contact_offset"], row["rest_offset"] = shape.contact_offset or 0.0, shape.rest_offset


def _placed(shape: Collider, turn: Quat, mover: Mover | None) -> Frame:
    """Where a shape is in the frame of what moves it: of a link its mass frame."""
    if mover is not None and mover.kind == LINK:
        return against_mass_frame(mover.body, (shape.pose[0], turned_about_own(shape.pose[1], turn)))
    frame = compose(mover.into, shape.pose) if mover is not None else IDENTITY_POSE
    return loaded(compose(_singles(frame), ((0.0, 0.0, 0.0), turn)))


def _singles(pose: Pose | Frame) -> Frame:
    """A pose rounded to float32, in which PhysX holds it."""
    (x, y, z), (a, b, c, d) = (tuple(float(np.float32(number)) for number in part) for part in pose)
    return (x, y, z), (a, b, c, d)


# What PhysX's narrow phase makes of kinds of colliders.
KINDS: Mapping[str, int] = {
    "sphere": SPHERE, "bounding-sphere": SPHERE, "plane": PLANE, "capsule": CAPSULE, "box": BOX, "bounding-box": BOX,
    "cylinder": CYLINDER, "cone": CONE, "convex-hull": CONVEX, "triangle-mesh": MESH,
}

NO_KIND = -1        # of colliders that no contacts are made with


class Touching:
    """The contacts of a scene's actors: those that are stepped, as worlds of bodies, and those left out.

    A world is all rigid bodies and articulations of one PhysicsScene that can meet something of it or themselves,
    kinematic and static colliders included. `worlds` are their names, in the order of the scene; what can meet nothing
    is in none. Contacts of kinds that `generate` does not know are not stepped.
    """

    def __init__(self, description: Description, model: SceneModel) -> None:
        self.filter = CollisionFilter(description)
        self._kind = [KINDS.get(side.collider.kind, NO_KIND) for side in self.filter.sides]
        names = {link.path: name for name, actor in model.actors.items() for link in actor.links}
        stepped = names.keys() | {body.path for body in model.kinematic}
        self._heard = [not side.body or side.body in stepped for side in self.filter.sides]
        found: dict[str, dict[str, None]] = {}
        for body in self._meeting(names.keys()):
            name = names[body]
            found.setdefault(description.scene_of(model.actors[name]).path, {})[name] = None
        self.worlds = tuple(tuple(name for name in model.actors if name in own) for own in found.values())

    def can_be_heard(self, i: int) -> bool:
        """Whether contacts of a side with anything are stepped."""
        return self._heard[i] and any(supported(self._kind[i], kind) for kind in range(MESH + 1))

    def kinematic(self, scene: Scene) -> frozenset[str]:
        """The kinematic bodies of a scene whose contacts are stepped."""
        return frozenset(side.body for i, side in enumerate(self.filter.sides)
                         if side.body and not side.moves and side.scene == scene.path and self.can_be_heard(i))

    def kind(self, i: int) -> int:
        """What a side is to the narrow phase."""
        return self._kind[i]

    def _meeting(self, bodies: Collection[str]) -> list[str]:
        """Those of some links and bodies that can meet something."""
        sides, found = self.filter.sides, dict[str, None]()
        for i, partners in self._partners(heard=True):
            body = sides[i].body
            if body in bodies and body not in found and any(self.filter.meet(i, j) for j in partners):
                found[body] = None
        return list(found)

    def unheard(self, bodies: frozenset[str]) -> tuple[Collider, Collider] | None:
        """The first collider of these links or bodies whose contacts with another are not stepped, and that other."""
        sides = self.filter.sides
        for i, partners in self._partners(heard=False):
            for j in partners if sides[i].body in bodies else ():
                if self.filter.meet(i, j):
                    return sides[i].collider, sides[j].collider
        return None

    def _partners(self, heard: bool) -> Iterator[tuple[int, Iterator[int]]]:
        """Every side, and the sides of classes that meet its own and whose contacts with it are stepped, or are not."""
        classes: dict[tuple[int, int, bool], list[int]] = {}
        of_side = []
        for i, (number, kind, is_heard) in enumerate(zip(self.filter.classes, self._kind, self._heard, strict=True)):
            key = (int(number), kind, is_heard)
            classes.setdefault(key, []).append(i)
            of_side.append(key)
        meeting = {(a, b) for a in classes for b in classes if self.filter.meets[a[0], b[0]]
                   and (a[2] and b[2] and supported(a[1], b[1])) == heard}
        for i, key in enumerate(of_side):
            yield i, (j for other, members in classes.items() if (key, other) in meeting for j in members)
