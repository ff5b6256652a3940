"""Pairs of links and planes whose contacts are computed for whole blocks of worlds at once.

`PlanePairs` keeps their manifolds and friction patches as rows of blocks, and copies them to and from the records of
pairs. `load_plane_pairs`, `store_plane_pairs` and `update_plane_pairs` are called in the step of a block. `SlotBlock`
and `PairPatches` are the rows of a block and the patches of pairs in compiled scalar code.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from physx_runtime.arrays import Array, Pose, Record
from physx_runtime.collision.bounds import update_shape
from physx_runtime.collision.friction_patch import ANCHORS, PATCH
from physx_runtime.collision.narrow_phase.planes import find_plane_normals
from physx_runtime.collision.shapes import CAPSULE, MANIFOLD_SIZE, PAIR, PLANE
from physx_runtime.collision.static_pairs import CREATED, SEPARATE, AllPairs, Colliders, StaticPairs, set_touch_lost
from physx_runtime.compiling.numba_functions import borrowing_code
from physx_runtime.model.contact_rows import SURFACE
from physx_runtime.solver.contact.plane_pairs import MAX_POINTS, PERSISTENT, POINTS, STORED
from physx_runtime.solver.contact.static_slots import SlotProgram


class SlotBlock(NamedTuple):
    """The rows of one block of worlds, for scalar code."""

    rows: Array             # (rows, lanes)
    memory: Array           # the same, flat
    size: int
    slot_pairs: Array             # (slots, lanes) the pair of each slot, -1 for none


@borrowing_code
def pose_of_link(block: SlotBlock, world: int, link: Record) -> Pose:
    """The mass frame of a link, a record of its rows, in float32."""
    memory, stride = block.memory, block.size
    p = world + link["pose"] * stride
    q = p + 3 * stride
    return ((np.float32(memory[p]), np.float32(memory[p + stride]), np.float32(memory[p + 2 * stride])),
            (np.float32(memory[q]), np.float32(memory[q + stride]), np.float32(memory[q + 2 * stride]),
             np.float32(memory[q + 3 * stride])))


@borrowing_code
def copy_block_rows(source: Array, first: int, target: Array, target_first: int, count: int) -> None:
    """Copy `count` rows of a block from `first` on to `target_first`."""
    block_size = source.shape[1]
    # slices indexed from 0: otherwise the compiler cannot exclude negative indices, and copies one value at a time
    numbers, copies = source.reshape(source.size)[first * block_size:], target.reshape(target.size)[target_first
                                                                                                    * block_size:]
    for i in range(count * block_size):
        copies[i] = numbers[i]


class PairPatches(NamedTuple):
    """The single patch of each pair of all worlds, with surfaces and frames."""

    patches: Array          # PATCH
    order: Array            # of contacts, in the order of their rows
    centers: Array          # frames of bodies; those of links are filled in by the step
    surfaces: Array         # (n, 11)
    surface_of: Array       # the row of `surfaces` of each pair
    threshold: float        # as of `collision.friction_patch.Patches`
    correlation: float


ON_PLANES = {(min(kind, PLANE), max(kind, PLANE)): kind for kind in POINTS}
# The rows of each group among those stored.
OFFSETS = dict(zip(STORED, np.cumsum([0, *STORED.values()]).tolist(), strict=False))
STORED_SIZE, PERSISTENT_SIZE = sum(STORED.values()), sum(PERSISTENT.values())
OVERLAPPING, TOUCHING = OFFSETS["overlapping"], OFFSETS["touching"]
# Stored fields, by the record that has the same field.
PAIR_FIELDS = {name: name for name in PERSISTENT if name in (PAIR.names or ()) and name != "touching"} | {
    "manifold_rotation": "rotation"}
POINT_FIELDS = ("local0", "local1", "distance")
PATCH_FIELDS = tuple(name for name in PERSISTENT if name in (PATCH.names or ()))


class PlanePairRows(NamedTuple):
    """The rows of plane pairs in a block, and their stored values."""

    stored: Array             # (blocks, n_met, STORED_SIZE, lanes)
    active: Array           # (blocks, n_pair) whether bounds overlap in a world of the block
    links: Array            # (n_pair,) the index of the link with slots
    pairs: Array            # the index among the pairs of a world
    first: Array            # its first row in a block
    changed: Array          # the row that flags a change of overlap or contact


def plane_pair_kinds(pairs: StaticPairs, pair_patches: PairPatches) -> dict[int, int]:
    """Links with a single pair on a plane, and the kind of its shape, which is the same in all worlds."""
    kinds = {}
    for i in range(len(pairs.links)):
        pair_indices = np.flatnonzero(pairs.of_link == i)
        kind = ON_PLANES.get(pairs.kinds[pairs.all.memory["kinds"][pair_indices[0]]])
        if len(pair_indices) == 1 and kind is not None:
            constants = _constant_rows(pairs, pair_patches, int(pair_indices[0]))
            if all((values == values[:1]).all() for values in constants.values()):
                kinds[i] = kind
    return kinds


def _constant_rows(pairs: StaticPairs, pair_patches: PairPatches, pair: int) -> dict[str, Array]:
    """Rows of `CONSTANT` and of a patch's surface by name, (n_world, size)."""
    selection, table = slice(pair, None, len(pairs.of_link)), pairs.table.pairs
    rows, moving = table.rows[selection], pairs.all.moving[selection]
    plane = np.where(rows["shape0"] == moving, rows["shape1"], rows["shape0"])
    shapes, patches = table.shapes[moving], pair_patches.patches[selection]
    plane_normals = np.empty((len(rows), 3), np.float32)
    find_plane_normals(shapes["kind"] == CAPSULE, table.shape_poses[plane], plane_normals)
    sign = np.where((rows["shape0"] == moving) ^ (rows["swapped"] != 0), 1, -1)
    constants = {"collider": np.c_[shapes["position"], shapes["rotation"]], "size": shapes["size"][:, :2],
                 "offset": shapes["contact_offset"], "plane": table.shape_poses[plane],
                 "low": table.bounds[plane, 0, :3],
                 "high": table.bounds[plane, 1, :3], "plane_normal": plane_normals,
                 "normal": sign[:, None] * plane_normals,
                 "contact_distance": rows["contact_distance"], "rest_distance": rows["rest_distance"],
                 "anchor_threshold": pair_patches.threshold + rows["rest_distance"].astype(np.float64),
                 "correlation": np.full(len(rows), pair_patches.correlation),
                 "frame1": pair_patches.centers[patches["body1"]]}
    surfaces = pair_patches.surfaces[pair_patches.surface_of[selection]]
    constants |= {name: surfaces[:, i] for i, name in enumerate(SURFACE)}
    return {name: values.reshape(len(rows), -1) for name, values in constants.items()}


class PlanePairs:
    """Plane pairs of all worlds. `stale`: whether the records of pairs are of an earlier step."""

    def __init__(self, pairs: StaticPairs, pair_patches: PairPatches, program: SlotProgram, count: int,
                 stored: Array) -> None:
        pair_indices = [int(np.flatnonzero(pairs.of_link == i)[0]) for i in program.plane_rows]
        self._pairs, self._pair_patches, self._program, self._count = pairs, pair_patches, program, count
        self.rows = PlanePairRows(stored, np.zeros(stored.shape[:2], np.bool_),
                                  np.array(list(program.plane_rows), np.int64),
                                  np.array(pair_indices, np.int64),
                                  np.array([layout["overlapping"].row for layout in program.plane_rows.values()],
                                           np.int64),
                                  np.array([layout["changed"].row for layout in program.plane_rows.values()], np.int64))
        self._constants = [_constant_rows(pairs, pair_patches, pair) for pair in pair_indices]
        self.stale = False

    def set_up(self, rows: Array) -> None:
        """Write constants into the rows of a block, (rows, lanes)."""
        for (link, pair_layout), constants in zip(self._program.plane_rows.items(), self._constants, strict=True):
            slot_layout = self._program.slots[link][0]
            for name, values in constants.items():
                for span in [layout[name] for layout in (pair_layout, slot_layout) if name in layout.groups]:
                    rows[span.row:span.row + span.size] = values[:1].T

    def forget(self, worlds: Array) -> None:
        """Clear the manifolds and patches of these worlds."""
        block_size = self.rows.stored.shape[3]
        for name in ("overlapping", "touching", "anchors", "contacts"):
            self.rows.stored[worlds // block_size, :, OFFSETS[name], worlds % block_size] = 0.0

    def load_records(self) -> None:
        """Load the stored values from the records of pairs."""
        self.stale = False
        for i in range(len(self.rows.pairs)):
            pairs, memory, patches = self._records(i)
            values = np.zeros((self._count, STORED_SIZE))
            for name in ("overlapping", "touching"):
                _columns(values, name)[:, 0] = memory[name] != 0
            for name, field in PAIR_FIELDS.items():
                columns = _columns(values, name)
                columns[:] = pairs[field].reshape(self._count, -1)[:, :columns.shape[1]]
            for name in PATCH_FIELDS:
                _columns(values, name)[:] = patches[name].reshape(self._count, -1)
            _columns(values, "contacts")[:, 0] = pairs["contacts"]
            self._write(i, values)

    def write_records(self, impulses: Array, frictions: Array) -> None:
        """Write the stored values into the records of pairs, and the impulses and frictions of the last step."""
        if not self.stale:
            return
        self.stale = False
        for i, pair in enumerate(self.rows.pairs):
            values, (pairs, memory, patches) = self._read(i), self._records(i)
            pairs["contacts"] = _columns(values, "contacts")[:, 0]
            touching = np.flatnonzero(pairs["contacts"])
            values, rows = values[touching], pair + touching * len(self._pairs.of_link)
            for name, field in PAIR_FIELDS.items():
                columns = pairs[field][:, :MAX_POINTS] if name in POINT_FIELDS else pairs[field]
                columns[touching] = _columns(values, name).reshape(len(touching), *columns.shape[1:])
            for name in PATCH_FIELDS:
                patches[name][touching] = _columns(values, name).reshape(len(touching), *patches.dtype[name].shape)
            pairs["first"][touching] = patches["first"][touching] = rows * MANIFOLD_SIZE
            patches["points"][touching] = pairs["contacts"][touching]
            patches["creation_index"][touching] = memory["touch_index"][touching]
            self._pair_patches.centers[patches["body0"][touching]] = _columns(values, "frame")
            self._write_contacts(rows, values, self._constants[i]["normal"][0])
            _write_impulses(rows, values, impulses, frictions)

    def _write_contacts(self, rows: Array, values: Array, normal: Array) -> None:
        contacts = self._pairs.all.contacts
        for j in range(MAX_POINTS):
            mask = _columns(values, "contacts")[:, 0] > j
            at = rows[mask] * MANIFOLD_SIZE + j
            contacts["pair"][at], contacts["normal"][at] = rows[mask], normal
            contacts["point"][at] = _columns(values, "contact_point")[mask, 3 * j:3 * j + 3]
            contacts["separation"][at] = _columns(values, "contact_separation")[mask, j]

    def _records(self, i: int) -> tuple[Array, Array, Array]:
        """The records of the i-th plane pair in all worlds."""
        selection = slice(self.rows.pairs[i], None, len(self._pairs.of_link))
        return self._pairs.all.rows[selection], self._pairs.all.memory[selection], self._pair_patches.patches[selection]

    def _read(self, i: int) -> Array:
        """The stored values of the i-th plane pair, (n_world, STORED_SIZE)."""
        return self.rows.stored[:, i].transpose(0, 2, 1).reshape(-1, STORED_SIZE)[:self._count]

    def _write(self, i: int, values: Array) -> None:
        blocks, _, _, block_size = self.rows.stored.shape
        padded = np.concatenate([values, np.repeat(values[-1:], blocks * block_size - self._count, axis=0)])
        self.rows.stored[:, i] = padded.reshape(blocks, block_size, STORED_SIZE).transpose(0, 2, 1)
        self.rows.active[:, i] = (self.rows.stored[:, i, OVERLAPPING] != 0.0).any(axis=1)


def _columns(values: Array, name: str) -> Array:
    return values[:, OFFSETS[name]:OFFSETS[name] + STORED[name]]


def _write_impulses(rows: Array, values: Array, impulses: Array, frictions: Array) -> None:
    """Fill in the normal impulses of contacts and the friction vectors of anchors."""
    impulses[rows[:, None] * MANIFOLD_SIZE + np.arange(MAX_POINTS)] = _columns(values, "impulse")
    friction = _columns(values, "friction_impulse").reshape(-1, ANCHORS, 2).astype(np.float64)
    axes = _columns(values, "tangents").reshape(-1, 2, 3).astype(np.float64)
    frictions[rows] = friction[:, :, :1] * axes[:, None, 0] + friction[:, :, 1:] * axes[:, None, 1]


@borrowing_code
def load_plane_pairs(plane_rows: PlanePairRows, block: int, rows: Array) -> None:
    """Load the stored values of plane pairs into the rows of a block."""
    for i in range(len(plane_rows.pairs)):
        first = plane_rows.first[i]
        if plane_rows.active[block, i]:
            copy_block_rows(plane_rows.stored[block, i], 0, rows, first, PERSISTENT_SIZE)
        else:
            for world in range(rows.shape[1]):
                rows[first + OVERLAPPING, world] = rows[first + TOUCHING, world] = 0.0


@borrowing_code
def store_plane_pairs(plane_rows: PlanePairRows, block: int, rows: Array) -> None:
    """Store the values of plane pairs from the rows of a block."""
    for i in range(len(plane_rows.pairs)):
        first, any_overlap = plane_rows.first[i], False
        for world in range(rows.shape[1]):
            any_overlap |= rows[first + OVERLAPPING, world] != 0.0
        if any_overlap or plane_rows.active[block, i]:
            copy_block_rows(rows, first, plane_rows.stored[block, i], 0, STORED_SIZE)
        plane_rows.active[block, i] = any_overlap


@borrowing_code
def update_plane_pairs(plane_rows: PlanePairRows, block: SlotBlock, world_count: int, links: Array, pairs: AllPairs,
                       first: int,
                       colliders: Colliders) -> bool:
    """Update the records of plane pairs of `world_count` worlds whose overlap or contact changed; whether any did.

    first: the first world's first pair.
    """
    any_changed, rows = False, block.rows
    for i in range(len(plane_rows.pairs)):
        changed = False
        for world in range(world_count):
            changed |= rows[plane_rows.changed[i], world] != 0.0
        if not changed:
            continue
        any_changed = True
        for world in range(world_count):
            k = first + world * links[-1]["end"] + plane_rows.pairs[i]
            overlapping, touching = rows[plane_rows.first[i] + OVERLAPPING,
                                         world] != 0.0, rows[plane_rows.first[i] + TOUCHING, world] != 0.0
            if overlapping and pairs.memory[k].overlapping == SEPARATE:
                shape, pose = pairs.moving[k], pose_of_link(block, world, links[plane_rows.links[i]])
                update_shape(colliders.shapes[shape], pose, colliders.shape_poses[shape], colliders.bounds[shape])
            _update_pair_state(pairs.memory[k], overlapping, touching)
    return any_changed


@borrowing_code
def _update_pair_state(memory: Record, overlapping: bool, touching: bool) -> None:
    """Set whether the bounds of a pair overlap and whether its shapes touch."""
    if overlapping and memory.overlapping == SEPARATE:
        memory.overlapping = CREATED
    elif not overlapping:
        memory.overlapping = SEPARATE
    if touching and not memory.touching:
        memory.touching = CREATED
    elif memory.touching and not touching:
        set_touch_lost(memory)


@borrowing_code
def clear_touch_lost(plane_rows: PlanePairRows, world_count: int, pairs: AllPairs, first: int, count: int) -> None:
    """Clear the flags of lost contacts of plane pairs; arguments as in `update_plane_pairs`."""
    for world in range(world_count):
        for pair in plane_rows.pairs:
            pairs.memory[first + world * count + pair].touch_lost = 0
