"""The graph of bodies and joints from which PhysX chooses the root of an articulation."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from physx_schema.description.articulation.joints import AuthoredJoint
from physx_schema.description.body_registry import BodyRegistry
from physx_schema.description.model.joint import TREE_KINDS

_WORLD_WEIGHT = 100_000
_EXCLUDED_WEIGHT = 1_000
_JOINT_WEIGHT = 100
_LARGEST = 20_000       # bodies looked at; what is longer is no loop that a person can follow


class BodyGraph:
    """Rigid bodies and the enabled joints between them."""

    def __init__(self, registry: BodyRegistry, joints: Iterable[AuthoredJoint]) -> None:
        self.registry = registry
        self._joints: dict[str, list[AuthoredJoint]] = {}
        self._to_world: set[str] = set()            # paths of joints
        self._adjacent: dict[str, list[str]] = {}  # bodies that a body's joints hold within an articulation
        for joint in sorted((joint for joint in joints if joint.enabled), key=lambda joint: joint.order):
            self._add(joint)

    def _add(self, joint: AuthoredJoint) -> None:
        first, second = joint.ends[0].body, joint.ends[1].body
        inside = self.registry.is_dynamic(first) and self.registry.is_dynamic(second)
        if not inside:
            self._to_world.add(joint.path)
        for body, other in {first: second, second: first}.items():
            if body in self.registry.scenes:
                self._joints.setdefault(body, []).append(joint)
                if inside and not joint.excluded:
                    self._adjacent.setdefault(body, []).append(other)

    def joints_of(self, body: str) -> list[AuthoredJoint]:
        """Enabled joints at a body, in PhysX's order."""
        return self._joints.get(body, [])

    def to_world(self, joint: AuthoredJoint) -> bool:
        """Whether one side of an enabled joint is the world or a body that does not move by forces."""
        return joint.path in self._to_world

    def dynamic_body_of(self, joint: AuthoredJoint) -> str:
        """The moving body at one end of a joint to the world, "" where there is none."""
        return next((end.body for end in reversed(joint.ends) if self.registry.is_dynamic(end.body)), "")

    def components(self, starts: Iterable[str]) -> Iterator[Component]:
        """Connected parts that hold the bodies among `starts`, each once, in that order."""
        visited: set[str] = set()
        for start in starts:
            if self.registry.is_dynamic(start) and start not in visited:
                order = self._preorder(start)
                visited.update(order)
                yield Component(self, tuple(order))

    def _preorder(self, start: str) -> Iterable[str]:
        """Depth-first order along joints that belong to the articulation."""
        order: dict[str, None] = {}
        stack = [start]
        while stack:
            body = stack.pop()
            if body not in order:
                order[body] = None
                stack.extend(reversed(self._adjacent.get(body, ())))
        return order


@dataclass(frozen=True, slots=True)
class Component:
    """Bodies connected by joints, in PhysX's depth-first order."""

    graph: BodyGraph
    bodies: tuple[str, ...]

    def base_joint_of(self, body: str) -> AuthoredJoint | None:
        """The last joint in PhysX's order that holds a body to the world."""
        joints = [joint for joint in self.graph.joints_of(body) if not joint.excluded and self.graph.to_world(joint)]
        return joints[-1] if joints else None

    def base_joint(self) -> AuthoredJoint | None:
        """The joint to the world of the heaviest body, where the heaviest has one."""
        best, heaviest = None, -1
        for body in self.bodies:
            joint = self.base_joint_of(body)
            if joint is not None:
                weight = sum(map(self._weight, self.graph.joints_of(body)))
                if weight > heaviest:
                    best, heaviest = joint, weight
        return best

    def _weight(self, joint: AuthoredJoint) -> int:
        if joint.excluded:
            return _EXCLUDED_WEIGHT
        return _WORLD_WEIGHT if self.graph.to_world(joint) else _JOINT_WEIGHT

    def root(self) -> str:
        """The root of a floating articulation: least eccentricity, then most joints, then first in order.

        Where the bodies are nested prims, the outermost is the root whatever the joints say.
        """
        first = self.bodies[0]
        below = first + "/"
        if all(body.startswith(below) for body in self.bodies[1:]):
            return first
        inside = set(self.bodies)
        neighbours = {
            body: [other for joint in self.graph.joints_of(body) if (other := joint.other(body)) in inside]
            for body in self.bodies
        }
        edges = sum(map(len, neighbours.values())) // 2
        distances = _tree_eccentricities(neighbours) if edges < len(self.bodies) else _eccentricities(neighbours)
        rank = {body: position for position, body in enumerate(self.bodies)}
        return min(self.bodies, key=lambda body: (distances[body], -len(self.graph.joints_of(body)), rank[body]))


def _distances(neighbours: dict[str, list[str]], start: str) -> dict[str, int]:
    """Breadth-first distances from a body."""
    distances = {start: 0}
    queue = deque([start])
    while queue:
        body = queue.popleft()
        for other in neighbours[body]:
            if other not in distances:
                distances[other] = distances[body] + 1
                queue.append(other)
    return distances


def _tree_eccentricities(neighbours: dict[str, list[str]]) -> dict[str, int]:
    """In a tree the body farthest from any other is an end of a longest path, so two ends suffice."""
    any_body = next(iter(neighbours))
    first = _farthest(_distances(neighbours, any_body))
    from_first = _distances(neighbours, first)
    from_second = _distances(neighbours, _farthest(from_first))
    return {body: max(from_first[body], from_second[body]) for body in neighbours}


def _farthest(distances: dict[str, int]) -> str:
    return max(distances, key=lambda body: distances[body])


def _eccentricities(neighbours: dict[str, list[str]]) -> dict[str, int]:
    """The depth at which PhysX's depth-first walk from a body reaches others, which in loops is no shortest path."""
    return {body: max(_walk_depths(neighbours, body).values()) for body in neighbours}


def _walk_depths(neighbours: dict[str, list[str]], start: str) -> dict[str, int]:
    depths = {start: 0}
    stack = [(start, iter(neighbours[start]))]
    while stack:
        body, others = stack[-1]
        for other in others:
            if other not in depths:
                depths[other] = depths[body] + 1
                stack.append((other, iter(neighbours[other])))
                break
        else:
            stack.pop()
    return depths


def shortest_cycle(graph: BodyGraph, joint: AuthoredJoint) -> list[str]:
    """Paths of the joints of the shortest loop through a joint, that joint last; itself alone where none is found."""
    start, goal = joint.ends[0].body, joint.ends[1].body
    inbound: dict[str, AuthoredJoint] = {}
    visited = {start}
    queue = deque([start])
    while queue and goal not in inbound and len(visited) < _LARGEST:
        body = queue.popleft()
        for other in graph.joints_of(body):
            end = other.other(body)
            if other is joint or other.excluded or other.kind not in TREE_KINDS or end in visited:
                continue
            visited.add(end)
            if end in graph.registry.scenes:
                inbound[end] = other
                queue.append(end)
    cycle = [joint.path]
    while goal != start and goal in inbound:
        cycle.append(inbound[goal].path)
        goal = inbound[goal].other(goal)
    return cycle[::-1]
