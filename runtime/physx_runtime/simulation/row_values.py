"""Values that somebody gives for a row of the step, refused in one line where they do not fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.model.owners import Owner, row_label
from physx_runtime.model.rows import FORCE_ROWS
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.parameter_values import refusal, rounded

Array = NDArray[Any]


def row_size(model: PackedModel, name: str) -> int:
    """How many numbers a row has in one world; raises ValueError for a name that is no row."""
    rows = model.settable
    if name not in rows:
        raise ValueError(f"{name!r} is no row of this model; allowed are {', '.join(sorted(rows))}")
    return rows[name]


def checked_row(model: PackedModel, owners: Mapping[str, tuple[Owner, ...]], name: str, values: ArrayLike,
                worlds: NDArray[np.int64], dtype: str) -> Array:
    """Values of a row for the worlds with these indices, (n_world, n), in a simulation's dtype.

    owners: what rows of the model belong to. values: (n,) for all alike or (n_world, n). Raises ValueError for another
    name or shape, for NaN, and for a state, effort or force that is infinite.
    """
    # numbers of another type are refused as they were given
    own, count = isinstance(values, np.ndarray) and values.dtype == dtype, row_size(model, name)
    given = np.asarray(values, dtype=None if own else np.float64)
    if given.shape == (count,):
        given = np.broadcast_to(given, (len(worlds), count))
    elif given.shape != (len(worlds), count):
        raise ValueError(f"{name} has shape {given.shape}; give ({count},) or ({len(worlds)}, {count})")
    array, right = sound(model, name, given, dtype)
    if not right.all():
        raise ValueError(refusal(name, given, ~right, worlds, lambda i: row_label(owners, name, i),
                                 "give finite numbers" if _moving(model, name) else "give numbers"))
    return array


def sound(model: PackedModel, name: str, values: Array, dtype: str) -> tuple[Array, NDArray[np.bool_]]:
    """Values of a row in a simulation's dtype, and which of them it takes."""
    array = values if values.dtype == dtype else rounded(values, dtype)
    return array, np.isfinite(array) if _moving(model, name) else ~np.isnan(array)


def _moving(model: PackedModel, name: str) -> bool:
    return name in model.state or name in FORCE_ROWS
