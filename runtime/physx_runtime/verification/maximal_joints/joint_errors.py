"""`measure_joint_errors` steps the whole stage and measures how far the anchors of joints outside articulations drift
apart (joint error). PhysX solves these joints as soft constraints of their own, so the anchors of a loop part while it
moves.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.progress import counted
from physx_runtime.simulation.scene import Scene
from physx_schema.description.model import Description, Link, MaximalJoint
from physx_schema.description.model.joint import TRANSLATIONS
from physx_schema.description.records import Pose
from physx_schema.description.scenes import SolverCounts, initial_solver_counts
from physx_schema.errors import UnsupportedError

# For how long the stage moves until it is looked at, and for how long it is then, s.
RUN_UP_TIME, MEASURED_TIME = 0.5, 0.5
# Tried in addition to the authored counts: position and velocity iterations, and parts of the time step.
MORE_POSITION_ITERATIONS, MORE_VELOCITY_ITERATIONS, SHORTER_STEPS = 64, 4, 4
# Kinds that have no anchors to hold together.
_WITHOUT_ANCHORS = ("distance", "gear", "rack")
MILLIMETRES_PER_METRE = 1000.0


@dataclass(frozen=True, slots=True)
class JointErrorResult:
    """The largest joint error of one joint while the stage moves, mm along locked axes; inf if it diverges.

    The error at the start is not included; PhysX corrects it within the run-up.
    """

    path: str                   # prim
    position: int               # iterations that PhysX takes
    velocity: int
    authored: float             # under these
    iterations: float           # under MORE_POSITION_ITERATIONS and MORE_VELOCITY_ITERATIONS
    steps: float                # in steps of a part of the time
    dt: float                   # the shorter step, s

    def __str__(self) -> str:
        return (f"{self.path}: joint error up to {self.authored:.2g} mm at {self.position}/{self.velocity} iterations; "
                f"{self.iterations:.2g} mm at {MORE_POSITION_ITERATIONS}/{MORE_VELOCITY_ITERATIONS} iterations, "
                f"{self.steps:.2g} mm with dt 1/{1.0 / self.dt:.4g} s")


def measure_joint_errors(description: Description, dt: float) -> tuple[JointErrorResult, ...]:
    """The joint errors of all joints outside articulations that lock anchors; none where nothing is stepped."""
    joints = [joint for joint in description.separate_joints if _locked(joint)]
    if not joints:
        return ()
    try:
        max_errors = np.stack([_max_joint_errors(stage, joints, step) for stage, step in (
            (description, dt), (_with_more_iterations(description), dt), (description, dt / SHORTER_STEPS))])
    except UnsupportedError:
        return ()       # `not_simulated` says why
    millimetres = MILLIMETRES_PER_METRE * description.scene.meters_per_unit
    counts = initial_solver_counts(description)
    return tuple(JointErrorResult(joint.path, *_solved(joint, counts), float(authored), float(iterations), float(steps),
                                  dt / SHORTER_STEPS)
                 for joint, (authored, iterations, steps) in zip(joints, millimetres * max_errors.T, strict=True))


def _solved(joint: MaximalJoint, counts: Mapping[str, SolverCounts]) -> tuple[int, int]:
    """The iteration counts of a joint, which all its actors share."""
    counts_of_joint = next((counts[body] for body in (joint.body0, joint.body1) if body in counts), None)
    return (counts_of_joint.position, counts_of_joint.velocity) if counts_of_joint else (0, 0)


def _with_more_iterations(description: Description) -> Description:
    """The stage with more iterations."""
    n, v = MORE_POSITION_ITERATIONS, MORE_VELOCITY_ITERATIONS

    def more(bodies: Sequence[Link]) -> tuple[Link, ...]:
        return tuple(replace(x, body=replace(x.body, position_iterations=n, velocity_iterations=v)) if x.body else x
                     for x in bodies)

    articulations = tuple(replace(x, position_iterations=n, velocity_iterations=v, loose_links=more(x.loose_links))
                          for x in description.articulations)
    return replace(description, articulations=articulations, bodies=more(description.bodies))


def _max_joint_errors(description: Description, joints: Sequence[MaximalJoint], dt: float) -> DoubleArray:
    """(n_joint,) the largest error of every joint, length units."""
    max_errors = np.zeros(len(joints))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")     # what is left out is said once, of the stage, and what diverges is infinite
        scene = Scene(description, dt=dt)
        body_index = {name: index for index, name in enumerate(scene.body_names)}
        scene.step(round(RUN_UP_TIME / dt))
        for _ in counted("measuring joint errors, step", range(round(MEASURED_TIME / dt))):
            scene.step()
            poses = scene.body_pose[0].astype(np.float64)
            max_errors = np.maximum(max_errors, [max(_joint_errors(joint, poses, body_index)) for joint in joints])
        return np.full(len(joints), np.inf) if scene.diverged.any() else max_errors


def _joint_errors(joint: MaximalJoint, poses: DoubleArray, body_index: dict[str, int]) -> Iterator[float]:
    """The distance of the second anchor from the first along every locked axis."""
    first, second = (_anchor(frame, poses[body_index[body]] if body in body_index else None)
                     for body, frame in ((joint.body0, joint.frame0), (joint.body1, joint.frame1)))
    separation = _rotate(first[1] * [-1.0, -1.0, -1.0, 1.0], second[0] - first[0])
    yield from (abs(float(separation[axis])) for axis in _locked(joint))


def _locked(joint: MaximalJoint) -> list[int]:
    """The axes of the first frame along which a joint locks its anchors; a generic joint may lock none."""
    if joint.kind in _WITHOUT_ANCHORS:
        return []
    if joint.kind == "d6":
        free = {axis.axis for axis in joint.axes}
        return [index for index, axis in enumerate(TRANSLATIONS) if axis not in free]
    return [index for index in range(3) if joint.kind != "prismatic" or index != joint.axis]


def _anchor(frame: Pose, pose: DoubleArray | None) -> tuple[DoubleArray, DoubleArray]:
    """Position and rotation of a joint frame in the world."""
    position, rotation = np.array(frame[0]), np.array(frame[1])
    if pose is None:
        return position, rotation
    return pose[:3] + _rotate(pose[3:], position), _product(pose[3:], rotation)


def _rotate(q: DoubleArray, x: DoubleArray) -> DoubleArray:
    twice = 2.0 * np.cross(q[:3], x)
    return np.asarray(x + q[3] * twice + np.cross(q[:3], twice))


def _product(a: DoubleArray, b: DoubleArray) -> DoubleArray:
    return np.array([*(a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])), a[3] * b[3] - a[:3] @ b[:3]])
