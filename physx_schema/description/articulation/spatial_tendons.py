"""Spatial tendons: trees of attachments on links, from each root attachment to its leaves."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

from physx_schema.definitions import float_fields
from physx_schema.description.frames import composed, scaled
from physx_schema.description.model import Attachment, Link, SpatialTendon
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext, path_key
from physx_schema.description.opinions.view import SchemaView
from physx_schema.description.records import IDENTITY_POSE, Vec3

_ROOT = "PhysxTendonAttachmentRootAPI"
_LEAF = "PhysxTendonAttachmentLeafAPI"
_VIA = "PhysxTendonAttachmentAPI"
_KINDS = (_ROOT, _LEAF, _VIA)     # the order in which PhysX reads the attachments of one link

_Key = tuple[str, str]       # prim path, instance name


@dataclass(frozen=True, slots=True)
class _Declared:
    """An attachment as authored."""

    opinions: PrimOpinions
    schema: str
    name: str
    parent: _Key

    @property
    def key(self) -> _Key:
        """Prim path and instance name."""
        return self.opinions.path, self.name


def read_spatial_tendons(context: ReadContext, links: Sequence[Link]) -> tuple[SpatialTendon, ...]:
    """The spatial tendons whose root attachment is on a link of this articulation, in PhysX's solve order.

    Links come by path backwards; on one link root, leaf and other attachments in this order, each kind by name.
    Children of one attachment follow the same order, depth first.
    """
    if not any(map(context.has_schema, _KINDS)):
        return ()
    index = {link.path: position for position, link in enumerate(links)}
    paths = sorted(index, key=path_key, reverse=True)
    declared = [item for path in paths for item in _declared(context, context.prims[path])]
    children: dict[_Key, list[_Declared]] = {}
    for item in declared:
        if item.schema != _ROOT:
            children.setdefault(item.parent, []).append(item)
    tendons = []
    reachable: set[_Key] = set()
    for item in declared:
        if item.schema == _ROOT:
            chain = _chain(context, item, children)
            reachable.update(member.key for member, _ in chain)
            tendons.append(_tendon(context, item, chain, index, links))
    _report_unreached(context, declared, reachable)
    return tuple(tendons)


def _declared(context: ReadContext, opinions: PrimOpinions) -> list[_Declared]:
    """Attachments applied to a prim in PhysX's order; a name counts once, for the first kind that has it."""
    attachments: dict[str, _Declared] = {}
    for schema, name in ((kind, name) for kind in _KINDS for name in sorted(opinions.instances(kind))):
        if name in attachments:
            context.problem(
                "tendon/shared-prefix", opinions.path, f"physxTendon:{name}:gearing",
                f"{attachments[name].schema}:{name} and {schema}:{name} are on one prim and share their properties",
                f"PhysX uses {attachments[name].schema}:{name} and ignores the other attachment",
                "give one of the two attachments another instance name",
            )
            continue
        view = opinions.view(schema, name)
        links = view.targets("parentLink") if schema != _ROOT else ()
        attachments[name] = _Declared(opinions, schema, name, (links[0] if links else "", _parent_name(view, schema)))
        if len(links) > 1:
            context.problem(
                "tendon/several-parents", opinions.path, view.name("parentLink"),
                f"the relationship has {len(links)} targets",
                f"PhysX uses the first, {links[0]}", "keep one target", "warning",
            )
    return list(attachments.values())


def _parent_name(view: SchemaView, schema: str) -> str:
    return view.token("parentAttachment") if schema != _ROOT else ""


def _chain(
    context: ReadContext, root: _Declared, children: Mapping[_Key, Sequence[_Declared]],
) -> list[tuple[_Declared, int]]:
    """Attachments from a root down with the index of their parent, depth first."""
    chain: list[tuple[_Declared, int]] = []
    stack = [(root, -1)]
    while stack:
        item, parent = stack.pop()
        chain.append((item, parent))
        following = children.get(item.key, ())
        if item.schema == _LEAF:
            continue
        if not following:
            _report_no_leaf(context, item)
        stack.extend((child, len(chain) - 1) for child in reversed(following))
    return chain


def _tendon(
    context: ReadContext, root: _Declared, chain: Sequence[tuple[_Declared, int]], index: Mapping[str, int],
    links: Sequence[Link],
) -> SpatialTendon:
    view = root.opinions.view(_ROOT, root.name)
    parents = {parent for _, parent in chain}
    attachments = [_attachment(context, item, parent, index, end=parent >= 0 and position not in parents)
                   for position, (item, parent) in enumerate(chain)]
    return SpatialTendon(
        path=root.opinions.path, name=root.name, prefix=view.prefix, attachments=_with_rest_lengths(attachments, links),
        enabled=view.flag("tendonEnabled"), **{fact: view.clamped(base) for fact, base in float_fields(_ROOT).items()},
    )


def _attachment(context: ReadContext, item: _Declared, parent: int, index: Mapping[str, int], end: bool) -> Attachment:
    """The attachment; PhysX pulls at every end of a path, and where that is no leaf with a rest length of 0."""
    view = item.opinions.view(item.schema, item.name)
    leaf = item.schema == _LEAF
    lengths = context.frames.lengths(item.opinions.prim, item.opinions.path)
    lower = view.number("lowerLimit") if leaf else float("-inf")
    return Attachment(
        path=item.opinions.path, name=item.name, prefix=view.prefix, link=index[item.opinions.path],
        local_position=scaled(view.vector("localPos"), lengths),
        gearing=1.0 if item.schema == _ROOT else view.number("gearing"), parent=parent, leaf=end,
        rest_length=view.number("restLength") if leaf else 0.0,
        lower_limit=lower, upper_limit=view.number("upperLimit", lower) if leaf else float("inf"),
    )


def position_in_link(link: Link, attachment: Attachment) -> Vec3:
    """Where PhysX attaches: localPos counts from the link's centre of mass, along the principal axes of its inertia."""
    return composed((link.center_of_mass, link.principal_axes), (attachment.local_position, IDENTITY_POSE[1]))[0]


def geared_lengths(attachments: Sequence[Attachment], points: Sequence[Vec3]) -> list[float]:
    """The length from the root to each attachment, offset left out; `points` are the attachments in the world."""
    lengths: list[float] = []
    for item, point in zip(attachments, points, strict=True):
        lengths.append(0.0 if item.parent < 0 else
                       lengths[item.parent] + item.gearing * math.dist(point, points[item.parent]))
    return lengths


def _with_rest_lengths(attachments: Sequence[Attachment], links: Sequence[Link]) -> tuple[Attachment, ...]:
    """The attachments with the lengths that rest lengths below 0 stand for.

    PhysX measures them while the links are still where they are authored, before joint states and frames place them,
    and between the places that localPos has in the links' own frames, although the tendon acts in the mass frames.
    """
    points = [composed(links[item.link].pose, (item.local_position, IDENTITY_POSE[1]))[0] for item in attachments]
    return tuple(replace(item, rest_length=length, rest_from_poses=True) if item.leaf and item.rest_length < 0.0
                 else item for item, length in zip(attachments, geared_lengths(attachments, points), strict=True))


def _report_no_leaf(context: ReadContext, item: _Declared) -> None:
    context.problem(
        "tendon/no-leaf", item.opinions.path, f"physxTendon:{item.name}:parentAttachment",
        f"this attachment is not a leaf, and no attachment names {item.name!r} on {item.opinions.path} as its parent",
        "PhysX makes a tendon without an end, which exerts no force" if item.schema == _ROOT else
        "PhysX ends the tendon here with a rest length of 0 and no limits; a limitStiffness above 0 makes the motion "
        "NaN",
        f"apply {_LEAF} to the last link, with parentLink {item.opinions.path} and parentAttachment {item.name!r}",
    )


def _report_unreached(context: ReadContext, declared: Sequence[_Declared], reachable: set[_Key]) -> None:
    by_key = {item.key: item for item in declared}
    for item in declared:
        if item.key in reachable:
            continue
        cycle = _cycle(item, by_key)
        name = f"physxTendon:{item.name}:parentAttachment"
        if cycle:
            context.problem(
                "tendon/cycle", item.opinions.path, name,
                "the parents of this attachment form a cycle: " + " -> ".join(cycle),
                "PhysX never reaches the attachment from a root attachment",
                "set parentAttachment of one attachment in the cycle to the root attachment",
            )
        elif item.parent not in by_key:
            _report_unknown_parent(context, item, list(by_key))
        elif by_key[item.parent].schema == _LEAF:
            context.problem(
                "tendon/leaf-parent", item.opinions.path, name, f"the parent attachment {_text(item.parent)} is a leaf",
                "PhysX ends the tendon at a leaf and drops the attachments below it",
                f"replace {_LEAF}:{item.parent[1]} by {_VIA}:{item.parent[1]}",
            )
        else:
            context.problem(
                "tendon/unreached", item.opinions.path, name,
                f"the parent attachment {_text(item.parent)} is not connected to a root attachment",
                "PhysX drops the attachment", "connect the parent attachment to a root attachment",
            )


def _report_unknown_parent(context: ReadContext, item: _Declared, keys: Sequence[_Key]) -> None:
    link, parent = item.parent
    names = sorted({name for path, name in keys if path == link} or {name for _, name in keys if name != item.name})
    close = get_close_matches(parent, names, 1, 0.5) or names[:1]
    suggestion = f"; did you mean {close[0]!r}?" if close else ""
    elsewhere = link in context.prims and any(context.prims[link].has(kind, parent) for kind in _KINDS if parent)
    missing = "the attachment has no parentLink" if not link else f"there is no attachment {parent!r} on {link}"
    if elsewhere:
        missing = f"the parent attachment {_text(item.parent)} is not on a link of this articulation"
    prop = "parentLink" if not link else "parentAttachment"
    context.problem(
        "tendon/no-parent", item.opinions.path, f"physxTendon:{item.name}:{prop}", missing,
        "PhysX drops the attachment, and the tendon has no end here",
        f"author parentLink and parentAttachment{suggestion}",
    )


def _cycle(item: _Declared, by_key: Mapping[_Key, _Declared]) -> list[str]:
    """The way from an attachment back to itself, empty where its parents end somewhere."""
    path = [item.key]
    current = by_key.get(item.parent)
    while current is not None and current.key not in path:
        path.append(current.key)
        current = by_key.get(current.parent)
    return [_text(key) for key in (*path, item.key)] if current is not None and current.key == item.key else []


def _text(key: _Key) -> str:
    return f"{key[0]}:{key[1]}"
