"""`ActorGroup` steps the actors of equal structure in one `WorldBatch` and writes their rows, resets and sleep.
`build_group` makes the group of a single actor. `as_stepped` adds the rows for sleeping to a model. `GroupMember` is
the protocol of the actors that join a group.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from physx_runtime.arrays import Array, Indices
from physx_runtime.model.island import IslandTopology
from physx_runtime.model.owners import owners_of
from physx_runtime.model.row_specs import FORCE_ROWS, RowKey, input_rows
from physx_runtime.model.topology import ActorTopology, Topology
from physx_runtime.packing.frames import Frame, rounded_rotations
from physx_runtime.packing.model import PackedModel
from physx_runtime.simulation.arguments import require_room, required_count
from physx_runtime.simulation.divergence import DivergenceReport
from physx_runtime.simulation.parameters import checked_row, converted_row, rounded
from physx_runtime.simulation.world_batch import WorldBatch
from physx_runtime.solver.divergence import DIVERGED
from physx_runtime.solver.settings import SOFTENING, SolverSettings, solver_settings
from physx_runtime.worlds.buffer import BufferView
from physx_runtime.worlds.store import AUTO, Worlds
from physx_runtime.worlds.wake import WakeControl
from physx_schema.arguments import required_flag


class GroupMember(Protocol):
    """An actor of a group, which is notified of changes to its worlds."""

    index: int
    divergence: DivergenceReport

    def use_store(self, store: Worlds | BufferView) -> None:
        """Use the rows of this store from now on."""

    def group_was_reset(self, worlds: Indices) -> None:
        """Update caches after the whole group was reset to the authored state in these worlds."""

    def model_of_worlds(self) -> PackedModel:
        """The model, with the worlds' own parameters where they were set, (n, n_world)."""


class ActorGroup:
    """Actors of one structure in `batch`, whose rows begin with a prefix.

    sleeping: whether its worlds may fall asleep. Raises ValueError for an authored number that the dtype cannot hold.
    """

    def __init__(self, models: Sequence[PackedModel], batch: WorldBatch, solver: str, sleeping: bool = True,
                 prefix: str = "") -> None:
        self.models, self.batch, self.solver, self._prefix = list(models), batch, solver, prefix
        self._sleeping = sleeping and solver != "ideal"
        self.store = batch.view_all(prefix)
        self.reported = np.zeros(batch.count, dtype=np.bool_)       # worlds of which was said that they diverged
        self._actors: list[GroupMember] = []
        self._model_of_batch: PackedModel | None = None
        self._write_models()
        batch.add_client(self)

    @property
    def topology(self) -> ActorTopology:
        """The structure of the actors."""
        return self.models[0].topology

    def batch_slice(self, index: int) -> slice:
        """The slice of the batch that holds the actor at an index."""
        return self.batch.slice_of(index)

    @property
    def settings(self) -> Sequence[SolverSettings]:
        """Solver settings of each actor; those of the first world, where worlds differ."""
        return self.batch.settings

    def adapt_model(self, model: PackedModel) -> PackedModel:
        """A model with the features that were enabled or disabled in this group."""
        current, topology = self.topology, replace(model.topology, link_forces=self.topology.tree.link_forces)
        if isinstance(current, Topology) and isinstance(topology, Topology):
            topology = replace(topology, tendon_impulses=current.tendon_impulses)
        return as_stepped(replace(model, topology=topology), self._sleeping)

    # --- rows --------------------------------------------------------------------------------------------------------

    def _write_models(self) -> None:
        """Write what the models author, in every world, awake but for bodies that are authored asleep."""
        for name in (*self.models[0].parameters, *self.models[0].state):
            values = np.stack([{**model.parameters, **model.state}[name] for model in self.models])
            if name in SOFTENING and not self.settings[0].softened:
                values = np.zeros_like(values)
            self.store.write(name, np.repeat(self._checked_values(name, values), self.batch.worlds, axis=0))
        self.start(np.arange(self.batch.count))

    def _checked_values(self, name: str, values: Array) -> Array:
        """Authored values of a row, (n_actor, n), as the step holds them; raises ValueError where it cannot."""
        array, valid = converted_row(self.models[0], name, values, self.batch.dtype)
        for i in np.flatnonzero(~valid.all(axis=1)):
            model = self.models[i]
            row_owners = owners_of(model.topology.tree, model.actor, model.scene)
            checked_row(model, row_owners, name, values[i], np.arange(self.batch.worlds), self.batch.dtype)
        return rounded_rotations(array) if name == "root_rotation" and self.batch.dtype == "float32" else array

    def start(self, indices: Indices) -> None:
        """Set the wake counters at the start: awake, except bodies that are authored asleep."""
        bodies = [model.actor.links[0].body for model in self.models]
        asleep = np.repeat([body is not None and body.starts_asleep for body in bodies], self.batch.worlds)[indices]
        waking = WakeControl(self.store, self.topology)
        waking.reset(indices[~asleep], False)
        waking.reset(indices[asleep], True)

    def reset(self, worlds: Indices) -> Indices:
        """Reset worlds of every actor to the authored state and clear divergence; return their indices in the batch."""
        indices = self.batch.indices_of(worlds)
        for name in self.models[0].state:
            authored = np.stack([model.state[name] for model in self.models])
            self.store.write_at(name, np.repeat(self._checked_values(name, authored), len(worlds), axis=0), indices)
        self.reported[indices] = False
        self.store.write_at(DIVERGED, np.zeros(1), indices)
        self.start(indices)
        for actor in self._actors:
            actor.group_was_reset(worlds)
        return indices

    def state(self) -> dict[str, Array]:
        """The state of every world of the batch, row name -> (n_lane, n), as model.row_specs."""
        if not self.store.is_host_memory:       # else the step has reported it
            self.diverged_flags()
        return {name: self.store.rows(name) for name in self.models[0].state}

    # --- actors ------------------------------------------------------------------------------------------------------

    def join(self, actor: GroupMember) -> Worlds | BufferView:
        """Notify an actor of changes to its worlds from now on; return the store that it uses."""
        self._actors.append(actor)
        return self.batch.view(actor.index, self._prefix)

    def parameters_changed(self) -> None:
        """Update caches after parameters of an actor changed."""
        self._model_of_batch = None

    def model_of_batch(self) -> PackedModel:
        """The model of the first actor with the parameters of every world of the batch, (n, n_lane)."""
        if len(self._actors) == 1:
            return self._actors[0].model_of_worlds()
        if self._model_of_batch is None:
            models = [actor.model_of_worlds() for actor in self._actors]
            self._model_of_batch = concatenated_models(models, self.batch.worlds)
        return self._model_of_batch

    def was_loaded(self, steps_taken: int) -> None:
        """Update caches after all rows of the batch were loaded, with the number of steps before."""
        self.batch.steps_taken = steps_taken
        self.reported[:] = self.store.rows(DIVERGED)[:, 0] > 0.5
        self.batch.diverged = bool(self.reported.any())
        self.parameters_changed()

    def root_offset_changed(self, index: int, root_offset: Frame) -> None:
        """Update joints and colliders after F moved in the root link of an actor; numbers (n_world,)."""

    def contact_impulses(self) -> Array | None:
        """Contact impulses on links in the last step, (n_world, n_link, 6); None without contacts."""
        return None

    def enable_link_forces(self) -> None:
        """Step from now on by code that reads link forces, all rows staying as they are."""
        if not self.topology.tree.link_forces:
            self._replace_topology(replace(self.topology, link_forces=True))

    def enable_tendon_impulses(self) -> None:
        """Keep the impulses of tendons in each step for reports, from now on; all rows stay as they are."""
        t = self.topology
        if isinstance(t, Topology) and (t.fixed_tendons or t.spatial_tendons) and not t.tendon_impulses:
            self._replace_topology(replace(t, tendon_impulses=True))

    def _replace_topology(self, topology: ActorTopology) -> None:
        """Step from now on by the code of a structure with more rows."""
        self.models = [replace(model, topology=topology) for model in self.models]
        batch_topology = self.batch.topology
        if isinstance(batch_topology, IslandTopology):
            index = RowKey.parse(self._prefix).index
            actors = tuple(topology if i == index else actor for i, actor in enumerate(batch_topology.actors))
            self.batch.replace_topology(replace(batch_topology, actors=actors))
        else:
            self.batch.replace_topology(topology)

    # --- as an occupant of its lanes ---------------------------------------------------------------------------------

    def store_replaced(self) -> None:
        """Use the batch's new buffer from now on."""
        self.store = self.batch.view_all(self._prefix)
        for actor in self._actors:
            actor.use_store(self.batch.view(actor.index, self._prefix))

    def can_sleep(self, index: int) -> NDArray[np.bool_]:
        """Mask (n_world,) of worlds in which the actor at `index` is below its sleep threshold."""
        return WakeControl(self.batch.view(index, self._prefix), self.topology).can_sleep

    def put_to_sleep(self, index: int, worlds: Indices) -> None:
        """Put the actor at `index` to sleep in these worlds."""
        WakeControl(self.batch.view(index, self._prefix), self.topology).put_to_sleep(worlds)

    def report_diverged(self) -> None:
        """Warn about worlds that have diverged and are not reported yet."""
        self.diverged_flags()

    def diverged_flags(self) -> NDArray[np.bool_]:
        """Mask (n_lane,) of diverged worlds; warns about those not reported yet."""
        diverged = np.asarray(self.store.rows(DIVERGED)[:, 0] > 0.5)
        new = diverged & ~self.reported
        for index in np.unique(np.flatnonzero(new) // self.batch.worlds) if new.any() else ():
            self._actors[index].divergence.flags()
        return diverged

    @property
    def sleepless(self) -> str:
        """The reason why its worlds never fall asleep; "" where they do."""
        if self.solver == "ideal":
            return "solver='ideal' has no sleeping"
        if not self._sleeping:
            return "the simulation was created with sleeping=False"
        if not self.models[0].scene.sleeping:
            return "sleeping is off in the actor's scene"
        return "" if self.topology.sleeping else "none of the actor's links can move"

    @property
    def asleep(self) -> NDArray[np.bool_]:
        """Mask (n_lane,) of sleeping worlds."""
        return WakeControl(self.store, self.topology).asleep


def require_representable(model: PackedModel, dtype: str) -> None:
    """Raise ValueError for the first authored number that this dtype cannot represent."""
    if _is_representable(model, dtype):
        return
    row_owners = owners_of(model.topology.tree, model.actor, model.scene)
    for name, values in {**model.parameters, **model.state}.items():
        checked_row(model, row_owners, name, values, np.arange(1), dtype)


def _is_representable(model: PackedModel, dtype: str) -> bool:
    """Whether the dtype represents every authored number; one check for all rows."""
    moving = {**model.state, **{name: row for name, row in model.parameters.items() if name in FORCE_ROWS}}
    return not np.isnan(np.concatenate(list(model.parameters.values()))).any() and bool(
        np.isfinite(rounded(np.concatenate(list(moving.values())), dtype)).all())


def as_stepped(model: PackedModel, sleeping: bool) -> PackedModel:
    """A model whose worlds may fall asleep where they do in PhysX and `sleeping` is true, with the rows for that."""
    topology = replace(model.topology, sleeping=model.topology.sleeping and sleeping)
    rows = input_rows(topology)
    return replace(model, topology=topology,
                   parameters={name: values for name, values in model.parameters.items() if name in rows})


def build_group(model: PackedModel, worlds: int = 1, *, dt: float = 1 / 60, device: str = "cpu", dtype: str = "float32",
                solver: str = "physx", path: str = AUTO, sleeping: bool = True) -> ActorGroup:
    """A group of one actor in a batch of its own; arguments as of `Simulation`, with the same ValueErrors."""
    model = as_stepped(model, required_flag("sleeping", sleeping) and solver != "ideal")
    require_room(required_count("worlds", worlds, 1), [model], dtype)
    batch = WorldBatch(model.topology, [solver_settings(solver, model)], worlds, dt=dt, device=device, dtype=dtype,
                       path=path)
    return ActorGroup([model], batch, solver, sleeping)


def concatenated_models(models: Sequence[PackedModel], worlds: int) -> PackedModel:
    """The first of models of one structure, with the parameters and link frames of all, (n, n_model x n_world)."""

    def concatenated(values: Sequence[Any]) -> Array:
        """Values of models, (n,) for all worlds or (n, n_world), concatenated along worlds."""
        by_world = (x if np.ndim(x) == 2 else np.reshape(x, (len(x), 1)) for x in values)
        return np.concatenate([np.broadcast_to(x, (len(x), worlds)) for x in by_world], axis=1)

    frames = [[concatenated([m.link_frames[i][part] for m in models]) for part in (0, 1)]
              for i in range(len(models[0].link_frames))]
    return replace(models[0], parameters={name: concatenated([m.parameters[name] for m in models])
                                          for name in models[0].parameters},
                   link_frames=tuple(((x[0], x[1], x[2]), (r[0], r[1], r[2], r[3])) for x, r in frames))
