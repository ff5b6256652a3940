"""Worlds in host memory: one NumPy buffer of shape (blocks, rows, lanes), one lane per world.

`Buffer` stores all worlds and reads and writes rows by name. `BufferView` is a window of some worlds of a buffer,
limited to the names with one prefix. `rows_by_world` groups rows by the world that they belong to.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

import numpy as np

from physx_runtime.arrays import Array
from physx_runtime.compiling.llvm.vectors import CACHE_LINE
from physx_runtime.worlds.store import EVERY_WORLD, Worlds, scatter_rows


def aligned(shape: tuple[int, ...], dtype: str) -> Array:
    """Zeros aligned to a cache line: vectors that straddle two lines load at half the speed."""
    memory = np.zeros(math.prod(shape) * np.dtype(dtype).itemsize + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    return memory[start:len(memory) - CACHE_LINE + start].view(dtype).reshape(shape)


def by_world(blocks: Array) -> Array:
    """(n_world, n) of (blocks, n, lanes), a copy."""
    return blocks.transpose(0, 2, 1).copy().reshape(len(blocks) * blocks.shape[2], blocks.shape[1])


def by_block(values: Array, block_size: int) -> Array:
    """(blocks, n, lanes) of (n_world, n); the last world pads the last block, so that its lanes stay finite."""
    padding = -len(values) % block_size
    padded = np.concatenate([values, np.repeat(values[-1:], padding, axis=0)]) if padding else values
    return np.ascontiguousarray(padded.reshape(len(padded) // block_size, block_size, values.shape[1]).transpose(0, 2,
                                                                                                                 1))


def row_group(layout: Mapping[str, int], name: str) -> tuple[int, int]:
    """The first row of a row group in a layout, and its number of rows."""
    size = 0
    while f"{name}_{size}" in layout:
        size += 1
    return (layout[f"{name}_0"] if size else 0), size


class Buffer:
    """(blocks, rows, lanes), worlds innermost; the methods as `Worlds` has them."""

    def __init__(self, count: int, dtype: str, block_size: int, layout: Mapping[str, int]) -> None:
        self.count, self.dtype, self.block_size, self.layout = count, dtype, block_size, layout
        shape = (-(-count // block_size), len(layout), block_size)
        self._uniform: dict[str, bool] = {}       # row groups known to be the same in every world, or not
        self._groups: dict[str, Array] = {}     # row groups as parts of the buffer
        self.host = aligned(shape, dtype)

    def rows(self, name: str, window: slice = EVERY_WORLD) -> Array:
        group, (first, end, _) = self._group(name), window.indices(self.count)
        block_start = first // self.block_size * self.block_size
        blocks = group[first // self.block_size:-(-end // self.block_size)]
        return by_world(blocks)[first - block_start:end - block_start]

    def write(self, name: str, values: Array, window: slice = EVERY_WORLD) -> None:
        worlds, (first, end, _) = self._writable(name).transpose(0, 2, 1), window.indices(self.count)
        if end - first < self.count:
            indices = np.arange(first, end)
            worlds[indices // self.block_size, indices % self.block_size] = values
        else:
            full = self.count // self.block_size
            worlds[:full] = values[:full * self.block_size].reshape(full, *worlds.shape[1:])
            worlds[full:, :self.count % self.block_size] = values[full * self.block_size:]
        if end == self.count and self.count % self.block_size:
            # the last block is padded with copies of the last world, so that its lanes stay finite
            worlds[-1, self.count % self.block_size:] = values[-1]

    def write_at(self, name: str, values: Array, worlds: Array, columns: Sequence[int] | None = None) -> None:
        self.write(name, scatter_rows(self.rows(name), values, worlds, columns))

    def raise_to_minimum(self, name: str, value: float) -> None:
        values = self._writable(name)
        np.maximum(values, value, out=values)

    def blocks(self) -> tuple[Array, Mapping[str, int]]:
        return self.host, self.layout

    def is_uniform(self, names: Collection[str]) -> bool:
        for name in names:
            if name not in self._uniform:
                rows = self._group(name)
                self._uniform[name] = bool((rows == rows[:1, :, :1]).all())
        return all(self._uniform[name] for name in names)

    def _writable(self, name: str) -> Array:
        """A row group that the caller may change in place."""
        self._uniform.pop(name, None)
        return self._group(name)

    def _group(self, name: str) -> Array:
        if name not in self._groups:
            start, size = row_group(self.layout, name)
            self._groups[name] = self.host[:, start:start + size, :]
        return self._groups[name]


class BufferView:
    """A view of `count` worlds of a buffer from `first` on, with the rows whose names begin with `prefix`.

    It implements `WorldRows`. The owner of the whole buffer steps it.
    """

    def __init__(self, base: Worlds, first: int, count: int, prefix: str = "") -> None:
        self.count, self.base, self.prefix = count, base, prefix
        self.window = slice(first, first + count)
        self._layout: tuple[Mapping[str, int], dict[str, int]] | None = None    # rows of the whole, and of this view

    @property
    def is_host_memory(self) -> bool:
        return self.base.is_host_memory

    @property
    def path(self) -> str:
        return self.base.path

    def rows(self, name: str) -> Array:
        return self.base.rows(self.prefix + name, self.window)

    def write(self, name: str, values: Array) -> None:
        self.base.write(self.prefix + name, values, self.window)

    def write_at(self, name: str, values: Array, worlds: Array, columns: Sequence[int] | None = None) -> None:
        self.base.write_at(self.prefix + name, values, worlds + self.window.start, columns)

    def is_uniform(self, names: Collection[str]) -> bool:
        return all(bool((rows == rows[:1]).all()) for rows in map(self.rows, names))

    def blocks(self) -> tuple[Array, Mapping[str, int]]:
        """A copy in blocks of its own, padded with the last world."""
        buffer, layout = self.base.blocks()
        if self._layout is None or self._layout[0] is not layout:
            names = [name for name in layout if name.startswith(self.prefix)]
            self._layout = layout, {name.removeprefix(self.prefix): i for i, name in enumerate(names)}
        block_size, first = buffer.shape[2], self.window.start
        indices = [layout[self.prefix + name] for name in self._layout[1]]
        worlds = first + np.minimum(np.arange(-(-self.count // block_size) * block_size), self.count - 1)
        rows = buffer[(worlds // block_size)[:, None], indices, (worlds % block_size)[:, None]]
        blocks = rows.reshape(-1, block_size, len(indices)).transpose(0, 2, 1)
        return np.ascontiguousarray(blocks), self._layout[1]


def rows_by_world(worlds: Array, count: int) -> list[Array]:
    """The row indices of each of `count` worlds, in order; `worlds`: the world of each row, negative for none."""
    if count == 1:
        return [np.flatnonzero(worlds >= 0)]
    order = np.argsort(worlds, kind="stable")
    starts = np.searchsorted(worlds[order], np.arange(count + 1))
    return [order[first:last] for first, last in pairwise(starts.tolist())]
