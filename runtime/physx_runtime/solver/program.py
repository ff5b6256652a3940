"""PhysX's step as a program: its passes, their loops and its rows.

`step_program` is the straight-line code of a topology: start, N position iterations, V velocity iterations, end
(DyTGSDynamics.cpp). `step_layout` are its rows. `stages` and `step_on_numbers` run one step on numbers, for inspection
and for comparisons without compilation.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from physx_runtime.compiling.program import PassSource, Program, program_layout, trace_program
from physx_runtime.language.ops import Rows, Scalar, Scalars
from physx_runtime.model.row_specs import input_rows, output_rows, state_rows
from physx_runtime.model.topology import ActorTopology, BodyTopology
from physx_runtime.solver import settings as settings_module
from physx_runtime.solver.articulation.velocity import clamp_start
from physx_runtime.solver.divergence import freeze_diverged, save_state
from physx_runtime.solver.settings import SolverSettings
from physx_runtime.solver.sleep import accumulating, fall_asleep

# Names of the position and velocity iteration counts of a step.
POSITION_COUNT, VELOCITY_COUNT = "n", "v"
MOVING = ("q", "v", "iteration")    # rows that iterations change
ACCUMULATING = "accumulating"     # guards the end of a step: where no link adds up velocities, counters only count down


@functools.lru_cache(maxsize=64)
def step_layout(t: ActorTopology) -> dict[str, int]:
    """Row scalar -> row of the buffer: state, then inputs; nothing is traced."""
    return program_layout(output_rows(t), input_rows(t))


@functools.lru_cache(maxsize=64)
def step_program(t: ActorTopology) -> Program:
    """The step of a topology as straight-line code."""
    # start, N position iterations, V velocity iterations, end  (DyTGSDynamics.cpp, iterativeSolveIsland)
    passes = (PassSource("start", functools.partial(_start, t)),
              PassSource("position", functools.partial(settings_module.iterate, t, final=False), POSITION_COUNT,
                         changes=MOVING),
              PassSource("velocity", functools.partial(settings_module.iterate, t, final=True), VELOCITY_COUNT,
                         changes=MOVING),
              PassSource("end", functools.partial(_end, t), guard=ACCUMULATING))
    return trace_program(passes, output_rows(t), input_rows(t))


def _start(t: ActorTopology, rows: Rows) -> Mapping[str, Sequence[Scalar]]:
    return settings_module.begin(t, rows) | save_state(t, rows)


def _end(t: ActorTopology, rows: Rows) -> Mapping[str, Sequence[Scalar]]:
    # order of the end: divergence, then sleep
    out = freeze_diverged(t, {**rows, **settings_module.finish(t, rows)})
    return out | fall_asleep(t, rows, out) | {ACCUMULATING: accumulating(t, rows)} if t.sleeping else out


def stages(t: ActorTopology, rows: Rows, settings: SolverSettings) -> Iterator[tuple[str, Rows]]:
    """(name, rows) after each stage of a step; the rows of the last one hold the new state, before it falls asleep.

    rows: by name, as in `model.row_specs`, lists of numbers or of arrays with one value for each world, computed in
    their own type.
    """
    now: dict[str, Scalars] = dict(rows)
    yield "start", now
    if not isinstance(t, BodyTopology):
        yield "start clamp", {**now, "v": clamp_start(t, now)}
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):     # branches that a `where` does not select
        now |= settings_module.begin(t, now)
        yield "gyroscopic torque and damping" if isinstance(t, BodyTopology) else "Coriolis and damping", now
        # h = dt / N
        for i in range(settings.position_iterations):
            now = now | settings_module.iterate(t, now, final=False)
            yield f"iteration {i + 1}", now
        # velocity iterations: no bias, no motion
        for i in range(settings.velocity_iterations):
            now = now | settings_module.iterate(t, now, final=True)
            yield f"velocity iteration {i + 1}", now
        yield "end", now | settings_module.finish(t, now)


def step_on_numbers(t: ActorTopology, rows: Rows, settings: SolverSettings) -> dict[str, Scalars]:
    """The rows with the state after one step."""
    *_, (_, end) = stages(t, rows, settings)
    return {**rows, **{name: end[name] for name in state_rows(t)}}
