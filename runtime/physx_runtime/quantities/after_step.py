"""What a step leaves besides its state: velocities of links as the solver held them, accelerations, joint forces.

All follow from the state before the step (given as `start_q`, `start_v`, `start_rotation`, and `start_locked` where
spherical joints have axes without a coordinate), its time (given as `dt`) and the velocities after it.
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.articulated import (
    ZERO,
    Pair,
    eliminated,
    inertia_from,
    link_inertia,
    passed_up,
    subspace,
    wrench_from,
)
from physx_runtime.dynamics.crba import composite_of
from physx_runtime.dynamics.inverse_dynamics import accelerations
from physx_runtime.dynamics.kinematics import (
    Kinematics,
    Rows,
    Velocities,
    forward_kinematics,
    held_velocities,
    link_velocities,
    quaternion,
    triple,
)
from physx_runtime.dynamics.rnea import inertial_force, world_inertia
from physx_runtime.language.ops import Scalar, where
from physx_runtime.model.topology import TURNING, Topology
from physx_runtime.quantities.results import Results
from physx_runtime.solver.articulation.link_forces import external_forces
from physx_runtime.solver.articulation.step import clamp_start, damping_forces, link_weight


def _start(t: Topology, rows: Rows) -> tuple[Kinematics, Velocities, list[Scalar]]:
    """Poses, velocities and generalised velocity at the step's start."""
    v = clamp_start(t, {**rows, "v": rows["start_v"]})
    posed = {**rows, "locked": rows["start_locked"]} if t.locked else rows
    k = forward_kinematics(t, posed, rows["start_q"], sp.normalized(quaternion(rows, "start_rotation", 0)))
    return k, link_velocities(t, k, v), v


def held_velocity(t: Topology, rows: Rows) -> Results:
    """Link velocities of a fixed base as PhysX holds them after a step: J(q0) v + dt Jdot(q0) v0."""
    k, _, v0 = _start(t, rows)
    held = held_velocities(t, k, v0, rows["v"], rows["dt"][0])
    return {"linear": [x for v, _ in held for x in v], "angular": [x for _, w in held for x in w]}


def step_outputs(t: Topology, rows: Rows) -> Results:
    """Joint and link accelerations of the last step and the forces of inbound joints.

    Link accelerations are J(q0) (v - v0) / dt + Jdot(q0) v0 (measured: 7e-6 for fixed bases). `effort`, `link_force`
    and `link_torque` are those of the step. `reversed` is 1 for joints whose second body is the parent; `joint_frames`
    are rotations of the joints' frames on their second bodies against those bodies' F.
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
            "joint_force": _joint_forces(t, rows, k, _borne(t, rows, k, start, linear, angular))}


def _joint_forces(t: Topology, rows: Rows, k: Kinematics, borne: Sequence[Pair]) -> list[Scalar]:
    """Force and torque of every inbound joint on its link as PhysX reports them; 0 for the root.

    PhysX leaves out what the efforts of joints further out come to where forces act in every iteration, and takes the
    wrench of the step's start about the joint and into its child frame as they are at the end
    (copyInternalStateToCache). Of a joint whose first body is the child it says what the second body, the parent,
    feels. Measured, see docs/direct_api.md.
    """
    after = forward_kinematics(t, rows, rows["q"], sp.normalized(quaternion(rows, "root_rotation", 0)))
    out: list[Scalar] = [0.0] * 6
    left_out = _passed_efforts(t, rows, k) if t.forces_every_iteration else [ZERO for _ in t.links]
    for i in range(1, len(t.links)):
        parent, reverse = t.links[i].parent, rows["reversed"][i] > 0.5
        wrench = wrench_from(borne[i].plus(left_out[i]), sp.sub(after.com[i], k.com[i]))
        slid = sp.sub(after.d[i], sp.mul_mv(after.R[parent], triple(rows, "tree_position", i)))
        opposite = wrench_from(wrench, slid).times(-1.0)
        turn = sp.mul_quat(quaternion(rows, "joint_frames", i), sp.conjugate(after.rotation[i]))
        turn_back = sp.mul_quat(quaternion(rows, "joint_frames", i), sp.conjugate(after.rotation[parent]))
        for ours, theirs in ((wrench.linear, opposite.linear), (wrench.angular, opposite.angular)):
            out += [where(reverse, y, x)
                    for x, y in zip(sp.rotate(turn, ours), sp.rotate(turn_back, theirs), strict=True)]
    return out


def _borne(t: Topology, rows: Rows, k: Kinematics, start: Velocities, linear: Sequence[sp.Vec3],
           angular: Sequence[sp.Vec3]) -> list[Pair]:
    """What every link and those beyond it need for their accelerations beside weight, damping and link forces.

    About the link's anchor (RBDA table 5.1).
    """
    outside = external_forces(t, rows, k, [(link_weight(rows, i), sp.ZERO3) for i in range(len(t.links))])
    wrenches = []
    for i, (drag, push) in enumerate(zip(damping_forces(t, rows, k, start), outside, strict=True)):
        needed = Pair(*inertial_force(rows["mass"][i], world_inertia(t, rows, k, i), start.w[i], angular[i], linear[i]))
        wrenches.append(wrench_from(needed.plus(Pair(*drag).plus(Pair(*push)).times(-1.0)), k.com[i]))
    for i in range(len(t.links) - 1, 0, -1):
        parent = t.links[i].parent
        wrenches[parent] = wrenches[parent].plus(wrench_from(wrenches[i], k.d[i]))
    return wrenches


def _passed_efforts(t: Topology, rows: Rows, k: Kinematics) -> list[Pair]:
    """The wrench on every link, about its anchor, that comes through free joints from efforts beyond them."""
    inertia = [link_inertia(composite_of(rows["mass"][i], k.com[i], world_inertia(t, rows, k, i)))
               for i in range(len(t.links))]
    passed = [ZERO for _ in t.links]
    for i in range(len(t.links) - 1, 0, -1):
        felt, push = inertia[i], passed[i]
        for dof in t.dofs_of(i):
            S = subspace(t.links[i].kind in TURNING, k.axes[dof])
            felt, K, _ = eliminated(felt, S, rows["armature"][dof])
            _, push = passed_up(push, S, K, rows["joint_effort"][dof])
        parent = t.links[i].parent
        inertia[parent] = inertia[parent].plus(inertia_from(felt, k.d[i]))
        passed[parent] = passed[parent].plus(wrench_from(push, k.d[i]))
    return passed
