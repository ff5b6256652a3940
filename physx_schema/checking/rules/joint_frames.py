"""Joint frames that are none, or do not meet."""

from __future__ import annotations

import math
from collections.abc import Iterator

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.dofs import stated_joints
from physx_schema.checking.engine.finding import Finding, judged
from physx_schema.checking.engine.profile import PROFILES
from physx_schema.checking.engine.rule import ReaderRule, Rule, finder
from physx_schema.checking.engine.start_poses import displaced
from physx_schema.description import Articulation, Description, Joint, Link
from physx_schema.description.frames import composed
from physx_schema.description.poses import Pose

_DISTANCE = 1e-3        # m
_ANGLE = 0.5            # degrees

FRAMES_APART = Rule("DJ.003/frames-apart", "error", """
    Joint frames that do not meet

    The frames of a joint on its two bodies differ at the authored poses, by more than 1 mm or half a degree from what
    the joint state says. PhysX places links by their joints, at position 0 where no state is authored. The frames of
    the joint that fixes the base are not read: PhysX leaves the root where it is posed.

    Measured: A fixed, hinged or spherical link posed 1 m or 30 degrees away from its joint is at its joint before the
    first step. A root posed at the origin, with an anchor frame 1 m above, stays at the origin.
    (`benchmarks/measure_start_poses.py`)
    """,
    fix="author poses, frames and joint state that agree",
    example=usda.driven({"float state:angular:physics:position": "30"}),
    remedy=usda.driven(),
)


@finder("joint-frames", FRAMES_APART)
def joint_frames(description: Description) -> Iterator[Finding]:
    """Links that are posed elsewhere than their joints put them, at the joint state or at 0 where none is authored."""
    states = stated_joints(description)
    for articulation in description.articulations:
        meters = description.scene_of(articulation).meters_per_unit
        for link in articulation.links:
            if link.joint is not None:
                yield from _apart(articulation, link, link.joint, meters, link.joint.path in states)


def _apart(articulation: Articulation, link: Link, joint: Joint, meters: float, known: bool) -> Iterator[Finding]:
    parent = articulation.links[link.parent]
    wanted = composed(parent.pose, joint.parent_frame)
    if any(dof.position for dof in joint.dofs):
        wanted = composed(wanted, displaced(joint))
    found = composed(link.pose, joint.child_frame)
    distance, angle = _between(found, wanted, meters)
    if distance > _DISTANCE or angle > _ANGLE:
        where = "the authored joint state" if known else "0, where PhysX starts a joint without a joint state"
        finding = FRAMES_APART.at(
            joint.path, "physics:localPos0",
            f"the joint frames of {parent.path} and {link.path} are {distance * 1e3:.3g} mm and {angle:.3g} degrees "
            f"apart at {where}", why=f"PhysX moves {link.path} and what follows it to where the joint says",
            severity="warning",
        )
        yield from judged(finding, "warning", "error" if known else "warning")


def _between(found: Pose, wanted: Pose, meters: float) -> tuple[float, float]:
    """Distance in metres and angle in degrees between two frames."""
    (ax, ay, az, aw), (bx, by, bz, bw) = found[1], wanted[1]
    cosine = min(abs(ax * bx + ay * by + az * bz + aw * bw), 1.0)
    return math.dist(found[0], wanted[0]) * meters, math.degrees(2.0 * math.acos(cosine))


FRAME_REFUSED = ReaderRule("joint/frame-refused", "error", """
    Joint frame that is none

    A joint frame needs finite numbers and a rotation other than 0. Outside articulations PhysX makes no joint without.

    Measured: A zero or NaN frame on the parent's side puts the hinge where the child is posed, turned to another axis;
    on the child's side the child is held by its own origin. PhysX logs an invalid pose. A rotation of length 2 counts
    as of 1. (`benchmarks/measure_joint_bodies.py`) A body on a fixed joint outside articulations flies on.
    (`benchmarks/measure_outside_joints.py`)
    """,
    profiles=PROFILES,
    example=usda.joint("j2", {"quatf physics:localRot0": "(0, 0, 0, 0)"}),
    remedy=usda.joint("j2", {"quatf physics:localRot0": "(1, 0, 0, 0)"}),
)
