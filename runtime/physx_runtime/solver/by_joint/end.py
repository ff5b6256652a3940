"""The step's end: positions wrapped, momentum kept, diverged worlds put back."""

from __future__ import annotations

from physx_runtime.compiling.schedule import Schedule
from physx_runtime.model.topology import PRISMATIC, SPHERICAL
from physx_runtime.solver.by_joint.floating_base import write_floating_end
from physx_runtime.solver.by_joint.fragments import divergence, joint, kinematics, rows
from physx_runtime.solver.by_joint.iteration import advance_links
from physx_runtime.solver.by_joint.plan import Plan
from physx_runtime.solver.by_joint.sleep import write_mean_motions
from physx_runtime.solver.by_joint.sweeps import clear, place_links, read_coordinates
from physx_runtime.solver.by_joint.tree import paths_to
from physx_runtime.solver.divergence import DIVERGED, moving_rows


def write_end(p: Plan, s: Schedule) -> None:
    """The step's end: what `articulation.step.finish` does, and diverged worlds put back."""
    write_finish(p, s)
    _freeze(p, s)


def write_finish(p: Plan, s: Schedule) -> None:
    """As `articulation.step.finish`: positions wrapped, momentum kept."""
    t = p.t
    if t.sleeping:
        write_mean_motions(p, s)
    if t.pgs:
        for dof in range(len(t.dofs)):
            s.do(joint.advance_dof, t.kind_of(dof) != SPHERICAL, h=p.row("h"), q=p.at("q", dof),
                 travel=p.at("travel", dof), v=p.row("v_moving").part(t.root_size + dof))
        advance_links(p, s, p.row("v_moving"))
    if p.balls or not t.fixed_base:
        for i in range(len(p.balls)):
            s.do(kinematics.normalize, rotation=p.at("ball_rotation", i))
        _place_at_end(p, s)
    for dof in range(len(t.dofs)):
        if t.kind_of(dof) not in (PRISMATIC, SPHERICAL):
            s.do(joint.wrap, q=p.at("q", dof), **{name: p.at(name, dof) for name in ("lower_limit", "upper_limit")})
    if not t.fixed_base:
        write_floating_end(p, s)


def _place_at_end(p: Plan, s: Schedule) -> None:
    """Poses after the step, and the coordinates of spherical joints read off them."""
    t = p.t
    links = list(range(1, len(t.links))) if not t.fixed_base else paths_to(t, p.balls)
    place_links(p, s, links, solved=True)
    for link in p.balls:
        read_coordinates(p, s, link, "q", "")


def _freeze(p: Plan, s: Schedule) -> None:
    moving = moving_rows(p.t)
    clear(s, p.row("size"))
    for name in moving:
        s.repeat(p.row(name).size, rows.add_size, moving={"x": p.row(name).part(0)}, size=p.row("size"))
    s.do(divergence.judge, size=p.row("size"), diverged=p.row(DIVERGED), sound=p.row("sound"))
    for name in moving:
        s.repeat(p.row(name).size, divergence.keep, sound=p.row("sound"),
                 moving={"x": p.row(name).part(0), "kept": p.row(f"kept_{name}").part(0)})
