"""What worlds of one program know of every structure of patch that they have met, as tables by its number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.patches import BODY as OF_BODY
from physx_runtime.collision.patches import KINEMATIC as OF_KINEMATIC
from physx_runtime.collision.patches import LINK as OF_LINK
from physx_runtime.collision.patches import STATIC as OF_STATIC
from physx_runtime.compiling.scalar_code import borrowing_entry
from physx_runtime.model.contact import SURFACE, ContactTopology
from physx_runtime.model.island import BODY, KINEMATIC, LINK, WORLD, Side
from physx_runtime.solver.contact.links import Held, side_row
from physx_runtime.solver.contact.order import NOTHING
from physx_runtime.solver.contact.program import ContactProgram
from physx_runtime.solver.contact.templates import BODY_NAMES, PatchCode, Template, patch_code
from physx_runtime.worlds.written import Code

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
