"""One step of a single rigid body, which PhysX does not solve like an articulation.

Damping acts once on the velocity. Gravity and forces act undamped in every iteration, or once a step before the
damping. A body keeps its angular velocity through the iterations. `begin`, `solve`, `move` and `finish` are the parts,
`respond` the response to impulses. Sources: DyBodyCoreIntegrator.h, DyTGSDynamics.cpp; measured, see
docs/reference/physx/bodies_and_frames.md.
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import NO_MOTION, Force, Motion, linear_first, motion_of, quaternion, triple
from physx_runtime.language.ops import Rows, Scalar, Scalars, where
from physx_runtime.model.topology import BodyTopology
from physx_runtime.solver.body import spin
from physx_runtime.solver.response import Response, applied_force, authored_force


def begin(t: BodyTopology, rows: Rows) -> dict[str, list[Scalar]]:
    """Velocity after forces once a step, damping, maximum velocities and the gyroscopic torque, without locked axes."""
    rotation = spin.renormalize(quaternion(rows, "root_rotation", 0))
    gravity, a, velocity, dt = _gravity(rows), acceleration(t, rows, rotation), motion_of(rows["v"]), rows["dt"][0]
    if not t.forces_every_iteration:
        # v += dt (g + f / m), w += dt I^-1 n  (DyBodyCoreIntegrator.h, bodyCoreComputeUnconstrainedVelocity)
        velocity = velocity + (gravity + a) * dt
    v = spin.clamp_speed(spin.damp(velocity.linear, rows["linear_damping"][0], dt), rows["max_linear_velocity"][0])
    w = spin.clamp_speed(spin.damp(velocity.angular, rows["angular_damping"][0], dt), rows["max_angular_velocity"][0])
    # w -= dt I^-1 (w x I w)
    w = sp.add(w, sp.scale(rows["gyroscopic"][0], spin.gyroscopic_change(rows, rotation, w, dt)))
    v, w = spin.without_axes(v, t.locked_position), spin.without_axes(w, t.locked_rotation)
    roots = spin.sqrt_inertias(rows, rotation) if t.locked_rotation or not t.pgs else {}
    start = {**roots, **(spin.begin_pgs(w) if t.pgs else spin.begin(roots, w))} if t.locked_rotation else {}
    w = w if t.pgs else spin.round_trip(roots, w)
    moving = {"v_moving": [*v, *w]} if t.pgs else {}
    return {"v": [*v, *w], **moving, "fall": [rows["h"][0] * x for x in gravity.linear],
            "force_delta_v": [rows["h"][0] * x for x in linear_first(a)], **start,
            "root_rotation": list(rotation), "root_position": list(rows["root_position"]),
            "root_linear_displacement": [0.0] * 3,
            "root_angular_displacement": [0.0] * 3, "delta_rotation": [0.0, 0.0, 0.0, 1.0]}


def _has_locks(t: BodyTopology) -> bool:
    """Whether its iterations continue from m; PGS counts m from the step's start, and unlocks it once."""
    return bool(t.locked_rotation) and not t.pgs


def world_inertia(rows: Rows, R: sp.Mat3) -> sp.Sym3:
    """The moment of inertia about the centre of mass, world axes; R: the rotation of F."""
    s = rows["inertia"]
    return sp.rotate_sym(R, (s[0], s[1], s[2], s[3], s[4], s[5]))


def _gravity(rows: Rows) -> Motion:
    """The acceleration of gravity."""
    return Motion(sp.ZERO3, sp.scale(rows["gravity_enabled"][0], triple(rows, "gravity", 0)))


def acceleration(t: BodyTopology, rows: Rows, rotation: sp.Quat) -> Motion:
    """Acceleration of the centre of mass by forces, without the gyroscopic torque; world axes."""
    if not t.has_external_forces:
        return NO_MOTION
    R = sp.matrix(rotation)
    inertia = world_inertia(rows, R)
    force = body_force(t, rows, R, inertia)
    # a = f / m, alpha = I^-1 n
    return Motion(sp.solve_sym(inertia, force.angular), sp.scale(1.0 / rows["mass"][0], force.linear))


def body_force(t: BodyTopology, rows: Rows, R: sp.Mat3, inertia: sp.Sym3) -> Force:
    """The external force on the body, about its centre of mass."""
    force = applied_force(t, rows, 0)
    for i, external_force in enumerate(t.external_forces):
        force = force + authored_force(external_force, rows, i, R, sp.ZERO3, inertia)
    return force


def solve(t: BodyTopology, rows: Rows, final: bool) -> dict[str, list[Scalar]]:
    """The velocity after the forces of one position iteration; no rows where forces act once a step."""
    if final or not t.forces_every_iteration:
        return {}
    # v += h g, then v += h f / m: two roundings  (DyTGSDynamics.cpp, applySubstepGravity)
    by_gravity = zip(rows["v"][0:3], rows["fall"], strict=True)
    with_gravity = [*(x + gravity for x, gravity in by_gravity), *rows["v"][3:6]]
    v = [x + delta for x, delta in zip(with_gravity, rows["force_delta_v"], strict=True)]
    linear, w = spin.without_axes((v[0], v[1], v[2]), t.locked_position), v[3:6]
    # without torque, locked rotations are handled with the motion
    if t.has_external_forces and _has_locks(t):
        has_torque = abs(rows["force_delta_v"][3]) + abs(rows["force_delta_v"][4]) + abs(rows["force_delta_v"][5]) > 0.0
        free = spin.unlock(rows, (v[3], v[4], v[5]), t.locked_rotation)[spin.VELOCITY]
        w = [where(has_torque, a, b) for a, b in zip(free, w, strict=True)]
    return {"v": [*linear, *w]}


def move(t: BodyTopology, rows: Rows, v: Sequence[Scalar]) -> dict[str, list[Scalar]]:
    """The motion of one position iteration at the velocity v, without locked axes.

    Where no iteration has forces the end of the step moves the body, with PGS by the velocity of the last one.
    """
    if t.pgs:
        return {"v_moving": list(v)}
    return integrate_pose(t, rows, v) if t.forces_every_iteration else {}


def integrate_pose(t: BodyTopology, rows: Rows, v: Sequence[Scalar]) -> dict[str, list[Scalar]]:
    """Position, displacement and delta rotation after the time h at the velocity v, without locked axes.

    PhysX adds the displacement of every iteration to the position, and rotates the body once by the product of all
    delta rotations.
    """
    # x += h v, delta = exp(h w) delta  (DyTGSDynamics.cpp, integrateCoreStep)
    h, w, locked = rows["h"][0], (v[3], v[4], v[5]), dict[str, list[Scalar]]()
    linear = spin.without_axes((v[0], v[1], v[2]), t.locked_position)
    if _has_locks(t):
        locked = spin.unlock(rows, w, t.locked_rotation)
        w = triple(locked, spin.VELOCITY, 0)
    if t.locked_position or locked:
        locked["v"] = [*linear, *w]
    return {**locked, "root_position": spin.integrate(rows["root_position"], linear, h),
            "root_linear_displacement": spin.integrate(rows["root_linear_displacement"], linear, h),
            "root_angular_displacement": spin.integrate(rows["root_angular_displacement"], w, h),
            "delta_rotation": list(spin.accumulate_rotation(quaternion(rows, "delta_rotation", 0), w, h))}


def finish(t: BodyTopology, rows: Rows) -> dict[str, list[Scalar]]:
    """The pose after the step."""
    unlocked = {name: _unlock(t, rows, rows[name]) for name in ("v", "v_moving")} if t.pgs else {}
    velocity = unlocked["v_moving"] if t.pgs else list(rows["v"])
    pose = {} if t.forces_every_iteration else integrate_pose(t, {**rows, "h": rows["dt"]}, velocity)
    rows = {**rows, **pose, **unlocked}
    # q' = delta q
    rotation = spin.apply_delta_rotation(quaternion(rows, "delta_rotation", 0), quaternion(rows, "root_rotation", 0))
    return {**pose, "v": list(rows["v"]), "root_position": list(rows["root_position"]),
            "root_rotation": list(rotation)}


def _unlock(t: BodyTopology, rows: Rows, v: Scalars) -> list[Scalar]:
    """With PGS: the velocity without the impulses of constraints along locked axes."""
    linear, w = spin.without_axes((v[0], v[1], v[2]), t.locked_position), (v[3], v[4], v[5])
    if t.locked_rotation:
        w = sp.add(triple(rows, spin.VELOCITY, 0), triple(spin.unlock(rows, w, t.locked_rotation), spin.VELOCITY, 0))
    return [*linear, *w]


def mean_motion(t: BodyTopology, rows: Rows) -> tuple[Motion, sp.Mat3]:
    """The mean velocity of its centre of mass over the step, and the rotation of F."""
    velocity = motion_of(rows["v"])
    if t.forces_every_iteration:
        # v_mean = travel / dt
        inverse_dt = 1.0 / rows["dt"][0]
        displacement = *rows["root_linear_displacement"], *rows["root_angular_displacement"]
        velocity = motion_of([inverse_dt * x for x in displacement])
    return velocity, sp.matrix(sp.normalized(quaternion(rows, "root_rotation", 0)))


def respond(start: Rows, prepared: Rows, impulse: Force) -> Response:
    """The response to a unit impulse throughout a step, with the inertia of its start."""
    inertia = world_inertia(start, sp.matrix(quaternion(prepared, "root_rotation", 0)))
    # dv = f / m, dw = I^-1 n  (DyTGSContactPrep.cpp, getImpulseResponse)
    delta_velocity = Motion(sp.solve_sym(inertia, impulse.angular), sp.scale(1.0 / start["mass"][0], impulse.linear))
    return Response(linear_first(impulse), linear_first(delta_velocity), 0.0, 0.0)
