"""Converts tendon data between PhysX's layout (PxGpuFixedTendonData, PxGpuSpatialTendonData and others) and the
runtime's parameters. A column is (parameter, component), or None for padding. A number that an element does not have
reads as 0 and ignores writes. An example is the rest length of an attachment that is no leaf.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import Array
from physx_runtime.direct.kinds import (
    ATTACHMENT_SIZE,
    FIXED_TENDON_SIZE,
    SPATIAL_TENDON_SIZE,
    TENDON_JOINT_SIZE,
    MaxCounts,
)
from physx_runtime.model.owners import acting_fixed_tendons, acting_spatial_tendons, leaf_paths
from physx_runtime.model.topology import PRISMATIC, Topology
from physx_runtime.simulation.actor import Actor
from physx_schema.description.model import ActorDescription

SPRING_ROWS = ("stiffness", "damping", "limit_stiffness", "offset")
FIXED_TENDON_NUMBERS = tuple(f"fixed_tendon_{x}" for x in (*SPRING_ROWS, "lower_limit", "upper_limit", "rest_length"))
SPATIAL_TENDON_NUMBERS = tuple(f"spatial_tendon_{x}" for x in SPRING_ROWS)
# PxArticulationAxis: eTWIST, eSWING1 and eSWING2 count from 0, eX, eY and eZ from here.
FIRST_SLIDING_AXIS = 3
AXIS_WORD = 2


def element_size(kind: str) -> int:
    """Words of one element."""
    return {"eFIXED_TENDON": FIXED_TENDON_SIZE, "eFIXED_TENDON_JOINT": TENDON_JOINT_SIZE,
            "eSPATIAL_TENDON": SPATIAL_TENDON_SIZE, "eSPATIAL_TENDON_ATTACHMENT": ATTACHMENT_SIZE}[kind]


def words(kind: str, art: ActorDescription, counts: MaxCounts) -> Iterator[tuple[int, str, int]]:
    """(word of the block, parameter, which of its values in one world) of every number of a kind."""
    fixed, spatial = acting_fixed_tendons(art), acting_spatial_tendons(art)
    if kind == "eFIXED_TENDON":
        for i in range(len(fixed)):
            yield from ((FIXED_TENDON_SIZE * i + word, name, i) for word, name in enumerate(FIXED_TENDON_NUMBERS))
    elif kind == "eSPATIAL_TENDON":
        for i in range(len(spatial)):
            yield from ((SPATIAL_TENDON_SIZE * i + word, name, i) for word, name in enumerate(SPATIAL_TENDON_NUMBERS))
    elif kind == "eFIXED_TENDON_JOINT":
        element = 0
        for i, tendon in enumerate(fixed):
            for n in range(len(tendon.axes)):
                start = TENDON_JOINT_SIZE * (i * counts.maxFixedTendonJoints + n)
                yield start, "fixed_tendon_gearing", element
                yield start + 1, "fixed_tendon_force_coefficient", element
                element += 1
    else:
        yield from _attachment_words(art, counts)


def _attachment_words(art: ActorDescription, counts: MaxCounts) -> Iterator[tuple[int, str, int]]:
    leaves = {(tendon, path[-1]): leaf for leaf, (tendon, path) in enumerate(leaf_paths(art))}
    element = 0
    for i, tendon in enumerate(acting_spatial_tendons(art)):
        for n in range(len(tendon.attachments)):
            start = ATTACHMENT_SIZE * (i * counts.maxSpatialTendonAttachments + n)
            for axis in range(3):
                yield start + axis, "spatial_tendon_local_position", 3 * element + axis
            yield start + 4, "spatial_tendon_gearing", element
            if (i, n) in leaves:
                for word, name in ((3, "rest_length"), (5, "lower_limit"), (6, "upper_limit")):
                    yield start + word, f"spatial_tendon_{name}", leaves[i, n]
            element += 1


def data_size(kind: str, art: ActorDescription, counts: MaxCounts) -> int:
    """Words of an articulation's own data, up to its last element."""
    size, last = element_size(kind), max((word for word, _, _ in words(kind, art, counts)), default=-1)
    return (last // size + 1) * size


def axis_words(kind: str, t: Topology, art: ActorDescription, counts: MaxCounts, dtype: str
               ) -> Iterator[tuple[int, float]]:
    """The words of a kind that hold an axis, and the number whose bits are that unsigned integer."""
    for start, axis in _axes(t, art, counts) if kind == "eFIXED_TENDON_JOINT" else ():
        yield start + AXIS_WORD, float(np.array(axis, f"u{np.dtype(dtype).itemsize}").view(dtype))


def tendon_data(kind: str, simulation: Actor, worlds: NDArray[np.int64], counts: MaxCounts) -> Array:
    """Blocks of the worlds, (n, words), up to the last element."""
    columns = list(words(kind, simulation.model.actor, counts))
    out = np.zeros((len(worlds), data_size(kind, simulation.model.actor, counts)), simulation.dtype)
    values = {name: simulation.parameter(name) for name in {name for _, name, _ in columns}}
    for word, name, element in columns:
        out[:, word] = values[name][worlds].reshape(len(worlds), -1)[:, element]
    if kind == "eFIXED_TENDON_JOINT":
        unsigned = out.view(f"u{out.itemsize}")
        for start, axis in _axes(simulation.topology, simulation.model.actor, counts):
            unsigned[:, start + AXIS_WORD] = axis
    return out


def write_tendon_data(kind: str, simulation: Actor, worlds: NDArray[np.int64], counts: MaxCounts, data: Array) -> None:
    """Set the parameters from blocks (n, words); raises ValueError for invalid values, and then sets none."""
    new: dict[str, Array] = {}
    for word, name, element in words(kind, simulation.model.actor, counts):
        if name not in new:         # every one of them has a word
            new[name] = np.zeros((len(worlds), *simulation.parameters[name].shape))
        new[name].reshape(len(worlds), -1)[:, element] = data[:, word]
    if kind == "eFIXED_TENDON_JOINT":
        unsigned = data.view(f"u{data.itemsize}")
        for start, axis in _axes(simulation.topology, simulation.model.actor, counts):
            values = unsigned[:, start + AXIS_WORD]
            if (values != axis).any():
                raise ValueError(f"{kind}: the axis at word {start + AXIS_WORD} of a block is "
                                 f"{values[values != axis][0]}; the axis cannot change; give {axis}")
    simulation.set_parameters(new, worlds)


def _axes(t: Topology, art: ActorDescription, counts: MaxCounts) -> Iterator[tuple[int, int]]:
    """First word and PxArticulationAxis of every joint of a fixed tendon."""
    for i, tendon in enumerate(acting_fixed_tendons(art)):
        for n, axis in enumerate(tendon.axes):
            first = FIRST_SLIDING_AXIS if t.kind_of(axis.dof) == PRISMATIC else 0
            yield TENDON_JOINT_SIZE * (i * counts.maxFixedTendonJoints + n), first + t.dofs[axis.dof].axis
