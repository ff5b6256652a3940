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

from physx_schema.description.model import ActorDescription, Description
from physx_schema.description.scenes import SolverBatches, SolverCounts

Indices = NDArray[np.int64]
Counts = list[tuple[SolverCounts, Indices]]     # and the worlds that they hold in


class WorldBatches:
    """The objects of a stage that are solved together in each world, where they fall asleep and wake at times of its
    own."""

    def __init__(self, description: Description, worlds: int) -> None:
        start = SolverBatches(description)
        self.constant = start.uniform       # nothing follows from who sleeps
        self._description = description
        self._alike = [(start, np.arange(worlds))]      # worlds in which the same happened so far
        self._asleep: NDArray[np.bool_] | None = None   # as last told

    @property
    def settled(self) -> bool:
        """Whether counts are what they were last told to be, whoever sleeps."""
        return self.constant and self._asleep is not None

    def restart(self, worlds: Indices) -> None:
        """Let worlds begin anew."""
        others = [(batches, own[~np.isin(own, worlds)]) for batches, own in self._alike]
        everyone = [(SolverBatches(self._description), worlds), *others]
        self._alike = [(batches, own) for batches, own in everyone if len(own)]
        self._asleep = None

    def rest(self, roots: Sequence[str], asleep: NDArray[np.bool_]) -> bool:
        """Take for asleep the actors with these root links where (n_actor, n_world) says so, all others for awake.

        Returns whether counts may be others than before.
        """
        if self.settled or (self._asleep is not None and np.array_equal(asleep, self._asleep)):
            return False
        self._asleep, found = asleep, []
        for batches, worlds in self._alike:
            never = batches.starting_asleep.difference(roots)       # what is not stepped
            patterns, which = np.unique(asleep[:, worlds], axis=1, return_inverse=True)
            for i, pattern in enumerate(patterns.T):
                own = copy.deepcopy(batches) if i + 1 < patterns.shape[1] else batches
                own.rest(never.union(root for root, sleeps in zip(roots, pattern, strict=True) if sleeps))
                found.append((own, worlds[which.ravel() == i]))
        self._alike = found
        return True

    def counts(self, actor: ActorDescription) -> Counts:
        """What an actor is solved under and in which worlds; the first world comes last."""
        found: dict[SolverCounts, list[Indices]] = {}
        for batches, worlds in self._alike:
            found.setdefault(batches.counts(actor), []).append(worlds)
        joined = [(counts, np.sort(np.concatenate(worlds))) for counts, worlds in found.items()]
        return sorted(joined, key=lambda item: -int(item[1][0]))


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
