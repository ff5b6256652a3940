"""PhysX's step as a program: which passes it has, in which loops they run, and what rows it leaves behind."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence

from physx_runtime.compiling.program import PassSource, Program, program_layout, trace_program
from physx_runtime.language.ops import Rows, Scalar
from physx_runtime.model.rows import input_rows, lasting_rows
from physx_runtime.model.topology import ActorTopology
from physx_runtime.solver import actors
from physx_runtime.solver.divergence import freeze_diverged, keep_state
from physx_runtime.solver.sleep import fall_asleep, listening

# How often position and velocity iterations run in a step: numbers that a step is given.
POSITION_COUNT, VELOCITY_COUNT = "n", "v"
MOVING = ("q", "v", "iteration")    # rows that iterations change
LISTENING = "listening"     # the row that guards the end of a step: where no link listens, it only counts down


@functools.lru_cache(maxsize=64)
def step_layout(t: ActorTopology) -> dict[str, int]:
    """Row scalar -> row of the buffer: what lasts, then inputs; nothing is traced."""
    return program_layout(lasting_rows(t), input_rows(t))


@functools.lru_cache(maxsize=64)
def step_program(t: ActorTopology) -> Program:
    """The step of a topology as straight-line code."""
    passes = (PassSource("start", functools.partial(_start, t)),
              PassSource("position", functools.partial(actors.iterate, t, final=False), POSITION_COUNT,
                         changes=MOVING),
              PassSource("velocity", functools.partial(actors.iterate, t, final=True), VELOCITY_COUNT,
                         changes=MOVING),
              PassSource("end", functools.partial(_end, t), guard=LISTENING))
    return trace_program(passes, lasting_rows(t), input_rows(t))


def _start(t: ActorTopology, rows: Rows) -> Mapping[str, Sequence[Scalar]]:
    return actors.begin(t, rows) | keep_state(t, rows)


def _end(t: ActorTopology, rows: Rows) -> Mapping[str, Sequence[Scalar]]:
    out = freeze_diverged(t, {**rows, **actors.finish(t, rows)})
    return out | fall_asleep(t, rows, out) | {LISTENING: listening(t, rows)} if t.sleeping else out
