"""How many iterations a step takes: as authored, or so many that the solver no longer shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

# "ideal": enough position iterations that halving h changes a response by less than 1e-3, and no velocity iterations.
IDEAL_ITERATIONS = 1024


class _Counts(Protocol):
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


def solver_settings(solver: str, model: _Counts) -> SolverSettings:
    """Settings of solver="physx" (as authored) or "ideal" (many iterations, no velocity iterations, no cfm).

    Raises ValueError for another name.
    """
    if solver == "physx":
        return SolverSettings(model.position_iterations, model.velocity_iterations, True)
    if solver == "ideal":
        return SolverSettings(IDEAL_ITERATIONS, 0, False)
    raise ValueError(f"solver is {solver!r}; allowed are 'physx', 'ideal'")
