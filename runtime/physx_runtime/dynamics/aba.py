"""Forward dynamics by the articulated-body algorithm (RBDA table 7.1).

The velocity-product accelerations are taken out beforehand: each link's force at zero generalised acceleration is
known, and what is left is M a = tau - h, solved along the tree as impulses are (articulated.py).
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics.articulated import ArticulatedInertia, eliminated, passed_up
from physx_runtime.dynamics.inertia import link_inertia
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion, motion_subspace
from physx_runtime.dynamics.linear import solve_symmetric
from physx_runtime.dynamics.rnea import held_force
from physx_runtime.dynamics.spatial import NO_MOTION, Force, Motion, force_of, linear_first, motion_of
from physx_runtime.language.ops import Rows, Scalar, Scalars
from physx_runtime.model.topology import Topology


def forward_dynamics(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion],
                     tau: Scalars) -> list[Scalar]:
    """a with M a + C(q, v) + g(q) = tau, armature in M; a and tau as v: root linear, root angular, then dofs."""
    # what hangs on a link is added when its turn comes: a compiler keeps few numbers at a time
    IA: dict[int, ArticulatedInertia] = {}
    pA: dict[int, Force] = {}       # with the sign of a push: less what the link needs
    joints: dict[int, tuple[Motion, Force, Scalar]] = {}
    for i in range(len(t.links) - 1, -1, -1):           # backward pass: articulated inertias
        IA[i] = ArticulatedInertia.of(link_inertia(t, rows, k, i))
        pA[i] = held_force(t, rows, k, motions[i], i).about(k.com[i]) * -1.0
        for j in reversed(t.children(i)):
            IA[i] = IA[i] + IA[j].about(k.d[j])
            pA[i] = pA[i] + pA[j].about(k.d[j])
        for dof in t.dofs_of(i):
            S = motion_subspace(t, k, dof)
            IA[i], K, per_D = eliminated(IA[i], S, rows["armature"][dof])
            u, pA[i] = passed_up(pA[i], S, K, tau[t.root_size + dof])
            joints[dof] = S, K, u * per_D
    out: list[Scalar] = [0.0] * t.nv
    a = [NO_MOTION]
    if not t.fixed_base:                                # a_0 = (I^A_0)^-1 p^A_0
        out[0:6] = solve_symmetric(IA[0].linear_first(), linear_first(pA[0] + force_of(tau)))
        a[0] = motion_of(out)
    for i in range(1, len(t.links)):                    # forward pass: accelerations
        a_i = a[t.links[i].parent].at(k.d[i])
        for dof in reversed(t.dofs_of(i)):              # qdd = u / D - K . a, a += S qdd
            S, K, alone = joints[dof]
            qdd = out[t.root_size + dof] = alone - K.dot(a_i)
            a_i = a_i + S * qdd
        a.append(a_i)
    return out
