"""Attachments of spatial tendons: where they are, and which of them hang together."""

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

SHORTEST_SEGMENT = 1e-3     # length units; PhysX gives a segment of this length or less no direction and no force
_TOLERANCE = 1e-3             # m: how far from where it was authored an attachment is worth a word
_ROOT = usda.attachment("c", "Root", "r")
_CABLE = _ROOT + usda.attachment("d", "Leaf", "f", ("c", "r"))

ZERO_LENGTH = Rule("tendon/zero-length", "warning", """
    Two attachments on one point

    Two attachments lie on the same point where the simulation starts, with links where their joints put them and
    attachments where their links' centres of mass do. PhysX gives a segment of 0.001 length units or less no direction
    and no force.

    Measured: A tendon of rest length 1 does not push a slider whose joint state is 0 or 0.001, and gives it 0.0998 at
    0.0011, wherever its link is posed. (`experiments/measure_tendon_rules.py`)
    """,
    fix="move one of the two attachments",
    example=_ROOT + usda.attachment("d", "Leaf", "f", ("c", "r"), {"point3f physxTendon:f:localPos": "(0, 0, 0)"}),
    remedy=_CABLE,
)


def _segments(tendon: SpatialTendon, points: Sequence[Vec3]) -> Iterator[Finding]:
    """Neighbours on one point; `points` are the attachments in the world."""
    for item, point in zip(tendon.attachments, points, strict=True):
        if item.parent < 0:
            continue
        parent, length = tendon.attachments[item.parent], math.dist(point, points[item.parent])
        if length <= SHORTEST_SEGMENT:
            yield ZERO_LENGTH.at(
                item.path, item.prefix + "localPos",
                f"{length:g} from its parent attachment {parent.path}:{parent.name} where the simulation starts",
                why=f"a segment of at most {SHORTEST_SEGMENT:g} has no direction, so this part gives no force",
            )


MASS_FRAME = Rule("tendon/mass-frame", "warning", """
    Attachment elsewhere than localPos says

    PhysX counts localPos from the centre of mass of the link, along its principal axes of inertia, and not in the
    link's own frame. A restLength below 0, which stands for the length between the authored poses, is measured in the
    link's frame all the same.

    Measured: A link whose centre of mass is at 0.5 and whose attachment is at 0 is pushed as one at 0.5 is, with
    0.04995; with the attachment at -0.5 it lies on the root attachment and feels nothing.
    (`experiments/measure_tendon_rules.py`)
    """,
    why="PhysX counts localPos from the centre of mass, along the principal axes",
    fix="author localPos from the centre of mass and along the principal axes, or author physics:centerOfMass and "
        "physics:principalAxes that leave the two frames one",
    example=_ROOT + usda.attachment("d", "Leaf", "f", ("c", "r"), {"point3f physics:centerOfMass": "(0, 0, 0.5)"}),
    remedy=_CABLE,
)


def _displaced(tendon: SpatialTendon, positions: Sequence[Vec3], meters: float) -> Iterator[Finding]:
    """Attachments that are elsewhere than their localPos says."""
    for item, position in zip(tendon.attachments, positions, strict=True):
        distance = math.dist(position, item.local_position)
        if distance * meters > _TOLERANCE:
            message = f"{distance:.4g} from where it is in the link's own frame"
            yield MASS_FRAME.at(item.path, item.prefix + "localPos", message)


REST_FROM_POSE = Rule("tendon/rest-from-pose", "warning", """
    Rest length of other poses than the start

    A restLength that is not authored, or below 0, stands for the geared length between the authored poses of the links.
    Joints then put the links elsewhere where their states or frames say so, and the tendon starts with a force.

    Measured: A slider posed at 0.5 whose joint state is 1 is pulled with 0.04995 by a tendon of stiffness 10, and not
    at all where its state is 0.5. (`experiments/measure_tendon_rules.py`)
    """,
    why="PhysX measures it before joint states and joint frames place the links, and with localPos in the links' own "
        "frames, so the tendon starts with a force",
    example=_ROOT + usda.attachment("d", "Leaf", "f", ("c", "r"), usda.transform(translate="(0, 0, 1)")),
    remedy=_CABLE,
)


def _stretched(tendon: SpatialTendon, points: Sequence[Vec3], meters: float) -> Iterator[Finding]:
    """Ends that start with a force because their rest length is another one than the length at the start."""
    for item, length in zip(tendon.attachments, geared_lengths(tendon.attachments, points), strict=True):
        if item.rest_from_poses and tendon.stiffness > 0.0 and abs(length - item.rest_length) * meters > _TOLERANCE:
            yield REST_FROM_POSE.at(
                item.path, item.prefix + "restLength",
                f"no rest length: {item.rest_length:.4g} between the authored poses, while the tendon starts at "
                f"{length:.4g}",
                fix=f"pose the links where their joints put them, or author restLength, {length:.6g} for no force",
            )


@finder("attachments", ZERO_LENGTH, MASS_FRAME, REST_FROM_POSE)
def attachments(description: Description) -> Iterator[Finding]:
    """Attachments that are elsewhere than authored, or apart by another length."""
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
    Tendon schemas that share their properties

    Schemas of the tendon family on one prim with one instance name share the namespace physxTendon:<name>: and with it
    one set of values. PhysX takes the first of root, leaf and plain attachment and refuses the others with an error. On
    a joint it takes the root axis and says nothing, which is a warning.

    Measured: With a plain attachment of the leaf's name on its link the slider moves as without, and PhysX logs more
    than one instance. With a root attachment of that name it makes two tendons, and the slider keeps velocity 0. A
    plain axis beside a root axis changes nothing. (`experiments/measure_tendon_topology.py`)
    """,
    example=_ROOT + usda.attachment("d", "Leaf", "f", ("c", "r"), {}, "PhysxTendonAttachmentAPI:f"),
    remedy=_CABLE,
)

SEVERAL_PARENTS = ReaderRule("tendon/several-parents", "warning", """
    Attachment with several parents

    parentLink has more than one target; PhysX takes the first.

    Measured: With parents base and l1 the slider is pulled as with base alone; with l1 and base it keeps velocity 0.
    PhysX warns that it uses the first. (`experiments/measure_tendon_topology.py`)
    """,
    example=_ROOT + usda.attachment("d", "Leaf", "f", ("c", "r"), {
        "rel physxTendon:f:parentLink": "[</Robot/c>, </Robot/b>]"}),
    remedy=_CABLE,
)

NO_LEAF = ReaderRule("tendon/no-leaf", "error", """
    Branch of a spatial tendon without a leaf

    A branch of a spatial tendon ends in an attachment that is no leaf. PhysX logs an error and pulls there with a rest
    length of 0; with a limitStiffness above 0 the motion becomes NaN. A root attachment alone pulls on nothing.

    Measured: A path without a leaf pulls with -0.09997 at stiffness 10 and rest length 0; with a limitStiffness of 10
    the velocity is NaN. (`experiments/measure_tendon_rules.py`)
    """,
    example=_ROOT + usda.attachment("d", "", "m", ("c", "r")),
    remedy=_CABLE,
)

TENDON_CYCLE = ReaderRule("tendon/cycle", "error", """
    Attachments in a ring

    The parents of an attachment lead back to itself, so no root attachment reaches it.

    Measured: A leaf below two attachments that name each other, or below one that names itself, leaves velocity 0;
    PhysX warns of each that its parent could not be found. (`experiments/measure_tendon_topology.py`)
    """,
    example=_CABLE + usda.attachment("e", "", "m", ("g", "n")) + usda.attachment("g", "", "n", ("e", "m")),
    remedy=_CABLE + usda.attachment("e", "", "m", ("c", "r")) + usda.attachment("g", "Leaf", "n", ("e", "m")),
)

NO_PARENT = ReaderRule("tendon/no-parent", "error", """
    Attachment without an existing parent

    parentLink and parentAttachment name no attachment of this articulation.

    Measured: With parentAttachment misspelt the slider keeps velocity 0. (`experiments/measure_tendon_topology.py`)
    """,
    example=_ROOT + usda.attachment("d", "Leaf", "f", ("c", "root")),
    remedy=_CABLE,
)

LEAF_PARENT = ReaderRule("tendon/leaf-parent", "error", """
    Leaf attachment named as a parent

    A leaf ends a spatial tendon; what names it as its parent is dropped.

    Measured: An attachment that names a leaf as its parent pulls on nothing. (`experiments/measure_tendon_topology.py`)
    """,
    example=_CABLE + usda.attachment("e", "Leaf", "h", ("d", "f")),
    remedy=_CABLE + usda.attachment("e", "Leaf", "h", ("c", "r")),
)

UNREACHED = ReaderRule("tendon/unreached", "error", """
    Attachment that no root reaches

    The parents of an attachment end before a root attachment.

    Measured: A leaf below an attachment whose parent is missing leaves velocity 0; below a root it gets -0.1998.
    (`experiments/measure_tendon_topology.py`)
    """,
    example=_CABLE + usda.attachment("e", "", "m", ("c", "x")) + usda.attachment("g", "Leaf", "h", ("e", "m")),
    remedy=_CABLE + usda.attachment("e", "", "m", ("c", "r")) + usda.attachment("g", "Leaf", "h", ("e", "m")),
)
