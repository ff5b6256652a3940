"""The step of one rigid body without joints, which PhysX does not solve as it does an articulation.

Damping takes its part of the velocity once, gravity and forces act undamped in every iteration (or before the damping,
once a step), and a body keeps its angular velocity through the iterations (DyBodyCoreIntegrator.h, DyTGSDynamics.cpp;
measured, see docs/physx_semantics.md, rigid bodies).
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import Force, Motion, linear_first, motion_of, quaternion, triple
from physx_runtime.language.ops import Rows, Scalar, maximum, sincos, where
from physx_runtime.model.topology import BodyTopology
from physx_runtime.solver.link_forces import applied_force, left_by, pushed_by
from physx_runtime.solver.response import Response


def begin(t: BodyTopology, rows: Rows) -> dict[str, list[Scalar]]:
    """Velocity after forces once a step, damping, maximum velocities and the gyroscopic torque."""
    rotation = sp.normalized(quaternion(rows, "root_rotation", 0))
    R = sp.matrix(rotation)
    inertia = world_inertia(rows, R)
    a, velocity, dt = body_acceleration(t, rows, R, inertia), motion_of(rows["v"]), rows["dt"][0]
    if not t.forces_every_iteration:
        velocity = velocity + a * dt
    v = _limited(_damped(velocity.linear, rows["linear_damping"][0], dt), rows["max_linear_velocity"][0])
    w = _limited(_damped(velocity.angular, rows["angular_damping"][0], dt), rows["max_angular_velocity"][0])
    w = sp.add(w, sp.scale(rows["gyroscopic"][0], gyroscopic_change(inertia, w, dt)))
    return {"v": [*v, *w], "push": [rows["h"][0] * x for x in linear_first(a)],
            "root_rotation": list(rotation), "root_position": list(rows["root_position"]), "root_travel": [0.0] * 3,
            "root_turn": [0.0] * 3, "turned_by": [0.0, 0.0, 0.0, 1.0]}


def world_inertia(rows: Rows, R: sp.Mat3) -> sp.Sym3:
    """The moment of inertia about the centre of mass, world axes; R: the rotation of F."""
    s = rows["inertia"]
    return sp.rotate_sym(R, (s[0], s[1], s[2], s[3], s[4], s[5]))


def body_acceleration(t: BodyTopology, rows: Rows, R: sp.Mat3, inertia: sp.Sym3) -> Motion:
    """Of the centre of mass by gravity and forces, their torque without the gyroscopic one; world axes."""
    force = body_force(t, rows, R, inertia)
    fall = sp.scale(rows["gravity_enabled"][0], triple(rows, "gravity", 0))
    return Motion(sp.solve_sym(inertia, force.angular) if t.pushed else sp.ZERO3,
                  sp.add(fall, sp.scale(1.0 / rows["mass"][0], force.linear)))


def body_force(t: BodyTopology, rows: Rows, R: sp.Mat3, inertia: sp.Sym3) -> Force:
    """What pushes the body from outside, about its centre of mass."""
    force = applied_force(t, rows, 0)
    for i, push in enumerate(t.pushes):
        force = force + pushed_by(push, rows, i, R, sp.ZERO3, inertia)
    return force


def gyroscopic_change(inertia: sp.Sym3, w: sp.Vec3, dt: Scalar) -> sp.Vec3:
    """Change of angular velocity by -w x I w over dt; the size of the angular momentum stays what it was."""
    L = sp.mul_sv(inertia, w)
    turned = sp.sub(L, sp.scale(dt, sp.cross(w, L)))
    size = sp.norm(turned)
    some = size > 0.0
    kept = sp.scale(where(some, sp.norm(L) / where(some, size, 1.0), 0.0), turned)
    return sp.sub(sp.solve_sym(inertia, kept), w)


def _damped(velocity: sp.Vec3, damping: Scalar, dt: Scalar) -> sp.Vec3:
    return sp.scale(left_by(damping, dt), velocity)


def _limited(velocity: sp.Vec3, fastest: Scalar) -> sp.Vec3:
    speed = sp.norm(velocity)
    return sp.scale(where(speed > fastest, fastest / maximum(speed, 1e-30), 1.0), velocity)


def solve(t: BodyTopology, rows: Rows, final: bool) -> dict[str, list[Scalar]]:
    """The velocity after the forces of one position iteration; nothing without forces in it."""
    if final or not t.forces_every_iteration:
        return {}
    return {"v": [x + push for x, push in zip(rows["v"], rows["push"], strict=True)]}


def move(t: BodyTopology, rows: Rows, v: Sequence[Scalar]) -> dict[str, list[Scalar]]:
    """The motion of one position iteration at the velocity v; where none has forces the step's end moves the body."""
    return _moved(rows, v) if t.forces_every_iteration else {}


def _moved(rows: Rows, v: Sequence[Scalar]) -> dict[str, list[Scalar]]:
    """The place, the way and the turn after the time h at the velocity v; PhysX adds every iteration's way to the place
    itself, and puts the turns together before it turns the body by them, which rounds otherwise."""
    h, linear, w = rows["h"][0], v[0:3], (v[3], v[4], v[5])
    return {"root_position": [p + h * x for p, x in zip(rows["root_position"], linear, strict=True)],
            "root_travel": [p + h * x for p, x in zip(rows["root_travel"], linear, strict=True)],
            "root_turn": [a + h * x for a, x in zip(rows["root_turn"], w, strict=True)],
            "turned_by": list(_turned(quaternion(rows, "turned_by", 0), w, h))}


def _turned(turn: sp.Quat, w: sp.Vec3, h: Scalar) -> sp.Quat:
    """A turn and then h w, in the order of PhysX's operations: free spin adds up their rounding (integrateCoreStep)."""
    speed = sp.norm(w)
    spins = speed > 0.0
    s, c = sincos(h * speed * 0.5)
    x, y, z = sp.scale(where(spins, s / where(spins, speed, 1.0), 0.0), w)
    a, b, d, e = turn
    return sp.normalized((e * x + y * d - b * z + a * c, e * y + z * a - d * x + b * c, e * z + x * b - a * y + d * c,
                          -x * a - y * b - z * d + e * c))


def finish(t: BodyTopology, rows: Rows) -> dict[str, list[Scalar]]:
    """The pose after the step."""
    end = {} if t.forces_every_iteration else _moved({**rows, "h": rows["dt"]}, list(rows["v"]))
    rows = {**rows, **end}
    rotation = sp.mul_quat(quaternion(rows, "turned_by", 0), quaternion(rows, "root_rotation", 0))
    return {**end, "v": list(rows["v"]), "root_position": list(rows["root_position"]),
            "root_rotation": list(sp.normalized(rotation))}


def mean_motion(t: BodyTopology, rows: Rows) -> tuple[Motion, sp.Mat3]:
    """The velocity that moved its centre of mass over the step, and the rotation of F."""
    velocity = motion_of(rows["v"])
    if t.forces_every_iteration:
        rate = 1.0 / rows["dt"][0]
        velocity = motion_of([rate * x for x in (*rows["root_travel"], *rows["root_turn"])])
    return velocity, sp.matrix(sp.normalized(quaternion(rows, "root_rotation", 0)))


def respond(start: Rows, begun: Rows, impulse: Force) -> Response:
    """The answer to a unit impulse throughout a step; the inertia is turned as at its start."""
    inertia = world_inertia(start, sp.matrix(quaternion(begun, "root_rotation", 0)))
    change = Motion(sp.solve_sym(inertia, impulse.angular), sp.scale(1.0 / start["mass"][0], impulse.linear))
    return Response(linear_first(impulse), linear_first(change), 0.0, 0.0)
