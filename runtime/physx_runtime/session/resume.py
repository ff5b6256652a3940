"""`joint_states` computes joint coordinates and velocities from poses and velocities of links that were not simulated
as joints. `rest_lengths` keeps the rest lengths that PhysX measures once when it creates a spatial tendon; later edits
do not change them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from physx_runtime.arrays import DoubleArray
from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.topology import PRISMATIC
from physx_runtime.packing.frames import Frame, compose, inverse_frame
from physx_runtime.packing.model import PackedModel
from physx_schema.description.model import Articulation, Description, SpatialTendon
from physx_schema.description.records import Pose

State = tuple[float, float]         # position and velocity, radians or lengths


def joint_states(model: PackedModel, links: Mapping[str, DoubleArray]) -> dict[str, State]:
    """Of the degrees of freedom, by name, whose two links are among `links`: pose and velocity in the world, (13,)."""
    t, states = model.topology.tree, dict[str, State]()
    for i, link in enumerate(t.links):
        names = (model.link_names[i], model.link_names[link.parent])
        if link.parent < 0 or not set(names) <= links.keys():
            continue
        child, parent = (_internal(model, j, links[name]) for j, name in zip((i, link.parent), names, strict=True))
        zero_frame = compose(parent, _zero_frame(model, i))
        rotation = sp.rotation_vector(sp.mul_quat(sp.conjugate(zero_frame[1]), child[1]))
        rates = [_velocity_at(model, j, links[name], child[0]) for j, name in zip((i, link.parent), names, strict=True)]
        slides, sign = int(link.kind == PRISMATIC), -1.0 if link.flipped else 1.0
        axes: DoubleArray = np.array(sp.matrix(child[1])).T
        for dof in t.dofs_of(i):
            axis = t.dofs[dof].axis
            displacement = axes[axis] @ np.subtract(child[0], zero_frame[0]) if slides else rotation[axis]
            rate = axes[axis] @ (rates[0] - rates[1])[0 if slides else 1]
            states[model.dof_names[dof]] = float(sign * displacement), float(sign * rate)
    return states


def _internal(model: PackedModel, link: int, row: DoubleArray) -> Frame:
    """F of a link in the world."""
    x: Any = row.tolist()
    pose: Pose = (x[0], x[1], x[2]), (x[3], x[4], x[5], x[6])
    return compose(pose, inverse_frame(model.link_frames[link]))


def _zero_frame(model: PackedModel, link: int) -> Frame:
    """F of a link in its parent's F where the joint's coordinates are 0."""
    position = model.parameters["tree_position"][3 * link:3 * link + 3].tolist()
    rotation = model.parameters["tree_rotation"][4 * link:4 * link + 4].tolist()
    return (position[0], position[1], position[2]), (rotation[0], rotation[1], rotation[2], rotation[3])


def _velocity_at(model: PackedModel, link: int, row: DoubleArray, point: sp.Vec3) -> DoubleArray:
    """Linear velocity of a link at a world point, and angular velocity, (2, 3)."""
    position, rotation = _internal(model, link, row)
    com = np.array(sp.matrix(rotation)) @ model.parameters["com"][3 * link:3 * link + 3] + position
    return np.stack([row[7:10] + np.cross(row[10:13], point - com), row[10:13]])


RestLengths = Mapping[tuple[str, str], float]       # link path and instance name of a leaf to its length


def rest_lengths(description: Description) -> RestLengths:
    """The measured lengths in place of rest lengths below 0."""
    return {(item.path, item.name): item.rest_length for articulation in description.articulations
            for tendon in articulation.spatial_tendons for item in tendon.attachments if item.rest_from_poses}


def with_rest_lengths(description: Description, known: RestLengths) -> Description:
    """The description with the lengths measured before; the same object where they are equal."""
    measured = rest_lengths(description)
    if all(known.get(key, length) == length for key, length in measured.items()):
        return description

    def of_tendon(tendon: SpatialTendon) -> SpatialTendon:
        return replace(tendon, attachments=tuple(
            replace(item, rest_length=known.get((item.path, item.name), item.rest_length)) if item.rest_from_poses
            else item for item in tendon.attachments))

    def of_articulation(articulation: Articulation) -> Articulation:
        return replace(articulation, spatial_tendons=tuple(map(of_tendon, articulation.spatial_tendons)))

    return replace(description, articulations=tuple(map(of_articulation, description.articulations)))
