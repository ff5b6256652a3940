"""Forward kinematics: poses and velocities of links.

Forward kinematics: where every link is and how it moves (RBDA section 4.4, in world axes).

Where links are and how they move, from rows of a state: poses of link frames, velocities of centres of mass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.spatial import NO_MOTION, Motion, linear_first, motion_of, quaternion, triple
from physx_runtime.language.ops import Rows, Scalar, Scalars
from physx_runtime.model.topology import PRISMATIC, REVOLUTE, ROTARY_JOINTS, SPHERICAL, Topology


@dataclass(slots=True)
class Kinematics:
    """Poses of all links in world axes; a list entry per link."""

    rotation: list[sp.Quat]     # of F
    R: list[sp.Mat3]            # the same as a matrix
    axis: list[sp.Vec3]         # x of F: the axis of a joint that has one
    d: list[sp.Vec3]            # from the parent's anchor to this anchor
    com: list[sp.Vec3]          # from the anchor to the centre of mass
    position: list[sp.Vec3]     # anchor, from the root's anchor
    axes: list[sp.Vec3]         # per dof: what it turns about or slides along


def forward_kinematics(t: Topology, rows: Rows, q: Scalars, root_rotation: sp.Quat,
                       spherical: Scalars = ()) -> Kinematics:
    """Poses at the joint positions `q`; positions count from the root's anchor.

    balls: world rotations of the links with spherical joints, where they are known better than by `q`.
    """
    k = Kinematics([], [], [], [], [], [], [sp.ZERO3] * len(t.dofs))
    for i, link in enumerate(t.links):
        dofs = t.dofs_of(i)
        if link.parent < 0:
            rotation, d, position = root_rotation, sp.ZERO3, sp.ZERO3
        else:
            # R_i = R_parent R_tree exp(S q), d = R_parent r_tree + q axis
            rotation = sp.mul_quat(k.rotation[link.parent], quaternion(rows, "tree_rotation", i))
            if link.kind == REVOLUTE:
                rotation = sp.rotate_x(rotation, q[dofs[0]])
            if link.kind == SPHERICAL:
                rotation = (quaternion({"balls": spherical}, "balls", t.spherical_links.index(i)) if len(spherical) else
                            sp.mul_quat(rotation, sp.exponential(joint_rotation(t, rows, q, i))))
            d = sp.mul_mv(k.R[link.parent], triple(rows, "tree_position", i))
            position = sp.ZERO3
        R = sp.matrix(rotation)
        axis = (R[0][0], R[1][0], R[2][0])
        for dof in dofs:
            direction = (R[0][t.dofs[dof].axis], R[1][t.dofs[dof].axis], R[2][t.dofs[dof].axis])
            k.axes[dof] = sp.scale(-1.0, direction) if link.flipped else direction
        if link.kind == PRISMATIC:
            d = sp.add(d, sp.scale(q[dofs[0]], axis))
        if link.parent >= 0:
            position = sp.add(k.position[link.parent], d)
        k.rotation.append(rotation)
        k.R.append(R)
        k.axis.append(axis)
        k.d.append(d)
        k.com.append(sp.mul_mv(R, triple(rows, "com", i)))
        k.position.append(position)
    return k


def state_kinematics(t: Topology, rows: Rows, spherical: Scalars = ()) -> Kinematics:
    """Poses at the state in rows."""
    return forward_kinematics(t, rows, rows["q"], sp.normalized(quaternion(rows, "root_rotation", 0)), spherical)


def motion_subspace(t: Topology, k: Kinematics, dof: int) -> Motion:
    """S of one dof (RBDA table 4.1): its axis as an angular or as a linear velocity."""
    return subspace(t.kind_of(dof) in ROTARY_JOINTS, k.axes[dof])


def subspace(rotary: bool, axis: sp.Vec3) -> Motion:
    """S of a joint of one degree of freedom that turns about an axis or slides along it."""
    return Motion(axis, sp.ZERO3) if rotary else Motion(sp.ZERO3, axis)


def joint_rotation(t: Topology, rows: Rows, values: Scalars, link: int) -> sp.Vec3:
    """Rotation vector in F of a spherical joint's coordinates `values`, its locked axes from the row `locked`."""
    vector: list[Scalar] = [0.0, 0.0, 0.0]
    for dof in t.dofs_of(link):
        vector[t.dofs[dof].axis] = -values[dof] if t.links[link].flipped else values[dof]
    for i, (locked, axis) in enumerate(t.locked):
        if locked == link and "locked" in rows:
            vector[axis] = rows["locked"][i]
    return (vector[0], vector[1], vector[2])


def spherical_positions(t: Topology, rows: Rows, k: Kinematics, q: Scalars) -> tuple[list[Scalar], list[Scalar]]:
    """q with the coordinates of spherical joints as the poses `k` have them, and the row `locked`."""
    out, locked = list(q), []
    for link in t.spherical_links:
        # q = log(conj(R_parent R_tree) R_child)  (DyFeatherstoneForwardDynamic.cpp, computeSphericalJointPositions)
        zero_rotation = sp.mul_quat(k.rotation[t.links[link].parent], quaternion(rows, "tree_rotation", link))
        vector = sp.rotation_vector(sp.mul_quat(sp.conjugate(zero_rotation), k.rotation[link]))
        for dof in t.dofs_of(link):
            coordinate = vector[t.dofs[dof].axis]
            out[dof] = -coordinate if t.links[link].flipped else coordinate
        locked += [vector[axis] for owner, axis in t.locked if owner == link]
    return out, locked


@dataclass(slots=True)
class LinkMotion:
    """Of one link at one of its points: its velocity, and its acceleration at zero generalised acceleration, Jdot v."""

    velocity: Motion
    acceleration: Motion

    def at(self, offset: sp.Vec3) -> LinkMotion:
        """The same of the point at `offset`: v + w x r, a + alpha x r + w x (w x r)."""
        w, v = self.velocity.angular, self.velocity.linear
        alpha, a = self.acceleration.angular, self.acceleration.linear
        spin = sp.cross(w, offset)
        return LinkMotion(Motion(w, sp.add(v, spin)),
                          Motion(alpha, sp.add(sp.add(a, sp.cross(alpha, offset)), sp.cross(w, spin))))


AT_REST = LinkMotion(NO_MOTION, NO_MOTION)


def link_motions(t: Topology, k: Kinematics, v: Scalars) -> list[LinkMotion]:
    """Velocities and velocity-product accelerations of all links at their centres of mass.

    The forward pass of RBDA table 5.1 with qdd = 0.
    v: root linear velocity at its centre of mass and angular velocity (floating base), then qd.
    """
    out: list[LinkMotion] = []
    anchors: list[LinkMotion] = []
    for i, link in enumerate(t.links):
        if link.parent >= 0:
            # v_i = v_parent + S qd, a_i = a_parent + Sdot qd  (DyFeatherstoneArticulation.cpp, computeLinkVelocities)
            rates = [(motion_subspace(t, k, dof), v[t.root_size + dof]) for dof in t.dofs_of(i)]
            motion = propagate_motion(anchors[link.parent].at(k.d[i]), rates)
        else:
            motion = AT_REST if t.fixed_base else LinkMotion(motion_of(v), NO_MOTION)
        anchors.append(motion)
        out.append(motion.at(k.com[i]))
    return out


def propagate_motion(parent: LinkMotion, rates: Sequence[tuple[Motion, Scalar]]) -> LinkMotion:
    """A link's motion at its anchor from its parent's there and its joint's rates, (S, qd) each.

    v_i = v_p + S qd, a_i = a_p + Sdot qd: S turns with the parent, and what slides along it does so once more.
    """
    if not rates:
        return parent
    joint_v = NO_MOTION
    for S, rate in rates:
        joint_v = joint_v + S * rate
    # Sdot qd = [w x S_w qd; 2 w x S_v qd]: a sliding joint has the Coriolis acceleration twice
    w = parent.velocity.angular
    velocity_product = Motion(sp.cross(w, joint_v.angular), sp.scale(2.0, sp.cross(w, joint_v.linear)))
    return LinkMotion(parent.velocity + joint_v, parent.acceleration + velocity_product)


def link_poses(t: Topology, rows: Rows, k: Kinematics) -> list[list[Scalar]]:
    """Position and quaternion (x y z w) of every link's frame in the world.

    rows: with `link_frames`, position and quaternion of every link's frame in its F.
    """
    root, poses = triple(rows, "root_position", 0), []
    for i in range(len(t.links)):
        x = rows["link_frames"][7 * i:7 * i + 7]
        anchor = sp.add(root, k.position[i])
        poses.append([*sp.add(anchor, sp.mul_mv(k.R[i], (x[0], x[1], x[2]))),
                      *sp.mul_quat(k.rotation[i], (x[3], x[4], x[5], x[6]))])
    return poses


def link_velocities(t: Topology, k: Kinematics, v: Scalars) -> list[list[Scalar]]:
    """Linear velocity of every link's centre of mass, and its angular velocity, world axes; v: generalised velocity."""
    return [linear_first(motion.velocity) for motion in link_motions(t, k, v)]
