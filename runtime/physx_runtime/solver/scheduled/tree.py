"""The tree of an articulation: a node for every degree of freedom, and one-joint topologies for tracing fragments.

`build_tree` makes the nodes in PhysX's order. `joint_topologies` reduces each link to its joint and its parent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from physx_runtime.model.topology import PRISMATIC, ROOT, ROTARY_JOINTS, LinkTopology, Topology

ROTARY, SLIDING, RIGID = "rotary", "slide", "rigid"
SINGLE_LINK = Topology(True, True, (LinkTopology(-1, ROOT),), ())


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A joint of at most one degree of freedom; a joint with several is a series of nodes."""

    link: int
    dof: int | None         # None: a fixed joint, or the root
    parent: int             # node; -1 of the root
    kind: str               # ROTARY, SLIDING or RIGID
    shifts: bool            # whether its anchor differs from its parent's
    virtual: bool           # followed by another node of the same joint: it has no inertia of its own


@dataclass(frozen=True, slots=True)
class Tree:
    """Nodes in depth-first order, in which PhysX solves their constraints; node 0 is the root."""

    nodes: tuple[TreeNode, ...]
    last: tuple[int, ...]               # per link: the node that carries its inertia
    children: tuple[tuple[int, ...], ...]
    moves: tuple[bool, ...]             # per node: there is a degree of freedom at it or below


def build_tree(t: Topology) -> Tree:
    """The nodes of a topology.

    Raises UnsupportedError where the dofs of a joint are not numbered one after another.
    """
    dofs = dofs_by_link(t)
    children: list[list[int]] = [[] for _ in t.links]
    for i, link in enumerate(t.links):
        if link.parent >= 0:
            children[link.parent].append(i)
    nodes = [TreeNode(0, None, -1, RIGID, False, False)]
    last = [0] * len(t.links)
    # preorder, as PhysX visits links
    stack = children[0][::-1]
    while stack:
        i = stack.pop()
        parent, link_dofs = last[t.links[i].parent], dofs[i]
        kind = ROTARY if t.links[i].kind in ROTARY_JOINTS else SLIDING
        for index, dof in enumerate(link_dofs):
            nodes.append(TreeNode(i, dof, parent, kind, index == 0, index < len(link_dofs) - 1))
            parent = len(nodes) - 1
        if not link_dofs:
            nodes.append(TreeNode(i, None, parent, RIGID, True, False))
        last[i] = len(nodes) - 1
        stack += children[i][::-1]
    node_children: list[list[int]] = [[] for _ in nodes]
    moves = [node.dof is not None for node in nodes]
    for i in range(len(nodes) - 1, 0, -1):
        node_children[nodes[i].parent].insert(0, i)
        moves[nodes[i].parent] |= moves[i]
    return Tree(tuple(nodes), tuple(last), tuple(map(tuple, node_children)), tuple(moves))


def dofs_by_link(t: Topology) -> list[list[int]]:
    """The dofs of every link's inbound joint."""
    dofs: list[list[int]] = [[] for _ in t.links]
    for i, dof in enumerate(t.dofs):
        dofs[dof.link].append(i)
    for link_dofs in dofs:
        if link_dofs and link_dofs != list(range(link_dofs[0], link_dofs[-1] + 1)):
            from physx_schema.errors import UnsupportedError  # imported here: GPU machines need no USD

            raise UnsupportedError("the generic path needs consecutive degrees of freedom for each joint; "
                                   "use path='specialised'")
    return dofs


def joint_topologies(t: Topology) -> list[Topology]:
    """Per link a topology of two links: its parent as root, and its joint.

    The root floats where the axis of a prismatic joint can rotate in the whole tree, and is fixed otherwise.
    """
    dofs, joints = dofs_by_link(t), []
    can_rotate: list[bool] = []
    # with a rotating parent the displacement of a prismatic joint differs from q - q0
    for i, link in enumerate(t.links):
        parent_rotates = link.parent < 0 or can_rotate[link.parent]
        can_rotate.append((not t.fixed_base) if link.parent < 0 else parent_rotates or link.kind in ROTARY_JOINTS)
        pair = (LinkTopology(-1, ROOT), replace(link, parent=0))
        joints.append(replace(
            t, fixed_base=not (link.kind == PRISMATIC and parent_rotates), links=pair if link.parent >= 0 else pair[:1],
            dofs=tuple(replace(t.dofs[dof], link=1) for dof in dofs[i]), fixed_tendons=(), spatial_tendons=(),
            mimics=(), link_forces=False, external_forces=(), sleeping=False))
    return joints


def paths_to(t: Topology, links: Sequence[int]) -> list[int]:
    """Links on the paths from the root to `links`, these included, in order, without the root."""
    result: set[int] = set()
    for link in links:
        while link > 0 and link not in result:
            result.add(link)
            link = t.links[link].parent
    return sorted(result)
