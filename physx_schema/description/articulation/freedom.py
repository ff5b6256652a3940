"""What joints between the same two bodies leave free together: PhysX solves all of them at once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from physx_schema.description.frames import rotation_matrix
from physx_schema.description.model import Joint, MaximalJoint
from physx_schema.description.model.joint import AXES, ROTATIONS, TRANSLATIONS, JointAxisName, JointKind
from physx_schema.description.records import Pose, Vec3

NEAR = 1e-3             # m: points this close count as one
ALIGNED = 0.5           # degrees: directions this close count as one
_ALONG, _ACROSS = (math.cos(math.radians(ALIGNED)), math.sin(math.radians(ALIGNED)))     # of two directions, cosines
_BODY: tuple[Vec3, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))      # axes of a body
_FREE_KINDS = {"revolute": ROTATIONS, "prismatic": TRANSLATIONS}


class Hold(NamedTuple):
    """One joint as one of its bodies sees it: the joint frame in that body, and the axes of it that are free."""

    path: str
    frame: Pose
    free: tuple[JointAxisName, ...]


def free_axes(kind: JointKind, axis: int, generic: Iterable[JointAxisName] = ()) -> tuple[JointAxisName, ...]:
    """The axes of the authored joint frame that a joint leaves free; `generic` are those of a generic joint."""
    if kind in _FREE_KINDS:
        return (_FREE_KINDS[kind][axis],)
    if kind == "spherical":
        return ROTATIONS
    return tuple(generic) if kind == "d6" else ()


def hold_of_link(joint: Joint, body: str) -> Hold:
    """A joint of an articulation, seen from one of its two bodies."""
    turning = dict.fromkeys(ROTATIONS[_largest(dof.axis)] for dof in joint.dofs)
    of_parent = body != (joint.body0 if joint.reversed else joint.body1)
    return Hold(joint.path, joint.parent_frame if of_parent else joint.child_frame,
                free_axes(joint.kind, joint.axis, turning) if joint.dofs else ())


def _largest(vector: Vec3) -> int:
    return max(range(3), key=lambda index: abs(vector[index]))


def hold_outside(joint: MaximalJoint, body: str) -> Hold:
    """A joint outside articulations, seen from one of its two bodies."""
    moving = (axis.axis for axis in joint.axes if axis.upper > axis.lower)
    return Hold(joint.path, joint.frame0 if body == joint.body0 else joint.frame1,
                free_axes(joint.kind, joint.axis, moving))


def common_freedom(holds: Sequence[Hold], meters: float) -> int:
    """How many degrees of freedom all the joints leave, from where they are; `meters` is the length unit in m."""
    if not all(math.isfinite(number) for hold in holds for part in hold.frame for number in part):
        return len(AXES)        # frames that are none are reported as what they are
    origin = holds[0].frame[0]
    anchors = [tuple(x - o for x, o in zip(hold.frame[0], origin, strict=True)) for hold in holds]
    spread = max(math.hypot(*anchor) for anchor in anchors)
    near = NEAR / meters
    if not spread > near:
        anchors, spread = [(0.0, 0.0, 0.0)] * len(holds), 1.0
        near = 0.0
    rows = [row for hold, anchor in zip(holds, anchors, strict=True) for row in _locked(hold, anchor, spread)]
    if not rows:
        return len(AXES)
    singular = np.linalg.svd(np.array(rows), compute_uv=False)
    tolerance = max(math.sin(math.radians(ALIGNED)), near / spread)
    return len(AXES) - int(np.count_nonzero(singular > tolerance))


def _locked(hold: Hold, anchor: tuple[float, ...], length: float) -> list[NDArray[np.float64]]:
    """The rows J of J (length omega, v) = 0, with v at the origin, for the axes that a joint locks."""
    rotation, rows = np.array(rotation_matrix(hold.frame[1])), []
    for index, axis in enumerate(AXES):
        if axis not in hold.free:
            direction = rotation[:, index % 3]
            arm = np.cross(np.array(anchor), direction) / length if axis in TRANSLATIONS else direction
            rows.append(np.concatenate([arm, direction if axis in TRANSLATIONS else np.zeros(3)]))
    return rows


def lock_each_other(holds: Sequence[Hold], meters: float) -> bool:
    """Whether joints of which some leave a motion leave none together."""
    return len(holds) > 1 and any(hold.free for hold in holds) and common_freedom(holds, meters) == 0


def instead_of(holds: Sequence[Hold], meters: float, within: bool = True) -> str:
    """What to author in place of joints that lock each other, so that the bodies move as each of them says.

    `within`: one of them is an articulation's, where PhysX locks the translations of generic joints.
    """
    bodies = "a body between each two of these joints"
    slides, turns = ([hold for hold in holds if len(hold.free) == 1 and hold.free[0] in axes]
                     for axes in (TRANSLATIONS, ROTATIONS))
    meet = all(math.dist(hold.frame[0], turns[0].frame[0]) * meters <= NEAR for hold in turns)
    if not meet or len(slides) + len(turns) != len(holds) or (slides and within):
        return f"author {bodies}, or remove the joints that are not needed"
    directions = [_direction(hold) for hold in slides], [_direction(hold) for hold in turns]
    axes = _generic_axes(*directions, _BODY) or _generic_axes(*directions, ())
    if not axes:
        return f"author {bodies}, or remove the joints that are not needed"
    names = ", ".join(axes[:-1]) + f" and {axes[-1]} free"
    locked = " and the other axes locked (low above high)" if len(axes) < len(AXES) else ""
    return f"replace these joints by one generic joint (PhysicsJoint) with {names}{locked}, or author {bodies}"


def _generic_axes(slides: Sequence[Vec3], turns: Sequence[Vec3], basis: tuple[Vec3, ...]) -> list[str]:
    """The axes of one generic joint along and about such directions, in a frame that begins with the axes of `basis`.

    None where two are the same or they are not square to each other.
    """
    names = set()
    for kind, directions in (("rot", turns), ("trans", slides)):
        for direction in directions:
            cosines = [abs(float(np.dot(direction, axis))) for axis in basis]
            index = next((i for i, cosine in enumerate(cosines) if cosine > _ALONG), len(basis))
            if any(cosine > _ACROSS for i, cosine in enumerate(cosines) if i != index):
                return []
            basis += (direction,) if index == len(basis) else ()
            names.add(f"{kind}{'XYZ'[index]}")
    return [axis for axis in AXES if axis in names] if len(names) == len(slides) + len(turns) else []


def _direction(hold: Hold) -> Vec3:
    """The only free axis of a joint."""
    index = AXES.index(hold.free[0]) % 3
    rows = rotation_matrix(hold.frame[1])
    return rows[0][index], rows[1][index], rows[2][index]
