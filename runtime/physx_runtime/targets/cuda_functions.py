"""Functions of worlds and movements of their numbers on a GPU, for those lines of a call that are chosen."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace

from physx_runtime.compiling.cuda_c import LANES
from physx_runtime.compiling.function_c import FILL, FUNCTION, MARK, MOVE, RAISE, FunctionSource, movement_source
from physx_runtime.targets.cuda_driver import Argument, Gpu, Stream

# What indices are: none, a byte a world, whole numbers of 4 or 8 bytes.
NONE, MASK = 0, 1


@dataclass(frozen=True, slots=True)
class Chosen:
    """Lines of a call and the worlds that they are of; chosen.cu.jinja says what the numbers mean."""

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

    def marked(self, marks: int, where: int, value: int) -> Chosen:
        """Those of them whose marks at this address are `value` under `where`."""
        return replace(self, marks=marks, where=where, value=value)

    def arguments(self) -> list[Argument]:
        """As kernels take them."""
        numbers = (self.kind, self.lines, self.first, self.worlds, self.shift)
        return [ctypes.c_uint64(self.indices), *map(ctypes.c_int64, numbers), ctypes.c_uint64(self.marks),
                ctypes.c_int64(self.where), ctypes.c_int64(self.value)]


@dataclass(frozen=True, slots=True)
class Place:
    """Where numbers of lines and worlds lie, in numbers from one to the next; all 0 beside the address for one number.
    """

    address: int
    of_block: int = 0
    of_lane: int = 0
    of_line: int = 0
    of_row: int = 1
    owner: object = None        # keeps the memory alive

    def arguments(self) -> list[Argument]:
        """As kernels take them."""
        return [ctypes.c_uint64(self.address),
                *map(ctypes.c_int64, (self.of_block, self.of_lane, self.of_line, self.of_row))]


def by_world(address: int, of_world: int, of_row: int = 1, owner: object = None) -> Place:
    """An array with numbers for every world of a buffer."""
    return Place(address, LANES * of_world, of_world, 0, of_row, owner)


def in_blocks(address: int, rows: int, owner: object = None) -> Place:
    """Rows of a buffer (blocks, rows, LANES)."""
    return Place(address, rows * LANES, 1, 0, LANES, owner)


class LoadedFunction:
    """A function's kernel on a GPU."""

    def __init__(self, gpu: Gpu, source: FunctionSource) -> None:
        self.source, self._gpu = source, gpu
        module = gpu.load(source.text)
        self._kernel = gpu.kernel(module, FUNCTION)
        weakref.finalize(self, gpu.call, "cuModuleUnload", module).atexit = False

    def run(self, x: int, chosen: Chosen, places: Sequence[Place], stream: Stream) -> None:
        """Run for the chosen lines; x: the buffer's address; places: of each of the source's arrays."""
        given = [ctypes.c_uint64(x), *chosen.arguments(), *(one for place in places for one in place.arguments())]
        if chosen.lines:
            self._gpu.launch(self._kernel, -(-chosen.lines // LANES), LANES, 0, given, stream)


class Movement:
    """Numbers of one type that are moved, set, raised and marked on a GPU."""

    def __init__(self, gpu: Gpu, dtype: str) -> None:
        self._gpu = gpu
        module = gpu.load(movement_source(dtype))
        self._kernels = {name: gpu.kernel(module, name) for name in (MOVE, FILL, RAISE, MARK)}
        weakref.finalize(self, gpu.call, "cuModuleUnload", module).atexit = False

    def move(self, chosen: Chosen, to: Place, origin: Place, size: int, stream: Stream) -> None:
        """Copy so many numbers of each line."""
        self._run(MOVE, chosen, [*to.arguments(), *origin.arguments(), ctypes.c_int64(size)], stream)

    def fill(self, chosen: Chosen, to: Place, value: float, size: int, stream: Stream) -> None:
        """Set so many numbers of each line."""
        self._run(FILL, chosen, [*to.arguments(), ctypes.c_double(value), ctypes.c_int64(size)], stream)

    def at_least(self, chosen: Chosen, to: Place, least: float, size: int, stream: Stream) -> None:
        """Raise so many numbers of each line where they are below."""
        self._run(RAISE, chosen, [*to.arguments(), ctypes.c_double(least), ctypes.c_int64(size)], stream)

    def mark(self, chosen: Chosen, marks: int, clear: int, put: int, stream: Stream) -> None:
        """Of the marks at this address take some bits away, then set some."""
        self._run(MARK, chosen, [ctypes.c_uint64(marks), ctypes.c_int64(~clear & 0xff), ctypes.c_int64(put)], stream)

    def _run(self, name: str, chosen: Chosen, arguments: Sequence[Argument], stream: Stream) -> None:
        if chosen.lines:
            self._gpu.launch(self._kernels[name], -(-chosen.lines // LANES), LANES, 0,
                             [*chosen.arguments(), *arguments], stream)
