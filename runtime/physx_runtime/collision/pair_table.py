"""The table of pairs with overlapping bounds, contact generation, and the order of touching pairs.

`PairTable` keeps pairs and their manifolds from step to step. `generate` updates bounds and pairs, makes contacts and
orders them. `ContactTable` holds the pairs, bodies and surfaces of a scene.

`order_touching` is the order in which PhysX solves the contacts of pairs (PxsIslandSim.cpp, ScNPhaseCore.cpp). Pairs
that begin to touch in one step come after all others, by pool index. When a pair within one articulation parts, the
last pair of that articulation takes its place. It comes after the pairs that begin in the same step. Of several that
part, those whose bounds part come first, then the others by pool index. All other pairs move up. Measured on hands
with up to five such pairs: no other order gives PhysX's motion.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import Array, Flags, Integer, Records
from physx_runtime.collision.bounds import update_shapes
from physx_runtime.collision.broad_phase import pair_order
from physx_runtime.collision.broad_phase.overlap import (
    build_tree,
    create_pairs,
    find_free,
    find_partners,
    levels_for,
    match_pairs,
    refit_tree,
    update_offsets,
)
from physx_runtime.collision.broad_phase.pair_order import PairCreationOrder
from physx_runtime.collision.manifold.multi import MANIFOLDS, MAX_MESH_CONTACTS
from physx_runtime.collision.narrow_phase.dispatch import CONTACT_LOOPS
from physx_runtime.collision.shapes import (
    CONTACT,
    EMPTY,
    EVERY_WORLD,
    FREE,
    MANIFOLD_SIZE,
    MESH,
    NO_ARTICULATION,
    NO_OWNER,
    PAIR,
    RANKS,
    SHAPE,
    SHAPE_KINDS,
    Geometry,
)
from physx_runtime.compiling.numba_functions import borrowing_entry, scalar_entry

BETWEEN = -1
NO_INDEX = -1
# A listed pair: its row may belong to another pair by now.
LISTED = np.dtype([
    ("row", "i4"),
    ("slot", "i4"),
    ("creation_index", "i8"),
    ("owner", "i4"),        # index of its articulation among all worlds, or BETWEEN
])


def order_touching(rows: Array, shapes: Array, listed: Array, awake: Flags) -> tuple[Array, Array]:
    """Rows of the touching pairs in order, and the list for the next step.

    listed: LISTED, of the last step. awake: (n_row,) the pairs of which contacts were made.
    """
    # pairs that go on touching keep their order, new ones come by pool index
    touch_rows, persists = np.empty(len(rows), np.int32), np.empty(len(listed), np.bool_)
    # (PxsIslandSim.cpp; ScNPhaseCore.cpp)
    persisting, end, gaps = _find_touching(rows, listed, awake, touch_rows, persists)
    started = touch_rows[persisting:end]
    touch_rows[persisting:end] = started[np.argsort(rows["slot"][started], kind="stable")]
    touching = touch_rows[:end]
    if not gaps:
        return touching, _listed_records(rows, shapes, touching)
    # inside an articulation the last pair takes the place of a lost one
    all_listed = np.concatenate((listed, _listed_records(rows, shapes, touching[persisting:])))
    lost = np.flatnonzero(~persists)
    still_overlapping = (rows["shape0"][listed["row"][lost]] != FREE) & (rows["creation_index"][listed["row"][lost]]
                                                                         == listed["creation_index"][lost])
    lost = lost[np.lexsort((listed["slot"][lost], still_overlapping))]
    return touching, all_listed[_order_without(all_listed["owner"], lost)]


def _listed_records(rows: Array, shapes: Array, touching: Array) -> Array:
    listed = np.empty(len(touching), LISTED)
    _write_listed(rows, shapes, touching, shapes["articulation"].max(initial=NO_ARTICULATION) + 1, listed)
    return listed


@borrowing_entry
def _write_listed(rows: Records, shapes: Records, touching: Array, articulations: Integer, listed: Records) -> None:
    for i in range(len(touching)):
        pair, record = rows[touching[i]], listed[i]
        first, second = shapes[pair.shape0], shapes[pair.shape1]
        record.row, record.slot, record.owner = touching[i], pair.slot, BETWEEN
        record.creation_index = pair.creation_index
        if first.articulation != NO_ARTICULATION and first.articulation == second.articulation:
            record.owner = first.world * articulations + first.articulation


@borrowing_entry
def _find_touching(rows: Records, listed: Records, awake: Array, touch_rows: Array,
                   persists: Array) -> tuple[Integer, Integer, Integer]:
    """Fill in the pairs that keep touching, then those that begin to, and which of the listed pairs persist.

    Returns the number of the former, the number of all, and how many pairs within an articulation part.
    """
    persisting, gaps = 0, 0
    for i in range(len(listed)):
        k = listed[i].row
        pair = rows[k]
        # a sleeping pair keeps touching as it was
        persists[i] = (pair.shape0 != FREE and pair.creation_index == listed[i].creation_index and pair.touching
                       and (pair.contacts > 0 or not awake[k]))
        if persists[i]:
            touch_rows[persisting] = k
            persisting += 1
        elif listed[i].owner != BETWEEN:
            gaps += 1
    end = persisting
    for k in range(len(rows)):
        pair = rows[k]
        touches = pair.shape0 != FREE and (pair.contacts > 0 if awake[k] else pair.touching == 1)
        if touches and not pair.touching:
            touch_rows[end] = k
            end += 1
        pair.touching = touches
    return persisting, end, gaps


def _order_without(owners: Array, lost: Array) -> Array:
    """The pair at each place after lost ones are replaced by the last pairs of their articulations."""
    count = len(owners)
    last = np.full(int(owners.max(initial=BETWEEN)) + 1, NO_INDEX, np.int64)
    before, index_of, pair_at = np.empty(count, np.int64), np.arange(count), np.arange(count)
    _fill_gaps(np.ascontiguousarray(owners), lost, last, before, index_of, pair_at)
    remaining: Array = pair_at[pair_at != NO_INDEX]
    return remaining


@borrowing_entry
def _fill_gaps(owners: Array, lost: Array, last: Array, before: Array, index_of: Array, pair_at: Array) -> None:
    """Fill in the pair at every place. last: the last place of each articulation. before: that before each place."""
    # linked list of an articulation's places, the last first
    for i in range(len(owners)):
        if owners[i] != BETWEEN:
            before[i] = last[owners[i]]
            last[owners[i]] = i
    for pair in lost:
        gap = index_of[pair]
        if owners[pair] != BETWEEN:
            end = last[owners[pair]]
            last[owners[pair]] = before[end]
            pair_at[gap], index_of[pair_at[end]], gap = pair_at[end], gap, end
        pair_at[gap] = NO_INDEX


SUPPORTED = np.array([[(min(pair), max(pair)) in CONTACT_LOOPS for pair in ((a, b) for b in range(len(SHAPE_KINDS)))]
                      for a in range(len(SHAPE_KINDS))])        # whether contacts are made between two kinds
REBUILD_RATIO = 1.5     # the tree is rebuilt when searches take longer by this factor than when it was built


class PairTable:
    """Shapes, collision filters, and the pairs whose bounds overlap.

    shapes: of dtype SHAPE. moving: number of bodies that forces move; they have the first rows of poses, and shapes of
    other bodies do not collide with each other. collides: whether shapes of two groups collide, by group and group;
    None for a single group. excluded_pairs: pairs of shapes that never collide. geometry: hulls and meshes of shapes.
    tolerance_length: scale of the lengths of contact generation (PxTolerancesScale::length).
    """

    def __init__(self, shapes: Array, moving: int, collides: NDArray[np.bool_] | None = None,
                 excluded_pairs: Sequence[tuple[int, int]] = (), geometry: Geometry = EMPTY,
                 tolerance_length: float = 1.0) -> None:
        self.shapes = np.ascontiguousarray(shapes, SHAPE)
        self.moving = moving
        self.geometry = geometry
        self.tolerance_length = tolerance_length
        self.collides = np.ones((1, 1), np.bool_) if collides is None else collides
        self.excluded_pairs = np.unique(np.array([min(pair) << 32 | max(pair) for pair in excluded_pairs], np.int64))
        self.rows = np.zeros(0, PAIR)           # kept while bounds overlap
        self.manifolds = np.zeros(0, MANIFOLDS)     # of the pairs with meshes
        self.touching = np.zeros(0, np.int32)   # rows of the pairs that have contacts, in PhysX's input order
        self.listed = np.zeros(0, LISTED)       # the list for the next step, without gaps
        count = len(self.shapes)
        self.shape_poses = np.zeros((count, 7), np.float32)          # world poses: position, quaternion x y z w
        self.bounds = np.zeros((count, 2, 4), np.float32)
        self._levels = levels_for(count)
        self._nodes = np.zeros(((1 << self._levels) - 1, 2, 4), np.float32)
        self._order = np.arange(count, dtype=np.int32)
        self._work = 0.0                        # visited nodes if new
        self._heads = np.full(count, FREE, np.int32)
        self._mates = np.full(count, FREE, np.int32)
        self._starts = np.zeros(count, np.int64)
        self._counts = np.zeros(count, np.int32)
        self._partners = np.zeros(count, np.int32)
        self._creation_order = PairCreationOrder(self.shapes, moving)
        self._filtered = self._pairs_filtered()
        self._near_filtered = np.zeros(len(self._filtered), np.bool_)       # overlap of excluded pairs
        self._next_creation_index = 0
        self._meshes = bool((self.shapes["kind"] == MESH).any())
        self._pools = pair_order.new_pools(int(self.shapes["world"].max(initial=EVERY_WORLD)) + 1)

    def update_overlaps(self, poses: Array) -> None:
        """Update the poses and bounds of shapes, and the pairs with overlapping bounds."""
        # bounds, overlaps, creation order, slots  (BpAABBManager.cpp, postBroadPhase)
        update_shapes(self.shapes, poses, self.geometry, self.shape_poses, self.bounds)
        total = self._find()
        new_pairs = np.empty((total, 2), np.int32)
        new_pairs = new_pairs[:match_pairs(self.rows, self._heads, self._partners, self._starts, self._counts,
                                           self._mates,
                                           new_pairs)]
        count = len(new_pairs)
        if len(self._filtered):
            new_pairs = np.concatenate((new_pairs, self._new_filtered_overlaps()))
        self._update_slots(self._creation_order.in_order(new_pairs, self.bounds), count)

    def _pairs_filtered(self) -> Array:
        """Keys of excluded pairs that are in PhysX's lists, which have no pairs of one body or of one owner."""
        first, second = self.shapes[self.excluded_pairs >> 32], self.shapes[self.excluded_pairs & 0xFFFFFFFF]
        # filtered pairs are in PhysX's overlap lists as well  (BpAABBManager.cpp, PersistentPairs)
        different_owner = (first["owner"] == NO_OWNER) | (first["owner"] != second["owner"])
        moves = np.minimum(first["body"], second["body"]) < self.moving
        return np.asarray(self.excluded_pairs[different_owner & moves & (first["body"] != second["body"])])

    def _new_filtered_overlaps(self) -> Array:
        """(n, 2) the shapes of excluded pairs whose bounds begin to overlap, a moving one first."""
        before, self._near_filtered = self._near_filtered, np.empty(len(self._filtered), np.bool_)
        pair_order.mark_overlapping(self._filtered, self.bounds, self._near_filtered)
        keys = self._filtered[self._near_filtered & ~before]
        shapes = np.stack([keys >> 32, keys & 0xFFFFFFFF], axis=1).astype(np.int32)
        is_static = self.shapes["body"][shapes[:, 0]] >= self.moving
        shapes[is_static] = shapes[is_static, ::-1]
        return shapes

    def forget(self, worlds: Array) -> None:
        """Drop all pairs of these worlds with their manifolds."""
        in_worlds = np.isin(self.shapes["world"], worlds)
        in_use = self.rows["shape0"] != FREE
        lost = in_use & (in_worlds[self.rows["shape0"]] | in_worlds[self.rows["shape1"]])
        self.rows["shape0"][lost] = FREE
        self._heads[in_worlds] = FREE
        pair_order.reset_pools(self._pools, worlds)
        self._near_filtered &= ~(in_worlds[self._filtered >> 32] | in_worlds[self._filtered & 0xFFFFFFFF])
        self._creation_order.forget(worlds)
        self.touching = self.touching[~lost[self.touching]]
        self.listed = self.listed[~lost[self.listed["row"]]]

    def solver_shapes(self, pairs: Array) -> Array:
        """(n, 2) the shapes of solver sides 0 and 1 of rows of pairs."""
        shapes = np.empty((len(pairs), 2), np.int64)
        _write_solver_shapes(self.rows, pairs, shapes)
        return shapes

    def continue_from(self, before: PairTable) -> None:
        """Take over the pairs of another table of the same shapes, whose offsets may differ."""
        self.rows, self.manifolds, self.touching, self.listed, self._heads, self._next_creation_index, self._pools = (
            before.rows, before.manifolds, before.touching, before.listed, before._heads, before._next_creation_index,
            before._pools)
        if np.array_equal(self._filtered, before._filtered):
            self._near_filtered = before._near_filtered
        else:
            pair_order.without_filtered(self._pools)
        self._creation_order.continue_from(before._creation_order)
        update_offsets(self.rows, self.shapes)

    def clear_manifolds(self, pairs: Array) -> None:
        """Clear the manifolds of these pairs, which keep touching but are no longer updated."""
        for name in ("known", "points", "contacts", "warm_start_count"):
            self.rows[name][pairs] = 0

    def _find(self) -> int:
        """Fill in the partners of every shape; return their number."""
        # the tree is rebuilt where searches take 1.5 times as long as when it was new
        if not self._work and self._levels > 1:
            build_tree(self.bounds, self._order, self._levels)
        refit_tree(self.bounds, self._order, self._levels, self._nodes)
        total, visited = self._search()
        if total > len(self._partners):
            self._partners = np.zeros(2 * total, np.int32)
            total, visited = self._search()
        if not self._work:
            self._work = REBUILD_RATIO * visited
        elif visited > self._work:
            self._work = 0.0                    # rebuilt at the next step
        return total

    def _search(self) -> tuple[int, int]:
        total, visited = find_partners(self.shapes, self.moving, self.collides, self.excluded_pairs, self.bounds,
                                       self._order, self._levels,
                                       self._nodes, self._partners, self._starts, self._counts)
        return int(total), int(visited)

    def _update_slots(self, new_pairs: Array, count: int) -> None:
        """Allocate pool indices for new pairs, in the order of a sweep, and free those of lost pairs.

        count: number of the pairs that are not excluded.
        """
        order, slots, indices = np.empty((3, count), np.int32)
        if len(new_pairs):
            self._pools = pair_order.with_capacity(self._pools, len(new_pairs))
        pair_order.update_slots(self._pools, self.rows, self.shapes, new_pairs, self._filtered, self._near_filtered,
                                order, slots)
        if count:
            self._allocate_rows(indices)
            self._create_pairs(self.rows, new_pairs[order], slots, indices)
            if self._meshes:
                self._allocate_manifolds(indices[self.shapes["kind"][self.rows["shape1"][indices]] == MESH])
            pair_order.assign_rows(self._pools, indices)

    def _allocate_rows(self, indices: Array) -> None:
        """Fill in free rows for new pairs."""
        free = find_free(self.rows, indices)
        if free < len(indices):
            more = np.zeros(max(len(indices) - free, len(self.rows)), PAIR)
            more["shape0"] = FREE
            indices[free:] = len(self.rows) + np.arange(len(indices) - free)
            self.rows = np.concatenate((self.rows, more))

    def _create_pairs(self, rows: Array, new_pairs: Array, slots: Array, indices: Array) -> None:
        """Write new pairs into free rows in creation order, and link them to their shapes.

        slots: their pool indices. Raises NotImplementedError for two kinds of shapes without a contact function.
        """
        created = create_pairs(rows, indices, new_pairs, slots, self.shapes, RANKS, SUPPORTED,
                               self._next_creation_index,
                               self.tolerance_length, self._heads)
        if created < len(new_pairs):
            names = " and ".join(sorted(SHAPE_KINDS[kind].name for kind in self.shapes["kind"][new_pairs[created]]))
            raise NotImplementedError(f"contacts between {names} are not supported")
        self._next_creation_index += len(new_pairs)

    def _allocate_manifolds(self, indices: Array) -> None:
        """Allocate rows of manifolds for new pairs with meshes, those of lost pairs first."""
        if not len(indices):
            return
        of_mesh = (self.rows["shape0"] != FREE) & (self.shapes["kind"][self.rows["shape1"]] == MESH)
        of_mesh[indices] = False
        free = np.setdiff1d(np.arange(len(self.manifolds)), self.rows["manifolds"][of_mesh])
        if len(free) < len(indices):
            more = max(len(indices) - len(free), len(self.manifolds))
            free = np.concatenate((free, np.arange(len(self.manifolds), len(self.manifolds) + more)))
            self.manifolds = np.concatenate((self.manifolds, np.zeros(more, MANIFOLDS)))
        selected = free[:len(indices)]
        self.rows["manifolds"][indices] = selected
        self.manifolds[selected] = np.zeros(1, MANIFOLDS)

    def records(self, new_pairs: Array) -> Array:
        """Records of new pairs in creation order, outside of the table; raises as `_create_pairs`."""
        records = np.zeros(len(new_pairs), PAIR)
        self._create_pairs(records, new_pairs, np.zeros(len(new_pairs), np.int32),
                           np.arange(len(new_pairs), dtype=np.int32))
        return records


@borrowing_entry
def _write_solver_shapes(rows: Records, selected: Array, shapes: Array) -> None:
    for i in range(len(selected)):
        pair = rows[selected[i]]
        shapes[i, 0], shapes[i, 1] = (pair.shape1, pair.shape0) if pair.swapped else (pair.shape0, pair.shape1)


def supported(kind0: int, kind1: int) -> bool:
    """Whether contacts are made between shapes of two kinds, in either order."""
    return (min(kind0, kind1), max(kind0, kind1)) in CONTACT_LOOPS


def every_pair(table: PairTable) -> Flags:
    """All pairs of a table."""
    return np.ones(len(table.rows), np.bool_)


def generate(table: PairTable, poses: Array, awake: Callable[[PairTable], Flags] = every_pair) -> Array:
    """Update the pairs of `table`; return the contacts of a step, of dtype CONTACT.

    poses: (bodies, 7) float32 in the world, position and quaternion x y z w, of the frames of shapes. awake: returns
    the mask (n_row,) of pairs to make contacts of, once bounds are updated; others stay as they are. Contacts of a pair
    are contiguous, in the order of its manifold. Pairs follow `table.touching`.
    """
    # broad phase, narrow phase, then the order of touching pairs
    table.update_overlaps(poses)
    active = awake(table)
    contacts = np.empty(MANIFOLD_SIZE * len(table.rows) + MAX_MESH_CONTACTS * len(table.manifolds), CONTACT)
    count = generate_contacts(table, active, contacts)
    table.touching, table.listed = order_touching(table.rows, table.shapes, table.listed, active)
    arranged = np.empty(count, CONTACT)
    arrange(table.rows, table.touching, contacts, arranged)
    return arranged


def generate_contacts(table: PairTable, active: Flags, contacts: Array) -> int:
    """Make the contacts of active pairs of a table, kind by kind; return their number."""
    rows, shapes, at, kinds = table.rows, table.shapes, 0, len(SHAPE_KINDS)
    selected, ends = np.empty(len(rows), np.int64), np.zeros(kinds * kinds, np.int64)
    _sort_by_kinds(rows, active, shapes, kinds, selected, ends)
    first = 0
    for both, end in enumerate(ends.tolist()):
        if end > first:
            at = CONTACT_LOOPS[divmod(both, kinds)](rows, selected[first:end], shapes, table.shape_poses,
                                                    table.geometry,
                                                    table.manifolds, contacts, at)
            first = end
    return at


@borrowing_entry
def _sort_by_kinds(rows: Records, active: Array, shapes: Records, kinds: Integer, selected: Array, ends: Array) -> None:
    """Fill in the active pairs sorted by the kinds of their shapes; ends: zeros, filled with the end of each kind."""
    for k in range(len(rows)):
        # counting sort by the kinds of both shapes
        if active[k] and rows[k].shape0 != FREE:
            ends[shapes[rows[k].shape0].kind * kinds + shapes[rows[k].shape1].kind] += 1
    at = 0
    for both in range(len(ends)):
        at, ends[both] = at + ends[both], at
    for k in range(len(rows)):
        if active[k] and rows[k].shape0 != FREE:
            both = shapes[rows[k].shape0].kind * kinds + shapes[rows[k].shape1].kind
            selected[ends[both]] = k
            ends[both] += 1


@scalar_entry
def arrange(rows: Records, touching: Array, contacts: Records, arranged: Array) -> None:
    """Copy contacts in the order of their pairs, and update the ranges of the pairs."""
    at = 0
    for k in touching:
        pair = rows[k]
        for i in range(pair.contacts):
            arranged[at + i] = contacts[pair.first + i]
        pair.first = at
        at += pair.contacts


# Of one link: its mass frame in F, and its joint seen from the mass frames of its links (dynamics.link_poses).
MASS_FRAME = np.dtype([
    ("center", "f4", 7),            # position, quaternion x y z w; only used for the root
    ("parent", "f4", 3),
    ("child", "f4", 3),
    ("relative", "f4", 4),
    ("axes", "f4", (3, 3)),         # of F, in the link's mass frame
])


@dataclass(slots=True)
class ContactTable:
    """Colliders and surfaces of all worlds."""

    pairs: PairTable
    bodies: Array               # RIGID_BODY, a row for each pose of shapes
    surfaces: Array             # SURFACE, (materials, materials)
    max_depenetration: Array    # of each body; the smaller of a pair counts
    max_impulse: Array          # of each body; the smaller counts
    torsion_radius: Array       # of each shape; the larger counts
    min_torsion_radius: Array
    bounce_threshold: float
    friction_offset: float      # contacts with a larger separation get no friction anchor
    correlation: float          # friction anchors that drift farther are dropped
    mass_frames: Mapping[int, Array]    # by actor, MASS_FRAME of every link of an articulation, the same in all worlds
