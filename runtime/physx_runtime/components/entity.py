"""Entities and components of a scene, and checks of arguments."""

from __future__ import annotations

import math
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.arrays import SingleArray
from physx_runtime.components.accessors import Named
from physx_runtime.components.pose import Pose

LARGEST = float(np.finfo(np.float32).max)       # what PhysX takes for no bound


def number(name: str, value: Any, low: float = -math.inf, high: float = math.inf, open_low: bool = False) -> float:
    """A number within [low, high], without low itself where `open_low`; raises ValueError for any other."""
    try:
        result = float(np.asarray(value, dtype=np.float64).reshape(()))
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {value!r}; give one number") from None
    if math.isnan(result) or not low <= result <= high or (open_low and result == low):
        raise ValueError(f"{name} is {result:g}; give a number {_allowed(low, high, open_low)}")
    return result


def _allowed(low: float, high: float, open_low: bool) -> str:
    if math.isinf(low) and math.isinf(high):
        return "that is not NaN"
    if math.isinf(high):
        return f"above {low:g}" if open_low else f"of at least {low:g}"
    return f"from {low:g} to {high:g}{f', but not {low:g}' if open_low else ''}"


def count(name: str, value: Any, low: int, high: int) -> int:
    """A whole number from low to high; raises ValueError for any other."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise ValueError(f"{name} is {value!r}; give a whole number from {low} to {high}")
    return int(value)


def vector(name: str, value: ArrayLike, size: int = 3, worlds: int = 1) -> SingleArray:
    """Finite numbers (size,), with several worlds also (worlds, size); raises ValueError for anything else."""
    result = _array(name, value)
    shapes = [(size,), *([(worlds, size)] if worlds > 1 else [])]
    if result.shape not in shapes:
        raise ValueError(f"{name} has shape {result.shape}; give {' or '.join(map(str, shapes))}")
    if not np.isfinite(result).all():
        raise ValueError(f"{name} is {result.tolist()}; give finite numbers")
    return result.astype(np.float32)


def with_part(values: SingleArray, part: slice, value: SingleArray) -> SingleArray:
    """Numbers (n,) or (n_world, n) with a part of them as given; of several worlds where either is."""
    shape = (*np.broadcast_shapes(value.shape[:-1], values.shape[:-1]), values.shape[-1])
    result = np.broadcast_to(values, shape).copy()
    result[..., part] = value
    return result


def positive_vector(name: str, value: ArrayLike, size: int = 3) -> SingleArray:
    """Finite numbers above 0, (size,); raises ValueError for anything else."""
    result = vector(name, value, size)
    if not (result > 0).all():
        raise ValueError(f"{name} is {result.tolist()}; give {size} numbers above 0")
    return result


def matrix(name: str, value: ArrayLike, columns: int) -> NDArray[np.float64]:
    """Finite numbers (n, columns); raises ValueError for anything else."""
    result = _array(name, value)
    if result.ndim != 2 or result.shape[1] != columns or not np.isfinite(result).all():
        raise ValueError(f"{name} has shape {result.shape}; give an array of finite numbers with shape (n, {columns})")
    return result


def one_of(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """One of the words allowed; raises ValueError for any other."""
    if value not in allowed:
        raise ValueError(f"{name} is {value!r}; give one of {', '.join(allowed)}")
    return str(value)


def instance(name: str, value: Any, kind: type) -> Any:
    """An object of a class; raises TypeError for any other."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {value!r}; give a {kind.__name__}")
    return value


def _array(name: str, value: ArrayLike) -> NDArray[np.float64]:
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} is {value!r}; give numbers") from None


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
    """A part of an entity, such as a rigid body. Create a component, then add it to an entity."""

    def __init__(self) -> None:
        self._entity: Entity | None = None
        self._enabled = True

    @property
    def entity(self) -> Entity | None:
        """The entity of the component."""
        return self._entity

    @property
    def is_enabled(self) -> bool:
        """Whether the component is enabled."""
        return self._enabled

    def enable(self) -> None:
        """Include the component in its scene."""
        self._enabled = True
        self.changed()

    def disable(self) -> None:
        """Leave the component out of its scene until it is enabled."""
        self._enabled = False
        self.changed()

    @property
    def entity_pose(self) -> Pose:
        """The pose of the component's entity. Raises RuntimeError if the component has no entity."""
        return self.require_entity().pose

    @entity_pose.setter
    def entity_pose(self, pose: Pose) -> None:
        self.require_entity().pose = pose

    @property
    def pose(self) -> Pose:
        """The same as `entity_pose`."""
        return self.entity_pose

    @pose.setter
    def pose(self, pose: Pose) -> None:
        self.entity_pose = pose

    def changed(self) -> None:
        """Report to the scene that the component has changed since the scene was written to its stage."""
        if self._entity is not None and self._entity.scene is not None:
            self._entity.scene.changed()

    def join(self, entity: Entity) -> None:
        """Join an entity. Raises RuntimeError if the component cannot belong to the entity."""
        if self._entity is not None:
            raise RuntimeError(f"{self._describe()} already belongs to an entity; create another component")
        self._entity = entity

    def leave(self) -> None:
        """Leave the entity."""
        self._entity = None

    def where(self) -> Pose | None:
        """The pose to which physics moved the component's entity, or None."""
        return None

    def place(self, pose: Pose) -> None:
        """Move the component to the pose of the component's entity. Raises RuntimeError if the component cannot move to
        this pose; its pose is then unchanged."""

    def require_entity(self) -> Entity:
        if self._entity is None:
            raise RuntimeError(f"{self._describe()} belongs to no entity; add it to an entity first")
        return self._entity

    def _describe(self) -> str:
        name = self.name or (self._entity.name if self._entity is not None else "")
        return f"{type(self).__name__} {name!r}" if name else f"this {type(self).__name__}"


class Entity(Named):
    """An object with a name, a pose and components."""

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
        """The components, in the order in which they were added."""
        return list(self._components)

    @property
    def scene(self) -> Home | None:
        """The scene of the entity, or None."""
        return self._scene

    @property
    def global_id(self) -> int:
        """A number that is unique in this process."""
        return self._global_id

    @property
    def per_scene_id(self) -> int:
        """A number that is unique in the scene; 0 outside a scene."""
        return self._per_scene_id

    @property
    def pose(self) -> Pose:
        """The pose in the world."""
        poses = (component.where() for component in self._components)
        return next((pose for pose in poses if pose is not None), self._pose)

    @pose.setter
    def pose(self, pose: Pose) -> None:
        instance("pose", pose, Pose)
        worlds = self._scene.worlds if self._scene is not None else 1
        if pose.p.ndim > 1 and len(pose.p) != worlds:
            raise ValueError(f"the pose of {self.name!r} has {len(pose.p)} worlds; give one pose, or {worlds} poses")
        for component in self._components:
            component.place(pose)
        self._pose = pose

    def add_component(self, component: Component) -> Entity:
        """Add a component and return the entity. Raises RuntimeError if the component belongs to another entity."""
        instance("component", component, Component).join(self)
        self._components.append(component)
        if self._scene is not None:
            self._scene.changed()
        return self

    def remove_component(self, component: Component) -> None:
        """Remove a component. Raises ValueError if the component is not part of this entity."""
        if component not in self._components:
            raise ValueError(f"{component!r} is not a component of {self!r}")
        component.changed()
        component.leave()
        self._components.remove(component)

    def find_component_by_type(self, cls: type[ComponentT]) -> ComponentT | None:
        """Return the first component of a class, or None."""
        return next((component for component in self._components if isinstance(component, cls)), None)

    def add_to_scene(self, scene: Home) -> Entity:
        """Add the entity to a scene and return the entity."""
        scene.add_entity(self)
        return self

    def remove_from_scene(self) -> None:
        """Leave the scene. Raises RuntimeError if the entity is not in a scene."""
        if self._scene is None:
            raise RuntimeError(f"{self!r} is not in a scene")
        self._scene.remove_entity(self)

    def enter(self, scene: Home | None, number: int) -> None:
        """Enter a scene with `number` as `per_scene_id`, or leave the current scene if `scene` is None. The scene
        calls this method."""
        self._scene, self._per_scene_id = scene, number


def only_component(entity: Any, kind: type[ComponentT]) -> ComponentT:
    """A component given by itself or by its entity; raises TypeError where there is none."""
    component = entity.find_component_by_type(kind) if isinstance(entity, Entity) else entity
    if not isinstance(component, kind):
        raise TypeError(f"{entity!r} has no {kind.__name__}; give a {kind.__name__}, or an entity that has one")
    return component
