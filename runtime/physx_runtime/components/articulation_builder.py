"""Builders of articulations: a builder for each link, then all entities at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.components.actor_builder import ActorBuilder
from physx_runtime.components.articulation import PhysxArticulation
from physx_runtime.components.entity import Entity, instance, number
from physx_runtime.components.joint import DOF_TYPES, UNDEFINED
from physx_runtime.components.link import PhysxArticulationLinkComponent
from physx_runtime.components.pose import Pose
from physx_runtime.components.rigid import PhysxRigidBaseComponent

MIMIC_STIFFNESS = 1e5       # N/m of the tendon that couples a mimic joint, as SAPIEN has it


@dataclass(frozen=True)
class MimicJointRecord:
    """One joint that follows another: its coordinate is multiplier times the other's, plus offset."""

    joint: str
    mimic: str
    multiplier: float
    offset: float


class LinkBuilder(ActorBuilder):
    """Builds a link: shapes as `ActorBuilder`, and the joint that holds it."""

    def __init__(self, index: int, parent: LinkBuilder | None) -> None:
        super().__init__()
        self.parent, self.index = parent, index
        self.physx_body_type = "link"
        self.joint_name = ""
        self._type, self._limits = UNDEFINED if parent is None else "", np.zeros((0, 2))
        self._pose_in_parent, self._pose_in_child, self._damping = Pose(), Pose(), 0.0

    def set_joint_name(self, name: str) -> None:
        """Name the joint."""
        self.joint_name = name

    def set_joint_properties(self, type: str, limits: ArrayLike, pose_in_parent: Pose, pose_in_child: Pose,
                             friction: float = 0.0, damping: float = 0.0) -> None:
        """Say how the joint holds it: one of fixed, revolute, revolute_unwrapped, prismatic, continuous, undefined.

        limits: [[low, high]], rad or m, [] for fixed. damping: of the drive, N m s/rad or N s/m. Raises ValueError for
        another type or limits, and for friction, which SAPIEN drops here.
        """
        if friction:
            raise ValueError(f"friction is {friction:g}, which SAPIEN ignores here; after build(), set the "
                             "joint's friction, which is a load coefficient")
        allowed = ("fixed", UNDEFINED) if self.parent is None else ("fixed", "continuous", *DOF_TYPES)
        if type not in allowed:
            raise ValueError(f"the joint type of {self.name!r} is {type!r}; give one of {', '.join(allowed)}")
        moves = type not in ("fixed", UNDEFINED)
        limit_rows = np.asarray(limits, dtype=np.float64).reshape(-1,
                                                                  2) if moves and np.size(limits) else np.zeros((0, 2))
        if moves and limit_rows.shape != (1, 2):
            limit_rows = np.array([[-math.inf, math.inf]]) if type == "continuous" else limit_rows
        if moves and (limit_rows.shape != (1, 2) or np.isnan(limit_rows).any() or limit_rows[0, 0] > limit_rows[0, 1]):
            raise ValueError(f"the limits of {self.name!r} are {np.asarray(limits).tolist()}; give [[low, high]]")
        self._type, self._limits = type, limit_rows
        self._pose_in_parent = instance("pose_in_parent", pose_in_parent, Pose)
        self._pose_in_child = instance("pose_in_child", pose_in_child, Pose)
        self._damping = number("damping", damping, 0.0)

    def _body(self, link_parent: Any) -> PhysxRigidBaseComponent:
        return PhysxArticulationLinkComponent(link_parent)

    def build_link(self, parent: PhysxArticulationLinkComponent | None) -> PhysxArticulationLinkComponent:
        """A link with its joint, of no entity. Raises ValueError where no joint was said."""
        if not self._type:
            raise ValueError(f"link {self.name!r} has no joint; call set_joint_properties")
        link = cast(PhysxArticulationLinkComponent, self.build_physx_component(parent))
        joint = link.joint
        joint.name, joint.type = self.joint_name, "revolute" if self._type == "continuous" else self._type
        joint.pose_in_parent, joint.pose_in_child = self._pose_in_parent, self._pose_in_child
        if joint.dof:
            joint.limit = self._limits
            joint.set_drive_properties(0.0, self._damping)
        return link


class ArticulationBuilder:
    """Collect link builders, the root first, and build an articulation from them."""

    def __init__(self) -> None:
        self.scene: Any = None
        self.initial_pose = Pose()
        self.link_builders: list[LinkBuilder] = []
        self.mimic_joint_records: list[MimicJointRecord] = []

    def set_scene(self, scene: Any) -> ArticulationBuilder:
        """Set the scene that gets the built entities."""
        self.scene = scene
        return self

    def set_initial_pose(self, pose: Pose) -> ArticulationBuilder:
        """Set the initial pose of the root."""
        self.initial_pose = instance("pose", pose, Pose)
        return self

    def create_link_builder(self, parent: LinkBuilder | None = None) -> LinkBuilder:
        """Return a builder for a child link of the parent, or for the root link if the parent is None. Raises
        ValueError for an unknown parent.
        """
        if (parent is None) != (not self.link_builders) or (parent is not None and parent not in self.link_builders):
            raise ValueError("a parent is missing or unknown; give each link except the first a link builder of this "
                             "builder")
        builder = LinkBuilder(len(self.link_builders), parent)
        self.link_builders.append(builder)
        return builder

    def build_entities(self, fix_root_link: bool | None = None) -> list[Entity]:
        """Return the entities of new links; the entities are not in a scene."""
        if not self.link_builders:
            raise ValueError("the articulation has no links; call create_link_builder")
        links: list[PhysxArticulationLinkComponent] = []
        entities = []
        for builder in self.link_builders:
            links.append(builder.build_link(links[builder.parent.index] if builder.parent else None))
            entity = Entity()
            entity.name = builder.name
            entities.append(entity.add_component(links[-1]))
        if fix_root_link is not None:
            links[0].joint.type = "fixed" if fix_root_link else UNDEFINED
        entities[0].pose = self.initial_pose
        return entities

    def build(self, fix_root_link: bool | None = None, build_mimic_joints: bool = True) -> PhysxArticulation:
        """Return a new articulation with its entities in the builder's scene.

        Raises RuntimeError if the builder has no scene, and ValueError for mimic joints that no tendon can couple.
        """
        if self.scene is None:
            raise RuntimeError("the builder has no scene; call set_scene first")
        entities = self.build_entities(fix_root_link)
        root = cast(PhysxArticulationLinkComponent, entities[0].find_component_by_type(PhysxArticulationLinkComponent))
        articulation = root.articulation
        for record in self.mimic_joint_records if build_mimic_joints else ():
            couple(articulation, record)
        for entity in entities:
            self.scene.add_entity(entity)
        return articulation


def couple(articulation: PhysxArticulation, record: MimicJointRecord) -> None:
    """Have a joint follow another through a fixed tendon. Raises ValueError where no tendon can."""
    joint = articulation.find_joint_by_name(record.joint)
    leader = articulation.find_joint_by_name(record.mimic)
    if joint is None or leader is None:
        raise ValueError(f"joint {record.joint!r} mimics {record.mimic!r}, but one of these joints does not exist")
    if joint.parent_link is leader.child_link:
        chain = [leader.parent_link, leader.child_link, joint.child_link]
    elif joint.parent_link is leader.parent_link:
        chain = [joint.parent_link, leader.child_link, joint.child_link]
    else:
        raise ValueError(f"joint {record.joint!r} mimics {record.mimic!r}, which is neither its parent joint nor a "
                         "sibling joint; a tendon couples a joint only to its parent or sibling joint")
    m = number("multiplier", record.multiplier)
    if not m:
        raise ValueError(f"joint {record.joint!r} mimics {record.mimic!r} with multiplier 0; use a fixed joint")
    articulation.create_fixed_tendon(chain, [0.0, -m, 1.0], [0.0, -1.0 / m, 1.0], rest_length=record.offset,
                                     stiffness=MIMIC_STIFFNESS)
