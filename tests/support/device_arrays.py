"""Arrays that other packages say lie on a GPU; here they are the processor's memory."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

CUDA = 2                    # of DLPack's kinds of devices
# Where a capsule's structure says on which kind of device it is: DLManagedTensor, DLManagedTensorVersioned.
DEVICE_TYPES = {b"dltensor": 8, b"dltensor_versioned": 40}


class OnDevice:
    """By `__cuda_array_interface__`."""

    def __init__(self, held: NDArray[Any], read_only: bool = False, **more: Any) -> None:
        self.held = held
        self.__cuda_array_interface__ = {
            "shape": held.shape, "typestr": held.dtype.str, "data": (held.ctypes.data, read_only), "version": 3,
            "strides": None if held.flags.c_contiguous else held.strides, **more}


class Packed:
    """By DLPack, of a GPU with this number; versioned: whether it knows DLPack 1."""

    def __init__(self, held: NDArray[Any], device: int = 0, versioned: bool = True) -> None:
        self.held, self.device, self._versioned = held, device, versioned
        self.streams: list[int | None] = []         # that were told

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, self.device

    def __dlpack__(self, **more: Any) -> Any:
        if "max_version" in more and not self._versioned:
            raise TypeError("unexpected keyword argument 'max_version'")
        self.streams.append(more["stream"])
        capsule = self.held.__dlpack__(max_version=(1, 0)) if self._versioned else self.held.__dlpack__()
        name = b"dltensor_versioned" if self._versioned else b"dltensor"
        find = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
            ("PyCapsule_GetPointer", ctypes.pythonapi))
        ctypes.c_int32.from_address(find(capsule, name) + DEVICE_TYPES[name]).value = CUDA
        return capsule


def filled(shape: tuple[int, ...], seed: int = 0, dtype: str = "float32") -> NDArray[Any]:
    """Numbers between -1 and 1."""
    return np.random.default_rng(seed).uniform(-1, 1, shape).astype(dtype)
