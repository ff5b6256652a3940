"""Joint drives: implicit spring-dampers with a force limit or a performance envelope (PhysX DyCpuGpuArticulation.h).

`drive_coefficients` prepares a drive, `solve_drive` is its impulse in an iteration: F = x (h k error + h d qd_target -
a v). `clamp_to_envelope` limits the impulse by the motor's envelope of effort and speed.
"""

from __future__ import annotations

import math

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import joint_rotation
from physx_runtime.language.ops import Rows, Scalar, clamp, maximum, minimum, where
from physx_runtime.model.topology import SPHERICAL, Topology
from physx_runtime.solver.constraints.limit import SolvedDof


def clamp_to_envelope(rows: Rows, dof: int, P: Scalar, w: Scalar, r: Scalar, period: Scalar) -> Scalar:
    """The part of the impulse P over `period` that the envelope allows; w is the velocity without P.

    |P| <= maxForce t - resistance t |w + r P|   and   |w + r P| <= maxVelocity - gradient / t |P|
    """
    # the clamp is solved for |P| of one sign  (DyCpuGpuArticulation.h, clampDriveImpulse)
    limit, resistance = rows["max_force"][dof], rows["velocity_dependent_resistance"][dof]
    min_response = rows["min_response"][0]
    sign = where(P < 0.0, -1.0, 1.0)
    p, w = abs(P), sign * w
    safe_resistance = where(resistance > 0.0, resistance, 1.0)
    bounds = _impulse_bounds(0.0, p, limit / safe_resistance, 1.0 / (safe_resistance * period), w, r, min_response)
    low = where(resistance > 0.0, bounds[0], 0.0)
    high = where(resistance > 0.0, bounds[1], minimum(p, limit * period))
    max_velocity, gradient = rows["max_actuator_velocity"][dof], rows["speed_effort_gradient"][dof]
    low, high = _impulse_bounds(low, high, max_velocity, gradient / period, w, r, min_response)
    return where(high < low, 0.0, sign * maximum(low, minimum(p, high)))


def _impulse_bounds(low: Scalar, high: Scalar, v_max: Scalar, slope: Scalar, w: Scalar, r: Scalar,
                    r_min: Scalar) -> tuple[Scalar, Scalar]:
    """The impulses p in [low, high] with |w + r p| <= v_max - slope p.

    As in PhysX: with r + slope below `r_min` any p is allowed. With |r - slope| below it p is allowed up to the first
    bound, if |w| alone is below v_max (DyCpuGpuArticulation.h, computeBoundsForPositiveImpulse).
    """
    # w + r p <= v_max - slope p: p <= (v_max - w) / (r + slope)
    # w + r p >= -(v_max - slope p): p >= -(v_max + w) / (r - slope) where r > slope, p <= that where r < slope
    difference = r - slope
    parallel = (abs(difference) < r_min) | ~(abs(difference) > 0.0)
    edge = -(v_max + w) / where(parallel, 1.0, difference)
    lower = where(parallel, where(v_max + w < -r_min, math.inf, low), where(difference > 0.0, maximum(low, edge), low))
    upper = minimum(high, (v_max - w) / (r + slope))
    upper = where(difference < 0.0, where(parallel, upper, minimum(upper, edge)), upper)
    unbounded = r + slope < r_min
    return where(unbounded, low, lower), where(unbounded, high, upper)


DRIVE_ROWS = ("drive_damping_impulse", "drive_spring", "drive_speed", "drive_start", "drive_decay")


def drive_coefficients(t: Topology, rows: Rows, dof: int, r: Scalar, soft: Scalar) -> dict[str, Scalar]:
    """Factors of velocity, error and target velocity in a drive's impulse (DyCpuGpuArticulation.h, implicit drive).

    With PGS also that of the impulse so far, which every iteration computes again.
    """
    # a = h (h k + d); x = 1 / (1 + a r) of forces, 1 / ((1 + a) r) of accelerations
    # (DyCpuGpuArticulation.h, computeImplicitDriveParams)
    h, dt = rows["h"][0], rows["dt"][0]
    k, d = rows["stiffness"][dof], rows["damping"][dof]
    a = h * (h * k + d)
    accelerates = t.dofs[dof].drive == "acceleration"
    x = soft / (1.0 + a) if accelerates else 1.0 / (1.0 + a * r)
    speed = rows["target_velocity"][dof]
    decay = {"drive_decay": 1.0 / (1.0 + a) if accelerates else x} if t.pgs else {}
    return decay | {
        "drive_damping_impulse": x * a,
        "drive_spring": x * h * k,
        "drive_speed": x * h * d * speed,
        "drive_start": _error(t, rows, dof) - (dt - h) * speed,
    }


def _error(t: Topology, rows: Rows, dof: int) -> Scalar:
    """The error of a drive at the step's start.

    Of a spherical joint with several axes -2 Im(target^-1 rotation), of the targets of all its drives together.
    """
    link = t.dofs[dof].link
    dofs = t.dofs_of(link)
    if t.kind_of(dof) != SPHERICAL or len(dofs) == 1:
        return rows["target_position"][dof] - rows["q"][dof]
    # error = -2 Im(target^-1 q), of both quaternions the nearer  (DyFeatherstoneArticulation.cpp)
    targets: list[Scalar] = [0.0] * len(t.dofs)
    for i in dofs:
        targets[i] = rows["target_position"][i] if t.dofs[i].drive else 0.0
    target = sp.exponential(joint_rotation(t, {}, targets, link))
    difference = sp.mul_quat(sp.conjugate(target), sp.exponential(joint_rotation(t, rows, rows["q"], link)))
    error = where(difference[3] < 0.0, 2.0, -2.0) * difference[t.dofs[dof].axis]
    return -error if t.links[link].flipped else error


def solve_drive(t: Topology, rows: Rows, dof: int, joint: SolvedDof, final: bool) -> Scalar:
    """Apply the drive to the joint; returns its impulse since the step began.

    final: a velocity iteration. In TGS the drive is then frozen and only an envelope clamps again, over the whole step.
    A force limit of 0 disables the drive and its envelope: the effort is not limited.
    """
    h, dt = rows["h"][0], rows["dt"][0]
    total, effort, limit = rows["drive_total"][dof], rows["joint_effort"][dof], rows["max_force"][dof]
    # impulse that counts for the limit besides F: of a substep, or of the whole step where forces act once
    every_iteration = t.forces_every_iteration and not final
    before, period = (effort * h, h) if every_iteration else (total + effort * dt, dt)
    impulse, frozen = before, final and not t.pgs
    # F = x (h k (target_start + t qd_target - displacement) + h d qd_target - a v)
    # (DyFeatherstoneArticulation.cpp, computeDriveImpulse)
    if not frozen:      # before + F; v comes last, as the other terms do not depend on other constraints
        target = rows["drive_start"][dof] + rows["iteration"][0] * h * rows["target_velocity"][dof]
        impulse = rows["drive_spring"][dof] * (target - joint.displacement) + (rows["drive_speed"][dof] + before)
        impulse = impulse - rows["drive_decay"][dof] * total if t.pgs else impulse
        impulse = impulse - rows["drive_damping_impulse"][dof] * joint.v
    # |F + before| <= maxForce period  (DyFeatherstoneArticulation.cpp, clampDriveImpulse)
    F: Scalar = 0.0
    if t.dofs[dof].envelope:
        allowed = clamp_to_envelope(rows, dof, impulse, joint.v - before * joint.r, joint.r, period)
        F = where(limit > 0.0, allowed - before, 0.0)
    elif not frozen:
        bound = limit * period
        F = clamp(impulse, where(limit > 0.0, -bound, before), where(limit > 0.0, bound, before)) - before
    joint.apply_impulse(F)
    return total + F
