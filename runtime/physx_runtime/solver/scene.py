"""A step of a scene in PhysX's order: who sleeps leaves its batch, then every actor is solved under its batch's counts.

Batches, and with them iteration counts, are each world's own.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from physx_schema.description.model import ActorDescription, Description
from physx_schema.description.solver_batches import SolverBatches, SolverCounts

Indices = NDArray[np.int64]
Counts = list[tuple[SolverCounts, Indices]]


class Solved(Protocol):
    """An actor in every world of a scene."""

    @property
    def asleep(self) -> NDArray[np.bool_]:
        """(n_world,) which worlds rest."""

    def take(self, counts: Counts) -> None:
        """Be solved under these counts from now on, each world under those that it is listed with."""

    def solve(self, steps: int) -> None:
        """Advance every world by so many steps."""


class WorldBatches:
    """The objects of a stage that are solved together in each world, where they fall asleep and wake at times of its
    own."""

    def __init__(self, description: Description, worlds: int) -> None:
        start = SolverBatches(description)
        self.constant = start.uniform       # nothing follows from who sleeps
        self._description = description
        self._alike = [(start, np.arange(worlds))]      # worlds in which the same happened so far
        self._asleep: NDArray[np.bool_] | None = None   # as last told

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
        if self._asleep is not None and (self.constant or np.array_equal(asleep, self._asleep)):
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
