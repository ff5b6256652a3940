"""Arrays that an environment gives and takes: NumPy arrays, or PyTorch tensors that share memory by DLPack."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Protocol

import numpy as np

from physx_runtime.arrays import Array, DeviceValues
from physx_runtime.simulation.actor import Actor
from physx_runtime.simulation.arguments import required_array
from physx_schema.arguments import display
from physx_schema.errors import UnsupportedError


class ArrayKind(Protocol):
    """A kind of arrays."""

    def read_row(self, robot: Actor, name: str) -> DeviceValues:
        """A row of every world, (n_world, n)."""

    def from_numpy(self, array: Array) -> DeviceValues:
        """A NumPy array as an array of this kind."""

    def to_numpy(self, array: DeviceValues) -> Array:
        """An array of this kind as a NumPy array."""

    def joined(self, arrays: Sequence[DeviceValues]) -> DeviceValues:
        """Arrays (n_world, n) side by side."""


class NumpyArrays:
    """NumPy arrays."""

    def read_row(self, robot: Actor, name: str) -> Array:
        return robot.get(name)

    def from_numpy(self, array: Array) -> Array:
        return array

    def to_numpy(self, array: DeviceValues) -> Array:
        return required_array("the array", array, "give an array of numbers")

    def joined(self, arrays: Sequence[Array]) -> Array:
        return np.concatenate(arrays, axis=1)


class TorchArrays:
    """PyTorch tensors on the device of the simulation.

    On the CPU, tensors share the memory of NumPy arrays. On a GPU, rows are copied into tensors on the device.
    """

    def __init__(self, device: str) -> None:
        if find_spec("torch") is None:
            raise UnsupportedError("arrays='torch' needs PyTorch, which is not installed; run: pip install torch")
        self._torch, self._device = import_module("torch"), device

    def read_row(self, robot: Actor, name: str) -> DeviceValues:
        if self._device == "cpu":
            return self._torch.from_dlpack(robot.get(name))
        tensor = self._torch.empty((robot.worlds, robot.model.settable[name]), device=self._device,
                                   dtype=getattr(self._torch, robot.dtype))
        robot.read_into(name, tensor)
        return tensor

    def from_numpy(self, array: Array) -> DeviceValues:
        return self._torch.from_dlpack(np.require(array, requirements=("C", "W"))).to(self._device)

    def to_numpy(self, array: DeviceValues) -> Array:
        if not isinstance(array, self._torch.Tensor):
            return required_array("the array", array, "give a tensor or an array of numbers")
        return np.asarray(array.detach().cpu().numpy())

    def joined(self, arrays: Sequence[DeviceValues]) -> DeviceValues:
        return self._torch.cat(list(arrays), dim=1)


def array_kind(name: str, device: str) -> ArrayKind:
    """The kind of this name. Raises ValueError for another name, UnsupportedError if PyTorch is not installed."""
    if name == "numpy":
        return NumpyArrays()
    if name == "torch":
        return TorchArrays(device)
    raise ValueError(f"arrays is {display(name)}; choose numpy or torch")
