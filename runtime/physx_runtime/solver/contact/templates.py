"""The instructions of a patch, alike for all patches of one structure but for the rows they work on.

A template says of every operand where it lies: in the patch's own rows, in those of what it touches, or in those of
the world. With it the instructions of thousands of patches are written at once, and one serves several patches side by
side that touch different things.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass

from physx_runtime.compiling.llvm.programs import Gathered
from physx_runtime.compiling.schedule import Layout, Schedule, Span
from physx_runtime.model.contact_rows import ContactTopology, patch_rows
from physx_runtime.solver.contact import fragments
from physx_runtime.solver.contact.preparation import prepared_rows
from physx_runtime.solver.contact.sides import AT_START, IN_ITERATIONS

# What a rigid body calls what its patches read.
BODY_NAMES = {"position": "root_position", "travel": "root_travel", "turn": "root_turn"}
WORLD_ROWS = {"dt": 1, "h": 1, "elapsed": 1}


@dataclass(frozen=True, slots=True)
class Template:
    """One instruction, and of each operand that is not the patch's own whose row it is and which."""

    code: Gathered
    operands: tuple[tuple[str, str], ...]       # ("side0" | "side1" | "world", name)


@dataclass(frozen=True, slots=True, eq=False)
class PatchCode:
    """What there is for patches of one structure."""

    layout: Layout              # of a patch's rows, from its first
    prepare: Template
    press: Template | None      # of iterations in which PGS leaves friction out
    solve: Template
    final: Template


@functools.lru_cache(maxsize=256)
def patch_code(t: ContactTopology) -> PatchCode:
    """Rows and instructions of a patch; t: `alone`."""
    layout = Layout()
    for name, size in (patch_rows(t) | dict(prepared_rows(t))).items():
        layout.add(name, size)
    return PatchCode(layout, _template(t, layout, fragments.prepare),
                     _template(t, layout, fragments.press) if t.pgs else None,
                     _template(t, layout, fragments.solve, False), _template(t, layout, fragments.solve, True))


def _template(t: ContactTopology, layout: Layout, algorithm: object, *static: bool) -> Template:
    sources = {name: ("world", name) for name in WORLD_ROWS}
    spans = dict(layout.groups) | {name: Span(0, size) for name, size in WORLD_ROWS.items()}
    for k, side in enumerate(t.sides):
        own = AT_START[side.kind] | IN_ITERATIONS[side.kind]
        spans |= {f"side{k}_{name}": Span(0, size) for name, size in own.items()}
        sources |= {f"side{k}_{name}": (f"side{k}", name) for name in own}
    schedule = Schedule()
    schedule.do(algorithm, t, *static, **spans)         # type: ignore[arg-type]
    code = Gathered(schedule.instructions[0].fragment, {name: span.row for name, span in layout.groups.items()},
                    frozenset(WORLD_ROWS))
    return Template(code, tuple(sources[name] for name in code.others))
