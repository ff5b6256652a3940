"""What the running engine answers to components."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

from physx_runtime.arrays import Condition, SingleArray
from physx_runtime.components.pose import Pose

# Components import this module: a body, an articulation, and a joint of either kind.
Body: TypeAlias = Any
ArticulationHandle: TypeAlias = Any
JointHandle: TypeAlias = Any


class Running(Protocol):
    """The engine that steps a scene. Arrays are (n,), with several worlds (n_world, n)."""

    worlds: int

    def pose(self, body: Body) -> Pose:
        """Where a body is."""

    def velocity(self, body: Body) -> SingleArray:
        """(6,) of a body: linear of its centre of mass, angular."""

    def set_pose(self, body: Body, pose: Pose) -> None:
        """Put a body somewhere."""

    def set_velocity(self, body: Body, part: slice, value: SingleArray) -> None:
        """Set a part of a body's velocity."""

    def set_target(self, body: Body, pose: Pose) -> None:
        """Send a kinematic body somewhere."""

    def target(self, body: Body) -> Pose | None:
        """Where a kinematic body is sent, None where the step has taken it there."""

    def set_body(self, body: Body, name: str) -> None:
        """Take up a number of a body by the name of its property."""

    def apply_force(self, body: Body, force: SingleArray, torque: SingleArray | None, point: SingleArray | None,
                    mode: str) -> None:
        """Push a body in the next step."""

    def asleep(self, owner: Body) -> Condition:
        """Whether a body or an articulation rests."""

    def wake(self, owner: Body) -> None:
        """Wake a body or an articulation."""

    def put_to_sleep(self, owner: Body) -> None:
        """Let a body or an articulation rest."""

    def row(self, articulation: ArticulationHandle, name: str) -> SingleArray:
        """(n_dof,) "q", "v", "qacc" or "joint_effort" in the order of active joints."""

    def set_row(self, articulation: ArticulationHandle, name: str, value: SingleArray) -> None:
        """Set one of these."""

    def root_velocity(self, articulation: ArticulationHandle) -> SingleArray:
        """(6,) of the root link."""

    def set_root_velocity(self, articulation: ArticulationHandle, part: slice, value: SingleArray) -> None:
        """Set a part of it."""

    def set_joint(self, joint: JointHandle, name: str) -> None:
        """Take up a number of an articulation's joint by the name of its parameter."""

    def set_drive_targets(self, joint: JointHandle, name: str) -> None:
        """Take up the targets of a joint component by the name of their parameter."""

    def passive_force(self, articulation: ArticulationHandle, gravity: bool, coriolis: bool) -> SingleArray:
        """(n_dof,) efforts that balance gravity and Coriolis forces."""

    def incoming_forces(self, articulation: ArticulationHandle) -> SingleArray:
        """(n_link, 6) force and torque that each link's joint gives it."""


class Runs:
    """What an engine may step; it says so while it does."""

    running: Running | None = None
