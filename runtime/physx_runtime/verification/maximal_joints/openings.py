"""How far joints outside articulations stay open, and what closes them: the whole stage is stepped and looked at.

PhysX solves these joints as soft constraints of their own, so that the anchors of a loop part while it moves."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from physx_runtime.simulation.scene import Scene
from physx_runtime.verification.bench import Array
from physx_schema.description.model import Description, Link, OutsideJoint
from physx_schema.description.opinions.schemas import TRANSLATIONS
from physx_schema.description.records import Pose
from physx_schema.description.scenes import SolverCounts, held_counts
from physx_schema.errors import UnsupportedError

# For how long the stage moves until it is looked at, and for how long it is then, s.
RUN_UP_TIME, WATCHED_TIME = 0.5, 0.5
# What is tried beside the authored counts: position and velocity iterations, and parts of the time step.
MORE_POSITION_ITERATIONS, MORE_VELOCITY_ITERATIONS, SHORTER_STEPS = 64, 4, 4
# Kinds that have no anchors to hold together.
_WITHOUT_ANCHORS = ("distance", "gear", "rack")
MILLIMETRES_PER_METRE = 1000.0


@dataclass(frozen=True, slots=True)
class Opening:
    """How far the anchors of one joint part at most while the stage moves, mm along what it locks; inf if it diverges.

    What a joint is apart at the start is not in it: PhysX pulls that together within the run-up.
    """

    path: str                   # prim
    position: int               # iterations that PhysX takes
    velocity: int
    authored: float             # under these
    iterations: float           # under MORE_POSITION_ITERATIONS and MORE_VELOCITY_ITERATIONS
    steps: float                # in steps of a part of the time
    dt: float                   # the shorter step, s

    def __str__(self) -> str:
        more = self._changed(f"{MORE_POSITION_ITERATIONS}/{MORE_VELOCITY_ITERATIONS}", self.iterations)
        shorter = self._changed(f"dt 1/{1.0 / self.dt:.4g}", self.steps)
        counts = f"{self.position}/{self.velocity}"
        return (f"{self.path}: stays open by up to {self.authored:.2g} mm at {counts} iterations; {more}, {shorter}")

    def _changed(self, what: str, opening: float) -> str:
        return f"{what} {'closes' if opening < self.authored else 'opens'} it to {opening:.2g} mm"


def measure_openings(description: Description, dt: float) -> tuple[Opening, ...]:
    """The openings of all joints outside articulations that hold anchors together; none where nothing is stepped."""
    joints = [joint for joint in description.separate_joints if _locked(joint)]
    if not joints:
        return ()
    try:
        largest = np.stack([_largest(stage, joints, step) for stage, step in (
            (description, dt), (_iterated(description), dt), (description, dt / SHORTER_STEPS))])
    except UnsupportedError:
        return ()       # `not_simulated` says why
    millimetres = MILLIMETRES_PER_METRE * description.scene.meters_per_unit
    counts = held_counts(description)
    return tuple(Opening(joint.path, *_solved(joint, counts), float(authored), float(iterations), float(steps),
                         dt / SHORTER_STEPS)
                 for joint, (authored, iterations, steps) in zip(joints, millimetres * largest.T, strict=True))


def _solved(joint: OutsideJoint, counts: Mapping[str, SolverCounts]) -> tuple[int, int]:
    """Under how many iterations a joint is solved: those of all that it holds are the same."""
    found = next((counts[body] for body in (joint.body0, joint.body1) if body in counts), None)
    return (found.position, found.velocity) if found else (0, 0)


def _iterated(description: Description) -> Description:
    """The stage with more iterations."""
    n, v = MORE_POSITION_ITERATIONS, MORE_VELOCITY_ITERATIONS

    def more(bodies: Sequence[Link]) -> tuple[Link, ...]:
        return tuple(replace(x, body=replace(x.body, position_iterations=n, velocity_iterations=v)) if x.body else x
                     for x in bodies)

    articulations = tuple(replace(x, position_iterations=n, velocity_iterations=v, loose_links=more(x.loose_links))
                          for x in description.articulations)
    return replace(description, articulations=articulations, bodies=more(description.bodies))


def _largest(description: Description, joints: Sequence[OutsideJoint], dt: float) -> Array:
    """(n_joint,) the largest opening of every joint, length units."""
    largest = np.zeros(len(joints))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")     # what is left out is said once, of the stage, and what diverges is infinite
        scene = Scene(description, dt=dt)
        places = {name: place for place, name in enumerate(scene.body_names)}
        scene.step(round(RUN_UP_TIME / dt))
        for _ in range(round(WATCHED_TIME / dt)):
            scene.step()
            poses = scene.body_pose[0].astype(np.float64)
            largest = np.maximum(largest, [max(_opened(joint, poses, places)) for joint in joints])
        return np.full(len(joints), np.inf) if scene.diverged.any() else largest


def _opened(joint: OutsideJoint, poses: Array, places: dict[str, int]) -> Iterator[float]:
    """How far the second anchor is from the first, along every axis that the joint locks."""
    first, second = (_anchor(frame, poses[places[body]] if body in places else None)
                     for body, frame in ((joint.body0, joint.frame0), (joint.body1, joint.frame1)))
    apart = _turned(first[1] * [-1.0, -1.0, -1.0, 1.0], second[0] - first[0])
    yield from (abs(float(apart[place])) for place in _locked(joint))


def _locked(joint: OutsideJoint) -> list[int]:
    """Along which axes of its first frame a joint holds its anchors together; a generic joint may lock none."""
    if joint.kind in _WITHOUT_ANCHORS:
        return []
    if joint.kind == "d6":
        free = {axis.axis for axis in joint.axes}
        return [place for place, axis in enumerate(TRANSLATIONS) if axis not in free]
    return [place for place in range(3) if joint.kind != "prismatic" or place != joint.axis]


def _anchor(frame: Pose, pose: Array | None) -> tuple[Array, Array]:
    """Place and rotation of a joint frame in the world."""
    position, rotation = np.array(frame[0]), np.array(frame[1])
    if pose is None:
        return position, rotation
    return pose[:3] + _turned(pose[3:], position), _product(pose[3:], rotation)


def _turned(q: Array, x: Array) -> Array:
    twice = 2.0 * np.cross(q[:3], x)
    return np.asarray(x + q[3] * twice + np.cross(q[:3], twice))


def _product(a: Array, b: Array) -> Array:
    return np.array([*(a[3] * b[:3] + b[3] * a[:3] + np.cross(a[:3], b[:3])), a[3] * b[3] - a[:3] @ b[:3]])
