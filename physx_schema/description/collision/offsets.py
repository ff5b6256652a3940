"""The contact and rest offset of a collider, as PhysX takes them from its own opinions and Newton's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

from physx_schema.description.model import Scene
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.opinions.view import View, unauthored
from physx_schema.description.units import STEPS_PER_SECOND

OFFSET_OF_SIZE = 0.02       # automatic contact offset, of the smallest extent; of a plane in metres
_LEAST_GRAVITY = 1.0        # length / s^2, what PhysX counts with where gravity is weaker
_LEAST_GAP = 1e-4           # of a contact offset over a rest offset that would reach it, in the stage's lengths


@dataclass(frozen=True, slots=True)
class AskedOffsets:
    """What a collider says of its offsets; None where it says nothing that counts."""

    contact: float | None
    rest: float | None
    margin: float           # Newton's rest offset
    gap: float | None       # Newton's contact offset over the rest offset

    @property
    def authored_rest(self) -> float:
        """The rest offset before what the contact offset makes of it."""
        return self.margin if self.rest is None else self.rest


def asked_offsets(opinions: PrimOpinions) -> AskedOffsets:
    """PhysX's own opinions and Newton's."""
    view, newton = opinions.view("PhysxCollisionAPI"), opinions.view("NewtonCollisionAPI")
    if view.silent and newton.silent:
        return _nothing_asked()
    return _asked(view, newton)


@cache
def _nothing_asked() -> AskedOffsets:
    return _asked(unauthored("PhysxCollisionAPI"), unauthored("NewtonCollisionAPI"))


def _asked(view: View, newton: View) -> AskedOffsets:
    contact, rest = view.number("contactOffset"), view.number("restOffset")
    margin, gap = newton.number("contactMargin"), newton.number("contactGap")
    return AskedOffsets(
        contact if math.isfinite(contact) and contact >= 0.0 else None, rest if math.isfinite(rest) else None,
        margin if math.isfinite(margin) and margin >= 0.0 else 0.0, gap if math.isfinite(gap) and gap >= 0.0 else None)


def counting_offsets(asked: AskedOffsets) -> tuple[float | None, float]:
    """The offsets that PhysX takes; no contact offset where it works one out.

    Newton's are looked at where PhysX's are not both there. A contact offset that is not above the rest offset is put a
    least gap above it, but for PhysX's own two.
    """
    contact, rest = asked.contact, asked.rest
    if contact is not None and rest is not None:
        if rest > contact:
            return None, 0.0
        rest = rest if rest < contact else 0.0
    else:
        rest = asked.authored_rest
    if contact is None and asked.gap is not None and rest + asked.gap >= 0.0:
        contact = rest + asked.gap
    if contact is not None and contact <= rest:
        contact = rest + _LEAST_GAP
    return contact, rest


def automatic_offset(smallest: float, rest: float, least: float) -> float:
    """The contact offset of a shape whose smallest side is that long."""
    return max(OFFSET_OF_SIZE * smallest, least) + max(rest, 0.0)


def least_offset(reading: Reading, scene: Scene) -> float:
    """The least automatic contact offset: twice the way that gravity moves a body in a step."""
    steps = reading.prims[scene.path].peek("physxScene:timeStepsPerSecond") if scene.path in reading.prims else None
    rate = float(steps) if isinstance(steps, int | float) and steps > 0 else STEPS_PER_SECOND
    gravity = math.hypot(*scene.gravity)
    return 2.0 * max(gravity, _LEAST_GRAVITY) / (rate * rate) if math.isfinite(gravity) else 0.0
