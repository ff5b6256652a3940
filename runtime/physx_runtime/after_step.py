"""What a step leaves besides its state: velocities of links as the solver held them, accelerations, joint forces.

All follow from the state before the step (given as `start_q`, `start_v`, `start_rotation`) and the velocities after it.
"""

from __future__ import annotations

from physx_runtime.algorithms import spatial as sp
from physx_runtime.algorithms.inverse_dynamics import accelerations
from physx_runtime.algorithms.kinematics import (
    Kinematics,
    Rows,
    Velocities,
    forward_kinematics,
    held_velocities,
    link_velocities,
    quaternion,
    triple,
)
from physx_runtime.algorithms.rnea import inertial_force, moved_torque, world_inertia
from physx_runtime.model import Topology
from physx_runtime.quantities import Results
from physx_runtime.solver.step import clamp_start
from physx_runtime.tracing.ops import Scalar


def _start(t: Topology, rows: Rows) -> tuple[Kinematics, Velocities, list[Scalar]]:
    """Poses, velocities and generalised velocity at the step's start."""
    v = clamp_start(t, {**rows, "v": rows["start_v"]})
    k = forward_kinematics(t, rows, rows["start_q"], sp.normalized(quaternion(rows, "start_rotation", 0)))
    return k, link_velocities(t, k, v), v


def held_velocity(t: Topology, rows: Rows) -> Results:
    """Link velocities of a fixed base as PhysX holds them after a step: J(q0) v + dt Jdot(q0) v0."""
    k, _, v0 = _start(t, rows)
    held = held_velocities(t, k, v0, rows["v"], rows["dt"][0])
    return {"linear": [x for v, _ in held for x in v], "angular": [x for _, w in held for x in w]}


def step_outputs(t: Topology, rows: Rows) -> Results:
    """Joint and link accelerations of the last step and the forces that inbound joints passed on.

    Link accelerations are J(q0) (v - v0) / dt + Jdot(q0) v0 (measured: 7e-6 for fixed bases). The force of a joint is
    what the links beyond it need for theirs, their weight taken off; torque about the joint, axes of its child frame,
    whose rotations against F are given as `joint_frames`.
    """
    k, start, v0 = _start(t, rows)
    per_dt = 1.0 / rows["dt"][0]
    a = [(x - x0) * per_dt for x, x0 in zip(rows["v"], v0, strict=True)]
    linear, angular = [], []
    for i, (alpha, moved) in enumerate(accelerations(t, k, a)):
        linear.append(sp.add(start.a_com[i], moved))
        angular.append(sp.add(start.alpha[i], alpha))
    return {"joint_acceleration": a[t.root_size:], "linear_acceleration": [x for part in linear for x in part],
            "angular_acceleration": [x for part in angular for x in part],
            "joint_force": _joint_forces(t, rows, k, start, linear, angular)}


def _joint_forces(t: Topology, rows: Rows, k: Kinematics, start: Velocities, linear: list[sp.Vec3],
                  angular: list[sp.Vec3]) -> list[Scalar]:
    """Force and torque of every inbound joint on its link; 0 for the root."""
    g, forces, torques = triple(rows, "gravity", 0), [], []
    for i in range(len(t.links)):
        unheld = sp.sub(linear[i], sp.scale(rows["gravity_scale"][i], g))
        force, torque = inertial_force(rows["mass"][i], world_inertia(t, rows, k, i), start.w[i], angular[i], unheld)
        forces.append(force)
        torques.append(moved_torque(force, torque, k.com[i]))
    out: list[list[Scalar]] = [[0.0] * 6 for _ in t.links]
    for i in range(len(t.links) - 1, 0, -1):
        parent = t.links[i].parent
        x, y, z, w = k.rotation[i]
        turn = sp.mul_quat(quaternion(rows, "joint_frames", i), (-x, -y, -z, w))
        out[i] = [*sp.rotate(turn, forces[i]), *sp.rotate(turn, torques[i])]
        forces[parent] = sp.add(forces[parent], forces[i])
        torques[parent] = sp.add(torques[parent], moved_torque(forces[i], torques[i], k.d[i]))
    return [x for wrench in out for x in wrench]
