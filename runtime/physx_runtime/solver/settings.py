"""Settings of a step, and the parts of it that articulations and rigid bodies have in common.

How many iterations a step takes: as authored, or so many that the solver no longer shows.

Articulations and rigid bodies behind one interface: the parts of a step that are named alike for both.

`begin` once, then position iterations of `solve` and `move`, velocity iterations of `solve` alone, and `finish`. What
is between actors changes their velocities by the `Response` that each gave it at the start.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import Force, Motion
from physx_runtime.language.ops import Rows, Scalar
from physx_runtime.model.topology import SAPIEN, ActorTopology, BodyTopology
from physx_runtime.solver.articulation import response
from physx_runtime.solver.articulation import step as articulation
from physx_runtime.solver.body import step as body
from physx_runtime.solver.response import Response

SOLVERS = ("physx", "ideal", SAPIEN)
# "ideal": enough position iterations that halving h changes a response by less than 1e-3, and no velocity iterations.
IDEAL_ITERATIONS = 1024
# Share of a position error that one TGS iteration, or PGS step, takes away at most (DyCpuGpuArticulation.h).
TGS_BIAS, PGS_BIAS = 0.9, 0.8
# Rows that soften constraints and leave out or round small turns as PhysX does; 0 in the ideal.
SOFTENING = ("cfm_scale", "min_response", "min_rotation", "single_rotation")


class _Model(Protocol):
    @property
    def topology(self) -> ActorTopology: ...
    @property
    def position_iterations(self) -> int: ...
    @property
    def velocity_iterations(self) -> int: ...


@dataclass(frozen=True, slots=True)
class SolverSettings:
    """Iteration counts, and whether constraints are softened by cfm and small turns left out as PhysX does."""

    position_iterations: int
    velocity_iterations: int
    softened: bool
    pgs: bool = False

    def with_counts(self, position: int, velocity: int) -> SolverSettings:
        """The settings for other counts; the ideal keeps to its own."""
        return _with_counts(position, velocity, self.pgs) if self.softened else self

    def rows(self, dt: float) -> dict[str, float]:
        """The step's rows of time [s] and bias: TGS iterations share dt, PGS iterations count for all of it."""
        # erp = min(0.9, 2 / sqrt(N)) of TGS, 0.8 of PGS  (DyCpuGpuArticulation.h)
        n = self.position_iterations
        if self.pgs:
            return {"dt": dt, "h": dt, "erp": PGS_BIAS}
        return {"dt": dt, "h": dt / n, "erp": min(TGS_BIAS, 2.0 / math.sqrt(n))}


def solver_settings(solver: str, model: _Model) -> SolverSettings:
    """Settings of solver="physx" or "sapien-3.0" (as authored) or "ideal" (many iterations, no velocity iterations,
    no cfm).

    PGS takes one velocity iteration where none is authored. Raises ValueError for another name.
    """
    if required_solver(solver) == "ideal":
        return SolverSettings(IDEAL_ITERATIONS, 0, False)
    return _with_counts(model.position_iterations, model.velocity_iterations, model.topology.pgs)


def required_solver(solver: str) -> str:
    """The name of a solver. Raises ValueError for what is none."""
    if solver not in SOLVERS:
        raise ValueError(f"solver is {solver!r}; allowed are {', '.join(map(repr, SOLVERS))}")
    return solver


def _with_counts(position: int, velocity: int, pgs: bool) -> SolverSettings:
    return SolverSettings(position, max(velocity, int(pgs)), True, pgs)


OutputRows = dict[str, list[Scalar]]


def begin(t: ActorTopology, rows: Rows) -> OutputRows:
    """Everything computed once at the step's start."""
    return body.begin(t, rows) if isinstance(t, BodyTopology) else articulation.begin(t, rows)


def respond(t: ActorTopology, start: Rows, prepared: Rows, link: int, impulse: Force) -> Response:
    """How the actor answers a unit impulse on a link, given about its centre of mass; world axes.

    start: the rows at the step's start. begun: what `begin` made of them. link: 0 of a rigid body.
    """
    if isinstance(t, BodyTopology):
        return body.respond(start, prepared, impulse)
    return response.respond(t, start, prepared, link, impulse)


def iterate(t: ActorTopology, rows: Rows, final: bool) -> OutputRows:
    """One position iteration, or with `final` one velocity iteration, which moves nothing."""
    out = solve(t, rows, final)
    return out if final else out | move(t, rows, out.get("v", list(rows["v"])))


def solve(t: ActorTopology, rows: Rows, final: bool) -> OutputRows:
    """The velocity after an iteration's forces and the actor's own constraints, where it has any."""
    return body.solve(t, rows, final) if isinstance(t, BodyTopology) else articulation.solve(t, rows, final)


def move(t: ActorTopology, rows: Rows, v: Sequence[Scalar]) -> OutputRows:
    """The motion of one position iteration at the generalised velocity v."""
    return body.move(t, rows, v) if isinstance(t, BodyTopology) else articulation.move(t, rows, v)


def finish(t: ActorTopology, rows: Rows) -> OutputRows:
    """What is left at the step's end; divergence and sleeping come after it."""
    return body.finish(t, rows) if isinstance(t, BodyTopology) else articulation.finish(t, rows)


def mean_motions(t: ActorTopology, rows: Rows) -> list[tuple[Motion, sp.Mat3]]:
    """Per link, the velocity that moved its centre of mass over the step, and the rotation of F."""
    return [body.mean_motion(t, rows)] if isinstance(t, BodyTopology) else response.mean_motions(t, rows)
