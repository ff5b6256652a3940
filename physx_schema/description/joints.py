"""Joints as authored: kind, bodies, frames and axis, before any tree gives them a direction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pxr import Gf

from physx_schema.description.dofs import read_dofs
from physx_schema.description.frames import pose_matrix, pose_of, scaled
from physx_schema.description.model import Joint, Pose
from physx_schema.description.opinions import PrimOpinions, View
from physx_schema.description.reading import Reading

AXES: Mapping[str, int] = {"X": 0, "Y": 1, "Z": 2}
TREE_KINDS = ("fixed", "revolute", "prismatic", "spherical", "d6")     # in the order PhysX creates siblings


@dataclass(frozen=True, slots=True)
class JointEnd:
    """One side of a joint: the body it holds ("" for the world) and the joint frame in that body."""

    body: str
    frame: Pose


@dataclass(frozen=True, slots=True)
class AuthoredJoint:
    """A joint prim, its two ends in authored order."""

    opinions: PrimOpinions
    kind: str
    axis: int
    ends: tuple[JointEnd, JointEnd]
    enabled: bool
    excluded: bool

    @property
    def path(self) -> str:
        """The joint's prim path."""
        return self.opinions.path

    def other(self, body: str) -> str:
        """The body at the other end."""
        return self.ends[1].body if self.ends[0].body == body else self.ends[0].body


def read_joints(reading: Reading) -> list[AuthoredJoint]:
    """Every joint prim of the stage, in traversal order."""
    return [_read(reading, opinions) for opinions in reading.prims.values() if opinions.joint_kind]


def _read(reading: Reading, opinions: PrimOpinions) -> AuthoredJoint:
    kind = opinions.joint_kind or ""
    view = opinions.joint_view()
    axis = view.token("axis") if kind in ("revolute", "prismatic", "spherical") else "X"
    return AuthoredJoint(
        opinions, kind, AXES.get(axis, 0), (_end(reading, view, "0"), _end(reading, view, "1")),
        view.flag("jointEnabled"), view.flag("excludeFromArticulation"),
    )


def _end(reading: Reading, view: View, side: str) -> JointEnd:
    frame = (view.vector("localPos" + side), view.quaternion("localRot" + side))
    targets = view.targets("body" + side)
    if len(targets) > 1:
        reading.problem(
            "joint/several-bodies", view.path, view.name("body" + side), f"{len(targets)} targets",
            f"PhysX uses the first, {targets[0]}", "keep one target",
        )
    if not targets:
        return JointEnd("", frame)
    target = reading.stage.GetPrimAtPath(targets[0])
    if not target:
        reading.problem(
            "joint/missing-body", view.path, view.name("body" + side), f"there is no prim at {targets[0]}",
            "PhysX joins this side to the world", "point it at a rigid body, or remove the target for the world",
        )
        return JointEnd("", frame)
    body = reading.body_of(targets[0])
    if not body:
        reading.problem(
            "joint/no-body", view.path, view.name("body" + side), f"{targets[0]} is not a rigid body nor inside one",
            "PhysX joins this side to the world", "apply PhysicsRigidBodyAPI to it, or remove the target for the world",
            "warning",
        )
    return JointEnd(body, _in_body(reading, frame, target, body))


def _in_body(reading: Reading, frame: Pose, target: object, body: str) -> Pose:
    """A frame authored in the target prim, as a frame of the body, lengths scaled."""
    if not body:
        matrix = pose_matrix(*frame) * reading.frames.matrix(target)
        return pose_of(Gf.Transform(matrix.RemoveScaleShear()))
    prim = reading.prims[body].prim
    if prim != target:
        matrix = pose_matrix(*frame) * reading.frames.matrix(target) * reading.frames.matrix(prim).GetInverse()
        frame = pose_of(Gf.Transform(matrix.RemoveScaleShear()))
    return scaled(frame[0], reading.frames.scale(prim)), frame[1]


def directed(
    reading: Reading, joint: AuthoredJoint, child: str, parent_index: int, child_index: int,
) -> Joint:
    """The joint as the inbound joint of `child`."""
    is_reversed = joint.ends[0].body == child
    parent_end, child_end = (joint.ends[1], joint.ends[0]) if is_reversed else joint.ends
    return Joint(
        path=joint.path, kind=joint.kind, axis=joint.axis, parent=parent_index, child=child_index,
        reversed=is_reversed, parent_frame=parent_end.frame, child_frame=child_end.frame,
        dofs=read_dofs(reading, joint.opinions, joint.kind),
    )


def undirected(reading: Reading, joint: AuthoredJoint) -> Joint:
    """A joint outside every articulation: body0 as parent, body1 as child, without link indices."""
    return Joint(
        path=joint.path, kind=joint.kind, axis=joint.axis, parent=-1, child=-1, reversed=False,
        parent_frame=joint.ends[0].frame, child_frame=joint.ends[1].frame,
        dofs=read_dofs(reading, joint.opinions, joint.kind),
    )


