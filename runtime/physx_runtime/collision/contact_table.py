"""All that a scene says of contacts, in arrays: what stepping needs besides the poses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.pairs import PairTable

Array = NDArray[Any]

# Of one link: its mass frame in F, and its joint seen from the mass frames of its links (dynamics.link_poses).
MASS_FRAME = np.dtype([
    ("center", "f4", 7),            # position, quaternion x y z w; of a link with a joint nothing asks for it
    ("parent", "f4", 3),
    ("child", "f4", 3),
    ("relative", "f4", 4),
    ("axes", "f4", (3, 3)),         # of F, in the link's mass frame
])


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
    mass_frames: Mapping[int, Array]    # by actor, MASS_FRAME of every link of an articulation, the same in all worlds
