"""Which actors hold poses that a step computed, and which hold poses that were set.

A step takes the quaternion of a spherical joint with w >= 0 (computeSphericalJointPositions,
DyFeatherstoneForwardDynamic.cpp); setting poses does not (teleportLinks). Links below turn into opposite quaternions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.model.island_rows import ACTOR_GROUP
from physx_runtime.model.row_specs import state_rows
from physx_runtime.solver.contact.solver_bodies import stepped_rows
from physx_runtime.solver.island.plan import IslandPlan
from physx_runtime.worlds.contact.islands import rows_named

Array = NDArray[Any]
Flags = NDArray[np.bool_]


class StateTracker:
    """Compares the state of worlds in one buffer, (blocks, rows, lanes), with what the last step wrote.

    A state that differs was set, by whichever entry point. rows: (n_actor,) the row STEPPED of each that has one.
    """

    def __init__(self, p: IslandPlan, layout: Mapping[str, int], host: Array) -> None:
        found = stepped_rows(p)
        own = [[row for name in state_rows(p.t.actors[i]) if name != "v"
                for row in rows_named(layout, f"{ACTOR_GROUP}{i}_{name}")] for i in found]
        self.rows = np.array(list(found.values()), np.int64)
        self._watched = np.array([row for rows in own for row in rows], np.int64)
        self._starts = np.cumsum([0, *map(len, own)])[:-1]
        self._left = np.full((len(host), len(self._watched), host.shape[2]), np.nan, host.dtype)

    def begin(self, host: Array) -> Flags:
        """(blocks, n_actor, lanes) whether the state of each actor is what the last step wrote."""
        if not len(self.rows):
            return np.zeros((len(host), 0, host.shape[2]), np.bool_)
        return np.asarray(np.logical_and.reduceat(host[:, self._watched] == self._left, self._starts, axis=1))

    def end(self, host: Array) -> None:
        """Keep the state that a step wrote."""
        if len(self.rows):
            self._left = host[:, self._watched]

    def forget(self, worlds: Array) -> None:
        """Treat the state of these worlds as set, after a reset."""
        lanes = self._left.shape[2]
        self._left[worlds // lanes, :, worlds % lanes] = np.nan

    def go_on(self, before: StateTracker) -> None:
        """Take over what was kept for other worlds with the same actors."""
        if self._left.shape == before._left.shape:
            self._left = before._left.astype(self._left.dtype)
