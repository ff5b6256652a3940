"""All that a scene says of contacts, in arrays: what stepping needs besides the poses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from physx_runtime.collision.pairs import PairTable

Array = NDArray[Any]


@dataclass(slots=True)
class ContactTable:
    """Colliders and surfaces of all worlds."""

    pairs: PairTable
    places: Array               # PLACE, a row for each of the poses that shapes are placed in
    surfaces: Array             # SURFACE, (materials, materials)
    max_depenetration: Array    # of each place; the smaller of a pair counts
    max_impulse: Array          # of each place; the smaller counts
    torsion_radius: Array       # of each shape; the larger counts
    min_torsion_radius: Array
    bounce_threshold: float
    friction_offset: float      # contacts farther apart get no friction anchor
    correlation: float          # friction anchors that have parted so far are given up
