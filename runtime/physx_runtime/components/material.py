"""How surfaces rub and bounce."""

from __future__ import annotations

from physx_runtime.components.accessors import Accessors
from physx_runtime.components.changes import Changes
from physx_runtime.components.entity import number


class PhysxMaterial(Accessors):
    """Friction coefficients of at least 0, and a restitution from 0 to 1.

    Raises ValueError for other numbers, and for a dynamic friction that is not a number.
    """

    def __init__(self, static_friction: float, dynamic_friction: float, restitution: float) -> None:
        self.changes = Changes()
        self.static_friction, self.dynamic_friction = static_friction, dynamic_friction
        self.restitution = restitution

    @property
    def static_friction(self) -> float:
        """The friction coefficient at rest."""
        return self._static_friction

    @static_friction.setter
    def static_friction(self, friction: float) -> None:
        self._static_friction = number("static_friction", friction, 0.0)
        self.changes.notify()

    @property
    def dynamic_friction(self) -> float:
        """The friction coefficient in motion."""
        return self._dynamic_friction

    @dynamic_friction.setter
    def dynamic_friction(self, friction: float) -> None:
        self._dynamic_friction = number("dynamic_friction", friction, 0.0)
        self.changes.notify()

    @property
    def restitution(self) -> float:
        """The fraction of the approach speed at which surfaces separate."""
        return self._restitution

    @restitution.setter
    def restitution(self, restitution: float) -> None:
        self._restitution = number("restitution", restitution, 0.0, 1.0)
        self.changes.notify()
