"""`Actor` is one articulation or rigid body in many worlds, with its state, parameters, steps, resets and forces. It is
the base of `Simulation` and `SceneActor`. PhysX: PxArticulationReducedCoordinate, PxRigidDynamic.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from physx_runtime.arrays import Array, Indices
from physx_runtime.model.row_specs import FORCE_ROWS, LINK_FORCE_ROWS, input_rows
from physx_runtime.model.topology import Topology
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.actor_group import ActorGroup
from physx_runtime.simulation.divergence import DivergenceReport
from physx_runtime.simulation.external_forces import ExternalForces, ForceMode
from physx_runtime.simulation.gpu_actor import GRAVITY_SWITCH, OnGpu, host_worlds
from physx_runtime.simulation.parameters import Parameter, ParameterValues, checked_row, row_size, world_indices
from physx_runtime.simulation.recording import world_link_poses
from physx_runtime.simulation.reset import StartState, Watcher
from physx_runtime.solver.settings import SOFTENING, SolverSettings, solver_settings
from physx_runtime.worlds.buffer import BufferView
from physx_runtime.worlds.gpu.arrays import is_on_device
from physx_runtime.worlds.store import WorldRows, Worlds
from physx_runtime.worlds.wake import TARGET_ROWS, WAKING_ROWS, WakeControl
from physx_schema.arguments import display, required_mapping, required_text, suggestion
from physx_schema.former_names import former_method


class Actor:
    """Worlds of one articulation or rigid body; no world depends on another.

    group: the actors of equal structure that are stepped together; index: this actor among them.
    """

    def __init__(self, group: ActorGroup, index: int = 0) -> None:
        self.index, self._group = index, group
        self.watchers: list[Watcher] = []       # notified of every state that is set
        self.use_store(group.join(self))
        self.divergence = DivergenceReport(self, group.reported[group.batch_slice(index)], group.batch.reports[index])

    def use_store(self, store: Worlds | BufferView) -> None:
        """Use the rows of this store from now on."""
        self._store, self._waking = store, WakeControl(store, self.model.topology)
        if "parameter_values" in self.__dict__:
            self.parameter_values.store = store

    def use_stream(self, stream: Any) -> None:
        """Use a CUDA stream for all following work of this actor's group; None is the default stream.

        Accepts a stream of CuPy, PyTorch, Warp or numba-cuda, or a handle. Raises ValueError for anything else, and on
        the CPU.
        """
        OnGpu(self).use_stream(stream)

    def read_into(self, name: str, array: Any) -> None:
        """Copy a row of every world into a GPU array, (n_world, n). Raises ValueError for a wrong array."""
        OnGpu(self).read_into(name, array)

    give = former_method("give", read_into)

    @functools.cached_property
    def parameter_values(self) -> ParameterValues:
        """The parameters of every world."""
        return ParameterValues(self.model, self._store, self.worlds, self.dtype)

    @functools.cached_property
    def _external_forces(self) -> ExternalForces:
        return ExternalForces(self)

    def __repr__(self) -> str:
        return (f"{type(self).__name__}({self.model.actor.path!r}, links={len(self.model.link_names)}, "
                f"dofs={len(self.model.dof_names)}, worlds={self.worlds}, dt={self.dt:.6g})")

    def watch(self, watcher: Watcher) -> None:
        """Notify a watcher of every state that is set and every step from now on."""
        self.watchers.append(watcher)
        self._group.batch.watch(watcher)

    def set_time_step(self, dt: float) -> None:
        """Set the time step in seconds. Raises ValueError unless it is positive and finite."""
        self._group.batch.set_time_step(dt)

    def repack(self, model: PackedModel) -> None:
        """Set the parameters and iteration counts of a model in every world; states, efforts and sleep are unchanged.

        Raises ValueError if the structure of the model differs.
        """
        model = self.adapt_model(model)
        if model.topology != self.model.topology:
            raise ValueError("the new model has another structure; create a new Simulation")
        self._group.models[self.index] = model
        self._group.batch.set_settings(self.index, solver_settings(self.solver, model))
        self._write_parameters(model)
        self._group.batch.write_time()

    def _write_parameters(self, model: PackedModel) -> None:
        """Write the parameters of a model, in every world."""
        self.__dict__.pop("parameter_values", None)
        inputs, worlds = input_rows(model.topology), np.arange(self.worlds)
        persistent = {name: self.get(name) for name in ("joint_effort",) if name in inputs}
        for name, values in {**model.parameters, **persistent}.items():
            row = np.zeros(inputs[name]) if name in SOFTENING and not self.settings.softened else values
            self._write(name, checked_row(model, self.parameter_values.owners, name, row, worlds, self.dtype), None)

    def adapt_model(self, model: PackedModel) -> PackedModel:
        """Return a model with the features that are enabled or disabled in this simulation."""
        return self._group.adapt_model(model)

    @property
    def model(self) -> PackedModel:
        """The packed model."""
        return self._group.models[self.index]

    @property
    def settings(self) -> SolverSettings:
        """The iteration counts of the next step; those of the first world if worlds differ."""
        return self._group.settings[self.index]

    @property
    def worlds(self) -> int:
        """The number of worlds."""
        return self._group.batch.worlds

    @property
    def dt(self) -> float:
        """The time step in seconds."""
        return self._group.batch.dt

    @property
    def dtype(self) -> str:
        """"float32" or "float64"."""
        return self._group.batch.dtype

    @property
    def solver(self) -> str:
        """The solver: "physx", "ideal" or "sapien-3.0"."""
        return self._group.solver

    @property
    def steps_taken(self) -> int:
        """The number of completed steps."""
        return self._group.batch.steps_taken

    @property
    def topology(self) -> Topology:
        """The tree of links; a body has one free link."""
        return self.model.topology.tree

    @property
    def group(self) -> ActorGroup:
        """The group of actors that it is stepped with."""
        return self._group

    def batch_indices(self, worlds: Indices) -> Indices:
        """Indices in the batch of these worlds of the actor."""
        return self.index * self.worlds + worlds

    def model_of_worlds(self) -> PackedModel:
        """The model, with the worlds' own parameters where they were set, (n, n_world)."""
        return self.parameter_values.model_of_worlds() if "parameter_values" in self.__dict__ else self.model

    # --- rows --------------------------------------------------------------------------------------------------------

    def set(self, name: str, values: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Set one number by its name: a parameter, or a row of the state, efforts or forces.

        Rows are q, v, root_position, root_rotation (of the root's internal frame F), joint_effort, link_force and
        link_torque. Link forces are (3 n_link,) at the centres of mass in world axes, and act until set again. The
        first of them compiles a step that reads them. All rows are in docs/reference/rows.md.

        Args:
            values: (n,) for all worlds or (n_world, n); parameters as in `set_parameters`.
            worlds: A mask or indices; None selects all worlds.

        Raises:
            ValueError: A number is NaN; a state, effort or force is infinite; a shape is wrong; `set_parameters`
                refuses the value; or the row is computed from other numbers.
        """
        if required_text("name", name) in self.model.state or name in FORCE_ROWS:
            self.set_row(name, values, worlds)
        elif name in self.parameters:
            self.set_parameters({name: values}, worlds)
        elif name in self.settings.rows(self.dt):
            raise ValueError(f"{display(name)} is computed from the time step of all worlds; call set_time_step")
        else:
            forces = self.model.settable.keys() & set(FORCE_ROWS)
            allowed = sorted({*self.parameters, *self.model.state, *forces})
            raise ValueError(f"{display(name)} cannot be set in this model; {suggestion(name, allowed)}")

    def set_row(self, name: str, values: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Set a row of the step directly, (n,) for all worlds or (n_world, n). Rows computed from it are unchanged.

        With device "cuda", arrays (n_world, n) of the simulation's dtype, masks and indices may be on the GPU. Their
        numbers are not checked. Raises ValueError for NaN, an infinite state, effort or force, a wrong shape, or an
        unknown row.
        """
        if is_on_device(values) or is_on_device(worlds):
            OnGpu(self).set_row(name, values, worlds)
            return
        indices = world_indices(worlds, self.worlds)
        array = checked_row(self.model, self.parameter_values.owners, name, values, indices, self.dtype)
        if name in LINK_FORCE_ROWS:
            self._group.enable_link_forces()
        self._write(name, array, None if worlds is None else indices)
        if name in WAKING_ROWS:
            self._waking.wake(None if worlds is None else indices)
        if name == "q" and self.topology.locked:
            self.set_row("locked", np.zeros(len(self.topology.locked)), worlds)

    def _write(self, name: str, array: Array, worlds: Indices | None) -> None:
        """Write a checked row of the worlds with these indices, all where None."""
        if worlds is None:
            self._store.write(name, array)
        else:
            self._store.write_at(name, array, worlds)
        if name in self.model.state:
            self._state_changed(np.arange(self.worlds) if worlds is None else worlds)
        else:
            self._group.parameters_changed()

    def apply_force(self, force: ArrayLike, torque: ArrayLike | None = None, *, link: str | None = None,
                    point: ArrayLike | None = None, mode: ForceMode = "force", local: bool = False,
                    worlds: ArrayLike | None = None) -> None:
        """Apply a force to a link in the next step only, in addition to link_force, link_torque and other forces.

        It wakes the actor as `set("link_force")` does.

        Args:
            force: (3,) for all selected worlds or (n_selected, 3), in world axes. With `local` it is in the frame of
                the link's prim, without its scale. `torque` and `point` have the same shape and frame.
            torque: Like `force`.
            link: Prim path; required if there are several links.
            point: Point of application; None is the centre of mass.
            mode: `force`; `impulse` [force s] and `velocity_change` [distance/s, rad/s] over the whole step;
                `acceleration`. Accelerations and velocity changes are multiplied by the link's mass and inertia.
            worlds: A mask or indices; None selects all worlds.

        Raises:
            ValueError: The link or mode is unknown, a shape is wrong, or a number is not finite; no force is applied
                then.
        """
        indices, index = host_worlds("apply_force", worlds, self.worlds), self._external_forces.link_of(link)
        external = self._external_forces.checked(indices, index, force, torque, point, mode, local)
        self._external_forces.add(external, index, indices)
        self._group.enable_link_forces()
        self._waking.wake(indices)
        self._group.batch.watch_next(self._external_forces)

    def enable_tendon_impulses(self) -> None:
        """Record the impulses of tendons in every following step."""
        self._group.enable_tendon_impulses()

    @property
    def contact_impulses(self) -> Array | None:
        """Contact impulses on links in the last step, (n_world, n_link, 6): linear, then angular about the centre of
        mass.

        None without contacts.
        """
        return self._group.contact_impulses()

    def _state_changed(self, worlds: Indices) -> None:
        for watcher in self.watchers:
            watcher.state_changed(worlds)

    def get(self, name: str) -> Array:
        """Return a row of every world, (n_world, n), or a parameter as `parameter` does.

        Rows are listed in docs/reference/rows.md. Raises ValueError for an unknown name.
        """
        if required_text("name", name) not in self.model.settable and name in self.parameters:
            return self.parameter(name)
        if name in LINK_FORCE_ROWS and not self.topology.link_forces:
            return np.zeros((self.worlds, 3 * len(self.topology.links)), self.dtype)
        row_size(self.model, name)
        return self._store.rows(name)

    @property
    def path(self) -> str:
        """The code of the next step: "specialised" for this structure, or "generic" (docs/guides/worlds.md)."""
        return self._store.path

    @property
    def store(self) -> WorldRows:
        """The store of states and parameters of all worlds."""
        return self._store

    # --- state -------------------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Array]:
        """The state of every world: row name -> (n_world, n)."""
        if not self._store.is_host_memory:       # else the step has reported it
            self.divergence.flags()
        return {name: self.get(name) for name in self.model.state}

    @property
    def joint_position(self) -> Array:
        """Joint positions, (n_world, n_dof), in rad or length units."""
        if not self._store.is_host_memory:       # else the step has reported it
            self.divergence.flags()
        return self.get("q")

    @property
    def joint_velocity(self) -> Array:
        """Joint velocities, (n_world, n_dof), in rad/s or length units per second."""
        return self.get("v")[:, self.topology.root_size:]

    @property
    def link_pose(self) -> Array:
        """World poses of the links, (n_world, n_link, 7): position, then quaternion x y z w."""
        return world_link_poses(self.model_of_worlds(), self.state()).astype(self.dtype)

    @property
    def diverged(self) -> NDArray[np.bool_]:
        """Mask (n_world,) of diverged worlds, which stay at their last finite state."""
        return self.divergence.flags()

    @property
    def asleep(self) -> NDArray[np.bool_]:
        """Mask (n_world,) of sleeping worlds; docs/reference/physx/sleeping.md lists what wakes them."""
        return self._waking.asleep

    def wake(self, worlds: ArrayLike | None = None) -> None:
        """Wake worlds for at least 0.4 s. `worlds` is a mask (n_world,) or indices; None wakes all."""
        if is_on_device(worlds):
            OnGpu(self).wake(worlds)
        else:
            self._waking.wake(None if worlds is None else world_indices(worlds, self.worlds))

    def put_to_sleep(self, worlds: ArrayLike | None = None) -> None:
        """Put worlds to sleep with zero velocity, as PhysX's putToSleep.

        `worlds` is a mask (n_world,) or indices; None selects all. As in PhysX, an actor in an island with awake
        actors only loses its velocity, and sleeps with its island. Forces of `apply_force` are cleared. A nonzero
        link_force wakes the actor at once. Raises ValueError if sleeping is off.
        """
        if self._group.sleepless:
            raise ValueError(f"{self.model.actor.path} cannot be put to sleep: {self._group.sleepless}")
        indices = host_worlds("put_to_sleep", worlds, self.worlds)
        self.set_row("v", np.zeros(self.topology.nv), indices)
        self._external_forces.clear(indices)
        self._waking.clear_wake_state(indices)
        self._group.batch.put_to_sleep(self.index, indices)

    def reset(self, worlds: ArrayLike | None = None, *, joint_position: ArrayLike | None = None,
              joint_velocity: ArrayLike | None = None, root_pose: ArrayLike | None = None,
              root_velocity: ArrayLike | None = None) -> None:
        """Reset worlds to the authored state or to a given state, and clear their divergence.

        Efforts, targets and parameters are unchanged. Values are for all selected worlds, or one line for each. With
        device "cuda", `worlds`, `joint_position` and `joint_velocity` may be on the GPU.

        Args:
            worlds: A mask (n_world,) or indices; None resets all worlds.
            joint_position: (n_dof,) values.
            joint_velocity: (n_dof,) values.
            root_pose: (7,) of the root link: position, then quaternion x y z w.
            root_velocity: (6,) linear at the root's centre of mass, then angular.

        Raises:
            ValueError: A shape is wrong, or a number is not finite; nothing is reset then.
        """
        if any(is_on_device(values) for values in (worlds, joint_position, joint_velocity, root_pose, root_velocity)):
            OnGpu(self).reset(worlds, joint_position, joint_velocity, root_pose, root_velocity)
            return
        indices = world_indices(worlds, self.worlds)
        start = StartState(self.model, indices, self.dtype, self.parameter_values.mass_properties.root_offset(indices))
        start.apply(joint_position, joint_velocity, root_pose, root_velocity)
        for name, values in start.rows.items():
            self.set_row(name, values, indices)
        self.divergence.revive(indices)
        self._group.start(self.batch_indices(indices))

    def group_was_reset(self, worlds: Indices) -> None:
        """Update caches after its whole group was reset to the authored state in these worlds."""
        if "parameter_values" in self.__dict__ and self.parameter_values.mass_properties.has_root_offset:
            self.reset(worlds)          # where the root's frame stands is its own
        self._state_changed(worlds)

    def state_was_loaded(self) -> None:
        """Notify watchers after the rows of all worlds were loaded."""
        self._state_changed(np.arange(self.worlds))

    # --- parameters --------------------------------------------------------------------------------------------------

    @property
    def parameters(self) -> Mapping[str, Parameter]:
        """Parameters by name: shape, elements, unit, range and documentation."""
        return self.parameter_values.table

    def parameter(self, name: str) -> Array:
        """Return a parameter in every world, (n_world, *shape). Raises ValueError for an unknown name."""
        return self.parameter_values.read(name)

    def set_parameter(self, name: str, values: ArrayLike, worlds: ArrayLike | None = None) -> None:
        """Set one parameter, as `set_parameters` does."""
        self.set_parameters({required_text("name", name): values}, worlds)

    def set_parameters(self, values: Mapping[str, ArrayLike], worlds: ArrayLike | None = None) -> None:
        """Set parameters by name. Each value is one number, `shape`, or (n_selected, *shape).

        If a centre of mass changes, links keep their poses and the root keeps its velocity. With device "cuda", values
        and worlds may be on the GPU, except centres of mass and principal axes; their numbers are not checked.

        Args:
            worlds: A mask (n_world,) or indices; None selects all worlds.

        Raises:
            ValueError: PhysX refuses a value, or the step does not read it (see `randomize`). The message names world
                and prim; nothing is set then.
        """
        required_mapping("values", values)
        if any(is_on_device(value) for value in (worlds, *values.values())):
            OnGpu(self).set_parameters(values, worlds)
            return
        indices = world_indices(worlds, self.worlds)
        before = self.parameter_values.mass_properties.root_offset()
        self.parameter_values.assign(values, indices)
        self._group.parameters_changed()
        if values.keys() & TARGET_ROWS:
            self._waking.wake(indices)
        if GRAVITY_SWITCH in values:
            self._waking.wake(indices[self.parameter(GRAVITY_SWITCH)[indices].any(axis=1)])
        for name, changed, rows in self.parameter_values.moved_root_rows(before):
            if changed.any():
                self._group.root_offset_changed(self.index, self.parameter_values.mass_properties.root_offset())
                index = np.flatnonzero(changed)
                row_owners = self.parameter_values.owners
                self._write(name, checked_row(self.model, row_owners, name, rows[index], index, self.dtype), index)
