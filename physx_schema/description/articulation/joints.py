"""Joints as authored: kind, bodies, frames and axis, before any tree gives them a direction."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from pxr import Gf, Usd

from physx_schema.description.articulation.axes import read_dofs
from physx_schema.description.frames import pose_matrix, pose_of, scaled
from physx_schema.description.model import Joint
from physx_schema.description.model.joint import KINDS, SINGLE_AXIS_KINDS, TREE_KINDS, JointKind
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext, path_key
from physx_schema.description.opinions.view import SchemaView
from physx_schema.description.records import IDENTITY_POSE, Pose, Quat, Vec3, record
from physx_schema.description.units import unnormalized

AXES: Mapping[str, int] = {"X": 0, "Y": 1, "Z": 2}
COUPLINGS: Mapping[str, tuple[str, str]] = {"gear": ("hinge0", "hinge1"), "rack": ("hinge", "prismatic")}

JointOrder = tuple[int, tuple[str, ...]]


class _Side(NamedTuple):
    """The properties of one side of a joint."""

    body: str
    position: str
    rotation: str


_SIDES = (_Side("body0", "localPos0", "localRot0"), _Side("body1", "localPos1", "localRot1"))


class JointEnd(NamedTuple):
    """One side of a joint: the body it holds ("" for the world) and the joint frame in that body."""

    body: str
    frame: Pose
    valid: bool = True      # whether PhysX takes the frame: finite, with a rotation other than 0
    static: bool = False    # whether a static collider is there: the world to joints, not to an articulation's root
    authored: Quat | None = None        # the frame's rotation as authored, of any length, where it is of this body


@record
@dataclass(frozen=True, slots=True)
class AuthoredJoint:
    """A joint prim, its two ends in authored order."""

    path: str
    opinions: PrimOpinions
    kind: JointKind
    axis: int
    ends: tuple[JointEnd, JointEnd]
    enabled: bool
    excluded: bool

    @property
    def to_world(self) -> bool:
        """Whether one side is where an articulation's root joint may end: no body and no collider."""
        return any(not end.body and not end.static for end in self.ends)

    @property
    def order(self) -> JointOrder:
        """PhysX's order among joints: by type, then by path."""
        return KINDS.index(self.kind), path_key(self.path)

    def other(self, body: str) -> str:
        """The body at the other end."""
        return self.ends[1].body if self.ends[0].body == body else self.ends[0].body


def read_joints(context: ReadContext) -> list[AuthoredJoint]:
    """Every joint prim of the stage, in traversal order."""
    joints = [_read(context, opinions, kind) for opinions in context.prims.values() if (kind := opinions.joint_kind)]
    by_path = {joint.path: joint for joint in joints}
    return [_with_bodies_of_hinges(joint, by_path) if joint.kind in COUPLINGS else joint for joint in joints]


def _read(context: ReadContext, opinions: PrimOpinions, kind: JointKind) -> AuthoredJoint:
    view = opinions.joint_view()
    axis = view.token("axis") if kind in (*SINGLE_AXIS_KINDS, "spherical") else "X"
    ends = _end(context, view, _SIDES[0]), _end(context, view, _SIDES[1])
    return AuthoredJoint(
        opinions.path, opinions, kind, AXES.get(axis, 0), ends,
        view.flag("jointEnabled"), view.flag("excludeFromArticulation"),
    )


def _with_bodies_of_hinges(joint: AuthoredJoint, joints: Mapping[str, AuthoredJoint]) -> AuthoredJoint:
    """A gear or rack joint without bodies has those that its hinges turn."""
    view = joint.opinions.joint_view()
    ends = []
    for side, base, end in zip(_SIDES, COUPLINGS[joint.kind], joint.ends, strict=True):
        hinge = joints.get(next(iter(view.targets(base)), ""))
        if not view.authored(side.body) and hinge is not None:
            end = JointEnd(hinge.ends[1].body or hinge.ends[0].body, end.frame)
        ends.append(end)
    return replace(joint, ends=(ends[0], ends[1]))


def _end(context: ReadContext, view: SchemaView, side: _Side) -> JointEnd:
    frame = view.vector(side.position), view.quaternion(side.rotation)
    valid = _is_valid_frame(context, view, side, frame[0])
    targets = view.targets(side.body)
    if len(targets) > 1:
        context.problem(
            "joint/several-bodies", view.path, view.name(side.body), f"the relationship has {len(targets)} targets",
            f"PhysX uses the first, {targets[0]}", "keep one target",
        )
    if not targets:
        return JointEnd("", frame, valid)
    opinions = context.prims.get(targets[0])
    target = opinions.prim if opinions is not None else context.stage.GetPrimAtPath(targets[0])
    if not target:
        context.problem(
            "joint/missing-body", view.path, view.name(side.body), f"there is no prim at {targets[0]}",
            "PhysX joins this side of the joint to the world",
            "target a rigid body, or remove the target to join the world",
        )
        return JointEnd("", frame, valid)
    body, collider = context.body_of(targets[0]), context.on_collider(targets[0])
    if not body:
        no_pose = _has_no_pose(target, collider)
        reason, fix = _no_body(target)
        holds_bodies = _has_body_below(view, targets[0])    # the prim of a whole robot, which stands for the world
        context.problem(
            "joint/no-body", view.path, view.name(side.body), f"{targets[0]} {reason}",
            "PhysX joins this side of the joint to the world"
            f"{', and reads the joint frame in world space' if no_pose else ''}",
            "keep the target if the joint should connect to the world, or target a rigid body" if holds_bodies else
            f"{fix}, or remove the target to join the world", "info" if holds_bodies else "warning",
        )
        return JointEnd("", frame if no_pose or not valid else _in_world(context, frame, target), valid, collider)
    body_frame = _in_body(context, frame, target, body) if valid else frame
    as_authored = unnormalized(view.raw(side.rotation)) if body_frame[1] == frame[1] else None
    return JointEnd(body, body_frame, valid, authored=as_authored)


def _has_body_below(view: SchemaView, target: str) -> bool:
    """Whether the joint holds a body below the target: converters name a robot's own root prim for the world."""
    return any(body.startswith(target + "/") for side in _SIDES for body in view.targets(side.body))


def _has_no_pose(target: Any, collider: bool) -> bool:
    """Whether PhysX knows no place of a target that is no body: it sees of what is inside instances colliders alone."""
    return not Usd.PrimDefaultPredicate(target) or (target.IsInstanceProxy() and not collider)


def _no_body(target: Any) -> tuple[str, str]:
    """What is found instead of a body, and how it becomes one."""
    if not target.IsActive():
        return "is inactive", "activate it"
    if target.IsAbstract():
        return "is a class prim, which PhysX does not simulate", "target a prim that inherits from it"
    if not target.IsDefined():
        return "is an over without a def, which PhysX does not simulate", (
            "correct the path, repair the layer that should define the prim, or define it")
    if target.IsInstanceProxy():
        return "is inside an instance, which has no bodies", "set instanceable to false on the instance"
    return "is not a rigid body and is not inside a rigid body", "apply PhysicsRigidBodyAPI to that prim"


def _is_valid_frame(context: ReadContext, view: SchemaView, side: _Side, position: Vec3) -> bool:
    """Whether a joint frame is one; PhysX normalises rotations other than 0."""
    faulty = [] if all(map(math.isfinite, position)) else [side.position]
    if view.has_opinion(side.rotation) and not _is_rotation(view.raw(side.rotation)):
        faulty.append(side.rotation)
    for base in faulty:
        context.problem(
            "joint/frame-refused", view.path, view.name(base),
            f"{view.raw(base)} is not a {'position' if base == side.position else 'rotation'}",
            "PhysX refuses the joint frame; in an articulation, PhysX puts both joint frames at the child's origin in "
            "the authored poses; outside articulations, PhysX makes no joint",
            "author finite numbers and a quaternion of length 1",
        )
    return not faulty


def _is_rotation(value: Any) -> bool:
    """Whether a quaternion turns: finite and other than 0. What is no quaternion counts as the default."""
    if not hasattr(value, "GetImaginary"):
        return True
    parts = (*value.GetImaginary(), value.GetReal())
    return any(parts) and all(map(math.isfinite, parts))


def _in_world(context: ReadContext, frame: Pose, target: Any) -> Pose:
    """A frame authored in a prim, as a frame of the world."""
    matrix = pose_matrix(*frame) * context.frames.matrix(target)
    return pose_of(Gf.Transform(matrix.RemoveScaleShear()))


def _in_body(context: ReadContext, frame: Pose, target: Any, body: str) -> Pose:
    """A frame authored in the target prim, as a frame of the body, lengths scaled."""
    prim = context.prims[body].prim
    if prim is not target and not target.IsInstanceProxy():     # PhysX knows no place of what is inside an instance
        matrix = pose_matrix(*frame) * context.frames.matrix(target) * context.frames.matrix(prim).GetInverse()
        frame = pose_of(Gf.Transform(matrix.RemoveScaleShear()))
    return scaled(frame[0], context.frames.scale(prim, body)), frame[1]


def inbound_joint(
    context: ReadContext, joint: AuthoredJoint, child: str, parent: str, indices: tuple[int, int],
) -> Joint:
    """The joint as the inbound joint of a child link from a parent link ("" for the world), with their indices."""
    is_reversed = joint.ends[0].body == child
    parent_end, child_end = (joint.ends[1], joint.ends[0]) if is_reversed else joint.ends
    parent_frame = parent_end.frame if parent_end.valid else _relative_pose(context, parent, child)
    child_frame = child_end.frame if child_end.valid else IDENTITY_POSE
    dofs = read_dofs(context, joint.opinions, joint.kind, joint.axis) if parent else ()
    body0, body1 = joint.ends[0].body, joint.ends[1].body
    return Joint(
        joint.path, joint.kind, joint.axis, *indices, is_reversed, parent_frame, child_frame, dofs, body0, body1,
        (parent_end.authored or parent_frame[1], child_end.authored or child_frame[1]))


def _relative_pose(context: ReadContext, parent: str, child: str) -> Pose:
    """The authored pose of one body in the frame of another, scales left out."""
    poses = [context.frames.pose(context.prims[body].prim, body) for body in (parent, child) if body]
    matrices = [pose_matrix(*pose) for pose in poses]
    return pose_of(Gf.Transform(matrices[1] * matrices[0].GetInverse())) if len(matrices) == 2 else poses[0]


def joint_order(kind: str | None, path: str) -> JointOrder:
    """Sort key of tendons and mimic joints by their joint: revolute before prismatic joints, then by path."""
    return TREE_KINDS.index(kind) if kind in TREE_KINDS else len(TREE_KINDS), path_key(path)
