"""Armature, friction and the velocity bound of a joint axis: PhysX's own values, or Newton's where PhysX falls back."""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.opinions.view import View, unauthored
from physx_schema.description.units import LARGEST_SINGLE, coordinate, gain


class Resistance(NamedTuple):
    """What resists motion along an axis, nothing at first; `sources` names properties of another engine it is from."""

    armature: float = 0.0
    static_friction: float = 0.0
    dynamic_friction: float = 0.0
    viscous_friction: float = 0.0
    max_velocity: float = math.inf
    sources: tuple[tuple[str, str], ...] = ()


class _Choice:
    """PhysX's value where it is one, else the value that Newton's joint schema gives to every axis."""

    def __init__(self, reading: Reading, properties: View, newton: View) -> None:
        self._reading = reading
        self._properties = properties
        self._newton = newton
        self.sources: list[tuple[str, str]] = []

    def positive(self, base: str, newton: str, *fields: str) -> float:
        """A value that counts where it is above 0."""
        value = self._properties.number(base)
        return value if value > 0.0 else self.fallback(base, newton, 0.0, *fields)

    def fallback(self, base: str, newton: str, none: float, *fields: str) -> float:
        """Newton's value where it is authored, and a word on PhysX's authored one that it replaces."""
        if not self._newton.authored(newton):
            return none
        value = max(self._newton.number(newton), 0.0)
        self.sources += [(name, self._newton.name(newton)) for name in fields]
        if self._properties.authored(base):
            own = self._properties.number(base)
            self._reading.problem(
                "joint/newton-wins", self._properties.path, self._properties.name(base),
                f"{base} is {own:g} and {self._newton.name(newton)} is {value:g}",
                "PhysX takes Newton's value where its own says nothing more than its default",
                f"remove {self._newton.name(newton)}", "warning",
            )
        return value


def read_resistance(reading: Reading, opinions: PrimOpinions, properties: View, angular: bool) -> Resistance:
    """The resistance of one axis."""
    newton = opinions.view("NewtonJointAPI")
    if properties.silent and newton.silent:
        return _unauthored(angular)
    choice = _Choice(reading, properties, newton)
    armature = choice.positive("armature", "armature", "armature")
    static, dynamic = (properties.clamped(base) for base in ("staticFrictionEffort", "dynamicFrictionEffort"))
    static, dynamic = (0.0 if math.isnan(value) else value for value in (static, dynamic))
    if not static > 0.0 and not dynamic > 0.0:
        static = dynamic = choice.fallback(
            "staticFrictionEffort", "friction", 0.0, "static_friction", "dynamic_friction")
    viscous = choice.positive("viscousFrictionCoefficient", "damping", "viscous_friction")
    velocity = properties.clamped("maxJointVelocity")
    if not velocity < LARGEST_SINGLE:       # which PhysX takes, with all above, for no bound
        velocity = choice.fallback("maxJointVelocity", "velocityLimit", math.inf, "max_velocity")
    if not dynamic <= static:
        reading.problem(
            "joint/friction-order", opinions.path, properties.name("dynamicFrictionEffort"),
            f"dynamic friction {dynamic:g} is above static friction {static:g}",
            "PhysX refuses the pair and the joint has no friction",
            "raise staticFrictionEffort to at least dynamicFrictionEffort",
        )
        static = dynamic = viscous = 0.0
    return Resistance(
        armature, static, dynamic, gain(viscous, angular), coordinate(velocity, angular), tuple(choice.sources))


@cache
def _unauthored(angular: bool) -> Resistance:
    """The resistance of an axis about which nothing is authored."""
    view = unauthored("PhysxJointAxisAPI")
    return Resistance(
        view.number("armature"), view.number("staticFrictionEffort"), view.number("dynamicFrictionEffort"),
        gain(view.number("viscousFrictionCoefficient"), angular), coordinate(view.number("maxJointVelocity"), angular))
