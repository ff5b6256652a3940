"""Checks of arguments that several entry points share: time step, counts, indices, arrays of numbers and memory. Each
raises ValueError with a message of one line.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.arrays import Array, DoubleArray
from physx_runtime.packing.island import PackedIsland
from physx_runtime.packing.model import PackedModel
from physx_runtime.solver.settings import SOLVERS
from physx_schema.arguments import display, required_choice

MAX_STEPS = 1 << 53        # whole numbers up to this are exact in float64, which holds times
MIN_RECORD_SIZE = 400          # bytes of the Python objects of a record of nothing


def required_solver(solver: str) -> str:
    """The name of a solver. Raises ValueError for an unknown one."""
    return required_choice("solver", solver, SOLVERS)


def required_time(dt: float) -> float:
    """A time step [s]. Raises ValueError for one that is not a positive, finite number."""
    seconds = as_float(dt)
    if not 0.0 < seconds < math.inf:
        raise ValueError(f"dt is {display(dt)}; give a positive, finite time in seconds")
    return seconds


def require_room(worlds: int, models: Iterable[PackedModel | PackedIsland], dtype: str) -> None:
    """Raise ValueError for a wrong dtype, and for more worlds than the memory holds, before memory is allocated."""
    required_choice("dtype", dtype, ("float32", "float64"))
    numbers = sum(np.size(values) for model in models for values in (*model.parameters.values(), *model.state.values()))
    size = numbers * (8 if dtype == "float64" else 4)
    memory = _memory()
    if worlds * size > memory:
        raise ValueError(f"worlds is {worlds}; the data of these worlds needs {worlds * size // 10**9} GB, and this "
                         f"machine has {memory / 1e9:.3g} GB; give fewer than {memory // size}")


def require_recordable(steps: int, every: int, size: int) -> None:
    """Raise ValueError for too many steps to count, or for more records of `size` bytes than memory holds."""
    limit = min(_memory() // max(size, MIN_RECORD_SIZE) * every, MAX_STEPS)
    if steps > limit:
        raise ValueError(f"steps is {steps} and every is {every}; this machine has {_memory() / 1e9:.3g} GB for the "
                         f"records; give at most {limit} steps{'' if limit == MAX_STEPS else ', or a larger every'}")


def _memory() -> int:
    """Bytes of this machine's memory."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def required_count(name: str, count: Any, minimum: int, maximum: float = MAX_STEPS) -> int:
    """A whole number from `minimum` to `maximum`. Raises ValueError for another, naming the argument."""
    if not is_whole(count) or count < minimum:
        raise ValueError(f"{name} is {display(count)}; give a whole number of at least {minimum}")
    if count > maximum:
        raise ValueError(f"{name} is {display(count)}; give a whole number of at most {maximum}")
    return int(count)


def required_index(name: str, index: Any, count: int) -> int:
    """An index below `count`. Raises ValueError for another, naming the argument."""
    if not is_whole(index) or int(index) not in range(count):
        raise ValueError(f"{name} is {display(index)}; give a whole number from 0 to {count - 1}")
    return int(index)


def as_float(value: object) -> float:
    """A real number as a float; NaN for bools, for anything else and for what no float holds."""
    if not isinstance(value, Real) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def is_whole(value: Any) -> bool:
    """Whether a value is one whole number; bools are none."""
    return isinstance(value, Integral) and not isinstance(value, bool)


# --- arrays ----------------------------------------------------------------------------------------------------------

def required_array(argument: str, values: ArrayLike, advice: str) -> Array:
    """Values as an array of any type. Raises ValueError for a masked array, and for what no array can hold."""
    if type(values) is np.ndarray:
        return values
    if isinstance(values, np.ma.MaskedArray):
        raise ValueError(f"{argument} is a masked array; replace what is masked, for example with .filled(0.0)")
    try:
        return np.asarray(values)
    except (TypeError, ValueError, RuntimeError, OverflowError):    # lists of several lengths, tensors with gradients
        raise ValueError(f"{argument} is {display(values)}; {advice}") from None


def required_numbers(argument: str, values: ArrayLike, flags: bool = False) -> DoubleArray:
    """Real numbers as float64, of any shape; with `flags` also True and False.

    Raises ValueError for strings, complex numbers, bools, objects and masked arrays.
    """
    advice = "give real numbers, as an array or as lists of equal length"
    array = required_array(argument, values, advice)
    if array.dtype == np.float64:
        return array
    if array.dtype.kind not in ("iufb" if flags else "iuf"):
        raise ValueError(f"{argument} is {display(values)}; {advice}")
    with np.errstate(over="ignore"):
        return np.asarray(array, dtype=np.float64)
