"""The generic CPU target: a small interpreter that calls compiled fragments in the order of a topology's schedules.

Fragments are compiled once for all topologies and kept on disk; a new topology costs its schedule. Blocks of worlds are
independent, so threads share them, and a world's bits depend on nothing but its own rows.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import itertools
import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.compiling.fragment import Fragment, emit_fragment
from physx_runtime.compiling.schedule import Instruction, Schedule
from physx_runtime.compiling.vector_ir import CACHE_LINE, ELEMENT, Vectors
from physx_runtime.model.topology import Topology
from physx_runtime.solver.by_joint import schedule_step
from physx_runtime.solver.by_joint.plan import Plan
from physx_runtime.targets.native import load_function, load_functions, register_bits

# Two registers a vector hide the latency of the sweeps' dependency chains.
REGISTERS_PER_VECTOR = 2
# One register a vector for trees whose rows no cache holds: beyond about 150 degrees of freedom (measured).
CACHED_BYTES = 4 << 20
PASSES = ("begin", "position", "velocity", "finish")

# of `blocks` in INTERPRETER; a call lets other Python threads run
SIGNATURE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, *[ctypes.c_void_p] * 4,
                             *[ctypes.c_int64] * 3, ctypes.c_void_p, ctypes.c_int64)

# step(x, steps, N, V): x of shape (blocks, rows, lanes), the state and what a step reads; the state changes in place
Step = Callable[[NDArray[Any], int, int, int], None]

# Programs are instructions one after another, each the address of a fragment and its operands, ended by a 0.
# A block is stepped in a thread's own memory, which stays in its cache; only the state goes back.
INTERPRETER = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @blocks(ptr %x, i64 %size, i64 %blocks, ptr %begin, ptr %position, ptr %velocity, ptr %finish,
                    i64 %steps, i64 %n, i64 %v, ptr %scratch, i64 %state) {
entry:
  %some = icmp sgt i64 %blocks, 0
  br i1 %some, label %block, label %done
block:
  %b = phi i64 [ 0, %entry ], [ %b.next, %block.end ]
  %offset = mul i64 %b, %size
  %base = getelementptr i8, ptr %x, i64 %offset
  call void @llvm.memcpy.p0.p0.i64(ptr %scratch, ptr %base, i64 %size, i1 false)
  br label %step
step:
  %s = phi i64 [ 0, %block ], [ %s.next, %step ]
  call void @run(ptr %scratch, ptr %begin, i64 1)
  call void @run(ptr %scratch, ptr %position, i64 %n)
  call void @run(ptr %scratch, ptr %velocity, i64 %v)
  call void @run(ptr %scratch, ptr %finish, i64 1)
  %s.next = add i64 %s, 1
  %s.more = icmp slt i64 %s.next, %steps
  br i1 %s.more, label %step, label %block.end
block.end:
  call void @llvm.memcpy.p0.p0.i64(ptr %base, ptr %scratch, i64 %state, i1 false)
  %b.next = add i64 %b, 1
  %b.more = icmp slt i64 %b.next, %blocks
  br i1 %b.more, label %block, label %done
done:
  ret void
}

define internal void @run(ptr %x, ptr %program, i64 %times) noinline {
entry:
  %some = icmp sgt i64 %times, 0
  br i1 %some, label %round, label %done
round:
  %i = phi i64 [ 0, %entry ], [ %i.next, %end ]
  br label %fetch
fetch:
  %pc = phi ptr [ %program, %round ], [ %pc.next, %call ]
  %address = load ptr, ptr %pc
  %last = icmp eq ptr %address, null
  br i1 %last, label %end, label %call
call:
  %operands = getelementptr i64, ptr %pc, i64 1
  %pc.next = call ptr %address(ptr %x, ptr %operands)
  br label %fetch
end:
  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, %times
  br i1 %more, label %round, label %done
done:
  ret void
}
"""
INTERPRETER_SYMBOL = "physx_interpreter_" + hashlib.sha256(INTERPRETER.encode()).hexdigest()[:20]


@functools.lru_cache(maxsize=64)
def plan_step(t: Topology) -> Plan:
    """The schedules and rows of a topology."""
    return schedule_step(t)


def lanes(t: Topology, dtype: str) -> int:
    """Worlds in a block on this machine, fewer for a tree whose rows fill the cache."""
    itemsize = np.dtype(dtype).itemsize
    width = REGISTERS_PER_VECTOR * register_bits() // (8 * itemsize)
    return width if plan_step(t).layout.size * width * itemsize <= CACHED_BYTES else width // REGISTERS_PER_VECTOR


@functools.lru_cache(maxsize=64)
def compile_step(t: Topology, dtype: str, width: int) -> Step:
    """The step of a topology over blocks of `width` worlds."""
    plan, vectors = plan_step(t), Vectors(ELEMENT[dtype], width)
    passes: list[Schedule] = [getattr(plan, name) for name in PASSES]
    texts = {i.fragment: _emitted(i.fragment, vectors) for s in passes for i in s.instructions}
    # apart from the interpreter: its call of memcpy would move the table that fragments find their constants by
    addresses = load_functions(dict(texts.values()))
    row_bytes = width * np.dtype(dtype).itemsize
    where = {fragment: addresses[symbol] for fragment, (symbol, _) in texts.items()}
    return _Interpreter(_interpreter(), [_program(s.instructions, where, row_bytes) for s in passes],
                        plan.layout.size * row_bytes, plan.state_size * row_bytes)


@functools.cache
def _interpreter() -> int:
    return load_function(INTERPRETER_SYMBOL, INTERPRETER.replace("@blocks(", f"@{INTERPRETER_SYMBOL}("))


@functools.lru_cache(maxsize=4096)
def _emitted(fragment: Fragment, vectors: Vectors) -> tuple[str, str]:
    return emit_fragment(fragment, vectors)


def _program(instructions: list[Instruction], where: dict[Fragment, int], row_bytes: int) -> NDArray[np.int64]:
    words: list[int] = []
    for i in instructions:
        words.append(where[i.fragment])
        if i.fragment.counted:
            words.append(i.count)
        words += [row * row_bytes for row in i.rows]
    return np.array([*words, 0], np.int64)


@dataclass(frozen=True, eq=False)
class _Interpreter:
    """The interpreter with a topology's programs; scratch and state are numbers of bytes of a block."""

    address: int
    programs: list[NDArray[np.int64]]
    scratch: int
    state: int
    _memory: threading.local = field(default_factory=threading.local)

    def __call__(self, x: NDArray[Any], steps: int, n: int, v: int) -> None:
        if steps < 1:
            return
        size, threads = x[0].nbytes, min(len(x), os.cpu_count() or 1)
        edges = [len(x) * i // threads for i in range(threads + 1)]
        if threads == 1:
            self._run(x.ctypes.data, size, len(x), steps, n, v)
            return
        parts = [(x.ctypes.data + a * size, size, b - a, steps, n, v)
                 for a, b in itertools.pairwise(edges)]
        for part in [_threads().submit(self._run, *part) for part in parts]:
            part.result()

    def _run(self, data: int, size: int, blocks: int, steps: int, n: int, v: int) -> None:
        if not hasattr(self._memory, "scratch"):
            self._memory.scratch = np.zeros(self.scratch + CACHE_LINE, np.uint8)    # rows never written count as 0
        first = self._memory.scratch.ctypes.data
        SIGNATURE(self.address)(data, size, blocks, *(program.ctypes.data for program in self.programs), steps, n, v,
                                first + -first % CACHE_LINE, self.state)


@functools.cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(os.cpu_count() or 1, "physx-generic")
