"""A step of a scene in PhysX's order: who sleeps leaves its batch, then every actor is solved under its batch's counts.

Batches, and with them iteration counts, are each world's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from physx_runtime.solver.batches import Counts, WorldBatches
from physx_schema.description.model import ActorDescription


class Sharing(Protocol):
    """Actors alike in every world of a scene, whose iteration counts are shared."""

    @property
    def resting(self) -> NDArray[np.bool_]:
        """(n_actor, n_world) which worlds rest."""

    def take(self, counts: Sequence[Counts]) -> None:
        """Be solved under these counts from now on, actor by actor, each world under those that it is listed with."""


class Solved(Protocol):
    """What is solved by one call, in every world of a scene."""

    def write_time(self) -> None:
        """Heed the counts that were taken."""

    def step(self, steps: int) -> None:
        """Advance every world by so many steps."""


Company = Sequence[tuple[Sequence[ActorDescription], Sharing]]      # and what the actors were made of


def step_scene(company: Company, solved: Sequence[Solved], batches: WorldBatches, steps: int) -> None:
    """Advance all worlds of a scene by so many steps."""
    for part in [steps] if batches.constant else repeat(1, steps):
        share_counts(company, solved, batches)
        for one in solved:
            one.step(part)


def share_counts(company: Company, solved: Sequence[Solved], batches: WorldBatches) -> None:
    """Take who sleeps out of what is solved together, world by world, and who woke into it."""
    if batches.settled or not company:
        return
    roots = [described.links[0].path for actors, _ in company for described in actors]
    if batches.rest(roots, np.concatenate([sharing.resting for _, sharing in company])):
        for actors, sharing in company:
            sharing.take([batches.counts(described) for described in actors])
        for one in solved:
            one.write_time()
