"""Physics systems: the settings of a scene's physics, and what is in it."""

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
    """What steps the components of a scene."""

    scene: Any = None

    def step(self) -> None:
        """Advance by one step."""
        raise NotImplementedError


class PhysxSystem(System):
    """Physics of a scene."""

    def __init__(self) -> None:
        self._config = get_scene_config()
        self._timestep = 0.01

    @property
    def config(self) -> PhysxSceneConfig:
        """What set_scene_config said when it was made."""
        return self._config

    def configure(self, config: PhysxSceneConfig) -> None:
        """Take another config, before it is of a scene. Raises RuntimeError afterwards."""
        if self.scene is not None:
            raise RuntimeError("the system is of a scene; configure it before")
        self._config = config

    @property
    def timestep(self) -> float:
        """s, above 0."""
        return self._timestep

    @timestep.setter
    def timestep(self, timestep: float) -> None:
        self._timestep = number("timestep", timestep, 0.0, open_low=True)
        if self.scene is not None:
            self.scene.retime()

    @property
    def scene_collision_id(self) -> int:
        """0: worlds of a scene never meet."""
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
        """What stands in its scene."""
        return self._all(PhysxRigidStaticComponent)

    @property
    def articulation_link_components(self) -> list[PhysxArticulationLinkComponent]:
        """The links of its scene."""
        return self._all(PhysxArticulationLinkComponent)

    def _all(self, kind: type[Any]) -> list[Any]:
        entities = self.scene.entities if self.scene is not None else ()
        return [component for entity in entities for component in entity.components if isinstance(component, kind)]

    def step(self) -> None:
        """Advance the scene by one step. Raises RuntimeError for a system of no scene."""
        self._require_scene().advance()

    def _require_scene(self) -> Any:
        if self.scene is None:
            raise RuntimeError("the system is of no scene; give it to a Scene")
        return self.scene


class PhysxCpuSystem(PhysxSystem):
    """Physics on the CPU."""

    device = "cpu"

    def get_contacts(self, world: int = 0) -> list[PhysxContact]:
        """What touched in the last step of a world."""
        return contacts_of(self._require_scene().engine, world)

    def get_net_contact_impulse(self, body: Any, partner: Any = None) -> np.ndarray:
        """(3,) N s that contacts gave a body in the last step along their normals, of several worlds (n_world, 3).

        partner: another body of which alone it is asked. Friction is not in it.
        """
        engine = self._require_scene().engine
        if engine is None:
            return np.zeros(3, np.float32)
        return engine.contact_impulse(body, partner)        # type: ignore[no-any-return]

    def raycast(self, position: ArrayLike, direction: ArrayLike, distance: float, world: int = 0) -> PhysxRayHit | None:
        """The shape that a ray meets first within a distance [m], None for none; needs coal (the extra `queries`)."""
        scene = self._require_scene()
        scene.begin()
        if scene.engine is None:
            return None
        hit = scene.engine.scene.raycast(vector("position", position), vector("direction", direction),
                                         number("distance", distance, 0.0), world)
        return hit_of(scene.engine, hit)


class PhysxGpuSystem(PhysxSystem):
    """Refused: contact is stepped on the CPU."""

    def __init__(self, device: Any = "cuda") -> None:
        raise RuntimeError("PhysxGpuSystem steps contact on a GPU, which is not done here; take PhysxCpuSystem and "
                           "Scene(..., worlds=n) for many worlds")
