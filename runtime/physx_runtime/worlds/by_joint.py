"""The by-joint path: worlds stepped by code that knows no topology, joint by joint."""

from __future__ import annotations

import functools

from physx_runtime.model.topology import Topology
from physx_runtime.solver.by_joint.program import step_schedules
from physx_runtime.targets.interpreter import LoadedProgram, load_program, vector_lanes
from physx_runtime.worlds.buffer import Buffer
from physx_runtime.worlds.path import BY_JOINT


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
