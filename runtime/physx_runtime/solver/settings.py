"""Settings of a step: of the scene, of actors, and in which batches they are solved.

How many iterations a step takes: as authored, or so many that the solver no longer shows.

A step of a scene in PhysX's order: who sleeps leaves its batch, then every actor is solved under its batch's counts.

Batches, and with them iteration counts, are each world's own.

Articulations and rigid bodies behind one interface: the parts of a step that are named alike for both.

`begin` once, then position iterations of `solve` and `move`, velocity iterations of `solve` alone, and `finish`. What
is between actors changes their velocities by the `Response` that each gave it at the start.

What PhysX solves together in each world, under which iteration counts; it changes as actors sleep and wake.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import Force, Motion
from physx_runtime.language.ops import Rows, Scalar
from physx_runtime.model.topology import SAPIEN, ActorTopology, BodyTopology
from physx_runtime.solver.articulation import response
from physx_runtime.solver.articulation import step as articulation
from physx_runtime.solver.body import step as body
from physx_runtime.solver.response import Response
from physx_schema.description.model import ActorDescription, Description
from physx_schema.description.scenes import SolverBatches, SolverCounts

SOLVERS = ("physx", "ideal", SAPIEN)
# "ideal": enough position iterations that halving h changes a response by less than 1e-3, and no velocity iterations.
IDEAL_ITERATIONS = 1024
# Share of a position error that one TGS iteration, or PGS step, takes away at most (DyCpuGpuArticulation.h).
TGS_BIAS, PGS_BIAS = 0.9, 0.8
# Rows that soften constraints and leave out or round small turns as PhysX does; 0 in the ideal.
SOFTENING = ("cfm_scale", "least_response", "least_turn", "single_turn")


class _Model(Protocol):
    @property
    def topology(self) -> ActorTopology: ...
    @property
    def position_iterations(self) -> int: ...
    @property
    def velocity_iterations(self) -> int: ...


@dataclass(frozen=True, slots=True)
class SolverSettings:
    """Iteration counts, and whether constraints are softened by cfm and small turns left out as PhysX does."""

    position_iterations: int
    velocity_iterations: int
    softened: bool
    pgs: bool = False

    def under(self, position: int, velocity: int) -> SolverSettings:
        """The settings for other counts; the ideal keeps to its own."""
        return _as_counted(position, velocity, self.pgs) if self.softened else self

    def rows(self, dt: float) -> dict[str, float]:
        """The step's rows of time [s] and bias: TGS iterations share dt, PGS iterations count for all of it."""
        n = self.position_iterations
        if self.pgs:
            return {"dt": dt, "h": dt, "erp": PGS_BIAS}
        return {"dt": dt, "h": dt / n, "erp": min(TGS_BIAS, 2.0 / math.sqrt(n))}


def solver_settings(solver: str, model: _Model) -> SolverSettings:
    """Settings of solver="physx" or "sapien-3.0" (as authored) or "ideal" (many iterations, no velocity iterations,
    no cfm).

    PGS takes one velocity iteration where none is authored. Raises ValueError for another name.
    """
    if required_solver(solver) == "ideal":
        return SolverSettings(IDEAL_ITERATIONS, 0, False)
    return _as_counted(model.position_iterations, model.velocity_iterations, model.topology.pgs)


def required_solver(solver: str) -> str:
    """The name of a solver. Raises ValueError for what is none."""
    if solver not in SOLVERS:
        raise ValueError(f"solver is {solver!r}; allowed are {', '.join(map(repr, SOLVERS))}")
    return solver


def _as_counted(position: int, velocity: int, pgs: bool) -> SolverSettings:
    return SolverSettings(position, max(velocity, int(pgs)), True, pgs)


Made = dict[str, list[Scalar]]


def begin(t: ActorTopology, rows: Rows) -> Made:
    """Everything computed once at the step's start."""
    return body.begin(t, rows) if isinstance(t, BodyTopology) else articulation.begin(t, rows)


def respond(t: ActorTopology, start: Rows, begun: Rows, link: int, impulse: Force) -> Response:
    """How the actor answers a unit impulse on a link, given about its centre of mass; world axes.

    start: the rows at the step's start. begun: what `begin` made of them. link: 0 of a rigid body.
    """
    if isinstance(t, BodyTopology):
        return body.respond(start, begun, impulse)
    return response.respond(t, start, begun, link, impulse)


def iterate(t: ActorTopology, rows: Rows, final: bool) -> Made:
    """One position iteration, or with `final` one velocity iteration, which moves nothing."""
    made = solve(t, rows, final)
    return made if final else made | move(t, rows, made.get("v", list(rows["v"])))


def solve(t: ActorTopology, rows: Rows, final: bool) -> Made:
    """The velocity after an iteration's forces and the actor's own constraints, where it has any."""
    return body.solve(t, rows, final) if isinstance(t, BodyTopology) else articulation.solve(t, rows, final)


def move(t: ActorTopology, rows: Rows, v: Sequence[Scalar]) -> Made:
    """The motion of one position iteration at the generalised velocity v."""
    return body.move(t, rows, v) if isinstance(t, BodyTopology) else articulation.move(t, rows, v)


def finish(t: ActorTopology, rows: Rows) -> Made:
    """What is left at the step's end; divergence and sleeping come after it."""
    return body.finish(t, rows) if isinstance(t, BodyTopology) else articulation.finish(t, rows)


def mean_motions(t: ActorTopology, rows: Rows) -> list[tuple[Motion, sp.Mat3]]:
    """Per link, the velocity that moved its centre of mass over the step, and the rotation of F."""
    return [body.mean_motion(t, rows)] if isinstance(t, BodyTopology) else response.mean_motions(t, rows)


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
