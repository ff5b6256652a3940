"""The parts of a step as `step` has them for articulations and `free_body` for bodies, under one name each."""

from __future__ import annotations

from physx_runtime.language.ops import Rows, Scalar
from physx_runtime.model.topology import Topology
from physx_runtime.solver.articulation.step import begin, finish, iterate
from physx_runtime.solver.body.step import begin_body, finish_body, iterate_body


def begin_step(t: Topology, rows: Rows) -> dict[str, list[Scalar]]:
    """Everything computed once at the step's start."""
    return (begin_body if t.body else begin)(t, rows)


def iterate_step(t: Topology, rows: Rows, final: bool) -> dict[str, list[Scalar]]:
    """One position iteration, or with `final` one velocity iteration."""
    return (iterate_body if t.body else iterate)(t, rows, final)


def finish_step(t: Topology, rows: Rows) -> dict[str, list[Scalar]]:
    """What is left at the step's end; divergence and sleeping come after it."""
    return (finish_body if t.body else finish)(t, rows)
