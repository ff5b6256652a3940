"""Spatial tendons from links, points on them and numbers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from physx_generated import PhysxTendonAttachmentAPI, PhysxTendonAttachmentLeafAPI, PhysxTendonAttachmentRootAPI
from pxr import Usd

from physx_schema.arguments import display
from physx_schema.authoring.articulations import Topology, disabled
from physx_schema.authoring.fixed_tendons import (
    ATTACHMENTS,
    AXIS_SCHEMAS,
    NAMESPACE,
    gain_problems,
    is_nonzero,
    limit_problems,
)
from physx_schema.authoring.prims import (
    Application,
    PrimLike,
    apply_all,
    as_vector,
    conflicts,
    find_prims,
    is_finite,
    not_none,
    refuse,
    require_name,
)
from physx_schema.checking.rules.tendon_attachments import SHORTEST_SEGMENT
from physx_schema.definitions import default_number
from physx_schema.description.frames import Frames
from physx_schema.description.records import Vec3
from physx_schema.errors import AuthoringError


@dataclass(frozen=True, slots=True)
class Attachment:
    """A point of a spatial tendon below its root, with its children. An attachment without children is a leaf.

    You can also give a plain tuple in the order of the fields.

    - `position`: point in the link's local coordinates, not multiplied by the link's scale
    - `gearing`: the tendon's length includes gearing times the distance to the parent attachment
    - `rest_length`: only for a leaf; tendon length without a force; None means the length in the authored poses
    - `lower`, `upper`: only for a leaf; limits of the tendon's length; None means no limit
    """

    link: PrimLike
    position: Vec3                      # in the link's frame, in the link's own (scaled) lengths
    gearing: float = default_number("PhysxTendonAttachmentAPI", "gearing")      # of the distance to the parent
    children: Sequence[Attachment | tuple[Any, ...]] = ()
    rest_length: float | None = None    # leaf only: length at which it is slack; the length as posed where None
    lower: float | None = None          # leaf only: length, no limit where None
    upper: float | None = None          # leaf only: length, no limit where None


@dataclass(frozen=True, slots=True)
class _Point:
    """An attachment placed in the list of all, the root first."""

    attachment: Attachment
    prim: Usd.Prim
    name: str                           # instance name
    parent: int                         # index, -1 for the root

    @property
    def path(self) -> str:
        """Path of the link."""
        return str(self.prim.GetPath())

    @property
    def where(self) -> str:
        """What the names of its properties begin with."""
        return f"{self.path}.{NAMESPACE}:{self.name}"


def spatial_tendon(
    stage: Usd.Stage, name: str, root: tuple[PrimLike, Vec3],
    attachments: Sequence[Attachment | tuple[Any, ...]], *,
    stiffness: float | None = None, damping: float | None = None, offset: float | None = None,
    limit_stiffness: float | None = None,
) -> PhysxTendonAttachmentRootAPI:
    """Author a spatial tendon: from a point on the root's link through points on other links to one or more leaves.

    ``length at a leaf = offset + sum from root to leaf of gearing[i] * distance to the parent``
    ``pull = stiffness * (length - rest_length) + damping * rate + limit_stiffness * excess``

    PhysX treats each leaf as a separate tendon. Only two links get a force: the root's link along the first segment,
    and the leaf's link along the last segment.

    - `root`: a link and a point on it
    - `attachments`: the attachments below the root, each with its children
    - `stiffness`, `limit_stiffness`: in force / length
    - `damping`: in force time / length
    - `offset`: a length

    Omitted values are not written and keep their defaults: gains of 0, no limits, and the length in the authored poses
    as rest length.

    Writes PhysxTendonAttachmentRootAPI:<name> on the root's link. The other attachments have the names <name>_1,
    <name>_2 … depth first: PhysxTendonAttachmentLeafAPI on leaves and PhysxTendonAttachmentAPI in between. Returns the
    root schema; its `set` changes values later.

    Raises AuthoringError and writes nothing for values that PhysX drops or ignores, with one line per problem.

    Example::

        spatial_tendon(stage, "band", ("/Finger/palm", (0.0, 0.0, 0.008)),
                       [Attachment("/Finger/middle", (0.0, 0.0, 0.008))], stiffness=20.0, damping=0.1)
    """
    start, flat = _root(name, root), list(_flatten(name, attachments))
    if not flat:
        raise AuthoringError(f"{_label(name)}: there are no attachments, and the tendon has no leaf; give at least "
                             "one attachment")
    prims = find_prims(stage, [start.link, *(attachment.link for attachment, _ in flat)])
    first = _Point(start, prims[0], name, -1)
    points = [first, *(_Point(attachment, prim, f"{name}_{index}", parent) for index, ((attachment, parent), prim)
                       in enumerate(zip(flat, prims[1:], strict=True), 1))]
    values = not_none(stiffness=stiffness, damping=damping, offset=offset, limitStiffness=limit_stiffness)
    applications = [Application(
        PhysxTendonAttachmentRootAPI, first.prim, name, {"localPos": first.attachment.position, **values})]
    applications += [_application(point, points[point.parent]) for point in points[1:]]
    problems = gain_problems(first.where, stiffness, damping, limit_stiffness)
    problems += _limit_problems(points, limit_stiffness) + _topology_problems(Topology(stage), points)
    authored: PhysxTendonAttachmentRootAPI = apply_all(applications, [*problems, *_segment_problems(points)])[0]
    return authored


def _label(name: str) -> str:
    return f"spatial tendon {display(name)}"


def _root(name: str, root: object) -> Attachment:
    """The root as an attachment. Raises AuthoringError for what is no pair of link and point."""
    require_name(name, "spatial tendon")
    where = _label(name)
    if not isinstance(root, tuple) or len(root) != 2:
        raise AuthoringError(f"{where}: root {display(root)} is not a link with a point on it; give "
                             "(link, (x, y, z))")
    return Attachment(*root)


def _attachments(name: str, items: object) -> list[Attachment]:
    """Attachments, of which some were given as tuples. Raises AuthoringError for anything else, a line each."""
    where = _label(name)
    if not isinstance(items, list | tuple):
        raise AuthoringError(f"{where}: attachments {display(items)} are not a list; give "
                             "[Attachment(link, position), ...]")
    fields = len(dataclasses.fields(Attachment))
    refuse(f"{where}: {display(item)} is not an attachment; give Attachment(link, position)" for item in items
           if not isinstance(item, Attachment) and not (isinstance(item, tuple) and 2 <= len(item) <= fields))
    return [item if isinstance(item, Attachment) else Attachment(*item) for item in items]


def _flatten(name: str, attachments: object) -> Iterator[tuple[Attachment, int]]:
    """Every attachment with the index of its parent, depth first; the root has index 0."""
    count = 0
    stack = [(attachment, 0) for attachment in reversed(_attachments(name, attachments))]
    while stack:
        attachment, parent = stack.pop()
        count += 1
        yield attachment, parent
        stack += [(child, count) for child in reversed(_attachments(name, attachment.children))]


def _application(point: _Point, parent: _Point) -> Application:
    attachment = point.attachment
    leaf = not_none(restLength=attachment.rest_length, lowerLimit=attachment.lower, upperLimit=attachment.upper)
    return Application(
        PhysxTendonAttachmentAPI if attachment.children else PhysxTendonAttachmentLeafAPI, point.prim, point.name,
        {
            "localPos": attachment.position, "gearing": attachment.gearing, "parentLink": parent.prim,
            "parentAttachment": parent.name, **({} if attachment.children else leaf),
        },
    )


def _limit_problems(points: Sequence[_Point], limit_stiffness: float | None) -> list[str]:
    """Lines for leaf values that nothing reads, and for limits without a stiffness or the other way round."""
    lines = []
    leaves = [point.attachment for point in points[1:] if not point.attachment.children]
    if not any(leaf.lower is not None or leaf.upper is not None for leaf in leaves):
        lines += limit_problems(points[0].where, limit_stiffness, None, None)
    for point in points[1:]:
        attachment = point.attachment
        authored = not_none(rest_length=attachment.rest_length, lower=attachment.lower, upper=attachment.upper)
        if attachment.children:
            lines += [f"{point.where}: {word} is {display(value)} on an attachment with children, and only leaves use "
                      f"{word}; give {word} to the leaves below this attachment" for word, value in authored.items()]
            continue
        if is_finite(attachment.rest_length) and attachment.rest_length < 0.0:
            lines.append(f"{point.where}:restLength: {attachment.rest_length:g} is negative, and PhysX uses the "
                         "length in the authored poses instead; omit rest_length, or give a length of at least 0")
        if not is_nonzero(limit_stiffness):
            lines += limit_problems(points[0].where, limit_stiffness, attachment.lower, attachment.upper)
    return lines


def _topology_problems(topology: Topology, points: Sequence[_Point]) -> list[str]:
    """Lines for links that are no links of one articulation, for names in use and for paths that stay on one link."""
    lines: list[str] = []
    root = topology.of_body(points[0].path)
    for point in points:
        lines += conflicts(point.prim, NAMESPACE, AXIS_SCHEMAS + ATTACHMENTS, point.name)
        node = topology.of_body(point.path)
        if not point.prim.HasAPI("PhysicsRigidBodyAPI"):
            lines.append(f"{point.path}: the prim has no PhysicsRigidBodyAPI, and only links have attachments; give a "
                         "link")
        elif node is None:
            lines.append(f"{point.path}: the body is not in an articulation; connect it by joints, and apply "
                         "PhysicsArticulationRootAPI to a prim above it")
        elif root is not None and node.tree is not root.tree:
            lines.append(f"{point.path}: the link is in another articulation than {points[0].path}; a tendon needs "
                         "links of one articulation")
        else:
            lines += filter(None, [disabled(node, point.path)])
    for point in points[1:]:
        if not point.attachment.children and {other.path for other in _path_to_root(points, point)} == {point.path}:
            lines.append(f"{point.where}: all attachments from the root to this leaf are on {point.path}, and the "
                         "tendon's length never changes; put the root or the leaf on another link")
    return lines


def _path_to_root(points: Sequence[_Point], point: _Point) -> Iterator[_Point]:
    """A point and its ancestors up to the root."""
    while point.parent >= 0:
        yield point
        point = points[point.parent]
    yield point


def _segment_problems(points: Sequence[_Point]) -> list[str]:
    """Lines for segments too short to have a direction where the links stand now."""
    frames = Frames()
    local = [as_vector(point.attachment.position) for point in points]
    world = [frames.matrix(point.prim).Transform(position) if position else None
             for point, position in zip(points, local, strict=True)]
    lines = []
    for point, position in zip(points[1:], world[1:], strict=True):
        end = world[point.parent]
        length = math.dist(position, end) if position and end else math.inf
        if length <= SHORTEST_SEGMENT:
            lines.append(f"{point.where}:localPos: the parent attachment is {length:g} away, and PhysX applies no "
                         f"force to a segment of {SHORTEST_SEGMENT:g} or less; move one of the two attachments")
    return lines
