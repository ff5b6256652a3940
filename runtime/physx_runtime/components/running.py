"""What the running engine answers to components."""

from __future__ import annotations

from typing import Any, Protocol

from physx_runtime.arrays import SingleArray
from physx_runtime.components.pose import Pose


class Running(Protocol):
    """The engine that steps a scene. Arrays are (n,), with several worlds (n_world, n)."""

    worlds: int

    def pose(self, body: Any) -> Pose:
        """Where a body is."""

    def velocity(self, body: Any) -> SingleArray:
        """(6,) of a body: linear of its centre of mass, angular."""

    def set_pose(self, body: Any, pose: Pose) -> None:
        """Put a body somewhere."""

    def set_velocity(self, body: Any, part: slice, value: SingleArray) -> None:
        """Set a part of a body's velocity."""

    def set_target(self, body: Any, pose: Pose) -> None:
        """Send a kinematic body somewhere."""

    def target(self, body: Any) -> Pose | None:
        """Where a kinematic body is sent, None where the step has taken it there."""

    def set_body(self, body: Any, name: str) -> None:
        """Take up a number of a body by the name of its property."""

    def apply_force(self, body: Any, force: SingleArray, torque: SingleArray | None, point: SingleArray | None,
                    mode: str) -> None:
        """Push a body in the next step."""

    def asleep(self, owner: Any) -> Any:
        """Whether a body or an articulation rests."""

    def wake(self, owner: Any) -> None:
        """Wake a body or an articulation."""

    def put_to_sleep(self, owner: Any) -> None:
        """Let a body or an articulation rest."""

    def row(self, articulation: Any, name: str) -> SingleArray:
        """(n_dof,) "q", "v", "qacc" or "joint_effort" in the order of active joints."""

    def set_row(self, articulation: Any, name: str, value: SingleArray) -> None:
        """Set one of these."""

    def root_velocity(self, articulation: Any) -> SingleArray:
        """(6,) of the root link."""

    def set_root_velocity(self, articulation: Any, part: slice, value: SingleArray) -> None:
        """Set a part of it."""

    def set_joint(self, joint: Any, name: str) -> None:
        """Take up a number of an articulation's joint by the name of its parameter."""

    def set_drive_targets(self, joint: Any, name: str) -> None:
        """Take up the targets of a joint component by the name of their parameter."""

    def passive_force(self, articulation: Any, gravity: bool, coriolis: bool) -> SingleArray:
        """(n_dof,) efforts that balance gravity and Coriolis forces."""

    def incoming_forces(self, articulation: Any) -> SingleArray:
        """(n_link, 6) force and torque that each link's joint gives it."""


class Runs:
    """What an engine may step; it says so while it does."""

    running: Running | None = None
