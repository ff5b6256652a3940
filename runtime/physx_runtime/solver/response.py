"""How an actor answers impulses from outside: at contacts, and at joints that are not its own.

What a constraint between actors needs of each side, made once a step from the poses of its start and kept through all
iterations, as PhysX keeps it (DyTGSContactPrep.cpp).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from physx_runtime.dynamics.linear import inner
from physx_runtime.language.ops import Scalar


@dataclass(frozen=True, slots=True)
class Response:
    """An actor's answer to a unit impulse, along which `row` v + `bias` is the velocity of what it acts on."""

    row: list[Scalar]           # (nv,) J^T of the impulse
    change: list[Scalar]        # (nv,) M^-1 J^T: change of the generalised velocity
    bias: Scalar                # what link velocities inside the solver carry beside J v: dt Jdot v of the step's start
    cfm: Scalar                 # what softens constraints at a link; 0 of a body

    @property
    def size(self) -> Scalar:
        """J M^-1 J^T: change of the velocity along the impulse."""
        return inner(self.row, self.change)

    def velocity(self, v: Sequence[Scalar]) -> Scalar:
        """The velocity along the impulse at the generalised velocity v."""
        return inner(self.row, v) + self.bias

    def pushed(self, v: Sequence[Scalar], impulse: Scalar) -> list[Scalar]:
        """The generalised velocity v after so much of the impulse."""
        return [x + impulse * y for x, y in zip(v, self.change, strict=True)]
