"""The step's start of an island: every actor's own, then its joints'."""

from __future__ import annotations

from physx_runtime.compiling.schedule import Schedule
from physx_runtime.solver.by_joint.start import write_start
from physx_runtime.solver.by_joint.sweeps import clear, copy_rows
from physx_runtime.solver.divergence import moving_rows
from physx_runtime.solver.island.ancestors import keep_integrated
from physx_runtime.solver.island.cross_response import write_cross_response
from physx_runtime.solver.island.fragments import body
from physx_runtime.solver.island.joints import write_prepare
from physx_runtime.solver.island.links import write_links_start
from physx_runtime.solver.island.plan import BodyPlan, IslandPlan


def write_island_start(p: IslandPlan, s: Schedule) -> None:
    """Everything at the step's start."""
    clear(s, p.row("elapsed"))
    for actor in p.actors:
        if isinstance(actor, BodyPlan):
            for name in moving_rows(actor.t):
                copy_rows(s, actor.row(name), actor.row(f"kept_{name}"))
            s.do(body.begin, actor.t, **actor.layout.groups)
        else:
            write_start(actor.p, s)
            write_links_start(actor, s)
            keep_integrated(actor, s)
    for own, name in p.kept:
        copy_rows(s, own[name], own[f"kept_{name}"])
    for j in range(len(p.t.joints)):
        write_cross_response(p, s, j)
        write_prepare(p, s, j)
