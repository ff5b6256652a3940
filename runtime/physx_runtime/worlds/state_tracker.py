"""The actors whose poses a step computed, and those whose poses were set.

A step makes w >= 0 in the quaternion of a spherical joint (computeSphericalJointPositions,
DyFeatherstoneForwardDynamic.cpp). Setting poses does not (teleportLinks). This decides the sign of the quaternions of
all child links. `StateTracker` compares the state with the one that the last step wrote.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from physx_runtime.arrays import Array, Flags
from physx_runtime.model.row_specs import ACTOR_GROUP, RowKey, state_rows
from physx_runtime.solver.contact.solver_bodies import stepped_rows
from physx_runtime.solver.island.plan import IslandPlan
from physx_runtime.worlds.contact.islands import rows_named


class StateTracker:
    """Compares the state of worlds in one buffer, (blocks, rows, lanes), with what the last step wrote.

    A state that differs was set, by whichever entry point. rows: (n_actor,) the row STEPPED of each that has one.
    """

    def __init__(self, p: IslandPlan, layout: Mapping[str, int], host: Array) -> None:
        row_by_actor = stepped_rows(p)
        actor_rows = [[row for name in state_rows(p.t.actors[i]) if name != "v"
                       for row in rows_named(layout, str(RowKey(ACTOR_GROUP, i, name)))] for i in row_by_actor]
        self.rows = np.array(list(row_by_actor.values()), np.int64)
        self._state_rows = np.array([row for rows in actor_rows for row in rows], np.int64)
        self._starts = np.cumsum([0, *map(len, actor_rows)])[:-1]
        self._last_state = np.full((len(host), len(self._state_rows), host.shape[2]), np.nan, host.dtype)

    def begin(self, host: Array) -> Flags:
        """(blocks, n_actor, lanes) whether the state of each actor is what the last step wrote."""
        if not len(self.rows):
            return np.zeros((len(host), 0, host.shape[2]), np.bool_)
        return np.asarray(np.logical_and.reduceat(host[:, self._state_rows] == self._last_state, self._starts, axis=1))

    def end(self, host: Array) -> None:
        """Keep the state that a step wrote."""
        if len(self.rows):
            self._last_state = host[:, self._state_rows]

    def forget(self, worlds: Array) -> None:
        """Treat the state of these worlds as set, after a reset."""
        block_size = self._last_state.shape[2]
        self._last_state[worlds // block_size, :, worlds % block_size] = np.nan

    def continue_from(self, previous: StateTracker) -> None:
        """Take over what was kept for other worlds with the same actors."""
        if self._last_state.shape == previous._last_state.shape:
            self._last_state = previous._last_state.astype(self._last_state.dtype)
