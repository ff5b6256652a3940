"""The smallest loop that a joint closes."""

from __future__ import annotations

from collections import deque

from physx_schema.description.articulation.body_graph import BodyGraph
from physx_schema.description.articulation.joints import TREE_KINDS, AuthoredJoint

_LARGEST = 20_000       # bodies looked at; what is longer is no loop that a person can follow


def shortest_cycle(graph: BodyGraph, joint: AuthoredJoint) -> list[str]:
    """Paths of the joints of the shortest loop through a joint, that joint last; itself alone where none is found."""
    start, goal = joint.ends[0].body, joint.ends[1].body
    found: dict[str, AuthoredJoint] = {}
    seen = {start}
    queue = deque([start])
    while queue and goal not in found and len(seen) < _LARGEST:
        body = queue.popleft()
        for other in graph.joints_of(body):
            end = other.other(body)
            if other is joint or other.excluded or other.kind not in TREE_KINDS or end in seen:
                continue
            seen.add(end)
            if end in graph.roster.scenes:
                found[end] = other
                queue.append(end)
    cycle = [joint.path]
    while goal != start and goal in found:
        cycle.append(found[goal].path)
        goal = found[goal].other(goal)
    return cycle[::-1]
