"""The instructions of a patch, alike for all patches of one structure but for the rows they work on.

A template says of every operand where it lies: in the patch's own rows, in those of what it touches, or in those of
the world. With it the instructions of thousands of patches are written at once.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.fragment import Fragment
from physx_runtime.compiling.schedule import Layout, Schedule, Span
from physx_runtime.model.contact import ContactTopology, patch_rows
from physx_runtime.model.island import BODY, KINEMATIC, LINK
from physx_runtime.solver.contact import fragments
from physx_runtime.solver.contact.step import prepared_rows

Rows = NDArray[np.int64]

# Of each kind of side, what its patches read and change there: what they call it, what the side does, and its size.
SIDE_ROWS: dict[str, dict[str, tuple[str, int]]] = {
    BODY: {"position": ("root_position", 3), "v": ("v", 6), "inverse_mass": ("inverse_mass", 1),
           "inverse_inertia": ("inverse_inertia", 6), "travel": ("root_travel", 3), "turn": ("root_turn", 3)},
    KINEMATIC: {"position": ("position", 3), "velocity": ("velocity", 6)},
}
LINK_ROWS = {"position": 3, "v": 6, "response": 21, "cfm": 1, "travel": 3, "turn": 3, "impulse": 6}
WORLD_ROWS = {"dt": 1, "h": 1, "elapsed": 1}


@dataclass(frozen=True, slots=True)
class Template:
    """One instruction: a fragment, and for each of its operands whose row it is and which."""

    fragment: Fragment
    operands: tuple[tuple[str, str], ...]       # ("patch" | "side0" | "side1" | "world", name)


@dataclass(frozen=True, slots=True, eq=False)
class PatchCode:
    """What there is for patches of one structure."""

    layout: Layout              # of a patch's rows, from its first
    prepare: Template
    solve: Template
    final: Template


@functools.lru_cache(maxsize=256)
def patch_code(t: ContactTopology) -> PatchCode:
    """Rows and instructions of a patch; t: `alone`."""
    layout = Layout()
    for name, size in (patch_rows(t) | dict(prepared_rows(t))).items():
        layout.add(name, size)
    return PatchCode(layout, _template(t, layout, fragments.prepare), _template(t, layout, fragments.solve, False),
                     _template(t, layout, fragments.solve, True))


def _template(t: ContactTopology, layout: Layout, algorithm: object, *static: bool) -> Template:
    sources = {name: ("patch", name) for name in layout.groups} | {name: ("world", name) for name in WORLD_ROWS}
    spans = dict(layout.groups) | {name: Span(0, size) for name, size in WORLD_ROWS.items()}
    for k, side in enumerate(t.sides):
        own = LINK_ROWS if side.kind == LINK else {name: size
                                                   for name, (_, size) in SIDE_ROWS.get(side.kind, {}).items()}
        spans |= {f"side{k}_{name}": Span(0, size) for name, size in own.items()}
        sources |= {f"side{k}_{name}": (f"side{k}", name) for name in own}
    schedule = Schedule()
    schedule.do(algorithm, t, *static, **spans)         # type: ignore[arg-type]
    fragment = schedule.instructions[0].fragment
    return Template(fragment, tuple(sources[operand.name] for operand in fragment.operands))
