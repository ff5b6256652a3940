"""Drives and their envelopes (PhysX DyFeatherstoneArticulationJointData).

Drives: implicit spring-dampers with a force limit or a performance envelope (envelope.py).

The performance envelope around a drive: what its motor can give at a velocity.
"""

from __future__ import annotations

import math

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import joint_rotation
from physx_runtime.language.ops import Rows, Scalar, clamp, maximum, minimum, where
from physx_runtime.model.topology import SPHERICAL, Topology
from physx_runtime.solver.constraints.limit import SolvedDof


def inside_envelope(rows: Rows, dof: int, P: Scalar, w: Scalar, r: Scalar, period: Scalar) -> Scalar:
    """The part of the impulse P over `period` that the envelope allows; w is the velocity without P.

    |P| <= maxForce t - resistance t |w + r P|   and   |w + r P| <= maxVelocity - gradient / t |P|
    """
    limit, resistance = rows["max_force"][dof], rows["velocity_dependent_resistance"][dof]
    least = rows["least_response"][0]
    sign = where(P < 0.0, -1.0, 1.0)
    p, w = abs(P), sign * w
    guarded = where(resistance > 0.0, resistance, 1.0)
    resisted = _between(0.0, p, limit / guarded, 1.0 / (guarded * period), w, r, least)
    low = where(resistance > 0.0, resisted[0], 0.0)
    high = where(resistance > 0.0, resisted[1], minimum(p, limit * period))
    fastest, gradient = rows["max_actuator_velocity"][dof], rows["speed_effort_gradient"][dof]
    low, high = _between(low, high, fastest, gradient / period, w, r, least)
    return where(high < low, 0.0, sign * maximum(low, minimum(p, high)))


def _between(low: Scalar, high: Scalar, most: Scalar, slope: Scalar, w: Scalar, r: Scalar,
             least: Scalar) -> tuple[Scalar, Scalar]:
    """The impulses p in [low, high] with |w + r p| <= most - slope p.

    As PhysX takes them: with r + slope below `least` any p will do, and with |r - slope| below it those up to the first
    bound, if |w| alone keeps to `most` (DyCpuGpuArticulation.h, computeBoundsForPositiveImpulse).
    """
    difference = r - slope
    alike = (abs(difference) < least) | ~(abs(difference) > 0.0)
    edge = -(most + w) / where(alike, 1.0, difference)
    lower = where(alike, where(most + w < -least, math.inf, low), where(difference > 0.0, maximum(low, edge), low))
    upper = minimum(high, (most - w) / (r + slope))
    upper = where(difference < 0.0, where(alike, upper, minimum(upper, edge)), upper)
    unbounded = r + slope < least
    return where(unbounded, low, lower), where(unbounded, high, upper)


DRIVE_ROWS = ("drive_rate", "drive_spring", "drive_speed", "drive_start", "drive_again")


def drive_coefficients(t: Topology, rows: Rows, dof: int, r: Scalar, soft: Scalar) -> dict[str, Scalar]:
    """Factors of velocity, error and target velocity in a drive's impulse (DyCpuGpuArticulation.h, implicit drive).

    With PGS also that of the impulse given so far, which every iteration works out anew.
    """
    h, dt = rows["h"][0], rows["dt"][0]
    k, d = rows["stiffness"][dof], rows["damping"][dof]
    a = h * (h * k + d)
    accelerates = t.dofs[dof].drive == "acceleration"
    x = soft / (1.0 + a) if accelerates else 1.0 / (1.0 + a * r)
    speed = rows["target_velocity"][dof]
    again = {"drive_again": 1.0 / (1.0 + a) if accelerates else x} if t.pgs else {}
    return again | {
        "drive_rate": x * a,
        "drive_spring": x * h * k,
        "drive_speed": x * h * d * speed,
        "drive_start": _error(t, rows, dof) - (dt - h) * speed,
    }


def _error(t: Topology, rows: Rows, dof: int) -> Scalar:
    """How far a drive has to go at the step's start.

    Of a spherical joint with several axes -2 Im(target^-1 rotation), of the targets of all its drives together.
    """
    link = t.dofs[dof].link
    dofs = t.dofs_of(link)
    if t.kind_of(dof) != SPHERICAL or len(dofs) == 1:
        return rows["target_position"][dof] - rows["q"][dof]
    targets: list[Scalar] = [0.0] * len(t.dofs)
    for i in dofs:
        targets[i] = rows["target_position"][i] if t.dofs[i].drive else 0.0
    wanted = sp.exponential(joint_rotation(t, {}, targets, link))
    apart = sp.mul_quat(sp.conjugate(wanted), sp.exponential(joint_rotation(t, rows, rows["q"], link)))
    error = where(apart[3] < 0.0, 2.0, -2.0) * apart[t.dofs[dof].axis]
    return -error if t.links[link].flipped else error


def solve_drive(t: Topology, rows: Rows, dof: int, joint: SolvedDof, final: bool) -> Scalar:
    """Push the joint; returns the drive's impulse since the step began.

    final: a velocity iteration. In TGS the drive is then frozen and only an envelope clamps again, over the whole step.
    A force limit of 0 takes the drive and its envelope away: the effort passes whole.
    """
    h, dt = rows["h"][0], rows["dt"][0]
    total, effort, limit = rows["drive_total"][dof], rows["joint_effort"][dof], rows["max_force"][dof]
    # what the bounds hold besides F: of a substep, or of the whole step where forces act once or it is over
    each = t.forces_every_iteration and not final
    before, period = (effort * h, h) if each else (total + effort * dt, dt)
    wanted, frozen = before, final and not t.pgs
    if not frozen:      # before + F; v comes last, as the rest does not wait for other constraints
        target = rows["drive_start"][dof] + rows["iteration"][0] * h * rows["target_velocity"][dof]
        wanted = rows["drive_spring"][dof] * (target - joint.travel) + (rows["drive_speed"][dof] + before)
        wanted = wanted - rows["drive_again"][dof] * total if t.pgs else wanted
        wanted = wanted - rows["drive_rate"][dof] * joint.v
    F: Scalar = 0.0
    if t.dofs[dof].envelope:
        allowed = inside_envelope(rows, dof, wanted, joint.v - before * joint.r, joint.r, period)
        F = where(limit > 0.0, allowed - before, 0.0)
    elif not frozen:
        most = limit * period
        F = clamp(wanted, where(limit > 0.0, -most, before), where(limit > 0.0, most, before)) - before
    joint.push(F)
    return total + F
