"""What patches are given at a step's start and what they leave, between records and rows."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from physx_runtime.compiling.scalar_code import borrowing_code, borrowing_entry

Array = NDArray[Any]
SURFACE_SIZE, ANCHOR_SIZE = 11, 3


@borrowing_entry
def give(memory: Array, base: Array, structures: Array, lanes: Array, points_of: Array, anchors_of: Array,
         index: Array, patches: Array, order: Array, contacts: Array, pairs: Array, surfaces: Array, frames: Array,
         static: Array) -> None:
    """Write the rows of `model.contact.patch_rows` of patches.

    base, structures: of each, its first row and its structure, of which there are so many side by side and which has so
    many places for contacts and for anchors. index: which of the patches. pairs: that patches refer to. surfaces:
    (n_patch, 11). frames: of the centres of mass. static: by place, whether arms are from the world's origin.
    """
    for i in range(len(index)):
        k, structure = index[i], structures[i]
        points, anchors, stride = points_of[structure], anchors_of[structure], lanes[structure]
        patch, surface = patches[k], surfaces[k]
        give_one(memory, base[i], stride, points, patch, order, contacts, pairs[patch["pair"]]["rest"], surface)
        at = base[i] + stride * (3 + SURFACE_SIZE + 5 * points)
        give_arms(memory, at, stride, anchors, patch, patch["anchor0"], frames[patch["side0"]], static[patch["side0"]])
        give_arms(memory, at + stride * 3 * anchors, stride, anchors, patch, patch["anchor1"], frames[patch["side1"]],
                  static[patch["side1"]])
        for j in range(anchors):
            memory[at + stride * (6 * anchors + j)] = 1.0 if j < patch["anchors"] else 0.0


@borrowing_code
def give_one(memory: Array, m: int, stride: int, points: int, patch: Any, order: Array, contacts: Array, rest: float,
             surface: Array) -> None:
    """Write the rows of a patch from `m` on, all but those of its anchors; stride: from one row to the next."""
    first, filled = patch["first"], patch["points"]
    for x in range(3):
        memory[m + stride * x] = contacts[order[first]]["normal"][x]
    for x in range(SURFACE_SIZE):
        memory[m + stride * (3 + x)] = surface[x]
    at = m + stride * (3 + SURFACE_SIZE)
    for j in range(points):
        used = j < filled
        contact = contacts[order[first + j if used else first]]
        for x in range(3):
            memory[at + stride * (3 * j + x)] = contact["point"][x]
        memory[at + stride * (3 * points + j)] = contact["separation"] - rest
        memory[at + stride * (4 * points + j)] = 1.0 if used else 0.0


@borrowing_code
def give_arms(memory: Array, at: int, stride: int, anchors: int, patch: Any, local: Array, frame: Array,
              from_origin: bool) -> None:
    """Write the arms of a patch's anchors on one side, from `at` on."""
    x, y, z, w = frame[3], frame[4], frame[5], frame[6]
    for j in range(anchors):
        a, m = local[j], at + 3 * stride * j
        tx, ty, tz = 2.0 * (y * a[2] - z * a[1]), 2.0 * (z * a[0] - x * a[2]), 2.0 * (x * a[1] - y * a[0])
        memory[m] = a[0] + w * tx + y * tz - z * ty
        memory[m + stride] = a[1] + w * ty + z * tx - x * tz
        memory[m + 2 * stride] = a[2] + w * tz + x * ty - y * tx
        if from_origin:
            for i in range(3):
                memory[m + stride * i] += frame[i]


@borrowing_entry
def take(memory: Array, base: Array, structures: Array, lanes: Array, left: Array, anchors_of: Array, index: Array,
         patches: Array, order: Array, impulses: Array, frictions: Array) -> None:
    """Read what patches gave: whether they slipped, impulses of contacts and friction of anchors.

    left: of each structure, rows of `slipped`, `impulse`, `tangents` and `friction_impulse` from a patch's first.
    frictions: (n_patch, ANCHORS, 3). The others as of `give`.
    """
    for i in range(len(index)):
        k, structure = index[i], structures[i]
        take_one(memory, base[i], lanes[structure], left[structure], anchors_of[structure], patches[k], order, impulses,
                 frictions[k])


@borrowing_code
def take_one(memory: Array, m: int, stride: int, rows: Array, anchors: int, patch: Any, order: Array, impulses: Array,
             friction: Array) -> None:
    """Read what the patch gave whose rows are from `m` on.

    rows: of `slipped`, `impulse`, `tangents` and `friction_impulse` from there.
    """
    patch["slipped"] = 1 if memory[m + stride * rows[0]] > 0.5 else 0
    for j in range(patch["points"]):
        impulses[order[patch["first"] + j]] = memory[m + stride * (rows[1] + j)]
    for j in range(anchors):
        for x in range(3):
            friction[j, x] = 0.0
            for axis in range(2):
                friction[j, x] += (memory[m + stride * (rows[3] + 2 * j + axis)]
                                   * memory[m + stride * (rows[2] + 3 * axis + x)])
