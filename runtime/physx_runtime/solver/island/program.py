"""The step of an island as schedules: nothing is compiled for an island but fragments that no other had before."""

from __future__ import annotations

import functools

from physx_runtime.compiling.program import Pass
from physx_runtime.compiling.schedule import Schedule, ScheduledProgram
from physx_runtime.model.island import IslandTopology
from physx_runtime.model.island_rows import island_input_rows, island_lasting_rows
from physx_runtime.solver.island.end import write_island_end
from physx_runtime.solver.island.iteration import write_island_iteration
from physx_runtime.solver.island.joints import enter_inside
from physx_runtime.solver.island.plan import make_island_plan
from physx_runtime.solver.island.sleep import write_island_sleep
from physx_runtime.solver.island.start import write_island_start
from physx_runtime.solver.program import POSITION_COUNT, VELOCITY_COUNT

# Islands whose steps are kept: verification steps two of every joint, and those of a stage of 20 are 42.
KEPT = 256


@functools.lru_cache(maxsize=KEPT)
def island_schedules(t: IslandTopology) -> ScheduledProgram:
    """The step of an island as schedules.

    Raises UnsupportedError where the dofs of a joint are not numbered one after another.
    """
    p, (start, position, velocity, end) = make_island_plan(t), (Schedule() for _ in range(4))
    enter_inside(p)
    write_island_start(p, start)
    write_island_iteration(p, position, final=False)
    write_island_iteration(p, velocity, final=True)
    write_island_end(p, end)
    write_island_sleep(p, end)
    lasting = island_lasting_rows(t)
    layout = {f"{name}_{i}": p.row(name).row + i
              for name, size in (lasting | island_input_rows(t)).items() for i in range(size)}
    return ScheduledProgram((Pass("start", start), Pass("position", position, POSITION_COUNT),
                             Pass("velocity", velocity, VELOCITY_COUNT), Pass("end", end)),
                            layout, sum(lasting.values()), p.layout.size)
