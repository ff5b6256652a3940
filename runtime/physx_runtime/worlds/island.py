"""Worlds of islands: actors that joints outside articulations hold together, stepped as one."""

from __future__ import annotations

import functools

from physx_runtime.model.island import IslandTopology
from physx_runtime.solver.island.program import KEPT, island_schedules
from physx_runtime.targets.interpreter import LoadedProgram, load_program, vector_lanes
from physx_runtime.worlds.buffer import Buffer
from physx_runtime.worlds.path import BY_JOINT


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
