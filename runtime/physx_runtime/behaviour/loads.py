"""`Loads` of an articulation's joints: the load of the weight on each drive, and the inertia that each moves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.behaviour.motion import Motion
from physx_runtime.quantities.computation import compute
from physx_schema.description.model import Articulation, Description

# Poses on the way to the targets at which the load is computed.
PATH_POINTS = 17


class Loads:
    """Efforts, force or torque, (n_dof,) in the order of the articulation's degrees of freedom.

    end: at the end of the motion. greatest: the largest size on the straight way from the start to the targets and at
    the end. inertia: with armature.
    """

    def __init__(self, description: Description, articulation: Articulation, motion: Motion) -> None:
        columns = [motion.column(dof.name) for dof in articulation.dofs]
        start, end = (motion.position[sample][columns] for sample in (0, -1))
        path = np.linspace(start, _targets(articulation, end), PATH_POINTS)
        poses = np.concatenate([path, end[None]])
        roots = root_pose(articulation, motion)
        weight = _quantity(description, articulation, poses, "gravity_compensation", roots)
        weight = _on_references(articulation, weight)
        mass = _quantity(description, articulation, end[None], "mass_matrix", roots)[0]
        size = len(articulation.dofs)
        self.end = weight[-1].tolist()
        self.greatest = np.abs(weight).max(axis=0).tolist()
        self.inertia: list[float] = (np.diag(mass)[-size:] + [dof.armature for dof in articulation.dofs]).tolist()


def _targets(articulation: Articulation, end: DoubleArray) -> DoubleArray:
    """Return the drive targets; end positions for joints without a drive, mimic positions for followers."""
    target = end.copy()
    followers = {mimic.follower for mimic in articulation.mimics}
    for index, dof in enumerate(articulation.dofs):
        if dof.drive is not None and dof.drive.stiffness > 0.0 and index not in followers:
            target[index] = dof.drive.target_position
    for mimic in articulation.mimics:
        target[mimic.follower] = -(mimic.gearing * target[mimic.reference] + mimic.offset)
    return np.where(np.isfinite(target), target, end)


def _on_references(articulation: Articulation, weight: DoubleArray) -> DoubleArray:
    """Return the loads, with those of mimic joints added to their references by virtual work."""
    total = weight.copy()
    for mimic in articulation.mimics:
        total[:, mimic.reference] -= mimic.gearing * weight[:, mimic.follower]
    return total


def root_pose(articulation: Articulation, motion: Motion, moment: int = -1) -> dict[str, Sequence[float]] | None:
    """The pose of a floating base at a moment of `Motion.body_pose`, as `compute` takes it."""
    if articulation.fixed_base:
        return None
    pose = motion.body_pose[moment, motion.body_names.index(articulation.links[0].path)]
    return {"position": pose[:3].tolist(), "rotation_wxyz": pose[[6, 3, 4, 5]].tolist()}


def _quantity(description: Description, articulation: Articulation, poses: DoubleArray, kind: str,
              root: dict[str, Sequence[float]] | None) -> DoubleArray:
    values = compute(description, poses, np.zeros_like(poses), kind, root, articulation=articulation.path)
    return np.asarray(values, np.float64)[:, -len(articulation.dofs):] if kind != "mass_matrix" else np.asarray(values)
