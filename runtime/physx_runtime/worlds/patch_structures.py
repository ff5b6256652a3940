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
from physx_runtime.model.contact import ContactTopology
from physx_runtime.model.island import BODY, KINEMATIC, LINK, WORLD, Side
from physx_runtime.solver.contact.links import Held, side_row
from physx_runtime.solver.contact.program import ContactProgram
from physx_runtime.solver.contact.templates import BODY_NAMES, PatchCode, Template, patch_code
from physx_runtime.worlds.written import Code

Array = NDArray[Any]
KINDS = {OF_BODY: BODY, OF_LINK: LINK, OF_KINEMATIC: KINEMATIC, OF_STATIC: WORLD}
# Places for contacts of a patch: so many kinds of code there are.
POINTS = (1, 2, 3, 4, 6, 8, 12, 36)
KEY = (len(KINDS), len(KINDS), len(POINTS), 2, 2)       # both kinds, points, two anchors, torsional
PREPARE, PRESS, SOLVE, FINAL = "prepare", "press", "solve", "final"     # the instructions of a patch
LEFT = ("slipped", "impulse", "tangents", "friction_impulse")       # what is read of a patch after a step
OF_PATCH, OF_WORLD, OF_SIDE0, OF_SIDE1 = range(4)       # whose row an operand is


@dataclass(frozen=True, slots=True)
class Instructions:
    """One kind of instruction of every structure: where its code is, and its operands."""

    addresses: Array
    starts: Array           # of a structure's operands; one more, their end
    whose: Array            # of every operand: OF_PATCH, ...
    rows: Array             # from a patch's first row; of the world; where in `side_rows` those of a side begin

    @property
    def widths(self) -> Array:
        """Words of one instruction."""
        return 1 + np.diff(self.starts)


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

    links: those that patches may hold. places: of dtype PLACE, what patches touch.
    """

    def __init__(self, program: ContactProgram, code: Code, links: Sequence[Held], places: Array) -> None:
        self._program, self._addresses = program, code
        self._numbers = np.full(KEY, -1)
        self._codes: list[PatchCode] = []
        self._topologies: list[ContactTopology] = []
        self._written: dict[str, Instructions] = {}
        self._side_rows = SideRows(program, links)
        number = {held: i for i, held in enumerate(links)}
        linked = [number.get(held, -1) for held in zip(places["owner"].tolist(), places["link"].tolist(), strict=True)]
        self.owner = np.where(places["kind"] == OF_LINK, linked, places["owner"])   # by place, its index in `SideRows`
        self.sizes = self.points = self.anchors = np.zeros(0, np.int64)
        self.left = np.zeros((0, len(LEFT)), np.int64)      # rows of LEFT from a patch's first

    @property
    def side_rows(self) -> Array:
        """What `Instructions.rows` refers to."""
        return self._side_rows.rows

    def numbers(self, key: tuple[Array, ...]) -> Array:
        """Of some patches; key: of each, as of KEY."""
        found = self._numbers[key]
        if (found < 0).any():
            for one in np.unique(np.stack(key, axis=1)[found < 0], axis=0).tolist():
                self._add(*one)
            found = self._numbers[key]
        return np.asarray(found)

    def instructions(self, kind: str) -> Instructions:
        """Of all structures so far."""
        if kind not in self._written:
            templates: list[Template] = [getattr(code, kind) for code in self._codes]
            operands = [self._operand(i, whose, name, kind == PREPARE) for i, template in enumerate(templates)
                        for whose, name in template.operands]
            starts = np.cumsum([0, *(len(template.operands) for template in templates)])
            whose, rows = np.array(operands, np.int64).reshape(-1, 2).T
            self._written[kind] = Instructions(
                np.array([self._addresses[template.fragment] for template in templates], np.int64), starts,
                np.ascontiguousarray(whose), np.ascontiguousarray(rows))
        return self._written[kind]

    def _add(self, kind0: int, kind1: int, points: int, two: int, torsional: int) -> None:
        sides = Side(KINDS[kind0]), Side(KINDS[kind1])
        t = ContactTopology(sides, POINTS[points], 1 + two, bool(torsional), self._program.plan.t.pgs)
        code = patch_code(t)
        self._numbers[kind0, kind1, points, two, torsional] = len(self._codes)
        self._codes.append(code)
        self._topologies.append(t)
        self._written.clear()
        self.sizes = np.r_[self.sizes, code.layout.size]
        self.points, self.anchors = np.r_[self.points, t.points], np.r_[self.anchors, t.anchors]
        self.left = np.r_[self.left, [[code.layout[name].row for name in LEFT]]]

    def _operand(self, structure: int, whose: str, name: str, at_start: bool) -> tuple[int, int]:
        if whose == "patch":
            return OF_PATCH, self._codes[structure].layout[name].row
        if whose == "world":
            p = self._program.plan
            return OF_WORLD, (p.time[name] if name in p.time else p.row(name)).row
        k = int(whose == "side1")
        kind = self._topologies[structure].sides[k].kind
        return OF_SIDE0 + k, self._side_rows.start(kind, k, name, at_start)
