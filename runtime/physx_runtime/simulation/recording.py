"""What a simulation hands back: the motion of joints and links.

Link poses and velocities come from the step's own algorithms, run on arrays of recorded states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from physx_runtime.dynamics import spatial as sp
from physx_runtime.dynamics.kinematics import (
    Kinematics,
    forward_kinematics,
    held_velocities,
    link_velocities,
    quaternion,
)
from physx_runtime.packing.articulation import PackedModel
from physx_runtime.packing.not_simulated import NotSimulated
from physx_runtime.solver.articulation.step import clamp_start

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Recording:
    """Motion of one articulation in every world; record 0 is the state before step 1."""

    time: NDArray[np.float64]           # (n_record,) s
    joint_names: tuple[str, ...]        # (n_dof,) joint prim path, or path:axis
    joint_position: Array               # (n_record, n_world, n_dof) rad or length
    joint_velocity: Array               # (n_record, n_world, n_dof) rad/s or length/s
    link_names: tuple[str, ...]         # (n_link,) prim path
    link_pose: Array                    # (n_record, n_world, n_link, 7) position, quaternion x y z w; world
    link_velocity: Array                # (n_record, n_world, n_link, 6) of the centre of mass, then angular; world
    iterations: tuple[int, int]         # position, velocity iterations of every step
    raised: str                         # whose counts these are instead of its own; empty where they are its own
    not_simulated: tuple[NotSimulated, ...] = ()    # what moves it in PhysX and was left out
    diverged: tuple[str, ...] = ()      # which worlds diverged, when, and what was no longer finite


def _kinematics(model: PackedModel, rows: Mapping[str, Array]) -> Kinematics:
    """Poses at states whose last axis is the row's; float64 whatever the states are."""
    q = _leading(rows["q"])
    rotation = sp.normalized(quaternion({"root_rotation": _leading(rows["root_rotation"])}, "root_rotation", 0))
    given = dict(model.parameters) | {name: _leading(rows[name]) for name in ("locked",) if name in rows}
    return forward_kinematics(model.topology, given, q, rotation)


def _stacked(model: PackedModel, rows: Mapping[str, Array], values: list[tuple[Any, ...]]) -> Array:
    """(..., n_link, components)."""
    shape = rows["q"].shape[:-1]
    return np.stack([np.stack([np.broadcast_to(x, shape) for x in value], axis=-1) for value in values], axis=-2)


def link_poses(model: PackedModel, rows: Mapping[str, Array]) -> Array:
    """World poses of the link frames, (..., n_link, 7): position, quaternion x y z w.

    rows: q, root_position and root_rotation of the states, the row's axis last.
    """
    k = _kinematics(model, rows)
    root = _leading(rows["root_position"])
    poses = []
    for i, (position, rotation) in enumerate(model.link_frames):
        anchor = sp.add((root[0], root[1], root[2]), k.position[i])
        poses.append((*sp.add(anchor, sp.mul_mv(k.R[i], position)), *sp.mul_quat(k.rotation[i], rotation)))
    return _stacked(model, rows, poses)


def spatial_velocities(model: PackedModel, rows: Mapping[str, Array]) -> Array:
    """World velocities of the links at given states, (..., n_link, 6): linear at the centre of mass, angular.

    rows: q, v and root_rotation of the states, the row's axis last.
    """
    velocity = link_velocities(model.topology, _kinematics(model, rows), _leading(rows["v"]))
    return _stacked(model, rows, [(*u, *w) for u, w in zip(velocity.v_com, velocity.w, strict=True)])


def velocities_after_step(model: PackedModel, before: Mapping[str, Array], v: Array, dt: float) -> Array:
    """World velocities of the links of a fixed base as PhysX holds them after a step, (..., n_link, 6).

    They are not those of the new pose, but `held_velocities` of the state `before` the step (measured against recorded
    link velocities to 2e-6).
    """
    t = model.topology
    k = _kinematics(model, before)
    given = dict(model.parameters) | {"v": _leading(before["v"])}
    held = held_velocities(t, k, clamp_start(t, given), _leading(v), dt)
    return _stacked(model, before, [(*u, *w) for u, w in held])


def _leading(row: Array) -> Array:
    """A row with its own axis first, float64."""
    return np.moveaxis(row.astype(np.float64), -1, 0)
