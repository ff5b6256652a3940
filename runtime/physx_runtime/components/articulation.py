"""Articulations and free bodies as components.

Articulations.

Free bodies, kinematic ones among them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.arrays import SingleArray
from physx_runtime.components.accessors import Named
from physx_runtime.components.config import MAX_ITERATIONS, get_body_config
from physx_runtime.components.entity import LARGEST, Entity, count, instance, number, vector, with_part
from physx_runtime.components.joint import PhysxArticulationJoint
from physx_runtime.components.joint_components import FixedTendon, fixed_tendon
from physx_runtime.components.pose import Pose
from physx_runtime.components.rigid import PhysxRigidBodyComponent
from physx_runtime.components.shapes import (
    PhysxCollisionShape,
    PhysxCollisionShapePlane,
    PhysxCollisionShapeTriangleMesh,
)

Link = Any              # PhysxArticulationLinkComponent, which knows its articulation

LIMIT_SLACK = 1e-3      # rad or m by which a coordinate may be beyond its limit: what a step leaves


class PhysxArticulation(Named):
    """Links that are connected by joints, with coordinates in the order of `active_joints`, breadth first.

    Coordinates are (dof,), or (n_world, dof) with several worlds, in rad or m.
    """

    def __init__(self, root: Link) -> None:
        config = get_body_config()
        self._root = root
        self._sleep_threshold = config.sleep_threshold
        self._position_iterations = config.solver_position_iterations
        self._velocity_iterations = config.solver_velocity_iterations
        self.tendons: list[FixedTendon] = []
        self._links: list[Link] = []
        self.detached_rows: dict[str, SingleArray] = {}         # q, v, qacc and joint_effort while no engine steps it
        self.detached_root_velocity = np.zeros(6, np.float32)
        self.detached_sleep: Any = False

    def restructured(self) -> None:
        """Note that links or joints were added."""
        self._links = [self._root]
        for link in self._links:
            self._links += link.children
        self.detached_rows = {name: np.zeros(self.dof, np.float32) for name in ("q", "v", "qacc", "joint_effort")}

    # --- structure ---------------------------------------------------------------------------------------------------

    @property
    def root(self) -> Link:
        """The link without a parent."""
        return self._root

    @property
    def links(self) -> list[Link]:
        """The links, breadth first from the root."""
        return list(self._links)

    @property
    def joints(self) -> list[PhysxArticulationJoint]:
        """The joints in the order of the links; the first is the root's joint."""
        return [link.joint for link in self._links]

    @property
    def active_joints(self) -> list[PhysxArticulationJoint]:
        """The joints with a coordinate."""
        return [joint for joint in self.joints if joint.dof]

    @property
    def dof(self) -> int:
        """The number of coordinates."""
        return len(self.active_joints)

    def find_link_by_name(self, name: str) -> Link | None:
        """Return the first link with a name, or None."""
        return next((link for link in self._links if link.name == name), None)

    def find_joint_by_name(self, name: str) -> PhysxArticulationJoint | None:
        """Return the first joint with a name, or None."""
        return next((joint for joint in self.joints if joint.name == name), None)

    def create_fixed_tendon(self, link_chain: Sequence[Link], coefficients: Sequence[float],
                            recip_coefficients: Sequence[float], rest_length: float = 0.0, offset: float = 0.0,
                            stiffness: float = 0.0, damping: float = 0.0, low: float = -LARGEST, high: float = LARGEST,
                            limit_stiffness: float = 0.0) -> None:
        """Add a spring on the weighted sum of the coordinates of links below the first one.

        Raises ValueError for links of another articulation, links without their parent in the list, and numbers out of
        range.
        """
        self.tendons.append(fixed_tendon(self, tuple(link_chain), coefficients, recip_coefficients, {
            "rest_length": rest_length, "offset": offset, "stiffness": stiffness, "damping": damping, "low": low,
            "high": high, "limit_stiffness": limit_stiffness}))
        self._root.changed()

    def clone_links(self) -> list[Link]:
        """Return copies of the links in a new articulation, without entities, tendons and state."""
        clones: dict[Link | None, Link] = {}
        for link in self._links:
            new = type(self._root)(clones.get(link.parent))
            link.joint.copy_to(new.joint)
            new.copy_body(link)
            new.articulation.restructured()
            clones[link] = new
        return list(clones.values())

    # --- solver ------------------------------------------------------------------------------------------------------

    @property
    def solver_position_iterations(self) -> int:
        """The position iteration count, 1 to 255."""
        return self._position_iterations

    @solver_position_iterations.setter
    def solver_position_iterations(self, iterations: int) -> None:
        self._position_iterations = count("solver_position_iterations", iterations, 1, MAX_ITERATIONS)
        self._root.changed()

    @property
    def solver_velocity_iterations(self) -> int:
        """The velocity iteration count, 0 to 255."""
        return self._velocity_iterations

    @solver_velocity_iterations.setter
    def solver_velocity_iterations(self, iterations: int) -> None:
        self._velocity_iterations = count("solver_velocity_iterations", iterations, 0, MAX_ITERATIONS)
        self._root.changed()

    @property
    def sleep_threshold(self) -> float:
        """The kinetic energy per mass in m^2/s^2 below which the articulation falls asleep after 0.4 s."""
        return self._sleep_threshold

    @sleep_threshold.setter
    def sleep_threshold(self, threshold: float) -> None:
        self._sleep_threshold = number("sleep_threshold", threshold, 0.0)
        self._root.changed()

    @property
    def gpu_index(self) -> int:
        """Not available: there is no GPU system. Raises RuntimeError."""
        raise RuntimeError(f"articulation {self.name!r} is not in a GPU scene")

    # --- state -------------------------------------------------------------------------------------------------------

    @property
    def worlds(self) -> int:
        """The number of worlds of its scene."""
        entity: Entity | None = self._root.entity
        return entity.scene.worlds if entity is not None and entity.scene is not None else 1

    def release_state(self) -> None:
        """Copy the state from the engine and detach from it."""
        running = self._root.running
        if running is None or self._root.entity is None:
            return
        rows = {name: running.row(self, name) for name in self.detached_rows}
        pose, velocity, asleep = (running.pose(self._root), running.root_velocity(self), running.asleep(self))
        for link in self._links:
            link.running = None
        self._root.entity.pose = pose
        self.detached_rows, self.detached_root_velocity, self.detached_sleep = rows, velocity, asleep

    def coordinate(self, joint: PhysxArticulationJoint) -> SingleArray:
        """Return the coordinate of a joint, (1,) or (n_world, 1); (0,) for a joint without dof."""
        q, active = self._row("q"), self.active_joints
        return q[..., [active.index(joint)]] if joint.dof else np.zeros(0, np.float32)

    def _row(self, name: str) -> SingleArray:
        running = self._root.running
        return self.detached_rows[name].copy() if running is None else running.row(self, name)

    def _set_row(self, public: str, name: str, value: ArrayLike) -> SingleArray:
        values = np.asarray(value, dtype=np.float64)
        worlds, dof = self.worlds, self.dof
        if values.shape not in ((dof,), *([(worlds, dof)] if worlds > 1 else [])):
            raise RuntimeError(f"{public} has shape {values.shape}; give ({dof},)"
                               + (f" or ({worlds}, {dof})" if worlds > 1 else ""))
        checked = vector(public, values, dof, worlds)
        if name == "q":
            self._check_limits(values)
        if self._root.running is None:
            self.detached_rows[name], self.detached_sleep = checked, False
        else:
            self._root.running.set_row(self, name, checked)
        return checked

    def _check_limits(self, q: NDArray[np.float64]) -> None:
        for i, joint in enumerate(self.active_joints):
            low, high = joint.limit[0]
            if (q[..., i] < low - LIMIT_SLACK).any() or (q[..., i] > high + LIMIT_SLACK).any():
                raise ValueError(f"qpos of joint {joint.name!r} is {q[..., i].tolist()}; "
                                 f"give values from {low:g} to {high:g}")

    @property
    def qpos(self) -> SingleArray:
        """The coordinates in rad or m. Raises RuntimeError for a wrong size, ValueError beyond the limits."""
        return self._row("q")

    @qpos.setter
    def qpos(self, qpos: ArrayLike) -> None:
        self._set_row("qpos", "q", qpos)

    @property
    def qvel(self) -> SingleArray:
        """The coordinate velocities in rad/s or m/s. Raises RuntimeError for a wrong size."""
        return self._row("v")

    @qvel.setter
    def qvel(self, qvel: ArrayLike) -> None:
        self._set_row("qvel", "v", qvel)

    @property
    def qacc(self) -> SingleArray:
        """The change of velocities over the last step, divided by its time; read-only."""
        return self._row("qacc")

    @property
    def qf(self) -> SingleArray:
        """The efforts in N m or N, applied in every step until set again. Raises RuntimeError for a wrong size."""
        return self._row("joint_effort")

    @qf.setter
    def qf(self, qf: ArrayLike) -> None:
        self._set_row("qf", "joint_effort", qf)

    @property
    def qlimit(self) -> SingleArray:
        """The limits of the coordinates, (dof, 2)."""
        return np.concatenate([np.zeros((0, 2), np.float32), *(joint.limit for joint in self.active_joints)])

    @property
    def qlimits(self) -> SingleArray:
        """The same as `qlimit`."""
        return self.qlimit

    @property
    def root_pose(self) -> Pose:
        """The pose of the root link. Raises RuntimeError if the articulation has no entity."""
        pose: Pose = self._root.entity_pose
        return pose

    @root_pose.setter
    def root_pose(self, pose: Pose) -> None:
        self._root.entity_pose = pose

    @property
    def pose(self) -> Pose:
        """The same as `root_pose`."""
        return self.root_pose

    @pose.setter
    def pose(self, pose: Pose) -> None:
        self.root_pose = pose

    @property
    def root_linear_velocity(self) -> SingleArray:
        """The velocity of the root link's centre of mass, (3,) in m/s; can be set for a floating root."""
        return self._root_velocity(slice(0, 3))

    @root_linear_velocity.setter
    def root_linear_velocity(self, velocity: ArrayLike) -> None:
        self._set_root_velocity("root_linear_velocity", slice(0, 3), velocity)

    @property
    def root_angular_velocity(self) -> SingleArray:
        """The angular velocity of the root link in world axes, (3,) in rad/s; can be set for a floating root."""
        return self._root_velocity(slice(3, 6))

    @root_angular_velocity.setter
    def root_angular_velocity(self, velocity: ArrayLike) -> None:
        self._set_root_velocity("root_angular_velocity", slice(3, 6), velocity)

    def _root_velocity(self, part: slice) -> SingleArray:
        running = self._root.running
        return (self.detached_root_velocity if running is None else running.root_velocity(self))[..., part].copy()

    def _set_root_velocity(self, name: str, part: slice, velocity: ArrayLike) -> None:
        if self._root.joint.type == "fixed":
            raise RuntimeError(f"{name} cannot be set, because the root of {self._root.name!r} is fixed; "
                               "do not set this velocity")
        value, running = vector(name, velocity, 3, self.worlds), self._root.running
        if running is not None:
            running.set_root_velocity(self, part, value)
            return
        self.detached_root_velocity, self.detached_sleep = with_part(self.detached_root_velocity, part, value), False

    # --- forces ------------------------------------------------------------------------------------------------------

    def compute_passive_force(self, gravity: bool = True, coriolis_and_centrifugal: bool = True) -> SingleArray:
        """Return the efforts (dof,) that balance gravity, Coriolis and centrifugal forces at the current state.

        Raises RuntimeError if the articulation is not in a scene.
        """
        return self._root.require_running().passive_force(self, gravity, coriolis_and_centrifugal)  # type: ignore[no-any-return]

    @property
    def link_incoming_joint_forces(self) -> SingleArray:
        """The force and torque of each link's joint on the link, (n_link, 6). Raises RuntimeError if the articulation
        is not in a scene."""
        return self._root.require_running().incoming_forces(self)       # type: ignore[no-any-return]


class PhysxRigidDynamicComponent(PhysxRigidBodyComponent):
    """A body that forces move. If `kinematic` is True, it follows its targets instead."""

    def __init__(self) -> None:
        super().__init__()
        config = get_body_config()
        self._kinematic = False
        self._sleep_threshold = config.sleep_threshold
        self._position_iterations = config.solver_position_iterations
        self._velocity_iterations = config.solver_velocity_iterations
        self._locked = [False] * 6
        self.detached_velocity = np.zeros(6, np.float32)  # while no engine steps it; (n_world, 6) where they differ
        self.detached_sleep: Any = False

    # --- structure ---------------------------------------------------------------------------------------------------

    def _check_shape(self, shape: PhysxCollisionShape) -> None:
        if not self._kinematic:
            require_dynamic_shape(shape, "a dynamic body", "set kinematic first, or use a static component")

    @property
    def kinematic(self) -> bool:
        """Whether the body follows its targets and ignores forces."""
        return self._kinematic

    @kinematic.setter
    def kinematic(self, kinematic: bool) -> None:
        if not kinematic:
            for shape in self._shapes:
                require_dynamic_shape(shape, "a dynamic body", "keep it kinematic")
        if bool(kinematic) != self._kinematic:
            self.release_state()
            self._kinematic, self.detached_velocity = bool(kinematic), np.zeros(6, np.float32)
            self.changed()

    @property
    def solver_position_iterations(self) -> int:
        """The position iteration count, 1 to 255."""
        return self._position_iterations

    @solver_position_iterations.setter
    def solver_position_iterations(self, iterations: int) -> None:
        self._position_iterations = count("solver_position_iterations", iterations, 1, MAX_ITERATIONS)
        self.changed()

    @property
    def solver_velocity_iterations(self) -> int:
        """The velocity iteration count, 0 to 255."""
        return self._velocity_iterations

    @solver_velocity_iterations.setter
    def solver_velocity_iterations(self, iterations: int) -> None:
        self._velocity_iterations = count("solver_velocity_iterations", iterations, 0, MAX_ITERATIONS)
        self.changed()

    @property
    def sleep_threshold(self) -> float:
        """The kinetic energy per mass in m^2/s^2 below which the body falls asleep after 0.4 s."""
        return self._sleep_threshold

    @sleep_threshold.setter
    def sleep_threshold(self, threshold: float) -> None:
        self._sleep_threshold = number("sleep_threshold", threshold, 0.0)
        self.changed()

    @property
    def locked_motion_axes(self) -> list[bool]:
        """Six flags: locked translation along the world axes, then locked rotation about them."""
        return list(self._locked)

    def set_locked_motion_axes(self, axes: ArrayLike) -> None:
        """Set the six flags of `locked_motion_axes`. Raises ValueError for another number of flags."""
        flags = list(np.asarray(axes).ravel())
        if len(flags) != 6:
            raise ValueError(f"locked_motion_axes is {axes!r}; give six values, each True or False")
        self._locked = [bool(axis) for axis in flags]
        self.changed()

    # --- state -------------------------------------------------------------------------------------------------------

    def where(self) -> Pose | None:
        return None if self.running is None else self.running.pose(self)

    def place(self, pose: Pose) -> None:
        if self.running is not None:
            self.running.set_pose(self, pose)

    def release_state(self) -> None:
        """Copy the state from the engine and detach from it."""
        running, entity = self.running, self._entity
        if running is None or entity is None:
            return
        pose, velocity, asleep = running.pose(self), running.velocity(self), running.asleep(self)
        self.running = None
        entity.pose = pose
        self.detached_velocity, self.detached_sleep = velocity, asleep

    def _velocity(self, part: slice) -> SingleArray:
        velocity = self.detached_velocity if self.running is None else self.running.velocity(self)
        return velocity[..., part].copy()

    @property
    def linear_velocity(self) -> SingleArray:
        """The velocity of the centre of mass, (3,) in m/s."""
        return self._velocity(slice(0, 3))

    @linear_velocity.setter
    def linear_velocity(self, velocity: ArrayLike) -> None:
        self._set_velocity("linear_velocity", slice(0, 3), velocity)

    @property
    def angular_velocity(self) -> SingleArray:
        """The angular velocity in world axes, (3,) in rad/s."""
        return self._velocity(slice(3, 6))

    @angular_velocity.setter
    def angular_velocity(self, velocity: ArrayLike) -> None:
        self._set_velocity("angular_velocity", slice(3, 6), velocity)

    def _set_velocity(self, name: str, part: slice, velocity: ArrayLike) -> None:
        if self._kinematic:
            raise RuntimeError(f"{name} cannot be set; {self._describe()} is kinematic; "
                               "set kinematic_target instead")
        scene = self._entity.scene if self._entity is not None else None
        value = vector(name, velocity, 3, scene.worlds if scene is not None else 1)
        if self.running is not None:
            self.running.set_velocity(self, part, value)
            return
        self.detached_velocity, self.detached_sleep = with_part(self.detached_velocity, part, value), False

    @property
    def kinematic_target(self) -> Pose:
        """The pose after the next step. Raises RuntimeError if the body is not kinematic, or has no target."""
        running = self._require_kinematic()
        target: Pose | None = running.target(self)
        if target is None:
            raise RuntimeError(f"{self._describe()} was given no kinematic_target since the last step; "
                               "set kinematic_target first")
        return target

    @kinematic_target.setter
    def kinematic_target(self, target: Pose) -> None:
        self._require_kinematic().set_target(self, instance("kinematic_target", target, Pose))

    def _require_kinematic(self) -> Any:
        if not self._kinematic:
            raise RuntimeError(f"{self._describe()} is not kinematic and has no kinematic_target; set kinematic first")
        return self.require_running()

    def _apply_force(self, force: ArrayLike, torque: ArrayLike | None, point: ArrayLike | None, mode: str) -> None:
        if self._kinematic:
            raise RuntimeError(f"{self._describe()} is kinematic, and forces do not move it; "
                               "set kinematic_target instead")
        super()._apply_force(force, torque, point, mode)

    # --- sleep -------------------------------------------------------------------------------------------------------

    @property
    def is_sleeping(self) -> Any:
        """Whether the body sleeps; (n_world,) with several worlds."""
        return self.detached_sleep if self.running is None else self.running.asleep(self)

    def wake_up(self) -> None:
        """Wake the body. Raises RuntimeError if no scene has the body."""
        self.require_running().wake(self)

    def put_to_sleep(self) -> None:
        """Put the body to sleep with zero velocity. Raises RuntimeError if no scene has the body."""
        self.require_running().put_to_sleep(self)

    @property
    def gpu_index(self) -> int:
        """Not available: there is no GPU system. Raises RuntimeError."""
        raise RuntimeError(f"{self._describe()} is not in a GPU scene")

    @property
    def gpu_pose_index(self) -> int:
        """Not available: there is no GPU system. Raises RuntimeError."""
        raise RuntimeError(f"{self._describe()} is not in a GPU scene")


def require_dynamic_shape(shape: PhysxCollisionShape, owner: str, advice: str) -> None:
    """Raise ValueError for a shape that only static and kinematic bodies can have."""
    if isinstance(shape, PhysxCollisionShapePlane):
        raise ValueError(f"a plane is attached to {owner}; PhysX refuses this; {advice}")
    if isinstance(shape, PhysxCollisionShapeTriangleMesh) and not shape.sdf:
        raise ValueError(f"a triangle mesh without sdf is attached to {owner}; PhysX refuses this; {advice}")
