"""What is drawn beside shapes: joint axes with their limits, tendons, and where a prim is on the robot."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.simulation.recording import Recording
from physx_runtime.solver.constraints.fixed_tendon import limit_violation, spring_impulse
from physx_runtime.viewing.charts import recorded_positions, recorded_tendon_length, spatial_tendon_lengths
from physx_runtime.viewing.poses import recorded_link_poses, transform_point
from physx_schema.description.articulation.spatial_tendons import position_in_link
from physx_schema.description.model import Articulation, Description, Dof, FixedTendon, Joint, SpatialTendon
from physx_schema.description.records import Pose, Quat, Vec3

# A point fixed in a body: the body's index, and the point in its frame.
BodyPoint = tuple[int, Vec3]


@dataclass(frozen=True, slots=True)
class JointMark:
    """One axis of a joint; directions are unit vectors in the frames of parent and child.

    At the coordinate q the child's `hand` is the parent's `zero` turned by `sign` * q about the axis, or the child's
    anchor is the parent's, moved so far along it.
    """

    name: str
    angular: bool
    parent: BodyPoint
    child: BodyPoint
    axis: Vec3                          # in the parent's frame
    zero: Vec3                          # in the parent's frame, at right angles to the axis
    hand: Vec3                          # in the child's frame
    sign: float
    low: float                          # rad or length, -inf where free
    high: float


@dataclass(frozen=True, slots=True)
class TendonMark:
    """A tendon from point to point, and where the step leaves the impulse that says its force."""

    name: str
    path: tuple[BodyPoint, ...]
    row: str                            # row scalar of what it gave in the last step
    force_fraction: float                        # of the tendon's force in that; 0 where nothing follows


def joint_marks(articulations: Iterable[Articulation], index: Mapping[str, int]) -> Iterator[JointMark]:
    """The axes of all joints of articulations; index: body's prim path -> its number."""
    for articulation in articulations:
        bodies = [index.get(link.path) for link in articulation.links]
        for link in articulation.links:
            for dof in link.joint.dofs if link.joint else ():
                assert link.joint is not None
                parent, child = bodies[link.joint.parent], bodies[link.joint.child]
                if parent is not None and child is not None:
                    yield _joint_mark(link.joint, dof, parent, child)


def joint_frames(articulations: Iterable[Articulation],
                 index: Mapping[str, int]) -> Iterator[tuple[int, Vec3, Quat]]:
    """The frames of all joints of articulations on both of their bodies: body's number, position and x y z w."""
    for articulation in articulations:
        bodies = [index.get(link.path) for link in articulation.links]
        for joint in (link.joint for link in articulation.links if link.joint):
            for body, frame in ((bodies[joint.parent], joint.parent_frame), (bodies[joint.child], joint.child_frame)):
                if body is not None:
                    yield body, *frame


def _joint_mark(joint: Joint, dof: Dof, parent: int, child: int) -> JointMark:
    axis = np.array(dof.axis)
    normal = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    perpendicular = _vector(normal / np.linalg.norm(normal))
    return JointMark(
        dof.name, dof.angular, (parent, joint.parent_frame[0]), (child, joint.child_frame[0]),
        _rotate_direction(joint.parent_frame, dof.axis), _rotate_direction(joint.parent_frame, perpendicular),
                     _rotate_direction(joint.child_frame, perpendicular),
        -1.0 if joint.reversed else 1.0, dof.lower, dof.upper)


def _rotate_direction(frame: Pose, direction: Vec3) -> Vec3:
    """A direction in a frame as what the frame is in sees it."""
    return _vector(transform_point(np.array((0.0, 0.0, 0.0, *frame[1])), direction))


def _vector(values: DoubleArray) -> Vec3:
    x, y, z = values.tolist()
    return x, y, z


def bones(articulations: Iterable[Articulation], index: Mapping[str, int]) -> Iterator[tuple[BodyPoint, BodyPoint]]:
    """From each link's inbound joint to those that it carries, or past its centre of mass where it carries none."""
    for articulation in articulations:
        anchors = [link.joint.child_frame[0] if link.joint else (0.0, 0.0, 0.0) for link in articulation.links]
        for i, link in enumerate(articulation.links):
            ends = [(index[child.path], anchors[k]) for k, child in enumerate(articulation.links)
                    if child.parent == i and child.path in index]
            if link.path in index:
                start = index[link.path], anchors[i]
                tip = _vector(2.0 * np.array(link.center_of_mass) - np.array(anchors[i]))
                yield from ((start, end) for end in ends or [(index[link.path], tip)])


def tendon_marks(articulation: Articulation, index: Mapping[str, int]) -> Iterator[TendonMark]:
    """A line for every fixed tendon that acts, from joint to joint, and for every leaf of a spatial one."""
    bodies = [index[link.path] for link in articulation.links]
    joints = [link.joint for link in articulation.links if link.joint for _ in link.joint.dofs]
    for i, fixed in enumerate(tendon for tendon in articulation.fixed_tendons if tendon.enabled):
        path = tuple((bodies[joints[axis.dof].child], joints[axis.dof].child_frame[0]) for axis in fixed.axes)
        first = joints[fixed.axes[0].dof]
        yield TendonMark(f"{fixed.path} {fixed.name}", ((bodies[first.parent], first.parent_frame[0]), *path),
                         f"fixed_tendon{i}_impulse_0", fixed.axes[0].force_coefficient / len(fixed.axes))
    leaves = 0
    for spatial in articulation.spatial_tendons:
        for leaf_path in spatial.leaf_paths() if spatial.enabled else ():
            attachments = [spatial.attachments[k] for k in leaf_path]
            yield TendonMark(f"{attachments[-1].path} {attachments[-1].name}",
                             tuple((bodies[a.link], position_in_link(articulation.links[a.link], a))
                                   for a in attachments),
                             f"spatial_tendon{leaves}_impulse_0", 1.0)
            leaves += 1


def tendon_forces(articulation: Articulation, recording: Recording, world: int) -> list[DoubleArray]:
    """(n_record,) what springs and limits of each of `tendon_marks` pull with; dampers are left out."""
    positions, poses = recorded_positions(articulation, recording, world), recorded_link_poses(
        articulation, recording, world)
    forces = [_pull(fixed, recorded_tendon_length(fixed, positions), fixed.rest_length, fixed.lower_limit,
                    fixed.upper_limit) for fixed in articulation.fixed_tendons if fixed.enabled]
    for spatial in articulation.spatial_tendons:
        lengths = spatial_tendon_lengths(spatial, articulation, poses)
        for leaf_path in spatial.leaf_paths() if spatial.enabled else ():
            leaf = spatial.attachments[leaf_path[-1]]
            forces.append(_pull(spatial, lengths[leaf_path[-1]], leaf.rest_length, leaf.lower_limit, leaf.upper_limit))
    return forces


def _pull(tendon: FixedTendon | SpatialTendon, length: DoubleArray, rest_length: float, lower: float,
          upper: float) -> DoubleArray:
    spring = spring_impulse(tendon.stiffness, 1.0, length - rest_length)
    limit = spring_impulse(tendon.limit_stiffness, 1.0, limit_violation(length, lower, upper))
    return np.asarray(spring + limit, np.float64)


def body_point(path: str, description: Description, index: Mapping[str, int]) -> BodyPoint | None:
    """Where on a body a prim is: a joint at its anchor on the child, everything else at its body; None for no body."""
    for articulation in description.articulations:
        for link in articulation.links:
            if link.joint and link.joint.path == path and link.path in index:
                return index[link.path], link.joint.child_frame[0]
    for joint in description.separate_joints:
        for body, frame in ((joint.body1, joint.frame1), (joint.body0, joint.frame0)):
            if joint.path == path and body in index:
                return index[body], frame[0]
    ancestor = path
    while ancestor and ancestor not in index:
        ancestor = ancestor.rpartition("/")[0]
    return (index[ancestor], (0.0, 0.0, 0.0)) if ancestor else None


def finite(value: float) -> float | None:
    """A bound as JSON has it, None for none."""
    return value if math.isfinite(value) else None


def body_index(bodies: Sequence[str]) -> dict[str, int]:
    """Body's prim path -> its number."""
    return {path: i for i, path in enumerate(bodies)}
