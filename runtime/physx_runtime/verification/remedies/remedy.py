"""`Question` finds remedies: the values to author in place of altered numbers, proved by measuring them again."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from physx_runtime.verification.quantity import Findings, Key, Quantity
from physx_runtime.verification.remedies.search import PropertyPath, Search, Trial, solve
from physx_runtime.verification.report import AS_AUTHORED_TOLERANCE, Change, Remedy
from physx_schema.checking.engine.layer_editor import CannotError
from physx_schema.description.model import Description
from physx_schema.description.scenes import SolverCounts

NO_STAGE = "verify was given a description, and remedies need a stage to test values; give verify the stage"
COUNTS = "physxArticulation:solverPositionIterationCount", "physxArticulation:solverVelocityIterationCount"
# Counts of position iterations that are tried where the authored one does not do; 255 is the largest that PhysX takes.
MORE_ITERATIONS = (64, 255)
# Parts of the time step that are tried last.
SHORTER_STEPS = (0.5, 0.25)


class Experiment(Protocol):
    """Measurements that can be repeated on an edited stage."""

    def repeat(self, description: Description, keys: Collection[Key], dt: float | None = None) -> Findings:
        """The findings of these numbers, and of others of the same constraints."""
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """The numbers of one experiment, and those that do not act as authored."""

    experiment: Experiment
    quantities: Sequence[Quantity]          # that it measures
    authored: Mapping[PropertyPath, float]         # in the property's unit
    intended: Mapping[PropertyPath, float]           # what they are meant to come to
    altered: Sequence[PropertyPath]
    counts: SolverCounts | None = None      # of the articulation that it is about

    def remedies(self, trial: Trial) -> Iterator[tuple[PropertyPath, Remedy]]:
        """The remedies of altered numbers, and of those that these would alter."""
        try:
            yield from self._remedies(trial)
        except CannotError as error:
            yield from ((prop, Remedy(None, None, reason="the value cannot be authored in a layer over the stage: "
                                                         f"{error}"))
                        for prop in self.altered)

    def _remedies(self, trial: Trial) -> Iterator[tuple[PropertyPath, Remedy]]:
        solution = _Solution(self, trial, {}, None)
        solution.solve(self.altered)
        for prop, search in solution.searches.items():
            if prop in solution.solved:
                yield prop, Remedy(search.value, search.trials[-1][1])
            elif prop in self.altered:
                yield prop, self._with_settings(trial, prop, search)

    def _with_settings(self, trial: Trial, prop: PropertyPath, search: Search) -> Remedy:
        """A remedy with other settings of the solver, or a failed one."""
        value, reached = search.closest or (None, None)
        failed = Remedy(value, reached, reason=_no_value(search))
        for settings, factor in self._settings():
            dt = None if factor is None or self.dt is None else factor * self.dt
            other = _Solution(self, trial, {(change.path, change.property): change.value for change in settings}, dt)
            other.solve([prop])
            if prop in other.solved:
                last = other.searches[prop]
                return replace(failed, value=last.value, reached=last.trials[-1][1], settings=settings, dt=dt)
        return failed

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
        no_velocity = (Change(path, velocity, 0.0),) if self.counts.velocity else ()
        if no_velocity:
            yield no_velocity, None
        for count in MORE_ITERATIONS:
            if count > self.counts.position:
                yield (Change(path, position, float(count)), *no_velocity), None
        for fraction in SHORTER_STEPS:
            yield no_velocity, fraction


class _Solution:
    """One attempt at the numbers of a question, with settings of the solver in place."""

    def __init__(self, question: Question, trial: Trial, settings: Mapping[PropertyPath, float],
                 dt: float | None) -> None:
        self.question, self.trial, self.settings, self.dt = question, trial, settings, dt
        self.by_property: dict[PropertyPath, list[Quantity]] = {}
        for quantity in question.quantities:
            self.by_property.setdefault((quantity.key.path, quantity.key.property), []).append(quantity)
        self.searches: dict[PropertyPath, Search] = {}
        self.solved: set[PropertyPath] = set()

    def solve(self, props: Collection[PropertyPath]) -> None:
        """Search for values of all these numbers together."""
        self.searches = {prop: self._search(prop) for prop in props}
        self.solved = solve(self.searches, self._measure, self._changed)

    def _search(self, prop: PropertyPath) -> Search:
        intended = self.question.intended[prop]
        lower, upper = (0.0, math.inf) if intended > 0.0 else (-math.inf, 0.0) if intended < 0.0 else (-math.inf,
                                                                                                       math.inf)
        return Search(intended, self.question.authored[prop], self.by_property[prop][0].noise, lower, upper)

    def _changed(self, prop: PropertyPath, effect: float) -> Search | None:
        """The search of a number that others alter; none of what is as authored."""
        if prop not in self.question.intended or self.settings:
            return None
        search = self._search(prop)
        return search if search.error(effect) > AS_AUTHORED_TOLERANCE else None

    def _measure(self, values: Mapping[PropertyPath, float]) -> dict[PropertyPath, float | None]:
        description = self.trial.description_with({**self.settings, **values})
        keys = [quantity.key for prop in values for quantity in self.by_property[prop]]
        findings = self.question.experiment.repeat(description, keys, self.dt)
        effects: dict[PropertyPath, float | None] = dict.fromkeys(values)
        for prop, quantities in self.by_property.items():
            values_of_prop = [quantity.to_stage_unit(findings.values[quantity.key]) for quantity in quantities
                              if quantity.key in findings.values]
            if values_of_prop:
                effects[prop] = 0.5 * (min(values_of_prop) + max(values_of_prop))
        return effects


def _no_value(search: Search) -> str:
    """The reason why a search was given up."""
    if search.closest is None:
        return "the effects of other values cannot be measured"
    value, effect = search.closest
    return f"no value has the effect {search.target:.4g}; the nearest effect is {effect:.4g}, with {value:.4g} authored"
