"""One step of a scene in PhysX's order, and what it solves together in each world under which iteration counts.

What sleeps leaves its batch; then every actor is solved under its batch's counts.
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

Counts = list[tuple[SolverCounts, Indices]]     # and the worlds that they hold in


class WorldSolverBatches:
    """The objects of a stage that are solved together in each world, where they fall asleep and wake at times of its
    own."""

    def __init__(self, description: Description, worlds: int) -> None:
        start = SolverBatches(description)
        self.constant = start.uniform       # nothing follows from who sleeps
        self._description = description
        self._groups = [(start, np.arange(worlds))]      # worlds in which the same happened so far
        self._asleep: NDArray[np.bool_] | None = None   # as last told

    @property
    def up_to_date(self) -> bool:
        """Whether counts are what they were last told to be, whoever sleeps."""
        return self.constant and self._asleep is not None

    def restart(self, worlds: Indices) -> None:
        """Let worlds begin anew."""
        remaining = [(batches, indices[~np.isin(indices, worlds)]) for batches, indices in self._groups]
        groups = [(SolverBatches(self._description), worlds), *remaining]
        self._groups = [(batches, indices) for batches, indices in groups if len(indices)]
        self._asleep = None

    def update_asleep(self, roots: Sequence[str], asleep: NDArray[np.bool_]) -> bool:
        """Take for asleep the actors with these root links where (n_actor, n_world) says so, all others for awake.

        Returns whether counts may be others than before.
        """
        if self.up_to_date or (self._asleep is not None and np.array_equal(asleep, self._asleep)):
            return False
        self._asleep, groups = asleep, []
        for batches, worlds in self._groups:
            idle = batches.starting_asleep.difference(roots)       # what is not stepped
            patterns, pattern_index = np.unique(asleep[:, worlds], axis=1, return_inverse=True)
            for i, pattern in enumerate(patterns.T):
                group = copy.deepcopy(batches) if i + 1 < patterns.shape[1] else batches
                group.update_sleep(idle.union(root for root, sleeps in zip(roots, pattern, strict=True) if sleeps))
                groups.append((group, worlds[pattern_index.ravel() == i]))
        self._groups = groups
        return True

    def counts(self, actor: ActorDescription) -> Counts:
        """What an actor is solved under and in which worlds; the first world comes last."""
        # counts = max over the actors of a batch  (DyTGSDynamics.cpp, setupArticulations)
        worlds_by_counts: dict[SolverCounts, list[Indices]] = {}
        for batches, worlds in self._groups:
            worlds_by_counts.setdefault(batches.counts(actor), []).append(worlds)
        merged = [(counts, np.sort(np.concatenate(worlds))) for counts, worlds in worlds_by_counts.items()]
        return sorted(merged, key=lambda item: -int(item[1][0]))


class SolverGroup(Protocol):
    """Actors alike in every world of a scene, whose iteration counts are shared."""

    @property
    def asleep_by_world(self) -> NDArray[np.bool_]:
        """(n_actor, n_world) which worlds rest."""

    def set_counts(self, counts: Sequence[Counts]) -> None:
        """Be solved under these counts from now on, actor by actor, each world under those that it is listed with."""


class SteppedGroup(Protocol):
    """What is solved by one call, in every world of a scene."""

    def write_time(self) -> None:
        """Heed the counts that were taken."""

    def step(self, steps: int) -> None:
        """Advance every world by so many steps."""


SolverGroups = Sequence[tuple[Sequence[ActorDescription], SolverGroup]]      # and what the actors were made of


def step_scene(groups: SolverGroups, stepped: Sequence[SteppedGroup], batches: WorldSolverBatches, steps: int) -> None:
    """Advance all worlds of a scene by so many steps."""
    for count in [steps] if batches.constant else repeat(1, steps):
        update_iteration_counts(groups, stepped, batches)
        for group in stepped:
            group.step(count)


def update_iteration_counts(groups: SolverGroups, stepped: Sequence[SteppedGroup], batches: WorldSolverBatches) -> None:
    """Take who sleeps out of what is solved together, world by world, and who woke into it."""
    if batches.up_to_date or not groups:
        return
    roots = [actor.links[0].path for actors, _ in groups for actor in actors]
    if batches.update_asleep(roots, np.concatenate([group_of_actors.asleep_by_world for _, group_of_actors in groups])):
        for actors, group_of_actors in groups:
            group_of_actors.set_counts([batches.counts(actor) for actor in actors])
        for group in stepped:
            group.write_time()
