"""The step of an articulation as PhysX takes it: once-per-step work, position iterations, velocity iterations.

TGS moves in every position iteration, for its part of the time. PGS iterations all count for the whole step, and it
moves once, with the velocity that the position iterations leave.

Each function maps rows (name -> scalars) to the rows it makes or changes. Called on floats they are the float64
reference; traced they become the kernels. Source: DyFeatherstoneArticulation.cpp, DyTGSDynamics.cpp and
DySolverCore.cpp; measured against ovphysx, see docs/physx_semantics.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.crba import mass_matrix
from physx_runtime.dynamics.inertia import central_inertia
from physx_runtime.dynamics.kinematics import (
    Kinematics,
    LinkMotion,
    ball_coordinates,
    forward_kinematics,
    link_motions,
    state_kinematics,
)
from physx_runtime.dynamics.linear import Matrix, inverse, plus, times
from physx_runtime.dynamics.rnea import generalized_force, inertial_forces
from physx_runtime.dynamics.spatial import Force, Motion, quaternion, triple
from physx_runtime.language.ops import Rows, Scalar, Single, clamp, maximum, minimum, sincos, where
from physx_runtime.model.topology import REVOLUTE, SPHERICAL, Topology
from physx_runtime.solver.articulation.link_forces import external_forces, left_by
from physx_runtime.solver.articulation.momentum import (
    compound_body,
    finish_floating,
    momentum_of,
    momentum_rows,
    restored,
)
from physx_runtime.solver.constraints import joint as joints
from physx_runtime.solver.constraints.drive import drive_coefficients, solve_drive
from physx_runtime.solver.constraints.fixed_tendon import solve_fixed_tendon, tendon_rows
from physx_runtime.solver.constraints.friction import solve_friction, solve_max_velocity
from physx_runtime.solver.constraints.limit import solve_limit
from physx_runtime.solver.constraints.mimic import mimic_column, solve_mimic
from physx_runtime.solver.constraints.spatial_tendon import solve_spatial_tendon, tendon_axes

DRIVE_ROWS = ("drive_rate", "drive_spring", "drive_speed", "drive_start", "drive_again")
TURN = 2.0 * math.pi
UNLIMITED = 1e30        # rad, more than any pair of limits leaves
ACCUMULATED = ("drive_total", "friction_total", "lower_total", "upper_total")


def accumulated_rows(t: Topology) -> dict[str, int]:
    """Impulses that constraints have given since the step began; a PGS tendon's springs count theirs too."""
    rows = dict.fromkeys(ACCUMULATED, len(t.dofs))
    if t.pgs:
        sizes = [(f"spatial_tendon{i}", 1) for i in range(len(t.spatial_tendons))]
        sizes += [(f"fixed_tendon{i}", len(tendon.dofs)) for i, tendon in enumerate(t.fixed_tendons)]
        rows |= {f"{name}_{part}total": size for name, size in sizes for part in ("", "limit_")}
    return rows


def begin(t: Topology, rows: Rows) -> dict[str, list[Scalar]]:
    """Everything computed once at the step's start: the free velocity, M^-1 and the constraints' coefficients."""
    v = clamp_start(t, rows)
    rotation = sp.normalized(quaternion(rows, "root_rotation", 0))
    k = forward_kinematics(t, rows, rows["q"], rotation)
    motions = link_motions(t, k, v)
    M = mass_matrix(t, rows, k)
    for dof in range(len(t.dofs)):
        M[t.root_size + dof][t.root_size + dof] += rows["armature"][dof]
    minv = inverse(M)

    dt = rows["dt"][0]
    push = free_acceleration(t, rows, k, minv)
    if not t.forces_every_iteration:
        v = [a + dt * b for a, b in zip(v, push, strict=True)]
    v, floating = apply_velocity_forces(t, rows, k, motions, v, M, minv)

    out: dict[str, list[Scalar]] = floating | {"v": v, "q": list(rows["q"]), "root_rotation": list(rotation),
                                    "root_position": list(rows["root_position"]), "iteration": [0.0]}
    out["push"] = [rows["h"][0] * x for x in push]
    out["minv"] = [x for line in minv for x in line]
    out |= _dof_coefficients(t, rows, k, motions, minv)
    for i in range(len(t.spatial_tendons)):
        out |= tendon_axes(t, rows, k, motions, minv, i)
    for i in range(len(t.fixed_tendons)):
        out |= tendon_rows(t, rows, k, motions, minv, i)
    for i in range(len(t.mimics)):
        out |= mimic_column(t, rows, minv, i)
    out |= {name: [0.0] * size for name, size in accumulated_rows(t).items()} | {"travel": [0.0] * len(t.dofs)}
    if t.pgs:
        out["v_moving"] = v
    if not t.fixed_base:
        out["axes_rotation"] = list(sp.mul_quat(rotation, quaternion(rows, "root_axes", 0)))
    if t.balls:
        out["ball_rotation"] = [x for link in t.balls for x in k.rotation[link]]
        out["ball_spin"] = [dt * x for link in t.balls for x in motions[link].acceleration.angular]
    return out


def clamp_start(t: Topology, rows: Rows) -> list[Scalar]:
    """v with all joint velocities scaled by one ratio, so that none exceeds its start-of-step maximum."""
    v = list(rows["v"])
    excess: Scalar = 1.0
    for dof, most in enumerate(rows["velocity_clamp"]):
        excess = larger_excess(excess, v[t.root_size + dof], most)
    ratio = 1.0 / excess
    return v[:t.root_size] + [x * ratio for x in v[t.root_size:]]


def larger_excess(excess: Scalar, v: Scalar, most: Scalar) -> Scalar:
    """The larger of `excess` and a joint velocity's ratio to its maximum."""
    return maximum(excess, abs(v) / most)


def apply_velocity_forces(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion], v: list[Scalar],
                          M: Matrix, minv: Matrix) -> tuple[list[Scalar], dict[str, list[Scalar]]]:
    """v after link damping and velocity-product forces over the whole step; rows for the end of a floating step."""
    dt = rows["dt"][0]
    drag = times(minv, generalized_force(t, k, damping_forces(t, rows, k, motions)))
    fall = times(minv, generalized_force(t, k, inertial_forces(t, rows, k, motions)))
    damped = [a + dt * b for a, b in zip(v, drag, strict=True)]
    v = [a - dt * b for a, b in zip(damped, fall, strict=True)]
    if t.fixed_base:
        return v, {}
    floating = momentum_rows(t, rows, k, motions, M)
    before, after = momentum_of(t, floating, damped, biased=False), momentum_of(t, floating, v, biased=True)
    return restored(v, after, before, compound_body(t, rows, k)), floating


def damping_forces(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion]) -> list[Force]:
    """Link damping; its rates are capped at 1/dt."""
    return [damping_force(rows, i, central_inertia(t, rows, k, i), motion.velocity) for i, motion in enumerate(motions)]


def damping_force(rows: Rows, link: int, central: sp.Sym3, velocity: Motion) -> Force:
    """What damping puts on one link, about its centre of mass."""
    v, w = velocity.linear, velocity.angular
    most = 1.0 / rows["dt"][0]
    linear = _damping_rate(rows["linear_damping"][link], v, rows["max_linear_velocity"][link], most)
    angular = _damping_rate(rows["angular_damping"][link], w, rows["max_angular_velocity"][link], most)
    return Force(sp.scale(-angular, sp.mul_sv(central, w)), sp.scale(-(linear * rows["mass"][link]), v))


def _damping_rate(damping: Scalar, velocity: sp.Vec3, fastest: Scalar, most: Scalar) -> Scalar:
    """Damping of a link, plus what brings a velocity above its maximum back to it within the step."""
    speed = sp.norm(velocity)
    excess = where(speed > fastest, (1.0 - fastest / maximum(speed, 1e-30)) * most, 0.0)
    return minimum(damping, most) + excess


def link_weight(rows: Rows, link: int, common: Scalar = 0.0) -> Force:
    """Weight of one link, reduced by its linear damping over the step; without `common` parts of it."""
    damped = left_by(rows["linear_damping"][link], rows["dt"][0])
    mass = rows["mass"][link] * (rows["gravity_enabled"][link] * damped - common)
    return Force(sp.ZERO3, sp.scale(mass, triple(rows, "gravity", 0)))


def free_acceleration(t: Topology, rows: Rows, k: Kinematics, minv: Matrix) -> list[Scalar]:
    """M^-1 (gravity + link forces + effort).

    A floating base falls with all its links: only what a link's gravity differs by goes through M^-1, whose rounding
    would make the joints of a falling robot turn.
    """
    common = 0.0 if t.fixed_base else 1.0
    weights = [link_weight(rows, i, common) for i in range(len(t.links))]
    forces = generalized_force(t, k, external_forces(t, rows, k, weights))
    for dof, effort in enumerate(rows["joint_effort"]):
        forces[t.root_size + dof] = forces[t.root_size + dof] + effort
    out = times(minv, forces)
    return out if t.fixed_base else [*sp.add((out[0], out[1], out[2]), triple(rows, "gravity", 0)), *out[3:]]


def _dof_coefficients(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion],
                      minv: Sequence[Sequence[Scalar]]) -> dict[str, list[Scalar]]:
    out: dict[str, list[Scalar]] = {}
    for dof, features in enumerate(t.dofs):
        r = minv[t.root_size + dof][t.root_size + dof]
        soft = 1.0 / (r + joints.joint_cfm(t, rows, k, list(map(list, minv)), dof)) if features.softened else 0.0
        for name, values in dof_coefficients(t, rows, k, motions, dof, r, soft).items():
            out.setdefault(name, []).extend(values)
    return out


def dof_coefficients(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion], dof: int, r: Scalar,
                     soft: Scalar) -> dict[str, list[Scalar]]:
    """What the constraints of one dof with response r need during the iterations."""
    own = {"soft": [soft], "bias": [joints.velocity_bias(t, rows, k, motions, dof)]}
    own |= joints.travel_start(t, rows, k, motions, dof)
    own |= {f"{bound}_start": [rows[f"{bound}_limit"][dof] - rows["q"][dof]] for bound in ("lower", "upper")}
    names = DRIVE_ROWS if t.pgs else DRIVE_ROWS[:-1]
    drive = drive_coefficients(t, rows, dof, r, soft) if t.dofs[dof].drive else dict.fromkeys(names, 0.0)
    return own | {name: [drive[name]] for name in names}


def iterate(t: Topology, rows: Rows, final: bool) -> dict[str, list[Scalar]]:
    """One position iteration, or with `final` one velocity iteration: no forces, no integration, no position bias.

    Constraints add to the change `dv` of this iteration, which reaches v at its end: one rounding, as in PhysX.
    """
    q = list(rows["q"])
    pushed = t.forces_every_iteration and not final
    dv = list(rows["push"]) if pushed else [0.0] * t.nv
    balls = rows["ball_rotation"] if t.balls else ()
    k = forward_kinematics(t, rows, q, quaternion(rows, "root_rotation", 0), balls)
    if not t.pgs:
        q, _ = ball_coordinates(t, rows, k, q)
    out: dict[str, list[Scalar]] = {name: list(rows[name]) for name in accumulated_rows(t)}
    for i in range(len(t.spatial_tendons)):
        dv = solve_spatial_tendon(t, rows, i, k, dv, out)
    for i in range(len(t.fixed_tendons)):
        dv = solve_fixed_tendon(t, rows, i, q, dv, out)
    for i in range(len(t.mimics)):
        dv = solve_mimic(t, rows, i, q, dv, final)
    for dof in t.depth_first():
        dv = _solve_dof(t, rows, k, dof, q, dv, out, final)
    v = plus(rows["v"], dv)
    out["v"] = v
    if not final and t.pgs:
        out["v_moving"] = v
    elif not final:
        out |= move(t, rows, q, v)
        out["iteration"] = [rows["iteration"][0] + 1.0]
    return out


def move(t: Topology, rows: Rows, q: Sequence[Scalar], v: Sequence[Scalar]) -> dict[str, list[Scalar]]:
    """Positions from q, and what has been travelled, after the time h at the velocity v."""
    moved = [rows["h"][0] * x for x in v[t.root_size:]]
    out = {"q": [rows["q"][dof] if t.kind_of(dof) == SPHERICAL else x + moved[dof] for dof, x in enumerate(q)],
           "travel": [x + moved[dof] for dof, x in enumerate(rows["travel"])]}
    out |= move_balls(t, rows, v) if t.balls else {}
    return out if t.fixed_base else out | move_root(rows, v)


def finish(t: Topology, rows: Rows) -> dict[str, list[Scalar]]:
    """What is left at a step's end: with PGS the motion, joint positions wrapped, momentum of a floating base kept."""
    moved = move(t, rows, list(rows["q"]), list(rows["v_moving"])) if t.pgs else {}
    rows = {**rows, **moved}
    out = moved | {"q": [_wrapped(t, rows, dof, x) for dof, x in enumerate(rows["q"])]}
    if t.balls or not t.fixed_base:
        balls = [x for i in range(len(t.balls)) for x in sp.normalized(quaternion(rows, "ball_rotation", i))]
        k = state_kinematics(t, rows, balls)
        out["q"], locked = ball_coordinates(t, rows, k, out["q"])
        out |= {"locked": locked} if locked else {}
    if not t.fixed_base:
        out |= finish_floating(t, rows, k)
    return out


def _wrapped(t: Topology, rows: Rows, dof: int, q: Scalar) -> Scalar:
    if t.kind_of(dof) != REVOLUTE:
        return q
    if not t.dofs[dof].limit:
        return wrapped(q, -math.inf, math.inf)
    return wrapped(q, rows["lower_limit"][dof], rows["upper_limit"][dof])


def wrapped(q: Scalar, lower: Scalar, upper: Scalar) -> Scalar:
    """A revolute joint's position moved back by two turns once it passes one turn; not where it has limits."""
    back = clamp(where(q > TURN, q - 2.0 * TURN, where(q < -TURN, q + 2.0 * TURN, q)), -2.0 * TURN, 2.0 * TURN)
    return where(upper - lower < UNLIMITED, q, back)


def _solve_dof(t: Topology, rows: Rows, k: Kinematics, dof: int, q: Sequence[Scalar], dv: list[Scalar],
               out: dict[str, list[Scalar]], final: bool) -> list[Scalar]:
    """dv after all constraints of one dof: drive, friction, limit, maximum velocity; their totals go to `out`."""
    own, n = t.root_size + dof, t.nv
    travel = joints.seen_travel(t, rows, k, dof)
    minv, now = rows["minv"], rows["v"][own] + dv[own]
    joint = joints.JointState(minv[own * n + own], rows["soft"][dof], now + rows["bias"][dof], travel)
    solve_constraints(t, rows, dof, joint, out, final)
    return [x + minv[i * n + own] * joint.impulse for i, x in enumerate(dv)]


def solve_constraints(t: Topology, rows: Rows, dof: int, joint: joints.JointState, out: dict[str, list[Scalar]],
                      final: bool) -> None:
    """All constraints of one dof, one after another: drive, friction, limit, maximum velocity."""
    features = t.dofs[dof]
    if features.drive:
        out["drive_total"][dof] = solve_drive(t, rows, dof, joint, final)
    if features.friction:
        out["friction_total"][dof] = solve_friction(t, rows, dof, joint, final)
    if features.limit:
        out["lower_total"][dof], out["upper_total"][dof] = solve_limit(rows, dof, joint, final)
    if features.max_velocity:
        solve_max_velocity(rows, dof, joint)


def move_balls(t: Topology, rows: Rows, v: Sequence[Scalar]) -> dict[str, list[Scalar]]:
    """World rotations of links with spherical joints after one substep.

    PhysX turns each by its angular velocity inside the solver, axes and dt Jdot v as at the step's start; by no more
    than least_turn it turns none (DyFeatherstoneArticulation.cpp, propagateTransform).
    """
    rotations: list[Scalar] = []
    for i, link in enumerate(t.balls):
        w = triple(rows, "ball_spin", i) if t.fixed_base else sp.add(triple(rows, "ball_spin", i), (v[3], v[4], v[5]))
        for above in t.path(link):
            w = joints.link_turn(t, rows, v[t.root_size:], above, w)
        rotations += turned_ball(rows, i, w)
    return {"ball_rotation": rotations}


def turned_ball(rows: Rows, ball: int, w: sp.Vec3) -> sp.Quat:
    """World rotation of a link with a spherical joint after one substep at the angular velocity w."""
    h, least = rows["h"][0], rows["least_turn"][0]
    turn = sp.exponential(sp.scale(where(h * sp.norm(w) > least, h, 0.0), w))
    return turned(turn, quaternion(rows, "ball_rotation", ball), least > 0.0)


def turned(turn: sp.Quat, rotation: sp.Quat, single: Scalar) -> sp.Quat:
    """A rotation followed by a short turn; where `single`, every product and sum is rounded to float32.

    PhysX's float32 product of the two errs to the same side substep after substep. Where it is followed it is rounded
    alike in float64, whose motion would part by 5e-5 rad within a second.
    """
    x, y, z, w = (where(single, rounded.value, exact) for rounded, exact in zip(
        sp.mul_quat(_single(turn), _single(rotation)), sp.mul_quat(turn, rotation), strict=True))
    return x, y, z, w


def _single(q: sp.Quat) -> sp.Quat:
    return Single(q[0]), Single(q[1]), Single(q[2]), Single(q[3])


def move_root(rows: Rows, v: Sequence[Scalar]) -> dict[str, list[Scalar]]:
    """How far the floating root has come after one substep, by h v, and its rotation, by h w.

    PhysX turns the root's principal axes; how the product rounds depends on them.
    """
    axes = turned(root_substep(rows, v), quaternion(rows, "axes_rotation", 0), rows["single_turn"][0] > 0.0)
    rotation = sp.mul_quat(axes, sp.conjugate(quaternion(rows, "root_axes", 0)))
    return root_travelled(rows, v) | {"axes_rotation": list(axes), "root_rotation": list(rotation)}


def root_travelled(rows: Rows, v: Sequence[Scalar]) -> dict[str, list[Scalar]]:
    """The root's velocity integrated, linear and angular, after one more substep."""
    h = rows["h"][0]
    return {"root_travel": [p + h * x for p, x in zip(rows["root_travel"], v[0:3], strict=True)],
            "root_turn": [a + h * x for a, x in zip(rows["root_turn"], v[3:6], strict=True)]}


def root_substep(rows: Rows, v: Sequence[Scalar]) -> sp.Quat:
    """The rotation by h w."""
    h, w = rows["h"][0], (v[3], v[4], v[5])
    speed = sp.norm(w)
    s, c = sincos(0.5 * h * speed)
    still = speed > 0.0
    factor = where(still, s / where(still, speed, 1.0), 0.5 * h)
    return (factor * w[0], factor * w[1], factor * w[2], c)
