"""What a step leaves besides its state: velocities of links as the solver held them, accelerations, joint forces.

All follow from the state before the step (given as `start_q`, `start_v`, `start_rotation`, and `start_locked` where
spherical joints have axes without a coordinate), its time (given as `dt`) and the velocities after it.
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.articulated import ArticulatedInertia, eliminated, passed_up
from physx_runtime.dynamics.inertia import central_inertia, link_inertia
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion, link_motions, motion_subspace, state_kinematics
from physx_runtime.dynamics.rnea import inertial_force, link_accelerations
from physx_runtime.dynamics.spatial import NO_FORCE, Force, Motion, quaternion, triple
from physx_runtime.language.ops import Rows, Scalar, where
from physx_runtime.model.topology import Topology
from physx_runtime.solver.articulation.damping import damping_forces
from physx_runtime.solver.articulation.free_velocity import link_weight
from physx_runtime.solver.articulation.link_velocity import held_velocities
from physx_runtime.solver.articulation.momentum import compound_body
from physx_runtime.solver.articulation.velocity_clamp import clamp_start
from physx_runtime.solver.link_forces import external_forces


def _start(rows: Rows) -> Rows:
    """The rows with the state at the step's start."""
    return {**rows, **{name: rows[f"start_{of}"] for name, of in (
        ("q", "q"), ("v", "v"), ("root_rotation", "rotation"), ("locked", "locked")) if f"start_{of}" in rows}}


def held_velocity(t: Topology, rows: Rows) -> Rows:
    """Link velocities of a fixed base as PhysX holds them after a step."""
    held = held_velocities(t, _start(rows), rows["v"])
    return {"linear": [x for motion in held for x in motion.linear],
            "angular": [x for motion in held for x in motion.angular]}


def step_outputs(t: Topology, rows: Rows) -> Rows:
    """Joint and link accelerations of the last step and the forces of inbound joints.

    Link accelerations are J(q0) (v - v0) / dt + Jdot(q0) v0, of floating bases see `_before_restoring`. `effort`,
    `link_force` and `link_torque` are those of the step. `reversed` is 1 for joints whose second body is the parent;
    `joint_frames` are rotations of the joints' frames on their second bodies against those bodies' F.
    """
    before = _start(rows)
    k, v0 = state_kinematics(t, before), clamp_start(t, before)
    start = link_motions(t, k, v0)
    per_dt = 1.0 / rows["dt"][0]
    a = [(x - x0) * per_dt for x, x0 in zip(rows["v"], v0, strict=True)]
    motions = [LinkMotion(own.velocity, own.acceleration + gained)
               for own, gained in zip(start, link_accelerations(t, k, a), strict=True)]
    if not t.fixed_base:
        motions = _before_restoring(t, rows, k, motions)
    return {"joint_acceleration": a[t.root_size:],
            "linear_acceleration": [x for motion in motions for x in motion.acceleration.linear],
            "angular_acceleration": [x for motion in motions for x in motion.acceleration.angular],
            "joint_force": _joint_forces(t, rows, k, _borne(t, rows, k, motions))}


def _joint_forces(t: Topology, rows: Rows, k: Kinematics, borne: Sequence[Force]) -> list[Scalar]:
    """Force and torque of every inbound joint on its link as PhysX reports them; 0 for the root.

    PhysX leaves out what the efforts of joints further out come to where forces act in every iteration, and takes the
    wrench of the step's start about the joint and into its child frame as they are at the end
    (copyInternalStateToCache). Of a joint whose first body is the child it says what the second body, the parent,
    feels. Measured, see docs/direct_api.md.
    """
    after = state_kinematics(t, rows)
    out: list[Scalar] = [0.0] * 6
    left_out = _passed_efforts(t, rows, k) if t.forces_every_iteration else [NO_FORCE for _ in t.links]
    for i in range(1, len(t.links)):
        parent, reverse = t.links[i].parent, rows["reversed"][i] > 0.5
        force = (borne[i] + left_out[i]).about(sp.sub(after.com[i], k.com[i]))
        slid = sp.sub(after.d[i], sp.mul_mv(after.R[parent], triple(rows, "tree_position", i)))
        opposite = force.about(slid) * -1.0
        turn = sp.mul_quat(quaternion(rows, "joint_frames", i), sp.conjugate(after.rotation[i]))
        turn_back = sp.mul_quat(quaternion(rows, "joint_frames", i), sp.conjugate(after.rotation[parent]))
        for ours, theirs in ((force.linear, opposite.linear), (force.angular, opposite.angular)):
            out += [where(reverse, y, x)
                    for x, y in zip(sp.rotate(turn, ours), sp.rotate(turn_back, theirs), strict=True)]
    return out


def _before_restoring(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion]) -> list[LinkMotion]:
    """Accelerations without the rigid motion of all links by which PhysX keeps a floating base's momentum.

    They are those with which nothing is borne by the root.
    """
    left = _borne(t, rows, k, motions)[0]
    body = compound_body(t, rows, k)
    spin = sp.solve_sym(body.inertia, left.at(body.center).angular)
    about = Motion(spin, sp.scale(1.0 / body.mass, left.linear))
    return [LinkMotion(x.velocity, x.acceleration + about.at(
        sp.sub(sp.add(k.position[i], k.com[i]), body.center)) * -1.0) for i, x in enumerate(motions)]


def _borne(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion]) -> list[Force]:
    """What every link and those beyond it need for their accelerations beside weight, damping and link forces.

    motions: velocities before the step, accelerations of the step. About the link's anchor (RBDA table 5.1).
    """
    outside = external_forces(t, rows, k, [link_weight(rows, i) for i in range(len(t.links))])
    f = []
    for i, (drag, push) in enumerate(zip(damping_forces(t, rows, k, motions), outside, strict=True)):
        needed = inertial_force(rows["mass"][i], central_inertia(t, rows, k, i), motions[i])
        f.append((needed + (drag + push) * -1.0).about(k.com[i]))
    for i in range(len(t.links) - 1, 0, -1):
        parent = t.links[i].parent
        f[parent] = f[parent] + f[i].about(k.d[i])
    return f


def _passed_efforts(t: Topology, rows: Rows, k: Kinematics) -> list[Force]:
    """The force on every link, about its anchor, that comes through free joints from efforts beyond them."""
    inertia = [ArticulatedInertia.of(link_inertia(t, rows, k, i)) for i in range(len(t.links))]
    passed = [NO_FORCE for _ in t.links]
    for i in range(len(t.links) - 1, 0, -1):
        felt, push = inertia[i], passed[i]
        for dof in t.dofs_of(i):
            S = motion_subspace(t, k, dof)
            felt, K, _ = eliminated(felt, S, rows["armature"][dof])
            _, push = passed_up(push, S, K, rows["joint_effort"][dof])
        parent = t.links[i].parent
        inertia[parent] = inertia[parent] + felt.about(k.d[i])
        passed[parent] = passed[parent] + push.about(k.d[i])
    return passed
