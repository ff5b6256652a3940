"""`Direct` reads, writes and computes data of many articulations in PhysX's block layout, as PxDirectGPUAPI does. It
checks kinds, buffers and indices, and passes them to `Articulations` on the CPU or to `GpuAccess` on a GPU.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from enum import Enum
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.arrays import Array, Indices
from physx_runtime.direct import tendons, writes
from physx_runtime.direct.articulations import Articulations
from physx_runtime.direct.gpu_access import GpuAccess
from physx_runtime.direct.gpu_articulations import GpuArticulations
from physx_runtime.direct.kinds import ComputeType, MaxCounts, ReadType, WriteType, block_size, centroidal_blocks
from physx_runtime.quantities.state import ArrayLines, centroidal_momentum_of
from physx_runtime.simulation.actor import Actor
from physx_runtime.simulation.arguments import required_array
from physx_runtime.worlds.gpu.views import gpu_rows
from physx_schema.arguments import display, items_of, required_choice, required_instance
from physx_schema.errors import PhysxSchemaError

Kind = TypeVar("Kind", bound=Enum)
Member = TypeVar("Member", bound=Articulations | GpuArticulations)


# What a step leaves besides its state.
OUTPUT_READS = (ReadType.eJOINT_ACCELERATION, ReadType.eLINK_LINEAR_ACCELERATION, ReadType.eLINK_ANGULAR_ACCELERATION,
           ReadType.eLINK_INCOMING_JOINT_FORCE)
VELOCITY_READS = (ReadType.eLINK_LINEAR_VELOCITY, ReadType.eLINK_ANGULAR_VELOCITY)


class DirectError(PhysxSchemaError, RuntimeError):
    """The Direct API was called at a time at which PhysX refuses it."""


class Direct:
    """Read, write and compute data of many articulations at once, like PhysX's PxDirectGPUAPI.

    Each world of each simulation is one articulation and has one index. Indices count the worlds of the first
    simulation, then those of the second, and so on. With two simulations of 4096 worlds each, world 3 of the second
    simulation has index 4099. A buffer is an array of the simulations' dtype. A buffer has one block of `block_size`
    numbers for each entry of `indices`. An articulation's data fills the start of its block; calls do not change the
    rest of the block.

    As in PhysX, you can read and write data only after every simulation has completed a step. If you set joint
    positions, the link poses change only in the next step or `compute` call.

    Args:
        simulations: A list of simulations with the same dtype and device, each simulation once.

    Raises:
        ValueError: `simulations` is empty or contains a simulation twice, or the simulations differ in dtype or device.
    """

    def __init__(self, simulations: Sequence[Actor]) -> None:
        actors = items_of(simulations)
        if actors is None:
            raise ValueError(f"simulations is {display(simulations)}; give a list of simulations")
        for actor in actors:
            required_instance("simulations", actor, Actor, "give a list of simulations")
        dtypes = sorted({simulation.dtype for simulation in actors})
        if not actors or len(dtypes) > 1 or len({id(s) for s in actors}) < len(actors):
            raise ValueError(f"{len(actors)} simulations of dtype {', '.join(dtypes) or 'none'}; give different "
                             "simulations of one dtype")
        on_gpu = [gpu_rows(simulation.store) is not None for simulation in actors]
        if any(on_gpu) and not all(on_gpu):
            raise ValueError("some simulations are on a GPU and some are not; give simulations on one device")
        starts = np.cumsum([0, *(simulation.worlds for simulation in actors)]).tolist()
        self.count, self.dtype = starts[-1], np.dtype(dtypes[0])
        self._members: list[Articulations] = []
        self._gpu: GpuAccess | None = None
        if any(on_gpu):
            members = [GpuArticulations(simulation, first) for simulation, first in zip(actors, starts, strict=False)]
            self._all_members: Sequence[Articulations | GpuArticulations] = members
            self._gpu = GpuAccess(members, self)
        else:
            self._members = [Articulations(simulation, first) for simulation,
                             first in zip(actors, starts, strict=False)]
            self._all_members = self._members

    def __repr__(self) -> str:
        return f"Direct(simulations={len(self._all_members)}, articulations={self.count}, dtype={str(self.dtype)!r})"

    def max_counts(self) -> MaxCounts:
        """Return the largest number of dofs, links and tendon parts that any articulation has. These numbers determine
        the block sizes."""
        each = [dataclasses.astuple(member.counts()) for member in self._all_members]
        return MaxCounts(*(max(column) for column in zip(*each, strict=True)))

    def block_size(self, kind: ComputeType | ReadType | WriteType | str) -> int:
        """Return the size of a block: how many numbers a buffer holds for each articulation. Raises ValueError for an
        unknown kind of data."""
        return block_size(_any_kind(kind), self.max_counts())

    # --- operations ---------------------------------------------------------------------------------------------------

    def compute(self, kind: ComputeType | str, data: Array | None = None, indices: ArrayLike | None = None) -> None:
        """Compute a quantity of the articulations in `indices` and write it to `data`.

        `data` has len(indices) * block_size numbers in any shape. `eUPDATE_KINEMATIC` ignores `data`, and its
        `indices` may be None for all articulations. `eCENTROIDAL_MOMENTUM_MATRICES` reads mass matrices and Coriolis
        forces from `data`.

        After `set`, every operation first updates the link poses and velocities of the changed articulations.
        `eUPDATE_KINEMATIC` sets the link accelerations and incoming joint forces of all selected articulations to 0.
        The other operations set these accelerations and forces to 0 only for links that they update.

        Raises:
            ValueError: An argument has a wrong kind, shape, dtype or index; the call has changed no data.
            DirectError: A simulation has not completed a step yet.
        """
        kind = _kind(ComputeType, kind)
        self._require_step()
        if self._gpu is not None:
            self._gpu.compute(kind, data, indices)
            return
        if kind is ComputeType.eUPDATE_KINEMATIC:
            selected = self.selected_indices(np.arange(self.count) if indices is None else indices)
            for member, _, worlds in self._by_member(selected):
                member.refresh(worlds, clear=True)
            return
        selected = self.selected_indices(indices)
        flat = self.buffer(kind, data, selected, writes=True)
        if kind is ComputeType.eCENTROIDAL_MOMENTUM_MATRICES:
            self._compute_centroidal(flat, selected)
            return
        stride = block_size(kind, self.max_counts())
        for member, order, worlds in self._by_member(selected):
            member.refresh(worlds, clear=False)
            member.compute(kind, worlds, ArrayLines(flat, order * stride))

    def get(self, kind: ReadType | str, data: Array, indices: ArrayLike) -> None:
        """Copy one kind of data of the articulations with these indices into the buffer `data`.

        Raises the same errors as `compute`.
        """
        kind = _kind(ReadType, kind)
        self._require_step()
        if self._gpu is not None:
            self._gpu.get(kind, data, indices)
            return
        selected = self.selected_indices(indices)
        flat = self.buffer(kind, data, selected, writes=True)
        self.require_outputs(kind, selected)
        stride, counts = block_size(kind, self.max_counts()), self.max_counts()
        for member, order, worlds in self._by_member(selected):
            target = ArrayLines(flat, order * stride)
            if "TENDON" in kind.name:
                values = tendons.tendon_data(kind.name, member.simulation, worlds, counts)
                _, flat_indices = target.view(values.shape[1])
                flat[flat_indices] = values
            else:
                member.read(kind, worlds, target)

    def set(self, kind: WriteType | str, data: Array, indices: ArrayLike) -> None:
        """Write one kind of data from the buffer `data` to the articulations with these indices.

        Raises the same errors as `compute`, and ValueError for numbers that are not finite or that PhysX refuses.
        """
        kind = _kind(WriteType, kind)
        self._require_step()
        if self._gpu is not None:
            self._gpu.set(kind, data, indices)
            return
        selected = self.selected_indices(indices)
        flat = self.buffer(kind, data, selected, writes=False)
        counts = self.max_counts()
        blocks = flat.reshape(len(selected), block_size(kind, counts))
        parts = [(member, worlds, blocks[order]) for member, order, worlds in self._by_member(selected)]
        writes.write(kind, parts, counts)

    # --- arguments ----------------------------------------------------------------------------------------------------

    def _require_step(self) -> None:
        early = [m.simulation.model.actor.path for m in self._all_members if not m.simulation.steps_taken]
        if early:
            raise DirectError(f"{early[0]}: PhysX's direct API needs a completed step, and there is none yet; "
                              "call step() first")

    def require_outputs(self, kind: ReadType, selected: Indices) -> None:
        late = [member.simulation.model.actor.path for member, _, worlds in _by_member(selected, self._all_members)
                if (kind in OUTPUT_READS and not member.start_of_step)
                or (kind in VELOCITY_READS and not member.has_velocities(worlds))]
        if late:
            raise DirectError(f"{late[0]}: {kind.name} is recorded from the first step after Direct is created; call "
                              "step() once more")

    def selected_indices(self, indices: ArrayLike | None) -> Indices:
        """Return indices of articulations. For a mask (count,), the result has the same length, with -1 for
        articulations that are not selected."""
        array = required_array("indices", np.zeros((0, 0)) if indices is None else indices,
                               "give a list of whole numbers, or a mask")
        if array.dtype == np.bool_ and array.shape == (self.count,):
            return np.where(array, np.arange(self.count), -1)
        if array.ndim != 1 or (array.size and not np.issubdtype(array.dtype, np.integer)):
            raise ValueError(f"indices are {'None' if indices is None else f'{array.dtype} of shape {array.shape}'}; "
                             "give a list of whole numbers, or a mask")
        if array.size and (array.min() < 0 or array.max() >= self.count):
            invalid = array[(array < 0) | (array >= self.count)][0]
            raise ValueError(f"indices contain {invalid}; give indices from 0 to {self.count - 1}")
        if len(np.unique(array)) != len(array):
            raise ValueError("indices contain a number twice; give each index once")
        return array.astype(np.int64)

    def buffer(self, kind: Enum, data: Array | None, selected: Indices, writes: bool) -> Array:
        """Return a one-dimensional view of the caller's array `data`."""
        stride = block_size(kind, self.max_counts())        # type: ignore[arg-type]
        expected = f"give {len(selected) * stride} numbers of {self.dtype}, in {len(selected)} blocks of {stride}"
        if not isinstance(data, np.ndarray) or isinstance(data, np.ma.MaskedArray):
            raise ValueError(f"{kind.name}: data is {type(data).__name__}; {expected}")
        if data.dtype != self.dtype or data.size != len(selected) * stride:
            raise ValueError(f"{kind.name}: data holds {data.size} numbers of {data.dtype}; {expected}")
        problem = ("not contiguous" if not data.flags.c_contiguous else "not aligned" if not data.flags.aligned else
                   "read-only" if writes and not data.flags.writeable else "")
        if problem:
            raise ValueError(f"{kind.name}: data is {problem}; {expected} in one contiguous, writeable array")
        return data.reshape(-1)

    def _by_member(self, selected: Indices) -> list[tuple[Articulations, Indices, Indices]]:
        """(articulations, indices of their blocks in the buffer, their worlds) of each simulation that has any."""
        return _by_member(selected, self._members)

    # --- centroidal momentum ------------------------------------------------------------------------------------------

    def _compute_centroidal(self, flat: Array, selected: Indices) -> None:
        sizes = centroidal_blocks(self.max_counts())
        starts = np.cumsum([0, *(size * len(selected) for size in sizes)])
        floating = [part for part in self._by_member(selected) if not part[0].topology.fixed_base]
        jobs = []
        for member, order, worlds in floating:
            nv = member.topology.nv
            inputs = {}
            for name, region, count in (("input_mass", 0, nv * nv), ("input_coriolis", 1, nv)):
                _, indices = ArrayLines(flat, starts[region] + order * sizes[region]).view(count)
                inputs[name] = flat[indices]
            writes.check_momentum(inputs["input_mass"], inputs["input_coriolis"])
            jobs.append((member, worlds, inputs, {"matrix": ArrayLines(flat, starts[2] + order * sizes[2]),
                                                  "bias": ArrayLines(flat, starts[3] + order * sizes[3])}))
        for member, worlds, inputs, results in jobs:
            member.refresh(worlds, clear=False)
            member.run(centroidal_momentum_of, worlds, inputs, results)


def _by_member(selected: Indices, members: Sequence[Member]) -> list[tuple[Member, Indices, Indices]]:
    parts = []
    for member in members:
        order = np.flatnonzero((selected >= member.first) & (selected < member.first + member.count))
        if len(order):
            parts.append((member, order, selected[order] - member.first))
    return parts


def _kind(enum: type[Kind], kind: Any) -> Kind:
    if isinstance(kind, enum):
        return kind
    return enum[required_choice("kind", kind, enum.__members__)]


def _any_kind(kind: object) -> ComputeType | ReadType | WriteType:
    if isinstance(kind, ComputeType | ReadType | WriteType):
        return kind
    for enum in (ComputeType, ReadType, WriteType):
        if isinstance(kind, str) and kind in enum.__members__:
            return enum[kind]
    raise ValueError(f"{display(kind)} is not a kind of data; see ComputeType, ReadType and WriteType")
