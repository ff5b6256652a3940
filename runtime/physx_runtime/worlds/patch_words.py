"""The instructions of all patches of a world at once, in the interpreter's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.fragment import Fragment
from physx_runtime.model.contact import ContactTopology
from physx_runtime.model.island import BODY, KINEMATIC, LINK
from physx_runtime.solver.contact.links import side_row
from physx_runtime.solver.contact.program import ContactProgram
from physx_runtime.solver.contact.sides import AT_START, IN_ITERATIONS
from physx_runtime.solver.contact.templates import BODY_NAMES, WORLD_ROWS, PatchCode, Template

Array = NDArray[Any]
PREPARE, SOLVE, FINAL = "prepare", "solve", "final"      # what is written of a patch


@dataclass(frozen=True, slots=True)
class PatchGroup:
    """Patches of one structure in a world: which they are, their first rows, and what they touch."""

    t: ContactTopology              # alone
    index: Array                    # in the world's patches
    owners: tuple[Array, Array]     # of both sides
    links: tuple[Array, Array]
    base: Array
    code: PatchCode


class SideRows:
    """The first row of whatever patches read of what they touch."""

    def __init__(self, program: ContactProgram) -> None:
        self._plan = p = program.plan
        owned = {BODY: {i: body.layout for i, body in p.bodies.items()}, KINEMATIC: dict(enumerate(p.kinematic))}
        self._rows: dict[tuple[str, str], Array] = {}
        for kind, layouts in owned.items():
            names = BODY_NAMES if kind == BODY else {}
            for name in AT_START[kind] | IN_ITERATIONS[kind]:
                rows = np.full(max(layouts, default=-1) + 1, -1, np.int64)
                rows[list(layouts)] = [layout[names.get(name, name)].row for layout in layouts.values()]
                self._rows[kind, name] = rows
        self._world = {name: p.time[name].row if name in p.time else p.row(name).row for name in WORLD_ROWS}

    def column(self, group: PatchGroup, whose: str, name: str, at_start: bool) -> Array:
        """The row of one operand in every patch of a group."""
        if whose == "patch":
            return group.base + group.code.layout[name].row
        if whose == "world":
            return np.full(len(group.base), self._world[name])
        k = int(whose == "side1")
        kind = group.t.sides[k].kind
        if kind == LINK:
            held = zip(group.owners[k].tolist(), group.links[k].tolist(), strict=True)
            return np.array([side_row(self._plan, one, k, name, at_start).row for one in held], np.int64)
        return self._rows[kind, name][group.owners[k]]


@dataclass(slots=True)
class Around:
    """Words before and behind the instructions of some patches, by patch."""

    before: dict[int, Array] = field(default_factory=dict)
    behind: dict[int, Array] = field(default_factory=dict)


class PatchWriter:
    """Writes patches of a world into passes."""

    def __init__(self, groups: Sequence[PatchGroup], rows: SideRows, addresses: Mapping[Fragment, int],
                 row_bytes: int) -> None:
        self._groups, self._rows, self._addresses, self._row_bytes = groups, rows, addresses, row_bytes

    def write(self, kind: str, places: Array, others: Mapping[int, Array], around: Around) -> tuple[Array, Array]:
        """Words of patches and of other instructions in their order, and where in them each begins.

        places: by patch, its number in the order, -1 to leave it out. others: words by number.
        """
        count = int((places >= 0).sum()) + len(others)
        chosen = [(group, getattr(group.code, kind), places[group.index] >= 0) for group in self._groups]
        widths, heads = np.zeros(count, np.int64), np.zeros(count, np.int64)
        for group, template, some in chosen:
            widths[places[group.index[some]]] = 1 + len(template.operands)
        for place, words in others.items():
            widths[place] = len(words)
        for patch, words in around.before.items():
            widths[places[patch]] += len(words)
            heads[places[patch]] = len(words)
        for patch, words in around.behind.items():
            widths[places[patch]] += len(words)
        starts = np.concatenate([[0], np.cumsum(widths)])
        out = np.zeros(starts[-1], np.int64)
        for group, template, some in chosen:
            own, at = self._own(group, template, kind == PREPARE)[some], places[group.index[some]]
            out[(starts[at] + heads[at])[:, None] + np.arange(own.shape[1])] = own
        pieces = [(starts[place], words) for place, words in others.items()]
        pieces += [(starts[places[patch]], words) for patch, words in around.before.items()]
        pieces += [(starts[places[patch] + 1] - len(words), words) for patch, words in around.behind.items()]
        for start, words in pieces:
            out[start:start + len(words)] = words
        return out, starts

    def _own(self, group: PatchGroup, template: Template, at_start: bool) -> Array:
        own = np.empty((len(group.base), 1 + len(template.operands)), np.int64)
        own[:, 0] = self._addresses[template.fragment]
        for i, (whose, name) in enumerate(template.operands, 1):
            own[:, i] = self._rows.column(group, whose, name, at_start) * self._row_bytes
        return own
