"""Fragments of one link: poses, velocities, forces, inertias and joint loads.

`pose`, `move_link` and `coordinates` are forward kinematics. `link_forces`, `bias_wrench` and `joint_load` are
wrenches about a link's anchor. `vec`, `quat`, `inertia_of` and others convert operands to quantities and back. Every
fragment maps operands (name -> scalars) to the operands that it makes or changes. `joint` is a topology of two links,
the parent and the link itself (`tree.joint_topologies`).
"""

from __future__ import annotations

from collections.abc import Sequence

from physx_runtime.dynamics import rounded
from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.aba import ArticulatedInertia, LinkResponse
from physx_runtime.dynamics.inertia import RigidInertia, central_force, central_inertia, link_inertia
from physx_runtime.dynamics.kinematics import (
    AT_REST,
    Kinematics,
    LinkMotion,
    forward_kinematics,
    propagate_motion,
    spherical_positions,
    subspace,
)
from physx_runtime.dynamics.rnea import inertial_force
from physx_runtime.dynamics.spatial import NO_MOTION, Motion, force_of, linear_first, motion_of
from physx_runtime.language.ops import Rows, Scalar, plain, unfused
from physx_runtime.model.topology import ROTARY_JOINTS, Topology
from physx_runtime.solver.articulation.step import load_size
from physx_runtime.solver.articulation.velocity import damping_force, link_weight
from physx_runtime.solver.response import external_forces
from physx_runtime.solver.scheduled.tree import SINGLE_LINK

Operands = dict[str, list[Scalar]]


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


def flat(x: ArticulatedInertia | LinkResponse) -> list[Scalar]:
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


def link_motion(x: Sequence[Scalar]) -> LinkMotion:
    """Twelve scalars."""
    return LinkMotion(Motion(vec(x, 0), vec(x, 2)), Motion(vec(x, 1), vec(x, 3)))


def central_velocity(rows: Operands) -> Motion:
    """A link's velocity at its centre of mass."""
    return Motion(vec(rows["motion"], 0), vec(rows["v_com"]))


def central_acceleration(rows: Operands, prefix: str = "") -> Motion:
    """A link's velocity-product acceleration at its centre of mass."""
    return Motion(vec(rows[f"{prefix}motion"], 1), vec(rows[f"{prefix}a_com"]))


def normalize(rows: Operands) -> Rows:
    """A quaternion of length one, to the bit that of PhysX in float32 (PxQuat::getNormalized)."""
    return {"rotation": plain(rounded.normalize(unfused(rows["rotation"])))}


def rotate_axes(rows: Operands) -> Rows:
    """World rotation of the root's principal axes."""
    return {"axes_rotation": sp.mul_quat(quat(rows["rotation"]), quat(rows["axes"]))}


def pose_root(rows: Operands) -> Rows:
    """Pose of the root."""
    # R, c of the root
    k = forward_kinematics(SINGLE_LINK, rows, [], quat(rows["rotation"]))
    return {"R": [x for row in k.R[0] for x in row], "center": k.com[0]}


def pose(rows: Operands, joint: Topology) -> Rows:
    """Pose of a link from its parent's; the row "ball" is the rotation of a link with a spherical joint."""
    padded = {name: [0.0] * (len(rows[name])) + rows[name] for name in ("tree_rotation", "tree_position", "com")}
    padded |= {name: rows[name] for name in ("locked",) if name in rows}
    # R_i, d_i, c_i from the parent's  (DyFeatherstoneForwardDynamic.cpp, propagateLinksDown)
    k = forward_kinematics(joint, padded, rows.get("q", []), quat(rows["parent_rotation"]), rows.get("ball", ()))
    return {"rotation": k.rotation[1], "R": [x for row in k.R[1] for x in row], "d": k.d[1], "center": k.com[1],
            "position": sp.add(vec(rows["parent_position"]), k.d[1]), "axes": [x for axis in k.axes for x in axis]}


def coordinates(rows: Operands, joint: Topology) -> Rows:
    """Coordinates of a spherical joint from the poses of its links."""
    # q = log(conj(R_parent R_tree) R)  (DyFeatherstoneForwardDynamic.cpp, computeSphericalJointPositions)
    k = Kinematics([quat(rows["parent_rotation"]), quat(rows["rotation"])], [], [], [], [], [], [])
    q, locked = spherical_positions(joint, {"tree_rotation": [0.0] * 4 + rows["tree_rotation"]}, k,
                                    [0.0] * len(joint.dofs))
    return {"q": q, "locked": locked}


def move_link(rows: Operands, joint: Topology) -> Rows:
    """Velocities of a link from its parent's."""
    rotary = joint.links[1].kind in ROTARY_JOINTS
    rates = [(subspace(rotary, vec(rows["axes"], i)), rate) for i, rate in enumerate(rows.get("rates", []))]
    # v_i = v_parent + S qd, a_i = a_parent + Sdot qd  (DyFeatherstoneArticulation.cpp, computeLinkVelocities)
    motion = propagate_motion(link_motion(rows["parent_motion"]).at(vec(rows["d"])), rates)
    return _centered(motion, vec(rows["center"]))


def root_motion(rows: Operands, fixed_base: bool, angular_only: bool) -> Rows:
    """Velocities of the root."""
    v = [0.0] * 3 + rows["v"][3:6] if angular_only else rows.get("v", ())
    return _centered(AT_REST if fixed_base else LinkMotion(motion_of(v), NO_MOTION), vec(rows["center"]))


def _centered(motion: LinkMotion, center: sp.Vec3) -> Rows:
    # v_c = v + w x c, a_c = a + alpha x c + w x (w x c)
    v, a, at_center = motion.velocity, motion.acceleration, motion.at(center)
    return {"motion": [*v.angular, *a.angular, *v.linear, *a.linear], "v_com": at_center.velocity.linear,
            "a_com": at_center.acceleration.linear}


def bias_wrench(rows: Operands, single: Topology) -> Rows:
    """The wrench of a link at zero generalised acceleration, less external forces; single: a topology of this link."""
    center, motion = vec(rows["center"]), LinkMotion(central_velocity(rows), central_acceleration(rows))
    k = Kinematics([], [rotation_matrix(rows["R"])], [], [], [center], [], [])
    # f = I a + v x* I v - f_ext - f_drag, about the anchor
    inertia = central_inertia(single, rows, k, 0)
    inertial, drag = inertial_force(rows["mass"][0], inertia, motion), damping_force(rows, 0, inertia, motion.velocity)
    external = external_forces(single, rows, k, [link_weight(rows, 0)])[0]
    return {"bias_force": linear_first((inertial - external - drag).about(center))}


def add_acceleration(rows: Operands) -> Rows:
    """The wrench at the free acceleration; gravity: of a floating robot, which falls with all its links."""
    center, free = vec(rows["center"]), motion_of(rows["free"])
    if "gravity" in rows:
        free = free + Motion(sp.ZERO3, vec(rows["gravity"]))
    # f += I a_free
    inertial = central_force(rows["mass"][0], sym(rows["world_inertia"]), free.at(center))
    return {"bias_force": linear_first(force_of(rows["bias_force"]) + inertial.about(center))}


def joint_load(rows: Operands) -> Rows:
    """The size of the load of a joint, from the wrench of its link and all its descendants."""
    return {"load": [load_size(force_of(rows["bias_force"]).at(vec(rows["center"])))]}


def link_forces(rows: Operands, single: Topology) -> Rows:
    """Wrenches on a link about its anchor (weight and external forces, damping, velocity products), and its inertias.

    single: a topology of this link, with the fixed base of the whole tree; a floating one also has rows of momentum.
    """
    center, motion = vec(rows["center"]), LinkMotion(central_velocity(rows), central_acceleration(rows))
    k = Kinematics([], [rotation_matrix(rows["R"])], [], [], [center], [], [])
    inertia, rigid = central_inertia(single, rows, k, 0), link_inertia(single, rows, k, 0)
    # f_weight, f_drag, v x* I v about the anchor  (DyFeatherstoneArticulation.cpp, computeLinkStates)
    weight = link_weight(rows, 0, 0.0 if single.fixed_base else 1.0)
    forces = {"weight": external_forces(single, rows, k, [weight])[0],
              "drag": damping_force(rows, 0, inertia, motion.velocity),
              "fall": inertial_force(rows["mass"][0], inertia, motion)}
    if not single.fixed_base:
        forces["velocity_bias"] = central_force(rows["mass"][0], inertia, motion.acceleration)
    out = {name: linear_first(force.about(center)) for name, force in forces.items()}
    out |= {"link_inertia": flat(ArticulatedInertia.of(rigid)), "world_inertia": [*inertia]}
    return out if single.fixed_base else out | {"composite": flat_rigid(rigid)}
