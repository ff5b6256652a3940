"""Scenes in which nothing moves by itself: kinematic bodies, and what stands."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.components.dynamic import PhysxRigidDynamicComponent
from physx_runtime.components.pose import Pose
from physx_runtime.components.stage import Written

Array = NDArray[np.float32]


class StillEngine:
    """Takes kinematic bodies where they are sent; there is nothing else to step."""

    def __init__(self, written: Written, worlds: int, timestep: float) -> None:
        self.written, self.worlds, self._timestep = written, worlds, timestep
        self._bodies = [body for body in written.bodies if isinstance(body, PhysxRigidDynamicComponent)]
        self._poses = {body: body.entity_pose for body in self._bodies}
        self._targets: dict[Any, Pose] = {}
        for body in self._bodies:
            body.running = self         # type: ignore[assignment]  # of what else engines do, nothing is asked here

    def release(self) -> None:
        """Have bodies hold where they are."""
        for body in self._bodies:
            body.release_state()

    def set_time_step(self, timestep: float) -> None:
        """Step by another time from now on."""
        self._timestep = timestep

    def step(self) -> None:
        """Take bodies to their targets."""
        self._poses |= self._targets
        self._targets.clear()

    def pose(self, body: Any) -> Pose:
        return self._poses[body]

    def velocity(self, body: Any) -> Array:
        return np.zeros(6, np.float32)

    def set_pose(self, body: Any, pose: Pose) -> None:
        self._poses[body] = pose

    def set_target(self, body: Any, pose: Pose) -> None:
        self._targets[body] = pose

    def target(self, body: Any) -> Pose | None:
        return self._targets.get(body)

    def set_body(self, body: Any, name: str) -> None:
        body.changed()

    def asleep(self, owner: Any) -> bool:
        return False

    def wake(self, owner: Any) -> None:
        """Nothing sleeps."""
