"""Fragments of the response to forces: articulated inertias, responses, wrenches up and twists down the tree.

They are the passes of Featherstone's articulated body algorithm as PhysX has them (DyFeatherstoneForwardDynamic.cpp,
propagateImpulseW, propagateAccelerationW).
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.arrays import Scalar
from physx_runtime.dynamics import aba as ab
from physx_runtime.dynamics.aba import NO_LINK_RESPONSE, response_of
from physx_runtime.dynamics.kinematics import subspace
from physx_runtime.dynamics.spatial import NO_FORCE, NO_MOTION, Motion, force_of, linear_first, motion_of
from physx_runtime.language.ops import Rows
from physx_runtime.solver.constraints.softening import softening
from physx_runtime.solver.scheduled.fragments.kinematics import Operands, flat, inertia_of, vec
from physx_runtime.solver.scheduled.tree import RIGID, ROTARY


def eliminate(rows: Operands, kind: str, is_first: bool, fixed_parent: bool) -> Rows:
    """A node's K and 1/D; its articulated inertia is added to its parent's, or stored if `is_first`."""
    inertia, out = inertia_of(rows["inertia"]), {}
    if kind != RIGID:
        # K = U / D, I^a = I^A - U K^T; I^A_parent += X^T I^a X
        # (DyFeatherstoneForwardDynamic.cpp, computePropagateSpatialInertia_ZA_ZIc)
        S = subspace(kind == ROTARY, vec(rows["axis"]))
        inertia, K, inverse_d = ab.eliminate(inertia, S, rows["armature"][0])
        out = {"K": linear_first(K), "inverse_d": [inverse_d]}
    if fixed_parent:
        return out
    shifted = inertia.about(vec(rows["d"])) if "d" in rows else inertia
    return out | {"parent": flat(shifted if is_first else inertia_of(rows["parent"]) + shifted)}


def respond_root(rows: Operands) -> Rows:
    """A floating root's response, in place of its articulated inertia."""
    # T_0 = (I^A_0)^-1
    return {"response": flat(ab.free_response(inertia_of(rows["response"])))}


def respond_node(rows: Operands, kind: str, fixed_parent: bool) -> Rows:
    """A node's response to wrenches, y and r, from its parent's response."""
    T = NO_LINK_RESPONSE if fixed_parent else response_of(rows["parent"])
    T = T.at(vec(rows["d"])) if "d" in rows else T
    if kind == RIGID:
        return {"response": flat(T)}
    # T_i = (1 - S K^T) T (1 - K S^T) + S S^T / D
    # (DyFeatherstoneForwardDynamic.cpp, computeArticulatedResponseMatrix)
    S = subspace(kind == ROTARY, vec(rows["axis"]))
    response, y, r = ab.propagate_response(T, S, force_of(rows["K"]), rows["inverse_d"][0])
    return {"response": flat(response), "y": linear_first(y), "r": [r]}


def soften(rows: Operands) -> Rows:
    """cfm of a link."""
    # cfm = cfmScale max diag(T_c) / length_scale
    at_center = response_of(rows["response"]).at(vec(rows["center"])).linear
    return {"cfm": [softening(rows, 0, (at_center[0], at_center[1], at_center[2]))]}


def pass_up(rows: Operands, kind: str, empty: bool, is_first: bool, fixed_parent: bool) -> Rows:
    """Add a node's wrench to its parent's, or store it if `is_first`; empty: there is nothing below the node.

    With the row "parent_response" the parent's twist is updated at once, for the remaining branches.
    """
    P = NO_FORCE if empty else force_of(rows["P"])
    out: dict[str, Sequence[Scalar]] = {}
    # u = F + S^T p, p_parent += X^T (p - K u)  (DyFeatherstoneArticulation.cpp, propagateImpulseW)
    if kind != RIGID:
        S = subspace(kind == ROTARY, vec(rows["axis"]))
        u, P = ab.propagate_impulse(P, S, force_of(rows["K"]), rows.get("F", [0.0])[0])
        out["u"] = [u]
    if fixed_parent:
        return out
    P = P.about(vec(rows["d"])) if "d" in rows else P
    # twist_parent += T X^T p: siblings solved later see it
    if "parent_response" in rows:
        twist = response_of(rows["parent_response"]).motion(P)
        out["parent_twist"] = linear_first(motion_of(rows["parent_twist"]) + twist)
    return out | {"parent_P": linear_first(P if is_first else force_of(rows["parent_P"]) + P)}


def parent_twist(rows: Operands, fixed_parent: bool) -> Motion:
    """Motion of a node's parent at the node's anchor."""
    if fixed_parent:
        return NO_MOTION
    # a = X twist_parent
    twist = motion_of(rows["parent_twist"])
    return twist.at(vec(rows["d"])) if "d" in rows else twist


def pass_down(rows: Operands, kind: str, fixed_parent: bool) -> Rows:
    """A node's change of velocity and its link's twist from its parent's twist."""
    a = parent_twist(rows, fixed_parent)
    if kind == RIGID:
        return {"twist": linear_first(a)}
    # dqd = u / D - K . a, twist = a + S dqd  (DyCpuGpuArticulation.h, propagateAccelerationW)
    rate = rows["inverse_d"][0] * rows["u"][0] - force_of(rows["K"]).dot(a)
    S = subspace(kind == ROTARY, vec(rows["axis"]))
    return {"rate": [rate], "twist": linear_first(a + S * rate)}


def root_twist(rows: Operands) -> Rows:
    """A floating root's twist from the wrench on it."""
    # twist_0 = T_0 p
    return {"twist": linear_first(response_of(rows["response"]).motion(force_of(rows["P"])))}


def project(rows: Operands, kind: str, fixed_parent: bool) -> Rows:
    """Generalised force of a node's wrench, which moves on to its parent (RBDA table 5.1)."""
    P, out = force_of(rows["P"]), {}
    # tau = S^T p, p_parent += X^T p
    if kind != RIGID:
        out = {"tau": [P.dot(subspace(kind == ROTARY, vec(rows["axis"])))]}
    if fixed_parent:
        return out
    P = P.about(vec(rows["d"])) if "d" in rows else P
    return out | {"parent_P": linear_first(force_of(rows["parent_P"]) + P)}
