"""Joints of articulations, and their frames.

The joint that holds a link to its parent.

Frames of a joint on both of its sides.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.arrays import SingleArray
from physx_runtime.components.accessors import Accessors, Named
from physx_runtime.components.entity import LARGEST, instance, number, one_of, vector
from physx_runtime.components.pose import Pose, quaternion_of


class JointFrames(Accessors):
    """The frames of a joint on its parent and child. Setting one raises TypeError for anything except a Pose."""

    _pose_in_parent: Pose
    _pose_in_child: Pose

    def changed(self) -> None:
        """Note that the joint differs from the stage."""
        raise NotImplementedError

    @property
    def pose_in_parent(self) -> Pose:
        """The frame on the parent."""
        return self._pose_in_parent

    @pose_in_parent.setter
    def pose_in_parent(self, pose: Pose) -> None:
        self._pose_in_parent = instance("pose_in_parent", pose, Pose)
        self.changed()

    @property
    def pose_in_child(self) -> Pose:
        """The frame on the child."""
        return self._pose_in_child

    @pose_in_child.setter
    def pose_in_child(self, pose: Pose) -> None:
        self._pose_in_child = instance("pose_in_child", pose, Pose)
        self.changed()



ANGULAR_TYPES = ("revolute", "revolute_unwrapped")
DOF_TYPES = (*ANGULAR_TYPES, "prismatic")
TYPES = ("fixed", *DOF_TYPES, "free")
UNDEFINED = "undefined"     # the type of a floating root before it is in a scene
MODES = ("force", "acceleration")


class PhysxArticulationJoint(Named, JointFrames):
    """The joint of a link to its parent, or of the root to the world. Its axis is x of its frame.

    The pose of a link is parent pose x pose_in_parent x J(q) x inverse of pose_in_child. J(q) is the rotation about x
    by q, or the translation along x by q. Lengths are in metres, angles in radians.
    """

    def __init__(self, child: Any) -> None:
        self._child = child
        self._type = UNDEFINED
        self._pose_in_parent, self._pose_in_child = Pose(), Pose()
        self._limit = np.zeros((0, 2), np.float32)
        self._armature = np.zeros(0, np.float32)
        self._friction, self._max_velocity = 0.05, 100.0
        self._drive: tuple[float, float, float, str] = (0.0, 0.0, 0.0, "none")
        self._target = np.zeros(0, np.float32)
        self._velocity_target = np.zeros(0, np.float32)

    def changed(self) -> None:
        self._child.changed()

    # --- structure ---------------------------------------------------------------------------------------------------

    @property
    def child_link(self) -> Any:
        """The link of the joint."""
        return self._child

    @property
    def parent_link(self) -> Any:
        """The parent of the link, or None for the root."""
        return self._child.parent

    @property
    def type(self) -> str:
        """The joint type: fixed, revolute, revolute_unwrapped, prismatic or free. Set it before the articulation is in
        a scene.

        A revolute joint without limits reports angles between -2 pi and 2 pi. Raises RuntimeError for another type.
        """
        if self._type == UNDEFINED and self._child.entity is not None and self._child.entity.scene is not None:
            return "free"
        return self._type

    @type.setter
    def type(self, type: str) -> None:
        allowed = ("fixed", "free", UNDEFINED) if self.parent_link is None else (*DOF_TYPES, "fixed")
        if type not in allowed:
            raise RuntimeError(f"the type of joint {self.name!r} is {type!r}; give one of {', '.join(allowed)}")
        if self._child.entity is not None and self._child.entity.scene is not None:
            raise RuntimeError(f"the type of joint {self.name!r} cannot be set in a scene; remove the articulation's "
                               "entities from the scene first")
        self._type = UNDEFINED if type == "free" else type
        self._limit = np.zeros((self.dof, 2), np.float32)
        for name in ("_armature", "_target", "_velocity_target"):
            setattr(self, name, np.zeros(self.dof, np.float32))
        self._child.articulation.restructured()

    @property
    def dof(self) -> int:
        """The number of coordinates, 1 or 0."""
        return int(self._type in DOF_TYPES)

    @property
    def angular(self) -> bool:
        """Whether the joint rotates."""
        return self._type in ANGULAR_TYPES

    @property
    def global_pose(self) -> Pose:
        """The frame on the child link, in the world."""
        return self._child.entity_pose * self._pose_in_child        # type: ignore[no-any-return]

    def displacement(self, q: NDArray[Any]) -> Pose:
        """Return J(q); q is (1,) or (n_world, 1), and (0,) for a fixed joint."""
        if not self.dof:
            return Pose()
        x = np.asarray(q, dtype=np.float64)[..., 0]
        zeros = np.zeros_like(x)
        if self.angular:
            return Pose(q=np.stack([np.cos(x / 2), np.sin(x / 2), zeros, zeros], axis=-1))
        return Pose(np.stack([x, zeros, zeros], axis=-1))

    # --- numbers -----------------------------------------------------------------------------------------------------

    @property
    def limit(self) -> SingleArray:
        """The lower and upper limit, (dof, 2); -inf and inf for no limit."""
        return self._limit.copy()

    @limit.setter
    def limit(self, limit: ArrayLike) -> None:
        values = np.asarray(limit, dtype=np.float64).reshape(-1, 2) if np.size(limit) % 2 == 0 else np.zeros((0, 0))
        if values.shape != (self.dof, 2):
            raise RuntimeError(f"the limit of joint {self.name!r} has shape {np.shape(limit)}; give ({self.dof}, 2)")
        if np.isnan(values).any() or (values[:, 0] > values[:, 1]).any():
            raise ValueError(f"the limit of joint {self.name!r} is {values.tolist()}; give the lower limit first")
        self._limit = values.astype(np.float32)
        self.changed()

    @property
    def limits(self) -> SingleArray:
        """The same as `limit`."""
        return self.limit

    @limits.setter
    def limits(self, limit: ArrayLike) -> None:
        self.limit = limit

    @property
    def friction(self) -> float:
        """The friction coefficient of the joint's load. The profile "physx" ignores it with a warning."""
        return self._friction if self.dof else 0.0

    @friction.setter
    def friction(self, friction: float) -> None:
        self._friction = number("friction", friction, 0.0)
        self._update_engine("load_friction")

    @property
    def armature(self) -> SingleArray:
        """The inertia added about or along the axis, (dof,) in kg m^2 or kg."""
        return self._armature.copy()

    @armature.setter
    def armature(self, armature: ArrayLike) -> None:
        values = self._dof_vector("armature", armature)
        if not (values >= 0).all():
            raise ValueError(f"the armature of joint {self.name!r} is {values.tolist()}; give 0 or more")
        self._armature = values
        self._update_engine("armature")

    @property
    def max_velocity(self) -> float:
        """The maximum velocity in rad/s or m/s."""
        return self._max_velocity if self.dof else 0.0

    @max_velocity.setter
    def max_velocity(self, velocity: float) -> None:
        self._max_velocity = number("max_velocity", velocity, 0.0, open_low=True)
        self._update_engine("max_velocity")

    # --- drive -------------------------------------------------------------------------------------------------------

    def set_drive_properties(self, stiffness: float, damping: float, force_limit: float = LARGEST,
                             mode: str = "force") -> None:
        """Set the drive: a spring to drive_target and a damper to drive_velocity_target.

        `stiffness` is in N m/rad or N/m, `damping` in N m s/rad or N s/m, and `force_limit` in N m or N. The mode
        "acceleration" multiplies them by the inertia about the axis. Raises ValueError for negative numbers, and
        RuntimeError for a joint without dof.
        """
        self._require_dof()
        drive = (number("stiffness", stiffness, 0.0), number("damping", damping, 0.0),
                 number("force_limit", force_limit, 0.0), one_of("mode", mode, MODES))
        same_mode, self._drive = drive[3] == (self._drive[3] if self._drive[3] != "none" else "force"), drive
        if same_mode:
            for name in ("stiffness", "damping", "max_force"):
                self._update_engine(name)
        else:
            self.changed()

    def set_drive_property(self, stiffness: float, damping: float, force_limit: float = LARGEST,
                           mode: str = "force") -> None:
        """The same as `set_drive_properties`."""
        self.set_drive_properties(stiffness, damping, force_limit, mode)

    @property
    def stiffness(self) -> float:
        """The drive's stiffness in N m/rad or N/m. Raises RuntimeError for a joint without dof."""
        return self._drive_properties()[0]

    @property
    def damping(self) -> float:
        """The drive's damping in N m s/rad or N s/m. Raises RuntimeError for a joint without dof."""
        return self._drive_properties()[1]

    @property
    def force_limit(self) -> float:
        """The drive's effort limit in N m or N. Raises RuntimeError for a joint without dof."""
        return self._drive_properties()[2]

    @property
    def drive_mode(self) -> str:
        """"force", "acceleration", or "none" without a drive. Raises RuntimeError for a joint without dof."""
        return self._drive_properties()[3]

    def _drive_properties(self) -> tuple[float, float, float, str]:
        self._require_dof()
        return self._drive

    def _require_dof(self) -> None:
        if not self.dof:
            raise RuntimeError(f"joint {self.name!r} is {self.type} and has no degree of freedom to drive")

    @property
    def drive_target(self) -> SingleArray:
        """The drive target, (dof,) or (n_world, dof) with several worlds, in rad or m."""
        return self._target.copy()

    @drive_target.setter
    def drive_target(self, target: ArrayLike) -> None:
        self._target = self._world_vector("drive_target", target)
        self._update_engine("target_position")

    @property
    def drive_velocity_target(self) -> SingleArray:
        """The velocity target, (dof,) or (n_world, dof) with several worlds, in rad/s or m/s."""
        return self._velocity_target.copy()

    @drive_velocity_target.setter
    def drive_velocity_target(self, velocity: ArrayLike) -> None:
        self._velocity_target = self._world_vector("drive_velocity_target", velocity)
        self._update_engine("target_velocity")

    def _world_vector(self, name: str, value: ArrayLike) -> SingleArray:
        values = np.asarray(value, dtype=np.float64)
        return vector(name, values.reshape(1) if values.ndim == 0 and self.dof else values, self.dof,
                      self._child.articulation.worlds)

    def _dof_vector(self, name: str, value: ArrayLike) -> SingleArray:
        values = np.asarray(value, dtype=np.float64).reshape(-1)
        if values.shape != (self.dof,) or not np.isfinite(values).all():
            raise RuntimeError(f"{name} of joint {self.name!r} has shape {np.shape(value)}; give ({self.dof},)")
        return values.astype(np.float32)

    def _update_engine(self, name: str) -> None:
        """Have the engine take up a number, or be written anew."""
        if self._child.running is not None:
            self._child.running.set_joint(self, name)
        else:
            self.changed()

    def parameter(self, name: str) -> Any:
        """Return a number by the name of the engine's parameter, (1,) or (n_world, 1) with several worlds."""
        stiffness, damping, force_limit, _ = self._drive
        unbounded = force_limit >= LARGEST or self._drive[3] == "none"
        return {"stiffness": stiffness, "damping": damping, "max_force": np.inf if unbounded else force_limit,
                "target_position": self._target, "target_velocity": self._velocity_target,
                "armature": self._armature, "max_velocity": self._max_velocity, "load_friction": self._friction}[name]

    def copy_to(self, other: PhysxArticulationJoint) -> None:
        """Copy all settings to the joint of a link in no scene."""
        other.name, other._type, other._drive = self.name, self._type, self._drive
        other._pose_in_parent, other._pose_in_child = self._pose_in_parent, self._pose_in_child
        other._friction, other._max_velocity = self._friction, self._max_velocity
        for name in ("_limit", "_armature", "_target", "_velocity_target"):
            setattr(other, name, getattr(self, name).copy())


def axis_frame(axis: ArrayLike) -> Pose:
    """Return a frame with x along an axis. Raises ValueError for a zero axis."""
    x = np.asarray(axis, dtype=np.float64)
    length = np.linalg.norm(x)
    if x.shape != (3,) or not length > 0.0:
        raise ValueError(f"axis is {x.tolist()}; give three numbers that are not all 0")
    x = x / length
    y = np.cross([0.0, 0.0, 1.0] if abs(x[0]) > 0.9 else [1.0, 0.0, 0.0], x)
    y /= np.linalg.norm(y)
    return Pose(q=quaternion_of(np.stack([x, y, np.cross(x, y)], axis=-1)))
