"""`HostDriver` stands in for a GPU's driver and runs kernels on the processor, thread after thread, to test the CUDA
target. The kernels' text is C++ as well and is compiled as such. Launches, copies and their arguments are those of the
driver, and are kept in a log.
"""

from __future__ import annotations

import ctypes
import itertools
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.targets.cuda.driver import (
    CAPABILITY_MAJOR,
    CAPABILITY_MINOR,
    MEMORY_TYPE_DEVICE,
    OUT_OF_MEMORY,
    SHARED_BYTES,
    Copy2D,
)

# What the stand-in says of itself.
NAME = b"the processor in place of a GPU"
ATTRIBUTES = {CAPABILITY_MAJOR: 9, CAPABILITY_MINOR: 0, SHARED_BYTES: 227 << 10}
INVALID, NOT_FOUND = 1, 500         # numbers of errors
MEANINGS = {INVALID: b"invalid argument", OUT_OF_MEMORY: b"out of memory", NOT_FOUND: b"named symbol not found"}


@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel launch: blocks, threads, bytes of shared memory for each block, and stream, 0 for the default."""

    kernel: str
    blocks: int
    threads: int
    shared: int = 0
    stream: int = 0


@dataclass(frozen=True, slots=True)
class Transfer:
    """A copy between host and device, in bytes. to_device: its direction."""

    to_device: bool
    size: int
    stream: int = 0


@dataclass(frozen=True, slots=True)
class Wait:
    """A wait of one stream for another one."""

    stream: int
    earlier: int


class HostDriver:
    """The driver's functions by name. memory: bytes of the GPU that it simulates."""

    def __init__(self, memory: int = 16 << 30) -> None:
        self.log: list[Launch | Transfer | Wait] = []
        self.other_devices: dict[int, int | None] = {}  # address -> the GPU that it is of, where that is not this one
        self._size, self._memory = memory, dict[int, NDArray[np.uint8]]()
        self._handles, self._modules = itertools.count(1), dict[int, ctypes.CDLL]()
        self._kernels: dict[int, tuple[str, Any]] = {}
        self._functions: dict[str, Callable[..., int]] = {
            "cuInit": lambda flags: 0, "cuDeviceGet": lambda device, number: 0,
            "cuDevicePrimaryCtxRetain": lambda context, device: 0, "cuCtxSetCurrent": lambda context: 0,
            "cuDeviceGetName": self._name, "cuDeviceGetAttribute": self._attribute,
                                                          "cuGetErrorString": self._error_string,
            "cuMemGetInfo_v2": self._free, "cuMemAlloc_v2": self._allocate, "cuMemFree_v2": self._release,
            "cuMemsetD8_v2": self._fill, "cuMemcpy2DAsync_v2": self._copy, "cuModuleLoadData": self._load,
            "cuStreamSynchronize": lambda stream: 0, "cuPointerGetAttribute": self._pointer_attribute,
            "cuEventCreate": self._create, "cuEventRecord": self._record, "cuStreamWaitEvent": self._wait,
            "cuEventDestroy_v2": lambda event: self._destroy(self._events, event),
            "cuModuleGetFunction": self._find, "cuFuncSetAttribute": lambda function, attribute, value: 0,
            "cuLaunchKernel": self._launch, "cuStreamCreate": self._create, "cuStreamDestroy_v2": lambda stream: 0,
            "cuStreamBeginCapture_v2": self._begin, "cuStreamEndCapture": self._end,
            "cuGraphInstantiateWithFlags": self._instantiate, "cuGraphDestroy": lambda graph: 0,
            "cuGraphLaunch": self._replay, "cuModuleUnload": lambda module: self._destroy(self._modules, module),
            "cuGraphExecDestroy": lambda graph: self._destroy(self._graphs, graph)}
        self._graphs: dict[int, list[Callable[[int], None]]] = {}   # by their handles, and of streams that record
        self._events: dict[int, int] = {}                           # and the stream that each is on

    def __getitem__(self, name: str) -> Callable[..., int]:
        return self._functions[name]

    @property
    def allocated_bytes(self) -> int:
        """Bytes that are allocated."""
        return sum(map(len, self._memory.values()))

    @property
    def handles(self) -> int:
        """Modules and graphs that are not unloaded."""
        return len(self._modules) + len(self._graphs)

    @staticmethod
    def _destroy(table: dict[int, Any], handle: Any) -> int:
        return 0 if table.pop(handle.value, None) is not None else INVALID

    def _name(self, text: Any, size: int, device: Any) -> int:
        text.value = NAME
        return 0

    def _attribute(self, value: Any, which: int, device: Any) -> int:
        value._obj.value = ATTRIBUTES[which]
        return 0

    def _error_string(self, code: int, text: Any) -> int:
        text._obj.value = MEANINGS[code]
        return 0

    def _free(self, free: Any, total: Any) -> int:
        free._obj.value, total._obj.value = self._size - self.allocated_bytes, self._size
        return 0

    def _allocate(self, address: Any, size: Any) -> int:
        if size.value > self._size - self.allocated_bytes:
            return OUT_OF_MEMORY
        memory = np.full(size.value, 0xff, np.uint8)        # NaN until written
        address._obj.value = memory.ctypes.data
        self._memory[memory.ctypes.data] = memory
        return 0

    def _release(self, address: Any) -> int:
        return 0 if self._memory.pop(address.value, None) is not None else INVALID

    def _fill(self, address: Any, value: Any, size: Any) -> int:
        if not self._contains(address.value, size.value):
            return INVALID
        ctypes.memset(address.value, value.value, size.value)
        return 0

    def _copy(self, argument: Any, stream: Any) -> int:
        copy: Copy2D = argument._obj
        to_device = copy.dstMemoryType == MEMORY_TYPE_DEVICE
        host, host_pitch, device, device_pitch = \
            (copy.srcHost, copy.srcPitch, copy.dstDevice, copy.dstPitch) if to_device else \
            (copy.dstHost, copy.dstPitch, copy.srcDevice, copy.srcPitch)
        if copy.WidthInBytes > min(host_pitch, device_pitch) or \
                not self._contains(device, device_pitch * (copy.Height - 1) + copy.WidthInBytes):
            return INVALID
        for line in range(copy.Height):
            addresses = host + line * host_pitch, device + line * device_pitch
            ctypes.memmove(*(addresses[::-1] if to_device else addresses), copy.WidthInBytes)
        self.log.append(Transfer(to_device, copy.WidthInBytes * copy.Height, _handle(stream)))
        return 0

    def _contains(self, address: int, size: int) -> bool:
        return any(start <= address and address + size <= start + len(memory)
                   for start, memory in self._memory.items())

    def _load(self, module: Any, image: bytes) -> int:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kernels.so"
            path.write_bytes(image)
            module._obj.value = next(self._handles)
            self._modules[module._obj.value] = ctypes.CDLL(str(path))
        return 0

    def _find(self, function: Any, module: Any, name: bytes) -> int:
        try:
            kernel = self._modules[module.value][f"on_host_{name.decode()}"]
        except AttributeError:
            return NOT_FOUND
        function._obj.value = next(self._handles)
        self._kernels[function._obj.value] = name.decode(), kernel
        return 0

    def _launch(self, function: Any, x: int, y: int, z: int, threads: int, depth: int, height: int, shared: int,
                stream: Any, kernel_params: Any, extra: Any) -> int:
        if (y, z, depth, height) != (1, 1, 1, 1) or x < 1:
            return INVALID
        name, run = self._kernels[function.value]
        values = [ctypes.c_uint64.from_buffer_copy(ctypes.string_at(param, 8)) for param in kernel_params]

        def launch(stream: int) -> None:
            self.log.append(Launch(name, x, threads, shared, stream))
            run(ctypes.c_int(x * threads), (ctypes.c_void_p * len(values))(*map(ctypes.addressof, values)))

        if _handle(stream) in self._graphs:
            self._graphs[_handle(stream)].append(launch)
        else:
            launch(_handle(stream))
        return 0

    def _create(self, handle: Any, flags: int) -> int:
        """Make a stream or an event."""
        handle._obj.value = next(self._handles)
        return 0

    def _record(self, event: Any, stream: Any) -> int:
        self._events[event.value] = _handle(stream)
        return 0

    def _wait(self, stream: Any, event: Any, flags: int) -> int:
        self.log.append(Wait(_handle(stream), self._events[event.value]))
        return 0

    def _pointer_attribute(self, value: Any, which: int, address: Any) -> int:
        device = self.other_devices.get(address.value, 0)
        if device is None:
            return INVALID
        value._obj.value = device
        return 0

    def _begin(self, stream: Any, mode: int) -> int:
        self._graphs[stream.value] = []
        return 0

    def _end(self, stream: Any, graph: Any) -> int:
        graph._obj.value = next(self._handles)
        self._graphs[graph._obj.value] = self._graphs.pop(stream.value)
        return 0

    def _instantiate(self, executable: Any, graph: Any, flags: Any) -> int:
        executable._obj.value = graph.value
        return 0

    def _replay(self, graph: Any, stream: Any) -> int:
        for launch in self._graphs[graph.value]:
            launch(_handle(stream))
        return 0


def _handle(stream: Any) -> int:
    return int(stream.value or 0) if stream is not None else 0
