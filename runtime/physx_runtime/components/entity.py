"""Things with a pose in a scene, and the components that make them something."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from physx_runtime.components.accessors import Named
from physx_runtime.components.arguments import instance
from physx_runtime.components.pose import Pose

ComponentT = TypeVar("ComponentT", bound="Component")


class Home(Protocol):
    """The scene of an entity, as entities see it."""

    worlds: int

    def add_entity(self, entity: Entity) -> None:
        """Take an entity in."""

    def remove_entity(self, entity: Entity) -> None:
        """Let an entity go."""

    def changed(self) -> None:
        """Heed that what was written to the stage is no longer so."""


class Component(Named):
    """What an entity has; made by itself, then added to an entity."""

    def __init__(self) -> None:
        self._entity: Entity | None = None
        self._enabled = True

    @property
    def entity(self) -> Entity | None:
        """The entity it was added to."""
        return self._entity

    @property
    def is_enabled(self) -> bool:
        """Whether it counts."""
        return self._enabled

    def enable(self) -> None:
        """Have it count."""
        self._enabled = True
        self.changed()

    def disable(self) -> None:
        """Leave it out of its scene until it is enabled."""
        self._enabled = False
        self.changed()

    @property
    def entity_pose(self) -> Pose:
        """The pose of its entity. Raises RuntimeError where it has none."""
        return self.require_entity().pose

    @entity_pose.setter
    def entity_pose(self, pose: Pose) -> None:
        self.require_entity().pose = pose

    @property
    def pose(self) -> Pose:
        """As entity_pose."""
        return self.entity_pose

    @pose.setter
    def pose(self, pose: Pose) -> None:
        self.entity_pose = pose

    def changed(self) -> None:
        """Tell the scene that what was written of it to the stage is no longer so."""
        if self._entity is not None and self._entity.scene is not None:
            self._entity.scene.changed()

    def join(self, entity: Entity) -> None:
        """Be of an entity from now on; raises RuntimeError where it cannot."""
        if self._entity is not None:
            raise RuntimeError(f"{self._said()} is a component of an entity already; make another component")
        self._entity = entity

    def leave(self) -> None:
        """Be of no entity from now on."""
        self._entity = None

    def where(self) -> Pose | None:
        """Where it has taken its entity, None where it takes it nowhere."""
        return None

    def place(self, pose: Pose) -> None:
        """Go where its entity is put; raises RuntimeError where it cannot, before anything is put."""

    def require_entity(self) -> Entity:
        if self._entity is None:
            raise RuntimeError(f"{self._said()} is of no entity; add it to one first")
        return self._entity

    def _said(self) -> str:
        own = self.name or (self._entity.name if self._entity is not None else "")
        return f"{type(self).__name__} {own!r}" if own else f"this {type(self).__name__}"


class Entity(Named):
    """Something with a name, a pose and components."""

    _count = 0

    def __init__(self) -> None:
        Entity._count += 1
        self._global_id = Entity._count
        self._per_scene_id = 0
        self._pose = Pose()
        self._scene: Home | None = None
        self._components: list[Component] = []

    def __repr__(self) -> str:
        return f"Entity({self.name!r}, {', '.join(type(component).__name__ for component in self._components)})"

    @property
    def components(self) -> list[Component]:
        """Its components, in the order in which they were added."""
        return list(self._components)

    @property
    def scene(self) -> Home | None:
        """The scene it is in."""
        return self._scene

    @property
    def global_id(self) -> int:
        """A number that no other entity of this process has."""
        return self._global_id

    @property
    def per_scene_id(self) -> int:
        """A number that no other entity of its scene has; 0 before it is in one."""
        return self._per_scene_id

    @property
    def pose(self) -> Pose:
        """Where it is in the world."""
        found = (component.where() for component in self._components)
        return next((pose for pose in found if pose is not None), self._pose)

    @pose.setter
    def pose(self, pose: Pose) -> None:
        instance("pose", pose, Pose)
        worlds = self._scene.worlds if self._scene is not None else 1
        if pose.p.ndim > 1 and len(pose.p) != worlds:
            raise ValueError(f"the pose of {self.name!r} is of {len(pose.p)} worlds; give one, or {worlds}")
        for component in self._components:
            component.place(pose)
        self._pose = pose

    def add_component(self, component: Component) -> Entity:
        """Take a component; returns itself. Raises RuntimeError for one that is another's."""
        instance("component", component, Component).join(self)
        self._components.append(component)
        if self._scene is not None:
            self._scene.changed()
        return self

    def remove_component(self, component: Component) -> None:
        """Let a component go. Raises ValueError for one that is not its own."""
        if component not in self._components:
            raise ValueError(f"{component!r} is no component of {self!r}")
        component.changed()
        component.leave()
        self._components.remove(component)

    def find_component_by_type(self, cls: type[ComponentT]) -> ComponentT | None:
        """Its first component of a class, None where it has none."""
        return next((component for component in self._components if isinstance(component, cls)), None)

    def add_to_scene(self, scene: Home) -> Entity:
        """Be in a scene; returns itself."""
        scene.add_entity(self)
        return self

    def remove_from_scene(self) -> None:
        """Be in no scene. Raises RuntimeError where it is in none."""
        if self._scene is None:
            raise RuntimeError(f"{self!r} is in no scene")
        self._scene.remove_entity(self)

    def enter(self, scene: Home | None, number: int) -> None:
        """Be in a scene under a number, or in none; called by the scene."""
        self._scene, self._per_scene_id = scene, number


def only_component(entity: Any, kind: type[ComponentT]) -> ComponentT:
    """A component given by itself or by its entity; raises TypeError where there is none."""
    found = entity.find_component_by_type(kind) if isinstance(entity, Entity) else entity
    if not isinstance(found, kind):
        raise TypeError(f"{entity!r} has no {kind.__name__}; give an entity or a component with one")
    return found
