"""Arguments of raycast, sweep and overlap, each refused in one line before coal sees it."""

from __future__ import annotations

import math
import reprlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.packing.frames import Frame
from physx_runtime.simulation.query_shapes import Ball, Block, QueryShape

Array = NDArray[Any]

LARGEST = float(np.finfo(np.float32).max)       # length, what PhysX can hold; its square is a finite float64


def required_shape(shape: Any) -> QueryShape:
    """A ball or a block. Raises ValueError for anything else, and for sizes that are none."""
    if isinstance(shape, Ball):
        return Ball(float(_sizes("the radius of a Ball", shape.radius, (), "a number")))
    if isinstance(shape, Block):
        x, y, z = _sizes("the half_extents of a Block", shape.half_extents, (3,), "three numbers").tolist()
        return Block((x, y, z))
    raise ValueError(f"shape is {_said(shape)}; give a Ball or a Block")


def required_frame(name: str, position: ArrayLike, rotation: ArrayLike = (0.0, 0.0, 0.0, 1.0)) -> Frame:
    """A pose of a position, so named, and a quaternion x y z w. Raises ValueError for what is none."""
    place, turn = _numbers(position), _numbers(rotation)
    if place.shape != (3,) or not (np.abs(place) <= LARGEST).all():
        raise ValueError(f"{name} is {_said(position)}; give three numbers of at most {LARGEST:.2g}")
    if not _is_direction(turn, 4):
        raise ValueError(f"rotation is {_said(rotation)}; give a quaternion x y z w of four finite numbers that are "
                         "not all 0")
    return tuple(place.tolist()), tuple(_unit(turn).tolist())


def required_direction(direction: ArrayLike) -> Array:
    """A direction, made of length 1. Raises ValueError for one that is none."""
    along = _numbers(direction)
    if not _is_direction(along, 3):
        raise ValueError(f"direction is {_said(direction)}; give three finite numbers that are not all 0")
    return _unit(along)


def required_distance(distance: Any) -> float:
    """How far to look, also endlessly. Raises ValueError for less than 0 and what is no number."""
    found = _numbers(distance)
    if found.shape != () or not found >= 0.0:
        raise ValueError(f"distance is {_said(distance)}; give a number of at least 0, inf for no end")
    return float(found)


def _sizes(name: str, given: ArrayLike, shape: tuple[int, ...], count: str) -> Array:
    sizes = _numbers(given)
    if sizes.shape != shape or not ((sizes > 0.0) & (sizes <= LARGEST)).all():
        raise ValueError(f"{name} is {_said(given)}; give {count} above 0 and of at most {LARGEST:.2g}")
    return sizes


def _numbers(given: ArrayLike) -> Array:
    """Real numbers as an array; one NaN where they are something else."""
    try:
        found = np.asarray(given)
    except ValueError:          # of several lengths
        return np.array(math.nan)
    return found.astype(np.float64) if found.dtype.kind in "iuf" else np.array(math.nan)


def _is_direction(numbers: Array, count: int) -> bool:
    """Whether so many finite numbers are not all 0."""
    return numbers.shape == (count,) and bool(np.isfinite(numbers).all() and numbers.any())


def _unit(numbers: Array) -> Array:
    scaled = numbers / np.abs(numbers).max()        # no square of it is 0 or inf
    unit: Array = scaled / np.linalg.norm(scaled)
    return unit


def _said(given: Any) -> str:
    """What was found, short and in one line."""
    return " ".join(reprlib.repr(given).split())
