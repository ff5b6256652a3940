"""Which writes keep worlds awake and which wake them, as PhysX counts them (measured, see docs/physx_semantics.md)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.model.rows import LINK_FORCE_ROWS
from physx_runtime.solver.sleep import STILL, TOUCHED, WOKEN
from physx_runtime.worlds.buffers import Worlds

Array = NDArray[Any]

PLACES = ("q", "root_position", "root_rotation")        # wake nobody
PUSHES = ("v", "joint_effort", *LINK_FORCE_ROWS)        # wake where they are not 0
TARGETS = ("target_position", "target_velocity")        # wake where they change
WAKING = (*PLACES, *PUSHES, *TARGETS)


def stirring(name: str, before: Array, after: Array) -> Array:
    """How much a written row, (n, size), stirs each of the n worlds: whoever is awake stays awake for 0.4 s more."""
    return np.where(_waking(name, before, after).any(axis=1), WOKEN, TOUCHED)


def _waking(name: str, before: Array, after: Array) -> NDArray[np.bool_]:
    """Which written values wake the world that they are of."""
    return (after != 0.0) if name in PUSHES else (after != before) if name in TARGETS else np.zeros_like(after, bool)


def write_stirring(store: Worlds, name: str, values: Array) -> None:
    """Set a row group of every world from (n_world, n), and note what that does to them, as `stirring` and `stir` do.

    It compares in the buffer, where the worlds' numbers follow each other.
    """
    before = store.memory(name).copy()
    store.write(name, values)
    woken = _waking(name, before, store.memory(name)).any(axis=1, keepdims=True)
    held = store.memory("stirred")
    np.maximum(held, np.where(woken, WOKEN, TOUCHED), out=held)


def stir(store: Worlds, worlds: NDArray[np.int64], amount: Array | float) -> None:
    """Note what was done to worlds, for their next step."""
    held = store.rows("stirred")
    held[worlds, 0] = np.maximum(held[worlds, 0], amount)
    store.write("stirred", held)


def sleepers(store: Worlds) -> NDArray[np.bool_]:
    """(n_world,) which worlds are asleep and nothing written since would wake them."""
    return np.asarray((store.rows("asleep")[:, 0] > 0.5) & (store.rows("stirred")[:, 0] < WOKEN))


def put_to_sleep(store: Worlds, worlds: NDArray[np.int64]) -> None:
    """Let worlds that do not move sleep from the next step on."""
    for name, value in (("asleep", 1.0), ("stirred", STILL), ("wake_counter", 0.0), ("sleep_linear", 0.0),
                        ("sleep_angular", 0.0)):
        held = store.rows(name)
        held[worlds] = value
        store.write(name, held)
