"""Attachments of spatial tendons: their positions and their parents."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from physx_schema.checking.engine import usda
from physx_schema.checking.engine.finding import Finding
from physx_schema.checking.engine.rule import ReaderRule, Rule, finder
from physx_schema.description import Description, SpatialTendon, Vec3
from physx_schema.description.articulation.spatial_tendons import geared_lengths, position_in_link
from physx_schema.description.frames import composed, start_poses
from physx_schema.description.records import IDENTITY_POSE

SHORTEST_SEGMENT = 1e-3     # length units; PhysX gives a segment of at most this length no direction and no force
_TOLERANCE = 1e-3             # m: reported distance of an attachment from its authored position
_ROOT = usda.attachment("c", "Root", "r")
_CABLE = _ROOT + usda.attachment("d", "Leaf", "f", ("c", "r"))

ZERO_LENGTH = Rule("tendon/zero-length", "warning", """
    Tendon attachments at the same point

    Two neighbouring attachments are at the same point at the start of the simulation. If a segment is at most 0.001
    length units long, it has no direction in PhysX and exerts no force.

    Measured: With a tendon of rest length 1, a slider at position 0 or 0.001 stays at rest. A slider at position 0.0011
    gets velocity 0.0998. (`experiments/measure_tendon_rules.py`)
    """,
    fix="move one of the two attachments",
    example=_ROOT + usda.attachment("d", "Leaf", "f", ("c", "r"), {"point3f physxTendon:f:localPos": "(0, 0, 0)"}),
    remedy=_CABLE,
)


def _segments(tendon: SpatialTendon, points: Sequence[Vec3]) -> Iterator[Finding]:
    """Neighbours at one point; `points` are the attachments' positions in the world."""
    for item, point in zip(tendon.attachments, points, strict=True):
        if item.parent < 0:
            continue
        parent, length = tendon.attachments[item.parent], math.dist(point, points[item.parent])
        if length <= SHORTEST_SEGMENT:
            yield ZERO_LENGTH.at(
                item.path, item.prefix + "localPos",
                f"at the start the attachment is {length:g} length units from its parent {parent.path}:{parent.name}",
                why=f"a tendon segment of at most {SHORTEST_SEGMENT:g} has no direction in PhysX and exerts no force",
            )


MASS_FRAME = Rule("tendon/mass-frame", "warning", """
    Tendon attachment away from its localPos

    PhysX measures localPos from the link's centre of mass, along the principal axes of inertia, not in the link's
    frame. To compute a missing or negative restLength, however, PhysX reads localPos in the link's frame.

    Measured: A link has its centre of mass at 0.5, and the tendon's localPos is 0. The link gets velocity 0.04995 in
    one step, as with a tendon attachment at 0.5. (`experiments/measure_tendon_rules.py`)
    """,
    why="PhysX measures localPos in the mass frame: from the centre of mass, along the principal axes of inertia",
    fix="author localPos in this mass frame, or make the mass frame equal to the link's frame with "
        "physics:centerOfMass and physics:principalAxes",
    example=_ROOT + usda.attachment("d", "Leaf", "f", ("c", "r"), {"point3f physics:centerOfMass": "(0, 0, 0.5)"}),
    remedy=_CABLE,
)


def _displaced(tendon: SpatialTendon, positions: Sequence[Vec3], meters: float) -> Iterator[Finding]:
    """Attachments away from their localPos in the link's frame."""
    for item, position in zip(tendon.attachments, positions, strict=True):
        distance = math.dist(position, item.local_position)
        if distance * meters > _TOLERANCE:
            message = f"the attachment is {distance:.4g} length units away from localPos in the link's frame"
            yield MASS_FRAME.at(item.path, item.prefix + "localPos", message)


REST_FROM_POSE = Rule("tendon/rest-from-pose", "warning", """
    Tendon rest length from authored poses

    PhysX computes a missing or negative restLength from the authored poses of the links. If joint states or joint
    frames place the links elsewhere, the tendon starts with a force.

    Measured: A slider with a tendon of stiffness 10 is posed at 0.5. With joint state 1 the tendon changes the slider's
    velocity by 0.04995 in one step. With joint state 0.5 the tendon exerts no force.
    (`experiments/measure_tendon_rules.py`)
    """,
    why="PhysX computes restLength from the authored link poses, without joint states; the tendon starts with a force",
    example=_ROOT + usda.attachment("d", "Leaf", "f", ("c", "r"), usda.transform(translate="(0, 0, 1)")),
    remedy=_CABLE,
)


def _stretched(tendon: SpatialTendon, points: Sequence[Vec3], meters: float) -> Iterator[Finding]:
    """Leaves with a rest length that differs from the length at the start."""
    for item, length in zip(tendon.attachments, geared_lengths(tendon.attachments, points), strict=True):
        if item.rest_from_poses and tendon.stiffness > 0.0 and abs(length - item.rest_length) * meters > _TOLERANCE:
            yield REST_FROM_POSE.at(
                item.path, item.prefix + "restLength",
                f"the authored poses give a restLength of {item.rest_length:.4g}, but the tendon starts with length "
                f"{length:.4g}",
                fix="author the link poses that the joints produce, or author restLength; "
                    f"with restLength {length:.6g} the tendon starts without a force",
            )


@finder("attachments", ZERO_LENGTH, MASS_FRAME, REST_FROM_POSE)
def attachments(description: Description) -> Iterator[Finding]:
    """Attachments away from their authored position, or with another length at the start."""
    for articulation in description.articulations:
        poses = start_poses(articulation) if articulation.spatial_tendons else []
        meters = description.scene_of(articulation).meters_per_unit
        for tendon in articulation.spatial_tendons:
            positions = [position_in_link(articulation.links[item.link], item) for item in tendon.attachments]
            points = [composed(poses[item.link], (position, IDENTITY_POSE[1]))[0] for item, position in zip(
                tendon.attachments, positions, strict=True)]
            yield from _displaced(tendon, positions, meters)
            yield from _stretched(tendon, points, meters)
            yield from _segments(tendon, points)


SHARED_PREFIX = ReaderRule("tendon/shared-prefix", "error", """
    Tendon schemas with the same instance name

    Several tendon schemas with the same instance name on one prim share their properties. On a link PhysX uses the root
    attachment or, without a root attachment, the leaf attachment. PhysX refuses the other attachments with an error. On
    a joint PhysX uses the root axis and logs no message.

    Measured: An additional attachment with the instance name of the leaf attachment does not change the motion.
    (`experiments/measure_tendon_topology.py`)
    """,
    example=_ROOT + usda.attachment("d", "Leaf", "f", ("c", "r"), {}, "PhysxTendonAttachmentAPI:f"),
    remedy=_CABLE,
)

SEVERAL_PARENTS = ReaderRule("tendon/several-parents", "warning", """
    Tendon attachment with several parents

    If parentLink has several targets, PhysX uses the first target and logs a warning.

    Measured: If parentLink targets base and then l1, the tendon pulls as with base as the only target. If parentLink
    targets l1 and then base, the joint stays at rest. (`experiments/measure_tendon_topology.py`)
    """,
    example=_ROOT + usda.attachment("d", "Leaf", "f", ("c", "r"), {
        "rel physxTendon:f:parentLink": "[</Robot/c>, </Robot/b>]"}),
    remedy=_CABLE,
)

NO_LEAF = ReaderRule("tendon/no-leaf", "error", """
    Spatial tendon branch without a leaf

    If a branch of a spatial tendon ends in an attachment that is not a leaf, PhysX logs an error and uses rest length
    0. If such a tendon has a limitStiffness, the motion becomes NaN. A root attachment without other attachments exerts
    no force.

    Measured: After one step the joint velocity is -0.09997 with a tendon of stiffness 10 without a leaf. With
    limitStiffness 10 the joint velocity is NaN. (`experiments/measure_tendon_rules.py`)
    """,
    example=_ROOT + usda.attachment("d", "", "m", ("c", "r")),
    remedy=_CABLE,
)

TENDON_CYCLE = ReaderRule("tendon/cycle", "error", """
    Cycle of tendon attachments

    The parents of a tendon attachment form a cycle and never reach a root attachment. PhysX logs a warning and drops
    the attachments of the cycle.

    Measured: If a leaf attachment is below two attachments that name each other as parents, the joint stays at rest.
    (`experiments/measure_tendon_topology.py`)
    """,
    example=_CABLE + usda.attachment("e", "", "m", ("g", "n")) + usda.attachment("g", "", "n", ("e", "m")),
    remedy=_CABLE + usda.attachment("e", "", "m", ("c", "r")) + usda.attachment("g", "Leaf", "n", ("e", "m")),
)

NO_PARENT = ReaderRule("tendon/no-parent", "error", """
    Tendon attachment without an existing parent

    parentLink and parentAttachment do not name an existing attachment of the articulation. PhysX drops an attachment
    without an existing parent.

    Measured: If parentAttachment is misspelt, the slider stays at rest.
    (`experiments/measure_tendon_topology.py`)
    """,
    example=_ROOT + usda.attachment("d", "Leaf", "f", ("c", "root")),
    remedy=_CABLE,
)

LEAF_PARENT = ReaderRule("tendon/leaf-parent", "error", """
    Leaf attachment used as a parent

    A leaf attachment ends a spatial tendon. PhysX drops an attachment that names a leaf as its parent.

    Measured: An attachment with a leaf as its parent exerts no force. (`experiments/measure_tendon_topology.py`)
    """,
    example=_CABLE + usda.attachment("e", "Leaf", "h", ("d", "f")),
    remedy=_CABLE + usda.attachment("e", "Leaf", "h", ("c", "r")),
)

UNREACHED = ReaderRule("tendon/unreached", "error", """
    Tendon attachment without a path to the root

    The chain of parents of a tendon attachment ends before a root attachment. PhysX drops such an attachment, and it
    exerts no force.

    Measured: If the leaf is below an attachment without a parent, the slider stays at rest. If the leaf is below a root
    attachment, the slider's velocity is -0.1998. (`experiments/measure_tendon_topology.py`)
    """,
    example=_CABLE + usda.attachment("e", "", "m", ("c", "x")) + usda.attachment("g", "Leaf", "h", ("e", "m")),
    remedy=_CABLE + usda.attachment("e", "", "m", ("c", "r")) + usda.attachment("g", "Leaf", "h", ("e", "m")),
)
