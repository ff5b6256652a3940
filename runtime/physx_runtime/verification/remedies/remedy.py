"""Remedies: for every altered number what to author instead, proved by measuring it again."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from physx_runtime.verification.quantity import Findings, Key, Quantity
from physx_runtime.verification.remedies.search import Place, Search, Trial, solve
from physx_runtime.verification.report import AS_AUTHORED_TOLERANCE, Change, Remedy
from physx_schema.checking.engine.layer_editor import CannotError
from physx_schema.description.model import Description
from physx_schema.description.scenes import SolverCounts

NO_STAGE = "a description has no stage to try values on; give verify the stage itself"
COUNTS = "physxArticulation:solverPositionIterationCount", "physxArticulation:solverVelocityIterationCount"
# Counts of position iterations that are tried where the authored one does not do; 255 is the largest that PhysX takes.
MORE_ITERATIONS = (64, 255)
# Parts of the time step that are tried last.
SHORTER_STEPS = (0.5, 0.25)


class Experiment(Protocol):
    """Measurements that can be made again on an edited stage."""

    def again(self, description: Description, wanted: Collection[Key], dt: float | None = None) -> Findings:
        """What is found for these numbers, and for others of the same constraints."""
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """What one experiment measured, and which of it is not as authored."""

    experiment: Experiment
    quantities: Sequence[Quantity]          # that it measures
    authored: Mapping[Place, float]         # in the property's unit
    wanted: Mapping[Place, float]           # what they are meant to come to
    altered: Sequence[Place]
    counts: SolverCounts | None = None      # of the articulation that it is about

    def remedies(self, trial: Trial) -> Iterator[tuple[Place, Remedy]]:
        """The remedies of what is altered, and of what these would alter."""
        try:
            yield from self._remedies(trial)
        except CannotError as error:
            yield from ((place, Remedy(None, None, reason=f"it cannot be authored above the stage: {error}"))
                        for place in self.altered)

    def _remedies(self, trial: Trial) -> Iterator[tuple[Place, Remedy]]:
        found = _Solution(self, trial, {}, None)
        found.solve(self.altered)
        for place, search in found.searches.items():
            if place in found.solved:
                yield place, Remedy(search.value, search.tried[-1][1])
            elif place in self.altered:
                yield place, self._elsewhere(trial, place, search)

    def _elsewhere(self, trial: Trial, place: Place, search: Search) -> Remedy:
        """A remedy by other settings of the solver, or that there is none."""
        near, reached = search.nearest or (None, None)
        without = Remedy(near, reached, reason=_no_value(search))
        for settings, factor in self._settings():
            dt = None if factor is None or self.dt is None else factor * self.dt
            other = _Solution(self, trial, {(change.path, change.property): change.value for change in settings}, dt)
            other.solve([place])
            if place in other.solved:
                last = other.searches[place]
                return replace(without, value=last.value, reached=last.tried[-1][1], settings=settings, dt=dt)
        return without

    @property
    def dt(self) -> float | None:
        """The time step, s."""
        return getattr(self.experiment, "dt", None)

    def _settings(self) -> Iterator[tuple[tuple[Change, ...], float | None]]:
        """What to try, the least change first: no velocity iterations, more for position, shorter steps."""
        if self.counts is None:
            return
        position, velocity = (name for name in COUNTS)
        path = self.counts.path
        still = (Change(path, velocity, 0.0),) if self.counts.velocity else ()
        if still:
            yield still, None
        for count in MORE_ITERATIONS:
            if count > self.counts.position:
                yield (Change(path, position, float(count)), *still), None
        for part in SHORTER_STEPS:
            yield still, part


class _Solution:
    """One attempt at the numbers of a question, with settings of the solver in place."""

    def __init__(self, question: Question, trial: Trial, settings: Mapping[Place, float], dt: float | None) -> None:
        self.question, self.trial, self.settings, self.dt = question, trial, settings, dt
        self.by_place: dict[Place, list[Quantity]] = {}
        for quantity in question.quantities:
            self.by_place.setdefault((quantity.key.path, quantity.key.property), []).append(quantity)
        self.searches: dict[Place, Search] = {}
        self.solved: set[Place] = set()

    def solve(self, places: Collection[Place]) -> None:
        """Seek all of these at once."""
        self.searches = {place: self._search(place) for place in places}
        self.solved = solve(self.searches, self._measure, self._changed)

    def _search(self, place: Place) -> Search:
        wanted = self.question.wanted[place]
        lower, upper = (0.0, math.inf) if wanted > 0.0 else (-math.inf, 0.0) if wanted < 0.0 else (-math.inf, math.inf)
        return Search(wanted, self.question.authored[place], self.by_place[place][0].noise, lower, upper)

    def _changed(self, place: Place, effect: float) -> Search | None:
        """The search of a number that others alter; none of what is as authored."""
        if place not in self.question.wanted or self.settings:
            return None
        search = self._search(place)
        return search if search.error(effect) > AS_AUTHORED_TOLERANCE else None

    def _measure(self, values: Mapping[Place, float]) -> dict[Place, float | None]:
        description = self.trial.described({**self.settings, **values})
        keys = [quantity.key for place in values for quantity in self.by_place[place]]
        found = self.question.experiment.again(description, keys, self.dt)
        effects: dict[Place, float | None] = dict.fromkeys(values)
        for place, quantities in self.by_place.items():
            several = [quantity.on_stage(found.values[quantity.key]) for quantity in quantities
                       if quantity.key in found.values]
            if several:
                effects[place] = 0.5 * (min(several) + max(several))
        return effects


def _no_value(search: Search) -> str:
    """Why a search was given up."""
    if search.nearest is None:
        return "nothing can be measured with another value"
    value, effect = search.nearest
    return f"no value gives {search.wanted:.4g}: the nearest is {effect:.4g}, with {value:.4g} authored"
