"""How surfaces rub and bounce."""

from __future__ import annotations

from physx_runtime.components.accessors import Accessors
from physx_runtime.components.changes import Changes
from physx_runtime.components.entity import number


class PhysxMaterial(Accessors):
    """Friction coefficients, 0 or more, and restitution from 0 to 1.

    Raises ValueError for other numbers, and for a dynamic friction that is not a number.
    """

    def __init__(self, static_friction: float, dynamic_friction: float, restitution: float) -> None:
        self.changes = Changes()
        self.static_friction, self.dynamic_friction = static_friction, dynamic_friction
        self.restitution = restitution

    @property
    def static_friction(self) -> float:
        """Coefficient of what sticks."""
        return self._static_friction

    @static_friction.setter
    def static_friction(self, friction: float) -> None:
        self._static_friction = number("static_friction", friction, 0.0)
        self.changes.notify()

    @property
    def dynamic_friction(self) -> float:
        """Coefficient of what slides."""
        return self._dynamic_friction

    @dynamic_friction.setter
    def dynamic_friction(self, friction: float) -> None:
        self._dynamic_friction = number("dynamic_friction", friction, 0.0)
        self.changes.notify()

    @property
    def restitution(self) -> float:
        """Share of the speed with which surfaces part."""
        return self._restitution

    @restitution.setter
    def restitution(self, restitution: float) -> None:
        self._restitution = number("restitution", restitution, 0.0, 1.0)
        self.changes.notify()
