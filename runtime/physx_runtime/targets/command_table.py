"""Many steps of a program on the CPU in which every world follows its own place in one table of commands.

`follow_program` steps compiled code, `follow_bytecode` steps the interpreter. A block of worlds takes all its steps in
one thread, so Python runs only between calls.
"""

from __future__ import annotations

from dataclasses import dataclass

import numba
import numpy as np
from numba import prange
from numpy.typing import NDArray

from physx_runtime.arrays import Array
from physx_runtime.compiling.numba_functions import parallel_loop, scalar_code
from physx_runtime.targets.cpu import CompiledProgram, run_block
from physx_runtime.targets.interpreter import LoadedProgram, run_bytecode


@dataclass(frozen=True, slots=True)
class CommandTable:
    """Commands over time, and each world's place among them.

    In step k a world takes the record start + k - delay. Between two records the commands are blended linearly. Before
    the first record and after the last one they are constant.
    """

    values: Array                       # (n_record, n_command) float64
    rows: NDArray[np.int64]             # (n_command,) rows of a block that are written
    start: NDArray[np.int64]            # (n_world,) record of step 0
    delay: Array                        # (n_world,) float64, in steps
    wake_row: int                       # row of the request to wake, -1 where no world sleeps
    wake_request: float


@dataclass(frozen=True, slots=True)
class RowRecords:
    """Rows recorded after every `every` steps."""

    rows: NDArray[np.int64]             # (n_row,) rows of a block
    values: Array                       # (n_record, n_world, n_row); record 0 is the state before step 1
    every: int


@scalar_code
def _write_commands(block: Array, first_world: int, step: int, values: Array, rows: Array, start: Array, delay: Array,
                    wake_row: int, wake_request: float) -> None:
    """Write the commands of one step into a block (rows, lanes); the last world fills unused lanes."""
    for lane in range(block.shape[1]):
        world = min(first_world + lane, len(start) - 1)
        whole = int(np.floor(delay[world]))
        fraction = delay[world] - whole
        record = start[world] + step - whole
        new = min(max(record, 0), len(values) - 1)
        old = min(max(record - 1, 0), len(values) - 1)
        for i in range(len(rows)):
            block[rows[i], lane] = (1.0 - fraction) * values[new, i] + fraction * values[old, i]
        if wake_row >= 0:
            block[wake_row, lane] = max(block[wake_row, lane], wake_request)


@scalar_code
def _record(block: Array, first_world: int, rows: Array, record: Array) -> None:
    """Copy rows of a block to a record (n_world, n_row)."""
    for lane in range(min(block.shape[1], len(record) - first_world)):
        for i in range(len(rows)):
            record[first_world + lane, i] = block[rows[i], lane]


@parallel_loop
def _follow_program(address, x, counts, values, rows, start, delay,  # type: ignore[no-untyped-def]
                    wake_row, wake_request, recorded, records, every, first, steps):
    for b in prange(x.shape[0]):
        first_world = b * x.shape[2]
        for step in range(first, first + steps):
            _write_commands(x[b], first_world, step, values, rows, start, delay, wake_row, wake_request)
            run_block(address, x[b], counts)
            if (step + 1) % every == 0:
                _record(x[b], first_world, recorded, records[(step + 1) // every])


@parallel_loop
def _follow_bytecode(address, x, passes, times, state_rows, memory, values,  # type: ignore[no-untyped-def]
                     rows, start, delay, wake_row, wake_request, recorded, records, every, first, steps):
    for b in prange(x.shape[0]):
        first_world, block = b * x.shape[2], memory[numba.get_thread_id()]
        block[:x.shape[1]] = x[b]
        for step in range(first, first + steps):
            _write_commands(block, first_world, step, values, rows, start, delay, wake_row, wake_request)
            run_bytecode(address, block, passes, times)
            if (step + 1) % every == 0:
                _record(block, first_world, recorded, records[(step + 1) // every])
        x[b, :state_rows] = block[:state_rows]
        for i in range(len(rows)):
            x[b, rows[i]] = block[rows[i]]


def follow_program(program: CompiledProgram, x: Array, counts: tuple[int, ...], table: CommandTable,
                   records: RowRecords, first: int, steps: int) -> None:
    """Take steps `first` to `first` + `steps` - 1 of a table in place on blocks (blocks, rows, lanes)."""
    _follow_program(program.address, x, (1, *counts), table.values, table.rows, table.start, table.delay,
                    table.wake_row, table.wake_request, records.rows, records.values, records.every, first, steps)


def follow_bytecode(program: LoadedProgram, x: Array, counts: tuple[int, ...], memory: Array, table: CommandTable,
                    records: RowRecords, first: int, steps: int) -> None:
    """As `follow_program`, with memory (n_thread, rows, lanes) for all rows of a block, aligned as x."""
    state_rows = program.row_counts(x[0, 0].nbytes)[1]
    _follow_bytecode(program.address, x, program.pass_addresses, program.times(counts), state_rows, memory,
                     table.values, table.rows, table.start, table.delay, table.wake_row, table.wake_request,
                     records.rows, records.values, records.every, first, steps)
