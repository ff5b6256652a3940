"""Authored forces (PhysxForceAPI) -> structure and rows."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.topology import PushTopology
from physx_runtime.packing.frames import IDENTITY_ROTATION, compose, inverse
from physx_schema.description.model import Push
from physx_schema.description.poses import Pose


def push_topology(link: int, push: Push) -> PushTopology:
    """The structure of one authored force."""
    return PushTopology(link, push.world, push.acceleration, push.point is None)


def push_rows(name: str, push: Push, frame: Pose) -> dict[str, list[float]]:
    """Force and torque in the world's axes or those of F, and the point in F; 0 where the push is disabled.

    frame: F in the link's frame.
    """
    to_frame = inverse(frame)
    rows = {"force": push.force, "torque": push.torque}
    rows = {key: value if push.world else sp.rotate(to_frame[1], value) for key, value in rows.items()}
    rows = {key: value if push.enabled else (0.0, 0.0, 0.0) for key, value in rows.items()}
    point = push.point or (0.0, 0.0, 0.0)
    rows["point"] = compose(to_frame, (point, IDENTITY_ROTATION))[0]
    return {f"{name}_{key}": list(value) for key, value in rows.items()}
