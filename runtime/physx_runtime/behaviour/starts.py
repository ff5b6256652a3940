"""`start_overlaps` measures bodies that start inside each other or in the ground, and the force between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from physx_runtime.behaviour.motion import Motion
from physx_runtime.simulation.contacts import Contacts
from physx_schema.description.model import Description

# Least depth of a reported overlap, m: less is rounding of an asset, and disappears within a few steps.
DEPTH_TOLERANCE = 1e-3
# Least vertical part of the normal with which a lift separates the two.
UPRIGHT = 0.7


@dataclass(frozen=True, slots=True)
class StartOverlap:
    """Two bodies, or a body and a static collider, that overlap at the start."""

    first: str                  # the body; of two, the first in the order of `Motion.body_names`
    second: str                 # the other body, or a static collider
    depth: float                # length, of the deepest point
    normal: tuple[float, float, float]      # at that point, from the second to the first
    force: float                # greatest mean force of a step between the two in the first half second
    last_force: float           # in the last step
    colliders: tuple[str, str]
    is_static: bool             # whether the second one is static
    is_upright: bool            # whether a lift of the first body separates them
    one_actor: str              # the articulation with both as links, "" without one


def start_overlaps(description: Description, motion: Motion) -> Iterator[StartOverlap]:
    """Return the pairs with contacts of the first step deeper than rounding."""
    start = motion.contacts[0]
    moving = set(motion.body_names) - {body.path for body in description.separate_bodies if body.kinematic}
    owners = {link.path: item.path for item in description.articulations for link in item.links}
    meters = description.scene.meters_per_unit
    deepest: dict[tuple[str, str], int] = {}
    for row, pair in enumerate(start.bodies):
        if start.separations[row] < -DEPTH_TOLERANCE / meters and (
                pair not in deepest or start.separations[row] < start.separations[deepest[pair]]):
            deepest[pair] = row
    order = {path: index for index, path in enumerate(motion.body_names)}
    up = "XYZ".index(description.scene.up_axis)
    for (first, second), row in sorted(deepest.items()):
        is_first = first in moving and (second not in moving or order[first] < order[second])
        normal = tuple(float(x) * (1.0 if is_first else -1.0) for x in start.normals[row])
        body, other = (first, second) if is_first else (second, first)
        pair = start.pairs[row] if is_first else start.pairs[row][::-1]
        forces = [_force(contacts, {first, second}) for contacts in motion.contacts]
        owner = owners.get(body, "")
        yield StartOverlap(body, other, -float(start.separations[row]), (normal[0], normal[1], normal[2]),
                           max(forces[:-1]), forces[-1], (pair[0], pair[1]), other not in moving,
                           abs(normal[up]) >= UPRIGHT, owner if owner and owner == owners.get(other) else "")


def _force(contacts: Contacts, bodies: set[str]) -> float:
    """Return the size of the mean normal force of a step between two bodies, over all contact points."""
    rows = [row for row, pair in enumerate(contacts.bodies) if set(pair) == bodies]
    if not rows:
        return 0.0
    return float(np.linalg.norm(contacts.impulses[rows, None] * contacts.normals[rows], axis=1).sum() / contacts.dt)


def touched_articulations(description: Description, motion: Motion) -> frozenset[str]:
    """Return articulations with joints that a contact may hold in the last step.

    The contact is between two of their links, or at a link of a fixed-base articulation. Contacts of a robot on its
    feet are left out: its drives carry it.
    """
    last = motion.contacts[-1]
    pairs = {pair for row, pair in enumerate(last.bodies) if last.impulses[row] > 0.0}
    links = {item.path: {link.path for link in item.links} for item in description.articulations}
    return frozenset(item.path for item in description.articulations for pair in pairs
                     if links[item.path].issuperset(pair) or (
                         item.fixed_base and not links[item.path].isdisjoint(pair)))
