"""Entities, and checks of arguments.

Things with a pose in a scene, and the components that make them something.

Values as callers give them, checked before anything is changed; every refusal is one line.
"""

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
    return f"from {low:g} to {high:g}{', without the first' if open_low else ''}"


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
        raise ValueError(f"{name} has shape {result.shape}; give finite numbers (n, {columns})")
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
            raise RuntimeError(f"{self._describe()} is a component of an entity already; make another component")
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
            raise RuntimeError(f"{self._describe()} is of no entity; add it to one first")
        return self._entity

    def _describe(self) -> str:
        name = self.name or (self._entity.name if self._entity is not None else "")
        return f"{type(self).__name__} {name!r}" if name else f"this {type(self).__name__}"


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
        poses = (component.where() for component in self._components)
        return next((pose for pose in poses if pose is not None), self._pose)

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
    component = entity.find_component_by_type(kind) if isinstance(entity, Entity) else entity
    if not isinstance(component, kind):
        raise TypeError(f"{entity!r} has no {kind.__name__}; give an entity or a component with one")
    return component
