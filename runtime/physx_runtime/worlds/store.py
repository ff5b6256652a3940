"""Protocols of a store of worlds: reading, writing and stepping rows, wherever they are kept.

`WorldRows` reads and writes the rows of worlds, and `Worlds` also steps them. `scatter_rows`, `copy_rows` and
`copy_worlds` work on any store. `PATHS` names the paths of a step: scheduled by joint, or compiled for the topology.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from physx_runtime.arrays import Array
from physx_runtime.model.row_specs import input_rows, output_rows
from physx_runtime.model.topology import ActorTopology
from physx_runtime.targets.command_table import CommandTable, RowRecords

EVERY_WORLD = slice(None)


class WorldRows(Protocol):
    """States and parameters of worlds, stepped by the owner of the store.

    is_host_memory: whether the rows are in host memory, so that reading them is cheap.
    """

    @property
    def is_host_memory(self) -> bool: ...

    @property
    def count(self) -> int:
        """The number of worlds."""

    @property
    def path(self) -> str:
        """The path of the next step."""

    def rows(self, name: str) -> Array:
        """A row group, (n_world, n), a copy."""

    def write(self, name: str, values: Array) -> None:
        """Set a row group from (n_world, n)."""

    def write_at(self, name: str, values: Array, worlds: Array, columns: Sequence[int] | None = None) -> None:
        """Set columns of a row group, all where None, of the worlds with these indices, from (n, n_column) or fewer."""

    def blocks(self) -> tuple[Array, Mapping[str, int]]:
        """All rows for reading, (blocks, rows, lanes), and the row of each scalar."""

    def is_uniform(self, names: Collection[str]) -> bool:
        """Whether these row groups are the same in every world."""


class Worlds(WorldRows, Protocol):
    """All worlds of a buffer, and the step that advances them; rows may be those of a window of the worlds."""

    def rows(self, name: str, window: slice = EVERY_WORLD) -> Array: ...

    def write(self, name: str, values: Array, window: slice = EVERY_WORLD) -> None: ...

    def raise_to_minimum(self, name: str, value: float) -> None:
        """Raise a row group to a value in every world where it is below."""

    def step(self, steps: int, n: int, v: int) -> None:
        """Advance by steps of `n` position and `v` velocity iterations."""


@runtime_checkable
class FollowingWorlds(Worlds, Protocol):
    """Worlds that can also follow a table of commands."""

    def follow(self, table: CommandTable, records: RowRecords, first: int, steps: int, n: int, v: int) -> None:
        """Take steps `first` to `first` + `steps` - 1 of a table, with `n` position and `v` velocity iterations."""


def scatter_rows(rows: Array, values: Array, worlds: Array, columns: Sequence[int] | None) -> Array:
    """Rows (n_world, n) with values set in these worlds, and in these columns or all."""
    rows[worlds if columns is None else np.ix_(worlds, np.asarray(columns, np.int64))] = values
    return rows


def copy_rows(source: Worlds, names: Iterable[str], target: Worlds) -> None:
    """Copy these rows to other worlds that have them too."""
    for name in names:
        target.write(name, source.rows(name))


def copy_worlds(source: Worlds, t: ActorTopology, target: Worlds) -> None:
    """Copy every row that worlds of a topology have to others that have them too."""
    copy_rows(source, output_rows(t) | input_rows(t), target)


# The name of SCHEDULED says what it is to callers: the path for any topology.
AUTO, SCHEDULED, COMPILED, SWITCHING = "auto", "generic", "specialised", "handover"
PATHS = (AUTO, SCHEDULED, COMPILED, SWITCHING)
