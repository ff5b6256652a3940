"""Quaternions of another length than 1."""

from __future__ import annotations

import math
from collections.abc import Iterator

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.numbers import flat
from physx_schema.checking.engine.profile import PROFILES
from physx_schema.checking.engine.repair import SetValue, safe
from physx_schema.checking.engine.rule import ReaderRule, finder
from physx_schema.description import Authored, Description

_UNIT = 1e-3            # a quaternion's length may differ from 1 by rounding
_SANE = 1e-2            # and by that much before PhysX refuses principal axes
_QUATERNIONS = frozenset({"localRot0", "localRot1", "principalAxes"})
_PRINCIPAL_AXES = "quatf physics:principalAxes"

NOT_UNIT = ReaderRule("value/not-unit", "error", """
    Quaternion of another length than 1

    PhysX normalises quaternions of joint frames. It refuses principal axes whose length differs from 1 by more than a
    hundredth, and the centre of mass with them. Of transforms USD takes twice the arc cosine of the real part for the
    angle.

    Measured: localRot0 of length 1.02, 2 and 0.5 turns by the same 90 degrees. (`benchmarks/measure_value_rules.py`)
    principalAxes of length 1.009 are taken, of 1.011 the centre of mass moves back to the origin with them.
    (`benchmarks/measure_mass_rules.py`) xformOp:orient by 90 degrees turns by 87.7 at length 1.02, by 0 at 2.
    (`benchmarks/measure_scene_rules.py`)
    """,
    fix="author a quaternion of length 1",
    profiles=PROFILES,
    example=usda.body({_PRINCIPAL_AXES: "(2, 0, 0, 0)"}),
    remedy=usda.body({_PRINCIPAL_AXES: "(1, 0, 0, 0)"}),
)


@finder("quaternions", NOT_UNIT)
def quaternions(description: Description) -> Iterator[Finding]:
    """Quaternions of another length than 1."""
    for item in description.authored:
        if item.base in _QUATERNIONS and item.schema.startswith("Physics"):
            yield from _unit(item)


def _unit(item: Authored) -> Iterator[Finding]:
    parts = flat(item.value)
    length = math.hypot(*parts)
    if len(parts) == 4 and math.isfinite(length) and length > 0.0 and abs(length - 1.0) > _UNIT:
        refused = item.base == "principalAxes" and not abs(length - 1.0) < _SANE
        yield NOT_UNIT.at(
            item.path, item.property, f"a quaternion of length {length:g}",
            why="PhysX refuses it, and the centre of mass with it: the moments are about the body's own axes and origin"
            if refused else "PhysX normalises it", severity="error" if refused else "warning",
            repair=safe(SetValue(item.path, item.property, tuple(part / length for part in parts))),
        )
