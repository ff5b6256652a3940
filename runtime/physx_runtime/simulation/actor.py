"""One actor in many worlds: its rows, its steps, what it is put back to, and the parameters that may differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.model.rows import FORCE_ROWS, LINK_FORCE_ROWS, input_rows, settable_rows
from physx_runtime.model.topology import Topology
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.arguments import required_count, required_time
from physx_runtime.simulation.divergence import DivergenceReport
from physx_runtime.simulation.parameter_values import ParameterValues, chosen_worlds
from physx_runtime.simulation.parameters import Parameter
from physx_runtime.simulation.recording import world_link_poses
from physx_runtime.simulation.reset import Start
from physx_runtime.simulation.row_values import checked_row, row_size
from physx_runtime.simulation.watcher import Watcher
from physx_runtime.solver.settings import SOFTENING, SolverSettings, solver_settings
from physx_runtime.worlds.device import make_worlds
from physx_runtime.worlds.path import AUTO
from physx_runtime.worlds.sleep import TARGET_ROWS, Waking
from physx_runtime.worlds.store import Worlds, copy_worlds

Array = NDArray[Any]
Indices = NDArray[np.int64]


class Actor:
    """Worlds of one articulation or rigid body, stepped together; none depends on what runs beside it.

    Args:
        model: what is stepped.
        worlds, dt, device, dtype, solver, path, sleeping: as of `Simulation`.

    Raises:
        ValueError: an argument out of range.
    """

    def __init__(self, model: PackedModel, worlds: int = 1, *, dt: float = 1 / 60, device: str = "cpu",
                 dtype: str = "float32", solver: str = "physx", path: str = AUTO, sleeping: bool = True) -> None:
        self.worlds, self.dt = required_count("worlds", worlds, 1), required_time(dt)
        self.dtype, self.solver, self._device, self._path = dtype, solver, device, path
        self._sleepless = not sleeping or solver == "ideal"
        self.model: PackedModel = model
        self.model = self.adapted(model)
        self.settings: SolverSettings = solver_settings(solver, self.model)
        self._worlds: Worlds = make_worlds(self.model.topology, self.worlds, device, dtype, path)
        self._waking = Waking(self._worlds, self.model.topology)
        self.divergence = DivergenceReport(self)
        self.steps_taken = 0
        self._watchers: list[Watcher] = []
        self.repack(self.model)
        for name, values in self.model.state.items():
            self.set_row(name, values)
        self._start(np.arange(self.worlds))

    def watch(self, watcher: Watcher) -> None:
        """Tell somebody of every state that is set and every step that is taken from now on."""
        self._watchers.append(watcher)

    def set_time_step(self, dt: float) -> None:
        """Step by another time [s] from now on. Raises ValueError for one that is not positive and finite."""
        self.dt = required_time(dt)
        inputs = input_rows(self.model.topology)
        for name, value in self.settings.rows(self.dt).items():
            if name in inputs:
                self._worlds.write(name, np.full((self.worlds, 1), value, self.dtype))

    def set_iterations(self, position: int, velocity: int) -> None:
        """Step under these iteration counts from now on; solver="ideal" keeps to its own."""
        self.model = replace(self.model, position_iterations=position, velocity_iterations=velocity)
        self.settings = solver_settings(self.solver, self.model)
        self.set_time_step(self.dt)

    def repack(self, model: PackedModel) -> None:
        """Take the parameters and iteration counts of a model, in every world; states and efforts stay.

        Raises ValueError where the model's structure is not that of this simulation.
        """
        model = self.adapted(model)
        if model.topology != self.model.topology:
            raise ValueError("the model has another structure; make a new Simulation of it")
        self.model, self.settings = model, solver_settings(self.solver, model)
        self._values = ParameterValues(model, self._worlds, self.worlds, self.dtype)
        inputs = input_rows(model.topology)
        held = {name: self.get(name) for name in ("joint_effort",) if name in inputs}
        for name, values in {**model.parameters, **held}.items():
            self.set_row(name, values)
        for name in () if self.settings.softened else SOFTENING:
            if name in inputs:
                self.set_row(name, np.zeros(inputs[name]))
        self.set_time_step(self.dt)

    @property
    def topology(self) -> Topology:
        """The tree of links that is stepped; of a body one free link."""
        return self.model.topology.tree

    # --- rows --------------------------------------------------------------------------------------------------------

    def set(self, name: str, values: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Set one number by its name: a parameter as `set_parameters` does, else a row of the state or of forces.

        worlds: a mask or indices of the worlds to set, all where None. Rows take (n,) for all alike or (n_world, n):
        q and v, root_position and root_rotation of the root's internal frame, joint_effort, and link_force and
        link_torque, (3 n_link,) at the centres of mass in world axes, which act in every step until set anew; the first
        of them compiles a step that heeds them. Raises ValueError for NaN, an infinite state, effort or force, a shape
        that does not fit, what `set_parameters` refuses, and rows that follow from other numbers.
        """
        if name in self.model.state or name in FORCE_ROWS:
            self.set_row(name, values, worlds)
        elif name in self.parameters:
            self.set_parameters({name: values}, worlds)
        elif name in self.settings.rows(self.dt):
            raise ValueError(f"{name!r} follows from the time step of all worlds; call set_time_step")
        else:
            forces = settable_rows(self.model.topology).keys() & set(FORCE_ROWS)
            allowed = sorted({*self.parameters, *self.model.state, *forces})
            raise ValueError(f"{name!r} is no number to set of this model; allowed are {', '.join(allowed)}")

    def set_row(self, name: str, values: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Set a row as the step has it, (n,) for all worlds alike or (n_world, n), whatever follows from it.

        Raises ValueError for NaN, an infinite state, effort or force, another shape, and rows that there are none of.
        """
        chosen = chosen_worlds(worlds, self.worlds)
        array = checked_row(self.model, self._values.owners, name, values, chosen, self.dtype)
        if name in LINK_FORCE_ROWS:
            self._heed_link_forces()
        self._waking.write(name, array, None if worlds is None else chosen)
        if name in self.model.state:
            for watcher in self._watchers:
                watcher.state_written(chosen)
        if name == "q" and self.topology.locked:
            self.set_row("locked", np.zeros(len(self.topology.locked)), worlds)

    def get(self, name: str) -> Array:
        """A row of every world, (n_world, n), or a parameter as `parameter` gives it; ValueError for another name.

        Rows are listed in docs/rows.md.
        """
        if name not in settable_rows(self.model.topology) and name in self.parameters:
            return self.parameter(name)
        if name in LINK_FORCE_ROWS and not self.topology.link_forces:
            return np.zeros((self.worlds, 3 * len(self.topology.links)), self.dtype)
        row_size(self.model, name)
        return self._worlds.rows(name)

    def _heed_link_forces(self) -> None:
        """Step from now on by code that reads link forces, all rows staying as they are."""
        if self.topology.link_forces:
            return
        before, topology = (self._worlds, self.model.topology), replace(self.model.topology, link_forces=True)
        self.model = replace(self.model, topology=topology)
        self._worlds = make_worlds(topology, self.worlds, self._device, self.dtype, self._path)
        self._values.store, self._waking = self._worlds, Waking(self._worlds, topology)
        copy_worlds(*before, self._worlds)

    def adapted(self, model: PackedModel) -> PackedModel:
        """A model with the features that were switched on or off in this simulation."""
        sleeping = model.topology.sleeping and not self._sleepless
        topology = replace(model.topology, link_forces=self.model.topology.link_forces, sleeping=sleeping)
        rows = input_rows(topology)
        return replace(model, topology=topology,
                       parameters={name: values for name, values in model.parameters.items() if name in rows})

    def step(self, count: int = 1) -> None:
        """Advance every world by `count` steps of dt. Raises ValueError for a count that is no whole number >= 0."""
        count = required_count("count", count, 0)
        if self._watchers:              # who see the first and the last step by themselves
            for part in ([1, count - 2, 1] if count > 2 else [1] * count):
                self._advance(part)
        elif count:
            self._advance(count)
        if self._worlds.near:
            self.divergence.flags()

    def _advance(self, count: int) -> None:
        for watcher in self._watchers:
            watcher.about_to_step()
        self._step_worlds(count)
        self.steps_taken += count
        for watcher in self._watchers:
            watcher.stepped()

    def _step_worlds(self, count: int) -> None:
        self._worlds.step(count, self.settings.position_iterations, self.settings.velocity_iterations)

    @property
    def path(self) -> str:
        """The code that the next step takes: "specialised" for this structure, or "generic" (docs/batches.md)."""
        return self._worlds.path

    @property
    def store(self) -> Worlds:
        """Where states and parameters of all worlds are kept."""
        return self._worlds

    # --- state -------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Array]:
        """The state of every world, row name -> (n_world, n), as model.rows."""
        if not self._worlds.near:       # else the step has told
            self.divergence.flags()
        return {name: self.get(name) for name in self.model.state}

    @property
    def joint_position(self) -> Array:
        """(n_world, n_dof) rad or length."""
        if not self._worlds.near:       # else the step has told
            self.divergence.flags()
        return self.get("q")

    @property
    def joint_velocity(self) -> Array:
        """(n_world, n_dof) rad/s or length/s."""
        return self.get("v")[:, self.topology.root_size:]

    @property
    def link_pose(self) -> Array:
        """World poses of the links, (n_world, n_link, 7): position, quaternion x y z w."""
        return world_link_poses(self._values.model_of_worlds(), self.state()).astype(self.dtype)

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """(n_world,) which worlds have diverged and stand still at their last finite state."""
        return self.divergence.flags()

    @property
    def asleep(self) -> NDArray[np.bool_]:
        """(n_world,) which worlds rest until something wakes them; what does is in docs/physx_semantics.md."""
        return self._waking.asleep

    def wake(self, worlds: ArrayLike | None = None) -> None:
        """Wake worlds, a mask (n_world,) or indices, all where None; those awake stay so for 0.4 s at least."""
        self._waking.wake(chosen_worlds(worlds, self.worlds))

    def _start(self, worlds: Indices) -> None:
        """Begin anew: awake, but for a body that is authored asleep."""
        body = self.model.actor.links[0].body
        self._waking.start(worlds, body is not None and body.starts_asleep)

    def reset(self, worlds: ArrayLike | None = None, *, joint_position: ArrayLike | None = None,
              joint_velocity: ArrayLike | None = None, root_pose: ArrayLike | None = None,
              root_velocity: ArrayLike | None = None) -> None:
        """Put worlds back to the authored state, or to the one given, and revive those that diverged.

        worlds: a mask (n_world,) or indices, all where None. Given values are for all chosen worlds alike or one line
        each: joint_position, joint_velocity (n_dof); root_pose (7) of the root link, position, quaternion x y z w;
        root_velocity (6), linear at its centre of mass, angular. Efforts, targets and parameters stay. Raises
        ValueError for shapes that do not fit and for numbers that are not finite; then nothing is reset.
        """
        chosen = chosen_worlds(worlds, self.worlds)
        start = Start(self.model, chosen, self.dtype, self._values.mass_properties.root_center()[chosen])
        start.take(joint_position, joint_velocity, root_pose, root_velocity)
        for name, values in start.rows.items():
            self.set_row(name, values, chosen)
        self.divergence.revive(chosen)
        self._start(chosen)

    # --- parameters --------------------------------------------------------------------------------------------------

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """What may differ between worlds: name -> shape, elements, unit, range and documentation."""
        return self._values.table

    def parameter(self, name: str) -> Array:
        """Values of a parameter in every world, (n_world, *shape); raises ValueError for an unknown name."""
        return self._values.read(name)

    def set_parameter(self, name: str, values: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Set one parameter as `set_parameters` does several."""
        self.set_parameters({name: values}, worlds)

    def set_parameters(self, values: Mapping[str, ArrayLike], worlds: ArrayLike | None = None) -> None:
        """Set parameters, each by one number, `shape` for all chosen worlds alike, or (n_chosen, *shape).

        worlds: a mask (n_world,) or indices, all where None. Links keep their poses and the root its velocity where a
        centre of mass moves. Raises ValueError, naming world and prim, for values that PhysX would refuse and for
        values that nothing would heed (see `randomize`); then nothing is set.
        """
        chosen = chosen_worlds(worlds, self.worlds)
        before = self._values.mass_properties.root_center()
        with self._waking.noticing(TARGET_ROWS & values.keys(), chosen):
            self._values.assign(values, chosen)
        moved, root_position = self._values.root_kept(before)
        if moved.any():
            self.set_row("root_position", root_position[moved], moved)
