"""The types of numbers, vectors, rows and arrays, each defined once for all rooms.

Functions that numba compiles, functions that are traced and functions on NumPy arrays share their arithmetic. Their
numbers have no type of Python in common: of a scalar the alias says which quantity is meant, and no more.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

# A float, a NumPy number, an array with a value for each world, or a traced symbol.
Scalar: TypeAlias = Any
# A truth value of the same kinds: what a comparison of scalars gives.
Condition: TypeAlias = Any
# An integer of compiled code: of Python, or an int32 or int64 read from an array.
Integer: TypeAlias = Any

# Three scalars x, y, z.
Vec3: TypeAlias = tuple[Scalar, Scalar, Scalar]
# A rotation as a quaternion x, y, z, w.
Quat: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar]
# A matrix by its rows.
Mat3: TypeAlias = tuple[Vec3, Vec3, Vec3]
# A matrix by its columns, as PhysX's PxMat33 and aos::Mat33V.
Matrix3: TypeAlias = tuple[Vec3, Vec3, Vec3]
# A symmetric matrix: xx, yy, zz, xy, xz, yz.
Sym3: TypeAlias = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]
# Position and rotation.
Pose: TypeAlias = tuple[Vec3, Quat]
# Position and rotation, the latter as a matrix.
Frame: TypeAlias = tuple[Vec3, Matrix3]

# An array of any numbers; its shape stands where it is used.
Array: TypeAlias = NDArray[Any]
DoubleArray: TypeAlias = NDArray[np.float64]
SingleArray: TypeAlias = NDArray[np.float32]
# Row numbers, or numbers of worlds, actors, links.
Indices: TypeAlias = NDArray[np.int64]
# A truth value for each row.
Flags: TypeAlias = NDArray[np.bool_]

# Numbers on the host, or an array of any package in a GPU's memory that has __cuda_array_interface__ or DLPack.
DeviceValues: TypeAlias = Any

# One row of a structured array, whose fields compiled code reads as attributes; its dtype stands at its table.
Record: TypeAlias = Any


class Records(Protocol):
    """A table of records: a structured array, of which an index gives a record and a name a column."""

    def __len__(self) -> int: ...

    def __getitem__(self, key: Any, /) -> Any: ...
