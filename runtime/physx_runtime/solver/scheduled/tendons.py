"""Schedules of fixed and spatial tendons, and of all couplings in PhysX's order.

`write_fixed_tendon_start` and `write_spatial_tendon_start` write the wrenches, columns of M^-1 and rates of a tendon,
their `_iteration` functions its impulses on v. `write_couplings_start` and `write_couplings_iteration` run spatial
tendons, fixed tendons and mimic joints in this order (DyFeatherstoneArticulation.cpp, solveInternalConstraints).
"""

from __future__ import annotations

from dataclasses import replace

from physx_runtime.compiling.schedule import Schedule
from physx_runtime.model.row_specs import (
    ACCUMULATED_IMPULSE,
    ATTACHMENT,
    FIXED_TENDON,
    LEAF,
    SPATIAL_TENDON,
    TENDON_AXIS,
    names_of,
)
from physx_runtime.model.topology import Topology
from physx_runtime.solver.constraints.fixed_tendon import axis_links
from physx_runtime.solver.scheduled.couplings import (
    load_wrenches,
    measure_rate,
    parameters,
    respond_pair,
    start_rows,
    write_mimic_iteration,
    write_mimic_start,
)
from physx_runtime.solver.scheduled.fragments import coupling
from physx_runtime.solver.scheduled.plan import Plan
from physx_runtime.solver.scheduled.sweeps import add_product, clear, copy_rows, project_forces, respond_to_forces
from physx_runtime.solver.scheduled.tree import SINGLE_LINK

# Rows of every axis of a fixed tendon with PGS.
PGS_PARTS = ("fraction", "decay", "limit_decay", *names_of(TENDON_AXIS, ACCUMULATED_IMPULSE))


def write_fixed_tendon_start(p: Plan, s: Schedule, i: int) -> None:
    """Write wrenches and columns of the i-th fixed tendon's axes, and the row of its rate."""
    # J of every axis, column = M^-1 sum x J^T
    tendon, name = p.t.fixed_tendons[i], f"fixed_tendon{i}"
    axes = len(tendon.dofs)
    p.scratch(f"{name}_wrenches", 3 * axes, 6)      # of each axis: its own, above it, at the tendon's start
    p.scratch(f"{name}_biases", 3 * axes)
    p.scratch(f"{name}_rate_row", p.t.nv)
    clear(s, p.scratch(f"{name}_rate_bias", 1))
    if p.t.pgs:
        p.scratch(f"{name}_columns", axes, p.t.nv)
        for part in PGS_PARTS:
            clear(s, p.scratch(f"{name}_{part}", axes))
    else:
        for part in ("spring_column", "limit_column"):
            clear(s, p.scratch(f"{name}_{part}", p.t.nv))
    if p.t.tendon_impulses:
        clear(s, p.row(f"{name}_impulse"))
        for part in () if p.t.pgs else ("spring_fraction", "limit_fraction"):
            p.scratch(f"{name}_{part}", axes)
    response = p.row("couple_axis_response")
    for axis in range(axes):
        child, _, base = axis_links(p.t, i, axis)
        # r of an axis: child along its own axis, base along the root axis
        _axis_wrenches(p, s, i, axis)
        ends = [(child, p.at(f"{name}_wrenches", 3 * axis)), (base, p.at(f"{name}_wrenches", 3 * axis + 2))]
        load_wrenches(p, s, ends)
        column = p.at(f"{name}_columns", axis) if p.t.pgs else p.row("change")
        respond_to_forces(p, s, "couple_wrench", None, column)
        respond_pair(p, s, response, ends)
        # x = share / (1 + a r)
        pgs_rows = {f"fixed_tendon0_{part}": p.at(f"{name}_{part}", axis) for part in (
            "fraction", "decay", "limit_decay")} if p.t.pgs else {}
        s.do(coupling.scale, axes, p.t.pgs, response=response, h=p.row("h"), **parameters(p, name, TENDON_AXIS, axis),
             fraction=p.row("couple_fraction"), limit_fraction=p.row("couple_limit_fraction"), **pgs_rows,
             **parameters(p, name, FIXED_TENDON))
        if not p.t.pgs:
            add_product(s, p.row(f"{name}_spring_column"), column, p.row("couple_fraction"))
            add_product(s, p.row(f"{name}_limit_column"), column, p.row("couple_limit_fraction"))
        if p.t.tendon_impulses and not p.t.pgs:
            copy_rows(s, p.row("couple_fraction"), p.row(f"{name}_spring_fraction").part(axis))
            copy_rows(s, p.row("couple_limit_fraction"), p.row(f"{name}_limit_fraction").part(axis))
    _write_rate(p, s, i)


def write_fixed_tendon_iteration(p: Plan, s: Schedule, i: int) -> None:
    """Write the impulses of the i-th fixed tendon on `dv`."""
    # L = sum gearing q + offset, dv -= column P
    # (DyFeatherstoneArticulation.cpp, solveFixedTendonConstraintsRecursive)
    name, length = f"fixed_tendon{i}", p.row("couple_length")
    copy_rows(s, p.row(f"{name}_offset"), length)
    for axis, dof in enumerate(p.t.fixed_tendons[i].dofs):
        add_product(s, length, p.at("q", dof), p.row(f"{name}_gearing").part(axis))
    measure_rate(p, s, p.row(f"{name}_rate_row"), p.row(f"{name}_rate_bias"))
    s.do(coupling.pull_fixed, length=length, rate=p.row("couple_rate"), impulse=p.row("couple_impulse"),
         limit_impulse=p.row("couple_limit_impulse"), h=p.row("h"), **parameters(p, name, FIXED_TENDON))
    for axis in range(len(p.t.fixed_tendons[i].dofs)) if p.t.pgs else ():
        s.do(coupling.pull_axis, pull=p.row("couple_impulse"), limit_pull=p.row("couple_limit_impulse"),
             impulse=p.row("couple_fraction"),
             **{f"fixed_tendon0_{part}": p.at(f"{name}_{part}", axis) for part in PGS_PARTS})
        add_product(s, p.row("dv"), p.at(f"{name}_columns", axis), p.row("couple_fraction"))
        if p.t.tendon_impulses:
            add_product(s, p.row(f"{name}_impulse").part(axis), p.row("couple_fraction"))
    if p.t.pgs:
        return
    if p.t.tendon_impulses:
        add_product(s, p.row(f"{name}_impulse"), p.row(f"{name}_spring_fraction"), p.row("couple_impulse"), -1.0)
        add_product(s, p.row(f"{name}_impulse"), p.row(f"{name}_limit_fraction"), p.row("couple_limit_impulse"), -1.0)
    add_product(s, p.row("dv"), p.row(f"{name}_spring_column"), p.row("couple_impulse"), -1.0)
    add_product(s, p.row("dv"), p.row(f"{name}_limit_column"), p.row("couple_limit_impulse"), -1.0)


def _axis_wrenches(p: Plan, s: Schedule, i: int, axis: int) -> None:
    """Write wrench and bias of an axis' child along its own axis, of its parent and of the base along the root axis."""
    tendon, name = p.t.fixed_tendons[i], f"fixed_tendon{i}"
    # J_child along its own axis, J_parent and J_base along the root axis
    root_link, links = p.t.dofs[tendon.dofs[0]].link, axis_links(p.t, i, axis)
    opposed = tendon.is_opposed(axis)
    for index, link in enumerate(links):
        is_child = index == 0
        dof = tendon.dofs[axis if is_child else 0]
        start = {} if is_child else {"start_d": p.at("d", root_link), "base_center": p.at("center", links[2])}
        # the reaction: own less start, own less above
        s.do(coupling.axis_pull, p.t.kind_of(dof), is_child is False and not opposed, **start, axis=p.at("axes", dof),
             dt=p.row("dt"), wrench=p.at(f"{name}_wrenches", 3 * axis + index),
             bias=p.at(f"{name}_biases", 3 * axis + index),
             **{part: p.at(part, link) for part in ("center", "a_com", "motion")})


def _write_rate(p: Plan, s: Schedule, i: int) -> None:
    """Write the row of a fixed tendon's rate and its bias."""
    # rate row = sum gearing (J_child - J_parent)
    name = f"fixed_tendon{i}"
    clear(s, p.row("couple_wrench"))
    for axis in range(len(p.t.fixed_tendons[i].dofs)):
        gearing, links = p.row(f"{name}_gearing").part(axis), axis_links(p.t, i, axis)
        for index in (0, 1):
            at = 3 * axis + index
            add_product(s, p.at("couple_wrench", p.tree.last[links[index]]), p.at(f"{name}_wrenches", at), gearing)
            add_product(s, p.row(f"{name}_rate_bias"), p.at(f"{name}_biases", at), gearing)
    project_forces(p, s, "couple_wrench", p.row(f"{name}_rate_row"))


def write_spatial_tendon_start(p: Plan, s: Schedule, i: int) -> None:
    """Write row, column and response of the i-th spatial tendon."""
    links, name = p.t.spatial_tendons[i].links, f"spatial_tendon{i}"
    for part in ("offsets", "points"):
        p.scratch(f"{name}_{part}", len(links), 3)
    p.scratch(f"{name}_ends", 2, 6)
    for part in ("row", "column"):
        p.scratch(f"{name}_{part}", p.t.nv)
    for part in ("response", "bias", "length"):
        p.scratch(f"{name}_{part}", 1)
    for part in names_of(SPATIAL_TENDON, ACCUMULATED_IMPULSE):
        clear(s, p.scratch(f"{name}_{part}", 1))
    if p.t.tendon_impulses:
        clear(s, p.row(f"{name}_impulse"))
    # L and both end segments at the poses of the start
    _attach(p, s, i, "")
    _measure(p, s, i)
    clear(s, p.row(f"{name}_bias"))
    last, ends = len(links) - 1, []
    # u_leaf leads to the leaf's parent, u_root from the first child to the root
    for index, (sign, attachment, start, end) in enumerate(((1.0, last, last, last - 1), (-1.0, 0, 1, 0))):
        link, wrench = links[attachment], p.at(f"{name}_ends", index)
        ends.append((link, wrench))
        s.do(coupling.end_pull, sign, point=p.at(f"{name}_points", start), next_point=p.at(f"{name}_points", end),
             offset=p.at(f"{name}_offsets", attachment), wrench=wrench, bias=p.row(f"{name}_bias"), dt=p.row("dt"),
             **{part: p.at(part, link) for part in ("a_com", "motion", "center")})
    # J^T = [leaf: r x u, u; root: -(r x u), -u], column = M^-1 J^T, r = J M^-1 J^T
    load_wrenches(p, s, ends)
    project_forces(p, s, "couple_wrench", p.row(f"{name}_row"))
    load_wrenches(p, s, ends)
    respond_to_forces(p, s, "couple_wrench", None, p.row(f"{name}_column"))
    respond_pair(p, s, p.row(f"{name}_response"), ends)


def write_spatial_tendon_iteration(p: Plan, s: Schedule, i: int) -> None:
    """Write the impulse of the i-th spatial tendon on `dv`."""
    name = f"spatial_tendon{i}"
    # TGS: L at current poses; PGS: of the start
    if not p.t.pgs:
        _attach(p, s, i, "current_")
        _measure(p, s, i)
    # F = x (h k (L - L_rest) - a Ldot), dv += column F
    # (DyFeatherstoneArticulation.cpp, solveInternalSpatialTendonConstraints)
    measure_rate(p, s, p.row(f"{name}_row"), p.row(f"{name}_bias"))
    single = replace(SINGLE_LINK, solver=p.t.solver)
    s.do(coupling.pull_spatial, single, length=p.row(f"{name}_length"), rate=p.row("couple_rate"),
         impulse=p.row("couple_impulse"), h=p.row("h"),
         **parameters(p, name, SPATIAL_TENDON), **parameters(p, name, LEAF),
         **start_rows(p, name, SPATIAL_TENDON, "response", *names_of(SPATIAL_TENDON, ACCUMULATED_IMPULSE)))
    add_product(s, p.row("dv"), p.row(f"{name}_column"), p.row("couple_impulse"))
    if p.t.tendon_impulses:
        add_product(s, p.row(f"{name}_impulse"), p.row("couple_impulse"))


def _attach(p: Plan, s: Schedule, tendon: int, prefix: str) -> None:
    name = f"spatial_tendon{tendon}"
    for index, link in enumerate(p.t.spatial_tendons[tendon].links):
        s.do(coupling.attach, R=p.at(f"{prefix}R", link), position=p.at(f"{prefix}position", link),
             local=p.row(f"{name}_position").part(index, 3), offset=p.at(f"{name}_offsets", index),
             point=p.at(f"{name}_points", index))


def _measure(p: Plan, s: Schedule, tendon: int) -> None:
    name = f"spatial_tendon{tendon}"
    s.do(coupling.measure, points=p.row(f"{name}_points"), length=p.row(f"{name}_length"),
         **parameters(p, name, SPATIAL_TENDON), **parameters(p, name, ATTACHMENT))


def coupled(t: Topology) -> bool:
    """Whether a topology has tendons or mimic joints."""
    return bool(t.fixed_tendons or t.spatial_tendons or t.mimics)


def write_couplings_start(p: Plan, s: Schedule) -> None:
    """Write rows, columns and responses of tendons and mimic joints."""
    if not coupled(p.t):
        return
    p.scratch("couple_wrench", len(p.tree.nodes), 6)
    p.scratch("couple_force", len(p.t.dofs))
    for name in ("impulse", "limit_impulse", "rate", "length", "fraction", "limit_fraction", "axis_response"):
        p.scratch(f"couple_{name}", 1)
    # order of solving  (DyFeatherstoneArticulation.cpp, solveInternalConstraints)
    for i in range(len(p.t.spatial_tendons)):
        write_spatial_tendon_start(p, s, i)
    for i in range(len(p.t.fixed_tendons)):
        write_fixed_tendon_start(p, s, i)
    for i in range(len(p.t.mimics)):
        write_mimic_start(p, s, i)


def write_couplings_iteration(p: Plan, s: Schedule, final: bool) -> None:
    """Write impulses of spatial tendons, fixed tendons and mimic joints on `dv`, in this order."""
    for i in range(len(p.t.spatial_tendons)):
        write_spatial_tendon_iteration(p, s, i)
    for i in range(len(p.t.fixed_tendons)):
        write_fixed_tendon_iteration(p, s, i)
    for i in range(len(p.t.mimics)):
        write_mimic_iteration(p, s, i, final)
