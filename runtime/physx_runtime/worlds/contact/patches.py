"""Contact patches as rows and bytecode of the solver of one world.

`PatchStructures` numbers the structures of patches that occur: kinds of bodies, numbers of points and anchors.
`make_blocks` divides patches into blocks of one structure that share no actor and are solved as one vector.
`write_patches` and `read_patches` copy values between records and rows. `surfaces_of` combines friction, restitution
and other surface values of pairs. `words_of_patches` and `words_between` write the bytecode of all patches of a world.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from physx_runtime.arrays import Array, Integer, Record, Records, Scalar
from physx_runtime.collision.friction_patch import rotated
from physx_runtime.collision.pair_table import ContactTable
from physx_runtime.compiling.numba_functions import borrowing_code, borrowing_entry, scalar_entry
from physx_runtime.model.body_kind import BODY, KINEMATIC, LINK, BodyKind
from physx_runtime.model.contact_rows import SURFACE, ContactTopology, patch_row_offset
from physx_runtime.model.island import SolverBody
from physx_runtime.solver.contact.order import NO_ACTOR
from physx_runtime.solver.contact.program import (
    BODY_NAMES,
    ContactProgram,
    LinkRef,
    PatchCode,
    Template,
    body_row,
    patch_code,
)
from physx_runtime.worlds.contact.bytecode import Code

# Capacities for contact points of a patch of a link: one fragment is compiled for each.
POINT_CAPACITIES = (1, 2, 3, 4, 6, 8, 12, 36)
# The same for patches that are solved as vectors: fewer capacities fill the vectors better.
VECTOR_POINT_CAPACITIES = (1, 4, 4, 4, 12, 12, 12, 36)
# both kinds of bodies, points or too many, two anchors, torsional
KEY_SHAPE = (len(BodyKind), len(BodyKind), len(POINT_CAPACITIES) + 1, 2, 2)
TORSION = SURFACE.index("torsion_radius")               # of the two radii the first
PREPARE, SOLVE_NORMAL, SOLVE, FINAL = "prepare", "solve_normal", "solve", "final"     # the instructions of a patch
OUTPUT_ROWS = ("broken", "impulse", "tangents", "friction_impulse")       # what is read of a patch after a step
OF_WORLD, OF_BODY0, OF_BODY1 = range(3)                 # whose row an operand is
# Of a patch: its structure, its pair, the bodies of its sides, their indices in `PatchStructures.owner`, and their
# actors, NO_ACTOR for bodies that no force moves.
STRUCTURE, PAIR, BODY0, BODY1, OWNER0, OWNER1, ACTOR0, ACTOR1 = range(8)


@dataclass(frozen=True, slots=True)
class Instructions:
    """Addresses and operands of one kind of instruction for every structure."""

    addresses: Array
    starts: Array           # of a structure's operands; one more, their end
    sources: Array            # of every operand: OF_WORLD, ...
    rows: Array             # of the world; where in `body_rows` those of a side begin
    widths: Array           # words of one instruction


class BodyRows:
    """The first rows of the values that patches read of a side, by actor, kinematic body or link."""

    def __init__(self, program: ContactProgram, links: Sequence[LinkRef]) -> None:
        self._plan = p = program.plan
        self._layouts = {BODY: {i: body.layout for i, body in p.bodies.items()},
                         KINEMATIC: dict(enumerate(p.kinematic))}
        self._links = links
        self._tables: dict[tuple[object, ...], int] = {}
        self.rows = np.zeros(0, np.int64)

    def start(self, kind: BodyKind, k: int, name: str, at_start: bool) -> int:
        """The index in `rows` of the first row of the operand `bodyK_NAME`."""
        key = (kind, k, name, at_start) if kind == LINK else (kind, name)
        if key not in self._tables:
            rows = self._of_links(k, name, at_start) if kind == LINK else self._of_owners(kind, name)
            self._tables[key], self.rows = len(self.rows), np.r_[self.rows, rows]
        return self._tables[key]

    def _of_links(self, k: int, name: str, at_start: bool) -> Array:
        return np.array([body_row(self._plan, actor_link, k, name, at_start).row for actor_link in self._links],
                        np.int64)

    def _of_owners(self, kind: BodyKind, name: str) -> Array:
        layouts, names = self._layouts[kind], BODY_NAMES if kind == BODY else {}
        rows = np.full(max(layouts, default=-1) + 1, -1, np.int64)
        rows[list(layouts)] = [layout[names.get(name, name)].row for layout in layouts.values()]
        return rows


class PatchStructures:
    """Structures of patches, numbered in the order of their first occurrence.

    links: those that patches may touch. bodies: of dtype RIGID_BODY, the sides of patches. Patches without links are
    solved as vectors with others of their structure.
    """

    def __init__(self, program: ContactProgram, code: Code, links: Sequence[LinkRef], bodies: Array) -> None:
        self._program, self._code = program, code
        self._numbers = np.full(KEY_SHAPE, -1)
        self.kinds, self.links = bodies["kind"].copy(), bodies["link"].copy()
        self._point_capacities = np.array(POINT_CAPACITIES)
        self.actors = np.where(self.kinds <= LINK, bodies["owner"], NO_ACTOR)     # by place
        self._codes: list[PatchCode] = []
        self._topologies: list[ContactTopology] = []
        self._instructions: dict[str, Instructions] = {}
        self._body_rows = BodyRows(program, links)
        link_index = {actor_link: i for i, actor_link in enumerate(links)}
        link_indices = [link_index.get(actor_link, -1)
                        for actor_link in zip(bodies["owner"].tolist(), bodies["link"].tolist(), strict=True)]
        # by place, its index in `BodyRows`
        self.owner = np.where(bodies["kind"] == LINK, link_indices, bodies["owner"])
        self.sizes = self.points = self.anchors = self.vector_widths = np.zeros(0, np.int64)
        self.output_rows = np.zeros((0, len(OUTPUT_ROWS)), np.int64)      # rows of OUTPUT_ROWS from a patch's first

    @property
    def body_rows(self) -> Array:
        """The rows that `Instructions.rows` indexes."""
        return self._body_rows.rows

    def describe(self, indices: Array, patches: Array, surfaces: Array) -> Array:
        """(8, n) structure, pair, bodies, owners and actors of these patches; rows: `STRUCTURE`, ..."""
        descriptions = np.empty((8, len(indices)), np.int64)
        while (unknown := _describe(indices, patches, surfaces, self.kinds, self.owner, self.actors,
                                    self._point_capacities,
                                    self._numbers, descriptions)) >= 0:
            key = np.unravel_index(unknown, KEY_SHAPE)
            self._numbers[key] = self._add(*map(int, key))
        return descriptions

    def instructions(self, kind: str) -> Instructions:
        """The instructions of one kind of all structures so far."""
        if kind not in self._instructions:
            templates: list[Template] = [getattr(code, kind) for code in self._codes]
            operands = [self._operand(i, source, name, kind == PREPARE) for i, template in enumerate(templates)
                        for source, name in template.operands]
            starts = np.cumsum([0, *(len(template.operands) for template in templates)])
            source, rows = np.array(operands, np.int64).reshape(-1, 2).T
            words = np.r_[0, np.cumsum(np.where(source == OF_WORLD, 1, np.repeat(self.vector_widths, np.diff(starts))))]
            addresses = self._code.of_patches([template.code for template in templates], self.vector_widths.tolist())
            self._instructions[kind] = Instructions(addresses, starts, np.ascontiguousarray(source),
                                                    np.ascontiguousarray(rows), 2 + np.diff(words[starts]))
        return self._instructions[kind]

    def _add(self, kind0: int, kind1: int, points: int, two_anchors: int, torsional: int) -> int:
        """The number of a new structure with this key of `_describe`."""
        has_link = LINK in (kind0, kind1)
        capacity = POINT_CAPACITIES[points] if has_link else VECTOR_POINT_CAPACITIES[points]
        island = self._program.plan.t
        t = ContactTopology((SolverBody(BodyKind(kind0)), SolverBody(BodyKind(kind1))), capacity,
                            1 + two_anchors if has_link or capacity == 1 else 2, bool(torsional and not island.pgs),
                            island.pgs,
                            island.sapien)
        if t not in self._topologies:
            self._append(t, 1 if has_link else self._code.vector_width)
        return self._topologies.index(t)

    def _append(self, t: ContactTopology, vector_width: int) -> None:
        code = patch_code(t)
        self._codes.append(code)
        self._topologies.append(t)
        self._instructions.clear()
        self.sizes, self.vector_widths = np.r_[self.sizes, code.layout.size], np.r_[self.vector_widths, vector_width]
        self.points, self.anchors = np.r_[self.points, t.points], np.r_[self.anchors, t.anchors]
        self.output_rows = np.r_[self.output_rows, [[code.layout[name].row for name in OUTPUT_ROWS]]]

    def _operand(self, structure: int, source: str, name: str, at_start: bool) -> tuple[int, int]:
        if source == "world":
            p = self._program.plan
            return OF_WORLD, (p.time[name] if name in p.time else p.row(name)).row
        k = int(source == "body1")
        kind = self._topologies[structure].solver_bodies[k].kind
        return OF_BODY0 + k, self._body_rows.start(kind, k, name, at_start)


@borrowing_entry
def _describe(indices: Array, patches: Records, surfaces: Array, kinds: Array, owners: Array, actors: Array,
              points: Array, numbers: Array, descriptions: Array) -> Integer:
    """Fill in descriptions; return the index in `numbers` of the first structure without a number, or -1."""
    for i in range(len(indices)):
        k = indices[i]
        patch = patches[k]
        body0, body1, size = patch.body0, patch.body1, 0
        while size < len(points) and points[size] < patch.points:
            size += 1
        two_anchors = int(patch.anchors > 1)
        torsional = int(patch.anchors == 1 and (surfaces[k, TORSION] > 0.0 or surfaces[k, TORSION + 1] > 0.0))
        structure = numbers[kinds[body0], kinds[body1], size, two_anchors, torsional]
        if structure < 0:
            return (((kinds[body0] * KEY_SHAPE[1] + kinds[body1]) * KEY_SHAPE[2] + size) * KEY_SHAPE[3]
                    + two_anchors) * KEY_SHAPE[4] + torsional
        descriptions[STRUCTURE, i], descriptions[PAIR, i] = structure, patch.pair
        descriptions[BODY0, i], descriptions[BODY1, i] = body0, body1
        descriptions[OWNER0, i], descriptions[OWNER1, i] = owners[body0], owners[body1]
        descriptions[ACTOR0, i], descriptions[ACTOR1, i] = actors[body0], actors[body1]
    return -1


DUMMY_ROWS = 32        # of what the empty lanes of a block touch


@dataclass(frozen=True, slots=True)
class PatchBlocks:
    """Blocks of patches of one structure, with as many lanes as the vector width of the structure."""

    structures: Array               # numbers, by block
    members: Array                  # patches, block after block
    starts: Array                   # where in `members` those of each block begin; one more, their end
    base: Array                     # first row of each block
    locations: tuple[Array, Array]      # by patch, its first row and its block
    owners: tuple[Array, Array]     # by patch, of both sides, as of `Structures.owner`
    dummy_row: int                     # first of the rows that empty lanes touch
    size: int                       # rows of all that and of the program before it


def make_blocks(tables: PatchStructures, numbers: Array, partitions: Array, owners: tuple[Array, Array],
                size: int) -> PatchBlocks:
    """Blocks in the order of the partitions of their patches; patches of partition -1 come last, one in each block.

    numbers: structures of the patches. Patches of one partition share no actor. size: rows of the program.
    """
    alignment = int(tables.vector_widths.max(initial=1))
    dummy_row = -(-size // alignment) * alignment                # vectors begin where registers like them to
    count = len(numbers)
    members, structures, base, first, block_of = np.empty((5, count), np.int64)
    starts = np.empty(count + 1, np.int64)
    block_count, end = _divide(partitions, numbers, tables.vector_widths, tables.sizes, alignment,
                               dummy_row + DUMMY_ROWS, members, starts,
                               structures, base, first, block_of)
    return PatchBlocks(structures[:block_count], members, starts[:block_count + 1], base[:block_count],
                       (first, block_of), owners, dummy_row, end)


@scalar_entry
def _divide(partitions: Array, numbers: Array, widths: Array, sizes: Array, alignment: Integer, row: Integer,
            members: Array, starts: Array, structures: Array, base: Array, first: Array,
            block_of: Array) -> tuple[Integer, Integer]:
    """Fill in the fields of blocks whose rows begin at `row`; return the number of blocks and the end of their rows."""
    kinds, last = len(widths), 0
    for i in range(len(partitions)):
        last = max(last, partitions[i] + 1)
    # one bin for every partition and structure, then one for each patch without a partition
    bins = np.zeros(last * kinds + len(partitions) + 1, np.int64)
    bin_of, next_bin = np.empty(len(partitions), np.int64), last * kinds
    for i in range(len(partitions)):
        bin_of[i] = partitions[i] * kinds + numbers[i] if partitions[i] >= 0 else next_bin
        next_bin += partitions[i] < 0
        bins[bin_of[i]] += 1
    at = 0
    for k in range(len(bins)):
        count, bins[k] = bins[k], at
        at += count
    for i in range(len(partitions)):
        members[bins[bin_of[i]]] = i
        bins[bin_of[i]] += 1
    block_count = 0
    for k in range(len(members)):
        i, block = members[k], block_count - 1
        number = numbers[i]
        if block_count == 0 or bin_of[members[k - 1]] != bin_of[i] or k - starts[block] == widths[number]:
            block, block_count = block_count, block_count + 1
            starts[block], structures[block], base[block] = k, number, row
            row += -(-sizes[number] * widths[number] // alignment) * alignment
        first[i], block_of[i] = base[block] + k - starts[block], block
    starts[block_count] = len(members)
    return block_count, row


# Where the row groups of a patch begin: numbers, by place for a contact, by place for a friction anchor.
SURFACE_OFFSET, END_OFFSET, SURFACE_SIZE = patch_row_offset(SURFACE[0]), patch_row_offset(), len(SURFACE)
POINT_OFFSET, SEPARATION_OFFSET, POINT_USED_OFFSET, ANCHOR0_OFFSET, ANCHOR1_OFFSET, ANCHOR_USED_OFFSET = map(
    patch_row_offset, ("point", "separation", "point_used", "anchor0", "anchor1", "anchor_used"))


@borrowing_code
def row_at(offset: tuple[int, int, int], points: int, anchors: int) -> int:
    """The first row of a row group in a patch with these capacities for contact points and anchors."""
    return offset[0] + offset[1] * points + offset[2] * anchors


@borrowing_entry
def write_patches(memory: Array, base: Array, structures: Array, widths: Array, points_of: Array, anchors_of: Array,
                  index: Array, patches: Array, order: Array, contacts: Array, pairs: Array, surfaces: Array,
                  frames: Array, static: Array) -> None:
    """Write the rows of `model.contact_rows.patch_rows` of patches.

    base, structures: first row and structure of each. widths, points_of, anchors_of: by structure, the vector width and
    the capacities for contact points and anchors. index: the patches to write. pairs: rows of the table of pairs.
    surfaces: (n_patch, SURFACE_SIZE). frames: of the centres of mass. static: by body, whether arms are taken from the
    world's origin.
    """
    for i in range(len(index)):
        k, structure = index[i], structures[i]
        points, anchors, stride = points_of[structure], anchors_of[structure], widths[structure]
        patch, surface = patches[k], surfaces[k]
        write_patch(memory, base[i], stride, points, patch, order, contacts, pairs[patch["pair"]]["rest_distance"],
                    surface)
        write_anchors(memory, base[i], stride, points, anchors, patch, frames[patch["body0"]], frames[patch["body1"]],
                      static[patch["body0"]], static[patch["body1"]])


@borrowing_code
def write_patch(memory: Array, m: int, stride: int, points: int, patch: Record, order: Array, contacts: Array,
                rest_offset: float, surface: Array) -> None:
    """Write the rows of a patch from `m` on, without its anchors; stride: from one row to the next."""
    first, filled = patch["first"], patch["points"]
    for x in range(3):
        memory[m + stride * x] = contacts[order[first]]["normal"][x]
    start = row_at(SURFACE_OFFSET, points, 0)
    for x in range(SURFACE_SIZE):
        memory[m + stride * (start + x)] = surface[x]
    point, separation = row_at(POINT_OFFSET, points, 0), row_at(SEPARATION_OFFSET, points, 0)
    point_used = row_at(POINT_USED_OFFSET, points, 0)
    for j in range(points):
        used = j < filled
        contact = contacts[order[first + j if used else first]]
        for x in range(3):
            memory[m + stride * (point + 3 * j + x)] = contact["point"][x]
        memory[m + stride * (separation + j)] = contact["separation"] - rest_offset
        memory[m + stride * (point_used + j)] = 1.0 if used else 0.0


@borrowing_code
def write_anchors(memory: Array, m: int, stride: int, points: int, anchors: int, patch: Record, frame0: Array,
                  frame1: Array, from_origin0: bool, from_origin1: bool) -> None:
    """Write the rows of a patch's anchors, the patch's first row at `m`."""
    write_anchor_arms(memory, m + stride * row_at(ANCHOR0_OFFSET, points, anchors), stride, anchors, patch,
                      patch["anchor0"], frame0, from_origin0)
    write_anchor_arms(memory, m + stride * row_at(ANCHOR1_OFFSET, points, anchors), stride, anchors, patch,
                      patch["anchor1"], frame1, from_origin1)
    anchor_used = row_at(ANCHOR_USED_OFFSET, points, anchors)
    for j in range(anchors):
        memory[m + stride * (anchor_used + j)] = 1.0 if j < patch["anchors"] else 0.0


@borrowing_code
def write_anchor_arms(memory: Array, at: int, stride: int, anchors: int, patch: Record, local: Array, frame: Array,
                      from_origin: bool) -> None:
    """Write the arms of a patch's anchors on one side, from `at` on."""
    for j in range(anchors):
        a, m = local[j], at + 3 * stride * j
        memory[m], memory[m + stride], memory[m + 2 * stride] = rotated(frame, (a[0], a[1], a[2]))
        if from_origin:
            for i in range(3):
                memory[m + stride * i] += frame[i]


@borrowing_entry
def read_patches(memory: Array, base: Array, structures: Array, widths: Array, output_rows: Array, anchors_of: Array,
                 index: Array, patches: Array, order: Array, impulses: Array, frictions: Array) -> None:
    """Read the results of patches: the broken flag, impulses of contacts and friction impulses of anchors.

    output_rows: by structure, rows of OUTPUT_ROWS relative to a patch's first row. frictions: (n_patch, ANCHORS, 3).
    The other arguments as in `write_patches`.
    """
    for i in range(len(index)):
        k, structure = index[i], structures[i]
        read_patch(memory, base[i], widths[structure], output_rows[structure], anchors_of[structure], patches[k], order,
                   impulses,
                   frictions[k])


@borrowing_code
def read_patch(memory: Array, m: int, stride: int, rows: Array, anchors: int, patch: Record, order: Array,
               impulses: Array, friction: Array) -> None:
    """Read the results of the patch whose rows begin at `m`; rows: of OUTPUT_ROWS, relative to `m`.
    """
    patch["broken"] = 1 if memory[m + stride * rows[0]] > 0.5 else 0
    for j in range(patch["points"]):
        impulses[order[patch["first"] + j]] = memory[m + stride * (rows[1] + j)]
    for j in range(anchors):
        for x in range(3):
            friction[j, x] = 0.0
            for axis in range(2):
                friction[j, x] += (memory[m + stride * (rows[3] + 2 * j + axis)]
                                   * memory[m + stride * (rows[2] + 3 * axis + x)])


def surfaces_of(table: ContactTable, patches: Array) -> Array:
    """(n, 11) surface values of patches, combined from both sides, in the order of `model.contact_rows.SURFACE`."""
    rows = np.empty((len(patches), len(SURFACE)))
    _fill_surfaces(patches, table.pairs.rows, table.pairs.shapes, table.surfaces, table.bounce_threshold,
          table.max_depenetration, table.max_impulse, table.torsion_radius, table.min_torsion_radius, rows)
    return rows


@borrowing_entry
def _fill_surfaces(patches: Records, pairs: Records, shapes: Records, surfaces: Records, bounce_threshold: Scalar,
                   max_depenetration: Array, max_impulse: Array, torsion_radius: Array, min_torsion_radius: Array,
                   rows: Array) -> None:
    for k in range(len(patches)):
        patch, row = patches[k], rows[k]
        a, b = pairs[patch.pair].shape0, pairs[patch.pair].shape1
        surface = surfaces[shapes[a].material, shapes[b].material]
        row[0], row[1] = surface.static_friction, surface.dynamic_friction
        row[2], row[3] = surface.restitution, bounce_threshold
        row[4], row[5], row[6] = surface.stiffness, surface.damping, surface.acceleration_spring
        row[7] = min(max_depenetration[patch.body0], max_depenetration[patch.body1])
        row[8] = min(max_impulse[patch.body0], max_impulse[patch.body1])
        row[9] = max(torsion_radius[a], torsion_radius[b])
        row[10] = max(min_torsion_radius[a], min_torsion_radius[b])


@dataclass(slots=True)
class PrologueEpilogue:
    """Words before and after the instructions of patches, by block."""

    prologue: dict[int, Array] = field(default_factory=dict)
    epilogue: dict[int, Array] = field(default_factory=dict)


def words_of_patches(tables: PatchStructures, kind: str, blocks: PatchBlocks, positions: Array,
                     other_words: Mapping[int, Array],
                     extra: PrologueEpilogue, row_bytes: int) -> tuple[Array, Array]:
    """Words of blocks of patches and of other instructions in their order, and the start of each.

    positions: by block, its place in the order, -1 to leave it out. other_words: words by place in the order.
    """
    instructions, included = tables.instructions(kind), positions >= 0
    count = int(included.sum()) + len(other_words)
    widths, heads = np.zeros(count + 1, np.int64), np.zeros(count + 1, np.int64)
    widths[positions[included]] = instructions.widths[blocks.structures[included]]
    for position, words in other_words.items():
        widths[position] = len(words)
    for block, words in extra.prologue.items():
        widths[positions[block]] += len(words)
        heads[positions[block]] = len(words)
    for block, words in extra.epilogue.items():
        widths[positions[block]] += len(words)
    starts = np.cumsum(widths) - widths
    out = np.zeros(starts[-1], np.int64)
    _write(out, np.where(included, (starts + heads)[positions], -1), tables, instructions, blocks, row_bytes)
    spans = [(starts[position], words) for position, words in other_words.items()]
    spans += [(starts[positions[block]], words) for block, words in extra.prologue.items()]
    spans += [(starts[positions[block] + 1] - len(words), words) for block, words in extra.epilogue.items()]
    for start, words in spans:
        out[start:start + len(words)] = words
    return out, starts


def words_between(tables: PatchStructures, kind: str, blocks: PatchBlocks, row_bytes: int, head: Array,
                  tail: Array) -> Array:
    """Words of all blocks of patches in their order, between `head` and `tail`."""
    instructions, first = tables.instructions(kind), np.empty(len(blocks.base), np.int64)
    end = _follow(instructions.widths, blocks.structures, len(head), first)
    out = np.empty(end + len(tail), np.int64)
    out[:len(head)], out[end:] = head, tail
    _write(out, first, tables, instructions, blocks, row_bytes)
    return out


@borrowing_entry
def _follow(widths: Array, structures: Array, at: Integer, first: Array) -> Integer:
    """Fill in the starts of the instructions of blocks, one after the other from `at` on; return their end."""
    for block in range(len(first)):
        first[block] = at
        at += widths[structures[block]]
    return at


def _write(out: Array, first: Array, tables: PatchStructures, instructions: Instructions, blocks: PatchBlocks,
           row_bytes: int) -> None:
    _fill_words(out, first, blocks.structures, blocks.base, blocks.starts, blocks.members, *blocks.owners,
                blocks.dummy_row, instructions.addresses, instructions.starts, instructions.sources, instructions.rows,
                tables.vector_widths,
                tables.body_rows, row_bytes)


@borrowing_entry
def _fill_words(out: Array, first: Array, structures: Array, base: Array, members_from: Array, members: Array,
                owner0: Array, owner1: Array, dummy_row: Integer, addresses: Array, starts: Array, sources: Array,
                rows: Array, widths: Array, body_rows: Array, row_bytes: Integer) -> None:
    """Write the instructions of blocks; first: the start of each in `out`, -1 to leave it out."""
    for block in range(len(first)):
        at, structure = first[block], structures[block]
        if at < 0:
            continue
        out[at], out[at + 1] = addresses[structure], base[block] * row_bytes
        at += 2
        block_members = members[members_from[block]:members_from[block + 1]]
        for k in range(starts[structure], starts[structure + 1]):
            if sources[k] == OF_WORLD:
                out[at] = rows[k] * row_bytes
                at += 1
                continue
            owner = owner1 if sources[k] == OF_BODY1 else owner0
            for i in range(len(block_members)):
                out[at + i] = body_rows[rows[k] + owner[block_members[i]]] * row_bytes
            for i in range(len(block_members), widths[structure]):
                out[at + i] = dummy_row * row_bytes
            at += widths[structure]
