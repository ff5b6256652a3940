"""Experiments on drives and on what bounds them.

Experiments on drives: what stiffness, damping and maxForce of each degree of freedom come to.

Experiments on performance envelopes: what bounds a drive that asks for far more.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from physx_runtime.verification.bench import LARGEST_ANGLE_CHANGE, LARGEST_TARGET_CHANGE, Array, Bench, Case
from physx_runtime.verification.quantity import Findings, Key, Measured
from physx_runtime.verification.settling import alone
from physx_schema.description.model import Dof, Drive, Envelope, unlimited

# Far beyond where a drive saturates: demanded force over maxForce.
OVERLOAD = 1e6
# By how much the sine of half of LARGEST_ANGLE_CHANGE is off that angle's half, of it.
SINE_ERROR = LARGEST_ANGLE_CHANGE ** 2 / 6.0


def measure_drives(bench: Bench) -> Findings:
    """Stiffness, damping and maxForce of every drive, per rad or length; all other drives are off.

    Stiffness: the target moves, and the effort that still holds the joint changes by stiffness times distance.
    Damping: the joint moves at constant speed with the spring off. An acceleration drive's gains are accelerations, so
    its effort counts times the joint's response. maxForce: the first step's velocity under a demand far beyond it.
    """
    found = Findings()
    response = _responses(bench)
    for i, drive in _driven(bench):
        stiffness, damping, most = (Key(drive.path, drive.prefix + name)
                                    for name in ("stiffness", "damping", "maxForce"))
        if not bench.asks(stiffness, damping, most):
            continue
        scale = response[i] if drive.acceleration else 1.0
        with found.attempt(stiffness, damping):
            longest = LARGEST_ANGLE_CHANGE if bench.turning[i] else LARGEST_TARGET_CHANGE
            away = bench.probe(drive.stiffness / scale, drive.damping / scale, longest) * float(bench.units[i])
            held = bench.held(_hold_cases(bench, i, drive, 1.0 / scale, away))
            efforts, errors = (scale * x[:, i] for x in held)
            spring = Measured(float(efforts[0] - efforts[1]), float(errors[:2].sum())).times(0.5 / away)
            bent = SINE_ERROR * abs(spring.value) if bench.turning[i] else 0.0
            found.put(stiffness, Measured(spring.value, spring.error + bent))
            drag = Measured(float(efforts[3] - efforts[2]), float(errors[2:].sum()))
            found.put(damping, drag.times(0.5 / float(bench.speeds[i])))
        if not unlimited(drive.max_force):
            found.values[most] = _saturation(bench, i, drive, response[i])
    return found


def _driven(bench: Bench) -> Iterator[tuple[int, Drive]]:
    return ((i, dof.drive) for i, dof in enumerate(bench.dofs) if dof.drive)


def _hold_cases(bench: Bench, i: int, drive: Drive, inertia: float, away: float) -> list[Case]:
    """Drive i alone, without a force limit: its target moved `away` and back; then the joint in motion, spring off.

    inertia: what turns the gains of an acceleration drive into efforts, 1 for a force drive.
    """
    unit = np.eye(bench.size)[i]
    motion = unit * bench.speeds
    spring, damper = _only(bench, i, drive.stiffness, drive.damping), _only(bench, i, 0.0, drive.damping)
    pull, drag = drive.stiffness * inertia * away * unit, drive.damping * inertia * motion
    moved = [Case({**spring, "target_position": bench.pose + sign * away * unit}, effort=pull + drag)
             for sign in (-1.0, 1.0)]
    return moved + [Case(damper, velocity=sign * motion, effort=drag) for sign in (-1.0, 1.0)]


def _only(bench: Bench, i: int, stiffness: float, damping: float) -> dict[str, Array]:
    unit = np.eye(bench.size)[i]
    return {"stiffness": unit * stiffness, "damping": unit * damping, "target_velocity": np.zeros(bench.size),
            "max_force": np.full(bench.size, math.inf)}


def _responses(bench: Bench) -> Array:
    """Velocity each joint gains per impulse on it, (n_dof,), all drives off: one step from rest under an effort."""
    efforts = bench.inertia * bench.speeds / bench.dt
    velocities = bench.kick([Case(_only(bench, 0, 0.0, 0.0))] * bench.size, np.diag(efforts))
    return np.asarray(np.diag(velocities) / (efforts * bench.dt), dtype=np.float64)


def _saturation(bench: Bench, i: int, drive: Drive, response: float) -> float:
    """The force a drive gives on a demand far beyond maxForce; without gains, what it lets through of an effort."""
    unit, limit = np.eye(bench.size)[i], drive.max_force
    rows = _only(bench, i, drive.stiffness, drive.damping) | {"max_force": np.where(unit > 0.0, limit, math.inf)}
    least = max(limit, float(bench.inertia[i] * bench.speeds[i] / bench.dt))
    speed, scale = least * response * bench.dt, response if drive.acceleration else 1.0
    effort = np.zeros(bench.size)
    # a damper pulls in place of a spring too: no target of a hinge is far enough
    damping = drive.stiffness * bench.dt if drive.stiffness > 0.0 else drive.damping
    if damping > 0.0:
        rows["damping"] = unit * damping
        rows["target_velocity"] = unit * OVERLOAD * (least * scale / damping + speed)
    else:
        effort = unit * OVERLOAD * least
    velocity = bench.kick([Case(rows)], effort[None, :])[0]
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


def idle_reasons(drive: Drive, envelope: Envelope) -> Mapping[str, str]:
    """Why a number of an envelope bounds nothing, by field."""
    reasons = {}
    if drive.max_force == 0.0:
        return dict.fromkeys(PROPERTIES, "maxForce is 0, which takes the drive away")
    if unlimited(drive.max_force):
        reasons["velocity_dependent_resistance"] = "maxForce is unlimited, so resistance takes nothing off it"
    if unlimited(envelope.max_actuator_velocity):
        reasons["speed_effort_gradient"] = "maxActuatorVelocity is unlimited, so an effort takes nothing off it"
    return reasons


def measure_envelopes(bench: Bench) -> Findings:
    """The numbers of every envelope, per rad or length; one bound and one joint at a time.

    maxActuatorVelocity: the speed that an unbounded demand reaches within a step from rest. velocityDependentResistance
    and speedEffortGradient: the forces that such a demand gives at two speeds of a joint so heavy that it keeps them.
    """
    found = Findings()
    for i, dof in enumerate(bench.dofs):
        drive = dof.drive
        if drive is None or drive.envelope is None:
            continue
        envelope, keys, idle = drive.envelope, envelope_keys(drive.envelope), idle_reasons(drive, drive.envelope)
        if not bench.asks(*keys.values()):
            continue
        fastest, resistance = envelope.max_actuator_velocity, envelope.velocity_dependent_resistance
        gradient = envelope.speed_effort_gradient
        if not unlimited(fastest) and "max_actuator_velocity" not in idle:
            found.values[keys["max_actuator_velocity"]] = _speed(bench, i, fastest)
        if resistance and "velocity_dependent_resistance" not in idle:
            stop = drive.max_force / resistance
            slow, fast = _forces(bench, i, stop, {"velocity_dependent_resistance": resistance,
                                                  "max_force": drive.max_force})
            found.put(keys["velocity_dependent_resistance"], _kept(bench, (slow - fast) / (stop * (FAST - SLOW))))
        if gradient and "speed_effort_gradient" not in idle:
            slow, fast = _forces(bench, i, fastest, {"speed_effort_gradient": gradient,
                                                     "max_actuator_velocity": fastest})
            found.put(keys["speed_effort_gradient"], _kept(bench, fastest * (FAST - SLOW) / (slow - fast)))
    return found


def _kept(bench: Bench, value: float) -> Measured:
    """A slope of force over speed, which may be off by what both joints lose of their speed in the step."""
    return Measured(value, abs(value) * bench.kept_speed / (FAST - SLOW))


def _rows(bench: Bench, i: int, speed: float, inertia: float, bounds: Mapping[str, float]) -> dict[str, Array]:
    """A damper on joint i that asks for far more than `speed`; the other joints stay."""
    own = np.eye(bench.size)[i]
    unbounded = {"max_force": math.inf, "max_actuator_velocity": math.inf, "velocity_dependent_resistance": 0.0,
                 "speed_effort_gradient": 0.0}
    rows = alone(bench, i, limits=False) | {
        name: np.where(own > 0.0, bounds.get(name, value), value) for name, value in unbounded.items()}
    drive = bench.dofs[i].drive
    scale = 1.0 if drive is not None and drive.acceleration else inertia
    return rows | {"damping": own * scale / bench.dt, "target_velocity": own * OVERLOAD * speed}


def _speed(bench: Bench, i: int, fastest: float) -> float:
    rows = _rows(bench, i, fastest, float(bench.inertia[i]), {"max_actuator_velocity": fastest})
    return float(bench.throw(Case(rows))[i])


def _forces(bench: Bench, i: int, stop: float, bounds: Mapping[str, float]) -> tuple[float, float]:
    """The forces at both speeds; `stop`: the speed at which there is none."""
    limit = bounds.get("max_force", stop / bounds.get("speed_effort_gradient", math.inf))
    inertia = max(float(bench.inertia[i]), limit * bench.dt / (bench.kept_speed * stop))
    own = np.eye(bench.size)[i]
    heavy = {"armature": alone(bench, i, limits=False)["armature"] + own * inertia}
    unbounded = _rows(bench, i, stop, inertia, {}) | heavy | {"damping": np.zeros(bench.size)}
    kicked = float(bench.kick([Case(unbounded)], own[None, :] * inertia)[0, i])
    rows = _rows(bench, i, stop, inertia, bounds) | heavy
    slow, fast = (float(bench.throw(Case(rows, velocity=speed * own))[i] - speed) * inertia / kicked
                  for speed in (SLOW * stop, FAST * stop))
    return slow, fast
