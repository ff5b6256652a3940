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
    """Links held together by joints, with coordinates: in the order of `active_joints`, breadth first.

    Coordinates are (dof,), of several worlds (n_world, dof); rad or m.
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
        """Heed that there is another link or joint."""
        self._links = [self._root]
        for link in self._links:
            self._links += link.children
        self.detached_rows = {name: np.zeros(self.dof, np.float32) for name in ("q", "v", "qacc", "joint_effort")}

    # --- structure ---------------------------------------------------------------------------------------------------

    @property
    def root(self) -> Link:
        """The link without parent."""
        return self._root

    @property
    def links(self) -> list[Link]:
        """Breadth first, the root first."""
        return list(self._links)

    @property
    def joints(self) -> list[PhysxArticulationJoint]:
        """Of the links, in their order; the first is the root's."""
        return [link.joint for link in self._links]

    @property
    def active_joints(self) -> list[PhysxArticulationJoint]:
        """Those of the joints that have a coordinate."""
        return [joint for joint in self.joints if joint.dof]

    @property
    def dof(self) -> int:
        """How many coordinates there are."""
        return len(self.active_joints)

    def find_link_by_name(self, name: str) -> Link | None:
        """The first link of a name, None for none."""
        return next((link for link in self._links if link.name == name), None)

    def find_joint_by_name(self, name: str) -> PhysxArticulationJoint | None:
        """The first joint of a name, None for none."""
        return next((joint for joint in self.joints if joint.name == name), None)

    def create_fixed_tendon(self, link_chain: Sequence[Link], coefficients: Sequence[float],
                            recip_coefficients: Sequence[float], rest_length: float = 0.0, offset: float = 0.0,
                            stiffness: float = 0.0, damping: float = 0.0, low: float = -LARGEST, high: float = LARGEST,
                            limit_stiffness: float = 0.0) -> None:
        """Pull on the joints of links below the first one, with a spring on the weighted sum of their coordinates.

        Raises ValueError for links of another articulation, links whose parent is not among them, and numbers out of
        range.
        """
        self.tendons.append(fixed_tendon(self, tuple(link_chain), coefficients, recip_coefficients, {
            "rest_length": rest_length, "offset": offset, "stiffness": stiffness, "damping": damping, "low": low,
            "high": high, "limit_stiffness": limit_stiffness}))
        self._root.changed()

    def clone_links(self) -> list[Link]:
        """New links like these, in no entity, of a new articulation; tendons and the state are not copied."""
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
        """1 to 255."""
        return self._position_iterations

    @solver_position_iterations.setter
    def solver_position_iterations(self, iterations: int) -> None:
        self._position_iterations = count("solver_position_iterations", iterations, 1, MAX_ITERATIONS)
        self._root.changed()

    @property
    def solver_velocity_iterations(self) -> int:
        """0 to 255."""
        return self._velocity_iterations

    @solver_velocity_iterations.setter
    def solver_velocity_iterations(self, iterations: int) -> None:
        self._velocity_iterations = count("solver_velocity_iterations", iterations, 0, MAX_ITERATIONS)
        self._root.changed()

    @property
    def sleep_threshold(self) -> float:
        """m^2/s^2, kinetic energy per mass below which it falls asleep after 0.4 s."""
        return self._sleep_threshold

    @sleep_threshold.setter
    def sleep_threshold(self, threshold: float) -> None:
        self._sleep_threshold = number("sleep_threshold", threshold, 0.0)
        self._root.changed()

    @property
    def gpu_index(self) -> int:
        """Raises RuntimeError: no GPU system steps it."""
        raise RuntimeError(f"articulation {self.name!r} is in no GPU scene")

    # --- state -------------------------------------------------------------------------------------------------------

    @property
    def worlds(self) -> int:
        """How many worlds its scene has."""
        entity: Entity | None = self._root.entity
        return entity.scene.worlds if entity is not None and entity.scene is not None else 1

    def release_state(self) -> None:
        """Hold what the engine knew of it, and be stepped by none."""
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
        """(1,) or (n_world, 1), of a joint without dof (0,)."""
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
                raise ValueError(f"qpos of joint {joint.name!r} is {q[..., i].tolist()}; give {low:g} to {high:g}")

    @property
    def qpos(self) -> SingleArray:
        """Coordinates. Raises RuntimeError for another size, ValueError beyond the limits."""
        return self._row("q")

    @qpos.setter
    def qpos(self, qpos: ArrayLike) -> None:
        self._set_row("qpos", "q", qpos)

    @property
    def qvel(self) -> SingleArray:
        """Their rates. Raises RuntimeError for another size."""
        return self._row("v")

    @qvel.setter
    def qvel(self, qvel: ArrayLike) -> None:
        self._set_row("qvel", "v", qvel)

    @property
    def qacc(self) -> SingleArray:
        """How much the rates changed over the last step, over its time; read only."""
        return self._row("qacc")

    @property
    def qf(self) -> SingleArray:
        """Efforts, N m or N, in every step until set anew. Raises RuntimeError for another size."""
        return self._row("joint_effort")

    @qf.setter
    def qf(self, qf: ArrayLike) -> None:
        self._set_row("qf", "joint_effort", qf)

    @property
    def qlimit(self) -> SingleArray:
        """(dof, 2) limits of the coordinates."""
        return np.concatenate([np.zeros((0, 2), np.float32), *(joint.limit for joint in self.active_joints)])

    @property
    def qlimits(self) -> SingleArray:
        """As qlimit."""
        return self.qlimit

    @property
    def root_pose(self) -> Pose:
        """Where the root link is. Raises RuntimeError where it is of no entity."""
        pose: Pose = self._root.entity_pose
        return pose

    @root_pose.setter
    def root_pose(self, pose: Pose) -> None:
        self._root.entity_pose = pose

    @property
    def pose(self) -> Pose:
        """As root_pose."""
        return self.root_pose

    @pose.setter
    def pose(self, pose: Pose) -> None:
        self.root_pose = pose

    @property
    def root_linear_velocity(self) -> SingleArray:
        """(3,) m/s, of the root link's centre of mass; of a floating root it can be set."""
        return self._root_velocity(slice(0, 3))

    @root_linear_velocity.setter
    def root_linear_velocity(self, velocity: ArrayLike) -> None:
        self._set_root_velocity("root_linear_velocity", slice(0, 3), velocity)

    @property
    def root_angular_velocity(self) -> SingleArray:
        """(3,) rad/s, in the world; of a floating root it can be set."""
        return self._root_velocity(slice(3, 6))

    @root_angular_velocity.setter
    def root_angular_velocity(self, velocity: ArrayLike) -> None:
        self._set_root_velocity("root_angular_velocity", slice(3, 6), velocity)

    def _root_velocity(self, part: slice) -> SingleArray:
        running = self._root.running
        return (self.detached_root_velocity if running is None else running.root_velocity(self))[..., part].copy()

    def _set_root_velocity(self, name: str, part: slice, velocity: ArrayLike) -> None:
        if self._root.joint.type == "fixed":
            raise RuntimeError(f"{name} is set, and the root of {self._root.name!r} is fixed; leave it out")
        value, running = vector(name, velocity, 3, self.worlds), self._root.running
        if running is not None:
            running.set_root_velocity(self, part, value)
            return
        self.detached_root_velocity, self.detached_sleep = with_part(self.detached_root_velocity, part, value), False

    # --- forces ------------------------------------------------------------------------------------------------------

    def compute_passive_force(self, gravity: bool = True, coriolis_and_centrifugal: bool = True) -> SingleArray:
        """(dof,) efforts that balance gravity and Coriolis and centrifugal forces at the present state.

        Raises RuntimeError before it is in a scene.
        """
        return self._root.require_running().passive_force(self, gravity, coriolis_and_centrifugal)  # type: ignore[no-any-return]

    @property
    def link_incoming_joint_forces(self) -> SingleArray:
        """(n_link, 6) force and torque that each link's joint gives it. Raises RuntimeError before it is in a scene."""
        return self._root.require_running().incoming_forces(self)       # type: ignore[no-any-return]


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
        self.detached_velocity = np.zeros(6, np.float32)  # while no engine steps it; (n_world, 6) where they differ
        self.detached_sleep: Any = False

    # --- structure ---------------------------------------------------------------------------------------------------

    def _check_shape(self, shape: PhysxCollisionShape) -> None:
        if not self._kinematic:
            require_dynamic_shape(shape, "a dynamic body", "set kinematic first, or take a static component")

    @property
    def kinematic(self) -> bool:
        """Whether it goes where it is sent and nothing pushes it."""
        return self._kinematic

    @kinematic.setter
    def kinematic(self, kinematic: bool) -> None:
        if not kinematic:
            for shape in self._shapes:
                require_dynamic_shape(shape, "a dynamic body", "leave it kinematic")
        if bool(kinematic) != self._kinematic:
            self.release_state()
            self._kinematic, self.detached_velocity = bool(kinematic), np.zeros(6, np.float32)
            self.changed()

    @property
    def solver_position_iterations(self) -> int:
        """1 to 255."""
        return self._position_iterations

    @solver_position_iterations.setter
    def solver_position_iterations(self, iterations: int) -> None:
        self._position_iterations = count("solver_position_iterations", iterations, 1, MAX_ITERATIONS)
        self.changed()

    @property
    def solver_velocity_iterations(self) -> int:
        """0 to 255."""
        return self._velocity_iterations

    @solver_velocity_iterations.setter
    def solver_velocity_iterations(self, iterations: int) -> None:
        self._velocity_iterations = count("solver_velocity_iterations", iterations, 0, MAX_ITERATIONS)
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
        flags = list(np.asarray(axes).ravel())
        if len(flags) != 6:
            raise ValueError(f"locked_motion_axes is {axes!r}; give six of True and False")
        self._locked = [bool(axis) for axis in flags]
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
        self.detached_velocity, self.detached_sleep = velocity, asleep

    def _velocity(self, part: slice) -> SingleArray:
        velocity = self.detached_velocity if self.running is None else self.running.velocity(self)
        return velocity[..., part].copy()

    @property
    def linear_velocity(self) -> SingleArray:
        """(3,) m/s, of the centre of mass."""
        return self._velocity(slice(0, 3))

    @linear_velocity.setter
    def linear_velocity(self, velocity: ArrayLike) -> None:
        self._set_velocity("linear_velocity", slice(0, 3), velocity)

    @property
    def angular_velocity(self) -> SingleArray:
        """(3,) rad/s, in the world."""
        return self._velocity(slice(3, 6))

    @angular_velocity.setter
    def angular_velocity(self, velocity: ArrayLike) -> None:
        self._set_velocity("angular_velocity", slice(3, 6), velocity)

    def _set_velocity(self, name: str, part: slice, velocity: ArrayLike) -> None:
        if self._kinematic:
            raise RuntimeError(f"{name} of {self._describe()} is set, and it is kinematic; "
                               "set kinematic_target instead")
        scene = self._entity.scene if self._entity is not None else None
        value = vector(name, velocity, 3, scene.worlds if scene is not None else 1)
        if self.running is not None:
            self.running.set_velocity(self, part, value)
            return
        self.detached_velocity, self.detached_sleep = with_part(self.detached_velocity, part, value), False

    @property
    def kinematic_target(self) -> Pose:
        """Where the next step takes it. Raises RuntimeError where it is not kinematic, or was sent nowhere since."""
        running = self._require_kinematic()
        target: Pose | None = running.target(self)
        if target is None:
            raise RuntimeError(f"{self._describe()} was sent nowhere since the last step; set kinematic_target first")
        return target

    @kinematic_target.setter
    def kinematic_target(self, target: Pose) -> None:
        self._require_kinematic().set_target(self, instance("kinematic_target", target, Pose))

    def _require_kinematic(self) -> Any:
        if not self._kinematic:
            raise RuntimeError(f"{self._describe()} has no kinematic_target: it is not kinematic; set kinematic first")
        return self.require_running()

    def _apply_force(self, force: ArrayLike, torque: ArrayLike | None, point: ArrayLike | None, mode: str) -> None:
        if self._kinematic:
            raise RuntimeError(f"{self._describe()} is pushed, and it is kinematic; set kinematic_target instead")
        super()._apply_force(force, torque, point, mode)

    # --- sleep -------------------------------------------------------------------------------------------------------

    @property
    def is_sleeping(self) -> Any:
        """Whether it rests until something wakes it; of several worlds (n_world,)."""
        return self.detached_sleep if self.running is None else self.running.asleep(self)

    def wake_up(self) -> None:
        """Wake it. Raises RuntimeError where it is in no scene."""
        self.require_running().wake(self)

    def put_to_sleep(self) -> None:
        """Let it rest, without velocity, until something wakes it. Raises RuntimeError where it is in no scene."""
        self.require_running().put_to_sleep(self)

    @property
    def gpu_index(self) -> int:
        """Raises RuntimeError: no GPU system steps it."""
        raise RuntimeError(f"{self._describe()} is in no GPU scene")

    @property
    def gpu_pose_index(self) -> int:
        """Raises RuntimeError: no GPU system steps it."""
        raise RuntimeError(f"{self._describe()} is in no GPU scene")


def require_dynamic_shape(shape: PhysxCollisionShape, owner: str, advice: str) -> None:
    """Raises ValueError for a shape that only bodies which stand or are sent may have."""
    if isinstance(shape, PhysxCollisionShapePlane):
        raise ValueError(f"a plane is attached to {owner}, which PhysX does not take; {advice}")
    if isinstance(shape, PhysxCollisionShapeTriangleMesh) and not shape.sdf:
        raise ValueError(f"a triangle mesh without sdf is attached to {owner}, which PhysX does not take; {advice}")
