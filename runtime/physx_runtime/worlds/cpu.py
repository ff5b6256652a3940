"""Worlds on the CPU: stores of worlds with their step, for each path.

`ScheduledWorlds` step fragments joint by joint, compiled once for all topologies. `CompiledWorlds` step LLVM vector
code compiled for their topology. `IslandWorlds` step actors that are connected by maximal joints. `SwitchingWorlds`
start on the scheduled path and change to compiled code once it is ready.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future

import numba

from physx_runtime.arrays import Array
from physx_runtime.model.island import IslandTopology
from physx_runtime.model.topology import ActorTopology, Topology
from physx_runtime.solver.island.program import MAX_CACHED_STEPS, island_schedules
from physx_runtime.solver.program import step_layout, step_program
from physx_runtime.solver.scheduled.program import step_schedules
from physx_runtime.targets.command_table import CommandTable, RowRecords, follow_bytecode, follow_program
from physx_runtime.targets.cpu import CompiledProgram, compile_program, register_lanes
from physx_runtime.targets.interpreter import LoadedProgram, load_program, vector_lanes
from physx_runtime.worlds.buffer import Buffer, aligned
from physx_runtime.worlds.store import COMPILED, EVERY_WORLD, SCHEDULED, copy_worlds


class ScheduledWorlds(Buffer):
    """Worlds stepped on all cores by fragments that all topologies share."""

    is_host_memory, path = True, SCHEDULED

    def __init__(self, t: Topology, count: int, dtype: str) -> None:
        program = step_schedules(t)
        self.topology = t
        super().__init__(count, dtype, vector_lanes(program.size, dtype), program.layout)
        self._run = load_step(t, dtype, self.block_size)

    def step(self, steps: int, n: int, v: int) -> None:
        self._run(self.host, steps, n, v)

    def follow(self, table: CommandTable, records: RowRecords, first: int, steps: int, n: int, v: int) -> None:
        rows, _ = self._run.row_counts(self.host[0, 0].nbytes)
        memory = aligned((numba.config.NUMBA_NUM_THREADS, rows, self.block_size), self.dtype)
        self._uniform.clear()
        follow_bytecode(self._run, self.host, (n, v), memory, table, records, first, steps)


@functools.lru_cache(maxsize=64)
def load_step(t: Topology, dtype: str, block_size: int) -> LoadedProgram:
    """The scheduled step of a topology over blocks of `block_size` worlds: step(x, steps, N, V)."""
    return load_program(step_schedules(t), dtype, block_size)


# Two registers a block: an iteration is one dependency chain, and two interleaved chains hide its latency. The rows of
# more velocities than these leave the nearest cache that way: 7 to 16 % slower at 22 and 33.
REGISTERS_PER_BLOCK, MAX_TWO_REGISTER_VELOCITIES = 2, 16


class CompiledWorlds(Buffer):
    """Worlds stepped on all cores by code compiled for their topology."""

    is_host_memory, path = True, COMPILED

    def __init__(self, t: ActorTopology, count: int, dtype: str) -> None:
        self.topology = t
        super().__init__(count, dtype, default_block_size(t, dtype), step_layout(t))
        self._run = compile_step(t, dtype, self.block_size)

    def step(self, steps: int, n: int, v: int) -> None:
        self._run(self.host, steps, n, v)

    def follow(self, table: CommandTable, records: RowRecords, first: int, steps: int, n: int, v: int) -> None:
        self._uniform.clear()
        follow_program(self._run, self.host, (n, v), table, records, first, steps)


def default_block_size(t: ActorTopology, dtype: str) -> int:
    """Worlds in a block on this machine."""
    return (REGISTERS_PER_BLOCK if t.nv <= MAX_TWO_REGISTER_VELOCITIES else 1) * register_lanes(dtype)


@functools.lru_cache(maxsize=64)
def compile_step(t: ActorTopology, dtype: str, block_size: int) -> CompiledProgram:
    """The compiled step of a topology over blocks of `block_size` worlds: step(x, steps, N, V)."""
    return compile_program(f"step {t}", functools.partial(step_program, t), dtype, block_size)


class IslandWorlds(Buffer):
    """Islands of one structure, one in each lane: rows("actor0_q"), write("joint1_stiffness", values)."""

    is_host_memory, path = True, SCHEDULED

    def __init__(self, t: IslandTopology, count: int, dtype: str) -> None:
        program = island_schedules(t)
        super().__init__(count, dtype, vector_lanes(program.size, dtype), program.layout)
        self._run = load_island_step(t, dtype, self.block_size)

    def step(self, steps: int, n: int, v: int) -> None:
        """Advance by steps of `n` position and `v` velocity iterations."""
        self._run(self.host, steps, n, v)


@functools.lru_cache(maxsize=MAX_CACHED_STEPS)
def load_island_step(t: IslandTopology, dtype: str, block_size: int) -> LoadedProgram:
    """The step of an island over blocks of `block_size` islands: step(x, steps, N, V)."""
    return load_program(island_schedules(t), dtype, block_size)




class SwitchingWorlds:
    """Worlds that start on the scheduled path, and take compiled code as soon as it is ready.

    A thread compiles in the background; the worlds change path between two steps.
    """

    is_host_memory = True

    def __init__(self, t: Topology, count: int, dtype: str) -> None:
        self._worlds: ScheduledWorlds | CompiledWorlds = ScheduledWorlds(t, count, dtype)
        self._compilation: Future[CompiledWorlds] | None = Future()
        threading.Thread(target=self._compile, args=(self._compilation, t, count, dtype), daemon=True).start()

    @staticmethod
    def _compile(future: Future[CompiledWorlds], t: Topology, count: int, dtype: str) -> None:
        try:
            future.set_result(CompiledWorlds(t, count, dtype))
        except BaseException as error:      # the next step raises it
            future.set_exception(error)

    @property
    def path(self) -> str:
        return self._worlds.path

    @property
    def count(self) -> int:
        return self._worlds.count

    def rows(self, name: str, window: slice = EVERY_WORLD) -> Array:
        return self._worlds.rows(name, window)

    def write(self, name: str, values: Array, window: slice = EVERY_WORLD) -> None:
        self._worlds.write(name, values, window)

    def write_at(self, name: str, values: Array, worlds: Array, columns: Sequence[int] | None = None) -> None:
        self._worlds.write_at(name, values, worlds, columns)

    def raise_to_minimum(self, name: str, value: float) -> None:
        self._worlds.raise_to_minimum(name, value)

    def blocks(self) -> tuple[Array, Mapping[str, int]]:
        return self._worlds.blocks()

    def is_uniform(self, names: Collection[str]) -> bool:
        return self._worlds.is_uniform(names)

    def step(self, steps: int, n: int, v: int) -> None:
        if self._compilation is not None and self._compilation.done():
            self.switch()
        self._worlds.step(steps, n, v)

    def follow(self, table: CommandTable, records: RowRecords, first: int, steps: int, n: int, v: int) -> None:
        if self._compilation is not None and self._compilation.done():
            self.switch()
        self._worlds.follow(table, records, first, steps, n, v)

    def switch(self) -> None:
        """Change to compiled code, and wait for it if needed."""
        if self._compilation is None:
            return
        compiled = self._compilation.result()
        copy_worlds(self._worlds, self._worlds.topology, compiled)
        self._worlds, self._compilation = compiled, None
