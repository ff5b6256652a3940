"""What is measured: authored numbers, in the units they are authored in, and what experiments find for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import NamedTuple

from physx_schema.description.model import Dof, JointAxis
from physx_schema.description.units import DEGREES_PER_RADIAN

RADIANS_PER_DEGREE = 1.0 / DEGREES_PER_RADIAN


class Key(NamedTuple):
    """One authored number."""

    path: str               # prim
    property: str           # full property name
    part: str = ""          # where it acts, if in several places: "at the leaf /Robot/tip:a"


@dataclass(frozen=True, slots=True)
class Quantity:
    """An authored number and its place between stage and experiment."""

    key: Key
    described: float        # as the description holds it: radians and lengths
    unit: str               # as authored
    per_stage: float = 1.0  # an experiment's value times this is in the stage's unit
    noise: float = 1e-6     # error in the stage's unit that counts as none where 0 is authored
    idle: str = ""          # why PhysX never uses it; empty where it does
    switch: str = ""        # property of the same prim that, authored as 0, says so itself: then nothing is ignored

    def on_stage(self, value: float) -> float:
        """A measured value in the property's own unit, to the digits a float carries."""
        return float(f"{value * self.per_stage:.7g}")


def shown(dof: Dof | JointAxis, *values: float) -> str:
    """A position or a speed of a joint, or an interval of them, in the joint's own unit."""
    scale, unit = (DEGREES_PER_RADIAN, " deg") if dof.angular else (1.0, "")
    numbers = [f"{round(value * scale, 2) + 0.0:g}" for value in values]
    return (f"[{', '.join(numbers)}]" if len(numbers) > 1 else numbers[0]) + unit


class UnsteadyError(Exception):
    """An experiment found no steady state to measure in; the message says what happened instead."""


@dataclass(slots=True)
class Findings:
    """What experiments found, in radians and lengths."""

    values: dict[Key, float] = field(default_factory=dict)
    failures: dict[Key, str] = field(default_factory=dict)      # why there is no value
    notes: dict[Key, str] = field(default_factory=dict)         # why the authored number is not all there is to it

    @contextmanager
    def attempt(self, *keys: Key) -> Iterator[None]:
        """Record an UnsteadyError inside as the reason why `keys` have no value."""
        try:
            yield
        except UnsteadyError as error:
            self.failures.update(dict.fromkeys(keys, str(error)))
