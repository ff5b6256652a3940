"""The articulations of a stage as PhysX builds them: what a helper needs to know before it adds to one."""

from __future__ import annotations

from dataclasses import dataclass

from pxr import Usd

from physx_schema.authoring.prims import joint_axis_of, not_one_axis
from physx_schema.description.articulation.joints import AuthoredJoint, read_joints
from physx_schema.description.articulation.tree import Tree, find_trees
from physx_schema.description.body_registry import read_body_registry
from physx_schema.description.opinions.reading import ReadContext
from physx_schema.description.scenes import Scenes


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A link of an articulation, found by its path or by the joint that holds it to its parent."""

    tree: Tree
    link: int

    def joints_up_to(self, ancestor: TreeNode) -> list[AuthoredJoint] | None:
        """Joints from this link up to, and without, that of `ancestor`; None where that is no ancestor."""
        if self.tree is not ancestor.tree:
            return None
        joints = []
        index = self.link
        while index != ancestor.link:
            link = self.tree.links[index]
            if link.joint is None:
                return None
            joints.append(link.joint)
            index = link.parent
        return joints


class Topology:
    """Where the joints and bodies of a stage stand in its articulations."""

    def __init__(self, stage: Usd.Stage) -> None:
        self.context = ReadContext(stage)
        self._joints = {joint.path: joint for joint in read_joints(self.context)}
        self._by_joint: dict[str, TreeNode] = {}
        self._by_body: dict[str, TreeNode] = {}
        registry = read_body_registry(self.context, Scenes(self.context))
        for tree in find_trees(self.context, registry, self._joints.values()):
            for index, link in enumerate(tree.links):
                self._by_body[link.body] = TreeNode(tree, index)
                if link.joint is not None:
                    self._by_joint[link.joint.path] = TreeNode(tree, index)

    def of_joint(self, path: str) -> TreeNode | None:
        """The link below a joint, None where the joint is not part of an articulation."""
        return self._by_joint.get(path)

    def of_body(self, path: str) -> TreeNode | None:
        """The place of a body, None where it is not part of an articulation."""
        return self._by_body.get(path)

    def joint_problem(self, prim: Usd.Prim) -> str:
        """Why a prim cannot take part in a tendon or mimic as a one-axis articulation joint; empty where it can."""
        path = str(prim.GetPath())
        if joint_axis_of(prim) is None:
            return not_one_axis(prim)
        joint = self._joints.get(path)
        if joint is not None and joint.excluded:
            return f"{path}: physics:excludeFromArticulation is true, so the joint is in no articulation; clear it"
        if joint is not None and not joint.enabled:
            return f"{path}: physics:jointEnabled is false, so the joint is in no articulation; set it to true"
        node = self._by_joint.get(path)
        if node is None:
            return (f"{path}: the joint connects no two links of an articulation; apply PhysicsArticulationRootAPI to "
                    f"a prim above its bodies, and give it both bodies")
        return disabled(node, path)


def disabled(node: TreeNode, path: str) -> str:
    """The line for a part of an articulation that is switched off, where PhysX solves separate bodies; else empty."""
    root = node.tree.root
    if root.view("PhysxArticulationAPI").flag("articulationEnabled"):
        return ""
    return (f"{path}: its articulation {root.path} has physxArticulation:articulationEnabled false, which leaves "
            f"separate bodies without tendons and mimic joints; set it to true")
