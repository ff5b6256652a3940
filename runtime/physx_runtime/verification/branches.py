"""Articulations in branches: what hangs on the root and moves by itself while the root is held.

On a held base nothing passes from one branch to another, unless a tendon or a mimic joint ties them. So each is
measured alone, and of those that are alike, such as the fingers of a hand, only the first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from physx_schema.description.model import Articulation, Link

# What differs between branches that are alike: names, and where they stand.
_NAMES = frozenset({"path", "name", "prefix", "pose", "body0", "body1"})


def branches(articulation: Articulation) -> list[Articulation]:
    """The articulation's branches, each with the root, in the order of their first links; together they have it all."""
    tops = _tops(articulation)
    groups = _tied(articulation, tops)
    if len(groups) < 2:
        return [articulation]
    return [_branch(articulation, [i for i, top in enumerate(tops) if i == 0 or top in group]) for group in groups]


def like(articulation: Articulation, branch: Articulation) -> Articulation | None:
    """The branch of an articulation that has the links of another one; None where there is none."""
    paths = {link.path for link in branch.links}
    return next((own for own in branches(articulation) if {link.path for link in own.links} == paths), None)


def likeness(branch: Articulation) -> object:
    """What branches have in common that are alike but for names and the places where they hang on the root."""
    root, *others = branch.links
    at_root = bool(branch.spatial_tendons)      # which may be fastened to the root
    links = [link if at_root or link.parent or link.joint is None else
             replace(link, joint=replace(link.joint, parent_frame=root.pose, authored_rotations=None))
             for link in others]
    return _canonical((replace(branch, links=()), links))


def renamed(text: str, first: Articulation, other: Articulation) -> str:
    """A sentence about a branch as one about another that is like it."""
    names = dict(zip(_paths(first.links), _paths(other.links), strict=True))
    pattern = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    return re.sub(rf"(?:{pattern})(?![\w/])", lambda found: names[found.group()], text)


def _paths(links: Sequence[Link]) -> list[str]:
    return [path for link in links for path in (link.path, *([link.joint.path] if link.joint else []))]


def _canonical(value: Any) -> object:
    """Numbers without names."""
    if is_dataclass(value):
        return tuple(_canonical(getattr(value, item.name)) for item in fields(value) if item.name not in _NAMES)
    return tuple(map(_canonical, value)) if isinstance(value, list | tuple) else value


def _tops(articulation: Articulation) -> list[int]:
    """Of every link the child of the root that carries it; 0 of the root."""
    tops = [0]
    for i, link in enumerate(articulation.links[1:], 1):
        tops.append(tops[link.parent] or i)
    return tops


def _tied(articulation: Articulation, tops: Sequence[int]) -> list[set[int]]:
    """The root's children in groups that tendons and mimic joints tie together."""
    owners = [i for i, link in enumerate(articulation.links) if link.joint for _ in link.joint.dofs]
    ties: list[Iterable[int]] = [[axis.dof for axis in tendon.axes] for tendon in articulation.fixed_tendons]
    ties += [(mimic.follower, mimic.reference) for mimic in articulation.mimics]
    tied = [{tops[owners[dof]] for dof in tie} for tie in ties]
    tied += [{tops[attachment.link] for attachment in tendon.attachments} - {0}
             for tendon in articulation.spatial_tendons]
    groups = [{top} for top in dict.fromkeys(tops) if top]
    for tie in tied:
        joined = [group for group in groups if group & tie]
        groups = [group for group in groups if not group & tie] + ([set().union(*joined)] if joined else [])
    return sorted(groups, key=min)


def _branch(articulation: Articulation, kept: Sequence[int]) -> Articulation:
    """The articulation with these links alone."""
    place = {link: i for i, link in enumerate(kept)}
    dofs = [(i, dof) for i, link in enumerate(articulation.links) if link.joint for dof in link.joint.dofs]
    own = {dof: i for i, dof in enumerate(k for k, (link, _) in enumerate(dofs) if link in place)}
    return replace(
        articulation,
        links=tuple(_placed(articulation.links[i], place) for i in kept),
        fixed_tendons=tuple(
            replace(tendon, axes=tuple(replace(axis, dof=own[axis.dof]) for axis in tendon.axes))
            for tendon in articulation.fixed_tendons if tendon.axes[0].dof in own),
        spatial_tendons=tuple(
            replace(tendon, attachments=tuple(replace(item, link=place[item.link]) for item in tendon.attachments))
            for tendon in articulation.spatial_tendons
            if all(item.link in place for item in tendon.attachments)),
        mimics=tuple(replace(mimic, follower=own[mimic.follower], reference=own[mimic.reference])
                     for mimic in articulation.mimics if mimic.follower in own))


def _placed(link: Link, place: Mapping[int, int]) -> Link:
    """The link with indices of the branch."""
    if link.joint is None:
        return link
    joint = replace(link.joint, parent=place[link.joint.parent], child=place[link.joint.child])
    return replace(link, parent=place[link.parent], joint=joint)
