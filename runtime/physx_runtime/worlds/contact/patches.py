"""Contact patches as rows of the solver.

What worlds of one program know of every structure of patch that they have met, as tables by its number.

Patches of a world in blocks: those that are solved side by side, because they hold nothing in common.

What patches are given at a step's start and what they leave, between records and rows.

How the surfaces of pairs answer each other.

The instructions of all patches of a world at once, in the interpreter's words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.friction_patch import BODY as OF_BODY
from physx_runtime.collision.friction_patch import KINEMATIC as OF_KINEMATIC
from physx_runtime.collision.friction_patch import LINK as OF_LINK
from physx_runtime.collision.friction_patch import STATIC as OF_STATIC
from physx_runtime.collision.pair_table import ContactTable
from physx_runtime.compiling.numba_functions import borrowing_code, borrowing_entry, scalar_entry
from physx_runtime.model.contact_rows import SURFACE, ContactTopology
from physx_runtime.model.island import BODY, KINEMATIC, LINK, WORLD, Side
from physx_runtime.solver.contact.order import NOTHING
from physx_runtime.solver.contact.program import (
    BODY_NAMES,
    ContactProgram,
    Held,
    PatchCode,
    Template,
    patch_code,
    side_row,
)
from physx_runtime.worlds.contact.bytecode import Code

Array = NDArray[Any]
KINDS = {OF_BODY: BODY, OF_LINK: LINK, OF_KINEMATIC: KINEMATIC, OF_STATIC: WORLD}
# Places for contacts of a patch of a link: so many kinds of code there are.
POINTS = (1, 2, 3, 4, 6, 8, 12, 36)
# The same of patches that are solved side by side, of which there are the more the fewer kinds there are.
SIDE_BY_SIDE = (1, 4, 4, 4, 12, 12, 12, 36)
KEY = (len(KINDS), len(KINDS), len(POINTS) + 1, 2, 2)       # both kinds, points or too many, two anchors, torsional
TORSION = SURFACE.index("torsion_radius")               # of the two radii the first
PREPARE, PRESS, SOLVE, FINAL = "prepare", "press", "solve", "final"     # the instructions of a patch
LEFT = ("slipped", "impulse", "tangents", "friction_impulse")       # what is read of a patch after a step
OF_WORLD, OF_SIDE0, OF_SIDE1 = range(3)                 # whose row an operand is
# Of a patch that is met: its structure, its pair, the places of its sides, and what these are in `Structures.owner`.
# Behind these the actors of the sides, NOTHING for what no force moves.
STRUCTURE, PAIR, SIDE0, SIDE1, OWNER0, OWNER1, ACTOR0, ACTOR1 = range(8)


@dataclass(frozen=True, slots=True)
class Instructions:
    """One kind of instruction of every structure: where its code is, and its operands."""

    addresses: Array
    starts: Array           # of a structure's operands; one more, their end
    whose: Array            # of every operand: OF_WORLD, ...
    rows: Array             # of the world; where in `side_rows` those of a side begin
    widths: Array           # words of one instruction


class SideRows:
    """The first row of whatever patches read of what they touch, by actor, kinematic body or link."""

    def __init__(self, program: ContactProgram, links: Sequence[Held]) -> None:
        self._plan = p = program.plan
        self._owned = {BODY: {i: body.layout for i, body in p.bodies.items()}, KINEMATIC: dict(enumerate(p.kinematic))}
        self._links = links
        self._tables: dict[tuple[object, ...], int] = {}
        self.rows = np.zeros(0, np.int64)

    def start(self, kind: str, k: int, name: str, at_start: bool) -> int:
        """Where in `rows` begin those that patches call `sideK_NAME`."""
        key = (kind, k, name, at_start) if kind == LINK else (kind, name)
        if key not in self._tables:
            rows = self._of_links(k, name, at_start) if kind == LINK else self._of_owners(kind, name)
            self._tables[key], self.rows = len(self.rows), np.r_[self.rows, rows]
        return self._tables[key]

    def _of_links(self, k: int, name: str, at_start: bool) -> Array:
        return np.array([side_row(self._plan, held, k, name, at_start).row for held in self._links], np.int64)

    def _of_owners(self, kind: str, name: str) -> Array:
        layouts, names = self._owned[kind], BODY_NAMES if kind == BODY else {}
        rows = np.full(max(layouts, default=-1) + 1, -1, np.int64)
        rows[list(layouts)] = [layout[names.get(name, name)].row for layout in layouts.values()]
        return rows


class Structures:
    """Structures of patches by number, as they are met.

    links: those that patches may hold. places: of dtype PLACE, what patches touch. What holds no link is solved side by
    side with others of its structure.
    """

    def __init__(self, program: ContactProgram, code: Code, links: Sequence[Held], places: Array) -> None:
        self._program, self._code = program, code
        self._numbers = np.full(KEY, -1)
        self.kinds, self.links, self._places = places["kind"].copy(), places["link"].copy(), np.array(POINTS)
        self.actors = np.where(self.kinds <= OF_LINK, places["owner"], NOTHING)     # by place
        self._codes: list[PatchCode] = []
        self._topologies: list[ContactTopology] = []
        self._written: dict[str, Instructions] = {}
        self._side_rows = SideRows(program, links)
        number = {held: i for i, held in enumerate(links)}
        linked = [number.get(held, -1) for held in zip(places["owner"].tolist(), places["link"].tolist(), strict=True)]
        self.owner = np.where(places["kind"] == OF_LINK, linked, places["owner"])   # by place, its index in `SideRows`
        self.sizes = self.points = self.anchors = self.lanes = np.zeros(0, np.int64)
        self.left = np.zeros((0, len(LEFT)), np.int64)      # rows of LEFT from a patch's first

    @property
    def side_rows(self) -> Array:
        """What `Instructions.rows` refers to."""
        return self._side_rows.rows

    def met(self, own: Array, patches: Array, surfaces: Array) -> Array:
        """What some of the patches, rows with these numbers, are and hold: (8, n), rows `STRUCTURE`, ..."""
        found = np.empty((8, len(own)), np.int64)
        while (unknown := _describe(own, patches, surfaces, self.kinds, self.owner, self.actors, self._places,
                                    self._numbers, found)) >= 0:
            place = np.unravel_index(unknown, KEY)
            self._numbers[place] = self._added(*map(int, place))
        return found

    def instructions(self, kind: str) -> Instructions:
        """Of all structures so far."""
        if kind not in self._written:
            templates: list[Template] = [getattr(code, kind) for code in self._codes]
            operands = [self._operand(i, whose, name, kind == PREPARE) for i, template in enumerate(templates)
                        for whose, name in template.operands]
            starts = np.cumsum([0, *(len(template.operands) for template in templates)])
            whose, rows = np.array(operands, np.int64).reshape(-1, 2).T
            words = np.r_[0, np.cumsum(np.where(whose == OF_WORLD, 1, np.repeat(self.lanes, np.diff(starts))))]
            addresses = self._code.of_patches([template.code for template in templates], self.lanes.tolist())
            self._written[kind] = Instructions(addresses, starts, np.ascontiguousarray(whose),
                                               np.ascontiguousarray(rows), 2 + np.diff(words[starts]))
        return self._written[kind]

    def _added(self, kind0: int, kind1: int, points: int, two: int, torsional: int) -> int:
        """The number of the structure of what `_describe` tells apart so."""
        alone = OF_LINK in (kind0, kind1)
        places = POINTS[points] if alone else SIDE_BY_SIDE[points]
        island = self._program.plan.t
        t = ContactTopology((Side(KINDS[kind0]), Side(KINDS[kind1])), places,
                            1 + two if alone or places == 1 else 2, bool(torsional and not island.pgs), island.pgs,
                            island.sapien)
        if t not in self._topologies:
            self._take(t, 1 if alone else self._code.side_by_side)
        return self._topologies.index(t)

    def _take(self, t: ContactTopology, lanes: int) -> None:
        code = patch_code(t)
        self._codes.append(code)
        self._topologies.append(t)
        self._written.clear()
        self.sizes, self.lanes = np.r_[self.sizes, code.layout.size], np.r_[self.lanes, lanes]
        self.points, self.anchors = np.r_[self.points, t.points], np.r_[self.anchors, t.anchors]
        self.left = np.r_[self.left, [[code.layout[name].row for name in LEFT]]]

    def _operand(self, structure: int, whose: str, name: str, at_start: bool) -> tuple[int, int]:
        if whose == "world":
            p = self._program.plan
            return OF_WORLD, (p.time[name] if name in p.time else p.row(name)).row
        k = int(whose == "side1")
        kind = self._topologies[structure].sides[k].kind
        return OF_SIDE0 + k, self._side_rows.start(kind, k, name, at_start)


@borrowing_entry
def _describe(own: Any, patches: Any, surfaces: Any, kinds: Any, owners: Any, actors: Any, points: Any, numbers: Any,
              found: Any) -> Any:
    """Fill in the rows of what is met; the place in `numbers` of the first structure that has no number, -1 of none."""
    for i in range(len(own)):
        k = own[i]
        patch = patches[k]
        side0, side1, size = patch.side0, patch.side1, 0
        while size < len(points) and points[size] < patch.points:
            size += 1
        two = int(patch.anchors > 1)
        torsional = int(patch.anchors == 1 and (surfaces[k, TORSION] > 0.0 or surfaces[k, TORSION + 1] > 0.0))
        number = numbers[kinds[side0], kinds[side1], size, two, torsional]
        if number < 0:
            return (((kinds[side0] * KEY[1] + kinds[side1]) * KEY[2] + size) * KEY[3] + two) * KEY[4] + torsional
        found[STRUCTURE, i], found[PAIR, i], found[SIDE0, i], found[SIDE1, i] = number, patch.pair, side0, side1
        found[OWNER0, i], found[OWNER1, i] = owners[side0], owners[side1]
        found[ACTOR0, i], found[ACTOR1, i] = actors[side0], actors[side1]
    return -1


NOBODY_ROWS = 32        # of what the empty lanes of a block touch


@dataclass(frozen=True, slots=True)
class PatchBlocks:
    """Blocks of patches of one structure, each with as many lanes as the structure has, filled from the first on."""

    structures: Array               # numbers, by block
    members: Array                  # patches, block after block
    starts: Array                   # where in `members` those of each block begin; one more, their end
    base: Array                     # first row of each block
    lanes: tuple[Array, Array]      # by patch, its first row and its block
    owners: tuple[Array, Array]     # by patch, of both sides, as of `Structures.owner`
    nobody: int                     # first of the rows that empty lanes touch
    size: int                       # rows of all that and of the program before it


def make_blocks(known: Structures, numbers: Array, turns: Array, owners: tuple[Array, Array], size: int) -> PatchBlocks:
    """Blocks in the order of the turns of their patches, -1 of those that have none and come last, one by one.

    numbers: of the patches' structures; those of one turn hold nothing in common. size: rows of the program.
    """
    side = int(known.lanes.max(initial=1))
    nobody = -(-size // side) * side                # vectors begin where registers like them to
    count = len(numbers)
    members, structures, base, first, which = np.empty((5, count), np.int64)
    starts = np.empty(count + 1, np.int64)
    made, end = _divide(turns, numbers, known.lanes, known.sizes, side, nobody + NOBODY_ROWS, members, starts,
                        structures, base, first, which)
    return PatchBlocks(structures[:made], members, starts[:made + 1], base[:made], (first, which), owners, nobody, end)


@scalar_entry
def _divide(turns: Any, numbers: Any, lanes: Any, sizes: Any, side: Any, row: Any, members: Any, starts: Any,
            structures: Any, base: Any, first: Any, which: Any) -> Any:
    """Fill in the fields of blocks whose rows begin at `row`; how many there are, and where their rows end."""
    kinds, last = len(lanes), 0
    for i in range(len(turns)):
        last = max(last, turns[i] + 1)
    # one bin for every turn and structure, then one for each patch without a turn
    bins = np.zeros(last * kinds + len(turns) + 1, np.int64)
    bin_of, alone = np.empty(len(turns), np.int64), last * kinds
    for i in range(len(turns)):
        bin_of[i] = turns[i] * kinds + numbers[i] if turns[i] >= 0 else alone
        alone += turns[i] < 0
        bins[bin_of[i]] += 1
    at = 0
    for k in range(len(bins)):
        count, bins[k] = bins[k], at
        at += count
    for i in range(len(turns)):
        members[bins[bin_of[i]]] = i
        bins[bin_of[i]] += 1
    made = 0
    for k in range(len(members)):
        i, block = members[k], made - 1
        number = numbers[i]
        if made == 0 or bin_of[members[k - 1]] != bin_of[i] or k - starts[block] == lanes[number]:
            block, made = made, made + 1
            starts[block], structures[block], base[block] = k, number, row
            row += -(-sizes[number] * lanes[number] // side) * side
        first[i], which[i] = base[block] + k - starts[block], block
    starts[made] = len(members)
    return made, row


SURFACE_SIZE, ANCHOR_SIZE = 11, 3


@borrowing_entry
def give(memory: Array, base: Array, structures: Array, lanes: Array, points_of: Array, anchors_of: Array,
         index: Array, patches: Array, order: Array, contacts: Array, pairs: Array, surfaces: Array, frames: Array,
         static: Array) -> None:
    """Write the rows of `model.contact_rows.patch_rows` of patches.

    base, structures: of each, its first row and its structure, of which there are so many side by side and which has so
    many places for contacts and for anchors. index: which of the patches. pairs: that patches refer to. surfaces:
    (n_patch, 11). frames: of the centres of mass. static: by place, whether arms are from the world's origin.
    """
    for i in range(len(index)):
        k, structure = index[i], structures[i]
        points, anchors, stride = points_of[structure], anchors_of[structure], lanes[structure]
        patch, surface = patches[k], surfaces[k]
        give_one(memory, base[i], stride, points, patch, order, contacts, pairs[patch["pair"]]["rest"], surface)
        at = base[i] + stride * (3 + SURFACE_SIZE + 5 * points)
        give_arms(memory, at, stride, anchors, patch, patch["anchor0"], frames[patch["side0"]], static[patch["side0"]])
        give_arms(memory, at + stride * 3 * anchors, stride, anchors, patch, patch["anchor1"], frames[patch["side1"]],
                  static[patch["side1"]])
        for j in range(anchors):
            memory[at + stride * (6 * anchors + j)] = 1.0 if j < patch["anchors"] else 0.0


@borrowing_code
def give_one(memory: Array, m: int, stride: int, points: int, patch: Any, order: Array, contacts: Array, rest: float,
             surface: Array) -> None:
    """Write the rows of a patch from `m` on, all but those of its anchors; stride: from one row to the next."""
    first, filled = patch["first"], patch["points"]
    for x in range(3):
        memory[m + stride * x] = contacts[order[first]]["normal"][x]
    for x in range(SURFACE_SIZE):
        memory[m + stride * (3 + x)] = surface[x]
    at = m + stride * (3 + SURFACE_SIZE)
    for j in range(points):
        used = j < filled
        contact = contacts[order[first + j if used else first]]
        for x in range(3):
            memory[at + stride * (3 * j + x)] = contact["point"][x]
        memory[at + stride * (3 * points + j)] = contact["separation"] - rest
        memory[at + stride * (4 * points + j)] = 1.0 if used else 0.0


@borrowing_code
def give_arms(memory: Array, at: int, stride: int, anchors: int, patch: Any, local: Array, frame: Array,
              from_origin: bool) -> None:
    """Write the arms of a patch's anchors on one side, from `at` on."""
    x, y, z, w = frame[3], frame[4], frame[5], frame[6]
    for j in range(anchors):
        a, m = local[j], at + 3 * stride * j
        tx, ty, tz = 2.0 * (y * a[2] - z * a[1]), 2.0 * (z * a[0] - x * a[2]), 2.0 * (x * a[1] - y * a[0])
        memory[m] = a[0] + w * tx + y * tz - z * ty
        memory[m + stride] = a[1] + w * ty + z * tx - x * tz
        memory[m + 2 * stride] = a[2] + w * tz + x * ty - y * tx
        if from_origin:
            for i in range(3):
                memory[m + stride * i] += frame[i]


@borrowing_entry
def take(memory: Array, base: Array, structures: Array, lanes: Array, left: Array, anchors_of: Array, index: Array,
         patches: Array, order: Array, impulses: Array, frictions: Array) -> None:
    """Read what patches gave: whether they slipped, impulses of contacts and friction of anchors.

    left: of each structure, rows of `slipped`, `impulse`, `tangents` and `friction_impulse` from a patch's first.
    frictions: (n_patch, ANCHORS, 3). The others as of `give`.
    """
    for i in range(len(index)):
        k, structure = index[i], structures[i]
        take_one(memory, base[i], lanes[structure], left[structure], anchors_of[structure], patches[k], order, impulses,
                 frictions[k])


@borrowing_code
def take_one(memory: Array, m: int, stride: int, rows: Array, anchors: int, patch: Any, order: Array, impulses: Array,
             friction: Array) -> None:
    """Read what the patch gave whose rows are from `m` on.

    rows: of `slipped`, `impulse`, `tangents` and `friction_impulse` from there.
    """
    patch["slipped"] = 1 if memory[m + stride * rows[0]] > 0.5 else 0
    for j in range(patch["points"]):
        impulses[order[patch["first"] + j]] = memory[m + stride * (rows[1] + j)]
    for j in range(anchors):
        for x in range(3):
            friction[j, x] = 0.0
            for axis in range(2):
                friction[j, x] += (memory[m + stride * (rows[3] + 2 * j + axis)]
                                   * memory[m + stride * (rows[2] + 3 * axis + x)])


def surfaces_of(table: ContactTable, patches: Array) -> Array:
    """(n, 11) of patches of pairs of the table, in the order of `model.contact_rows.SURFACE`."""
    found = np.empty((len(patches), len(SURFACE)))
    _fill_surfaces(patches, table.pairs.rows, table.pairs.shapes, table.surfaces, table.bounce_threshold,
          table.max_depenetration, table.max_impulse, table.torsion_radius, table.min_torsion_radius, found)
    return found


@borrowing_entry
def _fill_surfaces(patches: Any, pairs: Any, shapes: Any, surfaces: Any, bounce_threshold: Any, max_depenetration: Any,
                   max_impulse: Any, torsion_radius: Any, min_torsion_radius: Any, found: Any) -> None:
    for k in range(len(patches)):
        patch, own = patches[k], found[k]
        a, b = pairs[patch.pair].shape0, pairs[patch.pair].shape1
        both = surfaces[shapes[a].material, shapes[b].material]
        own[0], own[1], own[2], own[3] = both.static_friction, both.dynamic_friction, both.restitution, bounce_threshold
        own[4], own[5], own[6] = both.stiffness, both.damping, both.acceleration_spring
        own[7] = min(max_depenetration[patch.side0], max_depenetration[patch.side1])
        own[8] = min(max_impulse[patch.side0], max_impulse[patch.side1])
        own[9] = max(torsion_radius[a], torsion_radius[b])
        own[10] = max(min_torsion_radius[a], min_torsion_radius[b])


@dataclass(slots=True)
class PrologueEpilogue:
    """Words before and behind the instructions of some blocks of patches, by block."""

    before: dict[int, Array] = field(default_factory=dict)
    behind: dict[int, Array] = field(default_factory=dict)


def words_of_patches(known: Structures, kind: str, blocks: PatchBlocks, places: Array, others: Mapping[int, Array],
                     around: PrologueEpilogue, row_bytes: int) -> tuple[Array, Array]:
    """Words of blocks of patches and of other instructions in their order, and where in them each begins.

    places: by block, its number in the order, -1 to leave it out. others: words by number.
    """
    written, chosen = known.instructions(kind), places >= 0
    count = int(chosen.sum()) + len(others)
    widths, heads = np.zeros(count + 1, np.int64), np.zeros(count + 1, np.int64)
    widths[places[chosen]] = written.widths[blocks.structures[chosen]]
    for place, words in others.items():
        widths[place] = len(words)
    for block, words in around.before.items():
        widths[places[block]] += len(words)
        heads[places[block]] = len(words)
    for block, words in around.behind.items():
        widths[places[block]] += len(words)
    starts = np.cumsum(widths) - widths
    out = np.zeros(starts[-1], np.int64)
    _write(out, np.where(chosen, (starts + heads)[places], -1), known, written, blocks, row_bytes)
    pieces = [(starts[place], words) for place, words in others.items()]
    pieces += [(starts[places[block]], words) for block, words in around.before.items()]
    pieces += [(starts[places[block] + 1] - len(words), words) for block, words in around.behind.items()]
    for start, words in pieces:
        out[start:start + len(words)] = words
    return out, starts


def words_between(known: Structures, kind: str, blocks: PatchBlocks, row_bytes: int, head: Array,
                  tail: Array) -> Array:
    """Words of all blocks of patches in their order, between others."""
    written, first = known.instructions(kind), np.empty(len(blocks.base), np.int64)
    end = _follow(written.widths, blocks.structures, len(head), first)
    out = np.empty(end + len(tail), np.int64)
    out[:len(head)], out[end:] = head, tail
    _write(out, first, known, written, blocks, row_bytes)
    return out


@borrowing_entry
def _follow(widths: Any, structures: Any, at: Any, first: Any) -> Any:
    """Fill in where instructions of blocks begin that follow each other from `at` on; where they end."""
    for block in range(len(first)):
        first[block] = at
        at += widths[structures[block]]
    return at


def _write(out: Array, first: Array, known: Structures, written: Instructions, blocks: PatchBlocks,
           row_bytes: int) -> None:
    _fill_words(out, first, blocks.structures, blocks.base, blocks.starts, blocks.members, *blocks.owners,
                blocks.nobody, written.addresses, written.starts, written.whose, written.rows, known.lanes,
                known.side_rows, row_bytes)


@borrowing_entry
def _fill_words(out: Any, first: Any, structures: Any, base: Any, members_from: Any, members: Any, owner0: Any,
                owner1: Any, nobody: Any, addresses: Any, starts: Any, whose: Any, rows: Any, lanes: Any,
                side_rows: Any, row_bytes: Any) -> None:
    """Write instructions of blocks; first: where in `out` that of each begins, -1 of none."""
    for block in range(len(first)):
        at, structure = first[block], structures[block]
        if at < 0:
            continue
        out[at], out[at + 1] = addresses[structure], base[block] * row_bytes
        at += 2
        own = members[members_from[block]:members_from[block + 1]]
        for k in range(starts[structure], starts[structure + 1]):
            if whose[k] == OF_WORLD:
                out[at] = rows[k] * row_bytes
                at += 1
                continue
            owner = owner1 if whose[k] == OF_SIDE1 else owner0
            for lane in range(len(own)):
                out[at + lane] = side_rows[rows[k] + owner[own[lane]]] * row_bytes
            for lane in range(len(own), lanes[structure]):
                out[at + lane] = nobody * row_bytes
            at += lanes[structure]
