"""Worlds on the CPU.

The by-joint path: worlds stepped by code that knows no topology, joint by joint.

The specialised path: worlds stepped by vector machine code that was compiled for their topology.

Worlds of islands: actors that joints outside articulations hold together, stepped as one.

Worlds that change from the by-joint path to the specialised one.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

from numpy.typing import NDArray

from physx_runtime.model.island import IslandTopology
from physx_runtime.model.topology import ActorTopology, Topology
from physx_runtime.solver.island.program import KEPT, island_schedules
from physx_runtime.solver.program import step_layout, step_program
from physx_runtime.solver.scheduled.program import step_schedules
from physx_runtime.targets.cpu import CompiledProgram, compile_program, register_lanes
from physx_runtime.targets.interpreter import LoadedProgram, load_program, vector_lanes
from physx_runtime.worlds.buffer import Buffer
from physx_runtime.worlds.store import BY_JOINT, EVERY_WORLD, SPECIALISED, copy_worlds


class ByJointWorlds(Buffer):
    """Worlds stepped on every core by fragments that all topologies share."""

    near, path = True, BY_JOINT

    def __init__(self, t: Topology, count: int, dtype: str) -> None:
        program = step_schedules(t)
        self.topology = t
        super().__init__(count, dtype, vector_lanes(program.size, dtype), program.layout)
        self._run = load_step(t, dtype, self.lanes)

    def step(self, steps: int, n: int, v: int) -> None:
        self._run(self.host, steps, n, v)


@functools.lru_cache(maxsize=64)
def load_step(t: Topology, dtype: str, lanes: int) -> LoadedProgram:
    """The step of a topology over blocks of `lanes` worlds: step(x, steps, N, V)."""
    return load_program(step_schedules(t), dtype, lanes)


# Two registers a block: an iteration is one dependency chain, and two interleaved chains hide its latency. The rows of
# more velocities than these leave the nearest cache that way: 7 to 16 % slower at 22 and 33.
REGISTERS_PER_BLOCK, FEW_VELOCITIES = 2, 16


class SpecialisedWorlds(Buffer):
    """Worlds stepped on every core by code of their own."""

    near, path = True, SPECIALISED

    def __init__(self, t: ActorTopology, count: int, dtype: str) -> None:
        self.topology = t
        super().__init__(count, dtype, block_lanes(t, dtype), step_layout(t))
        self._run = compile_step(t, dtype, self.lanes)

    def step(self, steps: int, n: int, v: int) -> None:
        self._run(self.host, steps, n, v)


def block_lanes(t: ActorTopology, dtype: str) -> int:
    """Worlds in a block on this machine."""
    return (REGISTERS_PER_BLOCK if t.nv <= FEW_VELOCITIES else 1) * register_lanes(dtype)


@functools.lru_cache(maxsize=64)
def compile_step(t: ActorTopology, dtype: str, lanes: int) -> CompiledProgram:
    """The step of a topology over blocks of `lanes` worlds: step(x, steps, N, V)."""
    return compile_program(f"step {t}", functools.partial(step_program, t), dtype, lanes)


class IslandWorlds(Buffer):
    """Islands of one structure, one a lane: rows("actor0_q"), write("joint1_stiffness", values)."""

    near, path = True, BY_JOINT

    def __init__(self, t: IslandTopology, count: int, dtype: str) -> None:
        program = island_schedules(t)
        super().__init__(count, dtype, vector_lanes(program.size, dtype), program.layout)
        self._run = load_island_step(t, dtype, self.lanes)

    def step(self, steps: int, n: int, v: int) -> None:
        """Advance by steps of `n` position and `v` velocity iterations."""
        self._run(self.host, steps, n, v)


@functools.lru_cache(maxsize=KEPT)
def load_island_step(t: IslandTopology, dtype: str, lanes: int) -> LoadedProgram:
    """The step of an island over blocks of `lanes` of them: step(x, steps, N, V)."""
    return load_program(island_schedules(t), dtype, lanes)


Array = NDArray[Any]


class HandoverWorlds:
    """Worlds that step along the by-joint path at once, and along the specialised one as soon as it is compiled.

    A thread compiles meanwhile; the worlds change over between two steps, whenever that is.
    """

    near = True

    def __init__(self, t: Topology, count: int, dtype: str) -> None:
        self._worlds: ByJointWorlds | SpecialisedWorlds = ByJointWorlds(t, count, dtype)
        self._coming: Future[SpecialisedWorlds] | None = Future()
        threading.Thread(target=self._compile, args=(self._coming, t, count, dtype), daemon=True).start()

    @staticmethod
    def _compile(coming: Future[SpecialisedWorlds], t: Topology, count: int, dtype: str) -> None:
        try:
            coming.set_result(SpecialisedWorlds(t, count, dtype))
        except BaseException as error:      # the next step raises it
            coming.set_exception(error)

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

    def at_least(self, name: str, value: float) -> None:
        self._worlds.at_least(name, value)

    def blocks(self) -> tuple[Array, Mapping[str, int]]:
        return self._worlds.blocks()

    def alike(self, names: Collection[str]) -> bool:
        return self._worlds.alike(names)

    def step(self, steps: int, n: int, v: int) -> None:
        if self._coming is not None and self._coming.done():
            self.hand_over()
        self._worlds.step(steps, n, v)

    def hand_over(self) -> None:
        """Take the specialised path from now on, once it is compiled."""
        if self._coming is None:
            return
        after = self._coming.result()
        copy_worlds(self._worlds, self._worlds.topology, after)
        self._worlds, self._coming = after, None
