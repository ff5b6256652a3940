"""Pairs of links with what stands still: all that a world can ever have, each in a place of its own.

A pair is met again in every step where its bounds overlap, as in `pairs.PairTable`; only nothing is searched for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.bounds import place_shape, place_shapes, pose_at
from physx_runtime.collision.broad_phase.overlap import may_meet, overlap
from physx_runtime.collision.friction_patch import LINK, STATIC
from physx_runtime.collision.narrow_phase.dispatch import MAKERS, one_of, put_down
from physx_runtime.collision.pair_table import ContactTable, PairTable
from physx_runtime.collision.shapes import BOX, CAPSULE, CONTACT, EVERY_WORLD, MOST_POINTS, PLANE, SPHERE, Geometry
from physx_runtime.collision.simd_math import Pose, outward
from physx_runtime.compiling.numba_functions import borrowing_code, borrowing_entry

Array = NDArray[Any]

# Contacts that a pair of kinds has at most; all of one pair have one normal.
POINTS = {(SPHERE, PLANE): 1, (SPHERE, CAPSULE): 1, (SPHERE, BOX): 1, (SPHERE, SPHERE): 1, (PLANE, CAPSULE): 2,
          (PLANE, BOX): 4, (CAPSULE, CAPSULE): 4, (CAPSULE, BOX): 2, (BOX, BOX): 4}
AWAY, NEAR, NEW = range(3)
NOWHERE = -1
# Of a pair between steps, besides what `PAIR` has of it.
MEMORY = np.dtype([
    ("near", "i4"),             # whether its bounds overlap: AWAY, NEAR or, within a step, NEW
    ("touching", "i4"),         # whether it has contacts, as `near`
    ("parted", "i4"),           # whether the step found that it has none any more
    ("kinds", "i4"),            # which of the `kinds` of the pairs it is of
    ("slot", "i4"),             # its place in the order of the world's pairs that touch, NOWHERE until it is lined up
    ("begun", "i8"),            # counts up in the order in which pairs of a world began to touch
])
# What tells at once of a pair in most worlds that it is apart: a ball around the moving shape in the frame of its body,
# and bounds of the other, in whatever world.
BALL = np.dtype([
    ("centre", "f4", 3),
    ("radius", "f4"),
    ("low", "f4", 3),
    ("high", "f4", 3),
])
SLACK = np.float32(1.001)       # rounding leaves shapes in their balls


class AllPairs(NamedTuple):
    """The pairs of all worlds."""

    rows: Array                             # PAIR
    memory: Array                           # MEMORY
    moving: Array                           # the moving shape
    balls: Array                            # BALL, of each pair of a world
    contacts: Array                         # CONTACT, MOST_POINTS rows for each pair, of the last step


class Colliders(NamedTuple):
    """Shapes as they are placed."""

    shapes: Array                           # SHAPE
    placed: Array
    bounds: Array
    geometry: Geometry
    manifolds: Array                        # none: meshes are not among them


@dataclass(frozen=True, slots=True)
class StaticPairs:
    """All pairs of worlds in which links meet nothing but what stands still, world after world, link after link.

    They are the rows of `table.pairs` from now on. `of_link`: (n_pair,) which of `links` has each pair of a world.
    """

    table: ContactTable
    links: tuple[tuple[int, int], ...]      # (actor, link), those with pairs
    of_link: Array
    points: tuple[int, ...]                 # by link, contacts of one pair at most
    kinds: tuple[tuple[int, int], ...]      # of shapes that meet in them
    all: AllPairs

    @property
    def colliders(self) -> Colliders:
        """Those of the table."""
        pairs = self.table.pairs
        return Colliders(pairs.shapes, pairs.placed, pairs.bounds, pairs.geometry, pairs.manifolds)

    def forget(self, worlds: Array) -> Array:
        """Drop what pairs of these worlds remember; which of all pairs these are."""
        gone = np.isin(self.table.pairs.shapes["world"][self.all.moving], worlds)
        for name in ("near", "touching", "begun"):
            self.all.memory[name][gone] = 0
        self.all.memory["slot"][gone] = NOWHERE
        for name in ("born", "contacts"):
            self.all.rows[name][gone] = 0
        return gone


def fixed_pairs(table: ContactTable, worlds: int) -> StaticPairs | None:
    """The pairs of all worlds; None where worlds differ in them, or where anything but links and statics can meet."""
    shapes, places = table.pairs.shapes, table.places
    if (places["kind"][shapes["body"]][shapes["body"] < table.pairs.moving] != LINK).any():
        return None                         # thousands of bodies have too many pairs to list them all
    kinds = places["kind"][shapes["body"]]
    order = np.argsort(shapes["world"], kind="stable").astype(np.int32)
    edges = np.searchsorted(shapes["world"][order], np.arange(EVERY_WORLD, worlds + 1)).astype(np.int64)
    found = np.empty((worlds * _most(edges), 2), np.int32)
    found = found[:_list(shapes, table.pairs.moving, table.pairs.meets, table.pairs.apart, order, edges, found)]
    first, second = found[:, 0], found[:, 1]
    if len(found) == 0 or (kinds[first] != LINK).any() or (kinds[second] != STATIC).any() or len(found) % worlds:
        return None
    held = np.stack([places[name][shapes["body"][first]] for name in ("owner", "link")], axis=1)
    found = found[np.lexsort((second, first, held[:, 1], held[:, 0], shapes["world"][first]))]
    first, second = found.reshape(worlds, -1, 2).transpose(2, 0, 1)
    shape_kinds = shapes["kind"][found.reshape(-1, 2)]
    if any((min(a, b), max(a, b)) not in POINTS for a, b in np.unique(shape_kinds, axis=0).tolist()):
        return None
    pattern = np.stack([places["owner"][shapes["body"][first]], places["link"][shapes["body"][first]],
                        shapes["kind"][first], shapes["kind"][second]], axis=-1)
    if (shapes["world"][first] != np.arange(worlds)[:, None]).any() or (pattern != pattern[0]).any():
        return None
    return _made(table, found, pattern[0])


def _made(table: ContactTable, found: Array, pattern: Array) -> StaticPairs:
    links, of_link = np.unique(pattern[:, :2], axis=0, return_inverse=True)
    of_kinds = [(min(pair), max(pair)) for pair in pattern[:, 2:].tolist()]
    most, kinds = np.array([POINTS[pair] for pair in of_kinds]), tuple(sorted(set(of_kinds)))
    pairs = table.pairs
    pairs.rows = pairs.records(found)
    poses = np.c_[table.places["position"], table.places["rotation"]].astype(np.float32)
    place_shapes(pairs.shapes, poses, pairs.geometry, pairs.placed, pairs.bounds)     # what stands still
    memory = np.zeros(len(found), MEMORY)
    memory["slot"] = NOWHERE
    memory["kinds"] = np.resize([kinds.index(pair) for pair in of_kinds], len(found))
    balls = _balls(pairs, found.reshape(-1, len(pattern), 2))
    pairs_of_all = AllPairs(pairs.rows, memory, np.ascontiguousarray(found[:, 0]), balls,
                            np.zeros(len(found) * MOST_POINTS, CONTACT))
    return StaticPairs(table, tuple((int(a), int(b)) for a, b in links), of_link.ravel(),
                       tuple(int(most[of_link.ravel() == i].max()) for i in range(len(links))), kinds, pairs_of_all)


def _balls(pairs: PairTable, found: Array) -> Array:
    """Of each pair of a world, around its shapes in all worlds; found: (n_world, n_pair, 2)."""
    shapes, balls = pairs.shapes[found[:, :, 0]], np.zeros(found.shape[1], BALL)
    size, kind, place = shapes["size"], shapes["kind"], shapes["position"]
    length = size[..., 0] + np.where(kind == CAPSULE, size[..., 1], 0)
    radius = np.where(kind == BOX, np.linalg.norm(size, axis=2), length)
    centre = place.mean(axis=0)
    apart = np.linalg.norm(place - centre, axis=2)
    balls["centre"], balls["radius"] = centre, (SLACK * (radius + shapes["contact_offset"] + apart)).max(axis=0)
    bounds = pairs.bounds[found[:, :, 1], :, :3]
    balls["low"], balls["high"] = bounds[:, :, 0].min(axis=0), bounds[:, :, 1].max(axis=0)
    return balls


def _most(edges: Array) -> int:
    """Pairs of a world at most."""
    sizes = np.diff(edges)
    return int((sizes[0] + sizes[1:].max(initial=0)) ** 2)


@borrowing_entry
def _list(shapes: Any, moving: Any, meets: Any, apart: Any, order: Any, edges: Any, found: Any) -> Any:
    """All pairs that may meet in each world, a moving shape first: how many."""
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
                    if may_meet(shapes, moving, meets, apart, i, j):
                        found[count, 0], found[count, 1] = i, j
                        count += 1
    return count


def touching_links(kinds: tuple[tuple[int, int], ...]) -> Any:
    """What makes the contacts of links by pairs of shapes of these kinds."""
    contacts_of = one_of([MAKERS[pair] for pair in kinds])

    @borrowing_code
    def touch_link(pairs: AllPairs, first: Any, end: Any, pose: Pose, colliders: Colliders, close: Any) -> None:
        """Make the contacts of a link's pairs, rows `first` to `end`.

        pose: of F of the link, float32. close: of each, whether it `may_be_near`.
        """
        meet_link(pairs, first, end, pose, colliders, close)
        for k in range(first, end):
            own = pairs.memory[k]
            if own.near == AWAY:
                continue
            pair, i, j, at = pairs.rows[k], pairs.rows[k].shape0, pairs.rows[k].shape1, k * MOST_POINTS
            last = contacts_of(own.kinds, pair, colliders.shapes[i], pose_at(colliders.placed, i), colliders.shapes[j],
                               pose_at(colliders.placed, j), colliders.geometry, colliders.manifolds, pairs.contacts,
                               at)
            put_down(pair, k, pairs.contacts, at, last)
            if last == at:
                part_shapes(own)
            elif not own.touching:
                own.touching = NEW

    return touch_link


@borrowing_code
def may_be_near(ball: Any, pose: Pose) -> Any:
    """Whether the ball around a shape of a link at `pose` reaches into the bounds of what stands still."""
    centre, radius = outward(pose, (ball.centre[0], ball.centre[1], ball.centre[2])), ball.radius
    # no branches: asked of many worlds side by side
    return ((centre[0] + radius >= ball.low[0]) & (centre[0] - radius <= ball.high[0])
            & (centre[1] + radius >= ball.low[1]) & (centre[1] - radius <= ball.high[1])
            & (centre[2] + radius >= ball.low[2]) & (centre[2] - radius <= ball.high[2]))


@borrowing_code
def meet_link(pairs: AllPairs, first: Any, end: Any, pose: Pose, colliders: Colliders, close: Any) -> None:
    """Place the shapes of a link's pairs, rows `first` to `end`, that are close, and tell whose bounds overlap."""
    shape = -1
    for k in range(first, end):
        own, near = pairs.memory[k], close[k - first]
        if own.parted:
            own.parted = 0
        if not near and own.near == AWAY:
            continue
        pair = pairs.rows[k]
        if near:
            if pairs.moving[k] != shape:
                shape = pairs.moving[k]
                place_shape(colliders.shapes[shape], pose, colliders.placed[shape], colliders.bounds[shape])
            near = overlap(colliders.bounds, shape, colliders.bounds, _standing(pair, shape))
        if near and own.near == AWAY:
            pair.known, pair.points, pair.warm, own.near = 0, 0, 0, NEW
        elif not near and own.near != AWAY:
            own.near, pair.contacts = AWAY, 0
            part_shapes(own)


@borrowing_code
def part_shapes(own: Any) -> None:
    """Heed that the shapes of a pair, if they did, touch no more."""
    own.parted, own.touching = int(own.touching != 0), 0


@borrowing_code
def _standing(pair: Any, moving: Any) -> Any:
    """The shape that stands still."""
    return pair.shape1 if pair.shape0 == moving else pair.shape0


@borrowing_code
def any_near(pairs: AllPairs, first: Any, worlds: Any, count: Any, link: Any) -> bool:
    """Whether a pair of a link was near in the last step, or parted with it, in one of the worlds from pair `first` on.

    count: pairs of a world. link: with its pairs, from `first` to `end`.
    """
    some = False
    for world in range(worlds):
        for k in range(first + world * count + link["first"], first + world * count + link["end"]):
            some |= (pairs.memory[k].near != AWAY) | (pairs.memory[k].parted != 0)
    return some


@borrowing_code
def take_note(pairs: AllPairs, first: Any, end: Any, colliders: Colliders) -> bool:
    """Number the pairs of a world, rows `first` to `end`, that meet or touch anew; whether others touch than before."""
    born, begun, changed = False, False, False
    for k in range(first, end):
        own = pairs.memory[k]
        born |= own.near == NEW
        begun |= own.touching == NEW
        changed |= own.parted != 0 or (own.touching != 0 and own.slot == NOWHERE)
    if born:
        _give_birth(pairs, first, end, colliders)
    if begun:
        _begin(pairs, first, end)
    return changed or begun


@borrowing_code
def line_up(pairs: AllPairs, first: Any, end: Any, queue: Any) -> Any:
    """Put the pairs of a world, rows `first` to `end`, that touch in PhysX's input order: how many there are.

    queue: is given their numbers in the world.
    """
    count = 0
    for k in range(first, end):
        if pairs.memory[k].touching:
            at = count
            while at > 0 and pairs.memory[first + queue[at - 1]].begun > pairs.memory[k].begun:
                queue[at] = queue[at - 1]
                at -= 1
            queue[at] = k - first
            count += 1
    return count


@borrowing_code
def _give_birth(pairs: AllPairs, first: Any, end: Any, colliders: Colliders) -> None:
    """Number the pairs whose bounds meet in this step, as `births.PairCreationOrder` has them.

    Shapes of a link that meet several static ones in one step are taken as if the link met them one by one.
    """
    number = np.int64(0)
    for k in range(first, end):
        number = max(number, pairs.rows[k].born)
    while True:
        chosen = -1
        for k in range(first, end):
            if pairs.memory[k].near == NEW and (chosen < 0 or _place(pairs, k, colliders)
                                                      > _place(pairs, chosen, colliders)):
                chosen = k
        if chosen < 0:
            return
        number += 1
        pairs.rows[chosen].born, pairs.memory[chosen].near = number, NEAR


@borrowing_code
def _place(pairs: AllPairs, k: Any, colliders: Colliders) -> Any:
    """Where a pair is in the sweep along x."""
    i = pairs.moving[k]
    j = _standing(pairs.rows[k], i)
    low_i, low_j = colliders.bounds[i, 0, 0], colliders.bounds[j, 0, 0]
    created_i, created_j = colliders.shapes[i].created, colliders.shapes[j].created
    if low_j < low_i:
        return 1, low_j, created_j, low_i, created_i
    return 0, low_i, created_i, low_j, created_j


@borrowing_code
def _begin(pairs: AllPairs, first: Any, end: Any) -> None:
    """Number the pairs that begin to touch in this step, the oldest first."""
    number = np.int64(0)
    for k in range(first, end):
        number = max(number, pairs.memory[k].begun)
    while True:
        chosen = -1
        for k in range(first, end):
            if pairs.memory[k].touching == NEW and (chosen < 0 or pairs.rows[k].born < pairs.rows[chosen].born):
                chosen = k
        if chosen < 0:
            return
        number += 1
        pairs.memory[chosen].begun, pairs.memory[chosen].touching = number, NEAR
