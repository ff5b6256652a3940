"""The numbers of a robot that a viewer may turn: where joints are, what drives hold, what tendons pull."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from physx_schema.description.model import Articulation, Description, Dof, FixedTendon, SpatialTendon

JOINTS, TARGETS, DRIVES, TENDONS = "Joints", "Targets", "Drives", "Tendons"
WIDEST = 3.0                    # times the value as authored
FREE_ANGLE = 180.0              # degrees either way where no limit says less
GAINS = ("stiffness", "damping")


@dataclass(frozen=True, slots=True)
class Knob:
    """One number, in the units of the stage: degrees, and its lengths and masses.

    `property` is what an edit authors on the prim; "" for a joint that is put somewhere, which authors nothing.
    """

    group: str
    path: str                           # prim
    property: str
    label: str
    low: float
    high: float
    value: float
    joint: str = ""                     # name of the degree of freedom that is put somewhere


def knobs(stage: Any, description: Description) -> list[Knob]:
    """Every knob of a stage's articulations, group by group, joints before what drives them."""
    acting = [item for item in description.articulations if item.enabled]
    metre = 1.0 / description.scene.meters_per_unit
    found = [knob for item in acting for make in (_joints, _drives, _tendons) for knob in make(stage, item, metre)]
    return sorted(found, key=lambda knob: (JOINTS, TARGETS, DRIVES, TENDONS).index(knob.group))


def _joints(stage: Any, articulation: Articulation, metre: float) -> Iterator[Knob]:
    for dof in articulation.dofs:
        low, high = _reach(dof, metre)
        value = math.degrees(dof.position) if dof.angular else dof.position
        yield Knob(JOINTS, dof.path, "", _leaf(dof.name), min(low, value), max(high, value), value, dof.name)


def _drives(stage: Any, articulation: Articulation, metre: float) -> Iterator[Knob]:
    for dof in articulation.dofs:
        if dof.drive is None:
            continue
        prefix, name = dof.drive.prefix, _leaf(dof.name)
        target = _value(stage, dof.path, f"{prefix}targetPosition")
        low, high = _reach(dof, metre)
        yield Knob(TARGETS, dof.path, f"{prefix}targetPosition", name, min(low, target), max(high, target), target)
        yield from _gains(stage, DRIVES, dof.path, prefix, name)


def _tendons(stage: Any, articulation: Articulation, metre: float) -> Iterator[Knob]:
    tendons: tuple[FixedTendon | SpatialTendon, ...] = (*articulation.fixed_tendons, *articulation.spatial_tendons)
    for tendon in tendons:
        if not tendon.enabled:
            continue
        name, offset = _leaf(tendon.name), _value(stage, tendon.path, f"{tendon.prefix}offset")
        reach = max(abs(offset), 0.1 * metre)
        yield Knob(TENDONS, tendon.path, f"{tendon.prefix}offset", f"{name} offset", -reach, reach, offset)
        yield from _gains(stage, TENDONS, tendon.path, tendon.prefix, name)


def _gains(stage: Any, group: str, path: str, prefix: str, name: str) -> Iterator[Knob]:
    for gain in GAINS:
        value = _value(stage, path, prefix + gain)
        if math.isfinite(value):
            yield Knob(group, path, prefix + gain, f"{name} {gain}", 0.0, WIDEST * value or 1.0, value)


def _reach(dof: Dof, metre: float) -> tuple[float, float]:
    """Between what a joint or its target is moved, degrees or lengths."""
    scale, widest = (math.degrees(1.0), FREE_ANGLE) if dof.angular else (1.0, metre)
    low, high = (scale * bound for bound in (dof.lower, dof.upper))
    return (low if math.isfinite(low) else -widest), (high if math.isfinite(high) else widest)


def _leaf(name: str) -> str:
    return name.rpartition("/")[2]


def _value(stage: Any, path: str, name: str) -> float:
    return float(stage.GetPrimAtPath(path).GetAttribute(name).Get() or 0.0)
