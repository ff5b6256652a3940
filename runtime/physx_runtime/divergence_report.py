"""Telling of worlds that have diverged, each once until it is reset."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from physx_runtime.solver.divergence import FLAG
from physx_runtime.worlds import Worlds

# Worlds that a warning names.
NAMED = 5


class DivergenceWarning(RuntimeWarning):
    """Worlds whose state is no longer finite; they stand still from then on."""


class DivergenceReport:
    """Which of `worlds` worlds of one articulation have been reported."""

    def __init__(self, root: str, worlds: int) -> None:
        self._root, self._reported = root, np.zeros(worlds, dtype=np.bool_)

    def flags(self, store: Worlds) -> NDArray[np.bool_]:
        """(n_world,) which worlds have diverged; warns about those not reported yet, two callers up."""
        flags = np.asarray(store.rows(FLAG)[:, 0] > 0.5)
        new = np.flatnonzero(flags & ~self._reported)
        self._reported |= flags
        if len(new):
            names = ", ".join(str(i) for i in new[:NAMED]) + (", ..." if len(new) > NAMED else "")
            warnings.warn(f"{self._root}: {len(new)} of {len(flags)} worlds diverged (world {names}): positions or "
                          "velocities are no longer finite; they stand still until reset",
                          DivergenceWarning, stacklevel=3)
        return flags

    def revive(self, store: Worlds, worlds: NDArray[np.int64]) -> None:
        """Let worlds with these indices move again."""
        flags = store.rows(FLAG)
        flags[worlds] = 0.0
        store.write(FLAG, flags)
        self._reported[worlds] = False
