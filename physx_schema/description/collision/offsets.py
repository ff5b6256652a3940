"""The contact and rest offset of a collider, as PhysX takes them from its own opinions and Newton's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

from physx_schema.description.collision.single import Single
from physx_schema.description.model import Scene
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.opinions.view import View, unauthored
from physx_schema.description.units import STEPS_PER_SECOND

OFFSET_OF_SIZE = 0.02       # automatic contact offset, of the smallest extent; of a plane in metres
UNSET = -math.inf           # what PhysX's own offsets say where they say nothing
_LEAST_GRAVITY = 1.0        # length / s^2, what PhysX counts with where gravity is weaker
_LEAST_GAP = 1e-4           # of a contact offset over a rest offset that would reach it, in the stage's lengths


@dataclass(frozen=True, slots=True)
class AskedOffsets:
    """What a collider says of its offsets; None where it says nothing that counts."""

    contact: float | None
    rest: float | None
    margin: float           # Newton's rest offset; 0 where PhysX's own is there
    gap: float | None       # Newton's contact offset over the rest offset; None where PhysX's own is there

    @property
    def authored_rest(self) -> float:
        """The rest offset before what the contact offset makes of it."""
        return self.margin if self.rest is None else self.rest


def asked_offsets(opinions: PrimOpinions, default: float | None = None) -> AskedOffsets:
    """PhysX's own opinions and Newton's; `default` is the contact offset of a plane."""
    view, newton = opinions.view("PhysxCollisionAPI"), opinions.view("NewtonCollisionAPI")
    if view.silent and newton.silent and (default is None or not view.applied):
        return _nothing_asked()
    return _asked(view, newton, default)


@cache
def _nothing_asked() -> AskedOffsets:
    return _asked(unauthored("PhysxCollisionAPI"), unauthored("NewtonCollisionAPI"), None)


def _asked(view: View, newton: View, default: float | None) -> AskedOffsets:
    """PhysX's own offsets hide Newton's also where they are no offsets: such a rest offset counts as 0.

    On a plane PhysxCollisionAPI, once applied, has the default for a contact offset that is not authored.
    """
    contact, rest = view.number("contactOffset"), view.number("restOffset")
    is_read = contact != UNSET or (default is not None and view.applied and not view.authored("contactOffset"))
    usable = _not_negative(contact)
    return AskedOffsets(
        default if is_read and usable is None else usable,
        None if rest == UNSET else rest if math.isfinite(rest) else 0.0,
        (_not_negative(newton.number("contactMargin")) or 0.0) if rest == UNSET else 0.0,
        None if is_read else _not_negative(newton.number("contactGap")))


def _not_negative(value: float) -> float | None:
    """A length that PhysX takes; None for what is none."""
    return value if math.isfinite(value) and value >= 0.0 else None


def counting_offsets(asked: AskedOffsets, default: float | None = None) -> tuple[float | None, float]:
    """The offsets that PhysX takes; `default` for the contact offset where none is there or both are dropped.

    Newton's are looked at where PhysX's are not both there. A contact offset that is not above the rest offset is put a
    least gap above it, but for PhysX's own two.
    """
    contact, rest = asked.contact, asked.rest
    own = default if contact is None else contact
    if own is not None and rest is not None:
        if rest > own:
            return default, 0.0
        rest = rest if rest < own else 0.0
    else:
        rest = asked.authored_rest
    if contact is None:
        contact = rest + asked.gap if asked.gap is not None and rest + asked.gap >= 0.0 else default
    if contact is not None and contact <= rest:
        contact = rest + _LEAST_GAP
    return contact, rest


def offset_of_plane(meters_per_unit: float) -> float:
    """The contact offset of a plane that has none of its own, in single floats as PhysX multiplies it."""
    return float(Single(OFFSET_OF_SIZE) * Single(1.0 / meters_per_unit))


def automatic_offset(smallest: float, rest: float, least: float) -> float:
    """The contact offset of a shape whose smallest side is that long."""
    return max(OFFSET_OF_SIZE * smallest, least) + max(rest, 0.0)


def least_offset(reading: Reading, scene: Scene) -> float:
    """The least automatic contact offset: twice the way that gravity moves a body in a step."""
    steps = reading.prims[scene.path].peek("physxScene:timeStepsPerSecond") if scene.path in reading.prims else None
    rate = float(steps) if isinstance(steps, int | float) and steps > 0 else STEPS_PER_SECOND
    gravity = math.hypot(*scene.gravity)
    return 2.0 * max(gravity, _LEAST_GRAVITY) / (rate * rate) if math.isfinite(gravity) else 0.0
