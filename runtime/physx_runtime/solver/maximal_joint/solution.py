"""Solution of a maximal joint's rows in an iteration, and the force of the joint after a step (PhysX DyTGSContactPrep).

`solve` solves all rows: F = (clamp(bias) + v_target - v) / (J M^-1 J^T + cfm), or that of a spring (solve1DStep,
solveExt1D). `moved_bodies` and `forces_now` are the current sides and the forces of each row. `conclude` is the mean
force of the joint over the step, and whether it breaks the joint (writeBack1DStep).
"""

from __future__ import annotations

from dataclasses import dataclass

from physx_runtime.dynamics import rounded
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.aba import NO_LINK_RESPONSE, LinkResponse
from physx_runtime.dynamics.spatial import (
    NO_FORCE,
    NO_MOTION,
    ZERO3,
    Force,
    Motion,
    Vec3,
    dot,
    linear_first,
    motion_of,
    quaternion,
    triple,
)
from physx_runtime.language.ops import Rows, Scalar, clamp, maximum, minimum, where
from physx_runtime.model.body_kind import BODY, LINK
from physx_runtime.model.island import GEAR, RACK, JointTopology
from physx_runtime.solver.maximal_joint.couplings import (
    Forces,
    Motions,
    delta_velocities,
    response_along,
    velocity_along,
)
from physx_runtime.solver.maximal_joint.kinds import RowKind, has_arm, has_target, is_constant, is_fixed, row_kinds
from physx_runtime.solver.maximal_joint.preparation import (
    PreparedRows,
    RowReader,
    append_row,
    body_response,
    impulse_group,
)
from physx_runtime.solver.maximal_joint.rows import ROTATION


@dataclass(frozen=True, slots=True)
class MovedBody:
    """One side of a joint during an iteration."""

    velocity: Motion                # before the joint's impulses
    response: LinkResponse          # of a rigid body, otherwise zero
    arm: Vec3                       # to the point of linear rows, rotated with the side
    displacement: Vec3                       # displacement of that point since the step's start
    rotation: Vec3                      # time integral of its angular velocity


Bodies = tuple[MovedBody, MovedBody]


def moved_bodies(t: JointTopology, rows: Rows, reader: RowReader) -> Bodies:
    """Both sides of a joint."""
    return _moved_body(t, rows, 0, reader), _moved_body(t, rows, 1, reader)


def _moved_body(t: JointTopology, rows: Rows, k: int, reader: RowReader) -> MovedBody:
    body = t.solver_bodies[k]
    arm = reader.vector("arms") if has_arm(t, k) else ZERO3
    if not body.moves:
        return MovedBody(NO_MOTION, NO_LINK_RESPONSE, arm, ZERO3, ZERO3)
    # dx = R(delta) r + x - r: of the point of linear rows  (DyTGSContactPrep.cpp, solve1DStep)
    rotate = rounded.rotate if body.rotates_itself else sp.rotate
    rotated = rotate(quaternion(rows, f"body{k}_delta_rotation", 0), arm)
    displacement = sp.sub(sp.add(rotated, triple(rows, f"body{k}_displacement", 0)), arm)
    response = body_response(rows, k) if body.kind == BODY else NO_LINK_RESPONSE
    return MovedBody(motion_of(rows[f"body{k}_v"]), response, rotated, displacement,
                     triple(rows, f"body{k}_angular_displacement", 0))


def bodies_at_start(t: JointTopology, reader: RowReader) -> Bodies:
    """Both sides of a joint at the step's start, with the arms only."""
    first, second = (reader.vector("arms") if has_arm(t, k) else ZERO3 for k in (0, 1))
    return (MovedBody(NO_MOTION, NO_LINK_RESPONSE, first, ZERO3, ZERO3),
            MovedBody(NO_MOTION, NO_LINK_RESPONSE, second, ZERO3, ZERO3))


def forces_now(t: JointTopology, kind: RowKind, bodies: Bodies, reader: RowReader) -> Forces:
    """The forces of the next row: linear ones at current arms between bodies, at those of the step's start at links."""
    # PGS: J of the start, any row linear and angular
    if t.pgs:
        first, second = (Force(reader.vector("forces"), reader.vector("forces")) for _ in (0, 1))
        return first, second
    axis = reader.vector("axes")
    if t.kind == GEAR:
        return Force(axis, ZERO3), Force(reader.vector("axes"), ZERO3)
    if t.kind == RACK:
        slider = reader.vector("axes")
        return Force(axis, ZERO3), Force(ZERO3 if is_constant(t) else sp.cross(bodies[1].arm, slider), slider)
    if kind.angular:
        return Force(axis, ZERO3), Force(axis, ZERO3)
    # J = [n, r x n] with the current r between bodies, that of the start at links
    r_cross_n = [_r_cross_n(t, k, bodies[k], axis, reader) for k in (0, 1)]
    return Force(r_cross_n[0], axis), Force(r_cross_n[1], axis)


def _r_cross_n(t: JointTopology, k: int, body: MovedBody, axis: Vec3, reader: RowReader) -> Vec3:
    if not (t.measures_force or t.solver_bodies[k].moves):
        return ZERO3
    return reader.vector("r_cross_n") if is_constant(t) else sp.cross(body.arm, axis)


@dataclass(frozen=True, slots=True)
class RotationalRow:
    """A rotational equality row between bodies, projected out of linear rows."""

    forces: Forces
    delta_velocity: Motions
    reciprocal: Scalar
    error: Scalar                   # current


def project_out(rotational_rows: list[RotationalRow], forces: Forces) -> tuple[Forces, Scalar]:
    """Forces orthogonal to rotational equality rows, and the part of those rows' errors to subtract."""
    first, second = forces
    # J -= (J M^-1 J_k^T) / (J_k M^-1 J_k^T) J_k of the rotational equality rows, with the current r
    # (DyTGSContactPrep.cpp, solve1DStep)
    removed_error: Scalar = 0.0
    for row in rotational_rows:
        factor = row.reciprocal * response_along(forces, row.delta_velocity)
        first, second = first - row.forces[0] * factor, second - row.forces[1] * factor
        removed_error = removed_error + factor * row.error
    return (first, second), removed_error


def solve(t: JointTopology, rows: Rows, final: bool) -> PreparedRows:
    """Solve a joint in an iteration: its impulses so far, and the effect of those of this iteration.

    rows: those of `prepare`, `elapsed`, and per moving side `bodyK_v`, `bodyK_displacement`,
    `bodyK_angular_displacement` and `bodyK_delta_rotation`; of a body `bodyK_inverse_mass` and
    `bodyK_inverse_inertia`. Makes `impulse`, `spring_impulse`, `bodyK_v` of bodies and `bodyK_impulse` of links.
    final: a velocity iteration, in which only limits that are not
    reached yet have a bias.
    """
    out: PreparedRows = {}
    reader = RowReader(rows)
    bodies = moved_bodies(t, rows, reader)
    if is_constant(t):
        _solve_constant_rows(out, t, rows, bodies, reader, final)
    else:
        _solve_body_rows(out, t, rows, bodies, reader, final)
    # TGS leaves springs out in velocity iterations  (DyTGSContactPrep.cpp, conclude1DStep)
    without_springs = final and not (t.pgs or t.sapien)       # else springs act in every iteration
    return {name: values for name, values in out.items() if not (without_springs and name == "spring_impulse")}


def _solve_body_rows(out: PreparedRows, t: JointTopology, rows: Rows, bodies: Bodies, reader: RowReader,
                     final: bool) -> None:
    """Solve row by row, each on the velocities after the rows before it."""
    # v0 += M0^-1 J0^T F, v1 -= M1^-1 J1^T F, row after row  (DyTGSContactPrep.cpp, solve1DStep)
    first, second = bodies[0].velocity, bodies[1].velocity
    rotational_rows: list[RotationalRow] = []
    for kind in row_kinds(t):
        forces, removed_error = forces_now(t, kind, bodies, reader), 0.0
        if is_fixed(t, kind):
            delta_velocity = (_spun(t, 0, reader), _spun(t, 1, reader))
            r = 0.0 if kind.spring else reader.scalar("reciprocal")
        else:
            if kind.projected:
                forces, removed_error = project_out(rotational_rows, forces)
            delta_velocity = delta_velocities(forces, (bodies[0].response, bodies[1].response))
            r = 0.0 if kind.spring else 1.0 / response_along(forces, delta_velocity)
        error = _error(kind, forces, bodies, reader)
        if kind.hint == ROTATION:
            rotational_rows.append(RotationalRow(forces, delta_velocity, r, error))
        speed = velocity_along(forces, (first, second))
        change = _change(out, t, rows, kind, reader, (speed, error - removed_error, r), final)
        first, second = first + delta_velocity[0] * change, second - delta_velocity[1] * change
    for k, velocity in enumerate((first, second)):
        if t.solver_bodies[k].kind == BODY:
            out[f"body{k}_v"] = linear_first(velocity)


def _spun(t: JointTopology, k: int, reader: RowReader) -> Motion:
    return Motion(reader.vector("spins") if t.solver_bodies[k].kind == BODY else ZERO3, ZERO3)


def _solve_constant_rows(out: PreparedRows, t: JointTopology, rows: Rows, bodies: Bodies, reader: RowReader,
                         final: bool) -> None:
    """Solve constant rows one by one, on velocities that are read once, with the Delassus matrix."""
    # J v, then + sum (J_i M^-1 J_j^T) F_j of the rows before  (DyTGSContactPrep.cpp, solveExt1D)
    velocities = (bodies[0].velocity, bodies[1].velocity)
    impulse0, impulse1 = NO_FORCE, NO_FORCE
    changes: list[Scalar] = []
    for kind in row_kinds(t):
        forces = forces_now(t, kind, bodies, reader)
        r = 0.0 if kind.spring else reader.scalar("reciprocal")
        speed = velocity_along(forces, velocities)
        for change in changes:
            speed = speed + reader.scalar("delassus") * change
        error = _error(kind, forces, bodies, reader)
        changes.append(_change(out, t, rows, kind, reader, (speed, error, r), final))
        impulse0, impulse1 = impulse0 + forces[0] * changes[-1], impulse1 + forces[1] * changes[-1]
    for k, impulse in enumerate((impulse0, NO_FORCE - impulse1)):
        if t.solver_bodies[k].kind == LINK:
            out[f"body{k}_impulse"] = linear_first(impulse)
        elif t.solver_bodies[k].kind == BODY:
            out[f"body{k}_v"] = linear_first(velocities[k] + bodies[k].response.motion(impulse))


def _error(kind: RowKind, forces: Forces, bodies: Bodies, reader: RowReader) -> Scalar:
    """The current error of a row; of a spring, its change since the start."""
    # C = C_start + J_linear dx + J_angular theta
    displacement = _displacement_along(kind, forces[0], bodies[0]) - _displacement_along(kind, forces[1], bodies[1])
    return displacement if kind.spring else reader.scalar("error") + displacement


def _displacement_along(kind: RowKind, force: Force, body: MovedBody) -> Scalar:
    displacement = dot(force.linear, body.displacement)
    return displacement + dot(force.angular, body.rotation) if kind.angular else displacement


def _change(out: PreparedRows, t: JointTopology, rows: Rows, kind: RowKind, reader: RowReader,
            now: tuple[Scalar, Scalar, Scalar], final: bool) -> Scalar:
    """The impulse that a row adds; now: the velocity along it, its error, and the reciprocal of its unit response."""
    # total' = clamp(total + F, lower, upper)
    before = reader.scalar(impulse_group(kind))
    change = _spring(t, rows, reader, now, final) if kind.spring else _hard(t, rows, kind, reader, now, final)
    # PGS: F -= x total
    if kind.spring and t.pgs:
        change = change - reader.scalar("decay") * before
    bounded = kind.drive or kind.nonnegative or kind.nonpositive
    after = _bounded(kind, reader, before + change) if bounded else before + change
    if t.breaks:
        # a broken joint has no impulse
        after = rows["acts"][0] * after
    append_row(out, impulse_group(kind), after)
    return after - before if bounded or t.breaks else change


def _spring(t: JointTopology, rows: Rows, reader: RowReader, now: tuple[Scalar, Scalar, Scalar],
            final: bool) -> Scalar:
    speed, displacement, _ = now
    # F = -x a v - x h k dx + constant  (DyTGSContactPrep.cpp, solve1DStep)
    velocity_gain, position_gain, constant = reader.vector("spring")
    # PhysX 5.3.1: velocity iterations keep the bias where the limit is not reached
    if t.sapien:
        target_impulse, target, retained = reader.vector("spring_target")
        bias_impulse = position_gain * (displacement - target * rows["elapsed"][0]) + constant
        return velocity_gain * speed + target_impulse + (retained * bias_impulse if final else bias_impulse)
    return 0.0 if final and not t.pgs else velocity_gain * speed + position_gain * displacement + constant


def _hard(t: JointTopology, rows: Rows, kind: RowKind, reader: RowReader, now: tuple[Scalar, Scalar, Scalar],
          final: bool) -> Scalar:
    speed, error, r = now
    # F = (clamp(-C / sqrt(h dt), bounds) + v_target - v) / (J M^-1 J^T + cfm)  (DyTGSContactPrep.cpp, solve1DStep)
    bias, max_angular_bias, max_linear_bias = rows["bias"]
    target = reader.scalar("target") if has_target(t, kind) else 0.0
    row_bias = reader.scalar("row_bias") if kind.bounces else bias
    final_bias = reader.scalar("final_bias") if kind.keeps_bias else 0.0
    max_bias = max_angular_bias if kind.angular else max_linear_bias
    bias_velocity = minimum((final_bias if final else row_bias) * (error - target * rows["elapsed"][0]), max_bias)
    # only corrections of a violated limit are bounded by maxBias
    if not kind.limit:
        bias_velocity = maximum(bias_velocity, -max_bias)
    return r * ((bias_velocity if kind.keeps_bias or not final else 0.0) + target - speed)


def _bounded(kind: RowKind, reader: RowReader, impulse: Scalar) -> Scalar:
    # |F| <= maxForce dt of drives, one-sided of limits
    if kind.drive:
        largest = reader.scalar("largest_impulse")
        return clamp(impulse, -largest, largest)
    return maximum(impulse, 0.0) if kind.nonnegative else minimum(impulse, 0.0)


def conclude(t: JointTopology, rows: Rows) -> PreparedRows:
    """Results of a joint at a step's end: `force`(6) where it is measured; `broken`, 1 for good, where it may break.

    rows: those of `prepare` with the impulses of the last iteration, `dt`, and of a joint that breaks `break_force`,
    `break_torque` and `broken`.
    """
    force, out = mean_force(t, rows), dict[str, list[Scalar]]()
    if t.stores_force:
        out["force"] = linear_first(force)
    # broken where |f| > breakForce or |n| > breakTorque  (DyTGSContactPrep.cpp, writeBack1DStep)
    if t.breaks:
        exceeds = (sp.norm(force.linear) > rows["break_force"][0]) | (sp.norm(force.angular) > rows["break_torque"][0])
        out["broken"] = [maximum(rows["broken"][0], where(exceeds, 1.0, 0.0))]
    return out


def mean_force(t: JointTopology, rows: Rows) -> Force:
    """The mean force of a joint on side 0 over the step, in world axes, its torque about B's anchor.

    Drives are left out; impulses act at the arms of the step's start, as measured of PhysX.
    """
    # f = sum J^T F / dt, about B's anchor, without drives  (DyTGSContactPrep.cpp, writeBack1DStep)
    reader, total, rotational_rows = RowReader(rows), NO_FORCE, list[RotationalRow]()
    bodies = bodies_at_start(t, reader)
    for kind in row_kinds(t):
        forces = forces_now(t, kind, bodies, reader)
        impulse = reader.scalar(impulse_group(kind))
        if not is_constant(t):
            if kind.projected:
                forces, _ = project_out(rotational_rows, forces)
            r = reader.scalar("reciprocal") if is_fixed(t, kind) and not kind.spring else 0.0
            delta_v = [Motion(reader.vector("spins") if is_fixed(t, kind) and body.kind == BODY else sp.ZERO3, sp.ZERO3)
                       for body in t.solver_bodies]
            if kind.hint == ROTATION:
                rotational_rows.append(RotationalRow(forces, (delta_v[0], delta_v[1]), r, 0.0))
        if kind.holds:
            total = total + forces[0] * impulse
    mean: Force = total.at(triple(rows, "lever", 0)) * (1.0 / rows["dt"][0])
    return mean
