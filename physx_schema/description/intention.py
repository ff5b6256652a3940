"""The effect that an authored number is to have in PhysX, kept beside it where that is another number.

It is custom data of the attribute, with the number that it belongs to: once another is authored it no longer counts.
"""

from __future__ import annotations

import math
from typing import Any

from physx_schema.description.units import as_number, as_numbers

KEY, INTENDED, AUTHORED = "physxSchema", "intended", "authored"
# The authored number is kept in double precision beside an attribute that may hold a float.
FLOAT_TOLERANCE = 1e-6


def custom_data(intended: float, authored: float) -> dict[str, dict[str, float]]:
    """What is kept beside an authored number."""
    return {KEY: {INTENDED: intended, AUTHORED: authored}}


def intended_effect(attribute: Any) -> float | None:
    """The effect that the attribute's number is to have; None where that is the number itself."""
    data = attribute.GetCustomDataByKey(KEY) if attribute and attribute.HasAuthoredCustomData() else None
    if not isinstance(data, dict):
        return None
    intended, authored = (as_number(data.get(name)) for name in (INTENDED, AUTHORED))
    current = as_numbers(attribute.Get()) or ()
    if intended is None or authored is None or len(current) != 1:
        return None
    return intended if math.isclose(current[0], authored, rel_tol=FLOAT_TOLERANCE) else None
