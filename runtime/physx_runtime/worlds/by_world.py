"""Rows of what is known for all worlds together, world by world."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def rows_by_world(worlds: Array, count: int) -> list[Array]:
    """The rows of each of so many worlds, in their order; worlds: of every row, below 0 for those of none."""
    if count == 1:
        return [np.flatnonzero(worlds >= 0)]
    order = np.argsort(worlds, kind="stable")
    starts = np.searchsorted(worlds[order], np.arange(count + 1))
    return [order[first:last] for first, last in pairwise(starts.tolist())]
