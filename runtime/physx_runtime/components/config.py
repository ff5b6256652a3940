"""Global settings of new scenes, bodies and shapes, as in SAPIEN."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from physx_runtime.components.entity import LARGEST, count, number, vector
from physx_runtime.components.material import PhysxMaterial

MAX_ITERATIONS = 255       # PhysX's own bound of both counts


def _gravity() -> NDArray[np.float32]:
    return np.array([0.0, 0.0, -9.81], np.float32)


@dataclass
class PhysxSceneConfig:
    """Settings of new physics systems: gravity in m/s^2, bounce threshold in m/s, and switches."""

    gravity: NDArray[np.float32] = field(default_factory=_gravity)
    bounce_threshold: float = 2.0
    enable_pcm: bool = True
    enable_tgs: bool = True
    enable_ccd: bool = False
    enable_enhanced_determinism: bool = False
    enable_friction_every_iteration: bool = True

    def checked(self) -> PhysxSceneConfig:
        """Return a copy. Raises ValueError for settings that are not supported."""
        if not self.enable_pcm:
            raise ValueError("enable_pcm is False; only persistent contact manifolds are supported; leave it True")
        if self.enable_ccd:
            raise ValueError("enable_ccd is True; continuous collision detection is not supported; "
                             "use a shorter timestep")
        if not self.enable_friction_every_iteration:
            raise ValueError("enable_friction_every_iteration is False; TGS applies friction in every iteration; "
                             "leave it True")
        return replace(self, gravity=vector("gravity", self.gravity),
                       bounce_threshold=number("bounce_threshold", self.bounce_threshold, 0.0, open_low=True))


@dataclass
class PhysxBodyConfig:
    """Settings of new bodies. The sleep threshold is kinetic energy per mass in m^2/s^2."""

    solver_position_iterations: int = 10
    solver_velocity_iterations: int = 1
    sleep_threshold: float = 0.005

    def checked(self) -> PhysxBodyConfig:
        """Return a copy. Raises ValueError for a number out of range."""
        count("solver_position_iterations", self.solver_position_iterations, 1, MAX_ITERATIONS)
        count("solver_velocity_iterations", self.solver_velocity_iterations, 0, MAX_ITERATIONS)
        number("sleep_threshold", self.sleep_threshold, 0.0)
        return replace(self)


@dataclass
class PhysxShapeConfig:
    """Settings of new shapes, in metres."""

    contact_offset: float = 0.01
    rest_offset: float = 0.0

    def checked(self) -> PhysxShapeConfig:
        """Return a copy. Raises ValueError if rest_offset is not below contact_offset."""
        number("contact_offset", self.contact_offset, 0.0, open_low=True)
        number("rest_offset", self.rest_offset)
        if not self.rest_offset < self.contact_offset:
            raise ValueError(f"rest_offset is {self.rest_offset:g} and contact_offset is {self.contact_offset:g}; give "
                             "a rest_offset below contact_offset")
        return replace(self)


@dataclass
class PhysxSDFConfig:
    """Settings of signed distance fields of triangle meshes."""

    spacing: float = 0.01
    subgridSize: int = 6        # noqa: N815 - SAPIEN's name
    num_threads_for_construction: int = 4

    def checked(self) -> PhysxSDFConfig:
        """Return a copy. Raises ValueError for a number out of range."""
        number("spacing", self.spacing, 0.0, open_low=True)
        count("subgridSize", self.subgridSize, 1, 255)
        return replace(self)


ConfigT = TypeVar("ConfigT", PhysxSceneConfig, PhysxBodyConfig, PhysxShapeConfig, PhysxSDFConfig)


@dataclass
class _Globals:
    scene: PhysxSceneConfig = field(default_factory=PhysxSceneConfig)
    body: PhysxBodyConfig = field(default_factory=PhysxBodyConfig)
    shape: PhysxShapeConfig = field(default_factory=PhysxShapeConfig)
    sdf: PhysxSDFConfig = field(default_factory=PhysxSDFConfig)
    material: PhysxMaterial = field(default_factory=lambda: PhysxMaterial(0.3, 0.3, 0.1))


_globals = _Globals()


def _checked_config(kind: type[ConfigT], config: Any, values: dict[str, Any]) -> ConfigT:
    """The config given, or a new one with these values; raises TypeError for names that it has not."""
    candidate = config if config is not None else kind(**values)
    if not isinstance(candidate, kind):
        raise TypeError(f"config is {candidate!r}; give a {kind.__name__}")
    checked: ConfigT = candidate.checked()
    return checked


def get_scene_config() -> PhysxSceneConfig:
    """What new systems begin with, a copy."""
    return replace(_globals.scene, gravity=_globals.scene.gravity.copy())


def set_scene_config(config: PhysxSceneConfig | None = None, *, cpu_workers: int = 0, **values: Any) -> None:
    """Have new systems begin with a config, or with a new one of these values. Raises ValueError and TypeError."""
    count("cpu_workers", cpu_workers, 0, 0)
    _globals.scene = _checked_config(PhysxSceneConfig, config, values)


def get_body_config() -> PhysxBodyConfig:
    """What new bodies begin with, a copy."""
    return replace(_globals.body)


def set_body_config(config: PhysxBodyConfig | None = None, **values: Any) -> None:
    """Have new bodies begin with a config, or with a new one of these values. Raises ValueError and TypeError."""
    _globals.body = _checked_config(PhysxBodyConfig, config, values)


def get_shape_config() -> PhysxShapeConfig:
    """What new shapes begin with, a copy."""
    return replace(_globals.shape)


def set_shape_config(config: PhysxShapeConfig | None = None, **values: Any) -> None:
    """Have new shapes begin with a config, or with a new one of these values. Raises ValueError and TypeError."""
    _globals.shape = _checked_config(PhysxShapeConfig, config, values)


def get_sdf_config() -> PhysxSDFConfig:
    """How new signed distance fields are made, a copy."""
    return replace(_globals.sdf)


def set_sdf_config(config: PhysxSDFConfig | None = None, **values: Any) -> None:
    """Have new signed distance fields made so. Raises ValueError and TypeError."""
    if "subgrid_size" in values:
        values["subgridSize"] = values.pop("subgrid_size")
    _globals.sdf = _checked_config(PhysxSDFConfig, config, values)


def get_default_material() -> PhysxMaterial:
    """The material of shapes that builders are given none for."""
    return _globals.material


def set_default_material(static_friction: float, dynamic_friction: float, restitution: float) -> None:
    """Have builders take another material where they are given none. Raises ValueError as PhysxMaterial."""
    _globals.material = PhysxMaterial(static_friction, dynamic_friction, restitution)


# The bound of a drive's force where none is given.
UNBOUNDED = LARGEST
