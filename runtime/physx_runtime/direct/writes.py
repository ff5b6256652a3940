"""Writes data of the Direct API into simulations: `check` tests all blocks before `write` sets any row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import Array
from physx_runtime.direct import tendons
from physx_runtime.direct.articulations import Articulations
from physx_runtime.direct.kinds import TRANSFORM_SIZE, MaxCounts, WriteType
from physx_runtime.dynamics import spatial as sp
from physx_runtime.model.topology import Topology
from physx_runtime.packing.frames import IDENTITY_ROTATION, root_frame, root_rows
from physx_runtime.simulation.actor import Actor


class WriteTarget(Protocol):
    """The articulations that are written to."""

    simulation: Actor
    first: int

    @property
    def topology(self) -> Topology: ...


# One simulation's part of a call: its articulations, their worlds, their blocks (n, block).
Part = tuple[Articulations, NDArray[np.int64], Array]

ROW_OF_WRITE = {
    WriteType.eJOINT_POSITION: "q", WriteType.eJOINT_VELOCITY: "v", WriteType.eJOINT_FORCE: "joint_effort",
    WriteType.eJOINT_TARGET_POSITION: "target_position", WriteType.eJOINT_TARGET_VELOCITY: "target_velocity",
    WriteType.eROOT_LINEAR_VELOCITY: "v", WriteType.eROOT_ANGULAR_VELOCITY: "v",
    WriteType.eLINK_FORCE: "link_force", WriteType.eLINK_TORQUE: "link_torque"}
# How far from 1 the length of a rotation may be, as PxQuat::isSane has it; a position put first is seldom as close.
LENGTH_TOLERANCE = 1e-2
# What links follow only once they are placed again.
MOVING_WRITES = ("eJOINT_POSITION", "eJOINT_VELOCITY", "eROOT_GLOBAL_POSE", "eROOT_LINEAR_VELOCITY",
                 "eROOT_ANGULAR_VELOCITY")


def write(kind: WriteType, parts: Sequence[Part], counts: MaxCounts) -> None:
    """Set one kind of data; raises ValueError for invalid data, and then sets nothing."""
    if "TENDON" in kind.name:
        write_tendons(kind, parts, counts)
        return
    for part in parts:
        check(kind, *part)
    for articulations, worlds, blocks in parts:
        articulations.write(_rows(kind, articulations, worlds, blocks), worlds, kind.name in MOVING_WRITES)


def data_size(kind: WriteType, t: Topology) -> int:
    """Numbers of an articulation's own data, for kinds other than tendons."""
    if kind is WriteType.eROOT_GLOBAL_POSE:
        return TRANSFORM_SIZE
    return len(t.dofs) if kind.name.startswith("eJOINT") else 3 * len(t.links) if kind.name.startswith("eLINK") else 3


def check(kind: WriteType, articulations: WriteTarget, worlds: NDArray[np.int64], blocks: Array) -> None:
    """Raise ValueError for blocks that PhysX would refuse."""
    data = blocks[:, :data_size(kind, articulations.topology)]
    path = articulations.simulation.model.actor.path

    def refuse(invalid: Any, advice: str) -> None:
        if invalid.any():
            index = int(np.flatnonzero(invalid)[0])
            raise ValueError(f"{path}: {kind.name} of index {articulations.first + worlds[index]} is "
                             f"{data[index].tolist()}; {advice}")

    refuse(~np.isfinite(data).all(axis=1), "give finite numbers")
    if kind is WriteType.eROOT_GLOBAL_POSE:
        lengths = np.linalg.norm(data[:, :4].astype(np.float64), axis=1)
        refuse(np.abs(lengths - 1.0) > LENGTH_TOLERANCE, "give a unit quaternion x y z w, then the position")
    elif kind.name.startswith("eROOT") and articulations.topology.fixed_base:
        refuse(data.any(axis=1), "the base is fixed; give 0")


def _rows(kind: WriteType, articulations: Articulations, worlds: NDArray[np.int64], blocks: Array) -> dict[str, Array]:
    """The rows to set, (n, row)."""
    simulation, root = articulations.simulation, articulations.topology.root_size
    data = blocks[:, :data_size(kind, articulations.topology)].astype(np.float64)
    if kind is WriteType.eROOT_GLOBAL_POSE:
        x, y, z, w, *position = np.moveaxis(data, -1, 0)
        link = (position[0], position[1], position[2]), sp.normalized((x, y, z, w))
        if not root:
            return root_rows(link)
        center = np.moveaxis(simulation.parameter("center_of_mass")[worlds, 0].astype(np.float64), -1, 0)
        return root_rows(root_frame(link, ((center[0], center[1], center[2]), IDENTITY_ROTATION)))
    if ROW_OF_WRITE[kind] != "v":
        return {ROW_OF_WRITE[kind]: data}
    v = simulation.get("v")[worlds].astype(np.float64)
    part = {WriteType.eJOINT_VELOCITY: slice(root, None), WriteType.eROOT_LINEAR_VELOCITY: slice(0, min(3, root)),
            WriteType.eROOT_ANGULAR_VELOCITY: slice(min(3, root), root)}[kind]
    v[:, part] = data if kind is WriteType.eJOINT_VELOCITY or root else data[:, :0]
    return {"v": v}


def write_tendons(kind: WriteType, parts: Sequence[tuple[WriteTarget, NDArray[np.int64], Array]], counts: MaxCounts
                  ) -> None:
    """Write tendons simulation by simulation; if one refuses, the earlier ones are restored."""
    done: list[tuple[WriteTarget, NDArray[np.int64], Array]] = []
    try:
        for articulations, worlds, blocks in parts:
            if len(parts) > 1:
                done.append((articulations, worlds,
                             tendons.tendon_data(kind.name, articulations.simulation, worlds, counts)))
            tendons.write_tendon_data(kind.name, articulations.simulation, worlds, counts, blocks)
    except ValueError:
        for articulations, worlds, before in done:
            tendons.write_tendon_data(kind.name, articulations.simulation, worlds, counts, before)
        raise


def check_momentum(mass: Array, coriolis: Array) -> None:
    """Raise ValueError for invalid mass matrices and Coriolis forces, (n, size) each."""
    if not (np.isfinite(mass).all() and np.isfinite(coriolis).all()):
        raise ValueError("eCENTROIDAL_MOMENTUM_MATRICES: the mass matrices or Coriolis forces in data are not finite; "
                         "compute them first")
    if not (mass[:, 0] > 0.0).all():
        raise ValueError("eCENTROIDAL_MOMENTUM_MATRICES: the mass matrices in data have zero mass; first "
                         "compute eMASS_MATRICES into the first region of data")
