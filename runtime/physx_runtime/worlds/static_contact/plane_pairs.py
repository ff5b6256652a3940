"""Pairs of links and planes in contact.

Pairs of links with planes that whole blocks meet at once: what they keep, as rows of blocks and as records.

A block of worlds with slots, as scalar code reads and writes it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.bounds import place_shape
from physx_runtime.collision.friction_patch import ANCHORS, PATCH
from physx_runtime.collision.narrow_phase.planes import find_outsides
from physx_runtime.collision.shapes import CAPSULE, MOST_POINTS, PAIR, PLANE, SPHERE
from physx_runtime.collision.simd_math import Pose
from physx_runtime.collision.static_pairs import AWAY, NEW, AllPairs, Colliders, StaticPairs, part_shapes
from physx_runtime.compiling.numba_functions import borrowing_code
from physx_runtime.model.contact_rows import SURFACE
from physx_runtime.solver.contact.plane_pairs import KEPT, MOST, REMEMBERED
from physx_runtime.solver.contact.static_slots import SlotProgram

Array = NDArray[Any]


class SlotBlock(NamedTuple):
    """One block."""

    rows: Array             # (rows, lanes)
    memory: Array           # the same, flat
    lanes: int
    held: Array             # (slots, lanes) which pair is in a slot, -1 for none


@borrowing_code
def pose_of_link(block: SlotBlock, lane: int, link: Any) -> Pose:
    """The mass frame of a link, a record of its rows, in float32."""
    memory, lanes = block.memory, block.lanes
    p = lane + link["pose"] * lanes
    q = p + 3 * lanes
    return ((np.float32(memory[p]), np.float32(memory[p + lanes]), np.float32(memory[p + 2 * lanes])),
            (np.float32(memory[q]), np.float32(memory[q + lanes]), np.float32(memory[q + 2 * lanes]),
             np.float32(memory[q + 3 * lanes])))


@borrowing_code
def copy_numbers(source: Array, first: int, target: Array, place: int, count: int) -> None:
    """Copy rows of a block from `first` on to `place`."""
    lanes = source.shape[1]
    # parts indexed from 0: of others the compiler cannot tell that no index is negative, and copies number by number
    numbers, copies = source.reshape(source.size)[first * lanes:], target.reshape(target.size)[place * lanes:]
    for i in range(count * lanes):
        copies[i] = numbers[i]


class PairPatches(NamedTuple):
    """The one patch of each pair of all worlds, and what it is made of."""

    patches: Array          # PATCH
    order: Array            # of contacts, as they lie
    centers: Array          # frames of places, those of links to be filled in
    surfaces: Array         # (n, 11)
    surface_of: Array       # which of these each pair has
    threshold: float        # as of `collision.friction_patch.Patches`
    correlation: float


ON_PLANES = {(SPHERE, PLANE): SPHERE, (PLANE, CAPSULE): CAPSULE}
PLACES = dict(zip(KEPT, np.cumsum([0, *KEPT.values()]).tolist(), strict=False))      # of rows among those kept
KEPT_SIZE, REMEMBERED_SIZE = sum(KEPT.values()), sum(REMEMBERED.values())
NEAR, TOUCHING = PLACES["near"], PLACES["touching"]
# Of what is remembered, by the record that has it too.
OF_PAIRS = {name: name for name in REMEMBERED if name in (PAIR.names or ()) and name != "touching"} | {
    "rotation_kept": "rotation"}
BY_POINT = ("local0", "local1", "distance")
OF_PATCHES = tuple(name for name in REMEMBERED if name in (PATCH.names or ()))


class MetRows(NamedTuple):
    """Where pairs that are met by rows are, and what they keep."""

    kept: Array             # (blocks, n_met, KEPT_SIZE, lanes)
    active: Array           # (blocks, n_met) whether the bounds meet in a world of the block
    links: Array            # (n_met,) which of the links with slots each is of
    pairs: Array            # which of a world's pairs
    first: Array            # its first row in a block
    changed: Array          # the row that tells whether it meets or touches otherwise than before


def kinds_on_planes(pairs: StaticPairs, known: PairPatches) -> dict[int, int]:
    """Links whose one pair can be met by rows, and the kind of its shape, which is alike in all worlds."""
    found = {}
    for i in range(len(pairs.links)):
        own = np.flatnonzero(pairs.of_link == i)
        kind = ON_PLANES.get(pairs.kinds[pairs.all.memory["kinds"][own[0]]])
        if len(own) == 1 and kind is not None:
            standing = _standing(pairs, known, int(own[0]))
            if all((values == values[:1]).all() for values in standing.values()):
                found[i] = kind
    return found


def _standing(pairs: StaticPairs, known: PairPatches, pair: int) -> dict[str, Array]:
    """Rows of `STANDING` and of a patch's surface by name, (n_world, size)."""
    chosen, table = slice(pair, None, len(pairs.of_link)), pairs.table.pairs
    rows, moving = table.rows[chosen], pairs.all.moving[chosen]
    plane = np.where(rows["shape0"] == moving, rows["shape1"], rows["shape0"])
    shapes, patches = table.shapes[moving], known.patches[chosen]
    outside = np.empty((len(rows), 3), np.float32)
    find_outsides(shapes["kind"] == CAPSULE, table.placed[plane], outside)
    towards = np.where((rows["shape0"] == moving) ^ (rows["swapped"] != 0), 1, -1)
    found = {"collider": np.c_[shapes["position"], shapes["rotation"]], "size": shapes["size"][:, :2],
             "offset": shapes["contact_offset"], "plane": table.placed[plane], "low": table.bounds[plane, 0, :3],
             "high": table.bounds[plane, 1, :3], "outside": outside, "normal": towards[:, None] * outside,
             "reach": rows["reach"], "rest": rows["rest"], "most": known.threshold + rows["rest"].astype(np.float64),
             "correlation": np.full(len(rows), known.correlation), "frame1": known.centers[patches["side1"]]}
    surfaces = known.surfaces[known.surface_of[chosen]]
    found |= {name: surfaces[:, i] for i, name in enumerate(SURFACE)}
    return {name: values.reshape(len(rows), -1) for name, values in found.items()}


class PlanePairs:
    """Those of all worlds. `stale`: the records of pairs, which anyone may read, are of an earlier step."""

    def __init__(self, pairs: StaticPairs, known: PairPatches, program: SlotProgram, count: int, kept: Array) -> None:
        own = [int(np.flatnonzero(pairs.of_link == i)[0]) for i in program.met]
        self._pairs, self._known, self._program, self._count = pairs, known, program, count
        self.rows = MetRows(kept, np.zeros(kept.shape[:2], np.bool_), np.array(list(program.met), np.int64),
                            np.array(own, np.int64),
                            np.array([part["near"].row for part in program.met.values()], np.int64),
                            np.array([part["changed"].row for part in program.met.values()], np.int64))
        self._standing = [_standing(pairs, known, pair) for pair in own]
        self.stale = False

    def set_up(self, rows: Array) -> None:
        """Write what stands into the rows of a block, (rows, lanes)."""
        for (link, part), standing in zip(self._program.met.items(), self._standing, strict=True):
            slot = self._program.slots[link][0]
            for name, values in standing.items():
                for span in [whole[name] for whole in (part, slot) if name in whole.groups]:
                    rows[span.row:span.row + span.size] = values[:1].T

    def forget(self, worlds: Array) -> None:
        """Give up what pairs of these worlds keep."""
        lanes = self.rows.kept.shape[3]
        for name in ("near", "touching", "anchors", "contacts"):
            self.rows.kept[worlds // lanes, :, PLACES[name], worlds % lanes] = 0.0

    def go_on(self) -> None:
        """Go on with what the records of pairs have."""
        self.stale = False
        for i in range(len(self.rows.pairs)):
            pairs, memory, patches = self._records(i)
            values = np.zeros((self._count, KEPT_SIZE))
            for name in ("near", "touching"):
                _columns(values, name)[:, 0] = memory[name] != 0
            for name, field in OF_PAIRS.items():
                own = _columns(values, name)
                own[:] = pairs[field].reshape(self._count, -1)[:, :own.shape[1]]
            for name in OF_PATCHES:
                _columns(values, name)[:] = patches[name].reshape(self._count, -1)
            _columns(values, "contacts")[:, 0] = pairs["contacts"]
            self._write(i, values)

    def write_records(self, impulses: Array, frictions: Array) -> None:
        """Bring the records of pairs, and what these gave, to what the rows have."""
        if not self.stale:
            return
        self.stale = False
        for i, pair in enumerate(self.rows.pairs):
            values, (pairs, memory, patches) = self._read(i), self._records(i)
            pairs["contacts"] = _columns(values, "contacts")[:, 0]
            touching = np.flatnonzero(pairs["contacts"])
            values, rows = values[touching], pair + touching * len(self._pairs.of_link)
            for name, field in OF_PAIRS.items():
                own = pairs[field][:, :MOST] if name in BY_POINT else pairs[field]
                own[touching] = _columns(values, name).reshape(len(touching), *own.shape[1:])
            for name in OF_PATCHES:
                patches[name][touching] = _columns(values, name).reshape(len(touching), *patches.dtype[name].shape)
            pairs["first"][touching] = patches["first"][touching] = rows * MOST_POINTS
            patches["points"][touching] = pairs["contacts"][touching]
            patches["born"][touching] = memory["begun"][touching]
            self._known.centers[patches["side0"][touching]] = _columns(values, "frame")
            self._write_contacts(rows, values, self._standing[i]["normal"][0])
            _write_given(rows, values, impulses, frictions)

    def _write_contacts(self, rows: Array, values: Array, normal: Array) -> None:
        contacts = self._pairs.all.contacts
        for j in range(MOST):
            some = _columns(values, "contacts")[:, 0] > j
            at = rows[some] * MOST_POINTS + j
            contacts["pair"][at], contacts["normal"][at] = rows[some], normal
            contacts["point"][at] = _columns(values, "contact_point")[some, 3 * j:3 * j + 3]
            contacts["separation"][at] = _columns(values, "contact_separation")[some, j]

    def _records(self, i: int) -> tuple[Array, Array, Array]:
        """Those of the i-th pair in all worlds."""
        chosen = slice(self.rows.pairs[i], None, len(self._pairs.of_link))
        return self._pairs.all.rows[chosen], self._pairs.all.memory[chosen], self._known.patches[chosen]

    def _read(self, i: int) -> Array:
        """What the i-th pair keeps, (n_world, KEPT_SIZE)."""
        return self.rows.kept[:, i].transpose(0, 2, 1).reshape(-1, KEPT_SIZE)[:self._count]

    def _write(self, i: int, values: Array) -> None:
        blocks, _, _, lanes = self.rows.kept.shape
        padded = np.concatenate([values, np.repeat(values[-1:], blocks * lanes - self._count, axis=0)])
        self.rows.kept[:, i] = padded.reshape(blocks, lanes, KEPT_SIZE).transpose(0, 2, 1)
        self.rows.active[:, i] = (self.rows.kept[:, i, NEAR] != 0.0).any(axis=1)


def _columns(values: Array, name: str) -> Array:
    return values[:, PLACES[name]:PLACES[name] + KEPT[name]]


def _write_given(rows: Array, values: Array, impulses: Array, frictions: Array) -> None:
    """What contacts gave, and anchors as vectors."""
    impulses[rows[:, None] * MOST_POINTS + np.arange(MOST)] = _columns(values, "impulse")
    given = _columns(values, "friction_impulse").reshape(-1, ANCHORS, 2).astype(np.float64)
    axes = _columns(values, "tangents").reshape(-1, 2, 3).astype(np.float64)
    frictions[rows] = given[:, :, :1] * axes[:, None, 0] + given[:, :, 1:] * axes[:, None, 1]


@borrowing_code
def bring(met: MetRows, block: int, rows: Array) -> None:
    """Write what pairs of a block keep into its rows."""
    for i in range(len(met.pairs)):
        first = met.first[i]
        if met.active[block, i]:
            copy_numbers(met.kept[block, i], 0, rows, first, REMEMBERED_SIZE)
        else:
            for lane in range(rows.shape[1]):
                rows[first + NEAR, lane] = rows[first + TOUCHING, lane] = 0.0


@borrowing_code
def keep(met: MetRows, block: int, rows: Array) -> None:
    """Keep what pairs of a block have in its rows."""
    for i in range(len(met.pairs)):
        first, near = met.first[i], False
        for lane in range(rows.shape[1]):
            near |= rows[first + NEAR, lane] != 0.0
        if near or met.active[block, i]:
            copy_numbers(rows, first, met.kept[block, i], 0, KEPT_SIZE)
        met.active[block, i] = near


@borrowing_code
def take_note_of_changes(met: MetRows, block: SlotBlock, own: int, links: Array, pairs: AllPairs, first: int,
                         colliders: Colliders) -> bool:
    """Tell the records of pairs of a block's `own` worlds whose bounds or shapes meet or part: whether some do.

    first: the first world's first pair.
    """
    some, rows = False, block.rows
    for i in range(len(met.pairs)):
        changed = False
        for lane in range(own):
            changed |= rows[met.changed[i], lane] != 0.0
        if not changed:
            continue
        some = True
        for lane in range(own):
            k = first + lane * links[-1]["end"] + met.pairs[i]
            near, touching = rows[met.first[i] + NEAR, lane] != 0.0, rows[met.first[i] + TOUCHING, lane] != 0.0
            if near and pairs.memory[k].near == AWAY:
                shape, pose = pairs.moving[k], pose_of_link(block, lane, links[met.links[i]])
                place_shape(colliders.shapes[shape], pose, colliders.placed[shape], colliders.bounds[shape])
            _tell(pairs.memory[k], near, touching)
    return some


@borrowing_code
def _tell(memory: Any, near: bool, touching: bool) -> None:
    """Tell a pair whether its bounds and its shapes meet."""
    if near and memory.near == AWAY:
        memory.near = NEW
    elif not near:
        memory.near = AWAY
    if touching and not memory.touching:
        memory.touching = NEW
    elif memory.touching and not touching:
        part_shapes(memory)


@borrowing_code
def hush(met: MetRows, own: int, pairs: AllPairs, first: int, count: int) -> None:
    """Tell no more that pairs have parted; as `take_note_of_changes`."""
    for lane in range(own):
        for pair in met.pairs:
            pairs.memory[first + lane * count + pair].parted = 0
