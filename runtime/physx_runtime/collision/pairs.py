"""The pairs of shapes whose bounds overlap, with what they remember from step to step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.shape import PAIR, SHAPE

Array = NDArray[Any]


class PairTable:
    """Shapes, which of them may meet, and the pairs whose bounds overlap.

    shapes: of dtype SHAPE. moving: how many bodies forces move; they have the first rows of poses, and shapes of the
    others do not meet each other. meets: by group and group, whether shapes of these groups meet; None where there is
    one group only. apart: pairs of shapes that never meet.
    """

    def __init__(self, shapes: Array, moving: int, meets: NDArray[np.bool_] | None = None,
                 apart: Sequence[tuple[int, int]] = ()) -> None:
        self.shapes = np.ascontiguousarray(shapes, SHAPE)
        self.moving = moving
        self.meets = np.ones((1, 1), np.bool_) if meets is None else meets
        self.apart = np.unique(np.array([min(pair) << 32 | max(pair) for pair in apart], np.int64))
        self.rows = np.zeros(0, PAIR)           # places of pairs; a pair keeps its place while its bounds overlap
        self.touching = np.zeros(0, np.int32)   # rows of the pairs that have contacts, in PhysX's input order
