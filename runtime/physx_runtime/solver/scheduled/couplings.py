"""Schedules of mimic joints, and the parts that tendons and mimic joints share.

`load_wrenches`, `respond_pair` and `measure_rate` are the wrenches of a coupling on links, its response and its rate.
`write_mimic_start` writes the column of M^-1 of a mimic joint, and `write_mimic_iteration` its impulse on v
(DyArticulationMimicJoint.cpp).
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.model.row_specs import GROUPS, MIMIC, PARAMETER, names_of
from physx_runtime.model.topology import SPHERICAL
from physx_runtime.solver.scheduled.fragments import coupling, joint
from physx_runtime.solver.scheduled.plan import Plan
from physx_runtime.solver.scheduled.sweeps import add_product, clear, copy_rows, respond_to_forces


def parameters(p: Plan, name: str, owner: str, axis: int | None = None) -> dict[str, Span]:
    """All parameters of one coupling or of one of its axes, named as those of the first of its kind."""
    spans = {part: p.row(f"{name}_{part}") for part in names_of(owner, PARAMETER)}
    return {f"{GROUPS[owner]}0_{part}": span if axis is None else span.part(axis) for part, span in spans.items()}


def start_rows(p: Plan, name: str, owner: str, *parts: str) -> dict[str, Span]:
    """Rows of the step's start for one coupling, named as those of the first of its kind."""
    return {f"{GROUPS[owner]}0_{part}": p.row(f"{name}_{part}") for part in parts}


def load_wrenches(p: Plan, s: Schedule, wrenches: Sequence[tuple[int, Span]], factor: Span | None = None) -> None:
    """Write the rows `couple_wrench` with only these wrenches on links."""
    # p = sum J^T of unit pulls, at the nodes that carry the links
    clear(s, p.row("couple_wrench"))
    for link, wrench in wrenches:
        add_product(s, p.at("couple_wrench", p.tree.last[link]), wrench, factor)


def respond_pair(p: Plan, s: Schedule, out: Span, ends: Sequence[tuple[int, Span]]) -> None:
    """Write the response of two wrenches on links together, after the sweep of responses."""
    # r = w0 . twist0 + w1 . twist1 = J M^-1 J^T
    (link, wrench), (other, other_wrench) = ends
    s.do(coupling.respond_pair, response=out, wrench=wrench, other_wrench=other_wrench,
         twist=p.at("twist", p.tree.last[link]), other_twist=p.at("twist", p.tree.last[other]))


def measure_rate(p: Plan, s: Schedule, row: Span, bias: Span) -> None:
    """Write the row `couple_rate`: row (v + dv) + bias."""
    # Ldot = row (v + dv) + bias
    rate = p.row("couple_rate")
    copy_rows(s, bias, rate)
    s.repeat(p.t.nv, coupling.add_rate, rate=rate,
             moving={"row": row.part(0), "v": p.row("v").part(0), "dv": p.row("dv").part(0)})


def write_mimic_start(p: Plan, s: Schedule, i: int) -> None:
    """Write the column and coefficients of the i-th mimic joint."""
    (follower, reference), name = p.t.mimics[i], f"mimic{i}"
    column = p.scratch(f"{name}_column", p.t.nv)
    for part in ("scale", "hard_scale", "erp"):
        p.scratch(f"{name}_{part}", 1)
    # column = M^-1 (e_follower + gearing e_reference)  (DyArticulationMimicJoint.cpp, computeMimicJointSelfResponse)
    clear(s, p.row("couple_wrench"))
    clear(s, p.row("couple_force"))
    s.do(joint.set_one, ones=p.row("couple_force").part(follower))
    copy_rows(s, p.row(f"{name}_gearing"), p.row("couple_force").part(reference))
    respond_to_forces(p, s, "couple_wrench", p.row("couple_force"), column)
    first = p.t.root_size
    s.do(coupling.mimic_response, h=p.row("h"), erp=p.row("erp"), at_follower=column.part(first + follower),
         at_reference=column.part(first + reference),
         **parameters(p, name, MIMIC), **start_rows(p, name, MIMIC, "scale", "hard_scale", "erp"))


def write_mimic_iteration(p: Plan, s: Schedule, i: int, final: bool) -> None:
    """Write the impulse of the i-th mimic joint on `dv`."""
    (follower, reference), name, first = p.t.mimics[i], f"mimic{i}", p.t.root_size
    # dv -= column F  (DyArticulationMimicJoint.cpp, solveInternalMimicJointConstraints)
    spans = {}
    if not final:
        spans = {argument: p.at("current_q" if p.t.kind_of(dof) == SPHERICAL else "q", dof)
                 for argument, dof in (("q", follower), ("other_q", reference))}
    s.do(coupling.pull_mimic, final, **spans, v=p.v_at(follower), other_v=p.v_at(reference),
         dv=p.row("dv").part(first + follower), other_dv=p.row("dv").part(first + reference),
         impulse=p.row("couple_impulse"), **parameters(p, name, MIMIC),
         **start_rows(p, name, MIMIC, "scale", "hard_scale", "erp"))
    add_product(s, p.row("dv"), p.row(f"{name}_column"), p.row("couple_impulse"), -1.0)
