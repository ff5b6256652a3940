"""What patches are given at a step's start and what they leave, between records and rows."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from physx_runtime.compiling.scalar_code import scalar_code, scalar_entry

Array = NDArray[Any]
SURFACE_SIZE, ANCHOR_SIZE = 11, 3


@scalar_entry
def give(memory: Array, base: Array, index: Array, places: Array, anchor_places: Array, patches: Array, order: Array,
         contacts: Array, rests: Array, surfaces: Array, frames: Array, static: Array) -> None:
    """Write the rows of `model.contact.patch_rows` of patches.

    index: which of the patches. places, anchor_places: of each, what its structure has for contacts and for anchors.
    surfaces: (n_patch, 11). rests: rest distance of each patch. frames: of the centres of mass. static: by place,
    whether arms are from the world's origin.
    """
    for i in range(len(index)):
        patch, m = patches[index[i]], base[i]
        points, anchors = places[i], anchor_places[i]
        first, filled = patch["first"], patch["points"]
        for x in range(3):
            memory[m + x] = contacts[order[first]]["normal"][x]
        for x in range(SURFACE_SIZE):
            memory[m + 3 + x] = surfaces[index[i], x]
        at = m + 3 + SURFACE_SIZE
        for j in range(points):
            used = j < filled
            contact = contacts[order[first + j if used else first]]
            for x in range(3):
                memory[at + 3 * j + x] = contact["point"][x]
            memory[at + 3 * points + j] = contact["separation"] - rests[index[i]]
            memory[at + 4 * points + j] = 1.0 if used else 0.0
        at += 5 * points
        for j in range(anchors):
            _arm(memory, at + 3 * j, frames[patch["side0"]], patch["anchor0"][j], static[patch["side0"]])
            _arm(memory, at + 3 * (anchors + j), frames[patch["side1"]], patch["anchor1"][j], static[patch["side1"]])
            memory[at + 6 * anchors + j] = 1.0 if j < patch["anchors"] else 0.0


@scalar_code
def _arm(memory: Array, at: int, frame: Array, a: Array, from_origin: bool) -> None:
    x, y, z, w = frame[3], frame[4], frame[5], frame[6]
    tx, ty, tz = 2.0 * (y * a[2] - z * a[1]), 2.0 * (z * a[0] - x * a[2]), 2.0 * (x * a[1] - y * a[0])
    memory[at] = a[0] + w * tx + y * tz - z * ty
    memory[at + 1] = a[1] + w * ty + z * tx - x * tz
    memory[at + 2] = a[2] + w * tz + x * ty - y * tx
    if from_origin:
        for i in range(3):
            memory[at + i] += frame[i]


@scalar_entry
def take(memory: Array, base: Array, index: Array, left: Array, anchors: Array, patches: Array, order: Array,
         impulses: Array, frictions: Array) -> None:
    """Read what patches gave: whether they slipped, impulses of contacts and friction of anchors.

    left: of each, rows of `slipped`, `impulse`, `tangents` and `friction_impulse` from its first. anchors: its places.
    frictions: zeros, (n_patch, ANCHORS, 3).
    """
    for i in range(len(index)):
        patch, m = patches[index[i]], base[i]
        patch["slipped"] = 1 if memory[m + left[i, 0]] > 0.5 else 0
        for j in range(patch["points"]):
            impulses[order[patch["first"] + j]] = memory[m + left[i, 1] + j]
        for j in range(2 * anchors[i]):
            for x in range(3):
                frictions[index[i], j // 2, x] += memory[m + left[i, 3] + j] * memory[m + left[i, 2] + 3 * (j % 2) + x]
