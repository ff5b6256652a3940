"""What a step leaves besides its state: velocities of links as the solver held them, accelerations, joint forces.

All follow from the state before the step (given as `start_q`, `start_v`, `start_rotation`, and `start_locked` where
spherical joints have axes without a coordinate), its time (given as `dt`), the velocities after it and what tendons
gave in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion, link_motions, state_kinematics
from physx_runtime.dynamics.rnea import link_accelerations
from physx_runtime.dynamics.spatial import Force, Motion
from physx_runtime.language.ops import Rows
from physx_runtime.model.topology import Topology
from physx_runtime.quantities.joint_force import borne, joint_forces, outside_forces
from physx_runtime.solver.articulation.link_velocity import held_velocities
from physx_runtime.solver.articulation.momentum import compound_body
from physx_runtime.solver.articulation.velocity_clamp import clamp_start


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
    outside = outside_forces(t, rows, k, start)
    if not t.fixed_base:
        motions = _before_restoring(t, rows, k, motions, outside)
    return {"joint_acceleration": a[t.root_size:],
            "linear_acceleration": [x for motion in motions for x in motion.acceleration.linear],
            "angular_acceleration": [x for motion in motions for x in motion.acceleration.angular],
            "joint_force": joint_forces(t, rows, k, borne(t, rows, k, motions, outside))}


def _before_restoring(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion],
                      outside: Sequence[Force]) -> list[LinkMotion]:
    """Accelerations without the rigid motion of all links by which PhysX keeps a floating base's momentum.

    They are those with which nothing is borne by the root.
    """
    left = borne(t, rows, k, motions, outside)[0]
    body = compound_body(t, rows, k)
    spin = sp.solve_sym(body.inertia, left.at(body.center).angular)
    about = Motion(spin, sp.scale(1.0 / body.mass, left.linear))
    return [LinkMotion(x.velocity, x.acceleration + about.at(
        sp.sub(sp.add(k.position[i], k.com[i]), body.center)) * -1.0) for i, x in enumerate(motions)]
