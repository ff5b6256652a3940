"""Contact forces of the last step as arrows of a live view."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.simulation.contacts import Contacts
from physx_runtime.viewing.robot.forces import contact_arrows
from physx_schema.description.model import Description

SHARE = 0.5             # of the drawing's size: the arrow of a force as large as the weight of everything that moves
STANDARD_GRAVITY = 9.80665      # m/s^2, for stages without gravity
MAX_SHARE = 1.0         # of the drawing's size, for the longest arrow
MIN_SHARE = 0.01        # a shorter arrow is not drawn


@dataclass(frozen=True, slots=True)
class Arrows:
    """Arrows in the world, and the strongest force."""

    points: DoubleArray                 # (n, 2, 3) from the contact along the force that the body gets
    largest: float                      # force unit; 0 without contacts
    body: str                           # prim path of the body that gets it


def arrows(contacts: Contacts, bodies: Sequence[str], length_per_force: float, size: float) -> Arrows:
    """The arrows of a step's contacts, at most 16; size: of the drawing, which bounds their lengths."""
    rows = contact_arrows([contacts], {path: i for i, path in enumerate(bodies)}, 0).rows
    points, forces = rows[:, 1:4], rows[:, 4:]
    sizes = np.linalg.norm(forces, axis=1)
    lengths = np.minimum(length_per_force * sizes, MAX_SHARE * size)
    shown = lengths > MIN_SHARE * size
    ends = points[shown] + forces[shown] * (lengths[shown] / sizes[shown])[:, None]
    strongest = int(np.argmax(sizes)) if len(sizes) else -1
    return Arrows(np.stack([points[shown], ends], axis=1), float(sizes.max(initial=0.0)),
                  bodies[int(rows[strongest, 0])] if len(sizes) else "")


def length_per_force(description: Description, size: float) -> float:
    """The length of an arrow for a unit of force, so that arrows of resting bodies fit a drawing of this size."""
    scene = description.scene
    mass = sum(link.mass for item in description.articulations for link in item.links)
    mass += sum(body.mass for body in description.separate_bodies if not body.kinematic)
    gravity = float(np.linalg.norm(scene.gravity)) or STANDARD_GRAVITY / scene.meters_per_unit
    return SHARE * size / (mass * gravity) if mass > 0.0 else 0.0
