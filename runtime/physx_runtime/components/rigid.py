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
    """A component with collision shapes."""

    def __init__(self) -> None:
        super().__init__()
        self._shapes: list[PhysxCollisionShape] = []

    def join(self, entity: Entity) -> None:
        if entity.find_component_by_type(PhysxRigidBaseComponent) is not None:
            raise RuntimeError(f"{entity!r} already has a rigid body; create another entity")
        super().join(entity)

    @property
    def collision_shapes(self) -> list[PhysxCollisionShape]:
        """The shapes, in the order in which they were attached."""
        return list(self._shapes)

    def attach(self, collision_shape: PhysxCollisionShape) -> PhysxRigidBaseComponent:
        """Attach a shape and return the component. Raises RuntimeError for an attached shape, ValueError for an
        unsupported one.
        """
        shape = instance("collision_shape", collision_shape, PhysxCollisionShape)
        if shape.body is not None:
            raise RuntimeError("the collision shape is already attached to a body; create another shape")
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
        """Return the lower and upper world bounds of its shapes, (2, 3)."""
        return self._bounds(0.0)

    def get_global_aabb_fast(self) -> NDArray[np.float32]:
        """Return the same as `compute_global_aabb_tight`."""
        return self._bounds(0.0)

    def _bounds(self, margin: float) -> NDArray[np.float32]:
        if not self._shapes or any(isinstance(shape, PhysxCollisionShapePlane) for shape in self._shapes):
            raise RuntimeError(f"{self._describe()} has no shape with bounds; planes have no bounds")
        low, high = [], []
        for shape in self._shapes:
            points = (self.entity_pose * shape.local_pose).transform(shape.bounds())
            low.append(points.min(axis=0) - shape.roundness - margin)
            high.append(points.max(axis=0) + shape.roundness + margin)
        return np.stack([np.min(low, axis=0), np.max(high, axis=0)]).astype(np.float32)


class PhysxRigidStaticComponent(PhysxRigidBaseComponent):
    """A static body."""

    def place(self, pose: Pose) -> None:
        self.changed()


class PhysxRigidBodyComponent(PhysxRigidBaseComponent):
    """A moving body: a free body, or a link of an articulation."""

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
        """Whether the mass is computed from shapes. Setting mass, inertia or centre of mass makes it False."""
        return self._auto_compute_mass

    @property
    def mass(self) -> float:
        """The mass in kg, above 0."""
        return self._mass

    @mass.setter
    def mass(self, mass: float) -> None:
        self._mass = number("mass", mass, 0.0, open_low=True)
        self._mass_changed("mass")

    @property
    def inertia(self) -> SingleArray:
        """The moments of inertia about the axes of cmass_local_pose, (3,) in kg m^2, above 0."""
        return self._inertia.copy()

    @inertia.setter
    def inertia(self, inertia: ArrayLike) -> None:
        self._inertia = positive_vector("inertia", inertia)
        self._mass_changed("inertia")

    @property
    def cmass_local_pose(self) -> Pose:
        """The frame of the centre of mass and the principal axes, in the body's frame."""
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
        """Copy the shapes and properties of another body, without its state."""
        for shape in other.collision_shapes:
            self.attach(shape.clone())
        self.name, self._numbers, self._disable_gravity = other.name, dict(other._numbers), other._disable_gravity
        self._mass, self._inertia = other._mass, other._inertia.copy()
        self._cmass_local_pose, self._auto_compute_mass = other._cmass_local_pose, other._auto_compute_mass
        self.changed()

    # --- numbers -----------------------------------------------------------------------------------------------------

    @property
    def disable_gravity(self) -> bool:
        """Whether gravity is disabled for the body."""
        return self._disable_gravity

    @disable_gravity.setter
    def disable_gravity(self, disable: bool) -> None:
        self._disable_gravity = bool(disable)
        self._update_engine("disable_gravity")

    @property
    def linear_damping(self) -> float:
        """The linear damping in 1/s."""
        return self._numbers["linear_damping"]

    @linear_damping.setter
    def linear_damping(self, damping: float) -> None:
        self._set_number("linear_damping", damping)

    @property
    def angular_damping(self) -> float:
        """The angular damping in 1/s."""
        return self._numbers["angular_damping"]

    @angular_damping.setter
    def angular_damping(self, damping: float) -> None:
        self._set_number("angular_damping", damping)

    @property
    def max_linear_velocity(self) -> float:
        """The maximum linear velocity in m/s."""
        return self._numbers["max_linear_velocity"]

    @max_linear_velocity.setter
    def max_linear_velocity(self, velocity: float) -> None:
        self._set_number("max_linear_velocity", velocity)

    @property
    def max_angular_velocity(self) -> float:
        """The maximum angular velocity in rad/s."""
        return self._numbers["max_angular_velocity"]

    @max_angular_velocity.setter
    def max_angular_velocity(self, velocity: float) -> None:
        self._set_number("max_angular_velocity", velocity)

    @property
    def max_depenetration_velocity(self) -> float:
        """The maximum velocity in m/s at which contacts separate overlapping bodies."""
        return self._numbers["max_depenetration_velocity"]

    @max_depenetration_velocity.setter
    def max_depenetration_velocity(self, velocity: float) -> None:
        self._set_number("max_depenetration_velocity", velocity)

    @property
    def max_contact_impulse(self) -> float:
        """The maximum impulse of a contact point in a step, in N s."""
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
        """The velocity of the centre of mass, (3,) in m/s; read-only for a link."""
        return self._velocity(slice(0, 3))

    @property
    def angular_velocity(self) -> SingleArray:
        """The angular velocity in world axes, (3,) in rad/s; read-only for a link."""
        return self._velocity(slice(3, 6))

    def _velocity(self, part: slice) -> SingleArray:
        return np.zeros(3, np.float32) if self.running is None else self.running.velocity(self)[..., part]

    def add_force_torque(self, force: ArrayLike, torque: ArrayLike, mode: str = "force") -> None:
        """Apply a force at the centre of mass and a torque in the next step, (3,) each, in world axes.

        `mode` is "force" [N, N m], "acceleration" [m/s^2, rad/s^2], or "impulse" or "velocity_change" over the whole
        step. Raises RuntimeError outside a scene, and ValueError for another mode or numbers that are not finite.
        """
        self._apply_force(force, torque, None, mode)

    def add_force_at_point(self, force: ArrayLike, point: ArrayLike, mode: str = "force") -> None:
        """Apply a force at a world point in the next step; arguments as in `add_force_torque`."""
        self._apply_force(force, None, point, mode)

    def _apply_force(self, force: ArrayLike, torque: ArrayLike | None, point: ArrayLike | None, mode: str) -> None:
        one_of("mode", mode, MODES)
        running = self.require_running()
        torque_vector = None if torque is None else vector("torque", torque, 3, running.worlds)
        point_vector = None if point is None else vector("point", point, 3, running.worlds)
        running.apply_force(self, vector("force", force, 3, running.worlds), torque_vector, point_vector, mode)

    def require_running(self) -> Any:
        """Return the running engine; starts it if needed. Raises RuntimeError if no scene has the body."""
        scene: Any = self.require_entity().scene
        if scene is None:
            raise RuntimeError(f"{self._describe()} is not in a scene; add its entity to one first")
        scene.begin()
        if self.running is None:
            raise RuntimeError(f"{self._describe()} is not stepped; enable it")
        return self.running
