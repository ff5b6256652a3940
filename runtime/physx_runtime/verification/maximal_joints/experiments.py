"""`MaximalJointStage` runs all experiments on the joints outside articulations of a stage; equal joints are measured
once. `maximal_joint_quantities` lists the numbers that have an experiment. `refused_drives` and `unmeasured` give
reasons for those that have none.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

from physx_runtime.solver.settings import IDEAL_ITERATIONS
from physx_runtime.verification.bench import IDEAL, PHYSX, POSITION_ONLY, POSITION_ONLY_HARD, Solver
from physx_runtime.verification.families import factors
from physx_runtime.verification.maximal_joints.bench import TEST_ACCELERATION, IsolatedJoint, isolate_joint
from physx_runtime.verification.maximal_joints.couplings import measure_coupling, ratio_key
from physx_runtime.verification.maximal_joints.drives import measure_maximal_joint_drives
from physx_runtime.verification.maximal_joints.events import break_keys, measure_bounces, measure_breaking
from physx_runtime.verification.maximal_joints.limits import Bound, bounds_of, measure_bounds
from physx_runtime.verification.quantities import POSITION_NOISE, drive_quantities, target_quantities
from physx_runtime.verification.quantity import Findings, Key, Quantity
from physx_schema.description.model import Description, MaximalJoint
from physx_schema.description.scenes import SolverCounts, initial_solver_counts
from physx_schema.description.units import DEGREES_PER_RADIAN
from physx_schema.text import plural

V = TypeVar("V", float, str)
EXPERIMENTS = (measure_maximal_joint_drives, measure_bounds, measure_bounces, measure_breaking, measure_coupling)
DISTANCE_SLACK = "PhysX pulls the bodies only when the distance is 0.025 m beyond its limit"
BOUND_OVERSHOOT = (f"under a load of {TEST_ACCELERATION:g} m/s^2 or rad/s^2, similar to gravity, the joint rests "
                   "beyond its limit")


class MaximalJointStage:
    """The joints outside articulations of a stage, with cached findings of equal joints."""

    def __init__(self, description: Description, dt: float) -> None:
        self.description, self.dt = description, dt
        self._counts = initial_solver_counts(description)
        self._findings: dict[object, tuple[str, Findings]] = {}

    def experiments(self) -> list[MaximalJointExperiments]:
        """Experiments on every joint that holds a movable body, grouped by structure."""
        return sorted(self._all_experiments(), key=lambda item: _structure(item.joint))

    def _all_experiments(self) -> Iterator[MaximalJointExperiments]:
        for joint in self.description.separate_joints:
            counts = [self._counts[body] for body in (joint.body0, joint.body1) if body in self._counts]
            if counts:
                yield MaximalJointExperiments(self, joint, counts[0])

    def findings(self, isolated: IsolatedJoint) -> Findings:
        """The findings of all experiments on a joint."""
        path = isolated.joint.path
        if isolated.key not in self._findings:
            self._findings[isolated.key] = path, _measured(isolated)
        first, findings = self._findings[isolated.key]
        return findings if first == path else _renamed(findings, path)

    def isolate(self, joint: MaximalJoint, solver: Solver) -> IsolatedJoint:
        """A joint with its bodies and nothing else."""
        return isolate_joint(self.description, joint, self._counts, self.dt, solver)


@dataclass(slots=True)
class MaximalJointExperiments:
    """The measurements on one joint outside articulations."""

    stage: MaximalJointStage
    joint: MaximalJoint
    counts: SolverCounts        # of the first thing it holds that moves
    _findings: dict[Solver, Findings] = field(default_factory=dict)

    @property
    def description(self) -> Description:
        """The stage's."""
        return self.stage.description

    def isolate(self) -> IsolatedJoint:
        """The joint with its bodies, as authored."""
        return self.stage.isolate(self.joint, PHYSX)

    def findings(self, solver: Solver) -> Findings:
        """The findings under a solver."""
        if solver not in self._findings:
            self._findings[solver] = self.stage.findings(self.stage.isolate(self.joint, solver))
        return self._findings[solver]

    def repeat(self, description: Description, keys: Collection[Key], dt: float | None = None) -> Findings:
        """The effective values of all numbers of the joint on an edited stage, whatever the keys."""
        stage = MaximalJointStage(description, dt or self.stage.dt)
        same = (item for item in stage.experiments() if item.joint.path == self.joint.path)
        return next((item.findings(PHYSX) for item in same), Findings())

    def causes(self, key: Key, described: float) -> Iterator[str]:
        """The causes that turn a described value into the effective one."""
        if key in {bound.key for bound in bounds_of(self.isolate())}:
            yield DISTANCE_SLACK if self.joint.kind == "distance" else BOUND_OVERSHOOT
            return
        counts = self.counts
        yield from factors([
            (described, ""),
            (self.findings(IDEAL).values.get(key), f"even at {IDEAL_ITERATIONS} position iterations"),
            (self.findings(POSITION_ONLY_HARD).values.get(key),
             f"PhysX solves the joint in {plural(counts.position, 'position iteration')}"),
            (self.findings(POSITION_ONLY).values.get(key), "the links' cfmScale softens the constraint"),
            (self.findings(PHYSX).values.get(key),
             f"PhysX does not apply drives in {plural(counts.velocity, 'velocity iteration')}"),
        ])


def _structure(joint: MaximalJoint) -> str:
    """A key that is equal for joints that the same code solves."""
    axes = [(axis.axis, axis.drive is None, math.isfinite(axis.lower), axis.limit_stiffness > 0.0)
            for axis in joint.axes]
    return str((joint.kind, joint.body0 == "", joint.body1 == "", math.isfinite(joint.break_force), axes))


def _measured(isolated: IsolatedJoint) -> Findings:
    """All findings of a joint; for a joint that is not stepped, the reason for every number."""
    findings = Findings()
    for measure in EXPERIMENTS:
        result = measure(isolated)
        findings.values |= result.values
        findings.errors |= result.errors
        findings.failures |= result.failures
        findings.notes |= result.notes
    return findings


def _renamed(findings: Findings, path: str) -> Findings:
    """The findings of an equal joint under another path."""

    def with_path(values: dict[Key, V]) -> dict[Key, V]:
        return {key._replace(path=path): value for key, value in values.items()}

    return Findings(with_path(findings.values), with_path(findings.errors), with_path(findings.failures),
                    with_path(findings.notes))


UNDAMPED = "damping is 0, and the drive has no effect on velocity"


def maximal_joint_quantities(isolated: IsolatedJoint, authored: Collection[tuple[str, str]]) -> Iterator[Quantity]:
    """The authored numbers of drives, bounds, coupling and strength of a joint."""
    for quantity in _all_quantities(isolated):
        if (quantity.key.path, quantity.key.property) in authored:
            yield quantity


def _all_quantities(isolated: IsolatedJoint) -> Iterator[Quantity]:
    joint = isolated.joint
    for axis in joint.axes:
        yield from drive_quantities(axis)
        yield from target_quantities(axis, UNDAMPED if axis.drive and axis.drive.damping == 0.0 else "")
    keys = set()
    for bound in bounds_of(isolated):
        yield _of_bound(bound)
        for quantity in (*_of_spring(bound), *_of_bounce(bound)):
            if quantity.key not in keys:
                keys.add(quantity.key)
                yield quantity
    for key, value, unit in zip(break_keys(joint.path), (joint.break_force, joint.break_torque), ("force", "torque"),
                                strict=True):
        if math.isfinite(value):
            yield Quantity(key, value, unit)
    if joint.coupling is not None:
        gear = joint.kind == "gear"
        yield Quantity(ratio_key(joint), joint.coupling.ratio if gear else joint.coupling.ratio / DEGREES_PER_RADIAN,
                       "" if gear else "deg/length", 1.0 if gear else DEGREES_PER_RADIAN)


def _of_bound(bound: Bound) -> Quantity:
    scale, unit = (DEGREES_PER_RADIAN, "deg") if bound.direction.angular else (1.0, "length")
    return Quantity(bound.key, bound.value, unit, scale, noise=POSITION_NOISE)


def _of_spring(bound: Bound) -> Iterator[Quantity]:
    """PhysX counts both per radian."""
    if bound.soft is not None:
        effort, unit = ("torque", "rad") if bound.direction.angular else ("force", "length")
        stiffness, damping = bound.soft.keys
        yield Quantity(stiffness, bound.soft.stiffness, f"{effort}/{unit}")
        yield Quantity(damping, bound.soft.damping, f"{effort} s/{unit}")


def _of_bounce(bound: Bound) -> Iterator[Quantity]:
    if bound.bounce is not None:
        restitution, threshold = bound.bounce.keys
        yield Quantity(restitution, bound.bounce.restitution, "")
        yield Quantity(threshold, bound.bounce.threshold, "rad/s" if bound.direction.angular else "length/s")


FRAMES = ("localPos0", "localPos1", "localRot0", "localRot1")
FRAME_REASON = ("the property is part of a joint frame; the stage's joint errors show how far the joint's bodies drift "
                "apart")
LOCKED = "a low limit above the high limit locks the axis; the two values have no other effect"
AIMING = "the drive's axis is locked; its target still changes the combined target rotation of the joint"
UNBOUNDED = "this value sets no limit"


TARGETS_TOGETHER = ("PhysX combines the angular targets of a joint into one rotation; here each target is measured "
                    "with the other targets at 0; the command simulate shows where the joint settles")


def targets_together(joint: MaximalJoint) -> frozenset[str]:
    """The properties of angular targets other than 0, where a joint has several."""
    drives = [axis.drive for axis in joint.axes if axis.angular and axis.drive and axis.drive.stiffness > 0.0
              and axis.drive.target_position != 0.0]
    return frozenset(drive.prefix + "targetPosition" for drive in drives) if len(drives) > 1 else frozenset()


def refused_drives(description: Description) -> dict[tuple[str, str], str]:
    """By prim and prefix of properties the drives that PhysX refuses whole, and why."""
    return {(problem.path, problem.property.rpartition(":")[0]): problem.message
            for problem in description.problems if problem.code == "joint/drive-refused"}


def unmeasured(joint: MaximalJoint, name: str) -> str:
    """The reason why a property of a joint has no experiment; empty where none is known."""
    base = name.rpartition(":")[2]
    if base in FRAMES:
        return FRAME_REASON
    free, instance = {axis.instance for axis in joint.axes} | {"distance"}, name.split(":")[1]
    if name.startswith("limit:"):
        return UNBOUNDED if instance in free else LOCKED
    if name.startswith("drive:") and base == "targetPosition" and instance not in free:
        return AIMING
    if base in ("lowerLimit", "upperLimit", "minDistance", "maxDistance") or (
            base in ("breakForce", "breakTorque") and math.isinf(getattr(joint, _FIELDS[base]))):
        return UNBOUNDED
    return ""


_FIELDS = {"breakForce": "break_force", "breakTorque": "break_torque"}
