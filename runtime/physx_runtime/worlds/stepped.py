"""Which actors are where a step has brought them, and which were put there, whose links PhysX turns otherwise."""

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


class Stepped:
    """Of worlds in one buffer, (blocks, rows, lanes): what the last step left of their places, and whether it is there.

    Whoever writes a place puts the actor there, by whatever door. rows: STEPPED of every actor that has it.
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
        """(blocks, n_actor, lanes) whether actors are where the last step left them."""
        if not len(self.rows):
            return np.zeros((len(host), 0, host.shape[2]), np.bool_)
        return np.asarray(np.logical_and.reduceat(host[:, self._watched] == self._left, self._starts, axis=1))

    def end(self, host: Array) -> None:
        """Remember where a step has left them."""
        if len(self.rows):
            self._left = host[:, self._watched]

    def forget(self, worlds: Array) -> None:
        """Heed that these worlds were set anew."""
        lanes = self._left.shape[2]
        self._left[worlds // lanes, :, worlds % lanes] = np.nan

    def go_on(self, before: Stepped) -> None:
        """Know what was known of other worlds with the same actors."""
        if self._left.shape == before._left.shape:
            self._left = before._left.astype(self._left.dtype)
