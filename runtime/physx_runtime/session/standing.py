"""How what cannot move falls asleep: PhysX counts it down as it does a robot that stands still."""

from __future__ import annotations

from physx_runtime.language.ops import Single
from physx_runtime.model.topology import Topology
from physx_runtime.solver.sleep import WAKE_TIME


class Standing:
    """An articulation none of whose links can move; nothing is stepped, but what is solved with it takes its iteration
    counts until it sleeps."""

    def __init__(self) -> None:
        self.asleep = False
        self._counter = WAKE_TIME       # s, of a float32 as in PhysX

    @staticmethod
    def of(t: Topology) -> Standing | None:
        """That of an articulation that cannot move, None of one that can."""
        return None if t.moving_links else Standing()

    def wake(self) -> None:
        """Begin anew."""
        self.asleep, self._counter = False, WAKE_TIME

    def step(self, dt: float) -> None:
        """Count down by dt [s]."""
        self.asleep = not self._counter > 0.0
        self._counter = max(float((Single(self._counter) - Single(dt)).value), 0.0)
