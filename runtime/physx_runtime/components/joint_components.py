"""Joints between components, and tendons.

Joints between bodies, outside articulations: components of the body that they hold.

Fixed tendons.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.arrays import SingleArray
from physx_runtime.components.entity import LARGEST, Entity, instance, number, one_of, vector
from physx_runtime.components.joint import MODES, JointFrames
from physx_runtime.components.pose import Pose
from physx_runtime.components.rigid import PhysxBaseComponent, PhysxRigidBaseComponent, PhysxRigidBodyComponent
from physx_schema.description.model.joint import AXES

DRIVES = {"x": ("transX",), "y": ("transY",), "z": ("transZ",), "twist": ("rotX",), "swing": ("rotY", "rotZ")}


@dataclass(frozen=True)
class Limit:
    """The range of an axis in m or rad. It is soft if it has a stiffness or a damping."""

    low: float
    high: float
    stiffness: float = 0.0
    damping: float = 0.0


@dataclass(frozen=True)
class Drive:
    """A spring and a damper along or about an axis."""

    stiffness: float = 0.0
    damping: float = 0.0
    force_limit: float = LARGEST
    mode: str = "force"


class PhysxJointComponent(PhysxBaseComponent, JointFrames):
    """A joint between a body and a parent body, or the world if the parent is None, with a frame on each."""

    def __init__(self, body: PhysxRigidBodyComponent) -> None:
        super().__init__()
        self.body: PhysxRigidBodyComponent = instance("body", body, PhysxRigidBodyComponent)
        self._parent: PhysxRigidBaseComponent | None = None
        self._pose_in_parent, self._pose_in_child = Pose(), Pose()

    def join(self, entity: Entity) -> None:
        if self.body.entity is not entity:
            raise RuntimeError(f"{self._describe()} holds the body of another entity; add it to that entity")
        super().join(entity)

    @property
    def parent(self) -> PhysxRigidBaseComponent | None:
        """The parent body, or None for the world."""
        return self._parent

    @parent.setter
    def parent(self, parent: PhysxRigidBaseComponent | None) -> None:
        if parent is self.body:
            raise ValueError(f"the parent of {self._describe()} is the same body as its child; give another body")
        self._parent = None if parent is None else instance("parent", parent, PhysxRigidBaseComponent)
        self.changed()

    @property
    def relative_pose(self) -> Pose:
        """The current pose of the body's frame in the parent's frame."""
        on_parent = self._pose_in_parent if self._parent is None else self._parent.entity_pose * self._pose_in_parent
        return on_parent.inv() * (self.body.entity_pose * self._pose_in_child)

    def set_inv_mass_scales(self, scale0: float, scale1: float) -> None:
        """Not supported on a USD stage: raises ValueError for scales other than 1."""
        self._require_unit_scales(scale0, scale1)

    def set_inv_inertia_scales(self, scale0: float, scale1: float) -> None:
        """Not supported on a USD stage: raises ValueError for scales other than 1."""
        self._require_unit_scales(scale0, scale1)

    def _require_unit_scales(self, *scales: float) -> None:
        if any(scale != 1.0 for scale in scales):
            raise ValueError(f"scales of {self._describe()} are {scales}; a USD stage supports only 1")


class PhysxDriveComponent(PhysxJointComponent):
    """A joint with six axes that can be limited or driven. Twist is about x, swing about y and z."""

    def __init__(self, body: PhysxRigidBodyComponent) -> None:
        super().__init__(body)
        self.limits: dict[str, Limit] = {}
        self.drives: dict[str, Drive] = {}
        self._target = Pose()
        self._velocity_target = np.zeros(6, np.float32)

    def _limit(self, axes: tuple[str, ...], ranges: tuple[tuple[float, float], ...], stiffness: float,
               damping: float) -> None:
        limits = {}
        for axis, (low, high) in zip(axes, ranges, strict=True):
            lower, upper = number("low", low), number("high", high)
            if lower > upper:
                raise ValueError(f"low is {low:g} and high {high:g}; give low <= high")
            if lower == upper and lower != 0.0:
                raise ValueError(f"{axis} is locked at {low:g}; joints lock at 0 only; move pose_in_parent instead")
            limits[axis] = Limit(lower, upper, number("stiffness", stiffness, 0.0), number("damping", damping, 0.0))
        self.limits |= limits
        self.changed()

    def set_limit_x(self, low: float, high: float, stiffness: float = 0.0, damping: float = 0.0) -> None:
        """Set the lower and upper limit along x in m; both 0 to lock it."""
        self._limit(("transX",), ((low, high),), stiffness, damping)

    def set_limit_y(self, low: float, high: float, stiffness: float = 0.0, damping: float = 0.0) -> None:
        """Set the lower and upper limit along y in m; both 0 to lock it."""
        self._limit(("transY",), ((low, high),), stiffness, damping)

    def set_limit_z(self, low: float, high: float, stiffness: float = 0.0, damping: float = 0.0) -> None:
        """Set the lower and upper limit along z in m; both 0 to lock it."""
        self._limit(("transZ",), ((low, high),), stiffness, damping)

    def set_limit_twist(self, low: float, high: float, stiffness: float = 0.0, damping: float = 0.0) -> None:
        """Set the lower and upper limit about x in rad; both 0 to lock it."""
        self._limit(("rotX",), ((low, high),), stiffness, damping)

    def set_limit_cone(self, angle_y: float, angle_z: float, stiffness: float = 0.0, damping: float = 0.0) -> None:
        """Set the maximum swing angles about y and z in rad; 0 to lock an axis."""
        self._limit(("rotY", "rotZ"), ((-angle_y, angle_y), (-angle_z, angle_z)), stiffness, damping)

    def set_limit_pyramid(self, low_y: float, high_y: float, low_z: float, high_z: float, stiffness: float = 0.0,
                          damping: float = 0.0) -> None:
        """Set the lower and upper swing angles about y and z in rad."""
        self._limit(("rotY", "rotZ"), ((low_y, high_y), (low_z, high_z)), stiffness, damping)

    def get_limit_x(self) -> tuple[float, float, float, float]:
        """Return low, high, stiffness and damping; -inf and inf for a free axis."""
        return self._limit_values("transX")

    def get_limit_y(self) -> tuple[float, float, float, float]:
        """Return low, high, stiffness and damping, as `get_limit_x`."""
        return self._limit_values("transY")

    def get_limit_z(self) -> tuple[float, float, float, float]:
        """Return low, high, stiffness and damping, as `get_limit_x`."""
        return self._limit_values("transZ")

    def get_limit_twist(self) -> tuple[float, float, float, float]:
        """Return low, high, stiffness and damping, as `get_limit_x`."""
        return self._limit_values("rotX")

    def get_limit_cone(self) -> tuple[float, float, float, float]:
        """Return the maximum swing angles about y and z, stiffness and damping."""
        y, z = self._limit_values("rotY"), self._limit_values("rotZ")
        return y[1], z[1], y[2], y[3]

    def get_limit_pyramid(self) -> tuple[float, float, float, float, float, float]:
        """Return the lower and upper swing about y, those about z, stiffness and damping."""
        y, z = self._limit_values("rotY"), self._limit_values("rotZ")
        return y[0], y[1], z[0], z[1], y[2], y[3]

    def _limit_values(self, axis: str) -> tuple[float, float, float, float]:
        limit = self.limits.get(axis, Limit(-math.inf, math.inf))
        return limit.low, limit.high, limit.stiffness, limit.damping

    # --- drives ------------------------------------------------------------------------------------------------------

    def _drive(self, name: str, stiffness: float, damping: float, force_limit: float, mode: str) -> None:
        drive = Drive(number("stiffness", stiffness, 0.0), number("damping", damping, 0.0),
                      number("force_limit", force_limit, 0.0), one_of("mode", mode, MODES))
        self.drives |= dict.fromkeys(DRIVES[name], drive)
        self.changed()

    def set_drive_property_x(self, stiffness: float, damping: float, force_limit: float = LARGEST,
                             mode: str = "force") -> None:
        """Set the drive along x: stiffness in N/m, damping in N s/m, force limit in N."""
        self._drive("x", stiffness, damping, force_limit, mode)

    def set_drive_property_y(self, stiffness: float, damping: float, force_limit: float = LARGEST,
                             mode: str = "force") -> None:
        """Set the drive along y, as along x."""
        self._drive("y", stiffness, damping, force_limit, mode)

    def set_drive_property_z(self, stiffness: float, damping: float, force_limit: float = LARGEST,
                             mode: str = "force") -> None:
        """Set the drive along z, as along x."""
        self._drive("z", stiffness, damping, force_limit, mode)

    def set_drive_property_twist(self, stiffness: float, damping: float, force_limit: float = LARGEST,
                                 mode: str = "force") -> None:
        """Set the drive about x: stiffness in N m/rad, damping in N m s/rad, torque limit in N m."""
        self._drive("twist", stiffness, damping, force_limit, mode)

    def set_drive_property_swing(self, stiffness: float, damping: float, force_limit: float = LARGEST,
                                 mode: str = "force") -> None:
        """Set the drives about y and z, as about x."""
        self._drive("swing", stiffness, damping, force_limit, mode)

    def set_drive_property_slerp(self, stiffness: float, damping: float, force_limit: float = LARGEST,
                                 mode: str = "force") -> None:
        """Not supported on a USD stage: raises ValueError."""
        raise ValueError("a USD stage has no slerp drive; use the twist and swing drives")

    def get_drive_property_x(self) -> tuple[float, float, float, str]:
        """Return stiffness, damping, force limit and mode."""
        return self._drive_values("transX")

    def get_drive_property_y(self) -> tuple[float, float, float, str]:
        """Return stiffness, damping, force limit and mode."""
        return self._drive_values("transY")

    def get_drive_property_z(self) -> tuple[float, float, float, str]:
        """Return stiffness, damping, force limit and mode."""
        return self._drive_values("transZ")

    def get_drive_property_twist(self) -> tuple[float, float, float, str]:
        """Return stiffness, damping, torque limit and mode."""
        return self._drive_values("rotX")

    def get_drive_property_swing(self) -> tuple[float, float, float, str]:
        """Return stiffness, damping, torque limit and mode."""
        return self._drive_values("rotY")

    def get_drive_property_slerp(self) -> tuple[float, float, float, str]:
        """Return the properties of an absent drive; it cannot be set."""
        return self._drive_values("")

    def _drive_values(self, axis: str) -> tuple[float, float, float, str]:
        drive = self.drives.get(axis, Drive())
        return drive.stiffness, drive.damping, drive.force_limit, drive.mode

    @property
    def drive_target(self) -> Pose:
        """The target pose of the body's frame in the parent's frame; the rotation is about one axis only."""
        return self._target

    @drive_target.setter
    def drive_target(self, target: Pose) -> None:
        imaginary = instance("drive_target", target, Pose).q[1:]
        if (abs(imaginary) > ROTATION_TOLERANCE).sum() > 1:
            raise ValueError(f"drive_target {target!r} has several rotation axes; give a rotation about x, y or z")
        self._target = target
        self._update_targets("target_position")

    @property
    def drive_velocity_target(self) -> tuple[SingleArray, SingleArray]:
        """The linear (3,) target in m/s and the angular (3,) target in rad/s."""
        return self._velocity_target[:3].copy(), self._velocity_target[3:].copy()

    def set_drive_velocity_target(self, linear: ArrayLike, angular: ArrayLike) -> None:
        """Set the linear and angular velocity targets of the drives."""
        self._velocity_target = np.concatenate([vector("linear", linear), vector("angular", angular)])
        self._update_targets("target_velocity")

    def drive_targets(self, name: str) -> dict[str, float]:
        """The targets by axis, in m and rad."""
        if name == "target_velocity":
            return dict(zip(AXES, map(float, self._velocity_target), strict=True))
        angles = 2.0 * np.arctan2(self._target.q[1:], self._target.q[0])
        angles = np.where(abs(self._target.q[1:]) > ROTATION_TOLERANCE, angles, 0.0)
        return dict(zip(AXES, map(float, [*self._target.p, *angles]), strict=True))

    def _update_targets(self, name: str) -> None:
        if self.running is not None:
            self.running.set_drive_targets(self, name)
        else:
            self.changed()


ROTATION_TOLERANCE = 1e-6        # of a quaternion's components


class PhysxDistanceJointComponent(PhysxJointComponent):
    """A joint that keeps the distance of the origins of its frames in a range."""

    def __init__(self, body: PhysxRigidBodyComponent) -> None:
        super().__init__(body)
        self.limit: Limit | None = None

    def set_limit(self, low: float, high: float, stiffness: float = 0.0, damping: float = 0.0) -> None:
        """Set the minimum and maximum distance in m. With a stiffness in N/m, a spring acts beyond them."""
        low, high = number("low", low, 0.0), number("high", high, 0.0)
        if low > high:
            raise ValueError(f"low is {low:g} and high {high:g}; give low <= high")
        self.limit = Limit(low, high, number("stiffness", stiffness, 0.0), number("damping", damping, 0.0))
        self.changed()

    @property
    def distance(self) -> float:
        """The current distance in m."""
        return float(np.linalg.norm(self.relative_pose.p))


class PhysxGearComponent(PhysxJointComponent):
    """Not supported: a gear on a USD stage couples two hinge joints. Creating one raises RuntimeError."""

    def __init__(self, body: PhysxRigidBodyComponent) -> None:
        raise RuntimeError("PhysxGearComponent is not supported: it couples two bodies, but a gear on a USD stage "
                           "couples two hinge joints; author a PhysxPhysicsGearJoint on the stage of to_stage()")


POSITIVE = ("stiffness", "damping", "limit_stiffness")


@dataclass(frozen=True)
class FixedTendon:
    """A spring on a weighted sum of joint coordinates. The first link's weights have no effect."""

    links: tuple[Any, ...]
    coefficients: tuple[float, ...]         # length per rad or m
    recip_coefficients: tuple[float, ...]   # effort per force of the tendon
    rest_length: float
    offset: float
    stiffness: float
    damping: float
    low: float
    high: float
    limit_stiffness: float

    @property
    def branches(self) -> bool:
        """Whether the links below the first one branch there."""
        return any(link.parent is self.links[0] for link in self.links[2:])


def fixed_tendon(articulation: Any, links: tuple[Any, ...], coefficients: Sequence[float],
                 recip_coefficients: Sequence[float], numbers: Mapping[str, float]) -> FixedTendon:
    """Return a tendon of an articulation. Raises ValueError for links or numbers that are not valid."""
    if len(links) < 2 or not len(links) == len(coefficients) == len(recip_coefficients):
        raise ValueError(f"a tendon has {len(links)} links, {len(coefficients)} coefficients and "
                         f"{len(recip_coefficients)} recip_coefficients; give equal numbers, two or more")
    for i, link in enumerate(links):
        if link.articulation is not articulation or (i and link.parent not in links[:i]):
            raise ValueError(f"the parent of tendon link {link.name!r} is not earlier in the list; list links of this "
                             "articulation, each parent before its children")
    checked = {name: number(name, value, 0.0 if name in POSITIVE else -math.inf) for name, value in numbers.items()}
    if checked["low"] > checked["high"]:
        raise ValueError(f"low is {checked['low']:g} and high {checked['high']:g}; give low <= high")
    return FixedTendon(links, tuple(number("coefficient", x) for x in coefficients),
                       tuple(number("recip_coefficient", x) for x in recip_coefficients), **checked)
