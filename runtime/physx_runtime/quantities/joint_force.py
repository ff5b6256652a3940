"""Forces of inbound joints as PhysX reports them, from the accelerations of a step and what acted on links in it.

PhysX makes them of the impulses that its solver passes up the tree (copyInternalStateToCache) and does not book all of
them: what efforts and fixed tendons come to at links further in is left out. Measured, see docs/direct_api.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.aba import ArticulatedInertia, eliminated, passed_up
from physx_runtime.dynamics.inertia import central_inertia, link_inertia
from physx_runtime.dynamics.kinematics import Kinematics, LinkMotion, motion_subspace, state_kinematics
from physx_runtime.dynamics.rnea import inertial_force
from physx_runtime.dynamics.spatial import NO_FORCE, Force, Motion, quaternion, triple
from physx_runtime.language.ops import Rows, Scalar, Scalars, where
from physx_runtime.model.topology import Topology
from physx_runtime.solver.articulation.velocity import damping_forces, link_weight
from physx_runtime.solver.constraints.fixed_tendon import axis_force
from physx_runtime.solver.constraints.spatial_tendon import attachment_points, segment_direction
from physx_runtime.solver.response import external_forces


def outside_forces(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion]) -> list[Force]:
    """What is no joint's doing on every link, about its anchor: weight, damping, link forces, tendons.

    motions: those before the step.
    """
    weights = external_forces(t, rows, k, [link_weight(rows, i) for i in range(len(t.links))])
    drags = damping_forces(t, rows, k, motions)
    pulls = [NO_FORCE for _ in t.links]
    if t.tendon_impulses:
        for own in (*(_spatial_pulls(t, rows, k, i) for i in range(len(t.spatial_tendons))),
                    *(_fixed_pulls(t, rows, k, i).on_links for i in range(len(t.fixed_tendons)))):
            for link, pull in own:
                pulls[link] = pulls[link] + pull
    return [(weight + drag).about(k.com[i]) + pull
            for i, (weight, drag, pull) in enumerate(zip(weights, drags, pulls, strict=True))]


def borne(t: Topology, rows: Rows, k: Kinematics, motions: Sequence[LinkMotion],
          outside: Sequence[Force]) -> list[Force]:
    """What every link and those beyond it need for their accelerations beside `outside`.

    motions: velocities before the step, accelerations of the step. About the link's anchor (RBDA table 5.1).
    """
    f = []
    for i, own in enumerate(outside):
        needed = inertial_force(rows["mass"][i], central_inertia(t, rows, k, i), motions[i])
        f.append(needed.about(k.com[i]) + own * -1.0)
    return _summed_inwards(t, k, f)


def _summed_inwards(t: Topology, k: Kinematics, forces: Sequence[Force]) -> list[Force]:
    f = list(forces)
    for i in range(len(t.links) - 1, 0, -1):
        parent = t.links[i].parent
        f[parent] = f[parent] + f[i].about(k.d[i])
    return f


def joint_forces(t: Topology, rows: Rows, k: Kinematics, needed: Sequence[Force]) -> list[Scalar]:
    """Force and torque of every inbound joint on its link as PhysX reports them; 0 for the root.

    PhysX takes the wrench of the step's start about the joint and into its child frame as they are at the end. Of a
    joint whose first body is the child it says what the second body, the parent, feels. needed: as of `borne`.
    """
    after = state_kinematics(t, rows)
    out: list[Scalar] = [0.0] * 6
    left_out = _left_out(t, rows, k)
    for i in range(1, len(t.links)):
        parent, reverse = t.links[i].parent, rows["reversed"][i] > 0.5
        force = (needed[i] + left_out[i]).about(sp.sub(after.com[i], k.com[i]))
        slid = sp.sub(after.d[i], sp.mul_mv(after.R[parent], triple(rows, "tree_position", i)))
        opposite = force.about(slid) * -1.0
        turn = sp.mul_quat(quaternion(rows, "joint_frames", i), sp.conjugate(after.rotation[i]))
        turn_back = sp.mul_quat(quaternion(rows, "joint_frames", i), sp.conjugate(after.rotation[parent]))
        for ours, theirs in ((force.linear, opposite.linear), (force.angular, opposite.angular)):
            out += [where(reverse, y, x)
                    for x, y in zip(sp.rotate(turn, ours), sp.rotate(turn_back, theirs), strict=True)]
    return out


# --- what PhysX does not book ----------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Joint:
    """How impulses pass a joint on their way to the parent: axes and K of its degrees of freedom."""

    axes: list[tuple[int, Motion, Force]]

    def passed(self, push: Force, efforts: Scalars | None = None) -> Force:
        """What comes through of a push on the link and of efforts at the joint."""
        for dof, S, K in self.axes:
            _, push = passed_up(push, S, K, 0.0 if efforts is None else efforts[dof])
        return push


def _joints(t: Topology, rows: Rows, k: Kinematics) -> list[_Joint]:
    """How impulses pass every joint."""
    inertia = [ArticulatedInertia.of(link_inertia(t, rows, k, i)) for i in range(len(t.links))]
    joints = [_Joint([]) for _ in t.links]
    for i in range(len(t.links) - 1, 0, -1):
        felt = inertia[i]
        for dof in t.dofs_of(i):
            S = motion_subspace(t, k, dof)
            felt, K, _ = eliminated(felt, S, rows["armature"][dof])
            joints[i].axes.append((dof, S, K))
        parent = t.links[i].parent
        inertia[parent] = inertia[parent] + felt.about(k.d[i])
    return joints


def _left_out(t: Topology, rows: Rows, k: Kinematics) -> list[Force]:
    """The force on every link, about its anchor, that PhysX takes for the joint's own."""
    left = [NO_FORCE for _ in t.links]
    joints = _joints(t, rows, k)
    if t.forces_every_iteration:
        passed = [NO_FORCE for _ in t.links]
        for i in range(len(t.links) - 1, 0, -1):
            left[i] = passed[i]
            parent = t.links[i].parent
            passed[parent] = passed[parent] + joints[i].passed(passed[i], rows["joint_effort"]).about(k.d[i])
    for tendon in range(len(t.fixed_tendons) if t.tendon_impulses else 0):
        for i, force in _unbooked(t, rows, k, joints, tendon):
            left[i] = left[i] + force
    return left


def _unbooked(t: Topology, rows: Rows, k: Kinematics, joints: Sequence[_Joint],
              tendon: int) -> list[tuple[int, Force]]:
    """Of a fixed tendon: an axis' own pull on its link, and all that reaches links from the tendon's base inwards."""
    pulls = _fixed_pulls(t, rows, k, tendon)
    passed = [NO_FORCE for _ in t.links]
    out = []
    for i in range(len(t.links) - 1, 0, -1):
        own, inwards = pulls.of_axes.get(i), passed[i]
        if i == pulls.base:
            inwards = inwards + pulls.reaction
        if own is not None:
            out.append((i, own))
            inwards = inwards + own
        elif i in pulls.inwards:
            out.append((i, inwards))
        parent = t.links[i].parent
        passed[parent] = passed[parent] + joints[i].passed(inwards).about(k.d[i])
    return out


# --- tendons ---------------------------------------------------------------------------------------------------------


def _spatial_pulls(t: Topology, rows: Rows, k: Kinematics, tendon: int) -> list[tuple[int, Force]]:
    """What a spatial tendon puts on the links of its leaf and of its root on average over the step."""
    links, points = t.spatial_tendons[tendon].links, attachment_points(t, rows, k, tendon)
    size = rows[f"spatial_tendon{tendon}_given"][0] / rows["dt"][0]
    u_leaf, u_root = segment_direction(points[-1][1], points[-2][1]), segment_direction(points[1][1], points[0][1])
    return [(links[-1], Force(sp.ZERO3, sp.scale(size, u_leaf)).about(points[-1][0])),
            (links[0], Force(sp.ZERO3, sp.scale(-1.0 * size, u_root)).about(points[0][0]))]


@dataclass(slots=True)
class _FixedPulls:
    """What a fixed tendon puts on links on average over a step, each about its link's anchor."""

    of_axes: dict[int, Force]       # by the axis' child link
    base: int                       # the parent of the root axis' joint
    reaction: Force                 # on it
    inwards: set[int]               # the base and all links on its way to the root

    @property
    def on_links(self) -> list[tuple[int, Force]]:
        """Everything, by link."""
        return [*self.of_axes.items(), (self.base, self.reaction)]


def _fixed_pulls(t: Topology, rows: Rows, k: Kinematics, tendon: int) -> _FixedPulls:
    fixed = t.fixed_tendons[tendon]
    root_link = t.dofs[fixed.dofs[0]].link
    base = t.links[root_link].parent
    start = axis_force(t.links[root_link].kind, k.axis[root_link],
                       sp.sub(k.d[root_link], k.com[base])).about(k.com[base])
    of_axes: dict[int, Force] = {}
    reaction = NO_FORCE
    for axis, dof in enumerate(fixed.dofs):
        child = t.dofs[dof].link
        size = rows[f"fixed_tendon{tendon}_given"][axis] / rows["dt"][0]
        own = axis_force(t.links[child].kind, k.axis[child], sp.scale(-1.0, k.com[child])).about(k.com[child])
        of_axes[child] = own * size
        opposed = fixed.opposed[axis:axis + 1] == (True,)
        reaction = reaction + start * (size if opposed else -1.0 * size)
    inwards, link = set(), base
    while link >= 0:
        inwards.add(link)
        link = t.links[link].parent
    return _FixedPulls(of_axes, base, reaction, inwards)
