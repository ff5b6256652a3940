"""What tendons and mimic joints have in common: their operands, their wrenches on links, the rate along them."""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.model.rows import GROUPS, PARAMETER, names_of
from physx_runtime.solver.by_joint.fragments import coupling
from physx_runtime.solver.by_joint.plan import Plan
from physx_runtime.solver.by_joint.sweeps import add_product, clear, copy_rows


def parameters(p: Plan, name: str, owner: str, axis: int | None = None) -> dict[str, Span]:
    """All parameters of one coupling or of one of its axes, called as those of the first of its kind."""
    spans = {part: p.row(f"{name}_{part}") for part in names_of(owner, PARAMETER)}
    return {f"{GROUPS[owner]}0_{part}": span if axis is None else span.part(axis) for part, span in spans.items()}


def made_at_start(p: Plan, name: str, owner: str, *parts: str) -> dict[str, Span]:
    """What the step's start makes for one coupling, called as that of the first of its kind."""
    return {f"{GROUPS[owner]}0_{part}": p.row(f"{name}_{part}") for part in parts}


def load_wrenches(p: Plan, s: Schedule, wrenches: Sequence[tuple[int, Span]], factor: Span | None = None) -> None:
    """The rows `couple_wrench` with nothing but these wrenches on links."""
    clear(s, p.row("couple_wrench"))
    for link, wrench in wrenches:
        add_product(s, p.at("couple_wrench", p.tree.last[link]), wrench, factor)


def respond_together(p: Plan, s: Schedule, out: Span, ends: Sequence[tuple[int, Span]]) -> None:
    """Response of two wrenches on links together, after the sweep that answers them."""
    (link, wrench), (other, other_wrench) = ends
    s.do(coupling.respond_two, response=out, wrench=wrench, other_wrench=other_wrench,
         twist=p.at("twist", p.tree.last[link]), other_twist=p.at("twist", p.tree.last[other]))


def measure_rate(p: Plan, s: Schedule, row: Span, bias: Span) -> None:
    """The row `couple_rate`: row (v + dv) + bias."""
    rate = p.row("couple_rate")
    copy_rows(s, bias, rate)
    s.repeat(p.t.nv, coupling.add_rate, rate=rate,
             moving={"row": row.part(0), "v": p.row("v").part(0), "dv": p.row("dv").part(0)})
