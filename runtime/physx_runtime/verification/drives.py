"""Experiments on drives: what stiffness, damping and maxForce of each degree of freedom come to."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from physx_runtime.verification.bench import LARGEST_ANGLE_CHANGE, LARGEST_TARGET_CHANGE, Array, Bench, Case
from physx_runtime.verification.quantity import Findings, Key, Measured
from physx_schema.description.model import Drive, unlimited

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
