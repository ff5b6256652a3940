"""Links of articulations, and the contacts and ray hits of components.

Links: bodies that joints hold together.

Contacts and ray hits, by components and shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from physx_runtime.arrays import SingleArray
from physx_runtime.components.articulation import PhysxArticulation, require_dynamic_shape
from physx_runtime.components.joint import PhysxArticulationJoint
from physx_runtime.components.pose import Pose
from physx_runtime.components.rigid import BODY_DEFAULTS, PhysxRigidBodyComponent
from physx_runtime.components.shapes import PhysxCollisionShape


class PhysxArticulationLinkComponent(PhysxRigidBodyComponent):
    """A link: a body with a joint to its parent link. Without a parent it is the root of a new articulation."""

    _default_numbers = MappingProxyType({**BODY_DEFAULTS, "linear_damping": 0.05, "max_linear_velocity": 10.0,
                                         "max_angular_velocity": 50.0})

    def __init__(self, parent: PhysxArticulationLinkComponent | None = None) -> None:
        super().__init__()
        self._parent, self._children = parent, list[PhysxArticulationLinkComponent]()
        self._joint = PhysxArticulationJoint(self)
        if parent is not None:
            if parent.entity is not None and parent.entity.scene is not None:
                raise RuntimeError("the parent of the new link is in a scene; remove its articulation first")
            self._joint._type = "fixed"
            parent._children.append(self)
        self._articulation = PhysxArticulation(self) if parent is None else parent.articulation
        self._articulation.restructured()

    @property
    def parent(self) -> PhysxArticulationLinkComponent | None:
        """The parent link, or None for the root."""
        return self._parent

    @property
    def children(self) -> list[PhysxArticulationLinkComponent]:
        """The child links."""
        return list(self._children)

    @property
    def joint(self) -> PhysxArticulationJoint:
        """The joint to the parent link."""
        return self._joint

    @property
    def articulation(self) -> PhysxArticulation:
        """The articulation of the link."""
        return self._articulation

    @property
    def is_root(self) -> bool:
        """Whether the link has no parent."""
        return self._parent is None

    @property
    def index(self) -> int:
        """The index of the link in its articulation."""
        return self._articulation.links.index(self)

    @property
    def gpu_pose_index(self) -> int:
        """Always -1: there is no GPU system."""
        return -1

    def _check_shape(self, shape: PhysxCollisionShape) -> None:
        require_dynamic_shape(shape, "a link", "use another shape")

    # --- state -------------------------------------------------------------------------------------------------------

    def where(self) -> Pose | None:
        if self.running is not None:
            return self.running.pose(self)
        if self._parent is None or self._parent.entity is None:
            return None
        joint = self._joint
        relative_pose = joint.pose_in_parent * joint.displacement(self._articulation.coordinate(joint))
        return self._parent.entity_pose * relative_pose * joint.pose_in_child.inv()

    def place(self, pose: Pose) -> None:
        if self._parent is not None:
            raise RuntimeError(f"the pose of {self._describe()} depends on its articulation; set root_pose or qpos")
        if self.running is None:
            return
        if self._joint.type == "fixed":
            self._articulation.release_state()
            self.changed()
        else:
            self.running.set_pose(self, pose)

    @property
    def sleeping(self) -> Any:
        """Whether its articulation sleeps; (n_world,) with several worlds."""
        return self._articulation.detached_sleep if self.running is None else self.running.asleep(self._articulation)

    def wake_up(self) -> None:
        """Wake its articulation. Raises RuntimeError if no scene has the link."""
        self.require_running().wake(self._articulation)

    def put_to_sleep(self) -> None:
        """Put its articulation to sleep. Raises RuntimeError if no scene has the link."""
        self.require_running().put_to_sleep(self._articulation)




@dataclass(frozen=True)
class PhysxContactPoint:
    """A contact point of two shapes."""

    position: SingleArray             # (3,) m, world
    normal: SingleArray               # (3,) from the second shape to the first
    impulse: SingleArray              # (3,) N s, what the first body got along the normal
    separation: float           # m, below 0 where they overlap


@dataclass(frozen=True)
class PhysxContact:
    """Two shapes in contact in the last step."""

    bodies: list[Any]           # both components
    shapes: list[Any]           # both shapes
    points: list[PhysxContactPoint]

    def __repr__(self) -> str:
        names = " and ".join(repr(body.entity.name) for body in self.bodies)
        return f"PhysxContact({names}, {len(self.points)} points)"


@dataclass(frozen=True)
class PhysxRayHit:
    """A hit of a ray."""

    component: Any
    shape: Any
    position: SingleArray             # (3,) m, world
    normal: SingleArray               # (3,) outward
    distance: float             # m


def contacts_of(engine: Any, world: int) -> list[PhysxContact]:
    """Return the contacts of a world in an engine's last step; none without an engine."""
    if engine is None:
        return []
    contacts, shapes = engine.scene.contacts, engine.prims.shapes
    pairs: dict[tuple[str, str], list[PhysxContactPoint]] = {}
    for i, pair in enumerate(contacts.pairs):
        if contacts.worlds[i] == world:
            normal = contacts.normals[i].astype(np.float32)
            pairs.setdefault(pair, []).append(PhysxContactPoint(
                contacts.points[i].astype(np.float32), normal, np.float32(contacts.impulses[i]) * normal,
                float(contacts.separations[i])))
    return [PhysxContact([shapes[path].body for path in pair], [shapes[path] for path in pair], points)
            for pair, points in pairs.items()]


def hit_of(engine: Any, hit: Any) -> PhysxRayHit | None:
    """Return the hit of the engine's ray with its component and shape."""
    if hit is None:
        return None
    shape = engine.prims.shapes[hit.collider]
    return PhysxRayHit(shape.body, shape, np.asarray(hit.position, np.float32), np.asarray(hit.normal, np.float32),
                       float(hit.distance))
