"""Experiments on a single free body: mass, centre of mass, inertia, damping, maximum and initial velocities.
`step_bodies` applies a force, torque or velocity to each body for one step, in one world for each experiment.
`body_rows` gives the rows of what bodies and links author.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import NamedTuple

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.row_specs import EXTERNAL_FORCE, GROUPS, RowKey
from physx_runtime.packing.articulation import principal_moments
from physx_runtime.packing.body import free_body, pack_actor
from physx_runtime.packing.frames import compose
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.divergence import DivergenceWarning
from physx_runtime.simulation.simulation import Simulation
from physx_runtime.verification.authored import Authored
from physx_runtime.verification.quantity import uncertainty
from physx_runtime.verification.report import ALTERED, AS_AUTHORED, AS_AUTHORED_TOLERANCE, Row, Value, deviation
from physx_runtime.worlds.store import AUTO, SCHEDULED
from physx_schema.description.model import ActorDescription, Articulation, Description, ExternalForce, Link
from physx_schema.description.units import DEGREES_PER_RADIAN
from physx_schema.errors import UnsupportedError

_ZERO = (0.0, 0.0, 0.0)
# A load on the centre of mass, in the body's axes, which the worlds set.
_LOAD = ExternalForce("", True, False, False, _ZERO, _ZERO, None)


@dataclass(frozen=True, slots=True)
class BodyCase:
    """One experiment: the body's start, the force on it, and the settings that are kept."""

    velocity: tuple[sp.Vec3, sp.Vec3] | None = (_ZERO, _ZERO)     # linear at the centre of mass, angular; None: as
                                                                    # authored
    force: sp.Vec3 = _ZERO                 # at the centre of mass
    torque: sp.Vec3 = _ZERO
    authored_rows: tuple[str, ...] = ()             # rows as authored: dampings and greatest velocities
    isotropic: bool = False                     # the same moments about all axes: it does not tumble


@dataclass(frozen=True, slots=True)
class BodyResult:
    """A body after one step; axes of its frame at the start."""

    linear: DoubleArray           # (3,) velocity of the centre of mass
    angular: DoubleArray          # (3,) rad/s
    position: DoubleArray            # (3,) of its frame's origin, which starts at 0
    rotation: DoubleArray         # (3, 3) of its frame, which starts at 1


def isolated_body(link: Link, owner: Articulation | None) -> ActorDescription:
    """A link as an articulation of its own, or a body outside articulations; free and without colliders."""
    free_link = replace(link, parent=-1, joint=None, pose=(_ZERO, (0.0, 0.0, 0.0, 1.0)), colliders=(),
                        external_forces=(_LOAD,),
                        kinematic=False)
    if owner is None:
        assert link.body is not None
        return free_body(replace(free_link, body=replace(link.body, locked_position=0, locked_rotation=0)))
    return replace(owner, links=(free_link,), fixed_base=False, base_joint=None, fixed_tendons=(), spatial_tendons=(),
                   mimics=(), enabled=True)


def step_bodies(description: Description, actors: Sequence[ActorDescription], cases: Sequence[Sequence[BodyCase]],
                dt: float, solver: str) -> list[list[BodyResult]]:
    """Every body after one step of each of its cases; the bodies are in one scene and have one structure."""
    scene = description.scene_of(actors[0])
    models = [pack_actor(actor, scene, solver) for actor in actors]
    # a step is not worth compiling for, but a body has no other way
    path = SCHEDULED if isinstance(actors[0], Articulation) else AUTO
    sim = Simulation(description.only(actors[0]), sum(map(len, cases)), dt=dt, dtype="float64", solver=solver,
                     path=path, sleeping=False)
    worlds = [_rows(model, item) for model, body_cases in zip(models, cases, strict=True) for item in body_cases]
    for name, first in sim.model.parameters.items():
        if first.size:
            sim.set_row(name, np.stack([rows[name] for rows in worlds]))
    for name in sim.model.state:
        sim.set(name, np.stack([rows[name] for rows in worlds]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DivergenceWarning)      # the numbers are then no numbers
        sim.step()
    states = iter(zip(*(np.asarray(sim.get(name), dtype=np.float64)
                        for name in ("v", "root_position", "root_rotation")), strict=True))
    return [[_body_result(model, *next(states)) for _ in body_cases] for model,
            body_cases in zip(models, cases, strict=True)]


def _rows(model: PackedModel, item: BodyCase) -> dict[str, DoubleArray]:
    """Parameters and state of one world."""
    rows = {**model.parameters, **model.state}
    _, rotation = model.link_frames[0]
    free = {"gravity": np.zeros(3), "linear_damping": np.zeros(1), "angular_damping": np.zeros(1),
            "max_linear_velocity": np.full(1, np.inf), "max_angular_velocity": np.full(1, np.inf)}
    rows |= {name: values for name, values in free.items() if name not in item.authored_rows}
    for field, load in (("force", item.force), ("torque", item.torque)):
        rows[str(RowKey(GROUPS[EXTERNAL_FORCE], 0, field))] = np.array(sp.rotate(rotation, load))
    if item.velocity is not None:
        rows["v"] = np.array([*item.velocity[0], *item.velocity[1]])
    if item.isotropic:
        rows["inertia"] = np.where(np.arange(6) < 3, np.mean(rows["inertia"][:3]), 0.0)
    return rows


def _body_result(model: PackedModel, v: DoubleArray, position: DoubleArray, rotation: DoubleArray) -> BodyResult:
    origin, axes = compose((_vector(position), (*_vector(rotation), float(rotation[3]))), model.link_frames[0])
    return BodyResult(v[:3], v[3:6], np.array(origin), np.array(sp.matrix(axes), dtype=np.float64))


def _vector(values: DoubleArray) -> sp.Vec3:
    x, y, z = (float(value) for value in values[:3])
    return x, y, z


# A load gives this acceleration, metres / s^2 and rad / s^2; turns are slow enough for a body not to tumble.
ACCELERATION, ANGULAR_ACCELERATION = 1.0, 1e-3
# Speeds of a thrown body, m/s and rad/s, and of one that is turned to see about which point it does, rad/s.
SPEED, ANGULAR_SPEED, SPIN_SPEED = 1.0, 1e-3, 1.0
# A body is thrown at this multiple of its greatest speeds.
OVERSPEED_FACTOR = 3.0
# Moments this close, of the largest, have no axes of their own.
EQUAL_MOMENTS_TOLERANCE = 1e-4
AXES: tuple[sp.Vec3, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True, slots=True)
class Subject:
    """A body and the data for its experiments."""

    link: Link
    meter: float            # stage units
    dt: float               # s


@dataclass(frozen=True, slots=True)
class Experiment:
    """The cases of a body, and the evaluation of its motion: one or more numbers, in radians and stage lengths."""

    cases: Callable[[Subject], Sequence[BodyCase]]
    evaluate: Callable[[Subject, Sequence[BodyResult]], DoubleArray]


def _force_cases(subject: Subject) -> Sequence[BodyCase]:
    return [BodyCase(force=(subject.link.mass * ACCELERATION * subject.meter, 0.0, 0.0))]


def _mass(subject: Subject, results: Sequence[BodyResult]) -> DoubleArray:
    """Force over acceleration."""
    return np.array([subject.link.mass * ACCELERATION * subject.meter * subject.dt / np.linalg.norm(results[0].linear)])


def _torque_cases(subject: Subject) -> Sequence[BodyCase]:
    torque = ANGULAR_ACCELERATION * max(principal_moments(subject.link))
    return [BodyCase(torque=sp.scale(torque, axis)) for axis in AXES]


def _inertia(subject: Subject, results: Sequence[BodyResult]) -> DoubleArray:
    """(3, 3) in the body's axes: torques over accelerations about three axes."""
    torque = ANGULAR_ACCELERATION * max(principal_moments(subject.link))
    return np.asarray(np.linalg.inv(np.stack([item.angular for item in results], axis=1) / (torque * subject.dt)))


def _principal(subject: Subject, results: Sequence[BodyResult]) -> tuple[DoubleArray, DoubleArray]:
    """Moments, and axes (3, 3) as columns, nearest to the described axes."""
    described = np.array(sp.matrix(subject.link.principal_axes), dtype=np.float64)
    inertia = described.T @ _inertia(subject, results) @ described
    values, vectors = np.linalg.eigh(0.5 * (inertia + inertia.T))
    # which described axis each eigenvector is, in the way that fits best
    order = max(permutations(range(3)), key=lambda order: sum(abs(vectors[order[i], i]) for i in range(3)))
    closest = np.zeros((3, 3))
    for i, axis in enumerate(order):        # equal moments have a plane of axes, or all axes
        eigenspace = vectors[:, np.abs(values - values[i]) <= EQUAL_MOMENTS_TOLERANCE * values[-1]]
        closest[:, axis] = eigenspace @ eigenspace[axis]
    u, _, vt = np.linalg.svd(closest)
    axes = u @ vt
    return np.diagonal(axes.T @ inertia @ axes), described @ axes


def _moments(subject: Subject, results: Sequence[BodyResult]) -> DoubleArray:
    return _principal(subject, results)[0]


def _axes(subject: Subject, results: Sequence[BodyResult]) -> DoubleArray:
    """The quaternion of the principal axes, w first; its negative means the same."""
    (a, b, c), (d, e, f), (g, h, i) = _principal(subject, results)[1]
    w, x, y, z = (math.copysign(0.5 * math.sqrt(max(square, 0.0)), sign) for square, sign in (
        (1.0 + a + e + i, 1.0), (1.0 + a - e - i, h - f), (1.0 - a + e - i, c - g), (1.0 - a - e + i, d - b)))
    return np.array([w, x, y, z])


def _spin_cases(subject: Subject) -> Sequence[BodyCase]:
    return [BodyCase(velocity=((0.0, 0.0, 0.0), sp.scale(SPIN_SPEED, axis))) for axis in AXES]


def _center(subject: Subject, results: Sequence[BodyResult]) -> DoubleArray:
    """The point of its frame that does not move while the body rotates."""
    rotations = np.concatenate([np.eye(3) - item.rotation for item in results])
    positions = np.concatenate([item.position for item in results])
    return np.asarray(np.linalg.lstsq(rotations, positions, rcond=None)[0], dtype=np.float64)


def _linear(speed: float, *authored_rows: str) -> BodyCase:
    return BodyCase(velocity=((speed, 0.0, 0.0), (0.0, 0.0, 0.0)), authored_rows=authored_rows, isotropic=True)


def _angular(speed: float, *authored_rows: str) -> BodyCase:
    return BodyCase(velocity=((0.0, 0.0, 0.0), (speed, 0.0, 0.0)), authored_rows=authored_rows, isotropic=True)


def _decay_rate(before: float, after: DoubleArray, dt: float) -> DoubleArray:
    """The rate at which a speed is lost, of the speed at the step's start."""
    return np.array([(1.0 - float(np.linalg.norm(after)) / before) / dt])


EXPERIMENTS: Mapping[str, Experiment] = {
    "physics:mass": Experiment(_force_cases, _mass),
    "physics:density": Experiment(_force_cases, lambda s, results: _mass(s, results) / s.link.mass),
    "physics:diagonalInertia": Experiment(_torque_cases, _moments),
    "physics:principalAxes": Experiment(_torque_cases, _axes),
    "physics:centerOfMass": Experiment(_spin_cases, _center),
    "physxRigidBody:linearDamping": Experiment(
        lambda s: [_linear(SPEED * s.meter, "linear_damping")],
        lambda s, results: _decay_rate(SPEED * s.meter, results[0].linear, s.dt)),
    "physxRigidBody:angularDamping": Experiment(
        lambda s: [_angular(ANGULAR_SPEED, "angular_damping")],
        lambda s, results: _decay_rate(ANGULAR_SPEED, results[0].angular, s.dt)),
    "physxRigidBody:maxLinearVelocity": Experiment(
        lambda s: [_linear(OVERSPEED_FACTOR * s.link.max_linear_velocity, "max_linear_velocity")],
        lambda s, results: np.array([np.linalg.norm(results[0].linear)])),
    "physxRigidBody:maxAngularVelocity": Experiment(
        lambda s: [_angular(OVERSPEED_FACTOR * s.link.max_angular_velocity, "max_angular_velocity")],
        lambda s, results: np.array([np.linalg.norm(results[0].angular)])),
    "physics:velocity": Experiment(
        lambda s: [BodyCase(velocity=None, isotropic=True)],
        lambda s, results: results[0].linear),
    "physics:angularVelocity": Experiment(
        lambda s: [BodyCase(velocity=None, isotropic=True)],
        lambda s, results: results[0].angular),
}


def measurable(properties: Collection[str]) -> list[str]:
    """Those of a body's properties that have an experiment, in the order of the table."""
    return [name for name in EXPERIMENTS if name in properties]


PRINCIPAL_AXES, CENTER, DENSITY = "physics:principalAxes", "physics:centerOfMass", "physics:density"
UNITS: Mapping[str, str] = {
    "physics:mass": "mass", DENSITY: "mass/length^3", "physics:diagonalInertia": "mass length^2", CENTER: "length",
    "physxRigidBody:linearDamping": "1/s", "physxRigidBody:angularDamping": "1/s", "physics:velocity": "length/s",
    "physxRigidBody:maxLinearVelocity": "length/s", "physics:angularVelocity": "deg/s",
    "physxRigidBody:maxAngularVelocity": "deg/s",
}
SOLVERS = ("physx", "ideal")
# Error of a component that counts as none where 0 is authored, of the largest one, or in the stage's unit.
NOISE = 1e-6


class MeasuredBody(NamedTuple):
    """A body, its actor, and the numbers of it that are measured."""

    link: Link
    actor: ActorDescription
    properties: Sequence[str]
    articulation: str


def body_rows(description: Description, authored: Authored, dt: float) -> Iterator[Row]:
    """A row for every number of a body or link that has an experiment; `accounted_rows` has the others."""
    groups: dict[tuple[str, bool], list[MeasuredBody]] = {}
    for item in _measured_bodies(description, authored):
        groups.setdefault((item.link.scene, isinstance(item.actor, Articulation)), []).append(item)
    for group in groups.values():
        try:
            yield from _group_rows(description, authored, group, dt)
        except UnsupportedError:        # which the rows of its joints say, or the account
            continue


def _measured_bodies(description: Description, authored: Authored) -> Iterator[MeasuredBody]:
    owners: list[tuple[Articulation | None, Link]] = [
        (a, link) for a in description.articulations if a.enabled for link in a.links]
    owners += [(None, body) for body in description.separate_bodies if not body.kinematic]
    for owner, link in owners:
        names = {name for name in EXPERIMENTS if f"{link.path}.{name}" in description.consumed
                 and _is_measurable(authored.get((link.path, name)), name, link)}
        if names and all(map(math.isfinite, (link.mass, *link.center_of_mass, *principal_moments(link)))):
            yield MeasuredBody(link, isolated_body(link, owner), measurable(names), owner.path if owner else link.path)


def _is_measurable(value: Value | None, name: str, link: Link) -> bool:
    """Whether a number can be measured: finite, and not the value that lets PhysX choose."""
    values = value if isinstance(value, tuple) else (value,)
    if any(x is None or not math.isfinite(x) for x in values):
        return False
    if name in ("physics:mass", DENSITY, "physics:diagonalInertia", PRINCIPAL_AXES):
        return any(values)
    return math.isfinite(_max_speed(link, name))


def _group_rows(description: Description, authored: Authored, group: Sequence[MeasuredBody],
                dt: float) -> Iterator[Row]:
    """The rows of bodies in one scene, all stepped together."""
    meter = 1.0 / description.scene.meters_per_unit
    subjects = [Subject(item.link, meter, dt) for item in group]
    cases = [[list(EXPERIMENTS[name].cases(subject)) for name in item.properties]
             for item, subject in zip(group, subjects, strict=True)]
    flat: list[list[BodyCase]] = [[case for each in body_cases for case in each] for body_cases in cases]
    results = [step_bodies(description, [item.actor for item in group], flat, dt, solver) for solver in SOLVERS]
    for i, (item, subject) in enumerate(zip(group, subjects, strict=True)):
        start = 0
        for name, body_cases in zip(item.properties, cases[i], strict=True):
            values = [EXPERIMENTS[name].evaluate(subject, each[i][start:start + len(body_cases)]) for each in results]
            start += len(body_cases)
            yield _row(description, item, name, authored[item.link.path, name], values)


def _row(description: Description, item: MeasuredBody, name: str, authored: Value,
         values: Sequence[DoubleArray]) -> Row:
    effective, ideal = (_on_stage(name, authored, item.link, value) for value in values)
    verdict, reason = AS_AUTHORED, ""
    size = math.hypot(*effective) if isinstance(effective, tuple) else effective
    error = uncertainty(size, NOISE * max(abs(size), NOISE))
    if not _agrees(authored, effective):
        verdict = ALTERED
        messages = [f"{problem.message}: {problem.why}" for problem in description.problems
                    if (problem.path, problem.property) == (item.link.path, name)]
        reason = "; ".join(messages) or "PhysX's step uses a number that differs from the authored number"
    return Row(item.link.path, name, authored, effective, ideal, verdict, reason, UNITS.get(name, ""),
               item.articulation, uncertainty=error)


def _agrees(authored: Value, effective: Value) -> bool:
    if isinstance(effective, float) and authored == 0.0:
        return abs(effective) <= NOISE
    return deviation(authored, effective) <= AS_AUTHORED_TOLERANCE


def _on_stage(name: str, authored: Value, link: Link, value: DoubleArray) -> Value:
    """In the property's own unit: degrees, and lengths of the prim, which may be scaled."""
    values = value * (DEGREES_PER_RADIAN if UNITS.get(name) == "deg/s" else 1.0)
    if name == DENSITY:     # the mass is in proportion, whatever the volume is
        values = values * np.array(authored)
    if name == CENTER:
        authored_center, described = np.array(authored), np.array(link.center_of_mass)
        values = values * np.divide(authored_center, described, out=np.ones(3),
                                    where=described * authored_center != 0.0)
    if name == PRINCIPAL_AXES and values @ np.array(authored) < 0.0:      # the same axes
        values = -values
    max_value = float(np.max(np.abs(values)))
    numbers = tuple(0.0 if abs(x) <= NOISE * max(max_value, NOISE) else float(f"{x:.7g}") for x in values)
    return numbers if isinstance(authored, tuple) else numbers[0]


def _max_speed(link: Link, name: str) -> float:
    """A maximum velocity in the step's units; any finite value for other numbers."""
    return {"physxRigidBody:maxLinearVelocity": link.max_linear_velocity,
            "physxRigidBody:maxAngularVelocity": link.max_angular_velocity}.get(name, 0.0)
