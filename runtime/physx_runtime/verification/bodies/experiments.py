"""Experiments on a body by itself: mass properties, dampings, greatest speeds and the speeds that it starts with."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from physx_runtime.dynamics import spatial as sp
from physx_runtime.packing.links import principal_moments
from physx_runtime.verification.bodies.bench import Array, Throw, Thrown
from physx_schema.description.model import Link

# A load gives this acceleration, metres / s^2 and rad / s^2; turns are slow enough for a body not to tumble.
ACCELERATION, ANGULAR_ACCELERATION = 1.0, 1e-3
# Speeds of a thrown body, m/s and rad/s, and of one that is turned to see about which point it does, rad/s.
SPEED, ANGULAR_SPEED, TURN = 1.0, 1e-3, 1.0
# A body is thrown at this multiple of its greatest speeds.
THROWN_SPEED_FACTOR = 3.0
# Moments this close, of the largest, have no axes of their own.
ALIKE_MOMENTS = 1e-4
AXES: tuple[sp.Vec3, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Subject:
    """A body and what experiments have to know."""

    link: Link
    meter: float            # stage units
    dt: float               # s


@dataclass(frozen=True, slots=True)
class Experiment:
    """What is done to a body, and what its motion says: a number or several, in radians and stage lengths."""

    throws: Callable[[Subject], Sequence[Throw]]
    answer: Callable[[Subject, Sequence[Thrown]], Array]


def _pushed(subject: Subject) -> Sequence[Throw]:
    return [Throw(force=(subject.link.mass * ACCELERATION * subject.meter, 0.0, 0.0))]


def _mass(subject: Subject, thrown: Sequence[Thrown]) -> Array:
    """Force over acceleration."""
    return np.array([subject.link.mass * ACCELERATION * subject.meter * subject.dt / np.linalg.norm(thrown[0].linear)])


def _turned(subject: Subject) -> Sequence[Throw]:
    torque = ANGULAR_ACCELERATION * max(principal_moments(subject.link))
    return [Throw(torque=sp.scale(torque, axis)) for axis in AXES]


def _inertia(subject: Subject, thrown: Sequence[Thrown]) -> Array:
    """(3, 3) in the body's axes: torques over accelerations about three axes."""
    torque = ANGULAR_ACCELERATION * max(principal_moments(subject.link))
    return np.asarray(np.linalg.inv(np.stack([item.angular for item in thrown], axis=1) / (torque * subject.dt)))


def _principal(subject: Subject, thrown: Sequence[Thrown]) -> tuple[Array, Array]:
    """Moments and axes, (3, 3) of columns, those that are nearest to the described axes."""
    own = np.array(sp.matrix(subject.link.principal_axes), dtype=np.float64)
    inertia = own.T @ _inertia(subject, thrown) @ own
    values, vectors = np.linalg.eigh(0.5 * (inertia + inertia.T))
    # which described axis each eigenvector is, in the way that fits best
    order = max(permutations(range(3)), key=lambda order: sum(abs(vectors[order[i], i]) for i in range(3)))
    nearest = np.zeros((3, 3))
    for i, axis in enumerate(order):        # moments that are alike have a plane of axes, or all
        alike = vectors[:, np.abs(values - values[i]) <= ALIKE_MOMENTS * values[-1]]
        nearest[:, axis] = alike @ alike[axis]
    left, _, right = np.linalg.svd(nearest)
    axes = left @ right
    return np.diagonal(axes.T @ inertia @ axes), own @ axes


def _moments(subject: Subject, thrown: Sequence[Thrown]) -> Array:
    return _principal(subject, thrown)[0]


def _axes(subject: Subject, thrown: Sequence[Thrown]) -> Array:
    """The quaternion of the principal axes, w first; its negative means the same."""
    (a, b, c), (d, e, f), (g, h, i) = _principal(subject, thrown)[1]
    w, x, y, z = (math.copysign(0.5 * math.sqrt(max(square, 0.0)), sign) for square, sign in (
        (1.0 + a + e + i, 1.0), (1.0 + a - e - i, h - f), (1.0 - a + e - i, c - g), (1.0 - a - e + i, d - b)))
    return np.array([w, x, y, z])


def _spun(subject: Subject) -> Sequence[Throw]:
    return [Throw(velocity=((0.0, 0.0, 0.0), sp.scale(TURN, axis))) for axis in AXES]


def _center(subject: Subject, thrown: Sequence[Thrown]) -> Array:
    """The one place of its frame that stays where it is while the body turns."""
    turns = np.concatenate([np.eye(3) - item.rotation for item in thrown])
    places = np.concatenate([item.place for item in thrown])
    return np.asarray(np.linalg.lstsq(turns, places, rcond=None)[0], dtype=np.float64)


def _linear(speed: float, *keeps: str) -> Throw:
    return Throw(velocity=((speed, 0.0, 0.0), (0.0, 0.0, 0.0)), keeps=keeps, round=True)


def _angular(speed: float, *keeps: str) -> Throw:
    return Throw(velocity=((0.0, 0.0, 0.0), (speed, 0.0, 0.0)), keeps=keeps, round=True)


def _lost(before: float, after: Array, dt: float) -> Array:
    """The rate at which a speed is lost, of the speed at the step's start."""
    return np.array([(1.0 - float(np.linalg.norm(after)) / before) / dt])


EXPERIMENTS: Mapping[str, Experiment] = {
    "physics:mass": Experiment(_pushed, _mass),
    "physics:density": Experiment(_pushed, lambda s, thrown: _mass(s, thrown) / s.link.mass),
    "physics:diagonalInertia": Experiment(_turned, _moments),
    "physics:principalAxes": Experiment(_turned, _axes),
    "physics:centerOfMass": Experiment(_spun, _center),
    "physxRigidBody:linearDamping": Experiment(
        lambda s: [_linear(SPEED * s.meter, "linear_damping")],
        lambda s, thrown: _lost(SPEED * s.meter, thrown[0].linear, s.dt)),
    "physxRigidBody:angularDamping": Experiment(
        lambda s: [_angular(ANGULAR_SPEED, "angular_damping")],
        lambda s, thrown: _lost(ANGULAR_SPEED, thrown[0].angular, s.dt)),
    "physxRigidBody:maxLinearVelocity": Experiment(
        lambda s: [_linear(THROWN_SPEED_FACTOR * s.link.max_linear_velocity, "max_linear_velocity")],
        lambda s, thrown: np.array([np.linalg.norm(thrown[0].linear)])),
    "physxRigidBody:maxAngularVelocity": Experiment(
        lambda s: [_angular(THROWN_SPEED_FACTOR * s.link.max_angular_velocity, "max_angular_velocity")],
        lambda s, thrown: np.array([np.linalg.norm(thrown[0].angular)])),
    "physics:velocity": Experiment(
        lambda s: [Throw(velocity=None, round=True)],
        lambda s, thrown: thrown[0].linear),
    "physics:angularVelocity": Experiment(
        lambda s: [Throw(velocity=None, round=True)],
        lambda s, thrown: thrown[0].angular),
}


def measurable(properties: Collection[str]) -> list[str]:
    """Those of a body's properties that have an experiment, in the order of the table."""
    return [name for name in EXPERIMENTS if name in properties]
