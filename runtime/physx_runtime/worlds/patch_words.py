"""The instructions of all patches of a world at once, in the interpreter's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.fragment import Fragment
from physx_runtime.model.contact import ContactTopology
from physx_runtime.model.island import BODY, KINEMATIC
from physx_runtime.solver.contact.program import ContactProgram
from physx_runtime.solver.contact.sides import AT_START, IN_ITERATIONS
from physx_runtime.solver.contact.templates import BODY_NAMES, WORLD_ROWS, PatchCode, Template, patch_code

Array = NDArray[Any]


@dataclass(slots=True)
class PatchGroup:
    """Patches of one structure in a world: which they are, their first rows, and what they touch."""

    t: ContactTopology          # alone
    index: Array                # in the world's patches
    owners: tuple[Array, Array]
    base: Array

    @property
    def code(self) -> PatchCode:
        """Their rows and instructions."""
        return patch_code(self.t)


class SideRows:
    """The first row of whatever patches read of bodies, by kind, name and owner."""

    def __init__(self, program: ContactProgram) -> None:
        p = program.plan
        owned = {BODY: {i: body.layout for i, body in p.bodies.items()}, KINEMATIC: dict(enumerate(p.kinematic))}
        self._rows: dict[tuple[str, str], Array] = {}
        for kind, layouts in owned.items():
            names = BODY_NAMES if kind == BODY else {}
            for name in AT_START[kind] | IN_ITERATIONS[kind]:
                rows = np.full(max(layouts, default=-1) + 1, -1, np.int64)
                rows[list(layouts)] = [layout[names.get(name, name)].row for layout in layouts.values()]
                self._rows[kind, name] = rows
        self._world = {name: p.time[name].row if name in p.time else p.row(name).row for name in WORLD_ROWS}

    def column(self, group: PatchGroup, whose: str, name: str) -> Array:
        """The row of one operand in every patch of a group."""
        if whose == "patch":
            return group.base + group.code.layout[name].row
        if whose == "world":
            return np.full(len(group.base), self._world[name])
        k = int(whose == "side1")
        return self._rows[group.t.sides[k].kind, name][group.owners[k]]


def written(groups: Sequence[PatchGroup], kind: str, places: Array, others: Mapping[int, Array], rows: SideRows,
            addresses: Mapping[Fragment, int], row_bytes: int) -> Array:
    """Words of patches and of other instructions in solving order.

    kind: "prepare", "solve" or "final". places: by patch, its number in the order. others: words by number.
    """
    widths = np.zeros(len(places) + len(others), np.int64)
    templates: list[Template] = [getattr(group.code, kind) for group in groups]
    for group, template in zip(groups, templates, strict=True):
        widths[places[group.index]] = 1 + len(template.operands)
    for place, words in others.items():
        widths[place] = len(words)
    starts = np.concatenate([[0], np.cumsum(widths)])
    out = np.zeros(starts[-1], np.int64)
    for group, template in zip(groups, templates, strict=True):
        own = np.empty((len(group.base), 1 + len(template.operands)), np.int64)
        own[:, 0] = addresses[template.fragment]
        for i, (whose, name) in enumerate(template.operands, 1):
            own[:, i] = rows.column(group, whose, name) * row_bytes
        out[starts[places[group.index]][:, None] + np.arange(own.shape[1])] = own
    for place, words in others.items():
        out[starts[place]:starts[place] + len(words)] = words
    return out
