"""What an actor is given on a GPU, and gives there: arrays, masks and indices of other packages, and a stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.model.row_specs import LINK_FORCE_ROWS
from physx_runtime.model.topology import Topology
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.divergence import DivergenceReport
from physx_runtime.simulation.parameters import (
    FEATURES,
    Parameter,
    ParameterValues,
    checked_row,
    chosen_worlds,
    row_size,
)
from physx_runtime.simulation.reset import Start, Watcher
from physx_runtime.solver.divergence import DIVERGED
from physx_runtime.solver.sleep import STARTED, WOKEN
from physx_runtime.targets.cuda.kernels import Chosen, StridedView
from physx_runtime.worlds.gpu.arrays import is_on_device, stream_of
from physx_runtime.worlds.gpu.views import GpuRows, required_gpu_rows
from physx_runtime.worlds.store import WorldRows
from physx_runtime.worlds.wake import TARGET_ROWS, WAKING_ROWS

Indices = NDArray[np.int64]
GRAVITY_SWITCH = "gravity_enabled"      # wakes where it is switched on, if it was before as well


class GpuActor(Protocol):
    """What is asked of the actor that is given something."""

    divergence: DivergenceReport
    watchers: list[Watcher]

    @property
    def model(self) -> PackedModel: ...

    @property
    def topology(self) -> Topology: ...

    @property
    def worlds(self) -> int: ...

    @property
    def dtype(self) -> str: ...

    @property
    def store(self) -> WorldRows: ...

    @property
    def parameter_values(self) -> ParameterValues: ...

    @property
    def alike(self) -> Any: ...


class OnGpu:
    """An actor's worlds as kernels reach them; methods raise ValueError where they are on no GPU."""

    def __init__(self, actor: GpuActor) -> None:
        self._actor = actor

    def use_stream(self, stream: Any) -> None:
        """Give all work to a stream, once what was given before is done."""
        worlds, found = self._rows("stream").worlds, stream_of(stream)
        worlds.gpu.follow(found, worlds.stream)
        worlds.stream = found

    def give(self, name: str, array: Any) -> None:
        """Copy a row of every world into an array."""
        size, rows = row_size(self._actor.model, name), self._rows(name)
        rows.give(name, array, size)

    def set_row(self, name: str, values: Any, worlds: Any) -> None:
        """Set a row of some of the worlds, all where None."""
        size, rows = row_size(self._actor.model, name), self._rows(name)
        chosen = self._chosen(rows, worlds)
        if not is_on_device(values):
            line = np.asarray(values, dtype=np.float64)
            if line.shape != (size,):
                raise ValueError(f"{name} has shape {line.shape}; for worlds that are named on a GPU give ({size},), "
                                 f"or ({chosen.lines}, {size}) there")
            values = checked_row(self._actor.model, self._actor.parameter_values.owners, name, line, np.arange(1),
                                 self._actor.dtype)
        if name in LINK_FORCE_ROWS:
            self._actor.alike.heed_link_forces()
            rows = self._rows(name)
        self.put(name, 0, size, rows.lines(name, values, chosen, size), chosen)

    def put(self, name: str, first: int, size: int, place: StridedView, chosen: Chosen) -> None:
        """Set so many numbers of a row from the `first` one on, of chosen worlds, and what follows from that."""
        rows = self._rows(name)
        self._put(rows, name, place, chosen, first, size)
        if name in WAKING_ROWS:
            self._stir(rows, chosen, WOKEN)

    def wake(self, worlds: Any) -> None:
        """Wake some of the worlds."""
        rows = self._rows("worlds")
        self._stir(rows, rows.told(worlds), WOKEN)

    def reset(self, worlds: Any, joint_position: Any, joint_velocity: Any, root_pose: Any, root_velocity: Any) -> None:
        """Put some of the worlds back, as `Actor.reset`."""
        rows, actor, root = self._rows("worlds"), self._actor, self._actor.topology.root_size
        chosen = self._chosen(rows, worlds)
        if is_on_device(root_pose):
            raise ValueError("root_pose is given on a GPU; set eROOT_GLOBAL_POSE of `direct` after the reset, or copy "
                             "it to the host")
        places, lines = [], {}
        for name, given, row, first, size in (
                ("joint_position", joint_position, "q", 0, len(actor.topology.dofs)),
                ("joint_velocity", joint_velocity, "v", root, len(actor.topology.dofs)),
                ("root_velocity", root_velocity, "v", 0, root)):
            if is_on_device(given):
                places.append((row, first, size, rows.lines(name, given, chosen, size)))
            else:
                lines[name] = given
        start = self._start(lines.get("joint_position"), lines.get("joint_velocity"), root_pose,
                            lines.get("root_velocity"))
        for name, values in start.rows.items():
            array = checked_row(actor.model, actor.parameter_values.owners, name, values, np.arange(len(values)),
                                actor.dtype)
            self._put(rows, name, rows.of_all(array), chosen, 0, array.shape[1])
        for row, first, size, place in places:
            rows.write_part(row, first, size, place, chosen)
        rows.done(*(place for *_, place in places))
        rows.fill(DIVERGED, 0.0, chosen)
        actor.divergence.revived_unseen()
        self._stir(rows, chosen, STARTED)

    def _start(self, joint_position: ArrayLike | None, joint_velocity: ArrayLike | None, root_pose: ArrayLike | None,
               root_velocity: ArrayLike | None) -> Start:
        """Of one world where all begin alike, else of every world; what is given is for all alike."""
        actor, masses = self._actor, self._actor.parameter_values.mass_properties
        worlds = np.arange(actor.worlds if masses.root_moved else 1)
        start = Start(actor.model, worlds, actor.dtype, masses.root_place(worlds))
        for name, given in (("joint_position", joint_position), ("joint_velocity", joint_velocity),
                            ("root_pose", root_pose), ("root_velocity", root_velocity)):
            if given is not None and np.ndim(given) != 1:
                raise ValueError(f"{name} has shape {np.shape(given)}; for worlds that are named on a GPU give one "
                                 "line for all alike, or an array there")
        start.take(joint_position, joint_velocity, root_pose, root_velocity)
        return start

    def set_parameters(self, values: Mapping[str, Any], worlds: Any) -> None:
        """Set parameters that lie on the GPU, (n_line, *shape) each."""
        rows, own = self._rows("a parameter"), self._actor.parameter_values
        chosen = self._chosen(rows, worlds)
        found = []
        for name, given in values.items():
            parameter = own.parameter(name)
            self._require_free(parameter, given)
            found.append((parameter, rows.elements(name, given, chosen, parameter.shape)))
        for parameter, place in found:
            for row, pairs in own.places(parameter).items():
                for i, column in pairs:
                    rows.write_part(row, i, 1, rows.shifted(place, column), chosen)
                own.rows_set.add(row)
        rows.done(*(place for _, place in found))
        self._actor.alike.parameters_written()
        if values.keys() & TARGET_ROWS:
            self._stir(rows, chosen, WOKEN)

    def _require_free(self, parameter: Parameter, given: Any) -> None:
        """Raises ValueError for a parameter of which the host has to know."""
        name = parameter.name
        if not is_on_device(given):
            raise ValueError(f"{name} is given on the host, and other parameters or worlds on a GPU; give all there")
        if not parameter.scalars or name == GRAVITY_SWITCH:
            raise ValueError(f"{name} is worked on by the host; copy it there")
        if name in FEATURES and not all(getattr(dof, FEATURES[name].feature) for dof in self._actor.topology.dofs):
            raise ValueError(f"{name} is not heeded on every joint; make the Simulation with randomize=({name!r},)")

    # --- what all of them do -----------------------------------------------------------------------------------------

    def _rows(self, what: str) -> GpuRows:
        return required_gpu_rows(what, self._actor.store)

    def _chosen(self, rows: GpuRows, worlds: Any) -> Chosen:
        if is_on_device(worlds):
            return rows.told(worlds)
        return rows.chosen(None if worlds is None else chosen_worlds(worlds, self._actor.worlds))

    def state_written(self, chosen: Chosen) -> None:
        """Heed that kernels have set rows of the state."""
        for watcher in self._actor.watchers:
            watcher.state_written(chosen)
        self._stir(self._rows("a row"), chosen, WOKEN)

    def _put(self, rows: GpuRows, name: str, place: StridedView, chosen: Chosen, first: int, size: int) -> None:
        """Write a part of a row, with what follows from that but waking."""
        rows.write_part(name, first, size, place, chosen)
        if name == "q" and self._actor.topology.locked:
            rows.fill("locked", 0.0, chosen)
        if name in self._actor.model.state:
            for watcher in self._actor.watchers:
                watcher.state_written(chosen)
        else:
            self._actor.alike.parameters_written()
        rows.done(place)

    def _stir(self, rows: GpuRows, chosen: Chosen, amount: float) -> None:
        if self._actor.model.topology.sleeping:
            rows.at_least("stirred", amount, chosen)


def host_worlds(what: str, worlds: Any, count: int) -> Indices:
    """The indices of worlds that are named on the host. Raises ValueError where they are named on a GPU."""
    if is_on_device(worlds):
        raise ValueError(f"{what} takes worlds that are named on the host; copy the mask or the indices there")
    return chosen_worlds(worlds, count)
