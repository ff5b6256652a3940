"""`tune` finds the gains with which drives, tendons, mimic joints and links reach target motions, and proves them by
experiment.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from physx_runtime.packing.not_simulated import require_accepted
from physx_runtime.simulation.arguments import required_time
from physx_runtime.verification.bench import Bench, stripped
from physx_runtime.verification.quantity import RADIANS_PER_DEGREE, UnsteadyError
from physx_runtime.verification.remedies.search import PropertyPath, Search, Trial, edits_of, solve
from physx_runtime.verification.report import Change
from physx_runtime.verification.tuning.motion import (
    DRIVE,
    LINK,
    MIMIC,
    Subject,
    TuningTarget,
    drive_of,
    motion_of,
    resolve_targets,
)
from physx_schema.checking.engine.layer_editor import LayerEditor
from physx_schema.description import describe
from physx_schema.description.model import Articulation, Description
from physx_schema.description.scenes import SolverBatches, with_solver_counts
from physx_schema.description.stages import StageSource, open_stage
from physx_schema.field_text import fields_repr
from physx_schema.former_names import former_attribute, former_keyword

# Of gains that follow from others.
DIGITS = 5
# What shrinks as the stiffness grows.
_DECREASING = ("settling_time", "sag")
# Whose motion, and which number of it.
TargetKey = tuple[Subject, str]


@dataclass(frozen=True, slots=True)
class Tuned:
    """One tuning target, and the value that the stage reaches with the changed gains."""

    path: str               # as the target names it
    name: str               # "natural_frequency"
    target: float
    reached: float | None   # measured with the changes; the nearest where the target cannot be reached
    reason: str = ""        # why it cannot be reached; empty where it can

    __repr__ = fields_repr
    wanted = former_attribute("wanted", "target")


@dataclass(frozen=True, slots=True)
class Tuning:
    """The changes with which a stage reaches its tuning targets."""

    changes: tuple[Change, ...]
    results: tuple[Tuned, ...]

    @property
    def feasible(self) -> bool:
        """Whether the stage reaches every target."""
        return not any(item.reason for item in self.results)

    def author(self, stage: Any) -> None:
        """Author the changes in the root layer of the stage. Raises CannotError if a change cannot be authored; the
        stage is then unchanged."""
        editor = LayerEditor(stage, override=True)
        edits = [edit for change in self.changes for edit in edits_of(
            stage, (change.path, change.property), change.value)]
        for step in editor.steps(edits):
            step(editor.layer)


@former_keyword("wishes", "targets")
def tune(stage: StageSource, targets: Mapping[str, TuningTarget], dt: float = 1 / 60) -> Tuning:
    """Find the gains with which a stage reaches motion targets in PhysX, at its iteration counts.

    The stage is not changed; call `author` of the result to write the gains.

    Targets: `natural_frequency` in rad/s and `damping_ratio` describe the discrete motion from step to step. The motion
    of a drive is measured with all other joints fixed; the motion of a tendon is measured with all joints free.
    `settling_time` in seconds is the time until 2 % of a deviation remains. With a settling time, the damping ratio is
    1 unless you also give a damping ratio as target. `sag` in degrees or length units is the distance of a driven joint
    from its target position at rest under gravity. `tip_stiffness` in force per length is the smallest stiffness of a
    link in any direction. For `tip_stiffness`, one common factor multiplies the gains of all drives that move the link.

    Example::

        tuning = physx_runtime.tune("arm.usda", {"/Robot/elbow": {"natural_frequency": 30.0, "damping_ratio": 0.7}})
        tuning.changes

    Args:
        stage: A stage or a file.
        targets: {path of a joint, tendon, mimic joint or link: target values}. A joint's path selects its drive. If
            the joint has several axes, path:axis selects the drive of an axis. For a mimic
            joint or a tendon (with the path of its root), give path:instance.
        dt: Time step in seconds.

    Raises:
        UnreadableError: The file is not a stage.
        UnsupportedError: The stage has nothing to measure, or PhysX refuses it.
        ValueError: A target is unknown, or `dt` is not positive and finite.
    """
    required_time(dt)
    opened = open_stage(stage)
    description = describe(opened)
    require_accepted(description)
    resolved = [(path, subject, _with_ratio(subject, target)) for path, (subject, target) in zip(
        targets, resolve_targets(description, targets), strict=True)]
    session = _Session(Trial(opened), description, dt)
    searches = {(subject, name): Search(value, session.first(subject, name, target), lower=0.0,
                                        decreasing=name in _DECREASING)
                for _, subject, target in resolved for name, value in target.items()}
    solved = solve(searches, session.measure, lambda *_: None)
    changes = session.gains({key: search.value for key, search in searches.items() if key in solved})
    return Tuning(tuple(Change(path, name, value) for (path, name), value in changes.items()),
                  tuple(_result(path, name, searches[subject, name], (subject, name) in solved)
                        for path, subject, target in resolved for name in target))


def _with_ratio(subject: Subject, target: dict[str, float]) -> dict[str, float]:
    """The target with a damping ratio of 1 if it gives a settling time alone."""
    return {**target, "damping_ratio": target.get("damping_ratio", 1.0)} if "settling_time" in target else target


def _result(path: str, name: str, search: Search, solved: bool) -> Tuned:
    if solved:
        return Tuned(path, name, search.target, search.trials[-1][1])
    if search.closest is None:
        return Tuned(path, name, search.target, None, "the motion cannot be measured with these gains")
    value, effect = search.closest
    reason = (f"no gain reaches the target {search.target:.4g}; the nearest result is {effect:.4g}, with the gain "
              f"{value:.4g}")
    return Tuned(path, name, search.target, effect, reason)


class _Session:
    """Gains tried on a stage."""

    def __init__(self, trial: Trial, description: Description, dt: float) -> None:
        self._trial, self._description, self._dt = trial, description, dt

    def gains(self, values: Mapping[TargetKey, float]) -> dict[PropertyPath, float]:
        """The authored gains for values of the searched numbers."""
        stiffness = {subject: value for (subject, name), value in values.items() if name != "damping_ratio"}
        gains: dict[PropertyPath, float] = {}
        for (subject, name), value in values.items():
            if subject.kind == LINK:
                gains |= self._scaled(subject, value)
            elif name == "damping_ratio" and subject.kind != MIMIC:
                # so that the ratio stays what it is while the stiffness changes
                spring = stiffness.get(subject, self._trial.authored_number(_gain(subject, "natural_frequency")))
                gains[_gain(subject, name)] = float(f"{value * math.sqrt(spring):.{DIGITS}g}")
            else:
                gains[_gain(subject, name)] = value
        return gains

    def _scaled(self, subject: Subject, factor: float) -> dict[PropertyPath, float]:
        """The stiffness of every drive of an articulation times a factor."""
        drives = [dof.drive for dof in self._articulation(self._description, subject).dofs if dof.drive]
        authored = {(drive.path, f"{drive.prefix}stiffness"): drive.stiffness * (
            RADIANS_PER_DEGREE if ":rot" in drive.prefix or ":angular" in drive.prefix else 1.0) for drive in drives}
        return {prop: float(f"{factor * stiffness:.{DIGITS}g}") for prop, stiffness in authored.items()}

    def first(self, subject: Subject, name: str, target: Mapping[str, float]) -> float:
        """The first gain: the authored one, or an estimate from mechanics where it is 0."""
        if subject.kind == LINK:
            return 1.0
        if subject.kind == MIMIC:
            return target[name]
        stiffness = self._trial.authored_number(_gain(subject, "natural_frequency"))
        if stiffness == 0.0:
            stiffness = self._mechanical(subject, "natural_frequency", target)
        if name != "damping_ratio":
            return stiffness
        damping = self._trial.authored_number(_gain(subject, name)) or self._mechanical(subject, name, target)
        return damping / math.sqrt(stiffness)

    def _mechanical(self, subject: Subject, name: str, target: Mapping[str, float]) -> float:
        """The gain of an oscillator with the inertia that the subject moves; of tendons a unit one."""
        frequency = target.get("natural_frequency", 4.0 / target.get("settling_time", 1.0))
        inertia, per = 1.0, 1.0
        if subject.kind == DRIVE:
            articulation = self._articulation(self._description, subject)
            bench = Bench(self._description, stripped(articulation, drives=True), self._dt)
            per = RADIANS_PER_DEGREE if bench.dofs[subject.index].angular else 1.0
            inertia = 1.0 if drive_of(bench, subject.index).acceleration else float(bench.inertia[subject.index])
        gain = 2.0 * target.get(name, 1.0) * frequency if name == "damping_ratio" else frequency ** 2
        return gain * inertia * per

    def measure(self, values: Mapping[TargetKey, float]) -> dict[TargetKey, float | None]:
        """The values of the targets with these gains."""
        description = self._trial.description_with(self.gains(values))
        results: dict[TargetKey, float | None] = dict.fromkeys(values)
        for subject in dict.fromkeys(subject for subject, _ in values):
            names = {name for other, name in values if other == subject}
            try:
                motion = motion_of(description, self._articulation(description, subject), subject, names, self._dt)
            except UnsteadyError:
                continue
            results |= {(subject, name): motion.get(name) for name in names}
        return results

    @staticmethod
    def _articulation(description: Description, subject: Subject) -> Articulation:
        """The articulation of a subject with the counts that it is solved under."""
        articulation = next(item for item in description.articulations if item.path == subject.articulation)
        return with_solver_counts(articulation, SolverBatches(description).counts(articulation))


def _gain(subject: Subject, name: str) -> PropertyPath:
    """The gain on which a number of a subject depends."""
    spring, damper = ("naturalFrequency", "dampingRatio") if subject.kind == MIMIC else ("stiffness", "damping")
    return subject.path, subject.prefix + (damper if name == "damping_ratio" else spring)
