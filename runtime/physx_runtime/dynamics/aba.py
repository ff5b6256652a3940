"""Forward dynamics by articulated bodies (RBDA table 7.1).

The velocity-product accelerations are taken out beforehand: each link's force at zero generalised acceleration is
known, and what is left is M a = tau - h, solved along the tree as impulses are (articulated.py).
"""

from __future__ import annotations

from physx_runtime.dynamics.articulated import (
    ZERO,
    Pair,
    Sym6,
    eliminated,
    inertia_from,
    link_inertia,
    passed_up,
    subspace,
    twist_at,
    wrench_from,
)
from physx_runtime.dynamics.crba import composite_of
from physx_runtime.dynamics.inverse_dynamics import held_force
from physx_runtime.dynamics.kinematics import Kinematics, Row, Rows, Velocities
from physx_runtime.dynamics.linear import solve_symmetric
from physx_runtime.dynamics.rnea import world_inertia
from physx_runtime.language.ops import Scalar
from physx_runtime.model.topology import TURNING, Topology


def forward_dynamics(t: Topology, rows: Rows, k: Kinematics, velocity: Velocities, tau: Row) -> list[Scalar]:
    """a with M a + C(q, v) + g(q) = tau, armature in M; a and tau as v: root linear, root angular, then dofs."""
    # what hangs on a link is added when its turn comes: a compiler keeps few numbers at a time
    inertia: dict[int, Sym6] = {}
    push: dict[int, Pair] = {}
    joints: dict[int, tuple[Pair, Pair, Scalar]] = {}
    for i in range(len(t.links) - 1, -1, -1):           # backward pass: articulated inertias
        inertia[i] = link_inertia(composite_of(rows["mass"][i], k.com[i], world_inertia(t, rows, k, i)))
        push[i] = wrench_from(Pair(*held_force(t, rows, k, velocity, i)), k.com[i]).times(-1.0)
        for j in reversed(t.children(i)):
            inertia[i] = inertia[i].plus(inertia_from(inertia[j], k.d[j]))
            push[i] = push[i].plus(wrench_from(push[j], k.d[j]))
        for dof in t.dofs_of(i):
            S = subspace(t.links[i].kind in TURNING, k.axes[dof])
            inertia[i], K, per_d = eliminated(inertia[i], S, rows["armature"][dof])
            u, push[i] = passed_up(push[i], S, K, tau[t.root_size + dof])
            joints[dof] = S, K, u * per_d
    out: list[Scalar] = [0.0] * t.nv
    moved = [ZERO]
    if not t.fixed_base:
        pushed = push[0].plus(Pair((tau[0], tau[1], tau[2]), (tau[3], tau[4], tau[5])))
        a = out[0:6] = solve_symmetric(inertia[0].rows(), [*pushed.linear, *pushed.angular])
        moved[0] = Pair((a[0], a[1], a[2]), (a[3], a[4], a[5]))
    for i in range(1, len(t.links)):                    # forward pass: accelerations
        there = twist_at(moved[t.links[i].parent], k.d[i])
        for dof in reversed(t.dofs_of(i)):              # qdd = u / d - K . a
            S, K, alone = joints[dof]
            qdd = out[t.root_size + dof] = alone - K.dot(there)
            there = there.plus(S.times(qdd))
        moved.append(there)
    return out
