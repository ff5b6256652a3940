"""Articulations as trees: which bodies and joints belong together, which body is the root, and the order of links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from physx_schema.description.articulation.body_graph import BodyGraph, shortest_cycle
from physx_schema.description.articulation.freedom import Hold, free_axes, instead_of, lock_each_other
from physx_schema.description.articulation.joints import AuthoredJoint
from physx_schema.description.body_registry import BodyRegistry
from physx_schema.description.model.joint import AXES, TREE_KINDS
from physx_schema.description.opinions.inactive import is_axis_free
from physx_schema.description.opinions.prim import PrimOpinions
from physx_schema.description.opinions.reading import ReadContext, path_key
from physx_schema.description.records import record


@record
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
    closing: tuple[AuthoredJoint, ...] = ()     # joints that PhysX drops because they close loops
    parallel: tuple[tuple[AuthoredJoint, AuthoredJoint], ...] = ()    # that it makes outside, and the joint of the same
                                                                    # two bodies that it looks at instead
    unsupported: tuple[AuthoredJoint, ...] = ()       # that it makes outside because of their kind
    enabled: bool = True


# A body on the walk, its joints that are still to be looked at, and the joint that reached each other body from it.
_Visit = tuple[str, Iterator[AuthoredJoint], dict[str, AuthoredJoint]]


@dataclass(slots=True)
class _TreeWalk:
    """A tree while PhysX's walk along its joints goes on."""

    inbound: dict[str, AuthoredJoint | None]
    children: dict[str, list[str]] = field(default_factory=dict)
    closing: list[AuthoredJoint] = field(default_factory=list)
    parallel: dict[str, tuple[AuthoredJoint, AuthoredJoint]] = field(default_factory=dict)    # by path
    unsupported: list[AuthoredJoint] = field(default_factory=list)


def find_trees(context: ReadContext, registry: BodyRegistry, joints: Iterable[AuthoredJoint]) -> list[Tree]:
    """Every articulation of the stage, in traversal order of the root prims.

    Where two roots reach for the same bodies, the one whose path comes later has them: PhysX begins at the end. A
    switched-off articulation, whose bodies PhysX leaves on their own, has them where no other does.
    """
    by_path = {joint.path: joint for joint in joints}
    graph = BodyGraph(registry, by_path.values())
    roots = list(_roots(context))
    enabled = {root.path: root.view("PhysxArticulationAPI").flag("articulationEnabled") for root in roots}
    order = sorted(roots, key=lambda root: (enabled[root.path], path_key(root.path)), reverse=True)
    claimed: dict[str, str] = {}
    trees_by_root: dict[str, list[Tree]] = {}
    for root in order:
        trees = _trees_of(context, graph, root, by_path)
        free = [tree for tree in trees if not _claimed(context, root, tree, claimed, enabled[root.path])]
        trees_by_root[root.path] = [tree if enabled[root.path] else _switched_off(tree)
                                    for tree in free if _has_one_scene(context, registry, tree)]
        for tree in trees_by_root[root.path]:
            _report_tree(context, graph, tree)
        claimed.update({link.body: root.path for tree in trees_by_root[root.path] for link in tree.links})
    return [tree for root in roots for tree in trees_by_root[root.path]]


def _switched_off(tree: Tree) -> Tree:
    """The tree of an articulation that PhysX does not make: there is no walk that could drop a joint."""
    return Tree(tree.root, tree.base, tree.links, enabled=False)


def _roots(context: ReadContext) -> Iterator[PrimOpinions]:
    """Prims with the root API that PhysX looks at."""
    nested = nested_roots(context)
    for opinions in context.prims_with("PhysicsArticulationRootAPI"):
        opinions.mark_used("PhysicsArticulationRootAPI")
        if opinions.path in context.copies:
            context.problem(
                "articulation/in-instance", opinions.path, "apiSchemas",
                f"an articulation root is inside {context.copies[opinions.path]}, which repeats a prototype",
                "PhysX makes no articulations inside instances",
                "set instanceable to false, or replace the point instancer by references",
            )
        elif opinions.path in nested:
            _report_nested(context, opinions, nested[opinions.path])
        else:
            yield opinions


def nested_roots(context: ReadContext) -> dict[str, str]:
    """Roots inside another one, which PhysX refuses, with that one: what they are applied to stays what it is."""
    outer, nested = "", {}
    for opinions in context.prims_with("PhysicsArticulationRootAPI"):
        if outer and opinions.path.startswith(outer + "/"):
            nested[opinions.path] = outer
        elif opinions.path not in context.copies:
            outer = opinions.path
    return nested


def _claimed(context: ReadContext, root: PrimOpinions, tree: Tree, claimed: Mapping[str, str], enabled: bool) -> bool:
    """Whether another root has the tree's bodies."""
    owner = next((claimed[link.body] for link in tree.links if link.body in claimed), "")
    if owner and enabled:
        context.problem(
            "articulation/shared-bodies", root.path, "apiSchemas",
            f"the bodies of this articulation root also belong to the root {owner}",
            f"PhysX makes one articulation, with the root {owner}", "keep one PhysicsArticulationRootAPI",
        )
    return bool(owner)


def _has_one_scene(context: ReadContext, registry: BodyRegistry, tree: Tree) -> bool:
    """Whether one scene steps all links; PhysX makes no articulation of others."""
    owners = {registry.owner(link.body): link.body for link in reversed(tree.links)}
    if len(owners) < 2:
        return True
    (first, body), (second, other) = ((scene or "no scene", path) for scene, path in list(owners.items())[:2])
    context.problem(
        "articulation/several-scenes", tree.root.path, "physics:simulationOwner",
        f"{body} belongs to {first}, and {other} belongs to {second}",
        "PhysX makes no articulation; the bodies stay separate, and PhysX drops joints between scenes",
        "set the same physics:simulationOwner on all bodies of the articulation",
    )
    return False


def _trees_of(
    context: ReadContext, graph: BodyGraph, root: PrimOpinions, joints: Mapping[str, AuthoredJoint],
) -> list[Tree]:
    if root.has("PhysicsRigidBodyAPI"):
        return _rooted_at_body(context, graph, root)
    joint = joints.get(root.path)
    trees = _rooted_at_joint(context, graph, root, joint) if joint is not None else _rooted_above(context, graph, root)
    return trees


def _rooted_above(context: ReadContext, graph: BodyGraph, root: PrimOpinions) -> list[Tree]:
    """One tree for each connected group of bodies with one of them below the root prim."""
    trees: list[Tree] = []
    bodies = filter(graph.registry.is_dynamic, context.below(root.path))
    groups = list(graph.components(sorted(bodies, key=path_key)))
    for component in groups:
        base = component.base_joint()
        start = graph.dynamic_body_of(base) if base is not None else component.root()
        jointless = len(component.bodies) == 1 and not graph.joints_of(start)
        if not jointless and not _is_fixed_to_kinematic(context, graph, base, start):
            trees += _tree(context, graph, root, base, start)
    if not groups:
        _report_empty(context, root)
    return trees


def _is_fixed_to_kinematic(context: ReadContext, graph: BodyGraph, base: AuthoredJoint | None, start: str) -> bool:
    """Whether the joint that would fix the base holds it to a kinematic body, and PhysX makes no articulation."""
    if base is None or base.other(start) not in graph.registry.kinematic:
        return False
    context.problem(
        "articulation/kinematic-body", base.other(start), "physics:kinematicEnabled",
        f"{base.path} joins this kinematic body to the root {start} of an articulation",
        "PhysX makes no articulation; the bodies and joints stay separate",
        "replace physics:kinematicEnabled by a fixed joint to the world, or set physics:excludeFromArticulation on "
        f"{base.path}",
    )
    return True


def _rooted_at_body(context: ReadContext, graph: BodyGraph, root: PrimOpinions) -> list[Tree]:
    if not graph.registry.is_dynamic(root.path):
        kind = "kinematic" if root.path in graph.registry.kinematic else "disabled"
        context.problem(
            "articulation/static-root", root.path, "apiSchemas",
            f"PhysicsArticulationRootAPI is on a {kind} body", "PhysX ignores the articulation",
            "set physics:rigidBodyEnabled to true" if kind == "disabled" else
            "replace physics:kinematicEnabled by a fixed joint to the world, and apply PhysicsArticulationRootAPI to "
            "that joint",
        )
        return []
    component = next(iter(graph.components([root.path])))
    base = component.base_joint_of(root.path)
    if base is not None:
        _report_floating(context, root, base)
    return _tree(context, graph, root, None, root.path)


def _rooted_at_joint(context: ReadContext, graph: BodyGraph, root: PrimOpinions, joint: AuthoredJoint) -> list[Tree]:
    body = graph.dynamic_body_of(joint)
    if joint.enabled and body and joint.to_world:
        return _tree(context, graph, root, joint, body)
    reason = ("is disabled" if not joint.enabled else "joins its body to a static collider" if any(
        end.static for end in joint.ends) else "does not join one dynamic body to the world")
    context.problem(
        "articulation/root-joint", root.path, "apiSchemas", f"PhysicsArticulationRootAPI is on a joint that {reason}",
        "PhysX makes no articulation",
        "apply PhysicsArticulationRootAPI to the joint to the world, to the root body, or to a prim above the bodies",
    )
    return []


def _tree(
    context: ReadContext, graph: BodyGraph, root: PrimOpinions, base: AuthoredJoint | None, start: str,
) -> list[Tree]:
    """The tree from a root body, none where PhysX cannot make that body."""
    if not graph.registry.is_created(start):
        return []
    walk = _walk_joints(context, graph, start)
    links = [TreeLink(start, -1, None)]
    for position, link in enumerate(links):
        links += [TreeLink(child, position, walk.inbound[child]) for child in walk.children.get(link.body, ())]
    return [Tree(root, base, tuple(links), tuple(walk.closing), tuple(walk.parallel.values()), tuple(walk.unsupported))]


def _walk_joints(context: ReadContext, graph: BodyGraph, start: str) -> _TreeWalk:
    """PhysX's walk: depth first, the joints of a body by type and path; a joint to a body reached before closes a loop.

    At each body it looks at the first joint to each other body only. Those that it looks at from neither end are none
    of the articulation's, and PhysX makes them beside it. Kinematic bodies become links; beyond them the walk takes
    only bodies that hang together without them.
    """
    walk = _TreeWalk({start: None})
    kinematic = graph.registry.kinematic
    group = {body for component in graph.components([start] if kinematic else ()) for body in component.bodies}
    used: set[str] = set()
    stack: list[_Visit] = [(start, iter(graph.joints_of(start)), {})]
    while stack:
        body, joints, first_joints = stack[-1]
        for joint in joints:
            other = joint.other(body)
            if joint.path in used or joint.excluded or other == body or not graph.registry.is_created(other):
                continue
            if body in kinematic and other not in group:
                continue
            if joint.kind not in TREE_KINDS:
                used.add(joint.path)
                walk.unsupported.append(joint)
                continue
            if other in first_joints:
                walk.parallel[joint.path] = joint, first_joints[other]
                continue
            used.add(joint.path)
            walk.parallel.pop(joint.path, None)
            first_joints[other] = joint
            if other in walk.inbound:
                walk.closing.append(joint)
            else:
                walk.inbound[other] = joint
                walk.children.setdefault(body, []).append(other)
                stack.append((other, iter(graph.joints_of(other)), {}))
                break
        else:
            stack.pop()
    return walk


def _report_tree(context: ReadContext, graph: BodyGraph, tree: Tree) -> None:
    """Joints that are not where they seem to be, and links that are none of theirs."""
    for joint in tree.unsupported:
        _report_kind(context, joint)
    for joint in tree.closing:
        _report_loop(context, graph, joint)
    for joint, first in tree.parallel:
        _report_parallel_joint(context, graph, joint, first)
    for link in tree.links:
        if tree.enabled and link.body in graph.registry.kinematic:
            _report_kinematic_link(context, link.body)


def _report_floating(context: ReadContext, root: PrimOpinions, joint: AuthoredJoint) -> None:
    fix = (f"for a fixed base, move PhysicsArticulationRootAPI to {joint.path} or to a prim above the bodies; for a "
           f"robot that drives, walks or falls, set physics:jointEnabled to false on {joint.path}"
           if joint.kind == "fixed" else
           f"add a body and fix it to the world; move PhysicsArticulationRootAPI to that fixed joint; let {joint.path} "
           f"join the two bodies; do not apply PhysicsArticulationRootAPI to {joint.path}, because PhysX would then "
           "fix the base")
    context.problem(
        "articulation/world-joint-outside", root.path, "apiSchemas",
        f"PhysicsArticulationRootAPI is on a body that {joint.path} joins to the world",
        "PhysX makes a floating base and a separate joint to the world; such a joint is softer than a joint of an "
        "articulation", fix,
        "warning",
    )


def _report_nested(context: ReadContext, opinions: PrimOpinions, outer: str) -> None:
    context.problem(
        "articulation/nested-root", opinions.path, "apiSchemas",
        f"this articulation root is inside the articulation root {outer}",
        "PhysX refuses nested articulation roots", "keep one PhysicsArticulationRootAPI per articulation",
    )


def _report_empty(context: ReadContext, opinions: PrimOpinions) -> None:
    context.problem(
        "articulation/no-bodies", opinions.path, "apiSchemas",
        "no dynamic body is at or below PhysicsArticulationRootAPI",
        "PhysX makes no articulation", "apply PhysicsArticulationRootAPI to a prim with rigid bodies at or below it",
    )


def _report_kind(context: ReadContext, joint: AuthoredJoint) -> None:
    context.problem(
        "articulation/joint-kind", joint.path, "physics:excludeFromArticulation",
        f"a {joint.kind} joint connects bodies of an articulation",
        "PhysX keeps the joint outside the articulation; a body that only this joint connects is not a link",
        "set physics:excludeFromArticulation to true", "warning",
    )


def _report_kinematic_link(context: ReadContext, body: str) -> None:
    context.problem(
        "articulation/kinematic-link", body, "physics:kinematicEnabled", "a kinematic body is in an articulation",
        "PhysX makes the body a dynamic link, and keeps joints beyond this link outside the articulation",
        "set physics:kinematicEnabled to false, or exclude the body's joints from the articulation",
    )


EXCLUDE = "set physics:excludeFromArticulation"        # how a fix begins that leaves a joint to what is outside
_LOCKED = "; physics:excludeFromArticulation on any of these joints locks the two bodies"


def _report_loop(context: ReadContext, graph: BodyGraph, joint: AuthoredJoint) -> None:
    first, second = joint.ends[0].body, joint.ends[1].body
    cycle = shortest_cycle(graph, joint)
    fix = f"{EXCLUDE} on one joint of the loop; if you exclude {joint.path}, the articulation keeps the same links"
    if len(cycle) == 2:
        message = f"the joint connects {first} and {second}, which {cycle[0]} already connects"
        fix = _instead_of_several(context, graph, joint) or fix
    else:
        message = (f"the joint connects {first} and {second}, which the tree already connects: {', '.join(cycle)} form "
                   "a loop")
    context.problem(
        "DJ.011/loop", joint.path, "physics:excludeFromArticulation", message,
        "PhysX leaves this joint out of the articulation, because the joint closes a loop", fix,
    )


def _instead_of_several(context: ReadContext, graph: BodyGraph, joint: AuthoredJoint) -> str:
    """What to author where a joint and others between its two bodies would lock each other; "" where they do not."""
    first, second = joint.ends[0].body, joint.ends[1].body
    holds = [_hold(item, first) for item in graph.joints_of(first)
             if item.other(first) == second and item.kind in TREE_KINDS and all(end.valid for end in item.ends)]
    locked = lock_each_other(holds, context.meters_per_unit)
    return instead_of(holds, context.meters_per_unit) + _LOCKED if locked else ""


def _hold(joint: AuthoredJoint, body: str) -> Hold:
    end = next(end for end in joint.ends if end.body == body)
    generic = [axis for axis in AXES if joint.kind == "d6" and is_axis_free(joint.opinions, axis)]
    return Hold(joint.path, end.frame, free_axes(joint.kind, joint.axis, generic))


def _report_parallel_joint(context: ReadContext, graph: BodyGraph, joint: AuthoredJoint, first: AuthoredJoint) -> None:
    instead = _instead_of_several(context, graph, joint)
    context.problem(
        "DJ.011/beside", joint.path, "physics:excludeFromArticulation",
        f"the joint connects {joint.ends[0].body} and {joint.ends[1].body}, which {first.path} already connects",
        "PhysX solves this joint outside the articulation, as a softer constraint without joint state, armature, "
        f"friction and envelope{', and the joints lock each other' if instead else ''}",
        instead or f"{EXCLUDE} if that is intended, or add a body between each two joints", "warning",
    )
