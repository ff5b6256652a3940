"""Articulations seen from the side at a few moments: a bone from joint to joint for every link."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.simulation.recording import Recording
from physx_schema.description.model import Articulation
from physx_schema.description.records import Vec3

UP_VECTORS = {"X": (1.0, 0.0, 0.0), "Y": (0.0, 1.0, 0.0), "Z": (0.0, 0.0, 1.0)}


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Bones at one moment."""

    time: float                         # s
    bones: DoubleArray                        # (n_bone, 2 ends, 2): sideways and up, length


def transform_point(poses: DoubleArray, local: Vec3) -> DoubleArray:
    """World positions of a point fixed in a link; poses: (..., 7), position and quaternion x y z w."""
    u, w = poses[..., 3:6], poses[..., 6:]
    # p + v + 2 w (u x v) + 2 u x (u x v)
    cross = np.cross(u, np.array(local))
    world: DoubleArray = poses[..., :3] + np.array(local) + 2.0 * w * cross + 2.0 * np.cross(u, cross)
    return world


def recorded_link_poses(articulation: Articulation, recording: Recording, world: int) -> DoubleArray:
    """(n_record, n_link, 7), in the articulation's order."""
    order = [recording.link_names.index(link.path) for link in articulation.links]
    return recording.link_pose[:, world, order].astype(np.float64)


def snapshots(articulations: Sequence[Articulation], recording: Recording, world: int, up: str,
              count: int) -> list[Snapshot]:
    """Evenly spaced moments, first and last among them, seen along the horizontal in which the bones spread least.

    None where there is no articulation. Moments at which a motion is no longer finite are left out.
    """
    if not articulations:
        return []
    with np.errstate(all="ignore"):         # of a motion that diverged
        bones = np.concatenate([_bones(articulation, recorded_link_poses(articulation, recording, world))
                                for articulation in articulations], axis=1)
    bones = bones[np.isfinite(bones).all(axis=(1, 2, 3))]
    if not len(bones):
        return []
    records = np.unique(np.linspace(0, len(bones) - 1, count).round().astype(int))
    view = _view(bones.reshape(-1, 3), np.array(UP_VECTORS[up]))
    flat = bones[records] @ view.T
    return [Snapshot(float(recording.time[record]), ends) for record, ends in zip(records, flat, strict=True)]


def _bones(articulation: Articulation, poses: DoubleArray) -> DoubleArray:
    """(n_record, n_bone, 2, 3): from a link's inbound joint to every joint it carries, or past its centre of mass.

    A link that carries none ends as far beyond its centre of mass as its joint lies before it.
    """
    starts, children = _starts(articulation, poses), _children(articulation)
    bones = []
    for i, link in enumerate(articulation.links):
        ends = [starts[child] for child in children[i]] or [2.0 * transform_point(poses[:, i], link.center_of_mass)
                                                            - starts[i]]
        bones += [np.stack([starts[i], end], axis=1) for end in ends]
    return np.stack(bones, axis=1)


def _starts(articulation: Articulation, poses: DoubleArray) -> list[DoubleArray]:
    """Where each link's inbound joint is, (n_record, 3); a root's own origin."""
    return [transform_point(poses[:, i], link.joint.child_frame[0] if link.joint else (0.0, 0.0, 0.0))
            for i, link in enumerate(articulation.links)]


def _children(articulation: Articulation) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in articulation.links]
    for i, link in enumerate(articulation.links):
        if link.parent >= 0:
            children[link.parent].append(i)
    return children


def _view(points: DoubleArray, up: DoubleArray) -> DoubleArray:
    """(2, 3): the horizontal direction of widest spread, and up."""
    horizontal = points - np.outer(points @ up, up)
    _, vectors = np.linalg.eigh(np.cov(horizontal.T))
    widest: Any = vectors[:, -1]
    # eigenvectors come with either sign
    widest = widest * np.sign(widest[np.argmax(np.abs(widest))])
    return np.stack([widest, up])
