"""Free bodies, kinematic ones among them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.components.arguments import count, instance, number, vector, with_part
from physx_runtime.components.config import MOST_ITERATIONS, get_body_config
from physx_runtime.components.mesh_shapes import PhysxCollisionShapeTriangleMesh
from physx_runtime.components.pose import Pose
from physx_runtime.components.rigid import PhysxRigidBodyComponent
from physx_runtime.components.shapes import PhysxCollisionShape, PhysxCollisionShapePlane

Array = NDArray[np.float32]


class PhysxRigidDynamicComponent(PhysxRigidBodyComponent):
    """A body that forces move, or where `kinematic` one that goes where it is sent."""

    def __init__(self) -> None:
        super().__init__()
        config = get_body_config()
        self._kinematic = False
        self._sleep_threshold = config.sleep_threshold
        self._position_iterations = config.solver_position_iterations
        self._velocity_iterations = config.solver_velocity_iterations
        self._locked = [False] * 6
        self.held_velocity = np.zeros(6, np.float32)        # while no engine steps it; (n_world, 6) where they differ
        self.held_sleep: Any = False

    # --- structure ---------------------------------------------------------------------------------------------------

    def _check_shape(self, shape: PhysxCollisionShape) -> None:
        if not self._kinematic:
            refuse_standing(shape, "a dynamic body", "set kinematic first, or take a static component")

    @property
    def kinematic(self) -> bool:
        """Whether it goes where it is sent and nothing pushes it."""
        return self._kinematic

    @kinematic.setter
    def kinematic(self, kinematic: bool) -> None:
        if not kinematic:
            for shape in self._shapes:
                refuse_standing(shape, "a dynamic body", "leave it kinematic")
        if bool(kinematic) != self._kinematic:
            self.release_state()
            self._kinematic, self.held_velocity = bool(kinematic), np.zeros(6, np.float32)
            self.changed()

    @property
    def solver_position_iterations(self) -> int:
        """1 to 255."""
        return self._position_iterations

    @solver_position_iterations.setter
    def solver_position_iterations(self, iterations: int) -> None:
        self._position_iterations = count("solver_position_iterations", iterations, 1, MOST_ITERATIONS)
        self.changed()

    @property
    def solver_velocity_iterations(self) -> int:
        """0 to 255."""
        return self._velocity_iterations

    @solver_velocity_iterations.setter
    def solver_velocity_iterations(self, iterations: int) -> None:
        self._velocity_iterations = count("solver_velocity_iterations", iterations, 0, MOST_ITERATIONS)
        self.changed()

    @property
    def sleep_threshold(self) -> float:
        """m^2/s^2, kinetic energy per mass below which it falls asleep after 0.4 s."""
        return self._sleep_threshold

    @sleep_threshold.setter
    def sleep_threshold(self, threshold: float) -> None:
        self._sleep_threshold = number("sleep_threshold", threshold, 0.0)
        self.changed()

    @property
    def locked_motion_axes(self) -> list[bool]:
        """Six: the world axes along which it does not move, then those about which it does not turn."""
        return list(self._locked)

    def set_locked_motion_axes(self, axes: ArrayLike) -> None:
        """Lock six axes, or not. Raises ValueError for another number of them."""
        found = list(np.asarray(axes).ravel())
        if len(found) != 6:
            raise ValueError(f"locked_motion_axes is {axes!r}; give six of True and False")
        self._locked = [bool(axis) for axis in found]
        self.changed()

    # --- state -------------------------------------------------------------------------------------------------------

    def where(self) -> Pose | None:
        return None if self.running is None else self.running.pose(self)

    def place(self, pose: Pose) -> None:
        if self.running is not None:
            self.running.set_pose(self, pose)

    def release_state(self) -> None:
        """Hold what the engine knew of it, and be stepped by none."""
        running, entity = self.running, self._entity
        if running is None or entity is None:
            return
        pose, velocity, asleep = running.pose(self), running.velocity(self), running.asleep(self)
        self.running = None
        entity.pose = pose
        self.held_velocity, self.held_sleep = velocity, asleep

    def _velocity(self, part: slice) -> Array:
        held = self.held_velocity if self.running is None else self.running.velocity(self)
        return held[..., part].copy()

    @property
    def linear_velocity(self) -> Array:
        """(3,) m/s, of the centre of mass."""
        return self._velocity(slice(0, 3))

    @linear_velocity.setter
    def linear_velocity(self, velocity: ArrayLike) -> None:
        self._set_velocity("linear_velocity", slice(0, 3), velocity)

    @property
    def angular_velocity(self) -> Array:
        """(3,) rad/s, in the world."""
        return self._velocity(slice(3, 6))

    @angular_velocity.setter
    def angular_velocity(self, velocity: ArrayLike) -> None:
        self._set_velocity("angular_velocity", slice(3, 6), velocity)

    def _set_velocity(self, name: str, part: slice, velocity: ArrayLike) -> None:
        if self._kinematic:
            raise RuntimeError(f"{name} of {self._said()} is set, and it is kinematic; set kinematic_target instead")
        scene = self._entity.scene if self._entity is not None else None
        value = vector(name, velocity, 3, scene.worlds if scene is not None else 1)
        if self.running is not None:
            self.running.set_velocity(self, part, value)
            return
        self.held_velocity, self.held_sleep = with_part(self.held_velocity, part, value), False

    @property
    def kinematic_target(self) -> Pose:
        """Where the next step takes it. Raises RuntimeError where it is not kinematic, or was sent nowhere since."""
        running = self._require_kinematic()
        target: Pose | None = running.target(self)
        if target is None:
            raise RuntimeError(f"{self._said()} was sent nowhere since the last step; set kinematic_target first")
        return target

    @kinematic_target.setter
    def kinematic_target(self, target: Pose) -> None:
        self._require_kinematic().set_target(self, instance("kinematic_target", target, Pose))

    def _require_kinematic(self) -> Any:
        if not self._kinematic:
            raise RuntimeError(f"{self._said()} has no kinematic_target: it is not kinematic; set kinematic first")
        return self.require_running()

    def _push(self, force: ArrayLike, torque: ArrayLike | None, point: ArrayLike | None, mode: str) -> None:
        if self._kinematic:
            raise RuntimeError(f"{self._said()} is pushed, and it is kinematic; set kinematic_target instead")
        super()._push(force, torque, point, mode)

    # --- sleep -------------------------------------------------------------------------------------------------------

    @property
    def is_sleeping(self) -> Any:
        """Whether it rests until something wakes it; of several worlds (n_world,)."""
        return self.held_sleep if self.running is None else self.running.asleep(self)

    def wake_up(self) -> None:
        """Wake it. Raises RuntimeError where it is in no scene."""
        self.require_running().wake(self)

    def put_to_sleep(self) -> None:
        """Let it rest, without velocity, until something wakes it. Raises RuntimeError where it is in no scene."""
        self.require_running().put_to_sleep(self)

    @property
    def gpu_index(self) -> int:
        """Raises RuntimeError: no GPU system steps it."""
        raise RuntimeError(f"{self._said()} is in no GPU scene")

    @property
    def gpu_pose_index(self) -> int:
        """Raises RuntimeError: no GPU system steps it."""
        raise RuntimeError(f"{self._said()} is in no GPU scene")


def refuse_standing(shape: PhysxCollisionShape, where: str, advice: str) -> None:
    """Raises ValueError for a shape that only bodies which stand or are sent may have."""
    if isinstance(shape, PhysxCollisionShapePlane):
        raise ValueError(f"a plane is attached to {where}, which PhysX does not take; {advice}")
    if isinstance(shape, PhysxCollisionShapeTriangleMesh) and not shape.sdf:
        raise ValueError(f"a triangle mesh without sdf is attached to {where}, which PhysX does not take; {advice}")
