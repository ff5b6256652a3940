"""The bodies of one link or joint that the generic path is made of: the step's own equations on run-time rows.

Every function maps operands (name -> scalars) to the operands it makes or changes. `joint` is a topology of two links,
the parent and the link itself (`tree.joint_topologies`). `grounded`: the parent never moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from physx_runtime.dynamics import articulated as ab
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.articulated import NO_RESPONSE, ArticulatedInertia, Response
from physx_runtime.dynamics.inertia import RigidInertia, central_force, central_inertia, link_inertia
from physx_runtime.dynamics.kinematics import (
    AT_REST,
    Kinematics,
    LinkMotion,
    ball_coordinates,
    forward_kinematics,
    moved_by_joint,
    subspace,
)
from physx_runtime.dynamics.rnea import inertial_force
from physx_runtime.dynamics.spatial import NO_FORCE, NO_MOTION, Motion, force_of, linear_first, motion_of
from physx_runtime.language.ops import Scalar
from physx_runtime.model.topology import ROOT, ROTARY_JOINTS, LinkTopology, Topology
from physx_runtime.solver.articulation.damping import damping_force
from physx_runtime.solver.articulation.free_velocity import link_weight
from physx_runtime.solver.by_joint.tree import RIGID, ROTARY
from physx_runtime.solver.constraints.softening import softening
from physx_runtime.solver.link_forces import external_forces

Rows = dict[str, list[Scalar]]
Made = Mapping[str, Sequence[Any]]

SINGLE_LINK = Topology(True, True, (LinkTopology(-1, ROOT),), ())


def vec(x: Sequence[Scalar], i: int = 0) -> sp.Vec3:
    """The i-th vector of a list."""
    return (x[3 * i], x[3 * i + 1], x[3 * i + 2])


def quat(x: Sequence[Scalar]) -> sp.Quat:
    """Four scalars."""
    return (x[0], x[1], x[2], x[3])


def sym(x: Sequence[Scalar]) -> sp.Sym3:
    """Six scalars."""
    return (x[0], x[1], x[2], x[3], x[4], x[5])


def inertia_of(x: Sequence[Scalar]) -> ArticulatedInertia:
    """21 scalars."""
    return ArticulatedInertia(sym(x[15:21]), (vec(x, 2), vec(x, 3), vec(x, 4)), sym(x[0:6]))


def response_of(x: Sequence[Scalar]) -> Response:
    """21 scalars."""
    return Response(sym(x[15:21]), (vec(x, 2), vec(x, 3), vec(x, 4)), sym(x[0:6]))


def flat(x: ArticulatedInertia | Response) -> list[Scalar]:
    """Its 21 scalars."""
    return [*x.linear, *x.cross[0], *x.cross[1], *x.cross[2], *x.angular]


def rigid_of(x: Sequence[Scalar]) -> RigidInertia:
    """Ten scalars."""
    return RigidInertia(x[0], vec(x[1:4]), sym(x[4:10]))


def flat_rigid(x: RigidInertia) -> list[Scalar]:
    """Its ten scalars."""
    return [x.mass, *x.moment, *x.rotational]


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
    k = forward_kinematics(SINGLE_LINK, rows, [], quat(rows["rotation"]))
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


def link_motion(x: Sequence[Scalar]) -> LinkMotion:
    """Twelve scalars."""
    return LinkMotion(Motion(vec(x, 0), vec(x, 2)), Motion(vec(x, 1), vec(x, 3)))


def move(rows: Rows, joint: Topology) -> Made:
    """Velocities of a link from its parent's."""
    turning = joint.links[1].kind in ROTARY_JOINTS
    rates = [(subspace(turning, vec(rows["axes"], i)), rate) for i, rate in enumerate(rows.get("rates", []))]
    motion = moved_by_joint(link_motion(rows["parent_motion"]).at(vec(rows["d"])), rates)
    return _centered(motion, vec(rows["center"]))


def move_start(rows: Rows, grounded: bool, turning_only: bool) -> Made:
    """Velocities of the root."""
    v = [0.0] * 3 + rows["v"][3:6] if turning_only else rows.get("v", ())
    return _centered(AT_REST if grounded else LinkMotion(motion_of(v), NO_MOTION), vec(rows["center"]))


def _centered(motion: LinkMotion, center: sp.Vec3) -> Made:
    v, a, at_center = motion.velocity, motion.acceleration, motion.at(center)
    return {"motion": [*v.angular, *a.angular, *v.linear, *a.linear], "v_com": at_center.velocity.linear,
            "a_com": at_center.acceleration.linear}


def central_velocity(rows: Rows) -> Motion:
    """A link's velocity at its centre of mass."""
    return Motion(vec(rows["motion"], 0), vec(rows["v_com"]))


def central_acceleration(rows: Rows, prefix: str = "") -> Motion:
    """A link's velocity-product acceleration at its centre of mass."""
    return Motion(vec(rows[f"{prefix}motion"], 1), vec(rows[f"{prefix}a_com"]))


# --- forces and inertias of one link -------------------------------------------------------------------------------

def link_forces(rows: Rows, alone: Topology) -> Made:
    """Wrenches on a link about its anchor (weight and pushes, damping, velocity products), and its inertias.

    alone: a topology of this link, fixed where the whole tree is; of a floating one also what its momentum is made of.
    """
    center, motion = vec(rows["center"]), LinkMotion(central_velocity(rows), central_acceleration(rows))
    k = Kinematics([], [rotation_matrix(rows["R"])], [], [], [center], [], [])
    inertia, body = central_inertia(alone, rows, k, 0), link_inertia(alone, rows, k, 0)
    weight = link_weight(rows, 0, 0.0 if alone.fixed_base else 1.0)
    forces = {"weight": external_forces(alone, rows, k, [weight])[0],
              "drag": damping_force(rows, 0, inertia, motion.velocity),
              "fall": inertial_force(rows["mass"][0], inertia, motion)}
    if not alone.fixed_base:
        forces["carried"] = central_force(rows["mass"][0], inertia, motion.acceleration)
    made = {name: linear_first(force.about(center)) for name, force in forces.items()}
    made |= {"own_inertia": flat(ArticulatedInertia.of(body)), "world_inertia": [*inertia]}
    return made if alone.fixed_base else made | {"composite": flat_rigid(body)}


def eliminate(rows: Rows, kind: str, fresh: bool, grounded: bool) -> Made:
    """A node's K and 1/D; its articulated inertia goes to its parent, as the first where `fresh`."""
    inertia, made = inertia_of(rows["inertia"]), {}
    if kind != RIGID:
        S = subspace(kind == ROTARY, vec(rows["axis"]))
        inertia, K, inverse_d = ab.eliminated(inertia, S, rows["armature"][0])
        made = {"K": linear_first(K), "inverse_d": [inverse_d]}
    if grounded:
        return made
    moved = inertia.about(vec(rows["d"])) if "d" in rows else inertia
    return made | {"parent": flat(moved if fresh else inertia_of(rows["parent"]) + moved)}


def respond_root(rows: Rows) -> Made:
    """A floating root's response, in place of its articulated inertia."""
    return {"response": flat(ab.free_response(inertia_of(rows["response"])))}


def respond(rows: Rows, kind: str, grounded: bool) -> Made:
    """A node's response to wrenches, y and r, from its parent's response."""
    T = NO_RESPONSE if grounded else response_of(rows["parent"])
    T = T.at(vec(rows["d"])) if "d" in rows else T
    if kind == RIGID:
        return {"response": flat(T)}
    S = subspace(kind == ROTARY, vec(rows["axis"]))
    response, y, r = ab.answered(T, S, force_of(rows["K"]), rows["inverse_d"][0])
    return {"response": flat(response), "y": linear_first(y), "r": [r]}


def soften(rows: Rows) -> Made:
    """cfm of a link."""
    at_center = response_of(rows["response"]).at(vec(rows["center"])).linear
    return {"cfm": [softening(rows, 0, (at_center[0], at_center[1], at_center[2]))]}


# --- impulses ------------------------------------------------------------------------------------------------------

def pass_up(rows: Rows, kind: str, empty: bool, fresh: bool, grounded: bool) -> Made:
    """A node's wrench to its parent, as the first where `fresh`; nothing hangs below where `empty`.

    With the row "parent_response" the parent's twist answers at once, for the branches still to come.
    """
    P = NO_FORCE if empty else force_of(rows["P"])
    made: dict[str, Sequence[Any]] = {}
    if kind != RIGID:
        S = subspace(kind == ROTARY, vec(rows["axis"]))
        u, P = ab.passed_up(P, S, force_of(rows["K"]), rows.get("F", [0.0])[0])
        made["u"] = [u]
    if grounded:
        return made
    P = P.about(vec(rows["d"])) if "d" in rows else P
    if "parent_response" in rows:
        answer = response_of(rows["parent_response"]).motion(P)
        made["parent_twist"] = linear_first(motion_of(rows["parent_twist"]) + answer)
    return made | {"parent_P": linear_first(P if fresh else force_of(rows["parent_P"]) + P)}


def parent_twist(rows: Rows, grounded: bool) -> Motion:
    """Motion of a node's parent at the node's anchor."""
    if grounded:
        return NO_MOTION
    twist = motion_of(rows["parent_twist"])
    return twist.at(vec(rows["d"])) if "d" in rows else twist


def pass_down(rows: Rows, kind: str, grounded: bool) -> Made:
    """A node's change of velocity and its link's twist from its parent's twist."""
    a = parent_twist(rows, grounded)
    if kind == RIGID:
        return {"twist": linear_first(a)}
    rate = rows["inverse_d"][0] * rows["u"][0] - force_of(rows["K"]).dot(a)
    S = subspace(kind == ROTARY, vec(rows["axis"]))
    return {"rate": [rate], "twist": linear_first(a + S * rate)}


def answer_root(rows: Rows) -> Made:
    """A floating root's twist from the wrench on it."""
    return {"twist": linear_first(response_of(rows["response"]).motion(force_of(rows["P"])))}


def project(rows: Rows, kind: str, grounded: bool) -> Made:
    """Generalised force of a node's wrench, which moves on to its parent (RBDA table 5.1)."""
    P, made = force_of(rows["P"]), {}
    if kind != RIGID:
        made = {"tau": [P.dot(subspace(kind == ROTARY, vec(rows["axis"])))]}
    if grounded:
        return made
    P = P.about(vec(rows["d"])) if "d" in rows else P
    return made | {"parent_P": linear_first(force_of(rows["parent_P"]) + P)}
