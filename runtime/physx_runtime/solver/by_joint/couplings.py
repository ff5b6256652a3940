"""The generic path's tendons and mimic joints: columns of M^-1 by the tree's response, and impulses on all of v."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.linear import dot
from physx_runtime.dynamics.spatial import Force, force_of, linear_first, motion_of
from physx_runtime.model.rows import (
    ATTACHMENT,
    FIXED_TENDON,
    GROUPS,
    LEAF,
    MIMIC,
    PARAMETER,
    SPATIAL_TENDON,
    TENDON_AXIS,
    TOTAL,
    names_of,
)
from physx_runtime.model.topology import SPHERICAL, Topology
from physx_runtime.solver.by_joint import bodies, edges
from physx_runtime.solver.by_joint.bodies import Made, Rows, central_acceleration, rotation_matrix, vec
from physx_runtime.solver.by_joint.passes import add_product, answer_forces, clear, copy_rows, project_forces
from physx_runtime.solver.by_joint.plan import Plan
from physx_runtime.solver.constraints.fixed_tendon import (
    axis_alone,
    axis_force,
    axis_impulse,
    axis_shares,
    fixed_tendon_pulls,
)
from physx_runtime.solver.constraints.mimic import mimic_coefficients, mimic_impulse
from physx_runtime.solver.constraints.spatial_tendon import (
    attachment_point,
    end_bias,
    segment_direction,
    spatial_tendon_impulse,
    tendon_length,
)

# What PGS holds of every axis of a fixed tendon.
PGS_PARTS = ("share", "again", "limit_again", *names_of(TENDON_AXIS, TOTAL))


def coupled(t: Topology) -> bool:
    """Whether anything couples joints."""
    return bool(t.fixed_tendons or t.spatial_tendons or t.mimics)


# --- bodies --------------------------------------------------------------------------------------------------------

def attach(rows: Rows) -> Made:
    """Offset of an attachment from its link's anchor, and its place."""
    offset, point = attachment_point(rotation_matrix(rows["R"]), vec(rows["position"]), vec(rows["local"]))
    return {"offset": offset, "point": point}


def end_pull(rows: Rows, sign: float) -> Made:
    """Wrench of a spatial tendon's end about its link's anchor, and its bias (`end_bias`)."""
    u = sp.scale(sign, segment_direction(vec(rows["point"]), vec(rows["next_point"])))
    offset = vec(rows["offset"])
    wrench = Force(sp.ZERO3, u).about(offset)
    bias = end_bias(u, central_acceleration(rows), sp.sub(offset, vec(rows["center"])))
    return {"wrench": linear_first(wrench), "bias": [rows["bias"][0] + rows["dt"][0] * bias]}


def axis_pull(rows: Rows, kind: str, opposed: bool) -> Made:
    """Wrench along a fixed tendon's axis about a link's anchor, and dt Jdot v along it.

    With the row "start_d" the axis is the root axis, otherwise the link's own.
    """
    center = vec(rows["center"])
    lever = sp.sub(vec(rows["start_d"]), vec(rows["base_center"])) if "start_d" in rows else sp.scale(-1.0, center)
    axis = sp.scale(-1.0, vec(rows["axis"])) if opposed else vec(rows["axis"])
    pull = axis_force(kind, axis, lever)
    return {"wrench": linear_first(pull.about(center)), "bias": [rows["dt"][0] * pull.dot(central_acceleration(rows))]}


def respond_two(rows: Rows) -> Made:
    """Response of two wrenches together, from the twists of their links."""
    return {"response": [force_of(rows["wrench"]).dot(motion_of(rows["twist"]))
                         + force_of(rows["other_wrench"]).dot(motion_of(rows["other_twist"]))]}


def share(rows: Rows, axes: int, pgs: bool) -> Made:
    """`axis_shares` of one axis; with PGS `axis_alone`."""
    if pgs:
        return axis_alone(rows, 0, 0, axes, rows["response"][0])
    x, x_limit = axis_shares(rows, 0, 0, axes, rows["response"][0])
    return {"share": [x], "limit_share": [x_limit]}


def add_rate(rows: Rows) -> Made:
    """rate + row (v + dv)."""
    return {"rate": [rows["rate"][0] + rows["row"][0] * (rows["v"][0] + rows["dv"][0])]}


def measure(rows: Rows) -> Made:
    """Length of a spatial tendon."""
    points = [(sp.ZERO3, vec(rows["points"], i)) for i in range(len(rows["points"]) // 3)]
    return {"length": [tendon_length(rows, 0, points)]}


def pull_spatial(rows: Rows, alone: Topology) -> Made:
    """`spatial_tendon_impulse`."""
    totals: dict[str, list[Any]] = {}
    impulse = spatial_tendon_impulse(alone, rows, 0, rows["length"][0], rows["rate"][0], totals)
    return {"impulse": [impulse], **totals}


def pull_fixed(rows: Rows) -> Made:
    """`fixed_tendon_pulls`."""
    pull, limit = fixed_tendon_pulls(rows, 0, rows["length"][0], rows["rate"][0])
    return {"impulse": [pull], "limit_impulse": [limit]}


def pull_axis(rows: Rows) -> Made:
    """`axis_impulse`."""
    totals: dict[str, list[Any]] = {f"fixed_tendon0_{part}total": [0.0] for part in ("", "limit_")}
    impulse = axis_impulse(rows, 0, 0, rows["pull"][0], rows["limit_pull"][0], totals)
    return {"impulse": [impulse], **totals}


def mimic_response(rows: Rows) -> Made:
    """`mimic_coefficients`, from the column's entries at its two dofs."""
    gearing = rows["mimic0_gearing"]
    return mimic_coefficients(rows, 0, dot([1.0, *gearing], [rows["at_follower"][0], rows["at_reference"][0]]))


def pull_mimic(rows: Rows, final: bool) -> Made:
    """`mimic_impulse`."""
    rates = [v + dv for v, dv in zip(rows["v"], rows["dv"], strict=True)]
    other = [v + dv for v, dv in zip(rows["other_v"], rows["other_dv"], strict=True)]
    q: Sequence[Any] = (rows["q"][0], rows["other_q"][0]) if "q" in rows else (0.0, 0.0)
    return {"impulse": [mimic_impulse(rows, 0, (q[0], q[1]), (rates[0], other[0]), final)]}


# --- operands ------------------------------------------------------------------------------------------------------

def _parameters(p: Plan, name: str, owner: str, axis: int | None = None) -> dict[str, Span]:
    """All parameters of one coupling or of one of its axes, called as those of the first of its kind."""
    spans = {part: p.row(f"{name}_{part}") for part in names_of(owner, PARAMETER)}
    return {f"{GROUPS[owner]}0_{part}": span if axis is None else span.part(axis) for part, span in spans.items()}


def _scratch(p: Plan, name: str, owner: str, *parts: str) -> dict[str, Span]:
    """What the step's start makes for one coupling, called as that of the first of its kind."""
    return {f"{GROUPS[owner]}0_{part}": p.row(f"{name}_{part}") for part in parts}


# --- the step's start ----------------------------------------------------------------------------------------------

def begin_couplings(p: Plan, s: Schedule) -> None:
    """Rows, columns and responses of tendons and mimic joints."""
    if not coupled(p.t):
        return
    p.scratch("couple_wrench", len(p.tree.nodes), 6)
    p.scratch("couple_force", len(p.t.dofs))
    for name in ("impulse", "limit_impulse", "rate", "length", "share", "limit_share", "axis_response"):
        p.scratch(f"couple_{name}", 1)
    for i in range(len(p.t.spatial_tendons)):
        _begin_spatial(p, s, i)
    for i in range(len(p.t.fixed_tendons)):
        _begin_fixed(p, s, i)
    for i in range(len(p.t.mimics)):
        _begin_mimic(p, s, i)


def _load(p: Plan, s: Schedule, wrenches: Sequence[tuple[int, Span]], factor: Span | None = None) -> None:
    """The rows `couple_wrench` with nothing but these wrenches on links."""
    clear(s, p.row("couple_wrench"))
    for link, wrench in wrenches:
        add_product(s, p.at("couple_wrench", p.tree.last[link]), wrench, factor)


def _respond(p: Plan, s: Schedule, out: Span, ends: Sequence[tuple[int, Span]]) -> None:
    (link, wrench), (other, other_wrench) = ends
    s.do(respond_two, response=out, wrench=wrench, other_wrench=other_wrench,
               twist=p.at("twist", p.tree.last[link]), other_twist=p.at("twist", p.tree.last[other]))


def _attach(p: Plan, s: Schedule, tendon: int, prefix: str) -> None:
    name = f"spatial_tendon{tendon}"
    for place, link in enumerate(p.t.spatial_tendons[tendon].links):
        s.do(attach, R=p.at(f"{prefix}R", link), position=p.at(f"{prefix}position", link),
             local=p.row(f"{name}_position").part(place, 3), offset=p.at(f"{name}_offsets", place),
             point=p.at(f"{name}_points", place))


def _begin_spatial(p: Plan, s: Schedule, i: int) -> None:
    links, name = p.t.spatial_tendons[i].links, f"spatial_tendon{i}"
    for part in ("offsets", "points"):
        p.scratch(f"{name}_{part}", len(links), 3)
    p.scratch(f"{name}_ends", 2, 6)
    for part in ("row", "column"):
        p.scratch(f"{name}_{part}", p.t.nv)
    for part in ("response", "bias", "length"):
        p.scratch(f"{name}_{part}", 1)
    for part in names_of(SPATIAL_TENDON, TOTAL):
        clear(s, p.scratch(f"{name}_{part}", 1))
    _attach(p, s, i, "")
    _measure(p, s, i)
    clear(s, p.row(f"{name}_bias"))
    last, ends = len(links) - 1, []
    # u_leaf leads to the leaf's parent, u_root from the first child to the root
    for place, (sign, attachment, start, end) in enumerate(((1.0, last, last, last - 1), (-1.0, 0, 1, 0))):
        link, wrench = links[attachment], p.at(f"{name}_ends", place)
        ends.append((link, wrench))
        s.do(end_pull, sign, point=p.at(f"{name}_points", start), next_point=p.at(f"{name}_points", end),
             offset=p.at(f"{name}_offsets", attachment), wrench=wrench, bias=p.row(f"{name}_bias"), dt=p.row("dt"),
             **{part: p.at(part, link) for part in ("a_com", "motion", "center")})
    _load(p, s, ends)
    project_forces(p, s, "couple_wrench", p.row(f"{name}_row"))
    _load(p, s, ends)
    answer_forces(p, s, "couple_wrench", None, p.row(f"{name}_column"))
    _respond(p, s, p.row(f"{name}_response"), ends)


def _begin_fixed(p: Plan, s: Schedule, i: int) -> None:
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
    response = p.row("couple_axis_response")
    for axis, dof in enumerate(tendon.dofs):
        child, (_, _, base) = p.t.dofs[dof].link, _axis_links(p, i, axis)
        _axis_wrenches(p, s, i, axis)
        ends = [(child, p.at(f"{name}_wrenches", 3 * axis)), (base, p.at(f"{name}_wrenches", 3 * axis + 2))]
        _load(p, s, ends)
        column = p.at(f"{name}_columns", axis) if p.t.pgs else p.row("change")
        answer_forces(p, s, "couple_wrench", None, column)
        _respond(p, s, response, ends)
        alone = {f"fixed_tendon0_{part}": p.at(f"{name}_{part}", axis) for part in (
            "share", "again", "limit_again")} if p.t.pgs else {}
        s.do(share, axes, p.t.pgs, response=response, h=p.row("h"), **_parameters(p, name, TENDON_AXIS, axis),
             share=p.row("couple_share"), limit_share=p.row("couple_limit_share"), **alone,
             **_parameters(p, name, FIXED_TENDON))
        if not p.t.pgs:
            add_product(s, p.row(f"{name}_spring_column"), column, p.row("couple_share"))
            add_product(s, p.row(f"{name}_limit_column"), column, p.row("couple_limit_share"))
    _begin_rate(p, s, i)


def _axis_links(p: Plan, tendon: int, axis: int) -> tuple[int, int, int]:
    """An axis' child link, that one's parent, and the tendon's base."""
    dofs = p.t.fixed_tendons[tendon].dofs
    child, root = p.t.dofs[dofs[axis]].link, p.t.dofs[dofs[0]].link
    return child, p.parent(child), p.parent(root)


def _axis_wrenches(p: Plan, s: Schedule, i: int, axis: int) -> None:
    """Wrench and bias of an axis' child along its own axis, of its parent and of the base against the root axis."""
    tendon, name = p.t.fixed_tendons[i], f"fixed_tendon{i}"
    root_link, links = p.t.dofs[tendon.dofs[0]].link, _axis_links(p, i, axis)
    opposed = tendon.opposed[axis:axis + 1] == (True,)
    for place, link in enumerate(links):
        own = place == 0
        dof = tendon.dofs[axis if own else 0]
        start = {} if own else {"start_d": p.at("d", root_link), "base_center": p.at("center", links[2])}
        # the reaction: own less start, own less above
        s.do(axis_pull, p.t.kind_of(dof), own is False and not opposed, **start, axis=p.at("axes", dof),
             dt=p.row("dt"), wrench=p.at(f"{name}_wrenches", 3 * axis + place),
             bias=p.at(f"{name}_biases", 3 * axis + place),
             **{part: p.at(part, link) for part in ("center", "a_com", "motion")})


def _begin_rate(p: Plan, s: Schedule, i: int) -> None:
    """The row of a fixed tendon's rate and its bias."""
    name = f"fixed_tendon{i}"
    clear(s, p.row("couple_wrench"))
    for axis in range(len(p.t.fixed_tendons[i].dofs)):
        gearing, links = p.row(f"{name}_gearing").part(axis), _axis_links(p, i, axis)
        for place in (0, 1):
            at = 3 * axis + place
            add_product(s, p.at("couple_wrench", p.tree.last[links[place]]), p.at(f"{name}_wrenches", at), gearing)
            add_product(s, p.row(f"{name}_rate_bias"), p.at(f"{name}_biases", at), gearing)
    project_forces(p, s, "couple_wrench", p.row(f"{name}_rate_row"))


def _begin_mimic(p: Plan, s: Schedule, i: int) -> None:
    (follower, reference), name = p.t.mimics[i], f"mimic{i}"
    column = p.scratch(f"{name}_column", p.t.nv)
    for part in ("scale", "hard_scale", "erp"):
        p.scratch(f"{name}_{part}", 1)
    clear(s, p.row("couple_wrench"))
    clear(s, p.row("couple_force"))
    s.do(edges.one, ones=p.row("couple_force").part(follower))
    copy_rows(s, p.row(f"{name}_gearing"), p.row("couple_force").part(reference))
    answer_forces(p, s, "couple_wrench", p.row("couple_force"), column)
    first = p.t.root_size
    s.do(mimic_response, h=p.row("h"), erp=p.row("erp"), at_follower=column.part(first + follower),
         at_reference=column.part(first + reference),
         **_parameters(p, name, MIMIC), **_scratch(p, name, MIMIC, "scale", "hard_scale", "erp"))


# --- an iteration --------------------------------------------------------------------------------------------------

def solve_couplings(p: Plan, s: Schedule, final: bool) -> None:
    """Impulses of spatial tendons, fixed tendons and mimic joints on `dv`, one after another."""
    for i in range(len(p.t.spatial_tendons)):
        _solve_spatial(p, s, i)
    for i in range(len(p.t.fixed_tendons)):
        _solve_fixed(p, s, i)
    for i in range(len(p.t.mimics)):
        _solve_mimic(p, s, i, final)


def _measure_rate(p: Plan, s: Schedule, row: Span, bias: Span) -> None:
    rate = p.row("couple_rate")
    copy_rows(s, bias, rate)
    s.repeat(p.t.nv, add_rate, rate=rate,
             moving={"row": row.part(0), "v": p.row("v").part(0), "dv": p.row("dv").part(0)})


def _measure(p: Plan, s: Schedule, tendon: int) -> None:
    name = f"spatial_tendon{tendon}"
    s.do(measure, points=p.row(f"{name}_points"), length=p.row(f"{name}_length"),
         **_parameters(p, name, SPATIAL_TENDON), **_parameters(p, name, ATTACHMENT))


def _solve_spatial(p: Plan, s: Schedule, i: int) -> None:
    name = f"spatial_tendon{i}"
    if not p.t.pgs:
        _attach(p, s, i, "seen_")
        _measure(p, s, i)
    _measure_rate(p, s, p.row(f"{name}_row"), p.row(f"{name}_bias"))
    alone = replace(bodies.SINGLE_LINK, solver=p.t.solver)
    s.do(pull_spatial, alone, length=p.row(f"{name}_length"), rate=p.row("couple_rate"),
         impulse=p.row("couple_impulse"), h=p.row("h"),
         **_parameters(p, name, SPATIAL_TENDON), **_parameters(p, name, LEAF),
         **_scratch(p, name, SPATIAL_TENDON, "response", *names_of(SPATIAL_TENDON, TOTAL)))
    add_product(s, p.row("dv"), p.row(f"{name}_column"), p.row("couple_impulse"))


def _solve_fixed(p: Plan, s: Schedule, i: int) -> None:
    name, length = f"fixed_tendon{i}", p.row("couple_length")
    copy_rows(s, p.row(f"{name}_offset"), length)
    for axis, dof in enumerate(p.t.fixed_tendons[i].dofs):
        add_product(s, length, p.at("q", dof), p.row(f"{name}_gearing").part(axis))
    _measure_rate(p, s, p.row(f"{name}_rate_row"), p.row(f"{name}_rate_bias"))
    s.do(pull_fixed, length=length, rate=p.row("couple_rate"), impulse=p.row("couple_impulse"),
         limit_impulse=p.row("couple_limit_impulse"), h=p.row("h"), **_parameters(p, name, FIXED_TENDON))
    for axis in range(len(p.t.fixed_tendons[i].dofs)) if p.t.pgs else ():
        s.do(pull_axis, pull=p.row("couple_impulse"), limit_pull=p.row("couple_limit_impulse"),
             impulse=p.row("couple_share"),
             **{f"fixed_tendon0_{part}": p.at(f"{name}_{part}", axis) for part in PGS_PARTS})
        add_product(s, p.row("dv"), p.at(f"{name}_columns", axis), p.row("couple_share"))
    if p.t.pgs:
        return
    add_product(s, p.row("dv"), p.row(f"{name}_spring_column"), p.row("couple_impulse"), -1.0)
    add_product(s, p.row("dv"), p.row(f"{name}_limit_column"), p.row("couple_limit_impulse"), -1.0)


def _solve_mimic(p: Plan, s: Schedule, i: int, final: bool) -> None:
    (follower, reference), name, first = p.t.mimics[i], f"mimic{i}", p.t.root_size
    given = {}
    if not final:
        given = {argument: p.at("seen_q" if p.t.kind_of(dof) == SPHERICAL else "q", dof)
                 for argument, dof in (("q", follower), ("other_q", reference))}
    s.do(pull_mimic, final, **given, v=p.v_at(follower), other_v=p.v_at(reference),
         dv=p.row("dv").part(first + follower), other_dv=p.row("dv").part(first + reference),
         impulse=p.row("couple_impulse"), **_parameters(p, name, MIMIC),
         **_scratch(p, name, MIMIC, "scale", "hard_scale", "erp"))
    add_product(s, p.row("dv"), p.row(f"{name}_column"), p.row("couple_impulse"), -1.0)
