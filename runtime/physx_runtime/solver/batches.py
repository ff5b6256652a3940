"""One step of a scene in PhysX's order, with the iteration counts of the objects that are solved together.

`step_scene` steps all actors under the counts of their batches. `WorldSolverBatches` keeps the batches of each world:
sleeping actors leave them, and no longer contribute their iteration counts.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import repeat
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import Indices
from physx_schema.description.model import ActorDescription, Description
from physx_schema.description.scenes import SolverBatches, SolverCounts

Counts = list[tuple[SolverCounts, Indices]]     # and the worlds that have them


class WorldSolverBatches:
    """Batches of the objects of a stage that are solved together; sleep differs from world to world."""

    def __init__(self, description: Description, worlds: int) -> None:
        start = SolverBatches(description)
        self.constant = start.uniform       # sleep does not change the counts
        self._description = description
        self._groups = [(start, np.arange(worlds))]      # groups of worlds with the same history
        self._asleep: NDArray[np.bool_] | None = None   # as last updated

    @property
    def up_to_date(self) -> bool:
        """Whether counts are up to date, also after changes of sleep."""
        return self.constant and self._asleep is not None

    def restart(self, worlds: Indices) -> None:
        """Reset the batches of these worlds."""
        if self.constant:
            return
        remaining = [(batches, indices[~np.isin(indices, worlds)]) for batches, indices in self._groups]
        groups = [(SolverBatches(self._description), worlds), *remaining]
        self._groups = [(batches, indices) for batches, indices in groups if len(indices)]
        self._asleep = None

    def update_asleep(self, roots: Sequence[str], asleep: NDArray[np.bool_]) -> bool:
        """Mark the actors with these root links as asleep by (n_actor, n_world); all others are awake.

        Returns whether counts may have changed.
        """
        if self.up_to_date or (self._asleep is not None and np.array_equal(asleep, self._asleep)):
            return False
        self._asleep = asleep
        groups = dict[object, tuple[SolverBatches, list[Indices]]]()
        for batches, worlds in self._groups:
            idle = batches.starting_asleep.difference(roots)       # actors that are not stepped
            patterns, pattern_index = np.unique(asleep[:, worlds], axis=1, return_inverse=True)
            for i, pattern in enumerate(patterns.T):
                group = copy.deepcopy(batches) if i + 1 < patterns.shape[1] else batches
                group.update_sleep(idle.union(root for root, sleeps in zip(roots, pattern, strict=True) if sleeps))
                # worlds that were reset at different times join again once their islands are in the same order
                groups.setdefault(group.state, (group, []))[1].append(worlds[pattern_index.ravel() == i])
        self._groups = [(group, np.concatenate(parts)) for group, parts in groups.values()]
        return True

    def counts(self, actor: ActorDescription) -> Counts:
        """The iteration counts of an actor, each with its worlds; that of the first world comes last."""
        # counts = max over the actors of a batch  (DyTGSDynamics.cpp, setupArticulations)
        worlds_by_counts: dict[SolverCounts, list[Indices]] = {}
        for batches, worlds in self._groups:
            worlds_by_counts.setdefault(batches.counts(actor), []).append(worlds)
        merged = [(counts, np.sort(np.concatenate(worlds))) for counts, worlds in worlds_by_counts.items()]
        return sorted(merged, key=lambda item: -int(item[1][0]))


class SolverGroup(Protocol):
    """Actors of one structure in all worlds of a scene, whose iteration counts are shared."""

    @property
    def asleep_by_world(self) -> NDArray[np.bool_]:
        """(n_actor, n_world) mask of sleeping actors."""

    def set_counts(self, counts: Sequence[Counts]) -> None:
        """Set the iteration counts by actor, each with the worlds that have them."""


class SteppedGroup(Protocol):
    """Actors that are stepped by one call, in all worlds of a scene."""

    def write_time(self) -> None:
        """Write the step times of the current counts."""

    def step(self, steps: int) -> None:
        """Advance all worlds by `steps` steps."""


SolverGroups = Sequence[tuple[Sequence[ActorDescription], SolverGroup]]      # and the descriptions of the actors


def step_scene(groups: SolverGroups, stepped: Sequence[SteppedGroup], batches: WorldSolverBatches, steps: int) -> None:
    """Advance all worlds of a scene by `steps` steps."""
    for count in [steps] if batches.constant else repeat(1, steps):
        update_iteration_counts(groups, stepped, batches)
        for group in stepped:
            group.step(count)


def update_iteration_counts(groups: SolverGroups, stepped: Sequence[SteppedGroup], batches: WorldSolverBatches) -> None:
    """Remove sleeping actors from their batches, world by world, and add awake ones."""
    if batches.up_to_date or not groups:
        return
    roots = [actor.links[0].path for actors, _ in groups for actor in actors]
    if batches.update_asleep(roots, np.concatenate([group_of_actors.asleep_by_world for _, group_of_actors in groups])):
        for actors, group_of_actors in groups:
            group_of_actors.set_counts([batches.counts(actor) for actor in actors])
        for group in stepped:
            group.write_time()
