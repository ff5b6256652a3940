"""Forces of inbound joints as PhysX reports them (linkIncomingJointForce), from accelerations of a step and applied
forces. `applied_forces`, `transmitted_forces` and `joint_forces` are called in this order (inverse dynamics, RBDA table
5.1). PhysX sums the impulses that its solver passes up the tree (copyInternalStateToCache) and omits some of them.
Efforts and fixed tendons at links further from the root are omitted. It is measured: docs/reference/direct_api.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.aba import ArticulatedInertia, eliminate, propagate_impulse
from physx_runtime.dynamics.inertia import central_inertia, link_inertia
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion, motion_subspace, state_kinematics
from physx_runtime.dynamics.rnea import inertial_force
from physx_runtime.dynamics.spatial import NO_FORCE, Force, Motion, quaternion, triple
from physx_runtime.language.ops import Rows, Scalar, Scalars, where
from physx_runtime.model.topology import Topology
from physx_runtime.solver.articulation.velocity import damping_forces, link_weight
from physx_runtime.solver.constraints.fixed_tendon import axis_links, axis_pull, root_axis_pull
from physx_runtime.solver.constraints.spatial_tendon import attachment_points, segment_direction
from physx_runtime.solver.response import external_forces


def applied_forces(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion]) -> list[Force]:
    """Forces on every link, about its anchor, other than joint forces: weight, damping, link forces, tendons.

    motions: those before the step.
    """
    weights = external_forces(t, rows, k, [link_weight(rows, i) for i in range(len(t.links))])
    drags = damping_forces(t, rows, k, motions)
    pull_sums = [NO_FORCE for _ in t.links]
    if t.tendon_impulses:
        for tendon_forces in (*(_spatial_tendon_forces(t, rows, k, i) for i in range(len(t.spatial_tendons))),
                              *(_fixed_tendon_forces(t, rows, k, i).link_forces for i in range(len(t.fixed_tendons)))):
            for link, force in tendon_forces:
                pull_sums[link] = pull_sums[link] + force
    return [(weight + drag).about(k.com[i]) + force
            for i, (weight, drag, force) in enumerate(zip(weights, drags, pull_sums, strict=True))]


def transmitted_forces(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion],
                       applied: Sequence[Force]) -> list[Force]:
    """Forces that accelerate every link and its descendants, minus the applied ones.

    motions: velocities before the step, accelerations of the step. About the link's anchor (RBDA table 5.1).
    """
    f = []
    for i, applied_force in enumerate(applied):
        inertial = inertial_force(rows["mass"][i], central_inertia(t, rows, k, i), motions[i])
        f.append(inertial.about(k.com[i]) + applied_force * -1.0)
    return _accumulated_to_root(t, k, f)


def _accumulated_to_root(t: Topology, k: Kinematics, forces: Sequence[Force]) -> list[Force]:
    f = list(forces)
    for i in range(len(t.links) - 1, 0, -1):
        parent = t.links[i].parent
        f[parent] = f[parent] + f[i].about(k.d[i])
    return f


def joint_forces(t: Topology, rows: Rows, k: Kinematics, transmitted: Sequence[Force]) -> list[Scalar]:
    """Force and torque of every inbound joint on its link as PhysX reports them; 0 for the root.

    PhysX takes the wrench of the step's start about the joint and into its child frame as they are at the end. Of a
    joint whose first body is the child it gives the force on the parent. transmitted: as of `transmitted_forces`.
    """
    after = state_kinematics(t, rows)
    out: list[Scalar] = [0.0] * 6
    unreported = _unreported_forces(t, rows, k)
    for i in range(1, len(t.links)):
        parent, reverse = t.links[i].parent, rows["reversed"][i] > 0.5
        force = (transmitted[i] + unreported[i]).about(sp.sub(after.com[i], k.com[i]))
        displacement = sp.sub(after.d[i], sp.mul_mv(after.R[parent], triple(rows, "tree_position", i)))
        opposite = force.about(displacement) * -1.0
        child_rotation = sp.mul_quat(quaternion(rows, "joint_frames", i), sp.conjugate(after.rotation[i]))
        parent_rotation = sp.mul_quat(quaternion(rows, "joint_frames", i), sp.conjugate(after.rotation[parent]))
        for on_child, on_parent in ((force.linear, opposite.linear), (force.angular, opposite.angular)):
            out += [where(reverse, y, x)
                    for x,
                    y in zip(sp.rotate(child_rotation, on_child), sp.rotate(parent_rotation, on_parent), strict=True)]
    return out


# --- what PhysX does not book ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _JointTransmission:
    """Propagation of impulses through a joint to the parent: axes and K of its degrees of freedom."""

    axes: list[tuple[int, Motion, Force]]

    def transmit(self, force: Force, efforts: Scalars | None = None) -> Force:
        """The force on the parent from a force on the link and efforts at the joint."""
        for dof, S, K in self.axes:
            _, force = propagate_impulse(force, S, K, 0.0 if efforts is None else efforts[dof])
        return force


def _joint_transmissions(t: Topology, rows: Rows, k: Kinematics) -> list[_JointTransmission]:
    """The impulse propagation of every joint."""
    inertia = [ArticulatedInertia.of(link_inertia(t, rows, k, i)) for i in range(len(t.links))]
    joints = [_JointTransmission([]) for _ in t.links]
    for i in range(len(t.links) - 1, 0, -1):
        apparent = inertia[i]
        for dof in t.dofs_of(i):
            S = motion_subspace(t, k, dof)
            apparent, K, _ = eliminate(apparent, S, rows["armature"][dof])
            joints[i].axes.append((dof, S, K))
        parent = t.links[i].parent
        inertia[parent] = inertia[parent] + apparent.about(k.d[i])
    return joints


def _unreported_forces(t: Topology, rows: Rows, k: Kinematics) -> list[Force]:
    """The force on every link, about its anchor, that PhysX counts as a joint force."""
    unreported = [NO_FORCE for _ in t.links]
    joints = _joint_transmissions(t, rows, k)
    if t.forces_every_iteration:
        transmitted = [NO_FORCE for _ in t.links]
        for i in range(len(t.links) - 1, 0, -1):
            unreported[i] = transmitted[i]
            parent = t.links[i].parent
            transmitted[parent] = transmitted[parent] + joints[i].transmit(transmitted[i],
                                                                           rows["joint_effort"]).about(k.d[i])
    for tendon in range(len(t.fixed_tendons) if t.tendon_impulses else 0):
        for i, force in _unreported_tendon_forces(t, rows, k, joints, tendon):
            unreported[i] = unreported[i] + force
    return unreported


def _unreported_tendon_forces(t: Topology, rows: Rows, k: Kinematics, joints: Sequence[_JointTransmission],
                              tendon: int) -> list[tuple[int, Force]]:
    """Of a fixed tendon: each axis' force on its link, and the forces on links from the tendon's base to the root."""
    tendon_forces = _fixed_tendon_forces(t, rows, k, tendon)
    transmitted = [NO_FORCE for _ in t.links]
    out = []
    for i in range(len(t.links) - 1, 0, -1):
        axis_pull, transmitted_force = tendon_forces.axis_forces.get(i), transmitted[i]
        if i == tendon_forces.base:
            transmitted_force = transmitted_force + tendon_forces.reaction
        if axis_pull is not None:
            out.append((i, axis_pull))
            transmitted_force = transmitted_force + axis_pull
        elif i in tendon_forces.ancestors:
            out.append((i, transmitted_force))
        parent = t.links[i].parent
        transmitted[parent] = transmitted[parent] + joints[i].transmit(transmitted_force).about(k.d[i])
    return out


# --- tendons ---------------------------------------------------------------------------------------------------------


def _spatial_tendon_forces(t: Topology, rows: Rows, k: Kinematics, tendon: int) -> list[tuple[int, Force]]:
    """Mean forces of a spatial tendon over the step, on the links of its leaf and of its root."""
    links, points = t.spatial_tendons[tendon].links, attachment_points(t, rows, k, tendon)
    size = rows[f"spatial_tendon{tendon}_impulse"][0] / rows["dt"][0]
    u_leaf, u_root = segment_direction(points[-1][1], points[-2][1]), segment_direction(points[1][1], points[0][1])
    return [(links[-1], Force(sp.ZERO3, sp.scale(size, u_leaf)).about(points[-1][0])),
            (links[0], Force(sp.ZERO3, sp.scale(-1.0 * size, u_root)).about(points[0][0]))]


@dataclass(slots=True)
class _FixedTendonForces:
    """Mean forces of a fixed tendon on links over a step, each about its link's anchor."""

    axis_forces: dict[int, Force]       # by the axis' child link
    base: int                       # the parent of the root axis' joint
    reaction: Force                 # on it
    ancestors: set[int]               # the base and all links on its way to the root

    @property
    def link_forces(self) -> list[tuple[int, Force]]:
        """All forces, by link."""
        return [*self.axis_forces.items(), (self.base, self.reaction)]


def _fixed_tendon_forces(t: Topology, rows: Rows, k: Kinematics, tendon: int) -> _FixedTendonForces:
    fixed = t.fixed_tendons[tendon]
    base = axis_links(t, tendon, 0)[2]
    start = root_axis_pull(t, k, tendon).about(k.com[base])
    axis_forces: dict[int, Force] = {}
    reaction = NO_FORCE
    for axis, dof in enumerate(fixed.dofs):
        child = t.dofs[dof].link
        size = rows[f"fixed_tendon{tendon}_impulse"][axis] / rows["dt"][0]
        axis_forces[child] = axis_pull(t, k, child).about(k.com[child]) * size
        reaction = reaction + start * (size if fixed.is_opposed(axis) else -1.0 * size)
    ancestors, link = set(), base
    while link >= 0:
        ancestors.add(link)
        link = t.links[link].parent
    return _FixedTendonForces(axis_forces, base, reaction, ancestors)
