"""Mimic joints: their column of M^-1, and impulses on all of v."""

from __future__ import annotations

from physx_runtime.compiling.schedule import Schedule
from physx_runtime.model.rows import MIMIC
from physx_runtime.model.topology import SPHERICAL
from physx_runtime.solver.by_joint.coupling_parts import made_at_start, parameters
from physx_runtime.solver.by_joint.fragments import coupling, rows
from physx_runtime.solver.by_joint.plan import Plan
from physx_runtime.solver.by_joint.sweeps import add_product, answer_forces, clear, copy_rows


def write_mimic_start(p: Plan, s: Schedule, i: int) -> None:
    """Column and coefficients of the i-th mimic joint."""
    (follower, reference), name = p.t.mimics[i], f"mimic{i}"
    column = p.scratch(f"{name}_column", p.t.nv)
    for part in ("scale", "hard_scale", "erp"):
        p.scratch(f"{name}_{part}", 1)
    clear(s, p.row("couple_wrench"))
    clear(s, p.row("couple_force"))
    s.do(rows.one, ones=p.row("couple_force").part(follower))
    copy_rows(s, p.row(f"{name}_gearing"), p.row("couple_force").part(reference))
    answer_forces(p, s, "couple_wrench", p.row("couple_force"), column)
    first = p.t.root_size
    s.do(coupling.mimic_response, h=p.row("h"), erp=p.row("erp"), at_follower=column.part(first + follower),
         at_reference=column.part(first + reference),
         **parameters(p, name, MIMIC), **made_at_start(p, name, MIMIC, "scale", "hard_scale", "erp"))


def write_mimic_iteration(p: Plan, s: Schedule, i: int, final: bool) -> None:
    """Its impulse on `dv`."""
    (follower, reference), name, first = p.t.mimics[i], f"mimic{i}", p.t.root_size
    given = {}
    if not final:
        given = {argument: p.at("seen_q" if p.t.kind_of(dof) == SPHERICAL else "q", dof)
                 for argument, dof in (("q", follower), ("other_q", reference))}
    s.do(coupling.pull_mimic, final, **given, v=p.v_at(follower), other_v=p.v_at(reference),
         dv=p.row("dv").part(first + follower), other_dv=p.row("dv").part(first + reference),
         impulse=p.row("couple_impulse"), **parameters(p, name, MIMIC),
         **made_at_start(p, name, MIMIC, "scale", "hard_scale", "erp"))
    add_product(s, p.row("dv"), p.row(f"{name}_column"), p.row("couple_impulse"), -1.0)
