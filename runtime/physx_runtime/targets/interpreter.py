"""The interpreter target: a small machine-code loop that calls compiled fragments in the order of schedules.
`load_program` makes a `LoadedProgram`; `bytecode_of` encodes instructions as words. Fragments are compiled once and
kept on disk, so another program of the same fragments costs only its schedules. Blocks of worlds are independent, so
threads share them, and a world's bits depend only on its own rows. `resolve_guards` removes guards from the bytecode of
a block once a step. It needs rows that do not change while the pass is repeated.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import itertools
import os
import threading
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from typing import Any

import llvmlite.ir as ir
import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from physx_runtime.arrays import Array
from physx_runtime.compiling.llvm.machine_code import load_function, load_functions, register_bits
from physx_runtime.compiling.llvm.programs import GatherFragment, emit_fragment, emit_gather_fragment
from physx_runtime.compiling.llvm.vectors import CACHE_LINE, ELEMENT_TYPES, Vectors
from physx_runtime.compiling.numba_functions import borrowing_code
from physx_runtime.compiling.program import counts_of
from physx_runtime.compiling.schedule import IF_ZERO, UNLESS_ZERO, Fragment, Instruction, ScheduledProgram

Bytecode = NDArray[np.int64]

# Two registers a vector hide the latency of the sweeps' dependency chains.
REGISTERS_PER_VECTOR = 2
# One register a vector for blocks that no cache holds: trees beyond about 150 degrees of freedom (measured).
CACHED_BYTES = 4 << 20

# of `blocks` in INTERPRETER; a call lets other Python threads run
SIGNATURE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p,
                             ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)

# A pass is instructions one after another, each the address of a fragment and its operands, ended by a 0.
# A block is worked on in a thread's own memory, which stays in its cache; only the state goes back. Without such memory
# it is worked on where it lies.
INTERPRETER = """
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)

define void @blocks(ptr %x, i64 %size, i64 %blocks, ptr %passes, ptr %times, i64 %last, i64 %rounds, ptr %scratch,
                    i64 %state) {
entry:
  %some = icmp sgt i64 %blocks, 0
  %here = icmp eq ptr %scratch, null
  %size_in = select i1 %here, i64 0, i64 %size
  %size_out = select i1 %here, i64 0, i64 %state
  br i1 %some, label %block, label %done
block:
  %b = phi i64 [ 0, %entry ], [ %b.next, %block.end ]
  %offset = mul i64 %b, %size
  %base = getelementptr i8, ptr %x, i64 %offset
  %rows = select i1 %here, ptr %base, ptr %scratch
  call void @llvm.memcpy.p0.p0.i64(ptr %rows, ptr %base, i64 %size_in, i1 false)
  br label %round
round:
  %r = phi i64 [ 0, %block ], [ %r.next, %round.end ]
  br label %pass
pass:
  %p = phi i64 [ 0, %round ], [ %p.next, %pass ]
  %pass.at = getelementptr ptr, ptr %passes, i64 %p
  %instructions = load ptr, ptr %pass.at
  %times.at = getelementptr i64, ptr %times, i64 %p
  %count = load i64, ptr %times.at
  call void @run(ptr %rows, ptr %instructions, i64 %count)
  %p.next = add i64 %p, 1
  %p.more = icmp slt i64 %p.next, %last
  br i1 %p.more, label %pass, label %round.end
round.end:
  %r.next = add i64 %r, 1
  %r.more = icmp slt i64 %r.next, %rounds
  br i1 %r.more, label %round, label %block.end
block.end:
  call void @llvm.memcpy.p0.p0.i64(ptr %base, ptr %rows, i64 %size_out, i1 false)
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


def vector_lanes(rows: int, dtype: str) -> int:
    """Number of worlds in a block of `rows` rows on this machine; fewer if they would fill the cache."""
    itemsize, width = np.dtype(dtype).itemsize, REGISTERS_PER_VECTOR * vector_width(dtype)
    return width if rows * width * itemsize <= CACHED_BYTES else width // REGISTERS_PER_VECTOR


def load_program(program: ScheduledProgram, dtype: str, lanes: int) -> LoadedProgram:
    """Load a program over blocks of `lanes` worlds; only new fragments are compiled."""
    row_bytes = lanes * np.dtype(dtype).itemsize
    addresses = load_fragments((i.fragment for pass_ in program.passes for i in pass_.code.instructions), dtype, lanes)
    counts = counts_of(program.passes)
    passes = [np.array([*bytecode_of(pass_.code.instructions, addresses, row_bytes), 0], np.int64)
              for pass_ in program.passes]
    return LoadedProgram(interpreter(), passes,
                         [counts.index(pass_.count) if pass_.count else None for pass_ in program.passes],
                         program.size * row_bytes, program.state_size * row_bytes)


def load_fragments(fragments: Iterable[Fragment], dtype: str, lanes: int) -> dict[Fragment, int]:
    """Addresses of fragments for blocks of `lanes` worlds; only new fragments are compiled."""
    vectors = Vectors(ELEMENT_TYPES[dtype], lanes)
    texts = {fragment: _emit_cached(fragment, vectors) for fragment in fragments}
    # apart from the interpreter: its call of memcpy would move the table that fragments find their constants by
    addresses = load_functions(dict(texts.values()))
    return {fragment: addresses[symbol] for fragment, (symbol, _) in texts.items()}


def load_gather_fragments(codes: Sequence[tuple[GatherFragment, int]], dtype: str) -> list[int]:
    """Addresses of gather fragments, each with its number of lanes."""
    texts = [emit_gather_fragment(code, Vectors(ELEMENT_TYPES[dtype], lanes)) for code, lanes in codes]
    addresses = load_functions(dict(texts))
    return [addresses[symbol] for symbol, _ in texts]


def vector_width(dtype: str) -> int:
    """Number of lanes in this machine's widest register."""
    return register_bits() // (8 * np.dtype(dtype).itemsize)


def run_blocks(x: NDArray[Any], passes: Sequence[Bytecode], times: Sequence[int], blocks: int = 1,
               rounds: int = 1) -> None:
    """Run rounds of passes, given as bytecode with repetitions, in place on all rows of blocks."""
    pass_addresses, counts = np.array([bytecode.ctypes.data for bytecode in passes], np.int64), np.array(times,
                                                                                                         np.int64)
    SIGNATURE(interpreter())(x.ctypes.data, x.nbytes // blocks, blocks, pass_addresses.ctypes.data, counts.ctypes.data,
                              len(passes), rounds, None, 0)


@intrinsic  # type: ignore[untyped-decorator]
def run_bytecode(typingctx: Any, address: Any, block: Any, passes: Any, times: Any) -> Any:
    """In compiled code: `run_blocks` on one block, with the addresses of interpreter and bytecode."""

    def codegen(context: Any, builder: ir.IRBuilder, signature: Any, args: Any) -> Any:
        x, bytecode, counts = (context.make_array(kind)(context, builder, value)
                               for kind, value in zip(signature.args[1:], args[1:], strict=True))
        int64 = ir.IntType(64)
        size = builder.mul(x.nitems, x.itemsize)
        null = ir.Constant(x.data.type, None)
        arguments = [x.data, size, int64(1), bytecode.data, counts.data, bytecode.nitems, int64(1), null, int64(0)]
        kind = ir.FunctionType(ir.VoidType(), [value.type for value in arguments])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), arguments)
        return context.get_dummy_value()

    return types.void(types.int64, block, passes, times), codegen


@functools.cache
def interpreter() -> int:
    """The address of the interpreter."""
    return load_function(INTERPRETER_SYMBOL, INTERPRETER.replace("@blocks(", f"@{INTERPRETER_SYMBOL}("))


@functools.lru_cache(maxsize=4096)
def _emit_cached(fragment: Fragment, vectors: Vectors) -> tuple[str, str]:
    return emit_fragment(fragment, vectors)


def bytecode_of(instructions: Iterable[Instruction], addresses: Mapping[Fragment, int], row_bytes: int) -> list[int]:
    """Instructions as bytecode; a 0 after the last one ends a pass."""
    bytecode: list[int] = []
    for i in instructions:
        bytecode.append(addresses[i.fragment])
        if i.fragment.counted:
            bytecode.append(i.count)
        bytecode += [row * row_bytes for row in i.rows]
    return bytecode


@dataclass(frozen=True, eq=False)
class LoadedProgram:
    """A program as bytecode, called as run(x, rounds, ...) with its counts.

    x: (blocks, rows, lanes), the state and what a round reads; the state changes in place.
    """

    address: int                        # of the interpreter
    _passes: list[Bytecode]
    _counts: list[int | None]           # per pass: which of the counts says how often, once where None
    _scratch: int                       # bytes of a block
    _state: int
    _memory: threading.local = field(default_factory=threading.local)

    def __call__(self, x: NDArray[Any], rounds: int, *counts: int) -> None:
        if rounds < 1:
            return
        times = self.times(counts)
        size, count = x[0].nbytes, min(len(x), cores())
        edges = [len(x) * i // count for i in range(count + 1)]
        if count == 1:
            self._run(x.ctypes.data, size, len(x), times, rounds)
            return
        parts = [(x.ctypes.data + a * size, size, b - a, times, rounds) for a, b in itertools.pairwise(edges)]
        wait_for([threads().submit(self._run, *part) for part in parts])

    def times(self, counts: Sequence[int]) -> Bytecode:
        """How often each pass is repeated under these counts."""
        return np.array([1 if i is None else counts[i] for i in self._counts], np.int64)

    def row_counts(self, row_bytes: int) -> tuple[int, int]:
        """The number of rows that a block works on, and that of the rows that hold the state."""
        return self._scratch // row_bytes, self._state // row_bytes

    def _run(self, data: int, size: int, blocks: int, times: Bytecode, rounds: int) -> None:
        if not hasattr(self._memory, "scratch"):
            self._memory.scratch = np.zeros(self._scratch + CACHE_LINE, np.uint8)   # rows not written count as 0
        start = self._memory.scratch.ctypes.data
        SIGNATURE(self.address)(data, size, blocks, self.pass_addresses.ctypes.data, times.ctypes.data,
                                 len(self._passes),
                                 rounds, start + -start % CACHE_LINE, self._state)

    @functools.cached_property
    def pass_addresses(self) -> Bytecode:
        """The address of the bytecode of each pass."""
        return np.array([bytecode.ctypes.data for bytecode in self._passes], np.int64)


def wait_for(parts: Sequence[Future[None]]) -> None:
    """Wait until all parts of a call are done, also after Ctrl-C, since they write to its rows."""
    try:
        for part in parts:
            part.result()
    finally:
        wait(parts)


@functools.cache
def threads() -> ThreadPoolExecutor:
    """The pool of threads that share blocks."""
    return ThreadPoolExecutor(os.cpu_count() or 1, "physx-interpreter")


def cores() -> int:
    """Number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


# A guard among the words of a pass.
GUARD = np.dtype([
    ("position", "i8"),         # its first word
    ("flag", "i8"),             # the row that it asks
    ("word_count", "i8"),       # how many it passes over
    ("if_set", "?"),            # where the row is not 0 in some lane; otherwise where it is 0 in all
])
GUARD_WORDS = 3                 # the address, how many words it passes over, its row


def guards_of(instructions: Sequence[Instruction]) -> Array:
    """Guards of a pass in their order, of dtype GUARD. Raises ValueError where the pass changes a guard's flag."""
    guards, position, stored = [], 0, set[int]()
    for i in instructions:
        if i.fragment in (UNLESS_ZERO, IF_ZERO):
            guards.append((position, i.rows[0], i.count, i.fragment is IF_ZERO))
        else:
            stored.update(_stored_rows(i))
        position += i.word_count
    changed = sorted({flag for _, flag, _, _ in guards} & stored)
    if changed:
        raise ValueError(f"the pass writes rows {changed}, which its guards read; guards run before the pass")
    return np.array(guards, GUARD)


def _stored_rows(i: Instruction) -> set[int]:
    """The rows that an instruction changes."""
    outputs, rows = {row for row, _ in i.fragment.code.outputs}, set[int]()
    for first_row, operand in zip(i.rows, i.fragment.operands, strict=True):
        operand_rows = [first_row + k for k in range(operand.size) if f"{operand.name}_{k}" in outputs]
        rounds = i.count if operand.moving else 1
        rows.update(row + operand.size * n for row in operand_rows for n in range(rounds))
    return rows


@borrowing_code
def resolve_guards(bytecode: Array, guards: Array, rows: Array, resolved: Array) -> None:
    """Write the bytecode that a block with these rows runs, without guards and skipped instructions.

    bytecode: of a pass, with the 0 at its end. rows: (rows, lanes).
    """
    position = end = 0
    for guard in guards:
        if guard.position < position:
            continue                        # within what another one passes over
        for k in range(position, guard.position):
            resolved[end] = bytecode[k]
            end += 1
        some = False
        for lane in range(rows.shape[1]):
            some |= rows[guard.flag, lane] != 0.0
        position = guard.position + GUARD_WORDS
        if some == guard.if_set:
            position += guard.word_count
    for k in range(position, len(bytecode)):
        resolved[end] = bytecode[k]
        end += 1
