"""Every number of a joint outside articulations that has an experiment."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

from physx_runtime.verification.outside.breaking import break_keys
from physx_runtime.verification.outside.couplings import ratio_key
from physx_runtime.verification.outside.isolation import Isolated
from physx_runtime.verification.outside.limits import Bound, bounds_of
from physx_runtime.verification.quantities import POSITION_NOISE, drive_quantities, target_quantities
from physx_runtime.verification.quantity import Quantity
from physx_schema.description.units import DEGREES_PER_RADIAN

UNDAMPED = "damping is 0, so nothing pulls to a speed"


def outside_quantities(held: Isolated, authored: Collection[tuple[str, str]]) -> Iterator[Quantity]:
    """The authored numbers of drives, bounds, coupling and strength of a joint."""
    for quantity in _all(held):
        if (quantity.key.path, quantity.key.property) in authored:
            yield quantity


def _all(held: Isolated) -> Iterator[Quantity]:
    joint = held.joint
    for axis in joint.axes:
        yield from drive_quantities(axis)
        yield from target_quantities(axis, UNDAMPED if axis.drive and axis.drive.damping == 0.0 else "")
    seen = set()
    for bound in bounds_of(held):
        yield _of_bound(bound)
        for quantity in (*_of_spring(bound), *_of_bounce(bound)):
            if quantity.key not in seen:
                seen.add(quantity.key)
                yield quantity
    for key, value, unit in zip(break_keys(joint.path), (joint.break_force, joint.break_torque), ("force", "torque"),
                                strict=True):
        if math.isfinite(value):
            yield Quantity(key, value, unit)
    if joint.coupling is not None:
        gear = joint.kind == "gear"
        yield Quantity(ratio_key(joint), joint.coupling.ratio if gear else joint.coupling.ratio / DEGREES_PER_RADIAN,
                       "" if gear else "deg/length", 1.0 if gear else DEGREES_PER_RADIAN)


def _of_bound(bound: Bound) -> Quantity:
    turn, along = (DEGREES_PER_RADIAN, "deg") if bound.direction.angular else (1.0, "length")
    return Quantity(bound.key, bound.value, along, turn, noise=POSITION_NOISE)


def _of_spring(bound: Bound) -> Iterator[Quantity]:
    """PhysX counts both per radian."""
    if bound.soft is not None:
        push, along = ("torque", "rad") if bound.direction.angular else ("force", "length")
        stiffness, damping = bound.soft.keys
        yield Quantity(stiffness, bound.soft.stiffness, f"{push}/{along}")
        yield Quantity(damping, bound.soft.damping, f"{push} s/{along}")


def _of_bounce(bound: Bound) -> Iterator[Quantity]:
    if bound.bounce is not None:
        restitution, threshold = bound.bounce.keys
        yield Quantity(restitution, bound.bounce.restitution, "")
        yield Quantity(threshold, bound.bounce.threshold, "rad/s" if bound.direction.angular else "length/s")
