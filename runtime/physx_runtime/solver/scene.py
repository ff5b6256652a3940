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
    """Actors that are solved by one call, in every world of a scene."""

    @property
    def resting(self) -> NDArray[np.bool_]:
        """(n_actor, n_world) which worlds rest."""

    def take(self, counts: Sequence[Counts]) -> None:
        """Be solved under these counts from now on, actor by actor, each world under those that it is listed with."""

    def solve(self, steps: int) -> None:
        """Advance every world by so many steps."""


Solving = Sequence[tuple[Sequence[ActorDescription], Solved]]       # and what the actors were made of


def step_scene(solving: Solving, batches: WorldBatches, steps: int) -> None:
    """Advance all worlds of a scene by so many steps."""
    if batches.constant:
        share_counts(solving, batches)
        solve_actors(solving, steps)
        return
    for _ in range(steps):
        share_counts(solving, batches)
        solve_actors(solving, 1)


def share_counts(solving: Solving, batches: WorldBatches) -> None:
    """Take who sleeps out of what is solved together, world by world, and who woke into it."""
    if batches.settled or not solving:
        return
    roots = [described.links[0].path for actors, _ in solving for described in actors]
    if batches.rest(roots, np.concatenate([solved.resting for _, solved in solving])):
        for actors, solved in solving:
            solved.take([batches.counts(described) for described in actors])


def solve_actors(solving: Solving, steps: int) -> None:
    """Solve and move every actor, which no other touches."""
    for _, solved in solving:
        solved.solve(steps)
