"""All possible pairs of links and static shapes, one fixed slot each.

`build_static_pairs` lists the pairs of all worlds, so that no broad phase is needed. `contact_generator` compiles the
contact generation of a link's pairs: a test of bounding spheres, bounds, and the narrow phase. `update_pair_events`
and `sort_by_touch` keep PhysX's order of pairs. A pair whose bounds overlap again starts with an empty manifold, as in
`pair_table.PairTable`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from physx_runtime.arrays import Array, Condition, Integer, Pose, Record, Records, Scalar
from physx_runtime.collision.bounds import pose_at, update_shape, update_shapes
from physx_runtime.collision.broad_phase.overlap import can_collide, overlap
from physx_runtime.collision.narrow_phase.dispatch import CONTACT_METHODS, select_method, store_contacts
from physx_runtime.collision.pair_table import ContactTable, PairTable
from physx_runtime.collision.shapes import BOX, CAPSULE, CONTACT, EVERY_WORLD, MANIFOLD_SIZE, MAX_CONTACTS, Geometry
from physx_runtime.collision.simd_math import transform
from physx_runtime.compiling.numba_functions import borrowing_code, borrowing_entry
from physx_runtime.model.body_kind import LINK, STATIC

SEPARATE, OVERLAPPING, CREATED = range(3)
NO_SLOT = -1
# State of a pair between steps, besides `PAIR`.
MEMORY = np.dtype([
    ("overlapping", "i4"),      # whether its bounds overlap: SEPARATE, OVERLAPPING or, within a step, CREATED
    ("touching", "i4"),         # whether it has contacts, as `overlapping`
    ("touch_lost", "i4"),       # whether it lost its contacts in this step
    ("kinds", "i4"),            # index of its pair of kinds in `kinds`
    ("slot", "i4"),             # its slot in the solving order of the world's touching pairs, NO_SLOT before it has one
    ("touch_index", "i8"),      # increases in the order in which pairs of a world began to touch
])
# A quick test that excludes most pairs: a sphere around the moving shape in the frame of its body, and bounds of the
# static shape over all worlds.
BOUNDING_SPHERE = np.dtype([
    ("centre", "f4", 3),
    ("radius", "f4"),
    ("low", "f4", 3),
    ("high", "f4", 3),
])
SLACK = np.float32(1.001)       # keeps shapes inside their spheres despite rounding


class AllPairs(NamedTuple):
    """The pairs of all worlds."""

    rows: Array                             # PAIR
    memory: Array                           # MEMORY
    moving: Array                           # the moving shape
    bounding_spheres: Array                            # BOUNDING_SPHERE, of each pair of a world
    contacts: Array                         # CONTACT, MANIFOLD_SIZE rows for each pair, of the last step


class Colliders(NamedTuple):
    """Shapes with their current poses and bounds."""

    shapes: Records                         # SHAPE
    shape_poses: Array
    bounds: Array
    geometry: Geometry
    manifolds: Array                        # none: meshes are not among them


@dataclass(frozen=True, slots=True)
class StaticPairs:
    """All pairs of worlds in which links touch static shapes only, by world and link.

    They replace the rows of `table.pairs`. `of_link`: (n_pair,) the index in `links` of each pair of a world.
    """

    table: ContactTable
    links: tuple[tuple[int, int], ...]      # (actor, link) of links with pairs
    of_link: Array
    points: tuple[int, ...]                 # by link, greatest number of contacts of one pair
    kinds: tuple[tuple[int, int], ...]      # pairs of kinds of shapes that occur
    all: AllPairs

    @property
    def colliders(self) -> Colliders:
        """The shapes of the table."""
        pairs = self.table.pairs
        return Colliders(pairs.shapes, pairs.shape_poses, pairs.bounds, pairs.geometry, pairs.manifolds)

    def forget(self, worlds: Array) -> Array:
        """Clear the state of the pairs of these worlds; return the mask of these pairs."""
        in_worlds = np.isin(self.table.pairs.shapes["world"][self.all.moving], worlds)
        for name in ("overlapping", "touching", "touch_index"):
            self.all.memory[name][in_worlds] = 0
        self.all.memory["slot"][in_worlds] = NO_SLOT
        for name in ("creation_index", "contacts"):
            self.all.rows[name][in_worlds] = 0
        return in_worlds


def build_static_pairs(table: ContactTable, worlds: int) -> StaticPairs | None:
    """The pairs of all worlds; None where worlds have different pairs, or other than links and statics can touch."""
    # the same pairs in every world, all between links and statics
    shapes, bodies = table.pairs.shapes, table.bodies
    if (bodies["kind"][shapes["body"]][shapes["body"] < table.pairs.moving] != LINK).any():
        return None                         # thousands of bodies have too many pairs to list them all
    kinds = bodies["kind"][shapes["body"]]
    order = np.argsort(shapes["world"], kind="stable").astype(np.int32)
    edges = np.searchsorted(shapes["world"][order], np.arange(EVERY_WORLD, worlds + 1)).astype(np.int64)
    shape_pairs = np.empty((worlds * _max_pairs(edges), 2), np.int32)
    shape_pairs = shape_pairs[:_list_pairs(shapes, table.pairs.moving, table.pairs.collides, table.pairs.excluded_pairs,
                                           order, edges, shape_pairs)]
    first, second = shape_pairs[:, 0], shape_pairs[:, 1]
    link_with_static = (kinds[first] == LINK) & (kinds[second] == STATIC)
    if len(shape_pairs) == 0 or len(shape_pairs) % worlds or not link_with_static.all():
        return None
    link_keys = np.stack([bodies[name][shapes["body"][first]] for name in ("owner", "link")], axis=1)
    shape_pairs = shape_pairs[np.lexsort((second, first, link_keys[:, 1], link_keys[:, 0], shapes["world"][first]))]
    first, second = shape_pairs.reshape(worlds, -1, 2).transpose(2, 0, 1)
    shape_kinds = shapes["kind"][shape_pairs.reshape(-1, 2)]
    if any((min(a, b), max(a, b)) not in MAX_CONTACTS for a, b in np.unique(shape_kinds, axis=0).tolist()):
        return None
    pattern = np.stack([bodies["owner"][shapes["body"][first]], bodies["link"][shapes["body"][first]],
                        shapes["kind"][first], shapes["kind"][second]], axis=-1)
    if (shapes["world"][first] != np.arange(worlds)[:, None]).any() or (pattern != pattern[0]).any():
        return None
    return _build(table, shape_pairs, pattern[0])


def _build(table: ContactTable, shape_pairs: Array, pattern: Array) -> StaticPairs:
    links, of_link = np.unique(pattern[:, :2], axis=0, return_inverse=True)
    of_kinds = [(min(pair), max(pair)) for pair in pattern[:, 2:].tolist()]
    limits, kinds = np.array([MAX_CONTACTS[pair] for pair in of_kinds]), tuple(sorted(set(of_kinds)))
    pairs = table.pairs
    pairs.rows = pairs.records(shape_pairs)
    poses = np.c_[table.bodies["position"], table.bodies["rotation"]].astype(np.float32)
    update_shapes(pairs.shapes, poses, pairs.geometry, pairs.shape_poses, pairs.bounds)     # static shapes
    memory = np.zeros(len(shape_pairs), MEMORY)
    memory["slot"] = NO_SLOT
    memory["kinds"] = np.resize([kinds.index(pair) for pair in of_kinds], len(shape_pairs))
    spheres = _bounding_spheres(pairs, shape_pairs.reshape(-1, len(pattern), 2))
    pairs_of_all = AllPairs(pairs.rows, memory, np.ascontiguousarray(shape_pairs[:, 0]), spheres,
                            np.zeros(len(shape_pairs) * MANIFOLD_SIZE, CONTACT))
    return StaticPairs(table, tuple((int(a), int(b)) for a, b in links), of_link.ravel(),
                       tuple(int(limits[of_link.ravel() == i].max()) for i in range(len(links))), kinds, pairs_of_all)


def _bounding_spheres(pairs: PairTable, shape_pairs: Array) -> Array:
    """The bounding sphere of each pair of a world, over all worlds; shape_pairs: (n_world, n_pair, 2)."""
    # ball around the shape and its contact offset, in the frame of its body
    shapes, spheres = pairs.shapes[shape_pairs[:, :, 0]], np.zeros(shape_pairs.shape[1], BOUNDING_SPHERE)
    size, kind, position = shapes["size"], shapes["kind"], shapes["position"]
    length = size[..., 0] + np.where(kind == CAPSULE, size[..., 1], 0)
    # radius: |h| of a box, r + half of a capsule, r of a sphere
    radius = np.where(kind == BOX, np.linalg.norm(size, axis=2), length)
    centre = position.mean(axis=0)
    offset = np.linalg.norm(position - centre, axis=2)
    spheres["centre"], spheres["radius"] = centre, (SLACK * (radius + shapes["contact_offset"] + offset)).max(axis=0)
    bounds = pairs.bounds[shape_pairs[:, :, 1], :, :3]
    spheres["low"], spheres["high"] = bounds[:, :, 0].min(axis=0), bounds[:, :, 1].max(axis=0)
    return spheres


def _max_pairs(edges: Array) -> int:
    """An upper bound of the number of pairs of a world."""
    sizes = np.diff(edges)
    return int((sizes[0] + sizes[1:].max(initial=0)) ** 2)


@borrowing_entry
def _list_pairs(shapes: Records, moving: Integer, collides: Array, excluded_pairs: Array, order: Array, edges: Array,
                shape_pairs: Array) -> Integer:
    """Fill in all pairs of each world that may collide, the moving shape first; return their number."""
    count = 0
    for world in range(len(edges) - 2):
        for a in range(edges[world + 1], edges[world + 2]):
            i = order[a]
            if shapes[i].body >= moving:
                continue
            for both in range(2):
                k = (world + 1) * both
                for b in range(edges[k], edges[k + 1]):
                    j = order[b]
                    if can_collide(shapes, moving, collides, excluded_pairs, i, j):
                        shape_pairs[count, 0], shape_pairs[count, 1] = i, j
                        count += 1
    return count


def contact_generator(kinds: tuple[tuple[int, int], ...]) -> Callable[..., None]:
    """The compiled function that makes the contacts of a link's pairs of these kinds of shapes."""
    contacts_of = select_method([CONTACT_METHODS[pair] for pair in kinds])

    @borrowing_code
    def generate_contacts(pairs: AllPairs, first: Integer, end: Integer, pose: Pose, colliders: Colliders,
                          close: Array) -> None:
        """Make the contacts of a link's pairs, rows `first` to `end`.

        pose: of F of the link, float32. close: for each pair, the result of `may_overlap`.
        """
        # broad phase by worlds, narrow phase by kinds, then the events of the pair
        update_link_overlaps(pairs, first, end, pose, colliders, close)
        for k in range(first, end):
            state = pairs.memory[k]
            if state.overlapping == SEPARATE:
                continue
            pair, i, j, at = pairs.rows[k], pairs.rows[k].shape0, pairs.rows[k].shape1, k * MANIFOLD_SIZE
            last = contacts_of(state.kinds, pair, colliders.shapes[i], pose_at(colliders.shape_poses, i),
                               colliders.shapes[j],
                               pose_at(colliders.shape_poses, j), colliders.geometry, colliders.manifolds,
                               pairs.contacts,
                               at)
            store_contacts(pair, k, pairs.contacts, at, last)
            if last == at:
                set_touch_lost(state)
            elif not state.touching:
                state.touching = CREATED

    return generate_contacts


@borrowing_code
def may_overlap(sphere: Record, pose: Pose) -> Condition:
    """Whether the bounding sphere of a shape of a link at `pose` overlaps the bounds of the static shape."""
    # c +- r inside the bounds of the static shape, on every axis
    centre, radius = transform(pose, (sphere.centre[0], sphere.centre[1], sphere.centre[2])), sphere.radius
    # no branches: evaluated for many worlds as vectors
    return ((centre[0] + radius >= sphere.low[0]) & (centre[0] - radius <= sphere.high[0])
            & (centre[1] + radius >= sphere.low[1]) & (centre[1] - radius <= sphere.high[1])
            & (centre[2] + radius >= sphere.low[2]) & (centre[2] - radius <= sphere.high[2]))


@borrowing_code
def update_link_overlaps(pairs: AllPairs, first: Integer, end: Integer, pose: Pose, colliders: Colliders,
                         close: Array) -> None:
    """Update the shapes of a link's pairs that are close, rows `first` to `end`, and whether their bounds overlap."""
    shape = -1
    for k in range(first, end):
        state, near = pairs.memory[k], close[k - first]
        if state.touch_lost:
            state.touch_lost = 0
        if not near and state.overlapping == SEPARATE:
            continue
        pair = pairs.rows[k]
        if near:
            if pairs.moving[k] != shape:
                shape = pairs.moving[k]
                update_shape(colliders.shapes[shape], pose, colliders.shape_poses[shape], colliders.bounds[shape])
            near = overlap(colliders.bounds, shape, colliders.bounds, _static_shape(pair, shape))
        # a pair whose bounds meet again has an empty manifold
        if near and state.overlapping == SEPARATE:
            pair.known, pair.points, pair.warm_start_count, state.overlapping = 0, 0, 0, CREATED
        elif not near and state.overlapping != SEPARATE:
            state.overlapping, pair.contacts = SEPARATE, 0
            set_touch_lost(state)


@borrowing_code
def set_touch_lost(state: Record) -> None:
    """Record that the shapes of a pair no longer touch."""
    state.touch_lost, state.touching = int(state.touching != 0), 0


@borrowing_code
def _static_shape(pair: Record, moving: Integer) -> Integer:
    """The static shape of a pair."""
    return pair.shape1 if pair.shape0 == moving else pair.shape0


@borrowing_code
def any_overlapping(pairs: AllPairs, first: Integer, worlds: Integer, count: Integer, link: Record) -> bool:
    """Whether the bounds of any pair of a link overlapped in the last step, or lost contact in it, in any world.

    first: the first pair of the first world. count: pairs of a world. link: with its range of pairs.
    """
    some = False
    for world in range(worlds):
        for k in range(first + world * count + link["first"], first + world * count + link["end"]):
            some |= (pairs.memory[k].overlapping != SEPARATE) | (pairs.memory[k].touch_lost != 0)
    return some


@borrowing_code
def update_pair_events(pairs: AllPairs, first: Integer, end: Integer, colliders: Colliders) -> bool:
    """Number the new overlaps and contacts of a world's pairs; return whether the set of touching pairs changed."""
    # number new pairs and new contacts in PhysX's order
    created, touch_started, changed = False, False, False
    for k in range(first, end):
        state = pairs.memory[k]
        created |= state.overlapping == CREATED
        touch_started |= state.touching == CREATED
        changed |= state.touch_lost != 0 or (state.touching != 0 and state.slot == NO_SLOT)
    if created:
        _number_created(pairs, first, end, colliders)
    if touch_started:
        _number_touching(pairs, first, end)
    return changed or touch_started


@borrowing_code
def sort_by_touch(pairs: AllPairs, first: Integer, end: Integer, queue: Array) -> Integer:
    """Sort the touching pairs of a world in PhysX's input order; return their number.

    queue: filled with their indices in the world.
    """
    # insertion sort by the time of the first touch
    count = 0
    for k in range(first, end):
        if pairs.memory[k].touching:
            at = count
            while at > 0 and pairs.memory[first + queue[at - 1]].touch_index > pairs.memory[k].touch_index:
                queue[at] = queue[at - 1]
                at -= 1
            queue[at] = k - first
            count += 1
    return count


@borrowing_code
def _number_created(pairs: AllPairs, first: Integer, end: Integer, colliders: Colliders) -> None:
    """Number the pairs whose bounds begin to overlap in this step, in the order of `pair_order.PairCreationOrder`.

    Several new pairs of a link in one step are treated as if they began one by one.
    """
    # creation index: maximum of the world plus one, in the order of the sweep
    creation_index = np.int64(0)
    for k in range(first, end):
        creation_index = max(creation_index, pairs.rows[k].creation_index)
    while True:
        next_pair = -1
        for k in range(first, end):
            if pairs.memory[k].overlapping == CREATED and (next_pair < 0 or _sweep_key(pairs, k, colliders)
                                                      > _sweep_key(pairs, next_pair, colliders)):
                next_pair = k
        if next_pair < 0:
            return
        creation_index += 1
        pairs.rows[next_pair].creation_index, pairs.memory[next_pair].overlapping = creation_index, OVERLAPPING


@borrowing_code
def _sweep_key(pairs: AllPairs, k: Integer, colliders: Colliders) -> tuple[Integer, Scalar, Integer, Scalar, Integer]:
    """The sort key of a pair in the sweep along x."""
    i = pairs.moving[k]
    j = _static_shape(pairs.rows[k], i)
    # the lower of both along x, of equal ones the first created  (BpAABBManager.cpp, doBipartiteBoxPruning_Leaf)
    low_i, low_j = colliders.bounds[i, 0, 0], colliders.bounds[j, 0, 0]
    created_i, created_j = colliders.shapes[i].created, colliders.shapes[j].created
    if low_j < low_i:
        return 1, low_j, created_j, low_i, created_i
    return 0, low_i, created_i, low_j, created_j


@borrowing_code
def _number_touching(pairs: AllPairs, first: Integer, end: Integer) -> None:
    """Number the pairs that begin to touch in this step, by creation index."""
    touch_index = np.int64(0)
    for k in range(first, end):
        touch_index = max(touch_index, pairs.memory[k].touch_index)
    while True:
        next_pair = -1
        for k in range(first, end):
            if pairs.memory[k].touching == CREATED and (next_pair < 0 or pairs.rows[k].creation_index
                                                        < pairs.rows[next_pair].creation_index):
                next_pair = k
        if next_pair < 0:
            return
        touch_index += 1
        pairs.memory[next_pair].touch_index, pairs.memory[next_pair].touching = touch_index, OVERLAPPING
