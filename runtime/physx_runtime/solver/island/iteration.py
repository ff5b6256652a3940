"""An iteration of an island: forces on all actors, joints between them, the actors' own constraints, motion of all."""

from __future__ import annotations

from dataclasses import replace

from physx_runtime.compiling.schedule import Schedule, Span
from physx_runtime.solver.by_joint.couplings import coupled
from physx_runtime.solver.by_joint.iteration import Sweep, write_constraints, write_forces, write_seen
from physx_runtime.solver.by_joint.sweeps import clear
from physx_runtime.solver.island import links
from physx_runtime.solver.island.ancestors import keep_integrated
from physx_runtime.solver.island.fragments import body
from physx_runtime.solver.island.fragments.link import pass_time
from physx_runtime.solver.island.joints import write_solve
from physx_runtime.solver.island.plan import IslandPlan, TreePlan


def write_island_iteration(p: IslandPlan, s: Schedule, final: bool) -> None:
    """One position iteration, or with `final` one velocity iteration."""
    changes = write_pushes(p, s, final, bool(p.order.between))
    for j in p.order.between:
        write_solve(p, s, j, final)
    write_rest(p, s, changes, final, bool(p.order.between))


def write_pushes(p: IslandPlan, s: Schedule, final: bool, among: bool) -> dict[int, Span | None]:
    """What precedes joints and patches among actors, of which there are some where `among`.

    Forces on all actors, and links' own constraints where what holds links is last; by articulation, the change of v
    that its next sweep begins with.
    """
    for actor in p.bodies.values() if not final else ():
        s.do(body.solve, actor.t, **actor.layout.groups)
    return {i: _write_forces(tree, s, final, p.t.links_held_last and among) for i, tree in p.trees.items()}


def write_rest(p: IslandPlan, s: Schedule, changes: dict[int, Span | None], final: bool, among: bool) -> None:
    """What comes behind joints and patches among actors: the actors' own constraints, and motion."""
    last = p.t.links_held_last
    for i, tree in p.trees.items():
        _write_tree(tree, s, changes[i], Sweep(final, own=not (last and among), speed_last=last))
    if final:
        return
    for actor in p.bodies.values():
        s.do(body.move, actor.t, **actor.layout.groups)
    if p.t.pgs:
        return
    s.do(pass_time, elapsed=p.row("elapsed"), h=p.time["h"])
    for tree in p.trees.values():
        links.measure_motion(tree, s, p.row("elapsed"))
        keep_integrated(tree, s)


def _write_forces(a: TreePlan, s: Schedule, final: bool, first: bool) -> Span | None:
    """The change of v by forces; velocities of links that joints between actors see.

    first: the articulation's own constraints come before those.
    """
    dv = write_forces(a.p, s, final, apart=coupled(a.p.t) or bool(a.active))
    if first:
        p, sweep = replace(a.p, behind={}), Sweep(final, closing=False, speed_last=True)
        write_constraints(p, s, dv, sweep, write_seen(p, s, sweep))
        dv = a.p.row("dv")
        clear(s, dv)
    if a.outer:
        links.begin_impulses(a, s)
        links.read_velocities(a, s, a.outer, a.p.row("dv"))
    return dv


def _write_tree(a: TreePlan, s: Schedule, dv: Span | None, sweep: Sweep) -> None:
    """An articulation's own constraints, those of its links to the world among them, and its motion."""
    if a.outer:
        links.spread_impulses(a, s)
    turning = write_seen(a.p, s, sweep)
    if a.inside:        # with what tendons and mimic joints have changed
        links.read_velocities(a, s, a.inside, a.p.row("dv"))
    write_constraints(a.p, s, dv, sweep, turning)
