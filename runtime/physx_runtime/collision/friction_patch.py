"""Friction patches: correlation with contacts and friction anchors (PhysX DyFrictionPatch).

`Patches` groups the contacts of all pairs into patches of one normal, and keeps their anchors from step to step
(DyFrictionCorrelation.cpp, DyContactPrepShared.h). A sticking patch keeps its anchors, which store where it began to
touch. A sliding patch gets new ones. `correlate_patch` does so for a pair with a single patch.
`correlate_patch_traced` is the same for many worlds at once, equal to the last bit, with masks for branches. In traced
code conditions are their own type, and all other numbers are `Unfused`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from physx_runtime.arrays import Array, Condition, Record, Vec3
from physx_runtime.compiling.numba_functions import scalar_code, scalar_entry
from physx_runtime.language.ops import Scalar, Scalars, Unfused, logical_not, maximum, minimum, where

# Two normals count as equal from this cosine on.
SAME_NORMAL = 0.999
# A second anchor is farther from the first than this [m^2].
MIN_ANCHOR_SPACING_SQUARED = 1e-8
ANCHORS = 2

RIGID_BODY = np.dtype([
    ("world", "i4"),
    ("kind", "i4"),                 # a BodyKind
    ("owner", "i4"),                # index of the actor, or of the kinematic body
    ("link", "i4"),
    ("position", "f8", 3),          # of a static body, in the world
    ("rotation", "f8", 4),
], align=True)

SURFACE = np.dtype([
    ("static_friction", "f8"),
    ("dynamic_friction", "f8"),
    ("restitution", "f8"),
    ("stiffness", "f8"),            # 0 of rigid surfaces
    ("damping", "f8"),
    ("acceleration_spring", "f8"),  # 1: stiffness and damping are independent of masses
], align=True)

PATCH = np.dtype([
    ("pair", "i4"),                 # row of the table of pairs
    ("body0", "i4"),                # rows of places
    ("body1", "i4"),
    ("first", "i4"),                # its contacts in `Patches.contacts`: start and number
    ("points", "i4"),
    ("anchors", "i4"),
    ("broken", "i4"),               # 1: friction reached its limit in the last iteration
    ("creation_index", "i8"),       # of its pair
    ("normal0", "f8", 3),           # in the frames of both sides
    ("normal1", "f8", 3),
    ("anchor0", "f8", (ANCHORS, 3)),
    ("anchor1", "f8", (ANCHORS, 3)),
    ("normal", "f8", 3),            # world
    ("low", "f8", 3),               # bounds of its contacts
    ("high", "f8", 3),
], align=True)


class Patches:
    """Friction patches of all touching pairs, and the contacts of each.

    threshold: contacts with a larger separation get no anchor. correlation: anchors that drift farther are dropped.
    Both are distances.
    """

    def __init__(self, threshold: float, correlation: float) -> None:
        self._threshold, self._correlation = threshold, correlation
        self.rows = np.zeros(0, PATCH)
        self.contacts = np.zeros(0, np.int32)       # rows of contacts, grouped by patch in solving order

    def correlate(self, shapes: Array, pairs: Array, touching: Array, contacts: Array, frames: Array) -> None:
        """Group the contacts of a step; patches follow the order of `touching`.

        contacts, pairs: of one step. frames: (bodies, 7) float64, of the centres of mass.
        """
        # correlation with friction patches of the last step, then anchors  (DyContactPrepShared.h, getFrictionPatches)
        before, self.rows = self.rows, np.empty(len(contacts) + len(self.rows), PATCH)
        self.contacts = np.empty(len(contacts), np.int32)
        count = _correlate(shapes, pairs, touching, contacts, frames, before, self.rows, self.contacts,
                           self._threshold, self._correlation)
        self.rows = self.rows[:count]

    def continue_from(self, before: Patches) -> None:
        """Take over the patches of others, with the distances of these."""
        self.rows, self.contacts = before.rows, before.contacts

    def drop(self, pairs: Array) -> None:
        """Clear the friction anchors of these pairs, rows of the table."""
        self.rows = self.rows[~np.isin(self.rows["pair"], pairs)]

    def forget(self, worlds: Array, bodies: Array) -> None:
        """Clear the friction anchors of worlds that were reset."""
        self.rows = self.rows[~np.isin(bodies["world"][self.rows["body0"]], worlds)]


@scalar_entry
def _correlate(shapes: Array, pairs: Array, touching: Array, contacts: Array, frames: Array, before: Array,
               patches: Array, order: Array, threshold: float, correlation: float) -> int:
    """Fill patches and the order of contacts; return the number of patches."""
    count = ordered = 0
    first_patches = np.full(len(pairs), -1, np.int32)               # the first patch of each pair
    for i in range(len(before) - 1, -1, -1):
        first_patches[before[i]["pair"]] = i
    owner = np.zeros(len(contacts), np.int32)               # patch of every run of contacts
    start = np.zeros(len(contacts), np.int32)
    for p in touching:
        pair = pairs[p]
        body0, body1 = shapes[pair["shape0"]]["body"], shapes[pair["shape1"]]["body"]
        if pair["swapped"]:
            body0, body1 = body1, body0
        first, last = pair["first"], pair["first"] + pair["contacts"]
        oldest = count
        # old patches of the pair that still hold  (DyContactPrepShared.h, getFrictionPatches)
        i = first_patches[p]
        while (i >= 0 and i < len(before) and before[i]["pair"] == p
               and before[i]["creation_index"] == pair["creation_index"]):
            if _is_correlated(before[i], frames[body0], frames[body1], correlation):
                patches[count] = before[i]
                _carry_over(patches[count], frames[body0])
                count += 1
            i += 1
        # contact patches: runs of one normal  (DyFrictionCorrelation.cpp, createContactPatches)
        runs = _split_runs(contacts, first, last, start)
        # correlation by normal with old friction patches  (DyFrictionCorrelation.cpp, correlatePatches)
        for r in range(runs):
            end = start[r + 1] if r + 1 < runs else last
            owner[r] = _find_patch(patches, oldest, count, contacts, start[r], end, frames[body0], frames[body1])
            if owner[r] == count:
                patches[count]["pair"], patches[count]["creation_index"] = p, pair["creation_index"]
                count += 1
        stored = oldest
        for k in range(oldest, count):
            patches[k]["body0"], patches[k]["body1"], patches[k]["first"] = body0, body1, ordered
            for r in range(runs - 1, -1, -1):               # the newest run comes first
                if owner[r] == k:
                    for c in range(start[r], start[r + 1] if r + 1 < runs else last):
                        order[ordered] = c
                        ordered += 1
            patches[k]["points"] = ordered - patches[k]["first"]
            # anchors grow until there are two  (DyFrictionCorrelation.cpp, growPatches)
            if patches[k]["points"]:
                _update_anchors(patches[k], contacts, order, frames[body0], frames[body1],
                                threshold + pair["rest_distance"])
                patches[stored] = patches[k]
                stored += 1
        count = stored
    return count


@scalar_code
def correlate_patch(patches: Array, k: int, pair: Record, touch_index: int, contacts: Array, order: Array,
                    frame0: Array, frame1: Array, threshold: float, correlation: float) -> None:
    """Update the k-th patch, the only one of its pair, whose contacts have one normal.

    touch_index: changes whenever the pair begins to touch. order: of contacts, in the order of their rows.
    """
    patch, first, end = patches[k], pair["first"], pair["first"] + pair["contacts"]
    # one patch per pair: the same steps without a search
    correlated = patch["creation_index"] == touch_index and _is_correlated(patch, frame0, frame1, correlation)
    if correlated:
        _carry_over(patch, frame0)
        correlated = _cosine(_vector(contacts[first]["normal"]), _vector(patch["normal"])) >= SAME_NORMAL
    _find_patch(patches, k, k + correlated, contacts, first, end, frame0, frame1)
    patch["first"], patch["points"], patch["creation_index"] = first, end - first, touch_index
    _update_anchors(patch, contacts, order, frame0, frame1, threshold + pair["rest_distance"])


@scalar_code
def _split_runs(contacts: Array, first: int, last: int, start: Array) -> int:
    """Fill in the starts of runs of contacts with one normal; return their number."""
    # n_i . n_j >= 0.999  (DyFrictionCorrelation.cpp, createContactPatches)
    runs = 0
    for c in range(first, last):
        if runs == 0 or _cosine(contacts[start[runs - 1]]["normal"], contacts[c]["normal"]) < SAME_NORMAL:
            start[runs] = c
            runs += 1
    return runs


@scalar_code
def _is_correlated(old: Record, frame0: Array, frame1: Array, correlation: float) -> bool:
    """Whether a patch of the last step persists: its normals still agree, and its anchors have not drifted apart."""
    # not broken, R0 n0 . R1 n1 > 0.999, and |(x0 + r0 - x1 - r1) . n| < correlationDistance of all anchors
    # (DyContactPrepShared.h, pointsAreClose)
    if old["broken"] or old["anchors"] == 0:
        return False
    normal0 = rotated(frame0, _vector(old["normal0"]))
    if not _cosine(normal0, rotated(frame1, _vector(old["normal1"]))) > SAME_NORMAL:
        return False
    for j in range(old["anchors"]):
        arm0, arm1 = rotated(frame0, _vector(old["anchor0"][j])), rotated(frame1, _vector(old["anchor1"][j]))
        drift = 0.0
        for x in range(3):
            drift += (arm0[x] + frame0[x] - arm1[x] - frame1[x]) * normal0[x]
        if not abs(drift) < correlation:
            return False
    return True


@scalar_code
def _carry_over(patch: Record, frame0: Array) -> None:
    """Turn a patch of the last step into one of this step, still without contacts."""
    patch["broken"] = 0
    # n = R0 n0, bounds empty
    _set_row(patch["normal"], rotated(frame0, _vector(patch["normal0"])))
    _clear_bounds(patch)


@scalar_code
def _clear_bounds(patch: Record) -> None:
    """Empty the bounds."""
    for x in range(3):
        patch["low"][x], patch["high"][x] = np.inf, -np.inf


@scalar_code
def _find_patch(patches: Array, oldest: int, count: int, contacts: Array, start: int, end: int, frame0: Array,
                frame1: Array) -> int:
    """The patch for a run of contacts, a new one if none has its normal."""
    normal, index = contacts[start]["normal"], count
    # the oldest patch with n . n_contact >= 0.999, otherwise a new one
    # (DyFrictionCorrelation.cpp, correlatePatches)
    for k in range(count - 1, oldest - 1, -1):
        if _cosine(_vector(normal), _vector(patches[k]["normal"])) >= SAME_NORMAL:
            index = k
    patch = patches[index]
    if index == count:
        patch["anchors"], patch["broken"] = 0, 0
        for j in range(ANCHORS):
            for x in range(3):
                patch["anchor0"][j, x], patch["anchor1"][j, x] = 0.0, 0.0
        _set_row(patch["normal"], _vector(normal))
        # n0 = R0^T n, n1 = R1^T n  (DyFrictionCorrelation.cpp, initFrictionPatch)
        _set_row(patch["normal0"], rotated_back(frame0, _vector(patch["normal"])))
        _set_row(patch["normal1"], rotated_back(frame1, _vector(patch["normal"])))
        _clear_bounds(patch)
    # bounds of the patch's contacts
    for c in range(start, end):
        for x in range(3):
            patch["low"][x] = min(patch["low"][x], contacts[c]["point"][x])
            patch["high"][x] = max(patch["high"][x], contacts[c]["point"][x])
    return index


@scalar_code
def _update_anchors(patch: Record, contacts: Array, order: Array, frame0: Array, frame1: Array,
                    max_separation: float) -> None:
    """Choose anchors where one is missing, or where two are too close for the extent of the contacts."""
    anchors = patch["anchors"]
    # two anchors stay where |a0 - a1|^2 >= |bounds|^2 / 4  (DyFrictionCorrelation.cpp, growPatches)
    if anchors == ANCHORS:
        spacing = _distance_squared(_vector(patch["anchor0"][0]), _vector(patch["anchor0"][1]))
        if 4.0 * spacing >= _distance_squared(_vector(patch["low"]), _vector(patch["high"])):
            return
        anchors = 0
    first = second = (0.0, 0.0, 0.0)
    if anchors:
        first = transform(frame0, _vector(patch["anchor0"][0]))
    old, count, farthest = anchors, anchors, 0.0
    # first contact, then the farthest pair, in one pass over contacts with separation < threshold
    # (DyFrictionCorrelation.cpp, growPatches)
    for i in range(patch["first"], patch["first"] + patch["points"]):
        contact = contacts[order[i]]
        if not contact["separation"] < max_separation:
            continue
        point = _vector(contact["point"])
        if count == 0:
            first, count = point, 1
        elif count == 1:
            farthest = _distance_squared(point, first)
            if farthest > MIN_ANCHOR_SPACING_SQUARED:
                second, count = point, 2
        else:
            from0, from1 = _distance_squared(point, first), _distance_squared(point, second)
            if from0 > from1:
                if from0 > farthest:
                    second, farthest = point, from0
            elif from1 > farthest:
                first, farthest = point, from1
    # anchors in body frames: R0^T (p - x0), R1^T (p - x1)
    for j in range(old, count):
        anchor = second if j else first
        _set_row(patch["anchor0"][j], transform_inv(frame0, anchor))
        _set_row(patch["anchor1"][j], transform_inv(frame1, anchor))
    patch["anchors"] = count


@scalar_code
def _cosine(a: Vec3, b: Vec3) -> float:
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@scalar_code
def _distance_squared(a: Vec3, b: Vec3) -> float:
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return float(x * x + y * y + z * z)


@scalar_code
def rotated(frame: BodyFrame, a: Vec3) -> Vec3:
    """A vector of a frame in world axes."""
    return _rotate(frame[3], frame[4], frame[5], frame[6], a)


@scalar_code
def rotated_back(frame: BodyFrame, a: Vec3) -> Vec3:
    """A world vector in the axes of a frame."""
    return _rotate(-frame[3], -frame[4], -frame[5], frame[6], a)


@scalar_code
def _rotate(x: float, y: float, z: float, w: float, a: Vec3) -> Vec3:
    # a + w t + v x t, t = 2 v x a
    tx, ty, tz = 2.0 * (y * a[2] - z * a[1]), 2.0 * (z * a[0] - x * a[2]), 2.0 * (x * a[1] - y * a[0])
    return a[0] + w * tx + y * tz - z * ty, a[1] + w * ty + z * tx - x * tz, a[2] + w * tz + x * ty - y * tx


@scalar_code
def transform(frame: BodyFrame, a: Vec3) -> Vec3:
    """A point of a frame in the world."""
    x, y, z = rotated(frame, a)
    return x + frame[0], y + frame[1], z + frame[2]


@scalar_code
def transform_inv(frame: BodyFrame, a: Vec3) -> Vec3:
    """A world point in a frame."""
    return rotated_back(frame, (a[0] - frame[0], a[1] - frame[1], a[2] - frame[2]))


@scalar_code
def _vector(row: Array) -> Vec3:
    """A row of an array in float64."""
    return np.float64(row[0]), np.float64(row[1]), np.float64(row[2])


@scalar_code
def _set_row(row: Array, a: Vec3) -> None:
    for x in range(3):
        row[x] = a[x]


BodyFrame = Scalars       # position, then quaternion


class FrictionPatch(NamedTuple):
    """The persistent values of a patch, as in `PATCH`."""

    broken: Scalar
    anchors: Scalar
    normal0: Vec3
    normal1: Vec3
    anchor0: Sequence[Vec3]
    anchor1: Sequence[Vec3]


class Contacts(NamedTuple):
    """The contacts of a pair in a step, with one normal."""

    used: Sequence[Condition]
    point: Sequence[Vec3]
    separation: Sequence[Scalar]
    normal: Vec3


def correlate_patch_traced(before: FrictionPatch, touched: Condition, contacts: Contacts, frame0: BodyFrame,
                           frame1: BodyFrame, max_separation: Scalar, correlation: Scalar) -> FrictionPatch:
    """The patch in this step; touched: whether its pair touched in the last step; max_separation: for anchors."""
    # as `correlate_patch` with masks: where correlated the old anchors, none otherwise
    correlated = touched & _is_correlated_traced(before, contacts.normal, frame0, frame1, correlation)
    zero = (0.0, 0.0, 0.0)
    old = FrictionPatch(0.0, where(correlated, before.anchors, 0.0),
                        _select(correlated, before.normal0, rotated_back(frame0, contacts.normal)),
                        _select(correlated, before.normal1, rotated_back(frame1, contacts.normal)),
                        [_select(correlated, a, zero) for a in before.anchor0],
                        [_select(correlated, a, zero) for a in before.anchor1])
    return _update_anchors_traced(old, contacts, frame0, frame1, max_separation)


def _is_correlated_traced(before: FrictionPatch, normal: Vec3, frame0: BodyFrame, frame1: BodyFrame,
                          correlation: Scalar) -> Condition:
    """Whether the patch of the last step persists."""
    # R0 n0 . R1 n1 > 0.999, |drift . n| < correlationDistance, n . n_contact >= 0.999
    normal0 = rotated(frame0, before.normal0)
    correlated = (before.broken < 0.5) & (before.anchors > 0.5)
    correlated = correlated & (_dot(normal0, rotated(frame1, before.normal1)).value > SAME_NORMAL)
    for j in range(ANCHORS):
        arm0, arm1 = rotated(frame0, before.anchor0[j]), rotated(frame1, before.anchor1[j])
        drift = _dot([arm0[x] + frame0[x] - arm1[x] - frame1[x] for x in range(3)], normal0)
        correlated = correlated & ((before.anchors < j + 0.5) | (abs(drift.value) < correlation))
    return correlated & (_dot(normal, normal0).value >= SAME_NORMAL)


def _update_anchors_traced(old: FrictionPatch, contacts: Contacts, frame0: BodyFrame, frame1: BodyFrame,
                           max_separation: Scalar) -> FrictionPatch:
    """New anchors where one is missing, or where two are too close for the extent of the contacts."""
    # 4 |a0 - a1|^2 >= |high - low|^2
    low, high = ([_extreme(choice, contacts, x) for x in range(3)] for choice in (minimum, maximum))
    wide = 4.0 * _distance_squared_traced(*old.anchor0)
    wide_enough = (old.anchors > 1.5) & (wide.value >= _distance_squared_traced(low, high).value)
    has_one = (old.anchors > 0.5) & (old.anchors < 1.5)
    points, exists = _farthest(contacts, has_one, _select(has_one, transform(frame0, old.anchor0[0]), (0.0, 0.0, 0.0)),
                               max_separation)
    new = [exists[0] & logical_not(has_one) & logical_not(wide_enough), exists[1] & logical_not(wide_enough)]
    anchors = where(wide_enough, 2.0, where(exists[1], 2.0, where(exists[0], 1.0, 0.0)))
    both = ([_select(is_new, transform_inv(frame, point), a) for is_new, point,
             a in zip(new, points, old_anchors, strict=True)]
            for frame, old_anchors in ((frame0, old.anchor0), (frame1, old.anchor1)))
    anchor0, anchor1 = both
    return old._replace(anchors=anchors, anchor0=anchor0, anchor1=anchor1)


def _farthest(contacts: Contacts, has_one: Condition, first: Vec3, max_separation: Scalar
              ) -> tuple[tuple[Vec3, Vec3], tuple[Condition, Condition]]:
    """Two points far from each other, and whether each exists; has_one: whether `first` is given."""
    second, has_two, farthest = _unfused((0.0, 0.0, 0.0)), None, Unfused(0.0)
    # running farthest pair over at most two contacts
    for used, point, separation in zip(contacts.used, contacts.point, contacts.separation, strict=True):
        counts = used & (separation.value < max_separation)
        from0, had_none, only_first = _distance_squared_traced(point,
                                                               first), counts & logical_not(has_one), counts & has_one
        onto0 = onto1 = None
        if has_two is not None:
            only_first = only_first & logical_not(has_two)
            from1 = _distance_squared_traced(point, second)
            nearer = from0.value > from1.value
            onto1 = counts & has_two & nearer & (from0.value > farthest.value)
            onto0 = counts & has_two & logical_not(nearer) & (from1.value > farthest.value)
        begins = only_first & (from0.value > MIN_ANCHOR_SPACING_SQUARED)
        farthest = _number(only_first, from0, farthest)
        first, second, has_two, has_one = (_select(had_none, point, first), _select(begins, point, second),
                                           begins if has_two is None else has_two | begins, has_one | had_none)
        if onto0 is not None:
            second, first = _select(onto1, point, second), _select(onto0, point, first)
            farthest = _number(onto1, from0, _number(onto0, from1, farthest))
    return (first, second), (has_one, has_two)


def _extreme(choice: Callable[[Scalar, Scalar], Scalar], contacts: Contacts, x: int) -> Unfused:
    """The smallest or largest x-th coordinate; unused contacts repeat the first one."""
    value = contacts.point[0][x].value
    for point in contacts.point[1:]:
        value = choice(value, point[x].value)
    return Unfused(value)


def _dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _distance_squared_traced(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    return x * x + y * y + z * z


def _unfused(a: Sequence[Scalar]) -> Any:
    return tuple(Unfused(x) for x in a)


def _number(condition: Condition, a: Scalar, b: Scalar) -> Unfused:
    values = (x.value if isinstance(x, Unfused) else x for x in (a, b))
    return Unfused(where(condition, *values))


def _select(condition: Condition, a: Sequence[Scalar], b: Sequence[Scalar]) -> Any:
    return tuple(_number(condition, x, y) for x, y in zip(a, b, strict=True))
