"""How many iterations a step takes: as authored, or so many that the solver no longer shows."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

from physx_runtime.model.topology import SAPIEN, ActorTopology

SOLVERS = ("physx", "ideal", SAPIEN)
# "ideal": enough position iterations that halving h changes a response by less than 1e-3, and no velocity iterations.
IDEAL_ITERATIONS = 1024
# Share of a position error that one TGS iteration, or PGS step, takes away at most (DyCpuGpuArticulation.h).
TGS_BIAS, PGS_BIAS = 0.9, 0.8
# Rows that soften constraints and leave out or round small turns as PhysX does; 0 in the ideal.
SOFTENING = ("cfm_scale", "least_response", "least_turn", "single_turn")


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

    def under(self, position: int, velocity: int) -> SolverSettings:
        """The settings for other counts; the ideal keeps to its own."""
        return _as_counted(position, velocity, self.pgs) if self.softened else self

    def rows(self, dt: float) -> dict[str, float]:
        """The step's rows of time [s] and bias: TGS iterations share dt, PGS iterations count for all of it."""
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
    return _as_counted(model.position_iterations, model.velocity_iterations, model.topology.pgs)


def required_solver(solver: str) -> str:
    """The name of a solver. Raises ValueError for what is none."""
    if solver not in SOLVERS:
        raise ValueError(f"solver is {solver!r}; allowed are {', '.join(map(repr, SOLVERS))}")
    return solver


def _as_counted(position: int, velocity: int, pgs: bool) -> SolverSettings:
    return SolverSettings(position, max(velocity, int(pgs)), True, pgs)
