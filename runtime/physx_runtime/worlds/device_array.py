"""Arrays of other packages in a GPU's memory, as `__cuda_array_interface__` tells of them (version 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

INTERFACE = "__cuda_array_interface__"
# What the interface calls the default stream.
DEFAULT_STREAM = 1


@dataclass(frozen=True, slots=True)
class DeviceArray:
    """(n_world, n) numbers in a GPU's memory: the first one's address, and elements from world to world, row to row."""

    address: int
    of_world: int
    of_row: int


def is_on_device(values: object) -> bool:
    """Whether an object tells that it lies in a GPU's memory."""
    return hasattr(values, INTERFACE)


def device_array(name: str, array: Any, shape: tuple[int, int], dtype: str, written: bool = False) -> DeviceArray:
    """An array of another package that holds, or with `written` is to take, a row of this shape and dtype.

    Raises ValueError for another shape or dtype, a mask, and an array that is not to be written.
    """
    told: Mapping[str, Any] = getattr(array, INTERFACE)
    size, found = np.dtype(dtype).itemsize, np.dtype(told["typestr"])
    if tuple(told["shape"]) != shape or found != dtype:
        raise ValueError(f"{name} is given as {found} of shape {tuple(told['shape'])} on the device; give {dtype} of "
                         f"shape {shape}")
    address, read_only = told["data"]
    if written and read_only:
        raise ValueError(f"{name} is to be written to an array that is read-only; give one that is not")
    if told.get("mask") is not None:
        raise ValueError(f"{name} has a mask, which rows have none of; give all numbers")
    strides = told.get("strides") or (shape[1] * size, size)
    return DeviceArray(int(address), strides[0] // size, strides[1] // size)


class RowView:
    """A row group where it lies on the GPU, (blocks, lanes, n): worlds one after the other, the last block padded.

    It may be read and written between steps, on the default stream; `owner` keeps the memory alive.
    """

    def __init__(self, owner: object, address: int, shape: tuple[int, int, int], strides: tuple[int, int, int],
                 dtype: str) -> None:
        self.owner, self.shape = owner, shape
        self.__cuda_array_interface__ = {
            "shape": shape, "typestr": np.dtype(dtype).str, "data": (address, False), "strides": strides,
            "version": 3, "stream": DEFAULT_STREAM}
