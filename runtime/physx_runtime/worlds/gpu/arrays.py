"""GPU arrays and streams shared with other packages: `__cuda_array_interface__` (version 3), DLPack, `__cuda_stream__`.

`device_array` reads an array of another package, `require_fit` checks it, and `stream_of` reads a stream. `RowView`
offers a row group to other packages without a copy.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from physx_runtime.arrays import DeviceValues
from physx_runtime.targets.cuda.driver import Gpu, Stream

INTERFACE, DLPACK_DEVICE = "__cuda_array_interface__", "__dlpack_device__"
# The default stream in `__cuda_array_interface__`.
DEFAULT_STREAM = 1
# DLPack: kinds of devices and of numbers, and the flag of a read-only array.
ON_GPU = (2, 13)                # CUDA, and its managed memory
KINDS = {0: "i", 1: "u", 2: "f", 6: "b"}
READ_ONLY, VERSION = 1, (1, 0)
CAPSULES = (b"dltensor_versioned", b"dltensor")


class _Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = (("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64))


class _Versioned(ctypes.Structure):
    """DLManagedTensorVersioned, whose older form begins with the tensor."""

    _fields_ = (("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _Tensor))


@dataclass(frozen=True, slots=True)
class DeviceArray:
    """An array in a GPU's memory; strides count elements.

    stream: the stream to wait for, None for no wait. owner: keeps the memory alive.
    """

    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: np.dtype[Any]
    read_only: bool
    stream: int | None
    owner: object

    @property
    def contiguous(self) -> bool:
        """Whether the elements are contiguous, in C order."""
        return self.strides == _contiguous_strides(self.shape) or not math.prod(self.shape)


def is_on_device(values: DeviceValues) -> bool:
    """Whether an object reports that it is in a GPU's memory."""
    if hasattr(values, INTERFACE):
        return True
    return not isinstance(values, np.ndarray) and hasattr(values, DLPACK_DEVICE) and (
        int(values.__dlpack_device__()[0]) in ON_GPU)


def device_array(name: str, values: DeviceValues, gpu: Gpu, stream: Stream) -> DeviceArray:
    """An array of another package as a DeviceArray; `stream` is where it will be used.

    Raises ValueError for an array of another GPU, with a mask, or with strides that are no multiple of the item size.
    """
    interface = getattr(values, INTERFACE, None)
    has_stream = interface is not None and interface.get("stream") is not None
    uses_dlpack = not has_stream and hasattr(values, DLPACK_DEVICE)
    array = _from_dlpack(name, values, stream) if uses_dlpack else _from_interface(name, values, interface)
    device = gpu.device_of(array.address) if math.prod(array.shape) else 0
    if device != 0:
        location = "not in GPU memory" if device is None else f"on GPU {device}"
        raise ValueError(f"{name} is {location}; the worlds are on GPU 0; copy it to GPU 0")
    return array


def require_fit(name: str, array: DeviceArray, shapes: tuple[tuple[int, ...], ...], dtype: str,
                writable: bool = False) -> DeviceArray:
    """The array, if it has one of these shapes and this dtype, and is writable where that is asked.

    Raises ValueError otherwise.
    """
    if array.shape not in shapes or array.dtype != dtype:
        expected = " or ".join(map(str, shapes))
        raise ValueError(f"{name} on the device is {array.dtype} of shape {array.shape}; give {dtype} of "
                         f"shape {expected}")
    if writable and array.read_only:
        raise ValueError(f"{name} is a read-only array; give a writeable array")
    return array


def stream_of(stream: Any) -> Stream:
    """The handle of a stream: a number, or an object of CuPy, PyTorch, Warp, numba-cuda or with `__cuda_stream__`.

    None is the default stream. Raises ValueError for anything else.
    """
    handle: Any = stream
    if hasattr(stream, "__cuda_stream__"):
        handle = stream.__cuda_stream__()[1]
    else:
        for name in ("cuda_stream", "ptr", "handle"):
            handle = getattr(stream, name, handle)
    handle = getattr(handle, "value", handle)       # of ctypes, whose 0 is None
    if handle is None or (isinstance(handle, int | np.integer) and handle in (0, DEFAULT_STREAM)):
        return None
    if isinstance(handle, bool) or not hasattr(handle, "__int__") or not hasattr(handle, "__index__"):
        raise ValueError(f"stream is {type(stream).__name__}; give a stream of CuPy, PyTorch, Warp or numba-cuda, its "
                         "handle as a number, or None for the default stream")
    return ctypes.c_void_p(int(handle))


def stream_number(stream: Stream) -> int:
    """A stream as array protocols name it."""
    return DEFAULT_STREAM if stream is None else int(stream.value or DEFAULT_STREAM)


def _contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(math.prod(shape[i + 1:]) for i in range(len(shape)))


def _from_interface(name: str, values: DeviceValues, interface: Any) -> DeviceArray:
    if interface.get("mask") is not None:
        raise ValueError(f"{name} has a mask, which rows do not support; give an array without mask")
    dtype, shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
    byte_strides = interface.get("strides")
    if byte_strides is not None and any(stride % dtype.itemsize for stride in byte_strides):
        raise ValueError(f"{name} has strides of {tuple(byte_strides)} bytes and numbers of {dtype.itemsize} bytes; "
                         "give strides that are multiples of the number size")
    strides = (_contiguous_strides(shape) if byte_strides is None
               else tuple(stride // dtype.itemsize for stride in byte_strides))
    address, read_only = interface["data"]
    return DeviceArray(int(address or 0), shape, strides, dtype, bool(read_only), interface.get("stream"), values)


def _from_dlpack(name: str, values: DeviceValues, stream: Stream) -> DeviceArray:
    kind, device = (int(x) for x in values.__dlpack_device__())
    if kind in ON_GPU and device:
        raise ValueError(f"{name} is on GPU {device}; the worlds are on GPU 0; copy it to GPU 0")
    try:
        capsule = values.__dlpack__(stream=stream_number(stream), max_version=VERSION)
    except TypeError:           # the producer is older than versioned DLPack
        capsule = values.__dlpack__(stream=stream_number(stream))
    except (BufferError, RuntimeError) as error:
        message = (str(error).splitlines() or [type(error).__name__])[0]
        raise ValueError(f"{name} of type {type(values).__name__} does not provide DLPack: {message}") from error
    pointer = _capsule_function("PyCapsule_GetPointer", ctypes.c_void_p)
    label = next((label for label in CAPSULES if _capsule_function("PyCapsule_IsValid", ctypes.c_int)(capsule, label)),
                 b"")
    if not label:
        raise ValueError(f"{name}: {type(values).__name__} provides no capsule of DLPack 1")
    address = pointer(capsule, label)
    managed = _Versioned.from_address(address)
    tensor = managed.tensor if label == CAPSULES[0] else _Tensor.from_address(address)
    if tensor.lanes != 1 or tensor.code not in KINDS:
        raise ValueError(f"{name} holds vectors or DLPack type {tensor.code}; give integers, floats or booleans")
    dtype = np.dtype("?" if KINDS[tensor.code] == "b" else f"{KINDS[tensor.code]}{tensor.bits // 8}")
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    strides = tuple(tensor.strides[i] for i in range(tensor.ndim)) if tensor.strides else _contiguous_strides(shape)
    read_only = label == CAPSULES[0] and bool(managed.flags & READ_ONLY)
    return DeviceArray(int(tensor.data or 0) + tensor.byte_offset, shape, strides, dtype, read_only, None,
                       (values, capsule))


def _capsule_function(name: str, result: Any) -> Callable[..., Any]:
    """A function of Python's C interface on capsules."""
    kind = ctypes.PYFUNCTYPE(result, ctypes.py_object, ctypes.c_char_p)
    return kind((name, ctypes.pythonapi))


class RowView:
    """A row group in GPU memory without a copy, (blocks, lanes, n): worlds in order, the last block padded.

    It may be read and written between steps, on the stream that it names; `owner` keeps the memory alive.
    """

    def __init__(self, owner: object, address: int, shape: tuple[int, int, int], strides: tuple[int, int, int],
                 dtype: str, stream: Stream = None) -> None:
        self.owner, self.shape = owner, shape
        self.__cuda_array_interface__ = {
            "shape": shape, "typestr": np.dtype(dtype).str, "data": (address, False), "strides": strides,
            "version": 3, "stream": stream_number(stream)}
