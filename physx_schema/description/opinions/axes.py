"""Which numbers bound an axis, and which axes of a generic joint are free by them."""

from __future__ import annotations

import math

from physx_schema.description.model import unlimited
from physx_schema.description.opinions.prim import PrimOpinions


def is_bound(number: float) -> bool:
    """Whether a number limits an axis: it is finite, and not so large that PhysX takes it for no bound."""
    return math.isfinite(number) and not unlimited(number)


def is_axis_free(opinions: PrimOpinions, axis: str) -> bool:
    """Whether a generic joint leaves an axis free; it is locked where a limit has its low bound above the high one."""
    view = opinions.view("PhysicsLimitAPI", axis)
    low, high = view.number("low"), view.number("high")
    return not (is_bound(low) or is_bound(high)) or not low > high
