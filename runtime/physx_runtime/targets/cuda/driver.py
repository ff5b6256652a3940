"""`Gpu` uses a GPU through the C interface of the CUDA driver: memory, copies, modules, kernels and graphs. No other
package is needed.
"""

from __future__ import annotations

import ctypes
import math
import sys
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from physx_runtime.arrays import Array

# What a kernel is given.
Argument = ctypes.c_int | ctypes.c_int64 | ctypes.c_uint64 | ctypes.c_float | ctypes.c_double

LIBRARY = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
# Of the driver's enumerations.
OUT_OF_MEMORY, NO_DEVICE = 2, 100
CAPABILITY_MAJOR, CAPABILITY_MINOR, SHARED_BYTES = 75, 76, 97             # attributes of a device
SHARED_BYTES_OF_FUNCTION = 8                        # attribute of a function
MEMORY_TYPE_HOST, MEMORY_TYPE_DEVICE = 1, 2                           # kinds of memory
STREAM_NON_BLOCKING, CAPTURE_MODE_RELAXED = 1, 2                            # of a stream, and of what is recorded on it
POINTER_DEVICE_ORDINAL = 9                               # attribute of an address
EVENT_DISABLE_TIMING = 2                                    # of an event
# More shared memory than this has to be asked for.
DEFAULT_SHARED_BYTES = 48 << 10


class DeviceError(RuntimeError):
    """A GPU cannot do what is asked of it; one line."""


class Library(Protocol):
    """The driver's functions by their names in C; each returns 0 or an error number."""

    def __getitem__(self, name: str) -> Callable[..., int]: ...


class Copy2D(ctypes.Structure):
    """CUDA_MEMCPY2D: lines of equal length at a constant pitch."""

    _fields_ = (
        *((f"{side}{field}", kind) for side in ("src", "dst") for field, kind in (
            ("XInBytes", ctypes.c_size_t), ("Y", ctypes.c_size_t), ("MemoryType", ctypes.c_int),
            ("Host", ctypes.c_void_p), ("Device", ctypes.c_uint64), ("Array", ctypes.c_void_p),
            ("Pitch", ctypes.c_size_t))),
        ("WidthInBytes", ctypes.c_size_t), ("Height", ctypes.c_size_t))


@dataclass(frozen=True, slots=True)
class PitchedLines:
    """Lines in a GPU's memory: the address of the first, and the pitch in bytes."""

    address: int
    pitch: int


class Memory:
    """Memory on a GPU, initially zero, freed when this object is deleted."""

    def __init__(self, gpu: Gpu, size: int) -> None:
        address = ctypes.c_uint64()
        gpu.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        self.address, self.size = int(address.value), size
        weakref.finalize(self, gpu.call, "cuMemFree_v2", address).atexit = False    # the context may be gone by then
        gpu.call("cuMemsetD8_v2", address, ctypes.c_ubyte(0), ctypes.c_size_t(size))
        gpu.wait(None)      # others work on streams that do not wait for the default one


# A stream's handle; None is the default stream.
Stream = ctypes.c_void_p | None


class Gpu:
    """The first GPU of the driver, in its primary context, which other packages share.

    compile_text: the machine code of a text for an architecture such as "sm_90".

    Raises:
        DeviceError: there is none, or the driver refuses it.
    """

    def __init__(self, library: Library, compile_text: Callable[[str, str], bytes]) -> None:
        self._library, self._compile, self._context = library, compile_text, ctypes.c_void_p()
        device = ctypes.c_int()
        for name, arguments in (("cuInit", (0,)), ("cuDeviceGet", (ctypes.byref(device), 0)),
                                ("cuDevicePrimaryCtxRetain", (ctypes.byref(self._context), device))):
            status = library[name](*arguments)
            if status:
                reason = ("no GPU found" if status == NO_DEVICE
                          else f"the driver cannot open the GPU: {self._error_string(status)}")
                raise DeviceError(f"device 'cuda': {reason}; use device='cpu'")
        self._device = device
        self.capability = self._attribute(CAPABILITY_MAJOR), self._attribute(CAPABILITY_MINOR)
        self.architecture = "sm_{}{}".format(*self.capability)

    @property
    def name(self) -> str:
        """The driver's name of the GPU."""
        text = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", text, len(text), self._device)
        return text.value.decode()

    def load(self, text: str) -> ctypes.c_void_p:
        """The module of a text, compiled for this GPU or read from the cache."""
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), self._compile(text, self.architecture))
        return module

    def kernel(self, module: ctypes.c_void_p, name: str, shared: int = 0) -> ctypes.c_void_p:
        """A kernel of a module, with `shared` bytes of shared memory for each block."""
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        if shared > DEFAULT_SHARED_BYTES:
            max_shared = self._attribute(SHARED_BYTES)
            if shared > max_shared:
                raise DeviceError(f"device 'cuda': {name} needs {shared} bytes of shared memory per block; the GPU has "
                                  f"{max_shared}; use another design (docs/guides/gpu.md)")
            self.call("cuFuncSetAttribute", function, SHARED_BYTES_OF_FUNCTION, shared)
        return function

    def launch(self, kernel: ctypes.c_void_p, blocks: int, threads: int, shared: int, arguments: Sequence[Argument],
               stream: Stream = None) -> None:
        """Launch a kernel on `blocks` blocks of `threads` threads."""
        kernel_params = (ctypes.c_void_p * len(arguments))(*map(ctypes.addressof, arguments))
        self.call("cuLaunchKernel", kernel, blocks, 1, 1, threads, 1, 1, shared, stream, kernel_params, None)

    def capture_graph(self, launch_all: Callable[[ctypes.c_void_p], None]) -> ctypes.c_void_p:
        """A CUDA graph of what `launch_all` launches on its stream; nothing runs."""
        stream, graph, executable = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        self.call("cuStreamCreate", ctypes.byref(stream), STREAM_NON_BLOCKING)
        self.call("cuStreamBeginCapture_v2", stream, CAPTURE_MODE_RELAXED)
        launch_all(stream)
        self.call("cuStreamEndCapture", stream, ctypes.byref(graph))
        self.call("cuGraphInstantiateWithFlags", ctypes.byref(executable), graph, ctypes.c_uint64(0))
        self.call("cuGraphDestroy", graph)
        self.call("cuStreamDestroy_v2", stream)
        return executable

    def launch_graph(self, graph: ctypes.c_void_p, stream: Stream = None) -> None:
        """Launch a captured graph."""
        self.call("cuGraphLaunch", graph, stream)

    def wait(self, stream: Stream) -> None:
        """Wait until all work on a stream is done."""
        self.call("cuStreamSynchronize", stream)

    def wait_for_stream(self, stream: Stream, earlier: Stream) -> None:
        """Let later work on a stream wait for earlier work on another one."""
        event = ctypes.c_void_p()
        self.call("cuEventCreate", ctypes.byref(event), EVENT_DISABLE_TIMING)
        self.call("cuEventRecord", event, earlier)
        self.call("cuStreamWaitEvent", stream, event, 0)
        self.call("cuEventDestroy_v2", event)

    def device_of(self, address: int) -> int | None:
        """The number of the GPU that owns an address; None for host memory."""
        device = ctypes.c_int()
        self._library["cuCtxSetCurrent"](self._context)
        status = self._library["cuPointerGetAttribute"](ctypes.byref(device), POINTER_DEVICE_ORDINAL,
                                                        ctypes.c_uint64(address))
        return None if status else device.value

    def allocate(self, size: int, what: str) -> Memory:
        """Allocate `size` bytes. what: named in the error if there is too little memory."""
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        if size > free.value:
            raise DeviceError(f"device 'cuda': {what} needs {size / 2**30:.2f} GiB; {free.value / 2**30:.2f} of "
                              f"{total.value / 2**30:.2f} GiB are free; use fewer worlds")
        return Memory(self, size)

    def read(self, lines: PitchedLines, shape: tuple[int, ...], dtype: str, stream: Stream = None) -> Array:
        """Copy lines to the host after all work on a stream; `shape` is (lines, numbers of one line...)."""
        host = np.empty(shape, dtype)
        self._copy(Copy2D(srcMemoryType=MEMORY_TYPE_DEVICE, srcDevice=lines.address, srcPitch=lines.pitch,
                          dstMemoryType=MEMORY_TYPE_HOST, dstHost=host.ctypes.data), host, "dstPitch", stream)
        return host

    def write(self, lines: PitchedLines, values: Array, stream: Stream = None) -> None:
        """Copy an array to lines, after all work on a stream; the array may change afterwards."""
        host = np.ascontiguousarray(values)
        self._copy(Copy2D(srcMemoryType=MEMORY_TYPE_HOST, srcHost=host.ctypes.data, dstMemoryType=MEMORY_TYPE_DEVICE,
                          dstDevice=lines.address, dstPitch=lines.pitch), host, "srcPitch", stream)

    def _copy(self, copy: Copy2D, host: Array, pitch: str, stream: Stream) -> None:
        """A copy from or to an array of the host, done before this returns: pinned memory would be read later."""
        copy.Height, copy.WidthInBytes = len(host), math.prod(host.shape[1:]) * host.itemsize
        setattr(copy, pitch, copy.WidthInBytes)
        if copy.Height and copy.WidthInBytes:
            self.call("cuMemcpy2DAsync_v2", ctypes.byref(copy), stream)
            self.wait(stream)

    def call(self, name: str, *arguments: Any) -> None:
        """Call a function of the driver in this GPU's context, from any thread."""
        status = self._library["cuCtxSetCurrent"](self._context) or self._library[name](*arguments)
        if status:
            advice = "; use fewer worlds" if status == OUT_OF_MEMORY else ""
            raise DeviceError(f"device 'cuda': the driver's {name} failed: {self._error_string(status)}{advice}")

    def _attribute(self, which: int) -> int:
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), which, self._device)
        return value.value

    def _error_string(self, code: int) -> str:
        text = ctypes.c_char_p()
        self._library["cuGetErrorString"](code, ctypes.byref(text))
        return text.value.decode() if text.value else f"error {code}"


def load_library() -> Library:
    """The driver. Raises DeviceError where none is installed."""
    try:
        return ctypes.CDLL(LIBRARY)
    except OSError:
        raise DeviceError(f"device 'cuda': no NVIDIA driver ({LIBRARY}) found; use device='cpu', or run the kernels on "
                          "the CPU with PHYSX_RUNTIME_CUDA=host (docs/guides/gpu.md)") from None
