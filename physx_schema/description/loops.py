"""Joints outside articulations that close loops: what they hold is held together without them as well."""

from __future__ import annotations

from collections.abc import Mapping

from physx_schema.description.model import Description, OutsideJoint

WITHOUT_ANCHORS = frozenset({"distance", "gear", "rack"})   # kinds that hold no two frames together
_WORLD = ""
_Edges = Mapping[str, list[tuple[str, str]]]                # thing -> (joint, thing at its other end)


def looped_joints(description: Description) -> frozenset[str]:
    """Paths of the joints in a loop through articulations, bodies or the world; kinematic bodies count as the world."""
    edges: dict[str, list[tuple[str, str]]] = {}
    found, things = set(), _things(description)
    for joint in description.separate_joints:
        if joint.kind not in WITHOUT_ANCHORS:
            first, second = (things.get(body, _WORLD) for body in (joint.body0, joint.body1))
            edges.setdefault(first, []).append((joint.path, second))
            edges.setdefault(second, []).append((joint.path, first))
            if first == second:
                found.add(joint.path)
    paths = {path for ends in edges.values() for path, _ in ends}
    return frozenset(found | (paths - _bridges(edges)))


def why_outside(description: Description, joint: OutsideJoint) -> str:
    """Why PhysX solves a joint outside articulations."""
    owners = {link.path: item for item in description.articulations if item.enabled for link in item.links}
    first, second = (owners.get(body) for body in (joint.body0, joint.body1))
    if joint.kind in WITHOUT_ANCHORS:
        return f"articulations have no {joint.kind} joints"
    if any(joint in item.loose_joints for item in description.articulations):
        return "its articulation is not enabled"
    if first is None and second is None:
        return "neither end is a link of an articulation"
    if any(item.path == joint.path and item.base == "excludeFromArticulation" and item.value
           for item in description.authored):
        return "physics:excludeFromArticulation is set"
    if first is not None and second is not None:
        return "its links have a joint already" if first is second else "it joins two articulations"
    articulation = first or second
    if {joint.body0, joint.body1} & set(description.body_paths) - owners.keys():
        return "one end is no link of an articulation"
    if articulation is not None and articulation.fixed_base:
        return "another joint fixes the base already"
    return "the base floats: the root API is on a body, not on this joint or above the bodies"


def _things(description: Description) -> dict[str, str]:
    """What moves as one with respect to loops: by body, its articulation, itself, or the world."""
    found = {body.path: _WORLD if body.kinematic else body.path for body in description.separate_bodies}
    for item in description.articulations:
        if item.enabled:
            found |= dict.fromkeys((link.path for link in item.links),
                                   _WORLD if item.fixed_base else item.links[0].path)
    return found


def _bridges(edges: _Edges) -> set[str]:
    """The joints without which what they hold falls apart (Tarjan), of a graph of things."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    found: set[str] = set()
    for root in edges:
        if root in order:
            continue
        order[root] = lowest[root] = len(order)
        stack = [(root, "", iter(edges[root]))]
        while stack:
            thing, by, rest = stack[-1]
            for path, other in rest:
                if path == by:
                    continue
                if other in order:
                    lowest[thing] = min(lowest[thing], order[other])
                    continue
                order[other] = lowest[other] = len(order)
                stack.append((other, path, iter(edges[other])))
                break
            else:
                stack.pop()
                if stack:
                    above = stack[-1][0]
                    lowest[above] = min(lowest[above], lowest[thing])
                    if lowest[thing] > order[above]:
                        found.add(by)
    return found
