"""`Quantity` is an authored number with its unit and its place in an experiment; `Findings` holds what experiments
measured. `Measurement` is a value with its uncertainty. `UnsteadyError` says why an experiment has no value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from physx_schema.description.model import Dof, JointAxis
from physx_schema.description.units import DEGREES_PER_RADIAN

RADIANS_PER_DEGREE = 1.0 / DEGREES_PER_RADIAN
# What a float carries.
DISPLAY_DIGITS = 7


class Key(NamedTuple):
    """One authored number."""

    path: str               # prim
    property: str           # full property name
    location: str = ""          # where it acts, if in several places: "at the leaf /Robot/tip:a"


class Measurement(NamedTuple):
    """A measured value and its uncertainty."""

    value: float
    error: float

    def scaled(self, factor: float) -> Measurement:
        """Scaled."""
        return Measurement(self.value * factor, abs(self.error * factor))

    def divided_by(self, other: Measurement) -> Measurement:
        """The quotient, with the uncertainty of both."""
        quotient = self.value / other.value
        return Measurement(quotient, (self.error + abs(quotient) * other.error) / abs(other.value))


def uncertainty(value: float, error: float) -> float:
    """The uncertainty of a number of DISPLAY_DIGITS digits from a value with an uncertainty of `error`."""
    digit = 10.0 ** (math.floor(math.log10(abs(value))) + 1 - DISPLAY_DIGITS) if value and math.isfinite(value) else 0.0
    return float(f"{abs(error) + 0.5 * digit:.2g}")


@dataclass(frozen=True, slots=True)
class Quantity:
    """An authored number, its property and unit on the stage, and its key in experiments."""

    key: Key
    described: float        # as the description holds it: radians and lengths
    unit: str               # as authored
    unit_scale: float = 1.0  # an experiment's value times this is in the stage's unit
    noise: float = 1e-6     # error in the stage's unit that counts as none where 0 is authored
    inactive: str = ""          # why PhysX never uses it; empty where it does
    switch: str = ""        # property of the same prim that, authored as 0, says so itself: then nothing is ignored

    def to_stage_unit(self, value: float) -> float:
        """A measured value in the property's own unit, to the digits a float carries."""
        return float(f"{value * self.unit_scale:.{DISPLAY_DIGITS}g}")

    def uncertainty(self, value: float, error: float) -> float:
        """The uncertainty in the property's own unit. error: uncertainty of the experiment's value."""
        dropped = self.noise if value == self.described == 0.0 else 0.0
        return max(uncertainty(value, error * self.unit_scale), dropped)


def display(dof: Dof | JointAxis, *values: float) -> str:
    """A position or a speed of a joint, or an interval of them, in the joint's own unit."""
    scale, unit = (DEGREES_PER_RADIAN, " deg") if dof.angular else (1.0, "")
    numbers = [f"{round(value * scale, 2) + 0.0:g}" for value in values]
    return (f"[{', '.join(numbers)}]" if len(numbers) > 1 else numbers[0]) + unit


class UnsteadyError(Exception):
    """An experiment found no steady state to measure; the message says what happened instead."""


@dataclass(slots=True)
class Findings:
    """Measured values of experiments, in radians and lengths."""

    values: dict[Key, float] = field(default_factory=dict)
    errors: dict[Key, float] = field(default_factory=dict)      # how far values may be off beyond rounding
    failures: dict[Key, str] = field(default_factory=dict)      # why there is no value
    notes: dict[Key, str] = field(default_factory=dict)         # why the authored number is not all there is to it

    def set_value(self, key: Key, measurement: Measurement) -> None:
        """Set a value with an uncertainty above rounding."""
        self.values[key], self.errors[key] = measurement

    @contextmanager
    def attempt(self, *keys: Key) -> Iterator[None]:
        """Record an UnsteadyError inside as the reason why `keys` have no value."""
        try:
            yield
        except UnsteadyError as error:
            self.failures.update(dict.fromkeys(keys, str(error)))
