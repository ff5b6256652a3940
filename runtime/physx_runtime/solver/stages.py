"""One step on numbers, stage by stage: for looking into it, and for comparisons that are not worth a compilation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from physx_runtime.language.ops import Rows
from physx_runtime.model.rows import state_rows
from physx_runtime.model.topology import ActorTopology, BodyTopology
from physx_runtime.solver import actors
from physx_runtime.solver.articulation.velocity_clamp import clamp_start
from physx_runtime.solver.settings import SolverSettings


def stages(t: ActorTopology, rows: Rows, settings: SolverSettings) -> Iterator[tuple[str, Rows]]:
    """(name, rows) after each stage of a step; the rows of the last one hold the new state, before it falls asleep.

    rows: by name, as in `model.rows`, lists of numbers or of arrays with one number a world, which compute in their own
    type.
    """
    now: dict[str, Any] = dict(rows)
    yield "start", now
    if not isinstance(t, BodyTopology):
        yield "start clamp", {**now, "v": clamp_start(t, now)}
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):     # sides that a `where` does not choose
        now |= actors.begin(t, now)
        yield "gyroscopic torque and damping" if isinstance(t, BodyTopology) else "Coriolis and damping", now
        for i in range(settings.position_iterations):
            now = now | actors.iterate(t, now, final=False)
            yield f"iteration {i + 1}", now
        for i in range(settings.velocity_iterations):
            now = now | actors.iterate(t, now, final=True)
            yield f"velocity iteration {i + 1}", now
        yield "end", now | actors.finish(t, now)


def step_on_numbers(t: ActorTopology, rows: Mapping[str, Any], settings: SolverSettings) -> dict[str, Any]:
    """The rows with the state after one step."""
    *_, (_, end) = stages(t, rows, settings)
    return {**rows, **{name: end[name] for name in state_rows(t)}}
