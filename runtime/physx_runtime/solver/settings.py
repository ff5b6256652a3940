"""Settings of a solver step, and the common interface of articulations and rigid bodies.

`solver_settings` returns iteration counts and softening: as authored, or "ideal" with so many iterations that the
solver has no visible effect. `begin`, `solve`, `move`, `iterate` and `finish` are the parts of a step of any actor.
`begin` runs once; position iterations run `solve` and `move`, velocity iterations `solve` only. Constraints between
actors use the `Response` of `respond`.
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
# Greatest fraction of a position error that one TGS iteration, or PGS step, corrects (DyCpuGpuArticulation.h).
TGS_BIAS, PGS_BIAS = 0.9, 0.8
# Rows for cfm, and for leaving out or rounding small rotations as PhysX does; 0 in the ideal.
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
    """Iteration counts, and whether constraints have cfm and small rotations are left out, as in PhysX."""

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

    PGS takes one velocity iteration where none is authored.
    """
    if solver == "ideal":
        return SolverSettings(IDEAL_ITERATIONS, 0, False)
    return _with_counts(model.position_iterations, model.velocity_iterations, model.topology.pgs)


def _with_counts(position: int, velocity: int, pgs: bool) -> SolverSettings:
    return SolverSettings(position, max(velocity, int(pgs)), True, pgs)


OutputRows = dict[str, list[Scalar]]


def begin(t: ActorTopology, rows: Rows) -> OutputRows:
    """Everything computed once at the step's start."""
    return body.begin(t, rows) if isinstance(t, BodyTopology) else articulation.begin(t, rows)


def respond(t: ActorTopology, start: Rows, prepared: Rows, link: int, impulse: Force) -> Response:
    """The response of an actor to a unit impulse on a link, given about its centre of mass; world axes.

    start: the rows at the step's start. prepared: the rows of `begin`. link: 0 for a rigid body.
    """
    if isinstance(t, BodyTopology):
        return body.respond(start, prepared, impulse)
    return response.respond(t, start, prepared, link, impulse)


def iterate(t: ActorTopology, rows: Rows, final: bool) -> OutputRows:
    """One position iteration, or with `final` one velocity iteration without motion."""
    out = solve(t, rows, final)
    return out if final else out | move(t, rows, out.get("v", list(rows["v"])))


def solve(t: ActorTopology, rows: Rows, final: bool) -> OutputRows:
    """The velocity after an iteration's forces and the actor's own constraints, where it has any."""
    return body.solve(t, rows, final) if isinstance(t, BodyTopology) else articulation.solve(t, rows, final)


def move(t: ActorTopology, rows: Rows, v: Sequence[Scalar]) -> OutputRows:
    """The motion of one position iteration at the generalised velocity v."""
    return body.move(t, rows, v) if isinstance(t, BodyTopology) else articulation.move(t, rows, v)


def finish(t: ActorTopology, rows: Rows) -> OutputRows:
    """The end of a step, before divergence and sleep."""
    return body.finish(t, rows) if isinstance(t, BodyTopology) else articulation.finish(t, rows)


def mean_motions(t: ActorTopology, rows: Rows) -> list[tuple[Motion, sp.Mat3]]:
    """Per link, the mean velocity of its centre of mass over the step, and the rotation of F."""
    return [body.mean_motion(t, rows)] if isinstance(t, BodyTopology) else response.mean_motions(t, rows)
