"""Which bodies press on which in a step, and how much: contacts as a person asks for them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.simulation.contacts import Contacts, Friction
from physx_schema.cli.text import plural

Array = NDArray[Any]
_Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class TouchingPair:
    """Two bodies, or a body and a static collider, that touch in one world."""

    first: str
    second: str
    points: int         # contact points, those that only come near among them
    pressure: float     # force, size of the sum along the normals, a mean over the step
    friction: float     # force, size of the sum of friction

    def __str__(self) -> str:
        where = f"{self.first} touches {self.second} at {plural(self.points, 'point')}"
        return f"{where}: pressed with {self.pressure:.4g}, held by friction of {self.friction:.4g}"


def touching_pairs(contacts: Contacts, world: int = 0) -> list[TouchingPair]:
    """Who presses on whom in a world, the hardest first; who only comes near is not among them."""
    pressed, held, points = dict[_Pair, Array](), dict[_Pair, Array](), dict[_Pair, int]()
    normal = contacts.impulses[:, None] * contacts.normals / contacts.dt
    for pair, turned, force in _of_world(contacts, normal, world):
        pressed[pair] = pressed.get(pair, np.zeros(3)) + turned * force
        points[pair] = points.get(pair, 0) + 1
    for pair, turned, force in _of_world(contacts.friction, contacts.friction.impulses / contacts.dt, world):
        held[pair] = held.get(pair, np.zeros(3)) + turned * force
    sizes = {pair: float(np.linalg.norm(force)) for pair, force in pressed.items()}
    found = [TouchingPair(*pair, points[pair], size, float(np.linalg.norm(held.get(pair, np.zeros(3)))))
             for pair, size in sizes.items() if size > 0.0]
    return sorted(found, key=lambda one: (-one.pressure, one.first, one.second))


def _of_world(found: Contacts | Friction, forces: Array, world: int
              ) -> Iterator[tuple[_Pair, float, Array]]:
    """Both bodies by path, whether the force on the first of them is turned round, and the force, for each row."""
    for (first, second), own, force in zip(found.bodies, found.worlds, forces, strict=True):
        if own == world:
            yield ((first, second), 1.0, force) if first <= second else ((second, first), -1.0, force)
