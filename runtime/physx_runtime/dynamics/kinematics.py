"""Forward kinematics: where every link is and how it moves (RBDA section 4.4, in world axes)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from physx_runtime.dynamics import spatial as sp
from physx_runtime.language.ops import Scalar
from physx_runtime.model.topology import PRISMATIC, REVOLUTE, SPHERICAL, TURNING, Topology

# The scalars of one row group, and all groups by name.
Row = Sequence[Scalar] | NDArray[Any]
Rows = Mapping[str, Row]


def triple(rows: Rows, name: str, i: int) -> sp.Vec3:
    """The i-th vector of a row."""
    x = rows[name][3 * i:3 * i + 3]
    return (x[0], x[1], x[2])


def quaternion(rows: Rows, name: str, i: int) -> sp.Quat:
    """The i-th quaternion of a row."""
    x = rows[name][4 * i:4 * i + 4]
    return (x[0], x[1], x[2], x[3])


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


def forward_kinematics(t: Topology, rows: Rows, q: Row, root_rotation: sp.Quat, balls: Row = ()) -> Kinematics:
    """Poses at the joint positions `q`; positions count from the root's anchor.

    balls: world rotations of the links with spherical joints, where they are known better than by `q`.
    """
    k = Kinematics([], [], [], [], [], [], [sp.ZERO3] * len(t.dofs))
    for i, link in enumerate(t.links):
        dofs = t.dofs_of(i)
        if link.parent < 0:
            rotation, d, position = root_rotation, sp.ZERO3, sp.ZERO3
        else:
            rotation = sp.mul_quat(k.rotation[link.parent], quaternion(rows, "tree_rotation", i))
            if link.kind == REVOLUTE:
                rotation = sp.turn_x(rotation, q[dofs[0]])
            if link.kind == SPHERICAL:
                rotation = (quaternion({"balls": balls}, "balls", t.balls.index(i)) if len(balls) else
                            sp.mul_quat(rotation, sp.exponential(joint_rotation(t, rows, q, i))))
            d = sp.mul_mv(k.R[link.parent], triple(rows, "tree_position", i))
            position = sp.ZERO3
        R = sp.matrix(rotation)
        axis = (R[0][0], R[1][0], R[2][0])
        for dof in dofs:
            own = (R[0][t.dofs[dof].axis], R[1][t.dofs[dof].axis], R[2][t.dofs[dof].axis])
            k.axes[dof] = sp.scale(-1.0, own) if link.flipped else own
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


def joint_rotation(t: Topology, rows: Rows, values: Row, link: int) -> sp.Vec3:
    """Rotation vector in F of a spherical joint's coordinates `values`, its locked axes from the row `locked`."""
    parts: list[Scalar] = [0.0, 0.0, 0.0]
    for dof in t.dofs_of(link):
        parts[t.dofs[dof].axis] = -values[dof] if t.links[link].flipped else values[dof]
    for i, (locked, axis) in enumerate(t.locked):
        if locked == link and "locked" in rows:
            parts[axis] = rows["locked"][i]
    return (parts[0], parts[1], parts[2])


def ball_coordinates(t: Topology, rows: Rows, k: Kinematics, q: Row) -> tuple[list[Scalar], list[Scalar]]:
    """q with the coordinates of spherical joints as the poses `k` have them, and the row `locked`."""
    out, locked = list(q), []
    for link in t.balls:
        unturned = sp.mul_quat(k.rotation[t.links[link].parent], quaternion(rows, "tree_rotation", link))
        parts = sp.rotation_vector(sp.mul_quat(sp.conjugate(unturned), k.rotation[link]))
        for dof in t.dofs_of(link):
            part = parts[t.dofs[dof].axis]
            out[dof] = -part if t.links[link].flipped else part
        locked += [parts[axis] for owner, axis in t.locked if owner == link]
    return out, locked


@dataclass(slots=True)
class Velocities:
    """Velocities of all links, and their accelerations at zero generalised acceleration; world axes."""

    w: list[sp.Vec3]            # angular velocity
    v_com: list[sp.Vec3]        # velocity of the centre of mass
    alpha: list[sp.Vec3]        # angular part of Jdot v
    a_com: list[sp.Vec3]        # Jdot v of the centre of mass


def link_velocities(t: Topology, k: Kinematics, v: Row) -> Velocities:
    """Velocities and velocity-product accelerations (RBDA eq. 4.15-4.17 with qdd = 0).

    v: root linear velocity at its centre of mass and angular velocity (floating base), then qd.
    """
    out = Velocities([], [], [], [])
    motions: list[Motion] = []
    for i, link in enumerate(t.links):
        if link.parent >= 0:
            rates = [(v[t.root_size + dof], k.axes[dof]) for dof in t.dofs_of(i)]
            motion = link_motion(link.kind in TURNING, rates, k.d[i], motions[link.parent])
        elif t.fixed_base:
            motion = Motion(sp.ZERO3, sp.ZERO3, sp.ZERO3, sp.ZERO3)
        else:
            motion = Motion((v[3], v[4], v[5]), sp.ZERO3, (v[0], v[1], v[2]), sp.ZERO3)
        motions.append(motion)
        out.w.append(motion.w)
        out.alpha.append(motion.alpha)
        v_com, a_com = motion.at(k.com[i])
        out.v_com.append(v_com)
        out.a_com.append(a_com)
    return out


def held_velocities(t: Topology, k: Kinematics, before: Row, after: Row, dt: Scalar) -> list[tuple[sp.Vec3, sp.Vec3]]:
    """Link velocities of a fixed base as PhysX holds them after a step, at mass centres, angular: J v + dt Jdot v0.

    k: poses of the step's start; before, after: generalised velocities at its start, v0, and its end, v. Measured, see
    docs/physx_semantics.md, link velocities.
    """
    first, last = link_velocities(t, k, before), link_velocities(t, k, after)
    return [(sp.add(v, sp.scale(dt, a)), sp.add(w, sp.scale(dt, alpha)))
            for v, w, a, alpha in zip(last.v_com, last.w, first.a_com, first.alpha, strict=True)]


@dataclass(slots=True)
class Motion:
    """Of one link at its anchor: velocities, and accelerations at zero generalised acceleration."""

    w: sp.Vec3
    alpha: sp.Vec3
    v: sp.Vec3
    a: sp.Vec3

    def at(self, offset: sp.Vec3) -> tuple[sp.Vec3, sp.Vec3]:
        """Velocity and acceleration of the point at `offset` from the anchor."""
        spin = sp.cross(self.w, offset)
        return sp.add(self.v, spin), sp.add(sp.add(self.a, sp.cross(self.alpha, offset)), sp.cross(self.w, spin))


def link_motion(turning: bool, rates: Sequence[tuple[Scalar, sp.Vec3]], d: sp.Vec3, parent: Motion) -> Motion:
    """A link's motion from its parent's and its joint's rates along their axes (RBDA eq. 4.15-4.17)."""
    w, alpha = parent.w, parent.alpha
    u, a = parent.at(d)
    joint_v = sp.ZERO3
    for rate, axis in rates:
        joint_v = sp.add(joint_v, sp.scale(rate, axis))
    if not rates:
        return Motion(w, alpha, u, a)
    if turning:
        return Motion(sp.add(w, joint_v), sp.add(alpha, sp.cross(w, joint_v)), u, a)
    return Motion(w, alpha, sp.add(u, joint_v), sp.add(a, sp.scale(2.0, sp.cross(w, joint_v))))


def com_jacobian(t: Topology, k: Kinematics, link: int) -> dict[int, sp.Vec3]:
    """Columns of d(velocity of the link's centre of mass)/dv, by generalised velocity; zero columns left out."""
    return point_jacobian(t, k, link, k.com[link])


def point_jacobian(t: Topology, k: Kinematics, link: int, offset: sp.Vec3) -> dict[int, sp.Vec3]:
    """Columns of d(velocity of a point)/dv; `offset` leads from the link's anchor to the point, in world axes."""
    columns: dict[int, sp.Vec3] = {}
    r, i = offset, link
    while t.links[i].parent >= 0:
        for dof in t.dofs_of(i):
            columns[t.root_size + dof] = sp.cross(k.axes[dof], r) if t.links[i].kind in TURNING else k.axes[dof]
        r, i = sp.add(r, k.d[i]), t.links[i].parent
    if not t.fixed_base:
        for axis, e in enumerate(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))):
            columns[axis] = e
            columns[3 + axis] = sp.cross(e, r)
    return columns


def angular_jacobian(t: Topology, k: Kinematics, link: int) -> dict[int, sp.Vec3]:
    """Columns of d(angular velocity of a link)/dv, by generalised velocity; zero columns left out."""
    columns: dict[int, sp.Vec3] = {}
    for i in t.path(link):
        if t.links[i].kind in TURNING:
            columns |= {t.root_size + dof: k.axes[dof] for dof in t.dofs_of(i)}
    if not t.fixed_base:
        columns |= {3: (1.0, 0.0, 0.0), 4: (0.0, 1.0, 0.0), 5: (0.0, 0.0, 1.0)}
    return columns
