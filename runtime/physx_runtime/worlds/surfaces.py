"""How the surfaces of pairs answer each other."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.contact_table import ContactTable
from physx_runtime.compiling.scalar_code import borrowing_entry
from physx_runtime.model.contact import SURFACE

Array = NDArray[Any]


def surfaces_of(table: ContactTable, patches: Array) -> Array:
    """(n, 11) of patches of pairs of the table, in the order of `model.contact.SURFACE`."""
    found = np.empty((len(patches), len(SURFACE)))
    _fill_surfaces(patches, table.pairs.rows, table.pairs.shapes, table.surfaces, table.bounce_threshold,
          table.max_depenetration, table.max_impulse, table.torsion_radius, table.min_torsion_radius, found)
    return found


@borrowing_entry
def _fill_surfaces(patches: Any, pairs: Any, shapes: Any, surfaces: Any, bounce_threshold: Any, max_depenetration: Any,
                   max_impulse: Any, torsion_radius: Any, min_torsion_radius: Any, found: Any) -> None:
    for k in range(len(patches)):
        patch, own = patches[k], found[k]
        a, b = pairs[patch.pair].shape0, pairs[patch.pair].shape1
        both = surfaces[shapes[a].material, shapes[b].material]
        own[0], own[1], own[2], own[3] = both.static_friction, both.dynamic_friction, both.restitution, bounce_threshold
        own[4], own[5], own[6] = both.stiffness, both.damping, both.acceleration_spring
        own[7] = min(max_depenetration[patch.side0], max_depenetration[patch.side1])
        own[8] = min(max_impulse[patch.side0], max_impulse[patch.side1])
        own[9] = max(torsion_radius[a], torsion_radius[b])
        own[10] = max(min_torsion_radius[a], min_torsion_radius[b])
