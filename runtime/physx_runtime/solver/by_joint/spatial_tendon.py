"""Spatial tendons: the wrenches of their ends, and impulses on all of v."""

from __future__ import annotations

from dataclasses import replace

from physx_runtime.compiling.schedule import Schedule
from physx_runtime.model.rows import ATTACHMENT, LEAF, SPATIAL_TENDON, TOTAL, names_of
from physx_runtime.solver.by_joint.coupling_parts import (
    load_wrenches,
    made_at_start,
    measure_rate,
    parameters,
    respond_together,
)
from physx_runtime.solver.by_joint.fragments import coupling
from physx_runtime.solver.by_joint.plan import Plan
from physx_runtime.solver.by_joint.sweeps import add_product, answer_forces, clear, project_forces
from physx_runtime.solver.by_joint.tree import SINGLE_LINK


def write_spatial_tendon_start(p: Plan, s: Schedule, i: int) -> None:
    """Row, column and response of the i-th spatial tendon."""
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
    if p.t.tendon_impulses:
        clear(s, p.row(f"{name}_given"))
    _attach(p, s, i, "")
    _measure(p, s, i)
    clear(s, p.row(f"{name}_bias"))
    last, ends = len(links) - 1, []
    # u_leaf leads to the leaf's parent, u_root from the first child to the root
    for place, (sign, attachment, start, end) in enumerate(((1.0, last, last, last - 1), (-1.0, 0, 1, 0))):
        link, wrench = links[attachment], p.at(f"{name}_ends", place)
        ends.append((link, wrench))
        s.do(coupling.end_pull, sign, point=p.at(f"{name}_points", start), next_point=p.at(f"{name}_points", end),
             offset=p.at(f"{name}_offsets", attachment), wrench=wrench, bias=p.row(f"{name}_bias"), dt=p.row("dt"),
             **{part: p.at(part, link) for part in ("a_com", "motion", "center")})
    load_wrenches(p, s, ends)
    project_forces(p, s, "couple_wrench", p.row(f"{name}_row"))
    load_wrenches(p, s, ends)
    answer_forces(p, s, "couple_wrench", None, p.row(f"{name}_column"))
    respond_together(p, s, p.row(f"{name}_response"), ends)


def write_spatial_tendon_iteration(p: Plan, s: Schedule, i: int) -> None:
    """Its impulse on `dv`."""
    name = f"spatial_tendon{i}"
    if not p.t.pgs:
        _attach(p, s, i, "seen_")
        _measure(p, s, i)
    measure_rate(p, s, p.row(f"{name}_row"), p.row(f"{name}_bias"))
    alone = replace(SINGLE_LINK, solver=p.t.solver)
    s.do(coupling.pull_spatial, alone, length=p.row(f"{name}_length"), rate=p.row("couple_rate"),
         impulse=p.row("couple_impulse"), h=p.row("h"),
         **parameters(p, name, SPATIAL_TENDON), **parameters(p, name, LEAF),
         **made_at_start(p, name, SPATIAL_TENDON, "response", *names_of(SPATIAL_TENDON, TOTAL)))
    add_product(s, p.row("dv"), p.row(f"{name}_column"), p.row("couple_impulse"))
    if p.t.tendon_impulses:
        add_product(s, p.row(f"{name}_given"), p.row("couple_impulse"))


def _attach(p: Plan, s: Schedule, tendon: int, prefix: str) -> None:
    name = f"spatial_tendon{tendon}"
    for place, link in enumerate(p.t.spatial_tendons[tendon].links):
        s.do(coupling.attach, R=p.at(f"{prefix}R", link), position=p.at(f"{prefix}position", link),
             local=p.row(f"{name}_position").part(place, 3), offset=p.at(f"{name}_offsets", place),
             point=p.at(f"{name}_points", place))


def _measure(p: Plan, s: Schedule, tendon: int) -> None:
    name = f"spatial_tendon{tendon}"
    s.do(coupling.measure, points=p.row(f"{name}_points"), length=p.row(f"{name}_length"),
         **parameters(p, name, SPATIAL_TENDON), **parameters(p, name, ATTACHMENT))
