"""`FollowedCommands` checks a table of commands, steps an actor's worlds along it and returns the recorded rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.arrays import Array, DoubleArray
from physx_runtime.model.row_specs import STATE, rows_by_maker
from physx_runtime.simulation.arguments import require_recordable, required_numbers
from physx_runtime.solver.sleep import WAKE_REQUEST_WAKE
from physx_runtime.targets.command_table import CommandTable, RowRecords
from physx_runtime.worlds.buffer import row_group
from physx_runtime.worlds.wake import TARGET_ROWS
from physx_schema.arguments import display, required_choice, required_mapping, required_texts

if TYPE_CHECKING:
    from physx_runtime.simulation.actor import Actor

EFFORT = "joint_effort"
COMMANDS = (*sorted(TARGET_ROWS), EFFORT)
MAX_DELAY = 1e9         # steps; a step's record still fits an int64


class FollowedCommands:
    """Commands of an actor over time: name -> (n_record, n_dof).

    Raises ValueError for another name or shape, for numbers that are not finite, and for a command without effect.
    """

    def __init__(self, actor: Actor, commands: Mapping[str, ArrayLike]) -> None:
        self._actor = actor
        required_mapping("commands", commands)
        if not commands:
            raise ValueError(f"commands is empty; give {', '.join(COMMANDS)} or several of them")
        tables = {required_choice("commands", name, COMMANDS): self._checked(name, values)
                  for name, values in commands.items()}
        lengths = {name: len(values) for name, values in tables.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"commands have different numbers of records, {lengths}; give the same times to all")
        self._rows = [(name, column) for name in tables for column in range(tables[name].shape[1])]
        self._values = np.concatenate(list(tables.values()), axis=1)

    def _checked(self, name: str, values: ArrayLike) -> DoubleArray:
        array, size = required_numbers(name, values), len(self._actor.topology.dofs)
        if array.ndim != 2 or array.shape[1] != size or not len(array):
            raise ValueError(f"{name} has shape {array.shape}; give (n_record, {size})")
        if not np.isfinite(array).all():
            record, dof = (int(i) for i in np.argwhere(~np.isfinite(array))[0])
            raise ValueError(f"{name} at record {record} and {self._actor.model.dof_names[dof]} is "
                             f"{array[record, dof]:g}; give finite numbers")
        if name != EFFORT:      # a drive that is not authored
            for extreme in (array.min(axis=0), array.max(axis=0)):
                self._actor.parameter_values.check({name: extreme}, np.arange(self._actor.worlds))
        return array

    def follow(self, start: ArrayLike, steps: int, delay: ArrayLike, record: Collection[str], every: int,
               ) -> dict[str, Array]:
        """Advance by `steps`; return name -> (n_record, n_world, n), record 0 before the first step."""
        actor, names = self._actor, required_texts("record", record)
        sizes = rows_by_maker(actor.model.topology, STATE)
        for name in names:
            required_choice("record", name, tuple(sizes))
        batch, count = actor.group.batch, steps // every + 1
        require_recordable(steps, every, sum(sizes[name] for name in names) * actor.worlds * 8)
        layout = actor.store.blocks()[1] if actor.store.is_host_memory else {}
        wake_rows = row_group(layout, "wake_request")
        command_rows = np.array([layout.get(f"{name}_{i}", -1) for name, i in self._rows], np.int64)
        table = CommandTable(self._values, command_rows, self._starts(start), self._delays(delay),
                             wake_rows[0] if wake_rows[1] else -1, WAKE_REQUEST_WAKE)
        columns = [layout.get(f"{name}_{i}", -1) for name in names for i in range(sizes[name])]
        values = np.zeros((count, actor.worlds, len(columns)), actor.dtype)
        before = [actor.get(name) for name in names]
        values[0] = np.concatenate(before, axis=1) if before else values[0]
        batch.follow(table, RowRecords(np.array(columns, np.int64), values, every), steps)
        actor.parameter_values.rows_set.update({name for name, _ in self._rows} & TARGET_ROWS)
        actor.group.parameters_changed()
        ends = np.cumsum([sizes[name] for name in names])
        return dict(zip(names, np.split(values, ends[:-1], axis=2), strict=True))

    def _starts(self, start: ArrayLike) -> Any:
        array = np.asarray(start)
        if array.dtype.kind not in "iu" or array.shape not in ((), (self._actor.worlds,)):
            raise ValueError(f"start is {display(start)}; give a whole number of records, or one for each world "
                             f"({self._actor.worlds},)")
        if array.min() < 0 or array.max() >= len(self._values):
            raise ValueError(f"start is {int(array.min() if array.min() < 0 else array.max())}; give records of the "
                             f"table, from 0 to {len(self._values) - 1}")
        return np.broadcast_to(array, (self._actor.worlds,)).astype(np.int64)

    def _delays(self, delay: ArrayLike) -> DoubleArray:
        array = required_numbers("delay", delay)
        if array.shape not in ((), (self._actor.worlds,)):
            raise ValueError(f"delay has shape {array.shape}; give one number of steps, or one for each world "
                             f"({self._actor.worlds},)")
        invalid = ~np.isfinite(array) | (np.abs(array) > MAX_DELAY)
        if invalid.any():
            raise ValueError(f"delay is {np.atleast_1d(array)[np.atleast_1d(invalid)][0]:g}; give finite numbers of "
                             f"steps, at most {MAX_DELAY:g}")
        return np.broadcast_to(array, (self._actor.worlds,)).astype(np.float64)

