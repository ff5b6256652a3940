"""Link poses and velocities of recorded states, by the algorithms of the step run on arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.algorithms import spatial as sp
from physx_runtime.algorithms.kinematics import Kinematics, forward_kinematics, link_velocities, quaternion
from physx_runtime.packing import PackedModel

Array = NDArray[Any]


def _kinematics(model: PackedModel, rows: Mapping[str, Array]) -> Kinematics:
    """Poses at states whose last axis is the row's; float64 whatever the states are."""
    q = np.moveaxis(rows["q"].astype(np.float64), -1, 0)
    root = {"root_rotation": np.moveaxis(rows["root_rotation"].astype(np.float64), -1, 0)}
    rotation = sp.normalized(quaternion(root, "root_rotation", 0))
    return forward_kinematics(model.topology, model.parameters, q, rotation)


def _stacked(model: PackedModel, rows: Mapping[str, Array], values: list[tuple[Any, ...]]) -> Array:
    """(..., n_link, components)."""
    shape = rows["q"].shape[:-1]
    return np.stack([np.stack([np.broadcast_to(x, shape) for x in value], axis=-1) for value in values], axis=-2)


def link_poses(model: PackedModel, rows: Mapping[str, Array]) -> Array:
    """World poses of the link frames, (..., n_link, 7): position, quaternion x y z w.

    rows: q, root_position and root_rotation of the states, the row's axis last.
    """
    k = _kinematics(model, rows)
    root = tuple(np.moveaxis(rows["root_position"].astype(np.float64), -1, 0))
    poses = []
    for i, (position, rotation) in enumerate(model.link_frames):
        anchor = sp.add((root[0], root[1], root[2]), k.position[i])
        poses.append((*sp.add(anchor, sp.mul_mv(k.R[i], position)), *sp.mul_quat(k.rotation[i], rotation)))
    return _stacked(model, rows, poses)


def spatial_velocities(model: PackedModel, rows: Mapping[str, Array]) -> Array:
    """World velocities of the links, (..., n_link, 6): linear at the centre of mass, angular.

    rows: q, v and root_rotation of the states, the row's axis last.
    """
    v = np.moveaxis(rows["v"].astype(np.float64), -1, 0)
    velocity = link_velocities(model.topology, _kinematics(model, rows), v)
    return _stacked(model, rows, [(*u, *w) for u, w in zip(velocity.v_com, velocity.w, strict=True)])
