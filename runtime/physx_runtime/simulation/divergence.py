"""Telling of worlds that have diverged, each once until it is reset."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from physx_runtime.model.row_labels import row_label
from physx_runtime.model.rows import input_rows, state_rows
from physx_runtime.solver.divergence import FLAG, LARGEST, moving_rows
from physx_runtime.solver.stages import stages

if TYPE_CHECKING:
    from physx_runtime.simulation.articulation import Simulation

# Worlds that a warning names.
NAMED = 5
ADVICE = "take a shorter time step, softer or more strongly damped springs, or heavier links"


class DivergenceWarning(RuntimeWarning):
    """Worlds whose state is no longer finite; they stand still from then on."""


class DivergenceReport:
    """Which worlds of a simulation have been reported, and what was said of them."""

    def __init__(self, simulation: Simulation) -> None:
        self._simulation, self._reported = simulation, np.zeros(simulation.worlds, dtype=np.bool_)
        self.said: list[str] = []

    def flags(self) -> NDArray[np.bool_]:
        """(n_world,) which worlds have diverged; warns about those not reported yet, two callers up."""
        sim = self._simulation
        flags = np.asarray(sim.store.rows(FLAG)[:, 0] > 0.5)
        new = np.flatnonzero(flags & ~self._reported)
        self._reported |= flags
        if len(new):
            names = ", ".join(str(i) for i in new[:NAMED]) + (", ..." if len(new) > NAMED else "")
            self.said.append(
                f"{sim.model.articulation.path}: {len(new)} of {len(flags)} worlds diverged (world {names}) by step "
                f"{sim.steps_taken} of {sim.dt:.6g} s: {first_lost(sim, int(new[0]))} is no longer finite; they stand "
                f"still until reset; {ADVICE}")
            warnings.warn(self.said[-1], DivergenceWarning, stacklevel=3)
        return flags

    def revive(self, worlds: NDArray[np.int64]) -> None:
        """Let worlds with these indices move again."""
        flags = self._simulation.store.rows(FLAG)
        flags[worlds] = 0.0
        self._simulation.store.write(FLAG, flags)
        self._reported[worlds] = False


def first_lost(simulation: Simulation, world: int) -> str:
    """What is no longer finite first in the step that a diverged world stands before."""
    t = simulation.topology
    rows = {name: simulation.get(name)[world] for name in (*state_rows(t), *input_rows(t))}
    for _, now in stages(t, rows, simulation.settings):
        for name in moving_rows(t):
            values = np.asarray(now[name], np.float64)
            if (lost := np.flatnonzero(~(np.abs(values) < LARGEST))).size:
                what = {"q": "position", "v": "velocity"}.get(name, name.replace("_", " "))
                owner = f" of {row_label(simulation.model, name, int(lost[0]))}" if name in "qv" else ""
                return f"the {what}{owner}"
    return "its state"
