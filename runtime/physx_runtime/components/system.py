"""Physics systems: the settings and the contents of the physics of a scene."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.components.accessors import Accessors
from physx_runtime.components.articulation import PhysxRigidDynamicComponent
from physx_runtime.components.config import PhysxSceneConfig, get_scene_config
from physx_runtime.components.entity import count, number, vector
from physx_runtime.components.link import PhysxArticulationLinkComponent, PhysxContact, PhysxRayHit, contacts_of, hit_of
from physx_runtime.components.rigid import PhysxRigidStaticComponent


class System(Accessors):
    """The base class of systems that step the components of a scene."""

    scene: Any = None

    def step(self) -> None:
        """Advance by one step."""
        raise NotImplementedError


class PhysxSystem(System):
    """The physics of a scene."""

    def __init__(self) -> None:
        self._config = get_scene_config()
        self._timestep = 0.01

    @property
    def config(self) -> PhysxSceneConfig:
        """The scene config at the time of creation."""
        return self._config

    def configure(self, config: PhysxSceneConfig) -> None:
        """Set another config. Raises RuntimeError once the system belongs to a scene."""
        if self.scene is not None:
            raise RuntimeError("the system already belongs to a scene; configure a system before you add it to a scene")
        self._config = config

    @property
    def timestep(self) -> float:
        """The time step in seconds, above 0."""
        return self._timestep

    @timestep.setter
    def timestep(self, timestep: float) -> None:
        self._timestep = number("timestep", timestep, 0.0, open_low=True)
        if self.scene is not None:
            self.scene.retime()

    @property
    def scene_collision_id(self) -> int:
        """Always 0: the worlds of a scene never collide."""
        return 0

    @scene_collision_id.setter
    def scene_collision_id(self, id: int) -> None:
        count("scene_collision_id", id, 0, 0)

    @property
    def rigid_dynamic_components(self) -> list[PhysxRigidDynamicComponent]:
        """The free bodies of its scene."""
        return self._all(PhysxRigidDynamicComponent)

    @property
    def rigid_static_components(self) -> list[PhysxRigidStaticComponent]:
        """The static bodies of its scene."""
        return self._all(PhysxRigidStaticComponent)

    @property
    def articulation_link_components(self) -> list[PhysxArticulationLinkComponent]:
        """The links of its scene."""
        return self._all(PhysxArticulationLinkComponent)

    def _all(self, kind: type[Any]) -> list[Any]:
        entities = self.scene.entities if self.scene is not None else ()
        return [component for entity in entities for component in entity.components if isinstance(component, kind)]

    def step(self) -> None:
        """Advance the scene by one step. Raises RuntimeError if the system has no scene."""
        self._require_scene().advance()

    def _require_scene(self) -> Any:
        if self.scene is None:
            raise RuntimeError("the system belongs to no scene; add it to a Scene first")
        return self.scene


class PhysxCpuSystem(PhysxSystem):
    """Physics on the CPU."""

    device = "cpu"

    def get_contacts(self, world: int = 0) -> list[PhysxContact]:
        """Return the contacts of a world in the last step."""
        return contacts_of(self._require_scene().engine, world)

    def get_net_contact_impulse(self, body: Any, partner: Any = None) -> np.ndarray:
        """Return the normal contact impulse on a body in the last step, (3,) or (n_world, 3), in N s.

        `partner`: if given, only contacts with this body are included. Friction is excluded.
        """
        engine = self._require_scene().engine
        if engine is None:
            return np.zeros(3, np.float32)
        return engine.contact_impulse(body, partner)        # type: ignore[no-any-return]

    def raycast(self, position: ArrayLike, direction: ArrayLike, distance: float, world: int = 0) -> PhysxRayHit | None:
        """Return the first shape that a ray hits within a distance in metres, or None. Needs coal (extra `queries`)."""
        scene = self._require_scene()
        scene.begin()
        if scene.engine is None:
            return None
        hit = scene.engine.scene.raycast(vector("position", position), vector("direction", direction),
                                         number("distance", distance, 0.0), world)
        return hit_of(scene.engine, hit)


class PhysxGpuSystem(PhysxSystem):
    """Not supported: contacts are simulated on the CPU. Creating one raises RuntimeError."""

    def __init__(self, device: Any = "cuda") -> None:
        raise RuntimeError("PhysxGpuSystem is not supported: contacts are not simulated on a GPU; use PhysxCpuSystem, "
                           "and Scene(..., worlds=n) for many worlds")
