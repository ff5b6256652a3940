"""Copies of rows of worlds on a GPU, which stay there."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from physx_runtime.compiling.cuda_c import LANES
from physx_runtime.targets.cuda_functions import Chosen, Place, in_blocks
from physx_runtime.worlds.cuda import CudaWorlds, Indices


class RowCopy:
    """Row groups of all worlds as they were when they were last taken."""

    def __init__(self, worlds: CudaWorlds, names: Sequence[str]) -> None:
        self._sizes = {name: worlds.group(name)[1] for name in names}
        self._first = dict(zip(names, np.cumsum([0, *self._sizes.values()]).tolist(), strict=False))
        self._rows, self._size = max(1, sum(self._sizes.values())), np.dtype(worlds.dtype).itemsize
        blocks = math.ceil(worlds.count / LANES)
        self._memory = worlds.gpu.allocate(blocks * self._rows * LANES * self._size, "a copy of rows")

    @property
    def sizes(self) -> Mapping[str, int]:
        """How many numbers of each group a world has."""
        return self._sizes

    def place(self, name: str) -> Place:
        """Where the copy of a row group lies."""
        return in_blocks(self._memory.address + self._first[name] * LANES * self._size, self._rows, self._memory)

    def take(self, worlds: CudaWorlds, chosen: Chosen) -> None:
        """Copy the rows of some of the worlds."""
        for name, size in self._sizes.items():
            worlds.movement.move(chosen, self.place(name), worlds.place(name), size, worlds.stream)

    def put(self, worlds: CudaWorlds, chosen: Chosen) -> None:
        """Give some of the worlds their rows back."""
        for name, size in self._sizes.items():
            worlds.changing(name)
            worlds.movement.move(chosen, worlds.place(name), self.place(name), size, worlds.stream)


def step_apart(worlds: CudaWorlds, names: Sequence[str], solved: Sequence[tuple[int, int, Indices]]) -> None:
    """A step under counts that differ: all take one under each of them, and keep that under their own.

    names: the rows that a step changes; solved: position and velocity iterations, and whose they are.
    """
    before, after = RowCopy(worlds, names), RowCopy(worlds, names)
    before.take(worlds, worlds.everyone)
    for n, v, lanes in solved:
        before.put(worlds, worlds.everyone)
        worlds.step(1, n, v)
        after.take(worlds, worlds.chosen(lanes))
    after.put(worlds, worlds.everyone)
