"""Programs, schedules and functions as CUDA kernels on a GPU, or on the processor in its place. `find_gpu` chooses the
device. `LoadedKernels` runs one kernel for each pass, `LoadedSchedules` one kernel for a whole call. `LoadedFunction`
and `Movement` compute and move numbers for the chosen lines of a call.
"""

from __future__ import annotations

import ctypes
import functools
import logging
import os
import weakref
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from physx_runtime.compiling.cuda.cubin import ToolkitError, compile_cubin
from physx_runtime.compiling.cuda.source import (
    FILL,
    FUNCTION,
    IN_REGISTERS,
    KERNEL,
    LANES,
    MARK,
    MOVE,
    RAISE,
    FunctionSource,
    KernelSource,
    ScheduleSource,
    emit_kernels,
    movement_source,
)
from physx_runtime.compiling.program import PassSource, trace_program
from physx_runtime.compiling.shared_library import compile_library
from physx_runtime.targets.cuda.driver import Argument, DeviceError, Gpu, Memory, PitchedLines, Stream, load_library
from physx_runtime.targets.host_driver import HostDriver

# Names what steps worlds of device "cuda".
BACK_END = "PHYSX_RUNTIME_CUDA"
DRIVER, HOST, NUMBA = "driver", "host", "numba"
BACK_ENDS = (DRIVER, HOST, NUMBA)

logger = logging.getLogger("physx_runtime")


def back_end() -> str:
    """The back end named by PHYSX_RUNTIME_CUDA: a GPU through its driver, the processor, or numba-cuda as a check.

    Raises ValueError for another name.
    """
    choice = os.environ.get(BACK_END) or DRIVER
    if choice not in BACK_ENDS:
        raise ValueError(f"{BACK_END} is {choice!r}; allowed are {', '.join(map(repr, BACK_ENDS))}, or leave it unset")
    return choice


def find_gpu() -> Gpu:
    """The GPU that worlds are stepped on. Raises DeviceError where there is none."""
    return gpu_on_host(HostDriver()) if back_end() == HOST else _gpu()


def gpu_on_host(driver: HostDriver) -> Gpu:
    """A `Gpu` whose driver runs kernels on the processor."""
    return Gpu(driver, _library)


@functools.cache
def _gpu() -> Gpu:
    return Gpu(load_library(), _cubin)


def _cubin(text: str, architecture: str) -> bytes:
    try:
        return compile_cubin(text, architecture)
    except ToolkitError as error:
        raise DeviceError(f"device 'cuda': {error}") from error


def _library(text: str, architecture: str) -> bytes:
    try:
        return compile_library(text)
    except RuntimeError as error:
        raise DeviceError(f"device 'cuda' on the CPU: {error}") from error


class LoadedKernels:
    """The kernels of a program on a GPU."""

    def __init__(self, gpu: Gpu, source: KernelSource) -> None:
        self.gpu, self.source = gpu, source
        size = np.dtype(source.dtype).itemsize
        module = gpu.load(source.text)
        self._shared = [kernel.shared_rows * LANES * size for kernel in source.kernels]
        self._kernels = [gpu.kernel(module, kernel.name, shared)
                         for kernel, shared in zip(source.kernels, self._shared, strict=True)]
        self._graphs: dict[tuple[object, ...], ctypes.c_void_p] = {}      # by what their kernels are given
        weakref.finalize(self, _unload, gpu, module, self._graphs).atexit = False    # as of memory
        logger.info("kernels of %d rows on %s: design %r", source.rows, gpu.architecture, source.design)

    def run(self, x: Memory, scratch: Memory, worlds: int, rounds: int, counts: Mapping[str, int],
            stream: Stream = None) -> None:
        """Run all kernels for `rounds` rounds with these counts; one call of the driver for each round."""
        key = (x.address, scratch.address, worlds, *counts.items())
        if key not in self._graphs:
            self._graphs[key] = self.gpu.capture_graph(functools.partial(self._launch, x, scratch, worlds, counts))
        for _ in range(rounds):
            self.gpu.launch_graph(self._graphs[key], stream)

    def _launch(self, x: Memory, scratch: Memory, worlds: int, counts: Mapping[str, int],
                stream: ctypes.c_void_p) -> None:
        """Launch the kernels of a round."""
        blocks, buffers = -(-worlds // LANES), [ctypes.c_uint64(x.address), ctypes.c_uint64(scratch.address)]
        for kernel, function, shared in zip(self.source.kernels, self._kernels, self._shared, strict=True):
            count_arguments = (counts[kernel.count], 0) if kernel.count else ()
            self.gpu.launch(function, blocks, LANES, shared, [*buffers, *map(ctypes.c_int, (worlds, *count_arguments))],
                            stream)


class LoadedSchedules:
    """The schedules of a program and the kernel that runs them on a GPU: all rounds of a call in one launch."""

    def __init__(self, gpu: Gpu, source: ScheduleSource) -> None:
        self.gpu, self.source = gpu, source
        module = gpu.load(source.text)
        self._kernel = gpu.kernel(module, KERNEL)
        weakref.finalize(self, gpu.call, "cuModuleUnload", module).atexit = False
        self._bytecode = gpu.allocate(source.bytecode.nbytes, "the schedules of a step")
        gpu.write(PitchedLines(self._bytecode.address, source.bytecode.nbytes), source.bytecode.reshape(1, -1))
        logger.info("schedules of %d rows on %s", source.rows, gpu.architecture)

    def run(self, x: Memory, scratch: Memory, worlds: int, rounds: int, counts: Mapping[str, int],
            stream: Stream = None) -> None:
        """As of `LoadedKernels`."""
        integers = (worlds, rounds, *(counts[name] for name in self.source.counts))
        buffers = [ctypes.c_uint64(memory.address) for memory in (x, scratch, self._bytecode)]
        self.gpu.launch(self._kernel, -(-worlds // LANES), LANES, 0, [*buffers, *map(ctypes.c_int, integers)], stream)


def _unload(gpu: Gpu, module: ctypes.c_void_p, graphs: Mapping[tuple[object, ...], ctypes.c_void_p]) -> None:
    """Unload a module and its graphs."""
    for graph in graphs.values():
        gpu.call("cuGraphExecDestroy", graph)
    gpu.call("cuModuleUnload", module)


def try_kernel() -> tuple[str, tuple[int, int]]:
    """Run a test kernel; return the GPU's name and compute capability. Raises DeviceError where it fails."""
    gpu, dtype = find_gpu(), "float64"
    program = trace_program((PassSource("copy", lambda rows: {"scratch": rows["x"]}),
                             PassSource("double", lambda rows: {"x": [rows["scratch"][0] * 2.0]})), {"x": 1}, {})
    kernels, start = LoadedKernels(gpu, emit_kernels(program, dtype, IN_REGISTERS)), np.ones((1, LANES), dtype)
    x, scratch = (gpu.allocate(start.nbytes, "a test") for _ in range(2))
    lines = PitchedLines(x.address, start.nbytes)
    gpu.write(lines, start)
    kernels.run(x, scratch, LANES, 1, {})
    if not (gpu.read(lines, start.shape, dtype) == 2.0).all():
        raise DeviceError("device 'cuda': a test kernel returned a wrong result; check the GPU and its driver")
    return gpu.name, gpu.capability


# Kinds of indices: none, a mask of one byte for each world; else the size of an integer, 4 or 8 bytes.
NONE, MASK = 0, 1


@dataclass(frozen=True, slots=True)
class LineSelection:
    """Lines of a call and their worlds; templates/chosen.cu.jinja documents the fields."""

    lines: int
    worlds: int
    indices: int = 0            # the address
    kind: int = NONE
    first: int = 0
    shift: int = 0
    marks: int = 0              # the address
    where: int = 0
    value: int = 0
    owner: object = None        # keeps the indices alive

    def with_marks(self, marks: int, where: int, value: int) -> LineSelection:
        """The lines whose world's mark, masked by `where`, equals `value`."""
        return replace(self, marks=marks, where=where, value=value)

    def arguments(self) -> list[Argument]:
        """The arguments of a kernel."""
        numbers = (self.kind, self.lines, self.first, self.worlds, self.shift)
        return [ctypes.c_uint64(self.indices), *map(ctypes.c_int64, numbers), ctypes.c_uint64(self.marks),
                ctypes.c_int64(self.where), ctypes.c_int64(self.value)]


@dataclass(frozen=True, slots=True)
class StridedView:
    """An address and strides, in numbers, by block, lane, line and row; all strides 0 for a single number.
    """

    address: int
    of_block: int = 0
    of_lane: int = 0
    of_line: int = 0
    of_row: int = 1
    owner: object = None        # keeps the memory alive

    def arguments(self) -> list[Argument]:
        """The arguments of a kernel."""
        return [ctypes.c_uint64(self.address),
                *map(ctypes.c_int64, (self.of_block, self.of_lane, self.of_line, self.of_row))]


def by_world(address: int, of_world: int, of_row: int = 1, owner: object = None) -> StridedView:
    """A view of an array with numbers for every world of a buffer."""
    return StridedView(address, LANES * of_world, of_world, 0, of_row, owner)


def in_blocks(address: int, rows: int, owner: object = None) -> StridedView:
    """A view of rows of a buffer (blocks, rows, LANES)."""
    return StridedView(address, rows * LANES, 1, 0, LANES, owner)


class LoadedFunction:
    """A function's kernel on a GPU."""

    def __init__(self, gpu: Gpu, source: FunctionSource) -> None:
        self.source, self._gpu = source, gpu
        module = gpu.load(source.text)
        self._kernel = gpu.kernel(module, FUNCTION)
        weakref.finalize(self, gpu.call, "cuModuleUnload", module).atexit = False

    def run(self, x: int, selection: LineSelection, views: Sequence[StridedView], stream: Stream) -> None:
        """Run for the chosen lines. x: the buffer's address; views: of each of the source's arrays."""
        arguments = [ctypes.c_uint64(x), *selection.arguments(),
                     *(argument for view in views for argument in view.arguments())]
        if selection.lines:
            self._gpu.launch(self._kernel, -(-selection.lines // LANES), LANES, 0, arguments, stream)


class Movement:
    """Kernels that copy, fill, raise and mark numbers of one dtype on a GPU."""

    def __init__(self, gpu: Gpu, dtype: str) -> None:
        self._gpu = gpu
        module = gpu.load(movement_source(dtype))
        self._kernels = {name: gpu.kernel(module, name) for name in (MOVE, FILL, RAISE, MARK)}
        weakref.finalize(self, gpu.call, "cuModuleUnload", module).atexit = False

    def move(self, selection: LineSelection, to: StridedView, origin: StridedView, size: int, stream: Stream) -> None:
        """Copy `size` numbers of each line."""
        self._run(MOVE, selection, [*to.arguments(), *origin.arguments(), ctypes.c_int64(size)], stream)

    def fill(self, selection: LineSelection, to: StridedView, value: float, size: int, stream: Stream) -> None:
        """Set `size` numbers of each line."""
        self._run(FILL, selection, [*to.arguments(), ctypes.c_double(value), ctypes.c_int64(size)], stream)

    def raise_to_minimum(self, selection: LineSelection, to: StridedView, minimum: float, size: int,
                         stream: Stream) -> None:
        """Raise `size` numbers of each line to a minimum."""
        self._run(RAISE, selection, [*to.arguments(), ctypes.c_double(minimum), ctypes.c_int64(size)], stream)

    def mark(self, selection: LineSelection, marks: int, clear_bits: int, set_bits: int, stream: Stream) -> None:
        """Clear, then set bits of the marks at an address."""
        self._run(MARK, selection,
                  [ctypes.c_uint64(marks), ctypes.c_int64(~clear_bits & 0xff), ctypes.c_int64(set_bits)], stream)

    def _run(self, name: str, selection: LineSelection, arguments: Sequence[Argument], stream: Stream) -> None:
        if selection.lines:
            self._gpu.launch(self._kernels[name], -(-selection.lines // LANES), LANES, 0,
                             [*selection.arguments(), *arguments], stream)
