"""`OnGpu` reads and writes an actor whose worlds are on a CUDA GPU, with device arrays, masks, indices and streams.
Arrays come from CuPy, PyTorch, Warp or numba-cuda and are not copied to the host.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from physx_runtime.arrays import DeviceValues, Indices
from physx_runtime.model.row_specs import LINK_FORCE_ROWS
from physx_runtime.model.topology import Topology
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.arguments import required_numbers
from physx_runtime.simulation.divergence import DivergenceReport
from physx_runtime.simulation.parameters import (
    FEATURES,
    Parameter,
    ParameterValues,
    checked_row,
    row_size,
    world_indices,
)
from physx_runtime.simulation.reset import StartState, Watcher
from physx_runtime.solver.divergence import DIVERGED
from physx_runtime.solver.sleep import WAKE_REQUEST_RESET, WAKE_REQUEST_WAKE
from physx_runtime.targets.cuda.kernels import LineSelection, StridedView
from physx_runtime.worlds.gpu.arrays import is_on_device, stream_of
from physx_runtime.worlds.gpu.views import GpuRows, required_gpu_rows
from physx_runtime.worlds.store import WorldRows
from physx_runtime.worlds.wake import TARGET_ROWS, WAKING_ROWS

GRAVITY_SWITCH = "gravity_enabled"      # wakes where it is switched on, if it was before as well


class GpuActor(Protocol):
    """The actor that is read and written."""

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
    def group(self) -> Any: ...


class OnGpu:
    """An actor's worlds as kernels reach them; methods raise ValueError where they are on no GPU."""

    def __init__(self, actor: GpuActor) -> None:
        self._actor = actor

    def use_stream(self, stream: Any) -> None:
        """Use a stream for all work, after the work on the former one."""
        worlds, handle = self._rows("stream").worlds, stream_of(stream)
        worlds.gpu.wait_for_stream(handle, worlds.stream)
        worlds.stream = handle

    def read_into(self, name: str, array: DeviceValues) -> None:
        """Copy a row of every world into an array."""
        size, rows = row_size(self._actor.model, name), self._rows(name)
        rows.read_into(name, array, size)

    def set_row(self, name: str, values: DeviceValues, worlds: DeviceValues) -> None:
        """Set a row in some worlds, all where None."""
        size, rows = row_size(self._actor.model, name), self._rows(name)
        selection = self._selection(rows, worlds)
        if not is_on_device(values):
            line = required_numbers(name, values)
            if line.shape != (size,):
                raise ValueError(f"{name} has shape {line.shape}; if a GPU array selects the worlds, give ({size},), "
                                 f"or a GPU array ({selection.lines}, {size})")
            values = checked_row(self._actor.model, self._actor.parameter_values.owners, name, line, np.arange(1),
                                 self._actor.dtype)
        if name in LINK_FORCE_ROWS:
            self._actor.group.enable_link_forces()
            rows = self._rows(name)
        self.write(name, 0, size, rows.lines(name, values, selection, size), selection)

    def write(self, name: str, first: int, size: int, view: StridedView, selection: LineSelection) -> None:
        """Set `size` numbers of a row from `first` on in chosen worlds, and the rows derived from it."""
        rows = self._rows(name)
        self._write(rows, name, view, selection, first, size)
        if name in WAKING_ROWS:
            self._request_wake(rows, selection, WAKE_REQUEST_WAKE)

    def wake(self, worlds: DeviceValues) -> None:
        """Wake some worlds."""
        rows = self._rows("worlds")
        self._request_wake(rows, rows.select_on_device(worlds), WAKE_REQUEST_WAKE)

    def reset(self, worlds: DeviceValues, joint_position: DeviceValues, joint_velocity: DeviceValues,
              root_pose: DeviceValues, root_velocity: DeviceValues) -> None:
        """Reset some worlds, as `Actor.reset`."""
        rows, actor, root = self._rows("worlds"), self._actor, self._actor.topology.root_size
        selection = self._selection(rows, worlds)
        if is_on_device(root_pose):
            raise ValueError("root_pose is on a GPU; copy it to the host, or set eROOT_GLOBAL_POSE of `direct` after "
                             "the reset")
        views, lines = [], {}
        for name, value, row, first, size in (
                ("joint_position", joint_position, "q", 0, len(actor.topology.dofs)),
                ("joint_velocity", joint_velocity, "v", root, len(actor.topology.dofs)),
                ("root_velocity", root_velocity, "v", 0, root)):
            if is_on_device(value):
                views.append((row, first, size, rows.lines(name, value, selection, size)))
            else:
                lines[name] = value
        start = self._start(lines.get("joint_position"), lines.get("joint_velocity"), root_pose,
                            lines.get("root_velocity"))
        for name, values in start.rows.items():
            array = checked_row(actor.model, actor.parameter_values.owners, name, values, np.arange(len(values)),
                                actor.dtype)
            self._write(rows, name, rows.upload(array), selection, 0, array.shape[1])
        for row, first, size, view in views:
            rows.write_part(row, first, size, view, selection)
        rows.done(*(view for *_, view in views))
        rows.fill(DIVERGED, 0.0, selection)
        actor.divergence.revived_on_gpu()
        self._request_wake(rows, selection, WAKE_REQUEST_RESET)

    def _start(self, joint_position: ArrayLike | None, joint_velocity: ArrayLike | None, root_pose: ArrayLike | None,
               root_velocity: ArrayLike | None) -> StartState:
        """Of one world where all start equally, else of every world; given values are for all worlds."""
        actor, masses = self._actor, self._actor.parameter_values.mass_properties
        worlds = np.arange(actor.worlds if masses.has_root_offset else 1)
        start = StartState(actor.model, worlds, actor.dtype, masses.root_offset(worlds))
        for name, value in (("joint_position", joint_position), ("joint_velocity", joint_velocity),
                            ("root_pose", root_pose), ("root_velocity", root_velocity)):
            if value is not None and np.ndim(value) != 1:
                raise ValueError(f"{name} has shape {np.shape(value)}; if a GPU array selects the worlds, give one "
                                 "line for all worlds, or a GPU array")
        start.apply(joint_position, joint_velocity, root_pose, root_velocity)
        return start

    def set_parameters(self, values: Mapping[str, Any], worlds: DeviceValues) -> None:
        """Set parameters that lie on the GPU, (n_line, *shape) each."""
        rows, parameters = self._rows("a parameter"), self._actor.parameter_values
        selection = self._selection(rows, worlds)
        writes = []
        for name, value in values.items():
            parameter = parameters.parameter(name)
            self._require_free(parameter, value)
            writes.append((parameter, rows.elements(name, value, selection, parameter.shape)))
        for parameter, view in writes:
            for row, pairs in parameters.row_columns(parameter).items():
                for i, column in pairs:
                    rows.write_part(row, i, 1, rows.shifted(view, column), selection)
                parameters.rows_set.add(row)
        rows.done(*(view for _, view in writes))
        self._actor.group.parameters_changed()
        if values.keys() & TARGET_ROWS:
            self._request_wake(rows, selection, WAKE_REQUEST_WAKE)

    def _require_free(self, parameter: Parameter, value: DeviceValues) -> None:
        """Raises ValueError for a parameter of which the host has to know."""
        name = parameter.name
        if not is_on_device(value):
            raise ValueError(f"{name} is on the host, and other parameters or worlds are on a GPU; give all on the GPU")
        if not parameter.scalars or name == GRAVITY_SWITCH:
            raise ValueError(f"{name} is processed on the host; copy it to the host")
        if name in FEATURES and not all(getattr(dof, FEATURES[name].feature) for dof in self._actor.topology.dofs):
            raise ValueError(f"{name} does not act on every joint; create the Simulation with randomize=({name!r},)")

    # --- what all of them do -----------------------------------------------------------------------------------------

    def _rows(self, name: str) -> GpuRows:
        return required_gpu_rows(name, self._actor.store)

    def _selection(self, rows: GpuRows, worlds: DeviceValues) -> LineSelection:
        if is_on_device(worlds):
            return rows.select_on_device(worlds)
        return rows.select(None if worlds is None else world_indices(worlds, self._actor.worlds))

    def state_changed(self, selection: LineSelection) -> None:
        """Notify watchers that kernels have set rows of the state."""
        for watcher in self._actor.watchers:
            watcher.state_changed(selection)
        self._request_wake(self._rows("a row"), selection, WAKE_REQUEST_WAKE)

    def _write(self, rows: GpuRows, name: str, view: StridedView, selection: LineSelection, first: int,
               size: int) -> None:
        """Write a part of a row, with what follows from that but waking."""
        rows.write_part(name, first, size, view, selection)
        if name == "q" and self._actor.topology.locked:
            rows.fill("locked", 0.0, selection)
        if name in self._actor.model.state:
            for watcher in self._actor.watchers:
                watcher.state_changed(selection)
        else:
            self._actor.group.parameters_changed()
        rows.done(view)

    def _request_wake(self, rows: GpuRows, selection: LineSelection, amount: float) -> None:
        if self._actor.model.topology.sleeping:
            rows.raise_to_minimum("wake_request", amount, selection)


def host_worlds(name: str, worlds: DeviceValues, count: int) -> Indices:
    """The indices of worlds that are named on the host. Raises ValueError where they are named on a GPU."""
    if is_on_device(worlds):
        raise ValueError(f"{name} needs worlds selected on the host; copy the mask or the indices to the host")
    return world_indices(worlds, count)
