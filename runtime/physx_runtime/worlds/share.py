"""A part of a buffer that several share: a window of its worlds, under the names of one of its parts."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.worlds.store import Worlds

Array = NDArray[Any]


class Share:
    """`count` worlds of a buffer from `first` on, of which only the rows are seen whose names begin with `prefix`.

    It has the methods of `WorldRows`; whoever holds the whole steps it.
    """

    def __init__(self, whole: Worlds, first: int, count: int, prefix: str = "") -> None:
        self.count, self.whole, self.prefix = count, whole, prefix
        self.window = slice(first, first + count)
        self._layout: tuple[Mapping[str, int], dict[str, int]] | None = None    # the whole's, and what of it is here

    @property
    def near(self) -> bool:
        return self.whole.near

    @property
    def path(self) -> str:
        return self.whole.path

    def rows(self, name: str) -> Array:
        return self.whole.rows(self.prefix + name, self.window)

    def write(self, name: str, values: Array) -> None:
        self.whole.write(self.prefix + name, values, self.window)

    def write_at(self, name: str, values: Array, worlds: Array, columns: Sequence[int] | None = None) -> None:
        self.whole.write_at(self.prefix + name, values, worlds + self.window.start, columns)

    def alike(self, names: Collection[str]) -> bool:
        return all(bool((rows == rows[:1]).all()) for rows in map(self.rows, names))

    def blocks(self) -> tuple[Array, Mapping[str, int]]:
        """A copy in blocks of its own, padded with the last world."""
        buffer, layout = self.whole.blocks()
        if self._layout is None or self._layout[0] is not layout:
            own = [name for name in layout if name.startswith(self.prefix)]
            self._layout = layout, {name.removeprefix(self.prefix): i for i, name in enumerate(own)}
        lanes, first = buffer.shape[2], self.window.start
        found = [layout[self.prefix + name] for name in self._layout[1]]
        chosen = first + np.minimum(np.arange(-(-self.count // lanes) * lanes), self.count - 1)
        rows = buffer[(chosen // lanes)[:, None], found, (chosen % lanes)[:, None]]
        copied = rows.reshape(-1, lanes, len(found)).transpose(0, 2, 1)
        return np.ascontiguousarray(copied), self._layout[1]
