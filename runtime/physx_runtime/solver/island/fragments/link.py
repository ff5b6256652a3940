"""Fragments of links of an island with maximal joints or contacts: poses, velocities and impulses along their paths.

Nodes, K, u, twists and wrenches are those of `solver.scheduled`. Wrenches and motions are about a link's anchor;
joints and contacts use its centre of mass. `root_change`, `node_change` and `misread_velocity` are the velocities that
PhysX reads of a link and its ancestor (pxcFsGetVelocities).
"""

from __future__ import annotations

from physx_runtime.dynamics import aba as ab
from physx_runtime.dynamics import rounded
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.aba import NO_LINK_RESPONSE, response_of
from physx_runtime.dynamics.kinematics import subspace
from physx_runtime.dynamics.linear import plus
from physx_runtime.dynamics.spatial import NO_FORCE, NO_MOTION, Motion, force_of, linear_first, motion_of
from physx_runtime.language.ops import Rows, where
from physx_runtime.solver.scheduled.fragments.kinematics import Operands, central_acceleration, flat, quat, vec
from physx_runtime.solver.scheduled.fragments.response import parent_twist
from physx_runtime.solver.scheduled.tree import RIGID, ROTARY


def start_pose(rows: Operands, is_fixed: bool) -> Rows:
    """World positions of a link and its centre of mass, and its response there."""
    # T at the mass centre: X T X^T
    origin = sp.add(vec(rows["root_position"]), vec(rows["position"]))
    T = NO_LINK_RESPONSE if is_fixed else response_of(rows["response"]).at(vec(rows["center"]))
    return {"origin": origin, "center_position": sp.add(origin, vec(rows["center"])), "constrained_response": flat(T)}


def zero_motion(rows: Operands) -> Rows:
    """Zero displacement of a link."""
    return {"displacement": [0.0] * 3, "angular_displacement": [0.0] * 3, "delta_rotation": [0.0, 0.0, 0.0, 1.0]}


def root_motion(rows: Operands) -> Rows:
    """Velocity of the floating root after the changes so far, if any."""
    # v + dv
    return {"motion": plus(rows["v"], rows["dv"]) if "dv" in rows else rows["v"]}


def node_motion(rows: Operands, kind: str, is_fixed: bool) -> Rows:
    """Velocity of a node's link from its parent's, after the changes so far, if any."""
    # v_i = v_parent + S (qd + dqd)
    motion = parent_twist(rows, is_fixed)
    if kind == RIGID:
        return {"motion": linear_first(motion)}
    S = subspace(kind == ROTARY, vec(rows["axis"]))
    rate = rows["v"][0] + rows["dv"][0] if "dv" in rows else rows["v"][0]
    return {"motion": linear_first(motion + S * rate)}


def solver_velocity(rows: Operands, is_fixed: bool) -> Rows:
    """Velocity of the centre of mass inside the solver: J v + dt Jdot v of the step's start."""
    if is_fixed:
        return {"velocity": [0.0] * 6}
    # v_c = J v + dt Jdot v
    motion = motion_of(rows["constrained_motion"]).at(vec(rows["center"]))
    return {"velocity": linear_first(motion + central_acceleration(rows) * rows["dt"][0])}


def velocity_after_impulses(rows: Operands) -> Rows:
    """The velocity of the centre of mass after a change of the link's motion."""
    # v_c += (M^-1 J^T F)_link
    return {"body_v": linear_first(motion_of(rows["velocity"]) + motion_of(rows["twist"]).at(vec(rows["center"])))}


def unit_wrench(rows: Operands, i: int) -> Rows:
    """One of the six unit wrenches."""
    return {"wrench": [1.0 if k == i else 0.0 for k in range(6)]}


def central_twist(rows: Operands) -> Rows:
    """A change of a link's motion, given at its centre of mass."""
    return {"central": linear_first(motion_of(rows["twist"]).at(vec(rows["center"])))}


def impulse_to_wrench(rows: Operands, adds: bool) -> Rows:
    """An impulse about the centre of mass as a wrench about the anchor; adds: added to the wrench there."""
    # n = n_c + c x f: from the mass centre to the anchor
    P = force_of(rows["impulse"]).about(vec(rows["center"]))
    return {"P": linear_first(force_of(rows["P"]) + P if adds else P)}


def respond(rows: Operands) -> Rows:
    """The change of a link's motion, plus its own response to an impulse about its centre of mass."""
    # dv_link = T f, without the rest of the tree's answer  (DyFeatherstoneArticulation.cpp, getImpulseSelfResponse)
    response = response_of(rows["constrained_response"]).motion(force_of(rows["impulse"]))
    center = vec(rows["center"])
    return {"twist": linear_first(motion_of(rows["twist"]) + response.at(sp.scale(-1.0, center)))}


def raise_impulse(rows: Operands, kind: str, is_fixed: bool, adds: bool) -> Rows:
    """Pass an impulse from a node to its parent, and add its part u for the node's joint.

    adds: the parent has a wrench already.
    """
    # u = S^T p, p_parent = p - K u  (DyFeatherstoneArticulation.cpp, propagateImpulseW)
    P, out = force_of(rows["P"]), {}
    if kind != RIGID:
        u, P = ab.propagate_impulse(P, subspace(kind == ROTARY, vec(rows["axis"])), force_of(rows["K"]), 0.0)
        out = {"u": [rows["u"][0] + u]}
    if is_fixed:
        return out
    P = P.about(vec(rows["d"])) if "d" in rows else P
    return out | {"parent_P": linear_first((force_of(rows["parent_P"]) if adds else NO_FORCE) + P)}


def spread(rows: Operands, kind: str, is_fixed: bool) -> Rows:
    """A node's change of velocity by all impulses so far, and its link's twist from its parent's twist."""
    # dqd = u / D - K . a, twist = a + S dqd  (DyCpuGpuArticulation.h, propagateAccelerationW)
    a = parent_twist(rows, is_fixed)
    if kind == RIGID:
        return {"twist": linear_first(a)}
    rate = rows["inverse_d"][0] * rows["u"][0] - force_of(rows["K"]).dot(a)
    twist = a + subspace(kind == ROTARY, vec(rows["axis"])) * rate
    return {"dv": [rows["dv"][0] + rate], "twist": linear_first(twist)}


def displacement(rows: Operands, is_fixed: bool) -> Rows:
    """Displacement of a link since the step's start: of its centre of mass, and rotation by poses and by velocities.

    A floating root is rotated by its principal axes, in PhysX's rounding. The error of the quaternion's length moves an
    anchor 0.1 m away by 1e-8 m. Friction that is unstable in PhysX's velocity iterations raises that to 1e-3 rad/s.
    """
    # dx = c(q) - c(q0) + root_travel  (DyFeatherstoneArticulation.cpp, getLinkMotionVector)
    linear = sp.sub(sp.add(vec(rows["current_position"]), vec(rows["current_center"])),
                    sp.add(vec(rows["position"]), vec(rows["center"])))
    if "root_linear_displacement" in rows:
        linear = sp.add(linear, vec(rows["root_linear_displacement"]))
    # delta = q conj(q0)  (DyFeatherstoneArticulation.cpp, getDeltaQ)
    if "axes_start" in rows:
        delta = rounded.product(quat(rows["axes_rotation"]), sp.conjugate(quat(rows["axes_start"])))
    else:
        delta = sp.mul_quat(quat(rows["current_rotation"]), sp.conjugate(quat(rows["rotation"])))
    sign = where(delta[3] < 0.0, -1.0, 1.0)
    # theta = integral of w: turns of the joints, and t dt (Jdot v)_w
    velocity_bias = sp.scale(rows["elapsed"][0] * rows["dt"][0], vec(rows["motion"], 1))
    rotation = velocity_bias if is_fixed else sp.add(vec(rows["link_angular_displacement"]), velocity_bias)
    return {"displacement": linear, "angular_displacement": rotation,
            "delta_rotation": [sign * x for x in delta]}


def pass_time(rows: Operands) -> Rows:
    """The time since the step's start after one more position iteration."""
    return {"elapsed": [rows["elapsed"][0] + rows["h"][0]]}


def root_change(rows: Operands) -> Rows:
    """Change of the floating root's velocity since it was last integrated; its twist is that of later impulses."""
    # change since the last integration: v - v_integrated + dv + twist
    return {"velocity_change": [v - integrated + dv + twist for v, integrated, dv, twist in zip(
        rows["v"], rows["v_integrated"], rows["dv"], rows["twist"], strict=True)]}


def node_change(rows: Operands, kind: str, is_fixed: bool) -> Rows:
    """Change of a node's motion since it was last integrated, and the part of later impulses, its twist.

    With the row "parent_misread_change" also the change that PhysX reads, which leaves out the ancestor's own joint.
    """
    # dqd = u / D - K . a
    # the change that PhysX reads starts at the common link  (DyFeatherstoneArticulation.cpp, pxcFsGetVelocities)
    a, parent_change = _motion_at(rows, "parent_twist", is_fixed), _motion_at(rows, "parent_velocity_change", is_fixed)
    misread = _motion_at(rows, "parent_misread_change", False) if "parent_misread_change" in rows else NO_MOTION
    out = {"twist": a, "velocity_change": parent_change, "misread_change": misread}
    if kind != RIGID:
        S, K = subspace(kind == ROTARY, vec(rows["axis"])), force_of(rows["K"])
        coming = rows["inverse_d"][0] * rows["u"][0] - K.dot(a)
        change = rows["v"][0] - rows["v_integrated"][0] + rows["dv"][0] + coming
        out = {"twist": a + S * coming, "velocity_change": parent_change + S * change,
               "misread_change": misread + S * (change + K.dot(parent_change - misread))}
    return {name: linear_first(motion) for name, motion in out.items()}


def _motion_at(rows: Operands, name: str, is_fixed: bool) -> Motion:
    if is_fixed:
        return NO_MOTION
    motion = motion_of(rows[name])
    return motion.at(vec(rows["d"])) if "d" in rows else motion


def misread_velocity(rows: Operands, is_fixed: bool) -> Rows:
    """The change of an ancestor as misread by PhysX: that of its parent, at the parent's centre of mass."""
    if is_fixed:
        return {"misread_change": [0.0] * 6}
    # v_parent at the parent's centre of mass is used for that of the ancestor
    parent = motion_of(rows["parent_velocity_change"]).at(vec(rows["parent_center"]))
    return {"misread_change": linear_first(parent.at(sp.scale(-1.0, vec(rows["center"]))))}


def read_link(rows: Operands) -> Rows:
    """The velocity that PhysX reads of a link: as last integrated, plus the misread change since."""
    # v_read = v_integrated + dt Jdot v + change as misread
    center = vec(rows["center"])
    velocity = motion_of(rows["integrated"]).at(center) + central_acceleration(rows) * rows["dt"][0]
    return {"body_v": linear_first(velocity + motion_of(rows["misread_change"]).at(center))}
