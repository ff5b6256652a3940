"""The step's end of an island: every actor's own, joints that give way, and diverged worlds put back as a whole."""

from __future__ import annotations

from collections.abc import Iterator

from physx_runtime.compiling.schedule import Layout, Schedule
from physx_runtime.solver.by_joint.end import write_finish
from physx_runtime.solver.by_joint.fragments import divergence, rows
from physx_runtime.solver.by_joint.sweeps import clear, copy_rows
from physx_runtime.solver.divergence import DIVERGED, moving_rows
from physx_runtime.solver.island.fragments import body
from physx_runtime.solver.island.joints import write_conclusion
from physx_runtime.solver.island.plan import BodyPlan, IslandPlan


def write_island_end(p: IslandPlan, s: Schedule) -> None:
    """What a step leaves."""
    for actor in p.actors:
        if isinstance(actor, BodyPlan):
            s.do(body.finish, actor.t, **actor.layout.groups)
        else:
            write_finish(actor.p, s)
    for j, joint in enumerate(p.t.joints):
        if joint.weighed:
            write_conclusion(p, s, j)
    _freeze(p, s)


def _freeze(p: IslandPlan, s: Schedule) -> None:
    """An island stays where it was once anything in it has diverged."""
    clear(s, p.row("size"))
    clear(s, p.row("flags"))
    moving = list(_moving(p))
    for layout, name in moving:
        s.repeat(layout[name].size, rows.add_size, moving={"x": layout[name].part(0)}, size=p.row("size"))
    flags = [actor.layout[DIVERGED] for actor in p.actors]
    for flag in flags:
        s.do(rows.add_size, x=flag, size=p.row("flags"))
    s.do(divergence.judge, size=p.row("size"), diverged=p.row("flags"), sound=p.row("sound"))
    for flag in flags:
        copy_rows(s, p.row("flags"), flag)
    for layout, name in (*moving, *p.kept):
        s.repeat(layout[name].size, divergence.keep, sound=p.row("sound"),
                 moving={"x": layout[name].part(0), "kept": layout[f"kept_{name}"].part(0)})


def _moving(p: IslandPlan) -> Iterator[tuple[Layout, str]]:
    for actor, t in zip(p.actors, p.t.actors, strict=True):
        yield from ((actor.layout, name) for name in moving_rows(t))
