"""The patch of a pair in many worlds at once: as `patches.renew` has it to the bit, with masks as branches.

Traced: conditions stand for themselves, all other numbers are `Unfused`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from physx_runtime.collision.patches import ANCHORS, APART, SAME_NORMAL, inward, outward, turned, turned_back
from physx_runtime.language.ops import Scalar, Unfused, inverted, maximum, minimum, where

Condition = Any
Vector = tuple[Any, Any, Any]
Frame = Sequence[Any]       # position, then quaternion


class FrictionPatch(NamedTuple):
    """What a patch keeps between steps, as in `patches.PATCH`."""

    slipped: Scalar
    anchors: Scalar
    normal0: Vector
    normal1: Vector
    anchor0: Sequence[Vector]
    anchor1: Sequence[Vector]


class Contacts(NamedTuple):
    """Of a step, with one normal."""

    used: Sequence[Condition]
    point: Sequence[Vector]
    separation: Sequence[Any]
    normal: Vector


def anchored(before: FrictionPatch, touched: Condition, contacts: Contacts, frame0: Frame, frame1: Frame, most: Scalar,
             correlation: Scalar) -> FrictionPatch:
    """The patch in this step. touched: whether its pair did in the last one. most: as `patches.renew` adds it up."""
    held = touched & _is_correlated_traced(before, contacts.normal, frame0, frame1, correlation)
    nowhere = (0.0, 0.0, 0.0)
    old = FrictionPatch(0.0, where(held, before.anchors, 0.0),
                        _chosen(held, before.normal0, turned_back(frame0, contacts.normal)),
                        _chosen(held, before.normal1, turned_back(frame1, contacts.normal)),
                        [_chosen(held, a, nowhere) for a in before.anchor0],
                        [_chosen(held, a, nowhere) for a in before.anchor1])
    return _with_anchors(old, contacts, frame0, frame1, most)


def _is_correlated_traced(before: FrictionPatch, normal: Vector, frame0: Frame, frame1: Frame,
                          correlation: Scalar) -> Condition:
    """Whether the patch of the last step goes on."""
    normal0 = turned(frame0, before.normal0)
    held = (before.slipped < 0.5) & (before.anchors > 0.5)
    held = held & (_dot(normal0, turned(frame1, before.normal1)).value > SAME_NORMAL)
    for j in range(ANCHORS):
        arm0, arm1 = turned(frame0, before.anchor0[j]), turned(frame1, before.anchor1[j])
        apart = _dot([arm0[x] + frame0[x] - arm1[x] - frame1[x] for x in range(3)], normal0)
        held = held & ((before.anchors < j + 0.5) | (abs(apart.value) < correlation))
    return held & (_dot(normal, normal0).value >= SAME_NORMAL)


def _with_anchors(old: FrictionPatch, contacts: Contacts, frame0: Frame, frame1: Frame, most: Scalar) -> FrictionPatch:
    """New anchors where some lack, or where both lie too close for what touches now."""
    low, high = ([_extreme(choice, contacts, x) for x in range(3)] for choice in (minimum, maximum))
    wide = 4.0 * _distance_squared_traced(*old.anchor0)
    enough = (old.anchors > 1.5) & (wide.value >= _distance_squared_traced(low, high).value)
    one = (old.anchors > 0.5) & (old.anchors < 1.5)
    places, some = _farthest(contacts, one, _chosen(one, outward(frame0, old.anchor0[0]), (0.0, 0.0, 0.0)), most)
    new = [some[0] & inverted(one) & inverted(enough), some[1] & inverted(enough)]
    anchors = where(enough, 2.0, where(some[1], 2.0, where(some[0], 1.0, 0.0)))
    both = ([_chosen(fresh, inward(frame, place), a) for fresh, place, a in zip(new, places, own, strict=True)]
            for frame, own in ((frame0, old.anchor0), (frame1, old.anchor1)))
    anchor0, anchor1 = both
    return old._replace(anchors=anchors, anchor0=anchor0, anchor1=anchor1)


def _farthest(contacts: Contacts, one: Condition, first: Vector, most: Scalar
              ) -> tuple[tuple[Vector, Vector], tuple[Condition, Condition]]:
    """Two points far from each other, and which of them there are, where there is `one` at the start."""
    second, two, farthest = _unfused((0.0, 0.0, 0.0)), None, Unfused(0.0)
    for used, point, separation in zip(contacts.used, contacts.point, contacts.separation, strict=True):
        counts = used & (separation.value < most)
        from0, had_none, alone = _distance_squared_traced(point, first), counts & inverted(one), counts & one
        onto0 = onto1 = None
        if two is not None:
            alone = alone & inverted(two)
            from1 = _distance_squared_traced(point, second)
            nearer = from0.value > from1.value
            onto1 = counts & two & nearer & (from0.value > farthest.value)
            onto0 = counts & two & inverted(nearer) & (from1.value > farthest.value)
        begins = alone & (from0.value > APART)
        farthest = _number(alone, from0, farthest)
        first, second, two, one = (_chosen(had_none, point, first), _chosen(begins, point, second),
                                   begins if two is None else two | begins, one | had_none)
        if onto0 is not None:
            second, first = _chosen(onto1, point, second), _chosen(onto0, point, first)
            farthest = _number(onto1, from0, _number(onto0, from1, farthest))
    return (first, second), (one, two)


def _extreme(choice: Any, contacts: Contacts, x: int) -> Unfused:
    """The least or the largest x-th coordinate; what is not used repeats the first contact."""
    value = contacts.point[0][x].value
    for point in contacts.point[1:]:
        value = choice(value, point[x].value)
    return Unfused(value)


def _dot(a: Sequence[Any], b: Sequence[Any]) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _distance_squared_traced(a: Sequence[Any], b: Sequence[Any]) -> Any:
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return x * x + y * y + z * z


def _unfused(a: Sequence[Scalar]) -> Any:
    return tuple(Unfused(x) for x in a)


def _number(condition: Condition, a: Any, b: Any) -> Unfused:
    values = (x.value if isinstance(x, Unfused) else x for x in (a, b))
    return Unfused(where(condition, *values))


def _chosen(condition: Condition, a: Sequence[Any], b: Sequence[Any]) -> Any:
    return tuple(_number(condition, x, y) for x, y in zip(a, b, strict=True))
