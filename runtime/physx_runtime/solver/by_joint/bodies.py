"""The bodies of one link or joint that the generic path is made of: the step's own equations on run-time rows.

Every function maps operands (name -> scalars) to the operands it makes or changes. `joint` is a topology of two links,
the parent and the link itself (`tree.joint_topologies`). `grounded`: the parent never moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from physx_runtime.dynamics import articulated as ab
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.articulated import Pair, Sym6
from physx_runtime.dynamics.crba import composite_of
from physx_runtime.dynamics.kinematics import (
    Kinematics,
    Motion,
    ball_coordinates,
    forward_kinematics,
    link_motion,
)
from physx_runtime.dynamics.rnea import inertial_force, moved_torque
from physx_runtime.language.ops import Scalar
from physx_runtime.model.topology import ROOT, TURNING, LinkTopology, Topology
from physx_runtime.solver.articulation.link_forces import external_forces
from physx_runtime.solver.articulation.step import (
    damping_force,
    link_weight,
)
from physx_runtime.solver.by_joint.tree import RIGID, TURN
from physx_runtime.solver.constraints import joint as joints

Rows = dict[str, list[Scalar]]
Made = Mapping[str, Sequence[Any]]

ALONE = Topology(True, True, (LinkTopology(-1, ROOT),), ())


def vec(x: Sequence[Scalar], i: int = 0) -> sp.Vec3:
    """The i-th vector of a list."""
    return (x[3 * i], x[3 * i + 1], x[3 * i + 2])


def quat(x: Sequence[Scalar]) -> sp.Quat:
    """Four scalars."""
    return (x[0], x[1], x[2], x[3])


def sym(x: Sequence[Scalar]) -> sp.Sym3:
    """Six scalars."""
    return (x[0], x[1], x[2], x[3], x[4], x[5])


def pair(x: Sequence[Scalar]) -> Pair:
    """A twist or wrench."""
    return Pair(vec(x, 0), vec(x, 1))


def flat_pair(x: Pair) -> list[Scalar]:
    """Its six scalars."""
    return [*x.linear, *x.angular]


def sym6(x: Sequence[Scalar]) -> Sym6:
    """21 scalars."""
    return Sym6(sym(x[0:6]), (vec(x, 2), vec(x, 3), vec(x, 4)), sym(x[15:21]))


def flat_sym6(x: Sym6) -> list[Scalar]:
    """Its 21 scalars."""
    return [*x.linear, *x.cross[0], *x.cross[1], *x.cross[2], *x.angular]


def rotation_matrix(x: Sequence[Scalar]) -> sp.Mat3:
    """Nine scalars."""
    return (vec(x, 0), vec(x, 1), vec(x, 2))


# --- poses and velocities ------------------------------------------------------------------------------------------

def copy(rows: Rows) -> Made:
    """The same rows elsewhere."""
    return {"copied": rows["given"]}


def zero(rows: Rows) -> Made:
    """Rows of nothing."""
    return {"cleared": [0.0] * len(rows["cleared"])}


def add_scaled(rows: Rows, sign: float) -> Made:
    """total + sign factor x."""
    factor = sign * rows["factor"][0] if "factor" in rows else sign
    return {"total": [a + factor * x for a, x in zip(rows["total"], rows["x"], strict=True)]}


def scaled(rows: Rows) -> Made:
    """factor x."""
    return {"product": [rows["factor"][0] * x for x in rows["x"]]}


def normalize(rows: Rows) -> Made:
    """A quaternion of length one."""
    return {"rotation": sp.normalized(quat(rows["rotation"]))}


def turn_axes(rows: Rows) -> Made:
    """World rotation of the root's principal axes."""
    return {"axes_rotation": sp.mul_quat(quat(rows["rotation"]), quat(rows["axes"]))}


def pose_root(rows: Rows) -> Made:
    """Pose of the root."""
    k = forward_kinematics(ALONE, rows, [], quat(rows["rotation"]))
    return {"R": [x for row in k.R[0] for x in row], "center": k.com[0]}


def pose(rows: Rows, joint: Topology) -> Made:
    """Pose of a link from its parent's; where the row "ball" is given it is the link's rotation."""
    padded = {name: [0.0] * (len(rows[name])) + rows[name] for name in ("tree_rotation", "tree_position", "com")}
    padded |= {name: rows[name] for name in ("locked",) if name in rows}
    k = forward_kinematics(joint, padded, rows.get("q", []), quat(rows["parent_rotation"]), rows.get("ball", ()))
    return {"rotation": k.rotation[1], "R": [x for row in k.R[1] for x in row], "d": k.d[1], "center": k.com[1],
            "position": sp.add(vec(rows["parent_position"]), k.d[1]), "axes": [x for axis in k.axes for x in axis]}


def coordinates(rows: Rows, joint: Topology) -> Made:
    """Coordinates of a spherical joint from the poses of its links."""
    k = Kinematics([quat(rows["parent_rotation"]), quat(rows["rotation"])], [], [], [], [], [], [])
    q, locked = ball_coordinates(joint, {"tree_rotation": [0.0] * 4 + rows["tree_rotation"]}, k,
                                 [0.0] * len(joint.dofs))
    return {"q": q, "locked": locked}


def motion_of(x: Sequence[Scalar]) -> Motion:
    """Twelve scalars."""
    return Motion(vec(x, 0), vec(x, 1), vec(x, 2), vec(x, 3))


def move(rows: Rows, joint: Topology) -> Made:
    """Velocities of a link from its parent's."""
    rates = [(rate, vec(rows["axes"], i)) for i, rate in enumerate(rows.get("rates", []))]
    motion = link_motion(joint.links[1].kind in TURNING, rates, vec(rows["d"]), motion_of(rows["parent_motion"]))
    return _centered(motion, vec(rows["center"]))


def move_start(rows: Rows, grounded: bool, turning_only: bool) -> Made:
    """Velocities of the root."""
    v = [0.0] * 6 if grounded else rows["v"]
    v = [0.0] * 3 + v[3:6] if turning_only else v
    return _centered(Motion(vec(v, 1), sp.ZERO3, vec(v, 0), sp.ZERO3), vec(rows["center"]))


def _centered(motion: Motion, center: sp.Vec3) -> Made:
    v_com, a_com = motion.at(center)
    return {"motion": [*motion.w, *motion.alpha, *motion.v, *motion.a], "v_com": v_com, "a_com": a_com}


# --- forces and inertias of one link -------------------------------------------------------------------------------

def link_forces(rows: Rows, alone: Topology) -> Made:
    """Wrenches on a link about its anchor (weight and pushes, damping, velocity products), and its inertias.

    alone: a topology of this link, fixed where the whole tree is; of a floating one also what its momentum is made of.
    """
    center, motion, a_com = vec(rows["center"]), motion_of(rows["motion"]), vec(rows["a_com"])
    R = rotation_matrix(rows["R"])
    inertia = sp.rotate_sym(R, sym(rows["inertia"]))
    body = composite_of(rows["mass"][0], center, inertia)
    k = Kinematics([], [R], [], [], [center], [], [])
    weight = (link_weight(rows, 0, 0.0 if alone.fixed_base else 1.0), sp.ZERO3)
    made = {
        "weight": _at_anchor(external_forces(alone, rows, k, [weight])[0], center),
        "drag": _at_anchor(damping_force(rows, 0, inertia, vec(rows["v_com"]), motion.w), center),
        "fall": _at_anchor(inertial_force(rows["mass"][0], inertia, motion.w, motion.alpha, a_com), center),
        "own_inertia": flat_sym6(ab.link_inertia(body)), "world_inertia": inertia,
    }
    if not alone.fixed_base:
        made["composite"] = [body.mass, *body.moment, *body.inertia]
        made["carried"] = _at_anchor((sp.scale(rows["mass"][0], a_com), sp.mul_sv(inertia, motion.alpha)), center)
    return made


def _at_anchor(wrench: tuple[sp.Vec3, sp.Vec3], center: sp.Vec3) -> list[Scalar]:
    return [*wrench[0], *moved_torque(wrench[0], wrench[1], center)]


def eliminate(rows: Rows, kind: str, fresh: bool, grounded: bool) -> Made:
    """A node's K and 1/D; its articulated inertia goes to its parent, as the first where `fresh`."""
    inertia, made = sym6(rows["inertia"]), {}
    if kind != RIGID:
        S = ab.subspace(kind == TURN, vec(rows["axis"]))
        inertia, K, inverse_d = ab.eliminated(inertia, S, rows["armature"][0])
        made = {"K": flat_pair(K), "inverse_d": [inverse_d]}
    if grounded:
        return made
    moved = ab.inertia_from(inertia, vec(rows["d"])) if "d" in rows else inertia
    return made | {"parent": flat_sym6(moved if fresh else sym6(rows["parent"]).plus(moved))}


def respond_root(rows: Rows) -> Made:
    """A floating root's response, in place of its articulated inertia."""
    return {"response": flat_sym6(ab.free_response(sym6(rows["response"])))}


def respond(rows: Rows, kind: str, grounded: bool) -> Made:
    """A node's response to wrenches, y and r, from its parent's response."""
    T = sym6([0.0] * 21 if grounded else rows["parent"])
    T = ab.response_at(T, vec(rows["d"])) if "d" in rows else T
    if kind == RIGID:
        return {"response": flat_sym6(T)}
    S = ab.subspace(kind == TURN, vec(rows["axis"]))
    response, y, r = ab.answered(T, S, pair(rows["K"]), rows["inverse_d"][0])
    return {"response": flat_sym6(response), "y": flat_pair(y), "r": [r]}


def soften(rows: Rows) -> Made:
    """cfm of a link."""
    at_center = ab.response_at(sym6(rows["response"]), vec(rows["center"])).linear
    return {"cfm": [joints.softening(rows, 0, (at_center[0], at_center[1], at_center[2]))]}


# --- impulses ------------------------------------------------------------------------------------------------------

def pass_up(rows: Rows, kind: str, empty: bool, fresh: bool, grounded: bool) -> Made:
    """A node's wrench to its parent, as the first where `fresh`; nothing hangs below where `empty`.

    With the row "parent_response" the parent's twist answers at once, for the branches still to come.
    """
    P = ab.ZERO if empty else pair(rows["P"])
    made: dict[str, Sequence[Any]] = {}
    if kind != RIGID:
        S = ab.subspace(kind == TURN, vec(rows["axis"]))
        made["u"], P = _lifted(rows, P, S)
    if grounded:
        return made
    P = ab.wrench_from(P, vec(rows["d"])) if "d" in rows else P
    if "parent_response" in rows:
        answer = sym6(rows["parent_response"]).times(P)
        made["parent_twist"] = flat_pair(pair(rows["parent_twist"]).plus(answer))
    return made | {"parent_P": flat_pair(P if fresh else pair(rows["parent_P"]).plus(P))}


def _lifted(rows: Rows, P: Pair, S: Pair) -> tuple[list[Scalar], Pair]:
    """The force that moves a joint, and what is left for the parent."""
    F = rows["F"][0] if "F" in rows else 0.0
    u, P = ab.passed_up(P, S, pair(rows["K"]), F)
    return [u], P


def parent_twist(rows: Rows, grounded: bool) -> Pair:
    """Twist of a node's parent at the node's anchor."""
    if grounded:
        return ab.ZERO
    twist = pair(rows["parent_twist"])
    return ab.twist_at(twist, vec(rows["d"])) if "d" in rows else twist


def pass_down(rows: Rows, kind: str, grounded: bool) -> Made:
    """A node's change of velocity and its link's twist from its parent's twist."""
    a = parent_twist(rows, grounded)
    if kind == RIGID:
        return {"twist": flat_pair(a)}
    rate = rows["inverse_d"][0] * rows["u"][0] - pair(rows["K"]).dot(a)
    S = ab.subspace(kind == TURN, vec(rows["axis"]))
    return {"rate": [rate], "twist": flat_pair(a.plus(S.times(rate)))}


def answer_root(rows: Rows) -> Made:
    """A floating root's twist from the wrench on it."""
    return {"twist": flat_pair(sym6(rows["response"]).times(pair(rows["P"])))}


def project(rows: Rows, kind: str, grounded: bool) -> Made:
    """Generalised force of a node's wrench, which moves on to its parent (RBDA table 5.1)."""
    P, made = pair(rows["P"]), {}
    if kind != RIGID:
        made = {"tau": [ab.subspace(kind == TURN, vec(rows["axis"])).dot(P)]}
    if grounded:
        return made
    P = ab.wrench_from(P, vec(rows["d"])) if "d" in rows else P
    return made | {"parent_P": flat_pair(pair(rows["parent_P"]).plus(P))}
