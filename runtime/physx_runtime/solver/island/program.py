"""The scheduled step of an island: start, iterations and end.

`island_schedules` is the whole step; only fragments that no other island used are compiled. `write_island_start`
writes the start of all actors, then of the joints. `write_island_end` writes the end of all actors, breaking joints,
and the return of a diverged island to the step's start.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from physx_runtime.compiling.program import Pass
from physx_runtime.compiling.schedule import Layout, Schedule, ScheduledProgram
from physx_runtime.model.island import IslandTopology
from physx_runtime.model.island_rows import island_input_rows, island_output_rows
from physx_runtime.solver.divergence import DIVERGED, moving_rows
from physx_runtime.solver.island.fragments import body
from physx_runtime.solver.island.iteration import write_island_iteration, write_island_sleep
from physx_runtime.solver.island.joints import schedule_inside, write_conclusion, write_prepare
from physx_runtime.solver.island.links import store_integrated, write_cross_response, write_links_start
from physx_runtime.solver.island.plan import BodyPlan, IslandPlan, make_island_plan
from physx_runtime.solver.program import POSITION_COUNT, VELOCITY_COUNT
from physx_runtime.solver.scheduled.fragments import joint as joint_module
from physx_runtime.solver.scheduled.fragments import sleep
from physx_runtime.solver.scheduled.program import write_finish, write_start
from physx_runtime.solver.scheduled.sweeps import clear, copy_rows


def write_island_start(p: IslandPlan, s: Schedule) -> None:
    """Write the start of a step."""
    # t = 0
    clear(s, p.row("elapsed"))
    for actor in p.actors:
        if isinstance(actor, BodyPlan):
            for name in moving_rows(actor.t):
                copy_rows(s, actor.row(name), actor.row(f"saved_{name}"))
            s.do(body.begin, actor.t, **actor.layout.groups)
        else:
            # poses, M^-1 and rows of the start  (DyTGSDynamics.cpp, prepareBodiesAndConstraints)
            write_start(actor.p, s)
            write_links_start(actor, s)
            store_integrated(actor, s)
    for groups, name in p.persistent_rows:
        copy_rows(s, groups[name], groups[f"saved_{name}"])
    for j in range(len(p.t.joints)):
        write_cross_response(p, s, j)
        write_prepare(p, s, j)


def write_island_end(p: IslandPlan, s: Schedule) -> None:
    """Write the end of a step."""
    for actor in p.actors:
        if isinstance(actor, BodyPlan):
            s.do(body.finish, actor.t, **actor.layout.groups)
        else:
            write_finish(actor.p, s)
    for j, joint in enumerate(p.t.joints):
        if joint.measures_force:
            write_conclusion(p, s, j)
    _freeze(p, s)


def _freeze(p: IslandPlan, s: Schedule) -> None:
    """Restore the state of the step's start once anything in the island has diverged."""
    # one diverged actor stops its island: sum |x| over all of them
    clear(s, p.row("size"))
    clear(s, p.row("flags"))
    moving = list(_moving(p))
    for layout, name in moving:
        s.repeat(layout[name].size, joint_module.add_size, moving={"x": layout[name].part(0)}, size=p.row("size"))
    flags = [actor.layout[DIVERGED] for actor in p.actors]
    for flag in flags:
        s.do(joint_module.add_size, x=flag, size=p.row("flags"))
    s.do(sleep.check_validity, size=p.row("size"), diverged=p.row("flags"), valid=p.row("valid"))
    for flag in flags:
        copy_rows(s, p.row("flags"), flag)
    for layout, name in (*moving, *p.persistent_rows):
        s.repeat(layout[name].size, sleep.keep_if_valid, valid=p.row("valid"),
                 moving={"x": layout[name].part(0), "saved": layout[f"saved_{name}"].part(0)})


def _moving(p: IslandPlan) -> Iterator[tuple[Layout, str]]:
    for actor, t in zip(p.actors, p.t.actors, strict=True):
        yield from ((actor.layout, name) for name in moving_rows(t))


# Cache size: verification steps two islands for every joint, 42 on a stage of 20 joints.
MAX_CACHED_STEPS = 256


@functools.lru_cache(maxsize=MAX_CACHED_STEPS)
def island_schedules(t: IslandTopology) -> ScheduledProgram:
    """The step of an island as schedules.

    Raises UnsupportedError where the dofs of a joint are not numbered one after another.
    """
    p, (start, position, velocity, end) = make_island_plan(t), (Schedule() for _ in range(4))
    schedule_inside(p)
    write_island_start(p, start)
    write_island_iteration(p, position, final=False)
    write_island_iteration(p, velocity, final=True)
    write_island_end(p, end)
    write_island_sleep(p, end)
    lasting = island_output_rows(t)
    layout = p.layout.scalar_rows(lasting | island_input_rows(t))
    return ScheduledProgram((Pass("start", start), Pass("position", position, POSITION_COUNT),
                             Pass("velocity", velocity, VELOCITY_COUNT), Pass("end", end)),
                            layout, sum(lasting.values()), p.layout.size)
