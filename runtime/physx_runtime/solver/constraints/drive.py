"""Drives: implicit spring-dampers with a force limit or a performance envelope (envelope.py)."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import joint_rotation
from physx_runtime.language.ops import Rows, Scalar, clamp, where
from physx_runtime.model.topology import SPHERICAL, Topology
from physx_runtime.solver.constraints.envelope import inside_envelope
from physx_runtime.solver.constraints.solved_dof import SolvedDof

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
