"""A step of a scene in PhysX's order: who sleeps leaves its batch, then every actor is solved under its batch's counts.

Batches, and with them iteration counts, are each world's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from physx_runtime.solver.batches import Counts, WorldBatches
from physx_schema.description.model import ActorDescription


class Solved(Protocol):
    """An actor in every world of a scene."""

    @property
    def asleep(self) -> NDArray[np.bool_]:
        """(n_world,) which worlds rest."""

    def take(self, counts: Counts) -> None:
        """Be solved under these counts from now on, each world under those that it is listed with."""

    def solve(self, steps: int) -> None:
        """Advance every world by so many steps."""


def step_scene(actors: Sequence[tuple[ActorDescription, Solved]], batches: WorldBatches, steps: int) -> None:
    """Advance all worlds of a scene by so many steps; actors come with what they were made of."""
    if batches.constant:
        share_counts(actors, batches)
        solve_actors(actors, steps)
        return
    for _ in range(steps):
        share_counts(actors, batches)
        solve_actors(actors, 1)


def share_counts(actors: Sequence[tuple[ActorDescription, Solved]], batches: WorldBatches) -> None:
    """Take who sleeps out of what is solved together, world by world, and who woke into it."""
    roots = [described.links[0].path for described, _ in actors]
    if actors and batches.rest(roots, np.array([actor.asleep for _, actor in actors])):
        for described, actor in actors:
            actor.take(batches.counts(described))


def solve_actors(actors: Sequence[tuple[ActorDescription, Solved]], steps: int) -> None:
    """Solve and move every actor, which no other touches."""
    for _, actor in actors:
        actor.solve(steps)
