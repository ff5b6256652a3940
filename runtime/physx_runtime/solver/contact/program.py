"""The step of a world with contacts as schedules, but for its patches, which come and go.

It is the step of one island of all its actors, open where joints between actors are solved: there patches stand among
the joints, in an order that changes with what touches.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass

from physx_runtime.compiling.schedule import Schedule
from physx_runtime.model.island import IslandTopology
from physx_runtime.model.island_rows import island_input_rows, island_lasting_rows
from physx_runtime.solver.island.end import write_island_end
from physx_runtime.solver.island.iteration import write_pushes, write_rest
from physx_runtime.solver.island.joints import enter_inside, write_solve
from physx_runtime.solver.island.plan import IslandPlan, make_island_plan
from physx_runtime.solver.island.sleep import write_island_sleep
from physx_runtime.solver.island.start import write_island_start
from physx_runtime.solver.islands import as_listed


@dataclass(frozen=True, slots=True)
class Iteration:
    """One position or velocity iteration around its patches."""

    pushes: Schedule                # before joints and patches
    joints: dict[int, Schedule]     # each joint that is solved among patches
    rest: Schedule                  # behind them


@dataclass(frozen=True, slots=True, eq=False)
class ContactProgram:
    """What a world does with contacts or without; patches have rows behind `size`."""

    plan: IslandPlan
    start: Schedule                 # before patches are prepared
    position: Iteration
    velocity: Iteration
    end: Schedule
    listed: tuple[int, ...]         # the joints among patches, as PhysX lists them
    layout: Mapping[str, int]       # row scalar -> row: state, then inputs
    state_size: int
    size: int


@functools.lru_cache(maxsize=16)
def contact_program(t: IslandTopology) -> ContactProgram:
    """The step of a world with these actors and joints as schedules.

    Raises UnsupportedError where the dofs of a joint are not numbered one after another.
    """
    p, start, end = make_island_plan(t), Schedule(), Schedule()
    enter_inside(p)
    write_island_start(p, start)
    position, velocity = _iteration(p, final=False), _iteration(p, final=True)
    write_island_end(p, end)
    write_island_sleep(p, end)
    lasting = island_lasting_rows(t)
    layout = {f"{name}_{i}": p.row(name).row + i
              for name, size in (lasting | island_input_rows(t)).items() for i in range(size)}
    listed = tuple(j for j in as_listed(t) if j in p.order.between)
    return ContactProgram(p, start, position, velocity, end, listed, layout, sum(lasting.values()), p.layout.size)


def _iteration(p: IslandPlan, final: bool) -> Iteration:
    pushes, rest = Schedule(), Schedule()
    changes = write_pushes(p, pushes, final)
    joints = {j: Schedule() for j in p.order.between}
    for j, schedule in joints.items():
        write_solve(p, schedule, j, final)
    write_rest(p, rest, changes, final)
    return Iteration(pushes, joints, rest)
