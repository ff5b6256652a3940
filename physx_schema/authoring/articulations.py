"""The root of an articulation with its solver settings, and the articulations of a stage as PhysX builds them."""

from __future__ import annotations

from dataclasses import dataclass

from physx_generated import PhysxArticulationAPI
from pxr import Usd, UsdPhysics

from physx_schema.authoring.prims import joint_axis_of, not_none, not_one_axis, refuse, stage_of, why_not_editable
from physx_schema.description.articulation.body_graph import BodyGraph
from physx_schema.description.articulation.joints import AuthoredJoint, read_joints
from physx_schema.description.articulation.tree import Tree, find_trees
from physx_schema.description.body_registry import read_body_registry
from physx_schema.description.model.joint import TREE_KINDS
from physx_schema.description.opinions.reading import ReadContext
from physx_schema.description.scenes import Scenes


def articulation_root(
    prim: Usd.Prim | Usd.SchemaBase, *, position_iterations: int | None = None, velocity_iterations: int | None = None,
) -> PhysxArticulationAPI:
    """Make the bodies and joints at and below a prim an articulation, or change its settings.

    Author the bodies first. A joint that connects a body to the world makes this body the fixed base.

    - `position_iterations`: substeps per time step
    - `velocity_iterations`: each velocity iteration applies the tendons once more, and solves compliant mimic joints
      as hard constraints. With 0 velocity iterations, tendons and compliant mimic joints have their authored strength.

    Omitted values keep the defaults of PhysxArticulationAPI. Writes PhysicsArticulationRootAPI and
    PhysxArticulationAPI.

    Raises AuthoringError and writes nothing:

    - if an iteration count is out of range
    - if the prim is inside another articulation
    - if there is no body at or below the prim
    - if a joint with a free axis connects the base to the world, because PhysX would fix the base there

    Example::

        articulation_root(stage.GetPrimAtPath("/Robot"), position_iterations=16, velocity_iterations=0)
    """
    stage_of(prim)
    root = prim.GetPrim()
    refuse([*why_not_editable(root), *_nested(root), *_empty(root), *_fixed_bases(root)])
    values = not_none(
        solverPositionIterationCount=position_iterations, solverVelocityIterationCount=velocity_iterations,
    )
    api = PhysxArticulationAPI.Apply(root, **values)        # type: ignore[arg-type]
    UsdPhysics.ArticulationRootAPI.Apply(root)
    return api


def _nested(root: Usd.Prim) -> list[str]:
    """Lines for articulation roots above or below, of which PhysX refuses the inner one."""
    others = [prim for prim in Usd.PrimRange(root) if prim != root]
    above = root.GetParent()
    while above:
        others.append(above)
        above = above.GetParent()
    return [f"{root.GetPath()}: {prim.GetPath()} is an articulation root already, and PhysX refuses nested roots; "
            "remove PhysicsArticulationRootAPI from one of the two prims"
            for prim in others if prim.HasAPI(UsdPhysics.ArticulationRootAPI)]


def _empty(root: Usd.Prim) -> list[str]:
    if root.IsA(UsdPhysics.Joint) or any(prim.HasAPI(UsdPhysics.RigidBodyAPI) for prim in Usd.PrimRange(root)):
        return []
    return [f"{root.GetPath()}: no rigid body is at or below this prim, and PhysX makes no articulation; author the "
            "bodies first, and give a prim above them"]


def _fixed_bases(root: Usd.Prim) -> list[str]:
    """Lines for joints that are to move a base and would fix it, with the root API on this prim."""
    if root.HasAPI(UsdPhysics.RigidBodyAPI) or not any(map(_moves_from_world, root.GetStage().Traverse())):
        return []
    graph, joints = _graph(root.GetStage())
    if root.IsA(UsdPhysics.Joint):
        bases = [joint for joint in joints if joint.path == str(root.GetPath())]
    else:
        bodies = [str(prim.GetPath()) for prim in Usd.PrimRange(root) if prim.HasAPI(UsdPhysics.RigidBodyAPI)]
        bases = [base for part in graph.components(bodies) if (base := part.base_joint()) is not None]
    return [_fixes_base(base.path, base.kind, graph.dynamic_body_of(base)) for base in bases if base.kind != "fixed"]


def fixes_base_of(path: str, kind: str, child: Usd.Prim) -> list[str]:
    """Lines for a joint from the world that is to move a body, and would fix the base of an articulation above it."""
    above = child.GetParent()
    while above and not above.HasAPI(UsdPhysics.ArticulationRootAPI):
        above = above.GetParent()
    if not above or child.HasAPI(UsdPhysics.ArticulationRootAPI):
        return []
    graph, _ = _graph(child.GetStage())
    body = str(child.GetPath())
    base = next((part.base_joint() for part in graph.components([body])), None)
    return [_fixes_base(path, kind, body)] if base is None or graph.dynamic_body_of(base) == body else []


def _graph(stage: Usd.Stage) -> tuple[BodyGraph, list[AuthoredJoint]]:
    context = ReadContext(stage)
    joints = read_joints(context)
    return BodyGraph(read_body_registry(context, Scenes(context)), joints), joints


def _moves_from_world(prim: Usd.Prim) -> bool:
    """Whether a prim is a joint other than a fixed one with a side that names no body."""
    if not prim.IsA(UsdPhysics.Joint) or prim.IsA(UsdPhysics.FixedJoint):
        return False
    joint = UsdPhysics.Joint(prim)
    return not (joint.GetBody0Rel().GetTargets() and joint.GetBody1Rel().GetTargets())


def _fixes_base(path: str, kind: str, body: str) -> str:
    fix = (f"fix another body to the world, and connect that body and {body} by this joint" if kind in TREE_KINDS else
           "set physics:excludeFromArticulation of this joint to true")
    return (f"{path}: a {kind} joint to the world would fix {body}, the base of an articulation, on all axes; {fix}")


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
            return (f"{path}: physics:excludeFromArticulation is true, and the joint is in no articulation; set it to "
                    "false")
        if joint is not None and not joint.enabled:
            return f"{path}: physics:jointEnabled is false, and the joint is in no articulation; set it to true"
        node = self._by_joint.get(path)
        if node is None:
            return (f"{path}: the joint does not connect two links of an articulation; set body0 and body1 of the "
                    "joint, and apply PhysicsArticulationRootAPI to a prim above both bodies")
        return disabled(node, path)


def disabled(node: TreeNode, path: str) -> str:
    """The line for a part of an articulation that is switched off, where PhysX solves separate bodies; else empty."""
    root = node.tree.root
    if root.view("PhysxArticulationAPI").flag("articulationEnabled"):
        return ""
    return (f"{path}: physxArticulation:articulationEnabled is false on the articulation root {root.path}; PhysX then "
            "makes separate bodies without tendons and mimic joints; set it to true")
