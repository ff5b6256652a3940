"""Sleep of worlds between steps: which writes keep them awake and which wake them, as PhysX counts them (measured, see
docs/physx_semantics.md, sleeping)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.model.rows import LINK_FORCE_ROWS, input_rows
from physx_runtime.model.topology import ActorTopology
from physx_runtime.solver.sleep import STARTED, STILL, TOUCHED, WOKEN
from physx_runtime.worlds.share import Share
from physx_runtime.worlds.store import Worlds

Array = NDArray[Any]
Indices = NDArray[np.int64]

PLACE_ROWS = ("q", "root_position", "root_rotation")        # wake nobody
PUSH_ROWS = ("v", "joint_effort", *LINK_FORCE_ROWS)        # wake where they are not 0
TARGET_ROWS = frozenset(("target_position", "target_velocity"))     # wake where they change
WAKING_ROWS = (*PLACE_ROWS, *PUSH_ROWS, *TARGET_ROWS)


class Waking:
    """Writes to the worlds of a store, and what they do to those that sleep or are about to; where none ever sleeps,
    writes alone."""

    def __init__(self, store: Worlds | Share, t: ActorTopology) -> None:
        self._store, self._topology = store, t

    def write(self, name: str, values: Array, worlds: Indices | None) -> None:
        """Set a row group, (n, size), of the worlds with these indices, all where None."""
        stirs = self._topology.sleeping and name in WAKING_ROWS
        if worlds is None and not stirs:
            self._store.write(name, values)
        elif worlds is None and not isinstance(self._store, Share):
            _write_all(self._store, name, values)
        else:
            chosen = np.arange(self._store.count) if worlds is None else worlds
            held = self._store.rows(name)
            if stirs:
                self._stir(chosen, _stirring(name, held[chosen], values))
            held[chosen] = values
            self._store.write(name, held)

    @contextmanager
    def noticing(self, names: Collection[str], worlds: Indices) -> Iterator[None]:
        """Heed that these rows are set past `write` meanwhile, in the worlds with these indices."""
        names = [name for name in names if self._topology.sleeping and name in input_rows(self._topology)]
        before = {name: self._store.rows(name)[worlds] for name in names}
        yield
        for name, values in before.items():
            self._stir(worlds, _stirring(name, values, self._store.rows(name)[worlds]))

    def push(self, worlds: Indices, pushing: NDArray[np.bool_]) -> None:
        """Heed that links of the worlds with these indices were pushed, which wakes where it is not by 0."""
        self._stir(worlds, np.where(pushing, WOKEN, TOUCHED))

    def wake(self, worlds: Indices) -> None:
        """Wake the worlds with these indices."""
        self._stir(worlds, WOKEN)

    def start(self, worlds: Indices, asleep: bool) -> None:
        """Begin the worlds with these indices anew, awake or asleep; those asleep must not move."""
        self._stir(worlds, STARTED)
        if asleep and self._topology.sleeping:
            for name, value in (("asleep", 1.0), ("stirred", STILL), ("wake_counter", 0.0), ("sleep_linear", 0.0),
                                ("sleep_angular", 0.0)):
                held = self._store.rows(name)
                held[worlds] = value
                self._store.write(name, held)

    @property
    def asleep(self) -> NDArray[np.bool_]:
        """(n_world,) which worlds are asleep and nothing written since would wake them."""
        if not self._topology.sleeping:
            return np.zeros(self._store.count, dtype=np.bool_)
        asleep, stirred = (self._store.rows(name)[:, 0] for name in ("asleep", "stirred"))
        return np.asarray((asleep > 0.5) & (stirred < WOKEN))

    def _stir(self, worlds: Indices, amount: Array | float) -> None:
        if self._topology.sleeping:
            held = self._store.rows("stirred")
            held[worlds, 0] = np.maximum(held[worlds, 0], amount)
            self._store.write("stirred", held)


def _write_all(store: Worlds, name: str, values: Array) -> None:
    """As `Waking.write`, of a whole buffer; it compares in there, where the worlds' numbers follow each other."""
    before = store.memory(name).copy()
    store.write(name, values)
    woken = _waking(name, before, store.memory(name)).any(axis=1, keepdims=True)
    held = store.memory("stirred")
    np.maximum(held, np.where(woken, WOKEN, TOUCHED), out=held)


def _stirring(name: str, before: Array, after: Array) -> Array:
    """How much a written row, (n, size), stirs each of the n worlds: whoever is awake stays awake for 0.4 s more."""
    return np.where(_waking(name, before, after).any(axis=1), WOKEN, TOUCHED)


def _waking(name: str, before: Array, after: Array) -> NDArray[np.bool_]:
    """Which written values wake the world that they are of."""
    if name in PUSH_ROWS:
        return np.not_equal(after, 0.0)
    return np.not_equal(after, before) if name in TARGET_ROWS else np.zeros_like(after, bool)
