"""The rows of a root from the pose of its link, as kernels work them out."""

from __future__ import annotations

from physx_runtime.dynamics import spatial as sp
from physx_runtime.language.ops import Rows
from physx_runtime.model.topology import Topology


def root_pose_rows(t: Topology, rows: Rows) -> Rows:
    """Where the root's F is; given `data`, rotation x y z w and position of the link, and `center`, F in it."""
    x, y, z, w, *position = rows["data"]
    rotation = sp.normalized((x, y, z, w))
    center = rows["center"]
    place = sp.add((position[0], position[1], position[2]), sp.rotate(rotation, (center[0], center[1], center[2])))
    return {"root_position": list(place), "root_rotation": list(rotation)}
