"""The step as schedules of fragments by joint: nothing is compiled for a topology, and everything costs O(n)."""

from __future__ import annotations

import functools

from physx_runtime.compiling.program import Pass
from physx_runtime.compiling.schedule import Schedule, ScheduledProgram
from physx_runtime.model.rows import input_rows, lasting_rows
from physx_runtime.model.topology import Topology
from physx_runtime.solver.by_joint.end import write_end
from physx_runtime.solver.by_joint.iteration import write_iteration
from physx_runtime.solver.by_joint.plan import make_plan
from physx_runtime.solver.by_joint.sleep import write_sleep
from physx_runtime.solver.by_joint.start import write_start
from physx_runtime.solver.program import POSITION_COUNT, VELOCITY_COUNT


@functools.lru_cache(maxsize=64)
def step_schedules(t: Topology) -> ScheduledProgram:
    """The step of a topology as schedules.

    Raises UnsupportedError where the dofs of a joint are not numbered one after another.
    """
    p, (start, position, velocity, end) = make_plan(t), (Schedule() for _ in range(4))
    write_start(p, start)
    write_iteration(p, position, final=False)
    write_iteration(p, velocity, final=True)
    write_end(p, end)
    write_sleep(p, end)
    rows = lasting_rows(t) | input_rows(t)
    layout = {f"{name}_{i}": p.row(name).row + i for name, size in rows.items() for i in range(size)}
    return ScheduledProgram((Pass("start", start), Pass("position", position, POSITION_COUNT),
                             Pass("velocity", velocity, VELOCITY_COUNT), Pass("end", end)),
                            layout, sum(lasting_rows(t).values()), p.layout.size)
