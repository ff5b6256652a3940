"""One degree of freedom as its constraints see it, one after another, during an iteration."""

from __future__ import annotations

from dataclasses import dataclass

from physx_runtime.language.ops import Scalar, where


@dataclass(slots=True)
class SolvedDof:
    """Its response, softening and motion; an impulse changes `v` at once."""

    r: Scalar           # response: change of v for a unit impulse
    soft: Scalar        # 1 / (r + cfm)
    v: Scalar           # velocity, with the bias of link velocities
    travel: Scalar      # change of position since the step's start
    impulse: Scalar = 0.0

    def push(self, F: Scalar) -> None:
        """Apply an impulse."""
        self.v = self.v + self.r * F
        self.impulse = self.impulse + F

    def push_where(self, condition: Scalar, F: Scalar) -> None:
        """Apply an impulse where the condition holds."""
        self.v = where(condition, self.v + self.r * F, self.v)
        self.impulse = where(condition, self.impulse + F, self.impulse)
