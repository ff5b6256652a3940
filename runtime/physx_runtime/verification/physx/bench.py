"""The test bench with real PhysX in the place of the built-in step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from physx_runtime.verification.bench import Balance, Bench, Case, solve
from physx_runtime.verification.physx.process import PhysXProcess
from physx_runtime.verification.physx.simulation import PhysXSimulation
from physx_runtime.verification.quantity import UnsteadyError
from physx_runtime.worlds.path import AUTO
from physx_schema.description.model import Articulation, Description

# Probing motions are this much larger: float32 has to show them beside positions of some rad or m.
LARGER_PROBES = 100.0
# Corrections of the efforts that hold here until they hold in PhysX, and what the last one may still be of them.
CORRECTIONS, HOLDING_TOLERANCE = 3, 2e-3


class PhysXBench(Bench):
    """A bench whose worlds real PhysX steps. Efforts that hold here are corrected there until they hold there too."""

    # float32 shows no less
    kept_speed = 1e-3
    settled_change = 1e-4

    def __init__(self, process: PhysXProcess, description: Description, articulation: Articulation, dt: float) -> None:
        super().__init__(description, articulation, dt)
        self._process = process
        self.speeds, self.lengths = LARGER_PROBES * self.speeds, LARGER_PROBES * self.lengths
        self.length *= LARGER_PROBES

    def simulation(self, worlds: int, path: str = AUTO) -> PhysXSimulation:
        """Worlds in PhysX."""
        return PhysXSimulation(self._process, self._description.scene, self.articulation, worlds, self.dt)

    def variant(self, articulation: Articulation) -> PhysXBench:
        """The same bench with another articulation on it."""
        return PhysXBench(self._process, self._description, articulation, self.dt)

    def balance(self, cases: Sequence[Case]) -> Balance:
        """Efforts and velocities that hold in PhysX, from those that hold here and the slope found here."""
        here = super().balance(cases)
        # what PhysX starts from, so that a step's travel is told from rounding
        start = here.start.astype(np.float32).astype(np.float64)
        sim, found = self._simulation_of(cases), here.found
        for _ in range(CORRECTIONS):
            rest = self.residuals(sim, start, here.wanted, found)
            if not np.isfinite(rest).all():
                raise UnsteadyError("in PhysX positions or velocities are not finite")
            change = solve(here.slope, rest) * here.scale
            found = found - change[:, None, :]
        efforts = np.abs(found[:, 0, :self.size]).max(axis=1, keepdims=True)
        least = here.scale[:, :self.size].min(axis=1, keepdims=True)
        if not (np.abs(change[:, :self.size]) <= HOLDING_TOLERANCE * np.maximum(efforts, least)).all():
            raise UnsteadyError("in PhysX no joint efforts hold the pose from one step to the next")
        return Balance(start, here.wanted, here.scale, here.slope, found, np.abs(change[:, :self.size]))

