"""Articulations as trees: which bodies and joints belong together, which body is the root, and the order of links."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from physx_schema.description.bodies import is_enabled, is_kinematic
from physx_schema.description.graph import BodyGraph
from physx_schema.description.joints import TREE_KINDS, AuthoredJoint
from physx_schema.description.opinions import PrimOpinions
from physx_schema.description.reading import Reading, path_key


@dataclass(frozen=True, slots=True)
class TreeLink:
    """A body placed in a tree: its parent's index and the joint between them."""

    body: str
    parent: int
    joint: AuthoredJoint | None


@dataclass(frozen=True, slots=True)
class Tree:
    """One articulation: the prim with the root API, the joint to the world, links breadth first."""

    root: PrimOpinions
    base: AuthoredJoint | None
    links: tuple[TreeLink, ...]


def find_trees(reading: Reading, joints: Iterable[AuthoredJoint]) -> list[Tree]:
    """Every articulation of the stage, in traversal order of the root prims."""
    bodies = {path for path, opinions in reading.prims.items() if is_enabled(opinions)}
    by_path = {joint.path: joint for joint in joints}
    graph = BodyGraph(bodies, by_path.values())
    trees: list[Tree] = []
    outer = ""
    for opinions in reading.having("PhysicsArticulationRootAPI"):
        opinions.mark("PhysicsArticulationRootAPI")
        if outer and opinions.path.startswith(outer + "/"):
            _report_nested(reading, opinions, outer)
            continue
        outer = opinions.path
        found = _trees_of(reading, graph, opinions, by_path)
        if not found:
            _report_empty(reading, opinions)
        trees += [tree for tree in found if _accepts(reading, tree)]
    return trees


def _accepts(reading: Reading, tree: Tree) -> bool:
    """Whether PhysX makes an articulation of a tree; a kinematic body is refused and stays a body of its own."""
    if len(tree.links) == 1 and tree.base is None and tree.root.path != tree.links[0].body:
        return False
    kinematic = [link.body for link in tree.links if is_kinematic(reading.prims[link.body])]
    if kinematic:
        reading.problem(
            "articulation/kinematic-body", kinematic[0], "physics:kinematicEnabled",
            "a kinematic body in an articulation",
            "PhysX makes no articulation: its bodies and joints stay separate",
            "clear physics:kinematicEnabled, or exclude the body's joints from the articulation",
        )
    return not kinematic


def _trees_of(
    reading: Reading, graph: BodyGraph, root: PrimOpinions, joints: Mapping[str, AuthoredJoint],
) -> list[Tree]:
    if root.has("PhysicsRigidBodyAPI"):
        return _rooted_at_body(reading, graph, root)
    joint = joints.get(root.path)
    if joint is not None:
        return _rooted_at_joint(reading, graph, root, joint)
    trees = []
    for component in graph.components(reading.below(root.path)):
        base = component.base_joint()
        start = graph.held_by(base) if base is not None else component.root()
        trees.append(_tree(reading, graph, root, base, start))
    return trees


def _rooted_at_body(reading: Reading, graph: BodyGraph, root: PrimOpinions) -> list[Tree]:
    if root.path not in graph.bodies:
        reading.problem(
            "articulation/static-root", root.path, "apiSchemas",
            "PhysicsArticulationRootAPI on a disabled body", "PhysX ignores the articulation",
            "apply it to a dynamic body or to a prim above it",
        )
        return []
    component = next(iter(graph.components([root.path])))
    base = component.base_joint_of(root.path)
    if base is not None:
        _report_floating(reading, root, base)
    return [_tree(reading, graph, root, None, root.path)]


def _rooted_at_joint(reading: Reading, graph: BodyGraph, root: PrimOpinions, joint: AuthoredJoint) -> list[Tree]:
    body = graph.held_by(joint)
    if not body or not graph.to_world(joint):
        return []
    return [_tree(reading, graph, root, joint, body)]


def _tree(reading: Reading, graph: BodyGraph, root: PrimOpinions, base: AuthoredJoint | None, start: str) -> Tree:
    """Breadth-first order from the root; siblings by joint type, then by joint path."""
    links = [TreeLink(start, -1, None)]
    index = {start: 0}
    used: set[str] = set()
    for position, link in enumerate(links):
        for joint in sorted(graph.joints_of(link.body), key=sibling_key):
            other = joint.other(link.body)
            if joint.path in used or other not in graph.bodies or joint.excluded:
                continue
            used.add(joint.path)
            if other in index:
                _report_loop(reading, joint, link.body, other)
                continue
            index[other] = len(links)
            links.append(TreeLink(other, position, joint))
    return Tree(root, base, tuple(links))


def sibling_key(joint: AuthoredJoint) -> tuple[int, tuple[str, ...]]:
    """The order in which PhysX creates the joints of one parent."""
    order = TREE_KINDS.index(joint.kind) if joint.kind in TREE_KINDS else len(TREE_KINDS)
    return order, path_key(joint.path)


def _report_floating(reading: Reading, root: PrimOpinions, joint: AuthoredJoint) -> None:
    reading.problem(
        "articulation/world-joint-outside", root.path, "apiSchemas",
        f"PhysicsArticulationRootAPI on a body that {joint.path} holds to the world",
        "PhysX makes a floating base and a separate joint to the world, softer than a fixed base",
        f"move PhysicsArticulationRootAPI to {joint.path} or to a prim above the bodies for a fixed base", "warning",
    )


def _report_nested(reading: Reading, opinions: PrimOpinions, outer: str) -> None:
    reading.problem(
        "articulation/nested-root", opinions.path, "apiSchemas", f"an articulation root inside another, {outer}",
        "PhysX refuses nested articulation roots", "keep one PhysicsArticulationRootAPI per articulation",
    )


def _report_empty(reading: Reading, opinions: PrimOpinions) -> None:
    reading.problem(
        "articulation/no-bodies", opinions.path, "apiSchemas", "PhysicsArticulationRootAPI with no dynamic body "
        "that it could hold", "there is no articulation", "apply it to a prim with rigid bodies at or below it",
    )


def _report_loop(reading: Reading, joint: AuthoredJoint, first: str, second: str) -> None:
    reading.problem(
        "articulation/loop", joint.path, "physics:excludeFromArticulation",
        f"joins {first} and {second}, which the tree already connects",
        "PhysX drops a joint that closes a loop", "set physics:excludeFromArticulation on one joint of the loop",
    )


