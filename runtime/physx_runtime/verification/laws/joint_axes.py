"""Experiments on joint axes (PhysxJointAxisAPI): armature, static, dynamic and viscous friction, and maximum joint
velocity.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.verification.bench import Bench, Case
from physx_runtime.verification.quantity import Findings, Key, Measurement
from physx_schema.description.model import Dof, unlimited

# What is measured of a degree of freedom, and the properties of PhysxJointAxisAPI that say it.
PROPERTIES: Mapping[str, str] = {
    "armature": "armature", "static_friction": "staticFrictionEffort", "dynamic_friction": "dynamicFrictionEffort",
    "viscous_friction": "viscousFrictionCoefficient", "max_velocity": "maxJointVelocity",
}
# Efforts a resting joint is pushed with, of the authored static friction; and how finely the largest held is sought.
TEST_EFFORTS, EFFORT_REFINEMENTS = np.linspace(0.0, 2.0, 81), 4
# A joint slides when it is this much faster than static friction could stop within a step.
SLIDING_SPEED_FACTOR = 4.0
# A joint at rest is pushed for a step to this multiple of its maximum velocity.
OVERSPEED_FACTOR = 3.0
# A difference of two inertias may be off by this part of them: what solving for them leaves of float64.
DIFFERENCE_ERROR = 1e-10


def has_axis_values(dof: Dof) -> bool:
    """Whether the degree of freedom has values of PhysxJointAxisAPI to measure."""
    friction = dof.static_friction or dof.dynamic_friction or dof.viscous_friction
    return bool(axis_keys(dof)) and bool(dof.armature or friction or not unlimited(dof.max_velocity))


def axis_keys(dof: Dof) -> Mapping[str, Key]:
    """The property of each measured field: PhysX's, or that of another engine that PhysX reads instead.

    One of another engine acts on every axis of its joint, and may act in several ways.
    """
    keys = {} if dof.axis_prefix is None else {
        field: Key(dof.path, dof.axis_prefix + name) for field, name in PROPERTIES.items()}
    axis = dof.name.removeprefix(dof.path).replace(":", " on ")
    return keys | {field: Key(dof.path, name, f"as {field.replace('_', ' ')}{axis}") for field, name in dof.sources}


def measure_joint_axes(bench: Bench) -> Findings:
    """Armature, the three friction numbers and maxJointVelocity of every joint axis, rad or length.

    Armature: the difference of the joint's inertia with and without it; inertia is effort over acceleration. Static
    friction: the largest effort that does not move a resting joint, the other frictions off. Dynamic and viscous
    friction: the efforts that keep two speeds. maxJointVelocity: the speed after a step whose effort would give three
    times as much.
    """
    findings = Findings()
    inertia, bare = _inertia(bench, bench.base_rows("armature")), _inertia(bench, np.zeros(bench.size))
    for i, dof in enumerate(bench.dofs):
        keys = axis_keys(dof)
        if not has_axis_values(dof) or not bench.is_requested(*keys.values()):
            continue
        armature = float(inertia[i, i] - bare[i, i])
        values = {"armature": Measurement(armature, DIFFERENCE_ERROR * float(inertia[i, i]))}
        response = float(np.linalg.inv(inertia)[i, i])
        if dof.static_friction > 0.0:
            values["static_friction"] = _static(bench, i, dof.static_friction, response)
        if dof.static_friction > 0.0 or dof.viscous_friction > 0.0:
            sliding = ("dynamic_friction", "viscous_friction")
            with findings.attempt(*(keys[field] for field in sliding if field in keys)):
                values |= zip(sliding, _sliding(bench, i, dof.static_friction, response), strict=True)
        if not unlimited(dof.max_velocity):
            values["max_velocity"] = Measurement(_max_velocity(bench, i, dof.max_velocity, inertia[:, i]), 0.0)
        for field in values.keys() & keys.keys():
            findings.set_value(keys[field], values[field])
    return findings


def _frictionless_rows(bench: Bench) -> dict[str, DoubleArray]:
    """Neither friction nor a maximum velocity on any joint."""
    none = {f"{kind}_friction": np.zeros(bench.size) for kind in ("static", "dynamic", "viscous")}
    return none | {"max_velocity": np.full(bench.size, math.inf)}


def _friction_rows(bench: Bench, i: int) -> dict[str, DoubleArray]:
    """Joint i with its friction, all others without."""
    unit = np.eye(bench.size)[i]
    return _frictionless_rows(bench) | {f"{kind}_friction": unit * bench.base_rows(f"{kind}_friction")
                                        for kind in ("static", "dynamic", "viscous")}


def _inertia(bench: Bench, armature: DoubleArray) -> DoubleArray:
    """The mass matrix, (n_dof, n_dof), from the velocities that efforts on each joint in turn give within a step."""
    efforts = np.diag(bench.inertia * bench.speeds / bench.dt)
    velocities = bench.step_from_rest([Case(_frictionless_rows(bench) | {"armature": armature})] * bench.size, efforts)
    return np.asarray(np.linalg.solve(velocities / bench.dt, efforts), dtype=np.float64)


def _static(bench: Bench, i: int, authored: float, response: float) -> Measurement:
    """The largest effort, mean over a step, that static friction cancels, from efforts around its authored value.

    It lies between the neighbours of the best effort.
    """
    rows = _friction_rows(bench, i) | {f"{kind}_friction": np.zeros(bench.size) for kind in ("dynamic", "viscous")}
    trials, friction, best, width = authored * TEST_EFFORTS, np.zeros(1), 0, 0.0
    for _ in range(EFFORT_REFINEMENTS):
        efforts = trials[:, None] * np.eye(bench.size)[i]
        velocities = bench.step_from_rest([Case(rows)] * len(trials), efforts)[:, i]
        friction = trials - velocities / (response * bench.dt)
        best, width = int(np.argmax(friction)), float(trials[1] - trials[0])
        trials = np.linspace(trials[max(best - 1, 0)], trials[min(best + 1, len(trials) - 1)], len(trials))
    return Measurement(float(friction[best]), width)


def _sliding(bench: Bench, i: int, static: float, response: float) -> tuple[Measurement, Measurement]:
    """Dynamic and viscous friction from the drag at two speeds. Raises UnsteadyError."""
    speed = max(SLIDING_SPEED_FACTOR * static * response * bench.dt, float(bench.speeds[i]))
    unit = np.eye(bench.size)[i]
    rows, speeds = _friction_rows(bench, i), (speed, -speed, 2.0 * speed, -2.0 * speed)
    cases = [Case(rows, velocity=x * unit) for x in speeds]
    efforts, errors = (x[:, i] for x in bench.hold_with_errors(cases))
    slow, fast = (float(efforts[j] - efforts[j + 1]) / 2.0 for j in (0, 2))
    slow_error, fast_error = (float(errors[j] + errors[j + 1]) / 2.0 for j in (0, 2))
    return (Measurement(2.0 * slow - fast, 2.0 * slow_error + fast_error),
            Measurement((fast - slow) / speed, (fast_error + slow_error) / speed))


def _max_velocity(bench: Bench, i: int, authored: float, inertia: DoubleArray) -> float:
    """The joint's speed after a step from rest under efforts that accelerate this joint alone. inertia: (n_dof,).

    It starts at rest, because Coriolis forces of a fast joint can stop and reverse it within a step.
    """
    unit = np.eye(bench.size)[i]
    rows = _frictionless_rows(bench) | {"max_velocity": np.where(unit > 0.0, authored, math.inf)}
    efforts = inertia * OVERSPEED_FACTOR * authored / bench.dt
    return float(bench.step_from_rest([Case(rows)], efforts[None, :])[0, i])
