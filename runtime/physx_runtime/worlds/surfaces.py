"""How the surfaces of pairs answer each other."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.collision.contact_table import ContactTable

Array = NDArray[Any]


def surfaces_of(table: ContactTable, a: Array, b: Array, side0: Array, side1: Array) -> Array:
    """(n, 11) of pairs of shapes, in the order of `model.contact.SURFACE`; sides: the places of both."""
    shapes = table.pairs.shapes
    found = table.surfaces[shapes["material"][a], shapes["material"][b]]
    columns = [found["static_friction"], found["dynamic_friction"], found["restitution"],
               np.full(len(a), table.bounce_threshold), found["stiffness"], found["damping"],
               found["acceleration_spring"],
               functools.reduce(np.minimum, (table.max_depenetration[side] for side in (side0, side1))),
               functools.reduce(np.minimum, (table.max_impulse[side] for side in (side0, side1))),
               np.maximum(table.torsion_radius[a], table.torsion_radius[b]),
               np.maximum(table.min_torsion_radius[a], table.min_torsion_radius[b])]
    return np.stack(columns, axis=-1)
