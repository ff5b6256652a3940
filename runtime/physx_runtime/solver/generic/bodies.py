"""The bodies of one link or joint that the generic path is made of: the step's own equations on run-time rows.

Every function maps operands (name -> scalars) to the operands it makes or changes. `joint` is a topology of two links,
the parent and the link itself (`tree.joint_topologies`). `grounded`: the parent never moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from physx_runtime.algorithms import articulated as ab
from physx_runtime.algorithms import spatial as sp
from physx_runtime.algorithms.articulated import Pair, Sym6
from physx_runtime.algorithms.crba import Composite, composite_of
from physx_runtime.algorithms.kinematics import (
    Kinematics,
    Motion,
    Velocities,
    ball_coordinates,
    forward_kinematics,
    link_motion,
)
from physx_runtime.algorithms.rnea import inertial_force, moved_torque
from physx_runtime.model import ROOT, TURNING, LinkTopology, Topology
from physx_runtime.solver import joint as joints
from physx_runtime.solver.divergence import still_sound
from physx_runtime.solver.generic.tree import RIGID, TURN
from physx_runtime.solver.link_forces import external_forces
from physx_runtime.solver.momentum import Compound, about_center, inertia_about, restored, root_after
from physx_runtime.solver.step import (
    ACCUMULATED,
    damping_force,
    dof_coefficients,
    larger_excess,
    link_weight,
    move_root,
    solve_constraints,
    turned_ball,
    wrapped,
)
from physx_runtime.tracing.ops import Scalar, maximum, where

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


def _parent_twist(rows: Rows, grounded: bool) -> Pair:
    if grounded:
        return ab.ZERO
    twist = pair(rows["parent_twist"])
    return ab.twist_at(twist, vec(rows["d"])) if "d" in rows else twist


def pass_down(rows: Rows, kind: str, grounded: bool) -> Made:
    """A node's change of velocity and its link's twist from its parent's twist."""
    a = _parent_twist(rows, grounded)
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


# --- constraints of one dof ----------------------------------------------------------------------------------------

COEFFICIENTS = {"soft": 1, "bias": 1, "travel_axis": 3, "travel_moment": 3, "travel_offset": 1, "travel_spin": 3,
                "lower_start": 1, "upper_start": 1, "drive_rate": 1, "drive_spring": 1, "drive_speed": 1,
                "drive_start": 1, "drive_again": 1}


def coefficients(rows: Rows, joint: Topology) -> Made:
    """`dof_coefficients` of a joint's dofs."""
    k, velocity = _joint_kinematics(joint, rows), Velocities([], [], [], [])
    for prefix in ("parent_", ""):
        velocity.alpha.append(vec(rows[f"{prefix}motion"], 1))
        velocity.a_com.append(vec(rows[f"{prefix}a_com"]))
    made: dict[str, list[Scalar]] = {}
    for dof, features in enumerate(joint.dofs):
        r, soft = rows["r"][dof], 0.0
        if features.softened:
            cfm = rows["cfm"][0]
            soft = 1.0 / (r + (maximum(cfm, rows["parent_cfm"][0]) if "parent_cfm" in rows else cfm))
        for name, values in dof_coefficients(joint, rows, k, velocity, dof, r, soft).items():
            made.setdefault(name, []).extend(values)
    return made


def _joint_kinematics(joint: Topology, rows: Rows) -> Kinematics:
    """What constraints ask of poses: axes, the offset to the child's anchor, both centres of mass."""
    axes = [vec(rows["axes"], i) for i in range(len(joint.dofs))] if "axes" in rows else []
    return Kinematics([], [], [], [sp.ZERO3, vec(rows["d"])], [vec(rows["parent_center"]), vec(rows["center"])], [],
                      axes)


def turn(rows: Rows, joint: Topology) -> Made:
    """Turn of a link since the step's start, or its spin, from its parent's and its joint's amounts."""
    start = vec(rows["parent_turn"]) if "parent_turn" in rows else sp.ZERO3
    return {"turn": joints.link_turn(joint, rows, rows.get("amounts", []), 1, start)}


def see(rows: Rows, joint: Topology) -> Made:
    """Travel of a prismatic joint whose axis turns, as its constraints see it."""
    local = {**rows, "root_turn": rows["parent_turn"]} if "parent_turn" in rows else {**rows, "root_turn": [0.0] * 3}
    return {"seen": [joints.seen_travel(joint, local, _joint_kinematics(joint, rows), 0)]}


def solve_dof(rows: Rows, joint: Topology, place: int, constants: tuple[tuple[str, float], ...], kind: str,
              grounded: bool, final: bool) -> Made:
    """All constraints of the `place`-th dof of a joint; its impulse F and what its link does at once.

    constants: coefficients that are literals for this kind of joint.
    """
    local: dict[str, Any] = {name: [None] * place + rows[name] for name in rows if name not in ("dt", "h", "erp")}
    local |= {name: rows[name] for name in ("dt", "h", "erp", "iteration") if name in rows}
    local |= {name: [None] * place + [value] for name, value in constants}
    a = _parent_twist(rows, grounded)
    K, r = pair(rows["K"]), rows["r"][0]
    dragged = K.dot(a)
    now = rows["v"][0] + (rows["dv"][0] if "dv" in rows else 0.0) - dragged
    travel = rows["seen"][0] if "seen" in rows else joints.seen_travel(joint, local, _NO_POSES, place)
    state = joints.JointState(r, local["soft"][place], now + local["bias"][place], travel)
    totals = {name: [0.0] * (place + 1) for name in ACCUMULATED}
    solve_constraints(joint, local, place, state, totals, final)
    made: dict[str, Sequence[Any]] = {name: [values[place]] for name, values in totals.items() if name in rows}
    made["F"] = [state.impulse]
    if "twist" in rows:
        F = state.impulse
        after = a.plus(pair(rows["y"]).times(-F))
        S = ab.subspace(kind == TURN, vec(rows["axis"]))
        made["twist"] = flat_pair(after.plus(S.times(r * F - dragged)))
    return made


_NO_POSES = Kinematics([], [], [], [], [], [], [])


def settle(rows: Rows, kind: str, grounded: bool, moves_q: bool) -> Made:
    """A dof's velocity after all impulses of an iteration, and in a position iteration where it goes."""
    made = dict(pass_down(rows, kind, grounded))
    v = rows["v"][0] + ((rows["dv"][0] if "dv" in rows else 0.0) + made.pop("rate")[0])
    made["v"] = [v]
    return made | dict(advance_dof({**rows, "v": [v]}, moves_q)) if "travel" in rows else made


def settle_root(rows: Rows) -> Made:
    """A floating root's velocity after all impulses of an iteration."""
    twist = flat_pair(sym6(rows["response"]).times(pair(rows["P"])))
    change = [a + b for a, b in zip(rows["dv"], twist, strict=True)] if "dv" in rows else twist
    return {"twist": twist, "v": [a + b for a, b in zip(rows["v"], change, strict=True)]}


def advance_root(rows: Rows) -> Made:
    """A floating root's pose after one substep."""
    return move_root(rows, rows["v"])


def advance_ball(rows: Rows) -> Made:
    """A spherical joint's link after one substep."""
    return {"ball_rotation": turned_ball(rows, 0, sp.add(vec(rows["ball_spin"]), vec(rows["spin"])))}


def count(rows: Rows) -> Made:
    """One more iteration."""
    return {"iteration": [rows["iteration"][0] + 1.0]}


# --- floating bases ------------------------------------------------------------------------------------------------

def composite(x: Sequence[Scalar]) -> Composite:
    """Ten scalars."""
    return Composite(x[0], vec(x[1:4]), sym(x[4:10]))


def join_composite(rows: Rows, grounded: bool) -> Made:
    """A link's composite body joined to its parent's."""
    if grounded:
        return {}
    whole = composite(rows["parent"]).joined(composite(rows["composite"]), vec(rows["d"]))
    return {"parent": [whole.mass, *whole.moment, *whole.inertia]}


def momentum_column(rows: Rows, turning: bool) -> Made:
    """Momentum about the root's centre of mass for unit velocities of a link's dofs."""
    made: list[Scalar] = []
    for i in range(len(rows["axes"]) // 3):
        f, n = composite(rows["composite"]).wrench(turning, vec(rows["axes"], i))
        made += [*f, *moved_torque(f, n, vec(rows["position"]))]
    return {"momentum_column": made}


def momentum_root(rows: Rows) -> Made:
    """Momentum of the root's turning, relative to its centre of mass, and `bias` where it is given."""
    start = rows.get("bias", [0.0] * 6)
    matrix = composite(rows["composite"]).matrix()
    return {"momentum": [b + sum_of(m * x for m, x in zip(line[3:6], rows["v"][3:6], strict=True))
                         for b, line in zip(start, matrix, strict=True)]}


def sum_of(values: Any) -> Scalar:
    """Sum of scalars."""
    total: Scalar = 0.0
    for value in values:
        total = total + value
    return total


def add_momentum(rows: Rows) -> Made:
    """Momentum with a dof's share."""
    return {"momentum": [p + c * rows["v"][0] for p, c in zip(rows["momentum"], rows["column"], strict=True)]}


def add_center(rows: Rows) -> Made:
    """Total mass and first moment with a link's."""
    c = sp.add(vec(rows["position"]), vec(rows["center"]))
    moment = sp.add(vec(rows["body"][1:4]), sp.scale(rows["mass"][0], c))
    return {"body": [rows["body"][0] + rows["mass"][0], *moment, *rows["body"][4:10]]}


def find_center(rows: Rows) -> Made:
    """The centre of mass from the first moment."""
    return {"body": [rows["body"][0], *sp.scale(1.0 / rows["body"][0], vec(rows["body"][1:4])), *rows["body"][4:10]]}


def add_inertia(rows: Rows) -> Made:
    """Inertia about the common centre of mass with a link's."""
    c = sp.add(vec(rows["position"]), vec(rows["center"]))
    own = inertia_about(rows["mass"][0], sym(rows["world_inertia"]), sp.sub(c, vec(rows["body"][1:4])))
    return {"body": [*rows["body"][0:4], *sp.add_sym(sym(rows["body"][4:10]), own)]}


def compound(x: Sequence[Scalar]) -> Compound:
    """Ten scalars."""
    return Compound(x[0], vec(x[1:4]), sym(x[4:10]))


def restore(rows: Rows) -> Made:
    """The root's velocity after the rigid motion that keeps momentum."""
    body = compound(rows["body"])
    now = about_center(rows["v"], rows["now"], body.center)
    wanted = about_center(rows["wanted_v"], rows["wanted"], vec(rows["wanted_center"]))
    return {"v": restored(rows["v"], now, wanted, body)}


def add_link_momentum(rows: Rows) -> Made:
    """Momentum about the root's centre of mass with a link's."""
    motion, center = motion_of(rows["motion"]), vec(rows["center"])
    f = sp.scale(rows["mass"][0], vec(rows["v_com"]))
    n = moved_torque(f, sp.mul_sv(sym(rows["world_inertia"]), motion.w), sp.add(vec(rows["position"]), center))
    return {"momentum": [a + b for a, b in zip(rows["momentum"], (*f, *n), strict=True)]}


def turn_inertia(rows: Rows) -> Made:
    """A link's inertia about its centre of mass in world axes."""
    return {"world_inertia": sp.rotate_sym(rotation_matrix(rows["R"]), sym(rows["inertia"]))}


def advance_dof(rows: Rows, moves_q: bool) -> Made:
    """Where a dof goes at its velocity."""
    moved = rows["h"][0] * rows["v"][0]
    made = {"travel": [rows["travel"][0] + moved]}
    return made | {"q": [rows["q"][0] + moved]} if moves_q else made


def place_root(rows: Rows) -> Made:
    """The root where the common centre of mass has travelled as the solver's velocities say."""
    return {"root_position": root_after(rows, vec(rows["momentum"]), compound(rows["body"]))}


# --- the step's edges ----------------------------------------------------------------------------------------------

def find_excess(rows: Rows) -> Made:
    """Largest ratio of a joint velocity to its start-of-step maximum."""
    return {"excess": [larger_excess(rows["excess"][0], rows["v"][0], rows["velocity_clamp"][0])]}


def one(rows: Rows) -> Made:
    """1 in a row."""
    return {"ones": [1.0] * len(rows["ones"])}


def clamp_velocity(rows: Rows) -> Made:
    """A joint velocity brought below its start-of-step maximum."""
    return {"v": [rows["v"][0] * (1.0 / rows["excess"][0])]}


def wrap(rows: Rows) -> Made:
    """A revolute joint's position wrapped."""
    return {"q": [wrapped(rows["q"][0])]}


def add_size(rows: Rows) -> Made:
    """Sum of absolute values."""
    return {"size": [rows["size"][0] + abs(rows["x"][0])]}


def judge(rows: Rows) -> Made:
    """Whether the world is sound, as a number, and its flag."""
    sound = still_sound(rows["size"][0], rows["diverged"][0])
    return {"sound": [where(sound, 1.0, 0.0)], "diverged": [where(sound, 0.0, 1.0)]}


def keep(rows: Rows) -> Made:
    """The new value in a sound world, the kept one in another."""
    return {"x": [where(rows["sound"][0] > 0.5, rows["x"][0], rows["kept"][0])]}
