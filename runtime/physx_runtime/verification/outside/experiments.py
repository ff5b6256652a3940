"""All experiments on the joints outside articulations of a stage; joints that are alike are measured once."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TypeVar

from physx_runtime.solver.settings import IDEAL_ITERATIONS
from physx_runtime.verification.bench import IDEAL, PHYSX, POSITION_ONLY, POSITION_ONLY_HARD, Solver
from physx_runtime.verification.families import NEGLIGIBLE_CAUSE
from physx_runtime.verification.outside.bench import PRESSING
from physx_runtime.verification.outside.bounces import measure_bounces
from physx_runtime.verification.outside.breaking import measure_breaking
from physx_runtime.verification.outside.couplings import measure_coupling
from physx_runtime.verification.outside.drives import measure_outside_drives
from physx_runtime.verification.outside.isolation import Isolated, isolated
from physx_runtime.verification.outside.limits import bounds_of, measure_bounds
from physx_runtime.verification.quantity import Findings, Key
from physx_schema.cli.text import plural
from physx_schema.description.model import Description, OutsideJoint
from physx_schema.description.solver_batches import SolverCounts, held_counts

V = TypeVar("V", float, str)
EXPERIMENTS = (measure_outside_drives, measure_bounds, measure_bounces, measure_breaking, measure_coupling)
SLACK = "PhysX lets distances go 0.025 m beyond their bounds before it pulls"
RESTS_BEYOND = f"pressed as by its own weight, with {PRESSING:g} m/s^2 or rad/s^2, it rests beyond it"


class OutsideStage:
    """The joints outside articulations of a stage, and what was found of those that are alike."""

    def __init__(self, description: Description, dt: float) -> None:
        self.description, self.dt = description, dt
        self._counts = held_counts(description)
        self._found: dict[object, tuple[str, Findings]] = {}

    def experiments(self) -> list[OutsideExperiments]:
        """Those on every joint that holds something that moves, joints of one structure one after another."""
        return sorted(self._every(), key=lambda item: _structure(item.joint))

    def _every(self) -> Iterator[OutsideExperiments]:
        for joint in self.description.separate_joints:
            held = [self._counts[body] for body in (joint.body0, joint.body1) if body in self._counts]
            if held:
                yield OutsideExperiments(self, joint, held[0])

    def found(self, held: Isolated) -> Findings:
        """What all experiments on a joint find."""
        path = held.joint.path
        if held.key not in self._found:
            self._found[held.key] = path, _measured(held)
        first, findings = self._found[held.key]
        return findings if first == path else _renamed(findings, path)

    def alone(self, joint: OutsideJoint, solver: Solver) -> Isolated:
        """A joint with what it holds and nothing else."""
        return isolated(self.description, joint, self._counts, self.dt, solver)


@dataclass(slots=True)
class OutsideExperiments:
    """The measurements on one joint outside articulations."""

    stage: OutsideStage
    joint: OutsideJoint
    counts: SolverCounts        # of the first thing it holds that moves
    _found: dict[Solver, Findings] = field(default_factory=dict)

    @property
    def description(self) -> Description:
        """The stage's."""
        return self.stage.description

    def alone(self) -> Isolated:
        """The joint with what it holds, as authored."""
        return self.stage.alone(self.joint, PHYSX)

    def found(self, solver: Solver) -> Findings:
        """What is measured under a solver."""
        if solver not in self._found:
            self._found[solver] = self.stage.found(self.stage.alone(self.joint, solver))
        return self._found[solver]

    def again(self, description: Description, wanted: Collection[Key], dt: float | None = None) -> Findings:
        """What PhysX makes of the numbers of the joint on an edited stage; all of them, whichever are wanted."""
        stage = OutsideStage(description, dt or self.stage.dt)
        same = (item for item in stage.experiments() if item.joint.path == self.joint.path)
        return next((item.found(PHYSX) for item in same), Findings())

    def causes(self, key: Key, described: float) -> Iterator[str]:
        """What turns a described value into the effective one."""
        if key in {bound.key for bound in bounds_of(self.alone())}:
            yield SLACK if self.joint.kind == "distance" else RESTS_BEYOND
            return
        counts = self.counts
        steps: list[tuple[float | None, str]] = [
            (described, ""),
            (self.found(IDEAL).values.get(key), f"even at {IDEAL_ITERATIONS} position iterations"),
            (self.found(POSITION_ONLY_HARD).values.get(key),
             f"PhysX solves the joint in {plural(counts.position, 'position iteration')}"),
            (self.found(POSITION_ONLY).values.get(key), "the links' cfmScale softens it"),
            (self.found(PHYSX).values.get(key), f"in {plural(counts.velocity, 'velocity iteration')} drives rest"),
        ]
        for (before, _), (after, text) in pairwise([step for step in steps if step[0] is not None]):
            if before and after is not None and abs(after / before - 1.0) > NEGLIGIBLE_CAUSE:
                yield f"{text} (x{after / before:.3g})"


def _structure(joint: OutsideJoint) -> str:
    """Joints with which it is alike are solved by the same code."""
    axes = [(axis.axis, axis.drive is None, math.isfinite(axis.lower), axis.limit_stiffness > 0.0)
            for axis in joint.axes]
    return str((joint.kind, joint.body0 == "", joint.body1 == "", math.isfinite(joint.break_force), axes))


def _measured(held: Isolated) -> Findings:
    """All that is found of a joint; where it is not stepped at all, why, of every number."""
    found = Findings()
    for measure in EXPERIMENTS:
        part = measure(held)
        found.values |= part.values
        found.errors |= part.errors
        found.failures |= part.failures
        found.notes |= part.notes
    return found


def _renamed(findings: Findings, path: str) -> Findings:
    """The same of a joint of another name."""

    def own(found: dict[Key, V]) -> dict[Key, V]:
        return {key._replace(path=path): value for key, value in found.items()}

    return Findings(own(findings.values), own(findings.errors), own(findings.failures), own(findings.notes))
