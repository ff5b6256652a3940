"""Bodies: what has shapes, what stands, and what moves."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.arrays import SingleArray
from physx_runtime.components.entity import Component, Entity, instance, number, one_of, positive_vector, vector
from physx_runtime.components.mass import DEFAULT_MASS, total
from physx_runtime.components.pose import Pose
from physx_runtime.components.running import Runs
from physx_runtime.components.shapes import PhysxCollisionShape, PhysxCollisionShapePlane

BODY_DEFAULTS = MappingProxyType({
    "linear_damping": 0.0, "angular_damping": 0.05, "max_linear_velocity": 1e16, "max_angular_velocity": 100.0,
    "max_depenetration_velocity": 1e32, "max_contact_impulse": 1e32})
MODES = ("force", "acceleration", "velocity_change", "impulse")


class PhysxBaseComponent(Component, Runs):
    """A component of the physics system."""


class PhysxRigidBaseComponent(PhysxBaseComponent):
    """What collides."""

    def __init__(self) -> None:
        super().__init__()
        self._shapes: list[PhysxCollisionShape] = []

    def join(self, entity: Entity) -> None:
        if entity.find_component_by_type(PhysxRigidBaseComponent) is not None:
            raise RuntimeError(f"{entity!r} has a rigid body already; make another entity")
        super().join(entity)

    @property
    def collision_shapes(self) -> list[PhysxCollisionShape]:
        """Its shapes, in the order in which they were attached."""
        return list(self._shapes)

    def attach(self, collision_shape: PhysxCollisionShape) -> PhysxRigidBaseComponent:
        """Take a shape; returns itself. Raises RuntimeError for one that is another's, ValueError for one it cannot."""
        shape = instance("collision_shape", collision_shape, PhysxCollisionShape)
        if shape.body is not None:
            raise RuntimeError("the collision shape is attached to a body already; make another shape")
        self._check_shape(shape)
        shape.body = self
        self._shapes.append(shape)
        shape.changes.listen(self.changed)
        self._update_mass()
        self.changed()
        return self

    def _check_shape(self, shape: PhysxCollisionShape) -> None:
        """Raises ValueError for a shape that the body cannot have."""

    def _update_mass(self) -> None:
        """Heed that there is another shape."""

    def compute_global_aabb_tight(self) -> NDArray[np.float32]:
        """(2, 3) least and largest world coordinates of its shapes."""
        return self._bounds(0.0)

    def get_global_aabb_fast(self) -> NDArray[np.float32]:
        """(2, 3) as `compute_global_aabb_tight`."""
        return self._bounds(0.0)

    def _bounds(self, margin: float) -> NDArray[np.float32]:
        if not self._shapes or any(isinstance(shape, PhysxCollisionShapePlane) for shape in self._shapes):
            raise RuntimeError(f"{self._describe()} has no shape with bounds; a plane has none")
        low, high = [], []
        for shape in self._shapes:
            points = (self.entity_pose * shape.local_pose).transform(shape.bounds())
            low.append(points.min(axis=0) - shape.roundness - margin)
            high.append(points.max(axis=0) + shape.roundness + margin)
        return np.stack([np.min(low, axis=0), np.max(high, axis=0)]).astype(np.float32)


class PhysxRigidStaticComponent(PhysxRigidBaseComponent):
    """What stands."""

    def place(self, pose: Pose) -> None:
        self.changed()


class PhysxRigidBodyComponent(PhysxRigidBaseComponent):
    """What moves: a free body, or a link of an articulation."""

    _default_numbers: Mapping[str, float] = BODY_DEFAULTS

    def __init__(self) -> None:
        super().__init__()
        self._numbers = dict(self._default_numbers)
        self._disable_gravity = False
        self._auto_compute_mass = True
        self._mass, self._inertia, self._cmass_local_pose = DEFAULT_MASS, np.full(3, DEFAULT_MASS, np.float32), Pose()

    # --- mass --------------------------------------------------------------------------------------------------------

    @property
    def auto_compute_mass(self) -> bool:
        """Whether its shapes say what it weighs; False from the first mass, inertia or centre of mass that is set."""
        return self._auto_compute_mass

    @property
    def mass(self) -> float:
        """kg, above 0."""
        return self._mass

    @mass.setter
    def mass(self, mass: float) -> None:
        self._mass = number("mass", mass, 0.0, open_low=True)
        self._mass_changed("mass")

    @property
    def inertia(self) -> SingleArray:
        """(3,) kg m^2, moments about the axes of cmass_local_pose, above 0."""
        return self._inertia.copy()

    @inertia.setter
    def inertia(self, inertia: ArrayLike) -> None:
        self._inertia = positive_vector("inertia", inertia)
        self._mass_changed("inertia")

    @property
    def cmass_local_pose(self) -> Pose:
        """The centre of mass with the principal axes of the inertia, in its frame."""
        return self._cmass_local_pose

    @cmass_local_pose.setter
    def cmass_local_pose(self, pose: Pose) -> None:
        self._cmass_local_pose = instance("cmass_local_pose", pose, Pose)
        self._mass_changed("cmass_local_pose")

    def _mass_changed(self, name: str) -> None:
        self._auto_compute_mass = False
        self._update_engine(name)

    def _update_mass(self) -> None:
        if not self._auto_compute_mass:
            return
        combined = total(shape.mass for shape in self._shapes)
        frame, moments = combined.principal()
        self._mass, self._cmass_local_pose, self._inertia = combined.mass, frame, moments.astype(np.float32)

    def copy_body(self, other: PhysxRigidBodyComponent) -> None:
        """Take another body's shapes, which are copied, and its numbers; not its state."""
        for shape in other.collision_shapes:
            self.attach(shape.clone())
        self.name, self._numbers, self._disable_gravity = other.name, dict(other._numbers), other._disable_gravity
        self._mass, self._inertia = other._mass, other._inertia.copy()
        self._cmass_local_pose, self._auto_compute_mass = other._cmass_local_pose, other._auto_compute_mass
        self.changed()

    # --- numbers -----------------------------------------------------------------------------------------------------

    @property
    def disable_gravity(self) -> bool:
        """Whether it does not fall."""
        return self._disable_gravity

    @disable_gravity.setter
    def disable_gravity(self, disable: bool) -> None:
        self._disable_gravity = bool(disable)
        self._update_engine("disable_gravity")

    @property
    def linear_damping(self) -> float:
        """1/s."""
        return self._numbers["linear_damping"]

    @linear_damping.setter
    def linear_damping(self, damping: float) -> None:
        self._set_number("linear_damping", damping)

    @property
    def angular_damping(self) -> float:
        """1/s."""
        return self._numbers["angular_damping"]

    @angular_damping.setter
    def angular_damping(self, damping: float) -> None:
        self._set_number("angular_damping", damping)

    @property
    def max_linear_velocity(self) -> float:
        """m/s."""
        return self._numbers["max_linear_velocity"]

    @max_linear_velocity.setter
    def max_linear_velocity(self, velocity: float) -> None:
        self._set_number("max_linear_velocity", velocity)

    @property
    def max_angular_velocity(self) -> float:
        """rad/s."""
        return self._numbers["max_angular_velocity"]

    @max_angular_velocity.setter
    def max_angular_velocity(self, velocity: float) -> None:
        self._set_number("max_angular_velocity", velocity)

    @property
    def max_depenetration_velocity(self) -> float:
        """m/s, how fast contacts push apart what overlaps."""
        return self._numbers["max_depenetration_velocity"]

    @max_depenetration_velocity.setter
    def max_depenetration_velocity(self, velocity: float) -> None:
        self._set_number("max_depenetration_velocity", velocity)

    @property
    def max_contact_impulse(self) -> float:
        """N s, of a contact point in a step."""
        return self._numbers["max_contact_impulse"]

    @max_contact_impulse.setter
    def max_contact_impulse(self, impulse: float) -> None:
        self._set_number("max_contact_impulse", impulse)

    def _set_number(self, name: str, value: float) -> None:
        self._numbers[name] = number(name, value, 0.0)
        self._update_engine(name)

    def _update_engine(self, name: str) -> None:
        """Have the engine take up a number, or be written anew."""
        if self.running is not None:
            self.running.set_body(self, name)
        else:
            self.changed()

    # --- motion ------------------------------------------------------------------------------------------------------

    @property
    def linear_velocity(self) -> SingleArray:
        """(3,) m/s, of the centre of mass; read only of a link."""
        return self._velocity(slice(0, 3))

    @property
    def angular_velocity(self) -> SingleArray:
        """(3,) rad/s, in the world; read only of a link."""
        return self._velocity(slice(3, 6))

    def _velocity(self, part: slice) -> SingleArray:
        return np.zeros(3, np.float32) if self.running is None else self.running.velocity(self)[..., part]

    def add_force_torque(self, force: ArrayLike, torque: ArrayLike, mode: str = "force") -> None:
        """Push it in the next step: (3,) in world axes, the force at the centre of mass.

        mode: "force" [N, N m]; "acceleration" [m/s^2, rad/s^2]; "impulse" and "velocity_change" of the whole step.
        Raises RuntimeError before it is in a scene, ValueError for another mode or what is not finite.
        """
        self._apply_force(force, torque, None, mode)

    def add_force_at_point(self, force: ArrayLike, point: ArrayLike, mode: str = "force") -> None:
        """Push it at a point of the world in the next step; otherwise as `add_force_torque`."""
        self._apply_force(force, None, point, mode)

    def _apply_force(self, force: ArrayLike, torque: ArrayLike | None, point: ArrayLike | None, mode: str) -> None:
        one_of("mode", mode, MODES)
        running = self.require_running()
        torque_vector = None if torque is None else vector("torque", torque, 3, running.worlds)
        point_vector = None if point is None else vector("point", point, 3, running.worlds)
        running.apply_force(self, vector("force", force, 3, running.worlds), torque_vector, point_vector, mode)

    def require_running(self) -> Any:
        """The engine, begun where it was not; raises RuntimeError where the body is in no scene."""
        scene: Any = self.require_entity().scene
        if scene is None:
            raise RuntimeError(f"{self._describe()} is in no scene; add its entity to one first")
        scene.begin()
        if self.running is None:
            raise RuntimeError(f"{self._describe()} is not stepped; enable it")
        return self.running
