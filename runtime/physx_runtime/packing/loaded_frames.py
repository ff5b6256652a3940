"""Frames as PhysX keeps them: in single precision, of joints outside articulations seen from the centre of mass.

What that rounds, some 6e-8 m, no change of a scene's start shows; a joint takes it back within a substep. A quarter
turn is longer than 1 by 1e-7, which tilts planes.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.dynamics import rounded
from physx_runtime.dynamics import spatial as sp
from physx_runtime.packing.frames import Frame


def loaded(frame: Frame) -> Frame:
    """A frame as the loader hands it on, of length 1 as single precision has it (PxTransform::getNormalized)."""
    return _plain(_single(frame))


def loaded_rotations(rotations: NDArray[Any]) -> NDArray[np.float32]:
    """Quaternions (..., 4) likewise."""
    x, y, z, w = np.moveaxis(rotations.astype(np.float32), -1, 0)
    factor = np.float32(1.0) / np.sqrt(x * x + y * y + z * z + w * w)
    return np.stack([x * factor, y * factor, z * factor, w * factor], axis=-1)


def against_center(frame: Frame, center: Frame) -> Frame:
    """A joint frame seen from the centre of mass and its principal axes, both in the body's prim (JointT, c2b)."""
    (place, rotation), (middle, axes) = _single(frame), _single(center)
    back = sp.conjugate(axes)
    return _plain((rounded.turned(back, sp.sub(place, middle)), rounded.product(back, rotation)))


def _single(frame: Frame) -> Frame:
    position, rotation = frame
    px, py, pz = _numbers(position)
    x, y, z, w = _numbers(rotation)
    factor = np.float32(1.0) / np.sqrt(x * x + y * y + z * z + w * w)
    return (px, py, pz), (x * factor, y * factor, z * factor, w * factor)


def _numbers(values: Any) -> list[Any]:
    return [np.float32(value) for value in values]


def _plain(frame: Frame) -> Frame:
    (px, py, pz), (x, y, z, w) = frame
    return (float(px), float(py), float(pz)), (float(x), float(y), float(z), float(w))
