"""The specialised path: worlds stepped by vector machine code that was compiled for their topology."""

from __future__ import annotations

import functools

from physx_runtime.model.topology import ActorTopology
from physx_runtime.solver.program import step_layout, step_program
from physx_runtime.targets.cpu import CompiledProgram, compile_program, register_lanes
from physx_runtime.worlds.buffer import Buffer
from physx_runtime.worlds.path import SPECIALISED

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
