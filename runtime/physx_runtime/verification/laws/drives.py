"""Experiments on drives: `measure_drives` for stiffness, damping and maxForce, `measure_envelopes` for performance
envelopes (PhysxDrivePerformanceEnvelopeAPI).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.verification.bench import MAX_ANGLE_CHANGE, MAX_TARGET_CHANGE, Bench, Case
from physx_runtime.verification.quantity import Findings, Key, Measurement
from physx_runtime.verification.settling import single_joint_rows
from physx_schema.description.model import Dof, Drive, Envelope, unlimited

# Far beyond where a drive saturates: demanded force over maxForce.
OVERLOAD = 1e6
# By how much the sine of half of MAX_ANGLE_CHANGE is off that angle's half, of it.
SINE_ERROR = MAX_ANGLE_CHANGE ** 2 / 6.0


def measure_drives(bench: Bench) -> Findings:
    """Stiffness, damping and maxForce of every drive, per rad or length; all other drives are off.

    Stiffness: the target moves, and the effort that still holds the joint changes by stiffness times distance.
    Damping: the joint moves at constant speed with the spring off. An acceleration drive's gains are accelerations, so
    its effort counts times the joint's response. maxForce: the first step's velocity under a demand far beyond it.
    """
    findings = Findings()
    response = _responses(bench)
    for i, drive in _driven(bench):
        stiffness, damping, max_force = (Key(drive.path, drive.prefix + name)
                                         for name in ("stiffness", "damping", "maxForce"))
        if not bench.is_requested(stiffness, damping, max_force):
            continue
        scale = response[i] if drive.acceleration else 1.0
        with findings.attempt(stiffness, damping):
            max_change = MAX_ANGLE_CHANGE if bench.spherical[i] else MAX_TARGET_CHANGE
            displacement = bench.probe(drive.stiffness / scale, drive.damping / scale,
                                       max_change) * float(bench.units[i])
            results = bench.hold_with_errors(_hold_cases(bench, i, drive, 1.0 / scale, displacement))
            efforts, errors = (scale * x[:, i] for x in results)
            spring = Measurement(float(efforts[0] - efforts[1]), float(errors[:2].sum())).scaled(0.5 / displacement)
            sine_error = SINE_ERROR * abs(spring.value) if bench.spherical[i] else 0.0
            findings.set_value(stiffness, Measurement(spring.value, spring.error + sine_error))
            drag = Measurement(float(efforts[3] - efforts[2]), float(errors[2:].sum()))
            findings.set_value(damping, drag.scaled(0.5 / float(bench.speeds[i])))
        if not unlimited(drive.max_force):
            findings.values[max_force] = _saturation(bench, i, drive, response[i])
    return findings


def _driven(bench: Bench) -> Iterator[tuple[int, Drive]]:
    return ((i, dof.drive) for i, dof in enumerate(bench.dofs) if dof.drive)


def _hold_cases(bench: Bench, i: int, drive: Drive, inertia: float, displacement: float) -> list[Case]:
    """Drive i alone, without a force limit: its target moved by a displacement, both ways; then in motion, spring off.

    inertia: what turns the gains of an acceleration drive into efforts, 1 for a force drive.
    """
    unit = np.eye(bench.size)[i]
    motion = unit * bench.speeds
    spring, damper = _single_drive_rows(bench, i, drive.stiffness, drive.damping), _single_drive_rows(bench, i, 0.0,
                                                                                                      drive.damping)
    spring_effort, drag = drive.stiffness * inertia * displacement * unit, drive.damping * inertia * motion
    displaced = [Case({**spring, "target_position": bench.pose + sign * displacement * unit},
                      effort=spring_effort + drag)
                 for sign in (-1.0, 1.0)]
    return displaced + [Case(damper, velocity=sign * motion, effort=drag) for sign in (-1.0, 1.0)]


def _single_drive_rows(bench: Bench, i: int, stiffness: float, damping: float) -> dict[str, DoubleArray]:
    unit = np.eye(bench.size)[i]
    return {"stiffness": unit * stiffness, "damping": unit * damping, "target_velocity": np.zeros(bench.size),
            "max_force": np.full(bench.size, math.inf)}


def _responses(bench: Bench) -> DoubleArray:
    """Velocity each joint gains per impulse on it, (n_dof,), all drives off: one step from rest under an effort."""
    efforts = bench.inertia * bench.speeds / bench.dt
    velocities = bench.step_from_rest([Case(_single_drive_rows(bench, 0, 0.0, 0.0))] * bench.size, np.diag(efforts))
    return np.asarray(np.diag(velocities) / (efforts * bench.dt), dtype=np.float64)


def _saturation(bench: Bench, i: int, drive: Drive, response: float) -> float:
    """The force of a drive under a demand far beyond maxForce; without gains, the part of an effort that passes it."""
    unit, limit = np.eye(bench.size)[i], drive.max_force
    rows = _single_drive_rows(bench, i, drive.stiffness,
                              drive.damping) | {"max_force": np.where(unit > 0.0, limit, math.inf)}
    min_effort = max(limit, float(bench.inertia[i] * bench.speeds[i] / bench.dt))
    speed, scale = min_effort * response * bench.dt, response if drive.acceleration else 1.0
    effort = np.zeros(bench.size)
    # a damper pulls in place of a spring too: no target of a hinge is far enough
    damping = drive.stiffness * bench.dt if drive.stiffness > 0.0 else drive.damping
    if damping > 0.0:
        rows["damping"] = unit * damping
        rows["target_velocity"] = unit * OVERLOAD * (min_effort * scale / damping + speed)
    else:
        effort = unit * OVERLOAD * min_effort
    velocity = bench.step_from_rest([Case(rows)], effort[None, :])[0]
    return float(velocity[i] / (response * bench.dt))


# What is measured of an envelope, and the properties of PhysxDrivePerformanceEnvelopeAPI that say it.
PROPERTIES: Mapping[str, str] = {
    "max_actuator_velocity": "maxActuatorVelocity", "velocity_dependent_resistance": "velocityDependentResistance",
    "speed_effort_gradient": "speedEffortGradient",
}
# Two speeds at which it is read, of the one at which an envelope leaves no force.
SLOW, FAST = 0.25, 0.5


def enveloped(dof: Dof) -> bool:
    """Whether the degree of freedom has a drive within an envelope."""
    return dof.drive is not None and dof.drive.envelope is not None


def envelope_keys(envelope: Envelope) -> Mapping[str, Key]:
    """The property behind each field."""
    return {field: Key(envelope.path, envelope.prefix + name) for field, name in PROPERTIES.items()}


def inactive_reasons(drive: Drive, envelope: Envelope) -> Mapping[str, str]:
    """Why a number of an envelope bounds nothing, by field."""
    reasons = {}
    if drive.max_force == 0.0:
        return dict.fromkeys(PROPERTIES, "maxForce is 0, which disables the drive")
    if unlimited(drive.max_force):
        reasons["velocity_dependent_resistance"] = (
            "maxForce is unlimited, and velocityDependentResistance does not reduce it")
    if unlimited(envelope.max_actuator_velocity):
        reasons["speed_effort_gradient"] = (
            "maxActuatorVelocity is unlimited, and speedEffortGradient does not reduce it")
    return reasons


def measure_envelopes(bench: Bench) -> Findings:
    """The numbers of every envelope, per rad or length; one bound and one joint at a time.

    maxActuatorVelocity: the speed that an unbounded demand reaches within a step from rest. velocityDependentResistance
    and speedEffortGradient: the forces that such a demand gives at two speeds of a joint so heavy that it keeps them.
    """
    findings = Findings()
    for i, dof in enumerate(bench.dofs):
        drive = dof.drive
        if drive is None or drive.envelope is None:
            continue
        envelope, keys, inactive = drive.envelope, envelope_keys(drive.envelope), inactive_reasons(drive,
                                                                                                   drive.envelope)
        if not bench.is_requested(*keys.values()):
            continue
        max_speed, resistance = envelope.max_actuator_velocity, envelope.velocity_dependent_resistance
        gradient = envelope.speed_effort_gradient
        if not unlimited(max_speed) and "max_actuator_velocity" not in inactive:
            findings.values[keys["max_actuator_velocity"]] = _speed(bench, i, max_speed)
        if resistance and "velocity_dependent_resistance" not in inactive:
            stop = drive.max_force / resistance
            slow, fast = _forces(bench, i, stop, {"velocity_dependent_resistance": resistance,
                                                  "max_force": drive.max_force})
            findings.set_value(keys["velocity_dependent_resistance"],
                               _with_speed_error(bench, (slow - fast) / (stop * (FAST - SLOW))))
        if gradient and "speed_effort_gradient" not in inactive:
            slow, fast = _forces(bench, i, max_speed, {"speed_effort_gradient": gradient,
                                                       "max_actuator_velocity": max_speed})
            findings.set_value(keys["speed_effort_gradient"],
                               _with_speed_error(bench, max_speed * (FAST - SLOW) / (slow - fast)))
    return findings


def _with_speed_error(bench: Bench, value: float) -> Measurement:
    """A slope of force over speed, with an uncertainty from the speed that both joints lose in the step."""
    return Measurement(value, abs(value) * bench.speed_tolerance / (FAST - SLOW))


def _rows(bench: Bench, i: int, speed: float, inertia: float, bounds: Mapping[str, float]) -> dict[str, DoubleArray]:
    """A damper on joint i with a target far beyond `speed`; the other joints stay."""
    unit = np.eye(bench.size)[i]
    unbounded = {"max_force": math.inf, "max_actuator_velocity": math.inf, "velocity_dependent_resistance": 0.0,
                 "speed_effort_gradient": 0.0}
    rows = single_joint_rows(bench, i, limits=False) | {
        name: np.where(unit > 0.0, bounds.get(name, value), value) for name, value in unbounded.items()}
    drive = bench.dofs[i].drive
    scale = 1.0 if drive is not None and drive.acceleration else inertia
    return rows | {"damping": unit * scale / bench.dt, "target_velocity": unit * OVERLOAD * speed}


def _speed(bench: Bench, i: int, max_speed: float) -> float:
    rows = _rows(bench, i, max_speed, float(bench.inertia[i]), {"max_actuator_velocity": max_speed})
    return float(bench.step_from_velocity(Case(rows))[i])


def _forces(bench: Bench, i: int, stop: float, bounds: Mapping[str, float]) -> tuple[float, float]:
    """The forces at both speeds. stop: the speed at which the force is 0."""
    limit = bounds.get("max_force", stop / bounds.get("speed_effort_gradient", math.inf))
    inertia = max(float(bench.inertia[i]), limit * bench.dt / (bench.speed_tolerance * stop))
    unit = np.eye(bench.size)[i]
    heavy = {"armature": single_joint_rows(bench, i, limits=False)["armature"] + unit * inertia}
    unbounded = _rows(bench, i, stop, inertia, {}) | heavy | {"damping": np.zeros(bench.size)}
    velocity_gain = float(bench.step_from_rest([Case(unbounded)], unit[None, :] * inertia)[0, i])
    rows = _rows(bench, i, stop, inertia, bounds) | heavy
    slow, fast = (float(bench.step_from_velocity(Case(rows, velocity=speed * unit))[i] - speed) * inertia
                  / velocity_gain
                  for speed in (SLOW * stop, FAST * stop))
    return slow, fast
