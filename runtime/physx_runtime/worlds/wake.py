"""Waking and sleeping of worlds between steps, as PhysX does on writes.

Any write of a waking row wakes, also of 0 or of the same value (measured, see docs/reference/physx/sleeping.md).
`WakeControl` wakes, resets and puts to sleep the worlds of a store.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import Indices
from physx_runtime.model.row_specs import LINK_FORCE_ROWS
from physx_runtime.model.topology import ActorTopology
from physx_runtime.solver.sleep import WAKE_REQUEST_NONE, WAKE_REQUEST_RESET, WAKE_REQUEST_WAKE
from physx_runtime.worlds.buffer import BufferView
from physx_runtime.worlds.gpu.views import gpu_rows
from physx_runtime.worlds.store import Worlds

TARGET_ROWS = frozenset(("target_position", "target_velocity"))
WAKING_ROWS = TARGET_ROWS | {"q", "v", "root_position", "root_rotation", "joint_effort", *LINK_FORCE_ROWS}


class WakeControl:
    """Wakes the worlds of a store and puts them to sleep; does nothing where none can sleep."""

    def __init__(self, store: Worlds | BufferView, t: ActorTopology) -> None:
        self._store, self._topology = store, t

    def wake(self, worlds: Indices | None = None) -> None:
        """Wake the worlds with these indices, all where None; awake worlds stay awake for 0.4 s more."""
        self._request_wake(worlds, WAKE_REQUEST_WAKE)

    def reset(self, worlds: Indices, asleep: bool) -> None:
        """Reset the worlds with these indices, awake or asleep; those asleep must not move."""
        self._request_wake(worlds, WAKE_REQUEST_RESET)
        if asleep:
            self.clear_wake_state(worlds)
            self.put_to_sleep(worlds)

    def clear_wake_state(self, worlds: Indices) -> None:
        """Clear the counters that keep the worlds with these indices awake; those must not move."""
        self._write_rows(worlds, wake_request=WAKE_REQUEST_NONE, wake_counter=0.0, sleep_linear=0.0, sleep_angular=0.0)

    def put_to_sleep(self, worlds: Indices) -> None:
        """Put the worlds with these indices to sleep; nothing may keep them awake."""
        self._write_rows(worlds, asleep=1.0)

    @property
    def can_sleep(self) -> NDArray[np.bool_]:
        """(n_world,) mask of worlds that none of their own values keeps awake."""
        if not self._topology.sleeping:
            return np.ones(self._store.count, dtype=np.bool_)
        wake_request, counters = self._store.rows("wake_request")[:, 0], self._store.rows("wake_counter")
        return np.asarray((wake_request < WAKE_REQUEST_WAKE) & (counters == 0.0).all(axis=1))

    @property
    def asleep(self) -> NDArray[np.bool_]:
        """(n_world,) mask of worlds that are asleep and that no later write wakes."""
        if not self._topology.sleeping:
            return np.zeros(self._store.count, dtype=np.bool_)
        asleep, wake_request = (self._store.rows(name)[:, 0] for name in ("asleep", "wake_request"))
        return np.asarray((asleep > 0.5) & (wake_request < WAKE_REQUEST_WAKE))

    def _request_wake(self, worlds: Indices | None, request: float) -> None:
        if not self._topology.sleeping:
            return
        rows = gpu_rows(self._store)
        if rows is not None:
            rows.raise_to_minimum("wake_request", request, rows.select(worlds))
        elif worlds is None and not isinstance(self._store, BufferView):
            self._store.raise_to_minimum("wake_request", request)
        else:
            indices = slice(None) if worlds is None else worlds
            requests = self._store.rows("wake_request")
            requests[indices, 0] = np.maximum(requests[indices, 0], request)
            self._store.write("wake_request", requests)

    def _write_rows(self, worlds: Indices, **values: float) -> None:
        for name, value in values.items() if self._topology.sleeping else ():
            self._store.write_at(name, np.asarray(value), worlds)
