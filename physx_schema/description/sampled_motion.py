"""Where time samples take a kinematic body: its own, and those of the prims above it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from pxr import UsdGeom

from physx_schema.description.frames import taken_apart
from physx_schema.description.model import PoseSample
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import Reading
from physx_schema.description.poses import Pose, between

# How far the way between neighbours may be from USD's, in metres and in components of the quaternion: that of a turn
# about a parent 1 m away is then a few hundred poses.
_WAY = 1e-5
_SHORTEST = 1e-4    # s between neighbours that are not divided further: there the way jumps
_CHECKED = (0.5, 0.3141592653589793, 0.7320508075688772)    # shares that no number of whole turns hides from


def read_samples(reading: Reading, body: PrimOpinions) -> tuple[PoseSample, ...]:
    """World poses along the time samples of a body's transform and of those above it, neighbours close enough.

    As for PhysX, an operation with a single sample does not vary.
    """
    codes = _sampled_codes(body.prim)
    if not codes or body.path in reading.frames.unreadable:
        return ()
    stage = reading.stage
    start, rate = stage.GetStartTimeCode(), stage.GetTimeCodesPerSecond()
    cache = UsdGeom.XformCache()

    def at(time: float) -> Pose:
        cache.SetTime(start + time * rate)
        return taken_apart(cache.GetLocalToWorldTransform(body.prim)).pose

    found = [PoseSample((code - start) / rate, at((code - start) / rate)) for code in sorted(codes)]
    if not all(math.isfinite(number) for sample in found for part in sample.pose for number in part):
        reading.problem(
            "value/time-samples", body.path, "xformOpOrder", "time samples take the body to a pose that is not finite",
            "it stays where the default values put it", "author finite samples", "warning")
        return ()
    tolerance = _WAY / reading.meters_per_unit
    return (found[0], *(item for a, b in pairwise(found) for item in _divided(at, a, b, tolerance)))


def animated(prim: Any) -> str:
    """The prim, this one or one above, whose transform varies; "" where none does."""
    return next((str(path) for path, own in _operation_samples(prim) if len(own) > 1), "")


def _sampled_codes(prim: Any) -> set[float]:
    """The time codes of all samples that move a prim; none where no operation varies."""
    return {code for _, own in _operation_samples(prim) for code in own} if animated(prim) else set()


def _operation_samples(prim: Any) -> Iterator[tuple[Any, Sequence[float]]]:
    """Paths and time codes of all operations that place a prim, from itself upwards."""
    while prim and not prim.IsPseudoRoot():
        for operation in UsdGeom.Xformable(prim).GetOrderedXformOps() if prim.IsA(UsdGeom.Xformable) else ():
            yield prim.GetPath(), operation.GetTimeSamples()
        prim = prim.GetParent()


def _divided(at: Callable[[float], Pose], a: PoseSample, b: PoseSample, tolerance: float) -> Iterator[PoseSample]:
    """What follows a sample up to the next, b itself included."""
    if b.time - a.time > _SHORTEST and any(
            _apart(at(a.time + share * (b.time - a.time)), between(a.pose, b.pose, share), tolerance)
            for share in _CHECKED):
        middle = 0.5 * (a.time + b.time)
        half = PoseSample(middle, at(middle))
        yield from _divided(at, a, half, tolerance)
        yield from _divided(at, half, b, tolerance)
    else:
        yield b


def _apart(a: Pose, b: Pose, tolerance: float) -> bool:
    """Whether two poses differ by more than a length, or are turned otherwise."""
    agreement = abs(sum(x * y for x, y in zip(a[1], b[1], strict=True)))
    return math.dist(a[0], b[0]) > tolerance or math.sqrt(max(0.0, 1.0 - agreement * agreement)) > _WAY
