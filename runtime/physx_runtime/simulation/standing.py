"""How what cannot move falls asleep: PhysX counts it down as it does a robot that stands still."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from physx_runtime.solver.sleep import WAKE_TIME


class Standing:
    """The worlds of an articulation none of whose links can move; nothing is stepped, but what is solved with it takes
    its iteration counts until it sleeps."""

    def __init__(self, worlds: int) -> None:
        self.asleep = np.zeros(worlds, dtype=np.bool_)
        self._counter = np.full(worlds, WAKE_TIME, dtype=np.float32)    # s, of float32 as in PhysX

    def wake(self, worlds: NDArray[np.int64]) -> None:
        """Begin anew in worlds with these indices."""
        self.asleep[worlds], self._counter[worlds] = False, WAKE_TIME

    def rest(self, worlds: NDArray[np.int64]) -> None:
        """Sleep in worlds with these indices."""
        self.asleep[worlds], self._counter[worlds] = True, 0.0

    def step(self, dt: float, count: int) -> None:
        """Count down by so many steps of dt [s]."""
        for _ in range(count):
            if self.asleep.all():
                return
            self.asleep = ~(self._counter > 0.0)
            self._counter = np.maximum(self._counter - np.float32(dt), np.float32(0.0))
